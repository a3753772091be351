/* SPDX-License-Identifier: MIT
 *
 * Reduces the register pressure of a program that does not fit, step by step.
 */
#ifndef QPU_QC_REDUCE_PRESSURE_H
#define QPU_QC_REDUCE_PRESSURE_H

#include "compiler/ir/ir.h"

#define QC_REGISTERS 64u /* in both register files */

/* Zero-initialise, then set the first two fields. */
struct qc_reduce_pressure {
    struct ir_shader *shader;
    uint32_t registers;
    uint32_t steps, remat_limit, spill_limit; /* private */
};

/* Takes the next step. Returns false when there is none left. */
bool qc_reduce_pressure_step(struct qc_reduce_pressure *l);

#endif
