/* SPDX-License-Identifier: MIT
 *
 * Small pieces of IR that all translation builds: arrays of scalars, IR variables, and the code of one element
 * of an array of descriptors.
 */
#include "compiler/spirv/spv.h"

struct ir_instr **spv_new_scalars(struct spv *s, uint32_t count)
{
    if (count > SPV_MAX_SCALARS)
        spv_unsupported(s, "a value of %u scalars, the limit is %u", count, SPV_MAX_SCALARS);
    spv_spend(s, count / 2); /* callers make up to one instruction for each scalar */
    return util_arena_new_array(s->arena, struct ir_instr *, count);
}

/* Variables of more words are arrays that are stored to in a loop; nothing is gained by following them. */
#define MAX_FOLLOWED_WORDS 64u

uint32_t spv_new_ir_variable(struct spv *s, uint32_t words, uint32_t bits)
{
    struct ir_shader *shader = s->shader;
    if (shader->variable_count == shader->variable_capacity) {
        uint32_t room = MAX2(2 * shader->variable_capacity, 16u);
        struct ir_variable *more = util_arena_new_array(s->arena, struct ir_variable, room);
        struct spv_stored **stored = util_arena_new_array(s->arena, struct spv_stored *, room);
        for (uint32_t i = 0; i < shader->variable_count; i++) {
            more[i] = shader->variables[i];
            stored[i] = s->stored[i];
        }
        shader->variables = more;
        shader->variable_capacity = room;
        s->stored = stored;
    }
    shader->variables[shader->variable_count] = (struct ir_variable){.words = words, .bits = (uint8_t)bits};
    s->stored[shader->variable_count] = NULL;
    return shader->variable_count++;
}

/* A load gives the value of the last store to the word in the same block of IR, if there is one. */
struct ir_instr *spv_load_var(struct spv *s, uint32_t variable, uint32_t word)
{
    const struct spv_stored *stored = s->stored[variable];
    if (stored && stored[word].block == s->b.block)
        return stored[word].value;
    struct ir_instr *load = ir_build(&s->b, IR_LOAD_VAR, s->shader->variables[variable].bits, 0, NULL);
    load->imm = variable;
    load->imm2 = word;
    return load;
}

void spv_store_var(struct spv *s, uint32_t variable, uint32_t word, struct ir_instr *value)
{
    const uint32_t words = s->shader->variables[variable].words;
    struct ir_instr *store = ir_build1(&s->b, IR_STORE_VAR, value);
    store->imm = variable;
    store->imm2 = word;
    if (words > MAX_FOLLOWED_WORDS)
        return;
    if (!s->stored[variable])
        s->stored[variable] = util_arena_new_array(s->arena, struct spv_stored, words);
    s->stored[variable][word] = (struct spv_stored){s->b.block, value};
}

struct ir_if *spv_begin_element(struct spv *s, struct ir_instr *index, uint32_t element)
{
    return ir_push_if(&s->b, ir_build2(&s->b, IR_IEQ, index, ir_const(&s->b, element)));
}

void spv_end_element(struct spv *s, struct ir_if *nif)
{
    ir_push_else(&s->b, nif);
    ir_pop_if(&s->b, nif);
}

/* Loads the built-in with a different component for each query, so that CSE does not merge them: demoting changes the
 * answer. 0 is the variable's value at the start, 1 the query of subgroup operations. */
struct ir_instr *spv_is_helper(struct spv *s)
{
    struct ir_instr *is = ir_build(&s->b, IR_LOAD_BUILTIN, 1, 0, NULL);
    is->imm = SpvBuiltInHelperInvocation;
    is->imm2 = 2 + s->helper_queries++;
    return is;
}
