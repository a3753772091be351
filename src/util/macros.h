/* SPDX-License-Identifier: MIT
 *
 * Small helpers that C lacks: array sizes, containers, alignment, rounding, attributes.
 */
#ifndef UTIL_MACROS_H
#define UTIL_MACROS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN2(a, b)    ((a) < (b) ? (a) : (b))
#define MAX2(a, b)    ((a) > (b) ? (a) : (b))
#define CLAMP(x, lo, hi) ((x) < (lo) ? (lo) : (x) > (hi) ? (hi) : (x))
#define BIT(n)        (1u << (n))
#define BIT64(n)      (UINT64_C(1) << (n))

/* Index of the lowest set bit; mask is not 0. */
static inline uint32_t util_lowest_bit(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))

#define UTIL_MUST_CHECK      __attribute__((warn_unused_result))
#define UTIL_PRINTF(fmt, va) __attribute__((format(printf, fmt, va)))
#define UTIL_NORETURN        __attribute__((noreturn))
/* Excludes a function from ThreadSanitizer: for reads that race by design, with the reason in a comment. */
#define UTIL_NO_TSAN         __attribute__((no_sanitize("thread"), noinline))
/* Excludes a function from AddressSanitizer: for whole pages, which hold more than the block that was given. */
#define UTIL_NO_ASAN         __attribute__((no_sanitize("address"), noinline))
#define UTIL_LIKELY(x)       __builtin_expect(!!(x), 1)
#define UTIL_UNLIKELY(x)     __builtin_expect(!!(x), 0)
#define util_unreachable(why) (assert(!(why)), __builtin_unreachable())

/* 1 for the name of a macro that is defined as 1, else 0: for guards that headers define, such as VK_KHR_swapchain. */
#define UTIL_IS_ONE(guard)                     UTIL_IS_ONE_EXPANDED(guard)
#define UTIL_IS_ONE_EXPANDED(value)            UTIL_IS_ONE_CHOOSE(UTIL_IS_ONE_##value)
#define UTIL_IS_ONE_CHOOSE(prefix)             UTIL_IS_ONE_SECOND(prefix 1, 0, 0)
#define UTIL_IS_ONE_SECOND(first, second, ...) second
#define UTIL_IS_ONE_1                          0,

/* `to` is a power of two. */
static inline uint32_t util_align(uint32_t x, uint32_t to)
{
    return (x + to - 1) & ~(to - 1);
}

static inline uint64_t util_align64(uint64_t x, uint64_t to)
{
    return (x + to - 1) & ~(to - 1);
}

static inline uint32_t util_div_round_up(uint32_t a, uint32_t b)
{
    return a / b + (a % b != 0);
}

static inline bool util_is_pow2(uint64_t x)
{
    return x && !(x & (x - 1));
}

/* Smallest power of two >= x; 1 for 0. */
static inline uint32_t util_next_pow2(uint32_t x)
{
    return x <= 1 ? 1u : 1u << (32 - __builtin_clz(x - 1));
}

/* floor(log2(x)), x > 0. */
static inline uint32_t util_log2(uint32_t x)
{
    assert(x);
    return 31 - (uint32_t)__builtin_clz(x);
}

/* The size of a level of mipmaps. `level` may be any number that an application passes. */
static inline uint32_t util_minify(uint32_t size, uint32_t level)
{
    return level < 32 ? MAX2(size >> level, 1u) : 1;
}

/* The bits of a float, and back. */
static inline uint32_t util_fui(float f)
{
    uint32_t u;
    __builtin_memcpy(&u, &f, sizeof u);
    return u;
}

static inline float util_uif(uint32_t u)
{
    float f;
    __builtin_memcpy(&f, &u, sizeof f);
    return f;
}

#endif
