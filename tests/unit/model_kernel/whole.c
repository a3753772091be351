/* SPDX-License-Identifier: MIT
 *
 * Tests the kernel half and the chip together, through the model's public interface: a triangle is drawn, the renderer
 * draws what the tile lists in memory say, and a job too large for one binner slot takes more of them.
 */
#include <stdlib.h>
#include <string.h>
#include "krn_test.h"

#define CLEAR_COLOR 0xff202020u
#define COLOR       0xff00c0ffu
#define END         "nop ; end\nnop\nnop ; unlock_sb"

/* A vertex: clip coordinates, and screen coordinates as the chip expects them: 12.4 fixed point, relative to the
 * centre. */
struct vertex {
    float x, y;
    int16_t xs, ys;
};

#define READ_VERTEX "ldi vpm_rd_setup, 0x301a00\nldi vpm_wr_setup, 0x1a00\nnop\nmov r0, vpm\nmov r1, vpm\nmov r2, vpm\n"

static struct vertex vertex(float x_px, float y_px, float half_px)
{
    return (struct vertex){
        .x = x_px / half_px - 1,
        .y = y_px / half_px - 1,
        .xs = (int16_t)((x_px - half_px) * 16),
        .ys = (int16_t)((y_px - half_px) * 16),
    };
}

static void set_programs(struct test_job *job)
{
    job_set_program(job, BO_FS, "nop\nnop\nmov r0, unif\nmov tlb_c, r0\n" END);
    job_set_program(job, BO_VS, READ_VERTEX "mov vpm, r2\nmov vpm, 1/2\nmov vpm, 1.0\nnop ; end\nnop\nnop");
    job_set_program(job, BO_CS, READ_VERTEX "mov vpm, r0\nmov vpm, r1\nmov vpm, 0\nmov vpm, 1.0\nmov vpm, r2\n"
                                            "mov vpm, 1/2\nmov vpm, 1.0\nnop ; end\nnop\nnop");
    job->uniforms[0] = COLOR;
    job->uniform_words = 1;
    job->attribute[0] = (struct cl_attribute_record){.size_minus_1_B = 11, .stride_B = sizeof(struct vertex)};
    job->record.vs_attributes = job->record.cs_attributes = 1;
    job->record.vs_size_B = job->record.cs_size_B = 12;
}

static void set_state(struct test_job *job, uint32_t size_px)
{
    struct util_stream s;
    util_stream_init(&s, 64, NULL);
    cl_emit(&s, PRIMITIVE_LIST_FORMAT, primitive_list_format, p) {
        p.type = CL_LIST_TRIANGLES;
        p.data = 1;
    }
    cl_emit(&s, CLIP_WINDOW, clip_window, p) {
        p.width_px = size_px;
        p.height_px = size_px;
    }
    cl_emit(&s, CONFIGURATION_BITS, configuration_bits, p) {
        p.enable_front = p.enable_back = true;
        p.depth_function = CL_COMPARE_ALWAYS;
    }
    cl_emit(&s, CLIPPER_XY_SCALING, clipper_xy_scaling, p) {
        p.half_width_16 = p.half_height_16 = (float)size_px * 8;
    }
    cl_emit(&s, CLIPPER_Z_SCALE_OFFSET, clipper_z_scale_offset, p) {
        p.scale = 0.5f;
        p.offset = 0.5f;
    }
    cl_emit(&s, VIEWPORT_OFFSET, viewport_offset, p) {
        p.centre_x = p.centre_y = (float)size_px / 2;
    }
    assert_true(s.size_B <= sizeof job->extra);
    job->extra_B = s.size_B;
    util_stream_gather(&s, job->extra);
    util_stream_finish(&s);
}

/* One triangle that covers the lower left half of a raster surface of 64 x 64 pixels. */
static void triangle_init(struct test_job *job)
{
    job_init(job);
    set_programs(job);
    set_state(job, 64);
    job->args.color_write.bits = 1 << 2; /* raster */
    job->args.clear_color[0] = job->args.clear_color[1] = CLEAR_COLOR;
    struct vertex *v = model_bo_map(job->file, job->handles[BO_VERTICES], NULL);
    v[0] = vertex(0, 0, 32);
    v[1] = vertex(64, 0, 32);
    v[2] = vertex(0, 64, 32);
}

static uint32_t *pixels(struct test_job *job)
{
    return model_bo_map(job->file, job->handles[BO_COLOR], NULL);
}

static void a_triangle_is_drawn(void **state)
{
    struct test_job job;
    triangle_init(&job);
    assert_accepted(job_submit(&job));
    const uint32_t *p = pixels(&job);
    for (uint32_t y = 0; y < 64; y++) {
        for (uint32_t x = 0; x < 64; x++) {
            if (x + y != 63) /* pixels on the edge are not tested here */
                assert_int_equal(p[64 * y + x], x + y < 63 ? COLOR : CLEAR_COLOR);
        }
    }
    job_finish(&job);
}

struct flip {
    uint32_t byte;
    bool called;
};

static void flip_byte(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots)
{
    struct flip *f = data;
    assert_true(f->byte < size_B);
    tile_alloc[f->byte] ^= 0x10;
    f->called = true;
}

/* The rasteriser reads only the lists in tile allocation memory, so damage there changes the image. */
static void tile_lists_are_what_is_drawn(void **state)
{
    struct test_job job;
    triangle_init(&job);
    assert_accepted(job_submit(&job));
    static uint32_t intact[64 * 64];
    memcpy(intact, pixels(&job), sizeof intact);
    unsigned changed = 0;
    struct flip flip = {0};
    model_set_bin_done_hook(job.dev, flip_byte, &flip);
    for (; flip.byte < 32; flip.byte++) { /* the tile's first block */
        memset(pixels(&job), 0x55, sizeof intact);
        assert_accepted(job_submit(&job));
        assert_true(flip.called);
        changed += memcmp(intact, pixels(&job), sizeof intact) != 0;
    }
    assert_true(changed > 4);
    model_set_bin_done_hook(job.dev, NULL, NULL);
    assert_accepted(job_submit(&job));
    assert_memory_equal(intact, pixels(&job), sizeof intact);
    job_finish(&job);
}

static void store_slots(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots)
{
    *(uint32_t *)data = slots;
}

static void store_status(void *data, uint64_t seqno, uint64_t time_ns, int status)
{
    *(int *)data = status;
}

/* 600,000 triangles of random vertices, each a few pixels large, over 512 x 512 pixels. */
static void large_jobs_overflow_into_more_slots(void **state)
{
    enum { SIZE_PX = 512, VERTICES = 60000, TRIANGLES = 600000 };
    struct test_job job;
    triangle_init(&job);
    set_state(&job, SIZE_PX);
    close_bo(job.file, job.handles[BO_COLOR]);
    close_bo(job.file, job.handles[BO_VERTICES]);
    close_bo(job.file, job.handles[BO_INDICES]);
    job.handles[BO_COLOR] = create_bo(job.file, SIZE_PX * SIZE_PX * 4);
    job.handles[BO_VERTICES] = create_bo(job.file, VERTICES * sizeof(struct vertex));
    job.handles[BO_INDICES] = create_bo(job.file, TRIANGLES * 3 * 2);
    struct vertex *v = model_bo_map(job.file, job.handles[BO_VERTICES], NULL);
    uint16_t *index = model_bo_map(job.file, job.handles[BO_INDICES], NULL);
    srand(6);
    for (uint32_t i = 0; i < VERTICES; i += 3) {
        float x = (float)(rand() % (SIZE_PX - 4)), y = (float)(rand() % (SIZE_PX - 4));
        v[i] = vertex(x, y, SIZE_PX / 2);
        v[i + 1] = vertex(x + 3, y, SIZE_PX / 2);
        v[i + 2] = vertex(x, y + 3, SIZE_PX / 2);
    }
    for (uint32_t i = 0; i < TRIANGLES; i++) {
        uint32_t first = (uint32_t)rand() % (VERTICES / 3) * 3;
        for (uint32_t k = 0; k < 3; k++)
            index[3 * i + k] = (uint16_t)(first + k);
    }
    job.config.width_tl = job.config.height_tl = SIZE_PX / 64;
    job.args.width = job.args.height = SIZE_PX;
    job.args.max_x_tile = job.args.max_y_tile = SIZE_PX / 64 - 1;
    job.indexed = true;
    job.indexed_prim.length = 3 * TRIANGLES;
    job.indexed_prim.max_index = VERTICES - 1;
    uint32_t slots = 0;
    model_set_bin_done_hook(job.dev, store_slots, &slots);
    int status = -1;
    model_file_set_job_hooks(job.file, &(struct model_job_hooks){.data = &status, .finished = store_status});
    assert_accepted(job_submit(&job));
    print_message("# %u binner slots\n", slots);
    assert_true(slots > 2);
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < SIZE_PX * SIZE_PX; i++)
        drawn += pixels(&job)[i] == COLOR;
    assert_true(drawn > 50000);
    job_finish(&job); /* after the hook */
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_triangle_is_drawn),
        cmocka_unit_test(tile_lists_are_what_is_drawn),
        cmocka_unit_test(large_jobs_overflow_into_more_slots),
    };
    return cmocka_run_group_tests_name("whole", tests, NULL, NULL);
}
