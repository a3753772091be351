/* SPDX-License-Identifier: MIT
 *
 * Checks and relocates shader records, their uniforms and attributes [kernel vc4_validate.c, notes 9.4 and 6.7].
 *
 * In the caller's stream each record is preceded by the indices of its buffers: fragment, vertex and coordinate shader,
 * then one per attribute. Its uniforms are, for each of the three stages: one buffer index per texture request, then
 * the words. The kernel compares each stage's need with the size of all uniforms and may read past their end; this file
 * compares it with what is left.
 *
 * With krn_lists.uniforms_are_addresses the record has the addresses of uniforms that are in memory already. Then the
 * stream has none, and programs are not validated.
 */
#include <errno.h>
#include <string.h>
#include "hw/cl_gen.h"
#include "model/kernel/krn_lists.h"

enum stage { STAGE_FS, STAGE_VS, STAGE_CS, STAGE_COUNT };

#define MAX_ATTRIBUTES    8
#define EXTENDED_STRIDE_B 100u /* where the strides of an extended record start */
#define MAX_RECORD_B      (EXTENDED_STRIDE_B + 4 * MAX_ATTRIBUTES)

static const char *const stage_name[STAGE_COUNT] = {"fragment", "vertex", "coordinate"};

static uint32_t load_u32(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* The next `size_B` bytes of the stream, or NULL. */
static const uint8_t *read_bytes(struct krn_reader *reader, uint32_t size_B)
{
    if (size_B > reader->left_B)
        return NULL;
    const uint8_t *data = reader->data;
    reader->data += size_B;
    reader->left_B -= size_B;
    return data;
}

/* -- uniforms of one stage -- */

static int relocate_uniforms(struct krn_lists *lists, const struct krn_shader *shader, enum stage stage,
                             uint32_t *addr_out)
{
    struct krn_writer *out = &lists->uniforms_out;
    const uint8_t *handles = read_bytes(&lists->uniforms_in, 4 * shader->sample_count);
    const uint8_t *words = handles ? read_bytes(&lists->uniforms_in, shader->uniforms_B) : NULL;
    if (!words || shader->uniforms_B > out->left_B)
        return krn_refuse(KRN_RULE_UNIFORMS_SIZE, "%s shader: needs %u B and %u texture handles", stage_name[stage],
                          shader->uniforms_B, shader->sample_count);
    memcpy(out->data, words, shader->uniforms_B);
    for (uint32_t i = 0; i < shader->sample_count; i++) {
        const struct krn_tex_sample *sample = &shader->samples[i];
        uint32_t word0;
        int err = krn_validate_texture(lists, sample, words, load_u32(handles + 4 * i), stage == STAGE_CS, &word0);
        if (err)
            return err;
        memcpy(out->data + sample->word_B[0], &word0, sizeof word0);
    }
    for (uint32_t i = 0; i < shader->address_count; i++)
        memcpy(out->data + shader->address_B[i], &out->addr, sizeof out->addr);
    *addr_out = out->addr;
    out->data += shader->uniforms_B;
    out->addr += shader->uniforms_B;
    out->left_B -= shader->uniforms_B;
    return 0;
}

static int validate_program(struct krn_lists *lists, const struct krn_buffer *bo, enum stage stage, bool threaded,
                            uint32_t *code, uint32_t *uniforms_addr_out)
{
    if (*code)
        return krn_refuse(KRN_RULE_SHADER_REC_CODE, "%s shader: %u", stage_name[stage], *code);
    if (lists->uniforms_are_addresses) {
        *code = bo->addr;
        return 0;
    }
    if (bo->shader->threaded != threaded)
        return krn_refuse(KRN_RULE_SHADER_REC_THREADS, "%s shader is %sthreaded", stage_name[stage],
                          bo->shader->threaded ? "" : "not ");
    *code = bo->addr;
    return relocate_uniforms(lists, bo->shader, stage, uniforms_addr_out);
}

/* -- attributes -- */

static int validate_attribute(struct krn_lists *lists, const struct krn_shader_state *state, uint32_t index,
                              const struct krn_buffer *bo, uint8_t *record)
{
    uint8_t *at = record + CL_GL_SHADER_RECORD_SIZE_B + index * CL_ATTRIBUTE_RECORD_SIZE_B;
    struct cl_attribute_record attribute;
    cl_attribute_record_unpack(at, &attribute);
    uint32_t size_B = attribute.size_minus_1_B + 1, stride_B = attribute.stride_B;
    if (state->extended)
        stride_B |= load_u32(record + EXTENDED_STRIDE_B + 4 * index) & ~0xffu;
    if (attribute.address > bo->size_B || bo->size_B - attribute.address < size_B)
        return krn_refuse(KRN_RULE_ATTRIBUTE_RANGE, "attribute %u: %u B at %u do not lie in %u B", index, size_B,
                          attribute.address, bo->size_B);
    if (stride_B) {
        uint32_t max_index = (bo->size_B - attribute.address - size_B) / stride_B;
        if (state->max_index > max_index)
            return krn_refuse(KRN_RULE_ATTRIBUTE_INDEX, "attribute %u: index %u, the buffer holds indices up to %u",
                              index, state->max_index, max_index);
    }
    krn_lists_binning_reads(lists, bo);
    attribute.address += bo->addr;
    cl_attribute_record_pack(at, &attribute);
    return 0;
}

/* -- one record -- */

static int lookup_buffers(const struct krn_lists *lists, const uint8_t *indices, uint32_t count,
                          const struct krn_buffer **bos_out)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = load_u32(indices + 4 * i);
        const bool is_shader = i < STAGE_COUNT && !lists->uniforms_are_addresses;
        bos_out[i] = is_shader ? krn_lists_shader(lists, index) : krn_lists_buffer(lists, index);
        if (!bos_out[i])
            return -EINVAL;
    }
    return 0;
}

static int validate_record(struct krn_lists *lists, const struct krn_shader_state *state)
{
    uint32_t size_B = state->extended ? EXTENDED_STRIDE_B + 4 * state->attributes
                                      : CL_GL_SHADER_RECORD_SIZE_B + CL_ATTRIBUTE_RECORD_SIZE_B * state->attributes;
    const uint8_t *indices = read_bytes(&lists->shader_rec_in, 4 * (STAGE_COUNT + state->attributes));
    const uint8_t *in = indices ? read_bytes(&lists->shader_rec_in, size_B) : NULL;
    if (!in || util_align(size_B, 16) > lists->shader_rec_out.left_B)
        return krn_refuse(KRN_RULE_SHADER_REC_SIZE, "a record with %u attributes", state->attributes);

    const struct krn_buffer *bos[STAGE_COUNT + MAX_ATTRIBUTES];
    int err = lookup_buffers(lists, indices, STAGE_COUNT + state->attributes, bos);
    if (err)
        return err;

    uint8_t copy[MAX_RECORD_B];
    memcpy(copy, in, size_B);
    struct cl_gl_shader_record record;
    cl_gl_shader_record_unpack(copy, &record);
    err = validate_program(lists, bos[STAGE_FS], STAGE_FS, !record.fs_single_threaded, &record.fs_code,
                           &record.fs_uniforms_address);
    if (!err)
        err = validate_program(lists, bos[STAGE_VS], STAGE_VS, false, &record.vs_code, &record.vs_uniforms_address);
    if (!err)
        err = validate_program(lists, bos[STAGE_CS], STAGE_CS, false, &record.cs_code, &record.cs_uniforms_address);
    if (err)
        return err;
    cl_gl_shader_record_pack(copy, &record);
    for (uint32_t i = 0; i < state->attributes && !err; i++)
        err = validate_attribute(lists, state, i, bos[STAGE_COUNT + i], copy);
    if (err)
        return err;

    struct krn_writer *out = &lists->shader_rec_out;
    memcpy(out->data, copy, size_B);
    out->data += util_align(size_B, 16);
    out->addr += util_align(size_B, 16);
    out->left_B -= util_align(size_B, 16);
    return 0;
}

int krn_validate_shader_records(struct krn_lists *lists)
{
    for (uint32_t i = 0; i < lists->state_count; i++) {
        int err = validate_record(lists, &lists->states[i]);
        if (err)
            return err;
    }
    return 0;
}
