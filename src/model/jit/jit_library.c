/* SPDX-License-Identifier: MIT
 *
 * Finds, loads and starts libvc4vk_jit.so, and keeps fork() out while a thread uses it.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "model/jit/jit_identity_gen.h"
#include "model/jit/jit_library.h"
#include "util/debug.h"
#include "util/environment.h"
#include "util/log.h"

#define LIBRARY_NAME "libvc4vk_jit.so"

enum jit_host jit_library_host(void)
{
    if (util_debug(UTIL_DEBUG_JIT_SSE2))
        return JIT_HOST_BASE;
    return util_debug(UTIL_DEBUG_JIT_AVX2) ? JIT_HOST_AVX2 : JIT_HOST_BEST;
}

/* Path of the file that contains this code: the driver, or a program that links it statically. The dynamic linker has
 * no name for the program itself. dladdr() gives argv[0] for it, which the program's caller may set to anything. */
static bool own_path(char out[PATH_MAX])
{
    struct link_map *map;
    Dl_info info;

    if (!dladdr1((void *)(uintptr_t)jit_library_path, &info, (void **)&map, RTLD_DL_LINKMAP))
        return false;
    if (*map->l_name)
        return snprintf(out, PATH_MAX, "%s", map->l_name) < PATH_MAX;
    ssize_t length = readlink("/proc/self/exe", out, PATH_MAX);
    if (length < 0 || length >= PATH_MAX)
        return false;
    out[length] = 0;
    return true;
}

bool jit_library_path(char out[PATH_MAX])
{
    const char *given = util_environment("VKT_JIT");
    char own[PATH_MAX];

    if (given)
        return snprintf(out, PATH_MAX, "%s", given) < PATH_MAX;
    if (!own_path(own))
        return false;
    /* After chdir() a relative name means another file, so an untrusted caller could substitute the library. */
    if (own[0] != '/' && util_environment_is_untrusted())
        return false;
    char *slash = strrchr(own, '/');
    if (!slash)
        return false;
    *slash = 0;
    return snprintf(out, PATH_MAX, "%s/" LIBRARY_NAME, own) < PATH_MAX;
}

static void *open_library(void)
{
    char path[PATH_MAX];

    /* LLVM cannot be unloaded. */
    return jit_library_path(path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
}

static const struct jit_library *load(const struct jit_calls *calls)
{
    const struct jit_library *(*get_library)(void), *library;
    void *handle = open_library();

    if (!handle)
        return NULL;
    *(void **)&get_library = dlsym(handle, JIT_SYMBOL);
    if (!get_library)
        return NULL;
    library = get_library();
    if (library->version != JIT_VERSION || library->core_B != sizeof(struct gpu_qpu_core) ||
        library->calls_B != sizeof(struct jit_calls) || strcmp(library->identity, JIT_IDENTITY)) {
        util_warn("model: " LIBRARY_NAME " belongs to another build: programs are interpreted");
        return NULL;
    }
    return library->start(calls, jit_library_host()) ? library : NULL;
}

/* -- use and fork -------------------------------------------------------------------------------------------------- */

static struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned inside, forks; /* uses of the library; threads about to fork */
    const struct jit_library *library;
    bool ends;              /* the process does: the library is closed */
    bool tried, is_loading; /* tried: loading was attempted; is_loading: by a thread that counts as inside */
} gate = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static _Thread_local unsigned inside_here; /* uses by this thread, for which its own fork does not wait */

static void before_fork(void)
{
    pthread_mutex_lock(&gate.mutex);
    gate.forks++;
    while (gate.inside > inside_here)
        pthread_cond_wait(&gate.changed, &gate.mutex);
}

static void after_fork_in_parent(void)
{
    gate.forks--;
    pthread_cond_broadcast(&gate.changed);
    pthread_mutex_unlock(&gate.mutex);
}

static void after_fork_in_child(void)
{
    gate = (struct gate){
        .mutex = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
        .inside = inside_here,
        .library = gate.library,
        .tried = gate.tried,
        .is_loading = gate.is_loading && inside_here,
    };
}

static void register_fork_handlers(void)
{
    if (pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child))
        util_warn("model: children of this process cannot compile QPU programs for the host");
}

#ifdef JIT_LLVM_IS_SHARED
/* exit() destroys what a shared LLVM keeps for the process (of archives jit_exit.c keeps it), so no thread may be
 * compiling. */
static void at_exit(void)
{
    pthread_mutex_lock(&gate.mutex);
    gate.ends = true;
    while (gate.inside > inside_here)
        pthread_cond_wait(&gate.changed, &gate.mutex);
    pthread_mutex_unlock(&gate.mutex);
}

/* LLVM makes some objects while it compiles. Handlers run in reverse order, so this one has to be registered after each
 * compilation, to run before the destructors of all those objects. */
static void register_exit_handler(void)
{
    if (atexit(at_exit))
        util_warn("model: the process may crash when it ends while QPU programs are compiled for the host");
}
#else
static void register_exit_handler(void)
{
}
#endif

static void leave(void)
{
    inside_here--;
    gate.inside--;
    pthread_cond_broadcast(&gate.changed);
}

const struct jit_library *jit_library_begin(const struct jit_calls *calls)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct jit_library *library;

    pthread_once(&once, register_fork_handlers);
    pthread_mutex_lock(&gate.mutex);
    while (gate.is_loading || (gate.forks && !inside_here))
        pthread_cond_wait(&gate.changed, &gate.mutex);
    if (gate.ends) {
        pthread_mutex_unlock(&gate.mutex);
        return NULL;
    }
    gate.inside++;
    inside_here++;
    if (!gate.tried) {
        gate.tried = gate.is_loading = true;
        pthread_mutex_unlock(&gate.mutex);
        library = load(calls);
        register_exit_handler();
        pthread_mutex_lock(&gate.mutex);
        gate.library = library;
        gate.is_loading = false;
        pthread_cond_broadcast(&gate.changed);
    }
    library = gate.library;
    if (!library)
        leave();
    pthread_mutex_unlock(&gate.mutex);
    return library;
}

void jit_library_end(void)
{
    register_exit_handler();
    pthread_mutex_lock(&gate.mutex);
    leave();
    pthread_mutex_unlock(&gate.mutex);
}
