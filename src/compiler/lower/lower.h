/* SPDX-License-Identifier: MIT
 *
 * Passes that lower shader operations to what the chip has, one pass per file. A pass that meets something unsupported
 * fills in the error and returns the result code.
 */
#ifndef LOWER_H
#define LOWER_H

#include "compiler/ir/ir_pass.h"

/* Formats the error message for instruction `at` (NULL: none) and returns `result`. */
enum vc4c_result ir_lower_error(struct vc4c_error *error, enum vc4c_result result, const struct ir_instr *at,
                                const char *fmt, ...) UTIL_PRINTF(4, 5);

/* Lowers LOAD_PUSH and LOAD_BUFFER to uniform stream words and direct lookups. */
enum vc4c_result ir_lower_buffers(struct ir_shader *shader, struct vc4c_error *error);

/* Turns loads from small tables at offsets that a whole draw shares into selects, for ir_hoist_uniforms. */
void ir_lower_tables(struct ir_shader *shader);

/* Lowers SAMPLE to TEX and arithmetic, according to the sampling class. */
enum vc4c_result ir_lower_tex(struct ir_shader *shader, const struct vc4c_key *key, struct vc4c_error *error);

/* Compute: lowers built-ins and adds the loop over the workgroups of a request. */
enum vc4c_result ir_lower_engine(struct ir_shader *shader, struct vc4c_error *error);
/* Stages that write records: lowers inputs and outputs to accesses of memory. For ir_lower_engine. */
enum vc4c_result ir_lower_records(struct ir_shader *shader, struct vc4c_error *error);
/* The record's word that a STORE_OUTPUT or STORE_BUILTIN of a vertex shader is for; VC4C_RECORD_WORDS: none. */
uint32_t ir_record_word_of(const struct ir_instr *store);
/* Returns NULL when `load` does not read a subgroup built-in. */
struct ir_instr *ir_subgroup_builtin(struct ir_builder *b, const struct ir_instr *load);
/* True when what a lane computes depends on which other lanes share its batch. */
bool ir_depends_on_lanes(struct ir_shader *shader);
/* True when only the CPU engine can run the program: it accesses memory in ways that the chip cannot, or it is a vertex
 * program whose lanes read each other. On the chip nothing says reliably which lanes of a batch have a vertex. */
bool ir_needs_engine(struct ir_shader *shader);

/* Vertex: lowers LOAD_INPUT and built-ins to VPM words; fills shader->attributes. */
enum vc4c_result ir_lower_attributes(struct ir_shader *shader, const struct vc4c_vertex_key *key,
                                     struct vc4c_error *error);
/* Vertex: lowers outputs to VPM_STOREs in the order that the chip expects. `shares_results`: the coordinate program
 * computes the outputs and the vertex program reads them from memory. */
enum vc4c_result ir_lower_vs_outputs(struct ir_shader *shader, const struct vc4c_vertex_key *key, bool shares_results,
                                     struct vc4c_error *error);

/* Fragment: fills shader->inputs with the inputs that are read, in order. Changes nothing else. */
void ir_collect_inputs(struct ir_shader *shader);
/* Fragment: window depth, computed from the input at VC4C_DEPTH_LOCATION. */
struct ir_instr *ir_depth_from_input(struct ir_builder *b);
/* Fragment: how much of the pixel a smooth line covers, from the inputs at VC4C_LINE_LOCATION. */
struct ir_instr *ir_line_coverage(struct ir_builder *b);
/* Fragment: removes the coverage of fragments whose primitive is for another layer or viewport than the one that is
 * drawn. For the start of the program. */
void ir_select_target(struct ir_builder *b);
/* Fragment: removes the coverage where the pattern of a stippled line has zeros. */
void ir_stipple_line(struct ir_builder *b, const struct vc4c_fragment_key *key);
/* Fragment: true for a front face, from the input at VC4C_FACING_LOCATION. */
struct ir_instr *ir_facing_from_input(struct ir_builder *b);
/* Fragment: lowers LOAD_INPUT and built-ins to varyings and payload registers. */
enum vc4c_result ir_lower_fs_inputs(struct ir_shader *shader, const struct vc4c_fragment_key *key,
                                    struct vc4c_error *error);
/* Fragment: lowers colour outputs, blending, depth, stencil and discard. */
enum vc4c_result ir_lower_fs_outputs(struct ir_shader *shader, const struct vc4c_key *key,
                                     struct vc4c_error *error);

/* True when the shader has stores or atomics. The passes below mask them in lanes that are not invocations. */
bool ir_has_side_effects(struct ir_shader *shader);
/* Vertex: masks side effects, which only the coordinate program keeps. Returns whether the coordinate program has to
 * pass its results to the vertex program through memory. */
bool ir_lower_vs_side_effects(struct ir_shader *shader);
/* When it has to: the coordinate program stores the values; the body of the vertex program is replaced by loads of
 * them. */
void ir_share_vertex_results(struct ir_builder *b, struct ir_instr **const values[], uint32_t count);
/* Fragment: the coverage is read at `start`. `has_alive`: variable 0 holds which lanes have not been discarded. */
void ir_lower_fs_side_effects(struct ir_shader *shader, const struct vc4c_fragment_key *key, struct ir_builder *start,
                              bool has_alive);

/* Lower high-level float and integer operations to those of the chip. */
bool ir_lower_math(struct ir_shader *shader);
bool ir_lower_int(struct ir_shader *shader);

/* Gives every value that is used after the loop that defines it a phi behind that loop. */
void ir_lower_loop_exits(struct ir_shader *shader);

/* Vertex: makes lanes without a vertex leave divergent loops at once. Needs the ARRAY_INDEX attribute; runs last. */
bool ir_needs_dead_lanes_masked(struct ir_shader *shader);
void ir_lower_dead_lanes(struct ir_shader *shader);

/* CPU-engine programs with more varyings than the chip has: the varyings need not all be in registers at the start. The
 * program pops them one by one, and they may be spilled. */
bool ir_pop_varyings(struct ir_shader *shader);

/* ---------------------------------------------------------------- texel and vertex formats (lower_format.c) */

/* Unpacks R, G, B, A from the format's word(s). Missing channels are 0, 0, 0, 1. sRGB is decoded. NULL entries of
 * `words` were not loaded. */
void ir_unpack_format(struct ir_builder *b, enum hw_format format, struct ir_instr *const words[4],
                      struct ir_instr *out[4]);
/* The same for a texel that begins at bit `first_bit` of its first word. */
void ir_unpack_format_at(struct ir_builder *b, enum hw_format format, struct ir_instr *const words[4],
                         uint32_t first_bit, struct ir_instr *out[4]);
/* Packs word `word_index` of a texel. sRGB is encoded. */
struct ir_instr *ir_pack_format(struct ir_builder *b, enum hw_format format, uint32_t word_index,
                                struct ir_instr *const rgba[4]);
bool ir_can_pack_format(enum hw_format format);
struct ir_instr *ir_srgb_to_linear(struct ir_builder *b, struct ir_instr *x);
struct ir_instr *ir_linear_to_srgb(struct ir_builder *b, struct ir_instr *x);
/* Raw bits of a 16-bit channel that is a float, in the low half; the high half is undefined. NULL: another format. */
struct ir_instr *ir_unpack_half(struct ir_builder *b, enum hw_format format, struct ir_instr *const words[4],
                                uint32_t component);
struct ir_instr *ir_unpack_part_f(struct ir_builder *b, struct ir_instr *word, uint32_t part);

/* ---------------------------------------------------------------- halves (lower_half.c) */

/* Of the low half of `x`; keeps denormals and NaN. */
struct ir_instr *ir_half_to_float(struct ir_builder *b, struct ir_instr *x);
/* Rounds to nearest even, or to zero. */
struct ir_instr *ir_float_to_half(struct ir_builder *b, struct ir_instr *x, bool to_zero);
/* The half whose value the float `x` has, if that is known at compile time, else NULL. The high half is undefined. */
struct ir_instr *ir_exact_half(struct ir_builder *b, struct ir_instr *x);

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
