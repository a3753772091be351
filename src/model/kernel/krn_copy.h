/* SPDX-License-Identifier: MIT
 *
 * Copies from and to the caller's memory, as the kernel's copy_from_user() and copy_to_user() do. The caller is in the
 * same process. By default only a NULL pointer and one that exceeds the address space are faults;
 * model_options.checks_addresses makes all bad addresses faults.
 */
#ifndef KRN_COPY_H
#define KRN_COPY_H

#include <errno.h>
#include <string.h>
#include "util/fault.h"
#include "util/macros.h"

static inline bool krn_is_address(uint64_t value)
{
    return value && value == (uint64_t)(uintptr_t)value;
}

/* 0 or -EFAULT. */
static inline int UTIL_MUST_CHECK krn_copy_from_user(bool checks, void *to, uint64_t from, size_t size_B)
{
    if (!size_B)
        return 0;
    if (!krn_is_address(from))
        return -EFAULT;
    if (checks)
        return util_read_or_fault(to, (const void *)(uintptr_t)from, size_B);
    memcpy(to, (const void *)(uintptr_t)from, size_B);
    return 0;
}

static inline int UTIL_MUST_CHECK krn_copy_to_user(bool checks, uint64_t to, const void *from, size_t size_B)
{
    if (!size_B)
        return 0;
    if (!krn_is_address(to))
        return -EFAULT;
    if (checks)
        return util_write_or_fault((void *)(uintptr_t)to, from, size_B);
    memcpy((void *)(uintptr_t)to, from, size_B);
    return 0;
}

/* The length of a text of the caller without its NUL, or -EFAULT, or -EINVAL if there is no NUL in `max_B` bytes. */
static inline int64_t UTIL_MUST_CHECK krn_text_length(bool checks, uint64_t from, uint32_t max_B)
{
    char c;
    for (uint32_t i = 0; i < max_B; i++) {
        int err = krn_copy_from_user(checks, &c, from + i, 1);
        if (err)
            return err;
        if (!c)
            return i;
    }
    return max_B ? -EINVAL : -EFAULT;
}

#endif
