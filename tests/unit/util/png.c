/* SPDX-License-Identifier: MIT
 *
 * Tests the PNG encoder: libpng reads back the same pixels, and every allocation may fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <png.h>
#include <cmocka.h>
#include "util/png.h"

struct file {
    uint8_t data[1 << 18];
    size_t size_B;
};

static struct file file;

static void put(void *data, const void *bytes, size_t size_B)
{
    struct file *to = data;
    assert_true(size_B <= sizeof to->data - to->size_B);
    memcpy(to->data + to->size_B, bytes, size_B);
    to->size_B += size_B;
}

/* Gradients, flat areas and noise, so that all filters and long and short matches occur. */
static uint8_t *make_pixels(uint32_t width_px, uint32_t height_px)
{
    uint8_t *rgb = malloc((size_t)width_px * height_px * 3), *to = rgb;
    uint32_t random = 1;
    assert_non_null(rgb);
    for (uint32_t y = 0; y < height_px; y++)
        for (uint32_t x = 0; x < width_px; x++) {
            random = random * 1664525 + 1013904223;
            *to++ = (uint8_t)x;
            *to++ = (uint8_t)(y / 16);
            *to++ = y % 32 < 16 ? 7 : (uint8_t)(random >> 24);
        }
    return rgb;
}

static void check_size(uint32_t width_px, uint32_t height_px)
{
    uint8_t *rgb = make_pixels(width_px, height_px), *read = malloc((size_t)width_px * height_px * 3);
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_non_null(read);
    file.size_B = 0;
    assert_true(util_png_encode(&(struct util_png_image){rgb, width_px, height_px}, NULL, put, &file));
    assert_true(png_image_begin_read_from_memory(&image, file.data, file.size_B));
    assert_int_equal(image.width, width_px);
    assert_int_equal(image.height, height_px);
    assert_int_equal(image.format, PNG_FORMAT_RGB);
    assert_true(png_image_finish_read(&image, NULL, read, 0, NULL));
    assert_int_equal(image.warning_or_error, 0);
    assert_memory_equal(rgb, read, (size_t)width_px * height_px * 3);
    free(rgb);
    free(read);
}

static void libpng_reads_the_same_pixels(void **state)
{
    check_size(1, 1);
    check_size(1, 300);
    check_size(257, 1);
    check_size(300, 200);
}

struct counter {
    int until_failure, live;
};

static void *alloc_until(void *data, size_t size_B, size_t align_B)
{
    struct counter *c = data;
    void *memory = c->until_failure-- > 0 ? malloc(size_B) : NULL;
    c->live += memory != NULL;
    return memory;
}

static void count_free(void *data, void *memory)
{
    struct counter *c = data;
    c->live -= memory != NULL;
    free(memory);
}

static void every_allocation_may_fail(void **state)
{
    uint8_t *rgb = make_pixels(100, 64);
    bool is_encoded = false;
    int n = 0;
    for (; !is_encoded && n < 10000; n++) {
        struct counter counter = {.until_failure = n};
        const struct util_alloc alloc = {&counter, alloc_until, count_free};
        file.size_B = 0;
        is_encoded = util_png_encode(&(struct util_png_image){rgb, 100, 64}, &alloc, put, &file);
        assert_int_equal(counter.live, 0);
        assert_true(is_encoded == (file.size_B > 0));
    }
    assert_true(is_encoded && n > 2);
    free(rgb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libpng_reads_the_same_pixels),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("util_png", tests, NULL, NULL);
}
