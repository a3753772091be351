/* SPDX-License-Identifier: MIT
 *
 * The order of the cases of a switch. A case may fall through into another one, so it has to be translated first. Where
 * the blocks stand in the module says nothing of that, and neither does the order of the targets say where the default
 * belongs: only the branches do. From each case this walks through the blocks of its construct and notes which other
 * cases it reaches; the cases are then sorted so that each stands behind all that fall into it.
 *
 * A merge block and a continue target count as reached from the block that names them, because spv_cfg.c translates
 * them even where no branch leads there.
 */
#include "compiler/spirv/spv.h"

struct edge {
    struct edge *next; /* of the same case */
    uint32_t to;
};

struct walk {
    struct spv *s;
    const uint32_t *labels;
    uint32_t count, stamp;
    uint32_t at;             /* the case at hand */
    struct edge **edges;     /* per case: those that it reaches */
    uint32_t *entries;       /* per case: how many others reach it */
    uint32_t *stack, depth, room;
    bool (*ends_at)(struct spv *s, uint32_t label);
};

static void push(struct walk *w, uint32_t label)
{
    if (w->depth == w->room) {
        uint32_t *wider = util_arena_new_array(w->s->arena, uint32_t, 2 * w->room + 16);
        for (uint32_t i = 0; i < w->depth; i++)
            wider[i] = w->stack[i];
        w->stack = wider;
        w->room = 2 * w->room + 16;
    }
    w->stack[w->depth++] = label;
}

static void reach(struct walk *w, uint32_t label)
{
    struct spv *s = w->s;
    struct spv_label_note *note = &s->label_notes[label];
    if (note->visited == w->stamp)
        return;
    note->visited = w->stamp;
    if (note->case_number && note->case_number - 1 != w->at) {
        struct edge *edge = util_arena_new(s->arena, struct edge);
        *edge = (struct edge){w->edges[w->at], note->case_number - 1};
        w->edges[w->at] = edge;
        w->entries[edge->to]++;
    } else if (!note->case_number && !w->ends_at(s, label)) {
        push(w, label);
    }
}

/* The labels that the block's last instructions name. */
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
            for (uint32_t i = 2; i < in.count; i += 2)
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
    w->s->label_notes[w->labels[at]].visited = w->stamp;
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
        s->label_notes[labels[i]].case_number = i + 1;
    for (uint32_t i = 0; i < count; i++)
        walk_case(&w, i);
    for (uint32_t i = 0; i < count; i++) {
        s->label_notes[labels[i]].case_number = 0;
        if (!w.entries[i])
            sorted[sorted_count++] = i;
    }
    for (uint32_t i = 0; i < sorted_count; i++)
        for (const struct edge *edge = w.edges[sorted[i]]; edge; edge = edge->next)
            if (!--w.entries[edge->to])
                sorted[sorted_count++] = edge->to;
    if (sorted_count < count)
        spv_invalid(s, "cases of a switch that fall into each other");
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = labels[sorted[i]];
    for (uint32_t i = 0; i < count; i++)
        labels[i] = sorted[i];
}
