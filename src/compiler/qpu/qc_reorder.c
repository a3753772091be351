/* SPDX-License-Identifier: MIT
 *
 * Reorders the instructions of each block so that fewer values are live. It places instructions from the block's end
 * upwards and always takes the one that leaves the fewest values live above it. Of equal ones it takes the one whose
 * user was placed last, which keeps expressions together.
 *
 * A block for which the new order is worse keeps its old order. Instructions with effects keep their order. Attributes
 * and varyings are in registers from the start and come first.
 */
#include "compiler/qpu/qc_pressure.h"

struct node {
    struct ir_instr *instr;
    uint32_t users_left; /* users in the block that are not placed yet; for an effect, the next effect counts, too */
    uint32_t since;      /* when the last of them was placed */
    struct node *effect_before;
};

struct reorder {
    struct qc_pressure p;
    struct node *nodes; /* of the current block */
    uint32_t count, first_position;
    struct node **ready; /* nodes whose users are all placed */
    uint32_t ready_count;
    bool *is_live; /* by value */
};

static bool is_first(const struct ir_instr *i)
{
    return i->op == IR_PHI || i->op == IR_ATTRIBUTE || i->op == IR_VARYING || i->op == IR_POINT_COORD;
}

static bool is_jump(const struct ir_instr *i)
{
    return i->op == IR_BREAK || i->op == IR_CONTINUE;
}

static struct node *node_of(struct reorder *r, const struct ir_instr *i, const struct ir_block *block)
{
    return i->block == block ? &r->nodes[r->p.position[i->value.index] - r->first_position] : NULL;
}

/* How many values become live when the instruction is placed next. Tests count as their sources. */
static int count_new_values(const struct reorder *r, const struct ir_instr *i)
{
    int count = 0;
    for (uint32_t k = 0; k < i->src_count; k++) {
        const struct ir_instr *source = i->src[k].def;
        if (qc_is_test(source))
            count += count_new_values(r, source);
        else if (r->p.ranges[source->value.index].value && !r->is_live[source->value.index] && !is_first(source))
            count += k == 0 || i->src[k - 1].def != source;
    }
    return count;
}

static bool costs_nothing(const struct reorder *r, const struct ir_instr *i)
{
    return i->value.bits && !r->p.ranges[i->value.index].value;
}

static int score(const struct reorder *r, const struct ir_instr *i)
{
    if (costs_nothing(r, i))
        return -100; /* goes right before its user */
    return count_new_values(r, i) - (r->is_live[i->value.index] && i->value.bits);
}

static void mark_sources(struct reorder *r, const struct ir_instr *i)
{
    for (uint32_t k = 0; k < i->src_count; k++) {
        if (qc_is_test(i->src[k].def))
            mark_sources(r, i->src[k].def);
        r->is_live[i->src[k].def->value.index] = true;
    }
}

static void drop_user(struct reorder *r, struct node *n)
{
    if (!--n->users_left && !is_first(n->instr))
        r->ready[r->ready_count++] = n;
}

static void place(struct reorder *r, struct node *n, const struct ir_block *block, uint32_t now)
{
    r->is_live[n->instr->value.index] = false;
    mark_sources(r, n->instr);
    for (uint32_t k = 0; k < n->instr->src_count; k++) {
        struct node *source = node_of(r, n->instr->src[k].def, block);
        if (source) {
            source->since = now;
            drop_user(r, source);
        }
    }
    if (n->effect_before)
        drop_user(r, n->effect_before);
}

/* Removes the best ready node from the list and returns it. */
static struct node *choose(struct reorder *r)
{
    uint32_t found = 0;
    int best_score = 0;
    if (!r->ready_count)
        return NULL;
    for (uint32_t k = 0; k < r->ready_count; k++) {
        const struct node *n = r->ready[k], *best = r->ready[found];
        int s = score(r, n->instr);
        bool is_later = n->since > best->since || (n->since == best->since && n > best);
        if (k == 0 || s < best_score || (s == best_score && is_later)) {
            found = k;
            best_score = s;
        }
    }
    struct node *best = r->ready[found];
    r->ready[found] = r->ready[--r->ready_count];
    return best;
}

static void count_users(struct reorder *r, struct ir_block *block)
{
    struct node *effect = NULL;
    uint32_t k = 0;
    ir_for_each_instr(i, block)
        r->nodes[k++] = (struct node){.instr = i};
    for (k = 0; k < r->count; k++) {
        struct ir_instr *i = r->nodes[k].instr;
        for (uint32_t j = 0; j < i->src_count && i->op != IR_PHI; j++) {
            struct node *source = node_of(r, i->src[j].def, block);
            if (source)
                source->users_left++;
        }
        if (ir_op_infos[i->op].flags & IR_P)
            continue;
        if (effect)
            effect->users_left++;
        r->nodes[k].effect_before = effect;
        effect = &r->nodes[k];
    }
}

static void find_live_out(struct reorder *r, const struct ir_block *block)
{
    uint32_t end = r->p.block_end[block->index];
    for (uint32_t v = 0; v < r->p.value_count; v++)
        r->is_live[v] = r->p.ranges[v].value && r->p.ranges[v].first < end && r->p.ranges[v].last >= end;
}

static void reorder(struct reorder *r, struct ir_block *block)
{
    r->first_position = r->p.block_start[block->index];
    r->count = r->p.block_end[block->index] - r->first_position;
    if (r->count < 3)
        return;
    count_users(r, block);
    find_live_out(r, block);
    struct util_list *before = &block->instrs;
    struct node *jump = is_jump(r->nodes[r->count - 1].instr) ? &r->nodes[r->count - 1] : NULL;
    uint32_t now = 1;
    r->ready_count = 0;
    for (uint32_t k = 0; k < r->count; k++) {
        if (!r->nodes[k].users_left && !is_first(r->nodes[k].instr) && &r->nodes[k] != jump)
            r->ready[r->ready_count++] = &r->nodes[k];
    }
    if (jump) {
        before = &jump->instr->link;
        place(r, jump, block, now++);
    }
    for (struct node *n; (n = choose(r)); now++) {
        util_list_del(&n->instr->link);
        util_list_add_before(before, &n->instr->link);
        before = &n->instr->link;
        place(r, n, block, now);
    }
}

static uint32_t max_pressure(const struct qc_pressure *p, const struct ir_block *block)
{
    uint32_t worst = 0;
    for (uint32_t k = p->block_start[block->index]; k < p->block_end[block->index]; k++)
        worst = MAX2(worst, p->live[k]);
    return worst;
}

static void restore(struct ir_block *block, struct ir_instr *const *order, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        util_list_del(&order[k]->link);
        util_list_add_tail(&block->instrs, &order[k]->link);
    }
}

void qc_reorder(struct ir_shader *shader)
{
    struct reorder r = {0};
    struct qc_pressure after;
    uint32_t at = 0;
    qc_pressure_measure(&r.p, shader);
    r.nodes = util_arena_new_array(shader->arena, struct node, r.p.position_count + 1);
    r.ready = util_arena_new_array(shader->arena, struct node *, r.p.position_count + 1);
    r.is_live = util_arena_new_array(shader->arena, bool, r.p.value_count + 1);
    struct ir_instr **order = util_arena_new_array(shader->arena, struct ir_instr *, r.p.position_count + 1);
    ir_for_each_block(block, shader) {
        ir_for_each_instr(i, block)
            order[at++] = i;
        at++;
    }
    ir_for_each_block(block, shader)
        reorder(&r, block);
    qc_pressure_measure(&after, shader);
    ir_for_each_block(block, shader) {
        uint32_t start = r.p.block_start[block->index];
        if (max_pressure(&after, block) > max_pressure(&r.p, block))
            restore(block, &order[start], r.p.block_end[block->index] - start);
    }
}
