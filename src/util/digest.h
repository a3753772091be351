/* SPDX-License-Identifier: MIT
 *
 * The digest by which contents are named where a name is trusted: two contents that somebody has made to have the same
 * util_hash_bytes() are easy to find, two with the same digest are not. SHA-256, from libmd.
 */
#ifndef UTIL_DIGEST_H
#define UTIL_DIGEST_H

#include "util/macros.h"

#define UTIL_DIGEST_B 32

struct util_digest {
    uint8_t bytes[UTIL_DIGEST_B];
};

struct util_digest util_digest_bytes(const void *data, size_t size_B);
/* Of two ranges, one behind the other. */
struct util_digest util_digest_two(const void *a, size_t a_B, const void *b, size_t b_B);

#endif
