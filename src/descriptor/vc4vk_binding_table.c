/* SPDX-License-Identifier: MIT
 *
 * Writes binding tables while commands are recorded and resolves their entries when jobs are issued.
 */
#include <string.h>
#include "descriptor/vc4vk_binding_table.h"
#include "descriptor/vc4vk_view.h"
#include "device/vc4vk_device.h"
#include "device/vc4vk_test_hooks.h"
#include "util/debug.h"

#define NO_DYNAMIC     0xffffu
#define STATES_BLOCK_B 4096u /* blocks of the stream of surface states with dynamic offsets */

bool vc4vk_table_slot_init(struct vc4vk_table_slot *slot, const struct vc4vk_set_layout *layout, uint32_t set,
                           uint32_t binding, uint32_t element, enum vc4vk_entry_part part)
{
    uint32_t dynamic = vc4vk_set_layout_dynamic(layout, binding, element);
    *slot = (struct vc4vk_table_slot){
        .set = (uint8_t)set,
        .part = (uint8_t)part,
        .dynamic = dynamic == VC4VK_NO_ENTRY ? NO_DYNAMIC : (uint16_t)dynamic,
        .entry = vc4vk_set_layout_entry(layout, binding, element, part),
    };
    return slot->entry != VC4VK_NO_ENTRY;
}

/* -- writer memory ------------------------------------------------------------------------------------------------ */

VkResult vc4vk_table_writer_init(struct vc4vk_table_writer *writer, struct vc4vk_device *device)
{
    *writer = (struct vc4vk_table_writer){0};
    VkResult result = vc4vk_device_state_pool(device, &writer->pool);
    vc4vk_state_stream_init(&writer->tables, writer->pool, VC4VK_POOL_BACK, VC4VK_TABLE_BLOCK_B);
    vc4vk_state_stream_init(&writer->states, writer->pool, VC4VK_POOL_FRONT, STATES_BLOCK_B);
    return result;
}

/* Clears tables before their blocks are freed, so that vc4vk_test_swap_view finds live entries only. */
static void wipe_tables(const struct vc4vk_state_stream *tables)
{
    int32_t block_B = tables->newest_B;
    for (uint32_t i = 0; i < tables->block_count; i++) {
        uint8_t *block = vc4vk_state_ptr(tables->pool, block_B);
        memset(block + VC4VK_STREAM_FIRST_B, 0, VC4VK_TABLE_BLOCK_B - VC4VK_STREAM_FIRST_B);
        block_B = vc4vk_free_list_next(&tables->pool->blocks, VC4VK_POOL_BACK, block_B);
    }
}

void vc4vk_table_writer_reset(struct vc4vk_table_writer *writer)
{
    if (util_debug(UTIL_DEBUG_TEST_HOOKS))
        wipe_tables(&writer->tables);
    vc4vk_state_stream_reset(&writer->tables);
    vc4vk_state_stream_reset(&writer->states);
}

void vc4vk_table_writer_finish(struct vc4vk_table_writer *writer)
{
    vc4vk_table_writer_reset(writer);
}

VkResult vc4vk_table_writer_take_state(struct vc4vk_table_writer *writer, int32_t *offset_B_out)
{
    uint32_t in_block_B;
    if (!vc4vk_state_stream_take(&writer->states, VC4VK_SURFACE_STATE_B, &in_block_B))
        return vc4vk_errorf(NULL, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                            "surface state of a command buffer: the block pool is full");
    *offset_B_out = writer->states.newest_B + (int32_t)in_block_B;
    return VK_SUCCESS;
}

/* -- writing ------------------------------------------------------------------------------------------------------ */

/* Replaces a buffer's surface state by a copy moved by the dynamic offset. The range keeps its size but is cut at the
 * end of the BO. */
static VkResult apply_dynamic_offset(struct vc4vk_table_writer *writer, uint32_t dynamic_offset_B, int32_t *offset_B)
{
    int32_t copy_B = 0;
    if (!dynamic_offset_B || !*offset_B)
        return VK_SUCCESS;
    VkResult result = vc4vk_table_writer_take_state(writer, &copy_B);
    if (result != VK_SUCCESS)
        return result;
    struct vc4vk_surface_state *state = vc4vk_state_ptr(writer->pool, copy_B);
    *state = *(const struct vc4vk_surface_state *)vc4vk_state_ptr(writer->pool, *offset_B);
    if (state->kind == VC4VK_STATE_BUFFER) {
        uint32_t end_B = state->buffer.bo->size_B;
        state->buffer.base_B = (uint32_t)MIN2((uint64_t)state->buffer.base_B + dynamic_offset_B, end_B);
        state->buffer.size_B = MIN2(state->buffer.size_B, end_B - state->buffer.base_B);
    }
    *offset_B = copy_B;
    return VK_SUCCESS;
}

static VkResult slot_state(struct vc4vk_table_writer *writer, const struct vc4vk_table_slot *slot,
                           const struct vc4vk_bound_set *sets, uint32_t set_count, int32_t *offset_B_out)
{
    const struct vc4vk_bound_set *bound = slot->set < set_count ? &sets[slot->set] : NULL;
    *offset_B_out = 0;
    if (!bound || !bound->set)
        return VK_SUCCESS;
    if (slot->entry >= bound->set->entry_count) {
        *offset_B_out = vc4vk_set_array_state(bound->set, slot->entry);
        return VK_SUCCESS;
    }
    *offset_B_out = bound->set->entries[slot->entry];
    if (slot->dynamic == NO_DYNAMIC || slot->dynamic >= bound->set->dynamic_count || !bound->dynamic_offsets)
        return VK_SUCCESS;
    return apply_dynamic_offset(writer, bound->dynamic_offsets[slot->dynamic], offset_B_out);
}

static uint32_t *entry_of(const struct vc4vk_state_pool *pool, const struct vc4vk_binding_table *table, uint32_t index)
{
    return (uint32_t *)vc4vk_state_ptr(pool, table->block_B + table->offset_B) + index;
}

static bool reads_changed_set(const struct vc4vk_table_slot *slots, uint32_t slot_count, uint32_t changed_sets)
{
    for (uint32_t i = 0; i < slot_count; i++)
        if (changed_sets >> slots[i].set & 1)
            return true;
    return false;
}

/* Memory for a table with so many entries. */
static VkResult take_table(struct vc4vk_table_writer *writer, uint32_t slot_count, struct vc4vk_binding_table *out)
{
    uint32_t in_block_B;
    if (slot_count > VC4VK_TABLE_MAX_SLOTS)
        return vc4vk_errorf(NULL, VK_ERROR_OUT_OF_DEVICE_MEMORY, "binding table of %u entries: a block holds only %u",
                            slot_count, (uint32_t)VC4VK_TABLE_MAX_SLOTS);
    if (!vc4vk_state_stream_take(&writer->tables, slot_count * 4, &in_block_B))
        return vc4vk_errorf(NULL, VK_ERROR_OUT_OF_DEVICE_MEMORY, "binding tables: the block pool is full");
    *out = (struct vc4vk_binding_table){writer->tables.newest_B, (uint16_t)in_block_B, (uint16_t)slot_count};
    return VK_SUCCESS;
}

VkResult vc4vk_binding_table_write(struct vc4vk_table_writer *writer, const struct vc4vk_table_slot *slots,
                                   uint32_t slot_count, const struct vc4vk_bound_set *sets, uint32_t set_count,
                                   struct vc4vk_binding_table *out)
{
    const struct vc4vk_binding_table none = {0};
    return vc4vk_binding_table_update(writer, slots, slot_count, sets, set_count, VC4VK_ALL_SETS, &none, out);
}

VkResult vc4vk_binding_table_update(struct vc4vk_table_writer *writer, const struct vc4vk_table_slot *slots,
                                    uint32_t slot_count, const struct vc4vk_bound_set *sets, uint32_t set_count,
                                    uint32_t changed_sets, const struct vc4vk_binding_table *previous,
                                    struct vc4vk_binding_table *out)
{
    const struct vc4vk_binding_table old = *previous; /* may be `out` */
    if (!reads_changed_set(slots, slot_count, changed_sets)) {
        *out = old;
        return VK_SUCCESS;
    }
    struct vc4vk_binding_table table;
    *out = (struct vc4vk_binding_table){0};
    VkResult result = take_table(writer, slot_count, &table);
    if (result != VK_SUCCESS)
        return result;
    const int32_t block_B = table.block_B;
    uint32_t *entries = entry_of(writer->pool, &table, 0);
    const uint32_t *old_entries = entry_of(writer->pool, &old, 0);
    for (uint32_t i = 0; i < slot_count; i++) {
        int32_t state_B;
        if (!(changed_sets >> slots[i].set & 1)) {
            entries[i] = old_entries[i] + (uint32_t)old.block_B - (uint32_t)block_B;
            continue;
        }
        result = slot_state(writer, &slots[i], sets, set_count, &state_B);
        if (result != VK_SUCCESS)
            return result;
        entries[i] = (uint32_t)(state_B - block_B);
    }
    *out = table;
    return VK_SUCCESS;
}

static bool is_same_slot(const struct vc4vk_table_slot *a, const struct vc4vk_table_slot *b)
{
    return a->set == b->set && a->part == b->part && a->dynamic == b->dynamic && a->entry == b->entry;
}

VkResult vc4vk_binding_table_rearrange(struct vc4vk_table_writer *writer, const struct vc4vk_binding_table *from,
                                       const struct vc4vk_table_slot *from_slots, const struct vc4vk_table_slot *to,
                                       uint32_t to_count, struct vc4vk_binding_table *out)
{
    struct vc4vk_binding_table table;
    *out = (struct vc4vk_binding_table){0};
    VkResult result = to_count ? take_table(writer, to_count, &table) : VK_SUCCESS;
    if (result != VK_SUCCESS || !to_count)
        return result;
    uint32_t *entries = entry_of(writer->pool, &table, 0);
    const uint32_t *old_entries = entry_of(writer->pool, from, 0);
    for (uint32_t i = 0; i < to_count; i++) {
        uint32_t at = 0;
        while (at < from->count && !is_same_slot(&from_slots[at], &to[i]))
            at++;
        if (at == from->count)
            return vc4vk_errorf(NULL, VK_ERROR_UNKNOWN, "binding table: there is no entry for set %u", to[i].set);
        entries[i] = old_entries[at] + (uint32_t)from->block_B - (uint32_t)table.block_B;
    }
    *out = table;
    return VK_SUCCESS;
}

/* -- resolving ---------------------------------------------------------------------------------------------------- */

const struct vc4vk_surface_state *vc4vk_binding_table_resolve(const struct vc4vk_state_pool *pool,
                                                              const struct vc4vk_binding_table *table, uint32_t index)
{
    if (index >= table->count)
        return vc4vk_state_ptr(pool, 0);
    return vc4vk_state_ptr(pool, table->block_B + (int32_t)*entry_of(pool, table, index));
}

void vc4vk_binding_table_poke(const struct vc4vk_state_pool *pool, const struct vc4vk_binding_table *table,
                              uint32_t index, int32_t state_offset_B)
{
    assert(index < table->count);
    *entry_of(pool, table, index) = (uint32_t)(state_offset_B - table->block_B);
}

/* -- test hook ---------------------------------------------------------------------------------------------------- */

uint32_t vc4vk_test_swap_view(VkDevice device, VkImageView from, VkImageView to)
{
    struct vc4vk_state_pool *pool = vc4vk_device_slot_peek(vc4vk_device_from_handle(device), VC4VK_SLOT_DESCRIPTOR);
    int32_t from_B = vc4vk_image_view_from_handle(from)->sampled.offset_B;
    int32_t to_B = vc4vk_image_view_from_handle(to)->sampled.offset_B;
    uint32_t changed = 0;
    int32_t lowest_B = -(int32_t)atomic_load(&pool->blocks.sides[VC4VK_POOL_BACK].next_B);
    for (int32_t block_B = lowest_B; block_B < 0; block_B += (int32_t)VC4VK_TABLE_BLOCK_B) {
        uint32_t *words = vc4vk_state_ptr(pool, block_B);
        for (uint32_t i = VC4VK_STREAM_FIRST_B / 4; i < VC4VK_TABLE_BLOCK_B / 4; i++) {
            if (words[i] != (uint32_t)(from_B - block_B))
                continue;
            words[i] = (uint32_t)(to_B - block_B);
            changed++;
        }
    }
    return changed;
}
VC4VK_TEST_HOOK(vc4vk_test_swap_view)
