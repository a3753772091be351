/* SPDX-License-Identifier: MIT
 *
 * VC4VK_SHOWN: writes each presented image to a file, so that it can be compared with the replay of a capture of the
 * same frames. The presenter thread blocks while it writes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "util/environment.h"
#include "util/log.h"
#include "wsi/vc4vk_swapchain.h"

/* Writes a row of B8G8R8A8 pixels as RGB bytes. */
static void write_row(FILE *file, const uint8_t *pixels, uint32_t width_px)
{
    for (uint32_t x = 0; x < width_px; x++) {
        const uint8_t rgb[3] = {pixels[4 * x + 2], pixels[4 * x + 1], pixels[4 * x]};
        fwrite(rgb, 1, sizeof rgb, file);
    }
}

bool vc4vk_present_dump_is_enabled(void)
{
    return util_environment("VC4VK_SHOWN") != NULL;
}

void vc4vk_present_dump_write(const struct vc4vk_swapchain_image *image, VkExtent2D extent, uint32_t number)
{
    const char *folder = util_environment("VC4VK_SHOWN");
    if (!folder)
        return;
    char path[4096];
    if (snprintf(path, sizeof path, "%s/frame_%" PRIu32 ".ppm", folder, number) >= (int)sizeof path)
        return;
    FILE *file = fopen(path, "we");
    if (file) {
        fprintf(file, "P6\n%" PRIu32 " %" PRIu32 "\n255\n", extent.width, extent.height);
        for (uint32_t y = 0; y < extent.height; y++)
            write_row(file, image->pixels + (size_t)y * image->stride_B, extent.width);
    }
    if (!file || fclose(file))
        util_error("VC4VK_SHOWN: cannot write %s: %s", path, strerror(errno));
}
