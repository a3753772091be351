/* SPDX-License-Identifier: MIT
 *
 * SHA-256, from libmd. Use it where equal digests are taken as equal contents: collisions of util_hash_bytes() are easy
 * to construct on purpose, collisions of this digest are not.
 */
#ifndef UTIL_DIGEST_H
#define UTIL_DIGEST_H

#include "util/macros.h"

#define UTIL_DIGEST_B 32

struct util_digest {
    uint8_t bytes[UTIL_DIGEST_B];
};

struct util_digest util_digest_bytes(const void *data, size_t size_B);
/* The digest of two ranges concatenated. */
struct util_digest util_digest_two(const void *a, size_t a_B, const void *b, size_t b_B);

#endif
