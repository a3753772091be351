/* SPDX-License-Identifier: MIT
 *
 * VPM DMA in every mode, compared with plain loops over a copy of the VPM [guide p.56-60].
 */
#include <stdlib.h>
#include "harness.h"

#define ROWS 64

/* The expected contents of the VPM's 64 rows. Bytes past the end of the VPM go to the second half, which is not
 * compared. */
static uint32_t vpm[2 * ROWS][16];

static uint32_t pattern(unsigned n)
{
    return n * 2654435761u ^ 0x5a5a0000;
}

/* Runs a program that loads the pattern into 64 rows, executes `text` and stores all rows to OUT. */
static void run_between(struct harness *h, const char *text)
{
    char all[4096] = "", line[128];

    harness_clear(h);
    for (unsigned n = 0; n < ROWS * 16; n++) {
        harness_words(h, DATA)[n] = pattern(n);
        vpm[n / 16][n % 16] = pattern(n);
    }
    for (unsigned n = 0; n < 0x4000; n++)
        harness_words(h, DATA + 0x10000)[n] = pattern(n + 5000);
    for (unsigned block = 0; block < 4; block++) {
        snprintf(line, sizeof line, "ldi vpm_rd_setup, 0x%x \n ldi vpm_ld_addr, 0x%x \n mov nop, vpm_ld_wait\n",
                 0x83001000 | block << 8, DATA + 1024 * block);
        strcat(all, line);
    }
    strcat(all, text);
    snprintf(line, sizeof line, "\n ldi vpm_wr_setup, 0xc0000000 \n ldi vpm_wr_setup, 0x%x \n ldi vpm_st_addr, 0x%x\n",
             0x80000000u | 64u << 23 | 16 << 16 | 1 << 14, OUT);
    strcat(all, line);
    strcat(all, "mov nop, vpm_st_wait" END);
    harness_code(h, CODE, all);
    harness_run_copies(h, 1, 0);
}

/* The VPM byte that holds byte `b` of element `e` of a row. A vertical row runs down one column. */
static uint8_t *byte_at(unsigned y, unsigned x, bool vertical, unsigned size_B, unsigned part, unsigned e, unsigned b)
{
    unsigned bytes = (part + e) * size_B + b;

    if (vertical)
        return (uint8_t *)vpm + ((y + bytes / 4 + x / 16 * 16) * 16 + x % 16) * 4 + bytes % 4;
    return (uint8_t *)vpm + (y * 16 + x) * 4 + bytes;
}

static unsigned size_of(unsigned mode)
{
    return mode >= 4 ? 1 : mode >= 2 ? 2 : 4;
}

static void store(struct harness *h, unsigned rows, unsigned length, bool vertical, unsigned y, unsigned x,
                  unsigned mode, unsigned stride_B, bool block_mode)
{
    unsigned size_B = size_of(mode), part = mode & (4 / size_B - 1);
    uint32_t to = OUT + 0x8000 + 4 * mode;
    uint8_t *expected = calloc(1, 0x8000);
    char text[256];

    snprintf(text, sizeof text, "ldi vpm_wr_setup, 0x%x \n ldi vpm_wr_setup, 0x%x \n ldi vpm_st_addr, 0x%x \n",
             0xc0000000u | (unsigned)block_mode << 16 | stride_B,
             0x80000000u | (rows & 127) << 23 | (length & 127) << 16 | (unsigned)!vertical << 14 | y << 7 | x << 3 |
                 mode,
             to);
    run_between(h, text);
    for (unsigned r = 0; r < rows; r++) {
        for (unsigned i = 0; i < length * size_B; i++)
            expected[to - OUT - 0x8000 + r * (length * size_B + (block_mode ? 0 : stride_B)) + i] =
                *byte_at(vertical ? y : y + r, vertical ? x + r : x, vertical, size_B, part, i / size_B, i % size_B);
    }
    assert_memory_equal(h->mem.base + OUT + 0x8000, expected, 0x8000);
    assert_memory_equal(h->mem.base + OUT, vpm, ROWS * sizeof vpm[0]); /* the VPM is unchanged */
    free(expected);
}

static void stores(void **state)
{
    struct harness *h = *state;

    store(h, 64, 16, false, 0, 0, 0, 0, false);
    store(h, 1, 16, false, 7, 0, 0, 0, false);
    store(h, 5, 3, false, 9, 6, 0, 100, false); /* a gap after each row */
    store(h, 5, 3, false, 9, 6, 0, 100, true);  /* no gap in block mode */
    store(h, 1, 128, false, 2, 0, 0, 0, false); /* one row spans several VPM rows */
    store(h, 4, 16, true, 16, 5, 0, 0, false);
    store(h, 20, 16, true, 0, 3, 0, 64, false); /* columns continue 16 rows below */
    for (unsigned mode = 2; mode < 8; mode++) {
        unsigned parts = 4 / size_of(mode);
        store(h, 4, 16, false, 3, 2, mode, 12, false);
        store(h, 4, 16, true, 32, 2, mode, 0, false);
        store(h, 2, 16 * parts - (mode & (parts - 1)), false, 3, 0, mode, 4, false);
    }
}

static void load(struct harness *h, unsigned rows, unsigned length, bool vertical, unsigned y, unsigned x,
                 unsigned mode, unsigned vpm_pitch, unsigned mpitch, unsigned pitch_B)
{
    unsigned size_B = size_of(mode), part = mode & (4 / size_B - 1), step = vpm_pitch ? vpm_pitch : 16;
    unsigned memory_pitch_B = mpitch ? 8u << mpitch : pitch_B;
    uint32_t from = DATA + 0x10000 + 16 + mode;
    char text[256];

    snprintf(text, sizeof text,
             "ldi vpm_rd_setup, 0x%x \n ldi vpm_rd_setup, 0x%x \n ldi vpm_ld_addr, 0x%x \n mov nop, vpm_ld_wait \n",
             0x90000000u | pitch_B,
             0x80000000u | mode << 28 | mpitch << 24 | (length & 15) << 20 | (rows & 15) << 16 | vpm_pitch << 12 |
                 (unsigned)vertical << 11 | y << 4 | x,
             from);
    run_between(h, text);
    for (unsigned r = 0; r < rows; r++) {
        for (unsigned i = 0; i < length * size_B; i++)
            *byte_at(y + r * step, x, vertical, size_B, part, i / size_B,
                     i % size_B) = h->mem.base[from + r * memory_pitch_B + i];
    }
    assert_memory_equal(h->mem.base + OUT, vpm, ROWS * sizeof vpm[0]);
}

static void loads(void **state)
{
    struct harness *h = *state;

    load(h, 16, 16, false, 4, 0, 0, 1, 3, 0);
    load(h, 1, 16, false, 63, 0, 0, 1, 3, 0);
    load(h, 8, 8, false, 4, 4, 0, 1, 2, 0);   /* 32 bytes per row */
    load(h, 4, 16, false, 1, 0, 0, 0, 4, 0);  /* every 16th row */
    load(h, 5, 7, false, 1, 2, 0, 3, 0, 520); /* the extended pitch */
    load(h, 3, 5, false, 1, 2, 0, 1, 0, 8);   /* rows that overlap in memory */
    load(h, 4, 16, true, 0, 5, 0, 0, 3, 0);   /* a column of 64 */
    load(h, 16, 16, true, 48, 0, 0, 1, 3, 0); /* columns that overlap */
    load(h, 3, 9, true, 16, 1, 0, 5, 6, 0);
    for (unsigned mode = 2; mode < 8; mode++) {
        load(h, 6, 16, false, 3, 1, mode, 2, 1, 0);
        load(h, 6, 13, true, 16, 1, mode, 1, 0, 34);
    }
}

#define OWN_WRITE "ldi vpm_wr_setup, 0x20001a%02x \n"
#define OWN_READ  "ldi vpm_rd_setup, 0x20101a%02x \n"

/* Four programs keep vectors in the first and the last of their own rows while the others do the same. */
static void each_program_has_its_own_rows(void **state)
{
    struct harness *h = *state;
    char text[1024];

    harness_clear(h);
    for (unsigned n = 0; n < 4; n++) {
        harness_words(h, UNIFORMS)[2 * n] = 1000 * n;
        harness_words(h, UNIFORMS)[2 * n + 1] = OUT + 128 * n;
    }
    snprintf(text, sizeof text,
             "mov ra0, elem \n mov r1, unif \n" OWN_WRITE "add vpm, ra0, r1 \n" OWN_WRITE "sub vpm, r1, ra0 \n"
             "mov ra1, unif \n sem nop, 1 \n sem nop, 17 \n" /* other programs run in between */
             OWN_READ "mov r2, vpm \n" OWN_READ "mov r3, vpm \n"
             "ldi vpm_wr_setup, 0x20001a07 \n mov vpm, r2 \n ldi vpm_wr_setup, 0x40000407 \n mov vpm_st_addr, ra1 \n"
             "ldi r0, 64 \n ldi vpm_wr_setup, 0x20001a07 \n mov vpm, r3 \n ldi vpm_wr_setup, 0x40000407 \n"
             "add vpm_st_addr, ra1, r0" END,
             0u, 255u, 0u, 255u);
    harness_code(h, CODE, text);
    harness_run_copies(h, 4, 2);
    for (unsigned n = 0; n < 4; n++) {
        for (unsigned l = 0; l < 16; l++) {
            assert_int_equal(harness_words(h, OUT + 128 * n)[l], 1000 * n + l);
            assert_int_equal(harness_words(h, OUT + 128 * n + 64)[l], 1000 * n - l);
        }
    }
}

/* Loads a word from DATA + first_B + step_B * lane into each lane and stores `mode` of it at OUT + first_B + step_B *
 * lane. */
static void move_lanes(struct harness *h, uint32_t mode, uint32_t first_B, uint32_t step_B)
{
    char text[1024];

    harness_clear(h);
    for (unsigned n = 0; n < 0x1000; n++)
        harness_words(h, DATA)[n] = pattern(n);
    snprintf(text, sizeof text,
             "mov r0, elem \n ldi r1, 0x%x \n mul24 r0, r0, r1 \n ldi r1, 0x%x \n add r1, r0, r1 \n"
             "ldi vpm_rd_setup, 0x40000005 \n mov vpm_ld_addr, r1 \n"
             "ldi r1, 0x%x \n add r1, r0, r1 \n ldi vpm_wr_setup, 0x%x \n mov vpm_st_addr, r1" END,
             step_B, DATA + first_B, OUT + first_B, 0x40000005u | mode);
    harness_code(h, CODE, text);
    harness_run_copies(h, 1, 0);
}

static void own_rows_move_lanes(void **state)
{
    struct harness *h = *state;
    static const struct {
        uint32_t mode, size_B;
    } modes[] = {{0, 4}, {0x100, 2}, {0x200, 1}};
    static const uint32_t steps_B[] = {4, 8, 20, 0x300, 0};

    for (unsigned m = 0; m < ARRAY_SIZE(modes); m++) {
        for (unsigned k = 0; k < ARRAY_SIZE(steps_B); k++) {
            const uint32_t first_B = 0x200;
            uint8_t expected[0x4000] = {0};
            move_lanes(h, modes[m].mode, first_B, steps_B[k]);
            for (unsigned l = 0; l < 16; l++)
                memcpy(&expected[first_B + steps_B[k] * l], h->mem.base + DATA + first_B + steps_B[k] * l,
                       modes[m].size_B);
            assert_memory_equal(h->mem.base + OUT, expected, sizeof expected);
            assert_int_equal(h->result.stray_accesses, 0);
        }
    }
}

static void lanes_outside_of_memory(void **state)
{
    struct harness *h = *state;

    move_lanes(h, 0, HOLE - DATA - 8, 8); /* lane 0 loads below the hole; beyond OUT's memory for all others */
    assert_int_equal(h->result.stray_accesses, 15 + 16);
}

/* On the chip the same setups are for the VPM's row, or reserved. */
static void chip_has_no_own_rows(void **state)
{
    struct harness *h = *state;
    struct gpu_user_request request = {CODE, 0, 0};

    run_between(h, "mov r0, elem \n ldi vpm_wr_setup, 0x20001a03 \n mov vpm, r0 \n");
    for (unsigned n = 0; n < 16; n++)
        assert_int_equal(harness_words(h, OUT)[3 * 16 + n], n);
    harness_code(h, CODE, "ldi vpm_wr_setup, 0x40000003" END);
    assert_int_equal(harness_run(h, &request, 1), GPU_HANG);
    assert_non_null(strstr(h->message, "reserved code"));
}

/* Outside of mapped memory, stores are dropped and loads give zeros. Both are counted. */
static void stray_accesses(void **state)
{
    struct harness *h = *state;
    char text[256];

    snprintf(text, sizeof text,
             "ldi vpm_rd_setup, 0x83011000 \n ldi vpm_ld_addr, 0x%x \n mov nop, vpm_ld_wait \n"
             "ldi vpm_wr_setup, 0x%x \n ldi vpm_st_addr, 0x%x \n",
             HOLE - 8, 0x80904000u | 1 << 7, HOLE - 16);
    run_between(h, text);
    assert_int_equal(h->result.stray_accesses, 14 + 12);
    assert_int_equal(harness_words(h, OUT)[2], 0); /* loaded from the hole */
    assert_int_equal(harness_words(h, HOLE - 4)[0], vpm[1][3]);
    assert_int_equal(harness_words(h, HOLE)[0], 0);
}

static void transfers_without_setup(void **state)
{
    struct harness *h = *state;
    struct gpu_user_request request = {CODE, 0, 0};

    harness_code(h, CODE, "ldi vpm_st_addr, 0x40000" END);
    assert_int_equal(harness_run(h, &request, 1), GPU_HANG);
    assert_non_null(strstr(h->message, "without setup"));
    harness_code(h, CODE, "ldi vpm_ld_addr, 0x40000" END);
    assert_int_equal(harness_run(h, &request, 1), GPU_HANG);
    assert_non_null(strstr(h->message, "without setup"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores),
        cmocka_unit_test(loads),
        cmocka_unit_test_setup_teardown(each_program_has_its_own_rows, harness_setup_engine, harness_teardown),
        cmocka_unit_test_setup_teardown(own_rows_move_lanes, harness_setup_engine, harness_teardown),
        cmocka_unit_test_setup_teardown(lanes_outside_of_memory, harness_setup_engine, harness_teardown),
        cmocka_unit_test(chip_has_no_own_rows),
        cmocka_unit_test(stray_accesses),
        cmocka_unit_test(transfers_without_setup),
    };
    return cmocka_run_group_tests_name("gpu_user_dma", tests, harness_setup, harness_teardown);
}
