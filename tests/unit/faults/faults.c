/* SPDX-License-Identifier: MIT
 *
 * Fault injection: fails the n-th host allocation or the n-th kernel call, for each n, while a program uses every
 * object type (world.h). In one run only that call fails, in another all later ones fail too. Every run must succeed or
 * return an error that Vulkan allows, must not hang, and must leak neither memory nor file descriptors. The test is
 * linked with --wrap=malloc and the like, so that only the driver's own calls fail.
 *
 * Two calls never fail: closing a handle, which the kernel cannot refuse, and mapping over a range that is already
 * mapped.
 *
 * FAULTS_EVERY=k tries only every k-th n, to save time.
 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/eventfd.h>
#include <pthread.h>
#include <unistd.h>
#include <cmocka.h>
#include <drm.h>
#include <vc4_drm.h>
#include "util/log.h"
#include "util/macros.h"
#include "world.h"

/* ---------------------------------------------------------------- what fails */

enum kind { HOST_MEMORY, KERNEL_CALLS };

static _Atomic int64_t until_failure[2]; /* calls that still succeed */
static _Atomic bool fails_once;          /* the calls after the failing one succeed again */
static _Atomic int64_t live;             /* heap blocks that the driver holds */

static bool fails(enum kind kind)
{
    int64_t left = atomic_fetch_sub(&until_failure[kind], 1);
    return left == 0 || (left < 0 && !atomic_load(&fails_once));
}

/* Declares the two names that --wrap gives a function, the real one and ours, and begins the definition of ours. */
#define WRAP(type, name, ...)                                                                                          \
    type __real_##name(__VA_ARGS__);                                                                                   \
    type __wrap_##name(__VA_ARGS__);                                                                                   \
    type __wrap_##name(__VA_ARGS__)

WRAP(void *, malloc, size_t size_B)
{
    void *ptr = fails(HOST_MEMORY) ? NULL : __real_malloc(size_B);
    live += ptr != NULL;
    return ptr;
}

WRAP(void *, calloc, size_t n, size_t size_B)
{
    void *ptr = fails(HOST_MEMORY) ? NULL : __real_calloc(n, size_B);
    live += ptr != NULL;
    return ptr;
}

WRAP(void *, realloc, void *ptr, size_t size_B)
{
    void *moved = fails(HOST_MEMORY) ? NULL : __real_realloc(ptr, size_B);
    live += moved && !ptr;
    return moved;
}

WRAP(void *, aligned_alloc, size_t align_B, size_t size_B)
{
    void *ptr = fails(HOST_MEMORY) ? NULL : __real_aligned_alloc(align_B, size_B);
    live += ptr != NULL;
    return ptr;
}

WRAP(int, posix_memalign, void **out, size_t align_B, size_t size_B)
{
    int err = fails(HOST_MEMORY) ? ENOMEM : __real_posix_memalign(out, align_B, size_B);
    live += !err;
    return err;
}

WRAP(void, free, void *ptr)
{
    live -= ptr != NULL;
    __real_free(ptr);
}

WRAP(int, drmIoctl, int fd, unsigned long request, void *arg)
{
    if (request == DRM_IOCTL_GEM_CLOSE || !fails(KERNEL_CALLS))
        return __real_drmIoctl(fd, request, arg);
    errno = ENOMEM;
    return -1;
}

struct model_file;
WRAP(int, model_ioctl, struct model_file *file, unsigned long request, void *arg)
{
    return request == DRM_IOCTL_GEM_CLOSE || !fails(KERNEL_CALLS) ? __real_model_ioctl(file, request, arg) : -ENOMEM;
}

WRAP(void *, mmap, void *at, size_t size_B, int prot, int flags, int fd, off_t offset_B)
{
    if ((flags & MAP_FIXED) || !fails(KERNEL_CALLS))
        return __real_mmap(at, size_B, prot, flags, fd, offset_B);
    errno = ENOMEM;
    return MAP_FAILED;
}

WRAP(int, memfd_create, const char *name, unsigned flags)
{
    if (!fails(KERNEL_CALLS))
        return __real_memfd_create(name, flags);
    errno = EMFILE;
    return -1;
}

WRAP(int, eventfd, unsigned value, int flags)
{
    if (!fails(KERNEL_CALLS))
        return __real_eventfd(value, flags);
    errno = EMFILE;
    return -1;
}

WRAP(int, pthread_create, pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    return fails(KERNEL_CALLS) ? EAGAIN : __real_pthread_create(thread, attr, start, arg);
}

/* ---------------------------------------------------------------- the application's callbacks */

static _Atomic int64_t callbacks_live;

/* The header in front of each allocation, which holds its size. */
#define HEAD_B 64u

static void *callback_alloc(void *data, size_t size_B, size_t align_B, VkSystemAllocationScope scope)
{
    if (fails(HOST_MEMORY))
        return NULL;
    uint8_t *memory = __real_aligned_alloc(HEAD_B, (size_B + 2 * HEAD_B - 1) & ~(size_t)(HEAD_B - 1));
    assert_true(memory && align_B <= HEAD_B);
    callbacks_live++;
    *(size_t *)memory = size_B;
    return memory + HEAD_B;
}

static void callback_free(void *data, void *ptr)
{
    if (!ptr)
        return;
    callbacks_live--;
    __real_free((uint8_t *)ptr - HEAD_B);
}

static void *callback_realloc(void *data, void *old, size_t size_B, size_t align_B, VkSystemAllocationScope scope)
{
    void *grown = callback_alloc(data, size_B, align_B, scope);
    if (grown && old) {
        memcpy(grown, old, MIN2(size_B, *(size_t *)((uint8_t *)old - HEAD_B)));
        callback_free(data, old);
    }
    return grown;
}

static const VkAllocationCallbacks callbacks = {NULL, callback_alloc, callback_realloc, callback_free, NULL, NULL};

/* ---------------------------------------------------------------- each n */

static void discard_log(void *data, enum util_log_level level, const char *line)
{
}

static uint32_t open_descriptors(void)
{
    uint32_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static bool is_right_error(VkResult result)
{
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_TOO_MANY_OBJECTS:
    case VK_ERROR_INITIALIZATION_FAILED: /* of devices */
    case VK_ERROR_DEVICE_LOST:           /* of submissions */
        return true;
    default:
        return false;
    }
}

static void disable_failures(void)
{
    atomic_store(&until_failure[HOST_MEMORY], INT64_MAX);
    atomic_store(&until_failure[KERNEL_CALLS], INT64_MAX);
}

/* Runs the program with a failure of the n-th call. Returns false if it made fewer calls. */
static bool run_with_failure(enum kind kind, int64_t n, bool once, const VkAllocationCallbacks *alloc)
{
    static struct world w;
    const int64_t live_before = live;
    const uint32_t descriptors_before = open_descriptors();
    atomic_store(&fails_once, once);
    atomic_store(&until_failure[kind], n);
    VkResult result = world_run(&w, alloc);
    bool was_reached = atomic_load(&until_failure[kind]) < 0;
    disable_failures();
    const char *call = w.failed_call;
    world_destroy(&w);
    if (result != VK_SUCCESS && (!was_reached || !is_right_error(result)))
        fail_msg("n = %lld: %s returned %d", (long long)n, call, result);
    if (live != live_before || callbacks_live || open_descriptors() != descriptors_before)
        fail_msg("n = %lld (%s returned %d): leaked %lld blocks, %lld of the callbacks, %d descriptors", (long long)n,
                 call ? call : "no call", result, (long long)(live - live_before), (long long)callbacks_live,
                 (int)(open_descriptors() - descriptors_before));
    return was_reached;
}

static void fail_each(enum kind kind, bool once, const VkAllocationCallbacks *alloc)
{
    const char *every_text = getenv("FAULTS_EVERY");
    const int64_t every = every_text ? MAX2(atoi(every_text), 1) : 1;
    int64_t n = 0;
    while (run_with_failure(kind, n, once, alloc))
        n += every;
    print_message("# about %lld calls failed in turn\n", (long long)n);
    assert_true(n > 20);
}

static void each_allocation_fails_once(void **state)
{
    fail_each(HOST_MEMORY, true, &callbacks);
}

static void each_allocation_fails_with_all_that_follow(void **state)
{
    fail_each(HOST_MEMORY, false, NULL);
}

static void each_kernel_call_fails_once(void **state)
{
    fail_each(KERNEL_CALLS, true, NULL);
}

static void each_kernel_call_fails_with_all_that_follow(void **state)
{
    fail_each(KERNEL_CALLS, false, &callbacks);
}

/* A first run without failures makes the allocations that happen once per process, which are not leaks. */
static int set_up(void **state)
{
    static struct world w;
    disable_failures();
    VkResult result = world_run(&w, NULL);
    if (result != VK_SUCCESS)
        print_message("# %s returned %d\n", w.failed_call, result);
    world_destroy(&w);
    util_log_set_sink(discard_log, NULL);
    return result;
}

static int tear_down(void **state)
{
    util_log_set_sink(NULL, NULL);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kernel_call_fails_once),
        cmocka_unit_test(each_kernel_call_fails_with_all_that_follow),
        cmocka_unit_test(each_allocation_fails_once),
        cmocka_unit_test(each_allocation_fails_with_all_that_follow),
    };
    return cmocka_run_group_tests_name("faults", tests, set_up, tear_down);
}
