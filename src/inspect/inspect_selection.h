/* SPDX-License-Identifier: MIT
 *
 * VC4VK_INSPECT: the directory for pages, and which frames are inspected.
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

/* Parses DIR or DIR:WHICH. WHICH is a comma-separated list of numbers, ranges (10-12, 10-) and the word "submits". Text
 * after the last colon that is not such a list belongs to DIR. Without numbers, frame 1 is inspected. False when DIR is
 * empty or too long. */
bool inspect_selection_parse(struct inspect_selection *when, const char *value);

/* Whether the frame that begins now is inspected. Frames are counted from 1. A file DIR/now selects the frame as well
 * and is then removed. */
bool inspect_selection_has(const struct inspect_selection *when, uint64_t frame);

#endif
