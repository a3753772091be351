/* SPDX-License-Identifier: MIT
 *
 * Tests the on-disk cache: stored data is found again, damaged files and files of other builds are not, the size limit
 * is enforced, and several processes can share the cache.
 */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "util/disk_cache.h"

static char base_dir[] = "/tmp/vc4vk-cache-XXXXXX";
static const uint8_t uuid[UTIL_DISK_CACHE_UUID_B] = "this build";

static struct util_disk_cache open_cache(void)
{
    struct util_disk_cache cache;
    util_disk_cache_init(&cache, uuid);
    return cache;
}

/* Fills in data that depends on the key. */
static void fill(uint8_t *data, size_t size_B, uint32_t key)
{
    for (size_t i = 0; i < size_B; i++)
        data[i] = (uint8_t)(key * 31 + i * 7);
}

static void store(struct util_disk_cache *cache, uint32_t key, size_t size_B)
{
    uint8_t *data = malloc(size_B + 1);
    fill(data, size_B, key);
    util_disk_cache_store(cache, &key, sizeof key, data, size_B);
    free(data);
}

/* 1: found with the right data, 0: not found, -1: wrong data. */
static int check_entry(struct util_disk_cache *cache, uint32_t key, size_t size_B)
{
    size_t got_B;
    uint8_t *got = util_disk_cache_load(cache, &key, sizeof key, &got_B);
    if (!got)
        return 0;
    uint8_t *want = malloc(size_B + 1);
    fill(want, size_B, key);
    int found = got_B == size_B && !memcmp(got, want, size_B) ? 1 : -1;
    free(want);
    free(got);
    return found;
}

static void folder(char *out, size_t max_B)
{
    snprintf(out, max_B, "%s/cache/vc4vk", base_dir);
}

/* Calls `call` for each file of the cache. Returns the number of files. */
static unsigned each_file(void (*call)(const char *path, uint64_t *sum), uint64_t *sum)
{
    char name[256], path[600];
    unsigned count = 0;
    folder(name, sizeof name);
    DIR *dir = opendir(name);
    for (struct dirent *d; dir && (d = readdir(dir));) {
        if (d->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", name, d->d_name);
        if (call)
            call(path, sum);
        count++;
    }
    if (dir)
        closedir(dir);
    return count;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    return remove(path);
}

static int reset_cache(void **state)
{
    char path[256];
    snprintf(path, sizeof path, "%s/cache", base_dir);
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    setenv("XDG_CACHE_HOME", path, 1);
    unsetenv("VC4VK_CACHE");
    return 0;
}

/* ---------------------------------------------------------------- tests */

static void what_is_stored_comes_back(void **state)
{
    struct util_disk_cache cache = open_cache();
    assert_int_equal(check_entry(&cache, 1, 100), 0);
    store(&cache, 1, 100);
    store(&cache, 2, 0);
    store(&cache, 3, 100000);
    assert_int_equal(check_entry(&cache, 1, 100), 1);
    util_disk_cache_finish(&cache);
    cache = open_cache();
    assert_int_equal(check_entry(&cache, 1, 100), 1);
    assert_int_equal(check_entry(&cache, 2, 0), 1);
    assert_int_equal(check_entry(&cache, 3, 100000), 1);
    assert_int_equal(check_entry(&cache, 4, 1), 0);
    assert_int_equal(each_file(NULL, NULL), 3);
    util_disk_cache_finish(&cache);
}

static void other_builds_see_nothing(void **state)
{
    static const uint8_t other[UTIL_DISK_CACHE_UUID_B] = "another build";
    struct util_disk_cache cache = open_cache(), theirs;
    store(&cache, 1, 100);
    util_disk_cache_init(&theirs, other);
    assert_int_equal(check_entry(&theirs, 1, 100), 0);
    assert_int_equal(check_entry(&cache, 1, 100), 1);
    util_disk_cache_finish(&theirs);
    util_disk_cache_finish(&cache);
}

static void damage_byte(const char *path, uint64_t *at)
{
    int fd = open(path, O_RDWR);
    uint8_t byte;
    assert_int_equal(pread(fd, &byte, 1, (off_t)*at), 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)*at), 1);
    close(fd);
}

static void truncate_file(const char *path, uint64_t *size_B)
{
    assert_int_equal(truncate(path, (off_t)*size_B), 0);
}

static void damaged_files_are_removed(void **state)
{
    struct util_disk_cache cache = open_cache();
    for (uint64_t at = 0; at < 40 + 4 + 30; at++) { /* head, key, data */
        store(&cache, 7, 30);
        each_file(damage_byte, &at);
        assert_int_equal(check_entry(&cache, 7, 30), 0);
        assert_int_equal(each_file(NULL, NULL), 0);
    }
    for (uint64_t size_B = 0; size_B < 74; size_B++) {
        store(&cache, 7, 30);
        each_file(truncate_file, &size_B);
        assert_int_equal(check_entry(&cache, 7, 30), 0);
    }
    store(&cache, 7, 30);
    assert_int_equal(check_entry(&cache, 7, 30), 1);
    util_disk_cache_finish(&cache);
}

static void add_size(const char *path, uint64_t *sum)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    *sum += (uint64_t)st.st_size;
}

static void make_old(const char *path, uint64_t *age_s)
{
    struct timespec times[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void the_oldest_go_when_it_grows(void **state)
{
    setenv("VC4VK_CACHE", "64K", 1);
    struct util_disk_cache cache = open_cache();
    assert_int_equal(cache.bound_B, 65536);
    for (uint32_t key = 0; key < 10; key++)
        store(&cache, key, 1000);
    each_file(make_old, NULL);
    assert_int_equal(check_entry(&cache, 3, 1000), 1); /* reading it makes it recent */
    for (uint32_t key = 100; key < 165; key++)
        store(&cache, key, 1000);
    uint64_t sum = 0;
    each_file(add_size, &sum);
    assert_true(sum <= 65536);
    assert_int_equal(check_entry(&cache, 0, 1000), 0);
    assert_int_equal(check_entry(&cache, 3, 1000), 1);
    assert_int_equal(check_entry(&cache, 164, 1000), 1);
    util_disk_cache_finish(&cache);
}

static void nothing_fails_where_there_is_no_cache(void **state)
{
    struct util_disk_cache cache;
    setenv("VC4VK_CACHE", "0", 1);
    cache = open_cache();
    store(&cache, 1, 10);
    assert_int_equal(check_entry(&cache, 1, 10), 0);
    assert_int_equal(each_file(NULL, NULL), 0);
    util_disk_cache_finish(&cache);
    unsetenv("VC4VK_CACHE");
    setenv("XDG_CACHE_HOME", "/proc/self/nowhere", 1);
    cache = open_cache();
    store(&cache, 1, 10);
    assert_int_equal(check_entry(&cache, 1, 10), 0);
    util_disk_cache_finish(&cache);
    char file[256];
    snprintf(file, sizeof file, "%s/file", base_dir);
    close(open(file, O_CREAT | O_WRONLY, 0600));
    setenv("XDG_CACHE_HOME", file, 1); /* a file where a folder should be */
    cache = open_cache();
    store(&cache, 1, 10);
    assert_int_equal(check_entry(&cache, 1, 10), 0);
    util_disk_cache_finish(&cache);
    unlink(file);
}

static void without_xdg_it_is_in_the_home(void **state)
{
    char want[300];
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", base_dir, 1);
    struct util_disk_cache cache = open_cache();
    snprintf(want, sizeof want, "%s/.cache/vc4vk", base_dir);
    assert_string_equal(cache.folder, want);
    util_disk_cache_finish(&cache);
}

/* Cached code is executed, so a folder that other users can write must not be trusted. */
static void a_folder_that_others_can_write_is_not_used(void **state)
{
    static const mode_t modes[] = {0720, 0702, 0777};
    char path[256];
    struct util_disk_cache cache = open_cache();
    store(&cache, 1, 10);
    assert_int_equal(check_entry(&cache, 1, 10), 1);
    folder(path, sizeof path);
    for (unsigned n = 0; n < sizeof modes / sizeof modes[0]; n++) {
        assert_int_equal(chmod(path, modes[n]), 0);
        assert_int_equal(check_entry(&cache, 1, 10), 0);
        store(&cache, 2, 10);
    }
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(check_entry(&cache, 1, 10), 1);
    assert_int_equal(check_entry(&cache, 2, 10), 0);
    util_disk_cache_finish(&cache);
}

/* This happens under sudo, which may keep the HOME of the calling user. */
static void another_users_folder_is_not_used(void **state)
{
    char path[256];
    struct util_disk_cache cache = open_cache();
    store(&cache, 1, 10);
    folder(path, sizeof path);
    assert_int_equal(chown(path, 65534, 65534), 0);
    assert_int_equal(check_entry(&cache, 1, 10), 0);
    store(&cache, 2, 10);
    assert_int_equal(chown(path, 0, 0), 0);
    assert_int_equal(check_entry(&cache, 1, 10), 1);
    assert_int_equal(check_entry(&cache, 2, 10), 0);
    util_disk_cache_finish(&cache);
}

/* Several processes store and load the same keys, under a size limit that evicts all the time. None of them may ever
 * load wrong data. */
static void processes_share_it(void **state)
{
    pid_t children[4];
    setenv("VC4VK_CACHE", "40K", 1);
    for (uint32_t c = 0; c < 4; c++) {
        children[c] = fork();
        assert_true(children[c] >= 0);
        if (children[c])
            continue;
        struct util_disk_cache cache = open_cache();
        int bad = 0;
        for (uint32_t i = 0; i < 300; i++) {
            uint32_t key = (i * 13 + c * 5) % 60;
            store(&cache, key, 700 + key);
            bad |= check_entry(&cache, (key + 7) % 60, 700 + (key + 7) % 60) < 0;
        }
        util_disk_cache_finish(&cache);
        _exit(bad);
    }
    for (uint32_t c = 0; c < 4; c++) {
        int status;
        assert_int_equal(waitpid(children[c], &status, 0), children[c]);
        assert_int_equal(status, 0);
    }
}

static int teardown(void **state)
{
    return nftw(base_dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* `disk_cache root` runs the case that needs root. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_stored_comes_back, reset_cache),
        cmocka_unit_test_setup(other_builds_see_nothing, reset_cache),
        cmocka_unit_test_setup(damaged_files_are_removed, reset_cache),
        cmocka_unit_test_setup(the_oldest_go_when_it_grows, reset_cache),
        cmocka_unit_test_setup(nothing_fails_where_there_is_no_cache, reset_cache),
        cmocka_unit_test_setup(without_xdg_it_is_in_the_home, reset_cache),
        cmocka_unit_test_setup(a_folder_that_others_can_write_is_not_used, reset_cache),
        cmocka_unit_test_setup(processes_share_it, reset_cache),
    };
    const struct CMUnitTest of_root[] = {
        cmocka_unit_test_setup(another_users_folder_is_not_used, reset_cache),
    };
    const bool wants_root = argc > 1 && !strcmp(argv[1], "root");
    if (wants_root && geteuid()) {
        puts("1..0 # SKIP only root can make a folder of another user");
        return 0;
    }
    if (!mkdtemp(base_dir))
        return 2;
    return wants_root ? cmocka_run_group_tests_name("disk_cache_root", of_root, NULL, teardown)
                      : cmocka_run_group_tests_name("disk_cache", tests, NULL, teardown);
}
