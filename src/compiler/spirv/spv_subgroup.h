/* SPDX-License-Identifier: MIT
 *
 * What subgroup operations on numbers of more than one word, and clocks, are made of.
 */
#ifndef SPV_SUBGROUP_H
#define SPV_SUBGROUP_H

#include "compiler/spirv/spv.h"

struct ir_instr *spv_subgroup_active(struct spv *s); /* does the lane take part? */
/* Lane l gets the value of lane l + n, modulo 16. */
struct ir_instr *spv_subgroup_rotate(struct spv *s, struct ir_instr *x, uint32_t n);
struct ir_instr *spv_subgroup_of_first(struct spv *s, struct ir_instr *x); /* the first active lane's x */
struct ir_instr *spv_subgroup_nowhere(struct spv *s, struct ir_instr *cond); /* holds in no active lane? */

#endif
