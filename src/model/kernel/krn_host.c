/* SPDX-License-Identifier: MIT
 *
 * Buffers whose memory is the host program's own: pages that it has allocated itself and names by a pointer. mainline's
 * driver has nothing like it. The chip and the program see the same pages at two addresses, so neither side copies.
 *
 * The kernel maps pages a second time only if they are shared (MAP_SHARED). Memory of malloc() is not, so an import
 * first replaces the pages by those of a memfd with the same contents, at the same address. What another thread writes
 * meanwhile may be lost. When the last buffer of the pages ends, they become private memory again: allocators rely on
 * what private memory does (zero after MADV_DONTNEED, copied by fork()).
 *
 * No list says which pages have been replaced, as other devices of the process may import the same ones: the name of
 * the memfd in /proc/self/maps does, and so do the mappings of the same file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "model/kernel/krn_device.h"
#include "util/memfd.h"

#define REPLACED_NAME "vc4-host-memory"

/* -- the mappings of the process ---------------------------------------------------------------------------------- */

/* One line of /proc/self/maps. */
struct mapping {
    uintptr_t start, end;
    uint64_t offset_B; /* in the file */
    unsigned major, minor;
    unsigned long inode;
    bool is_accessible; /* readable and writable */
    bool is_shared;
    bool is_replaced; /* shows a memfd of this file */
};

struct mapping_list {
    struct mapping *items; /* by address; owned */
    uint32_t count, capacity;
};

static bool parse_mapping(const char *line, struct mapping *out)
{
    char perms[8];
    int path_at = 0;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s %" SCNx64 " %x:%x %lu %n", &out->start, &out->end, perms,
               &out->offset_B, &out->major, &out->minor, &out->inode, &path_at) != 7)
        return false;
    static const char replaced[] = "/memfd:" REPLACED_NAME;
    out->is_accessible = perms[0] == 'r' && perms[1] == 'w';
    out->is_shared = perms[3] == 's';
    out->is_replaced = path_at && !strncmp(line + path_at, replaced, sizeof replaced - 1);
    return true;
}

static bool append(struct mapping_list *list, const struct mapping *mapping)
{
    if (list->count == list->capacity) {
        const uint32_t capacity = MAX2(2 * list->capacity, 64);
        struct mapping *grown = realloc(list->items, capacity * sizeof *grown);
        if (!grown)
            return false;
        list->items = grown;
        list->capacity = capacity;
    }
    list->items[list->count++] = *mapping;
    return true;
}

/* The caller frees list->items, also after a failure. */
static int read_mappings(struct mapping_list *list)
{
    char line[512];
    bool is_start = true; /* lines with long paths come in several parts */
    *list = (struct mapping_list){0};
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return -errno;
    int err = 0;
    while (!err && fgets(line, sizeof line, maps)) {
        struct mapping mapping;
        if (is_start && parse_mapping(line, &mapping) && !append(list, &mapping))
            err = -ENOMEM;
        is_start = strchr(line, '\n') != NULL;
    }
    fclose(maps);
    return err;
}

/* Limits a mapping to [start, end). False: nothing is left. */
static bool clip(struct mapping *mapping, uintptr_t start, uintptr_t end)
{
    if (mapping->start >= end || mapping->end <= start)
        return false;
    if (mapping->start < start) {
        mapping->offset_B += start - mapping->start;
        mapping->start = start;
    }
    mapping->end = MIN2(mapping->end, end);
    return true;
}

/* -- import ------------------------------------------------------------------------------------------------------- */

/* Whether memory that may be read and written covers the whole range. */
static bool is_covered(const struct mapping_list *list, uintptr_t start, uintptr_t end)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct mapping mapping = list->items[i];
        if (!clip(&mapping, start, end))
            continue;
        if (mapping.start != start || !mapping.is_accessible)
            return false;
        start = mapping.end;
    }
    return start == end;
}

/* Copies pages of the application, which hold more than its block: AddressSanitizer's memcpy() and pwrite() would call
 * that an overflow. */
#if defined(__SANITIZE_ADDRESS__)
UTIL_NO_ASAN static void copy_pages(void *to, const void *from, size_t size_B)
{
    const volatile uint64_t *words = from;
    uint64_t *out = to;
    for (size_t i = 0; i < size_B / sizeof *out; i++)
        out[i] = words[i];
}

static ssize_t write_pages(int fd, const void *from, size_t size_B, off_t at)
{
    uint64_t words[512];
    const size_t part_B = MIN2(size_B, sizeof words);
    copy_pages(words, from, part_B);
    return pwrite(fd, words, part_B, at);
}
#else
#define copy_pages  memcpy
#define write_pages pwrite
#endif

static int write_all(int fd, const uint8_t *from, size_t size_B)
{
    for (size_t done = 0; done < size_B;) {
        ssize_t n = write_pages(fd, from + done, size_B - done, (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        done += (size_t)n;
    }
    return 0;
}

/* Puts a memfd with the same contents in the place of private memory. */
static int replace(const struct mapping *piece)
{
    const size_t size_B = piece->end - piece->start;
    int fd = util_memfd_create(REPLACED_NAME, size_B);
    if (fd < 0)
        return fd;
    int err = write_all(fd, (const uint8_t *)piece->start, size_B);
    if (!err && mmap((void *)piece->start, size_B, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
        err = -errno;
    close(fd); /* the mappings keep the file */
    return err;
}

/* Maps shared pages a second time: an old size of 0 leaves the old mapping where it is. */
static int map_again(const struct mapping *piece, void *to)
{
    void *at = mremap((void *)piece->start, 0, piece->end - piece->start, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    return at == MAP_FAILED ? -errno : 0;
}

static int map_host(struct krn_bo *bo, const struct mapping_list *list)
{
    const uintptr_t start = (uintptr_t)bo->host, end = start + bo->size_B;
    int err = 0;
    for (uint32_t i = 0; i < list->count && !err; i++) {
        struct mapping piece = list->items[i];
        if (!clip(&piece, start, end))
            continue;
        err = piece.is_shared ? 0 : replace(&piece);
        if (!err)
            err = map_again(&piece, (uint8_t *)krn_bo_ptr(bo) + (piece.start - start));
    }
    return err;
}

/* -- end ---------------------------------------------------------------------------------------------------------- */

/* Whether another mapping shows some of the same pages: of another buffer, or of the program. */
static bool is_shown_elsewhere(const struct mapping_list *list, const struct mapping *piece)
{
    const uint64_t end_B = piece->offset_B + (piece->end - piece->start);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct mapping *m = &list->items[i];
        if (m == piece || m->inode != piece->inode || m->major != piece->major || m->minor != piece->minor)
            continue;
        if (m->offset_B < end_B && m->offset_B + (m->end - m->start) > piece->offset_B)
            return true;
    }
    return false;
}

/* Makes replaced memory private again. If memory is short it stays as it is, which the program hardly notices. */
static void restore(const struct mapping *piece)
{
    const size_t size_B = piece->end - piece->start;
    void *copy = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return;
    copy_pages(copy, (const void *)piece->start, size_B);
    if (mremap(copy, size_B, size_B, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)piece->start) == MAP_FAILED)
        munmap(copy, size_B);
}

static void end_locked(struct krn_bo *bo)
{
    const uintptr_t start = (uintptr_t)bo->host, end = start + bo->size_B;
    int err = krn_memory_unmap_file(&bo->dev->mem, bo->addr, bo->size_B);
    assert(!err);
    struct mapping_list list;
    err = read_mappings(&list);
    for (uint32_t i = 0; i < list.count && !err; i++) {
        const struct mapping *piece = &list.items[i]; /* all of it: an earlier import may have been larger */
        if (piece->start < end && piece->end > start && piece->is_replaced && piece->is_accessible &&
            !is_shown_elsewhere(&list, piece))
            restore(piece);
    }
    free(list.items);
    bo->host = NULL;
}

/* If the BO's memory is the program's: waits for its jobs and gives the memory back. The BO then has zeros. */
static void end_host(struct krn_bo *bo)
{
    pthread_mutex_lock(&bo->dev->lock);
    while (bo->host && bo->dev->finished_seqno < bo->last_seqno)
        pthread_cond_wait(&bo->dev->finished, &bo->dev->lock);
    if (bo->host)
        end_locked(bo);
    pthread_mutex_unlock(&bo->dev->lock);
}

/* -- interface ---------------------------------------------------------------------------------------------------- */

uint32_t model_host_align_B(void)
{
    const long page_B = sysconf(_SC_PAGESIZE);
    return page_B > (long)KRN_PAGE_B ? (uint32_t)page_B : KRN_PAGE_B;
}

/* The pages of the device's own memory are not the program's. */
static bool is_of_device(const struct krn_memory *mem, uintptr_t start, uintptr_t end)
{
    const uintptr_t base = (uintptr_t)mem->gpu.base;
    return start < base + mem->reserved_B && end > base;
}

int model_bo_import_host(struct model_file *file, void *host, uint32_t size_B, uint32_t *handle_out)
{
    struct model_device *dev = file->dev;
    const uint32_t align_B = model_host_align_B();
    const uintptr_t start = (uintptr_t)host, end = start + size_B;
    if (!host || !size_B || start % align_B || size_B % align_B || end < start || is_of_device(&dev->mem, start, end))
        return -EINVAL;
    struct krn_bo *bo;
    const struct krn_place upper = {MODEL_PLACE_UPPER, 0}; /* see model_bo_create() */
    int err = krn_bo_create_aligned(dev, size_B, align_B, KRN_BO_USER, &upper, &bo);
    if (err == -ENOMEM)
        err = krn_bo_create_aligned(dev, size_B, align_B, KRN_BO_USER, KRN_ANYWHERE, &bo);
    if (err)
        return err;
    struct mapping_list list;
    pthread_mutex_lock(&dev->lock); /* two imports of the same pages must not replace them both */
    err = read_mappings(&list);
    if (!err && !is_covered(&list, start, end))
        err = -EFAULT;
    if (!err) {
        bo->host = host;
        bo->end = end_host;
        err = map_host(bo, &list);
    }
    pthread_mutex_unlock(&dev->lock);
    free(list.items);
    if (err) {
        krn_bo_unref(bo); /* undoes what has been done of it */
        return err;
    }
    return krn_handle_create(file, bo, handle_out);
}

void model_bo_end_host(struct model_file *file, uint32_t handle)
{
    struct krn_bo *bo = krn_handle_lookup(file, handle);
    if (bo)
        end_host(bo);
    krn_bo_unref(bo);
}
