/* SPDX-License-Identifier: MIT
 *
 * The back end: compiles lowered IR (no op with IR_H) to a program for the chip.
 */
#ifndef QPU_QC_H
#define QPU_QC_H

#include "compiler/ir/ir.h"

struct qc_options {
    bool quick;              /* a short search for the schedule; the program may be a little longer */
    bool single_thread;      /* no thread switches */
    uint8_t registers_less;  /* registers of each file that are not used, as if the chip had fewer */
};

/* `shader` is consumed (its arena holds all intermediate data). VC4C_DOES_NOT_FIT when the registers do not suffice.
 * Code, uniforms and lookups of `out` come from `alloc`. */
enum vc4c_result qc_compile(struct ir_shader *shader, const struct qc_options *options, const struct util_alloc *alloc,
                            struct vc4c_program *out, struct vc4c_error *error);

#endif
