/* SPDX-License-Identifier: MIT
 *
 * The IR evaluator of the tests (ir_eval.h). Executes each instruction for all lanes of the execution mask before the
 * next one. Each lane records the block it came from, so that phis choose per lane.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/spirv/spv.h"
#include "ir_eval.h"

/* Leads from the end of a block to a phi. */
struct edge {
    const struct ir_instr *phi;
    uint32_t source;
    struct edge *next;
};

struct run {
    struct eval *e;
    struct ir_shader *shader;
    uint32_t (*values)[EVAL_LANES];      /* by value.index */
    uint32_t (*arriving)[EVAL_LANES];    /* of phis: what each lane brings along, since the end of its last block */
    struct edge **edges;                 /* by block.index: to the phis behind the block */
    uint32_t **variables;                /* [variable][word * EVAL_LANES + lane] */
    uint32_t *exprs;                     /* results of the shader's expressions */
    struct ir_block *from[EVAL_LANES];   /* the block that the lane ran last */
    uint32_t breaks, continues;          /* masks of the lanes that left the current iteration */
    uint32_t steps;
};

static float f(uint32_t word)
{
    float x;
    memcpy(&x, &word, 4);
    return fabsf(x) < 1.17549435e-38f ? 0 : x;
}

static uint32_t w(double x)
{
    float r = (float)x;
    uint32_t word;
    if (fabsf(r) < 1.17549435e-38f)
        r = 0;
    memcpy(&word, &r, 4);
    return word;
}

static double times(float x, float y)
{
    return x == 0 || y == 0 ? 0 : (double)x * y;
}

static uint32_t float_to_int(double x)
{
    return x > -2147483649.0 && x < 2147483648.0 ? (uint32_t)(int32_t)x : 0;
}

static double nearest_even(double x)
{
    double down = floor(x), rest = x - down;
    if (rest != 0.5)
        return floor(x + 0.5);
    return fmod(down, 2) == 0 ? down : down + 1;
}

/* ---------------------------------------------------------------- parts of words */

static double half_to_float(uint32_t h)
{
    uint32_t e = h >> 10 & 31, m = h & 1023;
    double x = e == 0 ? 0 : e == 31 ? (m ? NAN : INFINITY) : ldexp(1024 + m, (int)e - 25);
    return h >> 15 & 1 ? -x : x;
}

static uint32_t float_to_half(float x)
{
    uint32_t sign = signbit(x) ? 0x8000 : 0;
    int e;
    double m = frexp(fabs((double)x), &e);
    if (isinf(x) || isnan(x))
        return sign | 0x7c00;
    if (x == 0 || e < -13)
        return 0;
    if (e > 16)
        return sign | 0x7c00;
    return sign | (((uint32_t)(e + 14) << 10) + (uint32_t)ceil(m * 2048) - 1024); /* away from zero */
}

/* The conversions that keep denormals and NaN. */
static uint32_t exact_float(uint32_t h)
{
    const uint32_t magnitude = h & 0x7fff, sign = (h & 0x8000) << 16;
    if (magnitude >= 0x7c00)
        return sign | 0x7f800000 | (magnitude & 1023) << 13;
    return sign | (magnitude < 1024 ? w(ldexp(magnitude, -24)) : w(half_to_float(magnitude)));
}

static uint32_t exact_half(uint32_t word)
{
    const uint32_t sign = word >> 16 & 0x8000;
    const double x = fabs((double)f(word));
    int e;
    if (isnan(x))
        return sign | 0x7e00;
    if (x >= 65520)
        return sign | 0x7c00;
    frexp(x, &e);
    e = x == 0 || e < -13 ? -13 : e;
    return sign | ((uint32_t)nearest_even(ldexp(x, 11 - e)) + 1024 * (uint32_t)(e + 13));
}

static uint32_t byte_of(float x)
{
    return x <= 0 ? 0 : x >= 1 ? 255 : (uint32_t)(x * 255 + 0.5f);
}

static uint32_t unpack_f(uint32_t x, uint32_t part)
{
    if (part < 2)
        return w(half_to_float(x >> (16 * part) & 0xffff));
    return w((x >> (8 * (part - 2)) & 0xff) / 255.0);
}

static uint32_t unpack_i(uint32_t x, uint32_t part)
{
    if (part < 2)
        return (uint32_t)(int32_t)(int16_t)(x >> (16 * part));
    return x >> (8 * (part - 2)) & 0xff;
}

static uint32_t bytes_op(enum ir_op op, uint32_t x, uint32_t y)
{
    uint32_t out = 0;
    for (int i = 0; i < 32; i += 8) {
        uint32_t a = x >> i & 255, b = y >> i & 255, r;
        switch (op) {
        case IR_V8ADDS:
            r = a + b > 255 ? 255 : a + b;
            break;
        case IR_V8SUBS:
            r = a > b ? a - b : 0;
            break;
        case IR_V8MULD:
            r = (a * b + 127) / 255;
            break;
        case IR_V8MIN:
            r = a < b ? a : b;
            break;
        default:
            r = a > b ? a : b;
            break;
        }
        out |= r << i;
    }
    return out;
}

/* ---------------------------------------------------------------- arithmetic of one lane */

static bool float_op(enum ir_op op, float x, float y, uint32_t *out)
{
    switch (op) {
    case IR_FADD: *out = w((double)x + y); return true;
    case IR_FSUB: *out = w((double)x - y); return true;
    case IR_FMUL: *out = w(times(x, y)); return true;
    case IR_FMIN: *out = w(y < x ? y : x); return true;
    case IR_FMAX: *out = w(y > x ? y : x); return true;
    case IR_FMINABS: *out = w(fabsf(y) < fabsf(x) ? fabsf(y) : fabsf(x)); return true;
    case IR_FMAXABS: *out = w(fabsf(y) > fabsf(x) ? fabsf(y) : fabsf(x)); return true;
    case IR_FTOI: *out = float_to_int(x); return true;
    case IR_FTOU: *out = x > -1 && x < 4294967296.0 ? (uint32_t)(double)x : 0; return true;
    case IR_SFU_RECIP: case IR_FRCP: *out = w(1.0 / x); return true;
    case IR_SFU_RSQRT: case IR_FRSQ: *out = w(1.0 / sqrt(fabs((double)x))); return true;
    case IR_SFU_EXP2: case IR_FEXP2: *out = w(exp2(x)); return true;
    case IR_SFU_LOG2: case IR_FLOG2: *out = w(log2(fabs((double)x))); return true;
    case IR_FEQ: *out = x == y; return true;
    case IR_FNE: *out = x != y; return true;
    case IR_FLT: *out = x < y; return true;
    case IR_FGE: *out = x >= y; return true;
    case IR_FNEG: *out = w(-(double)x); return true;
    case IR_FABS: *out = w(fabs((double)x)); return true;
    case IR_FSAT: *out = w(x < 0 ? 0 : x > 1 ? 1 : x); return true;
    case IR_FSQRT: *out = w(sqrt(x)); return true;
    case IR_FDIV: *out = w((double)x / y); return true;
    case IR_FPOW: *out = w(pow(x, y)); return true;
    case IR_FSIN: *out = w(sin(x)); return true;
    case IR_FCOS: *out = w(cos(x)); return true;
    case IR_FFLOOR: *out = w(floor(x)); return true;
    case IR_FCEIL: *out = w(ceil(x)); return true;
    case IR_FTRUNC: *out = w(trunc(x)); return true;
    case IR_FROUND: *out = w(nearest_even(x)); return true;
    case IR_FFRACT: *out = w(x - floor(x)); return true;
    case IR_FMOD: *out = w(x - y * floor(x / y)); return true;
    case IR_PACK_HALF: *out = float_to_half(x) | float_to_half(y) << 16; return true;
    default: return false;
    }
}

static uint32_t bit_count(uint32_t x)
{
    uint32_t n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

static uint32_t bit_reverse(uint32_t x)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++, x >>= 1)
        r = r << 1 | (x & 1);
    return r;
}

static uint32_t leading_zeros(uint32_t x)
{
    uint32_t n = 0;
    for (; n < 32 && !(x >> 31); x <<= 1)
        n++;
    return n;
}

/* Division and multiplication in 64 bits, wide enough for every operation. */
static bool divide_op(enum ir_op op, uint32_t x, uint32_t y, uint32_t *out)
{
    int64_t a = (int32_t)x, b = (int32_t)y;
    switch (op) {
    case IR_UDIV: *out = y ? x / y : 0; return true;
    case IR_UMOD: *out = y ? x % y : 0; return true;
    case IR_IDIV: *out = b ? (uint32_t)(a / b) : 0; return true;
    case IR_IREM: *out = b ? (uint32_t)(a % b) : 0; return true;
    case IR_IMOD: *out = b ? (uint32_t)(((a % b) + b) % b) : 0; return true;
    case IR_IMUL: *out = (uint32_t)(a * b); return true;
    case IR_IMULH: *out = (uint32_t)((a * b) >> 32); return true;
    case IR_UMULH: *out = (uint32_t)(((uint64_t)x * y) >> 32); return true;
    case IR_MUL24: *out = (uint32_t)((uint64_t)(x & 0xffffff) * (y & 0xffffff)); return true;
    default: return false;
    }
}

static bool int_op(enum ir_op op, uint32_t x, uint32_t y, uint32_t imm, uint32_t *out)
{
    int32_t a = (int32_t)x, b = (int32_t)y;
    switch (op) {
    case IR_MOV: *out = x; return true;
    case IR_ITOF: *out = w(a); return true;
    case IR_UTOF: *out = w(x); return true;
    case IR_IADD: *out = x + y; return true;
    case IR_ISUB: *out = x - y; return true;
    case IR_SHR: *out = x >> (y & 31); return true;
    case IR_ASR: *out = (uint32_t)((int64_t)a >> (y & 31)); return true;
    case IR_ROR: *out = (uint32_t)((((uint64_t)x << 32) | x) >> (y & 31)); return true;
    case IR_SHL: *out = x << (y & 31); return true;
    case IR_IMIN: *out = a < b ? x : y; return true;
    case IR_IMAX: *out = a > b ? x : y; return true;
    case IR_UMIN: *out = x < y ? x : y; return true;
    case IR_UMAX: *out = x > y ? x : y; return true;
    case IR_AND: case IR_BAND: *out = x & y; return true;
    case IR_OR: case IR_BOR: *out = x | y; return true;
    case IR_XOR: case IR_BXOR: *out = x ^ y; return true;
    case IR_NOT: *out = ~x; return true;
    case IR_BNOT: *out = x ^ 1; return true;
    case IR_CLZ: *out = leading_zeros(x); return true;
    case IR_BITCOUNT: *out = bit_count(x); return true;
    case IR_BITREV: *out = bit_reverse(x); return true;
    case IR_V8ADDS:
    case IR_V8SUBS:
    case IR_V8MULD:
    case IR_V8MIN:
    case IR_V8MAX:
        *out = bytes_op(op, x, y);
        return true;
    case IR_UNPACK_F: *out = unpack_f(x, imm); return true;
    case IR_UNPACK_I: *out = unpack_i(x, imm); return true;
    case IR_HALF_TO_FLOAT:
        *out = exact_float(x & 0xffff);
        return true;
    case IR_FLOAT_TO_HALF:
        *out = exact_half(x);
        return true;
    case IR_PACK_I16: *out = (x & 0xffff) | y << 16; return true;
    case IR_IEQ: *out = x == y; return true;
    case IR_INE: *out = x != y; return true;
    case IR_ILT: *out = a < b; return true;
    case IR_IGE: *out = a >= b; return true;
    case IR_ULT: *out = x < y; return true;
    case IR_UGE: *out = x >= y; return true;
    default: return divide_op(op, x, y, out);
    }
}

/* ---------------------------------------------------------------- loads */

static uint32_t word_at(const uint32_t *words, uint32_t count, uint32_t offset_B)
{
    return offset_B / 4 < count ? words[offset_B / 4] : 0;
}

static uint32_t uniform(const struct run *r, const struct vc4c_uniform *u)
{
    const struct eval *e = r->e;
    uint32_t word;
    if (e->engine_uniform && e->engine_uniform(e, u, &word))
        return word;
    switch (u->kind) {
    case VC4C_UNIFORM_EXPR:
        return r->exprs[u->data];
    case VC4C_UNIFORM_CONSTANT:
        return u->data;
    case VC4C_UNIFORM_PUSH:
        return word_at(e->push, e->push_words, u->data);
    case VC4C_UNIFORM_BUFFER_WORD:
        return word_at(e->buffer, e->buffer_words, u->data);
    case VC4C_UNIFORM_BUFFER_SIZE:
        return 4 * e->buffer_words;
    case VC4C_UNIFORM_VIEWPORT_SCALE_X_16:
        return w(16 * 50);
    case VC4C_UNIFORM_VIEWPORT_SCALE_Y_16:
        return w(16 * 40);
    case VC4C_UNIFORM_VIEWPORT_SCALE_Z:
    case VC4C_UNIFORM_VIEWPORT_OFFSET_Z:
        return w(0.5);
    default:
        return 0;
    }
}

/* The sources of a step are earlier steps. */
static void compute_exprs(struct run *r)
{
    r->exprs = util_arena_new_array(r->shader->arena, uint32_t, r->shader->expr_count);
    for (uint32_t i = 0; i < r->shader->expr_count; i++) {
        const struct vc4c_expr *x = &r->shader->exprs[i];
        if (x->op == HW_EXPR_WORD)
            r->exprs[i] = uniform(r, &x->word);
        else
            hw_expr(x->op, r->exprs[x->src[0]], r->exprs[x->src[1]], r->exprs[x->src[2]], &r->exprs[i]);
    }
}

/* Attributes are raw words. The vertex ramp and the vertex places both give the lane number. */
static uint32_t attribute(const struct eval *e, const struct ir_instr *i, uint32_t lane)
{
    if (i->imm2 == VC4C_ATTRIBUTE_ARRAY_INDEX)
        return e->dead_lanes >> lane & 1 ? 0xdead0000 + lane : lane;
    return i->imm2 == VC4C_ATTRIBUTE_VERTEX_RAMP ? lane : e->input(i->imm2, i->imm, lane);
}

/* The chip's fragment inputs, derived from the values of the shader's built-ins. */
static bool fragment_op(const struct eval *e, const struct ir_instr *i, uint32_t lane, uint32_t *out)
{
    switch (i->op) {
    case IR_FRAG_X: *out = (uint32_t)f(e->builtin(SpvBuiltInFragCoord, 0, lane)); return true;
    case IR_FRAG_Y: *out = (uint32_t)f(e->builtin(SpvBuiltInFragCoord, 1, lane)); return true;
    case IR_FRAG_Z: *out = (uint32_t)(f(e->builtin(SpvBuiltInFragCoord, 2, lane)) * 16777215.0 + 0.5); return true;
    case IR_FRAG_W: *out = w(1.0 / f(e->builtin(SpvBuiltInFragCoord, 3, lane))); return true;
    case IR_BACK_FACING: *out = !e->builtin(SpvBuiltInFrontFacing, 0, lane); return true;
    case IR_MS_FLAGS: *out = 15 & ~e->uncovered[lane]; return true;
    default: return false;
    }
}

static bool load_op(struct run *r, const struct ir_instr *i, uint32_t lane, uint32_t *out)
{
    struct eval *e = r->e;
    uint32_t x = i->src_count ? r->values[i->src[0].def->value.index][lane] : 0;
    switch (i->op) {
    case IR_CONST: *out = i->imm; return true;
    case IR_UNDEF: *out = 0xdeadbeef; return true;
    case IR_UNIFORM: *out = uniform(r, &i->uniform); return true;
    case IR_ELEMENT: *out = lane; return true;
    case IR_LOAD_PUSH: *out = word_at(e->push, e->push_words, x); return true;
    case IR_LOAD_BUFFER: *out = word_at(e->buffer, e->buffer_words, x); return true;
    case IR_DIRECT: *out = word_at(e->buffer, e->buffer_words, x + (i->imm2 & 0xffff)); return true;
    case IR_LOAD_TABLE: {
        const struct ir_table *t = &r->shader->tables[i->imm];
        const int64_t last = 4 * (int64_t)t->count - 4 - (i->imm2 >> 16), at = (int32_t)x;
        *out = t->words[((at < 0 ? 0 : at > last ? last : at) + (i->imm2 & 0xffff)) / 4];
        return true;
    }
    case IR_LOAD_INPUT: *out = e->input(i->imm, i->imm2, lane); return true;
    case IR_VARYING:
        *out = e->input(r->shader->inputs[i->imm].location, r->shader->inputs[i->imm].component, lane);
        return true;
    case IR_LOAD_BUILTIN: *out = e->builtin(i->imm, i->imm2, lane); return true;
    case IR_LOAD_VAR: *out = r->variables[i->imm][i->imm2 * EVAL_LANES + lane]; return true;
    case IR_ATTRIBUTE: *out = attribute(e, i, lane); return true;
    default: return fragment_op(e, i, lane, out);
    }
}

/* ---------------------------------------------------------------- effects and operations across lanes */

static bool effect(struct run *r, const struct ir_instr *i, uint32_t lane)
{
    struct eval *e = r->e;
    uint32_t x = i->src_count > 0 ? r->values[i->src[0].def->value.index][lane] : 0;
    uint32_t y = i->src_count > 1 ? r->values[i->src[1].def->value.index][lane] : 0;
    switch (i->op) {
    case IR_STORE_VAR:
        r->variables[i->imm][i->imm2 * EVAL_LANES + lane] = x;
        return true;
    case IR_STORE_OUTPUT:
        if (i->imm < EVAL_LOCATIONS)
            e->out[i->imm][i->imm2][lane] = x;
        return true;
    case IR_STORE_BUILTIN:
        if (i->imm == SpvBuiltInSampleMask && i->imm2 == 0)
            e->uncovered[lane] = (uint8_t)~x & 15;
        return true;
    case IR_MS_FLAGS_AND:
        e->uncovered[lane] |= (uint8_t)~x & 15;
        return true;
    case IR_DISCARD:
        e->discarded[lane] = true;
        return true;
    case IR_TLB_Z:
        e->z[lane] = x;
        e->z_written[lane] = y;
        return true;
    case IR_TLB_COLOR_STORE:
        e->color[lane] = x;
        e->color_written[lane] = y;
        return true;
    case IR_VPM_STORE:
        e->vpm[e->vpm_rows % 64][lane] = x;
        return true;
    default: {
        const uint32_t s[3] = {x, y};
        return e->engine_op && e->engine_op(e, i, lane, s, NULL);
    }
    }
}

static uint32_t derivative(struct run *r, const struct ir_instr *i, uint32_t lane)
{
    uint32_t step = i->op == IR_DDX ? 1 : 2;
    const uint32_t *x = r->values[i->src[0].def->value.index];
    return w((double)f(x[lane | step]) - f(x[lane & ~step]));
}

static uint32_t value(struct run *r, const struct ir_instr *i, uint32_t lane, uint32_t mask)
{
    uint32_t s[4] = {0}, out = 0;
    for (uint32_t k = 0; k < i->src_count && k < 4; k++)
        s[k] = r->values[i->src[k].def->value.index][lane];
    if (load_op(r, i, lane, &out) || (r->e->engine_op && r->e->engine_op(r->e, i, lane, s, &out)))
        return out;
    switch (i->op) {
    case IR_ROTATE:
        return r->values[i->src[0].def->value.index][(lane + i->imm) % EVAL_LANES];
    case IR_ACTIVE:
        return mask >> lane & 1;
    case IR_SEL:
        return s[0] ? s[1] : s[2];
    case IR_DDX:
    case IR_DDY:
        return derivative(r, i, lane);
    case IR_PACK_UNORM8:
        return byte_of(f(s[0])) | byte_of(f(s[1])) << 8 | byte_of(f(s[2])) << 16 | byte_of(f(s[3])) << 24;
    case IR_ANY:
        for (uint32_t l = 0; l < EVAL_LANES; l++)
            out |= (mask >> l & 1) & r->values[i->src[0].def->value.index][l];
        return out;
    default:
        break;
    }
    bool known = ir_op_infos[i->op].flags & IR_F ? float_op(i->op, f(s[0]), f(s[1]), &out)
                                                 : int_op(i->op, s[0], s[1], i->imm, &out);
    if (!known)
        r->e->trouble = ir_op_infos[i->op].text;
    return out;
}

/* ---------------------------------------------------------------- control flow */

static uint32_t run_list(struct run *r, struct util_list *list, uint32_t mask);

static void find_edges(struct run *r)
{
    uint32_t count = 0;
    ir_find_preds(r->shader);
    ir_for_each_block(block, r->shader)
        block->index = count++;
    r->edges = util_arena_new_array(r->shader->arena, struct edge *, count);
    ir_for_each_block(block, r->shader) {
        ir_for_each_instr(i, block) {
            if (i->op != IR_PHI)
                break;
            for (uint32_t k = 0; k < i->src_count; k++) {
                struct edge **first = &r->edges[block->preds[k]->index];
                struct edge *edge = util_arena_new(r->shader->arena, struct edge);
                *edge = (struct edge){i, k, *first};
                *first = edge;
            }
        }
    }
}

/* Reads the sources of the phis behind a block. Not later: in the rest of a loop, instructions without a side effect
 * overwrite the values of the lanes that have left it. */
static void leave_block(struct run *r, struct ir_block *block, uint32_t mask)
{
    for (const struct edge *edge = r->edges[block->index]; edge; edge = edge->next)
        for (uint32_t lane = 0; lane < EVAL_LANES; lane++)
            if (mask >> lane & 1)
                r->arriving[edge->phi->value.index][lane] =
                    r->values[edge->phi->src[edge->source].def->value.index][lane];
    for (uint32_t lane = 0; lane < EVAL_LANES; lane++)
        if (mask >> lane & 1)
            r->from[lane] = block;
}

static bool is_pred(const struct ir_block *block, const struct ir_block *of)
{
    for (uint32_t k = 0; k < of->pred_count; k++)
        if (of->preds[k] == block)
            return true;
    return false;
}

static void run_phis(struct run *r, struct ir_block *block, uint32_t mask)
{
    ir_for_each_instr(i, block) {
        if (i->op != IR_PHI)
            break;
        for (uint32_t lane = 0; lane < EVAL_LANES; lane++) {
            if (!(mask >> lane & 1))
                continue;
            if (!is_pred(r->from[lane], block))
                r->e->trouble = "a phi without the predecessor that a lane came from";
            r->values[i->value.index][lane] = r->arriving[i->value.index][lane];
        }
    }
}

/* The chip computes what has no side effect in idle lanes, too. */
static bool runs_everywhere(const struct ir_instr *i)
{
    return ir_op_infos[i->op].flags & IR_P || i->op == IR_ACTIVE || i->op == IR_ROTATE ||
           (i->op == IR_ENGINE_LOAD && i->imm);
}

static void run_instr(struct run *r, struct ir_instr *i, uint32_t mask)
{
    uint32_t results[EVAL_LANES];
    const uint32_t lanes = runs_everywhere(i) ? 0xffff : mask;
    if (r->e->barrier && (i->op == IR_BARRIER || i->op == IR_BARRIER_ARRIVE || i->op == IR_BARRIER_LEAVE)) {
        r->e->barrier(r->e);
        return;
    }
    for (uint32_t lane = 0; lane < EVAL_LANES; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        if (i->value.bits)
            results[lane] = value(r, i, lane, mask);
        else if (i->op != IR_BREAK && i->op != IR_CONTINUE && !effect(r, i, lane))
            r->e->trouble = ir_op_infos[i->op].text;
    }
    r->e->vpm_rows += i->op == IR_VPM_STORE;
    for (uint32_t lane = 0; lane < EVAL_LANES && i->value.bits; lane++)
        if (lanes >> lane & 1)
            r->values[i->value.index][lane] = results[lane];
}

static uint32_t run_block(struct run *r, struct ir_block *block, uint32_t mask)
{
    run_phis(r, block, mask);
    ir_for_each_instr(i, block) {
        if (i->op == IR_PHI)
            continue;
        if (!r->steps || r->e->trouble)
            return 0;
        r->steps--;
        run_instr(r, i, mask);
    }
    leave_block(r, block, mask);
    struct ir_instr *jump = ir_block_jump(block);
    if (!jump)
        return mask;
    if (jump->op == IR_BREAK)
        r->breaks |= mask;
    else
        r->continues |= mask;
    return 0;
}

static uint32_t run_if(struct run *r, struct ir_if *nif, uint32_t mask)
{
    uint32_t taken = 0;
    for (uint32_t lane = 0; lane < EVAL_LANES; lane++)
        taken |= (mask >> lane & 1 && r->values[nif->cond.def->value.index][lane]) ? 1u << lane : 0;
    uint32_t end = taken ? run_list(r, &nif->then_list, taken) : 0;
    return end | (mask & ~taken ? run_list(r, &nif->else_list, mask & ~taken) : 0);
}

static uint32_t run_loop(struct run *r, struct ir_loop *loop, uint32_t mask)
{
    uint32_t outer_breaks = r->breaks, outer_continues = r->continues, left = 0;
    while (mask && r->steps && !r->e->trouble) {
        r->breaks = r->continues = 0;
        mask = run_list(r, &loop->body, mask);
        mask |= r->continues;
        left |= r->breaks;
        r->steps -= r->steps != 0;
    }
    r->breaks = outer_breaks;
    r->continues = outer_continues;
    return left;
}

static uint32_t run_list(struct run *r, struct util_list *list, uint32_t mask)
{
    util_list_for_each(struct ir_node, node, list, link) {
        if (!mask)
            return 0;
        if (node->kind == IR_NODE_BLOCK)
            mask = run_block(r, ir_node_as_block(node), mask);
        else if (node->kind == IR_NODE_IF)
            mask = run_if(r, ir_node_as_if(node), mask);
        else
            mask = run_loop(r, ir_node_as_loop(node), mask);
    }
    return mask;
}

void eval_run(struct eval *e, struct ir_shader *shader, uint32_t max_steps)
{
    struct run r = {.e = e, .shader = shader, .steps = max_steps};
    find_edges(&r);
    r.values = util_arena_alloc_array(shader->arena, shader->value_count, sizeof *r.values);
    r.arriving = util_arena_alloc_array(shader->arena, shader->value_count, sizeof *r.arriving);
    r.variables = util_arena_new_array(shader->arena, uint32_t *, shader->variable_count);
    for (uint32_t i = 0; i < shader->variable_count; i++)
        r.variables[i] = util_arena_new_array(shader->arena, uint32_t, shader->variables[i].words * EVAL_LANES);
    compute_exprs(&r);
    run_list(&r, &shader->body, 0xffff);
    if (!r.steps && !e->trouble)
        e->trouble = "too many steps";
}
