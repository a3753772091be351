/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "queue/vc4vk_counter.h"
#include "util/macros.h"
#include "util/memfd.h"

#define PAGE_B 4096
#define MAGIC  0x31637634u /* "4vc1": the version of the layout below */

/* Shared with processes that run another build of this driver: every change of the layout needs another MAGIC. */
struct vc4vk_counter {
    uint32_t magic;
    _Atomic uint32_t changes;
    _Atomic uint64_t value;
};

_Static_assert(sizeof(struct vc4vk_counter) == 16 && offsetof(struct vc4vk_counter, value) == 8, "shared layout");

bool vc4vk_counter_is_supported(void)
{
    static struct vc4vk_counter counter;
    return atomic_is_lock_free(&counter.value);
}

static struct vc4vk_counter *map(int fd)
{
    void *page = mmap(NULL, PAGE_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return page == MAP_FAILED ? NULL : page;
}

VkResult vc4vk_counter_create(uint64_t value, int *fd_out, struct vc4vk_counter **out)
{
    int fd = util_memfd_create("vc4vk-semaphore", PAGE_B);
    if (fd < 0)
        return fd == -EMFILE || fd == -ENFILE ? VK_ERROR_TOO_MANY_OBJECTS : VK_ERROR_OUT_OF_HOST_MEMORY;
    struct vc4vk_counter *counter = map(fd);
    if (!counter) {
        close(fd);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    counter->magic = MAGIC;
    atomic_store(&counter->value, value);
    *fd_out = fd;
    *out = counter;
    return VK_SUCCESS;
}

VkResult vc4vk_counter_import(int fd, struct vc4vk_counter **out)
{
    uint64_t size_B;
    if (!util_memfd_is_sealed(fd, &size_B) || size_B != PAGE_B)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    struct vc4vk_counter *counter = map(fd);
    if (!counter)
        return errno == ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_INVALID_EXTERNAL_HANDLE;
    if (counter->magic != MAGIC) {
        vc4vk_counter_unmap(counter);
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    }
    *out = counter;
    return VK_SUCCESS;
}

void vc4vk_counter_unmap(struct vc4vk_counter *counter)
{
    munmap(counter, PAGE_B);
}

uint64_t vc4vk_counter_value(const struct vc4vk_counter *counter)
{
    return atomic_load(&counter->value);
}

uint32_t vc4vk_counter_changes(const struct vc4vk_counter *counter)
{
    return atomic_load(&counter->changes);
}

/* ORDER: the value is stored before the wake, or a woken waiter would not see it. */
void vc4vk_counter_raise(struct vc4vk_counter *counter, uint64_t value)
{
    uint64_t old = atomic_load(&counter->value);
    while (old < value && !atomic_compare_exchange_weak(&counter->value, &old, value))
        ;
    vc4vk_counter_wake(counter);
}

void vc4vk_counter_wake(struct vc4vk_counter *counter)
{
    atomic_fetch_add(&counter->changes, 1);
    syscall(SYS_futex, &counter->changes, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void vc4vk_counter_wait(struct vc4vk_counter *counter, uint32_t changes)
{
    /* The layout that SYS_futex expects on every host, whatever the size of time_t. */
    const struct {
        long s, ns;
    } timeout = {.s = 1};
    syscall(SYS_futex, &counter->changes, FUTEX_WAIT, changes, &timeout, NULL, 0);
}
