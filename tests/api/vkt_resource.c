/* SPDX-License-Identifier: MIT
 *
 * Buffers, images, samplers, descriptors and command buffers of the API tests.
 */
#include <string.h>
#include "vkt.h"

static uint32_t memory_type(const struct vkt *t, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
    for (uint32_t i = 0; i < t->memory.memoryTypeCount; i++)
        if ((allowed >> i & 1) && (t->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    fail_msg("no memory type with flags 0x%x among 0x%x", wanted, allowed);
    return 0;
}

static VkDeviceMemory allocate(struct vkt *t, const VkMemoryRequirements *req, VkMemoryPropertyFlags wanted)
{
    VkDeviceMemory memory;
    vkt_ok(vkAllocateMemory(t->device,
                            &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                    .allocationSize = req->size,
                                                    .memoryTypeIndex = memory_type(t, req->memoryTypeBits, wanted)},
                            NULL, &memory));
    return memory;
}

#define MAX_BLOCKS 4096u

static void bind_sparse(struct vkt *t, const VkBindSparseInfo *info)
{
    VkFence fence;
    vkt_ok(vkCreateFence(t->device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
    vkt_ok(vkQueueBindSparse(t->queue, 1, info, fence));
    vkt_ok(vkWaitForFences(t->device, 1, &fence, VK_TRUE, UINT64_C(60000000000)));
    vkDestroyFence(t->device, fence, NULL);
}

static uint32_t split(const VkMemoryRequirements *req, VkDeviceMemory memory, bool is_reversed, VkSparseMemoryBind *out)
{
    const uint32_t count = (uint32_t)(req->size / req->alignment);
    assert_true(count && count <= MAX_BLOCKS && req->size % req->alignment == 0);
    for (uint32_t i = 0; i < count; i++)
        out[i] = (VkSparseMemoryBind){.resourceOffset = i * req->alignment,
                                      .size = req->alignment,
                                      .memory = memory,
                                      .memoryOffset = (is_reversed ? count - 1 - i : i) * req->alignment};
    return count;
}

void vkt_bind_sparse_buffer(struct vkt *t, VkBuffer buffer, VkDeviceMemory memory)
{
    VkMemoryRequirements req;
    VkSparseMemoryBind binds[MAX_BLOCKS];
    vkGetBufferMemoryRequirements(t->device, buffer, &req);
    const VkSparseBufferMemoryBindInfo of = {buffer, split(&req, memory, false, binds), binds};
    bind_sparse(
        t, &(VkBindSparseInfo){.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .bufferBindCount = 1, .pBufferBinds = &of});
}

void vkt_bind_sparse_image(struct vkt *t, VkImage image, VkDeviceMemory memory)
{
    VkMemoryRequirements req;
    VkSparseMemoryBind binds[MAX_BLOCKS];
    vkGetImageMemoryRequirements(t->device, image, &req);
    const VkSparseImageOpaqueMemoryBindInfo of = {image, split(&req, memory, true, binds), binds};
    bind_sparse(t, &(VkBindSparseInfo){.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
                                       .imageOpaqueBindCount = 1,
                                       .pImageOpaqueBinds = &of});
}

struct vkt_buffer vkt_buffer_create(struct vkt *t, VkDeviceSize size_B, VkBufferUsageFlags usage, const void *data)
{
    struct vkt_buffer b = {.size_B = size_B};
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .flags = t->makes_sparse ? VK_BUFFER_CREATE_SPARSE_BINDING_BIT : 0u,
                                     .size = size_B,
                                     .usage = usage};
    vkt_ok(vkCreateBuffer(t->device, &info, NULL, &b.buffer));
    VkMemoryRequirements req;
    vkGetBufferMemoryRequirements(t->device, b.buffer, &req);
    b.memory = allocate(t, &req, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    if (t->makes_sparse)
        vkt_bind_sparse_buffer(t, b.buffer, b.memory);
    else
        vkt_ok(vkBindBufferMemory(t->device, b.buffer, b.memory, 0));
    vkt_ok(vkMapMemory(t->device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.map));
    if (data)
        memcpy(b.map, data, size_B);
    return b;
}

void vkt_buffer_destroy(struct vkt *t, struct vkt_buffer *b)
{
    vkt_log_buffer_hash(t, b);
    vkDestroyBuffer(t->device, b->buffer, NULL);
    vkFreeMemory(t->device, b->memory, NULL);
    *b = (struct vkt_buffer){0};
}

static VkImageAspectFlags aspects(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D32_SFLOAT:
        return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VK_FORMAT_S8_UINT:
        return VK_IMAGE_ASPECT_STENCIL_BIT;
    case VK_FORMAT_D24_UNORM_S8_UINT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT:
    case VK_FORMAT_D16_UNORM_S8_UINT:
        return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    default:
        return VK_IMAGE_ASPECT_COLOR_BIT;
    }
}

static VkImageViewType view_type(const struct vkt_image_info *info)
{
    if (info->depth)
        return VK_IMAGE_VIEW_TYPE_3D;
    if (info->cube)
        return info->layers ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
    if (info->line)
        return info->array ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
    return info->array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
}

struct vkt_image vkt_image_create(struct vkt *t, const struct vkt_image_info *info)
{
    struct vkt_image image = {
        .format = info->format,
        .aspect = aspects(info->format),
        .width = info->width,
        .height = info->height,
        .levels = info->levels ? info->levels : 1,
        .layers = info->layers ? info->layers : info->cube ? 6 : 1,
        .depth = info->depth ? info->depth : 1,
    };
    /* Views of another dimension are not allowed of sparse images. */
    const bool is_sparse =
        t->makes_sparse &&
        !(info->flags & (VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT));
    vkt_ok(vkCreateImage(t->device,
                         &(VkImageCreateInfo){
                             .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                             .flags = info->flags | (info->cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0u) |
                                      (is_sparse ? VK_IMAGE_CREATE_SPARSE_BINDING_BIT : 0u),
                             .imageType = info->depth  ? VK_IMAGE_TYPE_3D
                                          : info->line ? VK_IMAGE_TYPE_1D
                                                       : VK_IMAGE_TYPE_2D,
                             .format = info->format,
                             .extent = {info->width, info->height, image.depth},
                             .mipLevels = image.levels,
                             .arrayLayers = image.layers,
                             .samples = info->samples ? info->samples : VK_SAMPLE_COUNT_1_BIT,
                             .tiling = info->tiling,
                             .usage = info->usage,
                         },
                         NULL, &image.image));
    VkMemoryRequirements req;
    vkGetImageMemoryRequirements(t->device, image.image, &req);
    image.memory = allocate(t, &req, 0);
    if (is_sparse)
        vkt_bind_sparse_image(t, image.image, image.memory);
    else
        vkt_ok(vkBindImageMemory(t->device, image.image, image.memory, 0));
    const VkImageUsageFlags viewable = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                       VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                       VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
    const VkImageViewUsageCreateInfo view_usage = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
                                                   .usage = info->view_usage};
    if (info->usage & viewable)
        vkt_ok(vkCreateImageView(t->device,
                                 &(VkImageViewCreateInfo){
                                     .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                     .pNext = info->view_usage ? &view_usage : NULL,
                                     .image = image.image,
                                     .viewType = view_type(info),
                                     .format = info->format,
                                     .subresourceRange = {image.aspect, 0, image.levels, 0, image.layers},
                                 },
                                 NULL, &image.view));
    return image;
}

void vkt_image_destroy(struct vkt *t, struct vkt_image *image)
{
    vkDestroyImageView(t->device, image->view, NULL);
    vkDestroyImage(t->device, image->image, NULL);
    vkFreeMemory(t->device, image->memory, NULL);
    *image = (struct vkt_image){0};
}

void vkt_image_barrier(VkCommandBuffer cmd, const struct vkt_image *image, VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier b = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image->image,
        .subresourceRange = {image->aspect, 0, image->levels, 0, image->layers},
    };
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                         NULL, 1, &b);
}

void vkt_image_upload(struct vkt *t, struct vkt_image *image, uint32_t level, uint32_t layer, const void *texels,
                      uint32_t size_B)
{
    struct vkt_buffer staging = vkt_buffer_create(t, size_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, texels);
    VkCommandBuffer cmd = vkt_begin(t);
    bool first = level == 0 && layer == 0;
    vkt_image_barrier(cmd, image, first ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    uint32_t width = image->width >> level, height = image->height >> level, depth = image->depth >> level;
    VkBufferImageCopy region = {
        .imageSubresource = {image->aspect, level, layer, 1},
        .imageExtent = {width ? width : 1, height ? height : 1, depth ? depth : 1},
    };
    vkCmdCopyBufferToImage(cmd, staging.buffer, image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vkt_end_submit(t, cmd);
    vkt_buffer_destroy(t, &staging);
}

VkSampler vkt_sampler_create(struct vkt *t, VkFilter filter, VkSamplerMipmapMode mip, VkSamplerAddressMode wrap,
                             float max_lod)
{
    VkSampler sampler;
    vkt_ok(vkCreateSampler(t->device,
                           &(VkSamplerCreateInfo){
                               .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                               .magFilter = filter,
                               .minFilter = filter,
                               .mipmapMode = mip,
                               .addressModeU = wrap,
                               .addressModeV = wrap,
                               .addressModeW = wrap,
                               .maxLod = max_lod,
                               .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE,
                           },
                           NULL, &sampler));
    return sampler;
}

VkDescriptorSetLayout vkt_set_layout_create(struct vkt *t, const struct vkt_binding *bindings, uint32_t count)
{
    VkDescriptorSetLayoutBinding vk[16];
    assert_true(count <= VKT_COUNT(vk));
    for (uint32_t i = 0; i < count; i++)
        vk[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = bindings[i].type,
            .descriptorCount = bindings[i].count ? bindings[i].count : 1,
            .stageFlags = bindings[i].stages,
        };
    VkDescriptorSetLayout layout;
    vkt_ok(vkCreateDescriptorSetLayout(
        t->device,
        &(VkDescriptorSetLayoutCreateInfo){
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = count, .pBindings = vk},
        NULL, &layout));
    return layout;
}

VkDescriptorSet vkt_set_alloc(struct vkt *t, VkDescriptorSetLayout layout)
{
    VkDescriptorSet set;
    vkt_ok(vkAllocateDescriptorSets(t->device,
                                    &(VkDescriptorSetAllocateInfo){
                                        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = t->descriptors,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = &layout,
                                    },
                                    &set));
    return set;
}

void vkt_set_texture(struct vkt *t, VkDescriptorSet set, uint32_t binding, VkImageView view, VkSampler sampler)
{
    VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = set,
        .dstBinding = binding,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
        .pImageInfo = &(VkDescriptorImageInfo){sampler, view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
    };
    vkUpdateDescriptorSets(t->device, 1, &write, 0, NULL);
}

void vkt_set_buffer(struct vkt *t, VkDescriptorSet set, uint32_t binding, VkDescriptorType type, VkBuffer buffer,
                    VkDeviceSize offset_B, VkDeviceSize range_B)
{
    VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = set,
        .dstBinding = binding,
        .descriptorCount = 1,
        .descriptorType = type,
        .pBufferInfo = &(VkDescriptorBufferInfo){buffer, offset_B, range_B},
    };
    vkUpdateDescriptorSets(t->device, 1, &write, 0, NULL);
}

void vkt_set_image(struct vkt *t, VkDescriptorSet set, uint32_t binding, uint32_t element, VkImageView view)
{
    VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = set,
        .dstBinding = binding,
        .dstArrayElement = element,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
        .pImageInfo = &(VkDescriptorImageInfo){VK_NULL_HANDLE, view, VK_IMAGE_LAYOUT_GENERAL},
    };
    vkUpdateDescriptorSets(t->device, 1, &write, 0, NULL);
}

void vkt_set_texel_buffer(struct vkt *t, VkDescriptorSet set, uint32_t binding, VkDescriptorType type,
                          VkBufferView view)
{
    VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = set,
        .dstBinding = binding,
        .descriptorCount = 1,
        .descriptorType = type,
        .pTexelBufferView = &view,
    };
    vkUpdateDescriptorSets(t->device, 1, &write, 0, NULL);
}

static VkCommandBuffer begin_commands(struct vkt *t, VkCommandBufferLevel level, VkCommandBufferUsageFlags flags,
                                      const VkCommandBufferInheritanceInfo *inherits)
{
    VkCommandBuffer cmd;
    vkt_ok(vkAllocateCommandBuffers(t->device,
                                    &(VkCommandBufferAllocateInfo){
                                        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = t->pool,
                                        .level = level,
                                        .commandBufferCount = 1,
                                    },
                                    &cmd));
    vkt_ok(vkBeginCommandBuffer(cmd, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                                 .flags = flags,
                                                                 .pInheritanceInfo = inherits}));
    return cmd;
}

VkCommandBuffer vkt_begin(struct vkt *t)
{
    return begin_commands(t, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 0, NULL);
}

VkCommandBuffer vkt_begin_inheriting(struct vkt *t, const VkCommandBufferInheritanceInfo *inherits)
{
    const VkCommandBufferUsageFlags in_pass =
        inherits->renderPass ? VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT : 0;
    return begin_commands(t, VK_COMMAND_BUFFER_LEVEL_SECONDARY, in_pass | VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                          inherits);
}

VkCommandBuffer vkt_begin_secondary(struct vkt *t, VkRenderPass pass, uint32_t subpass)
{
    return vkt_begin_inheriting(
        t, &(VkCommandBufferInheritanceInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                             .renderPass = pass,
                                             .subpass = subpass});
}

void vkt_submit(struct vkt *t, VkCommandBuffer cmd)
{
    VkFence fence;
    vkt_ok(vkCreateFence(t->device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
    vkt_ok(vkQueueSubmit(t->queue, 1,
                         &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                         .commandBufferCount = 1,
                                         .pCommandBuffers = &cmd},
                         fence));
    vkt_ok(vkWaitForFences(t->device, 1, &fence, VK_TRUE, UINT64_MAX)); /* no timeout: the driver detects hangs */
    vkDestroyFence(t->device, fence, NULL);
}

void vkt_end_submit(struct vkt *t, VkCommandBuffer cmd)
{
    vkt_ok(vkEndCommandBuffer(cmd));
    vkt_submit(t, cmd);
    vkFreeCommandBuffers(t->device, t->pool, 1, &cmd);
}

void vkt_read_image(struct vkt *t, const struct vkt_image *image, uint32_t level, uint32_t layer, void *out,
                    uint32_t size_B)
{
    struct vkt_buffer staging = vkt_buffer_create(t, size_B, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkCommandBuffer cmd = vkt_begin(t);
    uint32_t width = image->width >> level, height = image->height >> level, depth = image->depth >> level;
    VkBufferImageCopy region = {
        .imageSubresource = {image->aspect & VK_IMAGE_ASPECT_DEPTH_BIT ? VK_IMAGE_ASPECT_DEPTH_BIT : image->aspect,
                             level, layer, 1},
        .imageExtent = {width ? width : 1, height ? height : 1, depth ? depth : 1},
    };
    vkCmdCopyImageToBuffer(cmd, image->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, staging.buffer, 1, &region);
    vkt_end_submit(t, cmd);
    memcpy(out, staging.map, size_B);
    vkt_buffer_destroy(t, &staging);
    vkt_log_picture_hash(t, image, level, layer, out, size_B);
}
