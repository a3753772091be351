/* SPDX-License-Identifier: MIT
 *
 * Atomics on buffers, shared memory and texels, and barriers. Loads and stores of a word are atomic by themselves;
 * every other atomic is one read-modify-write operation.
 */
#include "compiler/spirv/spv_engine.h"

#define INFINITE 0x7f800000u

static struct ir_instr *address_of(struct spv *s, uint32_t id)
{
    const struct spv_pointer *p = spv_pointer(s, id);
    if (!spv_is_addressed(s, p) || p->type->scalars != 1 || spv_scalar_bits(p->type) != 32)
        spv_unsupported(s, "an atomic on storage class %u, or not on a 32-bit scalar", p->storage);
    return spv_address(s, p, 0);
}

static struct ir_instr *atomic(struct spv *s, enum vc4c_site_kind kind, struct ir_instr *address, struct ir_instr *data,
                               struct ir_instr *compare)
{
    struct ir_instr *i = ir_build3(&s->b, IR_ENGINE_ATOMIC, address, data, compare ? compare : data);
    i->imm = kind;
    return i;
}

static const struct {
    uint16_t op;
    uint8_t kind;
} simple[] = {
    {SpvOpAtomicExchange, VC4C_SITE_ATOMIC_EXCHANGE}, {SpvOpAtomicIAdd, VC4C_SITE_ATOMIC_ADD},
    {SpvOpAtomicISub, VC4C_SITE_ATOMIC_SUB},          {SpvOpAtomicSMin, VC4C_SITE_ATOMIC_IMIN},
    {SpvOpAtomicSMax, VC4C_SITE_ATOMIC_IMAX},         {SpvOpAtomicUMin, VC4C_SITE_ATOMIC_UMIN},
    {SpvOpAtomicUMax, VC4C_SITE_ATOMIC_UMAX},         {SpvOpAtomicAnd, VC4C_SITE_ATOMIC_AND},
    {SpvOpAtomicOr, VC4C_SITE_ATOMIC_OR},             {SpvOpAtomicXor, VC4C_SITE_ATOMIC_XOR},
};

static bool translate_simple(struct spv *s, const struct spv_instr *in)
{
    for (uint32_t k = 0; k < ARRAY_SIZE(simple); k++) {
        if (simple[k].op != in->op)
            continue;
        struct ir_instr *data = spv_scalar(s, in->words[6]);
        spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]),
                          atomic(s, (enum vc4c_site_kind)simple[k].kind, address_of(s, in->words[3]), data, NULL));
        return true;
    }
    return false;
}

static struct ir_instr *is_nan(struct ir_builder *b, struct ir_instr *x)
{
    return ir_build2(b, IR_ULT, ir_const(b, INFINITE), ir_build2(b, IR_AND, x, ir_const(b, 0x7fffffff)));
}

/* The sum of anything and NaN is NaN. */
static struct ir_instr *add_float(struct spv *s, struct ir_instr *address, struct ir_instr *data)
{
    struct ir_builder *b = &s->b;
    const uint32_t old = spv_new_ir_variable(s, 1, 32);
    struct ir_if *nif = ir_push_if(b, is_nan(b, data));
    spv_store_var(s, old, 0, atomic(s, VC4C_SITE_ATOMIC_EXCHANGE, address, data, NULL));
    ir_push_else(b, nif);
    spv_store_var(s, old, 0, atomic(s, VC4C_SITE_ATOMIC_FADD, address, data, ir_const(b, INFINITE)));
    ir_pop_if(b, nif);
    return spv_load_var(s, old, 0);
}

/* The chip orders positive NaN above infinity and negative NaN below minus infinity. So NaN as data gets the sign with
 * which it loses against any number in memory. */
static struct ir_instr *limit_float(struct spv *s, enum vc4c_site_kind kind, struct ir_instr *address,
                                    struct ir_instr *data)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *nan = ir_const(b, kind == VC4C_SITE_ATOMIC_FMAX ? 0xffffffff : 0x7fffffff);
    return atomic(s, kind, address, ir_build3(b, IR_SEL, is_nan(b, data), nan, data), ir_const(b, INFINITE));
}

static bool translate_float(struct spv *s, const struct spv_instr *in)
{
    if (in->op != SpvOpAtomicFAddEXT && in->op != SpvOpAtomicFMinEXT && in->op != SpvOpAtomicFMaxEXT)
        return false;
    const struct spv_type *type = spv_type_of(s, in->words[6]);
    if (type->kind != SPV_TYPE_FLOAT || type->bits != 32)
        spv_unsupported(s, "an atomic float operation not on 32 bits");
    struct ir_instr *address = address_of(s, in->words[3]), *data = spv_scalar(s, in->words[6]), *old;
    if (in->op == SpvOpAtomicFAddEXT)
        old = add_float(s, address, data);
    else
        old = limit_float(s, in->op == SpvOpAtomicFMinEXT ? VC4C_SITE_ATOMIC_FMIN : VC4C_SITE_ATOMIC_FMAX, address, data);
    spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]), old);
    return true;
}

static void control_barrier(struct spv *s, const struct spv_instr *in)
{
    if (spv_const_word(s, in->words[1]) == SpvScopeSubgroup) /* lanes of a subgroup run in lockstep */
        return;
    if (s->shader->kind != VC4C_PROGRAM_COMPUTE)
        spv_invalid(s, "a barrier of a workgroup in a stage other than compute");
    ir_build0(&s->b, IR_BARRIER);
}

bool spv_translate_atomic(struct spv *s, const struct spv_instr *in)
{
    struct ir_builder *b = &s->b;
    if (spv_translate_atomic64(s, in))
        return true;
    switch (in->op) {
    case SpvOpControlBarrier:
        control_barrier(s, in);
        return true;
    case SpvOpMemoryBarrier: /* stores complete in order, and loads are never moved up */
        return true;
    case SpvOpAtomicLoad:
        spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]),
                          spv_load_word(s, address_of(s, in->words[3]), true));
        return true;
    case SpvOpAtomicStore:
        spv_store_word(s, address_of(s, in->words[1]), spv_scalar(s, in->words[4]));
        return true;
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIDecrement: {
        enum vc4c_site_kind kind = in->op == SpvOpAtomicIIncrement ? VC4C_SITE_ATOMIC_ADD : VC4C_SITE_ATOMIC_SUB;
        spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]),
                          atomic(s, kind, address_of(s, in->words[3]), ir_const(b, 1), NULL));
        return true;
    }
    case SpvOpAtomicCompareExchange:
        spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]),
                          atomic(s, VC4C_SITE_ATOMIC_COMPARE, address_of(s, in->words[3]), spv_scalar(s, in->words[7]),
                                 spv_scalar(s, in->words[8])));
        return true;
    default:
        return translate_simple(s, in) || translate_float(s, in);
    }
}
