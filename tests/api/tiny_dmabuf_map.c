/* SPDX-License-Identifier: MIT
 *
 * Maps device memory as an image and reads it, for the display servers of the tests (tiny_dmabuf.h).
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <drm_fourcc.h>
#include "hw/layout.h"
#include "tiny_dmabuf.h"

#define BYTES_PER_PIXEL 4u
#define TILE_ROWS       32u /* rows of a 4 KiB tile with 32-bit pixels */

struct tiny_dmabuf *tiny_dmabuf_map(int fd, const struct tiny_dmabuf *shape)
{
    const bool is_linear = shape->modifier == DRM_FORMAT_MOD_LINEAR;
    const uint32_t rows = is_linear ? shape->height : util_div_round_up(shape->height, TILE_ROWS) * TILE_ROWS;
    struct stat st;
    if (fstat(fd, &st) || shape->stride_B < shape->width * BYTES_PER_PIXEL ||
        (uint64_t)st.st_size <
            shape->offset_B + (uint64_t)shape->stride_B * (rows - 1) + shape->width * BYTES_PER_PIXEL)
        return NULL;
    struct tiny_dmabuf *dmabuf = malloc(sizeof *dmabuf);
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (!dmabuf || map == MAP_FAILED) {
        free(dmabuf);
        return NULL;
    }
    *dmabuf = *shape;
    dmabuf->map = map;
    dmabuf->map_B = (size_t)st.st_size;
    return dmabuf;
}

void tiny_dmabuf_unmap(struct tiny_dmabuf *dmabuf)
{
    munmap(dmabuf->map, dmabuf->map_B);
    free(dmabuf);
}

void tiny_dmabuf_read(const struct tiny_dmabuf *dmabuf, uint8_t *rows)
{
    const struct hw_copy_rect whole = {.width_el = dmabuf->width, .height_el = dmabuf->height};
    hw_copy_from_tiled(rows, dmabuf->width * BYTES_PER_PIXEL, dmabuf->map + dmabuf->offset_B,
                       dmabuf->modifier == DRM_FORMAT_MOD_LINEAR ? HW_TILING_RASTER : HW_TILING_T, dmabuf->stride_B,
                       BYTES_PER_PIXEL, &whole);
}
