/* SPDX-License-Identifier: MIT
 *
 * Bit sets over arrays of 64-bit words that the caller owns.
 */
#ifndef UTIL_BITSET_H
#define UTIL_BITSET_H

#include "util/macros.h"

#define UTIL_BITSET_WORDS(bits) (((bits) + 63) / 64)

static inline bool util_bitset_test(const uint64_t *set, uint32_t bit)
{
    return set[bit / 64] >> (bit % 64) & 1;
}

static inline void util_bitset_set(uint64_t *set, uint32_t bit)
{
    set[bit / 64] |= BIT64(bit % 64);
}

static inline void util_bitset_clear(uint64_t *set, uint32_t bit)
{
    set[bit / 64] &= ~BIT64(bit % 64);
}

/* dst |= src; returns whether dst changed. */
static inline bool util_bitset_or(uint64_t *dst, const uint64_t *src, uint32_t words)
{
    uint64_t changed = 0;
    for (uint32_t i = 0; i < words; i++) {
        changed |= src[i] & ~dst[i];
        dst[i] |= src[i];
    }
    return changed != 0;
}

/* First set bit at or after `from`, or `bits` when there is none. */
static inline uint32_t util_bitset_next(const uint64_t *set, uint32_t from, uint32_t bits)
{
    while (from < bits) {
        uint64_t word = set[from / 64] >> (from % 64);
        if (word)
            return MIN2(from + (uint32_t)__builtin_ctzll(word), bits);
        from = (from / 64 + 1) * 64;
    }
    return bits;
}

#define util_bitset_for_each(bit, set, bits)                                                                           \
    for (uint32_t bit = util_bitset_next(set, 0, bits); bit < (bits); bit = util_bitset_next(set, bit + 1, bits))

#endif
