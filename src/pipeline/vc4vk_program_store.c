/* SPDX-License-Identifier: MIT
 *
 * Program stores: a hash table of compiler results, and its serialisation for pipeline cache data.
 */
#include "pipeline/vc4vk_program_store.h"
#include <string.h>

/* ---------------------------------------------------------------- create and unref */

struct vc4vk_program_store *vc4vk_program_store_create(struct vc4vk_device *device)
{
    struct vc4vk_program_store *store =
        vc4vk_new(VC4VK_ALLOC_INTERNAL, struct vc4vk_program_store, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!store)
        return NULL;
    atomic_init(&store->refs, 1);
    vc4vk_util_alloc_init(&store->alloc, VC4VK_ALLOC_INTERNAL, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    pthread_mutex_init(&store->lock, NULL);
    util_hash_table_init(&store->entries, &store->alloc.base);
    return store;
}

void vc4vk_program_store_unref(struct vc4vk_program_store *store)
{
    if (!store || atomic_fetch_sub_explicit(&store->refs, 1, memory_order_acq_rel) != 1)
        return;
    const VkAllocationCallbacks *callbacks = store->alloc.callbacks;
    util_hash_table_for_each(slot, &store->entries)
    {
        for (struct vc4vk_store_entry *entry = slot->value, *replaced; entry; entry = replaced) {
            replaced = entry->replaced;
            vc4vk_program_unref(atomic_load(&entry->program));
            util_alloc_put(&store->alloc.base, entry);
        }
    }
    util_hash_table_finish(&store->entries);
    pthread_mutex_destroy(&store->lock);
    vc4vk_free(callbacks, store);
}

/* ---------------------------------------------------------------- entries */

struct vc4vk_store_entry *vc4vk_program_store_find(struct vc4vk_program_store *store, const void *key, size_t key_B)
{
    pthread_mutex_lock(&store->lock);
    struct vc4vk_store_entry *entry = util_hash_table_lookup(&store->entries, key, key_B);
    pthread_mutex_unlock(&store->lock);
    return entry;
}

/* Whether freshly compiled data must replace the entry: it differs, and the entry has not produced a program. */
static bool must_replace(const struct vc4vk_store_entry *entry, const void *data, size_t data_B)
{
    return !atomic_load(&entry->program) && (entry->data_B != data_B || memcmp(entry->data, data, data_B));
}

static bool add_locked(struct vc4vk_program_store *store, const void *key, size_t key_B, const void *data,
                       size_t data_B, struct vc4vk_program *program, bool replaces)
{
    struct vc4vk_store_entry *there = util_hash_table_lookup(&store->entries, key, key_B);
    if (there && !(replaces && must_replace(there, data, data_B)))
        return true;
    struct vc4vk_store_entry *entry = util_alloc_get(&store->alloc.base, sizeof *entry + data_B);
    if (!entry)
        return false;
    if (!util_hash_table_insert(&store->entries, key, key_B, entry)) {
        util_alloc_put(&store->alloc.base, entry);
        return false;
    }
    atomic_init(&entry->program, program ? vc4vk_program_ref(program) : NULL);
    entry->replaced = there;
    entry->data_B = (uint32_t)data_B;
    memcpy(entry->data, data, data_B);
    return true;
}

void vc4vk_program_store_add(struct vc4vk_program_store *store, const void *key, size_t key_B, const void *data,
                             size_t data_B, struct vc4vk_program *program)
{
    pthread_mutex_lock(&store->lock);
    add_locked(store, key, key_B, data, data_B, program, true);
    pthread_mutex_unlock(&store->lock);
}

void vc4vk_store_entry_set(struct vc4vk_store_entry *entry, struct vc4vk_program *program)
{
    struct vc4vk_program *none = NULL;
    vc4vk_program_ref(program);
    if (!atomic_compare_exchange_strong(&entry->program, &none, program))
        vc4vk_program_unref(program);
}

bool vc4vk_program_store_merge(struct vc4vk_program_store *to, struct vc4vk_program_store *from)
{
    if (from == to)
        return true;
    struct vc4vk_program_store *first = from < to ? from : to, *second = from < to ? to : from;
    bool good = true;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    util_hash_table_for_each(slot, &from->entries)
    {
        struct vc4vk_store_entry *entry = slot->value;
        good &= add_locked(to, slot->key, slot->key_B, entry->data, entry->data_B, atomic_load(&entry->program), false);
    }
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
    return good;
}

/* ---------------------------------------------------------------- serialisation */

/* Header of a row; the key and the data follow. Rows are consecutive, without padding. */
struct row {
    uint32_t key_B, data_B;
    uint64_t sum; /* checksum of the sizes, the key and the data */
};

static uint64_t sum_of(const void *key, size_t key_B, const void *data, size_t data_B)
{
    return util_hash_bytes(data, data_B, util_hash_bytes(key, key_B, key_B ^ (uint64_t)data_B << 32));
}

static size_t row_size_B(const struct util_hash_entry *slot)
{
    const struct vc4vk_store_entry *entry = slot->value;
    return sizeof(struct row) + slot->key_B + entry->data_B;
}

static void write_row(uint8_t *to, const struct util_hash_entry *slot)
{
    const struct vc4vk_store_entry *entry = slot->value;
    struct row row = {(uint32_t)slot->key_B, entry->data_B, sum_of(slot->key, slot->key_B, entry->data, entry->data_B)};
    memcpy(to, &row, sizeof row);
    memcpy(to + sizeof row, slot->key, slot->key_B);
    memcpy(to + sizeof row + slot->key_B, entry->data, entry->data_B);
}

bool vc4vk_program_store_write(struct vc4vk_program_store *store, void *out, size_t *size_B)
{
    size_t capacity_B = out ? *size_B : SIZE_MAX, at_B = 0;
    bool all = true;
    pthread_mutex_lock(&store->lock);
    util_hash_table_for_each(slot, &store->entries)
    {
        size_t row_B = row_size_B(slot);
        if (row_B > capacity_B - at_B) {
            all = false;
            break;
        }
        if (out)
            write_row((uint8_t *)out + at_B, slot);
        at_B += row_B;
    }
    pthread_mutex_unlock(&store->lock);
    *size_B = at_B;
    return all;
}

void vc4vk_program_store_read(struct vc4vk_program_store *store, const void *bytes, size_t size_B)
{
    const uint8_t *at = bytes;
    struct row row;
    while (size_B >= sizeof row) {
        memcpy(&row, at, sizeof row);
        size_B -= sizeof row;
        const uint8_t *key = at + sizeof row, *data = key + row.key_B;
        if (row.key_B > size_B || row.data_B > size_B - row.key_B ||
            row.sum != sum_of(key, row.key_B, data, row.data_B))
            return;
        pthread_mutex_lock(&store->lock);
        add_locked(store, key, row.key_B, data, row.data_B, NULL, false);
        pthread_mutex_unlock(&store->lock);
        size_B -= row.key_B + row.data_B;
        at = data + row.data_B;
    }
}
