/* SPDX-License-Identifier: MIT
 *
 * For tools and tests: compiles a program to lowered IR, without the back end.
 */
#ifndef COMPILER_VC4C_IR_H
#define COMPILER_VC4C_IR_H

#include "compiler/ir/ir.h"

/* The shader lives in `arena`; the caller must set its on_oom. */
enum vc4c_result vc4c_compile_to_ir(const struct vc4c_entry *entry, enum vc4c_program_kind kind,
                                    const struct vc4c_key *key, struct util_arena *arena, struct ir_shader **out,
                                    struct vc4c_error *error);

/* Finds the scalars that a vertex stage stores: a mask of components per location. Left unchanged on failure. */
void vc4c_find_outputs(const struct vc4c_entry *entry, struct util_arena *arena, uint8_t stored[IR_MAX_LOCATIONS]);

#endif
