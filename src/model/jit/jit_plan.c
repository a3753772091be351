/* SPDX-License-Identifier: MIT
 *
 * Chooses where to cut a program and finds the entries of each piece.
 *
 * The time that LLVM takes for a function grows faster than the function, so pieces have about the same length. Passing
 * from one piece to another costs a store and a load for each live register. Cuts are therefore made outside of loops
 * where that is possible, and then where least is live. A cut is never made where code belongs together: in the delay
 * slots of a branch or a thread switch, and in sequences that host code does in one call.
 *
 * The entries are found by following all points that can be reached from the program's start.
 */
#include <stdlib.h>
#include <string.h>
#include "model/jit/jit_plan.h"

#define FORBIDDEN     UINT32_MAX
#define POINTS_FACTOR 8u /* a program with more points than this for each instruction is refused */

bool jit_plan_is_cut(uint32_t count, uint32_t piece_instrs)
{
    return count > (piece_instrs ? piece_instrs : JIT_WHOLE_INSTRS);
}

/* -- where to cut -------------------------------------------------------------------------------------------------- */

struct cutter {
    struct jit_program *p;
    uint32_t *cost;  /* of a cut before each instruction */
    uint32_t *loops; /* how many more loops there are around each instruction than around the one before */
};

static void forbid(const struct cutter *c, uint32_t first, uint32_t count)
{
    for (uint32_t n = first; n < first + count && n < c->p->count; n++)
        c->cost[n] = FORBIDDEN;
}

static uint32_t live_count(const struct jit_live *live)
{
    return (uint32_t)(__builtin_popcountll(live->file) + __builtin_popcount(live->acc & 63)) +
           (live->acc & BIT(JIT_LIVE_FLAGS) ? 3 : 0);
}

/* What is pending, as it is if all code is run in order. */
static uint32_t pending_cost(const struct jit_point *point)
{
    uint32_t cost = point->sfu_delay ? 2 : 0;

    for (unsigned n = 0; n < 2; n++)
        cost += 2u * point->tmu[n].count + (point->tmu[n].configs ? 100 : 0); /* jit_pieces.c cannot enter it */
    return cost;
}

static void find_costs(const struct cutter *c)
{
    struct jit_program *p = c->p;
    struct jit_point point = {.fresh = {JIT_NO_REGISTER, JIT_NO_REGISTER}};
    struct jit_atomic atomic;
    uint32_t depth = 0;
    bool store;

    for (uint32_t n = 0; n < p->count; n++) {
        const struct jit_op *op = &p->ops[n];
        if (op->reached && op->instr.sig == QPU_SIG_BRANCH && op->target <= n) { /* a cut at its head is outside */
            c->loops[op->target + 1]++;
            c->loops[n + 1]--;
        }
    }
    for (uint32_t n = 0; n < p->count; n++) {
        depth += c->loops[n];
        c->cost[n] = 8 + live_count(&p->ops[n].live) + pending_cost(&point) + 100 * MIN2(depth, 100u) -
                     (p->ops[n].leader ? 4 : 0);
        jit_point_step(&p->ops[n].instr, &point);
    }
    for (uint32_t n = 0; n < p->count; n++) {
        const struct qpu_instr *i = &p->ops[n].instr;
        if (!p->ops[n].reached)
            continue;
        if (i->sig == QPU_SIG_BRANCH)
            forbid(c, n + 1, 3);
        else if (i->sig == QPU_SIG_THREAD_SWITCH || i->sig == QPU_SIG_LAST_THREAD_SWITCH || jit_program_ends(i))
            forbid(c, n + 1, 2);
        if (jit_program_moves_lanes(p, n, &store))
            forbid(c, n + 1, JIT_MOVE_INSTRS - 1);
        if (jit_program_is_atomic(p, n, &atomic))
            forbid(c, n + 1, atomic.count);
    }
}

/* The cheapest place near begin + length for the end of a piece. */
static uint32_t find_cut(const struct cutter *c, uint32_t begin, uint32_t length)
{
    const uint32_t first = begin + MAX2(1u, length - length / 4), last = begin + length + length / 4;
    uint32_t best = c->p->count, best_cost = FORBIDDEN;

    for (uint32_t n = first; n < c->p->count && (n <= last || best_cost == FORBIDDEN); n++) {
        if (c->cost[n] < best_cost) {
            best = n;
            best_cost = c->cost[n];
        }
    }
    return best;
}

/* Fills in the pieces' ranges. `length`: that of a piece, about. The array has room for the largest number of pieces.
 */
static void cut(const struct cutter *c, uint32_t length, struct jit_plan *plan)
{
    struct jit_program *p = c->p;
    uint32_t begin = 0;

    find_costs(c);
    while (begin < p->count) {
        const uint32_t end = p->count - begin > length + length / 4 ? find_cut(c, begin, length) : p->count;
        plan->pieces[plan->count++] = (struct jit_piece){.begin = begin, .end = end};
        p->ops[begin].leader = true;
        begin = end;
    }
}

/* -- entries ------------------------------------------------------------------------------------------------------- */

struct found_point {
    struct jit_point point;
    uint32_t next; /* with the same instruction: index + 1, or 0 */
};

struct finder {
    const struct jit_program *p;
    struct jit_plan *plan;
    struct found_point *found;
    uint32_t count, capacity;
    uint32_t *first; /* for each instruction: index + 1 of a point, or 0 */
    const char *message;
};

static void *grow(void *array, uint32_t count, size_t item_B)
{
    return count & (count - 1) ? array : realloc(array, MAX2(1u, 2 * count) * item_B);
}

static void add_entry(struct finder *f, const struct jit_point *point)
{
    struct jit_piece *piece = &f->plan->pieces[jit_plan_piece_of(f->plan, point->pc)];

    if (jit_plan_entry(f->plan, point))
        return;
    if (piece->entry_count == JIT_PIECE_POINTS_MAX) {
        f->message = "a piece of the program has too many entries";
        return;
    }
    void *entries = grow(piece->entries, piece->entry_count, sizeof piece->entries[0]);
    if (!entries) {
        f->message = "out of memory";
        return;
    }
    piece->entries = entries;
    piece->entries[piece->entry_count++] = *point;
}

/* Notes that `point` is reached from the piece `from`. */
static void reach(struct finder *f, uint32_t from, struct jit_point point)
{
    point = jit_point_canonical(&f->p->ops[point.pc].instr, point);
    if (jit_plan_piece_of(f->plan, point.pc) != from)
        add_entry(f, &point);
    for (uint32_t n = f->first[point.pc]; n; n = f->found[n - 1].next) {
        if (jit_point_same(&f->found[n - 1].point, &point))
            return;
    }
    if (f->count == f->capacity) {
        f->message = "the effects of its instructions overlap in too many ways";
        return;
    }
    f->found[f->count] = (struct found_point){point, f->first[point.pc]};
    f->first[point.pc] = ++f->count;
}

/* Follows the code from a point up to the end of its basic block, as emit_block() in jit_emit.c does. */
static void follow(struct finder *f, struct jit_point now)
{
    const struct jit_program *p = f->p;
    const uint32_t start = now.pc, piece = jit_plan_piece_of(f->plan, start);
    const struct jit_op *branch = NULL;
    unsigned branch_delay = 0;

    while (!f->message) {
        const struct jit_op *op = &p->ops[now.pc];
        const bool had_end = now.end_delay || jit_program_ends(&op->instr);
        if (op->leader && now.pc != start && !branch_delay) {
            reach(f, piece, now);
            return;
        }
        jit_point_step(&op->instr, &now);
        if (had_end && !now.end_delay)
            return;
        if (op->instr.sig == QPU_SIG_BRANCH) {
            branch = op;
            branch_delay = 4;
        }
        if (branch_delay && --branch_delay == 0) {
            if (branch->instr.pack != QPU_BRANCH_ALWAYS)
                reach(f, piece, now);
            now.pc = branch->target;
            reach(f, piece, now);
            return;
        }
        if (now.pc >= p->count)
            f->message = "the program runs past its end";
    }
}

static const char *find_entries(const struct jit_program *p, struct jit_plan *plan)
{
    struct finder f = {.p = p, .plan = plan, .capacity = POINTS_FACTOR * p->count + 64};

    f.found = malloc(f.capacity * sizeof f.found[0]);
    f.first = calloc(p->count, sizeof f.first[0]);
    if (f.found && f.first) {
        reach(&f, 0, (struct jit_point){.fresh = {JIT_NO_REGISTER, JIT_NO_REGISTER}});
        for (uint32_t n = 0; n < f.count && !f.message; n++)
            follow(&f, f.found[n].point);
    } else {
        f.message = "out of memory";
    }
    free(f.found);
    free(f.first);
    return f.message;
}

/* -- plans --------------------------------------------------------------------------------------------------------- */

bool jit_plan_make(struct jit_program *p, uint32_t piece_instrs, struct jit_plan *out, const char **message_out)
{
    const bool is_cut = jit_plan_is_cut(p->count, piece_instrs);
    const uint32_t length = !is_cut ? p->count : piece_instrs ? piece_instrs : JIT_PIECE_INSTRS;
    struct cutter c = {p, malloc(p->count * sizeof c.cost[0]), calloc(p->count + 1, sizeof c.loops[0])};

    *out = (struct jit_plan){.pieces = calloc(p->count / MAX2(1u, length - length / 4) + 2, sizeof out->pieces[0])};
    *message_out = "out of memory";
    if (c.cost && c.loops && out->pieces) {
        cut(&c, length, out);
        if (out->count > JIT_PIECES_MAX)
            *message_out = "the program has too many pieces";
        else
            *message_out = out->count > 1 ? find_entries(p, out) : NULL;
    }
    free(c.cost);
    free(c.loops);
    if (*message_out)
        jit_plan_free(out);
    return !*message_out;
}

void jit_plan_free(struct jit_plan *plan)
{
    for (uint32_t n = 0; n < plan->count; n++)
        free(plan->pieces[n].entries);
    free(plan->pieces);
    *plan = (struct jit_plan){0};
}

uint32_t jit_plan_piece_of(const struct jit_plan *plan, uint32_t pc)
{
    uint32_t low = 0, high = plan->count;

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        *(plan->pieces[middle].begin <= pc ? &low : &high) = middle;
    }
    return low;
}

uint32_t jit_plan_entry(const struct jit_plan *plan, const struct jit_point *point)
{
    const struct jit_piece *piece = &plan->pieces[jit_plan_piece_of(plan, point->pc)];

    for (uint32_t n = 0; n < piece->entry_count; n++) {
        if (jit_point_same(&piece->entries[n], point))
            return n + 1;
    }
    return 0;
}
