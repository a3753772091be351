/* SPDX-License-Identifier: MIT
 *
 * Tile lists in tile allocation memory [guide p.59, p.64, p.72-78]. Each tile starts with a small block of its own and
 * continues in blocks from a common pool, which the kernel refills when it is used up. State is written only when a
 * primitive enters the tile and the tile has not seen that state yet.
 *
 * The tile lists are the renderer's only input, so everything that it needs must be in this memory.
 */
#include "model/gpu/gpu_list.h"
#include "model/gpu/gpu_mem.h"
#include "model/gpu/gpu_ptb.h"

#define POOL_ALIGN_B 32 /* alignment of blocks: the unit of relative branches */

/* Space reserved at the end of a block: a branch to the next block, and an escape before it. */
#define BLOCK_TAIL_B (1 + CL_BRANCH_SIZE_B)

static struct gpu_ptb_tile *tile_state(struct gpu_ptb *ptb, uint32_t index)
{
    return (struct gpu_ptb_tile *)(ptb->tile_states + (size_t)index * GPU_PTB_TILE_STATE_B);
}

static uint32_t tile_count(const struct gpu_ptb *ptb)
{
    return ptb->config.width_tl * ptb->config.height_tl;
}

/* -- memory -- */

static void set_mapped_range(struct gpu_ptb *ptb, uint8_t *memory, uint32_t addr, uint32_t size_B)
{
    ptb->mapped = memory;
    ptb->mapped_addr = addr;
    ptb->mapped_B = size_B;
}

static void show_pool(const struct gpu_ptb *ptb)
{
    if (!ptb->monitor)
        return;
    atomic_store_explicit(&ptb->monitor->pool_next, ptb->alloc_next, memory_order_relaxed);
    atomic_store_explicit(&ptb->monitor->pool_left_B, ptb->alloc_end - ptb->alloc_next, memory_order_relaxed);
}

/* Returns an address, or 0 with ptb->status when there is no more memory. */
static uint32_t pool_alloc(struct gpu_ptb *ptb, uint32_t size_B)
{
    while (ptb->alloc_end - ptb->alloc_next < size_B) {
        uint32_t addr = 0, more_B = 0;
        const struct gpu_overspill *spill = &ptb->overspill;
        if (!spill->get || !spill->get(spill->data, &addr, &more_B)) {
            gpu_ptb_fail(ptb, GPU_NO_BIN_MEMORY, "tile allocation memory is used up");
            return 0;
        }
        uint32_t start = util_align(addr, POOL_ALIGN_B);
        uint8_t *more = gpu_mem_at(ptb->mem, addr, more_B);
        if (more_B < start - addr + size_B || !more) {
            gpu_ptb_fail(ptb, GPU_HANG, "overspill memory too small or not mapped");
            return 0;
        }
        set_mapped_range(ptb, more, addr, more_B);
        ptb->alloc_next = start;
        ptb->alloc_end = addr + more_B;
    }
    uint32_t addr = ptb->alloc_next;
    ptb->alloc_next += size_B;
    show_pool(ptb);
    return addr;
}

/* memcpy() for records and codings of a few bytes, where a call would cost more than the copy. */
static void copy_short(uint8_t *to, const uint8_t *from, uint32_t size_B)
{
    if (size_B > 15) {
        memcpy(to, from, size_B);
        return;
    }
    if (size_B & 8)
        memcpy(to, from, 8), to += 8, from += 8;
    if (size_B & 4)
        memcpy(to, from, 4), to += 4, from += 4;
    if (size_B & 2)
        memcpy(to, from, 2), to += 2, from += 2;
    if (size_B & 1)
        *to = *from;
}

static bool write_bytes(struct gpu_ptb *ptb, struct gpu_ptb_tile *tile, const void *bytes, uint32_t size_B)
{
    const uint32_t offset_B = tile->next - ptb->mapped_addr;
    const bool is_mapped = offset_B < ptb->mapped_B && size_B <= ptb->mapped_B - offset_B;
    uint8_t *at = is_mapped ? ptb->mapped + offset_B : gpu_mem_at(ptb->mem, tile->next, size_B);
    if (!at)
        return gpu_ptb_fail(ptb, GPU_HANG, "tile state damaged: list outside of mapped memory");
    copy_short(at, bytes, size_B);
    tile->next += size_B;
    return true;
}

static bool write_byte(struct gpu_ptb *ptb, struct gpu_ptb_tile *tile, uint8_t byte)
{
    return write_bytes(ptb, tile, &byte, 1);
}

static bool close_list(struct gpu_ptb *ptb, struct gpu_ptb_tile *tile)
{
    if (!tile->in_list)
        return true;
    tile->in_list = false;
    return write_byte(ptb, tile, GPU_LIST_ESCAPE);
}

/* Branches to a new block: inside the compressed list if a relative branch reaches, else with a branch record. */
static bool next_block(struct gpu_ptb *ptb, struct gpu_ptb_tile *tile)
{
    uint32_t block = pool_alloc(ptb, ptb->block_B);
    if (!block)
        return false;
    int64_t distance =
        ((int64_t)block - (int64_t)(tile->next & ~(GPU_LIST_BRANCH_UNIT_B - 1u))) / GPU_LIST_BRANCH_UNIT_B;
    if (tile->in_list && distance >= INT16_MIN && distance <= INT16_MAX) {
        const uint8_t branch[GPU_LIST_BRANCH_B] = {GPU_LIST_BRANCH, (uint8_t)distance, (uint8_t)(distance >> 8)};
        if (!write_bytes(ptb, tile, branch, sizeof branch))
            return false;
    } else {
        uint8_t branch[CL_BRANCH_SIZE_B];
        cl_branch_pack(branch, &(struct cl_branch){.address = block});
        if (!close_list(ptb, tile) || !write_bytes(ptb, tile, branch, sizeof branch))
            return false;
    }
    tile->next = block;
    tile->end = block + ptb->block_B - BLOCK_TAIL_B;
    return true;
}

/* Ensures that `size_B` bytes fit at tile->next. May close the compressed list. */
static bool reserve(struct gpu_ptb *ptb, struct gpu_ptb_tile *tile, uint32_t size_B)
{
    return (int32_t)(tile->end - tile->next) >= (int32_t)size_B || next_block(ptb, tile);
}

static bool write_record(struct gpu_ptb *ptb, struct gpu_ptb_tile *tile, const uint8_t *record, uint32_t size_B)
{
    return close_list(ptb, tile) && reserve(ptb, tile, size_B) && write_bytes(ptb, tile, record, size_B);
}

/* -- state -- */

static bool write_group(struct gpu_ptb *ptb, struct gpu_ptb_tile *tile, enum gpu_state_group group)
{
    return write_record(ptb, tile, ptb->group[group].record, ptb->group[group].size_B);
}

static bool write_list_type(struct gpu_ptb *ptb, struct gpu_ptb_tile *tile, enum cl_list_type type)
{
    uint8_t record[CL_PRIMITIVE_LIST_FORMAT_SIZE_B];
    cl_primitive_list_format_pack(record, &(struct cl_primitive_list_format){.type = type, .data = 1});
    tile->list_type = (uint8_t)type;
    return write_record(ptb, tile, record, sizeof record);
}

/* Writes the state that has changed since the tile's last draw. The list format follows the kind of primitive rather
 * than the application's record. It takes effect with a shader record, so a shader record is written after it. */
static bool write_changed_state(struct gpu_ptb *ptb, struct gpu_ptb_tile *tile, enum cl_list_type type)
{
    bool new_type = tile->list_type != type;
    for (enum gpu_state_group group = 0; group < GPU_STATE_GROUPS; group++) {
        bool changed = ptb->group[group].size_B && ptb->group[group].changed_at > tile->draw;
        if (group == GPU_STATE_LIST_FORMAT) {
            if (new_type && !write_list_type(ptb, tile, type))
                return false;
        } else if (changed || (group == GPU_STATE_SHADER && new_type && ptb->group[group].size_B)) {
            if (!write_group(ptb, tile, group))
                return false;
        }
    }
    tile->draw = ptb->draw;
    return true;
}

/* -- primitives -- */

static bool write_clip_records(struct gpu_ptb *ptb, struct gpu_ptb_primitive *prim)
{
    uint32_t size_B = prim->clip_count * GPU_CLIP_RECORD_B;
    prim->clip_addr = pool_alloc(ptb, size_B);
    if (!prim->clip_addr)
        return false;
    memcpy(gpu_mem_at(ptb->mem, prim->clip_addr, size_B), prim->clip_records, size_B);
    return true;
}

/* Opens a compressed list and reserves space for one coding of any size. */
static bool open_list(struct gpu_ptb *ptb, struct gpu_ptb_tile *tile, const uint8_t *head, uint32_t head_B)
{
    if (!close_list(ptb, tile) || !reserve(ptb, tile, head_B + GPU_LIST_CODING_MAX_B) ||
        !write_bytes(ptb, tile, head, head_B))
        return false;
    memset(tile->old, 0, sizeof tile->old);
    tile->in_list = true;
    return true;
}

static bool write_coding(struct gpu_ptb *ptb, struct gpu_ptb_tile *tile, const struct gpu_ptb_primitive *prim)
{
    static const uint8_t plain[CL_COMPRESSED_LIST_SIZE_B] = {CL_COMPRESSED_LIST_ID};
    uint8_t coding[GPU_LIST_CODING_MAX_B];
    for (;;) {
        if (!tile->in_list && !open_list(ptb, tile, plain, sizeof plain))
            return false;
        unsigned size_B = gpu_list_encode(prim->type, tile->old, prim->index, coding);
        if (!reserve(ptb, tile, size_B))
            return false;
        if (tile->in_list) {
            memcpy(tile->old, prim->index, sizeof tile->old);
            return write_bytes(ptb, tile, coding, size_B);
        }
    }
}

bool gpu_ptb_list_add(struct gpu_ptb *ptb, uint32_t tile_index, struct gpu_ptb_primitive *prim)
{
    struct gpu_ptb_tile *tile = tile_state(ptb, tile_index);
    if (tile->draw != ptb->draw && !write_changed_state(ptb, tile, prim->type))
        return false;
    if (prim->clip_flags) {
        if (!prim->clip_addr && !write_clip_records(ptb, prim))
            return false;
        uint8_t head[CL_CLIPPED_LIST_SIZE_B];
        cl_clipped_list_pack(head,
                             &(struct cl_clipped_list){.clip_flags = prim->clip_flags, .address = prim->clip_addr});
        if (!open_list(ptb, tile, head, sizeof head))
            return false;
    }
    return write_coding(ptb, tile, prim);
}

/* -- start and end -- */

bool gpu_ptb_lists_init(struct gpu_ptb *ptb)
{
    const struct cl_tile_binning_mode_config *config = &ptb->config;
    uint32_t tiles = tile_count(ptb), initial_B = 32u << config->initial_block;
    uint32_t start = config->tile_alloc_address, lists_B = util_align(tiles * initial_B, 256);
    ptb->block_B = 32u << config->block;
    ptb->log2_tile_px = config->ms_4x ? 5 : 6;
    ptb->tile_px = 1u << ptb->log2_tile_px;

    if (tiles == 0)
        return gpu_ptb_fail(ptb, GPU_HANG, "tile binning configured with 0 tiles");
    uint8_t *lists = gpu_mem_at(ptb->mem, start, config->tile_alloc_size_B);
    if ((start & (POOL_ALIGN_B - 1)) || config->tile_alloc_size_B < lists_B || !lists)
        return gpu_ptb_fail(ptb, GPU_HANG, "tile allocation memory too small, misplaced or not mapped");
    ptb->tile_states = gpu_mem_at(ptb->mem, config->tile_state_address, tiles * GPU_PTB_TILE_STATE_B);
    if ((config->tile_state_address & 15) || !ptb->tile_states)
        return gpu_ptb_fail(ptb, GPU_HANG, "tile state array misplaced or not mapped");
    set_mapped_range(ptb, lists, start, config->tile_alloc_size_B);
    ptb->alloc_next = start + lists_B;
    ptb->alloc_end = start + config->tile_alloc_size_B;
    show_pool(ptb);

    /* Without auto-init the chip would continue with the tile states in memory; the kernel always sets auto-init. */
    if (!config->auto_init)
        return gpu_ptb_fail(ptb, GPU_HANG, "tile states that are not initialised automatically are not modelled");
    for (uint32_t i = 0; i < tiles; i++) {
        uint32_t list = start + i * initial_B;
        *tile_state(ptb, i) = (struct gpu_ptb_tile){
            .next = list,
            .end = list + initial_B - BLOCK_TAIL_B,
            .list_type = GPU_PTB_NO_LIST_TYPE,
        };
    }
    return true;
}

bool gpu_ptb_lists_flush(struct gpu_ptb *ptb, bool all_state)
{
    for (uint32_t i = 0; i < tile_count(ptb); i++) {
        struct gpu_ptb_tile *tile = tile_state(ptb, i);
        if (all_state && !write_changed_state(ptb, tile, CL_LIST_TRIANGLES))
            return false;
        /* These bytes always fit: BLOCK_TAIL_B is still free. */
        if (!close_list(ptb, tile) || !write_byte(ptb, tile, CL_RETURN_FROM_SUB_LIST_ID))
            return false;
    }
    return true;
}
