/* SPDX-License-Identifier: MIT
 *
 * Memory files (memfd) that other processes get or give. Whoever has the descriptor of one can cut it short, and then
 * every process that has it mapped dies of SIGBUS where it touches what is gone. So files are made with their size
 * sealed, and a stranger's file is mapped only when its size is.
 */
#ifndef UTIL_MEMFD_H
#define UTIL_MEMFD_H

#include "util/macros.h"

/* Zeroed, its size sealed. The descriptor, or a negative errno. */
int util_memfd_create(const char *name, uint64_t size_B) UTIL_MUST_CHECK;

/* Whether the descriptor is a memory file of small pages whose size is sealed (the kernel can run out of huge pages
 * behind a mapping); its size then. */
bool util_memfd_is_sealed(int fd, uint64_t *size_out_B) UTIL_MUST_CHECK;

#endif
