/* SPDX-License-Identifier: MIT
 *
 * Local rules. Each looks at one operation and the operations that define its sources, and answers with a value that is
 * the same, or NULL. Laws for a new rule: it never adds an operation on balance; it is exact, or within what Vulkan
 * allows and not used under NoContraction; and it terminates (never the inverse of another rule).
 */
#include "compiler/ir/ir_pass.h"

struct rule {
    struct ir_builder *b;
    const struct ir_instr *instr;
    struct ir_instr *x, *y, *z; /* sources, NULL when there are fewer */
};

static bool is_word(const struct ir_instr *x, uint32_t word)
{
    return x && x->op == IR_CONST && x->imm == word;
}

static bool is_f(const struct ir_instr *x, float f)
{
    return is_word(x, util_fui(f));
}

static bool is_zero_f(const struct ir_instr *x)
{
    return is_word(x, 0) || is_word(x, 0x80000000);
}

static bool is_op(const struct ir_instr *x, enum ir_op op)
{
    return x && x->op == op;
}

/* Sources of commutative operations with a constant first change places, so that rules look at y only. */
static void constant_last(struct rule *r)
{
    if ((ir_op_infos[r->instr->op].flags & IR_C) && r->x && ir_is_const(r->x)) {
        struct ir_instr *t = r->x;
        r->x = r->y;
        r->y = t;
    }
}

/* ---------------------------------------------------------------- floats */

static struct ir_instr *fadd(struct rule *r)
{
    if (is_zero_f(r->y))
        return r->x;
    if (is_op(r->y, IR_FNEG))
        return ir_build2(r->b, IR_FSUB, r->x, r->y->src[0].def);
    if (is_op(r->x, IR_FNEG))
        return ir_build2(r->b, IR_FSUB, r->y, r->x->src[0].def);
    return NULL;
}

static struct ir_instr *fsub(struct rule *r)
{
    if (is_zero_f(r->y))
        return r->x;
    if (is_op(r->y, IR_FNEG))
        return ir_build2(r->b, IR_FADD, r->x, r->y->src[0].def);
    if (is_word(r->x, 0) && is_op(r->y, IR_FSUB) && !r->instr->exact)
        return ir_build2(r->b, IR_FSUB, r->y->src[1].def, r->y->src[0].def);
    return NULL;
}

static struct ir_instr *fmul(struct rule *r)
{
    if (is_f(r->y, 1))
        return r->x;
    if (is_zero_f(r->y))
        return r->y;
    if (is_f(r->y, -1))
        return ir_build1(r->b, IR_FNEG, r->x);
    if (is_op(r->x, IR_FNEG) && is_op(r->y, IR_FNEG))
        return ir_build2(r->b, IR_FMUL, r->x->src[0].def, r->y->src[0].def);
    if (is_op(r->x, IR_FNEG) && ir_is_const(r->y))
        return ir_build2(r->b, IR_FMUL, r->x->src[0].def, ir_const(r->b, r->y->imm ^ 0x80000000));
    /* constants meet: (x c) d = x (c d) */
    if (ir_is_const(r->y) && is_op(r->x, IR_FMUL) && ir_is_const(r->x->src[1].def) && !r->instr->exact)
        return ir_build2(r->b, IR_FMUL, r->x->src[0].def, ir_build2(r->b, IR_FMUL, r->x->src[1].def, r->y));
    return NULL;
}

static struct ir_instr *fdiv(struct rule *r)
{
    if (is_f(r->x, 1))
        return ir_build1(r->b, IR_FRCP, r->y);
    if (ir_is_const(r->y) && !is_zero_f(r->y)) /* within 2.5 ULP */
        return ir_build2(r->b, IR_FMUL, r->x, ir_const_f(r->b, 1 / util_uif(r->y->imm)));
    return NULL;
}

/* 1/sqrt(x), x^2 * ... : powers with small constant exponents. */
static struct ir_instr *fpow(struct rule *r)
{
    if (is_f(r->y, 1))
        return r->x;
    if (is_f(r->y, 2))
        return ir_build2(r->b, IR_FMUL, r->x, r->x);
    if (is_f(r->y, 0.5f))
        return ir_build1(r->b, IR_FSQRT, r->x);
    return NULL;
}

static struct ir_instr *float_unary(struct rule *r)
{
    switch (r->instr->op) {
    case IR_FNEG:
        if (is_op(r->x, IR_FNEG))
            return r->x->src[0].def;
        return is_op(r->x, IR_FSUB) && !r->instr->exact
                   ? ir_build2(r->b, IR_FSUB, r->x->src[1].def, r->x->src[0].def) : NULL;
    case IR_FABS:
        if (is_op(r->x, IR_FNEG) || is_op(r->x, IR_FABS))
            return ir_build1(r->b, IR_FABS, r->x->src[0].def);
        return NULL;
    case IR_FSAT:
        return is_op(r->x, IR_FSAT) ? r->x : NULL;
    case IR_FRCP:
        return is_op(r->x, IR_FSQRT) ? ir_build1(r->b, IR_FRSQ, r->x->src[0].def) : NULL;
    default:
        return NULL;
    }
}

/* The conversion to bytes saturates by itself. Four bytes that are put back where they came from are their word. */
static struct ir_instr *pack_unorm8(struct rule *r)
{
    uint32_t in_place = 0;
    for (uint32_t i = 0; i < 4 && is_op(r->x, IR_UNPACK_F); i++) {
        const struct ir_instr *byte = r->instr->src[i].def;
        in_place += byte->op == IR_UNPACK_F && byte->imm == 2 + i && byte->src[0].def == r->x->src[0].def;
    }
    if (in_place == 4)
        return r->x->src[0].def;
    struct ir_instr *srcs[4];
    bool found = false;
    for (uint32_t i = 0; i < 4; i++) {
        srcs[i] = r->instr->src[i].def;
        if (is_op(srcs[i], IR_FSAT) || (is_op(srcs[i], IR_FMIN) && is_f(srcs[i]->src[1].def, 1)) ||
            (is_op(srcs[i], IR_FMAX) && is_zero_f(srcs[i]->src[1].def))) {
            srcs[i] = srcs[i]->src[0].def;
            found = true;
        }
    }
    return found ? ir_build(r->b, IR_PACK_UNORM8, 0, 4, srcs) : NULL;
}

/* ---------------------------------------------------------------- integers */

static struct ir_instr *iadd(struct rule *r)
{
    if (is_word(r->y, 0))
        return r->x;
    if (ir_is_const(r->y) && is_op(r->x, IR_IADD) && ir_is_const(r->x->src[1].def))
        return ir_build2(r->b, IR_IADD, r->x->src[0].def, ir_const(r->b, r->x->src[1].def->imm + r->y->imm));
    return NULL;
}

static struct ir_instr *isub(struct rule *r)
{
    if (is_word(r->y, 0))
        return r->x;
    if (r->x == r->y)
        return ir_const(r->b, 0);
    return ir_is_const(r->y) ? ir_build2(r->b, IR_IADD, r->x, ir_const(r->b, -r->y->imm)) : NULL;
}

static struct ir_instr *times_constant(struct rule *r)
{
    if (!ir_is_const(r->y))
        return NULL;
    if (r->y->imm == 0)
        return r->y;
    if (r->y->imm == 1 && r->instr->op == IR_IMUL)
        return r->x;
    if (util_is_pow2(r->y->imm) && r->instr->op == IR_IMUL)
        return ir_build2(r->b, IR_SHL, r->x, ir_const(r->b, util_log2(r->y->imm)));
    return NULL;
}

static struct ir_instr *unsigned_division(struct rule *r)
{
    if (!ir_is_const(r->y) || !util_is_pow2(r->y->imm))
        return NULL;
    if (r->instr->op == IR_UMOD)
        return ir_build2(r->b, IR_AND, r->x, ir_const(r->b, r->y->imm - 1));
    return ir_build2(r->b, IR_SHR, r->x, ir_const(r->b, util_log2(r->y->imm)));
}

static struct ir_instr *bitwise(struct rule *r)
{
    bool is_and = r->instr->op == IR_AND;
    if (r->instr->op != IR_XOR && r->x == r->y)
        return r->x;
    if (is_word(r->y, 0))
        return is_and ? r->y : r->x;
    if (is_word(r->y, UINT32_MAX) && r->instr->op != IR_XOR)
        return is_and ? r->x : r->y;
    if (is_and && ir_is_const(r->y) && is_op(r->x, IR_AND) && ir_is_const(r->x->src[1].def))
        return ir_build2(r->b, IR_AND, r->x->src[0].def, ir_const(r->b, r->x->src[1].def->imm & r->y->imm));
    return NULL;
}

static struct ir_instr *shift(struct rule *r)
{
    return ir_is_const(r->y) && (r->y->imm & 31) == 0 ? r->x : NULL;
}

/* A boolean that was made a number and is tested again. */
static struct ir_instr *integer_compare(struct rule *r)
{
    bool is_ne = r->instr->op == IR_INE;
    if (is_op(r->x, IR_SEL) && is_word(r->y, 0) && is_word(r->x->src[2].def, 0) && ir_is_const(r->x->src[1].def) &&
        r->x->src[1].def->imm)
        return is_ne ? r->x->src[0].def : ir_build1(r->b, IR_BNOT, r->x->src[0].def);
    return r->x == r->y ? ir_const_bool(r->b, !is_ne) : NULL;
}

/* ---------------------------------------------------------------- booleans and choices */

static uint32_t inverse_of(uint32_t op)
{
    switch (op) {
    case IR_FEQ:
        return IR_FNE;
    case IR_FNE:
        return IR_FEQ;
    case IR_FLT:
        return IR_FGE;
    case IR_FGE:
        return IR_FLT;
    case IR_IEQ:
        return IR_INE;
    case IR_INE:
        return IR_IEQ;
    case IR_ILT:
        return IR_IGE;
    case IR_IGE:
        return IR_ILT;
    case IR_ULT:
        return IR_UGE;
    case IR_UGE:
        return IR_ULT;
    default:
        return IR_OP_COUNT;
    }
}

static struct ir_instr *bnot(struct rule *r)
{
    if (is_op(r->x, IR_BNOT))
        return r->x->src[0].def;
    uint32_t inverse = inverse_of(r->x->op);
    return inverse == IR_OP_COUNT ? NULL : ir_build2(r->b, inverse, r->x->src[0].def, r->x->src[1].def);
}

static struct ir_instr *boolean(struct rule *r)
{
    bool is_and = r->instr->op == IR_BAND;
    if (r->instr->op == IR_BXOR) {
        if (is_word(r->y, 0))
            return r->x;
        return is_word(r->y, 1) ? ir_build1(r->b, IR_BNOT, r->x) : NULL;
    }
    if (r->x == r->y)
        return r->x;
    if (ir_is_const(r->y))
        return (r->y->imm != 0) == is_and ? r->x : r->y;
    return NULL;
}

static struct ir_instr *sel_of_booleans(struct rule *r)
{
    struct ir_instr *c = r->x;
    if (is_word(r->y, 1))
        return is_word(r->z, 0) ? c : ir_build2(r->b, IR_BOR, c, r->z);
    if (is_word(r->z, 0))
        return ir_build2(r->b, IR_BAND, c, r->y);
    if (is_word(r->y, 0))
        return is_word(r->z, 1) ? ir_build1(r->b, IR_BNOT, c)
                                : ir_build2(r->b, IR_BAND, ir_build1(r->b, IR_BNOT, c), r->z);
    if (is_word(r->z, 1))
        return ir_build2(r->b, IR_BOR, ir_build1(r->b, IR_BNOT, c), r->y);
    return NULL;
}

static struct ir_instr *sel(struct rule *r)
{
    if (ir_is_const(r->x))
        return r->x->imm ? r->y : r->z;
    if (r->y == r->z || (ir_is_const(r->y) && ir_is_const(r->z) && r->y->imm == r->z->imm))
        return r->y;
    if (is_op(r->x, IR_BNOT))
        return ir_build3(r->b, IR_SEL, r->x->src[0].def, r->z, r->y);
    if (r->instr->value.bits == 1)
        return sel_of_booleans(r);
    /* a choice within the same choice is made already */
    if (is_op(r->y, IR_SEL) && r->y->src[0].def == r->x)
        return ir_build3(r->b, IR_SEL, r->x, r->y->src[1].def, r->z);
    if (is_op(r->z, IR_SEL) && r->z->src[0].def == r->x)
        return ir_build3(r->b, IR_SEL, r->x, r->y, r->z->src[2].def);
    return NULL;
}

/* ---------------------------------------------------------------- the pass */

static struct ir_instr *apply(struct rule *r)
{
    switch ((enum ir_op)r->instr->op) {
    case IR_FADD:
        return fadd(r);
    case IR_FSUB:
        return fsub(r);
    case IR_FMUL:
        return fmul(r);
    case IR_FDIV:
        return fdiv(r);
    case IR_FPOW:
        return fpow(r);
    case IR_FNEG:
    case IR_FABS:
    case IR_FSAT:
    case IR_FRCP:
        return float_unary(r);
    case IR_PACK_UNORM8:
        return pack_unorm8(r);
    case IR_IADD:
        return iadd(r);
    case IR_ISUB:
        return isub(r);
    case IR_IMUL:
    case IR_MUL24:
        return times_constant(r);
    case IR_UDIV:
    case IR_UMOD:
        return unsigned_division(r);
    case IR_AND:
    case IR_OR:
    case IR_XOR:
        return bitwise(r);
    case IR_SHL:
    case IR_SHR:
    case IR_ASR:
    case IR_ROR:
        return shift(r);
    case IR_IEQ:
    case IR_INE:
        return integer_compare(r);
    case IR_BNOT:
        return bnot(r);
    case IR_BAND:
    case IR_BOR:
    case IR_BXOR:
        return boolean(r);
    case IR_SEL:
        return sel(r);
    default:
        return NULL;
    }
}

bool ir_opt_algebraic(struct ir_shader *shader)
{
    bool changed = false;
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            struct ir_builder b = ir_before(shader, instr);
            struct rule r = {.b = &b, .instr = instr};
            r.x = instr->src_count > 0 ? instr->src[0].def : NULL;
            r.y = instr->src_count > 1 ? instr->src[1].def : NULL;
            r.z = instr->src_count > 2 ? instr->src[2].def : NULL;
            constant_last(&r);
            struct ir_instr *by = apply(&r);
            if (!by || by == instr)
                continue;
            ir_replace_uses(instr, by);
            ir_remove(instr);
            changed = true;
        }
    }
    return changed;
}
