/* SPDX-License-Identifier: MIT
 *
 * See vkt_present_uses.h.
 */
#include <stdlib.h>
#include "vkt_present_uses.h"
#include "full.vert.h"
#include "uses_finish.frag.h"
#include "uses_input.frag.h"
#include "uses_sampled.frag.h"
#include "uses_store.comp.h"

enum { SAMPLED, INPUT, STORED };
enum { READ_SAMPLED, READ_INPUT, FINISH };

#define FORMAT         VK_FORMAT_B8G8R8A8_UNORM
#define WITNESS_FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define GENERAL        VK_IMAGE_LAYOUT_GENERAL
#define READ_ONLY      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL

static VkImageUsageFlags usages(bool stores)
{
    return VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
           VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | (stores ? VK_IMAGE_USAGE_STORAGE_BIT : 0u);
}

VkSwapchainKHR vkt_make_swapchain_of_uses(const struct vkt_present *p, VkSurfaceKHR surface, VkExtent2D extent,
                                          bool stores, VkImage images_out[3])
{
    VkSurfaceCapabilitiesKHR caps;
    vkt_ok(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(p->physical, surface, &caps));
    assert_int_equal(caps.supportedUsageFlags & usages(stores), usages(stores));
    VkSwapchainCreateInfoKHR info = vkt_swapchain_info(surface, VK_PRESENT_MODE_FIFO_KHR);
    info.imageUsage = usages(stores);
    info.imageExtent = extent;
    VkSwapchainKHR swapchain;
    vkt_ok(vkCreateSwapchainKHR(p->device, &info, NULL, &swapchain));
    uint32_t count = 3;
    vkt_ok(vkGetSwapchainImagesKHR(p->device, swapchain, &count, images_out));
    assert_int_equal(count, 3);
    return swapchain;
}

/* -- what all command buffers share ------------------------------------------------------------------------------- */

static struct vkt harness_of(const struct vkt_present *p)
{
    struct vkt t = {.instance = p->instance, .physical = p->physical, .device = p->device, .queue = p->queue};
    vkGetPhysicalDeviceProperties(t.physical, &t.properties);
    vkGetPhysicalDeviceMemoryProperties(t.physical, &t.memory);
    vkt_ok(vkCreateCommandPool(
        t.device, &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO}, NULL, &t.pool));
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 12},
                                          {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 3},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 6}};
    vkt_ok(vkCreateDescriptorPool(t.device,
                                  &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                                .maxSets = 12,
                                                                .poolSizeCount = VKT_COUNT(sizes),
                                                                .pPoolSizes = sizes},
                                  NULL, &t.descriptors));
    return t;
}

static struct vkt_buffer make_pattern(struct vkt *t, VkExtent2D extent)
{
    uint8_t *pixels = malloc(4 * extent.width * extent.height), *next = pixels;
    assert_non_null(pixels);
    for (uint32_t y = 0; y < extent.height; y++)
        for (uint32_t x = 0; x < extent.width; x++) { /* blue first */
            *next++ = (uint8_t)(x + 3 * y);
            *next++ = (uint8_t)(x ^ y);
            *next++ = (uint8_t)(x * 7 + y * 13);
            *next++ = 255;
        }
    struct vkt_buffer buffer =
        vkt_buffer_create(t, 4 * extent.width * extent.height, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, pixels);
    free(pixels);
    return buffer;
}

/* Attachment 0 is the colour, attachment 1 the input attachment of READ_INPUT. */
static VkRenderPass make_pass(struct vkt *t, uint32_t which)
{
    const bool is_finish = which == FINISH;
    const VkAttachmentDescription attachments[] = {
        {.format = is_finish ? FORMAT : WITNESS_FORMAT,
         .samples = VK_SAMPLE_COUNT_1_BIT,
         .loadOp = is_finish ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR,
         .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
         .initialLayout = is_finish ? GENERAL : VK_IMAGE_LAYOUT_UNDEFINED,
         .finalLayout = is_finish ? VK_IMAGE_LAYOUT_PRESENT_SRC_KHR : READ_ONLY},
        {.format = FORMAT,
         .samples = VK_SAMPLE_COUNT_1_BIT,
         .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
         .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
         .initialLayout = GENERAL,
         .finalLayout = GENERAL},
    };
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL}, input = {1, GENERAL};
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .inputAttachmentCount = which == READ_INPUT,
                                          .pInputAttachments = &input,
                                          .colorAttachmentCount = 1,
                                          .pColorAttachments = &color};
    const VkAccessFlags all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const VkSubpassDependency dependencies[] = {
        {VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, all, all, 0},
        {0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, all, all, 0},
    };
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = 1 + (which == READ_INPUT),
                                         .pAttachments = attachments,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass,
                                         .dependencyCount = VKT_COUNT(dependencies),
                                         .pDependencies = dependencies};
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(t->device, &info, NULL, &pass));
    return pass;
}

static struct vkt_pipeline make_pipeline(struct vkt_present_uses *u, uint32_t which, struct vkt_shader fs)
{
    static const VkSpecializationMapEntry entry = {0, 0, 4};
    const VkBool32 stores = u->stores;
    const VkSpecializationInfo spec = {1, &entry, sizeof stores, &stores};
    return vkt_pipeline_create(&u->t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                                  .fs = fs,
                                                                  .fs_spec = &spec,
                                                                  .pass = u->passes[which],
                                                                  .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                  .width = u->extent.width,
                                                                  .height = u->extent.height,
                                                                  .set_layouts = {u->layouts[which]},
                                                                  .set_layout_count = 1});
}

static void make_programs(struct vkt_present_uses *u)
{
    static const struct {
        struct vkt_binding bindings[2];
        uint32_t count;
    } sets[] = {
        {{{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1}}, 1},
        {{{VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, VK_SHADER_STAGE_FRAGMENT_BIT, 1}}, 1},
        {{{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 3}}, 1},
        {{{VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_SHADER_STAGE_COMPUTE_BIT, 1},
          {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_SHADER_STAGE_COMPUTE_BIT, 1}},
         2},
    };
    for (uint32_t i = 0; i < VKT_COUNT(sets); i++)
        u->layouts[i] = vkt_set_layout_create(&u->t, sets[i].bindings, sets[i].count);
    u->reads[SAMPLED] = make_pipeline(u, READ_SAMPLED, VKT_SHADER(uses_sampled_frag));
    u->reads[INPUT] = make_pipeline(u, READ_INPUT, VKT_SHADER(uses_input_frag));
    u->finish = make_pipeline(u, FINISH, VKT_SHADER(uses_finish_frag));
    u->store = vkt_compute_create(&u->t, VKT_SHADER(uses_store_comp), &u->layouts[3], 1, 0, NULL);
}

/* -- for each image ----------------------------------------------------------------------------------------------- */

static void make_framebuffers(struct vkt_present_uses *u, VkImage image, uint32_t index)
{
    const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = FORMAT,
                                        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkt_ok(vkCreateImageView(u->t.device, &view, NULL, &u->views[index]));
    for (uint32_t pass = 0; pass < 3; pass++) {
        const VkImageView views[] = {pass == FINISH ? u->views[index] : u->witnesses[pass].view, u->views[index]};
        const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                              .renderPass = u->passes[pass],
                                              .attachmentCount = 1 + (pass == READ_INPUT),
                                              .pAttachments = views,
                                              .width = u->extent.width,
                                              .height = u->extent.height,
                                              .layers = 1};
        vkt_ok(vkCreateFramebuffer(u->t.device, &info, NULL, &u->framebuffers[pass][index]));
    }
}

static VkDescriptorSet set_of_image(struct vkt_present_uses *u, uint32_t layout, VkDescriptorType type,
                                    VkImageView view)
{
    VkDescriptorSet set = vkt_set_alloc(&u->t, u->layouts[layout]);
    const VkDescriptorImageInfo image = {u->sampler, view, GENERAL};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = set,
                                        .descriptorCount = 1,
                                        .descriptorType = type,
                                        .pImageInfo = &image};
    vkUpdateDescriptorSets(u->t.device, 1, &write, 0, NULL);
    return set;
}

static VkDescriptorSet set_of_witnesses(struct vkt_present_uses *u)
{
    VkDescriptorSet set = vkt_set_alloc(&u->t, u->layouts[FINISH]);
    VkDescriptorImageInfo images[3];
    for (uint32_t i = 0; i < 3; i++)
        images[i] = (VkDescriptorImageInfo){u->sampler, u->witnesses[i].view, i == STORED ? GENERAL : READ_ONLY};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = set,
                                        .descriptorCount = 3,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                        .pImageInfo = images};
    vkUpdateDescriptorSets(u->t.device, 1, &write, 0, NULL);
    return set;
}

static void draw(const struct vkt_present_uses *u, VkCommandBuffer cmd, uint32_t pass, uint32_t index,
                 const struct vkt_pipeline *pipeline, VkDescriptorSet set)
{
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = u->passes[pass],
                                         .framebuffer = u->framebuffers[pass][index],
                                         .renderArea = {.extent = u->extent},
                                         .clearValueCount = 1,
                                         .pClearValues = &(VkClearValue){.color = {.float32 = {0}}}};
    vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline->pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline->layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
}

static void record(struct vkt_present_uses *u, VkImage image, uint32_t index)
{
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {u->extent.width, u->extent.height, 1}};
    const struct vkt_image of_swapchain = {
        .image = image, .aspect = VK_IMAGE_ASPECT_COLOR_BIT, .levels = 1, .layers = 1};
    const VkImageLayout copied = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    VkImageView view = u->views[index];
    VkCommandBuffer cmd = vkt_begin(&u->t);
    vkt_image_barrier(cmd, &of_swapchain, VK_IMAGE_LAYOUT_UNDEFINED, copied);
    vkCmdCopyBufferToImage(cmd, u->pattern.buffer, image, copied, 1, &copy);
    vkt_image_barrier(cmd, &of_swapchain, copied, GENERAL);
    draw(u, cmd, READ_SAMPLED, index, &u->reads[SAMPLED],
         set_of_image(u, READ_SAMPLED, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view));
    draw(u, cmd, READ_INPUT, index, &u->reads[INPUT],
         set_of_image(u, READ_INPUT, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, view));
    vkt_image_barrier(cmd, &u->witnesses[STORED], VK_IMAGE_LAYOUT_UNDEFINED, GENERAL);
    vkt_image_barrier(cmd, &of_swapchain, GENERAL, GENERAL);
    if (u->stores) {
        VkDescriptorSet set = set_of_image(u, 3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, view);
        vkt_set_image(&u->t, set, 1, 0, u->witnesses[STORED].view);
        vkt_compute_bind(cmd, &u->store, &set);
        vkCmdDispatch(cmd, (u->extent.width + 7) / 8, (u->extent.height + 7) / 8, 1);
    }
    vkt_image_barrier(cmd, &of_swapchain, GENERAL, GENERAL);
    vkt_image_barrier(cmd, &u->witnesses[STORED], GENERAL, GENERAL);
    draw(u, cmd, FINISH, index, &u->finish, set_of_witnesses(u));
    vkt_ok(vkEndCommandBuffer(cmd));
    u->cmds[index] = cmd;
}

void vkt_present_record_uses(const struct vkt_present *p, const VkImage images[3], VkExtent2D extent, bool stores,
                             struct vkt_present_uses *u)
{
    *u = (struct vkt_present_uses){.t = harness_of(p), .extent = extent, .stores = stores};
    u->pattern = make_pattern(&u->t, extent);
    for (uint32_t i = 0; i < 3; i++) {
        const VkImageUsageFlags use = i == STORED ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
        u->witnesses[i] = vkt_image_create(&u->t, &(struct vkt_image_info){.format = WITNESS_FORMAT,
                                                                           .width = extent.width,
                                                                           .height = extent.height,
                                                                           .usage = use | VK_IMAGE_USAGE_SAMPLED_BIT});
        u->passes[i] = make_pass(&u->t, i);
    }
    u->sampler = vkt_sampler_create(&u->t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                    VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    make_programs(u);
    for (uint32_t i = 0; i < 3; i++) {
        make_framebuffers(u, images[i], i);
        record(u, images[i], i);
    }
}

void vkt_present_destroy_uses(struct vkt_present_uses *u)
{
    VkDevice device = u->t.device;
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t pass = 0; pass < 3; pass++)
            vkDestroyFramebuffer(device, u->framebuffers[pass][i], NULL);
        vkDestroyImageView(device, u->views[i], NULL);
        vkDestroyRenderPass(device, u->passes[i], NULL);
        vkDestroyDescriptorSetLayout(device, u->layouts[i], NULL);
        vkt_image_destroy(&u->t, &u->witnesses[i]);
    }
    vkt_pipeline_destroy(&u->t, &u->reads[SAMPLED]);
    vkt_pipeline_destroy(&u->t, &u->reads[INPUT]);
    vkt_pipeline_destroy(&u->t, &u->finish);
    vkt_compute_destroy(&u->t, &u->store); /* also destroys layouts[3] */
    vkDestroySampler(device, u->sampler, NULL);
    vkt_buffer_destroy(&u->t, &u->pattern);
    vkDestroyDescriptorPool(device, u->t.descriptors, NULL);
    vkDestroyCommandPool(device, u->t.pool, NULL);
}

void vkt_present_show_uses(const struct vkt_present *p, VkSurfaceKHR surface, VkExtent2D extent, bool stores,
                           uint32_t frames)
{
    VkImage images[3];
    VkSwapchainKHR swapchain = vkt_make_swapchain_of_uses(p, surface, extent, stores, images);
    struct vkt_present_uses uses;
    vkt_present_record_uses(p, images, extent, stores, &uses);
    for (uint32_t i = 0; i < frames; i++) {
        vkt_ok(vkt_present_frame_of(p, swapchain, uses.cmds, NULL));
        vkt_ok(vkQueueWaitIdle(p->queue)); /* command buffers are resubmitted */
    }
    vkDestroySwapchainKHR(p->device, swapchain, NULL); /* waits until queued frames are shown */
    vkt_present_destroy_uses(&uses);
}
