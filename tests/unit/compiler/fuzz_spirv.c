/* SPDX-License-Identifier: MIT
 *
 * Random programs at the level of SPIR-V, through the whole compiler: a random tree of statements is executed here,
 * lane by lane; written down as a module; and run by the IR evaluator as translated, and by the model as compiled. All
 * three must agree on every bit.
 *
 * The trees have variables and arrays with computed indices, ifs, switches, loops with break and continue, early
 * returns, integers of all operations, and floats that hold small integers, so that every result is exact.
 *
 *   fuzz_spirv [SEED [COUNT]]        VKT_FUZZ=full: 10,000 programs
 */
#include <inttypes.h>
#include <stdlib.h>
#include "as_vertex.h"
#include "compiler/spirv/spv.h"
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
        fail_msg("seed %" PRIu64 ": the evaluator cannot do %s", seed, e->trouble);
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
    fuzz_rnd(&g, 2);
    for (uint32_t i = 0; i < 8; i++)
        push[i] = fuzz_rnd(&g, 2) ? fuzz_rnd(&g, 8) : fuzz_rnd(&g, 0x7fffffff) * 2u + fuzz_rnd(&g, 2);
    struct stmt *list = fuzz_random_list(&g, 1 + (unsigned)(seed % 3), false);
    fuzz_execute(list, push, want);
    fuzz_write_module(&m, list);
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_programs, harness_setup, harness_teardown),
    };
    const char *mode = getenv("VKT_FUZZ");
    if (mode && !strcmp(mode, "full"))
        program_count = 10000;
    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 0);
    if (argc > 2)
        program_count = (unsigned)strtoul(argv[2], NULL, 0);
    return cmocka_run_group_tests_name("compiler_fuzz_spirv", tests, NULL, NULL);
}
