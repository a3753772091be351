/* SPDX-License-Identifier: MIT
 *
 * Hashing of bytes, and a hash table from byte keys to pointers. Keys are copied into the table. Not thread safe.
 */
#ifndef UTIL_HASH_H
#define UTIL_HASH_H

#include "util/alloc.h"

/* XXH64 of a range: equal on all machines. Not cryptographic: collisions for all seeds are easy to make. */
uint64_t util_hash_bytes(const void *data, size_t size_B, uint64_t seed);

struct util_hash_entry {
    uint64_t hash;
    void *key;      /* owned copy; NULL = free slot */
    size_t key_B;
    void *value;    /* not owned */
};

struct util_hash_table {
    const struct util_alloc *alloc;
    struct util_hash_entry *slots;
    uint32_t slot_count; /* power of two, or 0 */
    uint32_t count;
};

void util_hash_table_init(struct util_hash_table *table, const struct util_alloc *alloc);
void util_hash_table_finish(struct util_hash_table *table);

/* The value, or NULL when the key is unknown. */
void *util_hash_table_lookup(const struct util_hash_table *table, const void *key, size_t key_B);

/* Adds or replaces. False when out of memory: the table is then unchanged. */
bool util_hash_table_insert(struct util_hash_table *table, const void *key, size_t key_B, void *value) UTIL_MUST_CHECK;

/* The removed value, or NULL. */
void *util_hash_table_remove(struct util_hash_table *table, const void *key, size_t key_B);

#define util_hash_table_for_each(entry, table)                                                                         \
    for (struct util_hash_entry *entry = (table)->slots; entry < (table)->slots + (table)->slot_count; entry++)        \
        if (entry->key)

#endif
