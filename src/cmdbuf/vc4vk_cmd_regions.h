/* SPDX-License-Identifier: MIT
 *
 * Copies the regions of transfers into the recording. A region of VK_KHR_copy_commands2 is one of Vulkan 1.0 behind a
 * header, whose chain may hold nothing that this driver supports. Recordings keep the regions without the header, so
 * both kinds of entry points record the same.
 */
#ifndef CMDBUF_VC4VK_CMD_REGIONS_H
#define CMDBUF_VC4VK_CMD_REGIONS_H

#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"

/* Copies the `size_B` bytes behind the header of each of `count` structs. NULL after a failure. */
static inline void *vc4vk_cmd_copy_behind(struct vc4vk_cmd_buffer *cmd, uint32_t count, const void *structs,
                                          size_t stride_B, size_t header_B, size_t size_B)
{
    char *own = vc4vk_cmd_alloc_raw(cmd, count * size_B);
    for (uint32_t i = 0; own && i < count; i++)
        memcpy(own + i * size_B, (const char *)structs + i * stride_B + header_B, size_B);
    return own;
}

/* Defines a function that copies structs of type NAME2 as structs of type NAME; both begin with `first` and end with
 * `last`. */
#define VC4VK_DEFINE_REGIONS(function, name, first, last)                                                              \
    static inline name *function(struct vc4vk_cmd_buffer *cmd, uint32_t count, const name##2 * regions)                \
    {                                                                                                                  \
        _Static_assert(offsetof(name##2, last) - offsetof(name##2, first) == offsetof(name, last) &&                   \
                           sizeof(((name##2 *)0)->last) == sizeof(((name *)0)->last),                                  \
                       "a region behind a header");                                                                    \
        return vc4vk_cmd_copy_behind(cmd, count, regions, sizeof *regions, offsetof(name##2, first), sizeof(name));    \
    }

VC4VK_DEFINE_REGIONS(vc4vk_cmd_buffer_copies, VkBufferCopy, srcOffset, size)
VC4VK_DEFINE_REGIONS(vc4vk_cmd_buffer_image_copies, VkBufferImageCopy, bufferOffset, imageExtent)
VC4VK_DEFINE_REGIONS(vc4vk_cmd_image_copies, VkImageCopy, srcSubresource, extent)
VC4VK_DEFINE_REGIONS(vc4vk_cmd_image_blits, VkImageBlit, srcSubresource, dstOffsets)
VC4VK_DEFINE_REGIONS(vc4vk_cmd_image_resolves, VkImageResolve, srcSubresource, extent)

#undef VC4VK_DEFINE_REGIONS

#endif
