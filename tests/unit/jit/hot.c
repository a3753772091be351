/* SPDX-License-Identifier: MIT
 *
 * Who makes host code: a program that is hot in one job has it before its runs would have taken longer than compiling,
 * whatever the background thread does, and so has everybody else who runs it. Compiling from several threads at once
 * gives the same code.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "model/jit/jit_cache.h"
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

/* Uses until there is host code. */
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
    struct jit_cache *cache = jit_cache_acquire();

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
    struct jit_cache *cache = jit_cache_acquire();
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
    c->library->rest();
    return NULL;
}

static void test_compiling_from_threads(void **state)
{
    const struct jit_library *(*door)(void);
    struct compiler alone = {.fixture = *state}, many[THREADS];

    *(void **)&door = dlsym(dlopen(getenv("VKT_JIT"), RTLD_NOW), JIT_SYMBOL);
    alone.library = door();
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hot_in_a_job),
        cmocka_unit_test(test_everybody_has_it),
        cmocka_unit_test(test_compiling_from_threads),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
