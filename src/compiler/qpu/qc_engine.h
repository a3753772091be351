/* SPDX-License-Identifier: MIT
 *
 * The fixed instruction sequences of CPU-engine programs; vc4c_program.sites lists where a program contains them.
 */
#ifndef QPU_QC_ENGINE_H
#define QPU_QC_ENGINE_H

#include "compiler/vc4c.h"
#include "hw/qpu.h"

/* Own rows: the last one holds what is stored or loaded, the others hold spilled values. */
#define QC_OWN_ROW_WRITE (QPU_VPM_OWN_ROWS | 0x00001a00u) /* setups of a single row */
#define QC_OWN_ROW_READ  (QPU_VPM_OWN_ROWS | 0x00101a00u)
#define QC_SPILL_ROWS    (QPU_OWN_ROWS - 1)
#define QC_DATA_ROW      (QPU_OWN_ROWS - 1)
#define QC_SPILL_SLOT_B  64u /* a word for each lane */
#define QC_SEQUENCE_ROOM 128u /* instructions; no sequence is longer */

/* Whether sequences of the kind have an address operand, and a scratch register. */
bool qc_sequence_has_address(enum vc4c_site_kind kind);
bool qc_sequence_has_scratch(enum vc4c_site_kind kind);

/* Writes the sequence for the registers in `site` and returns its length. `subgroups`: number per workgroup. */
unsigned qc_sequence_write(const struct vc4c_site *site, unsigned subgroups, struct qpu_instr out[QC_SEQUENCE_ROOM]);

#endif
