/* SPDX-License-Identifier: MIT
 *
 * Building jobs at issue: records draws, builds the job and checks the packets, shader records, indices, uniforms and
 * BO table that the chip gets. The shader programs are empty.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "cmdbuf/vc4vk_cmd_job.h"
#include "issue/vc4vk_issue.h"
#include "util/arena.h"
#include "fake_kmd.h"
#include "engine/vc4vk_engine_private.h"

#define VERTICES  100u
#define STRIDE_B  12u
#define VERTEX_AT 24u /* where the vertices begin in their BO */

struct bench {
    struct fake_kmd *fake;
    struct vc4vk_device device;
    struct util_arena arena; /* holds the recorded state */
    struct vc4vk_draw_lists lists;
    struct vc4vk_cmd_job job;
    struct vc4vk_draw_replay replay;
    struct vc4vk_record *record; /* the most recent one */
    struct vc4vk_job_build build;
    struct vc4vk_program program;
    struct vc4vk_shader_bo shader;
    struct vc4vk_variant *vertex, *fragment; /* without textures */
    struct kmd_bo *vertices, *indices;
};

static struct kmd_bo *bo(struct bench *b, uint32_t size_B)
{
    struct kmd_bo *out;
    assert_int_equal(kmd_bo_create(b->device.kmd, size_B, "test", &out), 0);
    return out;
}

static void init_job(struct bench *b, struct vc4vk_cmd_job *job, struct vc4vk_draw_replay *replay)
{
    *job = (struct vc4vk_cmd_job){.draws.device = &b->device, .limits = vc4vk_job_limits()};
    job->draws.max_x_px = job->draws.max_y_px = 64;
    *replay = (struct vc4vk_draw_replay){.draws = &job->draws};
    vc4vk_job_init(&replay->base, "test");
    replay->base.data = replay;
}

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    b->device.kmd = fake_kmd_create(&b->fake);
    pthread_mutex_init(&b->device.slot_lock, NULL);
    b->vertices = bo(b, 4096);
    b->indices = bo(b, 1 << 20);
    b->shader.bo = bo(b, 4096);
    b->program.shader = &b->shader;
    b->program.compiled.threaded = true;
    b->vertex = calloc(1, sizeof *b->vertex);
    b->fragment = calloc(1, sizeof *b->fragment);
    b->vertex->programs[0].program = b->vertex->programs[1].program = &b->program;
    b->fragment->programs[0].program = &b->program;
    util_arena_init(&b->arena, NULL);
    util_stream_init(&b->lists.packets, 64, NULL);
    util_stream_init(&b->lists.draws, 64, NULL);
    init_job(b, &b->job, &b->replay);
    vc4vk_cmd_job_begin_section(&b->job, &b->job.draws.first, &b->lists, util_stream_end(&b->lists.packets));
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    vc4vk_job_build_end(&b->build);
    vc4vk_job_build_finish(&b->build);
    util_stream_finish(&b->lists.packets);
    util_stream_finish(&b->lists.draws);
    util_arena_finish(&b->arena);
    kmd_bo_unref(b->vertices);
    kmd_bo_unref(b->indices);
    kmd_bo_unref(b->shader.bo);
    for (uint32_t i = VC4VK_SLOT_COUNT; i-- > 0;)
        if (b->device.slots[i].ops)
            b->device.slots[i].ops->destroy(&b->device, b->device.slots[i].state);
    pthread_mutex_destroy(&b->device.slot_lock);
    kmd_close(b->device.kmd);
    free(b->vertex);
    free(b->fragment);
    free(b);
    return 0;
}

struct recipe {
    VkPrimitiveTopology topology;
    uint8_t index_B;
    bool restart, has_adjacency;
    uint32_t first, count, first_instance, instance_count;
    int32_t vertex_offset;
    uint32_t index_offset_B;
    bool is_indirect; /* the draw parameters are at the start of the index BO */
    uint32_t push[2];
};

/* A record with two arrays: `VERTICES` vertices of 12 bytes, and the ramp, which holds the vertex numbers. */
static struct vc4vk_record *make_record(struct bench *b)
{
    struct vc4vk_record *r = util_arena_new(&b->arena, struct vc4vk_record);
    struct kmd_bo *ramp;
    assert_int_equal(vc4vk_device_ramp(&b->device, &ramp), VK_SUCCESS);
    *r = (struct vc4vk_record){.vertex = b->vertex, .fragment = b->fragment, .array_count = 2, .passes = 1};
    r->arrays[0] = (struct vc4vk_record_array){
        .bo = b->vertices,
        .offset_B = VERTEX_AT,
        .bo_size_B = VERTEX_AT + VERTICES * STRIDE_B,
        .stride_B = STRIDE_B,
        .size_B = STRIDE_B,
        .in_vs = true,
        .in_cs = true,
    };
    r->arrays[1] = (struct vc4vk_record_array){
        .bo = ramp,
        .bo_size_B = ramp->size_B,
        .stride_B = 4,
        .size_B = 4,
        .vs_vpm_B = 12,
        .is_ramp = true,
        .in_vs = true,
        .in_cs = true,
    };
    return r;
}

/* Records a draw with the most recent record. */
static void record_again(struct bench *b, struct recipe recipe)
{
    struct vc4vk_draw_state *state = util_arena_new(&b->arena, struct vc4vk_draw_state);
    uint32_t *push = util_arena_alloc(&b->arena, VC4VK_MAX_PUSH_B);
    struct vc4vk_indirect *indirect = util_arena_new(&b->arena, struct vc4vk_indirect);
    memcpy(push, recipe.push, sizeof recipe.push);
    indirect->bo = b->indices;
    *state = (struct vc4vk_draw_state){
        .record = b->record,
        .push = push,
        .indirect = recipe.is_indirect ? indirect : NULL,
        .index_bo = b->indices,
        .index_offset_B = recipe.index_offset_B,
        .index_limit_B = b->indices->size_B - recipe.index_offset_B,
        .topology = (uint8_t)recipe.topology,
        .restart = recipe.restart,
        .has_adjacency = recipe.has_adjacency,
        .packets_end_B = b->lists.packets.size_B,
    };
    const struct vc4vk_draw draw = {
        .state = state,
        .first = recipe.first,
        .count = recipe.count,
        .first_instance = recipe.first_instance,
        .instance_count = MAX2(recipe.instance_count, 1u),
        .vertex_offset = recipe.vertex_offset,
        .index_B = recipe.index_B,
    };
    vc4vk_cmd_job_add_draw(&b->job, &b->lists, &draw, &(struct vc4vk_cmd_cost){.chip_draws = 1});
    b->replay.draw_count = b->job.draw_count;
}

static void record(struct bench *b, struct recipe recipe)
{
    b->record = make_record(b);
    record_again(b, recipe);
}

static void build_replay(struct bench *b, const struct vc4vk_draw_replay *replay)
{
    vc4vk_job_build_end(&b->build);
    assert_int_equal(vc4vk_job_build_begin(&b->build, &replay->base), VK_SUCCESS);
    assert_int_equal(vc4vk_issue_build(&replay->base, &b->build), VK_SUCCESS);
}

static void build(struct bench *b)
{
    vc4vk_cmd_job_end_section(&b->job);
    build_replay(b, &b->replay);
}

/* The n-th packet with this id in the built list, or NULL. */
static const uint8_t *packet(struct bench *b, uint8_t id, uint32_t n)
{
    const uint8_t *list = b->build.bin_cl.data;
    for (uint32_t at = 0; at < b->build.bin_cl.size_B; at += cl_packet_info(list[at])->size_B)
        if (list[at] == id && n-- == 0)
            return list + at;
    return NULL;
}

static struct cl_array_primitives array_draw(struct bench *b, uint32_t n)
{
    struct cl_array_primitives p;
    assert_non_null(packet(b, CL_ARRAY_PRIMITIVES_ID, n));
    cl_array_primitives_unpack(packet(b, CL_ARRAY_PRIMITIVES_ID, n), &p);
    return p;
}

static struct cl_indexed_primitives indexed_draw(struct bench *b, uint32_t n)
{
    struct cl_indexed_primitives p;
    assert_non_null(packet(b, CL_INDEXED_PRIMITIVES_ID, n));
    cl_indexed_primitives_unpack(packet(b, CL_INDEXED_PRIMITIVES_ID, n), &p);
    return p;
}

/* BO index and array of attribute `a` of the n-th shader record. The records have two attributes and no extended
 * strides. */
static struct cl_attribute_record attribute(struct bench *b, uint32_t n, uint32_t a, uint32_t *bo_index_out)
{
    const uint32_t record_B = 5 * 4 + CL_GL_SHADER_RECORD_SIZE_B + 2 * CL_ATTRIBUTE_RECORD_SIZE_B;
    const uint8_t *at = b->build.shader_rec.data + n * record_B;
    struct cl_attribute_record out;
    assert_true((n + 1) * record_B <= b->build.shader_rec.size_B);
    if (bo_index_out)
        memcpy(bo_index_out, at + (3 + a) * 4, 4);
    cl_attribute_record_unpack(at + 5 * 4 + CL_GL_SHADER_RECORD_SIZE_B + a * CL_ATTRIBUTE_RECORD_SIZE_B, &out);
    return out;
}

/* The 16-bit indices that an indexed draw reads. */
static const uint16_t *drawn_indices(struct bench *b, uint32_t n)
{
    struct cl_gem_handles handles;
    cl_gem_handles_unpack(packet(b, CL_GEM_HANDLES_ID, n), &handles);
    assert_true(handles.handle0 < b->build.bo_count);
    return (const void *)((const uint8_t *)kmd_bo_map(b->build.bos[handles.handle0]) + indexed_draw(b, n).address);
}

static void arrays_begin_at_first_vertex(void **state)
{
    struct bench *b = *state;
    record(b, (struct recipe){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .first = 7, .count = 11});
    build(b);
    assert_int_equal(array_draw(b, 0).first, 0);
    assert_int_equal(array_draw(b, 0).length, 9); /* whole triangles */
    assert_int_equal(attribute(b, 0, 0, NULL).address, VERTEX_AT + 7 * STRIDE_B);
    assert_int_equal(attribute(b, 0, 1, NULL).address, 0); /* the ramp does not move: a uniform is added instead */
    const uint8_t *end = b->build.bin_cl.data + b->build.bin_cl.size_B;
    assert_int_equal(end[-2], CL_INCREMENT_SEMAPHORE_ID);
    assert_int_equal(end[-1], CL_FLUSH_ID);
}

static void vertices_beyond_their_arrays_run(void **state)
{
    struct bench *b = *state;
    memset(kmd_bo_map(b->vertices), 7, VERTEX_AT + VERTICES * STRIDE_B);
    record(b, (struct recipe){.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST, .first = 90, .count = 50});
    build(b);
    assert_int_equal(array_draw(b, 0).length, 50);
    uint32_t bo_index;
    struct cl_attribute_record a = attribute(b, 0, 0, &bo_index);
    const uint8_t *pulled = (const uint8_t *)kmd_bo_map(b->build.bos[bo_index]) + a.address;
    assert_int_equal(pulled[9 * a.stride_B], 7);
    assert_int_equal(pulled[10 * a.stride_B], 0);
    a = attribute(b, 0, 1, &bo_index);
    const uint32_t *numbers = (const void *)((const uint8_t *)kmd_bo_map(b->build.bos[bo_index]) + a.address);
    assert_int_equal(numbers[10], VERTICES);
}

static void long_strips_are_cut(void **state)
{
    struct bench *b = *state;
    record(b, (struct recipe){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .count = 100000});
    b->record->arrays[0].stride_B = 0; /* one value for all vertices: only the vertex numbers limit the draw */
    build(b);
    assert_int_equal(array_draw(b, 0).length, 65534);
    assert_int_equal(array_draw(b, 1).length, 100000 - 65532);
    assert_null(packet(b, CL_ARRAY_PRIMITIVES_ID, 2));
}

static void short_indices_stay(void **state)
{
    struct bench *b = *state;
    uint16_t *indices = kmd_bo_map(b->indices);
    memcpy(indices + 4, (const uint16_t[]){3, 5, 4, 9, 2, 6}, 12);
    record(b, (struct recipe){.index_B = 2,
                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                              .index_offset_B = 4,
                              .first = 2,
                              .count = 6,
                              .vertex_offset = 10});
    build(b);
    assert_int_equal(indexed_draw(b, 0).address, 8);
    assert_int_equal(indexed_draw(b, 0).max_index, 9);
    assert_ptr_equal(drawn_indices(b, 0), indices + 4);
    assert_int_equal(attribute(b, 0, 0, NULL).address, VERTEX_AT + 10 * STRIDE_B);

    indices[6] = 40; /* each issue reads the memory again */
    build(b);
    assert_int_equal(indexed_draw(b, 0).max_index, 40);
}

static void long_indices_are_rewritten(void **state)
{
    struct bench *b = *state;
    memcpy(kmd_bo_map(b->indices), (const uint32_t[]){70000, 70002, 70001}, 12);
    record(b, (struct recipe){
                  .index_B = 4, .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .count = 3, .vertex_offset = -69990});
    build(b);
    assert_memory_equal(drawn_indices(b, 0), ((const uint16_t[]){0, 2, 1}), 6);
    assert_int_equal(indexed_draw(b, 0).index_type, 1);
    assert_int_equal(attribute(b, 0, 0, NULL).address, VERTEX_AT + 10 * STRIDE_B);
}

static void negative_offsets_move_indices(void **state)
{
    struct bench *b = *state;
    memcpy(kmd_bo_map(b->indices), (const uint16_t[]){20, 21, 23}, 6);
    record(b, (struct recipe){
                  .index_B = 2, .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .count = 3, .vertex_offset = -18});
    build(b);
    assert_memory_equal(drawn_indices(b, 0), ((const uint16_t[]){0, 1, 3}), 6);
    assert_int_equal(attribute(b, 0, 0, NULL).address, VERTEX_AT + 2 * STRIDE_B);
}

static void wild_indices_read_zeros(void **state)
{
    struct bench *b = *state;
    memcpy(kmd_bo_map(b->indices), (const uint16_t[]){0, 1, 5000}, 6);
    record(b, (struct recipe){.index_B = 2, .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .count = 3});
    build(b);
    assert_int_equal(array_draw(b, 0).length, 3);
    uint32_t bo_index;
    struct cl_attribute_record a = attribute(b, 0, 1, &bo_index);
    const uint32_t *numbers = (const void *)((const uint8_t *)kmd_bo_map(b->build.bos[bo_index]) + a.address);
    assert_int_equal(numbers[2], 5000);
}

static void restarts_make_lists(void **state)
{
    struct bench *b = *state;
    memcpy(kmd_bo_map(b->indices), (const uint16_t[]){1, 2, 3, 4, 0xffff, 5, 6, 0xffff, 7, 8, 9}, 22);
    record(b,
           (struct recipe){.index_B = 2, .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .restart = 1, .count = 11});
    build(b);
    assert_int_equal(indexed_draw(b, 0).mode, CL_PRIM_TRIANGLES);
    assert_int_equal(indexed_draw(b, 0).length, 9);
    assert_memory_equal(drawn_indices(b, 0), ((const uint16_t[]){0, 1, 2, 1, 3, 2, 6, 7, 8}), 18);
}

static void distant_indices_copy_vertices(void **state)
{
    struct bench *b = *state;
    for (uint32_t i = 0; i < VERTICES * STRIDE_B; i++)
        ((uint8_t *)kmd_bo_map(b->vertices))[VERTEX_AT + i] = (uint8_t)(i / STRIDE_B);
    memcpy(kmd_bo_map(b->indices), (const uint32_t[]){3, 90, 80000}, 12);
    record(b, (struct recipe){.index_B = 4, .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .count = 3});
    build(b);
    uint32_t bo_index;
    struct cl_attribute_record a = attribute(b, 0, 0, &bo_index);
    const uint8_t *pulled = (const uint8_t *)kmd_bo_map(b->build.bos[bo_index]) + a.address;
    assert_int_equal(array_draw(b, 0).length, 3);
    assert_int_equal(pulled[0], 3);
    assert_int_equal(pulled[a.stride_B], 90);
    assert_int_equal(pulled[2 * a.stride_B], 0); /* outside the BO */
    a = attribute(b, 0, 1, &bo_index);
    const uint32_t *numbers = (const void *)((const uint8_t *)kmd_bo_map(b->build.bos[bo_index]) + a.address);
    assert_int_equal(numbers[2], 80000);
}

/* The copied ramp tells which vertices are drawn. */
static void adjacent_vertices_are_left_out(void **state)
{
    static const struct {
        VkPrimitiveTopology topology;
        uint32_t count, drawn[6], drawn_count;
    } cases[] = {
        {VK_PRIMITIVE_TOPOLOGY_LINE_LIST, 9, {1, 2, 5, 6}, 4},
        {VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, 5, {1, 2, 2, 3}, 4},
        {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, 13, {0, 2, 4, 6, 8, 10}, 6},
        {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, 8, {0, 2, 4, 2, 6, 4}, 6},
    };
    struct bench *b = *state;
    for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++)
        record(b, (struct recipe){.topology = cases[i].topology, .count = cases[i].count, .has_adjacency = true});
    build(b);
    for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
        uint32_t bo_index;
        assert_int_equal(array_draw(b, i).length, cases[i].drawn_count);
        const struct cl_attribute_record ramp = attribute(b, i, 1, &bo_index);
        const char *map = kmd_bo_map(b->build.bos[bo_index]);
        assert_memory_equal(map + ramp.address, cases[i].drawn, cases[i].drawn_count * sizeof(uint32_t));
    }
}

/* Makes all three programs read one uniform of this kind: gl_InstanceIndex, a push constant ... */
static void read_word(struct bench *b, enum vc4c_uniform_kind kind)
{
    static struct vc4c_uniform uniform;
    uniform = (struct vc4c_uniform){.kind = (uint8_t)kind};
    b->program.compiled.uniforms = &uniform;
    b->program.compiled.uniform_count = 1;
}

static void instances_are_draws(void **state)
{
    struct bench *b = *state;
    read_word(b, VC4C_UNIFORM_INSTANCE_INDEX);
    record(b,
           (struct recipe){
               .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .count = 3, .instance_count = 3, .first_instance = 5});
    build(b);
    assert_non_null(packet(b, CL_ARRAY_PRIMITIVES_ID, 2));
    assert_null(packet(b, CL_ARRAY_PRIMITIVES_ID, 3));
    assert_int_equal(b->build.shader_rec_count, 3); /* one per instance number */
}

/* An indirect draw with more instances than one job holds is split into parts. No instance is lost or drawn twice. */
static void indirect_instances_come_in_parts(void **state)
{
    struct bench *b = *state;
    const VkDrawIndirectCommand counts = {.vertexCount = 6, .instanceCount = 20000, .firstInstance = 7};
    memcpy(kmd_bo_map(b->indices), &counts, sizeof counts);
    read_word(b, VC4C_UNIFORM_INSTANCE_INDEX);
    const struct kmd_render later_part = {.clear_z = 123};
    b->job.draws.may_take_parts = true;
    b->replay.later_part = &later_part;
    record(b, (struct recipe){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .is_indirect = true});
    uint32_t draws = 0, parts = 0;
    uint64_t from = 0;
    do {
        vc4vk_job_build_end(&b->build);
        assert_int_equal(vc4vk_job_build_begin(&b->build, &b->replay.base), VK_SUCCESS);
        b->build.from = from;
        assert_int_equal(vc4vk_issue_build(&b->replay.base, &b->build), VK_SUCCESS);
        assert_int_equal(b->build.render.clear_z, from ? 123 : 0);
        assert_in_range(b->build.shader_rec_count, 1, vc4vk_job_limits()->chip_draws);
        assert_int_equal(b->build.next_from, from + b->build.shader_rec_count == 20000
                                                 ? 0
                                                 : from + b->build.shader_rec_count);
        draws += b->build.shader_rec_count;
        from = b->build.next_from;
        parts++;
    } while (from);
    assert_int_equal(draws, 20000);
    assert_in_range(parts, 3, 10);
}

static void equal_draws_share_a_record(void **state)
{
    struct bench *b = *state;
    record(b, (struct recipe){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .count = 3});
    record_again(b, (struct recipe){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .count = 6});
    build(b);
    assert_int_equal(array_draw(b, 1).length, 6);
    assert_int_equal(b->build.shader_rec_count, 1);
}

static void record_pushed(struct bench *b, uint32_t used, uint32_t unused)
{
    record_again(b,
                 (struct recipe){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .count = 3, .push = {used, unused}});
}

/* Push constants that differ only in words that no program reads need no new shader record. */
static void equal_streams_are_shared(void **state)
{
    struct bench *b = *state;
    read_word(b, VC4C_UNIFORM_PUSH);
    record(b, (struct recipe){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .count = 3});
    record_pushed(b, 0, 1); /* differs from the previous draw only in a word that no program reads */
    record_pushed(b, 7, 0);
    record_pushed(b, 7, 2);
    record_pushed(b, 0, 0); /* equal to the first draw, but not to the previous one */
    build(b);
    assert_non_null(packet(b, CL_ARRAY_PRIMITIVES_ID, 4));
    assert_non_null(packet(b, CL_GL_SHADER_STATE_ID, 2));
    assert_null(packet(b, CL_GL_SHADER_STATE_ID, 3));
    assert_int_equal(b->build.shader_rec_count, 3);
    assert_int_equal(b->build.uniforms.size_B, 3 * 3 * 4);
    assert_memory_equal(b->build.uniforms.data, ((const uint32_t[]){0, 0, 0, 7, 7, 7, 0, 0, 0}), 36);
}

/* Executing a secondary reuses its recorded draws as they are. Its clip windows are cut to the area of the primary's
 * job. */
static void secondaries_are_sections(void **state)
{
    struct bench *b = *state;
    struct vc4vk_cmd_job primary;
    struct vc4vk_draw_replay replay;
    struct vc4vk_draw_section second;
    memcpy(kmd_bo_map(b->indices), (const uint16_t[]){3, 5, 4}, 6);
    cl_emit(&b->lists.packets, CLIP_WINDOW, clip_window, p)
    {
        p.left_px = 8;
        p.width_px = p.height_px = 2048;
    }
    record(b, (struct recipe){.index_B = 2, .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .count = 3});
    read_word(b, VC4C_UNIFORM_COUNT);
    vc4vk_cmd_job_end_section(&b->job);
    init_job(b, &primary, &replay);
    struct kmd_bo *target = bo(b, 4096);
    vc4vk_job_add_bo(&replay.base, target);
    primary.draws.max_x_px = primary.draws.max_y_px = 40;
    vc4vk_cmd_job_execute(&primary, &primary.draws.first, &b->job, 5, NULL);
    vc4vk_cmd_job_execute(&primary, &second, &b->job, 7, NULL);
    replay.draw_count = primary.draw_count;
    build_replay(b, &replay);
    assert_int_equal(primary.draw_count, 2);
    assert_ptr_equal(drawn_indices(b, 1), kmd_bo_map(b->indices));
    assert_ptr_equal(b->build.bos[0], target);
    uint32_t program;
    memcpy(&program, b->build.shader_rec.data, 4);
    assert_ptr_equal(b->build.bos[program], b->shader.bo);
    struct cl_clip_window window;
    cl_clip_window_unpack(packet(b, CL_CLIP_WINDOW_ID, 1), &window);
    assert_int_equal(window.width_px, 32);
    assert_int_equal(window.height_px, 40);
    assert_memory_equal(b->build.uniforms.data, ((const uint32_t[]){5, 5, 5, 7, 7, 7}), 24);
    vc4vk_job_build_end(&b->build);

    /* a condition of one execution, or of all draws of the job */
    const struct vc4vk_condition never = {.bo = target};
    primary.draws.first.condition = &never;
    build_replay(b, &replay);
    assert_int_equal(b->build.uniforms.size_B, 12);
    assert_memory_equal(b->build.uniforms.data, ((const uint32_t[]){7, 7, 7}), 12);
    vc4vk_job_build_end(&b->build);
    primary.draws.first.condition = NULL;
    replay.condition = &never;
    build_replay(b, &replay);
    assert_int_equal(b->build.uniforms.size_B, 0);
    vc4vk_job_build_end(&b->build);
    kmd_bo_unref(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arrays_begin_at_first_vertex, set_up, tear_down),
        cmocka_unit_test_setup_teardown(vertices_beyond_their_arrays_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_strips_are_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(short_indices_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_indices_are_rewritten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(negative_offsets_move_indices, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wild_indices_read_zeros, set_up, tear_down),
        cmocka_unit_test_setup_teardown(restarts_make_lists, set_up, tear_down),
        cmocka_unit_test_setup_teardown(distant_indices_copy_vertices, set_up, tear_down),
        cmocka_unit_test_setup_teardown(adjacent_vertices_are_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(instances_are_draws, set_up, tear_down),
        cmocka_unit_test_setup_teardown(indirect_instances_come_in_parts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(equal_draws_share_a_record, set_up, tear_down),
        cmocka_unit_test_setup_teardown(equal_streams_are_shared, set_up, tear_down),
        cmocka_unit_test_setup_teardown(secondaries_are_sections, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
