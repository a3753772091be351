/* SPDX-License-Identifier: MIT
 *
 * Pixels on their way to a display: memory shared with its server, rectangles of rows.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "wsi/vc4vk_wsi.h"

#define BYTES_PER_PIXEL 4u

int vc4vk_shared_pixels_create(size_t size_B, void **map_out)
{
    int fd = memfd_create("vc4vk-window", MFD_CLOEXEC);
    if (fd < 0)
        return -1;
    if (ftruncate(fd, (off_t)size_B) == 0) {
        *map_out = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (*map_out != MAP_FAILED)
            return fd;
    }
    close(fd);
    return -1;
}

void vc4vk_copy_pixels(uint8_t *to, uint32_t to_stride_B, const uint8_t *from, uint32_t from_stride_B, VkRect2D rect)
{
    size_t left_B = (size_t)rect.offset.x * BYTES_PER_PIXEL, row_B = (size_t)rect.extent.width * BYTES_PER_PIXEL;
    for (size_t y = (size_t)rect.offset.y; y < (size_t)rect.offset.y + rect.extent.height; y++)
        memcpy(to + y * to_stride_B + left_B, from + y * from_stride_B + left_B, row_B);
}

VkRect2D vc4vk_rect_around(VkRect2D a, VkRect2D b)
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
