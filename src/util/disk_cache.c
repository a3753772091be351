/* SPDX-License-Identifier: MIT
 *
 * The on-disk cache: one file per entry, written under a temporary name and renamed. Every WRITES_PER_TRIM stores the
 * folder is listed and, above its bound, trimmed by age.
 */
#include "util/disk_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "util/digest.h"
#include "util/environment.h"
#include "util/hash.h"
#include "util/log.h"

#define DEFAULT_BOUND_B ((uint64_t)64 << 20)
#define MAX_ENTRY_B     (16u << 20)
#define WRITES_PER_TRIM 64
#define STALE_TEMP_S    3600 /* older temporary files were left by a process that died */
#define TOUCH_AFTER_S   3600 /* reading updates a file's time stamp at most this often */
#define FILE_NAME_B     33   /* 128 bits in hexadecimal, and the terminating 0 */

/* A file consists of this header, the key and the data. */
struct head {
    char magic[8];
    uint8_t uuid[UTIL_DISK_CACHE_UUID_B];
    uint32_t key_B, data_B;
    uint64_t sum; /* checksum of key and data; detects damage, not manipulation */
};

static const char magic[8] = "vc4vkc1";

/* ---------------------------------------------------------------- environment */

/* 0 turns the cache off. */
static uint64_t bound_from_environment(void)
{
    const char *text = util_environment("VC4VK_CACHE");
    char *end;
    if (!text)
        return DEFAULT_BOUND_B;
    uint64_t number = strtoull(text, &end, 10);
    unsigned shift = *end == 'K' ? 10 : *end == 'G' ? 30 : 20;
    if (end == text || (*end && (end[1] || !strchr("KMG", *end))) || number > UINT64_MAX >> shift) {
        util_warn("VC4VK_CACHE=%s: expected 0 or a size in MiB (or with K, M or G)", text);
        return DEFAULT_BOUND_B;
    }
    return number << shift;
}

static char *folder_from_environment(void)
{
    const char *base = util_environment("XDG_CACHE_HOME"), *below = "/vc4vk";
    char *folder = NULL;
    if (!base || *base != '/') { /* relative paths must be ignored [XDG base directory specification] */
        base = util_environment("HOME");
        below = "/.cache/vc4vk";
    }
    if (!base || *base != '/' || asprintf(&folder, "%s%s", base, below) < 0)
        return NULL;
    return folder;
}

void util_disk_cache_init(struct util_disk_cache *cache, const uint8_t uuid[UTIL_DISK_CACHE_UUID_B])
{
    *cache = (struct util_disk_cache){.bound_B = bound_from_environment()};
    memcpy(cache->uuid, uuid, sizeof cache->uuid);
    if (cache->bound_B)
        cache->folder = folder_from_environment();
}

void util_disk_cache_finish(struct util_disk_cache *cache)
{
    free(cache->folder);
    cache->folder = NULL;
}

/* ---------------------------------------------------------------- files */

/* The name includes the build's UUID, so each build has files of its own. */
static void file_name(const struct util_disk_cache *cache, const void *key, size_t key_B, char out[FILE_NAME_B])
{
    const struct util_digest digest = util_digest_two(cache->uuid, sizeof cache->uuid, key, key_B);
    for (unsigned i = 0; i < FILE_NAME_B / 2; i++)
        snprintf(out + 2 * i, 3, "%02x", digest.bytes[i]);
}

static uint64_t sum_of(const void *key, size_t key_B, const void *data, size_t data_B)
{
    return util_hash_bytes(data, data_B, util_hash_bytes(key, key_B, key_B ^ (uint64_t)data_B << 32));
}

/* The process executes programs from the cache, so it accepts only a folder that it owns and that nobody else can
 * write. Root with another user's HOME (as sudo may leave it) therefore has no cache. */
static int open_folder(const struct util_disk_cache *cache)
{
    struct stat st;
    int fd = open(cache->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (!fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)))
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

/* Creates the folder and its parents. */
static bool make_folder(const char *folder)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path)
        return false;
    for (char *slash = path + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = 0;
        if (mkdir(path, 0700) && errno != EEXIST)
            return false;
    }
    return !mkdir(path, 0700) || errno == EEXIST;
}

static bool read_all(int fd, void *to, size_t size_B)
{
    char *at = to;
    while (size_B) {
        ssize_t got = read(fd, at, size_B);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size_B -= (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const void *from, size_t size_B)
{
    const char *at = from;
    while (size_B) {
        ssize_t put = write(fd, at, size_B);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        size_B -= (size_t)put;
    }
    return true;
}

/* ---------------------------------------------------------------- loading */

static void *load_file(const struct util_disk_cache *cache, int fd, const void *key, size_t key_B, size_t *size_out_B)
{
    struct stat st;
    struct head head;
    if (fstat(fd, &st) || !read_all(fd, &head, sizeof head) || memcmp(head.magic, magic, sizeof magic) ||
        memcmp(head.uuid, cache->uuid, sizeof head.uuid) || head.key_B != key_B || head.data_B > MAX_ENTRY_B ||
        (uint64_t)st.st_size != sizeof head + (uint64_t)head.key_B + head.data_B)
        return NULL;
    char *both = malloc(key_B + head.data_B + 1);
    if (!both)
        return NULL;
    if (!read_all(fd, both, key_B + head.data_B) || memcmp(both, key, key_B) ||
        sum_of(both, key_B, both + key_B, head.data_B) != head.sum) {
        free(both);
        return NULL;
    }
    memmove(both, both + key_B, head.data_B);
    *size_out_B = head.data_B;
    if (time(NULL) - st.st_mtime > TOUCH_AFTER_S)
        futimens(fd, NULL);
    return both;
}

void *util_disk_cache_load(struct util_disk_cache *cache, const void *key, size_t key_B, size_t *size_out_B)
{
    char name[FILE_NAME_B];
    if (!cache->folder)
        return NULL;
    int folder = open_folder(cache);
    if (folder < 0)
        return NULL;
    file_name(cache, key, key_B, name);
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    void *data = NULL;
    if (fd >= 0) {
        data = load_file(cache, fd, key, key_B, size_out_B);
        close(fd);
        if (!data)
            unlinkat(folder, name, 0); /* damaged, or of another key: the next store replaces it */
    }
    close(folder);
    return data;
}

void util_disk_cache_remove(struct util_disk_cache *cache, const void *key, size_t key_B)
{
    char name[FILE_NAME_B];
    int folder = cache->folder ? open_folder(cache) : -1;
    if (folder < 0)
        return;
    file_name(cache, key, key_B, name);
    unlinkat(folder, name, 0);
    close(folder);
}

/* ---------------------------------------------------------------- keeping the bound */

struct entry {
    char name[64];
    uint64_t size_B;
    time_t used;
};

struct entries {
    struct entry *list;
    size_t count, capacity;
    uint64_t size_B;
};

static int by_age(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->used < y->used ? -1 : x->used > y->used;
}

static bool add_entry(struct entries *e, const char *name, const struct stat *st)
{
    if (e->count == e->capacity) {
        size_t capacity = e->capacity ? 2 * e->capacity : 256;
        struct entry *grown = realloc(e->list, capacity * sizeof *grown);
        if (!grown)
            return false;
        e->list = grown;
        e->capacity = capacity;
    }
    struct entry *entry = &e->list[e->count++];
    snprintf(entry->name, sizeof entry->name, "%s", name);
    entry->size_B = (uint64_t)st->st_size;
    entry->used = st->st_mtime;
    e->size_B += entry->size_B;
    return true;
}

/* Lists the cache's files. Removes abandoned temporary files on the way. */
static void list_entries(DIR *dir, struct entries *e)
{
    time_t now = time(NULL);
    for (struct dirent *d; (d = readdir(dir));) {
        struct stat st;
        size_t length = strlen(d->d_name);
        if (length >= sizeof e->list->name || fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(st.st_mode))
            continue;
        if (!strncmp(d->d_name, "tmp-", 4)) {
            if (now - st.st_mtime > STALE_TEMP_S)
                unlinkat(dirfd(dir), d->d_name, 0);
        } else if (length == FILE_NAME_B - 1 && !add_entry(e, d->d_name, &st)) {
            return;
        }
    }
}

/* Removes the least recently used files until three quarters of the bound remain, because the next check is
 * WRITES_PER_TRIM writes away. Other processes may trim at the same time; removing a file twice is harmless. */
static void trim(const struct util_disk_cache *cache)
{
    int folder = open_folder(cache);
    DIR *dir = folder < 0 ? NULL : fdopendir(folder);
    struct entries e = {0};
    if (!dir) {
        if (folder >= 0)
            close(folder);
        return;
    }
    list_entries(dir, &e);
    if (e.size_B > cache->bound_B) {
        qsort(e.list, e.count, sizeof *e.list, by_age);
        for (size_t i = 0; i < e.count && e.size_B > cache->bound_B / 4 * 3; i++) {
            unlinkat(dirfd(dir), e.list[i].name, 0);
            e.size_B -= e.list[i].size_B;
        }
    }
    closedir(dir);
    free(e.list);
}

/* ---------------------------------------------------------------- storing */

static bool write_file(const struct util_disk_cache *cache, int folder, const char *name, uint32_t number,
                       const struct head *head, const void *key, const void *data)
{
    char temporary[64];
    snprintf(temporary, sizeof temporary, "tmp-%ld-%p-%u", (long)getpid(), (const void *)cache, number);
    int fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool good =
        write_all(fd, head, sizeof *head) && write_all(fd, key, head->key_B) && write_all(fd, data, head->data_B);
    good &= !close(fd);
    good = good && !renameat(folder, temporary, folder, name);
    if (!good)
        unlinkat(folder, temporary, 0);
    return good;
}

void util_disk_cache_store(struct util_disk_cache *cache, const void *key, size_t key_B, const void *data,
                            size_t size_B)
{
    char name[FILE_NAME_B];
    if (!cache->folder || size_B > MAX_ENTRY_B || key_B > MAX_ENTRY_B)
        return;
    struct head head = {.key_B = (uint32_t)key_B, .data_B = (uint32_t)size_B, .sum = sum_of(key, key_B, data, size_B)};
    memcpy(head.magic, magic, sizeof magic);
    memcpy(head.uuid, cache->uuid, sizeof head.uuid);
    file_name(cache, key, key_B, name);
    uint32_t number = atomic_fetch_add_explicit(&cache->writes, 1, memory_order_relaxed);
    int folder = open_folder(cache);
    if (folder < 0 && errno == ENOENT && make_folder(cache->folder))
        folder = open_folder(cache);
    bool good = folder >= 0 && write_file(cache, folder, name, number, &head, key, data);
    if (folder >= 0)
        close(folder);
    if (!good && number == 0)
        util_perf("%s cannot be written, or others can write it: compiled programs are not kept for the next run",
                  cache->folder);
    if (good && number % WRITES_PER_TRIM == 0)
        trim(cache);
}
