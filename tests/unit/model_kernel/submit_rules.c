/* SPDX-License-Identifier: MIT
 *
 * Tests SUBMIT_CL: for each rule about lists, records, attributes and surfaces there is a job that just obeys it and
 * one that just breaks it. The latter must be refused with -EINVAL and the rule's name, and must not leak anything.
 */
#include <stdlib.h>
#include <string.h>
#include "krn_test.h"

#define KEEPS KRN_RULE_COUNT

struct rule_case {
    const char *name;
    enum krn_rule rule; /* KEEPS: accepted */
    void (*modify)(struct test_job *job);
};

#define CASE(what) static void modify_##what(struct test_job *job)

static void add_extra(struct test_job *job, const void *bytes, uint32_t size_B)
{
    memcpy(job->extra + job->extra_B, bytes, size_B);
    job->extra_B += size_B;
}

/* -- frame of the list -- */

CASE(nothing)
{
}
CASE(no_config)
{
    job->without_config = true;
}
CASE(no_start)
{
    job->without_start = true;
}
CASE(two_configs)
{
    job->twice_config = true;
}
CASE(two_starts)
{
    job->twice_start = true;
}
CASE(no_tiles)
{
    job->config.width_tl = 0;
}
CASE(hdr)
{
    job->config.color_64 = true;
}
CASE(double_buffer)
{
    job->config.double_buffer = true;
}
CASE(msaa)
{
    job->config.ms_4x = true;
}
CASE(many_tiles)
{
    job->config.width_tl = 64;
    job->config.height_tl = 64;
}
CASE(too_many_tiles)
{
    job->config.width_tl = 255;
    job->config.height_tl = 255;
}
CASE(no_increment)
{
    job->without_increment = true;
}
CASE(no_flush)
{
    job->without_flush = true;
}
CASE(early_flush)
{
    add_extra(job, "\x04", 1);
}
CASE(early_increment)
{
    add_extra(job, "\x07", 1);
}
CASE(halt)
{
    add_extra(job, "\x00", 1);
}
CASE(state_packets)
{
    uint8_t bytes[64];
    cl_clip_window_pack(bytes, &(struct cl_clip_window){.width_px = 64, .height_px = 64});
    add_extra(job, bytes, CL_CLIP_WINDOW_SIZE_B);
    cl_line_width_pack(bytes, &(struct cl_line_width){.width_px = 1});
    add_extra(job, bytes, CL_LINE_WIDTH_SIZE_B);
    add_extra(job, "\x01\x05", 2); /* nop, flush all state */
}
CASE(cut)
{
    job->without_flush = job->without_increment = true;
    job->cut_B = 1;
}
CASE(fewer_records)
{
    job->args.shader_rec_count = 0;
}
CASE(state_address)
{
    job->state.address = 16;
}

/* -- primitives -- */

CASE(no_state)
{
    job->without_state = true;
}
CASE(no_state_indexed)
{
    job->without_state = job->indexed = true;
}
CASE(indexed_fits)
{
    job->indexed = true;
    job->indexed_prim.address = INDEX_BO_B - 6;
}
CASE(indexed_too_long)
{
    job->indexed = true;
    job->indexed_prim.address = INDEX_BO_B - 5;
}
CASE(indexed_bytes_fit)
{
    job->indexed = true;
    job->indexed_prim.index_type = 0;
    job->indexed_prim.address = INDEX_BO_B - 3;
}
CASE(indexed_outside)
{
    job->indexed = true;
    job->indexed_prim.address = INDEX_BO_B + 1;
    job->indexed_prim.length = 0;
}
CASE(indexed_wraps)
{
    job->indexed = true;
    job->indexed_prim.address = 0xfffffffe;
    job->indexed_prim.length = 0x80000001;
}
CASE(index_bo_out_of_range)
{
    job->indexed = true;
    job->gem_handles.handle0 = BO_COUNT;
}
CASE(index_bo_is_shader)
{
    job->indexed = true;
    job->gem_handles.handle0 = BO_FS;
}
CASE(vertices_wrap)
{
    job->array_prim.first = 0xfffffffe;
}
CASE(no_vertices) /* length 0 makes the highest index wrap around */
{
    job->array_prim.length = 0;
}

/* -- attributes -- */

CASE(last_vertex)
{
    job->array_prim.first = VERTEX_BO_B / 16 - 3;
}
CASE(vertex_too_many)
{
    job->array_prim.first = VERTEX_BO_B / 16 - 2;
}
CASE(max_index_too_high)
{
    job->indexed = true;
    job->indexed_prim.max_index = VERTEX_BO_B / 16;
}
CASE(max_index_stride_0)
{
    job->indexed = true;
    job->indexed_prim.max_index = 1000000;
    job->attribute[0].stride_B = 0;
}
CASE(attribute_at_end)
{
    job->attribute[0].address = VERTEX_BO_B - 16;
    job->attribute[0].stride_B = 0;
}
CASE(attribute_past_end)
{
    job->attribute[0].address = VERTEX_BO_B - 15;
    job->attribute[0].stride_B = 0;
}
CASE(attribute_far_away)
{
    job->attribute[0].address = 0xfffffff0;
}
CASE(eight_attributes)
{
    job->state.attribute_count = 0;
}
CASE(eighth_attribute_bad)
{
    job->state.attribute_count = 0;
    job->attribute[7].address = VERTEX_BO_B;
}
CASE(extended_fits)
{
    job->state.extended = true;
    job->attribute[0].stride_B = 0xf0;
    job->extended_stride[0] = 0x7ff; /* bits 7:0 come from the record: 0x7f0 */
    job->array_prim.length = 3;
}
CASE(extended_too_far)
{
    job->state.extended = true;
    job->attribute[0].stride_B = 0xf9;
    job->extended_stride[0] = 0x700;
    job->array_prim.length = 3;
}

/* -- records -- */

CASE(record_cut)
{
    job->args.shader_rec_size = 4 * 4 + 43;
}
CASE(record_handles_cut)
{
    job->args.shader_rec_size = 15;
}
CASE(code_offset)
{
    job->record.vs_code = 8;
}
CASE(fs_threaded_flag)
{
    job->record.fs_single_threaded = false;
}
CASE(shader_is_no_shader)
{
    job->rec_bos[1] = BO_VERTICES;
}
CASE(vertices_are_shader)
{
    job->rec_bos[3] = BO_CS;
}
CASE(record_bo_out_of_range)
{
    job->rec_bos[3] = BO_COUNT;
}
CASE(record_bo_way_out)
{
    job->rec_bos[0] = 0xffffffff;
}

/* -- surfaces -- */

CASE(nothing_stored)
{
    job->args.color_write.hindex = UINT32_MAX;
}
CASE(depth_only)
{
    job->args.color_write.hindex = UINT32_MAX;
    job->args.zs_write = (struct drm_vc4_submit_rcl_surface){.hindex = BO_ZS, .bits = CL_BUFFER_ZS | CL_LAYOUT_T << 4};
}
CASE(color_bits)
{
    job->args.color_write.bits |= 1 << 5;
}
CASE(color_format_3)
{
    job->args.color_write.bits |= 3 << 2;
}
CASE(color_layout_3)
{
    job->args.color_write.bits |= 3 << 6;
}
CASE(color_flags)
{
    job->args.color_write.flags = 1;
}
CASE(color_msaa)
{
    job->args.color_write.bits |= 1;
}
CASE(color_too_small)
{
    job->args.width = 65;
}
CASE(color_offset_too_far)
{
    job->args.color_write.offset = 4096;
}
CASE(too_wide)
{
    job->args.width = 4097;
    job->args.height = 1;
    job->args.color_write.bits = 1 << 2;
}
CASE(color_bo_out_of_range)
{
    job->args.color_write.hindex = BO_COUNT;
}
CASE(color_bo_is_shader)
{
    job->args.color_write.hindex = BO_FS;
}
CASE(zs_offset)
{
    modify_depth_only(job);
    job->args.zs_write.offset = 8;
}
CASE(zs_format)
{
    modify_depth_only(job);
    job->args.zs_write.bits |= 1 << 8;
}
CASE(zs_buffer)
{
    modify_depth_only(job);
    job->args.zs_write.bits = 3;
}
CASE(zs_write_full_res)
{
    modify_depth_only(job);
    job->args.zs_write.bits = 0;
    job->args.zs_write.flags = VC4_SUBMIT_RCL_SURFACE_READ_IS_FULL_RES;
}
CASE(loads)
{
    job->args.color_read =
        (struct drm_vc4_submit_rcl_surface){.hindex = BO_COLOR, .bits = CL_BUFFER_COLOR | CL_LAYOUT_T << 4};
    job->args.zs_read = (struct drm_vc4_submit_rcl_surface){.hindex = BO_ZS, .bits = CL_BUFFER_ZS | CL_LAYOUT_T << 4};
    job->args.zs_write = job->args.zs_read;
}
CASE(read_flags)
{
    modify_loads(job);
    job->args.color_read.flags = 2;
}
CASE(absent_flags)
{
    job->args.zs_read.flags = 2;
}
/* The colour and the depth buffer each hold exactly one tile with all samples. */
CASE(msaa_store)
{
    job->args.msaa_color_write.hindex = BO_COLOR;
    job->args.msaa_zs_write.hindex = BO_ZS;
}
CASE(msaa_store_only)
{
    modify_msaa_store(job);
    job->args.color_write.hindex = UINT32_MAX;
}
CASE(msaa_zs_store_only)
{
    job->args.color_write.hindex = UINT32_MAX;
    job->args.msaa_zs_write.hindex = BO_ZS;
}
CASE(msaa_store_flags)
{
    modify_msaa_store(job);
    job->args.msaa_color_write.flags = 1;
}
CASE(msaa_store_offset)
{
    modify_msaa_store(job);
    job->args.msaa_color_write.offset = 8;
}
CASE(msaa_store_past_end)
{
    modify_msaa_store(job);
    job->args.msaa_color_write.offset = JOB_SIZE_PX * JOB_SIZE_PX * 4 + 16;
}
CASE(msaa_store_last_tile) /* the kernel's off-by-one: one tile fits, the second is stored */
{
    modify_msaa_store(job);
    job->args.max_x_tile = 1;
}
CASE(msaa_store_too_small)
{
    modify_msaa_store(job);
    job->config.height_tl = 2;
    job->args.max_y_tile = 1; /* row 1 begins at tile 2 */
}
CASE(msaa_store_shader)
{
    job->args.msaa_zs_write.hindex = BO_FS;
}
CASE(full_res_loads)
{
    job->args.color_read = (struct drm_vc4_submit_rcl_surface){
        .hindex = BO_COLOR, .flags = VC4_SUBMIT_RCL_SURFACE_READ_IS_FULL_RES};
    job->args.zs_read = (struct drm_vc4_submit_rcl_surface){
        .hindex = BO_ZS, .flags = VC4_SUBMIT_RCL_SURFACE_READ_IS_FULL_RES};
}
CASE(full_res_load_bits)
{
    modify_full_res_loads(job);
    job->args.zs_read.bits = CL_BUFFER_ZS;
}
CASE(full_res_load_offset) /* the kernel does not check it */
{
    modify_full_res_loads(job);
    job->args.color_read.offset = 8;
}
CASE(full_res_load_too_small)
{
    modify_full_res_loads(job);
    job->config.height_tl = 2;
    job->args.max_y_tile = 1;
}
CASE(absent_msaa_bits)
{
    job->args.msaa_color_write.bits = 4;
}
CASE(msaa_store_bits)
{
    job->args.msaa_zs_write.bits = 1;
}
CASE(tiles_backwards)
{
    job->args.min_x_tile = 1;
}
CASE(tiles_one_too_many) /* the kernel's off-by-one */
{
    job->args.max_x_tile = job->args.max_y_tile = 1;
}
CASE(tiles_two_too_many)
{
    job->args.max_x_tile = 2;
}

/* -- the ioctl itself -- */

CASE(flags)
{
    job->args.flags |= 1 << 4;
}
CASE(pad2)
{
    job->args.pad2 = 1;
}
CASE(syncobj)
{
    job->args.out_sync = 1;
}

#define ROW(what, r)                                                                                                   \
    {                                                                                                                  \
#what, r, modify_##what                                                                                        \
    }
#define BAD(what, r)                                                                                                   \
    {                                                                                                                  \
#what, KRN_RULE_##r, modify_##what                                                                             \
    }

static const struct rule_case cases[] = {
    ROW(nothing, KEEPS),
    BAD(no_config, BIN_START),
    BAD(no_start, BIN_START),
    BAD(two_configs, BIN_CONFIG),
    BAD(two_starts, BIN_START),
    BAD(no_tiles, BIN_CONFIG),
    BAD(hdr, BIN_CONFIG),
    BAD(double_buffer, BIN_CONFIG),
    ROW(msaa, KEEPS),
    ROW(many_tiles, KEEPS),
    BAD(too_many_tiles, BIN_CONFIG),
    BAD(no_increment, BIN_END),
    BAD(no_flush, BIN_END),
    BAD(early_flush, BIN_END),
    BAD(early_increment, BIN_END),
    BAD(halt, BIN_END),
    ROW(state_packets, KEEPS),
    BAD(cut, BIN_FITS),
    BAD(fewer_records, SHADER_STATE),
    BAD(state_address, SHADER_STATE),

    BAD(no_state, NO_SHADER_STATE),
    BAD(no_state_indexed, NO_SHADER_STATE),
    ROW(indexed_fits, KEEPS),
    BAD(indexed_too_long, INDEX_BUFFER),
    ROW(indexed_bytes_fit, KEEPS),
    BAD(indexed_outside, INDEX_BUFFER),
    BAD(indexed_wraps, INDEX_BUFFER),
    BAD(index_bo_out_of_range, BO_INDEX),
    BAD(index_bo_is_shader, BO_KIND),
    BAD(vertices_wrap, VERTEX_RANGE),
    BAD(no_vertices, ATTRIBUTE_INDEX),

    ROW(last_vertex, KEEPS),
    BAD(vertex_too_many, ATTRIBUTE_INDEX),
    BAD(max_index_too_high, ATTRIBUTE_INDEX),
    ROW(max_index_stride_0, KEEPS),
    ROW(attribute_at_end, KEEPS),
    BAD(attribute_past_end, ATTRIBUTE_RANGE),
    BAD(attribute_far_away, ATTRIBUTE_RANGE),
    ROW(eight_attributes, KEEPS),
    BAD(eighth_attribute_bad, ATTRIBUTE_RANGE),
    ROW(extended_fits, KEEPS),
    BAD(extended_too_far, ATTRIBUTE_INDEX),

    BAD(record_cut, SHADER_REC_SIZE),
    BAD(record_handles_cut, SHADER_REC_SIZE),
    BAD(code_offset, SHADER_REC_CODE),
    BAD(fs_threaded_flag, SHADER_REC_THREADS),
    BAD(shader_is_no_shader, BO_KIND),
    BAD(vertices_are_shader, BO_KIND),
    BAD(record_bo_out_of_range, BO_INDEX),
    BAD(record_bo_way_out, BO_INDEX),

    BAD(nothing_stored, SURFACE_NONE),
    ROW(depth_only, KEEPS),
    BAD(color_bits, SURFACE_BITS),
    BAD(color_format_3, SURFACE_BITS),
    BAD(color_layout_3, SURFACE_BITS),
    BAD(color_flags, SURFACE_FLAGS),
    ROW(color_msaa, KEEPS),
    BAD(color_too_small, SURFACE_SIZE),
    BAD(color_offset_too_far, SURFACE_SIZE),
    BAD(too_wide, SURFACE_SIZE),
    BAD(color_bo_out_of_range, BO_INDEX),
    BAD(color_bo_is_shader, BO_KIND),
    BAD(zs_offset, SURFACE_OFFSET),
    BAD(zs_format, SURFACE_BITS),
    BAD(zs_buffer, SURFACE_BITS),
    BAD(zs_write_full_res, SURFACE_FLAGS),
    ROW(loads, KEEPS),
    BAD(read_flags, SURFACE_FLAGS),
    BAD(absent_flags, SURFACE_FLAGS),
    ROW(msaa_store, KEEPS),
    ROW(msaa_store_only, KEEPS),
    ROW(msaa_zs_store_only, KEEPS),
    BAD(msaa_store_flags, SURFACE_FLAGS),
    BAD(msaa_store_offset, SURFACE_OFFSET),
    BAD(msaa_store_past_end, SURFACE_SIZE),
    ROW(msaa_store_last_tile, KEEPS),
    BAD(msaa_store_too_small, SURFACE_SIZE),
    BAD(msaa_store_shader, BO_KIND),
    ROW(full_res_loads, KEEPS),
    BAD(full_res_load_bits, SURFACE_BITS),
    ROW(full_res_load_offset, KEEPS),
    BAD(full_res_load_too_small, SURFACE_SIZE),
    BAD(absent_msaa_bits, SURFACE_FLAGS),
    BAD(msaa_store_bits, SURFACE_FLAGS),
    BAD(tiles_backwards, TILE_RANGE),
    ROW(tiles_one_too_many, KEEPS),
    BAD(tiles_two_too_many, TILE_RANGE),

    BAD(flags, SUBMIT_FLAGS),
    BAD(pad2, SUBMIT_PAD),
    BAD(syncobj, SUBMIT_SYNC),
};

static void run_case(void **state)
{
    const struct rule_case *c = *state;
    struct test_job job;
    job_init(&job);
    c->modify(&job);
    int err = job_submit(&job);
    if (c->rule == KEEPS) {
        assert_accepted(err);
        assert_int_equal(chip.renders, 1);
    } else {
        assert_refused(err, c->rule);
        assert_int_equal(chip.bins + chip.renders, 0);
    }
    job_finish(&job);
}

/* Every packet id that the notes do not allow in a binning list. */
static void forbidden_packets(void **state)
{
    static const uint8_t allowed[] = {0,  1,  4,  5,   6,   7,   32,  33,  56,  64,  96,
                                      97, 98, 99, 100, 101, 102, 103, 105, 106, 112, 254};
    struct test_job job;
    job_init(&job);
    for (int id = 0; id < 256; id++) {
        if (memchr(allowed, id, sizeof allowed))
            continue;
        job.extra[0] = (uint8_t)id;
        job.extra_B = 20;
        assert_refused(job_submit(&job), KRN_RULE_BIN_PACKET);
    }
    job.extra_B = 0;
    assert_accepted(job_submit(&job));
    job_finish(&job);
}

/* Random bytes instead of the list, the records and the uniforms must be refused or run without harm. */
static void random_lists(void **state)
{
    struct test_job job;
    job_init(&job);
    srand(3);
    for (int n = 0; n < 20000; n++) {
        uint8_t bytes[256];
        static const uint8_t likely[] = {112, 6, 56, 64, 32, 33, 254, 96, 7, 4};
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = rand() % 3 ? likely[rand() % (int)sizeof likely] : (uint8_t)rand();
        if (rand() % 2)
            bytes[0] = 112;
        struct drm_vc4_submit_cl args = job.args;
        args.bin_cl = args.shader_rec = args.uniforms = (uintptr_t)bytes;
        args.bin_cl_size = (uint32_t)rand() % 256;
        args.shader_rec_size = (uint32_t)rand() % 256;
        args.uniforms_size = (uint32_t)rand() % 256;
        args.shader_rec_count = 1000;
        args.bo_handles = (uintptr_t)job.handles;
        args.bo_handle_count = BO_COUNT;
        (void)model_ioctl(job.file, DRM_IOCTL_VC4_SUBMIT_CL, &args);
    }
    assert_accepted(job_submit(&job)); /* no binner slot and no memory has leaked */
    job_finish(&job);
}

int main(void)
{
    struct CMUnitTest tests[ARRAY_SIZE(cases) + 2];
    size_t n = 0;
    for (; n < ARRAY_SIZE(cases); n++)
        tests[n] = (struct CMUnitTest){cases[n].name, run_case, NULL, NULL, (void *)(uintptr_t)&cases[n]};
    tests[n++] = (struct CMUnitTest){"forbidden_packets", forbidden_packets, NULL, NULL, NULL};
    tests[n++] = (struct CMUnitTest){"random_lists", random_lists, NULL, NULL, NULL};
    return _cmocka_run_group_tests("submit_rules", tests, n, NULL, NULL);
}
