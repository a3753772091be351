/* SPDX-License-Identifier: MIT
 *
 * Every register of V3D by itself: its value after a reset, which bits can be written and read back, and what is there
 * where no register is. What lists and programs do to registers is in lists.c and user.c.
 */
#include "bench.h"

/* What the guide says of each register that is only storage, or identity. */
static const struct {
    uint32_t offset, reset, writable;
} storage[] = {
    {V3D_IDENT0, 0x02443356, 0},
    {V3D_IDENT1, 0xc1102431, 0},
    {V3D_IDENT2, 0x00000121, 0},
    {V3D_SCRATCH, 0, 0xffffffff},
    {V3D_CT0CA, 0, 0xffffffff},
    {V3D_CT0CA + 4, 0, 0xffffffff},
    {V3D_CT0RA0, 0, 0},
    {V3D_CT0RA0 + 4, 0, 0},
    {V3D_CT0LC, 0, 0},
    {V3D_CT0LC + 4, 0, 0},
    {V3D_CT0PC, 0, 0},
    {V3D_CT0PC + 4, 0, 0},
    {V3D_PCS, 0, 0},
    {V3D_BFC, 0, 0},
    {V3D_RFC, 0, 0},
    {V3D_BPCA, 0, 0},
    {V3D_BPCS, 0, 0},
    {V3D_BPOA, 0, 0xffffffff},
    {V3D_BPOS, 0, 0xffffffff},
    {V3D_BXCF, 0, 0x3},
    {V3D_SQRSV0, 0, 0xffffffff},
    {V3D_SQRSV1, 0, 0xffffffff},
    {V3D_SQCNTL, 0, 0xf},
    {V3D_SRQUA, 0, 0xffffffff},
    {V3D_SRQUL, 0, 0xfff},
    {V3D_VPACNTL, 0, 0x3fff},
    {V3D_VPMBASE, 0, 0x1f},
    {V3D_PCTRE, 0, 0x8000ffff},
    {V3D_DBQITE, 0, 0xffff},
    {V3D_DBQITC, 0, 0},
    {V3D_DBGE, 0, 0},
    {V3D_FDBGO, 0, 0},
    {V3D_FDBGB, 0, 0},
    {V3D_FDBGR, 0, 0},
    {V3D_FDBGS, 0, 0},
    {V3D_ERRSTAT, 1 << 12, 0},
    {V3D_SLCACTL, 0, 0},
    {V3D_PCTRC, 0, 0},
};

static void storage_keeps_its_bits(void **state)
{
    struct bench *b = *state;
    for (unsigned i = 0; i < sizeof storage / sizeof *storage; i++)
        assert_int_equal(rd(b, storage[i].offset), storage[i].reset);
    for (unsigned pass = 0; pass < 2; pass++) {
        const uint32_t value = pass ? 0x5a5a5a5a : 0xffffffff;
        for (unsigned i = 0; i < sizeof storage / sizeof *storage; i++) {
            const uint32_t expected = (storage[i].reset & ~storage[i].writable) | (value & storage[i].writable);
            wr(b, storage[i].offset, value);
            if (rd(b, storage[i].offset) != expected)
                fail_msg("register 0x%03x: 0x%08x, expected 0x%08x", storage[i].offset, rd(b, storage[i].offset),
                         expected);
        }
    }
    board_v3d_reset(b->v3d);
    for (unsigned i = 0; i < sizeof storage / sizeof *storage; i++)
        assert_int_equal(rd(b, storage[i].offset), storage[i].reset);
}

static void counters_and_their_sources(void **state)
{
    struct bench *b = *state;
    for (uint32_t n = 0; n < PCTR_COUNTERS; n++) {
        wr(b, V3D_PCTR0 + 8 * n, 0x1000 + n);
        wr(b, V3D_PCTR0 + 8 * n + 4, 0xffffffe0 + n);
    }
    for (uint32_t n = 0; n < PCTR_COUNTERS; n++) {
        assert_int_equal(rd(b, V3D_PCTR0 + 8 * n), 0x1000 + n);
        assert_int_equal(rd(b, V3D_PCTR0 + 8 * n + 4), n);
    }
    wr(b, V3D_PCTRC, 0x8001);
    for (uint32_t n = 0; n < PCTR_COUNTERS; n++)
        assert_int_equal(rd(b, V3D_PCTR0 + 8 * n), n == 0 || n == 15 ? 0 : 0x1000 + n);
    assert_int_equal(rd(b, V3D_PCTR0 + 0x80), 0); /* there is no 17th */
}

static void cache_control(void **state)
{
    struct bench *b = *state;
    assert_int_equal(rd(b, V3D_L2CACTL), 0);
    wr(b, V3D_L2CACTL, 1);
    assert_int_equal(rd(b, V3D_L2CACTL), 1);
    wr(b, V3D_L2CACTL, 4); /* clears the cache only */
    assert_int_equal(rd(b, V3D_L2CACTL), 1);
    wr(b, V3D_L2CACTL, 0); /* has no effect */
    assert_int_equal(rd(b, V3D_L2CACTL), 1);
    wr(b, V3D_L2CACTL, 2);
    assert_int_equal(rd(b, V3D_L2CACTL), 0);
}

static void interrupts_are_enabled_and_disabled_by_bits(void **state)
{
    struct bench *b = *state;
    assert_int_equal(rd(b, V3D_INTENA), 0);
    wr(b, V3D_INTENA, 0xfffffff3);
    assert_int_equal(rd(b, V3D_INTENA), 0x3);
    wr(b, V3D_INTENA, 0x4);
    assert_int_equal(rd(b, V3D_INTENA), 0x7);
    wr(b, V3D_INTDIS, 0x5);
    assert_int_equal(rd(b, V3D_INTENA), 0x2);
    wr(b, V3D_INTCTL, 0xf); /* status bits cannot be set */
    assert_int_equal(rd(b, V3D_INTCTL), 0);
    assert_false(board_v3d_interrupt(b->v3d));
}

static void end_address_of_a_stopped_list(void **state)
{
    struct bench *b = *state;
    for (unsigned n = 0; n < 2; n++) {
        wr(b, ct(V3D_CT0CA, n), 0x1234);
        wr(b, ct(V3D_CT0EA, n), 0x1234); /* an empty list: nothing starts */
        assert_int_equal(rd(b, ct(V3D_CT0EA, n)), 0x1234);
        assert_int_equal(rd(b, ct(V3D_CT0CA, n)), 0x1234);
        assert_int_equal(rd(b, ct(V3D_CT0CS, n)), 0);
    }
}

static void other_offsets_are_empty(void **state)
{
    struct bench *b = *state;
    for (uint32_t offset = 0; offset < 2 * BOARD_V3D_SIZE_B; offset++) {
        bool is_known = (offset >= V3D_CT0CS && offset < V3D_PCS && offset % 4 == 0) || offset == V3D_SRQPC ||
                        (offset >= V3D_PCTR0 && offset < V3D_PCTR_END && offset % 4 == 0) || offset == V3D_L2CACTL ||
                        (offset >= V3D_INTCTL && offset <= V3D_INTDIS && offset % 4 == 0) || offset == V3D_SRQCS;
        for (unsigned i = 0; i < sizeof storage / sizeof *storage; i++)
            is_known |= storage[i].offset == offset;
        if (is_known)
            continue;
        wr(b, offset, 0xffffffff);
        assert_int_equal(rd(b, offset), 0);
    }
    wr(b, 0xfffffffc, 1);
    assert_int_equal(rd(b, 0xfffffffc), 0);
}

static void machines_that_cannot_be(void **state)
{
    struct bench *b = *state;
    struct board_v3d *v3d;
    struct board_v3d_machine machine = {.memory = b->scene->mem.base, .memory_size_B = 0x10000};
    assert_int_equal(board_v3d_version(), BOARD_V3D_VERSION);
    machine.memory_addr = 0xffff1000; /* ends above 4 GiB */
    assert_true(board_v3d_create(&machine, &v3d) < 0);
    machine.memory_addr = 0x1010;
    assert_true(board_v3d_create(&machine, &v3d) < 0);
    machine.memory_addr = 0;
    machine.memory_size_B = 0;
    assert_true(board_v3d_create(&machine, &v3d) < 0);
    machine.memory_size_B = 0x1000;
    machine.memory = NULL;
    assert_true(board_v3d_create(&machine, &v3d) < 0);
    board_v3d_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(storage_keeps_its_bits, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(counters_and_their_sources, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(cache_control, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(interrupts_are_enabled_and_disabled_by_bits, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(end_address_of_a_stopped_list, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(other_offsets_are_empty, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(machines_that_cannot_be, bench_setup, bench_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
