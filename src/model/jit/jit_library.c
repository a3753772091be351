/* SPDX-License-Identifier: MIT
 *
 * Finds, loads and starts libvc4vk_jit.so.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/jit/jit_library.h"
#include "util/debug.h"
#include "util/log.h"

#define LIBRARY_NAME "libvc4vk_jit.so"

enum jit_host jit_library_host(void)
{
    if (util_debug(UTIL_DEBUG_JIT_SSE2))
        return JIT_HOST_BASE;
    return util_debug(UTIL_DEBUG_JIT_AVX2) ? JIT_HOST_AVX2 : JIT_HOST_BEST;
}

bool jit_library_path(char out[PATH_MAX])
{
    const char *given = secure_getenv("VKT_JIT"), *slash;
    Dl_info info;

    if (given)
        return snprintf(out, PATH_MAX, "%s", given) < PATH_MAX;
    if (!dladdr((void *)(uintptr_t)jit_library, &info) || !info.dli_fname)
        return false;
    slash = strrchr(info.dli_fname, '/');
    int length = slash ? (int)(slash - info.dli_fname) : 1;
    return snprintf(out, PATH_MAX, "%.*s/" LIBRARY_NAME, length, slash ? info.dli_fname : ".") < PATH_MAX;
}

static void *open_library(void)
{
    char path[PATH_MAX];

    return jit_library_path(path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL; /* LLVM stays */
}

static const struct jit_library *load(void)
{
    const struct jit_library *(*door)(void), *library;
    void *handle = open_library();

    if (!handle)
        return NULL;
    *(void **)&door = dlsym(handle, JIT_SYMBOL);
    if (!door)
        return NULL;
    library = door();
    if (library->version != JIT_VERSION || library->core_B != sizeof(struct gpu_qpu_core) ||
        library->calls_B != sizeof(struct jit_calls)) {
        util_warn("model: " LIBRARY_NAME " belongs to another build: programs are interpreted");
        return NULL;
    }
    return library->start(gpu_qpu_jit_calls(), jit_library_host()) ? library : NULL;
}

const struct jit_library *jit_library(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static const struct jit_library *library;
    static bool tried;

    pthread_mutex_lock(&mutex);
    if (!tried)
        library = load();
    tried = true;
    pthread_mutex_unlock(&mutex);
    return library;
}
