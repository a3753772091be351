/* SPDX-License-Identifier: MIT
 *
 * Peepholes inside blocks.
 */
#include "compiler/qpu/qc_ir.h"

void qc_opt(struct qc_program *p)
{
    (void)p;
}
