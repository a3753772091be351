/* SPDX-License-Identifier: MIT
 *
 * Random numbers and the lines of the log.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "ioctls.h"

/* -- random numbers: splitmix64 -- */

static uint64_t rng;

static uint64_t next(void)
{
    uint64_t z = rng += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void rng_start(uint64_t seed, uint32_t episode, uint32_t call_index)
{
    rng = seed;
    rng = next() ^ ((uint64_t)episode << 32 | call_index);
    rng = next();
}

uint32_t rnd32(void)
{
    return (uint32_t)(next() >> 32);
}

uint32_t rnd(uint32_t below)
{
    return (uint32_t)((uint64_t)rnd32() * below >> 32);
}

bool chance(uint32_t percent)
{
    return rnd(100) < percent;
}

/* -- lines -- */

static struct {
    char text[2048];
    size_t length;
    char name[32], kind[96], args[1024], outs[512], result[16];
    size_t arg_length, out_length;
    uint32_t episode, index;
} line;

static void append(char *to, size_t size_B, size_t *length, const char *fmt, va_list va)
{
    if (*length)
        *length += (size_t)snprintf(to + *length, size_B - *length, " ");
    *length += (size_t)vsnprintf(to + *length, size_B - *length, fmt, va);
    if (*length >= size_B)
        *length = size_B - 1;
}

void line_episode(uint32_t episode)
{
    line.episode = episode;
    line.index = 0;
}

void line_begin(const char *name, const char *kind)
{
    snprintf(line.name, sizeof line.name, "%s", name);
    snprintf(line.kind, sizeof line.kind, "%s", kind);
    line.args[0] = line.outs[0] = 0;
    line.arg_length = line.out_length = 0;
    strcpy(line.result, "-");
}

void line_kind(const char *kind)
{
    size_t length = strlen(line.kind);
    snprintf(line.kind + length, sizeof line.kind - length, ",%s", kind);
}

void line_arg(const char *fmt, ...)
{
    va_list va;
    va_start(va, fmt);
    append(line.args, sizeof line.args, &line.arg_length, fmt, va);
    va_end(va);
}

void line_out(const char *fmt, ...)
{
    va_list va;
    va_start(va, fmt);
    append(line.outs, sizeof line.outs, &line.out_length, fmt, va);
    va_end(va);
}

void line_result(int err)
{
    static const struct {
        int value;
        const char *name;
    } names[] = {
#define E(name) {name, #name}
        E(EPERM),     E(ENOENT),   E(EINTR),     E(EIO),    E(EBADF),  E(EAGAIN),     E(ENOMEM),
        E(EACCES),    E(EFAULT),   E(EBUSY),     E(EEXIST), E(EXDEV),  E(ENODEV),     E(EINVAL),
        E(ENOTTY),    E(ENOSPC),   E(EOVERFLOW), E(ENXIO),  E(ENOSYS), E(EOPNOTSUPP), E(ETIME),
        E(ETIMEDOUT), E(EALREADY), E(EDEADLK),   E(ESPIPE), E(E2BIG),  E(ECANCELED),
#undef E
    };
    snprintf(line.result, sizeof line.result, "%d", err);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (names[i].value == err)
            snprintf(line.result, sizeof line.result, "%s", names[i].name);
}

void line_end(void)
{
    printf("%u.%03u %s %s {%s} = %s {%s}\n", line.episode, line.index++, line.name, line.kind, line.args, line.result,
           line.outs);
}

void line_flush(void)
{
    fflush(stdout);
}

/* FNV-1a over words. */
uint32_t digest(const void *data, size_t size_B)
{
    const uint8_t *bytes = data;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i + 4 <= size_B; i += 4) {
        uint32_t word;
        memcpy(&word, bytes + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    }
    return (uint32_t)(hash ^ hash >> 32);
}
