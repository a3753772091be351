/* SPDX-License-Identifier: MIT
 *
 * Which blocks lie on every way to a block. In structured control flow one walk in program order finds them all: a back
 * edge changes nothing, because it comes from inside of what its target dominates.
 *
 * Besides its parent in the tree of dominators every block keeps one ancestor further up, at distances that make both
 * questions, the common ancestor and the ancestor at a depth, take logarithmic time: modules are hostile, and trees
 * deep.
 */
#include "compiler/ir/ir.h"

struct place {
    uint32_t parent, jump; /* ancestors; of the first block itself */
    uint32_t depth;
    bool is_reached;
};

struct ir_dominance {
    struct place *places; /* per block */
};

static uint32_t ancestor_at(const struct place *p, uint32_t block, uint32_t depth)
{
    while (p[block].depth > depth)
        block = p[p[block].jump].depth >= depth ? p[block].jump : p[block].parent;
    return block;
}

static uint32_t common_ancestor(const struct place *p, uint32_t a, uint32_t b)
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

static void put_below(struct place *p, uint32_t block, uint32_t parent)
{
    uint32_t jump = p[parent].jump;
    bool is_even = p[parent].depth - p[jump].depth == p[jump].depth - p[p[jump].jump].depth;
    p[block] = (struct place){.parent = parent, .jump = is_even ? p[jump].jump : parent, .depth = p[parent].depth + 1,
                              .is_reached = true};
}

const struct ir_dominance *ir_find_dominance(struct ir_shader *shader, struct util_arena *arena)
{
    struct ir_dominance *d = util_arena_new(arena, struct ir_dominance);
    struct place *p = d->places = util_arena_new_array(arena, struct place, shader->block_count);
    p[0].is_reached = true;
    ir_for_each_block(block, shader) {
        uint32_t parent = UINT32_MAX;
        for (uint32_t i = 0; i < block->pred_count; i++) {
            uint32_t pred = block->preds[i]->index;
            if (pred < block->index && p[pred].is_reached)
                parent = parent == UINT32_MAX ? pred : common_ancestor(p, parent, pred);
        }
        if (parent != UINT32_MAX)
            put_below(p, block->index, parent);
    }
    return d;
}

bool ir_dominates(const struct ir_dominance *d, const struct ir_block *a, const struct ir_block *b)
{
    const struct place *p = d->places;
    if (a == b || !p[b->index].is_reached)
        return true;
    return p[a->index].is_reached && ancestor_at(p, b->index, p[a->index].depth) == a->index;
}
