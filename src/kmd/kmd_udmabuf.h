/* SPDX-License-Identifier: MIT
 *
 * udmabuf, the kernel's device that makes dma-bufs of memfds: the model exports its memory by it. Private to this
 * module.
 */
#ifndef KMD_UDMABUF_H
#define KMD_UDMABUF_H

#include "util/macros.h"

/* Whether the process may use the device: makes a dma-buf of one page. Stores the size of the largest dma-buf that the
 * device makes; 0: unknown. */
bool kmd_udmabuf_works(uint64_t *limit_out_B);
/* Makes a dma-buf of the first `size_B` bytes of a memfd whose size is sealed. The caller closes it. A negative errno:
 * that of opening the device, -EINVAL for more than the limit. */
int kmd_udmabuf_create(int memfd, uint64_t size_B, int *fd_out) UTIL_MUST_CHECK;

/* Begins and ends accesses of the CPU to a dma-buf, for reading and writing. Beginning waits for the fences of devices
 * that use the memory, and makes their writes visible where caches are not coherent. */
int kmd_dma_buf_begin_cpu_access(int fd);
int kmd_dma_buf_end_cpu_access(int fd);

#endif
