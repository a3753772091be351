/* SPDX-License-Identifier: MIT
 *
 * Tables of constants: private arrays with variable indices that hold one constant whenever they are read. A table's
 * words lie in memory of the program, where lookups read them; it takes no registers and no scratch memory, and storing
 * it costs nothing. Small arrays are no tables, because selecting among few constants is shorter than a lookup.
 *
 * A variable holds one constant if everything that is ever stored to it is this constant, as a whole: its initialiser,
 * constants, and copies of other variables that hold it. What a read before the first store gives is undefined, so it
 * may be the constant too. Parameters hold what the arguments of all calls hold and what is stored through them;
 * what is stored through a parameter is also stored to the arguments.
 */
#include <string.h>
#include "compiler/spirv/spv_engine.h"
#include "util/bitset.h"

#define MIN_TABLE_SCALARS 17u
#define MAX_CHOICES       4u /* a load that chooses among so few places is a selection, too */

/* What a variable holds: nothing yet, a constant's id, or: */
#define NOTHING UINT32_C(0)
#define SEVERAL UINT32_MAX

struct finder {
    struct spv *s;
    uint32_t *stored; /* by id: what is stored to the variable or through the parameter */
    uint32_t *held;   /* by id: what it holds */
    bool changed;
};

/* ---------------------------------------------------------------- which constant */

static bool are_equal(const struct spv *s, uint32_t a, uint32_t b)
{
    const struct spv_id *x = &s->ids[a], *y = &s->ids[b];
    return a == b ||
           (x->type->scalars == y->type->scalars && !memcmp(x->words, y->words, x->type->scalars * sizeof *x->words));
}

static void join(struct finder *f, uint32_t *to, uint32_t what)
{
    if (what == NOTHING || *to == SEVERAL || *to == what)
        return;
    if (*to != NOTHING && what != SEVERAL) {
        spv_spend(f->s, f->s->ids[what].type->scalars / 64 + 1);
        if (are_equal(f->s, *to, what))
            return;
    }
    *to = *to == NOTHING ? what : SEVERAL;
    f->changed = true;
}

static void store(struct finder *f, uint32_t root, uint32_t what)
{
    if (root == SPV_NO_NUMBER)
        return;
    join(f, &f->stored[root], what);
    join(f, &f->held[root], what);
}

static uint32_t held_by(const struct finder *f, uint32_t root)
{
    return root == SPV_NO_NUMBER || util_bitset_test(f->s->mutable_vars, root) ? SEVERAL : f->held[root];
}

static uint32_t constant_or_several(const struct finder *f, uint32_t id)
{
    return f->s->ids[id].kind == SPV_CONSTANT ? id : SEVERAL;
}

static void visit_store(struct finder *f, const struct spv_instr *in)
{
    bool is_whole;
    const uint32_t to = spv_base_variable(f->s, in->words[1], &is_whole);
    uint32_t what = constant_or_several(f, in->words[2]);
    if (what == SEVERAL) {
        const uint32_t from = spv_copied_from(f->s, in->words[2]);
        what = from == SPV_NO_NUMBER ? SEVERAL : held_by(f, from);
    }
    store(f, to, is_whole ? what : SEVERAL);
}

static void visit_call(struct finder *f, const struct spv_instr *in)
{
    const struct spv *s = f->s;
    uint32_t argument = 4;
    for (uint32_t offset = s->m->defs[in->words[3]]; offset < s->m->word_count && argument < in->count;) {
        const struct spv_instr p = spv_instr_at(s->m, offset);
        offset += p.count;
        if (p.op == SpvOpLabel || p.op == SpvOpFunctionEnd)
            break;
        if (p.op != SpvOpFunctionParameter)
            continue;
        bool is_whole;
        const uint32_t root = spv_base_variable(f->s, in->words[argument++], &is_whole), stored = f->stored[p.words[2]];
        store(f, root, is_whole || stored == NOTHING ? stored : SEVERAL);
        join(f, &f->held[p.words[2]], is_whole ? held_by(f, root) : SEVERAL);
    }
}

static void visit(struct finder *f, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpVariable:
        if (in->count > 4)
            store(f, in->words[2], constant_or_several(f, in->words[4]));
        return;
    case SpvOpStore:
        spv_spend(f->s, 1);
        visit_store(f, in);
        return;
    case SpvOpFunctionCall:
        spv_spend(f->s, 1);
        visit_call(f, in);
        return;
    default: /* whatever else writes has marked the variable as mutable */
        return;
    }
}

/* Could the variable be a table, if it holds one constant? */
static bool is_candidate(const struct spv *s, uint32_t id, const struct spv_type *type)
{
    return type->scalars >= MIN_TABLE_SCALARS && util_bitset_test(s->indexed_vars, id) &&
           !util_bitset_test(s->mutable_vars, id);
}

static bool has_candidates(struct spv *s)
{
    spv_for_each_instr(in, s->m)
    {
        if (in.op != SpvOpVariable || (in.words[3] != SpvStorageClassFunction && in.words[3] != SpvStorageClassPrivate))
            continue;
        const struct spv_id *type = &s->ids[in.words[1]];
        if (type->kind == SPV_TYPE && type->type->kind == SPV_TYPE_POINTER && type->type->elem &&
            is_candidate(s, in.words[2], type->type->elem))
            return true;
    }
    return false;
}

void spv_find_tables(struct spv *s)
{
    if (!has_candidates(s))
        return;
    struct finder f = {.s = s, .changed = true};
    uint32_t round = 0;
    f.stored = util_arena_new_array(s->arena, uint32_t, s->m->id_count);
    f.held = util_arena_new_array(s->arena, uint32_t, s->m->id_count);
    for (; f.changed; round++) { /* what an id holds changes at most twice */
        f.changed = false;
        spv_for_each_instr(in, s->m)
        {
            spv_spend(s, round >= 2);
            visit(&f, &in);
        }
    }
    s->held_constants = f.held;
}

bool spv_create_table(struct spv *s, struct spv_var *var)
{
    if (!s->held_constants || !spv_is_own(var) || !is_candidate(s, var->id, var->type))
        return false;
    const uint32_t held = s->held_constants[var->id];
    if (held == NOTHING || held == SEVERAL || s->ids[held].type->scalars != var->type->scalars)
        return false;
    const uint32_t *words = s->ids[held].words;
    spv_spend(s, var->type->scalars / 64 + 1);
    if (!ir_table_add(s->shader, words, var->type->scalars, &var->table))
        return false;
    var->table_words = words;
    return true;
}

/* ---------------------------------------------------------------- access */

static struct ir_instr *scaled(struct ir_builder *b, const struct spv_step *step)
{
    const uint32_t size_B = 4 * step->scalars;
    return util_is_pow2(size_B) ? ir_build2(b, IR_SHL, step->index, ir_const(b, util_log2(size_B)))
                                : ir_build2(b, IR_MUL24, step->index, ir_const(b, size_B));
}

static struct ir_instr *load_scalar(struct spv *s, const struct spv_pointer *p, struct ir_instr *offset, uint32_t i)
{
    struct ir_builder *b = &s->b;
    const bool is_bool = spv_scalar_bits(spv_scalar_at(p->type, i)) == 1;
    if (!offset) {
        const uint32_t word = p->var->table_words[p->scalar + i];
        return is_bool ? ir_const_bool(b, word) : ir_const(b, word);
    }
    struct ir_instr *word = ir_build1(b, IR_LOAD_TABLE, offset);
    word->imm = p->var->table;
    word->imm2 = 4 * i | 4 * (p->type->scalars - 1) << 16;
    return is_bool ? ir_build2(b, IR_INE, word, ir_const(b, 0)) : word;
}

/* Among how many places do the variable indices choose? */
static uint32_t count_choices(const struct spv_pointer *p)
{
    uint64_t choices = 1;
    for (uint32_t k = 0; k < p->step_count && choices <= MAX_CHOICES; k++)
        choices *= p->steps[k].count;
    return (uint32_t)MIN2(choices, UINT32_MAX);
}

/* Selects among the words at `scalar`; the indices from `step` on are still to be resolved. */
static struct ir_instr *select_scalar(struct spv *s, const struct spv_pointer *p, uint32_t scalar, bool is_bool,
                                      uint32_t step)
{
    struct ir_builder *b = &s->b;
    if (step == p->step_count) {
        const uint32_t word = p->var->table_words[MIN2(scalar, p->var->type->scalars - 1)];
        return is_bool ? ir_const_bool(b, word) : ir_const(b, word);
    }
    struct ir_instr *out = select_scalar(s, p, scalar, is_bool, step + 1);
    for (uint32_t k = 1; k < p->steps[step].count; k++) {
        struct ir_instr *is_k = ir_build2(b, IR_IEQ, p->steps[step].index, ir_const(b, k));
        struct ir_instr *other = select_scalar(s, p, scalar + k * p->steps[step].scalars, is_bool, step + 1);
        out = ir_build3(b, IR_SEL, is_k, other, out);
    }
    return out;
}

struct ir_instr **spv_table_load(struct spv *s, const struct spv_pointer *p)
{
    struct ir_builder *b = &s->b;
    struct ir_instr **out = spv_new_scalars(s, p->type->scalars), *offset = NULL;
    if (p->step_count && count_choices(p) <= MAX_CHOICES) {
        for (uint32_t i = 0; i < p->type->scalars; i++)
            out[i] = select_scalar(s, p, p->scalar + i, spv_scalar_bits(spv_scalar_at(p->type, i)) == 1, 0);
        return out;
    }
    for (uint32_t k = 0; k < p->step_count; k++) {
        struct ir_instr *step = scaled(b, &p->steps[k]);
        offset = offset ? ir_build2(b, IR_IADD, offset, step) : step;
    }
    if (offset && p->scalar)
        offset = ir_build2(b, IR_IADD, offset, ir_const(b, 4 * p->scalar));
    if (!offset && p->type->scalars > p->var->type->scalars - p->scalar)
        spv_invalid(s, "an access beyond the end of a variable of %u scalars", p->var->type->scalars);
    for (uint32_t i = 0; i < p->type->scalars; i++)
        out[i] = load_scalar(s, p, offset, i);
    return out;
}
