/* SPDX-License-Identifier: MIT
 *
 * Mappings of buffers through the node and through dma-bufs, their contents, and PRIME.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>
#include <linux/dma-buf.h>
#include "ioctls.h"

/* -- mappings -- */

/* Maps, prints a digest, and writes some words if it may. */
static void map_and_print(int fd, size_t size_B, int prot, uint64_t offset, size_t object_B)
{
    uint32_t at_word = rnd32(), value = rnd32();
    bool writes = chance(60);
    uint32_t *at = mmap(NULL, size_B, prot, MAP_SHARED, fd, (off_t)offset);
    line_result(at == MAP_FAILED ? errno : 0);
    if (at != MAP_FAILED) {
        size_t visible_B = size_B < object_B ? size_B : object_B;
        line_out("digest=%08x", digest(at, visible_B / PAGE_B * PAGE_B));
        if (writes && (prot & PROT_WRITE) && visible_B >= PAGE_B)
            at[at_word % (visible_B / 4)] = value;
        munmap(at, size_B);
    }
    line_end();
}

void random_map_call(void)
{
    struct file *through = any_file();
    struct file *file = chance(85) ? through : any_file();
    const struct bo_slot *slot = &file->bos[rnd(BO_SLOTS)];
    static const uint64_t bad[] = {0, PAGE_B, 0x123, 0x8000, UINT64_C(0x7fffffff000)};
    int prot = chance(60) ? PROT_READ | PROT_WRITE : PROT_READ;
    size_t size_B = slot->size_B;
    uint64_t offset = slot->offset;
    line_begin("mmap", "slot");
    line_kind(prot & PROT_WRITE ? "write" : "read");
    quiesce();
    switch (rnd(9)) {
    case 0:
        line_kind("longer");
        size_B += PAGE_B * (1 + rnd(4));
        break;
    case 1:
        line_kind("shorter");
        size_B = size_B > PAGE_B ? size_B - PAGE_B : 0;
        break;
    case 2:
        line_kind("inside");
        if (size_B > PAGE_B) /* what comes after it is the system's choice */
            offset += PAGE_B;
        break;
    case 3:
        line_kind("bad-offset");
        offset = PICK(bad);
        break;
    default:
        break;
    }
    line_arg("file=%d offset-of=%d handle=%u size=%zu", (int)(through - st.files), (int)(file - st.files), slot->handle,
             size_B);
    map_and_print(through->fd, size_B, prot, offset, slot->size_B);
}

/* -- PRIME -- */

static void random_export(void)
{
    static const uint32_t bad[] = {0, 9999, 0xffffffff};
    static const uint8_t job[] = {JOB_COLOR, JOB_ZS, JOB_TEXTURE, JOB_FS};
    struct file *file = any_file();
    struct drm_prime_handle args = {.flags = DRM_CLOEXEC | DRM_RDWR, .fd = -7};
    uint32_t slot = rnd(FD_SLOTS), kind = rnd(10);
    line_begin("PRIME_HANDLE_TO_FD", "slot");
    args.handle = kind == 0 ? PICK(bad) : kind <= 4 ? file->job[PICK(job)] : file->bos[rnd(BO_SLOTS)].handle;
    if (chance(20)) {
        line_kind("read-only");
        args.flags = chance(50) ? DRM_CLOEXEC : 0;
    }
    if (chance(10)) {
        line_kind("flags");
        args.flags ^= 1u << rnd(32);
    }
    line_arg("file=%d handle=%u flags=%x to=%u", (int)(file - st.files), args.handle, args.flags, slot);
    int err = call(file->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);
    line_result(err);
    line_out("fd=%s", args.fd >= 0 ? "new" : args.fd == -7 ? "unchanged" : "negative");
    line_end();
    if (!err)
        put_fd(&st.primes[slot], args.fd);
}

static void random_import(void)
{
    struct file *file = any_file();
    struct bo_slot *into = &file->bos[rnd(BO_SLOTS)];
    struct drm_prime_handle args = {.handle = 55};
    uint32_t from = rnd(FD_SLOTS);
    line_begin("PRIME_FD_TO_HANDLE", "dma-buf");
    args.fd = st.primes[from];
    switch (rnd(12)) {
    case 0:
        line_kind("sync-file");
        args.fd = st.fences[from];
        break;
    case 1:
        line_kind("syncobj");
        args.fd = st.syncobj_fds[from];
        break;
    case 2:
        line_kind("node");
        args.fd = st.files[0].fd;
        break;
    case 3:
        line_kind("bad-fd");
        args.fd = chance(50) ? -1 : 12345;
        break;
    default:
        break;
    }
    line_arg("file=%d fd=%s from=%u", (int)(file - st.files), args.fd < 0 ? "none" : "open", from);
    int err = call(file->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);
    line_result(err);
    line_out("handle=%u", args.handle);
    line_end();
    bool is_of_jobs = false; /* HAZARD: their handles are never closed, so they must not get into slots */
    for (uint32_t i = 0; i < JOB_MADE_COUNT; i++)
        is_of_jobs |= file->job[i] == args.handle;
    if (!err && !is_of_jobs) {
        off_t size_B = lseek(args.fd, 0, SEEK_END);
        *into = (struct bo_slot){.handle = args.handle, .size_B = size_B > 0 ? (uint32_t)size_B : 0};
    }
}

static void random_prime_map(void)
{
    uint32_t from = rnd(FD_SLOTS);
    int fd = st.primes[from], prot = chance(50) ? PROT_READ | PROT_WRITE : PROT_READ;
    off_t end_B = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    size_t size_B = end_B > 0 ? (size_t)end_B : PAGE_B;
    uint64_t offset = 0;
    line_begin("mmap", "dma-buf");
    line_kind(prot & PROT_WRITE ? "write" : "read");
    quiesce();
    switch (rnd(6)) {
    case 0:
        line_kind("longer");
        size_B += PAGE_B;
        break;
    case 1:
        line_kind("offset");
        offset = PAGE_B;
        break;
    default:
        break;
    }
    line_arg("from=%u end=%lld size=%zu", from, (long long)end_B, size_B);
    map_and_print(fd, size_B, prot, offset, size_B);
}

static void random_seek(void)
{
    uint32_t from = rnd(FD_SLOTS);
    static const int whences[] = {SEEK_SET, SEEK_END, SEEK_CUR};
    int whence = PICK(whences);
    off_t offset = chance(70) ? 0 : 4096;
    line_begin("lseek", "dma-buf");
    line_arg("from=%u offset=%lld whence=%d", from, (long long)offset, whence);
    errno = 0;
    off_t at = lseek(st.primes[from], offset, whence);
    line_result(at < 0 ? errno : 0);
    line_out("at=%lld", (long long)at);
    line_end();
}

static void random_dma_buf_sync(void)
{
    uint32_t from = rnd(FD_SLOTS);
    struct dma_buf_sync args = {.flags = rnd(8)};
    line_begin("DMA_BUF_SYNC", "flags");
    quiesce();
    if (chance(10)) {
        line_kind("bad-flags");
        args.flags |= UINT64_C(1) << rnd(64);
    }
    const char *address = "ok";
    void *at = &args;
    if (chance(6)) {
        at = bad_address(&address);
        line_kind(address);
    }
    line_arg("from=%u flags=%llx", from, (unsigned long long)args.flags);
    line_result(call(st.primes[from], DMA_BUF_IOCTL_SYNC, at));
    line_end();
}

static void random_dma_buf_other(void)
{
    uint32_t from = rnd(FD_SLOTS), number = 4 + rnd(20);
    struct dma_buf_sync args = {0};
    line_begin("DMA_BUF", "unknown");
    line_arg("from=%u number=%u", from, number);
    line_result(call(st.primes[from], _IOWR(DMA_BUF_BASE, number, struct dma_buf_sync), &args));
    line_end();
}

void random_prime_call(void)
{
    static void (*const calls[])(void) = {
        random_export,    random_export, random_export,       random_import,        random_import,
        random_prime_map, random_seek,   random_dma_buf_sync, random_dma_buf_other,
    };
    PICK(calls)();
}
