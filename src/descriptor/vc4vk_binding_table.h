/* SPDX-License-Identifier: MIT
 *
 * Binding tables: what a draw's descriptors were when it was recorded.
 *
 * A table is an array of 32-bit entries in a block on the back of the block pool and is named by (block, 16-bit offset
 * in the block). An entry is the surface state's pool offset plus the distance from the block's bottom to the pool's
 * zero: it is valid relative to its block alone. An entry that equals that distance names the null state.
 *
 * The pipeline lists what its programs read (struct vc4vk_table_slot), so a table holds those entries and no more, in
 * that order. Tables are written at recording; uniforms are resolved through them when a job is issued.
 */
#ifndef DESCRIPTOR_VC4VK_BINDING_TABLE_H
#define DESCRIPTOR_VC4VK_BINDING_TABLE_H

#include "descriptor/vc4vk_descriptor_set.h"
#include "descriptor/vc4vk_surface_state.h"

struct vc4vk_device;

/* One entry of a pipeline's tables. Make it with vc4vk_table_slot. */
struct vc4vk_table_slot {
    uint8_t set;
    uint8_t part;     /* enum vc4vk_entry_part */
    uint16_t dynamic; /* index among the set's dynamic offsets, 0xffff: none */
    uint32_t entry;   /* in the set */
};

/* False when the set layout has no such binding, element or part. */
bool vc4vk_table_slot_init(struct vc4vk_table_slot *slot, const struct vc4vk_set_layout *layout, uint32_t set,
                           uint32_t binding, uint32_t element, enum vc4vk_entry_part part) UTIL_MUST_CHECK;

#define VC4VK_TABLE_BLOCK_B   32768u /* offsets within it fit 16 bits */
#define VC4VK_TABLE_MAX_SLOTS ((VC4VK_TABLE_BLOCK_B - VC4VK_STREAM_FIRST_B) / 4)

/* A recorded table. Zero is a valid table without entries. */
struct vc4vk_binding_table {
    int32_t block_B;   /* pool offset of the block's bottom, < 0 */
    uint16_t offset_B; /* in the block */
    uint16_t count;    /* entries */
};

/* Where a command buffer's tables (and the states of its dynamic buffers) come from. Not thread safe, like the command
 * buffer. Blocks go back on reset: only when nothing recorded is in flight any more. */
struct vc4vk_table_writer {
    struct vc4vk_state_pool *pool;
    struct vc4vk_state_stream tables; /* on the back */
    struct vc4vk_state_stream states; /* surface states with dynamic offsets, on the front */
};

/* What is bound to a bind point: one per set number. */
struct vc4vk_bound_set {
    const struct vc4vk_set *set;     /* NULL: nothing */
    const uint32_t *dynamic_offsets; /* set->layout->dynamic_count */
};

VkResult vc4vk_table_writer_init(struct vc4vk_table_writer *writer, struct vc4vk_device *device);
/* Gives everything back. A zeroed writer is accepted. */
void vc4vk_table_writer_finish(struct vc4vk_table_writer *writer);
/* As finish, but may be used again. */
void vc4vk_table_writer_reset(struct vc4vk_table_writer *writer);

/* A surface state of the writer's own, until it is reset. VK_ERROR_OUT_OF_DEVICE_MEMORY when the pool is full. */
VkResult vc4vk_table_writer_take_state(struct vc4vk_table_writer *writer, int32_t *offset_B_out);

/* Writes a table with one entry per slot. Unbound sets give null states. VK_ERROR_OUT_OF_DEVICE_MEMORY when the pool is
 * full, or the table would not fit a block. */
VkResult vc4vk_binding_table_write(struct vc4vk_table_writer *writer, const struct vc4vk_table_slot *slots,
                                   uint32_t slot_count, const struct vc4vk_bound_set *sets, uint32_t set_count,
                                   struct vc4vk_binding_table *out);

/* The same for slots that `previous` was written for, when only the sets with a bit in `changed_sets` are others now:
 * what the rest names is copied, and where no slot reads a changed set the table stays as it is. `out` may be
 * `previous`. */
#define VC4VK_ALL_SETS UINT32_MAX
VkResult vc4vk_binding_table_update(struct vc4vk_table_writer *writer, const struct vc4vk_table_slot *slots,
                                    uint32_t slot_count, const struct vc4vk_bound_set *sets, uint32_t set_count,
                                    uint32_t changed_sets, const struct vc4vk_binding_table *previous,
                                    struct vc4vk_binding_table *out);

/* The surface state behind an entry; never NULL (the null state when the index is past the end). */
const struct vc4vk_surface_state *vc4vk_binding_table_resolve(const struct vc4vk_state_pool *pool,
                                                              const struct vc4vk_binding_table *table, uint32_t index);

/* Overwrites an entry with another surface state (tests: between recording and submission). */
void vc4vk_binding_table_poke(const struct vc4vk_state_pool *pool, const struct vc4vk_binding_table *table,
                              uint32_t index, int32_t state_offset_B);

/* The device's state pool: lives in its opaque slot, made on first use. */
VkResult vc4vk_device_state_pool(struct vc4vk_device *device, struct vc4vk_state_pool **out);

/* Test hook (VC4VK_DEBUG=test-hooks): overwrites every table entry that names the view `from` by one that names `to`.
 * Returns how many there were. Nothing is being recorded meanwhile. */
uint32_t vc4vk_test_swap_view(VkDevice device, VkImageView from, VkImageView to);

#endif
