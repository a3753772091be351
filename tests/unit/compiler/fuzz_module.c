/* SPDX-License-Identifier: MIT
 *
 * Writes the statement trees of the fuzzer (fuzz_spirv.h) as SPIR-V modules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "fuzz_spirv.h"
#include "spv_gen.h"
#include "util/macros.h"

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
    ID_UVEC2,
    ID_LONG,
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

const uint32_t fuzz_first_variable = ID_VARS, fuzz_uint_type = ID_UINT;

static void put(struct module *m, uint32_t op, uint32_t count, const uint32_t *operands)
{
    if (m->count + count + 1 > MAX_WORDS)
        fail_msg("the module needs more than %d words (MAX_WORDS)", MAX_WORDS);
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
    uint32_t op = fuzz_binaries[row].op;
    switch (fuzz_binaries[row].kind) {
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

/* The 64-bit operands and result of E_WIDE (fuzz_spirv.h). */
static uint32_t put_wide(struct module *m, uint32_t row, uint32_t a, uint32_t b, uint32_t c)
{
    const struct binary *o = &fuzz_binaries[row];
    const uint32_t x = result(m, SpvOpBitcast, ID_LONG, result(m, SpvOpCompositeConstruct, ID_UVEC2, a, c), 0);
    uint32_t y, out;
    if (o->kind == COMPARISON) {
        y = result(m, SpvOpSConvert, ID_LONG, b, 0);
        return put_select(m, ID_UINT, result(m, o->op, ID_BOOL, x, y), constant(m, 1), constant(m, 0));
    }
    if (o->kind == DIVISION)
        y = result(m, SpvOpUConvert, ID_LONG, result(m, SpvOpBitwiseOr, ID_UINT, b, constant(m, 1)), 0);
    else if (o->kind == SHIFT)
        y = result(m, SpvOpUConvert, ID_LONG, result(m, SpvOpBitwiseAnd, ID_UINT, b, constant(m, 63)), 0);
    else
        y = result(m, SpvOpSConvert, ID_LONG, b, 0);
    out = result(m, SpvOpBitcast, ID_UVEC2, result(m, o->op, ID_LONG, x, y), 0);
    const uint32_t low = m->next_id++, high = m->next_id++;
    PUT(m, SpvOpCompositeExtract, ID_UINT, low, out, 0);
    PUT(m, SpvOpCompositeExtract, ID_UINT, high, out, 1);
    return result(m, SpvOpBitwiseXor, ID_UINT, low, high);
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
    case E_WIDE:
        return put_wide(m, e->value, a, b, c);
    case E_SELECT:
        return put_select(m, ID_UINT, put_bool(m, a), b, c);
    default:
        return result(m, fuzz_unaries[e->value], ID_UINT, a, 0);
    }
}

static void put_label(struct module *m, uint32_t id)
{
    PUT(m, SpvOpLabel, id);
}

/* The targets of break and continue. */
struct targets {
    uint32_t break_to, continue_to; /* labels */
};

/* Returns whether control reaches the end of the list. */
static bool put_list(struct module *m, const struct stmt *s, const struct targets *targets);

static void branch_if(struct module *m, bool goes_on, uint32_t label)
{
    if (goes_on)
        PUT(m, SpvOpBranch, label);
}

static bool put_if(struct module *m, const struct stmt *s, const struct targets *targets)
{
    uint32_t yes = m->next_id++, no = s->body[1] ? m->next_id++ : 0, merge = m->next_id++;
    uint32_t cond = put_bool(m, put_expr(m, s->value));
    PUT(m, SpvOpSelectionMerge, merge, 0);
    PUT(m, SpvOpBranchConditional, cond, yes, no ? no : merge);
    put_label(m, yes);
    bool yes_ends = put_list(m, s->body[0], targets), no_ends = true;
    branch_if(m, yes_ends, merge);
    if (no) {
        put_label(m, no);
        no_ends = put_list(m, s->body[1], targets);
        branch_if(m, no_ends, merge);
    }
    put_label(m, merge);
    if (!yes_ends && !no_ends)
        put(m, SpvOpUnreachable, 0, NULL);
    return yes_ends || no_ends;
}

/* if (leave & 1) break or continue; */
static void put_leave(struct module *m, const struct stmt *s, uint32_t more, const struct targets *inside)
{
    uint32_t leaves = put_bool(m, put_expr(m, s->loop.leave)), out = m->next_id++;
    PUT(m, SpvOpSelectionMerge, more, 0);
    PUT(m, SpvOpBranchConditional, leaves, out, more);
    put_label(m, out);
    PUT(m, SpvOpBranch, s->loop.leave_is_continue ? inside->continue_to : inside->break_to);
}

static uint32_t put_trips(struct module *m, const struct stmt *s)
{
    uint32_t count = constant(m, s->loop.count);
    if (s->loop.is_exact)
        return put_expr(m, s->loop.trips);
    if (!s->loop.trips)
        return count;
    uint32_t trips = result(m, SpvOpBitwiseAnd, ID_UINT, put_expr(m, s->loop.trips), constant(m, 7));
    return put_select(m, ID_UINT, result(m, SpvOpULessThan, ID_BOOL, trips, count), trips, count);
}

/* The loop counter is a phi; all other values go through variables. */
static void put_loop(struct module *m, const struct stmt *s)
{
    uint32_t before = m->next_id++, head = m->next_id++, body = m->next_id++, more = m->next_id++, next = m->next_id++;
    uint32_t merge = m->next_id++, counter = m->next_id++, counted = m->next_id++, count = put_trips(m, s);
    const struct targets inside = {merge, next};
    PUT(m, SpvOpBranch, before);
    put_label(m, before);
    PUT(m, SpvOpBranch, head);
    put_label(m, head);
    PUT(m, SpvOpPhi, ID_UINT, counter, constant(m, 0), before, counted, next);
    uint32_t test = s->loop.is_exact ? SpvOpINotEqual : SpvOpULessThan;
    uint32_t goes_on = s->loop.tests_last ? 0 : result(m, test, ID_BOOL, counter, count);
    PUT(m, SpvOpLoopMerge, merge, next, 0);
    if (s->loop.tests_last)
        PUT(m, SpvOpBranch, body);
    else
        PUT(m, SpvOpBranchConditional, goes_on, body, merge);
    put_label(m, body);
    bool ends = put_list(m, s->body[0], &inside);
    if (ends && s->loop.leave)
        put_leave(m, s, more, &inside);
    else
        branch_if(m, ends, more);
    if (ends) {
        put_label(m, more);
        branch_if(m, put_list(m, s->body[1], &inside), next);
    }
    put_label(m, next);
    PUT(m, SpvOpIAdd, ID_UINT, counted, counter, constant(m, 1));
    if (s->loop.tests_last)
        PUT(m, SpvOpBranchConditional, result(m, SpvOpULessThan, ID_BOOL, counted, count), head, merge);
    else
        PUT(m, SpvOpBranch, head);
    put_label(m, merge);
}

static void put_targets(struct module *m, const struct stmt *s, const uint32_t labels[CASES + 1])
{
    uint32_t operands[2 + 2 * SELECTORS], count = 2;
    operands[0] = result(m, SpvOpBitwiseAnd, ID_UINT, put_expr(m, s->value), constant(m, SELECTORS - 1));
    operands[1] = labels[s->cases.default_at < s->cases.count ? s->cases.default_at : CASES];
    for (uint32_t k = 0; k < s->cases.count; k++) {
        for (uint32_t v = 0; v < SELECTORS; v++) {
            if (!(s->cases.values[k] >> v & 1))
                continue;
            operands[count++] = v;
            operands[count++] = labels[k];
        }
    }
    PUT(m, SpvOpSelectionMerge, labels[CASES], 0);
    put(m, SpvOpSwitch, count, operands);
}

static bool put_switch(struct module *m, const struct stmt *s, const struct targets *targets)
{
    uint32_t labels[CASES + 1];
    const struct targets inside = {labels[CASES] = m->next_id++, targets->continue_to};
    for (uint32_t k = 0; k < s->cases.count; k++)
        labels[k] = m->next_id++;
    put_targets(m, s, labels);
    for (uint32_t k = 0; k < s->cases.count; k++) {
        put_label(m, labels[k]);
        if (!put_list(m, s->body[k], &inside))
            continue;
        if (s->cases.falls[k] == FALL_IF)
            PUT(m, SpvOpBranchConditional, put_bool(m, put_expr(m, s->cases.fall_if[k])), labels[k + 1], inside.break_to);
        else
            PUT(m, SpvOpBranch, s->cases.falls[k] == FALL_ALWAYS ? labels[k + 1] : inside.break_to);
    }
    put_label(m, labels[CASES]);
    return true;
}

/* Puts a return, break or continue. Returns whether control can reach the next statement. */
static bool put_jump(struct module *m, const struct stmt *s, const struct targets *targets)
{
    const uint32_t target = s->kind == S_BREAK ? targets->break_to : s->kind == S_CONTINUE ? targets->continue_to : 0;
    const bool is_bare = target && s->is_bare;
    uint32_t yes = target, more = 0;
    if (s->value) {
        uint32_t cond = put_bool(m, put_expr(m, s->value));
        more = m->next_id++;
        yes = is_bare ? target : m->next_id++;
        if (!is_bare)
            PUT(m, SpvOpSelectionMerge, more, 0);
        PUT(m, SpvOpBranchConditional, cond, yes, more);
        if (!is_bare)
            put_label(m, yes);
    }
    if (!s->value || !is_bare) {
        if (target)
            PUT(m, SpvOpBranch, target);
        else
            put(m, SpvOpReturn, 0, NULL);
    }
    if (more)
        put_label(m, more);
    return more;
}

static bool put_stmt(struct module *m, const struct stmt *s, const struct targets *targets)
{
    uint32_t value;
    switch (s->kind) {
    case S_ASSIGN:
        value = put_expr(m, s->value);
        PUT(m, SpvOpStore, ID_VARS + s->variable, value);
        return true;
    case S_STORE:
        value = put_expr(m, s->value);
        PUT(m, SpvOpStore, put_element(m, put_expr(m, s->index)), value);
        return true;
    case S_IF:
        return put_if(m, s, targets);
    case S_LOOP:
        put_loop(m, s);
        return true;
    case S_SWITCH:
        return put_switch(m, s, targets);
    default:
        return put_jump(m, s, targets);
    }
}

static bool put_list(struct module *m, const struct stmt *s, const struct targets *targets)
{
    bool goes_on = true;
    for (; s && goes_on; s = s->next)
        goes_on = put_stmt(m, s, targets);
    return goes_on;
}

/* Puts the statements into a function of their own, so that they can return early. main initialises the variables
 * before the call and writes them to the output after it. */
static void put_functions(struct module *m, const struct stmt *list)
{
    PUT(m, SpvOpFunction, ID_VOID, ID_WORKER, 0, ID_VOID_FN);
    put_label(m, m->next_id++);
    if (put_list(m, list, &(struct targets){0, 0}))
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
    PUT(m, SpvOpTypeVector, ID_UVEC2, ID_UINT, 2);
    PUT(m, SpvOpTypeInt, ID_LONG, 64, 0);
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

/* Writes the functions to a second module first: the constants they use have to be declared in front of them. */
void fuzz_write_module(struct module *m, const struct stmt *list, uint32_t model)
{
    static struct module functions;
    functions.count = functions.constant_count = 0;
    functions.next_id = ID_FREE;
    put_functions(&functions, list);
    const uint32_t header[] = {0x07230203, 0x10000, 0, functions.next_id, 0};
    memcpy(m->words, header, sizeof header);
    m->count = ARRAY_SIZE(header);
    PUT(m, SpvOpCapability, SpvCapabilityShader);
    PUT(m, SpvOpCapability, SpvCapabilityInt64);
    PUT(m, SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelGLSL450);
    PUT(m, SpvOpEntryPoint, model, ID_MAIN, 0x6e69616d /* "main" */, 0, ID_INPUT, ID_OUTPUT);
    if (model == SpvExecutionModelFragment)
        PUT(m, SpvOpExecutionMode, ID_MAIN, SpvExecutionModeOriginUpperLeft);
    put_types(m);
    for (uint32_t i = 0; i < functions.constant_count; i++)
        PUT(m, SpvOpConstant, ID_UINT, functions.constant_ids[i], functions.constants[i]);
    assert_true(m->count + functions.count <= MAX_WORDS);
    memcpy(m->words + m->count, functions.words, functions.count * 4);
    m->count += functions.count;
}
