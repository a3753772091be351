/* SPDX-License-Identifier: MIT
 *
 * Structured control flow. A *construct* is a function, or what a merge instruction opens: a selection, a switch or a
 * loop. Constructs nest. A *region* is a sequence of blocks that ends where an enclosing construct ends or continues.
 *
 * A branch is translated according to its target:
 *   the end of the innermost construct       the region ends here; nothing is emitted
 *   the merge block of the innermost loop    BREAK
 *   further out (continue, return, the merge block of a switch from inside an if, a loop around another loop)
 *                                           sets a flag. Every construct that is left records the flag as *pending*;
 *                                           the flag guards the code after it, or makes that code leave the loop too
 *
 * Flags are variables. After conversion to SSA, an if that only sets a flag folds into the condition of the code that
 * the flag guards.
 */
#include "compiler/ir/ir_pass.h"
#include "compiler/spirv/spv.h"

#define MAX_DEPTH 250
#define NO_LABEL  UINT32_MAX

enum construct_kind { CONSTRUCT_FUNCTION, CONSTRUCT_SELECTION, CONSTRUCT_SWITCH, CONSTRUCT_LOOP };
enum edge_kind { EDGE_EXIT, EDGE_CONTINUE };

struct pending { /* a flag that may be set when control leaves the construct */
    struct pending *next;
    struct spv_construct *target;
    enum edge_kind edge;
};

/* While a case is open its blocks, label included, are inside of it. */
enum case_state { CASE_NEW, CASE_OPEN, CASE_DONE };

struct switch_case {
    uint32_t label;
    enum case_state state;
    uint32_t fall;           /* boolean variable: an earlier case falls through into this one */
    bool is_fallen_into;     /* `fall` may be true */
    struct ir_instr *cond;
};

struct spv_construct {
    struct spv_construct *outer;
    enum construct_kind kind;
    uint32_t depth;
    uint32_t merge;          /* NO_LABEL for functions */
    uint32_t header, continue_target; /* loops */
    bool in_continue;        /* loops: the continue construct is being translated */
    uint32_t flags[2];       /* boolean variables, per enum edge_kind */
    bool is_reached[2];      /* per enum edge_kind: a branch leads to the merge block, to the continue target */
    struct pending *pending;
    struct switch_case *cases;
    uint32_t case_count;
};

struct guard { /* an if whose else list holds the rest of a region */
    struct guard *next;
    struct ir_if *nif;
};

struct opened {
    struct opened *next;
    uint32_t label;
};

struct region {
    struct guard *guards;
    struct opened *opened;   /* blocks of the region so far */
    uint32_t label;          /* label of the current block */
};

static void translate_region(struct spv *s, uint32_t label, bool is_header);

/* ---------------------------------------------------------------- what is known already */

#define MAX_KNOWN_STEPS 32 /* operations of an expression */

static bool evaluate(const struct ir_instr *instr, uint32_t *steps, uint32_t *word_out)
{
    uint32_t srcs[3] = {0};
    if (instr->op == IR_CONST) {
        *word_out = instr->imm;
        return true;
    }
    if (!instr->src_count || instr->src_count > 3 || !*steps)
        return false;
    --*steps;
    bool is_known[3] = {false, false, false}, all = true;
    for (uint32_t i = 0; i < instr->src_count; i++) {
        is_known[i] = instr->src[i].def && evaluate(instr->src[i].def, steps, &srcs[i]);
        all &= is_known[i];
    }
    if (instr->op == IR_BOR || instr->op == IR_BAND) {
        const bool decides = instr->op == IR_BOR;
        for (uint32_t i = 0; i < 2; i++) {
            if (!is_known[i] || !srcs[i] == decides)
                continue;
            *word_out = decides;
            return true;
        }
    }
    return all && ir_fold(instr, srcs, word_out);
}

/* Is the value a constant, or an expression of constants? */
static bool is_known(struct spv *s, const struct ir_instr *value, uint32_t *word_out)
{
    uint32_t steps = MAX_KNOWN_STEPS;
    bool known = evaluate(value, &steps, word_out);
    spv_spend(s, (MAX_KNOWN_STEPS - steps) / 16);
    return known;
}

/* ---------------------------------------------------------------- constructs */

static struct spv_construct *open_construct(struct spv *s, enum construct_kind kind, uint32_t merge)
{
    struct spv_construct *c = util_arena_new(s->arena, struct spv_construct), *outer = s->function->construct;
    *c = (struct spv_construct){.outer = outer, .kind = kind, .depth = outer ? outer->depth + 1 : 0, .merge = merge,
                                .header = NO_LABEL, .continue_target = NO_LABEL};
    if (c->depth > MAX_DEPTH)
        spv_unsupported(s, "control flow nested more than %u deep", MAX_DEPTH);
    for (int i = 0; i < 2; i++) {
        c->flags[i] = spv_new_ir_variable(s, 1, 1);
        spv_store_var(s, c->flags[i], 0, ir_const_bool(&s->b, false));
    }
    s->function->construct = c;
    return c;
}

/* The innermost loop around `from` that is strictly inside of `end` (NULL: any), or NULL. */
static struct spv_construct *loop_between(struct spv_construct *from, const struct spv_construct *end)
{
    for (; from && from != end; from = from->outer)
        if (from->kind == CONSTRUCT_LOOP)
            return from;
    return NULL;
}

static void add_pending(struct spv *s, struct spv_construct *c, struct spv_construct *target, enum edge_kind edge)
{
    for (struct pending *p = c->pending; p; p = p->next)
        if (p->target == target && p->edge == edge)
            return;
    struct pending *p = util_arena_new(s->arena, struct pending);
    *p = (struct pending){.next = c->pending, .target = target, .edge = edge};
    c->pending = p;
}

static bool is_direct_break(struct spv *s, const struct spv_construct *target, enum edge_kind edge)
{
    return target->kind == CONSTRUCT_LOOP && edge == EDGE_EXIT && !loop_between(s->function->construct, target);
}

static struct spv_construct *function_construct(struct spv *s)
{
    struct spv_construct *c = s->function->construct;
    while (c->kind != CONSTRUCT_FUNCTION)
        c = c->outer;
    return c;
}

/* The loop that a jump has to leave with a BREAK, or NULL. */
static struct spv_construct *loop_to_leave(struct spv *s, struct spv_construct *target, enum edge_kind edge)
{
    return is_direct_break(s, target, edge) ? target : loop_between(s->function->construct, target);
}

/* When the loop is one of a caller, the BREAK is put into an if of its own: the caller's block continues after the
 * call, and nothing may follow a jump in a list. */
static void leave_loop(struct spv *s, const struct spv_construct *loop)
{
    struct ir_if *nif = NULL;
    if (loop->depth < function_construct(s)->depth)
        nif = ir_push_if(&s->b, ir_const_bool(&s->b, true));
    ir_build0(&s->b, IR_BREAK);
    if (nif)
        ir_pop_if(&s->b, nif);
}

/* Jumps to a construct further out. */
static void jump_to(struct spv *s, struct spv_construct *target, enum edge_kind edge)
{
    if (is_direct_break(s, target, edge)) {
        leave_loop(s, target);
        return;
    }
    spv_store_var(s, target->flags[edge], 0, ir_const_bool(&s->b, true));
    for (struct spv_construct *c = s->function->construct; c != target; c = c->outer)
        add_pending(s, c, target, edge);
    const struct spv_construct *loop = loop_to_leave(s, target, edge);
    if (loop)
        leave_loop(s, loop);
}

/* After a construct: a flag that may have been set in it causes a jump further out, or guards the rest of the region.
 * Returns the label where the region continues: `merge`, or NO_LABEL if no branch leads there. */
static uint32_t leave_construct(struct spv *s, struct region *r, struct spv_construct *left, uint32_t merge)
{
    struct ir_instr *guard = NULL;
    s->function->construct = left->outer;
    if (ir_block_jump(s->b.block))
        return NO_LABEL;
    for (const struct pending *p = left->pending; p; p = p->next) {
        const bool leaves_loop = loop_to_leave(s, p->target, p->edge);
        if (!leaves_loop && !left->is_reached[EDGE_EXIT])
            continue;
        struct ir_instr *flag = spv_load_var(s, p->target->flags[p->edge], 0);
        if (leaves_loop) {
            struct ir_if *nif = ir_push_if(&s->b, flag);
            ir_build0(&s->b, IR_BREAK);
            ir_pop_if(&s->b, nif);
        } else {
            guard = guard ? ir_build2(&s->b, IR_BOR, guard, flag) : flag;
        }
    }
    if (guard) {
        struct guard *g = util_arena_new(s->arena, struct guard);
        *g = (struct guard){.next = r->guards, .nif = ir_push_if(&s->b, guard)};
        ir_push_else(&s->b, g->nif);
        r->guards = g;
    }
    return left->is_reached[EDGE_EXIT] ? merge : NO_LABEL;
}

/* ---------------------------------------------------------------- where a label lies */

enum place { PLACE_INSIDE, PLACE_NATURAL_END, PLACE_OUTSIDE };

struct target {
    enum place place;
    struct spv_construct *construct;
    enum edge_kind edge;
    struct switch_case *fall; /* the case that the branch falls through into, or NULL */
};

static struct target find_target(struct spv *s, uint32_t label)
{
    struct spv_construct *innermost = s->function->construct;
    for (struct spv_construct *c = innermost; c->kind != CONSTRUCT_FUNCTION; c = c->outer) {
        enum place place = c == innermost ? PLACE_NATURAL_END : PLACE_OUTSIDE;
        if (c->kind == CONSTRUCT_LOOP) {
            if (label == (c->in_continue ? c->header : c->continue_target))
                return (struct target){place, c, EDGE_CONTINUE, NULL};
            if (label == c->merge)
                return (struct target){PLACE_OUTSIDE, c, EDGE_EXIT, NULL};
        } else if (label == c->merge) {
            return (struct target){place, c, EDGE_EXIT, NULL};
        }
        spv_spend(s, c->case_count / 16);
        for (uint32_t i = 0; i < c->case_count; i++) {
            if (c->cases[i].label != label || c->cases[i].state == CASE_OPEN)
                continue;
            if (c->cases[i].state == CASE_DONE)
                spv_invalid(s, "a branch back to a case of a switch that is already complete");
            return (struct target){place, c, EDGE_EXIT, &c->cases[i]};
        }
    }
    return (struct target){PLACE_INSIDE, NULL, EDGE_EXIT, NULL};
}

static void emit_branch(struct spv *s, const struct target *t)
{
    if (t->fall) {
        spv_store_var(s, t->fall->fall, 0, ir_const_bool(&s->b, true));
        t->fall->is_fallen_into = true;
    } else {
        t->construct->is_reached[t->edge] = true;
    }
    if (t->place == PLACE_OUTSIDE)
        jump_to(s, t->construct, t->edge);
}

/* ---------------------------------------------------------------- branches */

static bool is_merge(const struct spv_instr *merge, uint16_t op)
{
    return merge->words && merge->op == op;
}

static struct ir_instr *condition(struct spv *s, uint32_t id)
{
    if (spv_type_of(s, id)->kind != SPV_TYPE_BOOL)
        spv_invalid(s, "the condition is not a boolean");
    return spv_scalar(s, id);
}

static uint32_t selection(struct spv *s, struct region *r, const struct spv_instr *in, uint32_t merge)
{
    struct ir_instr *cond = condition(s, in->words[1]);
    struct spv_construct *c = open_construct(s, CONSTRUCT_SELECTION, merge);
    uint32_t is_true;
    if (is_known(s, cond, &is_true)) {
        translate_region(s, in->words[is_true ? 2 : 3], false);
    } else {
        struct ir_if *nif = ir_push_if(&s->b, cond);
        translate_region(s, in->words[2], false);
        ir_push_else(&s->b, nif);
        translate_region(s, in->words[3], false);
        ir_pop_if(&s->b, nif);
    }
    return leave_construct(s, r, c, merge);
}

static void break_if(struct spv *s, struct ir_instr *cond, const struct target *t)
{
    struct ir_if *nif = ir_push_if(&s->b, cond);
    emit_branch(s, t);
    ir_pop_if(&s->b, nif);
}

/* Without a merge instruction, one of the two branches must leave a construct. */
static uint32_t conditional_exit(struct spv *s, const struct spv_instr *in)
{
    struct target t[2] = {find_target(s, in->words[2]), find_target(s, in->words[3])};
    if (in->words[2] == in->words[3])
        return in->words[2];
    struct ir_instr *cond = condition(s, in->words[1]);
    uint32_t is_true;
    if (is_known(s, cond, &is_true))
        return in->words[is_true ? 2 : 3];
    for (int i = 0; i < 2; i++) {
        if (t[i].place == PLACE_OUTSIDE && !t[i].fall && is_direct_break(s, t[i].construct, t[i].edge)) {
            break_if(s, i ? ir_build1(&s->b, IR_BNOT, cond) : cond, &t[i]);
            return in->words[3 - i];
        }
    }
    if (t[0].place == PLACE_INSIDE && t[1].place == PLACE_INSIDE)
        spv_unsupported(s, "a conditional branch without OpSelectionMerge whose branches both stay in the construct");
    struct ir_if *nif = ir_push_if(&s->b, cond);
    translate_region(s, in->words[2], false);
    ir_push_else(&s->b, nif);
    translate_region(s, in->words[3], false);
    ir_pop_if(&s->b, nif);
    return NO_LABEL;
}

/* ---------------------------------------------------------------- switch */

static bool ends_region(struct spv *s, uint32_t label)
{
    return find_target(s, label).place != PLACE_INSIDE;
}

/* Collects the distinct targets except the merge block, each after the cases that fall through into it. */
static void collect_cases(struct spv *s, struct spv_construct *c, const struct spv_instr *in)
{
    uint32_t *labels = util_arena_new_array(s->arena, uint32_t, in->count), count = 0;
    const uint32_t words = spv_case_words(s, in);
    for (uint32_t i = 2; i < in->count; i += 1 + words) {
        struct spv_label_state *state = &s->label_states[in->words[i]];
        if (in->words[i] == c->merge || state->case_number)
            continue;
        labels[count++] = in->words[i];
        state->case_number = count;
    }
    spv_spend(s, in->count);
    spv_order_cases(s, labels, count, ends_region);
    c->cases = util_arena_new_array(s->arena, struct switch_case, count + 1);
    c->case_count = count;
    for (uint32_t i = 0; i < count; i++)
        c->cases[i] = (struct switch_case){.label = labels[i]};
}

/* Is the selector equal to the literal? */
static struct ir_instr *is_case(struct spv *s, const struct spv_type *type, struct ir_instr *const *selector,
                                const uint32_t *literal)
{
    struct ir_builder *b = &s->b;
    if (type->bits < 32) {
        const uint32_t mask = (1u << type->bits) - 1;
        return ir_build2(b, IR_IEQ, ir_build2(b, IR_AND, selector[0], ir_const(b, mask)),
                         ir_const(b, literal[0] & mask));
    }
    struct ir_instr *is = ir_build2(b, IR_IEQ, selector[0], ir_const(b, literal[0]));
    if (type->bits == 64)
        is = ir_build2(b, IR_BAND, is, ir_build2(b, IR_IEQ, selector[1], ir_const(b, literal[1])));
    return is;
}

static void compute_conditions(struct spv *s, struct spv_construct *c, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type_of(s, in->words[1]);
    const uint32_t words = spv_case_words(s, in);
    struct ir_instr **selector = spv_value(s, in->words[1]), *any = NULL;
    if (words != type->scalars)
        spv_invalid(s, "the selector is defined after the switch");
    for (uint32_t k = 0; k < c->case_count; k++)
        s->label_states[c->cases[k].label].case_number = k + 1;
    for (uint32_t i = 3; i + words < in->count; i += 1 + words) {
        struct ir_instr *is = is_case(s, type, selector, in->words + i);
        const uint32_t label = in->words[i + words], number = s->label_states[label].case_number;
        uint32_t is_true;
        if (label == in->words[2])
            continue; /* shares the block of the default */
        if (label == c->merge && (!is_known(s, is, &is_true) || is_true))
            c->is_reached[EDGE_EXIT] = true;
        any = any ? ir_build2(&s->b, IR_BOR, any, is) : is;
        if (number) {
            struct ir_instr **cond = &c->cases[number - 1].cond;
            *cond = *cond ? ir_build2(&s->b, IR_BOR, *cond, is) : is;
        }
    }
    uint32_t number = s->label_states[in->words[2]].case_number, is_any;
    if (in->words[2] == c->merge && (!any || !is_known(s, any, &is_any) || !is_any))
        c->is_reached[EDGE_EXIT] = true;
    if (number)
        c->cases[number - 1].cond = any ? ir_build1(&s->b, IR_BNOT, any) : ir_const_bool(&s->b, true);
    for (uint32_t k = 0; k < c->case_count; k++)
        s->label_states[c->cases[k].label].case_number = 0;
}

static void translate_case(struct spv *s, struct spv_construct *c, uint32_t index)
{
    struct switch_case *current = &c->cases[index];
    struct ir_instr *cond = current->cond;
    struct ir_if *nif = NULL;
    uint32_t is_true;
    if (current->is_fallen_into)
        cond = ir_build2(&s->b, IR_BOR, cond, spv_load_var(s, current->fall, 0));
    if (!is_known(s, cond, &is_true))
        nif = ir_push_if(&s->b, cond);
    else if (!is_true)
        return;
    spv_store_var(s, c->flags[EDGE_EXIT], 0, ir_const_bool(&s->b, false)); /* clears the flag of lanes that left an
                                                                           * earlier case to fall through into this
                                                                           * one */
    current->state = CASE_OPEN;
    translate_region(s, current->label, false);
    current->state = CASE_DONE;
    if (nif)
        ir_pop_if(&s->b, nif);
}

static uint32_t translate_switch(struct spv *s, struct region *r, const struct spv_instr *in, uint32_t merge)
{
    if (spv_type_of(s, in->words[1])->kind != SPV_TYPE_INT)
        spv_invalid(s, "the selector is not an integer");
    struct spv_construct *c = open_construct(s, CONSTRUCT_SWITCH, merge);
    collect_cases(s, c, in);
    compute_conditions(s, c, in);
    for (uint32_t i = 0; i < c->case_count; i++) {
        c->cases[i].fall = spv_new_ir_variable(s, 1, 1);
        spv_store_var(s, c->cases[i].fall, 0, ir_const_bool(&s->b, false));
    }
    for (uint32_t i = 0; i < c->case_count && !ir_block_jump(s->b.block); i++)
        translate_case(s, c, i);
    return leave_construct(s, r, c, merge);
}

/* ---------------------------------------------------------------- leaving the function */

static void translate_return(struct spv *s, const struct spv_instr *in)
{
    struct spv_function *f = s->function;
    if (in->op == SpvOpReturnValue) {
        if (spv_type_of(s, in->words[1])->scalars != f->result->scalars)
            spv_invalid(s, "a function returns a value of another type");
        struct ir_instr **values = spv_value(s, in->words[1]);
        for (uint32_t i = 0; i < f->result->scalars; i++)
            spv_store_var(s, f->result_variables + i, 0, values[i]);
    }
    struct spv_construct *c = function_construct(s);
    c->is_reached[EDGE_EXIT] = true;
    if (f->construct != c)
        jump_to(s, c, EDGE_EXIT);
}

/* A killed lane may run on, since its results are dropped. But it must leave every loop, or it might run forever. */
static void translate_kill(struct spv *s)
{
    ir_build0(&s->b, IR_DISCARD);
    if (!loop_between(s->function->construct, NULL))
        return;
    struct spv_construct *outermost = s->function->construct;
    while (outermost->outer)
        outermost = outermost->outer;
    jump_to(s, outermost, EDGE_EXIT);
}

/* The invocation ends in any function that it is in. */
static void translate_emit_tasks(struct spv *s, const struct spv_instr *in)
{
    struct spv_construct *outermost = s->function->construct;
    while (outermost->outer)
        outermost = outermost->outer;
    spv_emit_tasks(s, in);
    outermost->is_reached[EDGE_EXIT] = true;
    if (s->function->construct != outermost)
        jump_to(s, outermost, EDGE_EXIT);
}

/* Translates the last instruction of a block. Returns the label where the region continues, or NO_LABEL. */
static uint32_t translate_terminator(struct spv *s, struct region *r, const struct spv_instr *in,
                                     const struct spv_instr *merge)
{
    switch (in->op) {
    case SpvOpBranch:
        spv_store_phis(s, r->label, in->words[1]);
        return in->words[1];
    case SpvOpBranchConditional:
        spv_store_phis(s, r->label, in->words[2]);
        if (in->words[2] != in->words[3])
            spv_store_phis(s, r->label, in->words[3]);
        return is_merge(merge, SpvOpSelectionMerge) ? selection(s, r, in, merge->words[1]) : conditional_exit(s, in);
    case SpvOpSwitch:
        for (uint32_t i = 2; i < in->count; i += 1 + spv_case_words(s, in))
            spv_store_phis(s, r->label, in->words[i]);
        if (!is_merge(merge, SpvOpSelectionMerge))
            spv_unsupported(s, "a switch without OpSelectionMerge");
        return translate_switch(s, r, in, merge->words[1]);
    case SpvOpReturn:
    case SpvOpReturnValue:
        translate_return(s, in);
        return NO_LABEL;
    case SpvOpKill:
    case SpvOpTerminateInvocation:
        translate_kill(s);
        return NO_LABEL;
    case SpvOpEmitMeshTasksEXT:
        translate_emit_tasks(s, in);
        return NO_LABEL;
    default: /* OpUnreachable */
        return NO_LABEL;
    }
}

bool spv_is_terminator(uint16_t op)
{
    switch (op) {
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpKill:
    case SpvOpTerminateInvocation:
    case SpvOpEmitMeshTasksEXT:
    case SpvOpUnreachable:
        return true;
    default:
        return false;
    }
}

/* ---------------------------------------------------------------- blocks */

/* Returns false if the function never returns. */
static bool translate_call_in_region(struct spv *s, struct region *r, const struct spv_instr *in)
{
    struct spv_construct *c = open_construct(s, CONSTRUCT_SELECTION, NO_LABEL); /* collects the jumps that leave the
                                                                                 * call */
    c->is_reached[EDGE_EXIT] = spv_translate_call(s, in);
    leave_construct(s, r, c, NO_LABEL);
    return c->is_reached[EDGE_EXIT];
}

/* Only loops branch back, and find_target does not count their headers and continue targets as blocks of a region. */
static void open_block(struct spv *s, struct region *r, uint32_t label)
{
    struct opened *opened = util_arena_new(s->arena, struct opened);
    *opened = (struct opened){r->opened, label};
    r->opened = opened;
    if (s->label_states[label].is_open)
        spv_invalid(s, "a branch back to a block that is not a loop header");
    s->label_states[label].is_open = true;
    r->label = label;
}

static uint32_t translate_block(struct spv *s, struct region *r, uint32_t label)
{
    struct spv_instr merge = {.words = NULL};
    uint32_t offset = spv_label_offset(s, label);
    open_block(s, r, label);
    for (offset += spv_instr_at(s->m, offset).count; offset < s->m->word_count;) {
        struct spv_instr in = spv_instr_at(s->m, offset);
        s->offset = s->b.spirv_offset = offset;
        spv_spend(s, 1);
        if (spv_is_terminator(in.op))
            return translate_terminator(s, r, &in, &merge);
        if (in.op == SpvOpSelectionMerge || in.op == SpvOpLoopMerge)
            merge = in;
        else if (in.op == SpvOpPhi)
            spv_load_phi(s, label, &in);
        else if (in.op == SpvOpFunctionCall && !translate_call_in_region(s, r, &in))
            return NO_LABEL;
        else if (in.op == SpvOpLabel || in.op == SpvOpFunctionEnd)
            break;
        else if (in.op != SpvOpFunctionCall)
            spv_translate_instr(s, &in);
        offset += in.count;
    }
    spv_invalid(s, "a block without a terminator");
}

/* ---------------------------------------------------------------- loops */

/* The OpLoopMerge of a block; words is NULL if there is none. */
static struct spv_instr loop_merge_of(struct spv *s, uint32_t label)
{
    uint32_t offset = spv_label_offset(s, label);
    for (; offset < s->m->word_count; offset += spv_instr_at(s->m, offset).count) {
        struct spv_instr in = spv_instr_at(s->m, offset);
        if (in.op == SpvOpLoopMerge)
            return in;
        if (spv_is_terminator(in.op) || in.op == SpvOpFunctionEnd)
            break;
    }
    return (struct spv_instr){.words = NULL};
}

static uint32_t translate_loop(struct spv *s, struct region *r, uint32_t label, const struct spv_instr *merge)
{
    struct spv_construct *c = open_construct(s, CONSTRUCT_LOOP, merge->words[1]);
    c->header = label;
    c->continue_target = merge->words[2];
    struct ir_loop *loop = ir_push_loop(&s->b);
    spv_store_var(s, c->flags[EDGE_CONTINUE], 0, ir_const_bool(&s->b, false));
    translate_region(s, label, true);
    c->in_continue = true;
    if (c->continue_target != label && c->is_reached[EDGE_CONTINUE] && !ir_block_jump(s->b.block))
        translate_region(s, c->continue_target, false);
    ir_pop_loop(&s->b, loop);
    return leave_construct(s, r, c, c->merge);
}

/* ---------------------------------------------------------------- regions */

static void translate_region(struct spv *s, uint32_t label, bool is_header)
{
    struct region r = {.guards = NULL};
    if (++s->region_depth > MAX_DEPTH)
        spv_unsupported(s, "control flow nested more than %u deep", MAX_DEPTH);
    while (label != NO_LABEL) {
        struct target t = is_header ? (struct target){PLACE_INSIDE} : find_target(s, label);
        if (t.place != PLACE_INSIDE) {
            emit_branch(s, &t);
            break;
        }
        struct spv_instr merge = is_header ? (struct spv_instr){.words = NULL} : loop_merge_of(s, label);
        label = merge.words ? translate_loop(s, &r, label, &merge) : translate_block(s, &r, label);
        is_header = false;
    }
    for (; r.guards; r.guards = r.guards->next)
        ir_pop_if(&s->b, r.guards->nif);
    for (; r.opened; r.opened = r.opened->next)
        s->label_states[r.opened->label].is_open = false;
    s->region_depth--;
}

bool spv_translate_body(struct spv *s, uint32_t first_label)
{
    s->function->construct = s->function->caller ? s->function->caller->construct : NULL;
    struct spv_construct *c = open_construct(s, CONSTRUCT_FUNCTION, NO_LABEL);
    translate_region(s, first_label, false);
    s->function->construct = c->outer;
    return c->is_reached[EDGE_EXIT];
}
