/* SPDX-License-Identifier: MIT
 *
 * Fuzzes the whole compiler with random SPIR-V. A random tree of statements is executed directly, lane by lane, and
 * written as a SPIR-V module. The IR evaluator runs the translated module, and the model runs the compiled program. All
 * three must agree on every bit.
 *
 * The trees contain variables, arrays with computed indices, ifs, switches, loops with break and continue, early
 * returns, all integer operations, and floats that hold small integers, so that every result is exact.
 *
 * Half of the modules are converted to SSA, and two thirds have their blocks in a random order (half of the vertex
 * programs). A separate test covers switches with every number of cases, every position of the default and every way to
 * fall through, in every order of their blocks.
 *
 *   fuzz_spirv [SEED [COUNT]]        VKT_FUZZ=full: 10,000 programs
 */
#include <inttypes.h>
#include <stdlib.h>
#include "as_vertex.h"
#include "compiler/spirv/spv.h"
#include "compiler/vc4c_ir.h"
#include "fuzz_spirv.h"
#include "glsl_expect.h"

/* ---------------------------------------------------------------- comparison */

struct tally {
    unsigned run, did_not_fit;
};

static uint64_t first_seed = 1;
static unsigned program_count = 80;

static void compare(const char *what, uint64_t seed, const uint32_t want[4][EVAL_LANES],
                    const uint32_t got[4][EVAL_LANES])
{
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t lane = 0; lane < EVAL_LANES; lane++)
            if (want[c][lane] != got[c][lane])
                fail_msg("seed %" PRIu64 ", %s: component %u, lane %u: 0x%08x, expected 0x%08x", seed, what, c, lane,
                         got[c][lane], want[c][lane]);
}

static void evaluate(const struct vc4c_entry *entry, uint64_t seed, const uint32_t *push,
                     const uint32_t want[4][EVAL_LANES], struct util_arena *arena)
{
    struct ir_shader *shader;
    struct vc4c_error error = {{0}};
    struct eval *e = calloc(1, sizeof *e);
    *e = (struct eval){.push = push, .push_words = 8, .input = glsl_input};
    if (spv_to_ir(entry, VC4C_PROGRAM_FRAGMENT, arena, &shader, &error))
        fail_msg("seed %" PRIu64 ": %s (word %u)", seed, error.text, error.offset_words);
    eval_run(e, shader, 10000000);
    if (e->trouble)
        fail_msg("seed %" PRIu64 ": the evaluator failed on: %s", seed, e->trouble);
    compare("as translated", seed, want, (const uint32_t(*)[EVAL_LANES])e->out[0]);
    free(e);
}

static void run_on_model(struct harness *h, const struct vc4c_entry *entry, uint64_t seed, const uint32_t *push,
                         const uint32_t want[4][EVAL_LANES], struct util_arena *arena, struct tally *tally)
{
    char *text = as_vertex_text(entry, arena);
    assert_non_null(text);
    h->seed = seed;
    if (harness_try_compile(h, text) == VC4C_OK) {
        memcpy(h->push, push, 8 * 4);
        as_vertex_inputs(h);
        harness_run(h);
        compare("on the model", seed, want, (const uint32_t(*)[EVAL_LANES])h->vpm_out);
        tally->run++;
    } else {
        tally->did_not_fit++;
    }
    free(text);
}

static void dump(const struct module *m)
{
    const char *name = getenv("FUZZ_DUMP");
    FILE *f = name ? fopen(name, "wb") : NULL;
    if (!f)
        return;
    fwrite(m->words, 4, m->count, f);
    fclose(f);
}

static void one_program(struct harness *h, uint64_t seed, struct tally *tally)
{
    static struct gen g;
    static struct module m;
    uint32_t push[8], want[4][EVAL_LANES];
    struct vc4c_module *module = NULL;
    struct vc4c_error error = {{0}};
    struct util_arena arena;
    memset(&g, 0, sizeof g);
    g.state = seed;
    g.has_wide = seed % 4 == 1;
    fuzz_rnd(&g, 2);
    for (uint32_t i = 0; i < 8; i++)
        push[i] = fuzz_rnd(&g, 2) ? fuzz_rnd(&g, 8) : fuzz_rnd(&g, 0x7fffffff) * 2u + fuzz_rnd(&g, 2);
    struct stmt *list = fuzz_random_list(&g, 1 + (unsigned)(seed % 3));
    fuzz_execute(list, push, want);
    fuzz_write_module(&m, list, SpvExecutionModelFragment);
    if (fuzz_rnd(&g, 2))
        fuzz_to_ssa(&m);
    if (fuzz_rnd(&g, 3))
        fuzz_shuffle_blocks(&m, &g);
    dump(&m);
    util_arena_init(&arena, NULL);
    if (vc4c_module_create(m.words, m.count * 4, NULL, &module, &error))
        fail_msg("seed %" PRIu64 ": %s (word %u)", seed, error.text, error.offset_words);
    struct vc4c_entry entry = {.module = module, .name = "main", .stage = VC4C_STAGE_FRAGMENT};
    evaluate(&entry, seed, push, (const uint32_t(*)[EVAL_LANES])want, &arena);
    run_on_model(h, &entry, seed, push, (const uint32_t(*)[EVAL_LANES])want, &arena, tally);
    util_arena_finish(&arena);
    vc4c_module_destroy(module);
}

static void random_programs(void **state)
{
    struct tally tally = {0};
    for (unsigned k = 0; k < program_count; k++)
        one_program(*state, first_seed + k, &tally);
    printf("# seeds %" PRIu64 " to %" PRIu64 ": %u programs, %u did not fit\n", first_seed,
           first_seed + program_count - 1, tally.run, tally.did_not_fit);
    assert_true(tally.did_not_fit * 3 < tally.run + 3);
}

/* ---------------------------------------------------------------- vertex programs with dead lanes */

static uint32_t dead_lanes;

/* Lanes without a vertex read garbage from the VPM. */
static uint32_t vertex_input(uint32_t location, uint32_t component, uint32_t lane)
{
    return dead_lanes >> lane & 1 ? util_fui(4e9f) : glsl_input(location, component, lane);
}

static void compare_live(const char *what, uint64_t seed, const uint32_t want[4][EVAL_LANES],
                         const uint32_t (*rows)[EVAL_LANES])
{
    uint32_t got[4][EVAL_LANES];
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t lane = 0; lane < EVAL_LANES; lane++)
            got[c][lane] = dead_lanes >> lane & 1 ? want[c][lane] : rows[c][lane];
    compare(what, seed, want, (const uint32_t(*)[EVAL_LANES])got);
}

#define FIRST_VARYING 3 /* the VPM row after XS and YS, ZS, 1/W */

static void evaluate_vertex(const struct vc4c_entry *entry, const struct vc4c_key *key, uint64_t seed,
                            const uint32_t *push, const uint32_t want[4][EVAL_LANES], struct util_arena *arena)
{
    struct ir_shader *shader;
    struct vc4c_error error = {{0}};
    struct eval *e = calloc(1, sizeof *e);
    *e = (struct eval){.push = push, .push_words = 8, .input = vertex_input, .dead_lanes = dead_lanes};
    if (vc4c_compile_to_ir(entry, VC4C_PROGRAM_VERTEX, key, arena, &shader, &error))
        fail_msg("seed %" PRIu64 ": %s (word %u)", seed, error.text, error.offset_words);
    eval_run(e, shader, 3000000);
    if (e->trouble)
        fail_msg("seed %" PRIu64 ": lowered vertex program: the evaluator failed on: %s", seed, e->trouble);
    compare_live("lowered", seed, want, (const uint32_t(*)[EVAL_LANES])e->vpm + FIRST_VARYING);
    free(e);
}

static void run_vertex(struct harness *h, const uint32_t *push)
{
    for (uint32_t i = 0; i < h->program.attribute_count; i++) {
        const struct vc4c_attribute *a = &h->program.attributes[i];
        for (uint32_t c = 0; c < a->size_B / 4u; c++)
            for (uint32_t lane = 0; lane < QPU_LANES; lane++)
                h->vpm_in[a->vpm_B / 4 + c][lane] = dead_lanes >> lane & 1          ? 0xdead0000 + lane
                                                    : a->location < VC4C_MAX_ATTRIBUTES ? glsl_input(a->location, c, lane)
                                                                                        : lane;
    }
    memcpy(h->push, push, 8 * 4);
    harness_run(h);
}

static void one_vertex_program(struct harness *h, uint64_t seed, struct tally *tally)
{
    static struct gen g;
    static struct module m;
    uint32_t push[8], want[4][EVAL_LANES];
    struct vc4c_module *module = NULL;
    struct vc4c_error error = {{0}};
    struct util_arena arena;
    memset(&g, 0, sizeof g);
    g.state = seed;
    g.has_wide = seed % 4 == 1;
    fuzz_rnd(&g, 2);
    for (uint32_t i = 0; i < 8; i++)
        push[i] = fuzz_rnd(&g, 16);
    dead_lanes = seed % 3 ? 0xffff & ~((1u << (1 + fuzz_rnd(&g, EVAL_LANES))) - 1) : 0;
    struct stmt *list = fuzz_random_list(&g, 2 + (unsigned)(seed % 3));
    fuzz_execute(list, push, want);
    fuzz_write_module(&m, list, SpvExecutionModelVertex);
    if (fuzz_rnd(&g, 2))
        fuzz_to_ssa(&m);
    if (fuzz_rnd(&g, 2))
        fuzz_shuffle_blocks(&m, &g);
    dump(&m);
    util_arena_init(&arena, NULL);
    if (vc4c_module_create(m.words, m.count * 4, NULL, &module, &error))
        fail_msg("seed %" PRIu64 ": %s (word %u)", seed, error.text, error.offset_words);
    struct vc4c_entry entry = {.module = module, .name = "main", .stage = VC4C_STAGE_VERTEX};
    struct vc4c_key key = {.vs = {.formats = {HW_FORMAT_R32G32B32A32_FLOAT}, .output_count = 4}};
    for (uint8_t c = 0; c < 4; c++)
        key.vs.outputs[c].component = c;
    evaluate_vertex(&entry, &key, seed, push, (const uint32_t(*)[EVAL_LANES])want, &arena);
    for (enum vc4c_program_kind kind = VC4C_PROGRAM_COORDINATE; kind <= VC4C_PROGRAM_VERTEX; kind++) {
        harness_drop_program(h);
        h->seed = seed;
        enum vc4c_result result = vc4c_compile(&entry, kind, &key, NULL, &h->program, &error);
        h->has_program = result == VC4C_OK;
        if (result == VC4C_DOES_NOT_FIT)
            tally->did_not_fit++;
        else if (result)
            fail_msg("seed %" PRIu64 ": %s (word %u)", seed, error.text, error.offset_words);
        else
            run_vertex(h, push), tally->run++;
        if (!result && kind == VC4C_PROGRAM_VERTEX)
            compare_live("on the model", seed, (const uint32_t(*)[EVAL_LANES])want,
                         (const uint32_t(*)[EVAL_LANES])h->vpm_out + FIRST_VARYING);
    }
    harness_drop_program(h);
    util_arena_finish(&arena);
    vc4c_module_destroy(module);
}

/* Vertex programs with nested loops that the lanes leave one by one, values that live past several loops at once, and
 * batches that are not full. Each is lowered and evaluated, and compiled and run. */
static void vertex_programs(void **state)
{
    struct tally tally = {0};
    for (unsigned k = 0; k < program_count; k++)
        one_vertex_program(*state, first_seed + k, &tally);
    printf("# seeds %" PRIu64 " to %" PRIu64 ": %u vertex programs, %u did not fit\n", first_seed,
           first_seed + program_count - 1, tally.run, tally.did_not_fit);
}

/* ---------------------------------------------------------------- switches in every order */

static struct module written;
static unsigned order_count;

static void check_module(const struct module *m, uint64_t number, const uint32_t *push,
                         const uint32_t want[4][EVAL_LANES])
{
    struct vc4c_module *module = NULL;
    struct vc4c_error error = {{0}};
    struct util_arena arena;
    dump(m);
    util_arena_init(&arena, NULL);
    if (vc4c_module_create(m->words, m->count * 4, NULL, &module, &error))
        fail_msg("switch %" PRIu64 ": %s (word %u)", number, error.text, error.offset_words);
    struct vc4c_entry entry = {.module = module, .name = "main", .stage = VC4C_STAGE_FRAGMENT};
    evaluate(&entry, number, push, want, &arena);
    util_arena_finish(&arena);
    vc4c_module_destroy(module);
    order_count++;
}

/* Enumerates all legal orders recursively: places one more block in every possible way until all are placed. */
static void try_orders(const struct blocks *l, uint32_t *order, bool *is_placed, uint32_t placed, uint64_t number,
                       const uint32_t *push, const uint32_t want[4][EVAL_LANES])
{
    static struct module m;
    if (placed == l->count) {
        m = written;
        fuzz_reorder(&m, l, order);
        check_module(&m, number, push, want);
        return;
    }
    for (uint32_t b = 0; b < l->count; b++) {
        if (!fuzz_may_follow(l, is_placed, b))
            continue;
        is_placed[b] = true;
        order[placed] = b;
        try_orders(l, order, is_placed, placed + 1, number, push, want);
        is_placed[b] = false;
    }
}

/* A switch on the lane number. Each case adds a distinct number; case k ends as digit k (base 3) of `falls` says. */
static struct stmt *make_switch(struct gen *g, uint32_t count, uint32_t default_at, uint32_t falls)
{
    static struct expr values[CASES], lane = {.kind = E_INPUT}, variable = {.kind = E_VAR}, sums[CASES];
    static struct expr half = {.kind = E_BINARY, .value = 12 /* >> */, .a = &lane}, three = {.kind = E_CONST, .value = 3};
    static struct stmt s, bodies[CASES];
    half.b = &three;
    s = (struct stmt){.kind = S_SWITCH, .value = &lane, .cases = {.count = count, .default_at = default_at}};
    for (uint32_t k = 0; k < count; k++, falls /= 3) {
        values[k] = (struct expr){.kind = E_CONST, .value = 1u << (4 * k)};
        sums[k] = (struct expr){.kind = E_BINARY, .value = 0 /* + */, .a = &variable, .b = &values[k]};
        bodies[k] = (struct stmt){.kind = S_ASSIGN, .variable = 0, .value = &sums[k]};
        s.body[k] = &bodies[k];
        s.cases.values[k] = (uint8_t)(1 << k | (k % 2 ? 1 << (7 - k) : 0));
        s.cases.falls[k] = k + 1 < count ? (enum fall)(falls % 3) : FALL_NOT;
        s.cases.fall_if[k] = &half; /* lanes 8 to 15 */
    }
    return &s;
}

static void switches_in_every_order(void **state)
{
    static struct gen g;
    static const uint32_t push[8];
    uint32_t want[4][EVAL_LANES];
    uint64_t number = 0;
    for (uint32_t count = 1; count <= 4; count++) {
        const uint32_t fall_ways = count == 1 ? 1 : count == 2 ? 3 : count == 3 ? 9 : 27;
        for (uint32_t default_at = 0; default_at <= count; default_at++) {
            for (uint32_t falls = 0; falls < fall_ways; falls++, number++) {
                struct stmt *s = make_switch(&g, count, default_at == count ? CASES : default_at, falls);
                fuzz_execute(s, push, want);
                fuzz_write_module(&written, s, SpvExecutionModelFragment);
                fuzz_to_ssa(&written);
                static struct blocks l;
                uint32_t order[MAX_BLOCKS];
                bool is_placed[MAX_BLOCKS] = {false};
                assert_true(fuzz_find_blocks(&written, 5, &l));
                assert_int_equal(l.count, count + 2);
                try_orders(&l, order, is_placed, 0, number, push, (const uint32_t(*)[EVAL_LANES])want);
            }
        }
    }
    printf("# %u modules of %u switches\n", order_count, (unsigned)number);
    assert_true(order_count > 16000); /* not more: if all cases fall through, the last one dominates the merge block */
}

/* Switches with random programs in the cases, inside and outside of loops: nested switches, breaks, continues, returns.
 * Each is checked in four random block orders. */
static void nested_switches_in_random_orders(void **state)
{
    static struct gen g;
    static struct module m;
    uint32_t push[8], want[4][EVAL_LANES];
    for (uint64_t seed = first_seed; seed < first_seed + 2 * program_count; seed++) {
        memset(&g, 0, sizeof g);
        g.state = seed;
        fuzz_rnd(&g, 2);
        for (uint32_t i = 0; i < 8; i++)
            push[i] = fuzz_rnd(&g, 16);
        struct expr lane = {.kind = E_INPUT};
        struct stmt loop = {.kind = S_LOOP, .loop = {.count = 3}}, last = {.kind = S_ASSIGN, .value = &lane};
        g.in_loop = seed % 2;
        struct stmt *s = make_switch(&g, 1 + fuzz_rnd(&g, 4), fuzz_rnd(&g, CASES + 1), fuzz_rnd(&g, 27));
        g.in_switch = true;
        for (uint32_t k = 0; k < s->cases.count; k++)
            s->body[k] = fuzz_random_list(&g, 2);
        s->next = &last;
        loop.body[0] = s;
        struct stmt *program = g.in_loop ? &loop : s;
        fuzz_execute(program, push, want);
        fuzz_write_module(&written, program, SpvExecutionModelFragment);
        if (seed / 2 % 2)
            fuzz_to_ssa(&written);
        for (unsigned k = 0; k < 4; k++) {
            m = written;
            fuzz_shuffle_blocks(&m, &g);
            check_module(&m, seed, push, (const uint32_t(*)[EVAL_LANES])want);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(switches_in_every_order),
        cmocka_unit_test(nested_switches_in_random_orders),
        cmocka_unit_test_setup_teardown(random_programs, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(vertex_programs, harness_setup, harness_teardown),
    };
    const struct CMUnitTest random_ones[] = {
        cmocka_unit_test(nested_switches_in_random_orders),
        cmocka_unit_test_setup_teardown(random_programs, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(vertex_programs, harness_setup, harness_teardown),
    };
    const char *mode = getenv("VKT_FUZZ");
    if (mode && !strcmp(mode, "full"))
        program_count = 10000;
    else if (mode && !strcmp(mode, "few"))
        program_count /= 8;
    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 0);
    if (argc > 2)
        program_count = (unsigned)strtoul(argv[2], NULL, 0);
    if (argc > 1)
        return cmocka_run_group_tests_name("compiler_fuzz_spirv", random_ones, NULL, NULL);
    return cmocka_run_group_tests_name("compiler_fuzz_spirv", all, NULL, NULL);
}
