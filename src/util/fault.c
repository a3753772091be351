/* SPDX-License-Identifier: MIT
 *
 * The calls by which a process reads and writes another's memory, applied to this process.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "util/fault.h"

typedef ssize_t transfer_fn(pid_t pid, const struct iovec *own, unsigned long own_count, const struct iovec *other,
                            unsigned long other_count, unsigned long flags);

/* 1: the system has no such call. */
static int transfer(transfer_fn *call, void *own, void *other, size_t size_B)
{
    while (size_B) {
        const struct iovec own_part = {own, size_B}, other_part = {other, size_B};
        ssize_t n = call(getpid(), &own_part, 1, &other_part, 1, 0);
        if (n < 0)
            return errno == EFAULT ? -EFAULT : 1;
        if (!n)
            return -EFAULT;
        own = (uint8_t *)own + n;
        other = (uint8_t *)other + n;
        size_B -= (size_t)n;
    }
    return 0;
}

int util_read_or_fault(void *to, const void *from, size_t size_B)
{
    int err = transfer(process_vm_readv, to, (void *)from, size_B);
    if (err != 1)
        return err;
    if (!from)
        return -EFAULT;
    memcpy(to, from, size_B);
    return 0;
}

int util_write_or_fault(void *to, const void *from, size_t size_B)
{
    int err = transfer(process_vm_writev, (void *)from, to, size_B);
    if (err != 1)
        return err;
    if (!to)
        return -EFAULT;
    memcpy(to, from, size_B);
    return 0;
}
