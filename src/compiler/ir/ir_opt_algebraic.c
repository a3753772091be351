/* SPDX-License-Identifier: MIT
 *
 * Local algebraic rules. Each rule looks at one operation and at the operations that define its sources. It returns an
 * equal value, or NULL if it does not match. A new rule must obey these laws:
 *   - it never adds an operation on balance;
 *   - it is exact, or within what Vulkan allows and not used under NoContraction;
 *   - it terminates (it is never the inverse of another rule);
 *   - its row in the table names the phases in which its result is legal: after the lowering no pass removes high-level
 *     operations any more.
 * tests/unit/compiler/rules.c has an example of every rule and applies it in both phases.
 */
#include <string.h>
#include "compiler/ir/ir_rules.h"

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

/* An operation whose second source is a constant. */
static bool is_op_of_constant(const struct ir_instr *x, enum ir_op op)
{
    return is_op(x, op) && ir_is_const(x->src[1].def);
}

static struct ir_instr *first_source(const struct ir_instr *x)
{
    return x->src[0].def;
}

/* ---------------------------------------------------------------- rules of many operations */

static struct ir_instr *x_of_zero(const struct ir_match *m)
{
    return is_word(m->y, 0) ? m->x : NULL;
}

static struct ir_instr *y_of_zero(const struct ir_match *m)
{
    return is_word(m->y, 0) ? m->y : NULL;
}

static struct ir_instr *x_of_float_zero(const struct ir_match *m)
{
    return is_zero_f(m->y) ? m->x : NULL;
}

static struct ir_instr *x_of_float_one(const struct ir_match *m)
{
    return is_f(m->y, 1) ? m->x : NULL;
}

static struct ir_instr *x_of_equal_sources(const struct ir_match *m)
{
    return m->x == m->y ? m->x : NULL;
}

/* op(op(x)) = x */
static struct ir_instr *undo_twice(const struct ir_match *m)
{
    return is_op(m->x, m->instr->op) ? first_source(m->x) : NULL;
}

/* op(op(x)) = op(x) */
static struct ir_instr *once_for_twice(const struct ir_match *m)
{
    return is_op(m->x, m->instr->op) ? m->x : NULL;
}

/* ---------------------------------------------------------------- floats */

static struct ir_instr *fadd_negative_y(const struct ir_match *m)
{
    return is_op(m->y, IR_FNEG) ? ir_build2(m->b, IR_FSUB, m->x, first_source(m->y)) : NULL;
}

static struct ir_instr *fadd_negative_x(const struct ir_match *m)
{
    return is_op(m->x, IR_FNEG) ? ir_build2(m->b, IR_FSUB, m->y, first_source(m->x)) : NULL;
}

static struct ir_instr *fsub_negative(const struct ir_match *m)
{
    return is_op(m->y, IR_FNEG) ? ir_build2(m->b, IR_FADD, m->x, first_source(m->y)) : NULL;
}

static struct ir_instr *fsub_zero_minus_difference(const struct ir_match *m)
{
    return is_word(m->x, 0) && is_op(m->y, IR_FSUB) && !m->instr->exact
               ? ir_build2(m->b, IR_FSUB, m->y->src[1].def, m->y->src[0].def) : NULL;
}

static struct ir_instr *fmul_zero(const struct ir_match *m)
{
    return is_zero_f(m->y) ? m->y : NULL;
}

static struct ir_instr *fmul_minus_one(const struct ir_match *m)
{
    return is_f(m->y, -1) ? ir_build1(m->b, IR_FNEG, m->x) : NULL;
}

static struct ir_instr *fmul_negatives(const struct ir_match *m)
{
    return is_op(m->x, IR_FNEG) && is_op(m->y, IR_FNEG)
               ? ir_build2(m->b, IR_FMUL, first_source(m->x), first_source(m->y)) : NULL;
}

static struct ir_instr *fmul_negative_by_constant(const struct ir_match *m)
{
    return is_op(m->x, IR_FNEG) && ir_is_const(m->y)
               ? ir_build2(m->b, IR_FMUL, first_source(m->x), ir_const(m->b, m->y->imm ^ 0x80000000)) : NULL;
}

static struct ir_instr *fmul_constants(const struct ir_match *m)
{
    return ir_is_const(m->y) && is_op_of_constant(m->x, IR_FMUL) && !m->instr->exact
               ? ir_build2(m->b, IR_FMUL, first_source(m->x), ir_build2(m->b, IR_FMUL, m->x->src[1].def, m->y)) : NULL;
}

static struct ir_instr *fdiv_one(const struct ir_match *m)
{
    return is_f(m->x, 1) ? ir_build1(m->b, IR_FRCP, m->y) : NULL;
}

/* Within 2.5 ULP. */
static struct ir_instr *fdiv_constant(const struct ir_match *m)
{
    return ir_is_const(m->y) && !is_zero_f(m->y)
               ? ir_build2(m->b, IR_FMUL, m->x, ir_const_f(m->b, 1 / util_uif(m->y->imm))) : NULL;
}

static struct ir_instr *fpow_two(const struct ir_match *m)
{
    return is_f(m->y, 2) ? ir_build2(m->b, IR_FMUL, m->x, m->x) : NULL;
}

static struct ir_instr *fpow_half(const struct ir_match *m)
{
    return is_f(m->y, 0.5f) ? ir_build1(m->b, IR_FSQRT, m->x) : NULL;
}

static struct ir_instr *fpow_minus_one(const struct ir_match *m)
{
    return is_f(m->y, -1) ? ir_build1(m->b, IR_FRCP, m->x) : NULL;
}

static struct ir_instr *fneg_difference(const struct ir_match *m)
{
    return is_op(m->x, IR_FSUB) && !m->instr->exact
               ? ir_build2(m->b, IR_FSUB, m->x->src[1].def, m->x->src[0].def) : NULL;
}

static struct ir_instr *fabs_negative(const struct ir_match *m)
{
    return is_op(m->x, IR_FNEG) ? ir_build1(m->b, IR_FABS, first_source(m->x)) : NULL;
}

static struct ir_instr *frcp_root(const struct ir_match *m)
{
    return is_op(m->x, IR_FSQRT) ? ir_build1(m->b, IR_FRSQ, first_source(m->x)) : NULL;
}

/* Unpacking the four bytes of a word and packing them in the same order gives the word. */
static struct ir_instr *pack_unpacked_bytes(const struct ir_match *m)
{
    for (uint32_t i = 0; i < 4; i++) {
        const struct ir_instr *byte = m->instr->src[i].def;
        if (byte->op != IR_UNPACK_F || byte->imm != 2 + i || first_source(byte) != m->x->src[0].def)
            return NULL;
    }
    return first_source(m->x);
}

/* Clamps that PACK_UNORM8 makes redundant, because it saturates itself. */
static bool is_clamp(const struct ir_instr *x)
{
    return is_op(x, IR_FSAT) || (is_op(x, IR_FMIN) && is_f(x->src[1].def, 1)) ||
           (is_op(x, IR_FMAX) && is_zero_f(x->src[1].def));
}

static struct ir_instr *pack_clamped(const struct ir_match *m)
{
    struct ir_instr *srcs[4];
    bool found = false;
    for (uint32_t i = 0; i < 4; i++) {
        srcs[i] = m->instr->src[i].def;
        if (is_clamp(srcs[i])) {
            srcs[i] = first_source(srcs[i]);
            found = true;
        }
    }
    return found ? ir_build(m->b, IR_PACK_UNORM8, 0, 4, srcs) : NULL;
}

/* ---------------------------------------------------------------- integers */

static struct ir_instr *iadd_constants(const struct ir_match *m)
{
    return ir_is_const(m->y) && is_op_of_constant(m->x, IR_IADD)
               ? ir_build2(m->b, IR_IADD, first_source(m->x), ir_const(m->b, m->x->src[1].def->imm + m->y->imm)) : NULL;
}

static struct ir_instr *isub_itself(const struct ir_match *m)
{
    return m->x == m->y ? ir_const(m->b, 0) : NULL;
}

static struct ir_instr *isub_constant(const struct ir_match *m)
{
    return ir_is_const(m->y) ? ir_build2(m->b, IR_IADD, m->x, ir_const(m->b, -m->y->imm)) : NULL;
}

static struct ir_instr *imul_one(const struct ir_match *m)
{
    return is_word(m->y, 1) ? m->x : NULL;
}

static struct ir_instr *shift_by_log2(const struct ir_match *m, enum ir_op shift)
{
    return ir_is_const(m->y) && util_is_pow2(m->y->imm)
               ? ir_build2(m->b, shift, m->x, ir_const(m->b, util_log2(m->y->imm))) : NULL;
}

static struct ir_instr *imul_power_of_two(const struct ir_match *m)
{
    return shift_by_log2(m, IR_SHL);
}

static struct ir_instr *udiv_power_of_two(const struct ir_match *m)
{
    return shift_by_log2(m, IR_SHR);
}

static struct ir_instr *umod_power_of_two(const struct ir_match *m)
{
    return ir_is_const(m->y) && util_is_pow2(m->y->imm)
               ? ir_build2(m->b, IR_AND, m->x, ir_const(m->b, m->y->imm - 1)) : NULL;
}

static struct ir_instr *and_all_bits(const struct ir_match *m)
{
    return is_word(m->y, UINT32_MAX) ? m->x : NULL;
}

static struct ir_instr *and_constants(const struct ir_match *m)
{
    return ir_is_const(m->y) && is_op_of_constant(m->x, IR_AND)
               ? ir_build2(m->b, IR_AND, first_source(m->x), ir_const(m->b, m->x->src[1].def->imm & m->y->imm)) : NULL;
}

static struct ir_instr *or_all_bits(const struct ir_match *m)
{
    return is_word(m->y, UINT32_MAX) ? m->y : NULL;
}

static struct ir_instr *shift_by_zero(const struct ir_match *m)
{
    return ir_is_const(m->y) && (m->y->imm & 31) == 0 ? m->x : NULL;
}

/* A boolean was converted to a number, which is then compared with 0. */
static struct ir_instr *compare_number_of_boolean(const struct ir_match *m)
{
    if (!is_op(m->x, IR_SEL) || !is_word(m->y, 0) || !is_word(m->x->src[2].def, 0) ||
        !ir_is_const(m->x->src[1].def) || !m->x->src[1].def->imm)
        return NULL;
    return m->instr->op == IR_INE ? first_source(m->x) : ir_build1(m->b, IR_BNOT, first_source(m->x));
}

static struct ir_instr *compare_with_itself(const struct ir_match *m)
{
    return m->x == m->y ? ir_const_bool(m->b, m->instr->op == IR_IEQ) : NULL;
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

static struct ir_instr *bnot_comparison(const struct ir_match *m)
{
    uint32_t inverse = inverse_of(m->x->op);
    return inverse == IR_OP_COUNT ? NULL : ir_build2(m->b, inverse, m->x->src[0].def, m->x->src[1].def);
}

static struct ir_instr *band_constant(const struct ir_match *m)
{
    return ir_is_const(m->y) ? (m->y->imm ? m->x : m->y) : NULL;
}

static struct ir_instr *bor_constant(const struct ir_match *m)
{
    return ir_is_const(m->y) ? (m->y->imm ? m->y : m->x) : NULL;
}

static struct ir_instr *bxor_true(const struct ir_match *m)
{
    return is_word(m->y, 1) ? ir_build1(m->b, IR_BNOT, m->x) : NULL;
}

static struct ir_instr *sel_constant_condition(const struct ir_match *m)
{
    return ir_is_const(m->x) ? (m->x->imm ? m->y : m->z) : NULL;
}

static struct ir_instr *sel_equal_sources(const struct ir_match *m)
{
    bool same_word = ir_is_const(m->y) && ir_is_const(m->z) && m->y->imm == m->z->imm;
    return m->y == m->z || same_word ? m->y : NULL;
}

static struct ir_instr *sel_negated_condition(const struct ir_match *m)
{
    return is_op(m->x, IR_BNOT) ? ir_build3(m->b, IR_SEL, first_source(m->x), m->z, m->y) : NULL;
}

static struct ir_instr *sel_of_booleans(const struct ir_match *m)
{
    struct ir_instr *c = m->x;
    if (m->instr->value.bits != 1)
        return NULL;
    if (is_word(m->y, 1))
        return is_word(m->z, 0) ? c : ir_build2(m->b, IR_BOR, c, m->z);
    if (is_word(m->z, 0))
        return ir_build2(m->b, IR_BAND, c, m->y);
    if (is_word(m->y, 0))
        return is_word(m->z, 1) ? ir_build1(m->b, IR_BNOT, c)
                                : ir_build2(m->b, IR_BAND, ir_build1(m->b, IR_BNOT, c), m->z);
    if (is_word(m->z, 1))
        return ir_build2(m->b, IR_BOR, ir_build1(m->b, IR_BNOT, c), m->y);
    return NULL;
}

/* An inner SEL has the same condition as the outer one, so its result is known. */
static struct ir_instr *sel_nested_in_y(const struct ir_match *m)
{
    return is_op(m->y, IR_SEL) && first_source(m->y) == m->x
               ? ir_build3(m->b, IR_SEL, m->x, m->y->src[1].def, m->z) : NULL;
}

static struct ir_instr *sel_nested_in_z(const struct ir_match *m)
{
    return is_op(m->z, IR_SEL) && first_source(m->z) == m->x
               ? ir_build3(m->b, IR_SEL, m->x, m->y, m->z->src[2].def) : NULL;
}

/* ---------------------------------------------------------------- the table */

#define HIGH IR_RULE_HIGH
#define ANY  IR_RULE_ANY

const struct ir_rule ir_rules[] = {
    {IR_FADD, ANY, "x + 0 = x", x_of_float_zero},
    {IR_FADD, HIGH, "x + (-y) = x - y", fadd_negative_y},
    {IR_FADD, HIGH, "(-x) + y = y - x", fadd_negative_x},
    {IR_FSUB, ANY, "x - 0 = x", x_of_float_zero},
    {IR_FSUB, HIGH, "x - (-y) = x + y", fsub_negative},
    {IR_FSUB, ANY, "0 - (x - y) = y - x", fsub_zero_minus_difference},
    {IR_FMUL, ANY, "x 1 = x", x_of_float_one},
    {IR_FMUL, ANY, "x 0 = 0", fmul_zero},
    {IR_FMUL, HIGH, "x (-1) = -x", fmul_minus_one},
    {IR_FMUL, HIGH, "(-x) (-y) = x y", fmul_negatives},
    {IR_FMUL, HIGH, "(-x) c = x (-c)", fmul_negative_by_constant},
    {IR_FMUL, ANY, "(x c) d = x (c d)", fmul_constants},
    {IR_FDIV, HIGH, "1 / x", fdiv_one},
    {IR_FDIV, HIGH, "x / c = x (1 / c)", fdiv_constant},
    {IR_FPOW, HIGH, "x^1 = x", x_of_float_one},
    {IR_FPOW, HIGH, "x^2 = x x", fpow_two},
    {IR_FPOW, HIGH, "x^0.5 = sqrt(x)", fpow_half},
    {IR_FPOW, HIGH, "x^-1 = 1 / x", fpow_minus_one},
    {IR_FNEG, HIGH, "-(-x) = x", undo_twice},
    {IR_FNEG, HIGH, "-(x - y) = y - x", fneg_difference},
    {IR_FABS, HIGH, "|-x| = |x|", fabs_negative},
    {IR_FABS, HIGH, "||x|| = |x|", once_for_twice},
    {IR_FSAT, HIGH, "saturated twice", once_for_twice},
    {IR_FRCP, HIGH, "1 / sqrt(x)", frcp_root},
    {IR_PACK_UNORM8, ANY, "the bytes of a word are the word", pack_unpacked_bytes},
    {IR_PACK_UNORM8, ANY, "packing saturates", pack_clamped},
    {IR_IADD, ANY, "x + 0 = x", x_of_zero},
    {IR_IADD, ANY, "(x + c) + d = x + (c + d)", iadd_constants},
    {IR_ISUB, ANY, "x - 0 = x", x_of_zero},
    {IR_ISUB, ANY, "x - x = 0", isub_itself},
    {IR_ISUB, ANY, "x - c = x + (-c)", isub_constant},
    {IR_IMUL, HIGH, "x 0 = 0", y_of_zero},
    {IR_IMUL, HIGH, "x 1 = x", imul_one},
    {IR_IMUL, HIGH, "x 2^n = x << n", imul_power_of_two},
    {IR_MUL24, ANY, "x 0 = 0", y_of_zero},
    {IR_UDIV, HIGH, "x / 2^n = x >> n", udiv_power_of_two},
    {IR_UMOD, HIGH, "x % 2^n = x & (2^n - 1)", umod_power_of_two},
    {IR_AND, ANY, "x & x = x", x_of_equal_sources},
    {IR_AND, ANY, "x & 0 = 0", y_of_zero},
    {IR_AND, ANY, "x & ~0 = x", and_all_bits},
    {IR_AND, ANY, "(x & c) & d = x & (c & d)", and_constants},
    {IR_OR, ANY, "x | x = x", x_of_equal_sources},
    {IR_OR, ANY, "x | 0 = x", x_of_zero},
    {IR_OR, ANY, "x | ~0 = ~0", or_all_bits},
    {IR_XOR, ANY, "x ^ 0 = x", x_of_zero},
    {IR_SHL, ANY, "x << 0 = x", shift_by_zero},
    {IR_SHR, ANY, "x >> 0 = x", shift_by_zero},
    {IR_ASR, ANY, "x >> 0 = x", shift_by_zero},
    {IR_ROR, ANY, "x rotated by 0 = x", shift_by_zero},
    {IR_IEQ, ANY, "(b ? n : 0) == 0 is not b", compare_number_of_boolean},
    {IR_IEQ, ANY, "x == x", compare_with_itself},
    {IR_INE, ANY, "(b ? n : 0) != 0 is b", compare_number_of_boolean},
    {IR_INE, ANY, "x != x", compare_with_itself},
    {IR_BNOT, ANY, "not not b = b", undo_twice},
    {IR_BNOT, ANY, "not of a comparison", bnot_comparison},
    {IR_BAND, ANY, "b and b = b", x_of_equal_sources},
    {IR_BAND, ANY, "b and a constant", band_constant},
    {IR_BOR, ANY, "b or b = b", x_of_equal_sources},
    {IR_BOR, ANY, "b or a constant", bor_constant},
    {IR_BXOR, ANY, "b xor false = b", x_of_zero},
    {IR_BXOR, ANY, "b xor true = not b", bxor_true},
    {IR_SEL, ANY, "a constant chooses", sel_constant_condition},
    {IR_SEL, ANY, "both the same", sel_equal_sources},
    {IR_SEL, ANY, "not b chooses", sel_negated_condition},
    {IR_SEL, ANY, "of booleans", sel_of_booleans},
    {IR_SEL, ANY, "b ? (b ? x : y) : z = b ? x : z", sel_nested_in_y},
    {IR_SEL, ANY, "b ? x : (b ? y : z) = b ? x : z", sel_nested_in_z},
};
const uint32_t ir_rule_count = ARRAY_SIZE(ir_rules);

/* ---------------------------------------------------------------- the pass */

static struct ir_match match_of(struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_match m = {.b = b, .instr = instr};
    m.x = instr->src_count > 0 ? instr->src[0].def : NULL;
    m.y = instr->src_count > 1 ? instr->src[1].def : NULL;
    m.z = instr->src_count > 2 ? instr->src[2].def : NULL;
    if ((ir_op_infos[instr->op].flags & IR_C) && m.x && ir_is_const(m.x)) {
        m.x = m.y;
        m.y = instr->src[0].def;
    }
    return m;
}

/* Rules of operation `op` begin at `first[op]`; `count` if there are none. */
struct index {
    const struct ir_rule *rules;
    uint32_t count;
    uint8_t first[IR_OP_COUNT];
};
_Static_assert(ARRAY_SIZE(ir_rules) <= UINT8_MAX, "struct index");

static struct index index_of(const struct ir_rule *rules, uint32_t count)
{
    struct index index = {.rules = rules, .count = count};
    memset(index.first, (int)count, sizeof index.first);
    for (uint32_t i = count; i--;)
        index.first[rules[i].op] = (uint8_t)i;
    return index;
}

static struct ir_instr *apply(const struct index *index, const struct ir_match *m, enum ir_rule_phase phase)
{
    struct ir_instr *by = NULL;
    for (uint32_t i = index->first[m->instr->op]; !by && i < index->count && index->rules[i].op == m->instr->op; i++)
        if (index->rules[i].phases & phase)
            by = index->rules[i].apply(m);
    return by;
}

bool ir_apply_rules(struct ir_shader *shader, const struct ir_rule *rules, uint32_t count)
{
    const struct index index = index_of(rules, count);
    const enum ir_rule_phase phase = shader->lowered ? IR_RULE_LOW : IR_RULE_HIGH;
    bool changed = false;
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            struct ir_builder b = ir_before(shader, instr);
            const struct ir_match m = match_of(&b, instr);
            struct ir_instr *by = apply(&index, &m, phase);
            if (!by || by == instr)
                continue;
            ir_replace_uses(instr, by);
            ir_remove(instr);
            changed = true;
        }
    }
    return changed;
}

bool ir_opt_algebraic(struct ir_shader *shader)
{
    return ir_apply_rules(shader, ir_rules, ir_rule_count);
}
