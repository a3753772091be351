/* SPDX-License-Identifier: MIT
 *
 * Random programs as trees: generates them, and executes them lane by lane.
 */
#include "fuzz_spirv.h"
#include "spv_gen.h"
#include "util/macros.h"

const struct binary fuzz_binaries[] = {
    {SpvOpIAdd, PLAIN},
    {SpvOpISub, PLAIN},
    {SpvOpIMul, PLAIN},
    {SpvOpBitwiseAnd, PLAIN},
    {SpvOpBitwiseOr, PLAIN},
    {SpvOpBitwiseXor, PLAIN},
    {SpvOpUDiv, DIVISION},
    {SpvOpUMod, DIVISION},
    {SpvOpSDiv, DIVISION},
    {SpvOpSRem, DIVISION},
    {SpvOpSMod, DIVISION},
    {SpvOpShiftLeftLogical, SHIFT},
    {SpvOpShiftRightLogical, SHIFT},
    {SpvOpShiftRightArithmetic, SHIFT},
    {SpvOpIEqual, COMPARISON},
    {SpvOpINotEqual, COMPARISON},
    {SpvOpULessThan, COMPARISON},
    {SpvOpSLessThan, COMPARISON},
    {SpvOpUGreaterThanEqual, COMPARISON},
    {SpvOpSGreaterThan, COMPARISON},
};

const uint32_t fuzz_unaries[] = {SpvOpSNegate, SpvOpNot, SpvOpBitReverse, SpvOpBitCount};

/* ---------------------------------------------------------------- making */

uint32_t fuzz_rnd(struct gen *g, uint32_t n)
{
    g->state = g->state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(g->state >> 33) % n;
}

static struct expr *new_expr(struct gen *g, enum expr_kind kind, uint32_t value)
{
    struct expr *e = &g->exprs[g->expr_count < MAX_NODES - 1 ? g->expr_count++ : MAX_NODES - 1];
    *e = (struct expr){.kind = kind, .value = value};
    return e;
}

static bool is_full(const struct gen *g)
{
    return g->expr_count > MAX_NODES - 40 || g->stmt_count > MAX_NODES - 40;
}

static struct expr *random_leaf(struct gen *g)
{
    static const uint32_t constants[] = {0, 1, 2, 3, 7, 16, 31, 255, 0xffffffff, 0xfffffffe, 0x80000000, 0x7fffffff};
    switch (fuzz_rnd(g, 5)) {
    case 0:
        return new_expr(g, E_CONST,
                        fuzz_rnd(g, 2) ? constants[fuzz_rnd(g, ARRAY_SIZE(constants))] : fuzz_rnd(g, 0x7fffffff));
    case 1:
        return new_expr(g, E_PUSH, fuzz_rnd(g, 8));
    case 2:
        return new_expr(g, E_INPUT, 0);
    default:
        return new_expr(g, E_VAR, fuzz_rnd(g, VARS));
    }
}

static struct expr *random_expr(struct gen *g, unsigned depth)
{
    if (!depth || is_full(g) || !fuzz_rnd(g, 6))
        return random_leaf(g);
    struct expr *e;
    switch (fuzz_rnd(g, 12)) {
    case 0:
        e = new_expr(g, E_ELEMENT, 0);
        e->a = random_expr(g, depth - 1);
        return e;
    case 1:
        e = new_expr(g, E_UNARY, fuzz_rnd(g, ARRAY_SIZE(fuzz_unaries)));
        e->a = random_expr(g, depth - 1);
        return e;
    case 2:
        e = new_expr(g, E_SELECT, 0);
        e->a = random_expr(g, depth - 1);
        e->b = random_expr(g, depth - 1);
        e->c = random_expr(g, depth - 1);
        return e;
    case 3:
        e = new_expr(g, E_FLOAT, fuzz_rnd(g, F_OPS));
        break;
    default:
        e = new_expr(g, E_BINARY, fuzz_rnd(g, ARRAY_SIZE(fuzz_binaries)));
        if (g->has_wide && fuzz_rnd(g, 4) == 0) {
            e->kind = E_WIDE;
            e->c = random_expr(g, depth - 1);
        }
        break;
    }
    e->a = random_expr(g, depth - 1);
    e->b = random_expr(g, depth - 1);
    return e;
}

static struct stmt *random_part(struct gen *g, unsigned depth, bool in_loop, bool in_switch)
{
    const bool outer_loop = g->in_loop, outer_switch = g->in_switch;
    g->in_loop |= in_loop;
    g->in_switch = in_switch || (g->in_switch && !in_loop);
    struct stmt *list = fuzz_random_list(g, depth);
    g->in_loop = outer_loop;
    g->in_switch = outer_switch;
    return list;
}

static void random_loop(struct gen *g, struct stmt *s, unsigned depth)
{
    s->kind = S_LOOP;
    s->loop.count = 1 + fuzz_rnd(g, 4);
    s->loop.trips = fuzz_rnd(g, 2) ? random_expr(g, 2) : NULL;
    s->loop.leave = fuzz_rnd(g, 2) ? random_expr(g, 2) : NULL;
    s->loop.leave_is_continue = fuzz_rnd(g, 2);
    s->loop.tests_last = fuzz_rnd(g, 3) == 0;
    if (!g->has_exact_loop && fuzz_rnd(g, 3) == 0) {
        s->loop.is_exact = g->has_exact_loop = true;
        s->loop.tests_last = false;
        s->loop.trips = new_expr(g, E_INPUT, 0);
    }
    s->body[0] = random_part(g, depth - 1, true, false);
    s->body[1] = random_part(g, depth - 1, true, false);
}

static void random_switch(struct gen *g, struct stmt *s, unsigned depth)
{
    s->kind = S_SWITCH;
    s->cases.count = 1 + fuzz_rnd(g, CASES);
    s->cases.default_at = fuzz_rnd(g, 3) ? fuzz_rnd(g, s->cases.count) : CASES;
    for (uint32_t v = 0; v < SELECTORS; v++)
        if (fuzz_rnd(g, 4))
            s->cases.values[fuzz_rnd(g, s->cases.count)] |= (uint8_t)(1 << v);
    for (uint32_t k = 0; k < s->cases.count; k++) {
        if (!s->cases.values[k] && k != s->cases.default_at) { /* each case must be a target of the switch */
            const uint8_t value = (uint8_t)(1 << fuzz_rnd(g, SELECTORS));
            for (uint32_t other = 0; other < s->cases.count; other++)
                s->cases.values[other] &= (uint8_t)~value;
            s->cases.values[k] = value;
            k = UINT32_MAX; /* start over: the value may have been the last one of another case */
            continue;
        }
    }
    for (uint32_t k = 0; k < s->cases.count; k++) {
        s->body[k] = random_part(g, depth - 1, false, true);
        s->cases.falls[k] = k + 1 == s->cases.count ? FALL_NOT : (enum fall)fuzz_rnd(g, 3);
        s->cases.fall_if[k] = s->cases.falls[k] == FALL_IF ? random_expr(g, 2) : NULL;
    }
}

static void random_jump(struct gen *g, struct stmt *s)
{
    const uint32_t kind = fuzz_rnd(g, 3);
    s->kind = kind == 0 && (g->in_loop || g->in_switch) ? S_BREAK : kind == 1 && g->in_loop ? S_CONTINUE : S_RETURN;
    s->is_bare = fuzz_rnd(g, 2);
}

static struct stmt *random_stmt(struct gen *g, unsigned depth)
{
    struct stmt *s = &g->stmts[g->stmt_count++];
    unsigned kind = depth && !is_full(g) ? fuzz_rnd(g, 14) : fuzz_rnd(g, 5);
    *s = (struct stmt){.variable = fuzz_rnd(g, VARS), .value = random_expr(g, 3)};
    if (kind < 4) {
        s->kind = S_ASSIGN;
    } else if (kind < 5) {
        s->kind = S_STORE;
        s->index = random_expr(g, 1);
    } else if (kind < 8) {
        s->kind = S_IF;
        s->body[0] = random_part(g, depth - 1, false, g->in_switch);
        s->body[1] = fuzz_rnd(g, 2) ? random_part(g, depth - 1, false, g->in_switch) : NULL;
    } else if (kind < 10) {
        random_loop(g, s, depth);
    } else if (kind < 12) {
        random_switch(g, s, depth);
    } else {
        random_jump(g, s);
    }
    return s;
}

struct stmt *fuzz_random_list(struct gen *g, unsigned depth)
{
    struct stmt *first = NULL, **end = &first;
    for (unsigned n = 1 + fuzz_rnd(g, 3); n; n--) {
        *end = random_stmt(g, depth);
        end = &(*end)->next;
    }
    if (fuzz_rnd(g, 8) == 0 && !is_full(g) && (g->in_loop || g->in_switch || fuzz_rnd(g, 2))) {
        *end = &g->stmts[g->stmt_count++];
        **end = (struct stmt){.kind = S_RETURN};
        random_jump(g, *end);
        (*end)->value = NULL;
    }
    return first;
}

/* ---------------------------------------------------------------- execution */

struct lane {
    uint32_t vars[VARS], elements[ELEMENTS], number;
    const uint32_t *push;
};

static uint32_t count_bits(uint32_t x)
{
    uint32_t n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

static uint32_t reverse_bits(uint32_t x)
{
    uint32_t r = 0;
    for (unsigned k = 0; k < 32; k++)
        r |= (x >> k & 1) << (31 - k);
    return r;
}

/* Divisors are 1 to 256 and shifts are below 32, so no result is undefined. */
static uint32_t run_binary(uint32_t op, uint32_t x, uint32_t y)
{
    int64_t a = (int32_t)x, d = (y & 255) + 1;
    switch (op) {
    case SpvOpIAdd:
        return x + y;
    case SpvOpISub:
        return x - y;
    case SpvOpIMul:
        return x * y;
    case SpvOpBitwiseAnd:
        return x & y;
    case SpvOpBitwiseOr:
        return x | y;
    case SpvOpBitwiseXor:
        return x ^ y;
    case SpvOpUDiv:
        return x / (uint32_t)d;
    case SpvOpUMod:
        return x % (uint32_t)d;
    case SpvOpSDiv:
        return (uint32_t)(a / d);
    case SpvOpSRem:
        return (uint32_t)(a % d);
    case SpvOpSMod:
        return (uint32_t)((a % d + d) % d);
    case SpvOpShiftLeftLogical:
        return x << (y & 31);
    case SpvOpShiftRightLogical:
        return x >> (y & 31);
    case SpvOpShiftRightArithmetic:
        return (uint32_t)(a >> (y & 31));
    case SpvOpIEqual:
        return x == y;
    case SpvOpINotEqual:
        return x != y;
    case SpvOpULessThan:
        return x < y;
    case SpvOpSLessThan:
        return (int32_t)x < (int32_t)y;
    case SpvOpUGreaterThanEqual:
        return x >= y;
    default:
        return (int32_t)x > (int32_t)y;
    }
}

static uint64_t run_wide_division(uint32_t op, uint64_t x, uint64_t d)
{
    const bool is_negative = x >> 63 && op != SpvOpUDiv && op != SpvOpUMod;
    const uint64_t size = is_negative ? 0 - x : x, q = size / d, r = size % d;
    if (op == SpvOpUDiv || op == SpvOpSDiv)
        return is_negative ? 0 - q : q;
    if (op == SpvOpSMod)
        return is_negative && r ? d - r : r;
    return is_negative ? 0 - r : r;
}

/* Divisors are odd and below 2^32, shifts are below 64. */
static uint64_t run_wide(const struct binary *row, uint64_t x, uint64_t y)
{
    switch (row->op) {
    case SpvOpIAdd:
        return x + y;
    case SpvOpISub:
        return x - y;
    case SpvOpIMul:
        return x * y;
    case SpvOpBitwiseAnd:
        return x & y;
    case SpvOpBitwiseOr:
        return x | y;
    case SpvOpBitwiseXor:
        return x ^ y;
    case SpvOpShiftLeftLogical:
        return x << (y & 63);
    case SpvOpShiftRightLogical:
        return x >> (y & 63);
    case SpvOpShiftRightArithmetic:
        return x >> 63 ? ~(~x >> (y & 63)) : x >> (y & 63);
    case SpvOpIEqual:
        return x == y;
    case SpvOpINotEqual:
        return x != y;
    case SpvOpULessThan:
        return x < y;
    case SpvOpSLessThan:
        return (int64_t)x < (int64_t)y;
    case SpvOpUGreaterThanEqual:
        return x >= y;
    case SpvOpSGreaterThan:
        return (int64_t)x > (int64_t)y;
    default:
        return run_wide_division(row->op, x, (uint32_t)y | 1);
    }
}

/* The operands are taken modulo 256, so that the float results are exact integers. */
static uint32_t run_float(enum float_op op, uint32_t x, uint32_t y)
{
    int32_t a = (int32_t)(x & 255), b = (int32_t)(y & 255);
    return (uint32_t)(op == F_ADD ? a + b : op == F_SUB ? a - b : op == F_MUL ? a * b : a < b);
}

static uint32_t run_expr(const struct lane *l, const struct expr *e)
{
    uint32_t a = e->a ? run_expr(l, e->a) : 0, b = e->b ? run_expr(l, e->b) : 0, c = e->c ? run_expr(l, e->c) : 0;
    switch (e->kind) {
    case E_CONST:
        return e->value;
    case E_PUSH:
        return l->push[e->value];
    case E_INPUT:
        return l->number;
    case E_VAR:
        return l->vars[e->value];
    case E_ELEMENT:
        return l->elements[a % ELEMENTS];
    case E_BINARY:
        return run_binary(fuzz_binaries[e->value].op, a, b);
    case E_FLOAT:
        return run_float((enum float_op)e->value, a, b);
    case E_SELECT:
        return a & 1 ? b : c;
    case E_WIDE: {
        const uint64_t x = run_wide(&fuzz_binaries[e->value], (uint64_t)c << 32 | a, (uint64_t)(int64_t)(int32_t)b);
        return (uint32_t)(x ^ x >> 32);
    }
    default:
        break;
    }
    switch (fuzz_unaries[e->value]) {
    case SpvOpSNegate:
        return 0 - a;
    case SpvOpNot:
        return ~a;
    case SpvOpBitReverse:
        return reverse_bits(a);
    default:
        return count_bits(a);
    }
}

enum flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN };

static enum flow run_list(struct lane *l, const struct stmt *s);

/* { body[0]; if (leave & 1) break or continue; body[1] } */
static enum flow run_trip(struct lane *l, const struct stmt *s)
{
    enum flow flow = run_list(l, s->body[0]);
    if (flow == FLOW_ON && s->loop.leave && (run_expr(l, s->loop.leave) & 1))
        flow = s->loop.leave_is_continue ? FLOW_CONTINUE : FLOW_BREAK;
    return flow == FLOW_ON ? run_list(l, s->body[1]) : flow;
}

static enum flow run_loop(struct lane *l, const struct stmt *s)
{
    uint32_t count = s->loop.count;
    if (s->loop.is_exact)
        count = run_expr(l, s->loop.trips);
    else if (s->loop.trips)
        count = MIN2(count, run_expr(l, s->loop.trips) & 7);
    for (uint32_t i = s->loop.tests_last ? 1 : 0;; i++) {
        if (!s->loop.tests_last && i >= count)
            return FLOW_ON;
        enum flow flow = run_trip(l, s);
        if (flow == FLOW_RETURN)
            return FLOW_RETURN;
        if (flow == FLOW_BREAK || (s->loop.tests_last && i >= count))
            return FLOW_ON;
    }
}

static enum flow run_switch(struct lane *l, const struct stmt *s)
{
    const uint32_t value = run_expr(l, s->value) % SELECTORS;
    uint32_t at = s->cases.default_at;
    for (uint32_t k = 0; k < s->cases.count; k++)
        if (s->cases.values[k] >> value & 1)
            at = k;
    for (; at < s->cases.count; at++) {
        enum flow flow = run_list(l, s->body[at]);
        if (flow != FLOW_ON)
            return flow == FLOW_BREAK ? FLOW_ON : flow;
        if (s->cases.falls[at] == FALL_NOT || (s->cases.falls[at] == FALL_IF && !(run_expr(l, s->cases.fall_if[at]) & 1)))
            return FLOW_ON;
    }
    return FLOW_ON;
}

static enum flow run_stmt(struct lane *l, const struct stmt *s)
{
    switch (s->kind) {
    case S_ASSIGN:
        l->vars[s->variable] = run_expr(l, s->value);
        return FLOW_ON;
    case S_STORE:
        l->elements[run_expr(l, s->index) % ELEMENTS] = run_expr(l, s->value);
        return FLOW_ON;
    case S_IF:
        return run_list(l, s->body[!(run_expr(l, s->value) & 1)]);
    case S_LOOP:
        return run_loop(l, s);
    case S_SWITCH:
        return run_switch(l, s);
    default:
        break;
    }
    if (s->value && !(run_expr(l, s->value) & 1))
        return FLOW_ON;
    return s->kind == S_BREAK ? FLOW_BREAK : s->kind == S_CONTINUE ? FLOW_CONTINUE : FLOW_RETURN;
}

static enum flow run_list(struct lane *l, const struct stmt *s)
{
    enum flow flow = FLOW_ON;
    for (; s && flow == FLOW_ON; s = s->next)
        flow = run_stmt(l, s);
    return flow;
}

void fuzz_execute(const struct stmt *list, const uint32_t *push, uint32_t out[4][EVAL_LANES])
{
    for (uint32_t lane = 0; lane < EVAL_LANES; lane++) {
        struct lane l = {.number = lane, .push = push};
        for (uint32_t i = 0; i < VARS; i++)
            l.vars[i] = i * 77;
        for (uint32_t i = 0; i < ELEMENTS; i++)
            l.elements[i] = i * 5;
        run_list(&l, list);
        for (uint32_t i = 0; i < 4; i++)
            out[i][lane] = l.vars[i];
        for (uint32_t i = 0, sum = 0; i < ELEMENTS; i++) {
            sum ^= l.elements[i];
            out[3][lane] = i + 1 == ELEMENTS ? l.vars[3] + sum : 0;
        }
    }
}
