/* SPDX-License-Identifier: MIT
 *
 * Writing control-list records into chunked streams. The records are generated from hw/cl.xml (docs/cl-api.md).
 *
 *     cl_emit(&packets, CLIP_WINDOW, clip_window, p) {
 *         p.left_px = 0; p.width_px = 64; ...
 *     }
 *
 * The body fills the zeroed struct `p`; leaving it (not by break, return or goto) packs and appends the record. Packets
 * without fields: cl_emit(&packets, FLUSH, flush, p) {}. The plain structs (shader records and the like) go the same
 * way.
 */
#ifndef HW_CL_H
#define HW_CL_H

#include "hw/cl_gen.h"
#include "util/stream.h"

#define cl_emit(stream, NAME, name, p)                                                                                 \
    for (struct cl_##name p = {0}, *p##_pending = &p; p##_pending;                                                     \
         cl_##name##_pack(util_stream_reserve((stream), CL_##NAME##_SIZE_B), &p), p##_pending = NULL)

#endif
