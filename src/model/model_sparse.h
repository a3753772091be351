/* SPDX-License-Identifier: MIT
 *
 * Public header of the model: sparse buffers, whose blocks show memory of other buffers. No kernel of the chip has
 * them, as the chip has no MMU; the model uses the host's.
 */
#ifndef MODEL_MODEL_SPARSE_H
#define MODEL_MODEL_SPARSE_H

#include "model/model.h"

/* The size and alignment of blocks. One of a whole sparse buffer may be shown by each of its blocks, and a process has
 * a limited number of mappings (vm.max_map_count), so they are larger than pages. */
#define MODEL_SPARSE_BLOCK_B 65536u

/* Whether this host can bind memory to sparse buffers: its pages must be the model's. */
bool model_has_sparse(void);

/* A buffer without memory of its own; `size_B` is a multiple of MODEL_SPARSE_BLOCK_B. It does not count against the
 * device's limit of memory. `where` and `addr` as for model_bo_create(). -EINVAL if the device's memory is private,
 * -ENOMEM also if the process could run out of mappings when all blocks are bound. */
int model_sparse_create(struct model_file *file, uint32_t size_B, enum model_place where, uint32_t addr,
                        uint32_t *handle_out) UTIL_MUST_CHECK;

/* Replaces what a range of a sparse buffer shows; whole pages. `memory`: a buffer that neither is sparse nor is the
 * program's own memory; 0: none, the range then has memory of its own, which is zero until it is written. A failure
 * changes nothing. The memory need not exist as long as it is shown, but its pages may then be given to others. -ENOENT
 * for a bad handle, -EINVAL for a bad range or buffer, -ENOMEM. The caller orders it with jobs. */
int model_sparse_bind(struct model_file *file, uint32_t handle, uint32_t offset_B, uint32_t size_B, uint32_t memory,
                      uint32_t memory_offset_B) UTIL_MUST_CHECK;

#endif
