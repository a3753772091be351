/* SPDX-License-Identifier: MIT
 *
 * Common subexpression elimination: an operation is replaced by an equal one that comes before it in the same list of
 * nodes or in an enclosing list. The hash table is scoped: entries that a list added are removed at its end.
 */
#include <string.h>
#include "compiler/ir/ir_pass.h"

struct entry {
    struct entry *next;      /* in the bucket */
    struct entry *older;     /* the entry added before this one */
    struct ir_instr *instr;
    uint32_t bucket;
};

struct cse {
    struct entry **buckets;
    uint32_t bucket_count;
    struct entry *entries; /* the first entry_count are in the table */
    uint32_t entry_count;
    struct entry *newest;
    bool changed;
};

static bool is_candidate(const struct ir_instr *instr)
{
    return (ir_op_infos[instr->op].flags & IR_P) && instr->op != IR_PHI && instr->op != IR_ANY && instr->value.bits;
}

/* Commutative operations match with swapped sources too. */
static bool same_sources(const struct ir_instr *a, const struct ir_instr *b)
{
    if (a->src_count != b->src_count)
        return false;
    bool same = true;
    for (uint32_t i = 0; i < a->src_count; i++)
        same &= a->src[i].def == b->src[i].def;
    if (same || !(ir_op_infos[a->op].flags & IR_C))
        return same;
    return a->src[0].def == b->src[1].def && a->src[1].def == b->src[0].def;
}

static bool same_uniform(const struct vc4c_uniform *a, const struct vc4c_uniform *b)
{
    return a->kind == b->kind && a->ref == b->ref && a->data == b->data;
}

static bool same_extra(const struct ir_instr *a, const struct ir_instr *b)
{
    switch (a->op) {
    case IR_UNIFORM:
        return same_uniform(&a->uniform, &b->uniform);
    case IR_TEX:
        if (a->tex.texture != b->tex.texture || a->tex.has_r != b->tex.has_r || a->tex.has_b != b->tex.has_b)
            return false;
        for (uint32_t i = 0; i < a->tex.param_count; i++)
            if (!same_uniform(&a->tex.p[i], &b->tex.p[i]))
                return false;
        return true;
    case IR_SAMPLE:
        return !memcmp(&a->sample, &b->sample, sizeof a->sample);
    default:
        return true;
    }
}

static bool same(const struct ir_instr *a, const struct ir_instr *b)
{
    return a->op == b->op && a->value.bits == b->value.bits && a->imm == b->imm && a->imm2 == b->imm2 &&
           a->relaxed == b->relaxed && a->exact == b->exact && same_sources(a, b) && same_extra(a, b);
}

static uint32_t bucket_of(const struct cse *c, const struct ir_instr *instr)
{
    uint64_t sum = instr->op + ((uint64_t)instr->imm << 16) + ((uint64_t)instr->imm2 << 32);
    for (uint32_t i = 0; i < instr->src_count; i++) /* a sum, so that swapped sources hash the same */
        sum += (instr->src[i].def->value.index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    if (instr->op == IR_UNIFORM)
        sum += instr->uniform.kind * 31u + instr->uniform.ref * 1009u + instr->uniform.data * 65537u;
    sum *= UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(sum >> 40) & (c->bucket_count - 1);
}

static void visit(struct cse *c, struct ir_instr *instr)
{
    uint32_t bucket = bucket_of(c, instr);
    for (const struct entry *e = c->buckets[bucket]; e; e = e->next) {
        if (same(e->instr, instr)) {
            ir_replace_uses(instr, e->instr);
            ir_remove(instr);
            c->changed = true;
            return;
        }
    }
    struct entry *e = &c->entries[c->entry_count++];
    *e = (struct entry){.next = c->buckets[bucket], .older = c->newest, .instr = instr, .bucket = bucket};
    c->buckets[bucket] = c->newest = e;
}

static void leave_scope(struct cse *c, struct entry *newest_outside)
{
    while (c->newest != newest_outside) {
        struct entry *e = c->newest;
        c->newest = e->older;
        c->buckets[e->bucket] = e->next;
        c->entry_count--;
    }
}

static void walk_list(struct cse *c, struct util_list *list)
{
    struct entry *outside = c->newest;
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_IF) {
            walk_list(c, &ir_node_as_if(node)->then_list);
            walk_list(c, &ir_node_as_if(node)->else_list);
        } else if (node->kind == IR_NODE_LOOP) {
            walk_list(c, &ir_node_as_loop(node)->body);
        } else {
            ir_for_each_instr_safe(instr, ir_node_as_block(node))
                if (is_candidate(instr))
                    visit(c, instr);
        }
    }
    leave_scope(c, outside);
}

bool ir_opt_cse(struct ir_shader *shader)
{
    struct cse c = {.bucket_count = util_next_pow2(MAX2(shader->value_count / 2, 64u))};
    c.buckets = util_arena_new_array(shader->arena, struct entry *, c.bucket_count);
    c.entries = util_arena_new_array(shader->arena, struct entry, shader->value_count);
    walk_list(&c, &shader->body);
    return c.changed;
}
