/* SPDX-License-Identifier: MIT
 *
 * compare_png EXPECTED GOT TOLERANCE PERMILLE [DIFF]: the exit status is 0 if at most PERMILLE of a thousand pixels
 * have a channel that differs by more than TOLERANCE. Prints the numbers, and writes four times the difference to DIFF.
 */
#include <png.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct picture {
    uint32_t width, height;
    uint8_t *rgb;
};

static bool read_png(const char *path, struct picture *out)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path)) {
        fprintf(stderr, "%s: %s\n", path, image.message);
        return false;
    }
    image.format = PNG_FORMAT_RGB;
    *out = (struct picture){image.width, image.height, malloc(PNG_IMAGE_SIZE(image))};
    return out->rgb && png_image_finish_read(&image, NULL, out->rgb, 0, NULL);
}

int main(int argc, char **argv)
{
    struct picture a, b;
    if (argc < 5) {
        fprintf(stderr, "usage: compare_png EXPECTED GOT TOLERANCE PERMILLE [DIFF]\n");
        return 2;
    }
    if (!read_png(argv[1], &a) || !read_png(argv[2], &b))
        return 2;
    if (a.width != b.width || a.height != b.height) {
        printf("sizes differ: %ux%u, %ux%u\n", a.width, a.height, b.width, b.height);
        return 1;
    }
    int tolerance = atoi(argv[3]), worst = 0;
    size_t pixels = (size_t)a.width * a.height, bad = 0;
    for (size_t i = 0; i < pixels; i++) {
        int most = 0;
        for (size_t c = 0; c < 3; c++) {
            int d = abs(a.rgb[3 * i + c] - b.rgb[3 * i + c]);
            most = d > most ? d : most;
        }
        bad += most > tolerance;
        worst = most > worst ? most : worst;
    }
    printf("%zu of %zu pixels differ by more than %d (worst %d)\n", bad, pixels, tolerance, worst);
    if (argc > 5) {
        for (size_t i = 0; i < 3 * pixels; i++) {
            int d = 4 * abs(a.rgb[i] - b.rgb[i]);
            a.rgb[i] = (uint8_t)(d > 255 ? 255 : d);
        }
        png_image image = {
            .version = PNG_IMAGE_VERSION, .width = a.width, .height = a.height, .format = PNG_FORMAT_RGB};
        png_image_write_to_file(&image, argv[5], 0, a.rgb, 0, NULL);
    }
    return bad * 1000 > pixels * (size_t)atoi(argv[4]);
}
