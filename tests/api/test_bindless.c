/* SPDX-License-Identifier: MIT
 *
 * Arrays of descriptors (VK_EXT_descriptor_indexing): every type in every stage, with indices that differ between
 * lanes, in binding tables and in memory of sets. Descriptors in memory are written after they are bound; others stay
 * empty or name resources that are gone.
 */
#include <math.h>
#include <string.h>
#include "vkt_arrays.h"
#include "bindless_all.comp.h"
#include "bindless_all.frag.h"
#include "bindless_all.vert.h"
#include "bindless_triangle.vert.h"
#include "engine_white.frag.h"

#define STORAGE  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
#define COMBINED VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER
#define COMPUTE  VK_SHADER_STAGE_COMPUTE_BIT
#define ELEMENTS 600u

/* ---------------------------------------------------------------- features and limits */

static void test_reported(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceDescriptorIndexingFeatures f = {.sType =
                                                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES};
    VkPhysicalDeviceDescriptorIndexingProperties p = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES};
    vkGetPhysicalDeviceFeatures2(
        t->physical, &(VkPhysicalDeviceFeatures2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &f});
    vkGetPhysicalDeviceProperties2(
        t->physical,
        &(VkPhysicalDeviceProperties2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &p});
    assert_true(vkt_has_extension(t, VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME));
    const VkBool32 *bits = &f.shaderInputAttachmentArrayDynamicIndexing;
    for (uint32_t i = 0; i < 20; i++)
        assert_true(bits[i]);
    const uint32_t wanted[] = {p.maxUpdateAfterBindDescriptorsInAllPools,
                               p.maxPerStageDescriptorUpdateAfterBindSamplers,
                               p.maxPerStageDescriptorUpdateAfterBindUniformBuffers,
                               p.maxPerStageDescriptorUpdateAfterBindStorageBuffers,
                               p.maxPerStageDescriptorUpdateAfterBindSampledImages,
                               p.maxPerStageDescriptorUpdateAfterBindStorageImages,
                               p.maxPerStageUpdateAfterBindResources,
                               p.maxDescriptorSetUpdateAfterBindSamplers,
                               p.maxDescriptorSetUpdateAfterBindUniformBuffers,
                               p.maxDescriptorSetUpdateAfterBindStorageBuffers,
                               p.maxDescriptorSetUpdateAfterBindSampledImages,
                               p.maxDescriptorSetUpdateAfterBindStorageImages};
    for (uint32_t i = 0; i < VKT_COUNT(wanted); i++)
        assert_true(wanted[i] >= 500000);
}

/* ---------------------------------------------------------------- all types, in each stage */

static const VkDescriptorType all_types[8] = {
    VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,         VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,   VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
    VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,          VK_DESCRIPTOR_TYPE_SAMPLER,
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};

/* What an element of each array leads to. */
struct resources {
    struct vkt_buffer buffer;
    VkBufferView texels;
    struct vkt_image sampled, stored;
    VkSampler sampler;
    uint32_t number;
};

static struct resources resources_create(struct vkt *t, uint32_t number)
{
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                     VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                                     VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;
    const uint32_t words[8] = {10 * number, 10 * number + 1, 0, 10 * number + 3};
    uint8_t texels[2][4] = {{(uint8_t)number, 0, 0, 255}, {(uint8_t)(100 + number), 0, 0, 255}};
    struct resources r = {.number = number};
    r.buffer = vkt_buffer_create(t, sizeof words, usage, words);
    vkt_ok(vkCreateBufferView(t->device,
                              &(VkBufferViewCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                                        .buffer = r.buffer.buffer,
                                                        .format = VK_FORMAT_R32_UINT,
                                                        .range = VK_WHOLE_SIZE},
                              NULL, &r.texels));
    r.sampled = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = 2,
                                    .height = 1,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    vkt_image_upload(t, &r.sampled, 0, 0, texels, sizeof texels);
    r.stored = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = 32,
                                    .height = 1,
                                    .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                                             VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
    uint8_t row[32][4] = {{(uint8_t)(200 + number)}};
    vkt_image_upload(t, &r.stored, 0, 0, row, sizeof row);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &r.stored, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    vkt_end_submit(t, cmd);
    /* Odd ones repeat, even ones clamp: the coordinate 1.25 gives texel 0 or 1. */
    r.sampler =
        vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                           number & 1 ? VK_SAMPLER_ADDRESS_MODE_REPEAT : VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    return r;
}

static void resources_destroy(struct vkt *t, struct resources *r)
{
    vkDestroySampler(t->device, r->sampler, NULL);
    vkt_image_destroy(t, &r->stored);
    vkt_image_destroy(t, &r->sampled);
    vkDestroyBufferView(t->device, r->texels, NULL);
    vkt_buffer_destroy(t, &r->buffer);
}

static void write_all(struct vkt *t, VkDescriptorSet set, uint32_t element, const struct resources *r)
{
    vkt_write_buffer(t, set, 0, element, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, &r->buffer);
    vkt_write_buffer(t, set, 1, element, STORAGE, &r->buffer);
    vkt_write_texels(t, set, 2, element, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, r->texels);
    vkt_write_texels(t, set, 3, element, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, r->texels);
    vkt_write_image(t, set, 4, element, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, r->sampled.view, VK_NULL_HANDLE);
    vkt_write_image(t, set, 5, element, VK_DESCRIPTOR_TYPE_SAMPLER, VK_NULL_HANDLE, r->sampler);
    vkt_write_image(t, set, 6, element, COMBINED, r->sampled.view, r->sampler);
    vkt_write_image(t, set, 7, element, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, r->stored.view, VK_NULL_HANDLE);
}

static uint32_t unorm(uint32_t byte)
{
    const float f = (float)byte / 255.0f;
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    return word;
}

static void assert_near_unorm(uint32_t got, uint32_t byte)
{
    float f;
    memcpy(&f, &got, sizeof f);
    assert_true(fabsf(f * 255.0f - (float)byte) < 0.01f);
}

static void assert_lane(const uint32_t got[8][4], const struct resources *r)
{
    const uint32_t n = r->number;
    assert_int_equal(got[0][0], 10 * n);
    assert_int_equal(got[0][3], 10 * n + 3);
    assert_int_equal(got[1][0], 10 * n + 1);
    assert_int_equal(got[1][1], 8);
    assert_int_equal(got[2][0], 10 * n + 1);
    assert_int_equal(got[3][0], 10 * n + 1);
    assert_near_unorm(got[4][0], n & 1 ? n : 100 + n);
    assert_near_unorm(got[5][0], n);
    assert_int_equal(got[5][3], unorm(255));
    assert_int_equal(got[6][0], 2);
    assert_int_equal(got[6][1], 1);
    assert_int_equal(got[6][2], 1);
    assert_near_unorm(got[7][0], 200 + n);
}

/* Lanes `first`, first + 3, ... have counted themselves, and stored their number to a word and to texels of their own.
 */
static void assert_stored(struct vkt *t, struct resources *r, uint32_t first)
{
    const uint32_t *words = r->buffer.map;
    uint8_t row[32][4];
    assert_int_equal(words[2], first == 0 ? 6 : 5);
    assert_int_equal(words[5] % 3, first);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &r->stored, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &r->stored, 0, 0, row, sizeof row);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(row[1 + i][2], i % 3 == first ? i : 0);
}

/* The shader of one stage, which writes what each lane reads to `results`. */
struct scene {
    struct vkt t;
    VkShaderStageFlagBits stage;
    struct vkt_arrays a;
    VkDescriptorSetLayout layouts[2];
    VkDescriptorSet sets[2];
    struct vkt_buffer index, results;
    struct vkt_compute compute;
    struct vkt_target target; /* of graphics */
    struct vkt_pipeline graphics;
    VkCommandBuffer cmd;
};

static void create_pipeline(struct scene *s)
{
    struct vkt *t = &s->t;
    if (s->stage == COMPUTE) {
        s->compute = vkt_compute_create(t, VKT_SHADER(bindless_all_comp), s->layouts, 2, 0, NULL);
        return;
    }
    const bool is_vertex = s->stage == VK_SHADER_STAGE_VERTEX_BIT;
    s->target = vkt_target_create(t, 16, 1, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    s->graphics =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                   .vs = is_vertex ? VKT_SHADER(bindless_all_vert) : VKT_SHADER(bindless_triangle_vert),
                                   .fs = is_vertex ? VKT_SHADER(engine_white_frag) : VKT_SHADER(bindless_all_frag),
                                   .pass = s->target.pass,
                                   .topology = is_vertex ? VK_PRIMITIVE_TOPOLOGY_POINT_LIST : VKT_TRIANGLES,
                                   .width = 16,
                                   .height = 1,
                                   .set_layouts = {s->layouts[0], s->layouts[1]},
                                   .set_layout_count = 2});
}

/* Sixteen lanes read the three elements in turn. */
static void open_scene(struct scene *s, VkShaderStageFlagBits stage, VkDescriptorBindingFlags flags, uint32_t count,
                       const uint32_t elements[3])
{
    struct vkt_array arrays[VKT_COUNT(all_types)];
    *s = (struct scene){.t = vkt_open_indexing(), .stage = stage};
    for (uint32_t i = 0; i < VKT_COUNT(all_types); i++)
        arrays[i] = (struct vkt_array){all_types[i], count, flags, NULL};
    s->a = vkt_arrays_create(&s->t, arrays, VKT_COUNT(arrays), stage, 0);
    const struct vkt_binding own[2] = {{STORAGE, stage, 1}, {STORAGE, stage, 1}};
    s->layouts[0] = s->a.layout;
    s->layouts[1] = vkt_set_layout_create(&s->t, own, 2);
    s->sets[0] = s->a.set;
    s->sets[1] = vkt_set_alloc(&s->t, s->layouts[1]);
    s->index = vkt_storage_buffer(&s->t, 16, 0);
    s->results = vkt_storage_buffer(&s->t, 16 * 8 * 4, 0);
    vkt_set_buffer(&s->t, s->sets[1], 0, STORAGE, s->index.buffer, 0, VK_WHOLE_SIZE);
    vkt_set_buffer(&s->t, s->sets[1], 1, STORAGE, s->results.buffer, 0, VK_WHOLE_SIZE);
    for (uint32_t i = 0; i < 16; i++)
        ((uint32_t *)s->index.map)[i] = elements[i % 3];
    create_pipeline(s);
}

static void record_scene(struct scene *s)
{
    s->cmd = vkt_begin(&s->t);
    if (s->stage == COMPUTE) {
        vkt_compute_bind(s->cmd, &s->compute, s->sets);
        vkCmdDispatch(s->cmd, 1, 1, 1);
    } else {
        vkt_begin_pass(s->cmd, &s->target, (float[4]){0}, 1, 0);
        vkCmdBindPipeline(s->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->graphics.pipeline);
        vkCmdBindDescriptorSets(s->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->graphics.layout, 0, 2, s->sets, 0, NULL);
        vkCmdDraw(s->cmd, s->stage == VK_SHADER_STAGE_VERTEX_BIT ? 16 : 3, 1, 0, 0);
        vkCmdEndRenderPass(s->cmd);
    }
    vkt_barrier_all(s->cmd);
    vkt_ok(vkEndCommandBuffer(s->cmd));
}

static void close_scene(struct scene *s)
{
    struct vkt *t = &s->t;
    vkFreeCommandBuffers(t->device, t->pool, 1, &s->cmd);
    vkt_buffer_destroy(t, &s->index);
    vkt_buffer_destroy(t, &s->results);
    vkt_arrays_destroy_pool(t, &s->a);
    if (s->stage == COMPUTE) {
        vkt_compute_destroy(t, &s->compute);
    } else {
        vkt_pipeline_destroy(t, &s->graphics);
        vkt_target_destroy(t, &s->target);
        for (uint32_t i = 0; i < 2; i++)
            vkDestroyDescriptorSetLayout(t->device, s->layouts[i], NULL);
    }
    vkt_device_close(t);
}

static void submit_scene(struct scene *s, struct resources all[3])
{
    vkt_submit(&s->t, s->cmd);
    const uint32_t(*got)[8][4] = s->results.map;
    for (uint32_t i = 0; i < 16; i++)
        assert_lane(got[i], &all[i % 3]);
    for (uint32_t i = 0; i < 3; i++)
        assert_stored(&s->t, &all[i], i);
}

/* The command buffer is recorded with a set that is empty; the descriptors are written before it is submitted, for the
 * second submission others. Elements that no lane chooses stay empty or name what is gone. */
static void test_in_memory(VkShaderStageFlagBits stage)
{
    static const uint32_t elements[3] = {0, 7, ELEMENTS - 1};
    struct scene s;
    open_scene(&s, stage, VKT_FREE_FLAGS, ELEMENTS, elements);
    struct resources gone = resources_create(&s.t, 60), all[6];
    for (uint32_t i = 0; i < 6; i++)
        all[i] = resources_create(&s.t, i + 1);
    write_all(&s.t, s.a.set, 5, &gone);
    record_scene(&s);
    resources_destroy(&s.t, &gone);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 3; i++)
            write_all(&s.t, s.a.set, elements[i], &all[3 * round + i]);
        submit_scene(&s, &all[3 * round]);
    }
    for (uint32_t i = 0; i < 6; i++)
        resources_destroy(&s.t, &all[i]);
    close_scene(&s);
}

/* Arrays without flags are in binding tables. */
static void test_in_tables(VkShaderStageFlagBits stage)
{
    static const uint32_t elements[3] = {0, 1, 2};
    struct scene s;
    open_scene(&s, stage, 0, 3, elements);
    struct resources all[3];
    for (uint32_t i = 0; i < 3; i++) {
        all[i] = resources_create(&s.t, i + 1);
        write_all(&s.t, s.a.set, i, &all[i]);
    }
    record_scene(&s);
    submit_scene(&s, all);
    for (uint32_t i = 0; i < 3; i++)
        resources_destroy(&s.t, &all[i]);
    close_scene(&s);
}

static void test_memory_compute(void **state)
{
    test_in_memory(COMPUTE);
}

static void test_memory_vertex(void **state)
{
    test_in_memory(VK_SHADER_STAGE_VERTEX_BIT);
}

static void test_memory_fragment(void **state)
{
    test_in_memory(VK_SHADER_STAGE_FRAGMENT_BIT);
}

static void test_tables(void **state)
{
    test_in_tables(COMPUTE);
    test_in_tables(VK_SHADER_STAGE_VERTEX_BIT);
    test_in_tables(VK_SHADER_STAGE_FRAGMENT_BIT);
}

/* Sets of the largest arrays of every type. */
static void test_largest_of_types(void **state)
{
    struct vkt t = vkt_open_indexing();
    struct resources r = resources_create(&t, 1);
    for (uint32_t i = 0; i < VKT_COUNT(all_types); i++) {
        const struct vkt_array array = {all_types[i], 500000, VKT_FREE_FLAGS, NULL};
        struct vkt_arrays a = vkt_arrays_create(&t, &array, 1, COMPUTE, 0);
        if (i < 2)
            vkt_write_buffer(&t, a.set, 0, 499999, array.type, &r.buffer);
        else if (i < 4)
            vkt_write_texels(&t, a.set, 0, 499999, array.type, r.texels);
        else
            vkt_write_image(&t, a.set, 0, 499999, array.type, i == 7 ? r.stored.view : r.sampled.view, r.sampler);
        vkt_arrays_destroy(&t, &a);
    }
    resources_destroy(&t, &r);
    vkt_device_close(&t);
}

int main(void)
{
    vkt_request_version(VK_API_VERSION_1_1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_reported, vkt_check_messages),
        cmocka_unit_test_teardown(test_memory_compute, vkt_check_messages),
        cmocka_unit_test_teardown(test_memory_vertex, vkt_check_messages),
        cmocka_unit_test_teardown(test_memory_fragment, vkt_check_messages),
        cmocka_unit_test_teardown(test_tables, vkt_check_messages),
        cmocka_unit_test_teardown(test_largest_of_types, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
