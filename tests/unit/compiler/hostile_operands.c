/* SPDX-License-Identifier: MIT
 *
 * Writes small modules with one or two instructions whose operands are of any kind: numbers of 32 and 64 bits, vectors,
 * matrices, structs, empty structs, void values, pointers (to variables, variable pointers, 64-bit addresses), images,
 * types, literals, undefined ids. Damaging valid modules (mutate.h) rarely
 * gives an uncommon instruction such an operand.
 */
#include "hostile_made.h"
#include "mutate.h"
#include <string.h>
#include "spv_gen.h"
#include "util/macros.h"

static void op(struct module *m, uint32_t code, uint32_t count, const uint32_t *operands)
{
    m->words[m->count++] = (count + 1) << 16 | code;
    memcpy(m->words + m->count, operands, count * sizeof *operands);
    m->count += count;
}

#define OP(m, code, ...)                                                                                               \
    op(m, code, sizeof(uint32_t[]){__VA_ARGS__} / 4, (const uint32_t[]){__VA_ARGS__})

enum {
    MAIN = 1, GLSL, FUNCTION,
    /* types */
    VOID, BOOL, INT, UINT, FLOAT, VEC2, VEC4, IVEC3, BVEC2, UVEC4, MAT2, MAT4, EMPTY, PAIR, ARRAY, RUNTIME, IMAGE,
    STORAGE_IMAGE, SAMPLER, SAMPLED, BLOCK, TO_FLOAT, TO_VEC4, TO_OUT, TO_SAMPLED, TO_STORAGE_IMAGE, TO_BLOCK, DOUBLE,
    LONG, DVEC2, DVEC3, DMAT2, DOUBLES, WORDS, LVEC2, CARRIED, TO_DOUBLE, TO_DOUBLES, TO_WORD, TO_WORDS,
    /* values */
    TRUE, ZERO, ONE, TWO, THREE, HALF, UZERO, VEC2_VALUE, VEC4_VALUE, UVEC4_VALUE, MAT2_VALUE, PAIR_VALUE, NULL_MAT4,
    NULL_ARRAY, NONE, NO_MEMBERS, UNDEFINED, DOUBLE_VALUE, LONG_VALUE, DVEC2_VALUE, DVEC3_VALUE, DMAT2_VALUE, LVEC2_VALUE, NULL_ADDRESS,
    NO_ADDRESS, OUT, PRIVATE, TEXTURE, STORAGE, BUFFER, WORD_BUFFER, LOADED, LOADED_IMAGE, WORD, LABEL, FREE,
    FREE_TOO, BOUND
};

static void header(struct module *m, uint32_t stage)
{
    static const uint32_t start[] = {0x07230203, 0x00010300, 0, BOUND, 0};
    static const uint32_t glsl[] = {GLSL, 0x4c534c47, 0x6474732e, 0x3035342e, 0};
    memcpy(m->words, start, sizeof start);
    m->count = 5;
    OP(m, 17, 1);
    OP(m, 17, 10);   /* Float64 */
    OP(m, 17, 11);   /* Int64 */
    OP(m, 17, 4442); /* VariablePointers */
    OP(m, 17, 5347); /* PhysicalStorageBufferAddresses */
    op(m, 11, ARRAY_SIZE(glsl), glsl);
    OP(m, 14, 5348, 1);
    OP(m, 15, stage, MAIN, 0x6e69616d, 0, OUT);
    if (stage == 5)
        OP(m, 16, MAIN, 17, 4, 4, 1);
    else
        OP(m, 16, MAIN, 7);
    OP(m, 71, OUT, 30, 0);
    for (uint32_t i = 0; i < 4; i++) {
        OP(m, 71, TEXTURE + i, 34, 0);
        OP(m, 71, TEXTURE + i, 33, i);
    }
    OP(m, 71, BLOCK, 3); /* BufferBlock */
    OP(m, 72, BLOCK, 0, 35, 0);
    OP(m, 71, RUNTIME, 6, 4);
    OP(m, 71, DOUBLES, 2); /* Block */
    OP(m, 72, DOUBLES, 0, 35, 0);
    OP(m, 71, WORDS, 2);
    OP(m, 72, WORDS, 0, 35, 0);
    OP(m, 71, TO_WORD, 6, 4); /* ArrayStride */
    OP(m, 71, TO_DOUBLE, 6, 8);
}

static void types(struct module *m)
{
    OP(m, 19, VOID);
    OP(m, 33, FUNCTION, VOID);
    OP(m, 20, BOOL);
    OP(m, 21, INT, 32, 1);
    OP(m, 21, UINT, 32, 0);
    OP(m, 22, FLOAT, 32);
    OP(m, 23, VEC2, FLOAT, 2);
    OP(m, 23, VEC4, FLOAT, 4);
    OP(m, 23, IVEC3, INT, 3);
    OP(m, 23, BVEC2, BOOL, 2);
    OP(m, 23, UVEC4, UINT, 4);
    OP(m, 24, MAT2, VEC2, 2);
    OP(m, 24, MAT4, VEC4, 4);
    OP(m, 43, INT, TWO, 2);
    OP(m, 43, INT, THREE, 3);
    op(m, 30, 1, (const uint32_t[]){EMPTY});
    OP(m, 30, PAIR, VEC2, INT);
    OP(m, 28, ARRAY, FLOAT, THREE);
    OP(m, 29, RUNTIME, FLOAT);
    OP(m, 25, IMAGE, FLOAT, 1, 0, 0, 0, 1, 0);
    OP(m, 25, STORAGE_IMAGE, FLOAT, 1, 0, 0, 0, 2, 3);
    op(m, 26, 1, (const uint32_t[]){SAMPLER});
    OP(m, 27, SAMPLED, IMAGE);
    OP(m, 30, BLOCK, RUNTIME);
    OP(m, 32, TO_FLOAT, 6, FLOAT);
    OP(m, 32, TO_VEC4, 6, VEC4);
    OP(m, 32, TO_OUT, 3, VEC4);
    OP(m, 32, TO_SAMPLED, 0, SAMPLED);
    OP(m, 32, TO_STORAGE_IMAGE, 0, STORAGE_IMAGE);
    OP(m, 32, TO_BLOCK, 2, BLOCK);
    OP(m, 22, DOUBLE, 64);
    OP(m, 21, LONG, 64, 1);
    OP(m, 23, DVEC2, DOUBLE, 2);
    OP(m, 23, DVEC3, DOUBLE, 3);
    OP(m, 24, DMAT2, DVEC2, 2);
    OP(m, 23, LVEC2, LONG, 2);
    OP(m, 30, CARRIED, LONG, LONG);
    OP(m, 30, DOUBLES, DOUBLE);
    OP(m, 30, WORDS, RUNTIME);
    OP(m, 32, TO_DOUBLE, 5349, DOUBLE); /* PhysicalStorageBuffer */
    OP(m, 32, TO_DOUBLES, 5349, DOUBLES);
    OP(m, 32, TO_WORD, 12, FLOAT); /* StorageBuffer */
    OP(m, 32, TO_WORDS, 12, WORDS);
}

static void values(struct module *m)
{
    OP(m, 41, BOOL, TRUE);
    OP(m, 43, INT, ZERO, 0);
    OP(m, 43, FLOAT, ONE, 0x3f800000);
    OP(m, 43, FLOAT, HALF, 0x3f000000);
    OP(m, 43, UINT, UZERO, 0);
    OP(m, 44, VEC2, VEC2_VALUE, ONE, HALF);
    OP(m, 44, VEC4, VEC4_VALUE, ONE, HALF, ONE, HALF);
    OP(m, 44, UVEC4, UVEC4_VALUE, UZERO, UZERO, UZERO, UZERO);
    OP(m, 44, MAT2, MAT2_VALUE, VEC2_VALUE, VEC2_VALUE);
    OP(m, 44, PAIR, PAIR_VALUE, VEC2_VALUE, TWO);
    OP(m, 46, MAT4, NULL_MAT4);
    OP(m, 46, ARRAY, NULL_ARRAY);
    OP(m, 1, VOID, NONE);
    OP(m, 1, EMPTY, NO_MEMBERS);
    OP(m, 1, VEC4, UNDEFINED);
    OP(m, 43, DOUBLE, DOUBLE_VALUE, 0, 0x3ff80000);
    OP(m, 43, LONG, LONG_VALUE, 7, 1);
    OP(m, 44, DVEC2, DVEC2_VALUE, DOUBLE_VALUE, DOUBLE_VALUE);
    OP(m, 44, DVEC3, DVEC3_VALUE, DOUBLE_VALUE, DOUBLE_VALUE, DOUBLE_VALUE);
    OP(m, 44, DMAT2, DMAT2_VALUE, DVEC2_VALUE, DVEC2_VALUE);
    OP(m, 44, LVEC2, LVEC2_VALUE, LONG_VALUE, LONG_VALUE);
    OP(m, 46, TO_DOUBLES, NULL_ADDRESS);
    OP(m, 1, TO_DOUBLE, NO_ADDRESS);
    OP(m, 59, TO_OUT, OUT, 3);
    OP(m, 59, TO_VEC4, PRIVATE, 6);
    OP(m, 59, TO_SAMPLED, TEXTURE, 0);
    OP(m, 59, TO_STORAGE_IMAGE, STORAGE, 0);
    OP(m, 59, TO_BLOCK, BUFFER, 2);
    OP(m, 59, TO_WORDS, WORD_BUFFER, 12);
}

/* Pairs of a value and its type. */
static const uint8_t typed[][2] = {
    {TRUE, BOOL}, {ZERO, INT}, {TWO, INT}, {ONE, FLOAT}, {UZERO, UINT}, {VEC2_VALUE, VEC2}, {VEC4_VALUE, VEC4},
    {UVEC4_VALUE, UVEC4}, {MAT2_VALUE, MAT2}, {PAIR_VALUE, PAIR}, {NULL_MAT4, MAT4}, {NULL_ARRAY, ARRAY}, {NONE, VOID},
    {NO_MEMBERS, EMPTY}, {UNDEFINED, VEC4}, {LOADED, SAMPLED}, {DOUBLE_VALUE, DOUBLE}, {DVEC2_VALUE, DVEC2},
    {DVEC3_VALUE, DVEC3}, {DMAT2_VALUE, DMAT2}, {LONG_VALUE, LONG}, {LVEC2_VALUE, LVEC2}, {LONG_VALUE, CARRIED},
    {NULL_ADDRESS, TO_DOUBLES}, {NO_ADDRESS, TO_DOUBLE},
    {WORD, TO_WORD}, {WORD_BUFFER, TO_WORDS},
};

/* The instruction being built. */
struct maker {
    uint64_t *state;
    uint32_t words[40], count;
    uint32_t value, type; /* half of its operands and types are these */
    uint32_t result;
};

static uint32_t rnd(struct maker *k, uint32_t below)
{
    return mutate_rnd(k->state, below);
}

static uint32_t some_value(struct maker *k)
{
    if (rnd(k, 2))
        return k->value;
    return rnd(k, 16) ? TRUE + rnd(k, LABEL - TRUE) : MAIN + rnd(k, FREE);
}

static void add(struct maker *k, char kind)
{
    switch (kind) {
    case 't':
        k->words[k->count++] = rnd(k, 2) ? k->type : VOID + rnd(k, TRUE - VOID);
        break;
    case 'r':
        k->words[k->count++] = k->result;
        break;
    case 'i':
        k->words[k->count++] = some_value(k);
        break;
    default:
        k->words[k->count++] = rnd(k, 6);
    }
}

static void add_all(struct maker *k, const char *kinds)
{
    for (; *kinds; kinds++) {
        if (*kinds == '*') {
            for (uint32_t n = rnd(k, 5); n; n--)
                add(k, kinds[1]);
            return;
        }
        if (*kinds != '?')
            add(k, *kinds);
        else if (rnd(k, 2))
            return;
    }
}

/* A random instruction that is legal in functions and has an operand. */
static uint32_t some_code(struct maker *k)
{
    for (;;) {
        /* 400 to 403: OpCopyLogical, comparisons and differences of pointers */
        const uint32_t code = rnd(k, 4) ? 60 + rnd(k, 310) : rnd(k, 4) ? 12 /* OpExtInst */ : 400 + rnd(k, 4);
        const struct spv_op_info *info = spv_op_info(code);
        if (info && strlen(info->operands) < 20 && info->operands[0] != 'r' && (code < 245 || code > 257))
            return code;
    }
}

static uint32_t add_instruction(struct module *m, struct maker *k)
{
    const uint32_t code = some_code(k);
    k->count = 0;
    if (code == 12) {
        add_all(k, "tr");
        k->words[k->count++] = GLSL;
        k->words[k->count++] = 1 + rnd(k, 81);
        for (uint32_t n = 1 + rnd(k, 3); n; n--)
            add(k, 'i');
    } else {
        add_all(k, spv_op_info(code)->operands);
    }
    op(m, code, k->count, k->words);
    return code;
}

void hostile_operands(struct module *m, uint64_t *state)
{
    struct maker k = {.state = state, .result = FREE};
    const uint32_t stage = rnd(&k, 3) ? 4 : 5; /* Fragment, GLCompute */
    header(m, stage);
    types(m);
    values(m);
    OP(m, 54, VOID, MAIN, 0, FUNCTION);
    OP(m, 248, LABEL);
    OP(m, 61, SAMPLED, LOADED, TEXTURE);
    OP(m, 61, STORAGE_IMAGE, LOADED_IMAGE, STORAGE);
    OP(m, 65, TO_WORD, WORD, WORD_BUFFER, ZERO, TWO); /* OpAccessChain */
    const uint32_t pair = rnd(&k, ARRAY_SIZE(typed));
    k.value = typed[pair][0];
    k.type = typed[pair][1];
    uint32_t code = add_instruction(m, &k);
    if (spv_op_info(code)->operands[0] == 't' && rnd(&k, 2)) { /* another one, which takes the result */
        k.value = FREE;
        k.result = FREE_TOO;
        code = add_instruction(m, &k);
    }
    if (spv_op_info(code)->operands[0] == 't' && rnd(&k, 2))
        OP(m, 62, rnd(&k, 2) ? OUT : PRIVATE, k.result);
    OP(m, 62, OUT, VEC4_VALUE);
    m->words[m->count++] = 1u << 16 | 253; /* OpReturn */
    m->words[m->count++] = 1u << 16 | 56;  /* OpFunctionEnd */
    m->next_id = BOUND;
}
