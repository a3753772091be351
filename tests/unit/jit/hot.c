/* SPDX-License-Identifier: MIT
 *
 * Tests when programs are compiled. A program that becomes hot within one job gets host code before interpreting it has
 * taken longer than compiling it, whether or not the background thread gets to it. All threads that run the program get
 * that host code. Compiling from several threads at once gives the same code as compiling from one.
 */
#include <dlfcn.h>
#include <ftw.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "hw/qpu.h"
#include "model/gpu/gpu_alu.h"
#include "model/gpu/gpu_qpu.h"
#include "model/jit/jit_cache.h"
#include "model/jit/jit_code.h"
#include "model/jit/jit_disk.h"
#include "model/jit/jit_library.h"
#include "programs.h"
#include "util/thread.h"

#define THREADS  4u
#define PROGRAMS 3u

struct fixture {
    struct random_program program[PROGRAMS];
    struct jit_source source[PROGRAMS];
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct random random = {.state = 9};

    if (!f)
        return -1;
    for (unsigned n = 0; n < PROGRAMS; n++) {
        random_program(&random, QPU_PROGRAM_FRAGMENT, &f->program[n]);
        f->source[n] = (struct jit_source){
            .words = f->program[n].words, .count = f->program[n].count, .kind = QPU_PROGRAM_FRAGMENT};
    }
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

/* Uses the program until it has host code or `limit` is reached. Returns the number of uses. */
static unsigned uses_of(struct jit_cache *cache, const struct jit_source *source, unsigned limit)
{
    struct jit_unit *unit = jit_unit_get(cache, source);
    unsigned uses = 1;

    while (unit && uses < limit && !jit_unit_use(cache, unit))
        uses++;
    jit_unit_drop(cache, unit);
    return uses;
}

static void test_hot_in_a_job(void **state)
{
    struct fixture *f = *state;
    struct jit_cache *cache = jit_cache_acquire(gpu_qpu_jit_calls());

    assert_non_null(cache);
    for (unsigned n = 0; n < PROGRAMS; n++) {
        const unsigned uses = uses_of(cache, &f->source[n], 1000000);
        print_message("# %u instructions: %u uses\n", f->source[n].count, uses);
        assert_in_range(uses, 1, 1000 + 200000 / f->source[n].count);
    }
    jit_cache_release(cache);
}

struct user {
    pthread_t thread;
    struct jit_cache *cache;
    const struct jit_source *source;
    unsigned uses;
};

static void *use(void *arg)
{
    struct user *user = arg;

    user->uses = uses_of(user->cache, user->source, 1000000);
    return NULL;
}

static void test_everybody_has_it(void **state)
{
    struct fixture *f = *state;
    struct jit_cache *cache = jit_cache_acquire(gpu_qpu_jit_calls());
    struct user users[2 * THREADS] = {0};

    assert_non_null(cache);
    for (unsigned n = 0; n < ARRAY_SIZE(users); n++) {
        users[n] = (struct user){.cache = cache, .source = &f->source[n % PROGRAMS]};
        assert_int_equal(util_thread_create(&users[n].thread, "use", use, &users[n]), 0);
    }
    for (unsigned n = 0; n < ARRAY_SIZE(users); n++)
        pthread_join(users[n].thread, NULL);
    for (unsigned n = 0; n < ARRAY_SIZE(users); n++)
        assert_in_range(users[n].uses, 1, 1000 + 200000 / users[n].source->count);
    jit_cache_release(cache);
}

#define MEMORY_B 0x2000u
#define CODE     0x1000u

static bool is_mapped(const struct gpu_memory *mem, uint32_t addr, uint32_t size_B)
{
    return addr < mem->size_B && size_B <= mem->size_B - addr;
}

/* Host code takes over within a single run, here a loop that would be interpreted for seconds. */
static void test_a_long_run_is_taken_over(void **state)
{
    static const char *const lines[] = {
        "ldi ra0, 20000000", "ldi r0, 1", "nop", "sub.sf ra0, ra0, r0", "br.anynz pc + -40", "nop", "nop", "nop",
        "nop ; end", "nop", "nop",
    };
    struct gpu_memory mem = {calloc(1, MEMORY_B), MEMORY_B, is_mapped};
    struct gpu_user_share share = {.mutex_holder = GPU_MUTEX_FREE};
    struct gpu_user_io io = {.share = &share, .is_engine = true, .semaphores = &io.own};
    const struct gpu_qpu_run run = {.kind = QPU_PROGRAM_USER, .code_addr = CODE, .user = &io};
    struct gpu_qpu_core *core;
    const char *message;
    bool is_taken_over = false;

    for (unsigned n = 0; n < ARRAY_SIZE(lines); n++) {
        struct qpu_instr instr;
        char error[100];
        if (!qpu_parse(lines[n], &instr, error, sizeof error))
            fail_msg("%s: %s", lines[n], error);
        const uint64_t word = qpu_encode(&instr);
        memcpy(mem.base + CODE + 8 * n, &word, 8);
    }
    assert_int_equal(gpu_qpu_core_create(&mem, &core), 0);
    gpu_qpu_begin_job(core);
    struct gpu_fp_mode mode = gpu_fp_enter();
    enum gpu_qpu_progress progress = gpu_qpu_start_user(core, &run, &message);
    assert_null(core->native);
    while (progress == GPU_QPU_RUNNING) {
        progress = gpu_qpu_advance_user(core, 64, &message);
        is_taken_over |= core->native != NULL;
    }
    gpu_fp_leave(mode);
    assert_int_equal(progress, GPU_QPU_ENDED);
    assert_true(is_taken_over);
    gpu_qpu_core_destroy(core);
    free(mem.base);
}

struct compiler {
    pthread_t thread;
    const struct jit_library *library;
    const struct fixture *fixture;
    void *file[PROGRAMS];
    size_t file_B[PROGRAMS];
};

static void *compile_all(void *arg)
{
    struct compiler *c = arg;
    const char *why;

    for (unsigned n = 0; n < PROGRAMS; n++)
        c->file[n] = c->library->compile(&c->fixture->source[n], &c->file_B[n], &why);
    return NULL;
}

static void test_compiling_from_threads(void **state)
{
    const struct jit_library *(*get_library)(void);
    struct compiler alone = {.fixture = *state}, many[THREADS];

    *(void **)&get_library = dlsym(dlopen(getenv("VKT_JIT"), RTLD_NOW), JIT_SYMBOL);
    alone.library = get_library();
    assert_true(alone.library->start(gpu_qpu_jit_calls(), JIT_HOST_BEST));
    compile_all(&alone);
    for (unsigned n = 0; n < THREADS; n++) {
        many[n] = (struct compiler){.fixture = *state, .library = alone.library};
        assert_int_equal(util_thread_create(&many[n].thread, "compile", compile_all, &many[n]), 0);
    }
    for (unsigned n = 0; n < THREADS; n++)
        pthread_join(many[n].thread, NULL);
    for (unsigned p = 0; p < PROGRAMS; p++) {
        assert_non_null(alone.file[p]);
        for (unsigned n = 0; n < THREADS; n++) {
            assert_non_null(many[n].file[p]);
            assert_int_equal(many[n].file_B[p], alone.file_B[p]);
            assert_memory_equal(many[n].file[p], alone.file[p], alone.file_B[p]);
            free(many[n].file[p]);
        }
        free(alone.file[p]);
    }
}

/* -- code on disk ------------------------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    return remove(path);
}

/* A stored file with the right key that does not load is deleted when it is first read. The program is compiled again
 * once it is hot. */
static void test_a_file_that_does_not_load_is_replaced(void **state)
{
    const struct jit_library *(*get_library)(void);
    struct random_program program;
    struct random random = {.state = 11};
    struct jit_disk disk;
    struct jit_code code;
    const char *why;
    char home[] = "/tmp/vc4vk-hot-XXXXXX";
    size_t file_B, kept_B;

    assert_non_null(mkdtemp(home));
    assert_int_equal(setenv("XDG_CACHE_HOME", home, 1) | setenv("VC4VK_CACHE", "64", 1), 0);
    random_program(&random, QPU_PROGRAM_FRAGMENT, &program);
    const struct jit_source source = {.words = program.words, .count = program.count, .kind = QPU_PROGRAM_FRAGMENT};
    *(void **)&get_library = dlsym(dlopen(getenv("VKT_JIT"), RTLD_NOW), JIT_SYMBOL);
    uint8_t *file = get_library()->compile(&source, &file_B, &why);
    assert_non_null(file);
    file[0] ^= 0xff; /* ELF's magic */
    assert_false(jit_code_load(file, file_B, &code, &why));

    jit_disk_init(&disk, jit_library_host(), getenv("VKT_JIT"));
    for (unsigned uses = 10; uses <= 1000000; uses = uses == 10 ? 1000000 : uses + 1) {
        jit_disk_store(&disk, &source, file, file_B);
        struct jit_cache *cache = jit_cache_acquire(gpu_qpu_jit_calls());
        const unsigned had = uses_of(cache, &source, uses);
        void *kept = jit_disk_load(&disk, &source, &kept_B);
        for (unsigned n = 0; n < 6000 && uses == 10 && kept; n++) { /* the background thread reads the file */
            free(kept);
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
            kept = jit_disk_load(&disk, &source, &kept_B);
        }
        jit_cache_release(cache);
        if (uses == 10) {
            assert_null(kept);
            continue;
        }
        assert_in_range(had, 1, 1000 + 200000 / source.count);
        assert_non_null(kept);
        assert_true(jit_code_load(kept, kept_B, &code, &why));
        jit_code_unload(&code);
        free(kept);
    }
    jit_disk_finish(&disk);
    free(file);
    assert_int_equal(setenv("VC4VK_CACHE", "0", 1), 0);
    nftw(home, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* -- what belongs to the process ----------------------------------------------------------------------------------- */

/* Overrides libc's malloc_trim, also for the library, because this program is the one that loads it. */
static _Atomic unsigned trims;
int malloc_trim(size_t pad_B);
__attribute__((visibility("default"))) int malloc_trim(size_t pad_B)
{
    trims++;
    return 0;
}

struct text {
    uintptr_t inside; /* any address within the object */
    uint8_t *last;    /* the last byte of its executable segment */
};

static int find_text(struct dl_phdr_info *object, size_t size_B, void *data)
{
    struct text *text = data;
    uint8_t *last = NULL;
    bool is_wanted = false;

    for (unsigned n = 0; n < object->dlpi_phnum; n++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[n];
        const uintptr_t start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD)
            continue;
        is_wanted |= text->inside - start < part->p_memsz;
        if (part->p_flags & PF_X)
            last = (uint8_t *)start + part->p_filesz - 1;
    }
    if (is_wanted)
        text->last = last;
    return is_wanted;
}

/* The library neither trims the heap, which belongs to the application, nor discards private copies of its own code
 * pages, because a debugger may have put a breakpoint there. It does neither after a compilation nor after a long time
 * without one. */
static void test_the_process_is_left_alone(void **state)
{
    struct jit_cache *cache = jit_cache_acquire(gpu_qpu_jit_calls());
    const long page_B = sysconf(_SC_PAGESIZE);
    struct text text = {.inside = (uintptr_t)dlsym(dlopen(getenv("VKT_JIT"), RTLD_NOW), JIT_SYMBOL)};

    assert_true(dl_iterate_phdr(find_text, &text) && text.last);
    uint8_t *page = text.last - (uintptr_t)text.last % (uintptr_t)page_B, was = *text.last;
    assert_int_equal(mprotect(page, (size_t)page_B, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
    *text.last = (uint8_t)~was;
    assert_int_equal(mprotect(page, (size_t)page_B, PROT_READ | PROT_EXEC), 0);
    struct random_program program;
    struct random random = {.state = 10};
    random_program(&random, QPU_PROGRAM_FRAGMENT, &program);
    const struct jit_source source = {.words = program.words, .count = program.count, .kind = QPU_PROGRAM_FRAGMENT};
    assert_in_range(uses_of(cache, &source, 1000000), 1, 1000 + 200000 / source.count);
    for (unsigned n = 0; n < 20 && !trims && *text.last != was; n++)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    assert_int_equal(*text.last, (uint8_t)~was);
    assert_int_equal(trims, 0);
    assert_int_equal(mprotect(page, (size_t)page_B, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
    *text.last = was;
    assert_int_equal(mprotect(page, (size_t)page_B, PROT_READ | PROT_EXEC), 0);
    jit_cache_release(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hot_in_a_job),
        cmocka_unit_test(test_everybody_has_it),
        cmocka_unit_test(test_a_long_run_is_taken_over),
        cmocka_unit_test(test_compiling_from_threads),
        cmocka_unit_test(test_a_file_that_does_not_load_is_replaced),
        cmocka_unit_test(test_the_process_is_left_alone),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
