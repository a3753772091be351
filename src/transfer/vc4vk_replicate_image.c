/* SPDX-License-Identifier: MIT
 *
 * Copies pixels to all their samples, piece by piece of each row: the reverse of a resolve. For passes that draw with
 * several samples to attachments that have one, where the tile buffer cannot load these itself.
 */
#include "device/vc4vk_device.h"
#include "transfer/vc4vk_bands.h"
#include "transfer/vc4vk_image_io.h"
#include "transfer/vc4vk_transfer.h"

#define PIECE_PX 64u /* the part of a row that is copied at a time */

struct replicate {
    struct vc4vk_image_place from, to;
    uint32_t x, width;
};

static bool replicate_piece(const struct replicate *r, const struct hw_copy_rect *piece)
{
    uint8_t texels[PIECE_PX * 16];
    struct vc4vk_image_place to = r->to;
    bool done = vc4vk_image_read(&r->from, piece, texels, 0);
    for (to.sample = 0; to.sample < HW_MS_SAMPLES && done; to.sample++)
        done = vc4vk_image_write(&to, piece, texels, 0);
    return done;
}

static bool replicate_rows(const void *data, uint32_t begin, uint32_t end)
{
    const struct replicate *r = data;
    bool done = true;
    for (uint32_t y = begin; y < end; y++)
        for (uint32_t x = 0; x < r->width && done; x += PIECE_PX)
            done = replicate_piece(r, &(struct hw_copy_rect){r->x + x, y, MIN2(r->width - x, PIECE_PX), 1});
    return done;
}

static bool replicate_layer(const struct vc4vk_replicate_image *c, VkImageAspectFlags aspect, uint32_t layer)
{
    struct replicate r = {.from = {c->from, aspect, c->from_level, c->from_layer + layer, 0},
                          .to = {c->to, aspect, 0, c->to_layer + layer, 0},
                          .x = (uint32_t)c->rect.offset.x};
    const struct hw_level *level = &c->to->planes[0].layout.level[0];
    const uint32_t y = (uint32_t)c->rect.offset.y;
    if (r.x >= level->width_el || y >= level->height_el)
        return true;
    r.width = MIN2(c->rect.extent.width, level->width_el - r.x);
    return vc4vk_run_bands(c->parallel, y, MIN2(y + c->rect.extent.height, level->height_el),
                           (uint64_t)r.width * HW_MS_SAMPLES * vc4vk_image_io_element_B(&r.from), replicate_rows, &r);
}

VkResult vc4vk_run_replicate_image(void *arguments)
{
    const struct vc4vk_replicate_image *c = arguments;
    bool done = true;
    for (VkImageAspectFlags left = c->aspects; left; left &= left - 1)
        for (uint32_t layer = 0; layer < c->layers; layer++)
            done &= replicate_layer(c, left & -left, layer);
    return done ? VK_SUCCESS : vc4vk_errorf(c->from, VK_ERROR_MEMORY_MAP_FAILED, "replicate: memory is not mapped");
}
