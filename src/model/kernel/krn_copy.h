/* SPDX-License-Identifier: MIT
 *
 * Copies from the caller's memory, as the kernel's copy_from_user() does. The caller is in the same process, so only a
 * NULL pointer and one that exceeds the address space are faults.
 */
#ifndef KRN_COPY_H
#define KRN_COPY_H

#include <errno.h>
#include <string.h>
#include "util/macros.h"

/* 0 or -EFAULT. */
static inline int UTIL_MUST_CHECK krn_copy_from_user(void *to, uint64_t from, size_t size_B)
{
    if (!size_B)
        return 0;
    if (!from || from != (uint64_t)(uintptr_t)from)
        return -EFAULT;
    memcpy(to, (const void *)(uintptr_t)from, size_B);
    return 0;
}

#endif
