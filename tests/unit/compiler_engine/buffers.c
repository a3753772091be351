/* SPDX-License-Identifier: MIT
 *
 * Runs compute shaders that read and write buffers on the model's CPU engine.
 */
#include "harness.h"
#include "hw/qpu.h"

static void stores_stay_in_bounds(void **state)
{
    struct harness *h = *state;
    uint32_t *out = harness_alloc(h, 4 * 65);
    out[64] = 77;
    harness_bind(h, 0, 0, out, 4 * 64);
    harness_dispatch(h, "store", NULL, 0, 5, 1, 1); /* the fifth workgroup stores out of bounds */
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], 3 * i + 1);
    assert_int_equal(out[64], 77);
}

static bool writes_addresses(uint64_t word)
{
    const struct qpu_instr i = qpu_decode(word);
    return i.waddr_add == QPU_W_VPM_ADDR || i.waddr_mul == QPU_W_VPM_ADDR;
}

static void one_word_of_code_changes_the_result(void **state)
{
    struct harness *h = *state;
    uint32_t *out = harness_alloc(h, 4 * 64), stores = 0;
    harness_bind(h, 0, 0, out, 4 * 64);
    harness_dispatch(h, "store", NULL, 0, 1, 1, 1);
    const struct vc4c_program *p = &h->program;
    for (uint32_t i = 0; i < p->instruction_count; i++) {
        if (writes_addresses(p->code[i])) {
            stores++;
            h->patch_from = i;
        }
    }
    assert_int_equal(stores, 1);
    assert_int_equal(p->site_count, 0);
    assert_int_equal(out[3], 10);
    h->patch_to = 0x100009e7009e7000u; /* nop */
    memset(out, 0, 4 * 64);
    harness_dispatch(h, "store", NULL, 0, 1, 1, 1);
    assert_int_equal(out[0], 0);
}

struct item {
    float position[3];
    uint32_t tag;
    float m[4];
    int32_t list[3], pad;
};

static void values_of_all_kinds(void **state)
{
    struct harness *h = *state;
    struct item *in = harness_alloc(h, 32 * sizeof *in), *out = harness_alloc(h, 32 * sizeof *out);
    struct {
        float scale[4];
        uint32_t offset[2];
    } *params = harness_alloc(h, sizeof *params);
    struct {
        uint32_t mirror;
        float bias;
    } push = {31, 0.5f};
    for (int i = 0; i < 32; i++)
        in[i] =
            (struct item){{(float)i, 2.0f, -(float)i}, (uint32_t)(100 + i), {1, 2, 3, (float)i}, {i, i + 1, i + 2}, 0};
    *params = (__typeof__(*params)){{1, 2, 4, 0}, {5, 6}};
    memcpy(h->push, &push, sizeof push);
    harness_bind(h, 0, 0, in, 32 * sizeof *in);
    harness_bind(h, 1, 0, out, 32 * sizeof *out);
    harness_bind(h, 2, 0, params, sizeof *params);
    harness_dispatch(h, "values", NULL, 0, 2, 1, 1);
    for (int i = 0; i < 32; i++) {
        const struct item *o = &out[31 - i];
        assert_float_equal(o->position[0], (float)i + 0.5f, 0);
        assert_float_equal(o->position[1], 4.5f, 0);
        assert_float_equal(o->position[2], -4.0f * (float)i + 0.5f, 0);
        assert_int_equal(o->tag, 106 + i);
        assert_float_equal(o->m[2], 6.0f, 0);
        assert_float_equal(o->m[3], 2.0f * (float)i, 0);
        for (int k = 0; k < 3; k++)
            assert_int_equal(o->list[k], k == i % 3 ? -i : i + k);
    }
}

static void loads_see_stores(void **state)
{
    struct harness *h = *state;
    uint32_t *a = harness_alloc(h, 4 * 128);
    harness_bind(h, 0, 0, a, 4 * 128);
    harness_bind(h, 1, 0, a, 4 * 128);
    harness_dispatch(h, "alias", NULL, 0, 4, 1, 1);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t v = 3 * (i + 1) + (i & 1 ? 1000 : 0);
        assert_int_equal(a[64 + i], v);
        for (uint32_t k = 0; k < i % 5; k++)
            v += k;
        assert_int_equal(a[i], v);
    }
}

static uint32_t collatz(uint32_t n)
{
    uint32_t k = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        if (++k > 50)
            return 999;
    }
    return k;
}

static void control_flow(void **state)
{
    struct harness *h = *state;
    uint32_t *out = harness_alloc(h, 4 * 192), *table = harness_alloc(h, 4 * 64);
    for (uint32_t k = 0; k < 64; k++)
        table[k] = k % 9 == 4 ? 5000 : (k * 37 + 11) % 64;
    harness_bind(h, 0, 0, out, 4 * 192);
    harness_bind(h, 1, 0, table, 4 * 64);
    harness_dispatch(h, "flow", NULL, 0, 4, 1, 1);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t found = 77;
        for (uint32_t k = 0; k < 64; k++) {
            if (table[k] == i) {
                found = k;
                break;
            }
            found += table[k] <= 1000 && k > 40;
        }
        static const uint32_t kinds[5] = {10, 111, 100, 100, 0};
        assert_int_equal(out[i], collatz(i + 1));
        assert_int_equal(out[64 + i], found);
        assert_int_equal(out[128 + i], kinds[i % 5] + (i % 5 == 2 || i % 5 == 3 ? i : 0));
    }
}

static void descriptors_by_lane(void **state)
{
    struct harness *h = *state;
    uint32_t *out[3], *in[4], *params[2];
    for (uint32_t k = 0; k < 3; k++)
        harness_bind(h, 0, k, out[k] = harness_alloc(h, 64), 64);
    for (uint32_t k = 0; k < 4; k++)
        harness_bind(h, 1, k, in[k] = harness_alloc(h, 64), 64 - 8 * k);
    for (uint32_t k = 0; k < 2; k++)
        harness_bind(h, 2, k, params[k] = harness_alloc(h, 64), 64);
    for (uint32_t i = 0; i < 16; i++) {
        for (uint32_t k = 0; k < 4; k++)
            in[k][i] = 1000 * k + i;
        params[0][i] = 10000 * i;
        params[1][i] = 20000 * i;
    }
    harness_dispatch(h, "indexing", NULL, 0, 1, 1, 1);
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t length = 16 - 2 * (i & 3), x = i < length ? 1000 * (i & 3) + i : 0;
        x += (i & 1 ? 20000 : 10000) * i + length;
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(out[k][i], k == i % 3 ? x : 0);
    }
    /* The binding table is read when the program runs, not when it is compiled. */
    uint32_t *other = harness_alloc(h, 64), was = out[1][1];
    harness_bind(h, 1, 3, other, 64);
    h->table[1 * MAX_ELEMENTS + 1] = h->table[1 * MAX_ELEMENTS + 3];
    other[1] = 123;
    harness_dispatch(h, "indexing", NULL, 0, 1, 1, 1);
    assert_int_equal(out[1][1], was - 1001 - 14 + 123 + 16);
}

/* Such an array is as long as the layout says; an index beyond selects the last element. */
static void arrays_have_the_size_of_the_layout(void **state)
{
    static const struct vc4c_array_size sizes[] = {{0, 0, 1, 0}, {0, 1, 3, 0}};
    struct harness *h = *state;
    uint32_t *out = harness_alloc(h, 64), *ins[MAX_ELEMENTS];
    harness_bind(h, 0, 0, out, 64);
    for (uint32_t k = 0; k < MAX_ELEMENTS; k++) {
        ins[k] = harness_alloc(h, 16);
        ins[k][0] = 100 + k;
        harness_bind(h, 1, k, ins[k], 16);
    }
    h->array_sizes = sizes;
    h->array_size_count = ARRAY_SIZE(sizes);
    harness_dispatch(h, "unsized", NULL, 0, 1, 1, 1);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(out[i], 100 + MIN2(i, 2u));
}

/* The binding table leads to a buffer of descriptors. An index beyond them gives a null descriptor. */
static void descriptors_lie_in_memory(void **state)
{
    static const struct vc4c_array_size sizes[] = {{0, 0, 1, 0}, {0, 1, 1000, sizeof(struct hw_engine_descriptor)}};
    struct harness *h = *state;
    uint32_t *out = harness_alloc(h, 64), *ins[3];
    struct hw_engine_descriptor *array = harness_alloc(h, 3 * sizeof *array);
    harness_bind(h, 0, 0, out, 64);
    harness_bind(h, 1, 0, array, 3 * sizeof *array);
    h->states[MAX_ELEMENTS].width = 3;
    h->array_sizes = sizes;
    h->array_size_count = ARRAY_SIZE(sizes);
    for (uint32_t k = 0; k < 3; k++) {
        ins[k] = harness_alloc(h, 16);
        ins[k][0] = 100 + k;
        array[k] = (struct hw_engine_descriptor){.address = harness_addr(h, ins[k]), .limit_B = 16, .size_B = 16};
    }
    harness_dispatch(h, "unsized", NULL, 0, 1, 1, 1);
    assert_true(h->program.uses_set_memory);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(out[i], i < 3 ? 100 + i : 0);
}

static uint32_t many_sums(const uint32_t *values, uint32_t i)
{
    uint32_t v[90], sum = 0;
    for (uint32_t k = 0; k < 90; k++)
        v[k] = values[k] * (i + k) + k;
    for (uint32_t round = 0; round < i; round++) {
        for (uint32_t k = 0; k < 90; k++)
            sum = sum * 3 + v[k];
        if (sum % 7 == 3)
            break;
    }
    for (uint32_t k = 0; k < 90; k++)
        sum ^= v[89 - k];
    return sum;
}

/* Dispatches two workgroups of 32 of a program that makes a sum of `words` words for each invocation. */
static void check_sums(struct harness *h, const char *module, uint32_t words,
                       uint32_t (*sum)(const uint32_t *in, uint32_t i))
{
    uint32_t *out = harness_alloc(h, 4 * 64), *in = harness_alloc(h, 4 * words);
    for (uint32_t k = 0; k < words; k++)
        in[k] = k * 7919 + 5;
    harness_bind(h, 0, 0, out, 4 * 64);
    harness_bind(h, 1, 0, in, 4 * words);
    harness_dispatch(h, module, NULL, 0, 2, 1, 1);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], sum(in, i));
}

static void values_are_spilled(void **state)
{
    struct harness *h = *state;
    check_sums(h, "spill", 90, many_sums);
    assert_true(h->program.scratch_B > 0);
}

static uint32_t many_more_sums(const uint32_t *in, uint32_t i)
{
    uint32_t v[160], w[160], sum = 0;
    for (uint32_t k = 0; k < 160; k++) {
        v[k] = in[k] * (i + k % 20) + k / 20;
        w[k] = in[k] ^ v[k] * i;
    }
    for (uint32_t round = 0; round < i % 5; round++) {
        for (uint32_t k = 0; k < 160; k++)
            sum = sum * 3 + (v[k] ^ w[k]);
        if (sum % 7 == 3)
            break;
    }
    for (uint32_t k = 0; k < 160; k++)
        sum = (sum ^ v[159 - k]) * 5 + w[159 - k];
    return sum;
}

static void values_are_spilled_to_rows_and_memory(void **state)
{
    struct harness *h = *state;
    check_sums(h, "spill_more", 160, many_more_sums);
    assert_true(h->program.scratch_B > 0);
}

static uint32_t chosen_sums(const uint32_t *in, uint32_t i)
{
    bool asked[30];
    uint32_t v[60], chosen[30], sum = 0;
    for (uint32_t k = 0; k < 60; k++)
        v[k] = in[k] * (i + k);
    for (uint32_t k = 0; k < 30; k++) {
        asked[k] = (in[k] ^ i) % 3 == 0;
        chosen[k] = asked[k] ? 1 : in[(k * 7 + i) % 60];
    }
    for (uint32_t round = 0; round < i % 4; round++) {
        for (uint32_t k = 0; k < 60; k++)
            sum = sum * 3 + (v[k] ^ chosen[k / 2]);
        if (sum % 7 == 3)
            break;
    }
    for (uint32_t k = 0; k < 30; k++)
        sum = sum * 5 + chosen[k] + (asked[k] ? v[k] : v[59 - k]);
    return sum;
}

static void conditions_are_spilled(void **state)
{
    check_sums(*state, "spill_conditions", 60, chosen_sums);
}

static uint32_t compared_sums(const uint32_t *in, uint32_t i)
{
    bool less[30], low[30], even[30];
    uint32_t count = 0, sum = 0;
    for (uint32_t k = 0; k < 30; k++) {
        less[k] = in[k] * (i + k) % 64 < i;
        low[k] = in[k + 30] * (i + k) % 128 < i;
        even[k] = (in[k + 60] * (i + k) & 8) == 0;
        count += (less[k] ? 1 : 0) + (low[k] ? 3 : i) + (even[k] ? 7 : k);
    }
    for (uint32_t k = 0; k < 30; k++)
        sum = ((sum * 3 + (less[29 - k] ? k : i)) ^ (low[29 - k] ? 5 : k)) + (even[29 - k] ? i : 9);
    return count + sum;
}

static void sources_of_tests_are_spilled(void **state)
{
    check_sums(*state, "spill_tests", 90, compared_sums);
}

#define TILES_DEPTH             9u
#define TILES_MOST_INSTRUCTIONS 4000 /* measured: 2649; 13724 if all goes to memory lane by lane */

/* Nearly all that is spilled goes to rows of the QPU, so the program stays short. */
static void sums_of_a_tile_are_spilled(void **state)
{
    struct harness *h = *state;
    uint32_t *depth = harness_alloc(h, 4), *left = harness_alloc(h, 4 * 8 * TILES_DEPTH);
    uint32_t *right = harness_alloc(h, 4 * TILES_DEPTH * 16 * 6), *product = harness_alloc(h, 4 * 8 * 16 * 6);
    *depth = TILES_DEPTH;
    for (uint32_t k = 0; k < 8 * TILES_DEPTH; k++)
        left[k] = k * 2654435761u;
    for (uint32_t k = 0; k < TILES_DEPTH * 16 * 6; k++)
        right[k] = k * 40503u + 7;
    harness_bind(h, 0, 0, depth, 4);
    harness_bind(h, 1, 0, left, 4 * 8 * TILES_DEPTH);
    harness_bind(h, 2, 0, right, 4 * TILES_DEPTH * 16 * 6);
    harness_bind(h, 3, 0, product, 4 * 8 * 16 * 6);
    harness_dispatch(h, "tiles", NULL, 0, 1, 1, 1);
    assert_in_range(h->program.instruction_count, 1, TILES_MOST_INSTRUCTIONS);
    for (uint32_t n = 0; n < 8 * 16 * 6; n++) {
        uint32_t y = n / (16 * 6), column = n % (16 * 6), sum = y * 6 + column % 6;
        for (uint32_t k = 0; k < TILES_DEPTH; k++)
            sum += left[y * TILES_DEPTH + k] * right[k * 16 * 6 + column];
        assert_int_equal(product[n], sum);
    }
}

struct array_item {
    uint32_t key;
    bool odd;
    float pair[2];
};

/* What arrays.comp computes. */
static uint32_t array_sum(const uint32_t *values, uint32_t i)
{
    uint32_t heap[200], own[100], filled[70], sum = 0, at = i;
    struct array_item items[40];
    for (uint32_t k = 0; k < 200; k++)
        heap[k] = values[k] * (i + 1);
    for (uint32_t k = 0; k < 20 + i; k++) {
        uint32_t next = heap[at] % 200;
        heap[at] += k;
        at = next;
    }
    for (uint32_t k = 0; k < 50 && (i & 1); k++)
        heap[k * i % 200] ^= k;
    for (uint32_t k = 0; k < 100; k++)
        own[k] = heap[199 - k];
    for (uint32_t k = 0; k < i; k++)
        own[k * 7 % 100] += own[k * 3 % 100];
    for (uint32_t k = 0; k < 40; k++)
        items[k] = (struct array_item){k * i, values[k] & 1, {(float)k, (float)i}};
    items[i].pair[1] += 0.5f;
    items[(i + 1) % 40].odd = !items[i].odd;
    for (uint32_t k = 0; k < 40; k++)
        sum += items[k].odd ? items[k].key : (uint32_t)(2 * items[k].pair[1]);
    for (uint32_t k = 0; k < 70; k++)
        filled[k] = k % 10 + 1;
    filled[i] = 100;
    for (uint32_t k = 0; k < 70; k++)
        sum = sum * 3 + filled[k];
    for (uint32_t k = 0; k < 100; k++)
        sum = sum * 5 + own[k];
    return sum * 200 + at;
}

static void large_arrays_live_in_scratch_memory(void **state)
{
    struct harness *h = *state;
    uint32_t *out = harness_alloc(h, 4 * 32), *in = harness_alloc(h, 4 * 200);
    for (uint32_t k = 0; k < 200; k++)
        in[k] = k * 7919 + 5;
    harness_bind(h, 0, 0, out, 4 * 32);
    harness_bind(h, 1, 0, in, 4 * 200);
    harness_dispatch(h, "arrays", NULL, 0, 1, 1, 1);
    assert_true(h->program.scratch_B >= (200 + 100 + 160 + 70) * 64);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], array_sum(in, i));
}

static void atomics_that_only_spirv_has(void **state)
{
    struct harness *h = *state;
    uint32_t *words = harness_alloc(h, 4 * 24), seen = 0;
    for (uint32_t i = 0; i < 24; i++)
        words[i] = 1000;
    words[5] = 0;
    harness_bind(h, 0, 0, words, 4 * 24);
    harness_dispatch(h, "atomics_more", NULL, 0, 1, 1, 1);
    assert_int_equal(words[0], 1000);
    assert_int_equal(words[1], 9);
    assert_int_equal(words[2], 1016);
    assert_int_equal(words[3], 984);
    assert_int_equal(words[4], 1000 - 120);
    assert_int_equal(words[5], 1015);
    for (uint32_t i = 8; i < 24; i++) { /* each lane got a different value of the decrement */
        assert_in_range(words[i], 1000 + 985, 1000 + 1000);
        seen |= 1u << (words[i] - 1985);
    }
    assert_int_equal(seen, 0xffff);
}

static void narrow_numbers(void **state)
{
    struct harness *h = *state;
    uint32_t *out = harness_alloc(h, 4 * 16), *in = harness_alloc(h, 4 * 16), *odd = harness_alloc(h, 4 * 16);
    for (uint32_t i = 0; i < 16; i++) {
        in[i] = (0x3c00 + i) | (0x80u + i) << 16 | (0xf8u + i) << 24; /* about 1.0; -128 + i; 248 + i */
        out[i] = odd[i] = 0x55555555;
    }
    harness_bind(h, 0, 0, out, 4 * 16);
    harness_bind(h, 1, 0, in, 4 * 16);
    harness_bind(h, 2, 0, odd, 2 * 5); /* the range ends in the middle of a word */
    harness_dispatch(h, "narrow", NULL, 0, 1, 1, 1);
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(out[i] & 0xffff, 0x4000 + i); /* the remainder is less than one half-float step */
        assert_int_equal(out[i] >> 16 & 255, (0x7f + i) & 255);
        assert_int_equal(out[i] >> 24, (0xf9 + i) & 255);
    }
    assert_int_equal(odd[0], 0xbc01bc00);
    assert_int_equal(odd[1], 0xbc03bc02);
    assert_int_equal(odd[2], 0x5555bc04);
    assert_int_equal(odd[3], 0x55555555);
}

static void halves_are_rounded_as_decorated(void **state)
{
    struct harness *h = *state;
    uint16_t *out = harness_alloc(h, 2 * 48);
    float *in = harness_alloc(h, 4 * 16);
    for (uint32_t i = 0; i < 16; i++)
        in[i] = 1 + (float)i / 1024 + 0.75f / 1024; /* three quarters of the way to the next half */
    harness_bind(h, 0, 0, out, 2 * 48);
    harness_bind(h, 1, 0, in, 4 * 16);
    harness_dispatch(h, "rounding", NULL, 0, 1, 1, 1);
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(out[3 * i], 0x3c01 + i);
        assert_int_equal(out[3 * i + 1], 0x3c00 + i);
        assert_int_equal(out[3 * i + 2], 0x3c00 + i);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, harness_setup, harness_teardown)

static void phis_of_pointers(void **state)
{
    struct harness *h = *state;
    uint32_t *words = harness_alloc(h, 4 * 80);
    for (uint32_t i = 0; i < 16; i++)
        words[i] = 100 + i;
    harness_bind(h, 0, 0, words, 4 * 80);
    harness_dispatch(h, "pointer_phi", NULL, 0, 1, 1, 1);
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(words[16 + i], 108 + i % 5);
        assert_int_equal(words[32 + i], 100 + (i & 1 ? 15 - i : i));
        assert_int_equal(words[48 + i], i & 1 ? i : 16);
        assert_int_equal(words[64 + i], i % 5 % 2 ? 5 : 1);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(narrow_numbers),
        TEST(halves_are_rounded_as_decorated),
        TEST(atomics_that_only_spirv_has),
        TEST(stores_stay_in_bounds),
        TEST(one_word_of_code_changes_the_result),
        TEST(values_of_all_kinds),
        TEST(loads_see_stores),
        TEST(phis_of_pointers),
        TEST(control_flow),
        TEST(descriptors_by_lane),
        TEST(arrays_have_the_size_of_the_layout),
        TEST(descriptors_lie_in_memory),
        TEST(values_are_spilled),
        TEST(values_are_spilled_to_rows_and_memory),
        TEST(conditions_are_spilled),
        TEST(sources_of_tests_are_spilled),
        TEST(sums_of_a_tile_are_spilled),
        TEST(large_arrays_live_in_scratch_memory),
    };
    harness_args = argv;
    harness_arg_count = argc;
    return cmocka_run_group_tests_name("compiler_engine_buffers", tests, NULL, NULL);
}
