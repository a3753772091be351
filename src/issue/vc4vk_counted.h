/* SPDX-License-Identifier: MIT
 *
 * Queries of primitives and pipeline statistics while they are active: what jobs and dispatches add their counts to.
 * Jobs that count run on the CPU engine, exactly once (docs/techniques.md).
 */
#ifndef ISSUE_VC4VK_COUNTED_H
#define ISSUE_VC4VK_COUNTED_H

#include "pipeline/vc4vk_pipeline.h"
#include "queue/vc4vk_query.h"

/* The active queries; those without a pool are not active. */
struct vc4vk_counted {
    struct vc4vk_query_range statistics;
    struct vc4vk_query_range
        captured[VC4C_MAX_STREAMS]; /* primitives of a stream, while transform feedback is active */
    struct vc4vk_query_range generated[VC4C_MAX_STREAMS]; /* primitives of a stream */
    struct vc4vk_query_range mesh_primitives;
};

/* What a job or a dispatch has counted. */
struct vc4vk_counts {
    uint64_t statistics[VC4VK_STATISTICS];
    struct {
        uint64_t written, needed;
    } captured[VC4C_MAX_STREAMS];
    uint64_t generated[VC4C_MAX_STREAMS];
    uint64_t mesh_primitives;
};

/* Takes the store's lock. */
void vc4vk_counted_add(const struct vc4vk_counted *counted, const struct vc4vk_counts *counts);

#endif
