/* SPDX-License-Identifier: MIT
 *
 * Writes the SPIR-V of pass-through vertex shaders, which draw records: they copy attributes to outputs. Four words of
 * the record make an attribute. Outputs at locations are variables of one component each, and all of them are integers,
 * because words are only moved.
 */
#include <string.h>
#include "compiler/vc4c.h"
#include "spv_gen.h"

enum id { /* of what every module has; others follow */
          ID_MAIN = 1,
          ID_VOID,
          ID_FUNCTION,
          ID_UINT,
          ID_FLOAT,
          ID_UVEC4,
          ID_VEC4,
          ID_INPUT_UVEC4, /* pointers */
          ID_OUTPUT_UINT,
          ID_OUTPUT_FLOAT,
          ID_OUTPUT_VEC4,
          ID_UNDEF,
          ID_FIRST,
};

struct module {
    const uint8_t *record; /* its words that are drawn, ascending */
    uint32_t record_count;
    uint32_t *words;
    uint32_t count, next_id;
    uint32_t inputs[VC4C_MAX_ATTRIBUTES];
    uint32_t outputs[VC4C_DRAWN_WORDS];      /* variable of each word of the record; words of an array share one */
    uint32_t array_types[2], array_sizes[2]; /* of clip and cull distances */
};

static void put(struct module *m, uint32_t op, const uint32_t *operands, uint32_t count)
{
    m->words[m->count++] = (count + 1) << 16 | op;
    for (uint32_t i = 0; i < count; i++)
        m->words[m->count++] = operands[i];
}
#define PUT(m, op, ...)                                                                                                \
    put((m), (op), (const uint32_t[]){__VA_ARGS__}, (uint32_t)(sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))

static bool has(const struct module *m, uint32_t word)
{
    return memchr(m->record, (int)word, m->record_count) != NULL;
}

/* 0: clip distances, 1: cull distances. */
static uint32_t first_distance(uint32_t which)
{
    return which ? VC4C_RECORD_CULL : VC4C_RECORD_CLIP;
}

static uint32_t distances(const struct module *m, uint32_t which)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < 8; i++)
        if (has(m, first_distance(which) + i))
            count = i + 1;
    return count;
}

static void choose_ids(struct module *m)
{
    m->next_id = ID_FIRST;
    for (uint32_t i = 0; 4 * i < m->record_count; i++)
        m->inputs[i] = m->next_id++;
    for (uint32_t i = 0; i < m->record_count; i++) {
        const uint32_t word = m->record[i];
        const bool continues =
            i && ((word < VC4C_RECORD_POINT_SIZE) ||
                  (word > VC4C_RECORD_CLIP && word < VC4C_RECORD_CULL && m->record[i - 1] >= VC4C_RECORD_CLIP) ||
                  (word > VC4C_RECORD_CULL && word < VC4C_RECORD_LAYER && m->record[i - 1] >= VC4C_RECORD_CULL));
        m->outputs[i] = continues ? m->outputs[i - 1] : m->next_id++;
    }
    for (uint32_t which = 0; which < 2; which++) {
        m->array_types[which] = m->next_id++;
        m->array_sizes[which] = m->next_id++;
        m->next_id++; /* of the pointer */
    }
}

static bool begins_output(const struct module *m, uint32_t i)
{
    return !i || m->outputs[i] != m->outputs[i - 1];
}

static void put_entry_point(struct module *m)
{
    uint32_t operands[4 + VC4C_MAX_ATTRIBUTES + VC4C_DRAWN_WORDS] = {SpvExecutionModelVertex, ID_MAIN}, n = 4;
    memcpy(operands + 2, "main\0\0\0", 8);
    for (uint32_t i = 0; 4 * i < m->record_count; i++)
        operands[n++] = m->inputs[i];
    for (uint32_t i = 0; i < m->record_count; i++)
        if (begins_output(m, i))
            operands[n++] = m->outputs[i];
    put(m, SpvOpEntryPoint, operands, n);
}

static void decorate_output(struct module *m, uint32_t i)
{
    const uint32_t word = m->record[i], id = m->outputs[i];
    if (word >= VC4C_RECORD_STIPPLE) {
        PUT(m, SpvOpDecorate, id, SpvDecorationLocation, VC4C_STIPPLE_LOCATION);
        PUT(m, SpvOpDecorate, id, SpvDecorationComponent, word - VC4C_RECORD_STIPPLE);
        return;
    }
    if (word >= VC4C_RECORD_USER) {
        PUT(m, SpvOpDecorate, id, SpvDecorationLocation, (word - VC4C_RECORD_USER) / 4);
        PUT(m, SpvOpDecorate, id, SpvDecorationComponent, (word - VC4C_RECORD_USER) % 4);
        return;
    }
    const uint32_t builtin = word < VC4C_RECORD_POINT_SIZE    ? SpvBuiltInPosition
                             : word == VC4C_RECORD_POINT_SIZE ? SpvBuiltInPointSize
                             : word < VC4C_RECORD_CULL        ? SpvBuiltInClipDistance
                             : word < VC4C_RECORD_LAYER       ? SpvBuiltInCullDistance
                             : word == VC4C_RECORD_LAYER      ? SpvBuiltInLayer
                             : word == VC4C_RECORD_VIEWPORT   ? SpvBuiltInViewportIndex
                                                              : SpvBuiltInPrimitiveId;
    PUT(m, SpvOpDecorate, id, SpvDecorationBuiltIn, builtin);
}

static void put_head(struct module *m)
{
    const uint32_t header[] = {0x07230203, 0x10000, 0, 0 /* the bound, filled in at the end */, 0};
    memcpy(m->words, header, sizeof header);
    m->count = sizeof header / sizeof header[0];
    PUT(m, SpvOpCapability, SpvCapabilityShader);
    PUT(m, SpvOpCapability, SpvCapabilityGeometry);
    PUT(m, SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelGLSL450);
    put_entry_point(m);
    for (uint32_t i = 0; 4 * i < m->record_count; i++)
        PUT(m, SpvOpDecorate, m->inputs[i], SpvDecorationLocation, i);
    for (uint32_t i = 0; i < m->record_count; i++)
        if (begins_output(m, i))
            decorate_output(m, i);
}

static uint32_t output_pointer(const struct module *m, uint32_t word)
{
    return word < VC4C_RECORD_POINT_SIZE    ? ID_OUTPUT_VEC4
           : word == VC4C_RECORD_POINT_SIZE ? ID_OUTPUT_FLOAT
           : word < VC4C_RECORD_CULL        ? m->array_sizes[0] + 1
           : word < VC4C_RECORD_LAYER       ? m->array_sizes[1] + 1
                                            : ID_OUTPUT_UINT;
}

static void put_types(struct module *m)
{
    PUT(m, SpvOpTypeVoid, ID_VOID);
    PUT(m, SpvOpTypeFunction, ID_FUNCTION, ID_VOID);
    PUT(m, SpvOpTypeInt, ID_UINT, 32, 0);
    PUT(m, SpvOpTypeFloat, ID_FLOAT, 32);
    PUT(m, SpvOpTypeVector, ID_UVEC4, ID_UINT, 4);
    PUT(m, SpvOpTypeVector, ID_VEC4, ID_FLOAT, 4);
    PUT(m, SpvOpTypePointer, ID_INPUT_UVEC4, SpvStorageClassInput, ID_UVEC4);
    PUT(m, SpvOpTypePointer, ID_OUTPUT_UINT, SpvStorageClassOutput, ID_UINT);
    PUT(m, SpvOpTypePointer, ID_OUTPUT_FLOAT, SpvStorageClassOutput, ID_FLOAT);
    PUT(m, SpvOpTypePointer, ID_OUTPUT_VEC4, SpvStorageClassOutput, ID_VEC4);
    PUT(m, SpvOpUndef, ID_FLOAT, ID_UNDEF);
    for (uint32_t which = 0; which < 2; which++) {
        if (!distances(m, which))
            continue;
        PUT(m, SpvOpConstant, ID_UINT, m->array_sizes[which], distances(m, which));
        PUT(m, SpvOpTypeArray, m->array_types[which], ID_FLOAT, m->array_sizes[which]);
        PUT(m, SpvOpTypePointer, m->array_sizes[which] + 1, SpvStorageClassOutput, m->array_types[which]);
    }
    for (uint32_t i = 0; 4 * i < m->record_count; i++)
        PUT(m, SpvOpVariable, ID_INPUT_UVEC4, m->inputs[i], SpvStorageClassInput);
    for (uint32_t i = 0; i < m->record_count; i++)
        if (begins_output(m, i))
            PUT(m, SpvOpVariable, output_pointer(m, m->record[i]), m->outputs[i], SpvStorageClassOutput);
}

/* A vector or an array of floats, of which those that the record does not have are undefined. */
static void put_floats(struct module *m, uint32_t first, uint32_t count, uint32_t type, const uint32_t *values)
{
    uint32_t operands[2 + 8] = {type, m->next_id++}, output = 0;
    for (uint32_t k = 0; k < count; k++) {
        operands[2 + k] = ID_UNDEF;
        for (uint32_t i = 0; i < m->record_count; i++) {
            if (m->record[i] != first + k)
                continue;
            operands[2 + k] = m->next_id++;
            output = m->outputs[i];
            PUT(m, SpvOpBitcast, ID_FLOAT, operands[2 + k], values[i]);
        }
    }
    if (!output)
        return;
    put(m, SpvOpCompositeConstruct, operands, 2 + count);
    PUT(m, SpvOpStore, output, operands[1]);
}

static void put_function(struct module *m)
{
    uint32_t loads[VC4C_MAX_ATTRIBUTES], values[VC4C_DRAWN_WORDS];
    PUT(m, SpvOpFunction, ID_VOID, ID_MAIN, 0, ID_FUNCTION);
    PUT(m, SpvOpLabel, m->next_id++);
    for (uint32_t i = 0; 4 * i < m->record_count; i++) {
        loads[i] = m->next_id++;
        PUT(m, SpvOpLoad, ID_UVEC4, loads[i], m->inputs[i]);
    }
    for (uint32_t i = 0; i < m->record_count; i++) {
        values[i] = m->next_id++;
        PUT(m, SpvOpCompositeExtract, ID_UINT, values[i], loads[i / 4], i % 4);
    }
    put_floats(m, VC4C_RECORD_POSITION, 4, ID_VEC4, values);
    for (uint32_t which = 0; which < 2; which++)
        put_floats(m, first_distance(which), distances(m, which), m->array_types[which], values);
    for (uint32_t i = 0; i < m->record_count; i++) {
        if (m->record[i] == VC4C_RECORD_POINT_SIZE) {
            PUT(m, SpvOpBitcast, ID_FLOAT, m->next_id, values[i]);
            PUT(m, SpvOpStore, m->outputs[i], m->next_id++);
        } else if (m->record[i] >= VC4C_RECORD_LAYER) {
            PUT(m, SpvOpStore, m->outputs[i], values[i]);
        }
    }
    put(m, SpvOpReturn, NULL, 0);
    put(m, SpvOpFunctionEnd, NULL, 0);
}

uint32_t vc4c_pass_through(const uint8_t *record, uint32_t count, uint32_t words_out[VC4C_PASS_THROUGH_WORDS])
{
    struct module m = {.record = record, .record_count = count, .words = words_out};
    choose_ids(&m);
    put_head(&m);
    put_types(&m);
    put_function(&m);
    m.words[3] = m.next_id;
    return m.count;
}
