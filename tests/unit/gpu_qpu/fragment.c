/* SPDX-License-Identifier: MIT
 *
 * Fragment programs: the values present at their start, varyings, and the callbacks to the tile buffer.
 */
#include "harness.h"

struct tile_buffer {
    struct gpu_fragment_io io;
    uint32_t stencil[4], z[QPU_LANES], z_lanes, color[4][QPU_LANES], color_lanes[4];
    bool color_all[4];
    unsigned stencils, z_tests, colors, loads;
};

static void stencil_setup(struct gpu_fragment_io *io, uint32_t setup_word)
{
    struct tile_buffer *tb = container_of(io, struct tile_buffer, io);
    tb->stencil[tb->stencils++] = setup_word;
}

/* The depth test of these tests: lanes with an odd z fail. */
static void z_test(struct gpu_fragment_io *io, const uint32_t z[QPU_LANES], uint32_t lanes)
{
    struct tile_buffer *tb = container_of(io, struct tile_buffer, io);
    memcpy(tb->z, z, sizeof tb->z);
    tb->z_lanes = lanes;
    tb->z_tests++;
    for (unsigned l = 0; l < QPU_LANES; l++) {
        if (z[l] & 1)
            io->ms_flags[l] = 0;
    }
}

static void color_store(struct gpu_fragment_io *io, const uint32_t color[QPU_LANES], uint32_t lanes, bool all_samples)
{
    struct tile_buffer *tb = container_of(io, struct tile_buffer, io);
    memcpy(tb->color[tb->colors], color, sizeof tb->color[0]);
    tb->color_lanes[tb->colors] = lanes;
    tb->color_all[tb->colors++] = all_samples;
}

static void color_load(struct gpu_fragment_io *io, uint32_t color_out[QPU_LANES])
{
    struct tile_buffer *tb = container_of(io, struct tile_buffer, io);
    for (unsigned l = 0; l < QPU_LANES; l++)
        color_out[l] = 0x1000 * ++tb->loads;
}

static const struct gpu_varying varyings[GPU_QUADS][2] = {
    {{1.0f, 10.0f, 100.0f}, {0, 0, 5.0f}},
    {{2.0f, 10.0f, 200.0f}, {0, 0, 6.0f}},
    {{3.0f, 10.0f, 300.0f}, {0, 0, 7.0f}},
    {{4.0f, 10.0f, 400.0f}, {0, 0, 8.0f}},
};

static enum gpu_status run_with(struct harness *h, struct tile_buffer *tb, const struct gpu_varying of[GPU_QUADS][2],
                                unsigned varying_count, const char *text)
{
    struct gpu_qpu_run r = {.kind = QPU_PROGRAM_FRAGMENT,
                            .uniforms_addr = HARNESS_UNIFORMS,
                            .fragment = &tb->io};
    struct gpu_fp_mode mode = gpu_fp_enter();
    enum gpu_status status;

    memset(tb, 0, sizeof *tb);
    tb->io.stencil_setup = stencil_setup;
    tb->io.z_test = z_test;
    tb->io.color_store = color_store;
    tb->io.color_load = color_load;
    tb->io.varying_count = varying_count;
    for (unsigned q = 0; q < GPU_QUADS; q++)
        tb->io.varyings[q] = of[q];
    for (unsigned l = 0; l < QPU_LANES; l++) {
        tb->io.x_px[l] = 40 + 2 * (l >> 2) + (l & 1);
        tb->io.y_px[l] = 20 + (l >> 1 & 1);
        tb->io.ms_flags[l] = l == 3 ? 0 : 15;
        tb->io.rev_flag[l] = l >= 8;
        tb->io.w[l] = 2.0f;
        tb->io.z[l] = 1000 + l;
        tb->io.dx[l] = (float)(l & 1);
        tb->io.dy[l] = (float)(l >> 1 & 1);
    }
    harness_code(h, text);
    h->message = NULL;
    r.program = gpu_qpu_program_get(h->core, HARNESS_CODE, &h->message);
    assert_non_null(r.program);
    status = gpu_qpu_run(h->core, &r, &h->message);
    gpu_fp_leave(mode);
    return status;
}

static enum gpu_status run(struct harness *h, struct tile_buffer *tb, unsigned varying_count, const char *text)
{
    return run_with(h, tb, varyings, varying_count, text);
}
#define END "\n nop ; end \n nop \n nop ; unlock_sb"

static void finds_its_payload(void **state)
{
    struct tile_buffer tb;

    assert_int_equal(
        run(*state, &tb, 0, "mov tlb_c_ms, x_pix \n mov tlb_c_ms, y_pix \n mov tlb_c_ms, ra15 \n mov tlb_c, rb15" END),
        GPU_OK);
    assert_int_equal(tb.color[0][5], 43);
    assert_int_equal(tb.color[1][6], 21);
    assert_int_equal(tb.color[2][6], 0x40000000);
    assert_int_equal(tb.color[3][6], 1006);
    assert_int_equal(tb.color_lanes[3], 0xffff);
    assert_false(tb.color_all[2]);
    assert_true(tb.color_all[3]);
    assert_int_equal(run(*state, &tb, 0, "mov tlb_c_ms, ms_flags \n mov tlb_c_ms, rev_flag" END), GPU_OK);
    assert_int_equal(tb.color[0][3], 0);
    assert_int_equal(tb.color[0][4], 15);
    assert_int_equal(tb.color[1][7], 0);
    assert_int_equal(tb.color[1][8], 1);
}

static void varyings_come_in_order(void **state)
{
    struct tile_buffer tb;

    assert_int_equal(
        run(*state, &tb, 2,
            "mov r0, vary \n fadd r0, r0, r5 \n mov r1, vary \n mov tlb_c_ms, r0 \n fadd tlb_c_ms, r1, r5" END),
        GPU_OK);
    for (unsigned l = 0; l < QPU_LANES; l++) {
        const struct gpu_varying *v = &varyings[l >> 2][0];
        assert_true(util_uif(tb.color[0][l]) == v->a * (l & 1) + v->b * (l >> 1 & 1) + v->c);
        assert_true(util_uif(tb.color[1][l]) == 5.0f + (l >> 2));
    }
    /* r5 changes after the instruction that reads a varying, not in it */
    assert_int_equal(
        run(*state, &tb, 2, "mov r0, vary \n mov r1, r5 ; read vary \n mov tlb_c_ms, r1 \n mov tlb_c_ms, r5" END),
        GPU_OK);
    assert_true(util_uif(tb.color[0][4]) == 200.0f);
    assert_true(util_uif(tb.color[1][4]) == 6.0f);
}

/* Varyings become infinity instead of NaN. Hosts differ in which of two NaNs an operation returns and in the sign of a
 * new NaN; the result must not depend on that. */
static void no_varying_is_a_nan(void **state)
{
    const float nan = util_uif(0x7fc12345), other = util_uif(0xffabcdef), inf = util_uif(0x7f800000);
    const struct gpu_varying odd[GPU_QUADS][2] = {
        {{nan, other, 0}, {other, nan, 0}},
        {{nan, 1.0f, 0}, {1.0f, other, 0}},
        {{inf, -inf, 0}, {-inf, inf, 0}},
        {{-inf, -inf, 0}, {-1.0f, -2.0f, 0}},
    };
    struct tile_buffer tb;

    assert_int_equal(run_with(*state, &tb, odd, 2, "mov tlb_c_ms, vary \n mov tlb_c_ms, vary" END), GPU_OK);
    for (unsigned l = 0; l < 15; l++) {
        assert_int_equal(tb.color[0][l], 0x7f800000);
        if (l < 8)
            assert_int_equal(tb.color[1][l], 0x7f800000);
    }
    assert_int_equal(tb.color[0][15], 0xff800000);
    assert_true(util_uif(tb.color[1][15]) == -3.0f);
}

static void all_varyings_must_be_read(void **state)
{
    struct harness *h = *state;
    struct tile_buffer tb;

    assert_int_equal(run(h, &tb, 2, "mov r0, vary" END), GPU_HANG);
    assert_non_null(strstr(h->message, "does not read all"));
    assert_int_equal(run(h, &tb, 1, "mov r0, vary \n mov r0, vary" END), GPU_HANG);
    assert_non_null(strstr(h->message, "more varyings"));
    assert_int_equal(run(h, &tb, 0, "mov r0, vpm" END), GPU_HANG);
    assert_non_null(strstr(h->message, "VPM"));
}

static void depth_and_discard(void **state)
{
    struct tile_buffer tb;

    assert_int_equal(run(*state, &tb, 0,
                         "ldi stencil_setup, 0x1234 \n sub.sf nop, elem, 8 \n mov.ifn tlb_z, rb15 \n nop \n nop \n"
                         "mov tlb_c_ms, ms_flags \n mov.ifnn tlb_c, 1" END),
                     GPU_OK);
    assert_int_equal(tb.stencils, 1);
    assert_int_equal(tb.stencil[0], 0x1234);
    assert_int_equal(tb.z_tests, 1);
    assert_int_equal(tb.z_lanes, 0x00ff);
    assert_int_equal(tb.z[2], 1002);
    assert_int_equal(tb.color[0][2], 15);
    assert_int_equal(tb.color[0][1], 0);
    assert_int_equal(tb.color_lanes[1], 0xff00);
}

static void coverage_can_be_changed(void **state)
{
    struct tile_buffer tb;

    assert_int_equal(
        run(*state, &tb, 0, "sub.sf nop, elem, 4 \n mov.ifn ms_flags, 5 \n nop \n mov tlb_c, ms_flags" END), GPU_OK);
    assert_int_equal(tb.color[0][0], 5);
    assert_int_equal(tb.color[0][4], 15);
}

static void color_loads(void **state)
{
    struct tile_buffer tb;

    assert_int_equal(
        run(*state, &tb, 0, "nop ; load_color \n mov r0, r4 ; load_color \n mov tlb_c_ms, r0 \n mov tlb_c_ms, r4" END),
        GPU_OK);
    assert_int_equal(tb.color[0][0], 0x1000);
    assert_int_equal(tb.color[1][0], 0x11000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_its_payload),         cmocka_unit_test(varyings_come_in_order),
        cmocka_unit_test(no_varying_is_a_nan),       cmocka_unit_test(all_varyings_must_be_read),
        cmocka_unit_test(depth_and_discard),
        cmocka_unit_test(coverage_can_be_changed),   cmocka_unit_test(color_loads),
    };
    return cmocka_run_group_tests_name("gpu_qpu_fragment", tests, harness_setup, harness_teardown);
}
