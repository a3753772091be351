/* SPDX-License-Identifier: MIT
 *
 * LD_PRELOAD library that replaces the clock which a program itself reads (time, gettimeofday and clock_gettime). Each
 * call of the program's first thread advances it by STILL_CLOCK_MS milliseconds, none by default. What the program draws
 * then depends only on the number of its frame. The libraries of the process read the real clock, except those that
 * STILL_CLOCK_LIBRARIES names: parts of file names, separated by commas.
 */
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define EXPORT   __attribute__((visibility("default")))
#define BEGIN_MS 1000000

struct caller {
    const void *address;
    bool is_library; /* the objects after the first, which is the program */
};

static bool is_named(const char *object)
{
    const char *names = getenv("STILL_CLOCK_LIBRARIES");
    while (names && *names) {
        char name[64];
        const size_t length = strcspn(names, ",");
        if (length > 0 && length < sizeof name) {
            memcpy(name, names, length);
            name[length] = 0;
            if (strstr(object, name))
                return true;
        }
        names += length + (names[length] == ',');
    }
    return false;
}

/* Ends dl_iterate_phdr() with 1 if the caller is in this object and has the replaced clock, with -1 if it is in this
 * object and has not. */
static int has_still_clock(struct dl_phdr_info *info, size_t size, void *data)
{
    struct caller *caller = data;
    const uintptr_t at = (uintptr_t)caller->address;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && at >= begin && at - begin < info->dlpi_phdr[i].p_memsz)
            return !caller->is_library || is_named(info->dlpi_name) ? 1 : -1;
    }
    caller->is_library = true;
    return 0;
}

static bool is_program(const void *address)
{
    return dl_iterate_phdr(has_still_clock, &(struct caller){.address = address}) == 1;
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
    const uint64_t count = gettid() == getpid() ? calls++ : calls;
    return BEGIN_MS + count * (step ? strtoul(step, NULL, 10) : 0);
}

EXPORT time_t time(time_t *out);
EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone);
EXPORT int clock_gettime(clockid_t clock, struct timespec *out);

time_t time(time_t *out)
{
    struct timespec now = {.tv_sec = BEGIN_MS / 1000};
    if (!is_program(__builtin_return_address(0)))
        real_clock(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

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
