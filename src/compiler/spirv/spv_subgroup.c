/* SPDX-License-Identifier: MIT
 *
 * Subgroup operations. A subgroup is the 16 lanes of a QPU. Everything is built from two operations: which lanes are
 * active, and the rotation of a value across the lanes. Inactive lanes contribute the identity of the operation. The
 * chip can do both, so fragment programs with subgroup operations run on it.
 */
#include "compiler/spirv/spv_engine.h"
#include "compiler/spirv/spv_subgroup.h"
#include "hw/qpu.h"

static struct ir_instr *op2(struct spv *s, enum ir_op op, struct ir_instr *x, struct ir_instr *y)
{
    return ir_build2(&s->b, op, x, y);
}

static struct ir_instr *word(struct spv *s, uint32_t w)
{
    return ir_const(&s->b, w);
}

static struct ir_instr *lane(struct spv *s)
{
    return ir_build0(&s->b, IR_ELEMENT);
}

/* Lane l gets the value of lane l + n, modulo 16. */
static struct ir_instr *rotate(struct spv *s, struct ir_instr *x, uint32_t n)
{
    n %= QPU_LANES;
    if (!n)
        return x;
    struct ir_instr *r = ir_build1(&s->b, IR_ROTATE, x);
    r->imm = n;
    return r;
}

static struct ir_instr *pick(struct spv *s, struct ir_instr *cond, struct ir_instr *x, struct ir_instr *y)
{
    return ir_build3(&s->b, IR_SEL, cond, x, y);
}

static struct ir_instr *nonzero(struct spv *s, struct ir_instr *x)
{
    return op2(s, IR_INE, x, word(s, 0));
}

/* Lane l gets the value of lane l ^ bit. */
static struct ir_instr *xor_lane(struct spv *s, struct ir_instr *x, uint32_t bit)
{
    return pick(s, nonzero(s, op2(s, IR_AND, lane(s), word(s, bit))), rotate(s, x, QPU_LANES - bit), rotate(s, x, bit));
}

/* ---------------------------------------------------------------- active lanes */

/* Is the condition true in a lane of the quad? */
static struct ir_instr *any_in_quad(struct spv *s, struct ir_instr *cond)
{
    struct ir_instr *any = pick(s, cond, word(s, 1), word(s, 0));
    any = op2(s, IR_OR, any, xor_lane(s, any, 1));
    return nonzero(s, op2(s, IR_OR, any, xor_lane(s, any, 2)));
}

/* Is the lane active? Helper and demoted fragments, and lanes of a vertex batch without a vertex, are not. With
 * RequireFullQuadsKHR helper and demoted fragments are: all lanes of a quad with a fragment. */
static struct ir_instr *active(struct spv *s)
{
    struct ir_instr *runs = ir_build0(&s->b, IR_ACTIVE);
    if (s->shader->kind == VC4C_PROGRAM_COMPUTE)
        return runs;
    struct ir_instr *helps = ir_build(&s->b, IR_LOAD_BUILTIN, 1, 0, NULL);
    helps->imm = SpvBuiltInHelperInvocation;
    helps->imm2 = !s->requires_full_quads; /* the current state, or that at the start */
    struct ir_instr *counts = ir_build1(&s->b, IR_BNOT, helps);
    return op2(s, IR_BAND, runs, s->requires_full_quads ? any_in_quad(s, counts) : counts);
}

/* OpGroupNonUniformQuadAllKHR, QuadAnyKHR. Helper invocations count. */
static struct ir_instr *quad_vote(struct spv *s, const struct spv_instr *in)
{
    struct ir_instr *runs = ir_build0(&s->b, IR_ACTIVE), *cond = spv_scalar(s, in->words[3]);
    if (in->op == SpvOpGroupNonUniformQuadAnyKHR)
        return any_in_quad(s, op2(s, IR_BAND, runs, cond));
    cond = op2(s, IR_BAND, runs, ir_build1(&s->b, IR_BNOT, cond));
    return ir_build1(&s->b, IR_BNOT, any_in_quad(s, cond));
}

/* ---------------------------------------------------------------- votes and ballots */

/* A mask with a bit for each active lane where the condition holds (NULL: always); the same in every lane. */
static struct ir_instr *ballot(struct spv *s, struct ir_instr *cond)
{
    struct ir_instr *bit = op2(s, IR_SHL, word(s, 1), lane(s));
    if (cond)
        bit = pick(s, cond, bit, word(s, 0));
    bit = pick(s, active(s), bit, word(s, 0));
    for (uint32_t n = QPU_LANES / 2; n; n /= 2)
        bit = op2(s, IR_OR, bit, rotate(s, bit, n));
    return bit;
}

static struct ir_instr *find_lsb(struct spv *s, struct ir_instr *mask)
{
    struct ir_instr *bit = op2(s, IR_AND, mask, op2(s, IR_ISUB, word(s, 0), mask));
    return op2(s, IR_ISUB, word(s, 31), ir_build1(&s->b, IR_CLZ, bit));
}

/* ---------------------------------------------------------------- shuffles */

static struct ir_instr *shuffle(struct spv *s, struct ir_instr *x, struct ir_instr *from)
{
    struct ir_instr *distance = op2(s, IR_AND, op2(s, IR_ISUB, from, lane(s)), word(s, QPU_LANES - 1)), *out = x;
    for (uint32_t n = 1; n < QPU_LANES; n++)
        out = pick(s, op2(s, IR_IEQ, distance, word(s, n)), rotate(s, x, n), out);
    return out;
}

static uint32_t cluster_size(struct spv *s, const struct spv_instr *in)
{
    uint32_t size = in->count > 6 ? spv_const_word(s, in->words[6]) : 0;
    if (!size || (size & (size - 1)))
        spv_unsupported(s, "clusters of %u lanes, which is not a power of two", size);
    return MIN2(size, QPU_LANES); /* larger clusters are undefined behaviour, but valid in code that never runs */
}

/* The lane whose number is higher by a delta, within the lanes of the cluster. */
static struct ir_instr *rotated_lane(struct spv *s, const struct spv_instr *in)
{
    const uint32_t inside = (in->count > 6 ? cluster_size(s, in) : QPU_LANES) - 1;
    struct ir_instr *l = lane(s), *moved = op2(s, IR_IADD, l, spv_index(s, in->words[5]));
    return op2(s, IR_OR, op2(s, IR_AND, moved, word(s, inside)), op2(s, IR_AND, l, word(s, ~inside)));
}

static struct ir_instr *source_lane(struct spv *s, const struct spv_instr *in)
{
    struct ir_instr *l = lane(s);
    switch (in->op) {
    case SpvOpGroupNonUniformBroadcastFirst:
        return find_lsb(s, ballot(s, NULL));
    case SpvOpGroupNonUniformShuffleXor:
        return op2(s, IR_XOR, l, spv_index(s, in->words[5]));
    case SpvOpGroupNonUniformShuffleUp:
        return op2(s, IR_ISUB, l, spv_index(s, in->words[5]));
    case SpvOpGroupNonUniformShuffleDown:
        return op2(s, IR_IADD, l, spv_index(s, in->words[5]));
    case SpvOpGroupNonUniformRotateKHR:
        return rotated_lane(s, in);
    case SpvOpGroupNonUniformQuadBroadcast:
        return op2(s, IR_OR, op2(s, IR_AND, l, word(s, ~3u)), spv_index(s, in->words[5]));
    case SpvOpGroupNonUniformQuadSwap: /* 0 horizontal, 1 vertical, 2 diagonal */
        return op2(s, IR_XOR, l, word(s, (spv_const_word(s, in->words[5]) & 3) + 1));
    default:
        return spv_index(s, in->words[5]);
    }
}

static void translate_shuffle(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    struct ir_instr **x = spv_value(s, in->words[4]), **out = spv_new_scalars(s, type->scalars);
    struct ir_instr *from = source_lane(s, in);
    if (spv_type_of(s, in->words[4])->scalars != type->scalars)
        spv_invalid(s, "the result has %u scalars, the value has %u", type->scalars,
                    spv_type_of(s, in->words[4])->scalars);
    for (uint32_t i = 0; i < type->scalars; i++) {
        bool is_bool = spv_scalar_bits(spv_scalar_at(type, i)) == 1;
        struct ir_instr *v = shuffle(s, is_bool ? pick(s, x[i], word(s, 1), word(s, 0)) : x[i], from);
        out[i] = is_bool ? nonzero(s, v) : v;
    }
    spv_define(s, in->words[2], type, out);
}

static struct ir_instr *all_equal(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type_of(s, in->words[4]);
    struct ir_instr **x = spv_value(s, in->words[4]);
    struct ir_instr *first = find_lsb(s, ballot(s, NULL)), *differs = NULL;
    bool is_float = spv_scalar_of(type)->kind == SPV_TYPE_FLOAT, is_bool = spv_scalar_of(type)->kind == SPV_TYPE_BOOL;
    for (uint32_t i = 0; i < type->scalars; i++) {
        struct ir_instr *v = is_bool ? pick(s, x[i], word(s, 1), word(s, 0)) : x[i];
        struct ir_instr *d = op2(s, is_float ? IR_FNE : IR_INE, v, shuffle(s, v, first));
        differs = differs ? op2(s, IR_BOR, differs, d) : d;
    }
    if (!differs)
        spv_invalid(s, "a vote on a value without scalars");
    return op2(s, IR_IEQ, ballot(s, differs), word(s, 0));
}

/* ---------------------------------------------------------------- for other files (spv_subgroup.h) */

struct ir_instr *spv_subgroup_active(struct spv *s)
{
    return active(s);
}

struct ir_instr *spv_subgroup_rotate(struct spv *s, struct ir_instr *x, uint32_t n)
{
    return rotate(s, x, n);
}

struct ir_instr *spv_subgroup_of_first(struct spv *s, struct ir_instr *x)
{
    return shuffle(s, x, find_lsb(s, ballot(s, NULL)));
}

struct ir_instr *spv_subgroup_nowhere(struct spv *s, struct ir_instr *cond)
{
    return op2(s, IR_IEQ, ballot(s, cond), word(s, 0));
}

/* ---------------------------------------------------------------- arithmetic */

static const struct {
    uint16_t spirv, op;
    uint32_t identity;
} arithmetic[] = {
    {SpvOpGroupNonUniformIAdd, IR_IADD, 0},
    {SpvOpGroupNonUniformFAdd, IR_FADD, 0},
    {SpvOpGroupNonUniformIMul, IR_IMUL, 1},
    {SpvOpGroupNonUniformFMul, IR_FMUL, 0x3f800000},
    {SpvOpGroupNonUniformSMin, IR_IMIN, 0x7fffffff},
    {SpvOpGroupNonUniformUMin, IR_UMIN, 0xffffffff},
    {SpvOpGroupNonUniformFMin, IR_FMIN, 0x7f800000},
    {SpvOpGroupNonUniformSMax, IR_IMAX, 0x80000000},
    {SpvOpGroupNonUniformUMax, IR_UMAX, 0},
    {SpvOpGroupNonUniformFMax, IR_FMAX, 0xff800000},
    {SpvOpGroupNonUniformBitwiseAnd, IR_AND, 0xffffffff},
    {SpvOpGroupNonUniformBitwiseOr, IR_OR, 0},
    {SpvOpGroupNonUniformBitwiseXor, IR_XOR, 0},
    {SpvOpGroupNonUniformLogicalAnd, IR_AND, 1},
    {SpvOpGroupNonUniformLogicalOr, IR_OR, 0},
    {SpvOpGroupNonUniformLogicalXor, IR_XOR, 0},
};

static struct ir_instr *reduce(struct spv *s, enum ir_op op, struct ir_instr *x, uint32_t cluster)
{
    for (uint32_t bit = 1; bit < cluster; bit *= 2)
        x = op2(s, op, x, xor_lane(s, x, bit));
    return x;
}

static struct ir_instr *scan(struct spv *s, enum ir_op op, struct ir_instr *x, struct ir_instr *identity,
                             bool is_exclusive)
{
    struct ir_instr *l = lane(s);
    for (uint32_t n = 1; n < QPU_LANES; n *= 2) {
        struct ir_instr *below = op2(s, op, rotate(s, x, QPU_LANES - n), x);
        x = pick(s, op2(s, IR_UGE, l, word(s, n)), below, x);
    }
    if (!is_exclusive)
        return x;
    return pick(s, nonzero(s, l), rotate(s, x, QPU_LANES - 1), identity);
}

static struct ir_instr *combine(struct spv *s, const struct spv_instr *in, unsigned row, struct ir_instr *x)
{
    enum ir_op op = (enum ir_op)arithmetic[row].op;
    struct ir_instr *identity = word(s, arithmetic[row].identity);
    x = pick(s, active(s), x, identity);
    switch (in->words[4]) {
    case SpvGroupOperationReduce:
        return reduce(s, op, x, QPU_LANES);
    case SpvGroupOperationInclusiveScan:
    case SpvGroupOperationExclusiveScan:
        return scan(s, op, x, identity, in->words[4] == SpvGroupOperationExclusiveScan);
    case SpvGroupOperationClusteredReduce:
        return reduce(s, op, x, cluster_size(s, in));
    default:
        spv_unsupported(s, "group operation %u", in->words[4]);
    }
}

static bool translate_arithmetic(struct spv *s, const struct spv_instr *in)
{
    unsigned row = 0;
    while (row < ARRAY_SIZE(arithmetic) && arithmetic[row].spirv != in->op)
        row++;
    if (row == ARRAY_SIZE(arithmetic))
        return false;
    const struct spv_type *type = spv_type(s, in->words[1]);
    bool is_bool = in->op >= SpvOpGroupNonUniformLogicalAnd && in->op <= SpvOpGroupNonUniformLogicalXor;
    struct ir_instr **x = spv_value(s, in->words[5]), **out = spv_new_scalars(s, type->scalars);
    if (spv_type_of(s, in->words[5])->scalars != type->scalars ||
        (spv_scalar_of(type)->kind == SPV_TYPE_BOOL) != is_bool)
        spv_invalid(s, "the value has another type than the operation");
    for (uint32_t i = 0; i < type->scalars; i++) {
        struct ir_instr *v = combine(s, in, row, is_bool ? pick(s, x[i], word(s, 1), word(s, 0)) : x[i]);
        out[i] = is_bool ? nonzero(s, v) : v;
    }
    spv_define(s, in->words[2], type, out);
    return true;
}

/* ---------------------------------------------------------------- masks as values */

/* The part of a mask that the operation counts: all lanes, those up to this one, or those below it. */
static struct ir_instr *counted_lanes(struct spv *s, struct ir_instr *mask, uint32_t operation)
{
    if (operation == SpvGroupOperationReduce)
        return op2(s, IR_AND, mask, word(s, 0xffff));
    struct ir_instr *bit = op2(s, IR_SHL, word(s, operation == SpvGroupOperationInclusiveScan ? 2 : 1), lane(s));
    return op2(s, IR_AND, mask, op2(s, IR_ISUB, bit, word(s, 1)));
}

/* The first word of a ballot, the only one with lanes. */
static struct ir_instr *mask_word(struct spv *s, uint32_t id)
{
    if (spv_type_of(s, id)->scalars != 4)
        spv_invalid(s, "a ballot has four words");
    return spv_value(s, id)[0];
}

static struct ir_instr *translate_scalar(struct spv *s, const struct spv_instr *in)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *zero = word(s, 0);
    switch (in->op) {
    case SpvOpGroupNonUniformElect:
        return op2(s, IR_IEQ, find_lsb(s, ballot(s, NULL)), lane(s));
    case SpvOpGroupNonUniformAll:
        return op2(s, IR_IEQ, ballot(s, ir_build1(b, IR_BNOT, spv_scalar(s, in->words[4]))), zero);
    case SpvOpGroupNonUniformAny:
        return nonzero(s, ballot(s, spv_scalar(s, in->words[4])));
    case SpvOpGroupNonUniformAllEqual:
        return all_equal(s, in);
    case SpvOpGroupNonUniformInverseBallot:
        return nonzero(s, op2(s, IR_AND, op2(s, IR_SHR, mask_word(s, in->words[4]), lane(s)), word(s, 1)));
    case SpvOpGroupNonUniformBallotBitExtract: {
        struct ir_instr *bits = op2(s, IR_SHR, mask_word(s, in->words[4]), spv_index(s, in->words[5]));
        return nonzero(s, op2(s, IR_AND, bits, word(s, 1)));
    }
    case SpvOpGroupNonUniformBallotBitCount:
        return ir_build1(b, IR_BITCOUNT, counted_lanes(s, mask_word(s, in->words[5]), in->words[4]));
    case SpvOpGroupNonUniformBallotFindLSB:
        return find_lsb(s, mask_word(s, in->words[4]));
    case SpvOpGroupNonUniformBallotFindMSB:
        return op2(s, IR_ISUB, word(s, 31),
                   ir_build1(b, IR_CLZ, counted_lanes(s, mask_word(s, in->words[4]), SpvGroupOperationReduce)));
    default:
        return NULL;
    }
}

static void translate_ballot(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    struct ir_instr **out = spv_new_scalars(s, 4);
    if (type->scalars != 4)
        spv_invalid(s, "a ballot has four words");
    out[0] = ballot(s, spv_scalar(s, in->words[4]));
    out[1] = out[2] = out[3] = word(s, 0);
    spv_define(s, in->words[2], type, out);
}

/* ---------------------------------------------------------------- instructions */

static bool translate(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpGroupNonUniformBallot:
        translate_ballot(s, in);
        return true;
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformBroadcastFirst:
    case SpvOpGroupNonUniformShuffle:
    case SpvOpGroupNonUniformShuffleXor:
    case SpvOpGroupNonUniformShuffleUp:
    case SpvOpGroupNonUniformShuffleDown:
    case SpvOpGroupNonUniformRotateKHR:
    case SpvOpGroupNonUniformQuadBroadcast:
    case SpvOpGroupNonUniformQuadSwap:
        translate_shuffle(s, in);
        return true;
    default:
        break;
    }
    if (translate_arithmetic(s, in))
        return true;
    struct ir_instr *v = translate_scalar(s, in);
    if (!v)
        return false;
    spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]), v);
    return true;
}

/* The instructions of SPV_KHR_shader_ballot and SPV_KHR_subgroup_vote have the operands of those below, without the
 * scope. */
static const struct {
    uint16_t old, same;
} without_scope[] = {
    {SpvOpSubgroupBallotKHR, SpvOpGroupNonUniformBallot},
    {SpvOpSubgroupFirstInvocationKHR, SpvOpGroupNonUniformBroadcastFirst},
    {SpvOpSubgroupReadInvocationKHR, SpvOpGroupNonUniformBroadcast},
    {SpvOpSubgroupAllKHR, SpvOpGroupNonUniformAll},
    {SpvOpSubgroupAnyKHR, SpvOpGroupNonUniformAny},
    {SpvOpSubgroupAllEqualKHR, SpvOpGroupNonUniformAllEqual},
};

static bool translate_without_scope(struct spv *s, const struct spv_instr *in)
{
    for (unsigned i = 0; i < ARRAY_SIZE(without_scope); i++) {
        if (without_scope[i].old != in->op)
            continue;
        const uint32_t words[6] = {in->words[0], in->words[1], in->words[2], 0, in->words[3],
                                   in->count > 4 ? in->words[4] : 0};
        return translate(s, &(struct spv_instr){.words = words, .offset = in->offset, .op = without_scope[i].same,
                                                .count = (uint16_t)(in->count + 1)});
    }
    return false;
}

bool spv_translate_subgroup(struct spv *s, const struct spv_instr *in)
{
    if (translate_without_scope(s, in))
        return true;
    if (in->op == SpvOpGroupNonUniformQuadAllKHR || in->op == SpvOpGroupNonUniformQuadAnyKHR) {
        spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]), quad_vote(s, in));
        return true;
    }
    if ((in->op < SpvOpGroupNonUniformElect || in->op > SpvOpGroupNonUniformQuadSwap) &&
        in->op != SpvOpGroupNonUniformRotateKHR)
        return false;
    if (spv_const_word(s, in->words[3]) != SpvScopeSubgroup)
        spv_unsupported(s, "a group operation whose scope is not Subgroup");
    return translate(s, in);
}
