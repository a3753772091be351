/* SPDX-License-Identifier: MIT
 *
 * Reading recorded jobs (.vc4trace): records of a gzip stream, as tests/jobs/README.md describes them.
 */
#ifndef TOOLS_TRACE_H
#define TOOLS_TRACE_H

#include <vc4_drm.h>
#include "util/macros.h"

enum trace_type {
    TRACE_BO_CREATE = 1,
    TRACE_SHADER_CREATE,
    TRACE_BO_FREE,
    TRACE_BO_WRITE,
    TRACE_SET_TILING,
    TRACE_SUBMIT,
    TRACE_READBACK,
    TRACE_END,
};

struct trace {
    uint8_t *data;
    size_t size_B;
    size_t next; /* where trace_next goes on */
};

struct trace_record {
    uint32_t type; /* enum trace_type */
    uint32_t size_B;
    const uint8_t *payload; /* 4-byte aligned, inside the trace */
};

/* A SUBMIT taken apart; `args` has no pointers yet. */
struct trace_submit {
    struct drm_vc4_submit_cl args;
    const uint8_t *bin_cl, *shader_rec, *uniforms, *bo_handles;
};

struct trace_readback {
    uint32_t handle, offset_B, stride_B, width_px, height_px, tiling, cpp, format;
    char name[33];
};

/* All functions: false with a line on stderr when the trace is bad. */
bool trace_open(struct trace *trace, const char *path) UTIL_MUST_CHECK;
void trace_close(struct trace *trace);
bool trace_next(struct trace *trace, struct trace_record *out) UTIL_MUST_CHECK;
bool trace_get_submit(const struct trace_record *record, struct trace_submit *out) UTIL_MUST_CHECK;
bool trace_get_readback(const struct trace_record *record, struct trace_readback *out) UTIL_MUST_CHECK;

/* Word `index` of the payload, 0 behind its end. */
uint32_t trace_u32(const struct trace_record *record, uint32_t index);

#endif
