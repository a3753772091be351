/* SPDX-License-Identifier: MIT
 *
 * Sorts the cases of a switch. A case may fall through into another one, and then must be translated before it. Neither
 * the order of the blocks in the module nor the order of the targets tells this; only the branches do. From each case a
 * walk through the blocks of the switch finds the other cases that it reaches. The cases are then sorted topologically,
 * so that each comes after all cases that fall through into it.
 *
 * A merge block and a continue target count as reached from the block that names them, because spv_cfg.c translates
 * them even if no branch leads there.
 */
#include "compiler/spirv/spv.h"

struct edge {
    struct edge *next; /* next edge of the same case */
    uint32_t to;
};

struct walk {
    struct spv *s;
    const uint32_t *labels;
    uint32_t count, stamp;
    uint32_t at;             /* the case from which the current walk started */
    struct edge **edges;     /* per case: the cases that it reaches */
    uint32_t *entries;       /* per case: the number of cases that reach it */
    uint32_t *stack, depth, capacity;
    bool (*ends_at)(struct spv *s, uint32_t label);
};

uint32_t spv_case_words(struct spv *s, const struct spv_instr *in)
{
    return spv_literal_words(s->m, in->offset, in->words[1]);
}

static void push(struct walk *w, uint32_t label)
{
    if (w->depth == w->capacity) {
        uint32_t *larger = util_arena_new_array(w->s->arena, uint32_t, 2 * w->capacity + 16);
        for (uint32_t i = 0; i < w->depth; i++)
            larger[i] = w->stack[i];
        w->stack = larger;
        w->capacity = 2 * w->capacity + 16;
    }
    w->stack[w->depth++] = label;
}

static void reach(struct walk *w, uint32_t label)
{
    struct spv *s = w->s;
    struct spv_label_state *state = &s->label_states[label];
    if (state->visited == w->stamp)
        return;
    state->visited = w->stamp;
    if (state->case_number && state->case_number - 1 != w->at) {
        struct edge *edge = util_arena_new(s->arena, struct edge);
        *edge = (struct edge){w->edges[w->at], state->case_number - 1};
        w->edges[w->at] = edge;
        w->entries[edge->to]++;
    } else if (!state->case_number && !w->ends_at(s, label)) {
        push(w, label);
    }
}

/* Visits the labels that the block's merge instruction and terminator name. */
static void reach_successors(struct walk *w, uint32_t label)
{
    struct spv *s = w->s;
    uint32_t offset = spv_label_offset(s, label);
    for (offset += spv_instr_at(s->m, offset).count; offset < s->m->word_count;) {
        struct spv_instr in = spv_instr_at(s->m, offset);
        spv_spend(s, 1);
        switch (in.op) {
        case SpvOpSelectionMerge:
            reach(w, in.words[1]);
            break;
        case SpvOpLoopMerge:
            reach(w, in.words[1]);
            reach(w, in.words[2]);
            break;
        case SpvOpBranch:
            reach(w, in.words[1]);
            return;
        case SpvOpBranchConditional:
            reach(w, in.words[2]);
            reach(w, in.words[3]);
            return;
        case SpvOpSwitch:
            for (uint32_t i = 2; i < in.count; i += 1 + spv_case_words(s, &in))
                reach(w, in.words[i]);
            return;
        default:
            if (spv_is_terminator(in.op) || in.op == SpvOpLabel || in.op == SpvOpFunctionEnd)
                return;
            break;
        }
        offset += in.count;
    }
}

static void walk_case(struct walk *w, uint32_t at)
{
    w->at = at;
    w->stamp = ++w->s->label_stamp;
    w->s->label_states[w->labels[at]].visited = w->stamp;
    if (!w->ends_at(w->s, w->labels[at]))
        push(w, w->labels[at]);
    while (w->depth)
        reach_successors(w, w->stack[--w->depth]);
}

void spv_order_cases(struct spv *s, uint32_t *labels, uint32_t count, bool (*ends_at)(struct spv *s, uint32_t label))
{
    struct walk w = {.s = s, .labels = labels, .count = count, .ends_at = ends_at};
    w.edges = util_arena_new_array(s->arena, struct edge *, count + 1);
    w.entries = util_arena_new_array(s->arena, uint32_t, count + 1);
    uint32_t *sorted = util_arena_new_array(s->arena, uint32_t, count + 1), sorted_count = 0;
    for (uint32_t i = 0; i < count; i++)
        s->label_states[labels[i]].case_number = i + 1;
    for (uint32_t i = 0; i < count; i++)
        walk_case(&w, i);
    for (uint32_t i = 0; i < count; i++) {
        s->label_states[labels[i]].case_number = 0;
        if (!w.entries[i])
            sorted[sorted_count++] = i;
    }
    for (uint32_t i = 0; i < sorted_count; i++)
        for (const struct edge *edge = w.edges[sorted[i]]; edge; edge = edge->next)
            if (!--w.entries[edge->to])
                sorted[sorted_count++] = edge->to;
    if (sorted_count < count)
        spv_invalid(s, "cases of a switch fall through into each other in a cycle");
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = labels[sorted[i]];
    for (uint32_t i = 0; i < count; i++)
        labels[i] = sorted[i];
}
