/* SPDX-License-Identifier: MIT
 *
 * Binding tables: snapshots of a draw's descriptors, taken when the draw is recorded.
 *
 * A table is an array of 32-bit entries in a block on the back of the block pool. It is identified by the block and a
 * 16-bit offset in the block. An entry is the distance from the block's lowest byte to the surface state, so it is only
 * valid relative to its block. The entry that leads to pool offset 0 names the null state.
 *
 * The pipeline lists the descriptors that its programs read (struct vc4vk_table_slot). A table holds exactly those
 * entries, in that order. Tables are written during recording; uniforms are resolved through them when a job is issued.
 */
#ifndef DESCRIPTOR_VC4VK_BINDING_TABLE_H
#define DESCRIPTOR_VC4VK_BINDING_TABLE_H

#include "descriptor/vc4vk_descriptor_set.h"
#include "descriptor/vc4vk_surface_state.h"

struct vc4vk_device;

/* Describes one entry of a pipeline's tables. Initialised by vc4vk_table_slot_init. */
struct vc4vk_table_slot {
    uint8_t set;
    uint8_t part;     /* enum vc4vk_entry_part */
    uint16_t dynamic; /* index among the set's dynamic offsets, 0xffff: none */
    uint32_t entry;   /* index in the set's entries, or VC4VK_ARRAY_ENTRY and an array in memory of the set */
};

/* False when the set layout has no such binding, element or part. */
bool vc4vk_table_slot_init(struct vc4vk_table_slot *slot, const struct vc4vk_set_layout *layout, uint32_t set,
                           uint32_t binding, uint32_t element, enum vc4vk_entry_part part) UTIL_MUST_CHECK;

#define VC4VK_TABLE_BLOCK_B   32768u /* offsets in a block fit 16 bits */
#define VC4VK_TABLE_MAX_SLOTS ((VC4VK_TABLE_BLOCK_B - VC4VK_STREAM_FIRST_B) / 4)

/* A recorded table. All zero is a valid table without entries. */
struct vc4vk_binding_table {
    int32_t block_B;   /* pool offset of the block's lowest byte, < 0 */
    uint16_t offset_B; /* in the block */
    uint16_t count;    /* entries */
};

/* Allocates a command buffer's tables and its surface states with dynamic offsets. Like the command buffer, it is not
 * thread safe. A reset frees the blocks, so it is only allowed when nothing recorded is in flight any more. */
struct vc4vk_table_writer {
    struct vc4vk_state_pool *pool;
    struct vc4vk_state_stream tables; /* on the back of the block pool */
    struct vc4vk_state_stream states; /* surface states with dynamic offsets, on the front */
};

/* A set bound to a bind point; arrays of these are indexed by set number. */
struct vc4vk_bound_set {
    const struct vc4vk_set *set;     /* NULL: nothing is bound */
    const uint32_t *dynamic_offsets; /* set->layout->dynamic_count of them */
};

VkResult vc4vk_table_writer_init(struct vc4vk_table_writer *writer, struct vc4vk_device *device);
/* Frees everything. A zeroed writer is accepted. */
void vc4vk_table_writer_finish(struct vc4vk_table_writer *writer);
/* Frees everything; the writer may be used again. */
void vc4vk_table_writer_reset(struct vc4vk_table_writer *writer);

/* Allocates a surface state that lives until the writer is reset. VK_ERROR_OUT_OF_DEVICE_MEMORY when the pool is full.
 */
VkResult vc4vk_table_writer_take_state(struct vc4vk_table_writer *writer, int32_t *offset_B_out);

/* Writes a table with one entry per slot. Slots of unbound sets name the null state. VK_ERROR_OUT_OF_DEVICE_MEMORY when
 * the pool is full or the table does not fit a block. */
VkResult vc4vk_binding_table_write(struct vc4vk_table_writer *writer, const struct vc4vk_table_slot *slots,
                                   uint32_t slot_count, const struct vc4vk_bound_set *sets, uint32_t set_count,
                                   struct vc4vk_binding_table *out);

/* As vc4vk_binding_table_write, when `previous` was written for the same slots and only the sets with a bit in
 * `changed_sets` have changed since: entries of the other sets are copied. If no slot reads a changed set, `previous`
 * is reused. `out` may be `previous`. */
#define VC4VK_ALL_SETS UINT32_MAX
VkResult vc4vk_binding_table_update(struct vc4vk_table_writer *writer, const struct vc4vk_table_slot *slots,
                                    uint32_t slot_count, const struct vc4vk_bound_set *sets, uint32_t set_count,
                                    uint32_t changed_sets, const struct vc4vk_binding_table *previous,
                                    struct vc4vk_binding_table *out);

/* Writes a table for the slots `to` with the entries that the table `from`, which was written for the slots
 * `from_slots`, has for them. VK_ERROR_UNKNOWN if a slot is not among these; else as vc4vk_binding_table_write. */
VkResult vc4vk_binding_table_rearrange(struct vc4vk_table_writer *writer, const struct vc4vk_binding_table *from,
                                       const struct vc4vk_table_slot *from_slots, const struct vc4vk_table_slot *to,
                                       uint32_t to_count, struct vc4vk_binding_table *out);

/* The surface state that an entry names. Never NULL: an index past the end gives the null state. */
const struct vc4vk_surface_state *vc4vk_binding_table_resolve(const struct vc4vk_state_pool *pool,
                                                              const struct vc4vk_binding_table *table, uint32_t index);

/* Overwrites an entry with another surface state (tests: between recording and submission). */
void vc4vk_binding_table_poke(const struct vc4vk_state_pool *pool, const struct vc4vk_binding_table *table,
                              uint32_t index, int32_t state_offset_B);

/* The device's state pool: kept in its opaque slot, created on first use. */
VkResult vc4vk_device_state_pool(struct vc4vk_device *device, struct vc4vk_state_pool **out);

/* Test hook (VC4VK_DEBUG=test-hooks): makes every table entry that names the view `from` name `to` instead. Returns the
 * number of changed entries. Nothing may be recorded meanwhile. */
uint32_t vc4vk_test_swap_view(VkDevice device, VkImageView from, VkImageView to);

#endif
