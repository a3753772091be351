/* SPDX-License-Identifier: MIT
 *
 * LD_PRELOAD library that replaces the clock which a program itself reads (gettimeofday and clock_gettime). Each call
 * advances it by STILL_CLOCK_MS milliseconds, none by default. What the program draws then depends only on the number
 * of its frame. The libraries of the process read the real clock.
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

/* Returns 1 if `address` is in this object, else -1, which ends dl_iterate_phdr(). The first object is the program. */
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

/* Calls the kernel directly: a sanitizer's runtime reads the clock at moments at which dlsym() would call the runtime
 * again. */
static int real_clock(clockid_t clock, struct timespec *out)
{
    return (int)syscall(SYS_clock_gettime, clock, out);
}

static uint64_t next_time_ms(void)
{
    static _Atomic uint64_t calls;
    const char *step = getenv("STILL_CLOCK_MS");
    return BEGIN_MS + calls++ * (step ? strtoul(step, NULL, 10) : 0);
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
    const uint64_t ms = next_time_ms();
    *out = (struct timeval){(time_t)(ms / 1000), (suseconds_t)(ms % 1000 * 1000)};
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    if (!is_program(__builtin_return_address(0)))
        return real_clock(clock, out);
    const uint64_t ms = next_time_ms();
    *out = (struct timespec){(time_t)(ms / 1000), (long)(ms % 1000 * 1000000)};
    return 0;
}
