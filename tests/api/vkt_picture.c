/* SPDX-License-Identifier: MIT
 *
 * Pictures: reads them back, compares them, logs their hashes, and writes PNG files of those that differ.
 */
#include <errno.h>
#include <inttypes.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "vkt.h"

struct vkt_picture vkt_read_target(struct vkt *t, const struct vkt_target *target)
{
    struct vkt_picture p = {target->width, target->height, malloc((size_t)target->width * target->height * 4)};
    assert_non_null(p.rgba);
    vkt_read_image(t, &target->color, 0, 0, p.rgba, p.width * p.height * 4);
    if (target->color.format == VK_FORMAT_B8G8R8A8_UNORM || target->color.format == VK_FORMAT_B8G8R8A8_SRGB)
        for (size_t i = 0; i < (size_t)p.width * p.height; i++) {
            uint8_t b = p.rgba[4 * i];
            p.rgba[4 * i] = p.rgba[4 * i + 2];
            p.rgba[4 * i + 2] = b;
        }
    return p;
}

void vkt_picture_free(struct vkt_picture *p)
{
    free(p->rgba);
    p->rgba = NULL;
}

/* Before main: with VKT_NOTED_PICTURES the program begins a log of its own in VKT_OUT/pictures, and children append. */
static __attribute__((constructor)) void begin_noted_pictures(void)
{
    const char *name = getenv("VKT_NOTED_PICTURES"), *dir = getenv("VKT_OUT") ? getenv("VKT_OUT") : "tests-out";
    char path[512];
    if (!name || getenv("VKT_PICTURES"))
        return;
    mkdir(dir, 0777);
    snprintf(path, sizeof path, "%s/pictures", dir);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/pictures/%s", dir, name);
    FILE *file = fopen(path, "w");
    if (!file || fclose(file) != 0 || setenv("VKT_PICTURES", path, 1) != 0)
        fprintf(stderr, "# pictures are not noted in %s\n", path);
}

/* The log file, opened for appending; NULL if there is none or `t` is not the tested device. */
static FILE *open_hash_log(const struct vkt *t)
{
    const char *path = getenv("VKT_PICTURES");
    if (!path || t->physical != vkt_device(VKT_TESTED)->physical)
        return NULL;
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    return file;
}

void vkt_log_picture_hash(struct vkt *t, const struct vkt_image *image, uint32_t level, uint32_t layer,
                          const void *texels, uint32_t size_B)
{
    FILE *file = open_hash_log(t);
    if (!file)
        return;
    fprintf(file, "%ux%u format %d level %u layer %u: %016" PRIx64 "\n", image->width, image->height,
            (int)image->format, level, layer, (uint64_t)XXH64(texels, size_B, 0));
    assert_int_equal(fclose(file), 0);
}

void vkt_log_buffer_hash(struct vkt *t, const struct vkt_buffer *b)
{
    FILE *file = getenv("VKT_BUFFERS") && b->map ? open_hash_log(t) : NULL;
    if (!file)
        return;
    fprintf(file, "buffer of %" PRIu64 " B: %016" PRIx64 "\n", (uint64_t)b->size_B,
            (uint64_t)XXH64(b->map, b->size_B, 0));
    assert_int_equal(fclose(file), 0);
}

struct vkt_picture vkt_picture_compute(uint32_t width, uint32_t height,
                                       void (*pixel)(uint32_t x, uint32_t y, uint8_t rgba_out[4]))
{
    struct vkt_picture p = {width, height, malloc((size_t)width * height * 4)};
    assert_non_null(p.rgba);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            pixel(x, y, p.rgba + 4 * ((size_t)y * width + x));
    return p;
}

static unsigned pixel_difference(const uint8_t *a, const uint8_t *b)
{
    unsigned most = 0;
    for (int c = 0; c < 4; c++) {
        unsigned d = (unsigned)abs(a[c] - b[c]);
        most = d > most ? d : most;
    }
    return most;
}

static void write_png(const char *dir, const char *name, const char *what, uint32_t width, uint32_t height,
                      const uint8_t *rgba)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.%s.png", dir, name, what);
    png_image image = {.version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGBA};
    png_image_write_to_file(&image, path, 0, rgba, 0, NULL);
    printf("# wrote %s\n", path);
}

static void write_difference(const char *name, const struct vkt_picture *expected, const struct vkt_picture *got)
{
    const char *dir = getenv("VKT_OUT") ? getenv("VKT_OUT") : "tests-out";
    mkdir(dir, 0777);
    write_png(dir, name, "expected", expected->width, expected->height, expected->rgba);
    write_png(dir, name, "got", got->width, got->height, got->rgba);
    size_t pixels = (size_t)expected->width * expected->height;
    uint8_t *diff = malloc(pixels * 4);
    if (!diff)
        return;
    for (size_t i = 0; i < pixels; i++) {
        for (size_t c = 0; c < 3; c++) {
            int d = 4 * abs(expected->rgba[4 * i + c] - got->rgba[4 * i + c]);
            diff[4 * i + c] = (uint8_t)(d > 255 ? 255 : d);
        }
        diff[4 * i + 3] = 255;
    }
    write_png(dir, name, "diff", expected->width, expected->height, diff);
    free(diff);
}

void vkt_compare(const char *name, const struct vkt_picture *expected, const struct vkt_picture *got,
                 struct vkt_tolerance tolerance)
{
    assert_int_equal(expected->width, got->width);
    assert_int_equal(expected->height, got->height);
    size_t pixels = (size_t)expected->width * expected->height, bad = 0, first = 0;
    unsigned worst = 0;
    for (size_t i = 0; i < pixels; i++) {
        unsigned d = pixel_difference(expected->rgba + 4 * i, got->rgba + 4 * i);
        worst = d > worst ? d : worst;
        if (d > tolerance.channel && !bad++)
            first = i;
    }
    if (bad * 1000 <= pixels * tolerance.bad_permille)
        return;
    write_difference(name, expected, got);
    const uint8_t *e = expected->rgba + 4 * first, *g = got->rgba + 4 * first;
    fail_msg(
        "%s: %zu of %zu pixels differ by more than %u (worst %u); first (%zu,%zu): expected %u %u %u %u, got %u %u "
        "%u %u",
        name, bad, pixels, tolerance.channel, worst, first % expected->width, first / expected->width, e[0], e[1], e[2],
        e[3], g[0], g[1], g[2], g[3]);
}

/* Opens the file of a reference picture. Comparisons are numbered within the program. */
static FILE *open_reference(const char *dir, unsigned number, const char *name, const char *mode)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.%u.%s", dir, program_invocation_short_name, number, name);
    FILE *file = fopen(path, mode);
    if (!file)
        fail_msg("%s: %s", path, strerror(errno));
    return file;
}

static void save_reference(const char *dir, unsigned number, const char *name, const struct vkt_picture *p)
{
    FILE *file = open_reference(dir, number, name, "w");
    size_t pixels = (size_t)p->width * p->height;
    assert_int_equal(fwrite(&p->width, 4, 1, file) + fwrite(&p->height, 4, 1, file), 2);
    assert_int_equal(fwrite(p->rgba, 4, pixels, file), pixels);
    assert_int_equal(fclose(file), 0);
}

static struct vkt_picture load_reference(const char *dir, unsigned number, const char *name)
{
    FILE *file = open_reference(dir, number, name, "r");
    struct vkt_picture p;
    assert_int_equal(fread(&p.width, 4, 1, file) + fread(&p.height, 4, 1, file), 2);
    size_t pixels = (size_t)p.width * p.height;
    p.rgba = malloc(pixels * 4);
    assert_non_null(p.rgba);
    assert_int_equal(fread(p.rgba, 4, pixels, file), pixels);
    fclose(file);
    return p;
}

void vkt_compare_with_reference(const char *name, void (*scene)(struct vkt *t, struct vkt_picture *out),
                                struct vkt_tolerance tolerance)
{
    static unsigned number;
    const char *keep_in = getenv("VKT_KEEP_REFERENCE"), *kept = getenv("VKT_KEPT_REFERENCE");
    struct vkt_picture got, expected;
    number++;
    scene(vkt_device(VKT_TESTED), &got);
    if (kept && *kept)
        expected = load_reference(kept, number, name);
    else
        scene(vkt_device(VKT_REFERENCE), &expected);
    if (keep_in)
        save_reference(keep_in, number, name, &expected);
    vkt_compare(name, &expected, &got, tolerance);
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
}
