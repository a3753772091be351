/* SPDX-License-Identifier: MIT
 *
 * To see all 32 bits of what a fragment shader computes, it is made a vertex program in front of the back end: location
 * 0 goes to the VPM, and its inputs come from there, four rows a location.
 */
#ifndef AS_VERTEX_H
#define AS_VERTEX_H

#include "../compiler_qpu/harness.h"

/* The text of the lowered program, or NULL when it makes no vertex program. Freed by the caller; the test fails when
 * the shader cannot be translated. */
char *as_vertex_text(const struct vc4c_entry *entry, struct util_arena *arena);

/* The same for the entry point "main" of a SPIR-V file. */
char *as_vertex_file(const char *name);

#define AS_VERTEX_ROWS 16

/* The inputs of glsl_expect.h. */
void as_vertex_inputs(struct harness *h);

#endif
