/* SPDX-License-Identifier: MIT
 *
 * VC4VK_INSPECT: where reports go, and which frames are inspected.
 */
#ifndef INSPECT_SELECTION_H
#define INSPECT_SELECTION_H

#include "util/macros.h"

#define INSPECT_RANGES_MAX 16
#define INSPECT_DIR_MAX_B  1024

struct inspect_selection {
    char dir[INSPECT_DIR_MAX_B];
    bool by_submits; /* frames end with submissions, not with presents */
    uint32_t range_count;
    struct inspect_range {
        uint64_t first, last;
    } ranges[INSPECT_RANGES_MAX];
};

/* DIR, or DIR:WHICH where WHICH is a list of numbers, ranges (10-12, 10-) and the word "submits", with commas between.
 * What stands behind the last colon and is no such list belongs to DIR. Without numbers: frame 1. False: empty, or too
 * long. */
bool inspect_selection_parse(struct inspect_selection *when, const char *value);

/* Frames are counted from 1. Beside those that were named: the one that begins when there is a file DIR/now, which is
 * then removed. */
bool inspect_selection_has(const struct inspect_selection *when, uint64_t frame);

#endif
