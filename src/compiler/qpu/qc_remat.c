/* SPDX-License-Identifier: MIT
 *
 * Rematerialisation: where more values are live than there are registers, some values are computed again for their
 * later uses, from values that are live there anyway, and their live ranges end before. That works for arithmetic,
 * special functions and lookups, but not for values that come from a stream (varyings) or merge control flow (phis).
 *
 * Each call is a round that uses the live ranges measured at its beginning. A live range that one choice relies on is
 * not ended by another.
 */
#include "compiler/qpu/qc_pressure.h"
#include "compiler/qpu/qc_select.h"

#define REACH      12 /* instructions within which uses share a rematerialised value */
#define WORTH_SPAN 16 /* shorter gaps are not worth it */
#define DEPTH      4
#define USES_MAX   64
#define TRIES_MAX  300 /* per round; this bounds the time */
#define NEVER      1000u
#define COST_MAX   60u

struct remat {
    struct qc_pressure p;
    bool *is_relied_on, *is_ended; /* by value */
};

static uint32_t cost_of_op(const struct ir_instr *i)
{
    switch (i->op) {
    case IR_PHI:
    case IR_VARYING:
    case IR_POINT_COORD:
    case IR_ATTRIBUTE:
    case IR_ANY:
    case IR_ENGINE_FETCH:
        return NEVER;
    case IR_TEX:
    case IR_DIRECT:
    case IR_DIRECT_TEX:
    case IR_LOAD_TABLE:
        return 6;
    case IR_DDX:
    case IR_DDY:
        return 7;
    case IR_SFU_RECIP:
    case IR_SFU_RSQRT:
    case IR_SFU_EXP2:
    case IR_SFU_LOG2:
        return 3;
    case IR_PACK_UNORM8:
        return 4;
    default:
        return ir_op_infos[i->op].flags & IR_P ? 1 : NEVER;
    }
}

/* True when the value is in a register at that position and its live range has not been shortened. */
static bool is_live_at(const struct remat *r, const struct ir_instr *i, uint32_t at)
{
    const struct qc_range *range = &r->p.ranges[i->value.index];
    return range->value && range->last >= at && !r->is_ended[i->value.index];
}

static bool needs_no_register(const struct remat *r, const struct ir_instr *i)
{
    return i->value.index < r->p.value_count && !r->p.ranges[i->value.index].value && !i->src_count;
}

/* Cost of rematerialising the value for a use at position `at`. */
static uint32_t cost(const struct remat *r, const struct ir_instr *i, uint32_t at, unsigned depth)
{
    uint32_t sum = cost_of_op(i);
    if (sum >= NEVER || !depth)
        return NEVER;
    for (uint32_t k = 0; k < i->src_count && sum < NEVER; k++) {
        const struct ir_instr *source = i->src[k].def;
        if (source->value.index >= r->p.value_count)
            return NEVER;
        if (!needs_no_register(r, source) && !is_live_at(r, source, at))
            sum += cost(r, source, at, depth - 1);
    }
    return sum;
}

static struct ir_instr *rematerialise(struct remat *r, struct ir_builder *b, struct ir_instr *i, uint32_t at)
{
    struct ir_instr *copy = qc_clone(b, i);
    struct ir_builder front = ir_before(r->p.shader, copy);
    for (uint32_t k = 0; k < i->src_count; k++) {
        struct ir_instr *source = i->src[k].def;
        if (needs_no_register(r, source)) {
            continue;
        } else if (is_live_at(r, source, at)) {
            r->is_relied_on[source->value.index] = true;
        } else {
            ir_src_set(&copy->src[k], rematerialise(r, &front, source, at));
        }
    }
    return copy;
}

/* ---------------------------------------------------------------- which uses */

static const struct ir_block *block_at(const struct remat *r, uint32_t at)
{
    ir_for_each_block(block, r->p.shader)
        if (at <= r->p.block_end[block->index])
            return block;
    return NULL;
}

/* The outermost loop that contains the block but not the value's definition, or NULL. All uses in this loop count as
 * later uses. */
static const struct ir_node *loop_around(const struct ir_instr *value, const struct ir_block *block)
{
    const struct ir_node *found = NULL;
    for (const struct ir_node *n = block ? block->node.parent : NULL; n; n = n->parent)
        if (n->kind == IR_NODE_LOOP && !qc_contains(n, &value->block->node))
            found = n;
    return found;
}

static bool is_later(const struct remat *r, const struct ir_src *src, uint32_t at, const struct ir_node *loop)
{
    return qc_position_of_use(&r->p, src) > at || (loop && qc_contains(loop, &qc_block_of_use(src)->node));
}

static uint32_t loop_weight(const struct ir_src *src)
{
    uint32_t weight = 1;
    for (const struct ir_node *n = &qc_block_of_use(src)->node; n; n = n->parent)
        if (n->kind == IR_NODE_LOOP && weight < 64)
            weight *= 4;
    return weight;
}

struct gap {
    const struct ir_node *loop;
    uint32_t cost, last_before, first_after;
};

/* Finds the gap that results when the live range ends before `at`, and its cost. False when it cannot end there. */
static bool find_gap(const struct remat *r, struct ir_instr *value, uint32_t at, const struct ir_block *block,
                     struct gap *out)
{
    uint32_t later = 0;
    *out = (struct gap){.loop = loop_around(value, block),
                        .last_before = r->p.position[value->value.index],
                        .first_after = UINT32_MAX};
    util_list_for_each(struct ir_src, src, &value->value.uses, link) {
        if (src->user && src->user->value.index >= r->p.value_count) /* created in this round */
            return false;
        uint32_t use = qc_position_of_use(&r->p, src);
        if (!is_later(r, src, at, out->loop)) {
            out->last_before = MAX2(out->last_before, use);
            continue;
        }
        uint32_t c = cost(r, value, use, DEPTH);
        if (c >= NEVER || later++ == USES_MAX)
            return false;
        out->cost += c * loop_weight(src);
        out->first_after = MIN2(out->first_after, use);
    }
    if (out->first_after == UINT32_MAX || out->cost > COST_MAX)
        return false;
    return out->loop || out->first_after - out->last_before >= WORTH_SPAN;
}

static uint64_t span_of(const struct gap *gap)
{
    return gap->first_after > gap->last_before ? gap->first_after - gap->last_before : 1;
}

/* A quick test with the best case: rematerialised only once, and the gap is the whole live range. */
static bool may_be_cheaper(const struct qc_range *range, const struct gap *best)
{
    return cost_of_op(range->value) * span_of(best) < (uint64_t)best->cost * MAX2(range->last - range->first, 1);
}

/* The value whose gap costs least per position. */
static struct ir_instr *choose(const struct remat *r, uint32_t at, struct gap *best)
{
    const struct ir_block *block = block_at(r, at);
    struct ir_instr *found = NULL;
    for (uint32_t v = 0; v < r->p.value_count; v++) {
        const struct qc_range *range = &r->p.ranges[v];
        struct gap gap;
        if (!range->value || range->first > at || range->last <= at || r->is_relied_on[v] || r->is_ended[v] ||
            cost_of_op(range->value) >= NEVER || (found && !may_be_cheaper(range, best)) ||
            !find_gap(r, range->value, at, block, &gap))
            continue;
        if (!found || gap.cost * span_of(best) < best->cost * span_of(&gap)) {
            found = range->value;
            *best = gap;
        }
    }
    return found;
}

/* ---------------------------------------------------------------- rewriting */

struct last_remat {
    struct ir_instr *value;
    const struct ir_block *block;
    uint32_t at;
};

static void rewrite(struct remat *r, struct ir_instr *value, uint32_t at, const struct gap *gap)
{
    struct last_remat last = {0};
    struct ir_src *later[USES_MAX];
    uint32_t count = 0;
    util_list_for_each(struct ir_src, src, &value->value.uses, link) {
        if (!is_later(r, src, at, gap->loop))
            continue;
        uint32_t k = count++;
        for (; k > 0 && qc_position_of_use(&r->p, later[k - 1]) > qc_position_of_use(&r->p, src); k--)
            later[k] = later[k - 1];
        later[k] = src;
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t use = qc_position_of_use(&r->p, later[k]);
        if (!last.value || last.block != qc_block_of_use(later[k]) || use - last.at > REACH) {
            struct ir_builder b = qc_before_use(r->p.shader, later[k]);
            last = (struct last_remat){rematerialise(r, &b, value, use), qc_block_of_use(later[k]), use};
        }
        ir_src_set(later[k], last.value);
    }
}

static void end_range(struct remat *r, struct ir_instr *value, const struct gap *gap)
{
    const struct qc_range *range = &r->p.ranges[value->value.index];
    r->is_ended[value->value.index] = true;
    for (uint32_t k = MAX2(gap->last_before, range->first); k < range->last; k++)
        r->p.live[k]--;
}

bool qc_remat(struct ir_shader *shader, uint32_t limit, uint32_t give_up_above)
{
    struct remat r;
    struct gap gap = {0};
    bool changed = false;
    qc_pressure_measure(&r.p, shader);
    r.is_relied_on = util_arena_new_array(shader->arena, bool, r.p.value_count);
    r.is_ended = util_arena_new_array(shader->arena, bool, r.p.value_count);
    for (unsigned tries = 0; tries < TRIES_MAX; tries++) {
        uint32_t worst = qc_pressure_worst(&r.p);
        if (r.p.live[worst] <= limit)
            break;
        struct ir_instr *value = choose(&r, worst, &gap);
        if (!value) { /* nothing to gain here; try other positions */
            if (r.p.live[worst] > give_up_above)
                break;
            r.p.live[worst] = 0;
            continue;
        }
        rewrite(&r, value, worst, &gap);
        end_range(&r, value, &gap);
        changed = true;
    }
    return changed;
}
