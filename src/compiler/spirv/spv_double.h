/* SPDX-License-Identifier: MIT
 *
 * What the files about 64-bit floats share, and those about 64-bit integers use as well. The arithmetic is in
 * lower_f64.h. An operation of hundreds of instructions
 * on the components of a vector stands in the program once, in a loop over the components: the state of the loop holds
 * all of them, and moves by one component in each round.
 */
#ifndef SPV_DOUBLE_H
#define SPV_DOUBLE_H

#include "compiler/lower/lower_f64.h"
#include "compiler/spirv/spv.h"

/* The components of a scalar, vector or matrix. */
struct spv_doubles {
    struct ir_f64 *x;
    uint32_t n;
};

#define SPV_MAX_DOUBLES 16 /* components of the largest matrix */
#define SPV_MAX_DOUBLE_SOURCES 4

bool spv_is_double(const struct spv_type *t); /* scalar, vector or matrix of 64-bit floats */
struct spv_doubles spv_doubles(struct spv *s, uint32_t id);
/* Numbers of any width; those of 32 bits and less have NULL as high word. */
struct spv_doubles spv_double_numbers(struct spv *s, uint32_t id);
struct spv_doubles spv_doubles_new(struct spv *s, uint32_t n);
void spv_define_doubles(struct spv *s, const struct spv_instr *in, struct spv_doubles x);
/* Results of another type: as many words or booleans as `x` has. */
void spv_define_double_results(struct spv *s, const struct spv_instr *in, struct spv_doubles x);

/* One component: x has one number of each source. Results and sources of one word or boolean are in `lo`. */
typedef struct ir_f64 (*spv_double_op)(struct ir_builder *b, const struct ir_f64 *x);

enum spv_double_size { SPV_DOUBLE_SHORT, SPV_DOUBLE_LONG }; /* of the code of an operation: repeated, or in a loop */

/* An operation on n components. Sources of one word have NULL as `hi`. `bits`: of a result of one value, 1 or 32; 64:
 * the result is a number of two words. */
struct spv_doubles spv_each_double(struct spv *s, spv_double_op op, enum spv_double_size size, uint32_t n,
                                   struct ir_f64 *const sources[], uint32_t source_count, uint32_t bits);
/* The same for one to four operands of n components each. */
struct spv_doubles spv_map_doubles(struct spv *s, spv_double_op op, enum spv_double_size size,
                                   const struct spv_doubles *x, uint32_t source_count);

/* The numbers that one round of a loop hands to the next, as a list of words, with space for `numbers` of them. */
struct spv_double_state {
    struct ir_instr **words;
    uint32_t count;
};
struct spv_double_state spv_double_state(struct spv *s, uint32_t numbers);
void spv_double_push(struct spv_double_state *t, const struct ir_f64 *x, uint32_t n);
/* Reads n numbers from word *at on. `like` tells which of them have two words. */
void spv_double_pull(struct ir_instr *const *words, uint32_t *at, const struct ir_f64 *like, struct ir_f64 *out,
                     uint32_t n);
/* Drops the first number and appends `last`. */
void spv_double_move_up(struct ir_f64 *x, uint32_t n, struct ir_f64 last);

struct ir_f64 spv_double_dot(struct spv *s, struct spv_doubles x, struct spv_doubles y);

/* An operation over a subgroup. */
struct spv_double_combination {
    uint16_t op;
    spv_double_op build;
    uint64_t identity; /* what lanes that do not take part give */
};
struct spv_doubles spv_double_combine(struct spv *s, const struct spv_instr *in,
                                      const struct spv_double_combination *o, struct spv_doubles x);

/* Operations for the above. */
struct ir_f64 spv_double_add(struct ir_builder *b, const struct ir_f64 *x);
struct ir_f64 spv_double_sub(struct ir_builder *b, const struct ir_f64 *x);
struct ir_f64 spv_double_mul(struct ir_builder *b, const struct ir_f64 *x);
struct ir_f64 spv_double_div(struct ir_builder *b, const struct ir_f64 *x);
struct ir_f64 spv_double_neg(struct ir_builder *b, const struct ir_f64 *x);

/* Families; false: not of the family. */
bool spv_translate_double_matrix(struct spv *s, const struct spv_instr *in);
bool spv_translate_double_subgroup(struct spv *s, const struct spv_instr *in);
bool spv_translate_double_glsl(struct spv *s, const struct spv_instr *in);
bool spv_translate_double_geometry(struct spv *s, const struct spv_instr *in);

#endif
