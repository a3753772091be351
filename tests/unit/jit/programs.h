/* SPDX-License-Identifier: MIT
 *
 * Random QPU programs: every operation, condition, pack and unpack, small immediates and rotations, peripherals of
 * their kind, branches forward and loops that end. Hazards are not avoided: what they do is defined in the model, too.
 */
#ifndef TEST_JIT_PROGRAMS_H
#define TEST_JIT_PROGRAMS_H

#include "hw/qpu.h"

#define PROGRAM_MAX 800u

/* What programs find in memory: uniforms, configuration words of textures, four each, and words of anything. */
#define PROGRAM_UNIFORMS 0x8000u
#define PROGRAM_TEXTURES 0x7000u
#define PROGRAM_DATA     0x10000u
#define TEXTURE_COUNT    16u

struct random {
    uint64_t state;
};
uint32_t random_word(struct random *r);
uint32_t random_below(struct random *r, uint32_t limit);
/* A word as programs meet them: floats with all corners, small integers, anything. */
uint32_t random_value(struct random *r);

struct random_program {
    uint64_t words[PROGRAM_MAX];
    uint32_t count;
    unsigned varyings; /* that it reads */
};
void random_program(struct random *r, enum qpu_program_kind kind, struct random_program *out);
/* Nothing but lookups of neighbours. */
void random_lookups(struct random *r, enum qpu_program_kind kind, struct random_program *out);
/* User programs of loops that begin with nothing in flight. */
void random_loops(struct random *r, enum qpu_program_kind kind, struct random_program *out);

#endif
