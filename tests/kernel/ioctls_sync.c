/* SPDX-License-Identifier: MIT
 *
 * Syncobjs, sync files and what dma-bufs have to do with them.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include "ioctls.h"

/* Older headers lack them. */
#ifndef DMA_BUF_IOCTL_EXPORT_SYNC_FILE
struct dma_buf_export_sync_file {
    __u32 flags;
    __s32 fd;
};
struct dma_buf_import_sync_file {
    __u32 flags;
    __s32 fd;
};
#define DMA_BUF_IOCTL_EXPORT_SYNC_FILE _IOWR(DMA_BUF_BASE, 2, struct dma_buf_export_sync_file)
#define DMA_BUF_IOCTL_IMPORT_SYNC_FILE _IOW(DMA_BUF_BASE, 3, struct dma_buf_import_sync_file)
#endif

static void file_arg(const struct file *file)
{
    line_arg("file=%d", (int)(file - st.files));
}

/* A handle of a slot, or a bad one. */
static uint32_t any_sync(const struct file *file)
{
    static const uint32_t bad[] = {0, 9999, 0x80000000, 0xffffffff};
    uint32_t slot = rnd(SYNC_SLOTS);
    if (chance(8)) {
        line_kind("bad-handle");
        return PICK(bad);
    }
    return file->syncs[slot];
}

/* -- objects -- */

static void random_create(void)
{
    struct file *file = any_file();
    struct drm_syncobj_create args = {.handle = 33, .flags = rnd(2)};
    uint32_t slot = rnd(SYNC_SLOTS);
    line_begin("SYNCOBJ_CREATE", args.flags ? "signalled" : "plain");
    if (chance(8)) {
        line_kind("flags");
        args.flags |= 2u << rnd(31);
    }
    file_arg(file);
    line_arg("flags=%x to=%u", args.flags, slot);
    int err = call(file->fd, DRM_IOCTL_SYNCOBJ_CREATE, &args);
    line_result(err);
    line_out("handle=%u", args.handle);
    line_end();
    if (!err)
        file->syncs[slot] = args.handle;
}

static void random_destroy(void)
{
    struct file *file = any_file();
    struct drm_syncobj_destroy args = {0};
    line_begin("SYNCOBJ_DESTROY", "slot");
    args.handle = any_sync(file);
    if (chance(10)) {
        line_kind("pad");
        args.pad = 1u << rnd(32);
    }
    file_arg(file);
    line_arg("handle=%u pad=%x", args.handle, args.pad);
    int err = call(file->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &args);
    line_result(err);
    line_end();
    for (uint32_t i = 0; i < SYNC_SLOTS; i++)
        if (!err && file->syncs[i] == args.handle)
            file->syncs[i] = 0;
}

static void random_to_fd(void)
{
    struct file *file = any_file();
    struct drm_syncobj_handle args = {.fd = -7, .flags = rnd(2)};
    uint32_t slot = rnd(FD_SLOTS);
    line_begin("SYNCOBJ_HANDLE_TO_FD", args.flags ? "sync-file" : "object");
    int *to = args.flags ? &st.fences[slot] : &st.syncobj_fds[slot];
    args.handle = any_sync(file);
    if (chance(8)) {
        line_kind("flags");
        args.flags |= 8u << rnd(29);
    }
    if (chance(8)) {
        line_kind("pad");
        args.pad = 1u << rnd(32);
    }
    file_arg(file);
    line_arg("handle=%u flags=%x pad=%x to=%u", args.handle, args.flags, args.pad, slot);
    int err = call(file->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args);
    line_result(err);
    line_out("fd=%s", args.fd >= 0 ? "new" : args.fd == -7 ? "unchanged" : "negative");
    line_end();
    if (!err)
        put_fd(to, args.fd);
}

static void random_from_fd(void)
{
    struct file *file = any_file();
    uint32_t from = rnd(FD_SLOTS), slot = rnd(SYNC_SLOTS);
    bool is_file = chance(50);
    struct drm_syncobj_handle args = {.flags = is_file ? DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE : 0};
    const char *source = is_file ? "sync-file" : "object";
    line_begin("SYNCOBJ_FD_TO_HANDLE", source);
    args.fd = is_file ? st.fences[from] : st.syncobj_fds[from];
    switch (rnd(14)) {
    case 0:
        line_kind("dma-buf");
        args.fd = st.primes[from];
        break;
    case 1:
        line_kind("other");
        args.fd = is_file ? st.syncobj_fds[from] : st.fences[from];
        break;
    case 2:
        line_kind("node");
        args.fd = st.files[0].fd;
        break;
    case 3:
        line_kind("bad-fd");
        args.fd = 12345;
        break;
    case 4:
        line_kind("flags");
        args.flags |= 8u << rnd(29);
        break;
    case 5:
        line_kind("pad");
        args.pad = 1u << rnd(32);
        break;
    default:
        break;
    }
    args.handle = is_file ? any_sync(file) : 44;
    file_arg(file);
    line_arg("fd=%s from=%u handle=%u flags=%x pad=%x", args.fd < 0 ? "none" : "open", from, args.handle, args.flags,
             args.pad);
    int err = call(file->fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args);
    line_result(err);
    line_out("handle=%u", args.handle);
    line_end();
    if (!err && !is_file)
        file->syncs[slot] = args.handle;
}

/* -- arrays of objects -- */

static uint32_t any_array(const struct file *file, uint32_t handles[8], __u64 *address_out)
{
    const char *address;
    uint32_t count = 1 + rnd(4);
    for (uint32_t i = 0; i < 8; i++)
        handles[i] = file->syncs[rnd(SYNC_SLOTS)];
    *address_out = (uintptr_t)handles;
    if (chance(10)) {
        line_kind("bad-handle");
        handles[rnd(4)] = 9999;
    }
    if (chance(6)) {
        line_kind("count-0");
        count = 0;
    }
    if (chance(6)) {
        *address_out = (uintptr_t)bad_address(&address);
        line_kind(address);
    }
    return count;
}

static void array_arg(const uint32_t *handles, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        line_arg("h%u=%u", i, handles[i]);
}

static void random_set(void)
{
    struct file *file = any_file();
    struct drm_syncobj_array args = {0};
    uint32_t handles[8];
    bool is_reset = chance(50);
    line_begin(is_reset ? "SYNCOBJ_RESET" : "SYNCOBJ_SIGNAL", "array");
    args.count_handles = any_array(file, handles, &args.handles);
    if (chance(8)) {
        line_kind("pad");
        args.pad = 1u << rnd(32);
    }
    quiesce(); /* a job's fence that is replaced while it runs would not tell the order */
    file_arg(file);
    array_arg(handles, args.count_handles);
    line_arg("pad=%x", args.pad);
    line_result(call(file->fd, is_reset ? DRM_IOCTL_SYNCOBJ_RESET : DRM_IOCTL_SYNCOBJ_SIGNAL, &args));
    line_end();
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Long times only when no object can lack a fence for ever. */
static void random_wait(void)
{
    struct file *file = any_file();
    struct drm_syncobj_wait args = {.flags = rnd(4), .first_signaled = 88};
    uint32_t handles[8];
    line_begin("SYNCOBJ_WAIT", "array");
    args.pad = chance(10) ? rnd32() : 0; /* nobody looks at it */
    line_kind(args.flags & 1 ? "all" : "any");
    if (args.flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT)
        line_kind("for-submit");
    args.count_handles = any_array(file, handles, &args.handles);
    if (chance(8)) {
        line_kind("flags");
        args.flags |= 16u << rnd(28);
    } else if (chance(3)) {
        line_kind("deadline"); /* newer kernels */
        args.flags |= 8;
    }
    if (chance(20) && args.count_handles == 1 && !(args.flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT)) {
        line_kind("long");
        args.timeout_nsec = now_ns() + INT64_C(60000000000);
    } else {
        static const int64_t past[] = {0, 1, -1, INT64_MIN};
        quiesce();
        args.timeout_nsec = PICK(past);
        line_arg("timeout=%lld", (long long)args.timeout_nsec);
    }
    file_arg(file);
    array_arg(handles, args.count_handles);
    line_arg("flags=%x", args.flags);
    line_result(call(file->fd, DRM_IOCTL_SYNCOBJ_WAIT, &args));
    /* With one that signals during the wait for all, kernels return ~0. */
    if (args.timeout_nsec <= 1 || !(args.flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL))
        line_out("first=%u", args.first_signaled);
    line_end();
}

/* The driver has no timelines. */
static void random_timeline(void)
{
    struct file *file = any_file();
    union {
        struct drm_syncobj_timeline_wait wait;
        struct drm_syncobj_timeline_array array;
        struct drm_syncobj_transfer transfer;
        uint64_t words[8];
    } args = {0};
    static const struct {
        const char *name;
        unsigned long request;
    } calls[] = {
        {"SYNCOBJ_TIMELINE_WAIT", DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT},
        {"SYNCOBJ_QUERY", DRM_IOCTL_SYNCOBJ_QUERY},
        {"SYNCOBJ_TRANSFER", DRM_IOCTL_SYNCOBJ_TRANSFER},
        {"SYNCOBJ_TIMELINE_SIGNAL", DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL},
    };
    uint32_t which = rnd(COUNT_OF(calls));
    line_begin(calls[which].name, "timeline");
    void *at = &args;
    if (chance(20)) {
        line_kind("no-access");
        at = st.none;
    }
    for (uint32_t i = 0; i < 4; i++)
        args.words[i] = chance(50) ? 0 : rnd(4);
    file_arg(file);
    line_result(call(file->fd, calls[which].request, at));
    line_end();
}

void random_sync_call(void)
{
    static void (*const calls[])(void) = {random_create,  random_create, random_create,  random_destroy,
                                          random_to_fd,   random_to_fd,  random_to_fd,   random_from_fd,
                                          random_from_fd, random_set,    random_set,     random_wait,
                                          random_wait,    random_wait,   random_timeline};
    PICK(calls)();
}

/* -- sync files and dma-bufs -- */

static void random_export_fence(void)
{
    struct dma_buf_export_sync_file args = {.flags = 1 + rnd(3), .fd = -7};
    uint32_t from = rnd(FD_SLOTS), to = rnd(FD_SLOTS);
    const char *address;
    line_begin("DMA_BUF_EXPORT_SYNC_FILE", "flags");
    if (chance(15)) {
        line_kind("bad-flags");
        args.flags = chance(50) ? 0 : 4u << rnd(30);
    }
    void *at = &args;
    if (chance(6)) {
        at = bad_address(&address);
        line_kind(address);
    }
    line_arg("from=%u flags=%x to=%u", from, args.flags, to);
    int err = call(st.primes[from], DMA_BUF_IOCTL_EXPORT_SYNC_FILE, at);
    line_result(err);
    line_out("fd=%s", args.fd >= 0 ? "new" : args.fd == -7 ? "unchanged" : "negative");
    line_end();
    if (!err && args.fd >= 0)
        put_fd(&st.fences[to], args.fd);
}

static void random_import_fence(void)
{
    struct dma_buf_import_sync_file args = {.flags = 1 + rnd(3)};
    uint32_t into = rnd(FD_SLOTS), from = rnd(FD_SLOTS);
    line_begin("DMA_BUF_IMPORT_SYNC_FILE", "flags");
    args.fd = st.fences[from];
    if (chance(10)) {
        line_kind("bad-flags");
        args.flags = chance(50) ? 0 : 4u << rnd(30);
    }
    if (chance(10)) {
        line_kind("syncobj");
        args.fd = st.syncobj_fds[from];
    }
    line_arg("into=%u fd=%s from=%u flags=%x", into, args.fd < 0 ? "none" : "open", from, args.flags);
    line_result(call(st.primes[into], DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &args));
    line_end();
}

static void random_fence_info(void)
{
    struct sync_fence_info fences[4];
    struct sync_file_info args = {.num_fences = rnd(4), .sync_fence_info = (uintptr_t)fences};
    uint32_t from = rnd(FD_SLOTS);
    const char *address;
    memset(fences, 0, sizeof fences);
    line_begin("SYNC_FILE_INFO", "fences");
    if (chance(10)) {
        line_kind("flags");
        args.flags = 1u << rnd(32);
    }
    if (chance(10)) {
        line_kind("pad");
        args.pad = 1u << rnd(32);
    }
    if (chance(10)) {
        args.sync_fence_info = (uintptr_t)bad_address(&address);
        line_kind(address);
    }
    quiesce();
    line_arg("from=%u num_fences=%u flags=%x pad=%x", from, args.num_fences, args.flags, args.pad);
    line_result(call(st.fences[from], SYNC_IOC_FILE_INFO, &args));
    line_out("status=%d num_fences=%u first=%d", args.status, args.num_fences, fences[0].status);
    line_end();
}

static void random_merge(void)
{
    struct sync_merge_data args = {.name = "merged", .fence = -7};
    uint32_t from = rnd(FD_SLOTS), second = rnd(FD_SLOTS), to = rnd(FD_SLOTS);
    line_begin("SYNC_MERGE", "files");
    args.fd2 = st.fences[second];
    if (chance(10)) {
        line_kind("syncobj");
        args.fd2 = st.syncobj_fds[second];
    }
    if (chance(8)) {
        line_kind("flags");
        args.flags = 1u << rnd(32);
    }
    if (chance(8)) {
        line_kind("pad");
        args.pad = 1u << rnd(32);
    }
    quiesce();
    line_arg("from=%u second=%u fd2=%s flags=%x pad=%x to=%u", from, second, args.fd2 < 0 ? "none" : "open", args.flags,
             args.pad, to);
    int err = call(st.fences[from], SYNC_IOC_MERGE, &args);
    line_result(err);
    line_out("fence=%s", args.fence >= 0 ? "new" : args.fence == -7 ? "unchanged" : "negative");
    line_end();
    if (!err)
        put_fd(&st.fences[to], args.fence);
}

static void random_poll(void)
{
    static const short events[] = {POLLIN, POLLOUT, POLLIN | POLLOUT, 0};
    uint32_t from = rnd(FD_SLOTS), kind = rnd(3);
    int fd = kind == 0 ? st.fences[from] : kind == 1 ? st.primes[from] : st.syncobj_fds[from];
    struct pollfd args = {.fd = fd, .events = PICK(events)};
    line_begin("poll", kind == 0 ? "sync-file" : kind == 1 ? "dma-buf" : "syncobj");
    quiesce();
    line_arg("from=%u fd=%s events=%x", from, fd < 0 ? "none" : "open", (unsigned)args.events);
    int count = poll(&args, 1, 0);
    line_result(count < 0 ? errno : 0);
    line_out("count=%d revents=%x", count, (unsigned)args.revents);
    line_end();
}

void random_fence_call(void)
{
    static void (*const calls[])(void) = {random_export_fence, random_export_fence, random_import_fence,
                                          random_fence_info,   random_fence_info,   random_merge,
                                          random_poll,         random_poll};
    PICK(calls)();
}
