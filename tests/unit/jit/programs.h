/* SPDX-License-Identifier: MIT
 *
 * Generates random QPU programs. They contain every operation, condition, pack and unpack mode, small immediates,
 * rotations, the peripherals of their kind of program, forward branches and finite loops. Hazards are not avoided,
 * because the model defines what they do.
 */
#ifndef TEST_JIT_PROGRAMS_H
#define TEST_JIT_PROGRAMS_H

#include "hw/qpu.h"

#define PROGRAM_MAX 4096u

/* The memory that programs read: uniforms, four configuration words per texture, and random words. */
#define PROGRAM_UNIFORMS 0x8000u
#define PROGRAM_TEXTURES 0x7000u
#define PROGRAM_DATA     0x10000u
#define TEXTURE_COUNT    16u

struct random {
    uint64_t state;
};
uint32_t random_word(struct random *r);
uint32_t random_below(struct random *r, uint32_t limit);
/* A typical operand: a special value, a small integer, a float near 1, or a random word. */
uint32_t random_value(struct random *r);

struct random_program {
    uint64_t words[PROGRAM_MAX];
    uint32_t count;
    unsigned varyings; /* the number it reads */
};
void random_program(struct random *r, enum qpu_program_kind kind, struct random_program *out);
/* At least `instrs` instructions, most of them in a loop that runs twice. */
void random_long(struct random *r, enum qpu_program_kind kind, uint32_t instrs, struct random_program *out);
/* Only texture lookups of neighbouring texels. */
void random_lookups(struct random *r, enum qpu_program_kind kind, struct random_program *out);
/* Loops of ALU operations with nothing in flight at their heads, so that host code can be entered there. */
void random_loops(struct random *r, enum qpu_program_kind kind, struct random_program *out);

#endif
