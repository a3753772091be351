/* SPDX-License-Identifier: MIT
 *
 * Memory files (memfd) that are shared with other processes. A process that has the descriptor can truncate the file;
 * every process that maps it then gets SIGBUS on access beyond the new end. So our files are created with their size
 * sealed, and a file from another process is mapped only if its size is sealed.
 */
#ifndef UTIL_MEMFD_H
#define UTIL_MEMFD_H

#include "util/macros.h"

/* Creates a zeroed file with sealed size. Returns the descriptor or a negative errno. */
int util_memfd_create(const char *name, uint64_t size_B) UTIL_MUST_CHECK;

/* Whether the descriptor is a memory file of small pages whose size is sealed; stores the size. Huge pages are refused
 * because the kernel can run out of them behind a mapping. */
bool util_memfd_is_sealed(int fd, uint64_t *size_out_B) UTIL_MUST_CHECK;

#endif
