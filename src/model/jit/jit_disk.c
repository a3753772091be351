/* SPDX-License-Identifier: MIT
 *
 * Builds the keys of the on-disk cache from everything that host code depends on: the driver's build id (layout of the
 * structs that the code accesses), size and modification time of the compiling library (the code it generates), and the
 * CPU feature words of the host.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__linux__)
#include <sys/auxv.h>
#endif
#include "model/jit/jit_disk.h"
#include "util/build_id.h"
#include "util/debug.h"

_Static_assert(sizeof(struct jit_disk_host) == 104, "no padding in a key");
_Static_assert(UTIL_BUILD_ID_B == UTIL_DISK_CACHE_UUID_B, "a build's name is that of its caches");

struct key {
    char what[8];
    struct jit_disk_host host;
    uint32_t kind, has_user, keeps_all, count, piece, piece_instrs;
    uint64_t words[];
};

/* The feature words of the processor and the system. */
static void read_cpu(uint32_t out[16])
{
    memset(out, 0, 16 * sizeof *out);
#if defined(__x86_64__)
    uint32_t unused;
    __get_cpuid(1, &out[0], &unused, &out[1], &out[2]);
    out[0] &= 0x0fff0ff0; /* family and model */
    __get_cpuid_count(7, 0, &out[3], &out[4], &out[5], &out[6]);
    __get_cpuid_count(7, 1, &out[7], &out[8], &out[9], &out[10]);
    __get_cpuid(0, &unused, &out[11], &out[12], &out[13]);
    if (out[1] & bit_OSXSAVE)
        __asm__("xgetbv" : "=a"(out[14]), "=d"(out[15]) : "c"(0));
    out[1] &= ~(uint32_t)bit_OSXSAVE;
#elif defined(__linux__)
    uint64_t words[2] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
    memcpy(out, words, sizeof words);
#endif
}

void jit_disk_init(struct jit_disk *disk, enum jit_host host, const char *library_path)
{
    uint8_t build[UTIL_BUILD_ID_B];
    struct stat st;

    *disk = (struct jit_disk){0};
    if (!library_path || stat(library_path, &st))
        return;
    disk->host = (struct jit_disk_host){
        .host = host,
        .library_B = (uint64_t)st.st_size,
        .library_s = (uint64_t)st.st_mtim.tv_sec,
        .library_ns = (uint64_t)st.st_mtim.tv_nsec,
        .has_worst_sfu = util_debug(UTIL_DEBUG_WORST_SFU),
    };
    read_cpu(disk->host.cpu);
    util_build_id(build);
    util_disk_cache_init(&disk->cache, build);
}

void jit_disk_finish(struct jit_disk *disk)
{
    util_disk_cache_finish(&disk->cache);
}

static struct key *make_key(const struct jit_disk *disk, const struct jit_source *source, size_t *size_out_B)
{
    size_t words_B = 8 * (size_t)source->count;
    struct key *key = disk->cache.folder ? calloc(1, sizeof *key + words_B) : NULL;

    if (!key)
        return NULL;
    memcpy(key->what, "qpu jit", 8);
    key->host = disk->host;
    key->kind = source->kind;
    key->has_user = source->has_user;
    key->keeps_all = source->keeps_all;
    key->count = source->count;
    key->piece = source->piece;
    key->piece_instrs = source->piece_instrs;
    memcpy(key->words, source->words, words_B);
    *size_out_B = sizeof *key + words_B;
    return key;
}

void *jit_disk_load(struct jit_disk *disk, const struct jit_source *source, size_t *size_out_B)
{
    size_t key_B;
    struct key *key = make_key(disk, source, &key_B);
    void *file = key ? util_disk_cache_load(&disk->cache, key, key_B, size_out_B) : NULL;

    free(key);
    return file;
}

void jit_disk_remove(struct jit_disk *disk, const struct jit_source *source)
{
    size_t key_B;
    struct key *key = make_key(disk, source, &key_B);

    if (key)
        util_disk_cache_remove(&disk->cache, key, key_B);
    free(key);
}

void jit_disk_store(struct jit_disk *disk, const struct jit_source *source, const void *file, size_t size_B)
{
    size_t key_B;
    struct key *key = make_key(disk, source, &key_B);

    if (key)
        util_disk_cache_store(&disk->cache, key, key_B, file, size_B);
    free(key);
}
