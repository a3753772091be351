/* SPDX-License-Identifier: MIT
 *
 * Where the lines of a strip or of a polygon are in their stipple pattern. The pattern continues from line to line, so
 * the CPU computes it from the positions that the vertex programs have written. Each line gets three words, from which
 * fragment programs compute how far a fragment is from the pattern's beginning (VC4C_STIPPLE_LOCATION).
 */
#ifndef ISSUE_VC4VK_ISSUE_STIPPLE_H
#define ISSUE_VC4VK_ISSUE_STIPPLE_H

#include "issue/vc4vk_issue_private.h"

struct vc4vk_issue_stipple {
    const struct vc4vk_draw_state *state;
    float start; /* of the next line, in steps: pixels of its longer axis, or pixels along the line */
};

/* The next line begins with the pattern's first bit. */
static inline void vc4vk_issue_stipple_begin(struct vc4vk_issue_stipple *s)
{
    s->start = 0;
}

/* The words of the line between two positions in clip space, which goes on where the line before has ended. */
void vc4vk_issue_stipple_line(struct vc4vk_issue_stipple *s, uint32_t viewport, const float from[4], const float to[4],
                              uint32_t words_out[VC4C_STIPPLE_WORDS]);

#endif
