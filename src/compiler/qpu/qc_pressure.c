/* SPDX-License-Identifier: MIT
 *
 * Measures live ranges of IR values and how many values are live at a time. This is an estimate: the scheduler changes
 * the order and allocates registers as it goes, but it starts from this order.
 */
#include "compiler/qpu/qc_pressure.h"

#include "compiler/qpu/qc_select.h"

bool qc_contains(const struct ir_node *outer, const struct ir_node *node)
{
    for (; node; node = node->parent)
        if (node == outer)
            return true;
    return false;
}

struct ir_block *qc_block_of_use(const struct ir_src *src)
{
    if (!src->user)
        return ir_node_as_block(ir_node_prev(&container_of(src, struct ir_if, cond)->node));
    if (src->user->op == IR_PHI)
        return src->user->block->preds[src - src->user->src];
    return src->user->block;
}

static bool is_at_end(const struct ir_src *src)
{
    return !src->user || src->user->op == IR_PHI;
}

struct ir_builder qc_before_use(struct ir_shader *shader, const struct ir_src *src)
{
    if (!is_at_end(src))
        return ir_before(shader, src->user);
    struct ir_block *block = qc_block_of_use(src);
    struct ir_instr *jump = ir_block_jump(block);
    return jump ? ir_before(shader, jump) : ir_at_end(shader, block);
}

uint32_t qc_position_of_use(const struct qc_pressure *p, const struct ir_src *src)
{
    return is_at_end(src) ? p->block_end[qc_block_of_use(src)->index] : p->position[src->user->value.index];
}

bool qc_is_test(const struct ir_instr *i)
{
    if (!qc_sel_is_comparison(i->op))
        return false;
    util_list_for_each(struct ir_src, u, &i->value.uses, link) {
        if (u->user && (u->user->op == IR_PHI || u->user->block != i->block))
            return false;
    }
    return true;
}

/* The position up to which a use keeps the value live. A use in a loop that does not contain the definition keeps it
 * until the loop's end. Tests read their sources where the result of the test is used. */
static uint32_t last_position(const struct qc_pressure *p, const struct ir_instr *value, const struct ir_src *src)
{
    uint32_t last = qc_position_of_use(p, src);
    if (src->user && qc_is_test(src->user)) {
        util_list_for_each(struct ir_src, u, &src->user->value.uses, link)
            last = MAX2(last, qc_position_of_use(p, u));
    }
    for (const struct ir_node *n = &qc_block_of_use(src)->node; n; n = n->parent)
        if (n->kind == IR_NODE_LOOP && !qc_contains(n, &value->block->node))
            last = MAX2(last, p->block_end[ir_list_last(&container_of(n, struct ir_loop, node)->body)->index]);
    return last;
}

/* Booleans need a register unless they stay in the flags. */
static bool takes_register(const struct ir_instr *i)
{
    if (i->value.bits == 32)
        return !qc_sel_is_free(i);
    return i->value.bits && i->op != IR_CONST && i->op != IR_UNDEF && i->op != IR_MOV && !qc_is_test(i);
}

static void number_positions(struct qc_pressure *p)
{
    struct util_arena *arena = p->shader->arena;
    uint32_t at = 0;
    p->position = util_arena_new_array(arena, uint32_t, p->value_count + 1);
    p->block_start = util_arena_new_array(arena, uint32_t, p->shader->block_count + 1);
    p->block_end = util_arena_new_array(arena, uint32_t, p->shader->block_count + 1);
    ir_for_each_block(block, p->shader) {
        p->block_start[block->index] = at;
        ir_for_each_instr(i, block)
            p->position[i->value.index] = at++;
        p->block_end[block->index] = at++;
    }
    p->position_count = at;
}

/* Attributes and varyings are in registers from the program's start. */
static uint32_t first_position(const struct qc_pressure *p, const struct ir_instr *i)
{
    return i->op == IR_ATTRIBUTE || i->op == IR_VARYING || i->op == IR_POINT_COORD ? 0 : p->position[i->value.index];
}

/* A phi occupies its register from the first copy of a source into it. A phi at a loop's head occupies it until the
 * last copy, at the loop's end. */
static void extend_phi(const struct qc_pressure *p, struct qc_range *r)
{
    const struct ir_block *block = r->value->block;
    for (uint32_t k = 0; k < block->pred_count; k++) {
        uint32_t at = p->block_end[block->preds[k]->index];
        r->first = MIN2(r->first, at);
        r->last = MAX2(r->last, at);
    }
}

void qc_pressure_measure(struct qc_pressure *p, struct ir_shader *shader)
{
    ir_renumber(shader);
    ir_find_preds(shader);
    *p = (struct qc_pressure){.shader = shader, .value_count = shader->value_count};
    number_positions(p);
    p->ranges = util_arena_new_array(shader->arena, struct qc_range, p->value_count + 1);
    p->live = util_arena_new_array(shader->arena, uint32_t, p->position_count + 1);
    ir_for_each_block(block, shader) {
        ir_for_each_instr(i, block) {
            if (!takes_register(i))
                continue;
            struct qc_range *r = &p->ranges[i->value.index];
            *r = (struct qc_range){.value = i, .first = first_position(p, i), .last = p->position[i->value.index]};
            util_list_for_each(struct ir_src, src, &i->value.uses, link) {
                r->last = MAX2(r->last, last_position(p, i, src));
                r->uses++;
            }
            if (i->op == IR_PHI)
                extend_phi(p, r);
            for (uint32_t k = r->first; k < r->last; k++)
                p->live[k]++;
        }
    }
}

uint32_t qc_pressure_worst(const struct qc_pressure *p)
{
    uint32_t worst = 0;
    for (uint32_t k = 1; k < p->position_count; k++)
        worst = p->live[k] > p->live[worst] ? k : worst;
    return worst;
}

/* ---------------------------------------------------------------- unpacks at their uses */

struct ir_instr *qc_clone(struct ir_builder *b, const struct ir_instr *i)
{
    struct ir_instr *sources[8];
    assert(i->src_count <= ARRAY_SIZE(sources));
    for (uint32_t k = 0; k < i->src_count; k++)
        sources[k] = i->src[k].def;
    struct ir_instr *copy = ir_build(b, (enum ir_op)i->op, i->value.bits, i->src_count, sources);
    copy->imm = i->imm;
    copy->imm2 = i->imm2;
    copy->value.divergent = i->value.divergent;
    copy->relaxed = i->relaxed;
    copy->exact = i->exact;
    copy->spirv_offset = i->spirv_offset;
    if (i->op == IR_UNIFORM)
        copy->uniform = i->uniform;
    else if (i->op == IR_TEX)
        copy->tex = i->tex;
    return copy;
}

static bool is_part(const struct ir_instr *i)
{
    return i->op == IR_UNPACK_F || i->op == IR_UNPACK_I;
}

static void clone_parts(struct ir_shader *shader)
{
    uint32_t values = shader->value_count;
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(i, block) {
            if (!is_part(i) || i->value.index >= values)
                continue;
            util_list_for_each_safe(struct ir_src, src, &i->value.uses, link) {
                struct ir_builder b = qc_before_use(shader, src);
                ir_src_set(src, qc_clone(&b, i));
            }
            ir_remove(i);
        }
    }
}

#define COPY_REACH 12 /* instructions within which unpacks share a copy of the word, or need none */

/* Parts can be read from one of the two files only. A copy of the word for them lets the word itself stay in any
 * register. */
static void copy_words(struct ir_shader *shader)
{
    struct copy {
        struct ir_instr *word;
        const struct ir_block *block;
        uint32_t at;
    } *copies = util_arena_new_array(shader->arena, struct copy, shader->value_count + 1);
    uint32_t values = shader->value_count, at = 0;
    ir_for_each_block(block, shader) {
        ir_for_each_instr(i, block) {
            at++;
            if (i->value.index < values && !is_part(i))
                copies[i->value.index] = (struct copy){i, block, at};
            if (!is_part(i) || i->src[0].def->value.index >= values)
                continue;
            struct ir_instr *word = i->src[0].def;
            struct copy *c = &copies[word->value.index];
            if (c->block != block || at - c->at > COPY_REACH) {
                struct ir_builder b = ir_before(shader, i);
                *c = (struct copy){ir_build2(&b, IR_OR, word, word), block, at};
            }
            ir_src_set(&i->src[0], c->word);
        }
    }
}

void qc_localise_unpacks(struct ir_shader *shader)
{
    ir_renumber(shader);
    ir_find_preds(shader);
    clone_parts(shader);
    ir_renumber(shader);
    copy_words(shader);
}
