/* SPDX-License-Identifier: MIT
 *
 * What a shader of glsl/ expects, read from its comments:
 *
 *   // push 1.0 2 -3          words of the push constants (an integer when there is no point)
 *   // buffer 1.0 2           words of every buffer
 *   // spec 3 0.5             specialisation constant 3
 *   // todo REASON            it need not compile yet
 *   // differs REASON         other implementations may give other results
 *   // cpu REASON             it compiles for the CPU engine only
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
    char todo[80], cpu[80], differs[80]; /* reasons, empty = none */
    struct expectation outs[40];
    uint32_t out_count;
};

/* Fills in what the comments say. False when the shader expects no output. */
bool glsl_read(const char *source, struct expected *out);

/* The input of a lane. */
uint32_t glsl_input(uint32_t location, uint32_t component, uint32_t lane);

/* Compares component `component` of location 0; prints what differs as a TAP comment. */
bool glsl_check(const char *what, const struct expected *e, const uint32_t out[4][EXPECT_LANES]);

#endif
