/* SPDX-License-Identifier: MIT
 *
 * Host code on disk: what was stored comes back for the same program, host and library alone; where the folder cannot
 * be written nothing fails; damaged files are refused, or harm nobody.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "model/jit/jit_code.h"
#include "model/jit/jit_disk.h"

static char home[] = "/tmp/vc4vk-jit-XXXXXX";

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
    const struct jit_library *(*door)(void);
    const char *why;

    if (!f || !mkdtemp(home) || setenv("XDG_CACHE_HOME", home, 1) || unsetenv("VC4VK_CACHE"))
        return -1;
    for (unsigned n = 0; n < 4; n++) {
        struct qpu_instr i;
        char error[100];
        if (!qpu_parse(lines[n], &i, error, sizeof error))
            return -1;
        f->words[n] = qpu_encode(&i);
    }
    f->source = (struct jit_source){.words = f->words, .count = 4, .kind = QPU_PROGRAM_VERTEX};
    *(void **)&door = dlsym(dlopen(getenv("VKT_JIT"), RTLD_NOW), JIT_SYMBOL);
    if (!door()->start(gpu_qpu_jit_calls(), JIT_HOST_BEST))
        return -1;
    f->file = door()->compile(&f->source, &f->file_B, &why);
    *state = f;
    return f->file ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    chmod(home, 0700);
    nftw(home, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(f->file);
    free(f);
    return 0;
}

static bool comes_back(const struct fixture *f, const struct jit_source *source, enum jit_host host,
                       const char *library)
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

    assert_false(comes_back(f, &f->source, JIT_HOST_BEST, library));
    store(f);
    assert_true(comes_back(f, &f->source, JIT_HOST_BEST, library));
    assert_false(comes_back(f, &f->source, JIT_HOST_BASE, library));
    assert_false(comes_back(f, &f->source, JIT_HOST_BEST, "/proc/self/exe"));
    assert_false(comes_back(f, &f->source, JIT_HOST_BEST, "/nowhere"));
    assert_false(comes_back(f, &f->source, JIT_HOST_BEST, NULL));
    other.kind = QPU_PROGRAM_FRAGMENT;
    assert_false(comes_back(f, &other, JIT_HOST_BEST, library));
    other = f->source;
    other.has_user = true;
    assert_false(comes_back(f, &other, JIT_HOST_BEST, library));
    other = f->source;
    memcpy(words, f->words, sizeof words);
    words[2] ^= 1;
    other.words = words;
    assert_false(comes_back(f, &other, JIT_HOST_BEST, library));
}

static void turned_off(void **state)
{
    struct fixture *f = *state;

    store(f);
    setenv("VC4VK_CACHE", "0", 1);
    assert_false(comes_back(f, &f->source, JIT_HOST_BEST, getenv("VKT_JIT")));
    unsetenv("VC4VK_CACHE");
    setenv("XDG_CACHE_HOME", "/proc/self", 1); /* where nothing can be made */
    store(f);
    assert_false(comes_back(f, &f->source, JIT_HOST_BEST, getenv("VKT_JIT")));
    setenv("XDG_CACHE_HOME", home, 1);
}

static void damaged_file(void **state)
{
    struct fixture *f = *state;
    struct jit_code code;
    const char *why;

    assert_true(jit_code_load(f->file, f->file_B, &code, &why));
    jit_code_unload(&code);
    for (size_t size_B = 0; size_B < f->file_B; size_B += 1 + size_B / 16) {
        void *part = malloc(size_B + !size_B); /* sanitizers see what is behind */
        memcpy(part, f->file, size_B);
        assert_false(jit_code_load(part, size_B, &code, &why));
        assert_non_null(why);
        free(part);
    }
}

/* Any byte may be anything: the loader stays within the file and its own memory. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys),
        cmocka_unit_test(turned_off),
        cmocka_unit_test(damaged_file),
        cmocka_unit_test(damaged_bytes),
    };

    return cmocka_run_group_tests_name("jit_kept", tests, set_up, tear_down);
}
