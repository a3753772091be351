/* SPDX-License-Identifier: MIT
 *
 * Random programs at the level of SPIR-V, through the whole compiler: a random tree of statements is executed here,
 * lane by lane; written down as a module; and run by the IR evaluator as translated, and by the model as compiled. All
 * three must agree on every bit.
 *
 * The trees have variables and arrays with computed indices, ifs, switches, loops with break and continue, early
 * returns, integers of all operations, and floats that hold small integers, so that every result is exact.
 *
 *   fuzz_spirv [SEED [COUNT]]        VKT_FUZZ=full: 10,000 programs
 */
#include <inttypes.h>
#include <stdlib.h>
#include "as_vertex.h"
#include "compiler/spirv/spv.h"
#include "glsl_expect.h"
#include "ir_eval.h"

/* ---------------------------------------------------------------- trees */

enum expr_kind { E_CONST, E_PUSH, E_INPUT, E_VAR, E_ELEMENT, E_BINARY, E_UNARY, E_SELECT, E_FLOAT };
enum stmt_kind { S_ASSIGN, S_STORE, S_IF, S_LOOP, S_SWITCH, S_RETURN };

enum { VARS = 5, ELEMENTS = 4, MAX_NODES = 600, CASES = 3 };

struct expr {
    enum expr_kind kind;
    uint32_t value; /* constant; word; variable; operation: row of `binaries` or `unaries` or enum float_op */
    struct expr *a, *b, *c;
};

struct stmt {
    enum stmt_kind kind;
    uint32_t variable, count; /* loops: trips; switches: the cases are 0 to 2, the last one default */
    bool falls_through[CASES];
    struct expr *value, *index, *leave; /* leave: of a loop */
    bool leave_is_continue;
    struct stmt *body[CASES]; /* lists */
    struct stmt *next;
};

/* Comparisons give 0 or 1 through OpSelect. */
enum binary_kind { PLAIN, DIVISION, SHIFT, COMPARISON };
static const struct {
    uint32_t op;
    enum binary_kind kind;
} binaries[] = {
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
static const uint32_t unaries[] = {SpvOpSNegate, SpvOpNot, SpvOpBitReverse, SpvOpBitCount};
enum float_op { F_ADD, F_SUB, F_MUL, F_LESS, F_OPS };

struct gen {
    uint64_t state;
    unsigned nodes;
    struct expr exprs[MAX_NODES];
    struct stmt stmts[MAX_NODES];
    unsigned expr_count, stmt_count;
};

static uint32_t rnd(struct gen *g, uint32_t n)
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
    switch (rnd(g, 5)) {
    case 0:
        return new_expr(g, E_CONST, rnd(g, 2) ? constants[rnd(g, ARRAY_SIZE(constants))] : rnd(g, 0x7fffffff));
    case 1:
        return new_expr(g, E_PUSH, rnd(g, 8));
    case 2:
        return new_expr(g, E_INPUT, 0);
    default:
        return new_expr(g, E_VAR, rnd(g, VARS));
    }
}

static struct expr *random_expr(struct gen *g, unsigned depth)
{
    if (!depth || is_full(g) || !rnd(g, 6))
        return random_leaf(g);
    struct expr *e;
    switch (rnd(g, 12)) {
    case 0:
        e = new_expr(g, E_ELEMENT, 0);
        e->a = random_expr(g, depth - 1);
        return e;
    case 1:
        e = new_expr(g, E_UNARY, rnd(g, ARRAY_SIZE(unaries)));
        e->a = random_expr(g, depth - 1);
        return e;
    case 2:
        e = new_expr(g, E_SELECT, 0);
        e->a = random_expr(g, depth - 1);
        e->b = random_expr(g, depth - 1);
        e->c = random_expr(g, depth - 1);
        return e;
    case 3:
        e = new_expr(g, E_FLOAT, rnd(g, F_OPS));
        break;
    default:
        e = new_expr(g, E_BINARY, rnd(g, ARRAY_SIZE(binaries)));
        break;
    }
    e->a = random_expr(g, depth - 1);
    e->b = random_expr(g, depth - 1);
    return e;
}

static struct stmt *random_list(struct gen *g, unsigned depth, bool in_loop);

static struct stmt *random_stmt(struct gen *g, unsigned depth)
{
    struct stmt *s = &g->stmts[g->stmt_count++];
    unsigned kind = depth && !is_full(g) ? rnd(g, 12) : rnd(g, 5);
    *s = (struct stmt){.variable = rnd(g, VARS), .value = random_expr(g, 3)};
    if (kind < 4) {
        s->kind = S_ASSIGN;
    } else if (kind < 5) {
        s->kind = S_STORE;
        s->index = random_expr(g, 1);
    } else if (kind < 8) {
        s->kind = S_IF;
        s->body[0] = random_list(g, depth - 1, false);
        s->body[1] = rnd(g, 2) ? random_list(g, depth - 1, false) : NULL;
    } else if (kind < 10) {
        s->kind = S_LOOP;
        s->count = 1 + rnd(g, 4);
        s->leave = rnd(g, 2) ? random_expr(g, 2) : NULL;
        s->leave_is_continue = rnd(g, 2);
        s->body[0] = random_list(g, depth - 1, true);
        s->body[1] = random_list(g, depth - 1, true);
    } else if (kind < 11) {
        s->kind = S_SWITCH;
        for (unsigned k = 0; k < CASES; k++) {
            s->body[k] = random_list(g, depth - 1, false);
            s->falls_through[k] = k + 1 < CASES && rnd(g, 3) == 0;
        }
    } else {
        s->kind = S_RETURN;
    }
    return s;
}

static struct stmt *random_list(struct gen *g, unsigned depth, bool in_loop)
{
    struct stmt *first = NULL, **end = &first;
    for (unsigned n = 1 + rnd(g, 3); n; n--) {
        *end = random_stmt(g, depth);
        end = &(*end)->next;
    }
    return first;
}

/* ---------------------------------------------------------------- execution */

struct lane {
    uint32_t vars[VARS], elements[ELEMENTS], number;
    const uint32_t *push;
    bool returned;
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

/* Divisors are from 1 to 256, shifts below 32: nothing is undefined. */
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

/* On integers from 0 to 255. */
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
        return run_binary(binaries[e->value].op, a, b);
    case E_FLOAT:
        return run_float((enum float_op)e->value, a, b);
    case E_SELECT:
        return a & 1 ? b : c;
    default:
        break;
    }
    switch (unaries[e->value]) {
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

static void run_list(struct lane *l, const struct stmt *s);

/* { body[0]; if (leave & 1) break or continue; body[1] } */
static void run_loop(struct lane *l, const struct stmt *s)
{
    for (uint32_t i = 0; i < s->count && !l->returned; i++) {
        run_list(l, s->body[0]);
        if (!l->returned && s->leave && (run_expr(l, s->leave) & 1)) {
            if (s->leave_is_continue)
                continue;
            return;
        }
        if (!l->returned)
            run_list(l, s->body[1]);
    }
}

static void run_switch(struct lane *l, const struct stmt *s)
{
    uint32_t at = run_expr(l, s->value) & 3;
    for (at = MIN2(at, CASES - 1u); at < CASES && !l->returned; at++) {
        run_list(l, s->body[at]);
        if (!s->falls_through[at])
            return;
    }
}

static void run_list(struct lane *l, const struct stmt *s)
{
    for (; s && !l->returned; s = s->next) {
        if (s->kind == S_ASSIGN)
            l->vars[s->variable] = run_expr(l, s->value);
        else if (s->kind == S_STORE)
            l->elements[run_expr(l, s->index) % ELEMENTS] = run_expr(l, s->value);
        else if (s->kind == S_IF)
            run_list(l, s->body[!(run_expr(l, s->value) & 1)]);
        else if (s->kind == S_LOOP)
            run_loop(l, s);
        else if (s->kind == S_SWITCH)
            run_switch(l, s);
        else
            l->returned = run_expr(l, s->value) & 1;
    }
}

/* ---------------------------------------------------------------- modules */

enum fixed_id {
    ID_NONE,
    ID_MAIN,
    ID_VOID,
    ID_VOID_FN,
    ID_UINT,
    ID_FLOAT,
    ID_BOOL,
    ID_UVEC4,
    ID_VEC4,
    ID_INPUT,
    ID_OUTPUT,
    ID_PUSH,
    ID_IN_PTR,
    ID_OUT_PTR,
    ID_PUSH_BLOCK,
    ID_PUSH_PTR,
    ID_PUSH_UINT_PTR,
    ID_PUSH_ARRAY,
    ID_VAR_PTR,
    ID_ARRAY,
    ID_ARRAY_PTR,
    ID_IN_FLOAT_PTR,
    ID_8,
    ID_ELEMENTS,
    ID_WORKER,
    ID_UINT_PRIVATE,
    ID_ARRAY_PRIVATE,
    ID_ELEMENT_PTR,
    ID_VARS,
    ID_ELEMENT_ARRAY = ID_VARS + VARS,
    ID_FREE
};

#define MAX_WORDS 60000

struct module {
    uint32_t words[MAX_WORDS], count, next_id;
    uint32_t constants[2000], constant_ids[2000], constant_count; /* declared behind the types */
};

static void put(struct module *m, uint32_t op, uint32_t count, const uint32_t *operands)
{
    if (m->count + count + 1 > MAX_WORDS)
        fail_msg("a module of more than %d words", MAX_WORDS);
    m->words[m->count++] = (count + 1) << 16 | op;
    for (uint32_t i = 0; i < count; i++)
        m->words[m->count++] = operands[i];
}

#define PUT(m, op, ...) put(m, op, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (uint32_t[]){__VA_ARGS__})

static uint32_t constant(struct module *m, uint32_t value)
{
    for (uint32_t i = 0; i < m->constant_count; i++)
        if (m->constants[i] == value)
            return m->constant_ids[i];
    assert_true(m->constant_count < ARRAY_SIZE(m->constants));
    m->constants[m->constant_count] = value;
    return m->constant_ids[m->constant_count++] = m->next_id++;
}

static uint32_t result(struct module *m, uint32_t op, uint32_t type, uint32_t a, uint32_t b)
{
    uint32_t id = m->next_id++;
    if (b)
        PUT(m, op, type, id, a, b);
    else
        PUT(m, op, type, id, a);
    return id;
}

static uint32_t put_bool(struct module *m, uint32_t word)
{
    uint32_t bit = result(m, SpvOpBitwiseAnd, ID_UINT, word, constant(m, 1));
    return result(m, SpvOpINotEqual, ID_BOOL, bit, constant(m, 0));
}

static uint32_t put_select(struct module *m, uint32_t type, uint32_t cond, uint32_t a, uint32_t b)
{
    uint32_t id = m->next_id++;
    PUT(m, SpvOpSelect, type, id, cond, a, b);
    return id;
}

static uint32_t put_element(struct module *m, uint32_t index)
{
    uint32_t bounded = result(m, SpvOpUMod, ID_UINT, index, constant(m, ELEMENTS));
    return result(m, SpvOpAccessChain, ID_ELEMENT_PTR, ID_ELEMENT_ARRAY, bounded);
}

static uint32_t put_binary(struct module *m, uint32_t row, uint32_t a, uint32_t b)
{
    uint32_t op = binaries[row].op;
    switch (binaries[row].kind) {
    case DIVISION:
        b = result(m, SpvOpBitwiseAnd, ID_UINT, b, constant(m, 255));
        return result(m, op, ID_UINT, a, result(m, SpvOpIAdd, ID_UINT, b, constant(m, 1)));
    case SHIFT:
        return result(m, op, ID_UINT, a, result(m, SpvOpBitwiseAnd, ID_UINT, b, constant(m, 31)));
    case COMPARISON:
        return put_select(m, ID_UINT, result(m, op, ID_BOOL, a, b), constant(m, 1), constant(m, 0));
    default:
        return result(m, op, ID_UINT, a, b);
    }
}

static uint32_t put_float(struct module *m, enum float_op op, uint32_t a, uint32_t b)
{
    static const uint32_t ops[] = {SpvOpFAdd, SpvOpFSub, SpvOpFMul};
    a = result(m, SpvOpConvertUToF, ID_FLOAT, result(m, SpvOpBitwiseAnd, ID_UINT, a, constant(m, 255)), 0);
    b = result(m, SpvOpConvertUToF, ID_FLOAT, result(m, SpvOpBitwiseAnd, ID_UINT, b, constant(m, 255)), 0);
    if (op == F_LESS)
        return put_select(m, ID_UINT, result(m, SpvOpFOrdLessThan, ID_BOOL, a, b), constant(m, 1), constant(m, 0));
    return result(m, SpvOpConvertFToS, ID_UINT, result(m, ops[op], ID_FLOAT, a, b), 0);
}

static uint32_t put_expr(struct module *m, const struct expr *e)
{
    uint32_t a = e->a ? put_expr(m, e->a) : 0, b = e->b ? put_expr(m, e->b) : 0, c = e->c ? put_expr(m, e->c) : 0;
    uint32_t id;
    switch (e->kind) {
    case E_CONST:
        return constant(m, e->value);
    case E_PUSH:
        id = m->next_id++;
        PUT(m, SpvOpAccessChain, ID_PUSH_UINT_PTR, id, ID_PUSH, constant(m, 0), constant(m, e->value));
        return result(m, SpvOpLoad, ID_UINT, id, 0);
    case E_INPUT:
        id = result(m, SpvOpAccessChain, ID_IN_FLOAT_PTR, ID_INPUT, constant(m, 0));
        return result(m, SpvOpConvertFToU, ID_UINT, result(m, SpvOpLoad, ID_FLOAT, id, 0), 0);
    case E_VAR:
        return result(m, SpvOpLoad, ID_UINT, ID_VARS + e->value, 0);
    case E_ELEMENT:
        return result(m, SpvOpLoad, ID_UINT, put_element(m, a), 0);
    case E_BINARY:
        return put_binary(m, e->value, a, b);
    case E_FLOAT:
        return put_float(m, (enum float_op)e->value, a, b);
    case E_SELECT:
        return put_select(m, ID_UINT, put_bool(m, a), b, c);
    default:
        return result(m, unaries[e->value], ID_UINT, a, 0);
    }
}

static void put_label(struct module *m, uint32_t id)
{
    PUT(m, SpvOpLabel, id);
}

static void put_list(struct module *m, const struct stmt *s);

static void put_if(struct module *m, const struct stmt *s)
{
    uint32_t yes = m->next_id++, no = s->body[1] ? m->next_id++ : 0, merge = m->next_id++;
    uint32_t cond = put_bool(m, put_expr(m, s->value));
    PUT(m, SpvOpSelectionMerge, merge, 0);
    PUT(m, SpvOpBranchConditional, cond, yes, no ? no : merge);
    put_label(m, yes);
    put_list(m, s->body[0]);
    PUT(m, SpvOpBranch, merge);
    if (no) {
        put_label(m, no);
        put_list(m, s->body[1]);
        PUT(m, SpvOpBranch, merge);
    }
    put_label(m, merge);
}

/* The counter is a phi, all else goes through variables. */
static void put_loop(struct module *m, const struct stmt *s)
{
    uint32_t before = m->next_id++, head = m->next_id++, body = m->next_id++, more = m->next_id++, next = m->next_id++;
    uint32_t merge = m->next_id++, counter = m->next_id++, counted = m->next_id++;
    PUT(m, SpvOpBranch, before);
    put_label(m, before);
    PUT(m, SpvOpBranch, head);
    put_label(m, head);
    PUT(m, SpvOpPhi, ID_UINT, counter, constant(m, 0), before, counted, next);
    uint32_t goes_on = result(m, SpvOpULessThan, ID_BOOL, counter, constant(m, s->count));
    PUT(m, SpvOpLoopMerge, merge, next, 0);
    PUT(m, SpvOpBranchConditional, goes_on, body, merge);
    put_label(m, body);
    put_list(m, s->body[0]);
    if (s->leave) {
        uint32_t leaves = put_bool(m, put_expr(m, s->leave));
        PUT(m, SpvOpSelectionMerge, more, 0);
        uint32_t out = m->next_id++;
        PUT(m, SpvOpBranchConditional, leaves, out, more);
        put_label(m, out);
        PUT(m, SpvOpBranch, s->leave_is_continue ? next : merge);
    } else {
        PUT(m, SpvOpBranch, more);
    }
    put_label(m, more);
    put_list(m, s->body[1]);
    PUT(m, SpvOpBranch, next);
    put_label(m, next);
    PUT(m, SpvOpIAdd, ID_UINT, counted, counter, constant(m, 1));
    PUT(m, SpvOpBranch, head);
    put_label(m, merge);
}

static void put_switch(struct module *m, const struct stmt *s)
{
    uint32_t labels[CASES + 1];
    for (uint32_t k = 0; k <= CASES; k++)
        labels[k] = m->next_id++;
    uint32_t selector = result(m, SpvOpBitwiseAnd, ID_UINT, put_expr(m, s->value), constant(m, 3));
    PUT(m, SpvOpSelectionMerge, labels[CASES], 0);
    PUT(m, SpvOpSwitch, selector, labels[2], 0, labels[0], 1, labels[1]);
    for (uint32_t k = 0; k < CASES; k++) {
        put_label(m, labels[k]);
        put_list(m, s->body[k]);
        PUT(m, SpvOpBranch, labels[s->falls_through[k] ? k + 1 : CASES]);
    }
    put_label(m, labels[CASES]);
}

static void put_return(struct module *m, const struct stmt *s)
{
    uint32_t yes = m->next_id++, merge = m->next_id++;
    uint32_t cond = put_bool(m, put_expr(m, s->value));
    PUT(m, SpvOpSelectionMerge, merge, 0);
    PUT(m, SpvOpBranchConditional, cond, yes, merge);
    put_label(m, yes);
    put(m, SpvOpReturn, 0, NULL);
    put_label(m, merge);
}

static void put_list(struct module *m, const struct stmt *s)
{
    for (; s; s = s->next) {
        uint32_t value;
        switch (s->kind) {
        case S_ASSIGN:
            value = put_expr(m, s->value);
            PUT(m, SpvOpStore, ID_VARS + s->variable, value);
            break;
        case S_STORE:
            value = put_expr(m, s->value);
            PUT(m, SpvOpStore, put_element(m, put_expr(m, s->index)), value);
            break;
        case S_IF:
            put_if(m, s);
            break;
        case S_LOOP:
            put_loop(m, s);
            break;
        case S_SWITCH:
            put_switch(m, s);
            break;
        case S_RETURN:
            put_return(m, s);
            break;
        }
    }
}

/* The statements are a function of their own, which returns early; main sets the variables before and writes them
 * after. */
static void put_functions(struct module *m, const struct stmt *list)
{
    PUT(m, SpvOpFunction, ID_VOID, ID_WORKER, 0, ID_VOID_FN);
    put_label(m, m->next_id++);
    put_list(m, list);
    put(m, SpvOpReturn, 0, NULL);
    put(m, SpvOpFunctionEnd, 0, NULL);
    PUT(m, SpvOpFunction, ID_VOID, ID_MAIN, 0, ID_VOID_FN);
    put_label(m, m->next_id++);
    for (uint32_t i = 0; i < VARS; i++)
        PUT(m, SpvOpStore, ID_VARS + i, constant(m, i * 77));
    for (uint32_t i = 0; i < ELEMENTS; i++)
        PUT(m, SpvOpStore, put_element(m, constant(m, i)), constant(m, i * 5));
    PUT(m, SpvOpFunctionCall, ID_VOID, m->next_id, ID_WORKER);
    m->next_id++;
    uint32_t parts[4], sum = result(m, SpvOpLoad, ID_UINT, put_element(m, constant(m, 0)), 0), out;
    for (uint32_t i = 1; i < ELEMENTS; i++)
        sum =
            result(m, SpvOpBitwiseXor, ID_UINT, sum, result(m, SpvOpLoad, ID_UINT, put_element(m, constant(m, i)), 0));
    for (uint32_t i = 0; i < 4; i++)
        parts[i] = result(m, SpvOpLoad, ID_UINT, ID_VARS + i, 0);
    parts[3] = result(m, SpvOpIAdd, ID_UINT, parts[3], sum);
    out = m->next_id++;
    PUT(m, SpvOpCompositeConstruct, ID_UVEC4, out, parts[0], parts[1], parts[2], parts[3]);
    PUT(m, SpvOpStore, ID_OUTPUT, out);
    put(m, SpvOpReturn, 0, NULL);
    put(m, SpvOpFunctionEnd, 0, NULL);
}

static void put_types(struct module *m)
{
    PUT(m, SpvOpDecorate, ID_INPUT, SpvDecorationLocation, 0);
    PUT(m, SpvOpDecorate, ID_OUTPUT, SpvDecorationLocation, 0);
    PUT(m, SpvOpDecorate, ID_PUSH_ARRAY, SpvDecorationArrayStride, 4);
    PUT(m, SpvOpDecorate, ID_PUSH_BLOCK, SpvDecorationBlock);
    PUT(m, SpvOpMemberDecorate, ID_PUSH_BLOCK, 0, SpvDecorationOffset, 0);
    PUT(m, SpvOpTypeVoid, ID_VOID);
    PUT(m, SpvOpTypeFunction, ID_VOID_FN, ID_VOID);
    PUT(m, SpvOpTypeInt, ID_UINT, 32, 0);
    PUT(m, SpvOpTypeFloat, ID_FLOAT, 32);
    PUT(m, SpvOpTypeBool, ID_BOOL);
    PUT(m, SpvOpTypeVector, ID_UVEC4, ID_UINT, 4);
    PUT(m, SpvOpTypeVector, ID_VEC4, ID_FLOAT, 4);
    PUT(m, SpvOpConstant, ID_UINT, ID_8, 8);
    PUT(m, SpvOpConstant, ID_UINT, ID_ELEMENTS, ELEMENTS);
    PUT(m, SpvOpTypeArray, ID_PUSH_ARRAY, ID_UINT, ID_8);
    PUT(m, SpvOpTypeArray, ID_ARRAY, ID_UINT, ID_ELEMENTS);
    PUT(m, SpvOpTypeStruct, ID_PUSH_BLOCK, ID_PUSH_ARRAY);
    PUT(m, SpvOpTypePointer, ID_IN_PTR, SpvStorageClassInput, ID_VEC4);
    PUT(m, SpvOpTypePointer, ID_IN_FLOAT_PTR, SpvStorageClassInput, ID_FLOAT);
    PUT(m, SpvOpTypePointer, ID_OUT_PTR, SpvStorageClassOutput, ID_UVEC4);
    PUT(m, SpvOpTypePointer, ID_PUSH_PTR, SpvStorageClassPushConstant, ID_PUSH_BLOCK);
    PUT(m, SpvOpTypePointer, ID_PUSH_UINT_PTR, SpvStorageClassPushConstant, ID_UINT);
    PUT(m, SpvOpTypePointer, ID_UINT_PRIVATE, SpvStorageClassPrivate, ID_UINT);
    PUT(m, SpvOpTypePointer, ID_ARRAY_PRIVATE, SpvStorageClassPrivate, ID_ARRAY);
    PUT(m, SpvOpTypePointer, ID_ELEMENT_PTR, SpvStorageClassPrivate, ID_UINT);
    PUT(m, SpvOpVariable, ID_IN_PTR, ID_INPUT, SpvStorageClassInput);
    PUT(m, SpvOpVariable, ID_OUT_PTR, ID_OUTPUT, SpvStorageClassOutput);
    PUT(m, SpvOpVariable, ID_PUSH_PTR, ID_PUSH, SpvStorageClassPushConstant);
    for (uint32_t i = 0; i < VARS; i++)
        PUT(m, SpvOpVariable, ID_UINT_PRIVATE, ID_VARS + i, SpvStorageClassPrivate);
    PUT(m, SpvOpVariable, ID_ARRAY_PRIVATE, ID_ELEMENT_ARRAY, SpvStorageClassPrivate);
}

/* Functions are written first, for their constants, which stand in front of them. */
static void write_module(struct module *m, const struct stmt *list)
{
    static struct module functions;
    functions.count = functions.constant_count = 0;
    functions.next_id = ID_FREE;
    put_functions(&functions, list);
    const uint32_t header[] = {0x07230203, 0x10000, 0, functions.next_id, 0};
    memcpy(m->words, header, sizeof header);
    m->count = ARRAY_SIZE(header);
    PUT(m, SpvOpCapability, SpvCapabilityShader);
    PUT(m, SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelGLSL450);
    PUT(m, SpvOpEntryPoint, SpvExecutionModelFragment, ID_MAIN, 0x6e69616d /* "main" */, 0, ID_INPUT, ID_OUTPUT);
    PUT(m, SpvOpExecutionMode, ID_MAIN, SpvExecutionModeOriginUpperLeft);
    put_types(m);
    for (uint32_t i = 0; i < functions.constant_count; i++)
        PUT(m, SpvOpConstant, ID_UINT, functions.constant_ids[i], functions.constants[i]);
    assert_true(m->count + functions.count <= MAX_WORDS);
    memcpy(m->words + m->count, functions.words, functions.count * 4);
    m->count += functions.count;
}

/* ---------------------------------------------------------------- comparison */

struct tally {
    unsigned run, did_not_fit;
};

static uint64_t first_seed = 1;
static unsigned program_count = 80;

static void execute(const struct stmt *list, const uint32_t *push, uint32_t out[4][EVAL_LANES])
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

static void compare(const char *what, uint64_t seed, const uint32_t want[4][EVAL_LANES],
                    const uint32_t got[4][EVAL_LANES])
{
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t lane = 0; lane < EVAL_LANES; lane++)
            if (want[c][lane] != got[c][lane])
                fail_msg("seed %" PRIu64 ", %s: component %u, lane %u: 0x%08x, expected 0x%08x", seed, what, c, lane,
                         got[c][lane], want[c][lane]);
}

static void evaluate(const struct vc4c_entry *entry, uint64_t seed, const uint32_t *push,
                     const uint32_t want[4][EVAL_LANES], struct util_arena *arena)
{
    struct ir_shader *shader;
    struct vc4c_error error = {{0}};
    struct eval *e = calloc(1, sizeof *e);
    *e = (struct eval){.push = push, .push_words = 8, .input = glsl_input};
    if (spv_to_ir(entry, VC4C_PROGRAM_FRAGMENT, arena, &shader, &error))
        fail_msg("seed %" PRIu64 ": %s (word %u)", seed, error.text, error.offset_words);
    eval_run(e, shader, 10000000);
    if (e->trouble)
        fail_msg("seed %" PRIu64 ": the evaluator cannot do %s", seed, e->trouble);
    compare("as translated", seed, want, (const uint32_t(*)[EVAL_LANES])e->out[0]);
    free(e);
}

static void run_on_model(struct harness *h, const struct vc4c_entry *entry, uint64_t seed, const uint32_t *push,
                         const uint32_t want[4][EVAL_LANES], struct util_arena *arena, struct tally *tally)
{
    char *text = as_vertex_text(entry, arena);
    assert_non_null(text);
    h->seed = seed;
    if (harness_try_compile(h, text) == VC4C_OK) {
        memcpy(h->push, push, 8 * 4);
        as_vertex_inputs(h);
        harness_run(h);
        compare("on the model", seed, want, (const uint32_t(*)[EVAL_LANES])h->vpm_out);
        tally->run++;
    } else {
        tally->did_not_fit++;
    }
    free(text);
}

static void dump(const struct module *m)
{
    const char *name = getenv("FUZZ_DUMP");
    FILE *f = name ? fopen(name, "wb") : NULL;
    if (!f)
        return;
    fwrite(m->words, 4, m->count, f);
    fclose(f);
}

static void one_program(struct harness *h, uint64_t seed, struct tally *tally)
{
    static struct gen g;
    static struct module m;
    uint32_t push[8], want[4][EVAL_LANES];
    struct vc4c_module *module = NULL;
    struct vc4c_error error = {{0}};
    struct util_arena arena;
    memset(&g, 0, sizeof g);
    g.state = seed;
    rnd(&g, 2);
    for (uint32_t i = 0; i < 8; i++)
        push[i] = rnd(&g, 2) ? rnd(&g, 8) : rnd(&g, 0x7fffffff) * 2u + rnd(&g, 2);
    struct stmt *list = random_list(&g, 1 + (unsigned)(seed % 3), false);
    execute(list, push, want);
    write_module(&m, list);
    dump(&m);
    util_arena_init(&arena, NULL);
    if (vc4c_module_create(m.words, m.count * 4, NULL, &module, &error))
        fail_msg("seed %" PRIu64 ": %s (word %u)", seed, error.text, error.offset_words);
    struct vc4c_entry entry = {.module = module, .name = "main", .stage = VC4C_STAGE_FRAGMENT};
    evaluate(&entry, seed, push, (const uint32_t(*)[EVAL_LANES])want, &arena);
    run_on_model(h, &entry, seed, push, (const uint32_t(*)[EVAL_LANES])want, &arena, tally);
    util_arena_finish(&arena);
    vc4c_module_destroy(module);
}

static void random_programs(void **state)
{
    struct tally tally = {0};
    for (unsigned k = 0; k < program_count; k++)
        one_program(*state, first_seed + k, &tally);
    printf("# seeds %" PRIu64 " to %" PRIu64 ": %u programs, %u did not fit\n", first_seed,
           first_seed + program_count - 1, tally.run, tally.did_not_fit);
    assert_true(tally.did_not_fit * 3 < tally.run + 3);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_programs, harness_setup, harness_teardown),
    };
    const char *mode = getenv("VKT_FUZZ");
    if (mode && !strcmp(mode, "full"))
        program_count = 10000;
    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 0);
    if (argc > 2)
        program_count = (unsigned)strtoul(argv[2], NULL, 0);
    return cmocka_run_group_tests_name("compiler_fuzz_spirv", tests, NULL, NULL);
}
