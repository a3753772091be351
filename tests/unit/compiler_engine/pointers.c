/* SPDX-License-Identifier: MIT
 *
 * Runs compute shaders with pointers as values on the model's CPU engine: variable pointers and 64-bit addresses.
 */
#include "harness.h"

/* ---------------------------------------------------------------- variable pointers */

enum { WORDS = 20, PAIRS_B = 128, ROWS = 12 };

struct variable {
    uint32_t *a, *b, *c[2], *e[2], *pairs, *results;
};

static struct variable run_variable_pointers(struct harness *h)
{
    struct variable v;
    uint32_t *of[6];
    for (uint32_t k = 0; k < 6; k++) {
        of[k] = harness_alloc(h, 4 * WORDS);
        for (uint32_t i = 0; i < 16; i++)
            of[k][i] = 1000 * (k + 1) + 10 * i;
    }
    v = (struct variable){.a = of[0], .b = of[1], .c = {of[2], of[3]}, .e = {of[4], of[5]}};
    v.pairs = harness_alloc(h, PAIRS_B);
    v.results = harness_alloc(h, 4 * 16 * ROWS);
    for (uint32_t i = 0; i < 16; i++)
        v.pairs[2 * i] = 50 + i;
    harness_bind(h, 0, 0, v.a, 4 * WORDS);
    harness_bind(h, 1, 0, v.b, 4 * (WORDS - 1));
    harness_bind(h, 2, 0, v.c[0], 4 * WORDS);
    harness_bind(h, 2, 1, v.c[1], 4 * 8); /* the last words are out of bounds */
    harness_bind(h, 3, 0, v.pairs, PAIRS_B);
    harness_bind(h, 4, 0, v.results, 4 * 16 * ROWS);
    for (uint32_t k = 0; k < 2; k++)
        harness_bind(h, 5, k, v.e[k], 4 * WORDS);
    harness_dispatch(h, "variable_pointers", NULL, 0, 1, 1, 1);
    return v;
}

static void pointers_to_storage_buffers(void **state)
{
    const struct variable v = run_variable_pointers(*state);
    const uint32_t *r = v.results;
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t is_odd = i & 1, old = (is_odd ? 1000 : 2000) + 10 * i;
        uint32_t sum = 0;
        assert_int_equal(r[i], old);
        assert_int_equal(r[16 + i], old + 1);
        assert_int_equal((is_odd ? v.a : v.b)[i], old + 2);
        assert_int_equal((is_odd ? v.b : v.a)[i], (is_odd ? 2000 : 1000) + 10 * i);
        for (uint32_t k = 4; k <= 4 + (i & 3); k++) /* both stores of the first rows are done by then */
            sum += 1000 + 10 * k + (k & 1 ? 2 : 0);
        assert_int_equal(r[32 + i], sum);
        assert_int_equal(r[48 + i], is_odd && 15 - i >= 8 ? 0 : (is_odd ? 4000 : 3000) + 10 * (15 - i));
        assert_int_equal(r[64 + i], old + 2);
    }
}

static void pointers_to_arrays_of_buffers(void **state)
{
    const struct variable v = run_variable_pointers(*state);
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t element = i >> 1 & 1, is_out = (i & 1) && element && i >= 8;
        assert_int_equal(v.results[176 + i], is_out ? 0 : (i & 1 ? 3000 : 5000) + 1000 * element + 10 * i);
    }
}

static void comparisons_and_differences(void **state)
{
    const struct variable v = run_variable_pointers(*state);
    const uint32_t *r = v.results;
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(r[80 + i], (i & 1) | 2 | (i != 3 ? 4 : 0));
        assert_int_equal((int32_t)r[96 + i], (int32_t)i - 5);
        assert_int_equal(r[144 + i], i & 1 ? WORDS : WORDS - 1 + 50 + i); /* null points to no pair */
        assert_int_equal(r[160 + i], i / 2);
    }
    assert_int_equal(v.a[16], 8);
    assert_int_equal(v.b[16], 8);
}

static void pointers_to_shared_memory(void **state)
{
    const struct variable v = run_variable_pointers(*state);
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t value = 144 + 15 - i + (i & 1 ? 0 : 160);
        assert_int_equal(v.results[112 + i], value);
        assert_int_equal(v.results[128 + i], value + i);
    }
}

/* ---------------------------------------------------------------- 64-bit addresses */

struct node {
    uint32_t value, pad;
    uint64_t next;
    float colour[4];
    float m[3][4]; /* rows */
    uint64_t jumps[2];
};

#define NODES 12u

struct lists {
    struct node *node[NODES];
    uint32_t *words, *counter, *results, *wild;
};

static struct lists run_addresses(struct harness *h)
{
    struct lists l;
    /* What programs must not reach lies below: everything that the harness has allocated so far. */
    l.wild = harness_alloc(h, 64);
    l.results = harness_alloc(h, 4 * 96);
    harness_alloc(h, 4096);
    h->memory_addr = harness_addr(h, l.results) + 4096;
    for (uint32_t i = 0; i < NODES; i++) {
        l.node[i] = harness_alloc(h, sizeof **l.node);
        l.node[i]->value = 100 + i;
        l.node[i]->colour[1] = (float)(1000 * i);
        for (int k = 0; k < 9; k++)
            l.node[i]->m[k / 3][k % 3] = (float)(1 + k);
    }
    for (uint32_t i = 0; i < NODES; i++) {
        l.node[i]->next = i + 1 < NODES ? harness_addr(h, l.node[i + 1]) : 0;
        for (uint32_t k = 0; k < 2; k++)
            l.node[i]->jumps[k] = harness_addr(h, l.node[(5 * i + 3 * k + 2) % NODES]);
    }
    l.words = harness_alloc(h, 4 * 16);
    l.counter = harness_alloc(h, 4);
    const uint64_t push[4] = {harness_addr(h, l.node[0]), harness_addr(h, l.words), harness_addr(h, l.counter),
                              (uint64_t)1 << 32 | harness_addr(h, l.wild)};
    memcpy(h->push, push, sizeof push);
    harness_bind(h, 0, 0, l.results, 4 * 96);
    h->may_stray = true;
    harness_dispatch(h, "addresses", NULL, 0, 1, 1, 1);
    h->may_stray = false;
    h->memory_addr = h->bo_addr;
    return l;
}

static void lists_are_followed(void **state)
{
    const struct lists l = run_addresses(*state);
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t from = (i & 1) ? 0 : 1, to = (5 * from + 3 * (i >> 1 & 1) + 2) % NODES;
        assert_int_equal(l.results[i], i < NODES ? 100 + i : 0);
        assert_int_equal(l.results[16 + i], 100 + to + 1000 * to);
        assert_int_equal(l.results[32 + i], 1 + 4 * (i % 3)); /* the diagonal */
    }
    assert_true(l.node[0]->next == l.node[1]->next); /* the second node was taken out */
}

static void stores_and_atomics_through_addresses(void **state)
{
    const struct lists l = run_addresses(*state);
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(l.words[i], 1000 + i);
        assert_int_equal(l.results[48 + i], 1000 + i);
        assert_int_equal(l.results[64 + i], 2 * i);
    }
    assert_int_equal(*l.counter, 32);
}

static void addresses_outside_reach_nothing(void **state)
{
    struct harness *h = *state;
    const struct lists l = run_addresses(h);
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(l.results[80 + i], 5);
        assert_int_equal(l.wild[i], 0);
    }
    assert_int_equal(h->stray_accesses, 16 * 2 + 2); /* two stores of each invocation, two loads of one word for all */
    assert_true(h->program.uses_addresses);
}

/* 64-bit arithmetic on addresses; 8- and 16-bit numbers in memory that has an address. */
static void addresses_are_numbers(void **state)
{
    struct harness *h = *state;
    struct block {
        uint16_t scale;
        uint8_t q[6];
    } *blocks = harness_alloc(h, 16 * sizeof *blocks);
    uint32_t *words = harness_alloc(h, 64), *results = harness_alloc(h, 4 * 48);
    for (uint32_t i = 0; i < 16; i++) {
        blocks[i].scale = (uint16_t)(4000 * i + 1);
        for (uint32_t k = 0; k < 6; k++)
            blocks[i].q[k] = (uint8_t)(16 * i + 3 * k);
    }
    const uint64_t push[2] = {harness_addr(h, blocks), harness_addr(h, words)};
    memcpy(h->push, push, sizeof push);
    harness_bind(h, 0, 0, results, 4 * 48);
    h->may_stray = true;
    harness_dispatch(h, "addresses_wide", NULL, 0, 1, 1, 1);
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < 6; k++)
            sum += (uint8_t)(16 * i + 3 * k);
        assert_int_equal(words[i], sum * (4000 * i + 1));
        assert_int_equal(results[i], (uint8_t)(16 * (15 - i) + 3 * (i % 6)));
        assert_int_equal(results[16 + i], i);
        assert_int_equal(results[32 + i], i ? 0 : 1);
        assert_int_equal(blocks[i].q[5], i & 1 ? 200 + i : (uint8_t)(16 * i + 15));
        assert_int_equal(blocks[i].scale, (uint16_t)(4000 * i + 1));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, harness_setup, harness_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(pointers_to_storage_buffers),
        TEST(pointers_to_arrays_of_buffers),
        TEST(comparisons_and_differences),
        TEST(pointers_to_shared_memory),
        TEST(lists_are_followed),
        TEST(stores_and_atomics_through_addresses),
        TEST(addresses_outside_reach_nothing),
        TEST(addresses_are_numbers),
    };
    harness_args = argv;
    harness_arg_count = argc;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
