/* SPDX-License-Identifier: MIT
 *
 * Counts what draws do for queries of primitives and pipeline statistics, while a job is built (vc4vk_counted.h).
 */
#ifndef ISSUE_VC4VK_ISSUE_COUNTS_H
#define ISSUE_VC4VK_ISSUE_COUNTS_H

#include "issue/vc4vk_issue_private.h"

/* Whether the job counts draws. Only one of the jobs that replay a draw does. */
bool vc4vk_issue_counts_draws(const struct vc4vk_issue *issue);
/* Counts a draw without an expander, whose indirect parameters have been read. */
void vc4vk_issue_count_draw(struct vc4vk_issue *issue, const struct vc4vk_draw *draw);
/* Counts vertices that are read for a draw. */
void vc4vk_issue_count_vertices(struct vc4vk_issue *issue, const struct vc4vk_draw *draw);
/* Counts primitives that get to the rasteriser. */
void vc4vk_issue_count_drawn(struct vc4vk_issue *issue, const struct vc4vk_draw_state *state, uint64_t primitives);
/* What the engine is to count of the next packet: the numbers in its shader record. */
bool vc4vk_issue_counts_clipped(const struct vc4vk_issue *issue, const struct vc4vk_draw_state *state);
bool vc4vk_issue_counts_fragments(const struct vc4vk_issue *issue, const struct vc4vk_draw_state *state);

#endif
