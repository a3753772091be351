/* SPDX-License-Identifier: MIT
 *
 * Tests host code on disk. Stored code is found again only for the same program, host and library. A folder that cannot
 * be written is not an error. Damaged files are refused, or at least do no harm while they are loaded.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "model/jit/jit_code.h"
#include "model/jit/jit_disk.h"
#include "model/jit/jit_library.h"

static char cache_dir[] = "/tmp/vc4vk-jit-XXXXXX";

struct fixture {
    uint64_t words[4];
    struct jit_source source;
    void *file;
    size_t file_B;
};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    return remove(path);
}

static int set_up(void **state)
{
    static const char *const lines[4] = {"mov ra0, unif", "nop ; end", "nop", "nop"};
    struct fixture *f = calloc(1, sizeof *f);
    const struct jit_library *(*get_library)(void);
    const char *why;

    if (!f || !mkdtemp(cache_dir) || setenv("XDG_CACHE_HOME", cache_dir, 1) || unsetenv("VC4VK_CACHE"))
        return -1;
    for (unsigned n = 0; n < 4; n++) {
        struct qpu_instr i;
        char error[100];
        if (!qpu_parse(lines[n], &i, error, sizeof error))
            return -1;
        f->words[n] = qpu_encode(&i);
    }
    f->source = (struct jit_source){.words = f->words, .count = 4, .kind = QPU_PROGRAM_VERTEX};
    *(void **)&get_library = dlsym(dlopen(getenv("VKT_JIT"), RTLD_NOW), JIT_SYMBOL);
    if (!get_library()->start(gpu_qpu_jit_calls(), JIT_HOST_BEST))
        return -1;
    f->file = get_library()->compile(&f->source, &f->file_B, &why);
    *state = f;
    return f->file ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    chmod(cache_dir, 0700);
    nftw(cache_dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(f->file);
    free(f);
    return 0;
}

static bool is_found(const struct fixture *f, const struct jit_source *source, enum jit_host host, const char *library)
{
    struct jit_disk disk;
    size_t size_B = 0;

    jit_disk_init(&disk, host, library);
    void *file = jit_disk_load(&disk, source, &size_B);
    if (file) {
        assert_int_equal(size_B, f->file_B);
        assert_memory_equal(file, f->file, size_B);
    }
    free(file);
    jit_disk_finish(&disk);
    return file != NULL;
}

static void store(const struct fixture *f)
{
    struct jit_disk disk;

    jit_disk_init(&disk, JIT_HOST_BEST, getenv("VKT_JIT"));
    jit_disk_store(&disk, &f->source, f->file, f->file_B);
    jit_disk_finish(&disk);
}

static void keys(void **state)
{
    struct fixture *f = *state;
    const char *library = getenv("VKT_JIT");
    uint64_t words[4];
    struct jit_source other = f->source;

    assert_false(is_found(f, &f->source, JIT_HOST_BEST, library));
    store(f);
    assert_true(is_found(f, &f->source, JIT_HOST_BEST, library));
    assert_false(is_found(f, &f->source, JIT_HOST_BASE, library));
    assert_false(is_found(f, &f->source, JIT_HOST_BEST, "/proc/self/exe"));
    assert_false(is_found(f, &f->source, JIT_HOST_BEST, "/nowhere"));
    assert_false(is_found(f, &f->source, JIT_HOST_BEST, NULL));
    other.kind = QPU_PROGRAM_FRAGMENT;
    assert_false(is_found(f, &other, JIT_HOST_BEST, library));
    other = f->source;
    other.has_user = true;
    assert_false(is_found(f, &other, JIT_HOST_BEST, library));
    other = f->source;
    memcpy(words, f->words, sizeof words);
    words[2] ^= 1;
    other.words = words;
    assert_false(is_found(f, &other, JIT_HOST_BEST, library));
}

static void turned_off(void **state)
{
    struct fixture *f = *state;

    store(f);
    setenv("VC4VK_CACHE", "0", 1);
    assert_false(is_found(f, &f->source, JIT_HOST_BEST, getenv("VKT_JIT")));
    unsetenv("VC4VK_CACHE");
    setenv("XDG_CACHE_HOME", "/proc/self", 1); /* where no file can be created */
    store(f);
    assert_false(is_found(f, &f->source, JIT_HOST_BEST, getenv("VKT_JIT")));
    setenv("XDG_CACHE_HOME", cache_dir, 1);
}

static void damaged_file(void **state)
{
    struct fixture *f = *state;
    struct jit_code code;
    const char *why;

    assert_true(jit_code_load(f->file, f->file_B, &code, &why));
    jit_code_unload(&code);
    for (size_t size_B = 0; size_B < f->file_B; size_B += 1 + size_B / 16) {
        void *part = malloc(size_B + !size_B); /* exactly sized, so that sanitizers report reads past the end */
        memcpy(part, f->file, size_B);
        assert_false(jit_code_load(part, size_B, &code, &why));
        assert_non_null(why);
        free(part);
    }
}

/* Whatever the bytes are, the loader stays within the file and its own memory. */
static void damaged_bytes(void **state)
{
    struct fixture *f = *state;
    static const uint8_t flips[] = {0x01, 0x80, 0xff};

    for (size_t at = 0; at < f->file_B; at++) {
        for (unsigned n = 0; n < ARRAY_SIZE(flips); n++) {
            uint8_t *copy = malloc(f->file_B);
            struct jit_code code;
            const char *why;
            memcpy(copy, f->file, f->file_B);
            copy[at] ^= flips[n];
            if (jit_code_load(copy, f->file_B, &code, &why))
                jit_code_unload(&code);
            free(copy);
        }
    }
}

/* Damages several bytes and words at once, and sometimes truncates the file. VKT_FUZZ=full: 100,000 files. */
static void damaged_at_random(void **state)
{
    struct fixture *f = *state;
    const char *fuzz = getenv("VKT_FUZZ"), *why;
    const unsigned rounds = fuzz && !strcmp(fuzz, "full") ? 100000 : 2000;
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
    unsigned loaded = 0;

    for (unsigned round = 0; round < rounds; round++) {
        uint8_t *copy = malloc(f->file_B);
        struct jit_code code;
        size_t size_B = f->file_B;
        memcpy(copy, f->file, f->file_B);
        for (unsigned n = 0; n <= round % 6; n++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const uint32_t value = (uint32_t)(random >> 32), kind = (uint32_t)(random >> 28 & 3);
            const size_t at = (size_t)(random >> 8 & 0xfffff) % (f->file_B - 8);
            static const uint32_t edges[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};
            if (kind == 0)
                copy[at] = (uint8_t)value;
            else if (kind == 1)
                memcpy(copy + at / 4 * 4, &edges[value % ARRAY_SIZE(edges)], 4);
            else if (kind == 2)
                memcpy(copy + at / 4 * 4, &value, 4);
            else if (round % 8 == 0)
                size_B = at;
        }
        uint8_t *part = malloc(size_B + !size_B); /* exactly sized, so that sanitizers report reads past the end */
        memcpy(part, copy, size_B);
        if (jit_code_load(part, size_B, &code, &why)) {
            loaded++;
            jit_code_unload(&code);
        }
        free(part);
        free(copy);
    }
    assert_in_range(loaded, 1, rounds - 1);
}

/* The library is looked for beside the executable itself. argv[0] is chosen by whoever starts the program, so it must
 * not decide from which folder code is loaded. */
static void library_beside_the_program(void **state)
{
    char own[PATH_MAX] = {0}, want[PATH_MAX], got[PATH_MAX] = {0};
    static char names[][24] = {"/tmp/elsewhere/program", "program", "./program"}, word[] = "path";
    assert_true(readlink("/proc/self/exe", own, sizeof own - 1) > 0);
    *strrchr(own, '/') = 0;
    assert_true(snprintf(want, sizeof want, "%s/libvc4vk_jit.so", own) < (int)sizeof want);
    for (unsigned n = 0; n < ARRAY_SIZE(names); n++) {
        int pipe_fds[2], status;
        char *const arguments[] = {names[n], word, NULL}, *const variables[] = {NULL};
        posix_spawn_file_actions_t actions;
        pid_t child;
        assert_int_equal(pipe(pipe_fds), 0);
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
        assert_int_equal(posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, variables), 0);
        posix_spawn_file_actions_destroy(&actions);
        close(pipe_fds[1]);
        ssize_t length = read(pipe_fds[0], got, sizeof got - 1);
        close(pipe_fds[0]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        got[MAX2(length, 0)] = 0;
        assert_string_equal(got, want);
    }
}

int main(int argc, char **argv)
{
    char path[PATH_MAX];
    if (argc == 2 && !strcmp(argv[1], "path")) /* the child of library_beside_the_program */
        return !jit_library_path(path) || write(STDOUT_FILENO, path, strlen(path)) < 0;

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys),
        cmocka_unit_test(turned_off),
        cmocka_unit_test(damaged_file),
        cmocka_unit_test(damaged_bytes),
        cmocka_unit_test(damaged_at_random),
        cmocka_unit_test(library_beside_the_program),
    };

    return cmocka_run_group_tests_name("jit_kept", tests, set_up, tear_down);
}
