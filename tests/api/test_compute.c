/* SPDX-License-Identifier: MIT
 *
 * Compute dispatches: compares the buffers they write with values computed on the CPU, for all kinds of descriptors,
 * and checks that barriers order them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "color.vert.h"
#include "compute_add.comp.h"
#include "compute_beyond.comp.h"
#include "compute_ids.comp.h"
#include "compute_indirect.comp.h"
#include "compute_many.comp.h"
#include "compute_narrow.comp.h"
#include "compute_reduce.comp.h"
#include "compute_returned.comp.h"
#include "compute_scalar.comp.h"
#include "compute_strides.comp.h"
#include "compute_texture.comp.h"
#include "compute_vertices.comp.h"

#define STORAGE VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
#define COMPUTE VK_SHADER_STAGE_COMPUTE_BIT

/* ---------------------------------------------------------------- ids */

struct ids_spec {
    uint32_t size[3], factor;
};

static struct vkt_compute create_ids(struct vkt *t, const struct ids_spec *spec)
{
    const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}, {3, 12, 4}};
    const VkSpecializationInfo info = {VKT_COUNT(entries), entries, sizeof *spec, spec};
    return vkt_compute_create_simple(t, VKT_SHADER(compute_ids_comp), 1, 0, &info);
}

static void check_ids(const uint32_t *words, const struct ids_spec *spec, const uint32_t count[3])
{
    const uint32_t *size = spec->size;
    const uint32_t w = count[0] * size[0], h = count[1] * size[1], d = count[2] * size[2];
    for (uint32_t z = 0, at = 0; z < d; z++)
        for (uint32_t y = 0; y < h; y++)
            for (uint32_t x = 0; x < w; x++, at++) {
                uint32_t local = (z % size[2] * size[1] + y % size[1]) * size[0] + x % size[0];
                if (words[at] != at * spec->factor + local * 65536u)
                    fail_msg("(%u, %u, %u): 0x%x", x, y, z, words[at]);
            }
}

static void check_size(struct vkt *t, struct ids_spec spec, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t count[3] = {x, y, z}, total = x * y * z * spec.size[0] * spec.size[1] * spec.size[2];
    struct vkt_buffer out = vkt_storage_buffer(t, total + 1, 0);
    struct vkt_compute c = create_ids(t, &spec);
    VkDescriptorSet set = vkt_compute_set(t, &c, &out, 1);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, x, y, z);
    vkt_end_submit(t, cmd);
    check_ids(out.map, &spec, count);
    assert_int_equal(((uint32_t *)out.map)[total], 0);
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &out);
}

static void test_ids(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    check_size(t, (struct ids_spec){{64, 1, 1}, 3}, 1, 1, 1);
    check_size(t, (struct ids_spec){{1, 1, 1}, 5}, 700, 1, 1);
    check_size(t, (struct ids_spec){{5, 3, 2}, 7}, 4, 3, 2);
    check_size(t, (struct ids_spec){{8, 4, 4}, 1}, 3, 5, 2);
    check_size(t, (struct ids_spec){{32, 32, 1}, 1}, 3, 2, 1);
    check_size(t, (struct ids_spec){{1, 1024, 1}, 3}, 2, 1, 2);
    check_size(t, (struct ids_spec){{3, 5, 64}, 1}, 1, 2, 2);
    check_size(t, (struct ids_spec){{2, 1, 1}, 1}, 1, 40, 70); /* more rows than a job of the CPU engine takes */
    check_size(t, (struct ids_spec){{16, 1, 1}, 1}, 0, 1, 1);
}

/* Submits the same command buffer several times: each submission writes everything again. */
static void test_again(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct ids_spec spec = {{16, 1, 1}, 9};
    struct vkt_buffer out = vkt_storage_buffer(t, 64, 0);
    struct vkt_compute c = create_ids(t, &spec);
    VkDescriptorSet set = vkt_compute_set(t, &c, &out, 1);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 4, 1, 1);
    vkt_ok(vkEndCommandBuffer(cmd));
    for (int i = 0; i < 3; i++) {
        memset(out.map, 0xff, 256);
        vkt_submit(t, cmd);
        check_ids(out.map, &spec, (const uint32_t[]){4, 1, 1});
    }
    vkFreeCommandBuffers(t->device, t->pool, 1, &cmd);
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &out);
}

/* ---------------------------------------------------------------- descriptors */

static void write_element(struct vkt *t, VkDescriptorSet set, uint32_t binding, uint32_t element,
                          const struct vkt_buffer *buffer)
{
    vkUpdateDescriptorSets(t->device, 1,
                           &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                   .dstSet = set,
                                                   .dstBinding = binding,
                                                   .dstArrayElement = element,
                                                   .descriptorCount = 1,
                                                   .descriptorType = STORAGE,
                                                   .pBufferInfo = &(VkDescriptorBufferInfo){buffer->buffer, 0,
                                                                                            VK_WHOLE_SIZE}},
                           0, NULL);
}

#define MANY 96u

static void check_many(const uint32_t *inputs[2], const uint32_t *numbers, const uint32_t push[3], const uint32_t *got)
{
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t x = inputs[push[2]][i] + inputs[0][i] * push[1] + numbers[4 * (i & 3) + (i >> 2 & 3)] + push[0];
        assert_int_equal(got[i], 1000 + x);
    }
}

static void test_many_descriptors(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct vkt_binding first[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, COMPUTE, 0}, {STORAGE, COMPUTE, 2}};
    const struct vkt_binding second[] = {{STORAGE, COMPUTE, 0}, {STORAGE, VK_SHADER_STAGE_VERTEX_BIT, 0},
                                         {STORAGE, COMPUTE, 0}};
    VkDescriptorSetLayout layouts[] = {vkt_set_layout_create(t, first, 2), vkt_set_layout_create(t, second, 3)};
    struct vkt_compute c = vkt_compute_create(t, VKT_SHADER(compute_many_comp), layouts, 2, 12, NULL);

    uint32_t numbers[16];
    for (uint32_t i = 0; i < 16; i++)
        numbers[i] = i * 0x01010101u;
    struct vkt_buffer uniform = vkt_buffer_create(t, sizeof numbers, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, numbers);
    struct vkt_buffer in[2] = {vkt_storage_buffer(t, MANY, 0), vkt_storage_buffer(t, MANY + 5, 0)};
    struct vkt_buffer out = vkt_storage_buffer(t, MANY, 0), counts = vkt_storage_buffer(t, 6, 0);
    const uint32_t *inputs[2] = {in[0].map, in[1].map};
    for (uint32_t i = 0; i < MANY; i++) {
        ((uint32_t *)in[0].map)[i] = i;
        ((uint32_t *)in[1].map)[i] = 3 * i + 1;
        ((uint32_t *)out.map)[i] = 1000;
    }
    memcpy(counts.map, (const uint32_t[]){0, 0, 1000, 0, 7, 0}, 24);

    VkDescriptorSet sets[] = {vkt_set_alloc(t, layouts[0]), vkt_set_alloc(t, layouts[1])};
    vkt_set_buffer(t, sets[0], 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, uniform.buffer, 0, VK_WHOLE_SIZE);
    write_element(t, sets[0], 1, 0, &in[0]);
    write_element(t, sets[0], 1, 1, &in[1]);
    write_element(t, sets[1], 0, 0, &out);
    write_element(t, sets[1], 2, 0, &counts);

    const uint32_t push[3] = {11, 5, 1};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, sets);
    vkCmdPushConstants(cmd, c.layout, COMPUTE, 0, sizeof push, push);
    vkCmdDispatch(cmd, MANY / 32, 1, 1);
    vkt_end_submit(t, cmd);

    check_many(inputs, numbers, push, out.map);
    const uint32_t *got = counts.map;
    assert_int_equal(got[0], MANY * (MANY - 1) / 2);
    assert_int_equal(got[1], MANY - 1);
    assert_int_equal(got[2], 0);
    assert_int_equal(got[3], 0xffffffffu);
    assert_int_equal(got[4], 8);
    assert_int_equal(got[5], MANY + 5);
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &uniform);
    for (int i = 0; i < 2; i++)
        vkt_buffer_destroy(t, &in[i]);
    vkt_buffer_destroy(t, &out);
    vkt_buffer_destroy(t, &counts);
}

/* A dispatch uses the dynamic offsets and push constants that are set when it is recorded. */
static void test_dynamic_offsets(void **state)
{
    enum { PARTS = 3 };
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, COMPUTE, 0};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, &binding, 1);
    struct vkt_compute c = vkt_compute_create(t, VKT_SHADER(compute_indirect_comp), &layout, 1, 12, NULL);
    struct vkt_buffer out = vkt_storage_buffer(t, PARTS * 16, 0);
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1};
    const VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                  .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    VkDescriptorPool pool;
    VkDescriptorSet set;
    vkt_ok(vkCreateDescriptorPool(t->device, &pool_info, NULL, &pool));
    vkt_ok(vkAllocateDescriptorSets(t->device,
                                    &(VkDescriptorSetAllocateInfo){
                                        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = pool,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = &layout},
                                    &set));
    vkt_set_buffer(t, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, out.buffer, 0, 64);
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c.pipeline);
    for (uint32_t i = 0; i < PARTS; i++) {
        const uint32_t offset_B = 64 * i, push[3] = {10 + i, 20 + i, 30 + i};
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c.layout, 0, 1, &set, 1, &offset_B);
        vkCmdPushConstants(cmd, c.layout, COMPUTE, 0, sizeof push, push);
        vkCmdDispatch(cmd, 1, 1, 1);
    }
    vkt_end_submit(t, cmd);
    for (uint32_t i = 0; i < PARTS; i++) {
        const uint32_t *part = (uint32_t *)out.map + 16 * i;
        assert_int_equal(part[0], 0);
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(part[1 + k], 10 + 10 * k + i);
        assert_int_equal(part[4], 0);
    }
    vkDestroyDescriptorPool(t->device, pool, NULL);
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &out);
}

/* A dispatch reads its binding table when it is issued: the test changes an entry after recording. */
static void test_changed_table(void **state)
{
    typedef VkBool32 change_fn(VkCommandBuffer cmd, uint32_t index, uint32_t from);
    struct vkt *t = vkt_device(VKT_TESTED);
    change_fn *change = (change_fn *)vkt_hook(t, "vc4vk_test_change_dispatch_entry");
    struct vkt_compute c = vkt_compute_create_simple(t, VKT_SHADER(compute_add_comp), 3, 0, NULL);
    struct vkt_buffer buffers[] = {vkt_storage_buffer(t, 32, 0), vkt_storage_buffer(t, 32, 0),
                                   vkt_storage_buffer(t, 32, 0)};
    float *in[2] = {buffers[0].map, buffers[1].map}, *out = buffers[2].map;
    for (uint32_t i = 0; i < 32; i++) {
        in[0][i] = (float)i;
        in[1][i] = 1000 - 3 * (float)i;
    }
    VkDescriptorSet set = vkt_compute_set(t, &c, buffers, 3);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_ok(vkEndCommandBuffer(cmd));
    assert_true(change(cmd, 0, 1));
    vkt_submit(t, cmd);
    for (uint32_t i = 0; i < 32; i++)
        assert_float_equal(out[i], 2 * in[1][i], 0);
    vkFreeCommandBuffers(t->device, t->pool, 1, &cmd);
    vkt_compute_destroy(t, &c);
    for (int i = 0; i < 3; i++)
        vkt_buffer_destroy(t, &buffers[i]);
}

/* A dispatch uses the descriptors pushed before it was recorded. Pushing some bindings keeps the others. */
static void test_push_descriptors(void **state)
{
    static const char *const extensions[] = {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
                                             VK_KHR_DESCRIPTOR_UPDATE_TEMPLATE_EXTENSION_NAME};
    struct vkt own = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, 2), *t = &own;
    PFN_vkCmdPushDescriptorSetKHR push =
        (PFN_vkCmdPushDescriptorSetKHR)vkGetDeviceProcAddr(t->device, "vkCmdPushDescriptorSetKHR");
    PFN_vkCmdPushDescriptorSetWithTemplateKHR push_with =
        (PFN_vkCmdPushDescriptorSetWithTemplateKHR)vkGetDeviceProcAddr(t->device,
                                                                       "vkCmdPushDescriptorSetWithTemplateKHR");
    PFN_vkCreateDescriptorUpdateTemplateKHR create = (PFN_vkCreateDescriptorUpdateTemplateKHR)vkGetDeviceProcAddr(
        t->device, "vkCreateDescriptorUpdateTemplateKHR");
    PFN_vkDestroyDescriptorUpdateTemplateKHR destroy = (PFN_vkDestroyDescriptorUpdateTemplateKHR)vkGetDeviceProcAddr(
        t->device, "vkDestroyDescriptorUpdateTemplateKHR");
    assert_true(push && push_with && create && destroy);
    VkDescriptorSetLayoutBinding bindings[3];
    for (uint32_t i = 0; i < 3; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                     VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    VkDescriptorSetLayout layout;
    vkt_ok(vkCreateDescriptorSetLayout(
        t->device,
        &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
                                           .bindingCount = 3,
                                           .pBindings = bindings},
        NULL, &layout));
    struct vkt_compute c = vkt_compute_create(t, VKT_SHADER(compute_add_comp), &layout, 1, 0, NULL);
    struct vkt_buffer in = vkt_storage_buffer(t, 32, 0), out[3];
    for (uint32_t i = 0; i < 3; i++)
        out[i] = vkt_storage_buffer(t, 32, 0);
    for (uint32_t i = 0; i < 32; i++)
        ((float *)in.map)[i] = (float)i;

    VkDescriptorBufferInfo infos[3] = {
        {in.buffer, 0, VK_WHOLE_SIZE}, {in.buffer, 0, VK_WHOLE_SIZE}, {out[0].buffer, 0, VK_WHOLE_SIZE}};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .descriptorCount = 3,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                  .pBufferInfo = infos};
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c.pipeline);
    push(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c.layout, 0, 1, &write); /* writes bindings 0 to 2 */
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    infos[1].buffer = out[0].buffer;
    infos[2].buffer = out[1].buffer;
    write.dstBinding = 1;
    write.descriptorCount = 2;
    write.pBufferInfo = &infos[1];
    push(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c.layout, 0, 1, &write); /* keeps binding 0 */
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    const VkDescriptorUpdateTemplateEntry entries[] = {
        {0, 0, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, sizeof infos[0]},
        {2, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2 * sizeof infos[0], 0}};
    VkDescriptorUpdateTemplate template;
    vkt_ok(create(t->device,
                  &(VkDescriptorUpdateTemplateCreateInfo){
                      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
                      .descriptorUpdateEntryCount = 2,
                      .pDescriptorUpdateEntries = entries,
                      .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR,
                      .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
                      .pipelineLayout = c.layout},
                  NULL, &template));
    infos[0].buffer = out[1].buffer;
    infos[1].buffer = out[1].buffer;
    infos[2].buffer = out[2].buffer;
    push_with(cmd, template, c.layout, 0, infos);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_end_submit(t, cmd);
    for (uint32_t i = 0; i < 32; i++) {
        assert_float_equal(((float *)out[0].map)[i], 2 * (float)i, 0);
        assert_float_equal(((float *)out[1].map)[i], 3 * (float)i, 0);
        assert_float_equal(((float *)out[2].map)[i], 6 * (float)i, 0);
    }
    destroy(t->device, template, NULL);
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &in);
    for (uint32_t i = 0; i < 3; i++)
        vkt_buffer_destroy(t, &out[i]);
    vkt_device_close(t);
}

#define KIND_COMPUTE 3
#define OP_ADD(word) ((word) >> 24 & 0x1f)
#define OP_FADD      1u
#define OP_FSUB      2u

/* The uploaded code is what runs: the test changes the program's only FADD to an FSUB. */
static void test_changed_instruction(void **state)
{
    typedef uint32_t words_fn(VkPipeline pipeline, uint32_t kind, uint64_t *words, uint32_t capacity);
    typedef VkResult patch_fn(VkPipeline pipeline, uint32_t kind, uint32_t instruction, uint64_t *word);
    struct vkt *t = vkt_device(VKT_TESTED);
    words_fn *program = (words_fn *)vkt_hook(t, "vc4vk_test_program_words");
    patch_fn *patch = (patch_fn *)vkt_hook(t, "vc4vk_test_patch_program");
    struct vkt_compute c = vkt_compute_create_simple(t, VKT_SHADER(compute_add_comp), 3, 0, NULL);
    struct vkt_buffer buffers[] = {vkt_storage_buffer(t, 32, 0), vkt_storage_buffer(t, 32, 0),
                                   vkt_storage_buffer(t, 32, 0)};
    float *in[2] = {buffers[0].map, buffers[1].map}, *out = buffers[2].map;
    for (uint32_t i = 0; i < 32; i++) {
        in[0][i] = (float)i;
        in[1][i] = 7 + 3 * (float)i;
    }
    uint64_t words[1024];
    uint32_t count = program(c.pipeline, KIND_COMPUTE, words, VKT_COUNT(words)), found = 0, at = 0;
    assert_in_range(count, 3, VKT_COUNT(words));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t sig = (uint32_t)(words[i] >> 60);
        if (sig == 14 || sig == 15 || OP_ADD(words[i]) != OP_FADD)
            continue;
        found++;
        at = i;
    }
    assert_int_equal(found, 1);
    uint64_t word = (words[at] & ~(UINT64_C(0x1f) << 24)) | (uint64_t)OP_FSUB << 24;
    vkt_ok(patch(c.pipeline, KIND_COMPUTE, at, &word));
    assert_int_equal(word, words[at]);

    VkDescriptorSet set = vkt_compute_set(t, &c, buffers, 3);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_end_submit(t, cmd);
    float sign = out[0] < 0 ? 1 : -1; /* the compiler may have swapped the operands */
    for (uint32_t i = 0; i < 32; i++)
        assert_float_equal(out[i], sign * (in[0][i] - in[1][i]), 0);
    vkt_compute_destroy(t, &c);
    for (int i = 0; i < 3; i++)
        vkt_buffer_destroy(t, &buffers[i]);
}

/* Size of buffers of which the descriptors bind a range in the middle. */
#define BEYOND_WORDS 512u

static void check_bounds(const struct vkt_buffer *b, uint32_t first, uint32_t count, const uint32_t *stored)
{
    const uint32_t *words = b->map;
    for (uint32_t i = 0; i < BEYOND_WORDS; i++)
        assert_int_equal(words[i], i - first < count && stored ? stored[i - first] : i + 1);
}

/* robustBufferAccess: stores outside the bound range are dropped and loads return zero, also when the byte offset wraps
 * around. */
static void check_beyond(uint32_t first_index)
{
    enum { MOVED, FIXED, NUMBERS, TEXELS, BUFFERS };
    struct vkt *t = vkt_device(VKT_TESTED);
    const uint32_t bound[BUFFERS] = {20, 12, 16, 24}; /* words */
    const VkDescriptorType types[BUFFERS] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, STORAGE,
                                             VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                             VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER};
    struct vkt_binding bindings[BUFFERS + 1] = {[BUFFERS] = {STORAGE, COMPUTE, 0}};
    struct vkt_buffer buffers[BUFFERS], out = vkt_storage_buffer(t, 128, 0);
    for (int i = 0; i < BUFFERS; i++) {
        bindings[i] = (struct vkt_binding){types[i], COMPUTE, 0};
        buffers[i] = vkt_storage_buffer(t, BEYOND_WORDS,
                                        VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
        for (uint32_t k = 0; k < BEYOND_WORDS; k++)
            ((uint32_t *)buffers[i].map)[k] = k + 1;
    }
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, BUFFERS + 1);
    struct vkt_compute c = vkt_compute_create(t, VKT_SHADER(compute_beyond_comp), &layout, 1, 4, NULL);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    VkBufferView view;
    vkt_ok(vkCreateBufferView(t->device,
                              &(VkBufferViewCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                                        .buffer = buffers[TEXELS].buffer,
                                                        .format = VK_FORMAT_R32_UINT,
                                                        .offset = 256,
                                                        .range = 4 * bound[TEXELS]},
                              NULL, &view));
    vkt_set_buffer(t, set, 0, types[0], buffers[0].buffer, 128, 4 * bound[0]);
    vkt_set_buffer(t, set, 1, types[1], buffers[1].buffer, 256, 4 * bound[1]);
    vkt_set_buffer(t, set, 2, types[2], buffers[2].buffer, 256, 4 * bound[2]);
    vkt_set_texel_buffer(t, set, 3, types[3], view);
    vkt_set_buffer(t, set, 4, STORAGE, out.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c.layout, 0, 1, &set, 1, &(uint32_t){128});
    vkCmdPushConstants(cmd, c.layout, COMPUTE, 0, 4, &first_index);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_end_submit(t, cmd);

    uint32_t stored[2][32];
    const uint32_t(*seen)[4] = out.map;
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t at = first_index + i, place = at & 0x3fffffffu, lane = (i - first_index) & 0x3fffffffu;
        stored[0][i] = lane < 32 ? 1500 + first_index + lane : 64 + i + 1;
        stored[1][i] = lane < 32 ? 2000 + first_index + lane : 64 + i + 1;
        for (uint32_t k = 0; k < 2; k++)
            assert_int_equal(seen[i][k], place < bound[k] ? 64 + place + 1 : 0);
        assert_int_equal(seen[i][2], (at & 1023) < bound[2] / 4 ? 64 + 4 * (at & 1023) + 1 : 0);
        if (at < bound[3]) /* outside, any texel of the buffer may be returned */
            assert_int_equal(seen[i][3], 64 + at + 1);
    }
    check_bounds(&buffers[0], 64, bound[0], stored[0]);
    check_bounds(&buffers[1], 64, bound[1], stored[1]);
    check_bounds(&buffers[2], 0, 0, NULL);
    check_bounds(&buffers[3], 0, 0, NULL);
    vkDestroyBufferView(t->device, view, NULL);
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &out);
    for (int i = 0; i < BUFFERS; i++)
        vkt_buffer_destroy(t, &buffers[i]);
}

static void test_beyond_buffers(void **state)
{
    check_beyond(0);
    check_beyond(7);
    check_beyond(100);
    check_beyond(0x3ffffff0u);
    check_beyond(0xfffffff0u);
}

/* Scalar block layout, without padding: one word, then parts of 16 words each. */
static void test_scalar_layout(void **state)
{
    enum { PART = 16, COUNT = 8 };
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct vkt_binding bindings[] = {{STORAGE, COMPUTE, 0}, {STORAGE, COMPUTE, 0},
                                           {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, COMPUTE, 0}};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, 3);
    struct vkt_compute c = vkt_compute_create(t, VKT_SHADER(compute_scalar_comp), &layout, 1, 0, NULL);
    struct vkt_buffer in = vkt_storage_buffer(t, 1 + PART * COUNT, 0), out = vkt_storage_buffer(t, 3 * COUNT, 0);
    float numbers[12];
    for (int i = 0; i < 12; i++)
        numbers[i] = (float)(i + 1);
    struct vkt_buffer uniform = vkt_buffer_create(t, sizeof numbers, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, numbers);
    uint32_t *words = in.map;
    float *floats = in.map;
    words[0] = 3;
    for (uint32_t i = 0; i < PART * COUNT; i++)
        if (i % PART < 10)
            floats[1 + i] = (float)(i % 23);
        else
            words[1 + i] = i;
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_buffer(t, set, 0, STORAGE, in.buffer, 0, VK_WHOLE_SIZE);
    vkt_set_buffer(t, set, 1, STORAGE, out.buffer, 0, VK_WHOLE_SIZE);
    vkt_set_buffer(t, set, 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, uniform.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_end_submit(t, cmd);
    for (uint32_t i = 0; i < COUNT; i++) {
        const float *part = floats + 1 + PART * i;
        const float more = (float)(words[1 + PART * i + 10 + 2 * (i % 3) + 1] + 3);
        for (uint32_t k = 0; k < 3; k++)
            assert_float_equal(
                ((float *)out.map)[3 * i + k],
                part[0] * part[1 + k] + part[7 + k] + more + numbers[1 + i] * numbers[9 + k] + numbers[0], 0);
    }
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &in);
    vkt_buffer_destroy(t, &out);
    vkt_buffer_destroy(t, &uniform);
}

/* ---------------------------------------------------------------- strided words */

/* What compute_strides.comp does, run as one subgroup of 16 lanes, instruction by instruction. */
static void run_strides(uint32_t *a, uint32_t *b, uint32_t *c, int step, uint32_t first)
{
    uint32_t at[16], sums[16], old[16];
    for (uint32_t l = 0; l < 16; l++)
        at[l] = ((uint32_t)((int)l * step) + first) & 255;
    for (uint32_t l = 0; l < 16; l++)
        sums[l] = a[at[l]] + 3;
    for (uint32_t l = 0; l < 16; l++) {
        a[at[l]] = sums[l];
        b[at[l]] += l + 1;
    }
    for (uint32_t l = 0; l < 16; l++) {
        uint32_t *word = &b[(at[l] + 64) & 255];
        old[l] = *word;
        *word = *word > 1000 + l ? *word : 1000 + l;
    }
    for (uint32_t l = 0; l < 16; l++) {
        uint32_t *word = &b[(at[l] + 128) & 255];
        c[l] = old[l] + a[(at[l] + 1) & 255];
        c[128 + l] = *word;
        if (*word == 128 + at[l])
            *word = 5000 + l;
    }
}

static void check_strides(struct vkt *t, int step, uint32_t first)
{
    struct vkt_compute c = vkt_compute_create_simple(t, VKT_SHADER(compute_strides_comp), 3, 8, NULL);
    struct vkt_buffer buffers[3];
    uint32_t expected[3][256];
    for (uint32_t k = 0; k < 3; k++) {
        buffers[k] = vkt_storage_buffer(t, 256, 0);
        for (uint32_t i = 0; i < 256; i++)
            expected[k][i] = k == 1 ? i : k == 0 ? 7 * i : 0;
        memcpy(buffers[k].map, expected[k], sizeof expected[k]);
    }
    run_strides(expected[0], expected[1], expected[2], step, first);
    VkDescriptorSet set = vkt_compute_set(t, &c, buffers, 3);
    const uint32_t push[2] = {(uint32_t)step, first};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdPushConstants(cmd, c.layout, COMPUTE, 0, 8, push);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_end_submit(t, cmd);
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t *got = buffers[k].map;
        for (uint32_t i = 0; i < 256; i++)
            if (got[i] != expected[k][i])
                fail_msg("step %d from %u, buffer %u, word %u: %u instead of %u", step, first, k, i, got[i],
                         expected[k][i]);
        vkt_buffer_destroy(t, &buffers[k]);
    }
    vkt_compute_destroy(t, &c);
}

static void test_strides(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    check_strides(t, 1, 0);
    check_strides(t, 1, 5);
    check_strides(t, 2, 1);
    check_strides(t, -1, 100);
    check_strides(t, 0, 9);
    check_strides(t, 1, 250); /* wraps around */
}

/* ---------------------------------------------------------------- 8-bit and 16-bit storage */

static float from_half(uint16_t h)
{
    float size =
        h & 0x7c00 ? ldexpf((float)((h & 0x3ff) | 0x400), (h >> 10 & 31) - 25) : ldexpf((float)(h & 0x3ff), -24);
    return h & 0x8000 ? -size : size;
}

/* Rounds to nearest even. `f` must be in the range of halves. */
static uint16_t to_half(float f)
{
    uint32_t sign = signbit(f) ? 0x8000 : 0;
    int exponent;
    frexpf(f, &exponent);
    int least = exponent - 11 > -24 ? exponent - 11 : -24;
    uint32_t steps = (uint32_t)rintf(ldexpf(fabsf(f), -least));
    return (uint16_t)(sign | (steps + ((uint32_t)(least + 24) << 10)));
}

struct narrow_in {
    uint16_t halves[16];
    int16_t shorts[16];
    uint8_t bytes[16];
    int8_t pairs[16][2];
};

struct narrow_out {
    float floats[16];
    int32_t ints[16];
    uint32_t uints[16];
    int32_t wide[16][2];
};

struct narrow_back {
    uint16_t halves[16][2], shorts[16];
    int8_t bytes[16];
    uint16_t copies[9]; /* an odd number, so the last one is in an incomplete word */
};

static void fill_narrow(struct narrow_in *in, struct narrow_out *out)
{
    /* zeros, denormals, large values, and some that must be rounded when written back */
    static const uint16_t halves[16] = {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0xbc01, 0x3555,
                                        0x7800, 0xf800, 0x1234, 0x9abc, 0x4248, 0x5640, 0x2e66, 0x0155};
    memcpy(in->halves, halves, sizeof halves);
    for (int i = 0; i < 16; i++) {
        in->shorts[i] = (int16_t)(i * 4001 - 30000);
        in->bytes[i] = (uint8_t)(255 - 9 * i);
        in->pairs[i][0] = (int8_t)(i - 8);
        in->pairs[i][1] = (int8_t)(127 - 17 * i);
        out->floats[i] = 0;
        out->ints[i] = 5 * i;
        out->uints[i] = (uint32_t)i;
    }
}

static void check_narrow(const struct narrow_in *in, const struct narrow_out *out, const struct narrow_back *back)
{
    for (int i = 0; i < 16; i++) {
        float f = from_half(in->halves[i]) * 0.75f;
        int32_t number = 5 * i + in->shorts[i] + 60000;
        uint32_t u = (uint32_t)i + in->bytes[i] + 200;
        assert_float_equal(out->floats[i], f, 0);
        assert_int_equal(out->ints[i], number);
        assert_int_equal(out->uints[i], u);
        assert_int_equal(out->wide[i][0], in->pairs[i][0]);
        assert_int_equal(out->wide[i][1], in->pairs[i][1]);
        assert_int_equal(back->halves[i][0] & (f == 0 ? 0x7fff : 0xffff), f == 0 ? 0 : to_half(f));
        assert_int_equal(back->halves[i][1] & (i ? 0xffff : 0x7fff), i ? to_half(-100.0f * (float)i) : 0);
        assert_int_equal(back->shorts[i], (uint16_t)(u * 1000));
        assert_int_equal(back->bytes[i], (int8_t)number);
        if (i < 9)
            assert_int_equal(back->copies[i], in->halves[i]);
    }
}

static void test_narrow_numbers(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct vkt_binding bindings[] = {{STORAGE, COMPUTE, 0}, {STORAGE, COMPUTE, 0}, {STORAGE, COMPUTE, 0},
                                           {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, COMPUTE, 0}};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, 4);
    struct vkt_compute c = vkt_compute_create(t, VKT_SHADER(compute_narrow_comp), &layout, 1, 0, NULL);
    const uint8_t numbers[8] = {1, 2, 200, 3, 60000 & 0xff, 60000 >> 8, 0x00, 0x3a}; /* 0.75 */
    struct vkt_buffer buffers[3] = {vkt_storage_buffer(t, 64, 0), vkt_storage_buffer(t, 128, 0),
                                    vkt_storage_buffer(t, 64, 0)};
    struct vkt_buffer uniform = vkt_buffer_create(t, sizeof numbers, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, numbers);
    fill_narrow(buffers[0].map, buffers[1].map);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    for (uint32_t i = 0; i < 2; i++)
        vkt_set_buffer(t, set, i, STORAGE, buffers[i].buffer, 0, VK_WHOLE_SIZE);
    vkt_set_buffer(t, set, 2, STORAGE, buffers[2].buffer, 0, sizeof(struct narrow_back));
    vkt_set_buffer(t, set, 3, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, uniform.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_end_submit(t, cmd);
    const uint16_t *behind = (const uint16_t *)((const char *)buffers[2].map + sizeof(struct narrow_back));
    check_narrow(buffers[0].map, buffers[1].map, buffers[2].map);
    assert_int_equal(*behind, 0);
    vkt_compute_destroy(t, &c);
    for (int i = 0; i < 3; i++)
        vkt_buffer_destroy(t, &buffers[i]);
    vkt_buffer_destroy(t, &uniform);
}

/* ---------------------------------------------------------------- shared memory */

static void test_shared_memory(void **state)
{
    enum { GROUPS = 37, SIZE = 1024 };
    struct vkt *t = vkt_device(VKT_TESTED);
    assert_int_equal(t->properties.limits.maxComputeWorkGroupInvocations, SIZE);
    assert_int_equal(t->properties.limits.maxComputeSharedMemorySize, 32 * SIZE);
    struct vkt_compute c = vkt_compute_create_simple(t, VKT_SHADER(compute_reduce_comp), 2, 0, NULL);
    struct vkt_buffer buffers[] = {vkt_storage_buffer(t, GROUPS * SIZE, 0), vkt_storage_buffer(t, GROUPS, 0)};
    uint32_t *in = buffers[0].map, *out = buffers[1].map;
    for (uint32_t i = 0; i < GROUPS * SIZE; i++)
        in[i] = i * i + 1;
    VkDescriptorSet set = vkt_compute_set(t, &c, buffers, 2);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, GROUPS, 1, 1);
    vkt_end_submit(t, cmd);
    for (uint32_t g = 0; g < GROUPS; g++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < SIZE; i++)
            sum += in[SIZE * g + i];
        assert_int_equal(out[g], sum);
    }
    vkt_compute_destroy(t, &c);
    for (int i = 0; i < 2; i++)
        vkt_buffer_destroy(t, &buffers[i]);
}

/* Invocations that have returned count as arrived at barriers: whole subgroups and parts of them, the first and the
 * last. */
static void test_barriers_after_returns(void **state)
{
    enum { GROUPS = 9, ROUNDS = 5 };
    static const uint32_t ranges[][2] = {{0, 128}, {0, 16}, {0, 20}, {0, 1}, {16, 128}, {40, 100}, {127, 128}, {5, 128}};
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_compute c = vkt_compute_create_simple(t, VKT_SHADER(compute_returned_comp), 1, 12, NULL);
    struct vkt_buffer buffer = vkt_storage_buffer(t, GROUPS * 128, 0);
    VkDescriptorSet set = vkt_compute_set(t, &c, &buffer, 1);
    uint32_t *out = buffer.map;
    for (uint32_t k = 0; k < VKT_COUNT(ranges); k++) {
        const uint32_t first = ranges[k][0], end = ranges[k][1], push[3] = {first, end, ROUNDS};
        memset(out, 0xee, GROUPS * 128 * 4);
        VkCommandBuffer cmd = vkt_begin(t);
        vkt_compute_bind(cmd, &c, &set);
        vkCmdPushConstants(cmd, c.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
        vkCmdDispatch(cmd, GROUPS, 1, 1);
        vkt_end_submit(t, cmd);
        for (uint32_t i = 0; i < GROUPS * 128; i++) {
            const uint32_t lane = i % 128, from = first + (lane - first + 17 * ROUNDS) % (end - first);
            assert_int_equal(out[i], lane < first || lane >= end ? 0xeeeeeeee : 1000 * (i / 128) + from);
        }
    }
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &buffer);
}

/* ---------------------------------------------------------------- order */

/* One dispatch writes the workgroup counts of the next one. */
static void test_indirect(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct ids_spec spec = {{4, 2, 1}, 1};
    const uint32_t count[3] = {3, 2, 4};
    struct vkt_buffer parameters = vkt_storage_buffer(t, 8, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    struct vkt_buffer out = vkt_storage_buffer(t, 8 * 24 + 1, 0);
    struct vkt_compute first = vkt_compute_create_simple(t, VKT_SHADER(compute_indirect_comp), 1, 12, NULL);
    struct vkt_compute second = create_ids(t, &spec);
    VkDescriptorSet first_set = vkt_compute_set(t, &first, &parameters, 1),
                    second_set = vkt_compute_set(t, &second, &out, 1);

    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &first, &first_set);
    vkCmdPushConstants(cmd, first.layout, COMPUTE, 0, sizeof count, count);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_compute_bind(cmd, &second, &second_set);
    vkCmdDispatchIndirect(cmd, parameters.buffer, 4);
    vkt_end_submit(t, cmd);
    check_ids(out.map, &spec, count);
    assert_int_equal(((uint32_t *)out.map)[8 * 24], 0);
    vkt_compute_destroy(t, &first);
    vkt_compute_destroy(t, &second);
    vkt_buffer_destroy(t, &parameters);
    vkt_buffer_destroy(t, &out);
}

/* Counts at an offset near 2^64, where adding their size wraps, are outside of the buffer: nothing is dispatched,
 * although the words in front of the buffer would be valid counts. */
static void test_indirect_wrapping(void **state)
{
    enum { BUFFER_AT_B = 4096 };
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct ids_spec spec = {{4, 2, 1}, 1};
    struct vkt_buffer memory = vkt_storage_buffer(t, 2 * BUFFER_AT_B / 4, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    struct vkt_buffer out = vkt_storage_buffer(t, 8, 0);
    struct vkt_compute c = create_ids(t, &spec);
    VkDescriptorSet set = vkt_compute_set(t, &c, &out, 1);
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = BUFFER_AT_B,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT};
    VkBuffer counts;
    vkt_ok(vkCreateBuffer(t->device, &info, NULL, &counts));
    vkt_ok(vkBindBufferMemory(t->device, counts, memory.memory, BUFFER_AT_B));
    for (int i = -1; i < 2; i++)
        ((uint32_t *)memory.map)[BUFFER_AT_B / 4 + i] = 1;

    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatchIndirect(cmd, counts, UINT64_MAX - 3);
    vkt_end_submit(t, cmd);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(((uint32_t *)out.map)[i], 0);
    vkDestroyBuffer(t->device, counts, NULL);
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &memory);
    vkt_buffer_destroy(t, &out);
}

static void magenta(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    memcpy(rgba, (const uint8_t[]){255, 0, 255, 255}, 4);
}

/* Draws vertices that a dispatch in the same command buffer has written. */
static void test_draw_after_dispatch(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_target target = vkt_target_create(t, 48, 40, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_compute c = vkt_compute_create_simple(t, VKT_SHADER(compute_vertices_comp), 1, 0, NULL);
    struct vkt_buffer vertices = vkt_storage_buffer(t, 18, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
    VkDescriptorSet set = vkt_compute_set(t, &c, &vertices, 1);
    const VkVertexInputBindingDescription binding = {0, 24, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
                                                            {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 8}};
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(color_vert),
                                                                               .fs = VKT_SHADER(color_frag),
                                                                               .pass = target.pass,
                                                                               .topology = VKT_TRIANGLES,
                                                                               .bindings = &binding,
                                                                               .binding_count = 1,
                                                                               .attributes = attributes,
                                                                               .attribute_count = 2,
                                                                               .width = 48,
                                                                               .height = 40});
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);

    struct vkt_picture got = vkt_read_target(t, &target), expected = vkt_picture_compute(48, 40, magenta);
    vkt_compare("draw_after_dispatch", &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
    vkt_pipeline_destroy(t, &p);
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &vertices);
    vkt_target_destroy(t, &target);
}

/* ---------------------------------------------------------------- images */

static void test_sampled_image(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct vkt_binding bindings[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, COMPUTE, 0},
                                           {STORAGE, COMPUTE, 0}};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, 2);
    struct vkt_compute c = vkt_compute_create(t, VKT_SHADER(compute_texture_comp), &layout, 1, 0, NULL);
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = 16,
                                    .height = 16,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    uint32_t texels[256];
    for (uint32_t i = 0; i < 256; i++)
        texels[i] = i * 0x10305u + 0x22000000u;
    vkt_image_upload(t, &image, 0, 0, texels, sizeof texels);
    VkSampler sampler = vkt_sampler_create(t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                           VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    struct vkt_buffer out = vkt_storage_buffer(t, 512, 0);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_texture(t, set, 0, image.view, sampler);
    vkt_set_buffer(t, set, 1, STORAGE, out.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 2, 4, 1);
    vkt_end_submit(t, cmd);
    const uint32_t *got = out.map;
    for (uint32_t i = 0; i < 256; i++) {
        assert_int_equal(got[2 * i], texels[i]);
        assert_int_equal(got[2 * i + 1], texels[i]);
    }
    vkDestroySampler(t->device, sampler, NULL);
    vkt_compute_destroy(t, &c);
    vkt_image_destroy(t, &image);
    vkt_buffer_destroy(t, &out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_ids, vkt_check_messages),
        cmocka_unit_test_teardown(test_again, vkt_check_messages),
        cmocka_unit_test_teardown(test_many_descriptors, vkt_check_messages),
        cmocka_unit_test_teardown(test_dynamic_offsets, vkt_check_messages),
        cmocka_unit_test_teardown(test_changed_table, vkt_check_messages),
        cmocka_unit_test_teardown(test_push_descriptors, vkt_check_messages),
        cmocka_unit_test_teardown(test_changed_instruction, vkt_check_messages),
        cmocka_unit_test_teardown(test_beyond_buffers, vkt_check_messages),
        cmocka_unit_test_teardown(test_scalar_layout, vkt_check_messages),
        cmocka_unit_test_teardown(test_strides, vkt_check_messages),
        cmocka_unit_test_teardown(test_narrow_numbers, vkt_check_messages),
        cmocka_unit_test_teardown(test_shared_memory, vkt_check_messages),
        cmocka_unit_test_teardown(test_barriers_after_returns, vkt_check_messages),
        cmocka_unit_test_teardown(test_indirect, vkt_check_messages),
        cmocka_unit_test_teardown(test_indirect_wrapping, vkt_check_messages),
        cmocka_unit_test_teardown(test_draw_after_dispatch, vkt_check_messages),
        cmocka_unit_test_teardown(test_sampled_image, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
