/* SPDX-License-Identifier: MIT
 *
 * Compressed primitive lists, as the binner writes them into tile lists and the renderer reads them: codings of one to
 * seven bytes that say three indices (or two, or one) by their distance from the primitive before [guide p.72-78,
 * tables 39-44]. 16-bit indices only.
 *
 * Decided here, where no source says it: the "primitive before" of the first one in a list has the indices 0.
 */
#ifndef GPU_LIST_H
#define GPU_LIST_H

#include "hw/cl_gen.h"

#define GPU_LIST_ESCAPE       128 /* ends the list */
#define GPU_LIST_ABSOLUTE     129 /* coding 3 */
#define GPU_LIST_BRANCH       130 /* signed 16-bit offset in blocks of 32 bytes */
#define GPU_LIST_CODING_MAX_B 7
#define GPU_LIST_BRANCH_B     3
#define GPU_LIST_BRANCH_UNIT_B 32

/* Vertices of a primitive: 1, 2, 3 of points, lines, triangles. */
static inline unsigned gpu_list_vertices(enum cl_list_type type)
{
    return (unsigned)type + 1;
}

/* Writes the shortest coding of `v` after the primitive `old`; returns its bytes, at most GPU_LIST_CODING_MAX_B. */
unsigned gpu_list_encode(enum cl_list_type type, const uint16_t old[3], const uint16_t v[3], uint8_t *out);

/* Length of the coding (or branch, or escape) that starts with this byte; 0 when there is none. */
unsigned gpu_list_coding_size(enum cl_list_type type, uint8_t first);

/* Decodes a primitive; `v` holds the one before and becomes the new one. */
void gpu_list_decode(enum cl_list_type type, const uint8_t *in, uint16_t v[3]);

#endif
