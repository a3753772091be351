/* SPDX-License-Identifier: MIT
 *
 * Compressed primitive lists, as the binner writes them into tile lists and the renderer reads them. A coding of one to
 * seven bytes gives the indices of a primitive (three, two or one) relative to the previous primitive [guide p.72-78,
 * tables 39-44]. 16-bit indices only.
 *
 * Not documented, decided here: before the first primitive of a list, the previous indices are 0.
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

/* Vertices of a primitive: 1, 2 or 3 for points, lines and triangles. */
static inline unsigned gpu_list_vertices(enum cl_list_type type)
{
    return (unsigned)type + 1;
}

/* Writes the shortest coding of `v` after the primitive `old`. Returns its size, at most GPU_LIST_CODING_MAX_B. */
unsigned gpu_list_encode(enum cl_list_type type, const uint16_t old[3], const uint16_t v[3], uint8_t *out);

/* Size of the coding, branch or escape that starts with this byte; 0 if the byte starts none. */
unsigned gpu_list_coding_size(enum cl_list_type type, uint8_t first);

/* Decodes a primitive. `v` holds the previous primitive on entry and the new one on return. */
void gpu_list_decode(enum cl_list_type type, const uint8_t *in, uint16_t v[3]);

#endif
