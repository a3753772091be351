/* SPDX-License-Identifier: MIT
 *
 * Reads the inputs and expected results of a test shader from its comments:
 *
 *   // push 1.0 2 -3          words of the push constants (a number without a decimal point is an integer)
 *   // buffer 1.0 2           words of every buffer
 *   // spec 3 0.5             specialisation constant 3
 *   // todo REASON            the compiler does not support the shader yet
 *   // differs REASON         other implementations may give other results
 *   // cpu REASON             the shader compiles for the CPU engine only
 *   // out 1.0 2 ...          location 0, all lanes; a tolerance of 2^-14 relative to max(1, |x|), integers exact
 *   // out@5 1.0 ...          lane 5 only
 *
 * Input (location 0): lane, lane / 4 - 2, 1, lane & 1.
 */
#ifndef GLSL_EXPECT_H
#define GLSL_EXPECT_H

#include "util/macros.h"

#define EXPECT_LANES 16
#define EXPECT_MAX_WORDS 64

struct word {
    uint32_t bits;
    bool is_int;
};

struct expectation {
    int lane; /* -1: all */
    struct word words[4];
    uint32_t count;
};

#define EXPECT_MAX_SPECS 4

struct expected {
    uint32_t push[EXPECT_MAX_WORDS], buffer[EXPECT_MAX_WORDS], push_words, buffer_words;
    uint32_t spec_ids[EXPECT_MAX_SPECS], spec_words[EXPECT_MAX_SPECS], spec_count;
    char todo[80], cpu[80], differs[80]; /* reasons; empty: no such comment */
    struct expectation outs[40];
    uint32_t out_count;
};

/* Reads the comments of a shader. False when none of them states an expected output. */
bool glsl_read(const char *source, struct expected *out);

/* The value of an input component in a lane. */
uint32_t glsl_input(uint32_t location, uint32_t component, uint32_t lane);

/* Compares the components of location 0 with the expectations; prints the first difference as a TAP comment. `what`
 * names the shader or the stage in that message. */
bool glsl_check(const char *what, const struct expected *e, const uint32_t out[4][EXPECT_LANES]);

#endif
