/* SPDX-License-Identifier: MIT
 *
 * Vertex pipe (VCM, VCD): reads shader records, fetches the attributes of batches of up to 16 vertices into columns of
 * the VPM, and shades them with the coordinate or the vertex program.
 */
#ifndef GPU_VERTEX_H
#define GPU_VERTEX_H

#include "hw/cl_gen.h"
#include "model/gpu/gpu_qpu.h"

#define GPU_ATTRIBUTES_MAX 8

enum gpu_vertex_stage { GPU_STAGE_COORDINATE, GPU_STAGE_VERTEX };

/* A decoded GL shader record. */
struct gpu_shader {
    struct cl_gl_shader_record rec;
    unsigned attribute_count;
    struct cl_attribute_record attributes[GPU_ATTRIBUTES_MAX]; /* stride_B: all bits of an extended record */
};

/* False with a static message if the record is not in mapped memory. */
bool gpu_shader_read(const struct gpu_memory *mem, const struct cl_gl_shader_state *state, struct gpu_shader *out,
                     const char **message_out) UTIL_MUST_CHECK;

/* Output words per vertex of a program of this stage [guide p.60-61]. Coordinate stage: XC, YC, ZC, WC, then as in the
 * vertex stage. Vertex stage: YS:XS, ZS, 1/WC, point size if the record has the flag, varyings (vertex stage only). */
unsigned gpu_shader_output_words(const struct gpu_shader *shader, enum gpu_vertex_stage stage);

/* Output words before the point size. */
#define GPU_COORDINATE_WORDS 7
#define GPU_VERTEX_WORDS     3

struct gpu_vertex_pipe {
    const struct gpu_memory *mem;
    struct gpu_qpu_core *core;
    struct util_work_limit *limit;
    struct gpu_user_io *user; /* on the CPU engine; not owned. NULL: the chip */
    uint32_t in[GPU_VPM_ROWS][QPU_LANES];
    uint32_t out[GPU_OUTPUT_ROWS][QPU_LANES]; /* column n: outputs of the last run for the n-th vertex */
};

/* Shades `count` (1..16) vertices. Returns GPU_OK, or status and message of the failed run. */
enum gpu_status gpu_vertex_run(struct gpu_vertex_pipe *pipe, const struct gpu_shader *shader,
                               enum gpu_vertex_stage stage, const uint16_t *indices, unsigned count,
                               const char **message_out);

#endif
