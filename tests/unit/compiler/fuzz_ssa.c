/* SPDX-License-Identifier: MIT
 *
 * Converts the variables of the random program to SSA, as SPIR-V optimisers do: loads and stores become copies and
 * phis. Every block first gets a phi for every variable; phis with only one distinct source are then removed. Values
 * are therefore used wherever their definition dominates, which exposes a translator that loses or duplicates a
 * definition.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "fuzz_spirv.h"
#include "spv_gen.h"

#define NONE UINT32_MAX

struct ssa {
    struct module *m;
    struct blocks l;
    uint32_t in[MAX_BLOCKS][VARS];  /* id of the variable's value at the start of the block */
    uint32_t out[MAX_BLOCKS][VARS]; /* and at its end */
    uint32_t same_as[MAX_WORDS];    /* per id: the id that replaces it, itself if none does */
    uint32_t first_phi, next_id;
    uint32_t words[MAX_WORDS], count;
};

static uint32_t op_at(const struct ssa *s, uint32_t at)
{
    return s->m->words[at] & 0xffff;
}

static uint32_t resolve(const struct ssa *s, uint32_t id)
{
    while (s->same_as[id] != id)
        id = s->same_as[id];
    return id;
}

static uint32_t variable_of(uint32_t pointer)
{
    return pointer >= fuzz_first_variable && pointer < fuzz_first_variable + VARS ? pointer - fuzz_first_variable : NONE;
}

static bool has_pred(const struct ssa *s, uint32_t b, uint32_t pred)
{
    return s->l.preds[b][pred / 64] >> pred % 64 & 1;
}

/* ---------------------------------------------------------------- values at the ends of blocks */

static void number_values(struct ssa *s)
{
    for (uint32_t b = 0; b < s->l.count; b++)
        for (uint32_t v = 0; v < VARS; v++)
            s->in[b][v] = s->next_id++;
    assert_true(s->next_id < MAX_WORDS);
    for (uint32_t id = 0; id < s->next_id; id++)
        s->same_as[id] = id;
    for (uint32_t b = 0; b < s->l.count; b++) {
        memcpy(s->out[b], s->in[b], sizeof s->out[b]);
        uint32_t at = s->l.blocks[b].at, end = at + s->l.blocks[b].size;
        for (; at < end; at += s->m->words[at] >> 16) {
            uint32_t v = op_at(s, at) == SpvOpStore ? variable_of(s->m->words[at + 1]) : NONE;
            if (v != NONE)
                s->out[b][v] = s->m->words[at + 2];
        }
    }
}

/* The variable's value if it is the same on all incoming edges, else NONE. */
static uint32_t only_value(const struct ssa *s, uint32_t b, uint32_t v)
{
    uint32_t only = NONE;
    for (uint32_t p = 0; p < s->l.count; p++) {
        if (!has_pred(s, b, p))
            continue;
        uint32_t value = resolve(s, s->out[p][v]);
        if (value == resolve(s, s->in[b][v]) || value == only)
            continue;
        if (only != NONE)
            return NONE;
        only = value;
    }
    return only;
}

static void remove_phis(struct ssa *s)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 1; b < s->l.count; b++) {
            for (uint32_t v = 0; v < VARS; v++) {
                if (resolve(s, s->in[b][v]) != s->in[b][v])
                    continue;
                uint32_t only = only_value(s, b, v);
                if (only == NONE)
                    continue;
                s->same_as[s->in[b][v]] = only;
                changed = true;
            }
        }
    }
}

/* ---------------------------------------------------------------- writing */

static void put_words(struct ssa *s, uint32_t op, uint32_t count, const uint32_t *operands)
{
    assert_true(s->count + count + 1 < MAX_WORDS);
    s->words[s->count++] = (count + 1) << 16 | op;
    memcpy(s->words + s->count, operands, count * sizeof *operands);
    s->count += count;
}

static void put_phi(struct ssa *s, uint32_t b, uint32_t v)
{
    uint32_t operands[2 + 2 * MAX_BLOCKS] = {fuzz_uint_type, s->in[b][v]}, count = 2;
    for (uint32_t p = 0; p < s->l.count; p++) {
        if (!has_pred(s, b, p))
            continue;
        operands[count++] = resolve(s, s->out[p][v]);
        operands[count++] = s->l.blocks[p].label;
    }
    put_words(s, count == 2 ? SpvOpUndef : SpvOpPhi, count, operands); /* OpUndef: an unreachable block */
}

static void put_block(struct ssa *s, uint32_t b)
{
    uint32_t at = s->l.blocks[b].at, end = at + s->l.blocks[b].size, now[VARS];
    memcpy(now, s->in[b], sizeof now);
    put_words(s, SpvOpLabel, 1, &s->l.blocks[b].label);
    for (uint32_t v = 0; v < VARS; v++) {
        if (!b)
            put_words(s, SpvOpLoad, 3, (const uint32_t[]){fuzz_uint_type, now[v], fuzz_first_variable + v});
        else if (resolve(s, now[v]) == now[v])
            put_phi(s, b, v);
    }
    for (at += 2; at < end; at += s->m->words[at] >> 16) {
        const uint32_t *w = s->m->words + at;
        uint32_t v = op_at(s, at) == SpvOpStore ? variable_of(w[1]) : op_at(s, at) == SpvOpLoad ? variable_of(w[3]) : NONE;
        if (v != NONE && op_at(s, at) == SpvOpStore) {
            now[v] = w[2];
        } else if (v != NONE) {
            put_words(s, SpvOpCopyObject, 3, (const uint32_t[]){fuzz_uint_type, w[2], resolve(s, now[v])});
        } else {
            for (v = 0; v < VARS && op_at(s, at) == SpvOpReturn; v++)
                put_words(s, SpvOpStore, 2, (const uint32_t[]){fuzz_first_variable + v, resolve(s, now[v])});
            put_words(s, op_at(s, at), (w[0] >> 16) - 1, w + 1);
        }
    }
}

/* Phis have to come first in a block: the new phis are put in front of the existing ones. */
void fuzz_to_ssa(struct module *m)
{
    static struct ssa s;
    s.m = m;
    s.count = 0;
    s.next_id = m->words[3];
    if (!fuzz_find_blocks(m, 5, &s.l) || s.next_id + s.l.count * VARS >= MAX_WORDS)
        return;
    number_values(&s);
    remove_phis(&s);
    for (uint32_t b = 0; b < s.l.count; b++)
        put_block(&s, b);
    assert_true(s.l.first + s.count + m->count - s.l.end <= MAX_WORDS);
    memmove(m->words + s.l.first + s.count, m->words + s.l.end, (m->count - s.l.end) * sizeof *m->words);
    memcpy(m->words + s.l.first, s.words, s.count * sizeof *m->words);
    m->count = m->count - (s.l.end - s.l.first) + s.count;
    m->words[3] = s.next_id;
}
