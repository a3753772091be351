/* SPDX-License-Identifier: MIT
 *
 * Shared memory beyond plain variables (spv_engine.c): variables that begin as zero, small numbers that are packed, and
 * blocks with a layout of their own. All blocks of an entry point share the same bytes, from offset 0 on.
 * [SPV_KHR_workgroup_memory_explicit_layout]
 */
#include "compiler/spirv/spv_engine.h"
#include "compiler/spirv/spv_small.h"

/* ---------------------------------------------------------------- blocks */

/* Where one variable of an entry point is a block, all are. */
bool spv_is_shared_block(const struct spv *s, const struct spv_pointer *p)
{
    return p->storage == SpvStorageClassWorkgroup && s->has_shared_blocks;
}

static bool is_block(const struct spv_var *var)
{
    return var->storage == SpvStorageClassWorkgroup && var->type->kind == SPV_TYPE_STRUCT && var->type->decor->block;
}

static uint64_t matrix_size_B(const struct spv_type *t, const struct spv_decor *layout)
{
    const uint64_t usual_B = spv_usual_matrix_stride_B(t, layout->row_major);
    const uint64_t stride_B = layout->matrix_stride_B ? layout->matrix_stride_B : usual_B;
    const uint32_t rows = t->elem->count, number_B = spv_scalar_of(t)->bits / 8u;
    if (layout->row_major)
        return (rows - 1) * stride_B + (uint64_t)t->count * number_B;
    return (t->count - 1) * stride_B + (uint64_t)rows * number_B;
}

/* Bytes from the start of an object to its end. `layout`: of the member that is the object, or that contains it. */
static uint64_t size_B(struct spv *s, const struct spv_type *t, const struct spv_decor *layout)
{
    uint64_t end_B = 0;
    spv_spend(s, 1);
    switch ((enum spv_type_kind)t->kind) {
    case SPV_TYPE_INT:
    case SPV_TYPE_FLOAT:
        return t->bits / 8u;
    case SPV_TYPE_VECTOR:
        return t->count * size_B(s, t->elem, layout);
    case SPV_TYPE_MATRIX:
        return matrix_size_B(t, layout);
    case SPV_TYPE_ARRAY:
        if (!t->count)
            spv_invalid(s, "a run-time array in shared memory");
        return (t->count - 1) * (uint64_t)t->decor->array_stride_B + size_B(s, t->elem, layout);
    case SPV_TYPE_STRUCT:
        for (uint32_t i = 0; i < t->count; i++) {
            if (t->layouts[i]->offset_B == SPV_NO_NUMBER)
                spv_invalid(s, "a member of a block has no offset");
            end_B = MAX2(end_B, t->layouts[i]->offset_B + size_B(s, t->members[i], t->layouts[i]));
        }
        return end_B;
    default:
        spv_invalid(s, "a block with members that are not numbers");
    }
}

static void create_blocks(struct spv *s)
{
    uint64_t end_B = 0;
    for (uint32_t i = 0; i < s->var_count; i++) {
        struct spv_var *var = s->vars[i];
        if (!is_block(var) || !var->is_interface)
            continue;
        s->offset = s->m->defs[var->id];
        s->has_shared_blocks = true;
        var->shared_size_B = (uint32_t)MIN2((size_B(s, var->type, &spv_no_decor) + 3) & ~3ull, UINT32_MAX);
        end_B = MAX2(end_B, var->shared_size_B);
        spv_check_shared_size(s, end_B);
        var->shared_B = 0;
    }
    s->shader->shared_B = (uint32_t)end_B;
}

/* ---------------------------------------------------------------- plain variables */

/* Numbers of 8 and 16 bits have a word each, which is fastest, if the shared memory has space for that. */
uint32_t spv_shared_unit_B(const struct spv *s, const struct spv_var *var)
{
    const struct spv_type *number = spv_scalar_of(var->type);
    const bool packs =
        s->packs_shared && var->storage == SpvStorageClassWorkgroup; /* both stages of a payload are alike */
    return packs && spv_is_small(number) ? number->bits / 8u : 4;
}

static bool is_plain(const struct spv *s, const struct spv_var *var)
{
    const bool lists_all = s->m->words[1] >= 0x10400; /* older entry points list inputs and outputs only */
    return var->storage == SpvStorageClassWorkgroup && (!lists_all || var->is_interface) && !is_block(var);
}

/* A pointer that is a value may point to any variable, so then all of them need the same layout. */
static void choose_packing(struct spv *s)
{
    uint64_t size_B = 0;
    for (uint32_t i = 0; i < s->var_count; i++)
        size_B += is_plain(s, s->vars[i]) ? 4ull * s->vars[i]->type->scalars : 0;
    s->packs_shared = size_B > SPV_MAX_SHARED_B && !s->has_variable_pointers;
}

void spv_create_all_shared(struct spv *s)
{
    create_blocks(s);
    choose_packing(s);
    for (uint32_t i = 0; i < s->var_count; i++) {
        struct spv_var *var = s->vars[i];
        if (!is_plain(s, var))
            continue;
        s->offset = s->m->defs[var->id];
        if (s->has_shared_blocks)
            spv_invalid(s, "a variable in shared memory that is no block beside one that is");
        spv_create_shared(s, var);
    }
    s->offset = s->entry_point;
}

static struct ir_instr *block_offset(struct spv *s, const struct spv_pointer *p, uint32_t offset_B)
{
    struct ir_instr *fixed = ir_const(&s->b, p->offset_B + offset_B);
    return p->offset ? ir_build2(&s->b, IR_IADD, p->offset, fixed) : fixed;
}

struct ir_instr *spv_shared_block_place(struct spv *s, const struct spv_pointer *p)
{
    struct ir_instr *base = p->address ? p->address : ir_uniform(&s->b, VC4C_UNIFORM_ENGINE_SHARED, 0, 0);
    return ir_build2(&s->b, IR_IADD, base, block_offset(s, p, 0));
}

struct ir_instr *spv_shared_block_address(struct spv *s, const struct spv_pointer *p, uint32_t offset_B,
                                          uint32_t size_B)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *all = ir_uniform(b, VC4C_UNIFORM_ENGINE_SHARED, 0, 0), *at = block_offset(s, p, offset_B);
    const uint32_t end_B = p->address ? s->shader->shared_B : p->var->shared_size_B;
    if (p->address) /* in any block */
        at = ir_build2(b, IR_ISUB, ir_build2(b, IR_IADD, p->address, at), all);
    struct ir_instr *fits = ir_build2(b, IR_ULT, at, ir_const(b, end_B < size_B ? 0 : end_B - size_B + 1));
    return ir_build3(b, IR_SEL, fits, ir_build2(b, IR_IADD, all, at), ir_const(b, VC4C_ENGINE_NULL));
}

/* ---------------------------------------------------------------- zeroed variables */

#define MAX_UNROLLED 8u /* stores of one invocation; a loop makes more of them */

static void check_is_zero(struct spv *s, const struct spv_var *var)
{
    const struct spv_id *value = &s->ids[var->initializer];
    if (value->kind != SPV_CONSTANT || value->type->scalars != var->type->scalars)
        spv_invalid(s, "a variable in shared memory with an initializer that is not OpConstantNull");
    for (uint32_t i = 0; i < value->type->scalars; i++)
        if (value->words[i])
            spv_invalid(s, "a variable in shared memory with an initializer that is not OpConstantNull");
}

/* Stores zero to word `at` of the `count` words from offset_B on. */
static void zero_word(struct spv *s, uint32_t offset_B, uint32_t count, struct ir_instr *at, bool is_last)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *start =
        ir_build2(b, IR_IADD, ir_uniform(b, VC4C_UNIFORM_ENGINE_SHARED, 0, 0), ir_const(b, offset_B));
    struct ir_instr *address = ir_build2(b, IR_IADD, start, ir_build2(b, IR_SHL, at, ir_const(b, 2)));
    if (is_last)
        address =
            ir_build3(b, IR_SEL, ir_build2(b, IR_ULT, at, ir_const(b, count)), address, ir_const(b, VC4C_ENGINE_NULL));
    spv_store_word(s, address, ir_const(b, 0));
}

/* The invocations share the work: each stores every n-th word. */
static void zero_range(struct spv *s, uint32_t offset_B, uint32_t count, struct ir_instr *index)
{
    struct ir_builder *b = &s->b;
    const uint32_t *size = s->shader->local_size, n = size[0] * size[1] * size[2];
    const uint32_t steps = util_div_round_up(count, n);
    if (steps <= MAX_UNROLLED) {
        for (uint32_t i = 0; i < steps; i++)
            zero_word(s, offset_B, count, ir_build2(b, IR_IADD, index, ir_const(b, i * n)), i + 1 == steps);
        return;
    }
    uint32_t variable = spv_new_ir_variable(s, 1, 32);
    spv_store_var(s, variable, 0, index);
    struct ir_loop *loop = ir_push_loop(b);
    struct ir_instr *at = spv_load_var(s, variable, 0);
    struct ir_if *nif = ir_push_if(b, ir_build2(b, IR_UGE, at, ir_const(b, count)));
    ir_build0(b, IR_BREAK);
    ir_pop_if(b, nif);
    zero_word(s, offset_B, count, at, false);
    spv_store_var(s, variable, 0, ir_build2(b, IR_IADD, at, ir_const(b, n)));
    ir_pop_loop(b, loop);
}

void spv_zero_shared(struct spv *s)
{
    struct ir_instr *index = NULL;
    uint32_t zeroed_B = 0; /* blocks share their bytes, and the largest contains all others */
    for (uint32_t i = 0; i < s->var_count; i++) {
        const struct spv_var *var = s->vars[i];
        if (var->storage != SpvStorageClassWorkgroup || var->initializer == SPV_NO_NUMBER ||
            var->shared_B == SPV_NO_NUMBER)
            continue;
        check_is_zero(s, var);
        if (!index) {
            index = ir_build(&s->b, IR_LOAD_BUILTIN, 32, 0, NULL);
            index->imm = SpvBuiltInLocalInvocationIndex;
        }
        if (s->has_shared_blocks && var->shared_size_B <= zeroed_B)
            continue;
        zeroed_B = var->shared_size_B;
        const uint32_t plain_B = spv_shared_unit_B(s, var) * var->type->scalars;
        const uint32_t size_B = s->has_shared_blocks ? var->shared_size_B : plain_B;
        zero_range(s, var->shared_B, util_div_round_up(size_B, 4), index);
    }
    if (index)
        ir_build0(&s->b, IR_BARRIER);
}
