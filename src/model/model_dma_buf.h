/* SPDX-License-Identifier: MIT
 *
 * Public header of the model: buffers whose memory is a dma-buf of the host's kernel. No vc4 kernel has this: the chip
 * takes contiguous memory only, but the model can use whatever the CPU can map.
 */
#ifndef MODEL_MODEL_DMA_BUF_H
#define MODEL_MODEL_DMA_BUF_H

#include "model/model.h"

/* Returns the handle that the file already has for the dma-buf, or a new one. `fd_out` receives the model's own
 * descriptor of it, valid until the handle is closed. -EBADF if the descriptor is not open; -EINVAL if it is not one of
 * a dma-buf of whole pages that is smaller than 4 GiB; otherwise why it cannot be mapped for reading and writing. */
int model_bo_import_dma_buf(struct model_file *file, int fd, uint32_t *handle_out, int *fd_out) UTIL_MUST_CHECK;

#endif
