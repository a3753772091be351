/* SPDX-License-Identifier: MIT
 *
 * Filters the leak checker's report of a test program and fails the program only for leaks of the driver or the test.
 * The leak checker's own suppressions do not work here: a suppression applies when any frame of the stack matches, and
 * in an API test the loader or a layer is in most stacks, so the driver's leaks would be hidden.
 *
 * A leak is foreign when none of our libraries is in its stack, and the innermost frame outside the allocator and the C
 * and C++ libraries lies in the loader, a layer, lavapipe, or a library that only these use. All other leaks are ours,
 * including those in libraries that are no longer loaded, except that driver and tests are C: what the C++ library has
 * allocated for a caller that the unwinder does not see is not theirs. Does nothing in builds without the address
 * sanitizer.
 */
#include <dlfcn.h>
#include "vkt.h"

void vkt_keep_libraries(void)
{
    static const char *const libraries[] = {"libvulkan_vc4vk.so", "libvulkan_lvp.so", "libVkLayer_khronos_validation.so"};
    for (uint32_t i = 0; i < VKT_COUNT(libraries); i++)
        dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_LEAK_CHECKER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_LEAK_CHECKER
#endif

#ifdef HAS_LEAK_CHECKER
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAMES_MAX 64

static const char *const our_libraries[] = {"libvulkan_vc4vk", "libvc4vk", "libvc4_drm_shim"};
static const char *const system_libraries[] = {"libasan", "liblsan", "libclang_rt", "libc.so", "libstdc++", "ld-linux"};
static const char *const foreign_libraries[] = {"libvulkan.so", "libVkLayer", "libvulkan_lvp",
                                                "libLLVM",      "libdbus",   "libX11"};
/* Memory that a library keeps although we called it: libxcb keeps a queue of special events if the connection has
 * failed when the queue is returned. */
static const char *const kept_functions[] = {"xcb_register_for_special_xge"};

static bool is_done;
static FILE *report_file;

/* Called by the sanitizer's runtime. The format of a frame: number, function, location and module. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "stack_trace_format=\"    #%n %f %S [%m]\"";
}

int __lsan_is_turned_off(void)
{
    return is_done;
}

/* One leak of the report. */
struct leak {
    char *text[1 + FRAMES_MAX]; /* the summary line, then frames, innermost first */
    unsigned frames;
};

static bool names_any(const char *text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(text, names[i]))
            return true;
    return false;
}
#define NAMES_ANY(text, names) names_any(text, names, VKT_COUNT(names))

/* The module of a frame; "" if unknown. */
static const char *module_of(const char *frame)
{
    const char *module = strrchr(frame, '[');
    return module && strcmp(module, "[<unknown module>]") ? module : "";
}

static bool is_ours(const struct leak *leak)
{
    const char *owner = NULL;
    bool is_cxx = false;
    for (unsigned i = 1; i <= leak->frames; i++) {
        const char *module = module_of(leak->text[i]);
        if (NAMES_ANY(leak->text[i], kept_functions))
            return false;
        if (NAMES_ANY(module, our_libraries))
            return true;
        if (!owner && !NAMES_ANY(module, system_libraries))
            owner = module;
        is_cxx |= strstr(module, "libstdc++") != NULL;
    }
    if (!owner && is_cxx)
        return false;
    /* Events in such a queue. libxcb has allocated them where the unwinder sees no caller. */
    if (owner && strstr(owner, "libxcb.so") && strstr(leak->text[0], "Indirect"))
        return false;
    return !owner || !NAMES_ANY(owner, foreign_libraries);
}

static unsigned count_ours(char *report)
{
    unsigned count = 0;
    struct leak leak = {.frames = 0};
    char *rest = NULL;
    for (char *line = strtok_r(report, "\n", &rest);; line = strtok_r(NULL, "\n", &rest)) {
        const char *frame = line ? strstr(line, "    #") : NULL;
        if (frame && leak.text[0]) {
            if (leak.frames < FRAMES_MAX)
                leak.text[++leak.frames] = line;
            continue;
        }
        if (leak.text[0] && is_ours(&leak)) {
            count++;
            for (unsigned i = 0; i <= leak.frames; i++)
                printf("# %s\n", leak.text[i]);
        }
        leak = (struct leak){.text = {line && strstr(line, "leak of") ? line : NULL}};
        if (!line)
            return count;
    }
}

static char *read_all(FILE *file)
{
    const long size_B = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    char *text = size_B < 0 ? NULL : calloc(1, (size_t)size_B + 1);
    rewind(file);
    if (text && fread(text, 1, (size_t)size_B, file) != (size_t)size_B) {
        free(text);
        return NULL;
    }
    return text;
}

/* Called by the sanitizer's runtime when the leak checker itself fails, as it does under a debugger: without this, what
 * it says of that would be lost with the file. */
static void show_failed_check(void)
{
    char *report = read_all(report_file);
    printf("# the leak checker failed\n%s", report ? report : "");
    fflush(stdout);
}

static void check_leaks(void)
{
    report_file = tmpfile();
    if (!report_file) {
        printf("# no temporary file for the leak checker's report\n");
        fflush(stdout);
        _exit(1);
    }
    __sanitizer_set_death_callback(show_failed_check);
    __sanitizer_set_report_fd((void *)(intptr_t)fileno(report_file));
    __lsan_do_recoverable_leak_check();
    __sanitizer_set_report_fd((void *)(intptr_t)STDERR_FILENO);
    __sanitizer_set_death_callback(NULL);
    is_done = true;
    char *report = read_all(report_file);
    const unsigned count = report ? count_ours(report) : 1;
    free(report);
    fclose(report_file);
    if (count) {
        printf("# %u leaks of this driver or its tests\n", count);
        fflush(stdout);
        _exit(1);
    }
}

void vkt_check_leaks_at_exit(void)
{
    static bool is_registered;
    if (!is_registered)
        is_registered = !atexit(check_leaks);
}

#else

void vkt_check_leaks_at_exit(void)
{
}

#endif
