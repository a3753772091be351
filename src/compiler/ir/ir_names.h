/* SPDX-License-Identifier: MIT
 *
 * Names of the text form that the printer and the parser share.
 */
#ifndef IR_NAMES_H
#define IR_NAMES_H

#include "compiler/ir/ir.h"

/* Fields of IR_SAMPLE in the text form, after its texture: X(field) */
#define IR_SAMPLE_FIELDS(X)                                                                                            \
    X(dim)                                                                                                             \
    X(kind) X(is_array) X(shadow) X(projected) X(multisampled) X(integer) X(gather_component) X(coord_count)           \
        X(has_bias) X(has_lod) X(has_offset) X(has_min_lod)

extern const char *const ir_program_kind_names[4];
extern const char *const ir_primitive_names[3];

/* The number of immediates that the text form always shows for this op. */
uint32_t ir_op_imms(enum ir_op op);

#endif
