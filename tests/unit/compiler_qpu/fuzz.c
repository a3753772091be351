/* SPDX-License-Identifier: MIT
 *
 * Fuzzes the back end with random IR: compiles a program, runs it on the model's interpreter and compares the results,
 * lane by lane, with a plain IR evaluator.
 *
 * The programs are compiled as generated, after all optimiser passes, for a chip with few registers and for the CPU
 * engine. `fuzz SEED [COUNT]` runs other programs, VKT_FUZZ=full 5,000 of each kind. A failure prints the seed and the
 * IR. Floats hold small integers, so that every result is exact.
 */
#include "harness.h"

#include "compiler/lower/lower.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---------------------------------------------------------------- evaluator */

struct eval {
    struct ir_shader *shader;
    struct harness *h;
    unsigned lane;
    uint32_t *values;
    uint32_t stores[16], store_count;
    uint32_t steps;
};

enum flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE };

static uint32_t byte_op(int op, uint32_t a, uint32_t b)
{
    uint32_t out = 0;
    for (unsigned k = 0; k < 32; k += 8) {
        uint32_t x = a >> k & 255, y = b >> k & 255;
        uint32_t r = op == IR_V8ADDS   ? MIN2(x + y, 255)
                     : op == IR_V8SUBS ? (x > y ? x - y : 0)
                     : op == IR_V8MIN  ? MIN2(x, y)
                                       : MAX2(x, y);
        out |= r << k;
    }
    return out;
}

static uint32_t eval_op(struct eval *e, const struct ir_instr *i)
{
    uint32_t v[3] = {0};
    for (unsigned k = 0; k < i->src_count && k < 3; k++)
        v[k] = e->values[i->src[k].def->value.index];
    uint32_t a = v[0], b = v[1];
    float f = util_uif(a), g = util_uif(b);
    switch (i->op) {
    case IR_CONST:
        return i->imm;
    case IR_UNIFORM:
        return i->uniform.kind == VC4C_UNIFORM_CONSTANT ? i->uniform.data : e->h->push[i->uniform.data / 4];
    case IR_ATTRIBUTE:
        return e->h->vpm_in[i->imm][e->lane];
    case IR_ELEMENT:
        return e->lane;
    case IR_MOV:
        return a;
    case IR_SEL:
        return a ? b : v[2];
    case IR_UNDEF:
        return 0;
    case IR_FADD:
        return util_fui(f + g);
    case IR_FSUB:
        return util_fui(f - g);
    case IR_FMUL:
        return util_fui(f * g);
    case IR_FMIN:
        return f < g ? a : b;
    case IR_FMAX:
        return f > g ? a : b;
    case IR_FTOI:
        return (uint32_t)(int32_t)f;
    case IR_ITOF:
        return util_fui((float)(int32_t)a);
    case IR_IADD:
        return a + b;
    case IR_ISUB:
        return a - b;
    case IR_SHR:
        return a >> (b & 31);
    case IR_ASR:
        return (uint32_t)((int32_t)a >> (b & 31));
    case IR_SHL:
        return a << (b & 31);
    case IR_IMIN:
        return (int32_t)a < (int32_t)b ? a : b;
    case IR_IMAX:
        return (int32_t)a > (int32_t)b ? a : b;
    case IR_AND:
    case IR_BAND:
        return a & b;
    case IR_OR:
    case IR_BOR:
        return a | b;
    case IR_XOR:
    case IR_BXOR:
        return a ^ b;
    case IR_NOT:
        return ~a;
    case IR_BNOT:
        return !a;
    case IR_CLZ:
        return a ? (uint32_t)__builtin_clz(a) : 32;
    case IR_MUL24:
        return (a & 0xffffff) * (b & 0xffffff);
    case IR_V8ADDS:
    case IR_V8SUBS:
    case IR_V8MIN:
    case IR_V8MAX:
        return byte_op(i->op, a, b);
    case IR_UNPACK_I:
        return i->imm < 2 ? (uint32_t)(int32_t)(int16_t)(a >> 16 * i->imm) : a >> 8 * (i->imm - 2) & 255;
    case IR_PACK_I16:
        return (a & 0xffff) | b << 16;
    case IR_FEQ:
        return f == g;
    case IR_FNE:
        return f != g;
    case IR_FLT:
        return f < g;
    case IR_FGE:
        return f >= g;
    case IR_IEQ:
        return a == b;
    case IR_INE:
        return a != b;
    case IR_ILT:
        return (int32_t)a < (int32_t)b;
    case IR_IGE:
        return (int32_t)a >= (int32_t)b;
    case IR_ULT:
        return a < b;
    case IR_UGE:
        return a >= b;
    case IR_DIRECT: {
        uint32_t last_B = e->h->buffer_size_B - 4, limit_B = last_B - MIN2(i->imm2 >> 16, last_B), word;
        uint32_t at = ((int32_t)a < 0 ? 0 : MIN2(a, limit_B)) + MIN2(i->imm2 & 0xffff, last_B);
        memcpy(&word, e->h->mem.base + HARNESS_DATA + (at & ~3u), 4);
        return word;
    }
    default:
        fail_msg("the evaluator does not support %s", ir_op_infos[i->op].text);
        return 0;
    }
}

/* Reads the sources of all phis of the block before it writes any of them. */
static void eval_phis(struct eval *e, struct ir_block *b, uint32_t pred)
{
    uint32_t news[64], count = 0;
    ir_for_each_instr(i, b) {
        if (i->op == IR_PHI && count < 64)
            news[count++] = e->values[i->src[pred].def->value.index];
    }
    count = 0;
    ir_for_each_instr(i, b) {
        if (i->op == IR_PHI)
            e->values[i->value.index] = news[count++];
    }
}

static enum flow eval_list(struct eval *e, struct util_list *list, uint32_t *ordinal);

static struct ir_block *next_block(struct ir_node *n)
{
    return ir_node_as_block(container_of(n->link.next, struct ir_node, link));
}

static bool ends_in_jump(struct util_list *list)
{
    struct ir_block *b = ir_node_as_block(util_list_last(list, struct ir_node, link));
    if (util_list_is_empty(&b->instrs))
        return false;
    uint16_t op = util_list_last(&b->instrs, struct ir_instr, link)->op;
    return op == IR_BREAK || op == IR_CONTINUE;
}

static uint32_t count_continues(struct util_list *list)
{
    uint32_t n = 0;
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_IF) {
            n += count_continues(&ir_node_as_if(node)->then_list) + count_continues(&ir_node_as_if(node)->else_list);
        } else if (node->kind == IR_NODE_BLOCK) {
            ir_for_each_instr(i, ir_node_as_block(node))
                n += i->op == IR_CONTINUE;
        }
    }
    return n;
}

static enum flow eval_loop(struct eval *e, struct ir_loop *loop)
{
    struct ir_block *head = ir_node_as_block(util_list_first(&loop->body, struct ir_node, link));
    uint32_t pred = 0, ordinal = 0;
    for (;;) {
        eval_phis(e, head, pred);
        if (++e->steps > 1000)
            fail_msg("the random program runs a loop more than 1000 times");
        enum flow f = eval_list(e, &loop->body, &ordinal);
        if (f == FLOW_BREAK)
            break;
        pred = f == FLOW_CONTINUE ? 1 + ordinal : 1 + count_continues(&loop->body);
    }
    eval_phis(e, next_block(&loop->node), ordinal);
    return FLOW_ON;
}

static enum flow eval_list(struct eval *e, struct util_list *list, uint32_t *ordinal)
{
    util_list_for_each(struct ir_node, n, list, link) {
        if (n->kind == IR_NODE_LOOP) {
            eval_loop(e, ir_node_as_loop(n));
        } else if (n->kind == IR_NODE_IF) {
            struct ir_if *nif = ir_node_as_if(n);
            bool yes = e->values[nif->cond.def->value.index] != 0;
            enum flow f = eval_list(e, yes ? &nif->then_list : &nif->else_list, ordinal);
            if (f != FLOW_ON)
                return f;
            eval_phis(e, next_block(n), yes ? 0 : !ends_in_jump(&nif->then_list));
        } else {
            ir_for_each_instr(i, ir_node_as_block(n)) {
                if (i->op == IR_PHI)
                    continue;
                if (i->op == IR_BREAK || i->op == IR_CONTINUE) {
                    *ordinal = i->imm;
                    return i->op == IR_BREAK ? FLOW_BREAK : FLOW_CONTINUE;
                }
                if (i->op == IR_VPM_STORE)
                    e->stores[e->store_count++ % 16] = e->values[i->src[0].def->value.index];
                else
                    e->values[i->value.index] = eval_op(e, i);
            }
        }
    }
    return FLOW_ON;
}

/* ---------------------------------------------------------------- generator */

enum kind { WORD, FLOAT, BOOL, KINDS };
#define POOL       400
#define ATTRIBUTES 6

struct gen {
    uint64_t state;
    struct ir_builder b;
    struct ir_instr *pool[KINDS][POOL];
    unsigned count[KINDS];
    unsigned loops; /* nesting */
    unsigned budget;
    bool with_flow;
};

static uint32_t rnd(struct gen *g, uint32_t n)
{
    g->state = g->state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(g->state >> 33) % n;
}

static struct ir_instr *pick(struct gen *g, enum kind k)
{
    unsigned n = g->count[k];
    /* Mostly recent values, sometimes old ones: gives short and long live ranges. */
    return rnd(g, 3) ? g->pool[k][n - 1 - rnd(g, MIN2(n, 6))] : g->pool[k][rnd(g, n)];
}

static struct ir_instr *keep(struct gen *g, enum kind k, struct ir_instr *i)
{
    if (g->count[k] < POOL)
        g->pool[k][g->count[k]++] = i;
    return i;
}

/* A load of one to four words of the buffer. */
static void build_access(struct gen *g)
{
    struct ir_instr *at = pick(g, WORD);
    uint32_t count = 1 + rnd(g, 4);
    for (uint32_t k = 0; k < count; k++) {
        struct ir_instr *word = ir_build1(&g->b, IR_DIRECT, at);
        word->imm2 = 4 * (count - 1) << 16 | 4 * k;
        keep(g, WORD, word);
    }
}

static void one_value(struct gen *g)
{
    static const uint16_t words[] = {IR_IADD, IR_ISUB, IR_SHR,   IR_ASR,    IR_SHL,    IR_IMIN,  IR_IMAX,  IR_AND,
                                     IR_OR,   IR_XOR,  IR_MUL24, IR_V8ADDS, IR_V8SUBS, IR_V8MIN, IR_V8MAX, IR_PACK_I16};
    static const uint16_t compares[] = {IR_IEQ, IR_INE, IR_ILT, IR_IGE, IR_ULT, IR_UGE};
    static const uint16_t float_compares[] = {IR_FEQ, IR_FNE, IR_FLT, IR_FGE};
    static const uint16_t logic[] = {IR_BAND, IR_BOR, IR_BXOR};
    static const uint32_t constants[] = {0, 1, 2, 5, 15, 16, 0xffffffff, 0xfffffff0, 0x3f800000, 1000, 0x12345678};
    struct ir_builder *b = &g->b;
    switch (rnd(g, 16)) {
    default:
        keep(g, WORD, ir_build2(b, words[rnd(g, ARRAY_SIZE(words))], pick(g, WORD), pick(g, WORD)));
        return;
    case 6:
        keep(g, WORD, ir_build1(b, rnd(g, 2) ? IR_NOT : IR_CLZ, pick(g, WORD)));
        return;
    case 7:
        keep(g, WORD, ir_const(b, constants[rnd(g, ARRAY_SIZE(constants))]));
        return;
    case 8:
        keep(g, WORD, ir_uniform(b, VC4C_UNIFORM_PUSH, 0, 4 * rnd(g, 16)));
        return;
    case 9:
        keep(g, BOOL, ir_build2(b, compares[rnd(g, ARRAY_SIZE(compares))], pick(g, WORD), pick(g, WORD)));
        return;
    case 10:
        if (rnd(g, 2))
            keep(g, BOOL, ir_build2(b, logic[rnd(g, 3)], pick(g, BOOL), pick(g, BOOL)));
        else
            keep(g, BOOL, ir_build1(b, IR_BNOT, pick(g, BOOL)));
        return;
    case 11:
        keep(g, WORD, ir_build3(b, IR_SEL, pick(g, BOOL), pick(g, WORD), pick(g, WORD)));
        return;
    case 12: { /* a float that holds a small integer */
        if (rnd(g, 3) == 0) {
            keep(g, FLOAT, ir_const_f(b, (float)(int)rnd(g, 5) - 2));
            return;
        }
        struct ir_instr *part = ir_build1(b, IR_UNPACK_I, pick(g, WORD));
        part->imm = 2 + rnd(g, 4);
        keep(g, FLOAT, ir_build1(b, IR_ITOF, part));
        return;
    }
    case 13: {
        static const uint16_t ops[] = {IR_FADD, IR_FSUB, IR_FMUL, IR_FMIN, IR_FMAX};
        struct ir_instr *f = ir_build2(b, ops[rnd(g, 5)], pick(g, FLOAT), pick(g, FLOAT));
        keep(g, WORD, ir_build1(b, IR_FTOI, f));
        return;
    }
    case 14:
        keep(g, BOOL, ir_build2(b, float_compares[rnd(g, 4)], pick(g, FLOAT), pick(g, FLOAT)));
        return;
    case 15:
        if (rnd(g, 2)) {
            struct ir_instr *part = ir_build1(b, IR_UNPACK_I, pick(g, WORD));
            part->imm = rnd(g, 6);
            keep(g, WORD, part);
        } else {
            build_access(g);
        }
        return;
    }
}

static void some_values(struct gen *g, unsigned n)
{
    for (unsigned k = 0; k < n && g->budget; k++, g->budget--)
        one_value(g);
}

static void flow(struct gen *g, unsigned depth);

static void random_if(struct gen *g, unsigned depth)
{
    unsigned mark[KINDS];
    memcpy(mark, g->count, sizeof mark);
    struct ir_if *nif = ir_push_if(&g->b, pick(g, BOOL));
    flow(g, depth - 1);
    struct ir_instr *then_word[2] = {pick(g, WORD), pick(g, WORD)}, *then_bool = pick(g, BOOL);
    memcpy(g->count, mark, sizeof mark);
    ir_push_else(&g->b, nif);
    if (rnd(g, 2))
        flow(g, depth - 1);
    struct ir_instr *words[2][2] = {{then_word[0], pick(g, WORD)}, {then_word[1], pick(g, WORD)}};
    struct ir_instr *bools[2] = {then_bool, pick(g, BOOL)};
    memcpy(g->count, mark, sizeof mark);
    ir_pop_if(&g->b, nif);
    for (unsigned k = 0; k < 1 + rnd(g, 2); k++)
        keep(g, WORD, ir_build(&g->b, IR_PHI, 32, 2, words[k]));
    if (rnd(g, 2))
        keep(g, BOOL, ir_build(&g->b, IR_PHI, 1, 2, bools));
}

/* loop { phis; if (i >= n) break; ...; [if (c) break;] ...; [if (c) continue;] ... } */
static void random_loop(struct gen *g, unsigned depth)
{
    struct ir_builder *b = &g->b;
    bool second_break = rnd(g, 2), has_continue = rnd(g, 2);
    struct ir_instr *zero = ir_const(b, 0), *one = ir_const(b, 1);
    struct ir_instr *trips =
        rnd(g, 2) ? ir_const(b, 1 + rnd(g, 4)) : ir_build2(b, IR_AND, pick(g, WORD), ir_const(b, 3));
    struct ir_instr *start[2] = {pick(g, WORD), pick(g, WORD)};
    const bool is_undefined = rnd(g, 2);
    struct ir_instr *first_boolean = is_undefined ? ir_build(b, IR_UNDEF, 1, 0, NULL) : pick(g, BOOL);
    unsigned mark[KINDS], inside[KINDS];
    struct ir_loop *loop = ir_push_loop(b);
    unsigned preds = 2 + has_continue;
    struct ir_instr *init[3] = {zero, zero, zero}, *phis[3];
    phis[0] = ir_build(b, IR_PHI, 32, preds, init);
    for (unsigned k = 0; k < 2; k++) {
        struct ir_instr *first[3] = {start[k], start[k], start[k]};
        phis[1 + k] = keep(g, WORD, ir_build(b, IR_PHI, 32, preds, first));
    }
    struct ir_instr *booleans[3] = {first_boolean, first_boolean, first_boolean};
    struct ir_instr *boolean = ir_build(b, IR_PHI, 1, preds, booleans);
    /* A boolean that starts undefined has only one predictable use: `x || !x`. */
    keep(g, BOOL, is_undefined ? ir_build2(b, IR_BOR, boolean, ir_build1(b, IR_BNOT, boolean)) : boolean);
    some_values(g, rnd(g, 4));
    memcpy(mark, g->count, sizeof mark); /* the values that dominate the exit */
    struct ir_instr *out[2] = {pick(g, WORD), NULL};
    struct ir_if *stop = ir_push_if(b, ir_build2(b, IR_IGE, phis[0], trips));
    ir_build0(b, IR_BREAK)->imm = 0;
    ir_push_else(b, stop);
    ir_pop_if(b, stop);
    struct ir_instr *next = ir_build2(b, IR_IADD, phis[0], one);
    some_values(g, rnd(g, 5));
    if (second_break) {
        out[1] = pick(g, WORD);
        struct ir_if *nif = ir_push_if(b, pick(g, BOOL));
        memcpy(inside, g->count, sizeof inside);
        some_values(g, rnd(g, 3));
        out[1] = pick(g, WORD);
        memcpy(g->count, inside, sizeof inside);
        ir_build0(b, IR_BREAK)->imm = 1;
        ir_push_else(b, nif);
        ir_pop_if(b, nif);
    }
    if (has_continue) {
        struct ir_if *nif = ir_push_if(b, pick(g, BOOL));
        memcpy(inside, g->count, sizeof inside);
        some_values(g, rnd(g, 3));
        for (unsigned k = 0; k < 2; k++)
            ir_src_set(&phis[1 + k]->src[1], pick(g, WORD));
        ir_src_set(&boolean->src[1], rnd(g, 2) ? pick(g, BOOL) : boolean);
        ir_src_set(&phis[0]->src[1], next);
        memcpy(g->count, inside, sizeof inside);
        ir_build0(b, IR_CONTINUE)->imm = 0;
        ir_push_else(b, nif);
        ir_pop_if(b, nif);
    }
    if (depth)
        flow(g, depth - 1);
    for (unsigned k = 0; k < 2; k++)
        ir_src_set(&phis[1 + k]->src[preds - 1], pick(g, WORD));
    ir_src_set(&boolean->src[preds - 1], rnd(g, 2) ? pick(g, BOOL) : boolean);
    ir_src_set(&phis[0]->src[preds - 1], next);
    memcpy(g->count, mark, sizeof mark);
    ir_pop_loop(b, loop);
    keep(g, WORD, ir_build(b, IR_PHI, 32, 1 + second_break, out));
}

static void flow(struct gen *g, unsigned depth)
{
    for (unsigned k = 0; k < 3 && g->budget; k++) {
        some_values(g, 1 + rnd(g, g->with_flow ? 6 : 40));
        if (!g->with_flow || !depth)
            continue;
        if (rnd(g, 3))
            random_if(g, depth);
        else
            random_loop(g, depth);
    }
    some_values(g, 1 + rnd(g, 4));
}

static struct ir_shader *random_shader(struct gen *g, struct util_arena *arena)
{
    struct ir_shader *s = ir_shader_create(arena, VC4C_PROGRAM_VERTEX);
    s->attributes[0] = (struct vc4c_attribute){.location = 0, .vpm_B = 0, .size_B = 4 * ATTRIBUTES};
    s->attribute_count = 1;
    s->attribute_size_B = 4 * ATTRIBUTES;
    s->buffer_count = 1;
    s->lowered = true;
    g->b = ir_at_end(s, ir_first_block(s));
    for (unsigned k = 0; k < ATTRIBUTES; k++) {
        struct ir_instr *a = ir_build0(&g->b, IR_ATTRIBUTE);
        a->imm = k;
        keep(g, WORD, a);
    }
    keep(g, WORD, ir_uniform(&g->b, VC4C_UNIFORM_PUSH, 0, 0));
    keep(g, BOOL, ir_build2(&g->b, IR_ILT, g->pool[WORD][0], g->pool[WORD][1]));
    keep(g, BOOL, ir_build2(&g->b, IR_ILT, g->pool[WORD][6], ir_const(&g->b, 3)));
    keep(g, FLOAT, ir_build1(&g->b, IR_ITOF, ir_build1(&g->b, IR_CLZ, g->pool[WORD][2])));
    flow(g, 3);
    for (unsigned k = 0; k < 6; k++)
        ir_build1(&g->b, IR_VPM_STORE, pick(g, WORD));
    return s;
}

/* ---------------------------------------------------------------- comparison */

static void fill_inputs(struct gen *g, struct harness *h)
{
    for (unsigned k = 0; k < ATTRIBUTES; k++) {
        for (unsigned l = 0; l < QPU_LANES; l++)
            h->vpm_in[k][l] = rnd(g, 2) ? rnd(g, 8) : rnd(g, 0x7fffffff) * 2u + rnd(g, 2);
    }
    for (unsigned k = 0; k < 64; k++)
        h->push[k] = rnd(g, 2) ? rnd(g, 6) : rnd(g, 0x7fffffff) * 2u;
    for (unsigned k = 0; k < 64; k++) {
        uint32_t word = rnd(g, 0x7fffffff);
        memcpy(h->mem.base + HARNESS_DATA + 4 * k, &word, 4);
    }
}

struct tally {
    unsigned run, too_big, instructions, spilling;
};

/* How a program is compiled. */
struct mode {
    bool is_optimised; /* by the IR passes */
    bool is_engine;
    bool is_quick; /* a short search for the schedule */
    unsigned registers_less;
};

static void check_results(struct harness *h, struct ir_shader *s, uint64_t seed, const struct eval *e)
{
    for (unsigned k = 0; k < 6; k++) {
        for (unsigned l = 0; l < QPU_LANES; l++) {
            if (h->vpm_out[k][l] == e[l].stores[k])
                continue;
            ir_print(stdout, s);
            qpu_dump(stdout, h->program.code, h->program.instruction_count);
            fail_msg("seed %" PRIu64 ": store %u lane %u: 0x%" PRIx32 ", expected 0x%" PRIx32, seed, k, l,
                     h->vpm_out[k][l], e[l].stores[k]);
        }
    }
}

/* Compiles and runs the program; the results must be equal, bit for bit, to those of the evaluator in `e`. */
static void run_program(struct harness *h, struct ir_shader *s, uint64_t seed, const struct mode *mode,
                        const struct eval *e, struct tally *tally)
{
    struct vc4c_error why = {0};
    if (mode->is_optimised) {
        ir_optimise(s);
        ir_opt_invariant(s);
    }
    if (mode->is_optimised || mode->registers_less) /* the pressure-reducing passes need it */
        ir_lower_loop_exits(s);
    ir_renumber(s);
    s->is_engine = mode->is_engine;
    struct qc_options options = {.quick = mode->is_quick, .registers_less = (uint8_t)mode->registers_less};
    enum vc4c_result result = qc_compile(s, &options, NULL, &h->program, &why);
    h->has_program = result == VC4C_OK;
    if (result == VC4C_DOES_NOT_FIT) {
        tally->too_big++;
        printf("# seed %" PRIu64 " does not fit\n", seed);
        return;
    }
    if (result != VC4C_OK)
        fail_msg("seed %" PRIu64 ": %s", seed, why.text);
    harness_run(h);
    tally->run++;
    tally->instructions += h->program.instruction_count;
    tally->spilling += h->program.stats.spill_rows > 0;
    check_results(h, s, seed, e);
    harness_drop_program(h);
}

static void one_program(struct harness *h, uint64_t seed, bool with_flow, unsigned budget, const struct mode *mode,
                        struct tally *tally)
{
    struct gen *g = calloc(1, sizeof *g);
    struct util_arena arena;
    struct eval e[QPU_LANES];
    g->state = h->seed = seed;
    g->with_flow = with_flow;
    g->budget = budget;
    util_arena_init(&arena, NULL);
    rnd(g, 2);
    struct ir_shader *s = random_shader(g, &arena);
    ir_renumber(s);
    const char *invalid = ir_validate(s, true);
    if (invalid) {
        ir_print(stdout, s);
        fail_msg("seed %" PRIu64 ": the generator made invalid IR: %s", seed, invalid);
    }
    fill_inputs(g, h);
    uint32_t *values = calloc(s->value_count + 1, 4);
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint32_t ordinal;
        e[l] = (struct eval){.shader = s, .h = h, .lane = l, .values = values};
        eval_list(&e[l], &s->body, &ordinal);
    }
    free(values);
    if (getenv("FUZZ_PRINT"))
        ir_print(stdout, s);
    run_program(h, s, seed, mode, e, tally);
    util_arena_finish(&arena);
    free(g);
}

static uint64_t first_seed = 1;
static unsigned program_count = 1000;

static void report(const struct tally *t)
{
    printf("# %u programs, %u instructions, %u did not fit, %u spill\n", t->run, t->instructions, t->too_big,
           t->spilling);
}

/* Compiles the programs as generated, after all optimiser passes, and after these quickly. */
static void plain_and_optimised(struct harness *h, uint64_t seed, bool with_flow)
{
    struct tally plain = {0}, optimised = {0}, quick = {0};
    for (unsigned k = 0; k < program_count; k++) {
        unsigned budget = (with_flow ? 30 : 20) + 4 * (k % 40);
        one_program(h, seed + k, with_flow, budget, &(struct mode){0}, &plain);
        one_program(h, seed + k, with_flow, budget, &(struct mode){.is_optimised = true}, &optimised);
        one_program(h, seed + k, with_flow, budget, &(struct mode){.is_optimised = true, .is_quick = true}, &quick);
    }
    report(&plain);
    report(&optimised);
    report(&quick);
    assert_int_equal(plain.too_big + optimised.too_big + quick.too_big, 0);
    assert_true(optimised.instructions < plain.instructions);
    assert_true(quick.instructions > optimised.instructions);
    assert_true(quick.instructions < optimised.instructions * 1.05);
}

static void straight_lines(void **state)
{
    plain_and_optimised(*state, first_seed, false);
}

static void control_flow(void **state)
{
    plain_and_optimised(*state, first_seed + 100000, true);
}

/* Small programs on a chip with 4 to 19 registers per file: nearly all values compete for registers. What fits also
 * fits quickly. */
static void few_registers(void **state)
{
    struct tally t[2] = {{0}};
    for (unsigned k = 0; k < program_count; k++) {
        unsigned too_big[2];
        for (unsigned is_quick = 0; is_quick < 2; is_quick++) {
            const unsigned before = t[is_quick].too_big;
            one_program(*state, first_seed + 200000 + k, k & 1, 20 + 2 * (k % 20),
                        &(struct mode){.registers_less = 28 - k / 2 % 16, .is_quick = is_quick}, &t[is_quick]);
            too_big[is_quick] = t[is_quick].too_big - before;
        }
        assert_true(too_big[1] <= too_big[0]);
    }
    report(&t[0]);
    report(&t[1]);
    assert_true(t[0].run * 3 > program_count);
}

/* The CPU engine spills values that get no register to memory; here with 16 to 19 registers per file. Of several
 * thousand such programs, one does not fit even so. */
static void spilling(void **state)
{
    struct tally t = {0};
    for (unsigned k = 0; k < program_count; k++)
        one_program(*state, first_seed + 300000 + k, k & 1, 100 + 4 * (k % 40),
                    &(struct mode){.is_engine = true, .registers_less = 16 - k / 2 % 4, .is_optimised = k / 2 & 1}, &t);
    report(&t);
    assert_true(t.too_big * 500 <= program_count);
    assert_true(t.spilling > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(straight_lines, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(control_flow, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(few_registers, harness_setup, harness_teardown),
        cmocka_unit_test_setup_teardown(spilling, harness_setup, harness_teardown),
    };
    const char *mode = getenv("VKT_FUZZ");
    if (mode && !strcmp(mode, "full"))
        program_count = 5000;
    else if (mode && !strcmp(mode, "few"))
        program_count /= 8;
    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 0);
    if (argc > 2)
        program_count = (unsigned)strtoul(argv[2], NULL, 0);
    return cmocka_run_group_tests_name("compiler_qpu_fuzz", tests, NULL, NULL);
}
