/* SPDX-License-Identifier: MIT
 *
 * The words of the QPU text (docs/qpu-text.md), shared by the printer and the parser so that they cannot disagree.
 * Private to hw/qpu_print.c and hw/qpu_parse.c.
 */
#ifndef HW_QPU_TEXT_H
#define HW_QPU_TEXT_H

#include "hw/qpu.h"

/* Each table is indexed by the field's value; NULL where a number is printed instead. */
extern const char *const qpu_text_sig[16]; /* NULL: implied by other words */
extern const char *const qpu_text_cond[8];
extern const char *const qpu_text_branch_cond[16];
extern const char *const qpu_text_unpack[8];
extern const char *const qpu_text_pack_a[16];
extern const char *const qpu_text_load_imm[8];  /* the name of the operation */
extern const char *const qpu_text_raddr[2][64]; /* side A, side B; NULL for file registers */
extern const char *const qpu_text_waddr[2][64]; /* equal on both sides where the address means the same */

/* Whether the name of write address `waddr` implies its side. */
bool qpu_text_waddr_tells_side(unsigned waddr);

#endif
