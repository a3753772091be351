/* SPDX-License-Identifier: MIT
 *
 * Storage images and texel buffers in compute shaders: every format and kind of image, accesses beyond the edges,
 * atomics, and arrays of descriptors.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "storage_array.comp.h"
#include "storage_atomic.comp.h"
#include "storage_formats.h" /* by storage_formats.py */

#define STORAGE VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
#define IMAGE   VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
#define TEXEL_BUFFER VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER
#define COMPUTE VK_SHADER_STAGE_COMPUTE_BIT

#define IMAGE_USAGE                                                                                                    \
    (VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |                       \
     VK_IMAGE_USAGE_TRANSFER_DST_BIT)

/* ---------------------------------------------------------------- texels */

/* Fills a buffer with texels that every format reads and writes without loss: no -128, and floats are normal
 * numbers. */
static void fill(uint8_t *bytes, uint32_t size_B, const struct storage_format *f, uint32_t seed)
{
    for (uint32_t i = 0; i < size_B; i++)
        bytes[i] = (uint8_t)(9 + (i * 37 + seed * 11) % 111);
    for (uint32_t i = 3; f->format == VK_FORMAT_B10G11R11_UFLOAT_PACK32 && i < size_B; i += 4) {
        bytes[i - 2] = (uint8_t)((bytes[i - 2] | 2) & ~4); /* one exponent bit set and one clear */
        bytes[i - 1] = (uint8_t)((bytes[i - 1] | 16) & ~32);
        bytes[i] = (uint8_t)((bytes[i] | 64) & ~128);
    }
    for (uint32_t i = 0; f->is_float32 && i < size_B / 4; i++) {
        float x = (float)i * 0.25f - 3 * (float)seed;
        memcpy(bytes + 4 * i, &x, 4);
    }
}

static void mirror(const uint8_t *from, uint8_t *to, uint32_t texel_B, uint32_t width, uint32_t rows)
{
    for (uint32_t y = 0; y < rows; y++)
        for (uint32_t x = 0; x < width; x++)
            memcpy(to + (y * width + width - 1 - x) * texel_B, from + (y * width + x) * texel_B, texel_B);
}

static void swap_red_and_blue(uint8_t *texels, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t first = texels[4 * i];
        texels[4 * i] = texels[4 * i + 2];
        texels[4 * i + 2] = first;
    }
}

static void compare(const char *name, const uint8_t *got, const uint8_t *expected, uint32_t texel_B, uint32_t count)
{
    for (uint32_t i = 0; i < count * texel_B; i++)
        if (got[i] != expected[i])
            fail_msg("%s: texel %u, byte %u: 0x%02x instead of 0x%02x", name, i / texel_B, i % texel_B, got[i],
                     expected[i]);
}

/* ---------------------------------------------------------------- copies from one image to another */

struct mirror_case {
    const char *name;
    const struct storage_format *format;
    struct vkt_shader shader;
    struct vkt_image_info image;
    VkFormat bgra;    /* source format, if its red and blue are swapped; or undefined */
    uint32_t slices;  /* layers, faces or slices */
    uint32_t size[3]; /* as the shader sees it */
};

static struct vkt_image filled_image(struct vkt *t, const struct mirror_case *c, VkFormat format, uint8_t *texels,
                                     uint32_t layer_B)
{
    struct vkt_image_info info = c->image;
    info.format = format;
    struct vkt_image image = vkt_image_create(t, &info);
    uint32_t layers = c->image.depth ? 1 : c->slices;
    for (uint32_t i = 0; i < layers; i++)
        vkt_image_upload(t, &image, 0, i, texels + i * layer_B, layer_B);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    vkt_end_submit(t, cmd);
    return image;
}

static void read_all(struct vkt *t, const struct mirror_case *c, struct vkt_image *image, uint8_t *out,
                     uint32_t layer_B)
{
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    for (uint32_t i = 0; i < (c->image.depth ? 1 : c->slices); i++)
        vkt_read_image(t, image, 0, i, out + i * layer_B, layer_B);
}

static void check_mirror(const struct mirror_case *c)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const uint32_t w = c->image.width, h = c->image.height, rows = h * c->slices, texel_B = c->format->texel_B;
    const uint32_t layer_B = w * h * texel_B * (c->image.depth ? c->slices : 1);
    uint8_t *texels = calloc(rows * w, texel_B), *expected = calloc(rows * w, texel_B),
            *got = calloc(rows * w, texel_B);
    const struct vkt_binding bindings[] = {{IMAGE, COMPUTE, 0}, {IMAGE, COMPUTE, 0}, {STORAGE, COMPUTE, 0}};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, 3);
    struct vkt_compute compute = vkt_compute_create(t, c->shader, &layout, 1, 0, NULL);
    struct vkt_buffer out = vkt_storage_buffer(t, 5, 0);
    fill(texels, rows * w * texel_B, c->format, 1);
    mirror(texels, expected, texel_B, w, rows);
    if (c->bgra)
        swap_red_and_blue(expected, rows * w);
    struct vkt_image from = filled_image(t, c, c->bgra ? c->bgra : c->image.format, texels, layer_B);
    struct vkt_image to = filled_image(t, c, c->image.format, texels, layer_B);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_image(t, set, 0, 0, from.view);
    vkt_set_image(t, set, 1, 0, to.view);
    vkt_set_buffer(t, set, 2, STORAGE, out.buffer, 0, VK_WHOLE_SIZE);

    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &compute, &set);
    vkCmdDispatch(cmd, w / 4 + 1, c->size[1] / 4 + 1, c->size[2] / 2 + 1);
    vkt_end_submit(t, cmd);

    const uint32_t *result = out.map;
    read_all(t, c, &to, got, layer_B);
    compare(c->name, got, expected, texel_B, w * rows);
    assert_memory_equal(result, c->size, sizeof c->size);
    assert_true(result[3] > 0);
    assert_int_equal(result[4], 0);
    vkt_image_destroy(t, &from);
    vkt_image_destroy(t, &to);
    vkt_compute_destroy(t, &compute);
    vkt_buffer_destroy(t, &out);
    free(texels);
    free(expected);
    free(got);
}

static void check_2d(const struct storage_format *f, VkFormat bgra, struct vkt_shader shader)
{
    check_mirror(&(struct mirror_case){
        .name = f->name,
        .format = f,
        .bgra = bgra,
        .shader = shader,
        .image = {.format = f->format, .width = 13, .height = 5, .usage = IMAGE_USAGE},
        .slices = 1,
        .size = {13, 5, 1},
    });
}

static const struct storage_format *format_named(const char *name)
{
    for (uint32_t i = 0; i < VKT_COUNT(storage_formats); i++)
        if (!strcmp(storage_formats[i].name, name))
            return &storage_formats[i];
    return NULL;
}

static void test_formats(void **state)
{
    for (uint32_t i = 0; i < VKT_COUNT(storage_formats); i++)
        check_2d(&storage_formats[i], VK_FORMAT_UNDEFINED, storage_formats[i].shader);
}

/* The same with shaders that do not declare the format. */
static void test_without_format(void **state)
{
    for (uint32_t i = 0; i < VKT_COUNT(storage_formats); i++)
        check_2d(&storage_formats[i], VK_FORMAT_UNDEFINED, storage_formats[i].any);
}

/* SPIR-V has no image formats for the BGRA order of swapchains. */
static void test_bgra(void **state)
{
    const struct {
        const char *rgba;
        struct storage_format bgra;
    } cases[] = {
        {"rgba8", {.name = "bgra8", .format = VK_FORMAT_B8G8R8A8_UNORM, .texel_B = 4}},
        {"rgba8_snorm", {.name = "bgra8_snorm", .format = VK_FORMAT_B8G8R8A8_SNORM, .texel_B = 4}},
        {"rgba8ui", {.name = "bgra8ui", .format = VK_FORMAT_B8G8R8A8_UINT, .texel_B = 4}},
        {"rgba8i", {.name = "bgra8i", .format = VK_FORMAT_B8G8R8A8_SINT, .texel_B = 4}},
    };
    for (uint32_t i = 0; i < VKT_COUNT(cases); i++) {
        const struct storage_format *rgba = format_named(cases[i].rgba);
        check_2d(&cases[i].bgra, VK_FORMAT_UNDEFINED, rgba->any);
        check_2d(rgba, cases[i].bgra.format, rgba->any);
    }
}

#define KIND(name, w, h, n, ...)                                                                                       \
    {                                                                                                                  \
        #name, {VKT_SHADER(storage_##name##_r32ui), VKT_SHADER(storage_##name##_rgba16)},                             \
        {.width = (w), .height = (h), .usage = IMAGE_USAGE, __VA_ARGS__}, (n)                                         \
    }

static void test_kinds(void **state)
{
    static const char *const formats[2] = {"r32ui", "rgba16"};
    const struct {
        const char *name;
        struct vkt_shader shaders[2];
        struct vkt_image_info image;
        uint32_t slices;
    } kinds[] = {
        KIND(line, 37, 1, 1, .line = true),
        KIND(lines, 21, 1, 5, .line = true, .array = true, .layers = 5),
        KIND(flat, 2100, 6, 1),
        KIND(flat, 3, 2300, 1),
        KIND(layers, 9, 7, 6, .array = true, .layers = 6),
        KIND(volume, 10, 9, 11, .depth = 11),
        KIND(cube, 12, 12, 6, .cube = true),
        KIND(cubes, 6, 6, 12, .cube = true, .layers = 12),
    };
    for (uint32_t i = 0; i < VKT_COUNT(kinds); i++)
        for (uint32_t k = 0; k < 2; k++) {
            struct mirror_case c = {.name = kinds[i].name,
                                    .format = format_named(formats[k]),
                                    .shader = kinds[i].shaders[k],
                                    .image = kinds[i].image,
                                    .slices = kinds[i].slices};
            bool is_lines = c.image.line && c.slices > 1;
            c.image.format = c.format->format;
            c.size[0] = c.image.width;
            c.size[1] = is_lines ? c.slices : c.image.height;
            c.size[2] = is_lines ? 1 : c.slices;
            check_mirror(&c);
        }
}

/* ---------------------------------------------------------------- texel buffers */

#define TEXELS 23u

static VkBufferView view_of(struct vkt *t, const struct vkt_buffer *buffer, VkFormat format, uint32_t offset_B,
                            uint32_t range_B)
{
    VkBufferView view;
    vkt_ok(vkCreateBufferView(t->device,
                              &(VkBufferViewCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                                        .buffer = buffer->buffer,
                                                        .format = format,
                                                        .offset = offset_B,
                                                        .range = range_B},
                              NULL, &view));
    return view;
}

/* Checks that only the views' texels are read and written. */
static void check_buffer(const char *name, struct vkt_shader shader)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct storage_format *f = format_named(name);
    const struct vkt_binding bindings[] = {
        {TEXEL_BUFFER, COMPUTE, 0}, {TEXEL_BUFFER, COMPUTE, 0}, {STORAGE, COMPUTE, 0}};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, 3);
    struct vkt_compute compute = vkt_compute_create(t, shader, &layout, 1, 0, NULL);
    struct vkt_buffer out = vkt_storage_buffer(t, 5, 0), buffers[2];
    VkBufferView views[2];
    uint8_t texels[(TEXELS + 32) * 16], expected[sizeof texels];
    fill(texels, sizeof texels, f, 2);
    memcpy(expected, texels, sizeof texels);
    mirror(texels + 64, expected + 64, f->texel_B, TEXELS, 1);
    for (int i = 0; i < 2; i++) {
        buffers[i] = vkt_buffer_create(t, sizeof texels, VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT, texels);
        views[i] = view_of(t, &buffers[i], f->format, 64, TEXELS * f->texel_B);
    }
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    for (uint32_t i = 0; i < 2; i++)
        vkt_set_texel_buffer(t, set, i, TEXEL_BUFFER, views[i]);
    vkt_set_buffer(t, set, 2, STORAGE, out.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &compute, &set);
    vkCmdDispatch(cmd, TEXELS / 4 + 2, 1, 1);
    vkt_end_submit(t, cmd);
    const uint32_t *result = out.map;
    compare(name, buffers[1].map, expected, 1, sizeof texels);
    assert_int_equal(result[0], TEXELS);
    assert_true(result[3] > 0);
    assert_int_equal(result[4], 0);
    for (int i = 0; i < 2; i++) {
        vkDestroyBufferView(t->device, views[i], NULL);
        vkt_buffer_destroy(t, &buffers[i]);
    }
    vkt_compute_destroy(t, &compute);
    vkt_buffer_destroy(t, &out);
}

static void test_texel_buffers(void **state)
{
    check_buffer("r32ui", VKT_SHADER(storage_buffer_r32ui));
    check_buffer("rgba16", VKT_SHADER(storage_buffer_rgba16));
    for (uint32_t i = 0; i < VKT_COUNT(storage_formats); i++)
        check_buffer(storage_formats[i].name, storage_formats[i].any_buffer);
}

/* ---------------------------------------------------------------- formats of views */

/* f, i or u: the numeric type that shaders see. */
static char kind_of(const struct storage_format *f)
{
    const char *end = f->name + strlen(f->name) - 1;
    return *end != 'i' || !strcmp(f->name, "rgb10_a2") ? 'f' : end[-1] == 'u' ? 'u' : 'i';
}

/* Set in runs with in_buffers.c. Programs that read descriptors in memory trust the format that the shader declares. */
#define SKIP_IN_BUFFERS()                                                                                              \
    do {                                                                                                               \
        if (getenv("VKT_IN_BUFFERS"))                                                                                  \
            vkt_skip("descriptors in memory have the declared formats");                                               \
    } while (0)

/* Shaders that declare another format of the same numeric type: texels are read and written in the view's format.
 * Vulkan leaves this undefined; all other drivers do it, and applications rely on it. */
static void test_formats_of_views(void **state)
{
    SKIP_IN_BUFFERS();
    struct vkt *t = vkt_device(VKT_TESTED);
    uint32_t tested = 0;
    for (uint32_t i = 0; i < VKT_COUNT(storage_formats); i++) {
        uint32_t other = (i + 1) % VKT_COUNT(storage_formats);
        while (kind_of(&storage_formats[other]) != kind_of(&storage_formats[i]))
            other = (other + 1) % VKT_COUNT(storage_formats);
        assert_int_not_equal(other, i);
        check_2d(&storage_formats[i], VK_FORMAT_UNDEFINED, storage_formats[other].shader);
        tested++;
    }
    const struct storage_format bgra8 = {.name = "bgra8", .format = VK_FORMAT_B8G8R8A8_UNORM, .texel_B = 4};
    check_2d(&bgra8, VK_FORMAT_UNDEFINED, format_named("rgba8")->shader);
    assert_int_equal(tested, VKT_COUNT(storage_formats));
    t->validation_messages = 0; /* newer validation layers warn */
}

static void test_formats_of_buffer_views(void **state)
{
    SKIP_IN_BUFFERS();
    static const char *const numbers[] = {"r8", "rg8", "rgba8", "r16f", "rgba16f", "rg32f", "rgba32f", "rgb10_a2"};
    static const char *const integers[] = {"r8ui", "rg8ui", "r16ui", "rgba16ui", "rg32ui", "rgba32ui"};
    struct vkt *t = vkt_device(VKT_TESTED);
    for (uint32_t i = 0; i < VKT_COUNT(numbers); i++)
        check_buffer(numbers[i], VKT_SHADER(storage_buffer_rgba16));
    for (uint32_t i = 0; i < VKT_COUNT(integers); i++)
        check_buffer(integers[i], VKT_SHADER(storage_buffer_r32ui));
    t->validation_messages = 0;
}

/* ---------------------------------------------------------------- atomics */

static uint32_t atomic_result(uint32_t row, uint32_t was, uint32_t data)
{
    switch (row) {
    case 0:
        return was + data;
    case 1:
        return was < data ? was : data;
    case 2:
        return was > data ? was : data;
    case 3:
        return was & data;
    case 4:
        return was | data;
    case 5:
        return was ^ data;
    case 6:
        return data;
    default:
        return was == 107 ? data : was;
    }
}

static void test_atomics(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct vkt_binding bindings[] = {{IMAGE, COMPUTE, 0}, {TEXEL_BUFFER, COMPUTE, 0}, {STORAGE, COMPUTE, 0}};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, 3);
    struct vkt_compute compute = vkt_compute_create(t, VKT_SHADER(storage_atomic_comp), &layout, 1, 0, NULL);
    struct mirror_case c = {.image = {.format = VK_FORMAT_R32_UINT, .width = 8, .height = 8, .usage = IMAGE_USAGE},
                            .slices = 1};
    uint32_t was[64], got[64];
    for (uint32_t i = 0; i < 64; i++)
        was[i] = i == 60 ? 107 : i * i % 29;
    struct vkt_image image = filled_image(t, &c, c.image.format, (uint8_t *)was, sizeof was);
    struct vkt_buffer out = vkt_storage_buffer(t, 64, 0),
                      texels = vkt_storage_buffer(t, 16, VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT);
    VkBufferView view = view_of(t, &texels, VK_FORMAT_R32_UINT, 0, 32);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_image(t, set, 0, 0, image.view);
    vkt_set_texel_buffer(t, set, 1, TEXEL_BUFFER, view);
    vkt_set_buffer(t, set, 2, STORAGE, out.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &compute, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_end_submit(t, cmd);
    read_all(t, &c, &image, (uint8_t *)got, sizeof got);
    assert_memory_equal(out.map, was, sizeof was);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(got[i], atomic_result(i / 8, was[i], 3 * (i % 8) + 1));
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(((uint32_t *)texels.map)[i], i < 8 ? 28 : 0);
    vkDestroyBufferView(t->device, view, NULL);
    vkt_image_destroy(t, &image);
    vkt_compute_destroy(t, &compute);
    vkt_buffer_destroy(t, &texels);
    vkt_buffer_destroy(t, &out);
}

/* ---------------------------------------------------------------- arrays of descriptors */

static void check_arrays(const VkFormat formats[4])
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct vkt_binding bindings[] = {{IMAGE, COMPUTE, 4}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, COMPUTE, 4}};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, 2);
    struct vkt_compute compute = vkt_compute_create(t, VKT_SHADER(storage_array_comp), &layout, 1, 4, NULL);
    struct mirror_case c = {.image = {.width = 32, .height = 1, .usage = IMAGE_USAGE}, .slices = 1};
    struct vkt_image images[4];
    struct vkt_buffer numbers[4];
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    uint32_t got[32];
    uint16_t was[64] = {0};
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t texel_B = formats[k] == VK_FORMAT_R16_UINT ? 2 : 4;
        for (uint32_t i = 0; i < 32; i++)
            was[texel_B / 2 * i] = (uint16_t)(1000 * k);
        c.image.format = formats[k];
        images[k] = filled_image(t, &c, c.image.format, (uint8_t *)was, 32 * texel_B);
        numbers[k] = vkt_buffer_create(t, 16, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, (const uint32_t[4]){k + 1});
        vkt_set_image(t, set, 0, k, images[k].view);
        vkUpdateDescriptorSets(
            t->device, 1,
            &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                    .dstSet = set,
                                    .dstBinding = 1,
                                    .dstArrayElement = k,
                                    .descriptorCount = 1,
                                    .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                    .pBufferInfo = &(VkDescriptorBufferInfo){numbers[k].buffer, 0, 16}},
            0, NULL);
    }
    const uint32_t first = 2; /* workgroups 0 to 2 use elements 2, 3, 0 */
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &compute, &set);
    vkCmdPushConstants(cmd, compute.layout, COMPUTE, 0, 4, &first);
    vkCmdDispatch(cmd, 3, 1, 1);
    vkt_end_submit(t, cmd);
    for (uint32_t k = 0; k < 4; k++) {
        const bool is_16_bit = formats[k] == VK_FORMAT_R16_UINT, has_two_channels = formats[k] == VK_FORMAT_R16G16_UINT;
        c.image.format = formats[k];
        read_all(t, &c, &images[k], (uint8_t *)got, is_16_bit ? sizeof got / 2 : sizeof got);
        for (uint32_t i = 0; i < 32; i++) {
            const uint32_t expected = 1000 * k + (k == 1 ? 0 : 10 * ((k ^ 1) + 1) + i);
            const uint32_t word = is_16_bit ? ((const uint16_t *)got)[i] : got[i];
            assert_int_equal(word, has_two_channels ? expected * 0x10001u : expected);
        }
        vkt_image_destroy(t, &images[k]);
        vkt_buffer_destroy(t, &numbers[k]);
    }
    vkt_compute_destroy(t, &compute);
}

static void test_arrays(void **state)
{
    const VkFormat all = VK_FORMAT_R32_UINT;
    check_arrays((VkFormat[]){all, all, all, all});
}

/* The shader declares r32ui, but every view is read and written in its own format. */
static void test_arrays_of_formats(void **state)
{
    SKIP_IN_BUFFERS();
    check_arrays((VkFormat[]){VK_FORMAT_R32_UINT, VK_FORMAT_R16_UINT, VK_FORMAT_R16_UINT, VK_FORMAT_R16G16_UINT});
    check_arrays((VkFormat[]){VK_FORMAT_R16_UINT, VK_FORMAT_R16_UINT, VK_FORMAT_R16_UINT, VK_FORMAT_R16_UINT});
    vkt_device(VKT_TESTED)->validation_messages = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_formats, vkt_check_messages),
        cmocka_unit_test_teardown(test_without_format, vkt_check_messages),
        cmocka_unit_test_teardown(test_bgra, vkt_check_messages),
        cmocka_unit_test_teardown(test_kinds, vkt_check_messages),
        cmocka_unit_test_teardown(test_texel_buffers, vkt_check_messages),
        cmocka_unit_test_teardown(test_atomics, vkt_check_messages),
        cmocka_unit_test_teardown(test_arrays, vkt_check_messages),
        cmocka_unit_test_teardown(test_formats_of_views, vkt_check_messages),
        cmocka_unit_test_teardown(test_formats_of_buffer_views, vkt_check_messages),
        cmocka_unit_test_teardown(test_arrays_of_formats, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
