/* SPDX-License-Identifier: MIT
 *
 * Two hardware threads.
 */
#include "compiler/qpu/qc_ir.h"

bool qc_insert_switches(struct qc_program *p)
{
    (void)p;
    return false;
}
