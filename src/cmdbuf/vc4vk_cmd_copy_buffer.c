/* SPDX-License-Identifier: MIT
 *
 * Transfers to buffers: copies between buffers, fills and updates. They run on the copy engine.
 */
#include <inttypes.h>
#include <string.h>
#include "cmdbuf/vc4vk_bands.h"
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "cmdbuf/vc4vk_image_io.h"
#include "device/vc4vk_entrypoints_gen.h"

/* Maps `size_B` bytes of the buffer at `offset_B`; clips *size_B to the buffer's end. NULL when nothing is left. */
static uint8_t *buffer_bytes(const struct vc4vk_buffer *buffer, VkDeviceSize offset_B, VkDeviceSize *size_B)
{
    uint8_t *map = buffer->bo ? kmd_bo_map(buffer->bo) : NULL;
    if (!map || offset_B >= buffer->size_B)
        return NULL;
    *size_B = MIN2(*size_B, buffer->size_B - offset_B);
    return map + buffer->offset_B + offset_B;
}

#define UNIT_B 4096u /* bands of bytes are multiples of it */

/* A run of bytes to be copied or filled. */
struct run {
    uint8_t *to;
    const uint8_t *from; /* NULL: fill with `word` */
    size_t size_B;
    uint32_t word;
};

static bool run_units(const void *data, uint32_t begin, uint32_t end)
{
    const struct run *r = data;
    const size_t first_B = (size_t)begin * UNIT_B, size_B = MIN2((size_t)end * UNIT_B, r->size_B) - first_B;
    if (r->from)
        memcpy(r->to + first_B, r->from + first_B, size_B);
    else
        vc4vk_fill_words(r->to + first_B, size_B / 4, r->word);
    return true;
}

static void run_all(struct vc4vk_parallel *parallel, const struct run *r)
{
    (void)vc4vk_run_bands(parallel, 0, (uint32_t)((r->size_B + UNIT_B - 1) / UNIT_B), r->from ? UNIT_B : UNIT_B / 4,
                          run_units, r);
}

struct copy {
    struct vc4vk_parallel *parallel;
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
        const size_t distance_B = from < to ? (size_t)(to - from) : (size_t)(from - to);
        if (from && to && distance_B < size_B) /* invalid usage, but its result must not depend on the core count */
            memmove(to, from, (size_t)size_B);
        else if (from && to)
            run_all(c->parallel, &(struct run){.to = to, .from = from, .size_B = (size_t)size_B});
    }
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdCopyBuffer(VkCommandBuffer cmd_h, VkBuffer from, VkBuffer to, uint32_t count,
                                               const VkBufferCopy *regions)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct copy *c = vc4vk_cmd_new(cmd, struct copy);
    VkBufferCopy *own = vc4vk_cmd_copy(cmd, regions, count * sizeof *regions);
    if (!c || !own || !from || !to)
        return;
    *c = (struct copy){&cmd->device->queue_device.parallel, vc4vk_buffer_from_handle(from),
                       vc4vk_buffer_from_handle(to), count, own};
    uint64_t work_B = 0;
    for (uint32_t i = 0; i < count; i++)
        work_B += regions[i].size;
    vc4vk_cmd_add_transfer(cmd, "copy buffer", run_copy, c, work_B);
}

#define MAX_UPDATE_B 65536u /* limit of vkCmdUpdateBuffer */

struct fill {
    struct vc4vk_parallel *parallel;
    const struct vc4vk_buffer *to;
    VkDeviceSize offset_B, size_B;
    uint32_t word;
    const void *data; /* of an update, instead of `word`; NULL: a fill */
};

static VkResult run_fill(void *arguments)
{
    const struct fill *f = arguments;
    VkDeviceSize size_B = f->size_B;
    uint8_t *to = buffer_bytes(f->to, f->offset_B, &size_B);
    if (to && f->data)
        memcpy(to, f->data, (size_t)size_B);
    if (to && !f->data)
        run_all(f->parallel, &(struct run){.to = to, .size_B = (size_t)size_B, .word = f->word});
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdFillBuffer(VkCommandBuffer cmd_h, VkBuffer to_h, VkDeviceSize offset_B,
                                               VkDeviceSize size_B, uint32_t word)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    const struct vc4vk_buffer *to = vc4vk_buffer_from_handle(to_h);
    struct fill *f = vc4vk_cmd_new(cmd, struct fill);
    if (!f || !to || offset_B % 4)
        return;
    *f = (struct fill){.parallel = &cmd->device->queue_device.parallel,
                       .to = to,
                       .offset_B = offset_B,
                       .size_B = vc4vk_buffer_range(to, offset_B, size_B),
                       .word = word};
    vc4vk_cmd_add_transfer(cmd, "fill buffer", run_fill, f, f->size_B);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdUpdateBuffer(VkCommandBuffer cmd_h, VkBuffer to, VkDeviceSize offset_B,
                                                 VkDeviceSize size_B, const void *data)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct fill *f = vc4vk_cmd_new(cmd, struct fill);
    if (size_B > MAX_UPDATE_B)
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN, "vkCmdUpdateBuffer: %" PRIu64 " B, the limit is %u B", size_B,
                        MAX_UPDATE_B);
    void *own = vc4vk_cmd_copy(cmd, data, (size_t)size_B);
    if (!f || !own || !to)
        return;
    *f = (struct fill){.to = vc4vk_buffer_from_handle(to), .offset_B = offset_B, .size_B = size_B, .data = own};
    vc4vk_cmd_add_transfer(cmd, "update buffer", run_fill, f, size_B);
}
