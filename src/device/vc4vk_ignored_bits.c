/* SPDX-License-Identifier: MIT
 *
 * The table of known flag bits, one row per create-info field, and the reports of unknown bits.
 */
#include "device/vc4vk_ignored_bits.h"
#include "util/log.h"

#ifdef VK_EXT_host_image_copy
#define HOST_TRANSFER_BIT VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT
#else
#define HOST_TRANSFER_BIT 0u
#endif

static const struct {
    const char *name;
    uint32_t known;
} fields[VC4VK_BITS_COUNT] = {
    [VC4VK_BITS_IMAGE_USAGE] = {"image: usage",
                                VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                    VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
                                    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                    VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT |
                                    VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT | HOST_TRANSFER_BIT},
    [VC4VK_BITS_IMAGE_FLAGS] = {"image: creation flag",
                                VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT |
                                    VK_IMAGE_CREATE_SPARSE_ALIASED_BIT | VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT |
                                    VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT | VK_IMAGE_CREATE_ALIAS_BIT |
                                    VK_IMAGE_CREATE_SPLIT_INSTANCE_BIND_REGIONS_BIT |
                                    VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT |
                                    VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT |
                                    VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT |
                                    VK_IMAGE_CREATE_EXTENDED_USAGE_BIT | VK_IMAGE_CREATE_PROTECTED_BIT |
                                    VK_IMAGE_CREATE_DISJOINT_BIT |
                                    VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT},
    [VC4VK_BITS_BUFFER_USAGE] = {"buffer: usage",
                                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                     VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                                     VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                     VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                                     VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                     VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                     VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT |
                                     VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT |
                                     VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT |
                                     VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT |
                                     VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
                                     VK_BUFFER_USAGE_PUSH_DESCRIPTORS_DESCRIPTOR_BUFFER_BIT_EXT},
    [VC4VK_BITS_BUFFER_FLAGS] = {"buffer: creation flag",
                                 VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT |
                                     VK_BUFFER_CREATE_SPARSE_ALIASED_BIT | VK_BUFFER_CREATE_PROTECTED_BIT |
                                     VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT},
    [VC4VK_BITS_IMAGE_VIEW_FLAGS] = {"image view: creation flag", 0},
    [VC4VK_BITS_SAMPLER_FLAGS] = {"sampler: creation flag", VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT},
    [VC4VK_BITS_SWAPCHAIN_FLAGS] = {"swapchain: creation flag",
                                    VK_SWAPCHAIN_CREATE_SPLIT_INSTANCE_BIND_REGIONS_BIT_KHR |
                                        VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR |
                                        VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR |
                                        VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT},
};

uint32_t vc4vk_known_bits(enum vc4vk_bits field, uint32_t bits)
{
    return bits & fields[field].known;
}

uint32_t vc4vk_drop_unknown_bits(struct vc4vk_device *device, enum vc4vk_bits field, uint32_t bits)
{
    const uint32_t known = vc4vk_known_bits(field, bits), unknown = bits & ~known;
    uint32_t unreported = unknown;
    if (unknown)
        unreported &= ~atomic_fetch_or_explicit(&device->ignored_bits[field], unknown, memory_order_relaxed);
    for (; unreported; unreported &= unreported - 1)
        util_ignored("%s 0x%x belongs to no supported extension: it is ignored", fields[field].name,
                     unreported & (~unreported + 1));
    return known;
}
