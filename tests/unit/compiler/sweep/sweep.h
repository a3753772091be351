/* SPDX-License-Identifier: MIT
 *
 * The tables of the sweep: the inputs of each function and the check of its result.
 */
#ifndef TEST_SWEEP_H
#define TEST_SWEEP_H

#include <float.h>
#include "util/macros.h"

/* The inputs of one invocation: x, y and z with four components each. A function uses the component of its row. */
struct sweep_args {
    uint32_t words[12];
    double f[12];
    uint32_t component;
};

struct sweep_verdict {
    double ulps;  /* error in units of the last place of the exact result; integers: 0 or 1 */
    double share; /* error as a share of the limit: above 1 the result is wrong */
    double want;
};

struct sweep_range {
    enum { SWEEP_WORDS, SWEEP_FLOATS, SWEEP_POSITIVE, SWEEP_BETWEEN } kind;
    double low, high;
};

struct sweep_row {
    const char *file; /* a shader of sweep/, without the extension */
    uint32_t component;
    const char *name;
    struct sweep_verdict (*judge)(const struct sweep_args *a, uint32_t got);
    struct sweep_range in[3];
};

extern const struct sweep_row sweep_float_rows[], sweep_int_rows[]; /* end with an empty row */

double sweep_ulp(double x);
/* `limit`: the allowed distance of `got` from `want`. */
struct sweep_verdict sweep_float(uint32_t got, double want, double limit);
struct sweep_verdict sweep_exact(uint32_t got, uint32_t want);

#endif
