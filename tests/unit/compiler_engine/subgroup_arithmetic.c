/* SPDX-License-Identifier: MIT
 *
 * Arithmetic operations of subgroups: every operation of every type, reduced, scanned and in clusters of every size,
 * with inactive lanes, compared with loops over the lanes.
 */
#include "harness.h"

enum { N = 40, W = 48, FORMS = 8, OPERATIONS = 7 };
enum operation { ADD, MUL, MIN, MAX, AND, OR, XOR };
enum type { UINTS, INTS, FLOATS, HALVES, BOOLS };

static uint32_t values[N];
static uint32_t bits = 32; /* of integers */

static bool is_active(uint32_t i)
{
    return i < N && values[i] % 5 < 3;
}

static uint32_t bits_of(float f)
{
    uint32_t word;
    memcpy(&word, &f, 4);
    return word;
}

static float float_of(uint32_t word)
{
    float f;
    memcpy(&f, &word, 4);
    return f;
}

/* The low bits of a word, extended to a word. */
static uint32_t cut(enum type type, uint32_t word)
{
    if (type != UINTS && type != INTS)
        return word;
    return type == INTS ? (uint32_t)((int32_t)(word << (32 - bits)) >> (32 - bits)) : word << (32 - bits) >> (32 - bits);
}

static bool is_float(enum type type)
{
    return type == FLOATS || type == HALVES;
}

static uint32_t input(enum type type, uint32_t i)
{
    switch (type) {
    case UINTS:
        return cut(type, values[i] * 0x9e3779b9u);
    case INTS:
        return cut(type, values[i] - 20);
    case HALVES:
        return bits_of(1 + 0.25f * (float)(values[i] & 3));
    case FLOATS:
        return bits_of((float)values[i]);
    case BOOLS:
        break;
    }
    return values[i] >> 1 & 1;
}

static uint32_t identity(enum type type, enum operation op)
{
    switch (op) {
    case MUL:
        return is_float(type) ? bits_of(1) : 1;
    case MIN:
        return is_float(type) ? 0x7f800000 : type == INTS ? (uint32_t)INT32_MAX >> (32 - bits) : cut(type, UINT32_MAX);
    case MAX:
        return is_float(type) ? 0xff800000 : type == INTS ? ~((uint32_t)INT32_MAX >> (32 - bits)) : 0;
    case AND:
        return type == BOOLS ? 1 : cut(type, UINT32_MAX);
    default:
        return 0;
    }
}

static uint32_t combine_floats(enum operation op, float x, float y)
{
    return bits_of(op == ADD ? x + y : op == MUL ? x * y : op == MIN ? (x < y ? x : y) : x > y ? x : y);
}

static uint32_t combine(enum type type, enum operation op, uint32_t x, uint32_t y)
{
    if (is_float(type))
        return combine_floats(op, float_of(x), float_of(y));
    switch (op) {
    case ADD:
        return x + y;
    case MUL:
        return x * y;
    case MIN:
        return (type == INTS ? (int32_t)x < (int32_t)y : x < y) ? x : y;
    case MAX:
        return (type == INTS ? (int32_t)x > (int32_t)y : x > y) ? x : y;
    case AND:
        return x & y;
    case OR:
        return x | y;
    case XOR:
        break;
    }
    return x ^ y;
}

/* Over the active lanes from `first` to before `end`. */
static uint32_t over(enum type type, enum operation op, uint32_t first, uint32_t end)
{
    uint32_t sum = identity(type, op);
    for (uint32_t k = first; k < end; k++)
        if (is_active(k))
            sum = cut(type, combine(type, op, sum, input(type, k)));
    return sum;
}

static uint32_t expected(enum type type, enum operation op, uint32_t form, uint32_t i)
{
    const uint32_t base = i & ~15u;
    switch (form) {
    case 0:
        return over(type, op, base, base + 16);
    case 1:
        return over(type, op, base, i + 1);
    case 2:
        return over(type, op, base, i);
    default: {
        const uint32_t size = 1u << (form - 3), first = i & ~(size - 1);
        return over(type, op, first, first + size);
    }
    }
}

/* Sums and products of floats are made in another order, and the chip rounds toward zero. */
static bool is_near(enum type type, uint32_t got, uint32_t want)
{
    if (!is_float(type) || got == want)
        return got == want;
    const float difference = float_of(got) - float_of(want), size = float_of(want);
    const float tolerance = type == HALVES ? 5e-3f : 1e-5f;
    return (difference < 0 ? -difference : difference) <= tolerance * (size < 0 ? -size : size);
}

static void check_type(struct harness *h, enum type type, const char *name)
{
    uint32_t(*w)[W] = harness_alloc(h, 4 * W * FORMS * OPERATIONS), *in = harness_alloc(h, 4 * N);
    memcpy(in, values, sizeof values);
    harness_bind(h, 0, 0, w, 4 * W * FORMS * OPERATIONS);
    harness_bind(h, 1, 0, in, 4 * N);
    harness_dispatch(h, name, NULL, 0, 1, 1, 1);
    for (enum operation op = type == BOOLS ? AND : ADD; op <= (is_float(type) ? MAX : XOR); op++)
        for (uint32_t form = 0; form < FORMS; form++)
            for (uint32_t i = 0; i < N; i++) {
                const uint32_t want = is_active(i) ? expected(type, op, form, i) : 0, got = w[FORMS * op + form][i];
                if (!is_near(type, got, want))
                    fail_msg("%s, operation %u, form %u, invocation %u: 0x%x instead of 0x%x", name, op, form, i, got,
                             want);
            }
}

static void check_values(struct harness *h)
{
    check_type(h, UINTS, "subgroup_uints");
    check_type(h, INTS, "subgroup_ints");
    check_type(h, FLOATS, "subgroup_floats");
    check_type(h, BOOLS, "subgroup_bools");
    check_type(h, HALVES, "subgroup_halves");
    bits = 8;
    check_type(h, UINTS, "subgroup_uint8");
    check_type(h, INTS, "subgroup_int8");
    bits = 16;
    check_type(h, UINTS, "subgroup_uint16");
    check_type(h, INTS, "subgroup_int16");
    bits = 32;
}

static void some_lanes(void **state)
{
    for (uint32_t i = 0; i < N; i++)
        values[i] = (i * 37 + i / 16 * 5) % 41 + 1;
    check_values(*state);
}

static void all_lanes(void **state)
{
    for (uint32_t i = 0; i < N; i++)
        values[i] = 5 * (i * 7 % 11) + i % 3;
    check_values(*state);
}

static void one_lane(void **state)
{
    for (uint32_t i = 0; i < N; i++)
        values[i] = i % 16 == 9 || i == 32 ? 12 : 4;
    check_values(*state);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, harness_setup, harness_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {TEST(some_lanes), TEST(all_lanes), TEST(one_lane)};
    harness_args = argv;
    harness_arg_count = argc;
    return cmocka_run_group_tests_name("compiler_engine_subgroup_arithmetic", tests, NULL, NULL);
}
