/* SPDX-License-Identifier: MIT
 *
 * Reorders the blocks of a module's functions. SPIR-V only requires that a block comes after its dominators, so the
 * compiler must give the same program for every such order.
 */
#include <string.h>
#include "fuzz_spirv.h"
#include "spv_gen.h"

static uint32_t size_of(const struct module *m, uint32_t at)
{
    return m->words[at] >> 16;
}

static uint32_t op_of(const struct module *m, uint32_t at)
{
    return m->words[at] & 0xffff;
}

/* ---------------------------------------------------------------- finding */

static uint32_t block_of(const struct blocks *l, uint32_t label)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (l->blocks[i].label == label)
            return i;
    return 0; /* not reached: the modules are well formed */
}

/* The operand positions of a terminator's target labels: first, first + step ... False when it has none. */
static bool targets_of(const struct module *m, uint32_t at, uint32_t *first, uint32_t *step)
{
    switch (op_of(m, at)) {
    case SpvOpBranch:
        *first = 1;
        *step = 1;
        return true;
    case SpvOpBranchConditional:
        *first = 2;
        *step = 1;
        return true;
    case SpvOpSwitch:
        *first = 2;
        *step = 2;
        return true;
    default:
        return false;
    }
}

static void find_preds(const struct module *m, struct blocks *l)
{
    memset(l->preds, 0, sizeof l->preds);
    for (uint32_t b = 0; b < l->count; b++) {
        uint32_t at = l->blocks[b].at, end = at + l->blocks[b].size, first, step;
        for (; at < end; at += size_of(m, at)) {
            if (!targets_of(m, at, &first, &step))
                continue;
            for (uint32_t i = first; i < size_of(m, at); i += step)
                l->preds[block_of(l, m->words[at + i])][b / 64] |= 1ull << b % 64;
        }
    }
}

/* Iterates the sets of dominators to a fixed point. An unreachable block counts as dominated by all blocks that were
 * in front of it, because it may use their values. */
static void find_dominators(const struct module *m, struct blocks *l)
{
    find_preds(m, l);
    memset(l->dominators, 0xff, sizeof l->dominators);
    memset(l->dominators[0], 0, sizeof l->dominators[0]);
    l->dominators[0][0] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < l->count; i++) {
            uint64_t set[MAX_BLOCKS / 64];
            memset(set, 0xff, sizeof set);
            for (uint32_t p = 0; p < l->count; p++)
                for (uint32_t w = 0; (l->preds[i][p / 64] >> p % 64 & 1) && w < MAX_BLOCKS / 64; w++)
                    set[w] &= l->dominators[p][w];
            set[i / 64] |= 1ull << i % 64;
            if (memcmp(set, l->dominators[i], sizeof set)) {
                memcpy(l->dominators[i], set, sizeof set);
                changed = true;
            }
        }
    }
    for (uint32_t i = 1; i < l->count; i++) {
        bool is_reached = false;
        for (uint32_t k = l->count; k < MAX_BLOCKS && !is_reached; k++)
            is_reached = !(l->dominators[i][k / 64] >> k % 64 & 1);
        if (is_reached || l->count == MAX_BLOCKS)
            continue;
        memset(l->dominators[i], 0, sizeof l->dominators[i]);
        for (uint32_t k = 0; k <= i; k++)
            l->dominators[i][k / 64] |= 1ull << k % 64;
    }
}

bool fuzz_find_blocks(const struct module *m, uint32_t at, struct blocks *out)
{
    for (out->count = 0; at < m->count; at += size_of(m, at)) {
        if (op_of(m, at) == SpvOpFunctionEnd && out->count)
            break;
        if (op_of(m, at) == SpvOpLabel) {
            if (out->count == MAX_BLOCKS)
                return false;
            out->blocks[out->count].label = m->words[at + 1];
            out->blocks[out->count].at = at;
            out->blocks[out->count++].size = 0;
        }
        if (out->count)
            out->blocks[out->count - 1].size += size_of(m, at);
    }
    if (!out->count)
        return false;
    out->first = out->blocks[0].at;
    out->end = at;
    find_dominators(m, out);
    return true;
}

/* ---------------------------------------------------------------- placing */

bool fuzz_may_follow(const struct blocks *l, const bool *is_placed, uint32_t b)
{
    for (uint32_t d = 0; d < l->count; d++)
        if (d != b && !is_placed[d] && (l->dominators[b][d / 64] >> d % 64 & 1))
            return false;
    return !is_placed[b] && (!b || is_placed[0]);
}

void fuzz_reorder(struct module *m, const struct blocks *l, const uint32_t *order)
{
    static uint32_t words[MAX_WORDS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        memcpy(words + count, m->words + l->blocks[order[i]].at, l->blocks[order[i]].size * sizeof *words);
        count += l->blocks[order[i]].size;
    }
    memcpy(m->words + l->first, words, count * sizeof *words);
}

void fuzz_shuffle_blocks(struct module *m, struct gen *g)
{
    static struct blocks l;
    for (uint32_t at = 5; fuzz_find_blocks(m, at, &l); at = l.end) {
        bool is_placed[MAX_BLOCKS] = {false};
        uint32_t order[MAX_BLOCKS], placed = 0;
        while (placed < l.count) {
            uint32_t b = fuzz_rnd(g, l.count);
            while (!fuzz_may_follow(&l, is_placed, b))
                b = (b + 1) % l.count;
            is_placed[b] = true;
            order[placed++] = b;
        }
        fuzz_reorder(m, &l, order);
    }
}
