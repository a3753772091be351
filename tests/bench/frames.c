/* SPDX-License-Identifier: MIT
 *
 * Preloaded into programs that call the loader's vkQueuePresentKHR: counts frames. When the process ends it prints to
 * stderr the number of frames after the warm-up of VKT_WARM_MS, and the wall time and processor time (of all threads)
 * that they took:
 *
 *   frames: 120 in 2000.000 ms, 3900.000 ms of processor time
 *
 * With VKT_FIRST_MS it ends the process at that age, and prints the number of frames so far and the age at the first
 * frame. With VKT_CLOCK=cpu age is the processor time of all threads.
 *
 *   first: 43 frames in 1000 ms, one after 210.000 ms
 *
 * tests/bench/vkmark uses it, because vkmark itself rounds frames per second down to whole numbers.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

static uint64_t start_ns, first_age_ns; /* start of the process, age at the first frame */
static uint64_t first_ns, from_ns, from_cpu_ns, last_ns, last_cpu_ns, frames; /* no lock: one thread presents */

static uint64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t warm_ns(void)
{
    const char *text = getenv("VKT_WARM_MS");
    return text ? strtoull(text, NULL, 10) * 1000000u : 0;
}

static uint64_t age_ns(void)
{
    const char *clock = getenv("VKT_CLOCK");

    return clock && !strcmp(clock, "cpu") ? now_ns(CLOCK_PROCESS_CPUTIME_ID) : now_ns(CLOCK_MONOTONIC) - start_ns;
}

/* Called after each present. Waits for the queue, because a frame counts only when it is drawn. */
static void count_first(VkQueue queue)
{
    static PFN_vkQueueWaitIdle wait;
    static uint64_t count, limit_ms;
    const char *text = getenv("VKT_FIRST_MS");

    if (!text)
        return;
    if (!wait)
        *(void **)&wait = dlsym(RTLD_NEXT, "vkQueueWaitIdle");
    wait(queue);
    const uint64_t age = age_ns();
    if (!first_age_ns) {
        first_age_ns = age;
        limit_ms = strtoull(text, NULL, 10);
    }
    if (age <= limit_ms * 1000000u) {
        count++;
        return;
    }
    fprintf(stderr, "first: %" PRIu64 " frames in %" PRIu64 " ms, one after %.3f ms\n", count, limit_ms,
            (double)first_age_ns / 1e6);
    _exit(0);
}

__attribute__((constructor)) static void on_load(void)
{
    start_ns = now_ns(CLOCK_MONOTONIC);
}

VKAPI_ATTR VkResult VKAPI_CALL vkQueuePresentKHR(VkQueue queue, const VkPresentInfoKHR *info)
{
    static PFN_vkQueuePresentKHR next;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "vkQueuePresentKHR");
    VkResult result = next(queue, info);
    count_first(queue);
    last_ns = now_ns(CLOCK_MONOTONIC), last_cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (!first_ns)
        first_ns = last_ns;
    if (!from_ns && last_ns - first_ns >= warm_ns())
        from_ns = last_ns, from_cpu_ns = last_cpu_ns;
    else if (from_ns)
        frames++;
    return result;
}

__attribute__((destructor)) static void report(void)
{
    if (frames)
        fprintf(stderr, "frames: %" PRIu64 " in %.3f ms, %.3f ms of processor time\n", frames,
                (double)(last_ns - from_ns) / 1e6, (double)(last_cpu_ns - from_cpu_ns) / 1e6);
}
