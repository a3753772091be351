/* SPDX-License-Identifier: MIT
 *
 * Writes buffers: copies between buffers, fills and updates.
 */
#include <string.h>
#include "transfer/vc4vk_bands.h"
#include "transfer/vc4vk_image_io.h"
#include "transfer/vc4vk_transfer.h"

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

VkResult vc4vk_run_copy_buffer(void *arguments)
{
    const struct vc4vk_copy_buffer *c = arguments;
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

VkResult vc4vk_run_fill_buffer(void *arguments)
{
    const struct vc4vk_fill_buffer *f = arguments;
    VkDeviceSize size_B = f->size_B;
    uint8_t *to = buffer_bytes(f->to, f->offset_B, &size_B);
    if (to && f->data)
        memcpy(to, f->data, (size_t)size_B);
    if (to && !f->data)
        run_all(f->parallel, &(struct run){.to = to, .size_B = (size_t)size_B, .word = f->word});
    return VK_SUCCESS;
}
