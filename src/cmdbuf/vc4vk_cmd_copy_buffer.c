/* SPDX-License-Identifier: MIT
 *
 * Copies into buffers from memory: buffer to buffer, fill, update. The dispatcher runs them in order.
 */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"

/* `size_B` bytes of the buffer from `offset_B`, cut to what it has. NULL when there are none. */
static uint8_t *buffer_bytes(const struct vc4vk_buffer *buffer, VkDeviceSize offset_B, VkDeviceSize *size_B)
{
    uint8_t *map = buffer->bo ? kmd_bo_map(buffer->bo) : NULL;
    if (!map || offset_B >= buffer->size_B)
        return NULL;
    *size_B = MIN2(*size_B, buffer->size_B - offset_B);
    return map + buffer->offset_B + offset_B;
}

struct copy {
    const struct vc4vk_buffer *from, *to;
    uint32_t count;
    const VkBufferCopy *regions;
};

static VkResult run_copy(void *arguments)
{
    const struct copy *c = arguments;
    for (uint32_t i = 0; i < c->count; i++) {
        VkDeviceSize size_B = c->regions[i].size;
        const uint8_t *from = buffer_bytes(c->from, c->regions[i].srcOffset, &size_B);
        uint8_t *to = buffer_bytes(c->to, c->regions[i].dstOffset, &size_B);
        if (from && to)
            memmove(to, from, (size_t)size_B);
    }
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdCopyBuffer(VkCommandBuffer cmd_h, VkBuffer from, VkBuffer to, uint32_t count,
                                               const VkBufferCopy *regions)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct copy *c = vc4vk_cmd_new(cmd, struct copy);
    VkBufferCopy *own = vc4vk_cmd_copy(cmd, regions, count * sizeof *regions);
    if (!c || !own)
        return;
    *c = (struct copy){vc4vk_buffer_from_handle(from), vc4vk_buffer_from_handle(to), count, own};
    uint64_t work_B = 0;
    for (uint32_t i = 0; i < count; i++)
        work_B += regions[i].size;
    vc4vk_cmd_add_transfer(cmd, "copy buffer", run_copy, c, work_B);
}

struct fill {
    const struct vc4vk_buffer *to;
    VkDeviceSize offset_B, size_B;
    uint32_t word;
    const void *data; /* update: these bytes instead of the word */
};

static void fill_words(uint8_t *to, size_t count, uint32_t word)
{
    uint32_t words[256];
    for (size_t i = 0; i < MIN2(count, ARRAY_SIZE(words)); i++)
        words[i] = word;
    for (size_t done = 0; done < count; done += ARRAY_SIZE(words))
        memcpy(to + done * sizeof word, words, MIN2(count - done, ARRAY_SIZE(words)) * sizeof word);
}

static VkResult run_fill(void *arguments)
{
    const struct fill *f = arguments;
    VkDeviceSize size_B = f->size_B;
    uint8_t *to = buffer_bytes(f->to, f->offset_B, &size_B);
    if (to && f->data)
        memcpy(to, f->data, (size_t)size_B);
    if (to && !f->data)
        fill_words(to, (size_t)size_B / 4, f->word);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdFillBuffer(VkCommandBuffer cmd_h, VkBuffer to_h, VkDeviceSize offset_B,
                                               VkDeviceSize size_B, uint32_t word)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    const struct vc4vk_buffer *to = vc4vk_buffer_from_handle(to_h);
    struct fill *f = vc4vk_cmd_new(cmd, struct fill);
    if (!f)
        return;
    *f =
        (struct fill){.to = to, .offset_B = offset_B, .size_B = vc4vk_buffer_range(to, offset_B, size_B), .word = word};
    vc4vk_cmd_add_transfer(cmd, "fill buffer", run_fill, f, f->size_B);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdUpdateBuffer(VkCommandBuffer cmd_h, VkBuffer to, VkDeviceSize offset_B,
                                                 VkDeviceSize size_B, const void *data)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct fill *f = vc4vk_cmd_new(cmd, struct fill);
    void *own = vc4vk_cmd_copy(cmd, data, (size_t)size_B);
    if (!f || !own)
        return;
    *f = (struct fill){.to = vc4vk_buffer_from_handle(to), .offset_B = offset_B, .size_B = size_B, .data = own};
    vc4vk_cmd_add_transfer(cmd, "update buffer", run_fill, f, size_B);
}
