/* SPDX-License-Identifier: MIT
 *
 * GLSL.std.450: packing and unpacking of words, ldexp, and functions with two results (modf, frexp).
 */
#include "compiler/spirv/spv_special.h"

/* ---------------------------------------------------------------- packing */

/* The low `bits` bits of round(clamp(x, -1, 1) * scale), shifted left by `at`. */
static struct ir_instr *snorm_field(struct ir_builder *b, struct ir_instr *x, uint32_t bits, uint32_t at)
{
    float scale = (float)((1u << (bits - 1)) - 1);
    x = ir_build2(b, IR_FMIN, ir_build2(b, IR_FMAX, x, ir_const_f(b, -1)), ir_const_f(b, 1));
    x = ir_build1(b, IR_FTOI, ir_build1(b, IR_FROUND, ir_build2(b, IR_FMUL, x, ir_const_f(b, scale))));
    x = ir_build2(b, IR_AND, x, ir_const(b, (1u << bits) - 1));
    return at ? ir_build2(b, IR_SHL, x, ir_const(b, at)) : x;
}

static struct ir_instr *unorm16_field(struct ir_builder *b, struct ir_instr *x, uint32_t at)
{
    x = ir_build2(b, IR_FMUL, ir_build1(b, IR_FSAT, x), ir_const_f(b, 65535));
    x = ir_build1(b, IR_FTOI, ir_build2(b, IR_FADD, x, ir_const_f(b, 0.5f)));
    return at ? ir_build2(b, IR_SHL, x, ir_const(b, at)) : x;
}

static struct ir_instr *pack(struct ir_builder *b, uint32_t op, struct ir_instr *const *x)
{
    struct ir_instr *word = NULL;
    uint32_t fields = op == GLSLstd450PackSnorm4x8 ? 4 : 2;
    switch (op) {
    case GLSLstd450PackUnorm4x8:
        return ir_build(b, IR_PACK_UNORM8, 0, 4, x);
    case GLSLstd450PackHalf2x16:
        return ir_build2(b, IR_PACK_HALF, x[0], x[1]);
    default:
        break;
    }
    for (uint32_t i = 0; i < fields; i++) {
        struct ir_instr *field = op == GLSLstd450PackUnorm2x16 ? unorm16_field(b, x[i], 16 * i)
                                                               : snorm_field(b, x[i], 32 / fields, i * 32 / fields);
        word = word ? ir_build2(b, IR_OR, word, field) : field;
    }
    return word;
}

/* ---------------------------------------------------------------- unpacking */

static struct ir_instr *unpack_part(struct ir_builder *b, enum ir_op op, struct ir_instr *word, uint32_t part)
{
    struct ir_instr *out = ir_build1(b, op, word);
    out->imm = part;
    return out;
}

static struct ir_instr *unpack_snorm(struct ir_builder *b, struct ir_instr *field, float scale)
{
    struct ir_instr *f = ir_build2(b, IR_FMUL, ir_build1(b, IR_ITOF, field), ir_const_f(b, 1 / scale));
    return ir_build2(b, IR_FMAX, f, ir_const_f(b, -1));
}

static struct ir_instr *unpack(struct ir_builder *b, uint32_t op, struct ir_instr *word, uint32_t i)
{
    struct ir_instr *field;
    switch (op) {
    case GLSLstd450UnpackHalf2x16:
        return unpack_part(b, IR_UNPACK_F, word, i);
    case GLSLstd450UnpackUnorm4x8:
        return unpack_part(b, IR_UNPACK_F, word, 2 + i);
    case GLSLstd450UnpackSnorm2x16:
        return unpack_snorm(b, unpack_part(b, IR_UNPACK_I, word, i), 32767);
    case GLSLstd450UnpackUnorm2x16:
        field = i ? ir_build2(b, IR_SHR, word, ir_const(b, 16)) : ir_build2(b, IR_AND, word, ir_const(b, 0xffff));
        return ir_build2(b, IR_FMUL, ir_build1(b, IR_ITOF, field), ir_const_f(b, 1 / 65535.0f));
    default: /* UnpackSnorm4x8 */
        field = ir_build2(b, IR_ASR, ir_build2(b, IR_SHL, word, ir_const(b, 24 - 8 * i)), ir_const(b, 24));
        return unpack_snorm(b, field, 127);
    }
}

static void translate_pack(struct spv *s, const struct spv_instr *in, uint32_t count)
{
    if (in->count != 6 || spv_type_of(s, in->words[5])->scalars != count)
        spv_invalid(s, "%s takes a vector of %u", spv_glsl_name(in->words[4]), count);
    spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]),
                      pack(&s->b, in->words[4], spv_value(s, in->words[5])));
}

static void translate_unpack(struct spv *s, const struct spv_instr *in, uint32_t count)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    if (in->count != 6 || type->scalars != count)
        spv_invalid(s, "%s gives a vector of %u", spv_glsl_name(in->words[4]), count);
    struct ir_instr *word = spv_scalar(s, in->words[5]), **out = spv_new_scalars(s, count);
    for (uint32_t i = 0; i < count; i++)
        out[i] = unpack(&s->b, in->words[4], word, i);
    spv_define(s, in->words[2], type, out);
}

bool spv_translate_glsl_pack(struct spv *s, const struct spv_instr *in)
{
    switch (in->words[4]) {
    case GLSLstd450PackSnorm4x8:
    case GLSLstd450PackUnorm4x8:
        translate_pack(s, in, 4);
        return true;
    case GLSLstd450PackSnorm2x16:
    case GLSLstd450PackUnorm2x16:
    case GLSLstd450PackHalf2x16:
        translate_pack(s, in, 2);
        return true;
    case GLSLstd450UnpackSnorm4x8:
    case GLSLstd450UnpackUnorm4x8:
        translate_unpack(s, in, 4);
        return true;
    case GLSLstd450UnpackSnorm2x16:
    case GLSLstd450UnpackUnorm2x16:
    case GLSLstd450UnpackHalf2x16:
        translate_unpack(s, in, 2);
        return true;
    default:
        return false;
    }
}

/* ---------------------------------------------------------------- two results */

/* Mantissa in [0.5, 1) with the sign of x, and the exponent; both 0 for 0, whose sign is kept where a mode asks for it.
 */
static void split(struct ir_builder *b, struct ir_instr *x, struct ir_instr **mantissa, struct ir_instr **exponent)
{
    struct ir_instr *biased = ir_build2(b, IR_AND, ir_build2(b, IR_SHR, x, ir_const(b, 23)), ir_const(b, 0xff));
    struct ir_instr *is_zero = ir_build2(b, IR_IEQ, biased, ir_const(b, 0));
    struct ir_instr *bits = ir_build2(b, IR_AND, x, ir_const(b, 0x807fffff));
    struct ir_instr *m = ir_build2(b, IR_OR, bits, ir_const(b, 0x3f000000));
    struct ir_instr *zero = b->float_op ? ir_build2(b, IR_AND, x, ir_const(b, 0x80000000)) : ir_const(b, 0);
    *mantissa = ir_build3(b, IR_SEL, is_zero, zero, m);
    *exponent = ir_build3(b, IR_SEL, is_zero, ir_const(b, 0), ir_build2(b, IR_ISUB, biased, ir_const(b, 126)));
}

/* 2 to the power of an integer in [-126, 127]. */
static struct ir_instr *power_of_two(struct ir_builder *b, struct ir_instr *e)
{
    return ir_build2(b, IR_SHL, ir_build2(b, IR_IADD, e, ir_const(b, 127)), ir_const(b, 23));
}

/* Multiplies in two steps, because 2^e alone may be out of range of a float. */
static struct ir_instr *ldexp_of(struct ir_builder *b, struct ir_instr *x, struct ir_instr *e)
{
    e = ir_build2(b, IR_IMIN, ir_build2(b, IR_IMAX, e, ir_const(b, (uint32_t)-252)), ir_const(b, 254));
    struct ir_instr *half = ir_build2(b, IR_ASR, e, ir_const(b, 1));
    x = ir_build2(b, IR_FMUL, x, power_of_two(b, half));
    return ir_build2(b, IR_FMUL, x, power_of_two(b, ir_build2(b, IR_ISUB, e, half)));
}

static void translate_ldexp(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    if (in->count != 7 || spv_type_of(s, in->words[5])->scalars != type->scalars ||
        spv_type_of(s, in->words[6])->scalars != type->scalars)
        spv_invalid(s, "operand and result have different sizes");
    struct ir_instr **x = spv_value(s, in->words[5]), **e = spv_value(s, in->words[6]);
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++)
        out[i] = ldexp_of(&s->b, x[i], e[i]);
    spv_define(s, in->words[2], type, out);
}

/* The second result is stored through a pointer, or both results form a struct. */
static void two_results(struct spv *s, const struct spv_instr *in, bool is_frexp, bool is_struct)
{
    const struct spv_type *type = spv_type(s, in->words[1]), *x_type = spv_type_of(s, in->words[5]);
    uint32_t n = x_type->scalars;
    if (in->count != (is_struct ? 6 : 7) || type->scalars != (is_struct ? 2 * n : n))
        spv_invalid(s, "operand and result have different sizes");
    struct ir_instr **x = spv_value(s, in->words[5]);
    struct ir_instr **out = spv_new_scalars(s, 2 * n), **second = out + n;
    for (uint32_t i = 0; i < n; i++) {
        if (is_frexp) {
            split(&s->b, x[i], &out[i], &second[i]);
        } else {
            second[i] = ir_build1(&s->b, IR_FTRUNC, x[i]);
            out[i] = spv_fraction(&s->b, x[i], second[i]);
        }
    }
    if (!is_struct) {
        const struct spv_pointer *p = spv_pointer(s, in->words[6]);
        if (p->type->scalars != n)
            spv_invalid(s, "the pointer points to %u scalars instead of %u", p->type->scalars, n);
        spv_store(s, p, second);
    }
    spv_define(s, in->words[2], type, out);
}

bool spv_translate_glsl_parts(struct spv *s, const struct spv_instr *in)
{
    uint32_t op = in->words[4];
    switch (op) {
    case GLSLstd450Ldexp:
        translate_ldexp(s, in);
        return true;
    case GLSLstd450Modf:
    case GLSLstd450ModfStruct:
    case GLSLstd450Frexp:
    case GLSLstd450FrexpStruct:
        if (in->count < 6)
            spv_invalid(s, "%s has too few operands", spv_glsl_name(op));
        two_results(s, in, op == GLSLstd450Frexp || op == GLSLstd450FrexpStruct,
                    op == GLSLstd450ModfStruct || op == GLSLstd450FrexpStruct);
        return true;
    default:
        return false;
    }
}
