/* SPDX-License-Identifier: MIT
 *
 * Pixel memory for presentation: memory shared with the display server, copies of rectangles.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "util/memfd.h"
#include "util/pool.h"
#include "wsi/vc4vk_wsi.h"

#define BYTES_PER_PIXEL 4u
#define BAND_B          (UINT64_C(512) << 10) /* per task; smaller copies finish before another worker wakes up */

int vc4vk_shared_pixels_create(size_t size_B, void **map_out)
{
    int fd = util_memfd_create("vc4vk-window", size_B);
    if (fd < 0)
        return -1;
    *map_out = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (*map_out != MAP_FAILED)
        return fd;
    close(fd);
    return -1;
}

struct copy {
    struct util_pool_work work; /* its tasks are bands of rows */
    uint8_t *to;                /* the rectangle's first byte */
    const uint8_t *from;        /* the rectangle's first byte */
    size_t to_stride_B, from_stride_B, row_B;
    uint32_t rows, band_rows;
};

static void copy_bands(struct util_pool_work *work, unsigned slot)
{
    const struct copy *c = container_of(work, struct copy, work);
    for (uint32_t band; util_pool_take(work, slot, &band);) {
        const size_t begin = (size_t)band * c->band_rows, end = MIN2(begin + c->band_rows, c->rows);
        for (size_t y = begin; y < end; y++)
            memcpy(c->to + y * c->to_stride_B, c->from + y * c->from_stride_B, c->row_B);
    }
}

void vc4vk_copy_pixels(uint8_t *to, uint32_t to_stride_B, const uint8_t *from, uint32_t from_stride_B, VkRect2D rect)
{
    const size_t x = (size_t)rect.offset.x * BYTES_PER_PIXEL, y = (size_t)rect.offset.y;
    struct copy c;
    if (!rect.extent.width || !rect.extent.height)
        return;
    c.to = to + y * to_stride_B + x;
    c.from = from + y * from_stride_B + x;
    c.to_stride_B = to_stride_B;
    c.from_stride_B = from_stride_B;
    c.row_B = (size_t)rect.extent.width * BYTES_PER_PIXEL;
    c.rows = rect.extent.height;
    c.band_rows = (uint32_t)(BAND_B / c.row_B) + 1;
    c.work.run = copy_bands;
    c.work.count = util_div_round_up(c.rows, c.band_rows);
    c.work.slots = UTIL_POOL_MAX;
    util_pool_run(&c.work);
}

VkRect2D vc4vk_rect_union(VkRect2D a, VkRect2D b)
{
    if (!a.extent.width || !a.extent.height)
        return b;
    if (!b.extent.width || !b.extent.height)
        return a;
    int32_t x0 = MIN2(a.offset.x, b.offset.x), y0 = MIN2(a.offset.y, b.offset.y);
    int32_t x1 = MAX2(a.offset.x + (int32_t)a.extent.width, b.offset.x + (int32_t)b.extent.width);
    int32_t y1 = MAX2(a.offset.y + (int32_t)a.extent.height, b.offset.y + (int32_t)b.extent.height);
    return (VkRect2D){{x0, y0}, {(uint32_t)(x1 - x0), (uint32_t)(y1 - y0)}};
}
