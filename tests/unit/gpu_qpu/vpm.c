/* SPDX-License-Identifier: MIT
 *
 * VPM accesses of QPU programs: every mode of the setup words, strides, wrapping [guide p.53-58].
 */
#include "harness.h"

static uint32_t word(unsigned row, unsigned column)
{
    return 0x40000000u | row << 16 | row << 8 | 0x80u | column;
}

/* Reads `count` vectors with `setup` and writes them as output rows; fails on a fault. */
static void read_vectors(struct harness *h, uint32_t setup, unsigned count)
{
    char text[1024] = "ldi vpm_wr_setup, 0x1a00\n", line[64];

    for (unsigned r = 0; r < GPU_VPM_ROWS; r++) {
        for (unsigned c = 0; c < QPU_LANES; c++)
            h->vpm_in[r][c] = word(r, c);
    }
    snprintf(line, sizeof line, "ldi vpm_rd_setup, 0x%x\n", setup | (count & 15) << 20);
    strcat(text, line);
    for (unsigned n = 0; n < count; n++)
        strcat(text, "mov vpm, vpm\n");
    strcat(text, "nop ; end\n nop\n nop\n");
    harness_code(h, text);
    if (harness_run_vertex(h) != GPU_OK)
        fail_msg("%s", h->message);
}

#define SETUP(stride, horizontal, laned, size, addr)                                                                   \
    ((uint32_t)(stride) << 12 | (uint32_t)(horizontal) << 11 | (uint32_t)(laned) << 10 | (uint32_t)(size) << 8 | (addr))

static void reads(void **state)
{
    struct harness *h = *state;

    read_vectors(h, SETUP(1, 1, 0, 2, 5), 3); /* rows 5, 6, 7 */
    for (unsigned e = 0; e < QPU_LANES; e++) {
        assert_int_equal(h->vpm_out[0][e], word(5, e));
        assert_int_equal(h->vpm_out[2][e], word(7, e));
    }
    read_vectors(h, SETUP(2, 1, 0, 2, 62), 2); /* wraps */
    for (unsigned e = 0; e < QPU_LANES; e++) {
        assert_int_equal(h->vpm_out[0][e], word(62, e));
        assert_int_equal(h->vpm_out[1][e], word(0, e));
    }
    read_vectors(h, SETUP(1, 0, 0, 2, 0x1f), 2); /* columns: rows 16.., column 15, then rows 32.., column 0 */
    for (unsigned e = 0; e < QPU_LANES; e++) {
        assert_int_equal(h->vpm_out[0][e], word(16 + e, 15));
        assert_int_equal(h->vpm_out[1][e], word(32 + e, 0));
    }
    read_vectors(h, SETUP(1, 1, 1, 1, 7 << 1), 2); /* 16 bits laned: low, then high halves of row 7 */
    for (unsigned e = 0; e < QPU_LANES; e++) {
        assert_int_equal(h->vpm_out[0][e], word(7, e) & 0xffff);
        assert_int_equal(h->vpm_out[1][e], word(7, e) >> 16);
    }
    read_vectors(h, SETUP(1, 1, 0, 1, 7 << 1 | 1), 1); /* 16 bits packed: words 8 to 15 */
    for (unsigned e = 0; e < QPU_LANES; e++)
        assert_int_equal(h->vpm_out[0][e], word(7, 8 + e / 2) >> 16 * (e & 1) & 0xffff);
    read_vectors(h, SETUP(1, 1, 1, 0, 9 << 2 | 1), 1); /* 8 bits laned: byte 1 of row 9 */
    for (unsigned e = 0; e < QPU_LANES; e++)
        assert_int_equal(h->vpm_out[0][e], word(9, e) >> 8 & 0xff);
    read_vectors(h, SETUP(1, 1, 0, 0, 9 << 2 | 2), 1); /* 8 bits packed: words 8 to 11 */
    for (unsigned e = 0; e < QPU_LANES; e++)
        assert_int_equal(h->vpm_out[0][e], word(9, 8 + e / 4) >> 8 * (e & 3) & 0xff);
    read_vectors(h, SETUP(1, 0, 0, 0, (1 << 4 | 3) << 2 | 1), 1); /* vertical: column 3, rows 20 to 23 */
    for (unsigned e = 0; e < QPU_LANES; e++)
        assert_int_equal(h->vpm_out[0][e], word(20 + e / 4, 3) >> 8 * (e & 3) & 0xff);
    read_vectors(h, SETUP(1, 0, 1, 1, (2 << 4 | 3) << 1 | 1), 1);
    for (unsigned e = 0; e < QPU_LANES; e++)
        assert_int_equal(h->vpm_out[0][e], word(32 + e, 3) >> 16);
    read_vectors(h, SETUP(1, 1, 0, 2, 0), 16); /* NUM 0 is 16 */
    assert_int_equal(h->vpm_out[15][2], word(15, 2));
}

static void run(struct harness *h, const char *text)
{
    memset(h->vpm_out, 0x11, sizeof h->vpm_out);
    harness_code(h, text);
    if (harness_run_vertex(h) != GPU_OK)
        fail_msg("%s", h->message);
}
#define END "\n nop ; end \n nop \n nop"

static void writes(void **state)
{
    struct harness *h = *state;

    run(h, "ldi vpm_wr_setup, 0x2a3e \n mov vpm, elem \n mov vpm, 7" END); /* rows 62 and, by stride 2, 0 */
    assert_int_equal(h->vpm_out[62][9], 9);
    assert_int_equal(h->vpm_out[0][9], 7);
    assert_int_equal(h->vpm_out[63][9], 0x11111111);
    run(h, "ldi vpm_wr_setup, 0x1d03 \n ldi r1, 0x55aa1234 \n mov vpm, r1" END); /* high halves of row 1, laned */
    assert_int_equal(h->vpm_out[1][4], 0x12341111);
    run(h, "ldi vpm_wr_setup, 0x1806 \n mov vpm, elem" END); /* bytes packed in words 8 to 11 of row 1 */
    assert_int_equal(h->vpm_out[1][8], 0x03020100);
    assert_int_equal(h->vpm_out[1][11], 0x0f0e0d0c);
    assert_int_equal(h->vpm_out[1][12], 0x11111111);
}

static void a_conditional_write_happens_in_all_lanes(void **state)
{
    struct harness *h = *state;

    run(h, "ldi vpm_wr_setup, 0x1a00 \n mov.sf nop, elem \n mov.ifz vpm, 5 \n mov vpm, 6" END);
    assert_int_equal(h->vpm_out[0][0], 5);
    assert_int_equal(h->vpm_out[0][1], 0xdeadbeef);
    assert_int_equal(h->vpm_out[1][1], 6);
}

/* [addendum] A second read setup takes effect only if at most one value of the first is outstanding. */
static void read_setups(void **state)
{
    struct harness *h = *state;

    for (unsigned r = 0; r < 8; r++)
        h->vpm_in[r][0] = r;
    run(h, "ldi vpm_wr_setup, 0x1a00 \n ldi vpm_rd_setup, 0x301a00 \n mov vpm, vpm \n ldi vpm_rd_setup, 0x101a05 \n"
           "mov vpm, vpm \n mov vpm, vpm" END);
    assert_int_equal(h->vpm_out[1][0], 1);
    assert_int_equal(h->vpm_out[2][0], 2);
    run(h, "ldi vpm_wr_setup, 0x1a00 \n ldi vpm_rd_setup, 0x101a00 \n mov vpm, vpm \n ldi vpm_rd_setup, 0x101a05 \n"
           "mov vpm, vpm" END);
    assert_int_equal(h->vpm_out[1][0], 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads),
        cmocka_unit_test(writes),
        cmocka_unit_test(a_conditional_write_happens_in_all_lanes),
        cmocka_unit_test(read_setups),
    };
    return cmocka_run_group_tests_name("gpu_qpu_vpm", tests, harness_setup, harness_teardown);
}
