/* SPDX-License-Identifier: MIT
 *
 * Allocation callbacks for host memory. The driver passes the application's VkAllocationCallbacks through; a NULL
 * struct util_alloc means the C library everywhere.
 */
#ifndef UTIL_ALLOC_H
#define UTIL_ALLOC_H

#include <stdlib.h>
#include "util/macros.h"

struct util_alloc {
    void *data;
    void *(*alloc)(void *data, size_t size_B, size_t align_B);
    void (*free)(void *data, void *ptr);
};

static inline void *util_alloc_get(const struct util_alloc *a, size_t size_B)
{
    return a ? a->alloc(a->data, size_B, _Alignof(max_align_t)) : malloc(size_B);
}

static inline void util_alloc_put(const struct util_alloc *a, void *ptr)
{
    if (a)
        a->free(a->data, ptr);
    else
        free(ptr);
}

#endif
