/* SPDX-License-Identifier: MIT
 *
 * Common subexpressions: an operation that was computed in front, in the same list of nodes or in one around it, is not
 * computed again. The table is scoped: what a list added is taken out at its end.
 */
#include <string.h>
#include "compiler/ir/ir_pass.h"
#include "util/hash.h"

struct entry {
    struct entry *next;      /* in the bucket */
    struct entry *older;     /* in the order of adding */
    struct ir_instr *instr;
    uint32_t bucket;
};

struct cse {
    struct util_arena *arena;
    struct entry **buckets;
    uint32_t bucket_count;
    struct entry *newest, *free;
    bool changed;
};

struct key { /* what makes two operations equal, but for their sources */
    uint32_t op, bits, imm, imm2, flags;
};

static struct key key_of(const struct ir_instr *instr)
{
    return (struct key){instr->op, instr->value.bits, instr->imm, instr->imm2, instr->relaxed | instr->exact << 1u};
}

static bool is_candidate(const struct ir_instr *instr)
{
    return (ir_op_infos[instr->op].flags & IR_P) && instr->op != IR_PHI && instr->op != IR_ANY && instr->value.bits;
}

/* For commutative operations sources count in either order. */
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
    struct key ka = key_of(a), kb = key_of(b);
    return !memcmp(&ka, &kb, sizeof ka) && same_sources(a, b) && same_extra(a, b);
}

static uint32_t bucket_of(const struct cse *c, const struct ir_instr *instr)
{
    struct key key = key_of(instr);
    uint64_t hash = util_hash_bytes(&key, sizeof key, 0);
    for (uint32_t i = 0; i < instr->src_count; i++) /* a sum: the order does not matter */
        hash += instr->src[i].def->value.index * UINT64_C(0x9e3779b97f4a7c15);
    if (instr->op == IR_UNIFORM)
        hash += instr->uniform.kind * 31u + instr->uniform.ref * 1009u + instr->uniform.data;
    return (uint32_t)(hash >> 32 ^ hash) & (c->bucket_count - 1);
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
    struct entry *e = c->free;
    if (e)
        c->free = e->next;
    else
        e = util_arena_new(c->arena, struct entry);
    *e = (struct entry){.next = c->buckets[bucket], .older = c->newest, .instr = instr, .bucket = bucket};
    c->buckets[bucket] = c->newest = e;
}

static void leave_scope(struct cse *c, struct entry *newest_outside)
{
    while (c->newest != newest_outside) {
        struct entry *e = c->newest;
        c->newest = e->older;
        c->buckets[e->bucket] = e->next;
        e->next = c->free;
        c->free = e;
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
    struct cse c = {.arena = shader->arena, .bucket_count = util_next_pow2(MAX2(shader->value_count / 2, 64u))};
    c.buckets = util_arena_new_array(c.arena, struct entry *, c.bucket_count);
    walk_list(&c, &shader->body);
    return c.changed;
}
