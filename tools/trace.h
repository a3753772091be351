/* SPDX-License-Identifier: MIT
 *
 * Reads traces of recorded jobs (.vc4trace). tests/jobs/README.md describes their format.
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
    size_t next; /* offset of the next record */
};

struct trace_record {
    uint32_t type; /* enum trace_type */
    uint32_t size_B;
    const uint8_t *payload; /* 4-byte aligned, inside the trace */
};

/* The parts of a SUBMIT record. The pointers in `args` are not set. */
struct trace_submit {
    struct drm_vc4_submit_cl args;
    const uint8_t *bin_cl, *shader_rec, *uniforms, *bo_handles;
};

struct trace_readback {
    uint32_t handle, offset_B, stride_B, width_px, height_px, tiling, cpp, format;
    char name[33];
};

/* The functions below return false and print a message on stderr if the trace is bad. */
bool trace_open(struct trace *trace, const char *path) UTIL_MUST_CHECK;
void trace_close(struct trace *trace);
bool trace_next(struct trace *trace, struct trace_record *out) UTIL_MUST_CHECK;
bool trace_get_submit(const struct trace_record *record, struct trace_submit *out) UTIL_MUST_CHECK;
bool trace_get_readback(const struct trace_record *record, struct trace_readback *out) UTIL_MUST_CHECK;

/* Returns word `index` of the payload, 0 past its end. */
uint32_t trace_u32(const struct trace_record *record, uint32_t index);

#endif
