/* SPDX-License-Identifier: MIT
 *
 * Large private arrays with variable indices live in scratch memory. The chip cannot index registers, so an access to a
 * small array selects among all its elements. For a large array the selects, and the phis of all elements at every
 * join, cost more than memory does. Programs with such an array run on the CPU engine.
 *
 * An element is a slot of the scratch memory: a word for each of the 16 lanes, like a spilled value. Every QPU has its
 * own slots. All inlined copies of a function share the slots of a variable: SPIR-V has no recursion, so at most one
 * copy is live at a time.
 */
#include "compiler/spirv/spv_engine.h"
#include "hw/qpu.h"
#include "util/bitset.h"

/* Limits up to which an array stays in registers. If no dimension has more than UNROLLED_ELEMENTS elements, loops over
 * it can be unrolled, and then no index is variable. */
#define REGISTER_SCALARS        64u
#define UNROLLED_SCALARS        256u
#define UNROLLED_ELEMENTS       32u
#define REGISTER_TABLE_SCALARS  512u /* one of the few tables of constants that are no tables (spv_table.c) */

#define SLOT_B (4u * QPU_LANES)

/* ---------------------------------------------------------------- which variables */

static struct spv_instr definition(const struct spv *s, uint32_t id)
{
    return spv_instr_at(s->m, s->m->defs[id]);
}

uint32_t spv_base_variable(struct spv *s, uint32_t pointer, bool *is_whole_out)
{
    *is_whole_out = true;
    for (;;) {
        spv_spend(s, 1); /* hostile modules may define a pointer in terms of itself */
        struct spv_instr def = definition(s, pointer);
        if (def.op == SpvOpVariable || def.op == SpvOpFunctionParameter)
            return pointer;
        if (def.op == SpvOpPhi) {
            pointer = spv_phi_source(&def);
            if (pointer == SPV_NO_NUMBER)
                return pointer;
            continue;
        }
        if (def.op != SpvOpAccessChain && def.op != SpvOpInBoundsAccessChain && def.op != SpvOpCopyObject)
            return SPV_NO_NUMBER;
        *is_whole_out &= def.op == SpvOpCopyObject;
        pointer = def.words[3];
    }
}

static bool is_constant(const struct spv *s, uint32_t id)
{
    return s->ids[id].kind == SPV_CONSTANT;
}

static void mark(uint64_t *set, uint32_t root)
{
    if (root != SPV_NO_NUMBER)
        util_bitset_set(set, root);
}

uint32_t spv_copied_from(struct spv *s, uint32_t value)
{
    bool is_whole;
    struct spv_instr def = definition(s, value);
    if (def.op != SpvOpLoad)
        return SPV_NO_NUMBER;
    uint32_t root = spv_base_variable(s, def.words[3], &is_whole);
    struct spv_instr type = root == SPV_NO_NUMBER ? def : definition(s, definition(s, root).words[1]);
    bool is_own = type.op == SpvOpTypePointer &&
                  (type.words[2] == SpvStorageClassFunction || type.words[2] == SpvStorageClassPrivate);
    return is_whole && is_own ? root : SPV_NO_NUMBER;
}

/* The sources of a phi of different pointers may be written and indexed through the phi, which spv_base_variable() does
 * not follow. Marks them all. */
static void mark_phi_sources(struct spv *s, const struct spv_instr *in)
{
    bool is_whole;
    if (definition(s, in->words[1]).op != SpvOpTypePointer || spv_phi_source(in) != SPV_NO_NUMBER)
        return;
    for (uint32_t i = 3; i + 1 < in->count; i += 2) {
        const uint32_t root = spv_base_variable(s, in->words[i], &is_whole);
        mark(s->mutable_vars, root);
        mark(s->indexed_vars, root);
    }
}

static void mark_access(struct spv *s, const struct spv_instr *in)
{
    bool is_whole;
    switch (in->op) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        for (uint32_t i = 4; i < in->count; i++)
            if (!is_constant(s, in->words[i]))
                mark(s->indexed_vars, spv_base_variable(s, in->words[3], &is_whole));
        break;
    case SpvOpStore: {
        uint32_t root = spv_base_variable(s, in->words[1], &is_whole);
        if (!is_whole || (!is_constant(s, in->words[2]) && spv_copied_from(s, in->words[2]) == SPV_NO_NUMBER))
            mark(s->mutable_vars, root);
        break;
    }
    case SpvOpCopyMemory:
        mark(s->mutable_vars, spv_base_variable(s, in->words[1], &is_whole));
        break;
    case SpvOpPhi:
        mark_phi_sources(s, in);
        break;
    case SpvOpExtInst: /* Modf and Frexp store; debug information only names variables */
        for (uint32_t i = 5; i < in->count && s->ids[in->words[3]].kind == SPV_GLSL_SET; i++)
            if (s->m->defs[in->words[i]])
                mark(s->mutable_vars, spv_base_variable(s, in->words[i], &is_whole));
        break;
    default:
        break;
    }
}

/* A copy is mutable if its source is. Returns whether anything changed. */
static bool propagate_copy(struct spv *s, const struct spv_instr *in)
{
    bool is_whole;
    uint32_t from = spv_copied_from(s, in->words[2]);
    if (from == SPV_NO_NUMBER || !util_bitset_test(s->mutable_vars, from))
        return false;
    uint32_t to = spv_base_variable(s, in->words[1], &is_whole);
    if (to == SPV_NO_NUMBER || util_bitset_test(s->mutable_vars, to))
        return false;
    util_bitset_set(s->mutable_vars, to);
    return true;
}

/* Marks the arguments whose parameters are marked. Returns whether anything changed. */
static bool propagate_call(struct spv *s, const struct spv_instr *in)
{
    bool changed = false, is_whole;
    uint32_t argument = 4;
    for (uint32_t offset = s->m->defs[in->words[3]]; offset < s->m->word_count && argument < in->count;) {
        struct spv_instr p = spv_instr_at(s->m, offset);
        offset += p.count;
        if (p.op == SpvOpLabel || p.op == SpvOpFunctionEnd)
            break;
        if (p.op != SpvOpFunctionParameter)
            continue;
        uint32_t root = spv_base_variable(s, in->words[argument++], &is_whole);
        uint64_t *const sets[] = {s->indexed_vars, s->mutable_vars};
        for (unsigned k = 0; k < 2 && root != SPV_NO_NUMBER; k++) {
            if (!util_bitset_test(sets[k], p.words[2]) || util_bitset_test(sets[k], root))
                continue;
            util_bitset_set(sets[k], root);
            changed = true;
        }
    }
    return changed;
}

void spv_find_indexed(struct spv *s)
{
    const uint32_t words = UTIL_BITSET_WORDS(s->m->id_count + 1);
    s->indexed_vars = util_arena_new_array(s->arena, uint64_t, words);
    s->mutable_vars = util_arena_new_array(s->arena, uint64_t, words);
    s->scratch_slots = util_arena_new_array(s->arena, uint32_t, s->m->id_count);
    spv_for_each_instr(in, s->m)
        mark_access(s, &in);
    bool changed = true;
    while (changed) { /* at most as many rounds as calls nest and copies form chains */
        changed = false;
        spv_for_each_instr(in, s->m) {
            spv_spend(s, 1);
            if (in.op == SpvOpFunctionCall)
                changed |= propagate_call(s, &in);
            else if (in.op == SpvOpStore)
                changed |= propagate_copy(s, &in);
        }
    }
}

static uint32_t max_elements(const struct spv_type *t)
{
    uint32_t most = t->kind == SPV_TYPE_ARRAY ? t->count : 0;
    if (!t->scalars)
        return 0;
    if (t->kind == SPV_TYPE_ARRAY)
        return MAX2(most, max_elements(t->elem));
    for (uint32_t i = 0; t->kind == SPV_TYPE_STRUCT && i < t->count; i++)
        most = MAX2(most, max_elements(t->members[i]));
    return most;
}

bool spv_lives_in_scratch(const struct spv *s, const struct spv_var *var)
{
    const uint32_t scalars = var->type->scalars;
    if (!spv_is_own(var))
        return false;
    if (!util_bitset_test(s->indexed_vars, var->id))
        return false;
    if (!util_bitset_test(s->mutable_vars, var->id))
        return scalars > REGISTER_TABLE_SCALARS;
    return scalars > (max_elements(var->type) > UNROLLED_ELEMENTS ? REGISTER_SCALARS : UNROLLED_SCALARS);
}

void spv_create_scratch(struct spv *s, struct spv_var *var)
{
    var->in_scratch = true;
    if (!s->scratch_slots[var->id]) {
        s->scratch_slots[var->id] = s->shader->spill_slots + 1;
        s->shader->spill_slots += var->type->scalars;
    }
    var->scratch_slot = s->scratch_slots[var->id] - 1;
}

/* ---------------------------------------------------------------- access */

/* The address of the lane's word in the slot `scalar` after the pointee of `p`; VC4C_ENGINE_NULL outside of the
 * variable. */
static struct ir_instr *scratch_address(struct spv *s, const struct spv_pointer *p, uint32_t scalar)
{
    struct ir_builder *b = &s->b;
    const uint32_t fixed_B = SLOT_B * (p->scalar + scalar);
    struct ir_instr *offset = NULL;
    for (uint32_t k = 0; k < p->step_count; k++) {
        struct ir_instr *step = ir_build2(b, IR_MUL24, p->steps[k].index, ir_const(b, SLOT_B * p->steps[k].scalars));
        offset = offset ? ir_build2(b, IR_IADD, offset, step) : step;
    }
    struct ir_instr *own = ir_build2(b, IR_MUL24, ir_build0(b, IR_QPU_NUMBER),
                                     ir_uniform(b, VC4C_UNIFORM_ENGINE_SCRATCH_B, 0, 0));
    own = ir_build2(b, IR_IADD, own, ir_build2(b, IR_SHL, ir_build0(b, IR_ELEMENT), ir_const(b, 2)));
    struct ir_instr *base = ir_uniform(b, VC4C_UNIFORM_ENGINE_SCRATCH, 0, SLOT_B * p->var->scratch_slot);
    base = ir_build2(b, IR_IADD, base, own);
    if (!offset)
        return ir_build2(b, IR_IADD, base, ir_const(b, fixed_B));
    offset = ir_build2(b, IR_IADD, offset, ir_const(b, fixed_B));
    struct ir_instr *address = ir_build2(b, IR_IADD, base, offset);
    struct ir_instr *is_inside = ir_build2(b, IR_ULT, offset, ir_const(b, SLOT_B * p->var->type->scalars));
    return ir_build3(b, IR_SEL, is_inside, address, ir_const(b, VC4C_ENGINE_NULL));
}

struct ir_instr **spv_scratch_load(struct spv *s, const struct spv_pointer *p)
{
    struct ir_instr **out = spv_new_scalars(s, p->type->scalars);
    for (uint32_t i = 0; i < p->type->scalars; i++) {
        out[i] = ir_build1(&s->b, IR_SCRATCH_LOAD, scratch_address(s, p, i));
        if (spv_scalar_bits(spv_scalar_at(p->type, i)) == 1)
            out[i] = ir_build2(&s->b, IR_INE, out[i], ir_const(&s->b, 0));
    }
    return out;
}

void spv_scratch_store(struct spv *s, const struct spv_pointer *p, struct ir_instr *const *scalars)
{
    struct ir_builder *b = &s->b;
    for (uint32_t i = 0; i < p->type->scalars; i++) {
        struct ir_instr *word = scalars[i];
        if (word->op == IR_UNDEF)
            continue;
        if (spv_scalar_bits(spv_scalar_at(p->type, i)) == 1)
            word = ir_build3(b, IR_SEL, word, ir_const(b, 1), ir_const(b, 0));
        ir_build2(b, IR_SCRATCH_STORE, scratch_address(s, p, i), word);
    }
}
