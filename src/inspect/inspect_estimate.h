/* SPDX-License-Identifier: MIT
 *
 * Estimates a lower bound of the time that the chip needs for the counted costs, from documented rates. Stalls (memory
 * latency, full FIFOs, the scoreboard, rendering that waits for binning) are not included.
 */
#ifndef INSPECT_ESTIMATE_H
#define INSPECT_ESTIMATE_H

#include "model/model_stats.h"

enum inspect_unit {
    INSPECT_UNIT_QPUS,       /* 12 QPUs, each with one instruction for 16 lanes in 4 clocks */
    INSPECT_UNIT_FEP,        /* 4 pixels a clock */
    INSPECT_UNIT_TEXTURES,   /* 4 lookups a clock: a thousand million filtered pixels a second at 250 MHz */
    INSPECT_UNIT_PRIMITIVES, /* 25 million a second at 250 MHz: one in 10 clocks */
    INSPECT_UNIT_MEMORY,     /* at the peak of the board's memory */
    INSPECT_UNITS
};

struct inspect_chip {
    const char *name;
    double clock_Hz, memory_B_per_s;
};

#define INSPECT_CHIPS 2
extern const struct inspect_chip inspect_chips[INSPECT_CHIPS];

struct inspect_estimate {
    double unit_s[INSPECT_UNITS]; /* time of each unit alone */
    double least_s;               /* the maximum, because the units work in parallel */
    enum inspect_unit longest;
};

const char *inspect_unit_name(enum inspect_unit unit);
void inspect_estimate(const struct inspect_chip *chip, const struct model_costs *costs, struct inspect_estimate *out);
/* Bytes to and from memory, with a perfect cache for everything but textures. */
uint64_t inspect_memory_B(const struct model_costs *costs);
uint64_t inspect_instrs(const struct model_costs *costs);

#endif
