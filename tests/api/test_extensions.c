/* SPDX-License-Identifier: MIT
 *
 * Small extensions. Stencil may have other usages than depth; 8-bit indices draw what 16-bit indices draw, with and
 * without restarts; depth and stencil of one image may be in different layouts, and are resolved to the first sample,
 * the minimum or the maximum; shaders with the Vulkan memory model pass words from one invocation to another.
 */
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "color.vert.h"
#include "full.vert.h"
#include "memory_model.comp.h"

#define W 160
#define H 48

static struct vkt device;

static int open_device(void **state)
{
    const char *const extensions[] = {VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME,
                                      VK_KHR_SEPARATE_DEPTH_STENCIL_LAYOUTS_EXTENSION_NAME,
                                      VK_EXT_SEPARATE_STENCIL_USAGE_EXTENSION_NAME,
                                      VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME,
                                      VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME,
                                      VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME};
    device = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- separate stencil usage */

static VkResult query_usages(VkImageUsageFlags usage, VkImageUsageFlags stencil_usage)
{
    VkImageFormatProperties2 properties = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
    const VkImageStencilUsageCreateInfo stencil = {.sType = VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO,
                                                   .stencilUsage = stencil_usage};
    const VkPhysicalDeviceImageFormatInfo2 info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                                   .pNext = &stencil,
                                                   .format = VK_FORMAT_D24_UNORM_S8_UINT,
                                                   .type = VK_IMAGE_TYPE_2D,
                                                   .tiling = VK_IMAGE_TILING_OPTIMAL,
                                                   .usage = usage};
    PFN_vkVoidFunction ask = vkGetInstanceProcAddr(device.instance, "vkGetPhysicalDeviceImageFormatProperties2KHR");
    if (!ask)
        ask = vkGetInstanceProcAddr(device.instance, "vkGetPhysicalDeviceImageFormatProperties2");
    return ((PFN_vkGetPhysicalDeviceImageFormatProperties2)ask)(device.physical, &info, &properties);
}

/* The image is an attachment, and only its stencil aspect may also be sampled. */
static void stencil_has_usages_of_its_own(void **state)
{
    const VkImageUsageFlags drawn = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, read = VK_IMAGE_USAGE_SAMPLED_BIT;
    assert_int_equal(query_usages(drawn, drawn | read), VK_SUCCESS);
    assert_int_equal(query_usages(drawn, VK_IMAGE_USAGE_STORAGE_BIT), VK_ERROR_FORMAT_NOT_SUPPORTED);
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .pNext = &(VkImageStencilUsageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO,
                                                  .stencilUsage = drawn | read},
        .imageType = VK_IMAGE_TYPE_2D,
        .format = VK_FORMAT_D24_UNORM_S8_UINT,
        .extent = {W, H, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = drawn,
    };
    VkImage image;
    VkImageView view;
    VkMemoryRequirements needs;
    VkDeviceMemory memory;
    vkt_ok(vkCreateImage(device.device, &info, NULL, &image));
    vkGetImageMemoryRequirements(device.device, image, &needs);
    vkt_ok(vkAllocateMemory(device.device,
                            &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                    .allocationSize = needs.size},
                            NULL, &memory));
    vkt_ok(vkBindImageMemory(device.device, image, memory, 0));
    vkt_ok(vkCreateImageView(device.device,
                             &(VkImageViewCreateInfo){
                                 .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                 .image = image,
                                 .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                 .format = info.format,
                                 .subresourceRange = {VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 0, 1},
                             },
                             NULL, &view));
    VkDescriptorSetLayout layout = vkt_set_layout_create(
        &device, &(struct vkt_binding){VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_SHADER_STAGE_FRAGMENT_BIT, 1}, 1);
    vkUpdateDescriptorSets(device.device, 1, /* a view of stencil can be sampled */
                           &(VkWriteDescriptorSet){
                               .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                               .dstSet = vkt_set_alloc(&device, layout),
                               .descriptorCount = 1,
                               .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                               .pImageInfo = &(VkDescriptorImageInfo){VK_NULL_HANDLE, view,
                                                                      VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL},
                           },
                           0, NULL);
    vkDestroyDescriptorSetLayout(device.device, layout, NULL);
    vkDestroyImageView(device.device, view, NULL);
    vkDestroyImage(device.device, image, NULL);
    vkFreeMemory(device.device, memory, NULL);
}

/* ---------------------------------------------------------------- 8-bit indices */

struct vertex {
    float position[4];
    uint8_t color[4];
};

static const VkVertexInputBindingDescription binding = {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
static const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                               {1, 0, VK_FORMAT_R8G8B8A8_UNORM, 16}};

#define INDICES 15u

static struct vkt_picture draw(bool restart, bool in_bytes, VkPrimitiveTopology topology)
{
    /* 0xff restarts the primitive if `restart` is set */
    static const uint8_t bytes[INDICES + 1] = {9, 0, 1, 2, 3, 0xff, 6, 7, 8, 9, 10, 11, 0xff, 14, 15, 16};
    uint16_t shorts[INDICES + 1];
    struct vertex v[256];
    for (uint32_t i = 0; i <= INDICES; i++)
        shorts[i] = restart && bytes[i] == 0xff ? 0xffff : bytes[i];
    for (uint32_t i = 0; i < VKT_COUNT(v); i++) {
        v[i] = (struct vertex){.position = {(float)(i / 2 * 8 + 8) * 2 / W - 1, i % 2 ? 0.5f : -0.5f, 0, 1}};
        memcpy(v[i].color, (uint8_t[]){255, (uint8_t)(i * 7), 255, 255}, 4);
    }
    struct vkt_target target = vkt_target_create(&device, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(&device, &(struct vkt_pipeline_info){.vs = VKT_SHADER(color_vert),
                                                                                    .fs = VKT_SHADER(color_frag),
                                                                                    .pass = target.pass,
                                                                                    .bindings = &binding,
                                                                                    .binding_count = 1,
                                                                                    .attributes = attributes,
                                                                                    .attribute_count = 2,
                                                                                    .topology = topology,
                                                                                    .primitive_restart = restart,
                                                                                    .width = W,
                                                                                    .height = H});
    struct vkt_buffer vertices = vkt_buffer_create(&device, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    struct vkt_buffer indices =
        vkt_buffer_create(&device, in_bytes ? sizeof bytes : sizeof shorts, VK_BUFFER_USAGE_INDEX_BUFFER_BIT,
                          in_bytes ? (const void *)bytes : shorts);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_begin_pass(cmd, &target, (float[]){0.2f, 0.2f, 0.2f, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(cmd, indices.buffer, 0, in_bytes ? VK_INDEX_TYPE_UINT8_EXT : VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(cmd, INDICES, 1, 1, 1, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&device, cmd);
    struct vkt_picture out = vkt_read_target(&device, &target);
    vkt_buffer_destroy(&device, &vertices);
    vkt_buffer_destroy(&device, &indices);
    vkt_pipeline_destroy(&device, &p);
    vkt_target_destroy(&device, &target);
    return out;
}

static void indices_of_bytes(void **state)
{
    static const VkPrimitiveTopology topologies[] = {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                                     VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                     VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN};
    for (uint32_t i = 0; i < 2 * VKT_COUNT(topologies); i++) {
        const VkPrimitiveTopology topology = topologies[i / 2];
        const bool restart = i % 2 && topology != VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
        struct vkt_picture expected = draw(restart, false, topology), got = draw(restart, true, topology);
        uint32_t drawn = 0;
        for (uint32_t k = 0; k < W * H; k++)
            drawn += got.rgba[4 * k] == 255;
        assert_true(drawn > 100);
        vkt_compare("bytes", &expected, &got, (struct vkt_tolerance){0, 0});
        vkt_picture_free(&expected);
        vkt_picture_free(&got);
    }
}

/* ---------------------------------------------------------------- separate layouts */

static void barrier(VkCommandBuffer cmd, VkImage image, VkImageAspectFlags aspect, VkImageLayout from, VkImageLayout to)
{
    const VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                    .oldLayout = from,
                                    .newLayout = to,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image,
                                    .subresourceRange = {aspect, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                         NULL, 1, &b);
}

/* A pass that clears depth and loads stencil, and stores both. Each keeps a layout of its own throughout. */
static VkRenderPass create_pass(VkFormat format)
{
    const VkImageLayout depth = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;
    const VkImageLayout stencil = VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL;
    const VkAttachmentDescriptionStencilLayout stencil_layout = {
        .sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT,
        .stencilInitialLayout = stencil,
        .stencilFinalLayout = stencil};
    const VkAttachmentReferenceStencilLayout stencil_reference = {
        .sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_STENCIL_LAYOUT, .stencilLayout = stencil};
    const VkAttachmentDescription2 attachment = {.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
                                                 .pNext = &stencil_layout,
                                                 .format = format,
                                                 .samples = VK_SAMPLE_COUNT_1_BIT,
                                                 .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                 .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                 .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
                                                 .stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                 .initialLayout = depth,
                                                 .finalLayout = depth};
    const VkAttachmentReference2 reference = {.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
                                              .pNext = &stencil_reference,
                                              .layout = depth};
    const VkSubpassDescription2 subpass = {.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
                                           .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                           .pDepthStencilAttachment = &reference};
    const VkRenderPassCreateInfo2 info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
                                          .attachmentCount = 1,
                                          .pAttachments = &attachment,
                                          .subpassCount = 1,
                                          .pSubpasses = &subpass};
    VkRenderPass pass;
    vkt_ok(((PFN_vkCreateRenderPass2KHR)vkGetDeviceProcAddr(device.device, "vkCreateRenderPass2KHR"))(
        device.device, &info, NULL, &pass));
    return pass;
}

static void layouts_of_depth_and_stencil(void **state)
{
    const VkImageAspectFlags depth = VK_IMAGE_ASPECT_DEPTH_BIT, stencil = VK_IMAGE_ASPECT_STENCIL_BIT;
    struct vkt_image image = vkt_image_create(
        &device, &(struct vkt_image_info){.format = VK_FORMAT_D24_UNORM_S8_UINT,
                                          .width = 16,
                                          .height = 16,
                                          .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                                   VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    struct vkt_buffer out = vkt_buffer_create(&device, 16 * 16 * 5, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkRenderPass pass = create_pass(image.format);
    VkFramebuffer framebuffer;
    vkt_ok(vkCreateFramebuffer(device.device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = pass,
                                                          .attachmentCount = 1,
                                                          .pAttachments = &image.view,
                                                          .width = 16,
                                                          .height = 16,
                                                          .layers = 1},
                               NULL, &framebuffer));
    VkCommandBuffer cmd = vkt_begin(&device);
    barrier(cmd, image.image, stencil, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdClearDepthStencilImage(cmd, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                &(VkClearDepthStencilValue){0, 0x5a}, 1,
                                &(VkImageSubresourceRange){stencil, 0, 1, 0, 1});
    barrier(cmd, image.image, depth, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
    barrier(cmd, image.image, stencil, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
            VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = pass,
                                                  .framebuffer = framebuffer,
                                                  .renderArea = {{0, 0}, {16, 16}},
                                                  .clearValueCount = 1,
                                                  .pClearValues = &(VkClearValue){.depthStencil = {1, 0}}},
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdEndRenderPass(cmd);
    barrier(cmd, image.image, depth, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    barrier(cmd, image.image, stencil, VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL,
            VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    const VkBufferImageCopy copies[] = {{.imageSubresource = {depth, 0, 0, 1}, .imageExtent = {16, 16, 1}},
                                        {.bufferOffset = 16 * 16 * 4,
                                         .imageSubresource = {stencil, 0, 0, 1},
                                         .imageExtent = {16, 16, 1}}};
    vkCmdCopyImageToBuffer(cmd, image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out.buffer, 2, copies);
    vkt_end_submit(&device, cmd);
    const uint8_t *bytes = out.map;
    for (uint32_t i = 0; i < 16 * 16; i++) {
        assert_memory_equal(bytes + 4 * i, "\xff\xff\xff", 3);
        assert_int_equal(bytes[16 * 16 * 4 + i], 0x5a);
    }
    vkDestroyFramebuffer(device.device, framebuffer, NULL);
    vkDestroyRenderPass(device.device, pass, NULL);
    vkt_image_destroy(&device, &image);
    vkt_buffer_destroy(&device, &out);
}

/* ---------------------------------------------------------------- memory model */

static void words_pass_between_invocations(void **state)
{
    struct vkt_buffer out = vkt_storage_buffer(&device, 4 * 64, 0);
    struct vkt_compute c = vkt_compute_create_simple(&device, VKT_SHADER(memory_model_comp), 1, 0, NULL);
    VkDescriptorSet set = vkt_compute_set(&device, &c, &out, 1);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(&device, cmd);
    const uint32_t *words = out.map;
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(words[64 + i], (i ^ 37) * 3 + 1);
        assert_int_equal(words[192 + i], i * 3 + 1);
    }
    vkt_compute_destroy(&device, &c);
    vkt_buffer_destroy(&device, &out);
}

/* ---------------------------------------------------------------- depth and stencil resolve */

enum { RESOLVED_PX = 48 };

struct resolve {
    VkFormat format;
    VkResolveModeFlagBits depth_mode, stencil_mode;
    uint32_t sample_mask; /* samples drawn with depth 0.5 and stencil 9; cleared to 0.25 and 3 */
    bool in_part;         /* the render area is resolved_part, not all of the image */
};

static const VkRect2D resolved_part = {{5, 6}, {30, 20}};

static VkRenderPass resolve_pass(const struct resolve *r)
{
    VkAttachmentDescription2 attachments[2];
    for (uint32_t i = 0; i < 2; i++)
        attachments[i] = (VkAttachmentDescription2){
            .sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
            .format = r->format,
            .samples = i ? VK_SAMPLE_COUNT_1_BIT : VK_SAMPLE_COUNT_4_BIT,
            .loadOp = i ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR,
            .storeOp = i ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .stencilLoadOp = i ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR,
            .stencilStoreOp = i ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .initialLayout = i ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED,
            .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
    const VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    const VkAttachmentReference2 drawn = {.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
                                          .attachment = 0,
                                          .layout = VK_IMAGE_LAYOUT_GENERAL,
                                          .aspectMask = both},
                                 resolved = {.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
                                             .attachment = 1,
                                             .layout = VK_IMAGE_LAYOUT_GENERAL,
                                             .aspectMask = both};
    const VkSubpassDescriptionDepthStencilResolve resolve = {
        .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE,
        .depthResolveMode = r->depth_mode,
        .stencilResolveMode = r->stencil_mode,
        .pDepthStencilResolveAttachment = &resolved};
    const VkSubpassDescription2 subpass = {.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
                                           .pNext = &resolve,
                                           .pDepthStencilAttachment = &drawn};
    const VkRenderPassCreateInfo2 info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
                                          .attachmentCount = 2,
                                          .pAttachments = attachments,
                                          .subpassCount = 1,
                                          .pSubpasses = &subpass};
    VkRenderPass pass;
    vkt_ok(((PFN_vkCreateRenderPass2KHR)vkGetDeviceProcAddr(device.device, "vkCreateRenderPass2KHR"))(
        device.device, &info, NULL, &pass));
    return pass;
}

static struct vkt_pipeline resolve_pipeline(const struct resolve *r, VkRenderPass pass)
{
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_4_BIT,
        .pSampleMask = &r->sample_mask};
    return vkt_pipeline_create(
        &device, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                             .pass = pass,
                                             .no_color = true,
                                             .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                             .depth_test = true,
                                             .depth_write = true,
                                             .depth_compare = VK_COMPARE_OP_ALWAYS,
                                             .stencil_test = true,
                                             .stencil = {.passOp = VK_STENCIL_OP_REPLACE,
                                                         .compareOp = VK_COMPARE_OP_ALWAYS,
                                                         .compareMask = 255,
                                                         .writeMask = 255,
                                                         .reference = 9},
                                             .width = RESOLVED_PX,
                                             .height = RESOLVED_PX,
                                             .multisample = &samples});
}

/* Index of the expected value. 0: not resolved; 1: the cleared value; 2: the drawn value. */
static int expected_of(const struct resolve *r, VkResolveModeFlagBits mode)
{
    const bool is_drawn = mode == VK_RESOLVE_MODE_SAMPLE_ZERO_BIT ? r->sample_mask & 1
                          : mode == VK_RESOLVE_MODE_MIN_BIT       ? r->sample_mask == 0xf
                                                                  : r->sample_mask != 0;
    return mode == VK_RESOLVE_MODE_NONE ? 0 : 1 + is_drawn;
}

/* The mean of the samples that the mask lets the draw change, and of the cleared others. */
static double mean_depth(const struct resolve *r)
{
    const int drawn = __builtin_popcount(r->sample_mask & 0xf);
    return (drawn * 0.5 + (4 - drawn) * 0.25) / 4;
}

static double depth_at(const struct resolve *r, const uint32_t *words, uint32_t i)
{
    float f;
    memcpy(&f, &words[i], sizeof f);
    return r->format == VK_FORMAT_D24_UNORM_S8_UINT ? (words[i] & 0xffffff) / 16777215.0 : (double)f;
}

static void expect_resolved(const struct resolve *r, const uint32_t *depths, const uint8_t *stencils)
{
    static const double depth_of[] = {1, 0.25, 0.5};
    static const uint8_t stencil_of[] = {0x5a, 3, 9};
    for (uint32_t i = 0; i < RESOLVED_PX * RESOLVED_PX; i++) {
        const uint32_t x = i % RESOLVED_PX - 5, y = i / RESOLVED_PX - 6; /* within resolved_part */
        const bool is_in = !r->in_part || (x < resolved_part.extent.width && y < resolved_part.extent.height);
        const double depth = is_in && r->depth_mode == VK_RESOLVE_MODE_AVERAGE_BIT
                                 ? mean_depth(r)
                                 : depth_of[is_in ? expected_of(r, r->depth_mode) : 0];
        const double got = depth_at(r, depths, i);
        const uint8_t stencil = stencil_of[is_in ? expected_of(r, r->stencil_mode) : 0];
        if (got - depth > 1e-6 || depth - got > 1e-6 || stencils[i] != stencil)
            fail_msg("format %d, modes %d and %d, samples %x, pixel %u: %f and %u instead of %f and %u", r->format,
                     r->depth_mode, r->stencil_mode, r->sample_mask, i, got, stencils[i], depth, stencil);
    }
}

static void resolve_and_expect(const struct resolve *r)
{
    struct vkt_image_info info = {.format = r->format,
                                  .width = RESOLVED_PX,
                                  .height = RESOLVED_PX,
                                  .samples = VK_SAMPLE_COUNT_4_BIT,
                                  .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT};
    struct vkt_image drawn = vkt_image_create(&device, &info);
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    struct vkt_image resolved = vkt_image_create(&device, &info);
    const uint32_t depths_B = RESOLVED_PX * RESOLVED_PX * 4;
    struct vkt_buffer out =
        vkt_buffer_create(&device, depths_B + RESOLVED_PX * RESOLVED_PX, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkRenderPass pass = resolve_pass(r);
    struct vkt_pipeline pipeline = resolve_pipeline(r, pass);
    VkFramebuffer framebuffer;
    vkt_ok(vkCreateFramebuffer(device.device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = pass,
                                                          .attachmentCount = 2,
                                                          .pAttachments = (VkImageView[]){drawn.view, resolved.view},
                                                          .width = RESOLVED_PX,
                                                          .height = RESOLVED_PX,
                                                          .layers = 1},
                               NULL, &framebuffer));
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &resolved, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdClearDepthStencilImage(cmd, resolved.image, VK_IMAGE_LAYOUT_GENERAL, &(VkClearDepthStencilValue){1, 0x5a}, 1,
                                &(VkImageSubresourceRange){resolved.aspect, 0, 1, 0, 1});
    vkt_image_barrier(cmd, &resolved, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdBeginRenderPass(
        cmd,
        &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                 .renderPass = pass,
                                 .framebuffer = framebuffer,
                                 .renderArea = r->in_part ? resolved_part
                                                          : (VkRect2D){{0, 0}, {RESOLVED_PX, RESOLVED_PX}},
                                 .clearValueCount = 1,
                                 .pClearValues = &(VkClearValue){.depthStencil = {0.25f, 3}}},
        VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_image_barrier(cmd, &resolved, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    const VkExtent3D size = {RESOLVED_PX, RESOLVED_PX, 1};
    const VkBufferImageCopy copies[] = {
        {.imageSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1}, .imageExtent = size},
        {.bufferOffset = depths_B, .imageSubresource = {VK_IMAGE_ASPECT_STENCIL_BIT, 0, 0, 1}, .imageExtent = size}};
    vkCmdCopyImageToBuffer(cmd, resolved.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out.buffer, 2, copies);
    vkt_end_submit(&device, cmd);
    expect_resolved(r, out.map, (const uint8_t *)out.map + depths_B);
    vkDestroyFramebuffer(device.device, framebuffer, NULL);
    vkt_pipeline_destroy(&device, &pipeline);
    vkDestroyRenderPass(device.device, pass, NULL);
    vkt_image_destroy(&device, &drawn);
    vkt_image_destroy(&device, &resolved);
    vkt_buffer_destroy(&device, &out);
}

static void depth_and_stencil_are_resolved(void **state)
{
    static const VkFormat formats[] = {VK_FORMAT_D24_UNORM_S8_UINT, VK_FORMAT_D32_SFLOAT_S8_UINT};
    static const VkResolveModeFlagBits modes[] = {VK_RESOLVE_MODE_NONE, VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
                                                  VK_RESOLVE_MODE_MIN_BIT, VK_RESOLVE_MODE_MAX_BIT};
    static const uint32_t masks[] = {0x1, 0x6, 0xf};
    for (uint32_t f = 0; f < VKT_COUNT(formats); f++)
        for (uint32_t m = 0; m < VKT_COUNT(masks); m++) {
            const struct resolve r = {.format = formats[f],
                                      .depth_mode = VK_RESOLVE_MODE_AVERAGE_BIT,
                                      .stencil_mode = modes[m + 1],
                                      .sample_mask = masks[m],
                                      .in_part = m % 2};
            resolve_and_expect(&r);
        }
    for (uint32_t f = 0; f < VKT_COUNT(formats); f++)
        for (uint32_t m = 0; m < VKT_COUNT(modes) * VKT_COUNT(masks); m++) {
            struct resolve r = {.format = formats[f],
                                .depth_mode = modes[m % VKT_COUNT(modes)],
                                .stencil_mode = modes[(m + 1 + m / VKT_COUNT(modes)) % VKT_COUNT(modes)],
                                .sample_mask = masks[m / VKT_COUNT(modes)],
                                .in_part = m % 2};
            resolve_and_expect(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(stencil_has_usages_of_its_own, vkt_check_messages),
        cmocka_unit_test_teardown(indices_of_bytes, vkt_check_messages),
        cmocka_unit_test_teardown(layouts_of_depth_and_stencil, vkt_check_messages),
        cmocka_unit_test_teardown(words_pass_between_invocations, vkt_check_messages),
        cmocka_unit_test_teardown(depth_and_stencil_are_resolved, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_1);
    return cmocka_run_group_tests(tests, open_device, close_device);
}
