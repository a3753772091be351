/* SPDX-License-Identifier: MIT
 *
 * LD_PRELOAD: a program's own clock (gettimeofday and clock_gettime, as called by the program itself) that advances by
 * STILL_CLOCK_MS milliseconds, none by default, with every look at it. What it draws then depends on the number of its
 * frame alone. The libraries of the process have the real clock.
 */
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define EXPORT   __attribute__((visibility("default")))
#define BEGIN_MS 1000000

/* The program comes first in the list of what is loaded. */
static int is_in_program(struct dl_phdr_info *info, size_t size, void *address)
{
    const uintptr_t at = (uintptr_t)address;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && at >= begin && at - begin < info->dlpi_phdr[i].p_memsz)
            return 1;
    }
    return -1;
}

static bool is_program(void *caller)
{
    return dl_iterate_phdr(is_in_program, caller) == 1;
}

/* The kernel is asked: a sanitizer's runtime looks at the clock where it must not be called in turn, as dlsym() would. */
static int real_clock(clockid_t clock, struct timespec *out)
{
    return (int)syscall(SYS_clock_gettime, clock, out);
}

static uint64_t look_ms(void)
{
    static _Atomic uint64_t looks;
    const char *step = getenv("STILL_CLOCK_MS");
    return BEGIN_MS + looks++ * (step ? strtoul(step, NULL, 10) : 0);
}

EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone);
EXPORT int clock_gettime(clockid_t clock, struct timespec *out);

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    if (!is_program(__builtin_return_address(0))) {
        struct timespec now;
        const int result = real_clock(CLOCK_REALTIME, &now);
        *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
        return result;
    }
    const uint64_t ms = look_ms();
    *out = (struct timeval){(time_t)(ms / 1000), (suseconds_t)(ms % 1000 * 1000)};
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    if (!is_program(__builtin_return_address(0)))
        return real_clock(clock, out);
    const uint64_t ms = look_ms();
    *out = (struct timespec){(time_t)(ms / 1000), (long)(ms % 1000 * 1000000)};
    return 0;
}
