/* SPDX-License-Identifier: MIT
 *
 * Open addressing with linear probing, at most three quarters full. Removal moves later entries of the same probe
 * sequence back instead of leaving a tombstone.
 */
#include <string.h>
#define XXH_INLINE_ALL /* static functions: nothing of the library is linked */
#include <xxhash.h>
#include "util/hash.h"

uint64_t util_hash_bytes(const void *data, size_t size_B, uint64_t seed)
{
    return XXH64(data, size_B, seed);
}

void util_hash_table_init(struct util_hash_table *table, const struct util_alloc *alloc)
{
    *table = (struct util_hash_table){.alloc = alloc};
}

void util_hash_table_finish(struct util_hash_table *table)
{
    util_hash_table_for_each(entry, table)
        util_alloc_put(table->alloc, entry->key);
    util_alloc_put(table->alloc, table->slots);
    util_hash_table_init(table, table->alloc);
}

/* The slot that holds the key, or the free slot where it would go. The table is never full. */
static struct util_hash_entry *find(const struct util_hash_table *table, uint64_t hash, const void *key, size_t key_B)
{
    for (uint32_t i = (uint32_t)hash;; i++) {
        struct util_hash_entry *e = &table->slots[i & (table->slot_count - 1)];
        if (!e->key || (e->hash == hash && e->key_B == key_B && !memcmp(e->key, key, key_B)))
            return e;
    }
}

void *util_hash_table_lookup(const struct util_hash_table *table, const void *key, size_t key_B)
{
    if (!table->count)
        return NULL;
    struct util_hash_entry *e = find(table, util_hash_bytes(key, key_B, 0), key, key_B);
    return e->key ? e->value : NULL;
}

static bool grow(struct util_hash_table *table)
{
    uint32_t slot_count = table->slot_count ? table->slot_count * 2 : 16;
    struct util_hash_entry *slots = util_alloc_get(table->alloc, slot_count * sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0, slot_count * sizeof *slots);
    struct util_hash_table bigger = {
        .alloc = table->alloc, .slots = slots, .slot_count = slot_count, .count = table->count};
    util_hash_table_for_each(entry, table)
        *find(&bigger, entry->hash, entry->key, entry->key_B) = *entry;
    util_alloc_put(table->alloc, table->slots);
    *table = bigger;
    return true;
}

bool util_hash_table_insert(struct util_hash_table *table, const void *key, size_t key_B, void *value)
{
    if ((table->count + 1) * 4 > table->slot_count * 3 && !grow(table))
        return false;
    uint64_t hash = util_hash_bytes(key, key_B, 0);
    struct util_hash_entry *e = find(table, hash, key, key_B);
    if (!e->key) {
        void *copy = util_alloc_get(table->alloc, MAX2(key_B, (size_t)1));
        if (!copy)
            return false;
        memcpy(copy, key, key_B);
        *e = (struct util_hash_entry){.hash = hash, .key = copy, .key_B = key_B};
        table->count++;
    }
    e->value = value;
    return true;
}

void *util_hash_table_remove(struct util_hash_table *table, const void *key, size_t key_B)
{
    if (!table->count)
        return NULL;
    struct util_hash_entry *e = find(table, util_hash_bytes(key, key_B, 0), key, key_B);
    if (!e->key)
        return NULL;
    void *value = e->value;
    util_alloc_put(table->alloc, e->key);
    table->count--;

    uint32_t mask = table->slot_count - 1;
    uint32_t hole = (uint32_t)(e - table->slots);
    for (uint32_t i = (hole + 1) & mask; table->slots[i].key; i = (i + 1) & mask) {
        uint32_t home = (uint32_t)table->slots[i].hash & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            table->slots[hole] = table->slots[i];
            hole = i;
        }
    }
    table->slots[hole] = (struct util_hash_entry){0};
    return value;
}
