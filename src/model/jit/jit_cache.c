/* SPDX-License-Identifier: MIT
 *
 * The cache of compiled programs. Everything is under one mutex but a unit's host code and count of uses, which run by
 * themselves, and what only the compiling thread looks at. A unit goes when nobody holds it and others are wanted more
 * recently.
 */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "model/jit/jit_cache.h"
#include "model/jit/jit_code.h"
#include "model/jit/jit_disk.h"
#include "util/debug.h"
#include "util/hash.h"
#include "util/log.h"
#include "util/thread.h"

#define LIBRARY_NAME "libvc4vk_jit.so"
#define BUCKETS      256u
#define UNITS_MAX    512u /* of which nobody holds any; more go */
/* Runs of 16 lanes before a program is compiled: those of user programs are long. A look for what an earlier process
 * has compiled is worth it sooner. */
#define WORTH_USES      1000u
#define WORTH_USER_USES 64u
#define WORTH_LOOK_USES 4u

enum unit_state { UNIT_COUNTS, UNIT_QUEUED, UNIT_DONE };

struct jit_unit {
    struct jit_unit *next;          /* in its bucket */
    struct jit_unit *older, *newer; /* by the last time that somebody got it */
    struct jit_unit *queued;        /* next to compile */
    uint64_t hash;
    unsigned holders;
    enum unit_state state;
    bool looked;   /* on disk */
    bool compiles; /* queued for more than a look */
    _Atomic(jit_fn) entry;
    _Atomic unsigned uses;
    struct jit_code code;
    struct jit_source source; /* its words follow the struct */
    uint64_t words[];
};

struct jit_cache {
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    unsigned users; /* under the process's mutex */
    struct jit_unit *bucket[BUCKETS];
    struct jit_unit *oldest, *newest;
    unsigned unit_count;
    struct jit_unit *queue, **queue_end;
    pthread_t thread;
    bool has_thread, quits, broken; /* broken: no thread */
    bool at_once;                   /* VC4VK_DEBUG=jit-now */
    bool tired;                     /* the thread's: has compiled since the library was at rest */
    struct jit_disk disk;           /* the thread's */
};

static pthread_mutex_t process_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct jit_cache *process_cache;

/* -- the library -------------------------------------------------------------------------------------------------- */

static enum jit_host wanted_host(void)
{
    if (util_debug(UTIL_DEBUG_JIT_SSE2))
        return JIT_HOST_BASE;
    return util_debug(UTIL_DEBUG_JIT_AVX2) ? JIT_HOST_AVX2 : JIT_HOST_BEST;
}

/* Beside the driver, or where tests say. */
static bool library_path(char out[PATH_MAX])
{
    const char *given = secure_getenv("VKT_JIT"), *slash;
    Dl_info info;

    if (given)
        return snprintf(out, PATH_MAX, "%s", given) < PATH_MAX;
    if (!dladdr((void *)(uintptr_t)jit_cache_acquire, &info) || !info.dli_fname)
        return false;
    slash = strrchr(info.dli_fname, '/');
    int length = slash ? (int)(slash - info.dli_fname) : 1;
    return snprintf(out, PATH_MAX, "%.*s/" LIBRARY_NAME, length, slash ? info.dli_fname : ".") < PATH_MAX;
}

static void *open_library(void)
{
    char path[PATH_MAX];

    return library_path(path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL; /* LLVM stays */
}

/* Once a process: what was started stays started. */
static const struct jit_library *load_library(void)
{
    static const struct jit_library *library;
    static bool tried;
    const struct jit_library *(*door)(void);
    void *handle;

    if (tried)
        return library;
    tried = true;
    handle = open_library();
    if (!handle)
        return NULL;
    *(void **)&door = dlsym(handle, JIT_SYMBOL);
    if (!door)
        return NULL;
    library = door();
    if (library->version != JIT_VERSION || library->core_B != sizeof(struct gpu_qpu_core) ||
        library->calls_B != sizeof(struct jit_calls)) {
        util_warn("model: " LIBRARY_NAME " belongs to another build: programs are interpreted");
        library = NULL;
    } else if (!library->start(gpu_qpu_jit_calls(), wanted_host())) {
        library = NULL;
    }
    return library;
}

/* -- the compiling thread ----------------------------------------------------------------------------------------- */

static uint64_t thread_time_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* NULL with a message, or the unit's file. */
static void *make_file(struct jit_cache *cache, struct jit_unit *unit, size_t *size_out_B, const char **message_out)
{
    const struct jit_library *library = load_library();
    if (!library) {
        *message_out = "no library";
        return NULL;
    }
    void *file = library->compile(&unit->source, size_out_B, message_out);
    cache->tired = true;
    if (file)
        jit_disk_store(&cache->disk, &unit->source, file, *size_out_B);
    return file;
}

/* Looks for the unit's code, or makes it. True: it has code now, or will never have. */
static bool serve(struct jit_cache *cache, struct jit_unit *unit)
{
    const char *message = NULL;
    uint64_t from_ns = thread_time_ns();
    size_t size_B = 0;
    void *file = unit->looked ? NULL : jit_disk_load(&cache->disk, &unit->source, &size_B);
    const char *how = file ? "found in" : "compiled in";

    unit->looked = true;
    if (!file && unit->compiles)
        file = make_file(cache, unit, &size_B, &message);
    if (file && jit_code_load(file, size_B, &unit->code, &message))
        atomic_store_explicit(&unit->entry, unit->code.entry, memory_order_release);
    if (util_debug(UTIL_DEBUG_PERF) && (file || message))
        util_info("jit: %u instructions, %s %.1f ms%s%s", unit->source.count,
                  how, (double)(thread_time_ns() - from_ns) * 1e-6, message ? ", interpreted: " : "",
                  message ? message : "");
    free(file);
    return unit->code.entry || unit->compiles;
}

/* Under the mutex, which it leaves for a while: where nothing waits to be compiled. */
static void rest(struct jit_cache *cache)
{
    if (cache->queue || cache->quits || !cache->tired)
        return;
    cache->tired = false;
    pthread_mutex_unlock(&cache->mutex);
    load_library()->rest();
    pthread_mutex_lock(&cache->mutex);
}

static void *compiling_thread(void *arg)
{
    struct jit_cache *cache = arg;
    char path[PATH_MAX];

    jit_disk_init(&cache->disk, wanted_host(), library_path(path) ? path : NULL);
    pthread_mutex_lock(&cache->mutex);
    for (;;) {
        while (!cache->quits && !cache->queue)
            pthread_cond_wait(&cache->work, &cache->mutex);
        struct jit_unit *unit = cache->queue;
        if (cache->quits)
            break;
        cache->queue = unit->queued;
        if (!cache->queue)
            cache->queue_end = &cache->queue;
        pthread_mutex_unlock(&cache->mutex);
        bool done = serve(cache, unit);
        pthread_mutex_lock(&cache->mutex);
        unit->state = done ? UNIT_DONE : UNIT_COUNTS;
        pthread_cond_broadcast(&cache->done);
        rest(cache);
    }
    pthread_mutex_unlock(&cache->mutex);
    jit_disk_finish(&cache->disk);
    return NULL;
}

/* Under the mutex. `compiles`: if nothing is found on disk. */
static void enqueue(struct jit_cache *cache, struct jit_unit *unit, bool compiles)
{
    if (unit->state == UNIT_DONE || cache->broken)
        return;
    if (!cache->has_thread) {
        if (util_thread_create(&cache->thread, "vc4-jit", compiling_thread, cache)) {
            cache->broken = true;
            return;
        }
        cache->has_thread = true;
    }
    if (unit->state == UNIT_COUNTS) {
        unit->state = UNIT_QUEUED;
        unit->compiles = compiles;
        unit->queued = NULL;
        *cache->queue_end = unit;
        cache->queue_end = &unit->queued;
        pthread_cond_signal(&cache->work);
    }
    while (cache->at_once && unit->state != UNIT_DONE)
        pthread_cond_wait(&cache->done, &cache->mutex);
}

/* -- units -------------------------------------------------------------------------------------------------------- */

static void unlink_age(struct jit_cache *cache, struct jit_unit *unit)
{
    *(unit->older ? &unit->older->newer : &cache->oldest) = unit->newer;
    *(unit->newer ? &unit->newer->older : &cache->newest) = unit->older;
    unit->older = unit->newer = NULL;
}

static void link_newest(struct jit_cache *cache, struct jit_unit *unit)
{
    unit->older = cache->newest;
    unit->newer = NULL;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = unit;
    cache->newest = unit;
}

static void free_unit(struct jit_unit *unit)
{
    jit_code_unload(&unit->code);
    free(unit);
}

/* Those that nobody has asked for in long. */
static void evict(struct jit_cache *cache)
{
    struct jit_unit *unit = cache->oldest;

    while (unit && cache->unit_count > UNITS_MAX) {
        struct jit_unit *newer = unit->newer;
        if (!unit->holders && unit->state != UNIT_QUEUED) {
            struct jit_unit **at = &cache->bucket[unit->hash % BUCKETS];
            while (*at != unit)
                at = &(*at)->next;
            *at = unit->next;
            unlink_age(cache, unit);
            cache->unit_count--;
            free_unit(unit);
        }
        unit = newer;
    }
}

static bool is_source(const struct jit_unit *unit, const struct jit_source *source)
{
    return unit->source.count == source->count && unit->source.kind == source->kind &&
           unit->source.has_user == source->has_user && unit->source.keeps_all == source->keeps_all &&
           !memcmp(unit->words, source->words, 8 * source->count);
}

static struct jit_unit *make_unit(struct jit_cache *cache, const struct jit_source *source, uint64_t hash)
{
    struct jit_unit *unit = calloc(1, sizeof *unit + 8 * source->count);

    if (!unit)
        return NULL;
    memcpy(unit->words, source->words, 8 * source->count);
    unit->source = *source;
    unit->source.words = unit->words;
    unit->hash = hash;
    unit->next = cache->bucket[hash % BUCKETS];
    cache->bucket[hash % BUCKETS] = unit;
    link_newest(cache, unit);
    cache->unit_count++;
    return unit;
}

struct jit_unit *jit_unit_get(struct jit_cache *cache, const struct jit_source *source)
{
    if (!cache || !source->count)
        return NULL;
    uint64_t hash = util_hash_bytes(source->words, 8 * source->count, source->kind + 8 * source->has_user);
    pthread_mutex_lock(&cache->mutex);
    struct jit_unit *unit = cache->bucket[hash % BUCKETS];
    while (unit && !(unit->hash == hash && is_source(unit, source)))
        unit = unit->next;
    if (unit) {
        unlink_age(cache, unit);
        link_newest(cache, unit);
    } else {
        unit = make_unit(cache, source, hash);
    }
    if (unit) {
        unit->holders++;
        evict(cache);
        if (cache->at_once)
            enqueue(cache, unit, true);
    }
    pthread_mutex_unlock(&cache->mutex);
    return unit;
}

const struct jit_source *jit_unit_source(const struct jit_unit *unit)
{
    return &unit->source;
}

void jit_unit_drop(struct jit_cache *cache, struct jit_unit *unit)
{
    if (!unit)
        return;
    pthread_mutex_lock(&cache->mutex);
    unit->holders--;
    pthread_mutex_unlock(&cache->mutex);
}

void jit_unit_count(struct jit_cache *cache, struct jit_unit *unit, unsigned runs)
{
    if (!unit || !runs)
        return;
    const unsigned worth = unit->source.kind == QPU_PROGRAM_USER ? WORTH_USER_USES : WORTH_USES;
    const unsigned before = atomic_fetch_add_explicit(&unit->uses, runs, memory_order_relaxed), after = before + runs;
    if ((before < WORTH_LOOK_USES && after >= WORTH_LOOK_USES) || before / worth != after / worth) {
        pthread_mutex_lock(&cache->mutex);
        enqueue(cache, unit, after >= worth);
        pthread_mutex_unlock(&cache->mutex);
    }
}

jit_fn jit_unit_use(struct jit_cache *cache, struct jit_unit *unit)
{
    if (!unit)
        return NULL;
    jit_fn entry = atomic_load_explicit(&unit->entry, memory_order_acquire);
    if (entry)
        return entry;
    jit_unit_count(cache, unit, 1);
    return NULL;
}

/* -- life --------------------------------------------------------------------------------------------------------- */

static struct jit_cache *create(void)
{
    struct jit_cache *cache = calloc(1, sizeof *cache);

    if (!cache || pthread_mutex_init(&cache->mutex, NULL) || util_cond_init(&cache->work) ||
        util_cond_init(&cache->done)) {
        free(cache);
        return NULL;
    }
    cache->queue_end = &cache->queue;
    cache->at_once = util_debug(UTIL_DEBUG_JIT_NOW);
    return cache;
}

static void destroy(struct jit_cache *cache)
{
    pthread_mutex_lock(&cache->mutex);
    cache->quits = true;
    pthread_cond_signal(&cache->work);
    pthread_mutex_unlock(&cache->mutex);
    if (cache->has_thread)
        pthread_join(cache->thread, NULL);
    while (cache->oldest) {
        struct jit_unit *unit = cache->oldest;
        unlink_age(cache, unit);
        free_unit(unit);
    }
    pthread_cond_destroy(&cache->work);
    pthread_cond_destroy(&cache->done);
    pthread_mutex_destroy(&cache->mutex);
    free(cache);
}

struct jit_cache *jit_cache_acquire(void)
{
    if (util_debug(UTIL_DEBUG_NO_JIT) || util_debug(UTIL_DEBUG_HANG))
        return NULL;
    pthread_mutex_lock(&process_mutex);
    if (!process_cache)
        process_cache = create();
    if (process_cache)
        process_cache->users++;
    struct jit_cache *cache = process_cache;
    pthread_mutex_unlock(&process_mutex);
    return cache;
}

void jit_cache_release(struct jit_cache *cache)
{
    if (!cache)
        return;
    pthread_mutex_lock(&process_mutex);
    if (!--cache->users) {
        process_cache = NULL;
        destroy(cache);
    }
    pthread_mutex_unlock(&process_mutex);
}
