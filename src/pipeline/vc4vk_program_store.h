/* SPDX-License-Identifier: MIT
 *
 * Stores: what is inside a pipeline cache. Results of the compiler as bytes by what decides them (the key), and beside
 * the bytes the program once there is one.
 *
 * The application may destroy its cache while pipelines made with it live on and compile more variants: so stores are
 * counted, and pipelines keep theirs. Entries never change but for their program, which is set once, and one that was
 * replaced is kept: a pointer to one is good while the store is. Thread safe.
 */
#ifndef UTIL_PROGRAM_STORE_H
#define UTIL_PROGRAM_STORE_H

#include <pthread.h>
#include "pipeline/vc4vk_program.h"
#include "util/hash.h"

struct vc4vk_store_entry {
    _Atomic(struct vc4vk_program *) program; /* one reference; NULL: nobody asked for it yet, or no program */
    struct vc4vk_store_entry *replaced;      /* the one that was in its place, or NULL */
    uint32_t data_B;
    uint8_t data[];
};

struct vc4vk_program_store {
    _Atomic uint32_t refs;
    struct vc4vk_util_alloc alloc; /* the device's callbacks */
    pthread_mutex_t lock;
    struct util_hash_table entries; /* of struct vc4vk_store_entry; under the lock */
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

/* The entry, or NULL. */
struct vc4vk_store_entry *vc4vk_program_store_find(struct vc4vk_program_store *store, const void *key, size_t key_B);

/* Adds what was compiled; a program gets a reference of the store's. An entry with other data, which the application
 * handed in damaged or forged, and which has made no program, is replaced. A store out of memory forgets. */
void vc4vk_program_store_add(struct vc4vk_program_store *store, const void *key, size_t key_B, const void *data,
                             size_t data_B, struct vc4vk_program *program);

/* The entry's program becomes this one (with a reference of the store's), unless it has one. */
void vc4vk_store_entry_set(struct vc4vk_store_entry *entry, struct vc4vk_program *program);

/* Everything of the other store that this one does not have. False: out of memory. */
bool vc4vk_program_store_merge(struct vc4vk_program_store *to, struct vc4vk_program_store *from);

/* As bytes: a row per entry, each with a sum of its own. Writes as many whole rows as fit into *size_B, and sets it to
 * what was written; with `out` NULL, to what all would take. False when some did not fit. */
bool vc4vk_program_store_write(struct vc4vk_program_store *store, void *out, size_t *size_B);
/* Takes all rows up to the first that is damaged. */
void vc4vk_program_store_read(struct vc4vk_program_store *store, const void *bytes, size_t size_B);

#endif
