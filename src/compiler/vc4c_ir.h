/* SPDX-License-Identifier: MIT
 *
 * For tools and tests: a program as lowered IR, in front of the back end.
 */
#ifndef COMPILER_VC4C_IR_H
#define COMPILER_VC4C_IR_H

#include "compiler/ir/ir.h"

/* The shader lives in `arena`, whose on_oom is set by the caller. */
enum vc4c_result vc4c_compile_to_ir(const struct vc4c_entry *entry, enum vc4c_program_kind kind,
                                    const struct vc4c_key *key, struct util_arena *arena, struct ir_shader **out,
                                    struct vc4c_error *error);

/* Which scalars a vertex stage stores: a mask of components per location. Failure leaves them 0. */
void vc4c_find_outputs(const struct vc4c_entry *entry, struct util_arena *arena, uint8_t stored[IR_MAX_LOCATIONS]);

#endif
