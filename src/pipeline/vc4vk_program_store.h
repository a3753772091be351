/* SPDX-License-Identifier: MIT
 *
 * Program stores: the contents of pipeline caches. A store maps keys (everything that determines a compiler result) to
 * the serialised results, and to the programs created from them.
 *
 * The application may destroy a pipeline cache while pipelines created with it still exist and compile more variants.
 * Stores are therefore reference-counted and pipelines hold a reference. Entries are immutable except for their
 * program, which is set once. Replaced entries are kept, so a pointer to an entry stays valid as long as the store.
 * Thread safe.
 */
#ifndef UTIL_PROGRAM_STORE_H
#define UTIL_PROGRAM_STORE_H

#include <pthread.h>
#include "pipeline/vc4vk_program.h"
#include "util/hash.h"

struct vc4vk_store_entry {
    _Atomic(struct vc4vk_program *) program; /* one reference; NULL: not created yet, or the entry is an interface */
    struct vc4vk_store_entry *replaced;      /* the entry that this one replaced, or NULL */
    uint32_t data_B;
    uint8_t data[];
};

struct vc4vk_program_store {
    _Atomic uint32_t refs;
    struct vc4vk_util_alloc alloc; /* the device's callbacks */
    pthread_mutex_t lock;
    struct util_hash_table entries; /* of struct vc4vk_store_entry; guarded by `lock` */
};

/* NULL: out of memory. */
struct vc4vk_program_store *vc4vk_program_store_create(struct vc4vk_device *device);
static inline struct vc4vk_program_store *vc4vk_program_store_ref(struct vc4vk_program_store *store)
{
    if (store)
        atomic_fetch_add_explicit(&store->refs, 1, memory_order_relaxed);
    return store;
}
void vc4vk_program_store_unref(struct vc4vk_program_store *store); /* NULL is accepted */

/* NULL when there is no such entry. */
struct vc4vk_store_entry *vc4vk_program_store_find(struct vc4vk_program_store *store, const void *key, size_t key_B);

/* Adds a compiled result; the store takes its own reference to `program` (may be NULL). An existing entry with
 * different data and without a program was damaged or forged in the application's cache data: it is replaced. When out
 * of memory nothing is added. */
void vc4vk_program_store_add(struct vc4vk_program_store *store, const void *key, size_t key_B, const void *data,
                             size_t data_B, struct vc4vk_program *program);

/* Sets the entry's program unless it already has one; the store takes a reference. */
void vc4vk_store_entry_set(struct vc4vk_store_entry *entry, struct vc4vk_program *program);

/* Copies all entries that `to` does not have. False: out of memory. */
bool vc4vk_program_store_merge(struct vc4vk_program_store *to, struct vc4vk_program_store *from);

/* Serialises the store: one row per entry, each with a checksum. Writes as many whole rows as fit into *size_B bytes
 * and sets *size_B to the size written. With `out` NULL, sets it to the size of all rows. False when some rows did not
 * fit. */
bool vc4vk_program_store_write(struct vc4vk_program_store *store, void *out, size_t *size_B);
/* Reads all rows up to the first damaged one. */
void vc4vk_program_store_read(struct vc4vk_program_store *store, const void *bytes, size_t size_B);

#endif
