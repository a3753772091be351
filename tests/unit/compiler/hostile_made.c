/* SPDX-License-Identifier: MIT
 *
 * Hand-written worst cases ("made to hurt"): types and calls that refer to themselves, huge bounds, deep nesting,
 * exponential growth, values of no or of the wrong size.
 */
#include "hostile_made.h"
#include <string.h>
#include "util/macros.h"

static void op(struct module *m, uint32_t code, uint32_t count, const uint32_t *operands)
{
    if (m->count + 1 + count > ARRAY_SIZE(m->words))
        return;
    m->words[m->count++] = (count + 1) << 16 | code;
    memcpy(m->words + m->count, operands, count * 4);
    m->count += count;
}

#define OP(m, code, ...)                                                                                               \
    op(m, code, sizeof(uint32_t[]){__VA_ARGS__} / 4, (const uint32_t[]){__VA_ARGS__})

enum { MAIN = 1, VOID, FUNCTION, FLOAT, BOOL, INT, POINTER, OUT, ONE, TRUE, ZERO, FIRST_FREE };

static void begin(struct module *m)
{
    static const uint32_t header[] = {0x07230203, 0x00010000, 0, 0x3fffff, 0};
    const uint32_t name = 0x6e69616d; /* "main" */
    memcpy(m->words, header, sizeof header);
    m->count = 5;
    m->next_id = FIRST_FREE;
    OP(m, 17, 1);                         /* OpCapability Shader */
    OP(m, 14, 0, 1);                      /* OpMemoryModel Logical GLSL450 */
    OP(m, 15, 4, MAIN, name, 0, OUT);     /* OpEntryPoint Fragment */
    OP(m, 16, MAIN, 7);                   /* OpExecutionMode OriginUpperLeft */
    OP(m, 71, OUT, 30, 0);                /* OpDecorate Location 0 */
    OP(m, 19, VOID);
    OP(m, 33, FUNCTION, VOID);
    OP(m, 22, FLOAT, 32);
    OP(m, 20, BOOL);
    OP(m, 21, INT, 32, 1);
    OP(m, 32, POINTER, 3, FLOAT);         /* Output */
    OP(m, 59, POINTER, OUT, 3);
    OP(m, 43, FLOAT, ONE, 0x3f800000);
    OP(m, 41, BOOL, TRUE);
    OP(m, 43, INT, ZERO, 0);
}

static uint32_t begin_main(struct module *m)
{
    uint32_t label = m->next_id++;
    OP(m, 54, VOID, MAIN, 0, FUNCTION);
    OP(m, 248, label);
    return label;
}

static void end_main(struct module *m)
{
    OP(m, 62, OUT, ONE);
    OP(m, 253, 0);
    m->words[m->count - 2] = 1u << 16 | 253; /* OpReturn has no operand */
    m->words[m->count - 1] = 1u << 16 | 56;
}

static void itself_as_type(struct module *m)
{
    uint32_t id = m->next_id++;
    OP(m, 30, id, id);                    /* a struct that contains itself */
    begin_main(m);
    end_main(m);
}

static void huge_array(struct module *m)
{
    uint32_t size = m->next_id++, array = m->next_id, pointer;
    OP(m, 43, INT, size, 0x7fffffff);
    for (int i = 0; i < 4; i++)
        OP(m, 28, m->next_id + (uint32_t)i, i ? m->next_id + (uint32_t)i - 1 : FLOAT, size);
    m->next_id += 4;
    pointer = m->next_id++;
    OP(m, 32, pointer, 6, array);
    OP(m, 59, pointer, m->next_id++, 6);
    begin_main(m);
    end_main(m);
}

/* 4,096 floats, loaded and stored again and again. */
static void large_values(struct module *m)
{
    uint32_t size = m->next_id++, array = m->next_id++, pointer = m->next_id++, variable = m->next_id++;
    OP(m, 43, INT, size, 4096);
    OP(m, 28, array, FLOAT, size);
    OP(m, 32, pointer, 6, array);
    OP(m, 59, pointer, variable, 6);
    begin_main(m);
    for (int i = 0; i < 20000; i++) {
        OP(m, 61, array, m->next_id, variable);
        OP(m, 62, variable, m->next_id++);
    }
    end_main(m);
}

static void nested_types(struct module *m)
{
    uint32_t last = FLOAT;
    for (int i = 0; i < 20000; i++, last = m->next_id++)
        OP(m, 30, m->next_id, last);
    begin_main(m);
    end_main(m);
}

/* Each struct has two of the one before: 2^250 structs, and but one number, which stands in front of them. Then an
 * array of 2^20 of them, with a variable index. bottom: the type inside the innermost struct, or 0. */
static void doubling(struct module *m, uint32_t bottom, uint32_t storage)
{
    const uint32_t many = m->next_id++, array = m->next_id++, to_array = m->next_id++, variable = m->next_id++;
    const uint32_t with_number = m->next_id++, to_struct = m->next_id++, index = m->next_id++;
    uint32_t last = m->next_id++;
    if (bottom)
        OP(m, 30, last, bottom);
    else
        OP(m, 30, last);
    for (int i = 0; i < 250; i++, last = m->next_id++)
        OP(m, 30, m->next_id, last, last);
    OP(m, 30, with_number, FLOAT, last);
    OP(m, 43, INT, many, 1 << 20);
    OP(m, 28, array, with_number, many);
    OP(m, 32, to_array, storage, array);
    OP(m, 32, to_struct, storage, with_number);
    OP(m, 59, to_array, variable, storage);
    begin_main(m);
    OP(m, 110, INT, index, ONE); /* OpConvertFToS */
    const uint32_t element = m->next_id++, value = m->next_id++;
    OP(m, 65, to_struct, element, variable, index);
    OP(m, 61, with_number, value, element);
    OP(m, 62, element, value);
    end_main(m);
}

static void doubling_structs(struct module *m)
{
    doubling(m, 0, 6); /* Private */
}

static void doubling_outputs(struct module *m)
{
    doubling(m, 0, 3);
}

static void doubling_blocks(struct module *m)
{
    doubling(m, 0, 12); /* StorageBuffer */
}

static void doubling_samplers(struct module *m)
{
    const uint32_t sampler = m->next_id++;
    OP(m, 26, sampler);
    doubling(m, sampler, 6);
}

static void doubling_output_samplers(struct module *m)
{
    const uint32_t sampler = m->next_id++;
    OP(m, 26, sampler);
    doubling(m, sampler, 3);
}

static void nested_ifs(struct module *m)
{
    enum { DEPTH = 5000 };
    begin_main(m);
    uint32_t merges = m->next_id;
    m->next_id += DEPTH;
    for (uint32_t i = 0; i < DEPTH; i++) {
        OP(m, 247, merges + i, 0);
        OP(m, 250, TRUE, m->next_id, merges + i);
        OP(m, 248, m->next_id++);
    }
    for (uint32_t i = DEPTH; i--;) {
        OP(m, 249, merges + i);
        OP(m, 248, merges + i);
    }
    end_main(m);
}

/* Every function calls the next one twice. */
static void doubling_calls(struct module *m)
{
    enum { FUNCTIONS = 40 };
    uint32_t first = m->next_id;
    m->next_id += FUNCTIONS;
    begin_main(m);
    OP(m, 57, VOID, m->next_id++, first);
    end_main(m);
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        OP(m, 54, VOID, first + i, 0, FUNCTION);
        OP(m, 248, m->next_id++);
        for (int k = 0; k < 2 && i + 1 < FUNCTIONS; k++)
            OP(m, 57, VOID, m->next_id++, first + i + 1);
        end_main(m);
    }
}

static void call_of_itself(struct module *m)
{
    begin_main(m);
    OP(m, 57, VOID, m->next_id++, MAIN);
    end_main(m);
}

/* A block that branches to itself without being a loop. */
static void branch_to_itself(struct module *m)
{
    uint32_t label = begin_main(m);
    OP(m, 249, label);
    m->words[m->count++] = 1u << 16 | 56;
}

/* One block with thousands of phis. */
static void many_phis(struct module *m)
{
    uint32_t label = begin_main(m), next = m->next_id++;
    OP(m, 249, next);
    OP(m, 248, next);
    for (int i = 0; i < 20000; i++)
        OP(m, 245, FLOAT, m->next_id++, ONE, label);
    end_main(m);
}

static void many_cases(struct module *m)
{
    enum { CASES = 16000 };
    static uint32_t words[2 + 2 * CASES];
    begin_main(m);
    uint32_t merge = m->next_id++, first = m->next_id;
    OP(m, 247, merge, 0);
    words[0] = ZERO;
    words[1] = merge;
    for (uint32_t i = 0; i < CASES; i++) {
        words[2 + 2 * i] = i;
        words[3 + 2 * i] = first + i;
    }
    op(m, 251, ARRAY_SIZE(words), words);
    for (uint32_t i = 0; i < CASES; i++) {
        OP(m, 248, first + i);
        OP(m, 249, merge);
    }
    m->next_id += CASES;
    OP(m, 248, merge);
    end_main(m);
}

static void many_members(struct module *m)
{
    uint32_t id = m->next_id++;
    for (uint32_t i = 0; i < 40000; i++)
        OP(m, 72, id, i * 7 % 40000, 35, 4 * i); /* OpMemberDecorate Offset */
    OP(m, 30, id, FLOAT);
    begin_main(m);
    end_main(m);
}

static void long_chain(struct module *m)
{
    uint32_t last = ONE, load;
    begin_main(m);
    load = m->next_id++;
    OP(m, 61, FLOAT, load, OUT);
    for (int i = 0; i < 40000; i++, last = m->next_id++)
        OP(m, i % 2 ? 133 : 129, FLOAT, m->next_id, i ? last : load, load);
    OP(m, 62, OUT, last);
    end_main(m);
}

/* Two cases that fall through into each other: no order of the cases is valid. */
static void circle_of_cases(struct module *m)
{
    begin_main(m);
    uint32_t merge = m->next_id++, first = m->next_id++, second = m->next_id++;
    OP(m, 247, merge, 0);
    OP(m, 251, ZERO, merge, 1, first, 2, second);
    OP(m, 248, first);
    OP(m, 249, second);
    OP(m, 248, second);
    OP(m, 249, first);
    OP(m, 248, merge);
    end_main(m);
}

/* A scalar initialises a vec4 variable: a local variable (storage 7, Function), or one of the module (6, Private). */
static void short_initializer(struct module *m, uint32_t storage)
{
    const uint32_t vec4 = m->next_id++, pointer = m->next_id++, variable = m->next_id++, whole = m->next_id++,
                   part = m->next_id++;
    OP(m, 23, vec4, FLOAT, 4);
    OP(m, 32, pointer, storage, vec4);
    if (storage == 6)
        OP(m, 59, pointer, variable, storage, ONE);
    begin_main(m);
    if (storage == 7)
        OP(m, 59, pointer, variable, storage, ONE);
    OP(m, 61, vec4, whole, variable);
    OP(m, 81, FLOAT, part, whole, 3);
    OP(m, 62, OUT, part);
    end_main(m);
}

static void short_initializer_of_function(struct module *m)
{
    short_initializer(m, 7);
}

static void short_initializer_of_module(struct module *m)
{
    short_initializer(m, 6);
}

/* The entry point's variable becomes an input of type void, which occupies no locations. */
static void void_input(struct module *m)
{
    for (uint32_t i = 5; i < m->count; i += m->words[i] >> 16) {
        if (m->words[i] == (4u << 16 | 32)) { /* OpTypePointer */
            m->words[i + 2] = 1;
            m->words[i + 3] = VOID;
        } else if (m->words[i] == (4u << 16 | 59)) { /* OpVariable */
            m->words[i + 3] = 1;
        }
    }
    begin_main(m);
    end_main(m);
}

/* Ballot masks of type void: `kind` 0 inverse, 1 bit extract, 2 bit count, 3 lowest, 4 highest. */
static void empty_ballot(struct module *m, uint32_t kind)
{
    const uint32_t scope = m->next_id++, none = m->next_id++, result = m->next_id++;
    OP(m, 43, INT, scope, 3);
    OP(m, 1, VOID, none);
    begin_main(m);
    switch (kind) {
    case 0:
        OP(m, 340, BOOL, result, scope, none);
        break;
    case 1:
        OP(m, 341, BOOL, result, scope, none, ZERO);
        break;
    case 2:
        OP(m, 342, INT, result, scope, 0, none);
        break;
    default:
        OP(m, 340 + kind, INT, result, scope, none);
    }
    end_main(m);
}

static void empty_ballot_inverse(struct module *m)
{
    empty_ballot(m, 0);
}

static void empty_ballot_bit(struct module *m)
{
    empty_ballot(m, 1);
}

static void empty_ballot_count(struct module *m)
{
    empty_ballot(m, 2);
}

static void empty_ballot_lowest(struct module *m)
{
    empty_ballot(m, 3);
}

static void empty_ballot_highest(struct module *m)
{
    empty_ballot(m, 4);
}

/* A constant that is computed from 64-bit floats, with results of 64 bits. */
static void computed_double(struct module *m, uint32_t code)
{
    const uint32_t wide = m->next_id++, number = m->next_id++, result = m->next_id++;
    OP(m, 17, 10);                          /* OpCapability Float64 */
    OP(m, 22, wide, 64);
    OP(m, 50, wide, number, 0, 0x3ff80000); /* OpSpecConstant 1.5 */
    OP(m, 52, wide, result, code, number, number);
    begin_main(m);
    end_main(m);
}

static void sum_of_doubles(struct module *m)
{
    computed_double(m, 129);
}

static void product_of_doubles(struct module *m)
{
    computed_double(m, 133);
}

static void quotient_of_doubles(struct module *m)
{
    computed_double(m, 136);
}

static void remainder_of_doubles(struct module *m)
{
    computed_double(m, 140);
}

/* A constant that is computed from 64-bit integers. `x` and `y`: how their words are made. */
static uint32_t computed_long(struct module *m, uint32_t code, uint64_t x, uint64_t y)
{
    const uint32_t wide = m->next_id++, first = m->next_id++, second = m->next_id++, result = m->next_id++;
    OP(m, 17, 11); /* OpCapability Int64 */
    OP(m, 21, wide, 64, 1);
    OP(m, 50, wide, first, (uint32_t)x, (uint32_t)(x >> 32));
    OP(m, 50, wide, second, (uint32_t)y, (uint32_t)(y >> 32));
    OP(m, 52, wide, result, code, first, second);
    return result;
}

static void quotients_that_do_not_exist(struct module *m)
{
    for (uint32_t code = 134; code <= 139; code++) /* OpUDiv to OpSMod, without OpFDiv */
        if (code != 136) {
            computed_long(m, code, 7, 0);
            computed_long(m, code, UINT64_C(1) << 63, UINT64_MAX);
        }
    begin_main(m);
    end_main(m);
}

static void carry_of_constants(struct module *m)
{
    computed_long(m, 149, 1, 2); /* OpIAddCarry */
    begin_main(m);
    end_main(m);
}

static void constant_of_itself(struct module *m)
{
    const uint32_t wide = m->next_id++, result = m->next_id++;
    OP(m, 17, 11);
    OP(m, 21, wide, 64, 0);
    OP(m, 52, wide, result, 128, result, result); /* OpIAdd */
    begin_main(m);
    end_main(m);
}

static void constant_of_a_float(struct module *m)
{
    const uint32_t sum = computed_long(m, 128, 1, 2), result = m->next_id++;
    OP(m, 52, FLOAT, result, 128, sum, sum);
    begin_main(m);
    end_main(m);
}

/* Pointers that are no values, compared. */
static void compared_pointers(struct module *m)
{
    const uint32_t none = m->next_id++, result = m->next_id++;
    OP(m, 1, POINTER, none); /* OpUndef */
    begin_main(m);
    OP(m, 401, BOOL, result, none, none); /* OpPtrEqual */
    end_main(m);
}

/* A run-time array, which has no size, as operand of a function of vectors. */
static void reflected_array(struct module *m)
{
    const uint32_t set = m->next_id++, array = m->next_id++, none = m->next_id++, result = m->next_id++;
    OP(m, 11, set, 0x4c534c47, 0x6474732e, 0x3035342e, 0); /* OpExtInstImport "GLSL.std.450" */
    OP(m, 29, array, FLOAT);
    OP(m, 1, array, none);
    begin_main(m);
    OP(m, 12, array, result, set, 71, none, none); /* Reflect */
    end_main(m);
}

/* 64 bits that are taken apart into booleans, which then choose. */
static void unpacked_booleans(struct module *m)
{
    const uint32_t set = m->next_id++, wide = m->next_id++, number = m->next_id++, pair = m->next_id++,
                   floats = m->next_id++, chosen = m->next_id++, bits = m->next_id++, result = m->next_id++;
    OP(m, 17, 10); /* OpCapability Float64 */
    OP(m, 11, set, 0x4c534c47, 0x6474732e, 0x3035342e, 0);
    OP(m, 22, wide, 64);
    OP(m, 43, wide, number, 1, 0x3ff80000);
    OP(m, 23, pair, BOOL, 2);
    OP(m, 23, floats, FLOAT, 2);
    OP(m, 44, floats, chosen, ONE, ONE);
    begin_main(m);
    OP(m, 12, pair, bits, set, 65, number); /* UnpackDouble2x32 */
    OP(m, 169, floats, result, bits, chosen, chosen); /* OpSelect */
    end_main(m);
}

/* A vector of booleans in a uniform block, whose components have no size in bytes, indexed by a variable. */
static void indexed_booleans(struct module *m)
{
    const uint32_t vector = m->next_id++, block = m->next_id++, to_block = m->next_id++, to_bool = m->next_id++,
                   uniform = m->next_id++, index = m->next_id++, at = m->next_id++, loaded = m->next_id++;
    OP(m, 71, block, 2);         /* OpDecorate Block */
    OP(m, 72, block, 0, 35, 0);  /* OpMemberDecorate Offset 0 */
    OP(m, 71, uniform, 34, 0);   /* DescriptorSet */
    OP(m, 71, uniform, 33, 0);   /* Binding */
    OP(m, 23, vector, BOOL, 4);
    OP(m, 30, block, vector);
    OP(m, 32, to_block, 2, block); /* Uniform */
    OP(m, 32, to_bool, 2, BOOL);
    OP(m, 59, to_block, uniform, 2);
    begin_main(m);
    OP(m, 110, INT, index, ONE); /* OpConvertFToS */
    OP(m, 65, to_bool, at, uniform, ZERO, index);
    OP(m, 61, BOOL, loaded, at);
    end_main(m);
}

/* A table of 4,096 constants, each the index of the next load, followed 20,000 times: as many thread switches. */
static void chain_in_table(struct module *m)
{
    enum { WORDS = 4096, LOADS = 20000, NUMBERS = 64 };
    static uint32_t words[2 + WORDS];
    const uint32_t size = m->next_id++, array = m->next_id++, to_array = m->next_id++, to_int = m->next_id++,
                   table = m->next_id++, variable = m->next_id++, block = m->next_id++, to_block = m->next_id++,
                   to_uniform = m->next_id++, uniform = m->next_id++, at = m->next_id++, result = m->next_id++,
                   first = m->next_id;
    m->next_id += NUMBERS;
    OP(m, 71, block, 2);        /* OpDecorate Block */
    OP(m, 72, block, 0, 35, 0); /* OpMemberDecorate Offset 0 */
    OP(m, 71, uniform, 34, 0);  /* DescriptorSet */
    OP(m, 71, uniform, 33, 0);  /* Binding */
    OP(m, 43, INT, size, WORDS);
    for (uint32_t i = 0; i < NUMBERS; i++)
        OP(m, 43, INT, first + i, i * 61 % WORDS);
    OP(m, 28, array, INT, size);
    OP(m, 32, to_array, 6, array); /* Private */
    OP(m, 32, to_int, 6, INT);
    OP(m, 30, block, INT);
    OP(m, 32, to_block, 2, block); /* Uniform */
    OP(m, 32, to_uniform, 2, INT);
    words[0] = array;
    words[1] = table;
    for (uint32_t i = 0; i < WORDS; i++)
        words[2 + i] = first + i * 7 % NUMBERS;
    op(m, 44, 2 + WORDS, words);
    OP(m, 59, to_array, variable, 6, table);
    OP(m, 59, to_block, uniform, 2);
    begin_main(m);
    uint32_t index = m->next_id++;
    OP(m, 65, to_uniform, at, uniform, ZERO);
    OP(m, 61, INT, index, at);
    for (uint32_t i = 0; i < LOADS; i++) {
        const uint32_t element = m->next_id++;
        OP(m, 65, to_int, element, variable, index);
        OP(m, 61, INT, index = m->next_id++, element);
    }
    OP(m, 111, FLOAT, result, index); /* OpConvertSToF */
    OP(m, 62, OUT, result);
    m->words[m->count++] = 1u << 16 | 253;
    m->words[m->count++] = 1u << 16 | 56;
}

static const struct {
    void (*make)(struct module *m);
    const char *expected;
} makers[] = {
    {itself_as_type, NULL},
    {huge_array, NULL},
    {large_values, "steps to translate"},
    {chain_in_table, NULL},
    {nested_types, NULL},
    {doubling_structs, NULL},
    {doubling_outputs, NULL},
    {doubling_blocks, NULL},
    {doubling_samplers, NULL},
    {doubling_output_samplers, NULL},
    {nested_ifs, NULL},
    {doubling_calls, NULL},
    {call_of_itself, NULL},
    {branch_to_itself, NULL},
    {many_phis, NULL},
    {many_cases, NULL},
    {many_members, NULL},
    {long_chain, NULL},
    {circle_of_cases, NULL},
    {short_initializer_of_function, "does not fit what the pointer points to"},
    {short_initializer_of_module, "does not fit what the pointer points to"},
    {void_input, "of a type that is made of no numbers"},
    {empty_ballot_inverse, "a ballot has four words"},
    {empty_ballot_bit, "a ballot has four words"},
    {empty_ballot_count, "a ballot has four words"},
    {empty_ballot_lowest, "a ballot has four words"},
    {empty_ballot_highest, "a ballot has four words"},
    {sum_of_doubles, "on 64-bit floats"},
    {product_of_doubles, "on 64-bit floats"},
    {quotient_of_doubles, "on 64-bit floats"},
    {remainder_of_doubles, "on 64-bit floats"},
    {quotients_that_do_not_exist, NULL},
    {carry_of_constants, "on 64-bit integers"},
    {constant_of_itself, "is not a constant"},
    {constant_of_a_float, "the result is not an integer"},
    {compared_pointers, "not a pointer that can be a value"},
    {reflected_array, "a run-time array used as a value"},
    {unpacked_booleans, "takes and gives 64 bits"},
    {indexed_booleans, "a boolean in a block"},
};

const char *hostile_expected(uint32_t number)
{
    return number < ARRAY_SIZE(makers) ? makers[number].expected : NULL;
}

bool hostile_make(struct module *m, uint32_t number)
{
    if (number >= ARRAY_SIZE(makers))
        return false;
    begin(m);
    makers[number].make(m);
    return true;
}
