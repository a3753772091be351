/* SPDX-License-Identifier: MIT
 *
 * Atomics on 64-bit integers in buffers, images and shared memory. The QPU's atomics change one word, so these hold its
 * mutex while they load both words, compute and store them. Lanes with the same address take turns, in ascending order:
 *
 *     rank = number of active lanes below this one with the same address
 *     acquire the mutex
 *     for (round = 0; any lane has rank >= round; round++)
 *         lanes with rank = round: load, compute, store
 *     release the mutex
 *
 * Only atomics hold the mutex: a plain load or store beside them may see or leave half a number, as Vulkan allows.
 */
#include "compiler/lower/lower.h"
#include "compiler/lower/lower_i64.h"
#include "compiler/spirv/spv_engine.h"
#include "compiler/spirv/spv_int64.h"
#include "compiler/spirv/spv_subgroup.h"
#include "hw/qpu.h"

#define NOWHERE 1u /* no word has an odd address */

struct place {
    struct ir_instr *lo, *hi; /* addresses of the two words */
};

static struct ir_f64 pair(struct ir_builder *b, uint64_t number)
{
    return (struct ir_f64){ir_const(b, (uint32_t)number), ir_const(b, (uint32_t)(number >> 32))};
}

/* ---------------------------------------------------------------- operands */

static bool points_to_int64(struct spv *s, uint32_t id)
{
    const struct spv_id *v = &s->ids[id];
    const bool is_pointer = v->kind == SPV_POINTER || (v->kind == SPV_VALUE && v->type->kind == SPV_TYPE_POINTER) ||
                            (v->kind == SPV_CONSTANT && v->type->kind == SPV_TYPE_POINTER);
    if (!is_pointer)
        return false;
    const struct spv_type *type = spv_pointer(s, id)->type;
    return type->kind == SPV_TYPE_INT && type->bits == 64;
}

static struct place place_of(struct spv *s, uint32_t id)
{
    const struct spv_pointer *p = spv_pointer(s, id);
    if (p->storage == SpvStorageClassImage && p->address_high)
        return (struct place){p->address, p->address_high};
    if (!spv_is_addressed(s, p) || p->storage == SpvStorageClassImage)
        spv_unsupported(s, "an atomic on 64-bit integers in storage class %u", p->storage);
    return (struct place){spv_address(s, p, 0), spv_address(s, p, 4)};
}

static struct ir_f64 number(struct spv *s, uint32_t id)
{
    struct spv_doubles x = spv_int64s(s, id);
    if (x.n != 1)
        spv_invalid(s, "an operand of an atomic is a vector");
    return x.x[0];
}

/* ---------------------------------------------------------------- the new number */

static struct ir_f64 pick(struct ir_builder *b, struct ir_instr *cond, struct ir_f64 x, struct ir_f64 y)
{
    return ir_f64_sel(b, cond, x, y);
}

static struct ir_f64 each(struct ir_builder *b, enum ir_op op, struct ir_f64 x, struct ir_f64 y)
{
    return (struct ir_f64){ir_build2(b, op, x.lo, y.lo), ir_build2(b, op, x.hi, y.hi)};
}

/* `compare`: of OpAtomicCompareExchange only. */
static struct ir_f64 changed(struct ir_builder *b, uint16_t op, struct ir_f64 old, struct ir_f64 x,
                             struct ir_f64 compare)
{
    switch (op) {
    case SpvOpAtomicLoad:
        return old;
    case SpvOpAtomicIAdd:
    case SpvOpAtomicIIncrement:
        return ir_i64_add(b, old, x);
    case SpvOpAtomicISub:
    case SpvOpAtomicIDecrement:
        return ir_i64_sub(b, old, x);
    case SpvOpAtomicSMin:
        return pick(b, ir_i64_slt(b, x, old), x, old);
    case SpvOpAtomicUMin:
        return pick(b, ir_i64_ult(b, x, old), x, old);
    case SpvOpAtomicSMax:
        return pick(b, ir_i64_slt(b, old, x), x, old);
    case SpvOpAtomicUMax:
        return pick(b, ir_i64_ult(b, old, x), x, old);
    case SpvOpAtomicAnd:
        return each(b, IR_AND, old, x);
    case SpvOpAtomicOr:
        return each(b, IR_OR, old, x);
    case SpvOpAtomicXor:
        return each(b, IR_XOR, old, x);
    case SpvOpAtomicCompareExchange:
        return pick(b, ir_i64_eq(b, old, compare), x, old);
    default: /* OpAtomicExchange, OpAtomicStore */
        return x;
    }
}

/* ---------------------------------------------------------------- the rounds */

static struct ir_instr *rank_of(struct spv *s, struct ir_instr *address)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *lane = ir_build0(b, IR_ELEMENT), *rank = ir_const(b, 0);
    struct ir_instr *own = ir_sel(b, spv_subgroup_active(s), address, ir_const(b, NOWHERE));
    for (uint32_t n = 1; n < QPU_LANES; n++) {
        struct ir_instr *is_same = ir_build2(b, IR_IEQ, own, spv_subgroup_rotate(s, own, QPU_LANES - n));
        is_same = ir_build2(b, IR_BAND, is_same, ir_build2(b, IR_UGE, lane, ir_const(b, n)));
        rank = ir_sel(b, is_same, ir_build2(b, IR_IADD, rank, ir_const(b, 1)), rank);
    }
    return rank;
}

static struct ir_instr *phi(struct ir_builder *b, struct ir_instr *first)
{
    return ir_build(b, IR_PHI, 32, 2, (struct ir_instr *const[]){first, NULL});
}

/* Returns the old number. */
static struct ir_f64 update(struct spv *s, uint16_t op, struct place at, struct ir_f64 x, struct ir_f64 compare)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *rank = rank_of(s, at.lo), *zero = ir_const(b, 0), *nowhere = ir_const(b, VC4C_ENGINE_NULL);
    ir_build0(b, IR_MUTEX_ACQUIRE);
    struct ir_loop *loop = ir_push_loop(b);
    struct ir_instr *round = phi(b, zero);
    struct ir_f64 before = {phi(b, zero), phi(b, zero)};
    struct ir_instr *is_now = ir_build2(b, IR_IEQ, rank, round);
    const struct place to = {ir_sel(b, is_now, at.lo, nowhere), ir_sel(b, is_now, at.hi, nowhere)};
    struct ir_f64 now = {spv_load_word(s, to.lo, true), spv_load_word(s, to.hi, true)};
    struct ir_f64 old = ir_f64_sel(b, is_now, now, before);
    if (op != SpvOpAtomicLoad) {
        struct ir_f64 new = changed(b, op, now, x, compare);
        spv_store_word(s, to.lo, new.lo);
        spv_store_word(s, to.hi, new.hi);
    }
    struct ir_instr *next = ir_build2(b, IR_IADD, round, ir_const(b, 1));
    struct ir_instr *goes_on = ir_build1(b, IR_ANY, ir_build2(b, IR_UGE, rank, next));
    struct ir_if *leave = ir_push_if(b, ir_build1(b, IR_BNOT, goes_on));
    ir_build0(b, IR_BREAK);
    ir_pop_if(b, leave);
    ir_src_set(&round->src[1], next);
    ir_src_set(&before.lo->src[1], old.lo);
    ir_src_set(&before.hi->src[1], old.hi);
    ir_pop_loop(b, loop);
    ir_build0(b, IR_MUTEX_RELEASE);
    return old;
}

/* ---------------------------------------------------------------- instructions */

static struct ir_f64 value_of(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpAtomicLoad:
        return pair(&s->b, 0);
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIDecrement:
        return pair(&s->b, 1);
    case SpvOpAtomicStore:
        return number(s, in->words[4]);
    case SpvOpAtomicCompareExchange:
        return number(s, in->words[7]);
    default:
        return number(s, in->words[6]);
    }
}

bool spv_translate_atomic64(struct spv *s, const struct spv_instr *in)
{
    const bool is_store = in->op == SpvOpAtomicStore;
    if (!s->has_64_bit_ints || in->op < SpvOpAtomicLoad || in->op > SpvOpAtomicXor ||
        in->op == SpvOpAtomicCompareExchangeWeak || !points_to_int64(s, in->words[is_store ? 1 : 3]))
        return false;
    const struct place at = place_of(s, in->words[is_store ? 1 : 3]);
    const struct ir_f64 x = value_of(s, in);
    const struct ir_f64 compare = in->op == SpvOpAtomicCompareExchange ? number(s, in->words[8]) : x;
    const struct ir_f64 old = update(s, in->op, at, x, compare);
    if (!is_store) {
        struct spv_doubles out = spv_doubles_new(s, 1);
        out.x[0] = old;
        spv_define_int64s(s, in, out);
    }
    return true;
}
