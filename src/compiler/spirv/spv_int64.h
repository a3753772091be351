/* SPDX-License-Identifier: MIT
 *
 * What the files about 64-bit integers share. Operands, results and loops over the components are those of 64-bit
 * floats (spv_double.h), the arithmetic is in lower_i64.h.
 */
#ifndef SPV_INT64_H
#define SPV_INT64_H

#include "compiler/spirv/spv_double.h"

bool spv_is_int64(const struct spv_type *t); /* scalar or vector of 64-bit integers */
struct spv_doubles spv_int64s(struct spv *s, uint32_t id);
void spv_define_int64s(struct spv *s, const struct spv_instr *in, struct spv_doubles x);
/* Operations over a subgroup. False: not one of them. */
bool spv_combine_int64(struct spv *s, const struct spv_instr *in);
/* Conversions between 64-bit integers and other numbers but 64-bit floats. False: not one of them. */
bool spv_convert_int64(struct spv *s, const struct spv_instr *in);
/* The words of an OpSpecConstantOp on 64-bit integers. NULL: not an operation on them, or not one of numbers. */
uint32_t *spv_fold_int64(struct spv *s, const struct spv_instr *in);

#endif
