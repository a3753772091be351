/* SPDX-License-Identifier: MIT
 *
 * Unrolls loops with few iterations whose number is known at compile time. Indexing by the loop counter becomes
 * constant, and the backward branch, which would reset the uniform stream, disappears.
 *
 * Handles loops with exactly one BREAK, in an if on the top level of the body, and without CONTINUE. The pass evaluates
 * the phis at the head as constants, as far as possible, iteration by iteration until the condition of the BREAK holds.
 * If the condition becomes unknown, or there are too many iterations, the loop stays.
 */
#include "compiler/ir/ir_pass.h"

#define MAX_ITERATIONS   32
#define MAX_INSTRUCTIONS 600
/* A loop that selects array elements by its counter may become longer: by this many instructions per selection, all of
 * which fold. Otherwise each element is live throughout the loop, and each access selects among all elements. */
#define PER_SELECTION       8
#define MAX_INDEXING        8000
#define MAX_SELECTIONS      12000 /* selections of array elements, most of which fold once the counter is constant */
#define MAX_PHIS            160
#define MAX_FOLD_DEPTH      24

struct loop_shape {
    struct ir_loop *loop;
    struct ir_block *head, *behind;
    struct ir_if *exit;          /* holds the BREAK */
    bool breaks_if_true;
    uint32_t iterations;         /* complete iterations, before the one that leaves the loop */
};

/* ---------------------------------------------------------------- shape */

/* Part of selecting an array element by comparing its index. It folds when the counter is constant. */
static bool is_selection(const struct ir_instr *instr)
{
    return instr->op == IR_SEL || (instr->op == IR_IEQ && ir_is_const(instr->src[1].def));
}

static uint32_t count_list(struct util_list *list, uint32_t *selections, uint32_t *jumps)
{
    uint32_t count = 0;
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_IF) {
            count += 1 + count_list(&ir_node_as_if(node)->then_list, selections, jumps);
            count += count_list(&ir_node_as_if(node)->else_list, selections, jumps);
        } else if (node->kind == IR_NODE_LOOP) {
            return MAX_INDEXING + 1; /* inner loops are unrolled first */
        } else {
            ir_for_each_instr(instr, ir_node_as_block(node)) {
                count += instr->op != IR_CONST && instr->op != IR_PHI && !is_selection(instr);
                *selections += is_selection(instr);
                *jumps += instr->op == IR_BREAK || instr->op == IR_CONTINUE;
            }
        }
    }
    return count;
}

static bool is_only_break(struct util_list *list)
{
    if (list->next != list->prev)
        return false;
    struct ir_instr *jump = ir_block_jump(ir_list_first(list));
    return jump && jump->op == IR_BREAK && jump->link.prev == &ir_list_first(list)->instrs;
}

static bool is_empty(struct util_list *list)
{
    return list->next == list->prev && util_list_is_empty(&ir_list_first(list)->instrs);
}

static bool find_exit(struct loop_shape *s)
{
    util_list_for_each(struct ir_node, node, &s->loop->body, link) {
        if (node->kind != IR_NODE_IF)
            continue;
        struct ir_if *nif = ir_node_as_if(node);
        s->exit = nif;
        s->breaks_if_true = is_only_break(&nif->then_list);
        if (s->breaks_if_true ? is_empty(&nif->else_list)
                              : is_only_break(&nif->else_list) && is_empty(&nif->then_list))
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------- following the counter */

struct known { /* values of the head's phis in the current iteration, where constant */
    const struct ir_instr *phis[MAX_PHIS];
    uint32_t words[MAX_PHIS];
    bool is_known[MAX_PHIS];
    uint32_t count;
};

static bool evaluate(const struct known *k, const struct ir_instr *instr, uint32_t depth, uint32_t *out)
{
    uint32_t srcs[3];
    if (ir_is_const(instr)) {
        *out = instr->imm;
        return true;
    }
    for (uint32_t i = 0; i < k->count && instr->op == IR_PHI; i++) {
        if (k->phis[i] == instr) {
            *out = k->words[i];
            return k->is_known[i];
        }
    }
    if (depth == MAX_FOLD_DEPTH || instr->op == IR_PHI || !instr->src_count || instr->src_count > 3)
        return false;
    for (uint32_t i = 0; i < instr->src_count; i++)
        if (!evaluate(k, instr->src[i].def, depth + 1, &srcs[i]))
            return false;
    return ir_fold(instr, srcs, out);
}

/* Source 0 of a phi at the head comes from in front of the loop, source 1 from the end of the body. */
static bool start(const struct loop_shape *s, struct known *k)
{
    k->count = 0;
    ir_for_each_instr(instr, s->head) {
        if (instr->op != IR_PHI)
            break;
        if (k->count == MAX_PHIS || instr->src_count != 2)
            return false;
        struct ir_instr *first = instr->src[0].def;
        k->phis[k->count] = instr;
        k->is_known[k->count] = ir_is_const(first);
        k->words[k->count++] = first->imm;
    }
    return true;
}

static void step(struct known *k)
{
    struct known next = *k;
    for (uint32_t i = 0; i < k->count; i++)
        next.is_known[i] = evaluate(k, k->phis[i]->src[1].def, 0, &next.words[i]);
    *k = next;
}

static bool count_iterations(struct loop_shape *s)
{
    struct known k;
    if (!start(s, &k))
        return false;
    for (s->iterations = 0; s->iterations <= MAX_ITERATIONS; s->iterations++) {
        uint32_t cond;
        if (!evaluate(&k, s->exit->cond.def, 0, &cond))
            return false;
        if ((cond != 0) == s->breaks_if_true)
            return true;
        step(&k);
    }
    return false;
}

static bool find_shape(struct loop_shape *s, struct ir_loop *loop)
{
    uint32_t jumps = 0, selections = 0, size = count_list(&loop->body, &selections, &jumps);
    *s = (struct loop_shape){.loop = loop, .head = ir_list_first(&loop->body),
                             .behind = ir_node_as_block(ir_node_next(&loop->node))};
    const uint32_t most = CLAMP(selections * PER_SELECTION, MAX_INSTRUCTIONS, MAX_INDEXING);
    return !loop->rolled && size <= most && jumps == 1 && find_exit(s) && count_iterations(s) &&
           size * (s->iterations + 1) <= most && selections * (s->iterations + 1) <= MAX_SELECTIONS;
}

/* ---------------------------------------------------------------- copies */

struct copy {
    const struct ir_block *head;
    struct ir_instr **map;       /* by value.index: the copy in the current iteration */
    uint32_t map_size;
};

static struct ir_instr *mapped(const struct copy *c, struct ir_instr *def)
{
    return def->value.index < c->map_size && c->map[def->value.index] ? c->map[def->value.index] : def;
}

static void copy_block(struct copy *c, struct ir_block *from, struct ir_builder *b)
{
    ir_for_each_instr(instr, from) {
        if (instr->op == IR_PHI && from == c->head)
            continue; /* mapped by advance() */
        struct ir_instr *copy = ir_build(b, instr->op, instr->value.bits, instr->src_count, NULL);
        for (uint32_t i = 0; i < instr->src_count; i++)
            ir_src_set(&copy->src[i], mapped(c, instr->src[i].def));
        copy->relaxed = instr->relaxed;
        copy->exact = instr->exact;
        copy->imm = instr->imm;
        copy->imm2 = instr->imm2;
        copy->spirv_offset = instr->spirv_offset;
        if (instr->op == IR_UNIFORM)
            copy->uniform = instr->uniform;
        else if (instr->op == IR_TEX)
            copy->tex = instr->tex;
        else if (instr->op == IR_SAMPLE)
            copy->sample = instr->sample;
        c->map[instr->value.index] = copy;
    }
}

static void copy_node(struct copy *c, struct ir_node *node, struct ir_builder *b);

static void copy_list(struct copy *c, struct util_list *list, struct ir_builder *b)
{
    util_list_for_each(struct ir_node, node, list, link)
        copy_node(c, node, b);
}

static void copy_node(struct copy *c, struct ir_node *node, struct ir_builder *b)
{
    if (node->kind == IR_NODE_BLOCK) {
        copy_block(c, ir_node_as_block(node), b);
        return;
    }
    struct ir_if *from = ir_node_as_if(node), *to = ir_push_if(b, mapped(c, from->cond.def));
    copy_list(c, &from->then_list, b);
    ir_push_else(b, to);
    copy_list(c, &from->else_list, b);
    ir_pop_if(b, to);
}

/* Maps the phis at the head, all at once: with source 0 to the values from in front of the loop, else to those at the
 * end of the last copied iteration. */
static void advance(struct copy *c, const struct loop_shape *s, uint32_t source)
{
    struct ir_instr *next[MAX_PHIS];
    uint32_t count = 0;
    ir_for_each_instr(instr, s->head) {
        if (instr->op != IR_PHI)
            break;
        next[count++] = source ? mapped(c, instr->src[1].def) : instr->src[0].def;
    }
    count = 0;
    ir_for_each_instr(instr, s->head) {
        if (instr->op != IR_PHI)
            break;
        c->map[instr->value.index] = next[count++];
    }
}

/* Copies one iteration in front of the loop. The last one stops at the exit; the others omit the exit and go on after
 * it. */
static void copy_iteration(struct copy *c, const struct loop_shape *s, struct ir_builder *b, bool is_last)
{
    util_list_for_each(struct ir_node, node, &s->loop->body, link) {
        if (node == &s->exit->node) {
            if (is_last)
                return;
            continue;
        }
        copy_node(c, node, b);
    }
}

/* Uses after the loop read the values of the last iteration. */
static void replace_outside(const struct copy *c, struct util_list *list)
{
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_IF) {
            replace_outside(c, &ir_node_as_if(node)->then_list);
            replace_outside(c, &ir_node_as_if(node)->else_list);
            continue;
        }
        ir_for_each_instr(instr, ir_node_as_block(node)) {
            struct ir_instr *by = c->map[instr->value.index];
            if (by && by != instr)
                ir_replace_uses(instr, by);
        }
    }
}

static void unroll(struct ir_shader *shader, const struct loop_shape *s)
{
    struct ir_node *before = ir_node_prev(&s->loop->node);
    struct copy c = {.head = s->head, .map_size = shader->value_count};
    c.map = util_arena_new_array(shader->arena, struct ir_instr *, c.map_size);
    struct ir_builder b = ir_at_end(shader, ir_node_as_block(before));
    advance(&c, s, 0);
    for (uint32_t i = 0; i <= s->iterations; i++) {
        copy_iteration(&c, s, &b, i == s->iterations);
        if (i < s->iterations)
            advance(&c, s, 1);
    }
    ir_for_each_instr_safe(phi, s->behind) {
        if (phi->op != IR_PHI)
            break;
        struct ir_instr *value = mapped(&c, phi->src[0].def);
        ir_src_set(&phi->src[0], NULL);
        ir_replace_uses(phi, value);
        ir_remove(phi);
    }
    replace_outside(&c, &s->loop->body);
    ir_find_preds(shader);
    ir_remove_list(shader, &s->loop->body);
    /* The loop is empty now. The block after it joins the last copy. */
    util_list_del(&s->loop->node.link);
    ir_for_each_instr(instr, s->behind)
        instr->block = b.block;
    util_list_splice_tail(&b.block->instrs, &s->behind->instrs);
    util_list_del(&s->behind->node.link);
}

/* Returns true when a loop of the list was unrolled. */
static bool visit(struct ir_shader *shader, struct util_list *list)
{
    bool changed = false;
    for (struct util_list *at = list->next, *next; at != list; at = next) {
        struct ir_node *node = container_of(at, struct ir_node, link);
        struct loop_shape shape;
        next = at->next;
        if (node->kind == IR_NODE_IF) {
            changed |= visit(shader, &ir_node_as_if(node)->then_list);
            changed |= visit(shader, &ir_node_as_if(node)->else_list);
        } else if (node->kind == IR_NODE_LOOP && visit(shader, &ir_node_as_loop(node)->body)) {
            changed = true;
        } else if (node->kind == IR_NODE_LOOP && find_shape(&shape, ir_node_as_loop(node))) {
            next = shape.behind->node.link.next; /* the block behind the loop goes, too */
            unroll(shader, &shape);
            changed = true;
        }
    }
    return changed;
}

/* Unrolls innermost loops, so that the other passes simplify the result before the loops around them follow. */
bool ir_opt_unroll(struct ir_shader *shader)
{
    return visit(shader, &shader->body);
}
