/* SPDX-License-Identifier: MIT
 *
 * Turns a fragment shader into a vertex program, so that a test sees all 32 bits of its results instead of an 8-bit
 * colour. The conversion happens before the back end: output location 0 goes to the VPM, and the inputs come from the
 * VPM, four rows per location.
 */
#ifndef AS_VERTEX_H
#define AS_VERTEX_H

#include "../compiler_qpu/harness.h"

/* The text of the lowered program, freed by the caller. NULL when the shader uses something that a vertex program
 * cannot have (derivatives, built-ins, too many inputs). The test fails when the shader cannot be translated. */
char *as_vertex_text(const struct vc4c_entry *entry, struct util_arena *arena);

/* The same for the entry point "main" of a SPIR-V file. */
char *as_vertex_file(const char *name);

#define AS_VERTEX_ROWS 16

/* Fills the VPM with the inputs of glsl_expect.h. */
void as_vertex_inputs(struct harness *h);

#endif
