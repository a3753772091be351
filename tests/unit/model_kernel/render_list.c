/* SPDX-License-Identifier: MIT
 *
 * Compares the render lists that the kernel half writes with expected text, packet by packet, and tests what it changes
 * in binning lists.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "krn_test.h"

/* Prints the chip's last render list, with names instead of bus addresses. */
static char *list_text(const struct test_job *job)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    uint8_t *base = chip.mem->base;
    const uint32_t color = (uint32_t)((uint8_t *)model_bo_map(job->file, job->handles[BO_COLOR], NULL) - base);
    const uint32_t zs = (uint32_t)((uint8_t *)model_bo_map(job->file, job->handles[BO_ZS], NULL) - base);
    struct cl_tile_binning_mode_config config;
    cl_tile_binning_mode_config_unpack(chip.bin_list, &config);
    for (uint32_t at = 0; at < chip.render_list_B;) {
        const uint8_t *in = chip.render_list + at;
        const struct cl_packet_info *info = cl_packet_info(in[0]);
        assert_non_null(info);
        char *line = NULL;
        size_t line_B = 0;
        FILE *line_to = open_memstream(&line, &line_B);
        info->print(line_to, in);
        fclose(line_to);
        char *addr = strstr(line, "address=0x");
        if (addr) {
            uint32_t value = (uint32_t)strtoul(addr + 8, NULL, 16);
            const char *name = value == color ? "color" : value == zs ? "zs" : value == 0 ? "0" : NULL;
            fprintf(to, "%.*saddress=", (int)(addr - line), line);
            if (name)
                fprintf(to, "%s", name);
            else
                fprintf(to, "list+%u", value - config.tile_alloc_address);
            fputs(addr + 18, to);
        } else {
            fputs(line, to);
        }
        free(line);
        at += info->size_B;
    }
    fclose(to);
    return text;
}

static void expect(const struct test_job *job, const char *want)
{
    char *got = list_text(job);
    assert_string_equal(got, want);
    free(got);
}

static void clear_and_store(void **state)
{
    struct test_job job;
    job_init(&job);
    job.args.clear_color[0] = job.args.clear_color[1] = 0x11223344;
    job.args.clear_z = 0xff123456;
    job.args.clear_s = 7;
    assert_accepted(job_submit(&job));
    expect(&job, "clear_colors color0=287454020 color1=287454020 z=1193046 vg_mask=0 stencil=7\n"
                 "tile_coordinates column=0 row=0\n"
                 "store_general buffer=none layout=raster mode=0 format=0 address=0\n"
                 "tile_rendering_mode_config address=color width_px=64 height_px=64 format=1 decimate=0 layout=t\n"
                 "tile_coordinates column=0 row=0\n"
                 "wait_on_semaphore\n"
                 "branch_to_sub_list address=list+0\n"
                 "store_ms_resolved_end\n");
    job_finish(&job);
}

static void loads_and_two_stores(void **state)
{
    struct test_job job;
    job_init(&job);
    job.config.width_tl = 3;
    job.config.height_tl = 2;
    job.args.flags = 0;
    job.args.width = 32;
    job.args.height = 32;
    job.args.min_x_tile = job.args.max_x_tile = 2;
    job.args.max_y_tile = 1;
    job.args.color_read =
        (struct drm_vc4_submit_rcl_surface){.hindex = BO_COLOR, .bits = CL_BUFFER_COLOR | CL_LAYOUT_T << 4};
    job.args.zs_read = job.args.zs_write =
        (struct drm_vc4_submit_rcl_surface){.hindex = BO_ZS, .bits = CL_BUFFER_ZS | CL_LAYOUT_LT << 4};
    assert_accepted(job_submit(&job));
    expect(&job, "tile_rendering_mode_config address=color width_px=32 height_px=32 format=1 decimate=0 layout=t\n"
                 "load_general buffer=color layout=t format=0 address=color\n"
                 "tile_coordinates column=2 row=0\n"
                 "store_general buffer=none layout=raster mode=0 format=0 disable_color_clear disable_zs_clear "
                 "disable_vg_mask_clear address=0\n"
                 "load_general buffer=zs layout=lt format=0 address=zs\n"
                 "tile_coordinates column=2 row=0\n"
                 "wait_on_semaphore\n"
                 "branch_to_sub_list address=list+64\n"
                 "store_general buffer=zs layout=lt mode=0 format=0 disable_color_clear address=zs\n"
                 "tile_coordinates column=2 row=0\n"
                 "store_ms_resolved\n"
                 "load_general buffer=color layout=t format=0 address=color\n"
                 "tile_coordinates column=2 row=1\n"
                 "store_general buffer=none layout=raster mode=0 format=0 disable_color_clear disable_zs_clear "
                 "disable_vg_mask_clear address=0\n"
                 "load_general buffer=zs layout=lt format=0 address=zs\n"
                 "tile_coordinates column=2 row=1\n"
                 "branch_to_sub_list address=list+160\n"
                 "store_general buffer=zs layout=lt mode=0 format=0 disable_color_clear address=zs\n"
                 "tile_coordinates column=2 row=1\n"
                 "store_ms_resolved_end\n");
    job_finish(&job);
}

static void depth_only_ends_with_its_store(void **state)
{
    struct test_job job;
    job_init(&job);
    job.args.flags = 0;
    job.args.color_write.hindex = UINT32_MAX;
    job.args.zs_write = (struct drm_vc4_submit_rcl_surface){.hindex = BO_ZS, .bits = CL_BUFFER_ZS | CL_LAYOUT_T << 4};
    assert_accepted(job_submit(&job));
    expect(&job, "tile_rendering_mode_config address=0 width_px=64 height_px=64 format=1 decimate=0 layout=t\n"
                 "tile_coordinates column=0 row=0\n"
                 "wait_on_semaphore\n"
                 "branch_to_sub_list address=list+0\n"
                 "store_general buffer=zs layout=t mode=0 format=0 end_of_frame address=zs\n");
    job_finish(&job);
}

/* A tile with loads of all samples and four stores. Only the last store clears the tile buffer and ends the frame. */
static void all_samples(void **state)
{
    struct test_job job;
    job_init(&job);
    job.config.ms_4x = true;
    job.args.flags = 0;
    job.args.width = job.args.height = 32;
    job.args.color_write.bits |= 1 | 1 << 4; /* four samples, resolved */
    const struct drm_vc4_submit_rcl_surface color = {.hindex = BO_COLOR}, zs = {.hindex = BO_ZS};
    job.args.msaa_color_write = job.args.color_read = color;
    job.args.msaa_zs_write = job.args.zs_read = zs;
    job.args.color_read.flags = job.args.zs_read.flags = VC4_SUBMIT_RCL_SURFACE_READ_IS_FULL_RES;
    job.args.zs_write = (struct drm_vc4_submit_rcl_surface){.hindex = BO_ZS, .bits = CL_BUFFER_ZS | CL_LAYOUT_T << 4};
    assert_accepted(job_submit(&job));
    expect(&job,
           "tile_rendering_mode_config address=color width_px=32 height_px=32 ms_4x format=1 decimate=1 layout=t\n"
           "load_full disable_zs address=color\n"
           "tile_coordinates column=0 row=0\n"
           "store_general buffer=none layout=raster mode=0 format=0 disable_color_clear disable_zs_clear "
           "disable_vg_mask_clear address=0\n"
           "load_full disable_color address=zs\n"
           "tile_coordinates column=0 row=0\n"
           "wait_on_semaphore\n"
           "branch_to_sub_list address=list+0\n"
           "store_full disable_zs disable_clear address=color\n"
           "tile_coordinates column=0 row=0\n"
           "store_full disable_color disable_clear address=zs\n"
           "tile_coordinates column=0 row=0\n"
           "store_general buffer=zs layout=t mode=0 format=0 disable_color_clear address=zs\n"
           "tile_coordinates column=0 row=0\n"
           "store_ms_resolved_end\n");
    job.args.color_read = job.args.zs_read = job.args.color_write = job.args.zs_write =
        (struct drm_vc4_submit_rcl_surface){.hindex = UINT32_MAX};
    job.args.color_write.bits = 1;
    assert_accepted(job_submit(&job));
    expect(&job,
           "tile_rendering_mode_config address=0 width_px=32 height_px=32 ms_4x format=0 decimate=0 layout=raster\n"
           "tile_coordinates column=0 row=0\n"
           "wait_on_semaphore\n"
           "branch_to_sub_list address=list+0\n"
           "store_full disable_zs disable_clear address=color\n"
           "tile_coordinates column=0 row=0\n"
           "store_full disable_color end_of_frame address=zs\n");
    job_finish(&job);
}

/* The address of a tile in a full-resolution load. The kernel lets low bits of the offset through into the packet's
 * flags. */
static void full_addresses(void **state)
{
    struct test_job job;
    job_init(&job);
    job.config.width_tl = job.config.height_tl = 2;
    job.args.flags = 0;
    job.args.max_x_tile = job.args.max_y_tile = job.args.min_x_tile = job.args.min_y_tile = 1;
    job.args.color_read = (struct drm_vc4_submit_rcl_surface){
        .hindex = BO_TEXTURE, .offset = 16384 + 1, .flags = VC4_SUBMIT_RCL_SURFACE_READ_IS_FULL_RES};
    assert_accepted(job_submit(&job));
    uint32_t at = CL_TILE_RENDERING_MODE_CONFIG_SIZE_B;
    struct cl_load_full load;
    assert_int_equal(chip.render_list[at], CL_LOAD_FULL_ID);
    cl_load_full_unpack(chip.render_list + at, &load);
    assert_true(load.disable_color && load.disable_zs);
    uint8_t *texture = model_bo_map(job.file, job.handles[BO_TEXTURE], NULL);
    assert_ptr_equal(chip.mem->base + load.address, texture + 16384 * (1 + 2 + 1));
    job_finish(&job);
}

static void render_only(void **state)
{
    struct test_job job;
    job_init(&job);
    job.args.flags = 0;
    job.args.color_read =
        (struct drm_vc4_submit_rcl_surface){.hindex = BO_COLOR, .bits = CL_BUFFER_COLOR | CL_LAYOUT_T << 4};
    job.args.bo_handles = (uintptr_t)job.handles;
    job.args.bo_handle_count = BO_COUNT;
    job.args.max_x_tile = 1; /* not limited, because there is no binning configuration */
    assert_accepted(model_ioctl(job.file, DRM_IOCTL_VC4_SUBMIT_CL, &job.args));
    struct drm_vc4_wait_seqno wait = {.seqno = job.args.seqno, .timeout_ns = UINT64_MAX};
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_WAIT_SEQNO, &wait), 0);
    assert_int_equal(chip.bins, 0);
    expect(&job, "tile_rendering_mode_config address=color width_px=64 height_px=64 format=1 decimate=0 layout=t\n"
                 "load_general buffer=color layout=t format=0 address=color\n"
                 "tile_coordinates column=0 row=0\n"
                 "store_ms_resolved\n"
                 "load_general buffer=color layout=t format=0 address=color\n"
                 "tile_coordinates column=1 row=0\n"
                 "store_ms_resolved_end\n");
    job_finish(&job);
}

/* The order of tiles for each combination of flags, checked by the first two tiles. */
static void fixed_order(void **state)
{
    static const struct {
        uint32_t flags;
        uint8_t first[2], second[2];
    } orders[] = {
        {0, {0, 0}, {1, 0}},
        {VC4_SUBMIT_CL_FIXED_RCL_ORDER, {1, 1}, {0, 1}},
        {VC4_SUBMIT_CL_FIXED_RCL_ORDER | VC4_SUBMIT_CL_RCL_ORDER_INCREASING_X, {0, 1}, {1, 1}},
        {VC4_SUBMIT_CL_FIXED_RCL_ORDER | VC4_SUBMIT_CL_RCL_ORDER_INCREASING_Y, {1, 0}, {0, 0}},
        {VC4_SUBMIT_CL_FIXED_RCL_ORDER | VC4_SUBMIT_CL_RCL_ORDER_INCREASING_X | VC4_SUBMIT_CL_RCL_ORDER_INCREASING_Y,
         {0, 0},
         {1, 0}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
        struct test_job job;
        job_init(&job);
        job.config.width_tl = job.config.height_tl = 2;
        job.args.max_x_tile = job.args.max_y_tile = 1;
        job.args.flags = orders[i].flags;
        assert_accepted(job_submit(&job));
        uint8_t seen[4][2];
        unsigned n = 0;
        for (uint32_t at = 0; at < chip.render_list_B; at += cl_packet_info(chip.render_list[at])->size_B) {
            if (chip.render_list[at] == CL_TILE_COORDINATES_ID) {
                assert_true(n < 4);
                memcpy(seen[n++], chip.render_list + at + 1, 2);
            }
        }
        assert_int_equal(n, 4);
        assert_memory_equal(seen[0], orders[i].first, 2);
        assert_memory_equal(seen[1], orders[i].second, 2);
        job_finish(&job);
    }
}

/* The fields that the kernel overwrites in the binning mode config [notes 9.4 rule 1]. */
static void binning_config_is_the_kernel_s(void **state)
{
    struct test_job job;
    job_init(&job);
    job.config = (struct cl_tile_binning_mode_config){.width_tl = 20,
                                                      .height_tl = 10,
                                                      .tile_alloc_address = 0x1234,
                                                      .tile_alloc_size_B = 77,
                                                      .tile_state_address = 0x5678,
                                                      .initial_block = 3,
                                                      .block = 3};
    assert_accepted(job_submit(&job));
    struct cl_tile_binning_mode_config config;
    cl_tile_binning_mode_config_unpack(chip.bin_list, &config);
    assert_int_equal(config.tile_state_address % (512 * 1024), 0);
    assert_int_equal(config.tile_alloc_address, config.tile_state_address + 12288); /* 48 B a tile, whole pages */
    assert_int_equal(config.tile_alloc_size_B, 512 * 1024 - 12288);
    assert_true(config.auto_init);
    assert_int_equal(config.initial_block, 0);
    assert_int_equal(config.block, 2);
    assert_int_equal(config.width_tl, 20);
    job_finish(&job);
}

/* Index addresses are relocated, and packets meant for the kernel (GEM_HANDLES) are removed. */
static void primitives_are_relocated(void **state)
{
    struct test_job job;
    job_init(&job);
    job.indexed = true;
    job.indexed_prim.address = 10;
    assert_accepted(job_submit(&job));
    uint32_t at = CL_TILE_BINNING_MODE_CONFIG_SIZE_B + CL_START_TILE_BINNING_SIZE_B + CL_GL_SHADER_STATE_SIZE_B;
    struct cl_indexed_primitives prim;
    assert_int_equal(chip.bin_list[at], CL_INDEXED_PRIMITIVES_ID);
    cl_indexed_primitives_unpack(chip.bin_list + at, &prim);
    assert_ptr_equal(chip.mem->base + prim.address - 10, model_bo_map(job.file, job.handles[BO_INDICES], NULL));
    at += CL_INDEXED_PRIMITIVES_SIZE_B;
    assert_int_equal(chip.bin_list[at], CL_INCREMENT_SEMAPHORE_ID);
    assert_int_equal(chip.bin_list[at + 1], CL_FLUSH_ID);
    assert_int_equal(chip.bin_list_B, at + 2);
    job_finish(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear_and_store),
        cmocka_unit_test(loads_and_two_stores),
        cmocka_unit_test(depth_only_ends_with_its_store),
        cmocka_unit_test(all_samples),
        cmocka_unit_test(full_addresses),
        cmocka_unit_test(render_only),
        cmocka_unit_test(fixed_order),
        cmocka_unit_test(binning_config_is_the_kernel_s),
        cmocka_unit_test(primitives_are_relocated),
    };
    return cmocka_run_group_tests_name("render_list", tests, NULL, NULL);
}
