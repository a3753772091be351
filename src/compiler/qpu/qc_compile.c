/* SPDX-License-Identifier: MIT
 *
 * Runs a shader through the passes of the back end. Scheduling runs with several strategies and the shortest program
 * wins. That is most of the time of a compilation, so programs that a draw waits for get a quick search, with few runs.
 *
 * Two hardware threads are tried first where they can help. A program that does not fit half of the registers is
 * compiled for one thread, with all registers. If it does not fit those either, its register pressure is reduced
 * (qc_reduce_pressure.c).
 */
#include "compiler/qpu/qc_engine.h"
#include "compiler/qpu/qc_reduce_pressure.h"
#include "compiler/qpu/qc_sched.h"
#include "util/debug.h"
#include "util/log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The first runs use these strategies. Later runs alternate between a variation of the best one so far and a random
 * one. Seeds are fixed, so equal programs give equal code. */
static const struct qc_strategy strategies[] = {
    {.acc_life = 6, .reserve = 3, .kill_weight = 8},
    {.acc_life = 4, .reserve = 3, .kill_weight = 16, .lazy = true},
    {.acc_life = 10, .reserve = 2, .kill_weight = 24, .dense = true},
    {.acc_life = 12, .reserve = 3, .kill_weight = 12, .lazy = true},
};

/* Operations to schedule in all runs together; this bounds the time of a compilation. */
#define WORK_LIMIT 4000
#define RUNS_MAX   24
#define RUNS_MIN   4
/* The search stops after this many runs in a row that found nothing shorter. Further runs rarely do, and for short
 * programs even more rarely. [measured: over the corpus a third of the time of all runs, 0.1 % more instructions] */
#define FRUITLESS_RUNS_MIN       3
#define FRUITLESS_RUNS_MAX       10
#define FRUITLESS_RUN_OPERATIONS 16 /* one more run per this many operations */

#define FIRST_SEED 12 /* [measured: the best of forty over the corpus] */

static struct qc_strategy nth_strategy(unsigned n, const struct qc_strategy *best)
{
    if (n < ARRAY_SIZE(strategies))
        return strategies[n];
    uint32_t r = (n + FIRST_SEED) * 2654435761u;
    if (n % 2) {
        struct qc_strategy varied = *best;
        varied.seed = r;
        return varied;
    }
    return (struct qc_strategy){.acc_life = (uint8_t)(3 + (r >> 8) % 12),
                                .reserve = (uint8_t)((r >> 12) % 4),
                                .kill_weight = (uint8_t)((r >> 16) % 32),
                                .dense = r >> 24 & 1,
                                .lazy = r >> 25 & 1,
                                .seed = r};
}

/* Used when the other strategies run out of registers. */
static const struct qc_strategy low_pressure_strategies[] = {
    {.acc_life = 6, .reserve = 12, .kill_weight = 64},
    {.acc_life = 12, .reserve = 64, .kill_weight = 128},
    {.acc_life = 8, .reserve = 64, .in_order = true},
    {.acc_life = 16, .reserve = 64, .in_order = true},
};

/* The quick search runs this strategy. The second run estimates live ranges from the first. [measured: over the corpus
 * 0.6 % more instructions than the full search finds for programs of the chip; one run 5 %, three runs 0.3 %] */
static const struct qc_strategy quick_strategy = {.acc_life = 10, .reserve = 3, .kill_weight = 16, .dense = true};
#define QUICK_RUNS 2

static unsigned run_count(const struct qc_sched *s)
{
    return CLAMP(WORK_LIMIT / (s->operation_count + 1), RUNS_MIN, RUNS_MAX);
}

static unsigned fruitless_run_count(const struct qc_sched *s)
{
    return MIN2(FRUITLESS_RUNS_MIN + s->operation_count / FRUITLESS_RUN_OPERATIONS, FRUITLESS_RUNS_MAX);
}

struct search {
    struct qc_sched *sched;
    struct qc_emitter *emitter;
    struct qc_schedule *best, *next, *unused;
    struct qc_strategy best_strategy;
    uint32_t best_length;
    bool is_bounded; /* runs stop when they cannot become shorter than the best one; not worth it for few of them */
    bool is_stuck;   /* the low-pressure strategies do not fit either */
};

/* Each run estimates live ranges from the best run before it. */
static enum qc_run try_strategy(struct search *s, const struct qc_strategy *strategy, bool *is_better_out)
{
    enum qc_run result =
        qc_sched_run(s->sched, strategy, s->best, s->is_bounded ? s->best_length : UINT32_MAX, s->next);
    uint32_t length = result == QC_RUN_DONE ? qc_emit_length(s->emitter, s->next) : UINT32_MAX;
    *is_better_out = length < s->best_length;
    if (!*is_better_out)
        return result;
    struct qc_schedule *next = s->best ? s->best : s->unused;
    s->best_length = length;
    s->best_strategy = *strategy;
    s->best = s->next;
    s->next = next;
    return result;
}

/* Called when the first run does not fit the registers. True when the low-pressure strategies do not fit either: then
 * the search gives up. */
static bool no_schedule_fits(struct search *s)
{
    bool is_better;
    for (unsigned k = 0; k < ARRAY_SIZE(low_pressure_strategies) && !s->best && !s->is_stuck; k++)
        try_strategy(s, &low_pressure_strategies[k], &is_better);
    s->is_stuck = !s->best;
    return s->is_stuck;
}

static void search_quickly(struct search *s)
{
    bool is_better;
    for (unsigned k = 0; k < QUICK_RUNS; k++) {
        if (try_strategy(s, &quick_strategy, &is_better) == QC_RUN_STUCK && !s->best && no_schedule_fits(s))
            return;
    }
}

static void search_fully(struct search *s)
{
    const uint32_t min_length = qc_sched_find_bounds(s->sched);
    const unsigned runs = run_count(s->sched), fruitless_max = fruitless_run_count(s->sched);
    unsigned fruitless = 0;
    s->is_bounded = true;
    for (unsigned k = 0; k < runs && s->best_length > min_length && fruitless < fruitless_max; k++) {
        struct qc_strategy strategy = nth_strategy(k, &s->best_strategy);
        bool is_better;
        enum qc_run result = try_strategy(s, &strategy, &is_better);
        if (result == QC_RUN_STUCK && !s->best && no_schedule_fits(s))
            return;
        if (result != QC_RUN_STUCK)
            fruitless = is_better ? 0 : fruitless + 1;
    }
}

/* NULL: none fits the registers. A quick search that finds none is followed by a full one, so that a program that fits
 * when it is compiled ahead always fits. */
static struct qc_schedule *find_schedule(struct qc_program *p, struct qc_emitter *emitter, bool is_quick)
{
    struct qc_schedule *two = util_arena_new_array(p->arena, struct qc_schedule, 2);
    struct search s = {.sched = qc_sched_create(p),
                       .emitter = emitter,
                       .next = &two[0],
                       .unused = &two[1],
                       .best_strategy = strategies[0],
                       .best_length = UINT32_MAX};
    if (is_quick)
        search_quickly(&s);
    if (!s.best)
        search_fully(&s);
    return s.best;
}

/* Catches compiler bugs: programs that break a rule of the chip. */
static void check(struct qc_program *p, const struct vc4c_program *out)
{
    if (!util_debug(UTIL_DEBUG_VALIDATE))
        return;
    struct qpu_violation v;
    enum qpu_program_kind kind = p->shader->is_engine             ? QPU_PROGRAM_USER
                                 : p->kind == VC4C_PROGRAM_FRAGMENT ? QPU_PROGRAM_FRAGMENT
                                                                    : QPU_PROGRAM_VERTEX;
    if (!qpu_check(out->code, out->instruction_count, kind, &v)) {
        util_error("compiled program breaks rule %s at instruction %" PRIu32 ": %s", v.rule, v.index, v.text);
        qpu_dump(stderr, out->code, out->instruction_count);
        abort();
    }
    if (!vc4c_program_is_valid(out)) {
        util_error("compiled program is inconsistent: vc4c_program_is_valid() fails");
        abort();
    }
}

static void fill_interface(struct qc_program *p, struct vc4c_program *out)
{
    const struct ir_shader *s = p->shader;
    out->threaded = p->threaded;
    memcpy(out->textures, s->textures, sizeof out->textures);
    out->texture_count = s->texture_count;
    memcpy(out->resources, s->resources, sizeof out->resources);
    out->resource_count = s->resource_count;
    memcpy(out->attributes, s->attributes, sizeof out->attributes);
    out->attribute_count = s->attribute_count;
    out->attribute_size_B = s->attribute_size_B;
    out->spill_stride_B = s->spill_stride_B;
    out->needs_triangle = s->needs_triangle;
    memcpy(out->inputs, s->inputs, sizeof out->inputs);
    out->input_count = s->input_count;
    for (uint32_t k = 0; k < s->input_count && k < VC4C_CHIP_SLOTS; k++)
        out->flat_mask |= (uint32_t)s->inputs[k].flat << k;
    for (uint32_t k = VC4C_CHIP_SLOTS; k < s->input_count && !out->flat_from; k++)
        out->flat_from = s->inputs[k].flat ? k : 0;
    memcpy(out->local_size, s->local_size, sizeof out->local_size);
    out->subgroups = p->subgroups;
    out->is_engine = s->is_engine;
    out->vertex_results_B = s->vertex_results_B;
    out->uses_addresses = s->uses_addresses;
    out->uses_set_memory = s->uses_set_memory;
    out->has_barriers = p->has_barriers;
    out->shared_B = s->shared_B;
    out->counts_finished = s->counts_finished;
    out->scratch_B = s->spill_slots * QC_SPILL_SLOT_B;
    out->reads_color = s->reads_color;
    out->writes_z_late = s->writes_z_late;
}

/* Returns false when the program needs more registers than there are. */
static bool compile(struct qc_program *p, const struct qc_options *options, const struct util_alloc *alloc,
                    struct vc4c_program *out)
{
    p->registers_less = util_debug(UTIL_DEBUG_FEW_REGISTERS) ? 12 : options->registers_less;
    qc_select(p);
    qc_opt(p);
    qc_coalesce(p);
    qc_analyse(p);
    struct qc_emitter *emitter = qc_emitter_create(p);
    struct qc_schedule *best = NULL;
    if (!options->single_thread && !p->shader->is_engine && qc_insert_switches(p)) {
        if (qc_dags_build(p))
            best = find_schedule(p, emitter, options->quick);
        if (!best)
            qc_remove_switches(p);
    }
    if (!best) {
        if (!qc_dags_build(p))
            qc_fail(p, VC4C_UNSUPPORTED, "back end: cyclic dependence between operations of a block");
        best = find_schedule(p, emitter, options->quick);
    }
    if (!best)
        return false;
    memset(out, 0, sizeof *out);
    out->alloc = alloc;
    fill_interface(p, out);
    qc_emit(emitter, best, alloc, out);
    qc_keep_tables(p, out);
    out->stats.instructions = out->instruction_count;
    out->stats.uniforms = out->uniform_count;
    out->stats.lookups = out->lookup_count;
    out->stats.registers = best->registers;
    out->stats.spill_rows = p->shader->spill_rows;
    out->stats.cycles = out->instruction_count * 4;
    if (util_debug(UTIL_DEBUG_QPU)) {
        qc_print(stderr, p);
        qpu_dump(stderr, out->code, out->instruction_count);
    }
    check(p, out);
    return true;
}

/* Replaces undefined booleans by false. In registers booleans are 0 or 1, but an undefined one could have any value,
 * for which even `x || !x` need not be true. */
static void define_booleans(struct ir_shader *shader)
{
    ir_for_each_block(block, shader)
        ir_for_each_instr(i, block)
            if (i->op == IR_UNDEF && i->value.bits == 1) {
                i->op = IR_CONST;
                i->imm = 0;
            }
}

static void init_program(struct qc_program *p, struct ir_shader *shader, struct util_arena *arena,
                         struct vc4c_error *error, jmp_buf *fail)
{
    *p = (struct qc_program){.arena = arena,
                             .shader = shader,
                             .kind = shader->kind,
                             .error = error,
                             .fail = fail,
                             .result = VC4C_OUT_OF_MEMORY};
    util_list_init(&p->blocks);
    util_list_init(&p->loops);
    if (p->kind == VC4C_PROGRAM_COMPUTE)
        p->subgroups =
            util_div_round_up(shader->local_size[0] * shader->local_size[1] * shader->local_size[2], QPU_LANES);
}

static void empty(struct util_arena *arena, const struct util_arena *like)
{
    util_arena_finish(arena);
    arena->limit_B = like->limit_B;
    arena->on_oom = like->on_oom;
}

/* Attempts after the first allocate from `retries`, which is emptied before each of them. */
static void compile_until_it_fits(struct qc_program *p, const struct qc_options *options, struct util_arena *retries,
                                  const struct util_alloc *alloc, struct vc4c_program *out)
{
    struct qc_options retry_options = *options;
    struct qc_reduce_pressure reducer = {.shader = p->shader};
    retry_options.single_thread = true;
    bool in_order = false;
    while (!compile(p, reducer.steps ? &retry_options : options, alloc, out)) {
        reducer.registers = QC_REGISTERS - 2u * p->registers_less;
        if (!in_order && p->shader->spill_rows) /* what was computed too early took the registers */
            in_order = true;
        else if (!qc_reduce_pressure_step(&reducer))
            qc_fail(p, VC4C_DOES_NOT_FIT, "the program needs more registers than the chip has");
        empty(retries, p->shader->arena);
        init_program(p, p->shader, retries, p->error, p->fail);
        p->in_order = in_order;
    }
}

enum vc4c_result qc_compile(struct ir_shader *shader, const struct qc_options *options, const struct util_alloc *alloc,
                            struct vc4c_program *out, struct vc4c_error *error)
{
    jmp_buf fail;
    jmp_buf *outer = shader->arena->on_oom;
    struct qc_program *volatile p = NULL;
    struct util_arena *volatile retries = NULL;
    shader->arena->on_oom = &fail;
    if (setjmp(fail)) {
        shader->arena->on_oom = outer;
        enum vc4c_result result = p ? p->result : VC4C_OUT_OF_MEMORY;
        if (result == VC4C_OUT_OF_MEMORY && error)
            *error = (struct vc4c_error){.text = "back end: out of memory"};
        if (retries)
            util_arena_finish(retries);
        return result;
    }
    struct util_arena *arena = util_arena_new(shader->arena, struct util_arena);
    util_arena_init(arena, shader->arena->alloc);
    empty(arena, shader->arena);
    retries = arena;
    define_booleans(shader);
    p = util_arena_new(shader->arena, struct qc_program);
    init_program(p, shader, shader->arena, error, &fail);
    compile_until_it_fits(p, options, arena, alloc, out);
    util_arena_finish(arena);
    shader->arena->on_oom = outer;
    return VC4C_OK;
}
