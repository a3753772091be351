/* SPDX-License-Identifier: MIT
 *
 * The process's cache of compiled programs, with use counts that decide when a program is compiled and by which thread.
 * One mutex protects everything except a unit's host code and use counts, which are atomic, and the fields that only
 * the thread making its code accesses. Unreferenced units are evicted in least-recently-used order.
 *
 * A program that becomes hot within one job is compiled by the thread running it: interpreting it for the time that a
 * compile takes would do less than a hundredth of the work that host code does in that time. A second thread that needs
 * the same program compiles another program that is about to become hot, or waits. Programs that become worth compiling
 * over many jobs go to the background thread, and no thread waits for them.
 *
 * A long program consists of pieces (jit_plan.h), which are made in the same ways but each for itself. Once the program
 * is worth compiling, it runs from piece to piece (jit_pieces.c). A piece that is entered a few times without code is
 * compiled, by the thread that entered it if the program is hot. Other threads that enter it compile other pieces of
 * the program meanwhile.
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
#include "model/jit/jit_pieces.h"
#include "util/debug.h"
#include "util/hash.h"
#include "util/log.h"
#include "util/thread.h"

#define BUCKETS   256u
#define UNITS_MAX 512u /* beyond this, unreferenced units are evicted */
#define RECENT    16u  /* most recently used units, which next_hot_unit() looks at */
/* Runs of 16 lanes before a program is compiled; runs of user programs are long. The on-disk cache, which may hold the
 * code from an earlier process, is searched sooner. */
#define COMPILE_USES      1000u
#define COMPILE_USER_USES 64u
#define SEARCH_USES       4u
/* Runs within one job before the running thread compiles the program itself: HOT_USES + HOT_INSTRS / instructions.
 * Interpreting HOT_INSTRS instructions takes as long as the fixed part of a compile. HOT_USES runs take a fifteenth of
 * the part that grows with the program. [measured: a compile takes 20 ms, and 0.35 ms more for each instruction; the
 * interpreter takes 0.00015 ms for an instruction] */
#define HOT_INSTRS 150000u
#define HOT_USES   150u
/* Runs of user programs may have any length, so their interpreted instructions are counted in units of one "run":
 * interpreting COMPILE_USER_USES such runs takes as long as a compile, by the same measurement. */
#define INSTRS_PER_USE       2000u
#define INSTRS_PER_USE_INSTR 36u

#define STRESS_PIECE_INSTRS 24u /* VC4VK_DEBUG=jit-pieces */
/* Interpreted runs of a piece, of a program that is worth compiling, before the piece is: rare code never is. */
#define PIECE_USES 4u

enum part_state { PART_COUNTING, PART_QUEUED, PART_BUSY, PART_DONE };

/* What is compiled at once: a program, or a piece of a long one. */
struct jit_part {
    struct jit_unit *unit;
    struct jit_part *queued; /* next in the compile queue */
    enum part_state state;
    bool searched;         /* the on-disk cache has been searched */
    bool may_compile;      /* queued for compilation, not just for the search on disk */
    _Atomic unsigned uses; /* of a piece without code */
    struct jit_code code;
};

struct jit_unit {
    struct jit_unit *next;          /* in its bucket */
    struct jit_unit *older, *newer; /* LRU order, by jit_unit_get() */
    uint64_t hash;
    unsigned refs;
    _Atomic(jit_fn) entry;
    _Atomic unsigned uses, uses_before; /* uses_before: the value of uses when this job began */
    _Atomic bool settled;               /* there is nothing more to compile: no more counting */
    const char *refused;                /* why the program cannot be compiled, or NULL */
    struct jit_pieces pieces;           /* of a long program; else zeroed */
    struct jit_part *parts;             /* one, or one for each piece */
    uint32_t part_count, parts_left;    /* parts_left: not done */
    struct jit_source source; /* its words follow the struct */
    uint64_t words[];
};

struct jit_cache {
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    unsigned users;      /* under process_mutex */
    unsigned generation; /* if not the current one, the cache is a fork parent's: its threads are not in this process */
    struct jit_unit *bucket[BUCKETS];
    struct jit_unit *oldest, *newest;
    unsigned unit_count;
    struct jit_part *queue, **queue_end;
    pthread_t thread;
    bool has_thread, stopping, thread_failed; /* thread_failed: it could not be created */
    bool compile_at_once;                     /* VC4VK_DEBUG=jit-now */
    bool has_disk;
    struct jit_disk disk;
    const struct jit_calls *calls; /* for host code */
};

static pthread_mutex_t process_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct jit_cache *process_cache;
static unsigned generation; /* number of forks between the first process and this one */

/* -- making code ------------------------------------------------------------------------------------------------ */

static bool is_long(const struct jit_unit *unit)
{
    return unit->pieces.code != NULL;
}

static uint32_t number_of(const struct jit_part *part)
{
    return (uint32_t)(part - part->unit->parts);
}

static struct jit_source source_of(const struct jit_part *part)
{
    struct jit_source source = part->unit->source;

    source.piece = number_of(part);
    return source;
}

/* Compiles the part to a file; NULL with a message. LLVM needs the default floating-point mode, not the model's. */
static void *make_file(const struct jit_cache *cache, const struct jit_source *source, size_t *size_out_B,
                       const char **message_out)
{
    const struct jit_library *library = jit_library_begin(cache->calls);
    fenv_t mode;

    if (!library) {
        *message_out = "libvc4vk_jit.so is missing or does not support this host";
        return NULL;
    }
    fegetenv(&mode);
    fesetenv(FE_DFL_ENV);
    void *file = library->compile(source, size_out_B, message_out);
    fesetenv(&mode);
    jit_library_end();
    return file;
}

/* Looks for code from an earlier process on disk. True: the part has code now. Removes a file that does not load. */
static bool find_code(struct jit_cache *cache, struct jit_part *part)
{
    const struct jit_source source = source_of(part);
    const char *message;
    size_t size_B;
    void *file = jit_disk_load(&cache->disk, &source, &size_B);
    const bool found = file && jit_code_load(file, size_B, &part->code, &message);

    if (file && !found) {
        jit_disk_remove(&cache->disk, &source);
        util_perf("jit: cached code of a program of %u instructions does not load: %s", source.count, message);
    }
    free(file);
    return found;
}

/* False with a message. A file that does not load is not stored on disk. */
static bool compile_code(struct jit_cache *cache, struct jit_part *part, const char **message_out)
{
    const struct jit_source source = source_of(part);
    size_t size_B;
    void *file = make_file(cache, &source, &size_B, message_out);
    const bool made = file && jit_code_load(file, size_B, &part->code, message_out);

    if (made)
        jit_disk_store(&cache->disk, &source, file, size_B);
    free(file);
    return made;
}

static void report(const struct jit_part *part, bool found, uint64_t ns, const char *message)
{
    char piece[40] = "";

    if (is_long(part->unit))
        snprintf(piece, sizeof piece, "piece %u of %u of ", number_of(part) + 1, part->unit->part_count);
    util_info("jit: %s%u instructions, %s %.1f ms%s%s", piece, part->unit->source.count,
              found ? "found in" : "compiled in", (double)ns * 1e-6, message ? ", interpreted: " : "",
              message ? message : "");
}

/* Lets the program run as host code as far as there is some. */
static void publish(struct jit_unit *unit)
{
    atomic_store_explicit(&unit->entry, is_long(unit) ? jit_pieces_run : unit->parts[0].code.entry,
                          memory_order_release);
}

/* Gets the part's code from disk or, with `may_compile`, compiles it. True: there is nothing more to try. */
static bool find_or_compile(struct jit_cache *cache, struct jit_part *part, bool may_compile)
{
    struct jit_unit *unit = part->unit;
    const char *message = NULL;
    uint64_t from_ns = util_thread_time_ns();
    const bool found = !part->searched && find_code(cache, part), made = !found && may_compile;
    const bool has_code = found || (made && compile_code(cache, part, &message));

    part->searched = true;
    if (has_code && is_long(unit))
        atomic_store_explicit(&unit->pieces.code[number_of(part)], part->code.entry, memory_order_release);
    /* a user program needs its first piece: jit_pieces_run() */
    if (has_code && (unit->source.kind != QPU_PROGRAM_USER || !number_of(part)))
        publish(unit);
    if (util_debug(UTIL_DEBUG_PERF) && (found || made))
        report(part, found, util_thread_time_ns() - from_ns, message);
    return has_code || may_compile;
}

/* Call with the mutex held; drops it while compiling. The part must not be queued. */
static void make_code(struct jit_cache *cache, struct jit_part *part, bool may_compile)
{
    char path[PATH_MAX];

    if (!cache->has_disk)
        jit_disk_init(&cache->disk, jit_library_host(), jit_library_path(path) ? path : NULL);
    cache->has_disk = true;
    part->state = PART_BUSY;
    pthread_mutex_unlock(&cache->mutex);
    const bool done = find_or_compile(cache, part, may_compile);
    pthread_mutex_lock(&cache->mutex);
    part->state = done ? PART_DONE : PART_COUNTING;
    part->unit->parts_left -= done;
    if (!part->unit->parts_left)
        atomic_store_explicit(&part->unit->settled, true, memory_order_relaxed);
    pthread_cond_broadcast(&cache->done);
}

/* -- the background thread ---------------------------------------------------------------------------------------- */

static void take_from_queue(struct jit_cache *cache, struct jit_part *part)
{
    struct jit_part **at = &cache->queue;

    while (*at != part)
        at = &(*at)->queued;
    *at = part->queued;
    if (!*at)
        cache->queue_end = at;
}

static void *background_thread(void *arg)
{
    struct jit_cache *cache = arg;

    util_log_domain_set(util_log_domain_all()); /* this thread compiles for every device of the process */
    pthread_mutex_lock(&cache->mutex);
    while (!cache->stopping) {
        struct jit_part *part = cache->queue;
        if (part) {
            take_from_queue(cache, part);
            make_code(cache, part, part->may_compile);
        } else {
            pthread_cond_wait(&cache->work, &cache->mutex);
        }
    }
    pthread_mutex_unlock(&cache->mutex);
    return NULL;
}

/* Call with the mutex held. Creates the thread the first time. */
static void wake_thread(struct jit_cache *cache)
{
    if (!cache->has_thread && !cache->thread_failed) {
        cache->thread_failed = util_thread_create(&cache->thread, "vc4-jit", background_thread, cache) != 0;
        cache->has_thread = !cache->thread_failed;
    }
    pthread_cond_signal(&cache->work);
}

/* Call with the mutex held. `may_compile`: compile the part if nothing is found on disk. */
static void enqueue(struct jit_cache *cache, struct jit_part *part, bool may_compile)
{
    if (part->state == PART_QUEUED)
        part->may_compile |= may_compile;
    if (part->state != PART_COUNTING || cache->thread_failed)
        return;
    part->state = PART_QUEUED;
    part->may_compile = may_compile;
    part->queued = NULL;
    *cache->queue_end = part;
    cache->queue_end = &part->queued;
    wake_thread(cache);
}

static unsigned hot_uses(const struct jit_source *source)
{
    return source->kind == QPU_PROGRAM_USER ? COMPILE_USER_USES : HOT_USES + HOT_INSTRS / source->count;
}

static unsigned uses_in_job(struct jit_unit *unit)
{
    return atomic_load_explicit(&unit->uses, memory_order_relaxed) -
           atomic_load_explicit(&unit->uses_before, memory_order_relaxed);
}

static bool is_free(const struct jit_part *part)
{
    return part->state == PART_COUNTING || part->state == PART_QUEUED;
}

/* Call with the mutex held. A unit in use that has reached half of its hot threshold, or NULL. */
static struct jit_part *next_hot_part(struct jit_cache *cache)
{
    struct jit_unit *unit = cache->newest;

    for (unsigned n = 0; unit && n < RECENT; n++, unit = unit->older) {
        if (!unit->refused && !is_long(unit) && is_free(&unit->parts[0]) && unit->refs &&
            uses_in_job(unit) >= hot_uses(&unit->source) / 2)
            return &unit->parts[0];
    }
    return NULL;
}

/* Call with the mutex held. Of the unit's pieces, the first after `part` that is likely to be wanted next, or NULL. */
static struct jit_part *next_piece(const struct jit_part *part)
{
    const struct jit_unit *unit = part->unit;
    const bool user = unit->source.kind == QPU_PROGRAM_USER;

    for (uint32_t n = 1; n < unit->part_count; n++) {
        struct jit_part *other = &unit->parts[(number_of(part) + n) % unit->part_count];
        if (is_free(other) && (user || atomic_load_explicit(&other->uses, memory_order_relaxed) >= PIECE_USES / 2))
            return other;
    }
    return NULL;
}

/* Call with the mutex held; drops it while compiling. */
static void make_code_now(struct jit_cache *cache, struct jit_part *part)
{
    if (part->state == PART_QUEUED)
        take_from_queue(cache, part);
    make_code(cache, part, true);
}

/* Call with the mutex held; may drop it for a while. On return the part has code, or never will. The time that this
 * thread spends compiling does not count as work of its job. */
static void ensure_code(struct jit_cache *cache, struct jit_part *part)
{
    const uint64_t from_ns = util_thread_time_ns();

    while (part->state != PART_DONE) {
        struct jit_part *mine = part;
        if (part->state == PART_BUSY) {
            mine = next_piece(part);
            mine = mine ? mine : next_hot_part(cache);
        }
        if (mine)
            make_code_now(cache, mine);
        else
            pthread_cond_wait(&cache->done, &cache->mutex);
    }
    util_thread_exclude_ns(util_thread_time_ns() - from_ns);
}

/* Call with the mutex held; may drop it for a while. The program runs as host code from now on, unless that is not
 * possible. */
static void ensure_entry(struct jit_cache *cache, struct jit_unit *unit)
{
    if (unit->refused)
        return;
    if (is_long(unit) && unit->source.kind != QPU_PROGRAM_USER)
        publish(unit); /* its pieces follow as they are entered */
    else
        ensure_code(cache, &unit->parts[0]);
}

/* A piece that is entered but has no code (struct jit_pieces). */
static jit_fn get_missing(void *owner, uint32_t piece, struct gpu_qpu_core *core)
{
    struct jit_unit *unit = owner;
    struct jit_cache *cache = core->jit;
    struct jit_part *part = &unit->parts[piece];
    const bool user = unit->source.kind == QPU_PROGRAM_USER;
    const unsigned uses = atomic_fetch_add_explicit(&part->uses, 1, memory_order_relaxed) + 1;

    if (atomic_load_explicit(&unit->settled, memory_order_relaxed) || (!user && uses < PIECE_USES))
        return NULL;
    pthread_mutex_lock(&cache->mutex);
    if (user || uses_in_job(unit) >= hot_uses(&unit->source))
        ensure_code(cache, part);
    else
        enqueue(cache, part, true);
    pthread_mutex_unlock(&cache->mutex);
    return atomic_load_explicit(&unit->pieces.code[piece], memory_order_acquire);
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
    for (uint32_t n = 0; n < unit->part_count; n++)
        jit_code_unload(&unit->parts[n].code);
    jit_pieces_finish(&unit->pieces);
    free(unit->parts);
    free(unit);
}

static bool is_in_work(const struct jit_unit *unit)
{
    bool is = false;

    for (uint32_t n = 0; n < unit->part_count; n++)
        is |= unit->parts[n].state == PART_QUEUED || unit->parts[n].state == PART_BUSY;
    return is;
}

/* Frees the least recently used unreferenced units above UNITS_MAX. */
static void evict(struct jit_cache *cache)
{
    struct jit_unit *unit = cache->oldest;

    while (unit && cache->unit_count > UNITS_MAX) {
        struct jit_unit *newer = unit->newer;
        if (!unit->refs && !is_in_work(unit)) {
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

/* A program of which no plan can be made is settled at once, and interpreted. */
static bool plan_parts(struct jit_unit *unit)
{
    const bool is_cut = jit_plan_is_cut(unit->source.count, unit->source.piece_instrs);

    if (is_cut && jit_pieces_init(&unit->pieces, &unit->source, &unit->refused)) {
        unit->pieces.get_missing = get_missing;
        unit->pieces.owner = unit;
    }
    unit->part_count = unit->parts_left = is_long(unit) ? unit->pieces.plan.count : 1;
    unit->parts = calloc(unit->part_count, sizeof unit->parts[0]);
    for (uint32_t n = 0; n < unit->part_count && unit->parts; n++)
        unit->parts[n].unit = unit;
    if (!unit->parts)
        jit_pieces_finish(&unit->pieces);
    atomic_store_explicit(&unit->settled, unit->refused != NULL, memory_order_relaxed);
    if (unit->refused)
        util_perf("jit: %u instructions, interpreted: %s", unit->source.count, unit->refused);
    return unit->parts != NULL;
}

static struct jit_unit *make_unit(struct jit_cache *cache, const struct jit_source *source, uint64_t hash)
{
    struct jit_unit *unit = calloc(1, sizeof *unit + 8 * source->count);

    if (!unit)
        return NULL;
    memcpy(unit->words, source->words, 8 * source->count);
    unit->source = *source;
    unit->source.words = unit->words;
    unit->source.piece_instrs = util_debug(UTIL_DEBUG_JIT_PIECES) ? STRESS_PIECE_INSTRS : 0;
    unit->hash = hash;
    if (!plan_parts(unit)) {
        free(unit);
        return NULL;
    }
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
        unit->refs++;
        evict(cache);
        atomic_store_explicit(&unit->uses_before, atomic_load_explicit(&unit->uses, memory_order_relaxed),
                              memory_order_relaxed);
        if (cache->compile_at_once && !unit->refused) {
            for (uint32_t n = 0; n < unit->part_count; n++)
                ensure_code(cache, &unit->parts[n]);
        }
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
    unit->refs--;
    pthread_mutex_unlock(&cache->mutex);
}

void jit_unit_count(struct jit_cache *cache, struct jit_unit *unit, unsigned runs)
{
    if (!unit || !runs || atomic_load_explicit(&unit->settled, memory_order_relaxed))
        return;
    const unsigned threshold = unit->source.kind == QPU_PROGRAM_USER ? COMPILE_USER_USES : COMPILE_USES;
    const unsigned before = atomic_fetch_add_explicit(&unit->uses, runs, memory_order_relaxed), after = before + runs;
    const bool hot = uses_in_job(unit) >= hot_uses(&unit->source);
    if (atomic_load_explicit(&unit->entry, memory_order_relaxed)) /* the program's pieces count for themselves */
        return;
    if (!hot && !(before < SEARCH_USES && after >= SEARCH_USES) && before / threshold == after / threshold)
        return;
    pthread_mutex_lock(&cache->mutex);
    if (hot)
        ensure_entry(cache, unit);
    else if (is_long(unit) && after >= threshold && unit->source.kind != QPU_PROGRAM_USER)
        publish(unit);
    for (uint32_t n = 0; n < unit->part_count && !hot; n++)
        enqueue(cache, &unit->parts[n], after >= threshold && !is_long(unit));
    pthread_mutex_unlock(&cache->mutex);
}

jit_fn jit_unit_use(struct jit_cache *cache, struct jit_unit *unit)
{
    if (!unit)
        return NULL;
    jit_fn entry = atomic_load_explicit(&unit->entry, memory_order_acquire);
    if (entry && !is_long(unit))
        return entry;
    jit_unit_count(cache, unit, 1);
    return atomic_load_explicit(&unit->entry, memory_order_acquire);
}

struct jit_pieces *jit_unit_pieces(struct jit_unit *unit)
{
    return unit && is_long(unit) ? &unit->pieces : NULL;
}

jit_fn jit_unit_entry(const struct jit_unit *unit)
{
    return unit ? atomic_load_explicit(&unit->entry, memory_order_acquire) : NULL;
}

unsigned jit_unit_instrs_per_run(const struct jit_unit *unit)
{
    return INSTRS_PER_USE + INSTRS_PER_USE_INSTR * unit->source.count;
}

/* -- creation, fork ------------------------------------------------------------------------------------------------ */

static struct jit_cache *create(const struct jit_calls *calls)
{
    struct jit_cache *cache = calloc(1, sizeof *cache);

    if (!cache || pthread_mutex_init(&cache->mutex, NULL) || util_cond_init(&cache->work) ||
        util_cond_init(&cache->done)) {
        free(cache);
        return NULL;
    }
    cache->queue_end = &cache->queue;
    cache->generation = generation;
    cache->calls = calls;
    cache->compile_at_once = util_debug(UTIL_DEBUG_JIT_NOW);
    return cache;
}

static void destroy(struct jit_cache *cache)
{
    pthread_mutex_lock(&cache->mutex);
    cache->stopping = true;
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

/* A child of fork starts without a cache and leaks the parent's. Units there may wait for threads that are not in this
 * process, and its mutexes may be locked. */
static void reset_in_child(void)
{
    process_mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    process_cache = NULL;
    generation++;
}

static void register_fork_handler(void)
{
    if (pthread_atfork(NULL, NULL, reset_in_child))
        util_warn("model: children of this process cannot compile QPU programs for the host");
}

struct jit_cache *jit_cache_acquire(const struct jit_calls *calls)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (util_debug(UTIL_DEBUG_NO_JIT) || util_debug(UTIL_DEBUG_HANG))
        return NULL;
    pthread_once(&once, register_fork_handler);
    pthread_mutex_lock(&process_mutex);
    if (!process_cache)
        process_cache = create(calls);
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
