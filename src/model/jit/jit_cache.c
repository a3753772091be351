/* SPDX-License-Identifier: MIT
 *
 * The cache of compiled programs. Everything is under one mutex but a unit's host code and counts of uses, which run by
 * themselves, and what only the one who makes its code looks at. A unit goes when nobody holds it and others are wanted
 * more recently.
 *
 * Who makes the code: a program that is hot in one job by those who run it, as interpreting it for as long as compiling
 * takes would bring them less than the hundredth part of what host code does then; whoever comes second makes that of
 * another that is likely to be wanted, or waits. What others use now and then is for the background thread, and nobody
 * waits.
 */
#include <fenv.h>
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
#include "model/jit/jit_library.h"
#include "util/debug.h"
#include "util/hash.h"
#include "util/log.h"
#include "util/thread.h"

#define BUCKETS   256u
#define UNITS_MAX 512u /* of which nobody holds any; more go */
#define RECENT    16u  /* units of what is run now */
/* Runs of 16 lanes before a program is compiled: those of user programs are long. A look for what an earlier process
 * has compiled is worth it sooner. */
#define WORTH_USES      1000u
#define WORTH_USER_USES 64u
#define WORTH_LOOK_USES 4u
/* The same within a job for those who run it to compile it themselves. Interpreting that many instructions takes as long
 * as the part of compiling that is the same for all, that many runs a fifteenth of the rest. [measured: 20 ms, and
 * 0.35 for each instruction, which the interpreter does in 0.00015] */
#define HOT_INSTRS 150000u
#define HOT_USES   150u
/* Of user programs, whose runs may be of any length: WORTH_USER_USES times so many instructions are interpreted in the
 * time that compiling takes, by the same measurement. */
#define INSTRS_PER_USE       2000u
#define INSTRS_PER_USE_INSTR 36u

enum unit_state { UNIT_COUNTS, UNIT_QUEUED, UNIT_BUSY, UNIT_DONE };

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
    _Atomic unsigned uses, uses_before; /* the latter before this job */
    _Atomic bool settled;               /* as UNIT_DONE */
    struct jit_code code;
    struct jit_source source; /* its words follow the struct */
    uint64_t words[];
};

struct jit_cache {
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    unsigned users; /* under the process's mutex */
    unsigned generation; /* a parent's: its thread is not in this process, nor who makes the code of its units */
    struct jit_unit *bucket[BUCKETS];
    struct jit_unit *oldest, *newest;
    unsigned unit_count;
    struct jit_unit *queue, **queue_end;
    pthread_t thread;
    bool has_thread, quits, broken; /* broken: no thread */
    bool at_once;                   /* VC4VK_DEBUG=jit-now */
    bool has_disk;
    struct jit_disk disk;
};

static pthread_mutex_t process_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct jit_cache *process_cache;
static unsigned generation; /* counts forks: of a process and its parents */

/* -- making code ------------------------------------------------------------------------------------------------ */

static uint64_t thread_time_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* NULL with a message, or the unit's file. LLVM computes, too, and not in the model's mode. */
static void *make_file(const struct jit_unit *unit, size_t *size_out_B, const char **message_out)
{
    const struct jit_library *library = jit_library_begin();
    fenv_t mode;

    if (!library) {
        *message_out = "no library";
        return NULL;
    }
    fegetenv(&mode);
    fesetenv(FE_DFL_ENV);
    void *file = library->compile(&unit->source, size_out_B, message_out);
    fesetenv(&mode);
    jit_library_end();
    return file;
}

/* True: the unit has code of an earlier process now. A file that does not load is of no use to anybody: it goes. */
static bool find_code(struct jit_cache *cache, struct jit_unit *unit)
{
    const char *message;
    size_t size_B;
    void *file = jit_disk_load(&cache->disk, &unit->source, &size_B);
    const bool found = file && jit_code_load(file, size_B, &unit->code, &message);

    if (file && !found) {
        jit_disk_remove(&cache->disk, &unit->source);
        util_perf("jit: kept code of %u instructions does not load: %s", unit->source.count, message);
    }
    free(file);
    return found;
}

/* False with a message. What does not load is not kept. */
static bool compile_code(struct jit_cache *cache, struct jit_unit *unit, const char **message_out)
{
    size_t size_B;
    void *file = make_file(unit, &size_B, message_out);
    const bool made = file && jit_code_load(file, size_B, &unit->code, message_out);

    if (made)
        jit_disk_store(&cache->disk, &unit->source, file, size_B);
    free(file);
    return made;
}

/* Looks for the unit's code, or makes it. True: it has code now, or will never have. */
static bool serve(struct jit_cache *cache, struct jit_unit *unit, bool compiles)
{
    const char *message = NULL;
    uint64_t from_ns = thread_time_ns();
    const bool found = !unit->looked && find_code(cache, unit), made = !found && compiles;
    const bool has_code = found || (made && compile_code(cache, unit, &message));

    unit->looked = true;
    if (has_code)
        atomic_store_explicit(&unit->entry, unit->code.entry, memory_order_release);
    if (util_debug(UTIL_DEBUG_PERF) && (found || made))
        util_info("jit: %u instructions, %s %.1f ms%s%s", unit->source.count, found ? "found in" : "compiled in",
                  (double)(thread_time_ns() - from_ns) * 1e-6, message ? ", interpreted: " : "",
                  message ? message : "");
    return has_code || compiles;
}

/* Under the mutex, which it leaves for a while. The unit waits in no queue. */
static void make_code(struct jit_cache *cache, struct jit_unit *unit, bool compiles)
{
    char path[PATH_MAX];

    if (!cache->has_disk)
        jit_disk_init(&cache->disk, jit_library_host(), jit_library_path(path) ? path : NULL);
    cache->has_disk = true;
    unit->state = UNIT_BUSY;
    pthread_mutex_unlock(&cache->mutex);
    const bool done = serve(cache, unit, compiles);
    pthread_mutex_lock(&cache->mutex);
    unit->state = done ? UNIT_DONE : UNIT_COUNTS;
    atomic_store_explicit(&unit->settled, done, memory_order_relaxed);
    pthread_cond_broadcast(&cache->done);
}

/* -- the background thread ---------------------------------------------------------------------------------------- */

static void take_from_queue(struct jit_cache *cache, struct jit_unit *unit)
{
    struct jit_unit **at = &cache->queue;

    while (*at != unit)
        at = &(*at)->queued;
    *at = unit->queued;
    if (!*at)
        cache->queue_end = at;
}

static void *background_thread(void *arg)
{
    struct jit_cache *cache = arg;

    util_log_domain_set(util_log_domain_all()); /* it compiles for every device of the process */
    pthread_mutex_lock(&cache->mutex);
    while (!cache->quits) {
        struct jit_unit *unit = cache->queue;
        if (unit) {
            take_from_queue(cache, unit);
            make_code(cache, unit, unit->compiles);
        } else {
            pthread_cond_wait(&cache->work, &cache->mutex);
        }
    }
    pthread_mutex_unlock(&cache->mutex);
    return NULL;
}

/* Under the mutex. */
static void wake_thread(struct jit_cache *cache)
{
    if (!cache->has_thread && !cache->broken) {
        cache->broken = util_thread_create(&cache->thread, "vc4-jit", background_thread, cache) != 0;
        cache->has_thread = !cache->broken;
    }
    pthread_cond_signal(&cache->work);
}

/* Under the mutex. `compiles`: if nothing is found on disk. */
static void enqueue(struct jit_cache *cache, struct jit_unit *unit, bool compiles)
{
    if (unit->state == UNIT_QUEUED)
        unit->compiles |= compiles;
    if (unit->state != UNIT_COUNTS || cache->broken)
        return;
    unit->state = UNIT_QUEUED;
    unit->compiles = compiles;
    unit->queued = NULL;
    *cache->queue_end = unit;
    cache->queue_end = &unit->queued;
    wake_thread(cache);
}

static unsigned hot_uses(const struct jit_source *source)
{
    return source->kind == QPU_PROGRAM_USER ? WORTH_USER_USES : HOT_USES + HOT_INSTRS / source->count;
}

static unsigned uses_in_job(struct jit_unit *unit)
{
    return atomic_load_explicit(&unit->uses, memory_order_relaxed) -
           atomic_load_explicit(&unit->uses_before, memory_order_relaxed);
}

/* Under the mutex: the program that will be wanted next, it seems, as it is half as hot as it must be. Or NULL. */
static struct jit_unit *likely_next(struct jit_cache *cache)
{
    struct jit_unit *unit = cache->newest;

    for (unsigned n = 0; unit && n < RECENT; n++, unit = unit->older) {
        const bool free = unit->state == UNIT_COUNTS || unit->state == UNIT_QUEUED;
        if (free && unit->holders && uses_in_job(unit) >= hot_uses(&unit->source) / 2)
            return unit;
    }
    return NULL;
}

/* Under the mutex, which it leaves for a while. */
static void make_code_here(struct jit_cache *cache, struct jit_unit *unit)
{
    if (unit->state == UNIT_QUEUED)
        take_from_queue(cache, unit);
    make_code(cache, unit, true);
}

/* Under the mutex: when it comes back, the unit has code or never will. */
static void ensure_code(struct jit_cache *cache, struct jit_unit *unit)
{
    while (unit->state != UNIT_DONE) {
        struct jit_unit *mine = unit->state == UNIT_BUSY ? likely_next(cache) : unit;
        if (mine)
            make_code_here(cache, mine);
        else
            pthread_cond_wait(&cache->done, &cache->mutex);
    }
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
        if (!unit->holders && unit->state != UNIT_QUEUED && unit->state != UNIT_BUSY) {
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
        atomic_store_explicit(&unit->uses_before, atomic_load_explicit(&unit->uses, memory_order_relaxed),
                              memory_order_relaxed);
        if (cache->at_once)
            ensure_code(cache, unit);
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
    if (!unit || !runs || atomic_load_explicit(&unit->settled, memory_order_relaxed))
        return;
    const unsigned worth = unit->source.kind == QPU_PROGRAM_USER ? WORTH_USER_USES : WORTH_USES;
    const unsigned before = atomic_fetch_add_explicit(&unit->uses, runs, memory_order_relaxed), after = before + runs;
    const bool hot = uses_in_job(unit) >= hot_uses(&unit->source);
    if (!hot && !(before < WORTH_LOOK_USES && after >= WORTH_LOOK_USES) && before / worth == after / worth)
        return;
    pthread_mutex_lock(&cache->mutex);
    if (hot)
        ensure_code(cache, unit);
    else
        enqueue(cache, unit, after >= worth);
    pthread_mutex_unlock(&cache->mutex);
}

jit_fn jit_unit_use(struct jit_cache *cache, struct jit_unit *unit)
{
    if (!unit)
        return NULL;
    jit_fn entry = atomic_load_explicit(&unit->entry, memory_order_acquire);
    if (entry)
        return entry;
    jit_unit_count(cache, unit, 1);
    return atomic_load_explicit(&unit->entry, memory_order_acquire);
}

jit_fn jit_unit_entry(const struct jit_unit *unit)
{
    return unit ? atomic_load_explicit(&unit->entry, memory_order_acquire) : NULL;
}

unsigned jit_unit_instrs_per_run(const struct jit_unit *unit)
{
    return INSTRS_PER_USE + INSTRS_PER_USE_INSTR * unit->source.count;
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
    cache->generation = generation;
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
    if (cache->has_disk)
        jit_disk_finish(&cache->disk);
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

/* The parent's cache stays with what the parent has made: units there may wait for threads that are not in this
 * process, and its mutexes may be locked. */
static void begin_again_in_child(void)
{
    process_mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    process_cache = NULL;
    generation++;
}

static void watch_forks(void)
{
    if (pthread_atfork(NULL, NULL, begin_again_in_child))
        util_warn("model: children of this process cannot compile QPU programs for the host");
}

struct jit_cache *jit_cache_acquire(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (util_debug(UTIL_DEBUG_NO_JIT) || util_debug(UTIL_DEBUG_HANG))
        return NULL;
    pthread_once(&once, watch_forks);
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
    if (cache->generation == generation && !--cache->users) {
        process_cache = NULL;
        destroy(cache);
    }
    pthread_mutex_unlock(&process_mutex);
}
