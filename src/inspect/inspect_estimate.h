/* SPDX-License-Identifier: MIT
 *
 * How long the chip would be busy with what was counted, by rates that are documented: an estimate from below. What it
 * waits for (the memory's latency, full FIFOs, the scoreboard, binning before rendering) is not in it.
 */
#ifndef INSPECT_ESTIMATE_H
#define INSPECT_ESTIMATE_H

#include "model/model_stats.h"

enum inspect_unit {
    INSPECT_UNIT_QPUS,       /* 12, each an instruction for 16 lanes in 4 clocks */
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
    double unit_s[INSPECT_UNITS]; /* each on its own */
    double least_s;               /* the longest of them: they work at the same time */
    enum inspect_unit longest;
};

const char *inspect_unit_name(enum inspect_unit unit);
void inspect_estimate(const struct inspect_chip *chip, const struct model_costs *costs, struct inspect_estimate *out);
/* Bytes that go to and from memory, with a perfect cache for what is not textures. */
uint64_t inspect_memory_B(const struct model_costs *costs);
uint64_t inspect_instrs(const struct model_costs *costs);

#endif
