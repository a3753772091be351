/* SPDX-License-Identifier: MIT
 *
 * cl_emit packs one control-list record and appends it to a chunked stream. The record structs and their packers are
 * generated from hw/cl.xml (docs/cl-api.md).
 *
 *     cl_emit(&packets, CLIP_WINDOW, clip_window, p) {
 *         p.left_px = 0; p.width_px = 64; ...
 *     }
 *
 * The body fills the zeroed struct `p`. The record is packed and appended at the end of the body, so the body must not
 * leave by break, return or goto. A packet without fields: cl_emit(&packets, FLUSH, flush, p) {}. The plain structs
 * (shader records and the like) are emitted in the same way.
 */
#ifndef HW_CL_H
#define HW_CL_H

#include "hw/cl_gen.h"
#include "util/stream.h"

#define cl_emit(stream, NAME, name, p)                                                                                 \
    for (struct cl_##name p = {0}, *p##_pending = &p; p##_pending;                                                     \
         cl_##name##_pack(util_stream_reserve((stream), CL_##NAME##_SIZE_B), &p), p##_pending = NULL)

#endif
