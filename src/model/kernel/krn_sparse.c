/* SPDX-License-Identifier: MIT
 *
 * Sparse buffers. A sparse buffer has a range of bus addresses as every buffer, and keeps it; only the pages behind the
 * range change: binding maps the file that holds another buffer's memory over a part of it. So both show the same
 * pages, and pointers into the range stay valid. Unbound parts show the device's own memory at their address, which is
 * zero at first. The kernel merges neighbouring mappings that continue each other.
 *
 * Linux limits the mappings of a process, and at the limit a mapping fails without having changed anything. A buffer
 * therefore reserves a mapping for each of its blocks when it is created.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
#include "model/kernel/krn_device.h"
#include "model/model_sparse.h"

/* -- the process's mappings --------------------------------------------------------------------------------------- */

static _Atomic uint64_t reserved_mappings;

/* Three quarters of what the system allows: the rest is for the program. */
static uint64_t mapping_limit(void)
{
    unsigned long limit = 65530; /* Linux' default */
    FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
    if (file && fscanf(file, "%lu", &limit) != 1)
        limit = 65530;
    if (file)
        fclose(file);
    return (uint64_t)limit / 4 * 3;
}

/* One for each block, and one for the device's memory behind the buffer. */
static uint64_t mappings_of(uint32_t size_B)
{
    return size_B / MODEL_SPARSE_BLOCK_B + 1;
}

static bool reserve_mappings(uint32_t size_B)
{
    const uint64_t limit = mapping_limit(), count = mappings_of(size_B);
    uint64_t reserved = atomic_load_explicit(&reserved_mappings, memory_order_relaxed);
    do {
        if (count > limit || reserved > limit - count)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&reserved_mappings, &reserved, reserved + count,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

static void release_mappings(uint32_t size_B)
{
    atomic_fetch_sub_explicit(&reserved_mappings, mappings_of(size_B), memory_order_relaxed);
}

/* -- buffers ------------------------------------------------------------------------------------------------------ */

/* Must not give back a range that shows memory of others: the next buffer there would be cleared with it. */
static void end_sparse(struct krn_bo *bo)
{
    bo->keeps_range = krn_memory_unmap_file(&bo->dev->mem, bo->addr, bo->size_B) != 0;
    release_mappings(bo->size_B);
}

bool model_has_sparse(void)
{
    return sizeof(void *) >= 8 && sysconf(_SC_PAGESIZE) == (long)KRN_PAGE_B;
}

int model_sparse_create(struct model_file *file, uint32_t size_B, enum model_place where, uint32_t addr,
                        uint32_t *handle_out)
{
    struct model_device *dev = file->dev;
    if (!model_has_sparse() || dev->mem.fd < 0 || !size_B || size_B % MODEL_SPARSE_BLOCK_B)
        return -EINVAL;
    if (!reserve_mappings(size_B))
        return -ENOMEM;
    struct krn_bo *bo;
    const struct krn_place place = {where, addr, .is_uncharged = true};
    int err = krn_bo_create_aligned(dev, size_B, MODEL_SPARSE_BLOCK_B, KRN_BO_USER, &place, &bo);
    if (err) {
        release_mappings(size_B);
        return err;
    }
    bo->is_sparse = true;
    bo->end = end_sparse;
    return krn_handle_create(file, bo, handle_out);
}

/* -- binding ------------------------------------------------------------------------------------------------------ */

static bool is_range(const struct krn_bo *bo, uint32_t offset_B, uint32_t size_B)
{
    return size_B && offset_B % KRN_PAGE_B == 0 && size_B % KRN_PAGE_B == 0 && offset_B <= bo->size_B &&
           size_B <= bo->size_B - offset_B;
}

static int map_memory_locked(const struct krn_bo *bo, uint32_t offset_B, uint32_t size_B, const struct krn_bo *memory,
                             uint32_t memory_offset_B)
{
    const bool is_shared = memory->shared_fd >= 0;
    if (memory->kind != KRN_BO_USER || memory->is_sparse || memory->host || memory->madv != VC4_MADV_WILLNEED ||
        !is_range(memory, memory_offset_B, size_B))
        return -EINVAL;
    return krn_memory_map_file(&bo->dev->mem, bo->addr + offset_B, size_B,
                               is_shared ? memory->shared_fd : bo->dev->mem.fd,
                               (is_shared ? 0 : memory->addr) + (uint64_t)memory_offset_B);
}

int model_sparse_bind(struct model_file *file, uint32_t handle, uint32_t offset_B, uint32_t size_B, uint32_t memory,
                      uint32_t memory_offset_B)
{
    struct krn_bo *bo = krn_handle_lookup(file, handle);
    struct krn_bo *memory_bo = memory ? krn_handle_lookup(file, memory) : NULL;
    int err = bo && (memory_bo || !memory) ? 0 : -ENOENT;
    if (!err && (!bo->is_sparse || !is_range(bo, offset_B, size_B)))
        err = -EINVAL;
    if (!err) {
        pthread_mutex_lock(&file->dev->lock); /* an export changes which file holds the memory */
        err = memory_bo ? map_memory_locked(bo, offset_B, size_B, memory_bo, memory_offset_B)
                        : krn_memory_unmap_file(&file->dev->mem, bo->addr + offset_B, size_B);
        pthread_mutex_unlock(&file->dev->lock);
    }
    krn_bo_unref(memory_bo);
    krn_bo_unref(bo);
    return err;
}
