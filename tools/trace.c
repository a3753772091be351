/* SPDX-License-Identifier: MIT
 *
 * Reads a whole trace into memory and returns its records. All sizes are checked here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "tools/trace.h"

#define HEADER_B        16u
#define RECORD_HEADER_B 8u
#define MAX_TRACE_B     ((size_t)1 << 30)

static_assert(sizeof(struct drm_vc4_submit_cl) == 176, "traces contain the struct unchanged");

static bool bad(const char *what)
{
    fprintf(stderr, "bad trace: %s\n", what);
    return false;
}

static bool read_all(struct trace *trace, gzFile file)
{
    size_t capacity = 0;
    for (;;) {
        if (trace->size_B == capacity) {
            capacity = capacity ? 2 * capacity : (size_t)1 << 20;
            uint8_t *grown = capacity <= MAX_TRACE_B ? realloc(trace->data, capacity) : NULL;
            if (!grown)
                return bad("out of memory, or larger than 1 GiB");
            trace->data = grown;
        }
        int n = gzread(file, trace->data + trace->size_B, (unsigned)MIN2(capacity - trace->size_B, (size_t)1 << 24));
        if (n < 0)
            return bad("damaged or truncated gzip stream");
        if (!n)
            return true;
        trace->size_B += (size_t)n;
    }
}

bool trace_open(struct trace *trace, const char *path)
{
    memset(trace, 0, sizeof *trace);
    gzFile file = gzopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    bool ok = read_all(trace, file);
    gzclose(file);
    uint32_t version = 0;
    if (ok && trace->size_B >= HEADER_B)
        memcpy(&version, trace->data + 8, sizeof version);
    if (ok && (trace->size_B < HEADER_B || memcmp(trace->data, "VC4TRACE", 8) || version != 1))
        ok = bad("not a trace of version 1");
    trace->next = HEADER_B;
    if (!ok)
        trace_close(trace);
    return ok;
}

void trace_close(struct trace *trace)
{
    free(trace->data);
    memset(trace, 0, sizeof *trace);
}

bool trace_next(struct trace *trace, struct trace_record *out)
{
    if (trace->size_B - trace->next < RECORD_HEADER_B)
        return bad("no END record");
    memcpy(&out->type, trace->data + trace->next, 4);
    memcpy(&out->size_B, trace->data + trace->next + 4, 4);
    if (out->size_B > trace->size_B - trace->next - RECORD_HEADER_B || out->size_B % 4)
        return bad("a record extends past the end of the file, or its size is not a multiple of 4");
    out->payload = trace->data + trace->next + RECORD_HEADER_B;
    trace->next += RECORD_HEADER_B + out->size_B;
    return true;
}

uint32_t trace_u32(const struct trace_record *record, uint32_t index)
{
    uint32_t word = 0;
    if (record->size_B / 4 > index)
        memcpy(&word, record->payload + 4 * (size_t)index, sizeof word);
    return word;
}

bool trace_get_submit(const struct trace_record *record, struct trace_submit *out)
{
    if (record->size_B < sizeof out->args)
        return bad("SUBMIT too short");
    memcpy(&out->args, record->payload, sizeof out->args);
    const uint64_t sizes_B[4] = {out->args.bin_cl_size, out->args.shader_rec_size, out->args.uniforms_size,
                                 4 * (uint64_t)out->args.bo_handle_count};
    const uint8_t **parts[4] = {&out->bin_cl, &out->shader_rec, &out->uniforms, &out->bo_handles};
    uint64_t at = sizeof out->args;
    for (int i = 0; i < 4; i++) {
        if (at + sizes_B[i] > record->size_B)
            return bad("SUBMIT too short");
        *parts[i] = record->payload + at;
        at += util_align64(sizes_B[i], 4);
    }
    return true;
}

bool trace_get_readback(const struct trace_record *record, struct trace_readback *out)
{
    if (record->size_B < 8 * 4 + 32)
        return bad("READBACK too short");
    out->handle = trace_u32(record, 0);
    out->offset_B = trace_u32(record, 1);
    out->stride_B = trace_u32(record, 2);
    out->width_px = trace_u32(record, 3);
    out->height_px = trace_u32(record, 4);
    out->tiling = trace_u32(record, 5);
    out->cpp = trace_u32(record, 6);
    out->format = trace_u32(record, 7);
    memcpy(out->name, record->payload + 32, 32);
    out->name[32] = 0;
    if (!out->width_px || !out->height_px || out->width_px > 4096 || out->height_px > 4096 || out->tiling > 2)
        return bad("READBACK with a size of 0 or above 4096 px, or with an unknown tiling");
    if (out->format < 1 || out->format > 3 || out->cpp != (out->format == 2 ? 2 : 4))
        return bad("READBACK with an unknown format, or with the wrong bytes per pixel for it");
    return true;
}
