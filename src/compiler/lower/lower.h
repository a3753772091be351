/* SPDX-License-Identifier: MIT
 *
 * From the operations of shaders to those of the chip, one pass a file. A pass that meets what it cannot do fills the
 * error in and returns the reason.
 */
#ifndef LOWER_H
#define LOWER_H

#include "compiler/ir/ir_pass.h"

/* The error for an instruction. */
enum vc4c_result ir_lower_error(struct vc4c_error *error, enum vc4c_result result, const struct ir_instr *at,
                                const char *fmt, ...) UTIL_PRINTF(4, 5);

/* LOAD_PUSH and LOAD_BUFFER to words of the uniform stream and direct lookups. */
enum vc4c_result ir_lower_buffers(struct ir_shader *shader, struct vc4c_error *error);

/* SAMPLE to TEX and arithmetic, per sampling class. */
enum vc4c_result ir_lower_tex(struct ir_shader *shader, const struct vc4c_key *key, struct vc4c_error *error);

/* Compute: built-ins, and the loop over the workgroups of a request. */
enum vc4c_result ir_lower_engine(struct ir_shader *shader, struct vc4c_error *error);
/* NULL: not a built-in of subgroups. */
struct ir_instr *ir_subgroup_builtin(struct ir_builder *b, const struct ir_instr *load);
/* Does what a lane computes depend on which lanes are beside it? */
bool ir_depends_on_lanes(struct ir_shader *shader);
/* Does the program touch memory in ways that only the CPU engine knows? Or is it a vertex program whose lanes look at
 * each other: on the chip nothing tells for certain which lanes of a batch have a vertex. */
bool ir_needs_engine(struct ir_shader *shader);

/* Vertex: LOAD_INPUT and built-ins to VPM words; fills shader->attributes. */
enum vc4c_result ir_lower_attributes(struct ir_shader *shader, const struct vc4c_vertex_key *key,
                                     struct vc4c_error *error);
/* Vertex: outputs to VPM_STOREs in the order of the chip. */
enum vc4c_result ir_lower_vs_outputs(struct ir_shader *shader, const struct vc4c_vertex_key *key, bool hands_on,
                                     struct vc4c_error *error);

/* Fragment: fills shader->inputs with what is read, in order. Changes nothing else. */
void ir_collect_inputs(struct ir_shader *shader);
/* Fragment: the depth in the window that VC4C_DEPTH_LOCATION gives. */
struct ir_instr *ir_depth_from_input(struct ir_builder *b);
/* Fragment: is it of the front? As VC4C_FACING_LOCATION says. */
struct ir_instr *ir_facing_from_input(struct ir_builder *b);
/* Fragment: LOAD_INPUT and built-ins to varyings and payload. */
enum vc4c_result ir_lower_fs_inputs(struct ir_shader *shader, const struct vc4c_fragment_key *key,
                                    struct vc4c_error *error);
/* Fragment: colour, blending, depth, stencil, discard. */
enum vc4c_result ir_lower_fs_outputs(struct ir_shader *shader, const struct vc4c_key *key,
                                     struct vc4c_error *error);

/* Stores and atomics of lanes that are no invocations go nowhere. */
bool ir_has_side_effects(struct ir_shader *shader);
/* Vertex: only the coordinate program keeps them. Has it to hand on what it makes of a vertex? */
bool ir_lower_vs_side_effects(struct ir_shader *shader);
/* Where there are: the coordinate program stores the values for the vertex program, which becomes a reader of them. */
void ir_share_vertex_results(struct ir_builder *b, struct ir_instr **const values[], uint32_t count);
/* Fragment: the coverage is looked at where `start` is; `has_alive`: variable 0 says which lanes live. */
void ir_lower_fs_side_effects(struct ir_shader *shader, const struct vc4c_fragment_key *key, struct ir_builder *start,
                              bool has_alive);

/* High-level float and integer operations to those of the chip. */
bool ir_lower_math(struct ir_shader *shader);
bool ir_lower_int(struct ir_shader *shader);

/* A value that is used behind the loop that defines it goes through a phi there. */
void ir_lower_loop_exits(struct ir_shader *shader);

/* Vertex: lanes without a vertex leave loops that lanes leave one by one. Needs the ramp, runs last. */
bool ir_needs_dead_lanes_masked(struct ir_shader *shader);
void ir_lower_dead_lanes(struct ir_shader *shader);

/* Programs of the CPU engine with more varyings than the chip has: they need not all be in registers at the start, but
 * are read one by one, and may go to memory. */
bool ir_pop_varyings(struct ir_shader *shader);

/* ---------------------------------------------------------------- texel and vertex formats (lower_format.c) */

/* Channels R, G, B, A of the format's word(s); missing ones are 0, 0, 0, 1. sRGB is decoded. NULL in `words`: not
 * loaded. */
void ir_unpack_format(struct ir_builder *b, enum hw_format format, struct ir_instr *const words[4],
                      struct ir_instr *out[4]);
/* The same of a texel that begins at `first_bit` of its first word. */
void ir_unpack_format_at(struct ir_builder *b, enum hw_format format, struct ir_instr *const words[4],
                         uint32_t first_bit, struct ir_instr *out[4]);
/* The word of a format of at most 32 bits. sRGB is encoded. */
/* Word `word_index` of a texel. */
struct ir_instr *ir_pack_format(struct ir_builder *b, enum hw_format format, uint32_t word_index,
                                struct ir_instr *const rgba[4]);
bool ir_can_pack_format(enum hw_format format);
struct ir_instr *ir_srgb_to_linear(struct ir_builder *b, struct ir_instr *x);
struct ir_instr *ir_linear_to_srgb(struct ir_builder *b, struct ir_instr *x);
struct ir_instr *ir_unpack_part_f(struct ir_builder *b, struct ir_instr *word, uint32_t part);

/* ---------------------------------------------------------------- short forms */

static inline struct ir_instr *ir_fmul(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    return ir_build2(b, IR_FMUL, x, y);
}

static inline struct ir_instr *ir_fadd(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    return ir_build2(b, IR_FADD, x, y);
}

static inline struct ir_instr *ir_fsub(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    return ir_build2(b, IR_FSUB, x, y);
}

static inline struct ir_instr *ir_sel(struct ir_builder *b, struct ir_instr *cond, struct ir_instr *x,
                                      struct ir_instr *y)
{
    return ir_build3(b, IR_SEL, cond, x, y);
}

#endif
