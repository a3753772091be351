/* SPDX-License-Identifier: MIT
 *
 * Dominance: which blocks lie on every path to a block. In structured control flow one walk in program order finds the
 * dominator tree: a back edge changes nothing, because its source is dominated by its target.
 *
 * Besides its parent in the dominator tree, every block stores a jump pointer to an ancestor further up. The distances
 * are chosen so that finding a common ancestor or the ancestor at a given depth takes logarithmic time. This matters
 * because hostile modules can make the tree very deep.
 */
#include "compiler/ir/ir.h"

struct entry {
    uint32_t parent, jump; /* ancestors; the first block's own index for the first block */
    uint32_t depth;
    bool is_reached;
};

struct ir_dominance {
    struct entry *entries; /* per block */
};

static uint32_t ancestor_at(const struct entry *p, uint32_t block, uint32_t depth)
{
    while (p[block].depth > depth)
        block = p[p[block].jump].depth >= depth ? p[block].jump : p[block].parent;
    return block;
}

static uint32_t common_ancestor(const struct entry *p, uint32_t a, uint32_t b)
{
    uint32_t depth = MIN2(p[a].depth, p[b].depth);
    a = ancestor_at(p, a, depth);
    b = ancestor_at(p, b, depth);
    while (a != b) {
        bool far = p[a].jump != p[b].jump;
        a = far ? p[a].jump : p[a].parent;
        b = far ? p[b].jump : p[b].parent;
    }
    return a;
}

static void add_child(struct entry *p, uint32_t block, uint32_t parent)
{
    uint32_t jump = p[parent].jump;
    bool is_even = p[parent].depth - p[jump].depth == p[jump].depth - p[p[jump].jump].depth;
    p[block] = (struct entry){.parent = parent, .jump = is_even ? p[jump].jump : parent, .depth = p[parent].depth + 1,
                              .is_reached = true};
}

const struct ir_dominance *ir_find_dominance(struct ir_shader *shader, struct util_arena *arena)
{
    struct ir_dominance *d = util_arena_new(arena, struct ir_dominance);
    struct entry *p = d->entries = util_arena_new_array(arena, struct entry, shader->block_count);
    p[0].is_reached = true;
    ir_for_each_block(block, shader) {
        uint32_t parent = UINT32_MAX;
        for (uint32_t i = 0; i < block->pred_count; i++) {
            uint32_t pred = block->preds[i]->index;
            if (pred < block->index && p[pred].is_reached)
                parent = parent == UINT32_MAX ? pred : common_ancestor(p, parent, pred);
        }
        if (parent != UINT32_MAX)
            add_child(p, block->index, parent);
    }
    return d;
}

bool ir_dominates(const struct ir_dominance *d, const struct ir_block *a, const struct ir_block *b)
{
    const struct entry *p = d->entries;
    if (a == b || !p[b->index].is_reached)
        return true;
    return p[a->index].is_reached && ancestor_at(p, b->index, p[a->index].depth) == a->index;
}
