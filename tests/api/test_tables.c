/* SPDX-License-Identifier: MIT
 *
 * Tables of constants that programs index, in every stage. Fragment and vertex programs are compared with the reference
 * driver, numbers of every width in a compute program with the host's. An index out of range gives a word of its own
 * table. Caches keep tables.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "full.vert.h"
#include "tables.comp.h"
#include "tables.frag.h"
#include "tables.vert.h"
#include "tables_beyond.frag.h"
#include "tables_many.frag.h"

#define W 64
#define H 64

static struct vkt_shader vertex, fragment;
static VkPipelineCache cache;
static uint32_t vertex_count;

static void scene(struct vkt *t, struct vkt_picture *out)
{
    const bool is_quad = vertex_count == 4;
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline = vkt_pipeline_create(
        t, &(struct vkt_pipeline_info){.vs = vertex,
                                       .fs = fragment,
                                       .pass = target.pass,
                                       .topology = is_quad ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP : VKT_TRIANGLES,
                                       .width = W,
                                       .height = H,
                                       .cache = cache});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0.5f, 0.5f, 0.5f, 0.5f}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdDraw(cmd, vertex_count, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
}

static void set_scene(struct vkt_shader vs, struct vkt_shader fs, uint32_t vertices)
{
    vertex = vs;
    fragment = fs;
    vertex_count = vertices;
}

static uint64_t engine_jobs(void)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    uint64_t counts[3];
    ((void (*)(VkDevice, uint64_t *))vkt_hook(t, "vc4vk_test_job_counts"))(t->device, counts);
    return counts[2];
}

/* Unless everything runs on the CPU engine, programs with tables run on the chip. */
static void check_chip(uint64_t engine_jobs_before)
{
    const char *words = getenv("VC4VK_DEBUG");
    if (!words || !strstr(words, "force-cpu-engine"))
        assert_int_equal(engine_jobs(), engine_jobs_before);
}

static void compare_on_chip(const char *name)
{
    const uint64_t before = engine_jobs();
    vkt_compare_with_reference(name, scene, (struct vkt_tolerance){1, 2});
    check_chip(before);
}

static void fragment_programs(void **state)
{
    set_scene(VKT_SHADER(full_vert), VKT_SHADER(tables_frag), 4);
    compare_on_chip("tables");
}

static void vertex_programs(void **state)
{
    set_scene(VKT_SHADER(tables_vert), VKT_SHADER(color_frag), 25 * 6);
    compare_on_chip("tables_vertex");
}

static uint32_t number(uint32_t i)
{
    return (i * 37 + i * i * 11) & 255;
}

static void many_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    uint32_t sums[4] = {0};
    for (uint32_t i = 0; i < 200; i++) {
        const uint32_t at = (x * i + y * (i + 7)) & 255, numbers[4] = {at, at + 100, at * 3, at * 7};
        for (uint32_t c = 0; c < 4; c++)
            sums[c] += number(numbers[c]);
    }
    for (uint32_t c = 0; c < 4; c++)
        rgba[c] = (uint8_t)((sums[c] + 100) / 200);
}

/* 200 accesses to 4 words each. */
static void many_accesses(void **state)
{
    struct vkt_picture expected = vkt_picture_compute(W, H, many_pixel), got;
    const uint64_t before = engine_jobs();
    set_scene(VKT_SHADER(full_vert), VKT_SHADER(tables_many_frag), 4);
    scene(vkt_device(VKT_TESTED), &got);
    vkt_compare("tables_many", &expected, &got, (struct vkt_tolerance){1, 0});
    check_chip(before);
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
}

static void indices_out_of_range(void **state)
{
    struct vkt_picture picture;
    set_scene(VKT_SHADER(full_vert), VKT_SHADER(tables_beyond_frag), 4);
    scene(vkt_device(VKT_TESTED), &picture);
    for (uint32_t i = 0; i < W * H; i++) {
        assert_in_range(picture.rgba[4 * i], 63, 64);
        assert_in_range(picture.rgba[4 * i + 1], 127, 128);
        assert_in_range(picture.rgba[4 * i + 2], 127, 128);
        assert_in_range(picture.rgba[4 * i + 3], 191, 192);
    }
    vkt_picture_free(&picture);
}

/* ---------------------------------------------------------------- compute */

#define COUNT 64

struct row {
    int32_t bytes, shorts, words;
    uint32_t unsigned_bytes, unsigned_shorts;
    float half_float, single;
    uint32_t pad;
    int64_t long_int;
    double wide;
    uint32_t far[2];
};

static void numbers_of_every_width(void **state)
{
    static const char *const extensions[] = {VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME};
    struct vkt device = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, 1), *t = &device;
    struct vkt_compute c = vkt_compute_create_simple(t, VKT_SHADER(tables_comp), 2, 0, NULL);
    struct vkt_buffer in = vkt_storage_buffer(t, COUNT, 0);
    struct vkt_buffer out = vkt_storage_buffer(t, COUNT * sizeof(struct row) / 4, 0);
    int32_t *indices = in.map;
    for (int32_t i = 0; i < COUNT; i++) /* half of them are in range */
        indices[i] = i % 2 ? i : (int32_t)(0x9e3779b1u * (uint32_t)(i + 1));
    indices[0] = -1;
    indices[2] = COUNT;
    indices[4] = INT32_MAX;
    indices[6] = INT32_MIN;
    indices[8] = 1 << 24;
    indices[10] = 1 << 30;
    VkDescriptorSet set = vkt_compute_set(t, &c, (const struct vkt_buffer[]){in, out}, 2);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_end_submit(t, cmd);
    const struct row *rows = out.map;
    for (int32_t i = 0; i < COUNT; i++) {
        const int32_t k = i * 5 % COUNT;
        assert_int_equal(rows[i].bytes, k * 4 - 128);
        assert_int_equal(rows[i].unsigned_bytes, (uint8_t)(k * 4 + 3));
        assert_int_equal(rows[i].shorts, k * 1000 - 32000);
        assert_int_equal(rows[i].unsigned_shorts, (uint16_t)(k * 1040));
        assert_int_equal(rows[i].words, (int32_t)((uint32_t)k * 0x1234567u));
        assert_true(rows[i].long_int == k * INT64_C(0x123456789ab) - 77);
        assert_true(rows[i].half_float == (float)k * 0.25f - 8.0f);
        assert_true(rows[i].single == (float)k * 1.5f);
        assert_true(rows[i].wide == (double)k * 0.1);
        assert_int_equal(rows[i].pad, 4000 + 2 * k);
        for (uint32_t n = 0; n < 2; n++) {
            if (i % 2)
                assert_int_equal(rows[i].far[n], 2000 + i);
            assert_in_range(rows[i].far[n], 2000, 2000 + COUNT - 1);
        }
    }
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &in);
    vkt_buffer_destroy(t, &out);
    vkt_device_close(t);
}

/* ---------------------------------------------------------------- caches */

enum { COMPILED, IN_CACHE, ON_DISK };

static void read_counts(struct vkt *t, uint64_t counts[3])
{
    ((void (*)(VkDevice, uint64_t *))vkt_hook(t, "vc4vk_test_cache_counts"))(t->device, counts);
}

static void create_cache(struct vkt *t, const void *data, size_t size_B)
{
    vkt_ok(vkCreatePipelineCache(t->device,
                                 &(VkPipelineCacheCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                                              .initialDataSize = size_B,
                                                              .pInitialData = data},
                                 NULL, &cache));
}

/* Programs from an application's cache, read by another device, draw the same picture and are not compiled again. */
static void caches_keep_tables(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt other = vkt_device_create(t);
    struct vkt_picture first, second;
    uint64_t before[3], after[3];
    size_t size_B;
    set_scene(VKT_SHADER(tables_vert), VKT_SHADER(tables_frag), 25 * 6);
    create_cache(t, NULL, 0);
    scene(t, &first);
    vkt_ok(vkGetPipelineCacheData(t->device, cache, &size_B, NULL));
    void *data = malloc(size_B);
    assert_non_null(data);
    vkt_ok(vkGetPipelineCacheData(t->device, cache, &size_B, data));
    vkDestroyPipelineCache(t->device, cache, NULL);
    create_cache(&other, data, size_B);
    read_counts(&other, before);
    scene(&other, &second);
    read_counts(&other, after);
    assert_int_equal(after[COMPILED], before[COMPILED]);
    assert_int_equal(after[ON_DISK], before[ON_DISK]);
    assert_true(after[IN_CACHE] > before[IN_CACHE]);
    vkt_compare("tables_cached", &first, &second, (struct vkt_tolerance){0, 0});
    vkDestroyPipelineCache(other.device, cache, NULL);
    cache = VK_NULL_HANDLE;
    free(data);
    vkt_picture_free(&first);
    vkt_picture_free(&second);
    vkt_device_close(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(fragment_programs, vkt_check_messages),
        cmocka_unit_test_teardown(vertex_programs, vkt_check_messages),
        cmocka_unit_test_teardown(many_accesses, vkt_check_messages),
        cmocka_unit_test_teardown(indices_out_of_range, vkt_check_messages),
        cmocka_unit_test_teardown(numbers_of_every_width, vkt_check_messages),
        cmocka_unit_test_teardown(caches_keep_tables, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("tables", tests, NULL, vkt_teardown);
}
