/* SPDX-License-Identifier: MIT
 *
 * Captures the vertices of a draw's primitives while the draw is expanded. A record is a pointer to its first word; the
 * words of a record are 16 words apart (docs/geometry.md).
 */
#ifndef ISSUE_VC4VK_ISSUE_CAPTURE_H
#define ISSUE_VC4VK_ISSUE_CAPTURE_H

#include "issue/vc4vk_capture.h"

struct vc4vk_issue_capture {
    struct vc4vk_capture *to; /* NULL: nothing is captured */
    const struct vc4c_capture *what;
    bool last_provokes;
    uint32_t vertices;                       /* of an emitted primitive */
    uint32_t buffer_masks[VC4C_MAX_STREAMS]; /* that the stream writes */
    struct {
        const uint32_t *records[2]; /* the newest vertices of the strip, the last one first */
        uint32_t count;
    } strips[VC4C_MAX_STREAMS];
    struct {
        uint64_t written, needed;
    } primitives[VC4C_MAX_STREAMS];
};

/* `to`: NULL, to count only. */
void vc4vk_issue_capture_begin(struct vc4vk_issue_capture *c, struct vc4vk_capture *to,
                               const struct vc4c_interface *writer, bool last_provokes);
/* Captures a whole primitive, or only counts it. */
void vc4vk_issue_capture_primitive(struct vc4vk_issue_capture *c, uint32_t stream, const uint32_t *const *records,
                                   uint32_t count);
/* The next vertex that an invocation emits. Captures the primitive that it completes. */
void vc4vk_issue_capture_vertex(struct vc4vk_issue_capture *c, uint32_t stream, bool begins, const uint32_t *record);

#endif
