/* SPDX-License-Identifier: MIT
 *
 * Vertex pipe: fetches attributes and runs a batch of vertices [guide p.53-61, p.80-82].
 *
 * Where attributes overlap in a column the later array wins. Words past the record's total size are dropped, as the
 * recorded jobs require. Lanes without a vertex, and rows that no attribute fills, hold a pattern that is easy to
 * recognise.
 */
#include "model/gpu/gpu_mem.h"
#include "model/gpu/gpu_stats.h"
#include "model/gpu/gpu_vertex.h"

#define POISON 0xbad0face

#define EXTENDED_STRIDES_OFFSET_B 100 /* from the start of the record, for any number of attributes */

bool gpu_shader_read(const struct gpu_memory *mem, const struct cl_gl_shader_state *state, struct gpu_shader *out,
                     const char **message_out)
{
    /* The hardware treats an extended record as one of eight attributes [guide p.69]. The kernel sizes the record by
     * the attribute count, so the model does not read beyond that. */
    unsigned count = state->attribute_count ? state->attribute_count : GPU_ATTRIBUTES_MAX;
    uint32_t size_B = CL_GL_SHADER_RECORD_SIZE_B + count * CL_ATTRIBUTE_RECORD_SIZE_B;
    if (state->extended)
        size_B = EXTENDED_STRIDES_OFFSET_B + 4 * count;
    const uint8_t *at = gpu_mem_at(mem, state->address, size_B);
    if (!at) {
        *message_out = "shader record outside of mapped memory";
        return false;
    }
    cl_gl_shader_record_unpack(at, &out->rec);
    out->attribute_count = count;
    for (unsigned i = 0; i < count; i++) {
        struct cl_attribute_record *attribute = &out->attributes[i];
        cl_attribute_record_unpack(at + CL_GL_SHADER_RECORD_SIZE_B + i * CL_ATTRIBUTE_RECORD_SIZE_B, attribute);
        if (state->extended) {
            uint32_t extended;
            memcpy(&extended, at + EXTENDED_STRIDES_OFFSET_B + 4 * i, 4);
            attribute->stride_B |= extended & ~0xffu;
        }
    }
    return true;
}

unsigned gpu_shader_output_words(const struct gpu_shader *shader, enum gpu_vertex_stage stage)
{
    unsigned words = shader->rec.point_size ? 1 : 0;
    if (stage == GPU_STAGE_COORDINATE)
        return words + GPU_COORDINATE_WORDS;
    words += GPU_VERTEX_WORDS + shader->rec.fs_varyings;
    return MIN2(words, GPU_OUTPUT_ROWS);
}

/* If a batch's elements of an array span less than this, they are checked together. */
#define FETCH_WINDOW_B 65536u

/* Finds the element of each lane; NULL for unmapped elements. False if there are any. */
static bool find_elements(const struct gpu_memory *mem, const struct cl_attribute_record *attribute, uint32_t size_B,
                          const uint16_t *indices, unsigned count, const uint8_t *at_out[QPU_LANES])
{
    const uint32_t stride_B = attribute->stride_B;
    uint32_t low = indices[0], high = indices[0];
    for (unsigned lane = 1; lane < count; lane++) {
        low = MIN2(low, indices[lane]);
        high = MAX2(high, indices[lane]);
    }
    const uint64_t first = attribute->address + (uint64_t)low * stride_B, span_B = (uint64_t)(high - low) * stride_B;
    const uint8_t *all = NULL;
    if (span_B < FETCH_WINDOW_B && first <= UINT32_MAX)
        all = gpu_mem_at(mem, (uint32_t)first, (uint32_t)span_B + size_B);
    bool are_mapped = true;
    for (unsigned lane = 0; lane < count; lane++) { /* the product wraps to 32 bits, as on the chip */
        at_out[lane] = all ? all + (indices[lane] - low) * stride_B
                           : gpu_mem_at(mem, attribute->address + indices[lane] * stride_B, size_B);
        are_mapped &= at_out[lane] != NULL;
    }
    return are_mapped;
}

/* Inlined so that `words` is a constant. */
static inline __attribute__((always_inline)) void copy_words(uint32_t (*to)[QPU_LANES],
                                                             const uint8_t *const at[QPU_LANES], unsigned count,
                                                             uint32_t words)
{
    for (unsigned lane = 0; lane < count; lane++) {
        for (uint32_t row = 0; row < words; row++) {
            uint32_t word;
            memcpy(&word, at[lane] + 4 * row, 4);
            to[row][lane] = word;
        }
    }
}

static void copy_elements(uint32_t (*to)[QPU_LANES], const uint8_t *const at[QPU_LANES], unsigned count, uint32_t words)
{
    switch (words) {
    case 1:
        copy_words(to, at, count, 1);
        break;
    case 2:
        copy_words(to, at, count, 2);
        break;
    case 3:
        copy_words(to, at, count, 3);
        break;
    case 4:
        copy_words(to, at, count, 4);
        break;
    default:
        copy_words(to, at, count, words);
    }
}

/* Copies attribute bytes unchanged; a partial last word is padded with zeros. */
static void fetch_attribute(struct gpu_vertex_pipe *pipe, const struct cl_attribute_record *attribute, uint32_t vpm_B,
                            uint32_t total_rows, const uint16_t *indices, unsigned count)
{
    uint32_t size_B = attribute->size_minus_1_B + 1;
    uint32_t first_row = vpm_B / 4;
    if (first_row >= total_rows)
        return;
    uint32_t rows = MIN2(util_div_round_up(size_B, 4), total_rows - first_row);
    const uint32_t whole = MIN2(size_B / 4, rows);
    const uint8_t *at[QPU_LANES];
    uint32_t (*to)[QPU_LANES] = &pipe->in[first_row];
    if (find_elements(pipe->mem, attribute, size_B, indices, count, at) && whole == rows) {
        copy_elements(to, at, count, whole);
        return;
    }
    for (unsigned lane = 0; lane < count; lane++) {
        for (uint32_t row = 0; row < whole; row++) {
            uint32_t word = 0;
            if (at[lane])
                memcpy(&word, at[lane] + 4 * row, 4);
            to[row][lane] = word;
        }
        if (whole < rows) {
            to[whole][lane] = 0;
            if (at[lane])
                memcpy(&to[whole][lane], at[lane] + 4 * whole, size_B % 4);
        }
    }
}

static void fetch_attributes(struct gpu_vertex_pipe *pipe, const struct gpu_shader *shader, enum gpu_vertex_stage stage,
                             const uint16_t *indices, unsigned count)
{
    bool vertex = stage == GPU_STAGE_VERTEX;
    uint32_t selected = vertex ? shader->rec.vs_attributes : shader->rec.cs_attributes;
    uint32_t total_rows = util_div_round_up(vertex ? shader->rec.vs_size_B : shader->rec.cs_size_B, 4);
    total_rows = MIN2(total_rows, GPU_VPM_ROWS);

    for (uint32_t row = 0; row < MIN2(total_rows + 1, GPU_VPM_ROWS); row++)
        for (unsigned lane = 0; lane < QPU_LANES; lane++)
            pipe->in[row][lane] = POISON;
    for (unsigned i = 0; i < shader->attribute_count; i++) {
        const struct cl_attribute_record *attribute = &shader->attributes[i];
        if (selected & BIT(i))
            fetch_attribute(pipe, attribute, vertex ? attribute->vs_vpm_B : attribute->cs_vpm_B, total_rows, indices,
                            count);
    }
}

static void count_fetch(struct gpu_stats *stats, const struct gpu_shader *shader, enum gpu_vertex_stage stage,
                        unsigned count)
{
    const uint32_t selected = stage == GPU_STAGE_VERTEX ? shader->rec.vs_attributes : shader->rec.cs_attributes;
    gpu_stats_add(stats, MODEL_COST_VERTICES, count);
    for (unsigned i = 0; i < shader->attribute_count; i++)
        if (selected & BIT(i))
            gpu_stats_add(stats, MODEL_COST_ATTRIBUTE_B, count * (shader->attributes[i].size_minus_1_B + 1));
}

enum gpu_status gpu_vertex_run(struct gpu_vertex_pipe *pipe, const struct gpu_shader *shader,
                               enum gpu_vertex_stage stage, const uint16_t *indices, unsigned count,
                               const char **message_out)
{
    assert(count >= 1 && count <= QPU_LANES);
    bool vertex = stage == GPU_STAGE_VERTEX;
    const struct gpu_qpu_program *program =
        gpu_qpu_program_get(pipe->core, vertex ? shader->rec.vs_code : shader->rec.cs_code, message_out);
    if (!program)
        return GPU_HANG;

    fetch_attributes(pipe, shader, stage, indices, count);
    if (gpu_qpu_stats(pipe->core))
        count_fetch(gpu_qpu_stats(pipe->core), shader, stage, count);
    unsigned words = gpu_shader_output_words(shader, stage);
    for (unsigned row = 0; row < words; row++)
        for (unsigned lane = 0; lane < QPU_LANES; lane++)
            pipe->out[row][lane] = POISON;

    struct gpu_vertex_io io = {.in = pipe->in, .out = pipe->out};
    struct gpu_qpu_run run = {
        .program = program,
        .kind = QPU_PROGRAM_VERTEX,
        .uniforms_addr = vertex ? shader->rec.vs_uniforms_address : shader->rec.cs_uniforms_address,
        .limit = pipe->limit,
        .vertex = &io,
        .user = pipe->user,
        .qpu = pipe->user ? pipe->user->first_qpu : 0,
    };
    return gpu_qpu_run(pipe->core, &run, message_out);
}
