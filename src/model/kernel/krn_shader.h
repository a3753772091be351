/* SPDX-License-Identifier: MIT
 *
 * Result of validating a program: how many uniforms a run reads, the positions of texture and address words among them,
 * and whether the program switches threads.
 */
#ifndef KRN_SHADER_H
#define KRN_SHADER_H

#include "util/macros.h"

#define KRN_NO_UNIFORM UINT32_MAX

struct krn_tex_sample {
    bool direct;        /* a direct memory lookup: word 0 is a byte offset, word 1 the clamp */
    uint32_t word_B[4]; /* offsets of the texture words among the uniforms; KRN_NO_UNIFORM when not written */
};

struct krn_shader {
    uint32_t uniforms_B; /* size of the uniform stream that the chip reads */
    bool threaded;
    uint32_t sample_count;
    struct krn_tex_sample *samples; /* in the order of the S writes */
    uint32_t address_count;
    uint32_t *address_B; /* offsets of words that receive the stream's own base address */
};

/* `count`: words in the buffer, zero after the program. 0, -EINVAL (with the refusal recorded) or -ENOMEM. */
int krn_shader_validate(const uint64_t *code, uint32_t count, struct krn_shader **out) UTIL_MUST_CHECK;
/* NULL is accepted. */
void krn_shader_destroy(struct krn_shader *shader);

#endif
