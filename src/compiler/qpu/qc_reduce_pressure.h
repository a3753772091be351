/* SPDX-License-Identifier: MIT
 *
 * What is done, step by step, with a program that needs more registers than there are.
 */
#ifndef QPU_QC_REDUCE_PRESSURE_H
#define QPU_QC_REDUCE_PRESSURE_H

#include "compiler/ir/ir.h"

#define QC_REGISTERS 64u /* of the two files */

/* Zero it but for these. */
struct qc_reduce_pressure {
    struct ir_shader *shader;
    uint32_t registers;
    uint32_t steps, remat_limit, spill_limit; /* its own */
};

/* Makes the program lighter. False: there is nothing left to do. */
bool qc_reduce_pressure_step(struct qc_reduce_pressure *l);

#endif
