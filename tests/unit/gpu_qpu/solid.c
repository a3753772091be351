/* SPDX-License-Identifier: MIT
 *
 * Solid fragment programs, which give all pixels of a flat primitive one colour: programs that the model must
 * recognise, programs that break one rule each, and the colours that solid programs give.
 */
#include "harness.h"
#include "model/gpu/gpu_solid.h"

#define END "nop ; nop ; end\nnop\nnop ; nop ; unlock_sb\n"

/* Interpolates one varying into r0. */
#define VARYING "nop ; fmul r0, vary_b, ra15\nfadd r0, r0, r5\n"

static const struct gpu_qpu_program *get(struct harness *h, const char *text)
{
    const char *message = NULL;
    gpu_qpu_begin_job(h->core);
    harness_code(h, text);
    const struct gpu_qpu_program *program = gpu_qpu_program_get(h->core, HARNESS_CODE, &message);
    if (!program)
        fail_msg("%s", message);
    return program;
}

static void are_solid(void **state)
{
    static const struct {
        const char *text;
        bool tests_z, stores_color;
    } rows[] = {
        {END, false, false},
        {"mov tlb_z, rb15\n" END, true, false},
        {"mov tlb_c, unif\n" END, false, true},
        {"ldi tlb_c, 0x12345678 ; ldi nop\n" END, false, true},
        {"mov rb3, rb15\nnop\nmov tlb_z, rb3\nmov tlb_c, 1\n" END, true, true},
        {VARYING "mov tlb_z, rb15\nmov tlb_c, r0\n" END, true, true},
        {VARYING "ftoi r1, r0\nadd r1, r1, unif\nmov tlb_c, r1\n" END, false, true},
        {VARYING "nop ; mov r1.m8a, r0\nnop ; mov r1.m8b, r0\nnop ; mov r1.m8c, r0\nnop ; mov r1.m8d, r0\nmov tlb_c, r1\n" END, false, true},
        {VARYING "mov.sf nop, r0\nmov r1, 1\nmov.ifn r1, r0\nmov tlb_c, r1\n" END, false, true},
        {VARYING "mov recip, r0\nnop\nnop\nmov tlb_c, r4\n" END, false, true},
    };
    struct harness *h = *state;
    for (unsigned n = 0; n < ARRAY_SIZE(rows); n++) {
        const struct gpu_solid_program found = gpu_solid_find(get(h, rows[n].text));
        if (!found.is_solid || found.tests_z != rows[n].tests_z || found.stores_color != rows[n].stores_color)
            fail_msg("program %u: solid %d, Z %d, colour %d", n, found.is_solid, found.tests_z, found.stores_color);
    }
}

static void are_not(void **state)
{
    static const char *const rows[] = {
        "mov r0, x_pix\nmov tlb_c, r0\n" END,            /* depends on the position */
        "mov r0, y_pix\nmov tlb_c, r0\n" END,
        "mov r0, elem\nmov tlb_c, r0\n" END,
        "mov r0, ms_flags\nmov tlb_c, r0\n" END,           /* coverage, face */
        "mov r0, rev_flag\nmov tlb_c, r0\n" END,
        "mov r0, rb15\nmov tlb_c, r0\n" END,               /* depth, W */
        "mov r0, ra15\nmov tlb_c, r0\n" END,
        "nop ; fmul r0, ra15, unif_b\nmov tlb_c, r0\n" END,
        "mov r0, rb15\nadd r0, r0, 1\nmov tlb_z, r0\n" END, /* not the pixel's own depth */
        "mov tlb_z, unif\n" END,
        "mov tlb_z, rb15\nmov tlb_z, rb15\n" END,          /* written twice */
        "mov tlb_c, unif\nmov tlb_c, unif\n" END,
        "mov tlb_c, unif\nmov tlb_z, rb15\n" END,          /* colour before depth */
        "mov tlb_c_ms, unif\n" END,                         /* a store per sample */
        "mov stencil_setup, unif\nmov tlb_c, unif\n" END,
        "mov ms_flags, unif\nmov tlb_c, unif\n" END,
        "mov.sf nop, unif\nmov.ifz tlb_c, unif\n" END,    /* stores in some lanes only */
        "mov.ifz r0, unif\nmov tlb_c, r0\n" END,            /* flags that were never set */
        "mov.sf nop, ra15\nmov r0, 0\nmov.ifz r0, unif\nmov tlb_c, r0\n" END,
        "mov tmu0_s, unif\nnop ; nop ; load_tmu0\nmov tlb_c, r4\n" END,
        "nop ; nop ; load_color\nmov tlb_c, r4\n" END,
        VARYING "mov r5_quad, r0\nmov tlb_c, r5\n" END,         /* moves values between lanes */
        VARYING "nop ; mov.rot1 r1, r0\nmov tlb_c, r1\n" END,
        "mov ra3, unif\nmov tlb_c, ra3\n" END,             /* read before the register is written */
        "mov r0, vary\nfadd r0, r0, ra15\nmov tlb_c, r0\n" END,
    };
    struct harness *h = *state;
    for (unsigned n = 0; n < ARRAY_SIZE(rows); n++)
        if (gpu_solid_find(get(h, rows[n])).is_solid)
            fail_msg("solid: %s", rows[n]);
}

static struct gpu_solid_color color_of(struct harness *h, const char *text, float c, float slope)
{
    const struct gpu_varying varying = {.a = slope, .b = -slope, .c = c}, other = {.c = c + 1};
    const struct gpu_qpu_program *program = get(h, text);
    struct gpu_solid_color color = {0};
    assert_true(gpu_solid_find(program).is_solid);
    assert_int_equal(gpu_solid_is_flat(&varying, 1), slope == 0);
    gpu_solid_set_varyings(&color, &varying, 1);
    assert_false(color.is_known);
    gpu_solid_run(h->core, program, HARNESS_UNIFORMS, NULL, &color);
    gpu_solid_set_varyings(&color, &varying, 1);
    assert_true(color.is_known);
    const struct gpu_solid_color found = color;
    gpu_solid_set_varyings(&color, &other, 1);
    assert_false(color.is_known);
    color = found;
    return color;
}

static void colors(void **state)
{
    struct harness *h = *state;
    const uint32_t word = 100;
    harness_uniforms(h, &word, 1);
    struct gpu_solid_color color = color_of(h, VARYING "ftoi r1, r0\nadd r1, r1, unif\nmov tlb_c, r1\n" END, 23, 0);
    assert_true(color.is_solid);
    assert_int_equal(color.color, 123);

    /* The sign of zero differs between pixels: a program whose result depends on it is not solid. */
    color = color_of(h, "mov r0, vary\nmov tlb_c, r0\n" END, 0, 0);
    assert_false(color.is_solid);
    color = color_of(h, "mov r0, vary\nftoi r0, r0\nmov tlb_c, r0\n" END, 0, 0);
    assert_true(color.is_solid);
    assert_int_equal(color.color, 0);

    /* A program that fails is not solid either. */
    color = color_of(h, "mov r0, vary\nmov r1, vary\nmov tlb_c, 1\n" END, 0, 0);
    assert_false(color.is_solid);

    const struct gpu_varying steep = {.b = 1e-30f};
    assert_false(gpu_solid_is_flat(&steep, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(are_solid, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(are_not, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(colors, harness_setup, harness_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
