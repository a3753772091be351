/* SPDX-License-Identifier: MIT
 *
 * Compiles each IR operation alone, runs it in 16 lanes on edge values and compares the results with the definition in
 * ir_ops.h.
 */
#include "harness.h"

#include <inttypes.h>
#include <math.h>

/* The values of the two sources. Each run tests 16 pairs; each of 16 runs shifts the second source by one more lane. */
static const uint32_t words[] = {
    0,          1,          2,          31,         0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe,
    0x00ffffff, 0x01000000, 0x12345678, 0x80808080, 0x3f800000, 0xbf800000, 0x40490fdb, 0x000000ff,
};
static const float floats[] = {0.0f, 1.0f,   -1.0f, 0.5f,  -0.5f, 2.0f, 100.25f, -7.75f,
                               3.0f, 255.0f, 1e6f,  -1e6f, 0.25f, 1.5f, -3.0f,   65536.0f};

static int32_t s32(uint32_t x)
{
    return (int32_t)x;
}

static uint32_t bytewise(uint32_t a, uint32_t b, int op)
{
    uint32_t out = 0;
    for (unsigned k = 0; k < 32; k += 8) {
        int x = (int)(a >> k & 255), y = (int)(b >> k & 255), r;
        switch (op) {
        case IR_V8ADDS:
            r = MIN2(x + y, 255);
            break;
        case IR_V8SUBS:
            r = MAX2(x - y, 0);
            break;
        case IR_V8MULD:
            r = (x * y + 127) / 255;
            break;
        case IR_V8MIN:
            r = MIN2(x, y);
            break;
        default:
            r = MAX2(x, y);
        }
        out |= (uint32_t)r << k;
    }
    return out;
}

static uint32_t expected_int(int op, uint32_t a, uint32_t b)
{
    switch (op) {
    case IR_IADD:
        return a + b;
    case IR_ISUB:
        return a - b;
    case IR_SHR:
        return a >> (b & 31);
    case IR_ASR:
        return (uint32_t)(s32(a) >> (b & 31));
    case IR_ROR:
        return b & 31 ? a >> (b & 31) | a << (32 - (b & 31)) : a;
    case IR_SHL:
        return a << (b & 31);
    case IR_IMIN:
        return (uint32_t)MIN2(s32(a), s32(b));
    case IR_IMAX:
        return (uint32_t)MAX2(s32(a), s32(b));
    case IR_AND:
        return a & b;
    case IR_OR:
        return a | b;
    case IR_XOR:
        return a ^ b;
    case IR_NOT:
        return ~a;
    case IR_CLZ:
        return a ? (uint32_t)__builtin_clz(a) : 32;
    case IR_MUL24:
        return (a & 0xffffff) * (b & 0xffffff);
    case IR_IEQ:
        return a == b;
    case IR_INE:
        return a != b;
    case IR_ILT:
        return s32(a) < s32(b);
    case IR_IGE:
        return s32(a) >= s32(b);
    case IR_ULT:
        return a < b;
    case IR_UGE:
        return a >= b;
    default:
        return bytewise(a, b, op);
    }
}

static uint32_t expected_float(int op, float a, float b)
{
    switch (op) {
    case IR_FADD:
        return util_fui(a + b);
    case IR_FSUB:
        return util_fui(a - b);
    case IR_FMUL:
        return util_fui(a * b);
    case IR_FMIN:
        return util_fui(fminf(a, b));
    case IR_FMAX:
        return util_fui(fmaxf(a, b));
    case IR_FMINABS:
        return util_fui(fminf(fabsf(a), fabsf(b)));
    case IR_FMAXABS:
        return util_fui(fmaxf(fabsf(a), fabsf(b)));
    case IR_FTOI:
        return (uint32_t)(int32_t)a;
    case IR_FEQ:
        return a == b;
    case IR_FNE:
        return a != b;
    case IR_FLT:
        return a < b;
    default:
        return a >= b;
    }
}

static void fill_inputs(struct harness *h, bool is_float, unsigned shift)
{
    for (unsigned l = 0; l < QPU_LANES; l++) {
        h->vpm_in[0][l] = is_float ? util_fui(floats[l]) : words[l];
        unsigned other = (l + shift) % QPU_LANES;
        h->vpm_in[1][l] = is_float ? util_fui(floats[other]) : words[other];
    }
}

static void one_op(struct harness *h, int op, bool is_float)
{
    char text[1024];
    bool is_bool = ir_op_infos[op].result == 1;
    snprintf(text, sizeof text,
             "shader vertex\nattribute 0 0 8\n{\n%%0 = attribute [0 0]\n%%1 = attribute [1 0]\n"
             "%c2 = %s %%0 %s\n%%3 = const 1\n%%4 = const 0\n%s\nvpm_store %%%d\n}\n",
             is_bool ? '?' : '%', ir_op_infos[op].text, ir_op_infos[op].sources == 2 ? "%1" : "",
             is_bool ? "%5 = sel ?2 %3 %4" : "", is_bool ? 5 : 2);
    harness_compile(h, text);
    for (unsigned shift = 0; shift < QPU_LANES; shift++) {
        fill_inputs(h, is_float, shift);
        harness_run(h);
        for (unsigned l = 0; l < QPU_LANES; l++) {
            uint32_t a = h->vpm_in[0][l], b = h->vpm_in[1][l];
            uint32_t want = is_float ? expected_float(op, util_uif(a), util_uif(b)) : expected_int(op, a, b);
            uint32_t got = h->vpm_out[0][l];
            if (is_float && !is_bool && op != IR_FTOI && util_uif(want) == util_uif(got))
                continue; /* zeros of either sign are equal; the inputs give exact results */
            if (is_float && op == IR_FMUL && fabsf(util_uif(want) - util_uif(got)) <= fabsf(util_uif(want)) * 2e-7f)
                continue;
            if (want != got)
                fail_msg("%s 0x%" PRIx32 " 0x%" PRIx32 ": 0x%" PRIx32 ", expected 0x%" PRIx32, ir_op_infos[op].text, a,
                         b, got, want);
        }
    }
}

static void integer_ops(void **state)
{
    static const int ops[] = {IR_IADD,  IR_ISUB, IR_SHR, IR_ASR, IR_ROR,    IR_SHL,    IR_IMIN,  IR_IMAX,   IR_AND,
                              IR_OR,    IR_XOR,  IR_NOT, IR_CLZ, IR_V8ADDS, IR_V8SUBS, IR_MUL24, IR_V8MULD, IR_V8MIN,
                              IR_V8MAX, IR_IEQ,  IR_INE, IR_ILT, IR_IGE,    IR_ULT,    IR_UGE};
    for (unsigned k = 0; k < ARRAY_SIZE(ops); k++)
        one_op(*state, ops[k], false);
}

static void float_ops(void **state)
{
    static const int ops[] = {IR_FADD,    IR_FSUB, IR_FMUL, IR_FMIN, IR_FMAX, IR_FMINABS,
                              IR_FMAXABS, IR_FTOI, IR_FEQ,  IR_FNE,  IR_FLT,  IR_FGE};
    for (unsigned k = 0; k < ARRAY_SIZE(ops); k++)
        one_op(*state, ops[k], true);
}

static void sfu_results(void **state)
{
    struct harness *h = *state;
    static const char *const names[4] = {"sfu_recip", "sfu_rsqrt", "sfu_exp2", "sfu_log2"};
    for (unsigned l = 0; l < QPU_LANES; l++)
        h->vpm_in[0][l] = util_fui(0.25f + (float)l);
    for (unsigned k = 0; k < 4; k++) {
        char text[256];
        snprintf(text, sizeof text,
                 "shader vertex\nattribute 0 0 4\n{ %%0 = attribute [0 0] %%1 = %s %%0\n"
                 "vpm_store %%1 }\n",
                 names[k]);
        const uint32_t *out = harness_word(h, text);
        for (unsigned l = 0; l < QPU_LANES; l++) {
            float x = util_uif(h->vpm_in[0][l]);
            float want = k == 0 ? 1 / x : k == 1 ? 1 / sqrtf(x) : k == 2 ? exp2f(x) : log2f(x);
            assert_true(fabsf(util_uif(out[l]) - want) <= fabsf(want) * 0.002f + 0.001f);
        }
    }
}

static void parts_of_words(void **state)
{
    struct harness *h = *state;
    for (unsigned l = 0; l < QPU_LANES; l++)
        h->vpm_in[0][l] = 0x3c00bc00u + l * 0x01010101u;
    for (unsigned part = 0; part < 6; part++) {
        char text[512];
        snprintf(text, sizeof text,
                 "shader vertex\nattribute 0 0 4\n{ %%0 = attribute [0 0]\n%%1 = unpack_i [%u] %%0\n"
                 "%%2 = unpack_f [%u] %%0\n%%3 = const 1.0\n%%4 = fmul %%2 %%3\n vpm_store %%1\nvpm_store %%2\n"
                 "vpm_store %%4\n%%5 = itof %%1\n%%6 = iadd %%1 %%0\nvpm_store %%5\nvpm_store %%6 }\n",
                 part, part);
        harness_word(h, text);
        for (unsigned l = 0; l < QPU_LANES; l++) {
            uint32_t w = h->vpm_in[0][l];
            uint32_t raw = part < 2 ? (uint32_t)(int32_t)(int16_t)(w >> 16 * part) : w >> 8 * (part - 2) & 255;
            assert_int_equal(h->vpm_out[0][l], raw);
            assert_int_equal(h->vpm_out[1][l], h->vpm_out[2][l]);
            if (part >= 2)
                assert_true(fabsf(util_uif(h->vpm_out[1][l]) - (float)raw / 255.0f) < 1e-6f);
            assert_true(util_uif(h->vpm_out[3][l]) == (float)s32(raw));
            assert_int_equal(h->vpm_out[4][l], raw + w);
        }
    }
}

static void packing(void **state)
{
    struct harness *h = *state;
    for (unsigned l = 0; l < QPU_LANES; l++) {
        h->vpm_in[0][l] = util_fui((float)l / 15.0f);
        h->vpm_in[1][l] = util_fui(l & 1 ? 2.0f : -1.0f);
        h->vpm_in[2][l] = 100 * l;
        h->vpm_in[3][l] = 0u - l;
    }
    harness_word(h, "shader vertex\nattribute 0 0 16\n{ %0 = attribute [0 0]\n%1 = attribute [1 0]\n"
                    "%2 = attribute [2 0]\n%3 = attribute [3 0]\n%4 = const 0.0\n%5 = const 1.0\n"
                    "%10 = pack_unorm8 %0 %1 %4 %5\nvpm_store %10\n"
                    "%11 = pack_unorm8 %1 %1 %1 %1\nvpm_store %11\n"
                    "%12 = pack_i16 %2 %3\nvpm_store %12\n"
                    "%13 = pack_half %1 %5\nvpm_store %13\n"
                    "%14 = pack_unorm8_part [3] %2 %5\nvpm_store %14\nvpm_store %2 }\n");
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint32_t a = h->vpm_out[0][l] & 255, b = l & 1 ? 255 : 0;
        assert_in_range(a, 17 * l - (l > 0), 17 * l + 1);
        assert_int_equal(h->vpm_out[0][l] >> 8, 0xff0000 | b);
        assert_int_equal(h->vpm_out[1][l], b * 0x01010101u);
        assert_int_equal(h->vpm_out[2][l], ((100 * l) & 0xffff) | (0u - l) << 16);
        assert_int_equal(h->vpm_out[3][l], 0x3c000000u | (l & 1 ? 0x4000u : 0xbc00u));
        assert_int_equal(h->vpm_out[4][l], ((100 * l) & ~0xff00u) | 0xff00u);
        assert_int_equal(h->vpm_out[5][l], 100 * l);
    }
}

static void booleans(void **state)
{
    struct harness *h = *state;
    for (unsigned l = 0; l < QPU_LANES; l++) {
        h->vpm_in[0][l] = l & 3;
        h->vpm_in[1][l] = l >> 2;
    }
    harness_word(h, "shader vertex\nattribute 0 0 8\n{ %0 = attribute [0 0]\n%1 = attribute [1 0]\n%2 = const 2\n"
                    "?3 = ilt %0 %2\n?4 = ilt %1 %2\n?5 = band ?3 ?4\n?6 = bor ?3 ?4\n?7 = bxor ?3 ?4\n?8 = bnot ?5\n"
                    "%10 = const 10\n%11 = const 1000000\n%12 = sel ?5 %10 %11\n%13 = sel ?6 %10 %11\n"
                    "%14 = sel ?7 %11 %10\n%15 = sel ?8 %0 %1\n?16 = sel ?3 ?4 ?7\n%17 = sel ?16 %10 %11\n"
                    "%18 = sel ?3 %0 %1\n%19 = sel ?3 %18 %2\n"
                    "vpm_store %12\nvpm_store %13\nvpm_store %14\nvpm_store %15\nvpm_store %17\nvpm_store %19 }\n");
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint32_t x = l & 3, y = l >> 2;
        bool a = x < 2, b = y < 2;
        assert_int_equal(h->vpm_out[0][l], a && b ? 10 : 1000000);
        assert_int_equal(h->vpm_out[1][l], a || b ? 10 : 1000000);
        assert_int_equal(h->vpm_out[2][l], a != b ? 1000000 : 10);
        assert_int_equal(h->vpm_out[3][l], !(a && b) ? x : y);
        assert_int_equal(h->vpm_out[4][l], (a ? b : a != b) ? 10 : 1000000);
        assert_int_equal(h->vpm_out[5][l], a ? x : 2);
    }
}

static void derivatives_and_any(void **state)
{
    struct harness *h = *state;
    h->varyings[0] = (struct gpu_varying){.a = 3, .b = 5, .c = 7};
    harness_word(h,
                 "shader fragment\ninput 0 0 0 0 0\n{ %0 = varying [0]\n%1 = ddx %0\n%2 = ddy %0\n%3 = ftoi %1\n"
                 "%4 = ftoi %2\n%5 = const 8\n%6 = shl %3 %5\n%7 = or %6 %4\n?8 = const 1\n"
                 "%10 = frag_x\n%11 = const 7\n?12 = ieq %10 %11\n?13 = any ?12\n%14 = const 0x10000\n%15 = const 0\n"
                 "%16 = sel ?13 %14 %15\n%17 = or %7 %16\n tlb_color_store %17 ?8 }\n");
    for (unsigned l = 0; l < QPU_LANES; l++)
        assert_int_equal(h->color[0][l], 0x10000 | 3 << 8 | 5);
    harness_word(h,
                 "shader fragment\n{ ?8 = const 1\n"
                 "%10 = frag_x\n%11 = const 9\n?12 = ieq %10 %11\n?13 = any ?12\n%14 = const 0x10000\n%15 = const 0\n"
                 "%16 = sel ?13 %14 %15\ntlb_color_store %16 ?8 }\n");
    for (unsigned l = 0; l < QPU_LANES; l++)
        assert_int_equal(h->color[0][l], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(integer_ops, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(float_ops, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(sfu_results, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(parts_of_words, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(packing, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(booleans, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(derivatives_and_any, harness_setup, harness_teardown),
    };
    return cmocka_run_group_tests_name("compiler_qpu_ops", tests, NULL, NULL);
}
