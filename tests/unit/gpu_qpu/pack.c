/* SPDX-License-Identifier: MIT
 *
 * The pack and unpack units: expected values for each mode.
 */
#include <math.h>
#include "harness.h"

static uint32_t unpacked(unsigned mode, bool to_float, uint32_t word)
{
    union gpu_vec in, out;
    struct gpu_fp_mode fp = gpu_fp_enter();

    gpu_vec_splat(&in, word);
    gpu_unpack_a(mode, to_float, &in, &out);
    gpu_fp_leave(fp);
    return out.u[7];
}

static void unpack_as_integer(void **state)
{
    assert_int_equal(unpacked(QPU_UNPACK_NONE, false, 0x80fe7f01), 0x80fe7f01);
    assert_int_equal(unpacked(QPU_UNPACK_16A, false, 0x80fe7f01), 0x7f01);
    assert_int_equal(unpacked(QPU_UNPACK_16B, false, 0x80fe7f01), 0xffff80fe);
    assert_int_equal(unpacked(QPU_UNPACK_8D_REP, false, 0x80fe7f01), 0x80808080);
    assert_int_equal(unpacked(QPU_UNPACK_8A, false, 0x80fe7f01), 0x01);
    assert_int_equal(unpacked(QPU_UNPACK_8B, false, 0x80fe7f01), 0x7f);
    assert_int_equal(unpacked(QPU_UNPACK_8C, false, 0x80fe7f01), 0xfe);
    assert_int_equal(unpacked(QPU_UNPACK_8D, false, 0x80fe7f01), 0x80);
}

static void unpack_as_float(void **state)
{
    assert_int_equal(unpacked(QPU_UNPACK_16A, true, 0xc0003c00), 0x3f800000);
    assert_int_equal(unpacked(QPU_UNPACK_16B, true, 0xc0003c00), 0xc0000000);
    assert_int_equal(unpacked(QPU_UNPACK_16A, true, 0x7c00), 0x7f800000);
    assert_int_equal(unpacked(QPU_UNPACK_8D_REP, true, 0x80fe7f01), 0x80808080);
    assert_int_equal(unpacked(QPU_UNPACK_8D, true, 0xff000000), 0x3f800000);
    assert_int_equal(unpacked(QPU_UNPACK_8A, true, 0xffffff00), 0);
    for (unsigned byte = 0; byte < 256; byte++) { /* byte / 255 rounded toward zero */
        double value = util_uif(unpacked(QPU_UNPACK_8B, true, byte << 8));
        double next = nextafterf((float)value, 2.0f);
        assert_true(value * 255 <= byte && next * 255 > byte);
    }
}

static void packed_a(unsigned mode, bool is_float, uint32_t word, uint32_t value, uint32_t mask)
{
    union gpu_vec in, out;
    uint32_t bits;

    gpu_vec_splat(&in, word);
    bits = gpu_pack_a(mode, is_float, &in, &out);
    assert_int_equal(bits, mask);
    assert_int_equal(out.u[3] & bits, value);
}

static void pack_file_a(void **state)
{
    packed_a(QPU_PACK_A_NONE, false, 0x12345678, 0x12345678, ~0u);
    packed_a(QPU_PACK_A_16A, false, 0x12345678, 0x5678, 0xffff);
    packed_a(QPU_PACK_A_16B, false, 0x12345678, 0x56780000, 0xffff0000);
    packed_a(QPU_PACK_A_16A, true, 0x3f800000, 0x3c00, 0xffff);
    packed_a(QPU_PACK_A_16B, true, 0xc0000000, 0xc0000000, 0xffff0000);
    packed_a(QPU_PACK_A_16A, true, 0x7fc00000, 0x7c00, 0xffff); /* NaN: infinity */
    packed_a(QPU_PACK_A_16A, true, 0x47800000, 0x7c00, 0xffff); /* 65536: infinity */
    packed_a(QPU_PACK_A_16A, true, 0xb3800000, 0, 0xffff);      /* would be a half denormal */
    packed_a(QPU_PACK_A_16A, true, 0x3f7fffff, 0x3c00, 0xffff); /* rounds away from zero */
    packed_a(QPU_PACK_A_16A, true, 0x46fffe00, 0x7800, 0xffff);
    packed_a(QPU_PACK_A_16A, true, 0xbf800001, 0xbc01, 0xffff);
    packed_a(QPU_PACK_A_16A, true, 0x3f802000, 0x3c01, 0xffff);
    packed_a(QPU_PACK_A_16A, true, 0x477fe001, 0x7c00, 0xffff); /* beyond the largest half */
    packed_a(QPU_PACK_A_16A, true, 0x38800000, 0x0400, 0xffff); /* the smallest normal one */
    packed_a(QPU_PACK_A_16A, true, 0x387fffff, 0, 0xffff);
    packed_a(QPU_PACK_A_8888, false, 0x12345678, 0x78787878, ~0u);
    packed_a(QPU_PACK_A_8A, false, 0x12345678, 0x78, 0xff);
    packed_a(QPU_PACK_A_8B, false, 0x12345678, 0x7800, 0xff00);
    packed_a(QPU_PACK_A_8C, false, 0x12345678, 0x780000, 0xff0000);
    packed_a(QPU_PACK_A_8D, false, 0x12345678, 0x78000000, 0xff000000);
    packed_a(QPU_PACK_A_16A_SAT, false, 0x12345678, 0x7fff, 0xffff);
    packed_a(QPU_PACK_A_16B_SAT, false, 0x82345678, 0x80000000, 0xffff0000);
    packed_a(QPU_PACK_A_16B_SAT, true, 0xc0000000, 0xc0000000, 0xffff0000);
    packed_a(QPU_PACK_A_8888_SAT, false, 256, 0xffffffff, ~0u);
    packed_a(QPU_PACK_A_8A_SAT, false, (uint32_t)-1, 0, 0xff);
    packed_a(QPU_PACK_A_8B_SAT, false, 77, 77 << 8, 0xff00);
    packed_a(QPU_PACK_A_8C_SAT, false, 1000, 0xff0000, 0xff0000);
    packed_a(QPU_PACK_A_8D_SAT, false, 1000, 0xff000000, 0xff000000);
}

static uint32_t packed_mul(unsigned mode, uint32_t word)
{
    union gpu_vec in, out;
    struct gpu_fp_mode fp = gpu_fp_enter();
    uint32_t bits;

    gpu_vec_splat(&in, word);
    bits = gpu_pack_mul(mode, &in, &out);
    gpu_fp_leave(fp);
    return out.u[0] & bits;
}

static void pack_mul(void **state)
{
    assert_int_equal(packed_mul(QPU_PACK_MUL_NONE, 0x12345678), 0x12345678);
    assert_int_equal(packed_mul(QPU_PACK_MUL_8888, 0x3f800000), 0xffffffff);
    assert_int_equal(packed_mul(QPU_PACK_MUL_8A, 0x3f000000), 0x80); /* 127.5 rounds to nearest */
    assert_int_equal(packed_mul(QPU_PACK_MUL_8B, 0x40000000), 0xff00);
    assert_int_equal(packed_mul(QPU_PACK_MUL_8C, 0xbf800000), 0);
    assert_int_equal(packed_mul(QPU_PACK_MUL_8D, 0x7f800000), 0xff000000);
    assert_int_equal(packed_mul(QPU_PACK_MUL_8D, 0xff800000), 0);
}

/* Unpacking a byte to a float and packing it again must give the same byte: masked writes rely on it. */
static void bytes_survive(void **state)
{
    for (uint32_t byte = 0; byte < 256; byte++)
        assert_int_equal(packed_mul(QPU_PACK_MUL_8A, unpacked(QPU_UNPACK_8A, true, byte)), byte);
}

static uint32_t saturated(unsigned op, unsigned pack, uint32_t x, uint32_t y)
{
    union gpu_vec a, b, r;

    gpu_vec_splat(&a, x);
    gpu_vec_splat(&b, y);
    gpu_add_fn(op)(&a, &b, &r);
    gpu_add_saturate(op, pack, &a, &b, &r);
    return r.u[5];
}

static void overflow(void **state)
{
    assert_int_equal(saturated(QPU_A_ADD, QPU_PACK_A_32_SAT, 0x7fffffff, 1), 0x7fffffff);
    assert_int_equal(saturated(QPU_A_ADD, QPU_PACK_A_32_SAT, 0x80000000, 0xffffffff), 0x80000000);
    assert_int_equal(saturated(QPU_A_ADD, QPU_PACK_A_32_SAT, 0x7fffffff, 0xffffffff), 0x7ffffffe);
    /* sub saturates to the wrong end */
    assert_int_equal(saturated(QPU_A_SUB, QPU_PACK_A_32_SAT, 0x80000000, 1), 0x7fffffff);
    assert_int_equal(saturated(QPU_A_SUB, QPU_PACK_A_32_SAT, 0x7fffffff, 0xffffffff), 0x80000000);
    assert_int_equal(saturated(QPU_A_SUB, QPU_PACK_A_32_SAT, 5, 7), 0xfffffffe);
    /* truncating packs */
    assert_int_equal(saturated(QPU_A_ADD, QPU_PACK_A_8A, 0x7fffffff, 0x80) & 0xff, 0xff);
    assert_int_equal(saturated(QPU_A_ADD, QPU_PACK_A_8888, 0x80000000, 0xffffffff) & 0xff, 0);
    assert_int_equal(saturated(QPU_A_ADD, QPU_PACK_A_16A, 0x7fffffff, 0x80) & 0xffff, 0x7fff);
    assert_int_equal(saturated(QPU_A_SUB, QPU_PACK_A_16B, 1, 0x80000000) & 0xffff, 0x8000);
    assert_int_equal(saturated(QPU_A_ADD, QPU_PACK_A_16A, 0x12340000, 0x5678) & 0xffff, 0x5678);
    assert_int_equal(saturated(QPU_A_AND, QPU_PACK_A_32_SAT, 0x80000000, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpack_as_integer), cmocka_unit_test(unpack_as_float), cmocka_unit_test(pack_file_a),
        cmocka_unit_test(pack_mul),          cmocka_unit_test(bytes_survive),   cmocka_unit_test(overflow),
    };
    return cmocka_run_group_tests_name("gpu_qpu_pack", tests, NULL, NULL);
}
