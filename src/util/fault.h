/* SPDX-License-Identifier: MIT
 *
 * Copies from and to addresses that somebody else chose. Where a plain copy would end the process, these return an
 * error, as the kernel's copies from and to user space do. They cost a system call each. Where that is not available
 * (under user-mode emulators), only NULL is noticed.
 */
#ifndef UTIL_FAULT_H
#define UTIL_FAULT_H

#include <stddef.h>
#include "util/macros.h"

/* 0, or -EFAULT if a byte at `from` cannot be read; `to` may then hold a part. */
int util_read_or_fault(void *to, const void *from, size_t size_B) UTIL_MUST_CHECK;
/* 0, or -EFAULT if a byte at `to` cannot be written; the bytes before it may have been. */
int util_write_or_fault(void *to, const void *from, size_t size_B) UTIL_MUST_CHECK;

#endif
