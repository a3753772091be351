/* SPDX-License-Identifier: MIT
 *
 * fuzz_trace_files TRACE...: damages trace files and passes them to vc4-cl and vc4-replay, whose main functions are
 * linked into this program. It damages records (their types, sizes, order, contents), words and bytes, the length of
 * the file, and the gzip stream. The tools must process the file or report an error, without crashing or hanging. Meant
 * for AddressSanitizer.
 *
 * Round N depends only on VKT_SEED (default 1) and N. VKT_FUZZ is the number of rounds (default 1,000; "full":
 * 100,000). VKT_FUZZ_VERBOSE prints each round's number before it runs. Prints TAP, one case for all rounds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include "tools/trace.h"

#define ROUND_LIMIT_S  120u
#define MAX_SEEDS      256u
#define MAX_SEED_B     (64u << 10)
#define MAX_FILE_B     (256u << 10)
#define MAX_RECORDS    512u
#define FILE_HEADER_B  16u
#define RECORD_HEAD_B  8u
#define READBACK_WORDS 16u

int vc4_cl_main(int argc, char **argv);
int vc4_replay_main(int argc, char **argv);

/* -- random numbers ----------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint32_t rnd(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32);
}

static uint32_t below(uint32_t n)
{
    return n ? rnd() % n : 0;
}

static void change_word(uint8_t *at)
{
    static const uint32_t edges[] = {0, 1, 3, 4, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff, 0x10000, 4097};
    uint32_t word;
    memcpy(&word, at, sizeof word);
    switch (below(4)) {
    case 0:
        word ^= BIT(below(32));
        break;
    case 1:
        word = edges[below(ARRAY_SIZE(edges))];
        break;
    case 2:
        word += below(33) - 16;
        break;
    default:
        word = rnd() >> below(32);
    }
    memcpy(at, &word, sizeof word);
}

/* -- damage ------------------------------------------------------------------------------------------------------- */

struct bytes {
    uint8_t data[MAX_FILE_B];
    uint32_t size_B;
};

static struct bytes seeds[MAX_SEEDS], mutated, compressed;
static uint32_t seed_count;

static uint32_t record_B(const struct bytes *b, uint32_t at)
{
    uint32_t size_B;
    memcpy(&size_B, b->data + at + 4, sizeof size_B);
    return size_B;
}

/* Finds the offsets of records, up to the first one whose size is not plausible. */
static uint32_t find_records(const struct bytes *b, uint32_t at_B[MAX_RECORDS])
{
    uint32_t count = 0, at = FILE_HEADER_B;
    while (count < MAX_RECORDS && b->size_B >= at && b->size_B - at >= RECORD_HEAD_B &&
           record_B(b, at) <= b->size_B - at - RECORD_HEAD_B) {
        at_B[count++] = at;
        at += RECORD_HEAD_B + record_B(b, at);
    }
    return count;
}

static void insert(struct bytes *to, uint32_t at, const uint8_t *bytes, uint32_t size_B)
{
    if (size_B > MAX_FILE_B - to->size_B)
        return;
    memmove(to->data + at + size_B, to->data + at, to->size_B - at);
    memcpy(to->data + at, bytes, size_B);
    to->size_B += size_B;
}

static void insert_record_of(const struct bytes *from, uint32_t at)
{
    static uint8_t copy[MAX_FILE_B];
    uint32_t at_B[MAX_RECORDS], count = find_records(from, at_B);
    if (!count)
        return;
    const uint32_t source = at_B[below(count)], size_B = RECORD_HEAD_B + record_B(from, source);
    memcpy(copy, from->data + source, size_B); /* `from` may be `mutated`, which the insertion changes */
    insert(&mutated, at, copy, size_B);
}

/* Changes one of the first words of a record: its handles, sizes, positions and formats. In a SUBMIT record it changes
 * a word of the whole struct. */
static void damage_fields(uint32_t at)
{
    uint32_t type, words = MIN2(record_B(&mutated, at) / 4, READBACK_WORDS);
    memcpy(&type, mutated.data + at, sizeof type);
    if (type == TRACE_SUBMIT)
        words = MIN2(record_B(&mutated, at) / 4, (uint32_t)sizeof(struct drm_vc4_submit_cl) / 4);
    if (words)
        change_word(mutated.data + at + RECORD_HEAD_B + 4 * below(words));
}

static void damage(void)
{
    uint32_t at_B[MAX_RECORDS], count = find_records(&mutated, at_B);
    const uint32_t at = count ? at_B[below(count)] : 0;
    const uint32_t kind = count ? below(12) : 8 + below(4);
    switch (kind) {
    case 0: { /* remove a record */
        const uint32_t size_B = RECORD_HEAD_B + record_B(&mutated, at);
        memmove(mutated.data + at, mutated.data + at + size_B, mutated.size_B - at - size_B);
        mutated.size_B -= size_B;
        break;
    }
    case 1:
        insert_record_of(&mutated, at);
        break;
    case 2:
        insert_record_of(&seeds[below(seed_count)], at);
        break;
    case 3:
        change_word(mutated.data + at + 4 * below(2)); /* type or size */
        break;
    case 4:
        mutated.data[at] = (uint8_t)below(10);
        break;
    case 5:
    case 6:
    case 7:
        damage_fields(at);
        break;
    case 8:
        if (mutated.size_B >= 4)
            change_word(mutated.data + 4 * below(mutated.size_B / 4));
        break;
    case 9:
        if (mutated.size_B)
            mutated.data[below(mutated.size_B)] = (uint8_t)rnd();
        break;
    case 10:
        mutated.size_B = below(mutated.size_B + 1);
        break;
    default: /* insert or remove a few bytes, which moves all that follow */
        if (below(2) && mutated.size_B)
            insert(&mutated, below(mutated.size_B), seeds[0].data, 1 + below(8));
        else if (mutated.size_B > 8) {
            const uint32_t from = below(mutated.size_B - 8), size_B = 1 + below(8);
            memmove(mutated.data + from, mutated.data + from + size_B, mutated.size_B - from - size_B);
            mutated.size_B -= size_B;
        }
    }
}

/* Restricts each job to one random tile: most pixels exercise the same code, so rendering more would only take time. */
static void render_one_tile(void)
{
    uint32_t at_B[MAX_RECORDS], type;
    for (uint32_t i = find_records(&mutated, at_B); i--;) {
        struct drm_vc4_submit_cl args;
        memcpy(&type, mutated.data + at_B[i], sizeof type);
        if (type != TRACE_SUBMIT || record_B(&mutated, at_B[i]) < sizeof args)
            continue;
        memcpy(&args, mutated.data + at_B[i] + RECORD_HEAD_B, sizeof args);
        args.min_x_tile = args.max_x_tile = (uint8_t)below(args.max_x_tile + 1u);
        args.min_y_tile = args.max_y_tile = (uint8_t)below(args.max_y_tile + 1u);
        memcpy(mutated.data + at_B[i] + RECORD_HEAD_B, &args, sizeof args);
    }
}

/* -- a round ------------------------------------------------------------------------------------------------------ */

static bool write_file(int fd, const struct bytes *b)
{
    return !ftruncate(fd, 0) && pwrite(fd, b->data, b->size_B, 0) == (ssize_t)b->size_B;
}

/* Compresses `mutated` and damages the gzip stream. zlib reads a file that is not gzip unchanged. */
static bool compress_and_damage(void)
{
    z_stream z = {
        .next_in = mutated.data, .avail_in = mutated.size_B, .next_out = compressed.data, .avail_out = MAX_FILE_B};
    if (deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    const bool good = deflate(&z, Z_FINISH) == Z_STREAM_END;
    compressed.size_B = MAX_FILE_B - z.avail_out;
    deflateEnd(&z);
    for (uint32_t n = below(3); good && n; n--)
        compressed.data[below(compressed.size_B)] ^= (uint8_t)BIT(below(8));
    if (good && !below(4))
        compressed.size_B = below(compressed.size_B + 1);
    return good;
}

static struct {
    uint64_t printed, replayed, refused;
} counts;

static bool replay_mutated(int fd, char *path, char *png_path)
{
    mutated = seeds[below(seed_count)];
    if (below(16))
        render_one_tile();
    for (uint32_t n = 1 + below(4); n; n--)
        damage();
    const bool is_compressed = !below(8) && compress_and_damage();
    if (!write_file(fd, is_compressed ? &compressed : &mutated))
        return false;
    char name[] = "tool";
    const bool is_printed = !vc4_cl_main(2, (char *[]){name, path, NULL});
    const bool is_replayed = !vc4_replay_main(3, (char *[]){name, path, png_path, NULL});
    counts.printed += is_printed;
    counts.replayed += is_replayed;
    counts.refused += !is_replayed;
    return true;
}

static bool load(const char *path)
{
    struct trace trace;
    if (seed_count == MAX_SEEDS || !trace_open(&trace, path))
        return false;
    const bool fits = trace.size_B <= MAX_SEED_B;
    if (fits) {
        memcpy(seeds[seed_count].data, trace.data, trace.size_B);
        seeds[seed_count++].size_B = (uint32_t)trace.size_B;
    }
    trace_close(&trace);
    return true;
}

int main(int argc, char **argv)
{
#if defined(__SANITIZE_THREAD__)
    printf("1..0 # SKIP damaged traces write memory that jobs still read: a data race, but not of the model\n");
    return 0;
#endif
    const char *seed_text = getenv("VKT_SEED"), *rounds_text = getenv("VKT_FUZZ");
    const uint64_t base = seed_text ? strtoull(seed_text, NULL, 0) : 1;
    const uint64_t rounds = !rounds_text                    ? 1000
                            : !strcmp(rounds_text, "full") ? 100000
                                                           : strtoull(rounds_text, NULL, 0);
    const bool is_verbose = getenv("VKT_FUZZ_VERBOSE") != NULL;
    char png_path[] = "/tmp/vc4vk-fuzz-XXXXXX", path[32];
    const int fd = memfd_create("trace", 0), png_fd = mkstemp(png_path);
    FILE *out = fdopen(dup(STDOUT_FILENO), "w");
    /* Discards the output of the tools. Sanitizers still report to the file descriptor. */
    stdout = fopen("/dev/null", "w");
    stderr = fopen("/dev/null", "w");
    bool good = fd >= 0 && png_fd >= 0 && out && stdout && stderr;
    if (!good)
        return 1;
    setvbuf(out, NULL, _IOLBF, 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    setenv("VC4VK_HANG_MS", "20", 1);
    setenv("VC4VK_MODEL_THREADS", "1", 1);
    for (int i = 1; good && i < argc; i++)
        good = load(argv[i]);
    fprintf(out, "1..1\n# VKT_SEED=%" PRIu64 ", %u traces, %" PRIu64 " rounds\n", base, seed_count, rounds);
    good = good && seed_count && rounds;
    for (uint64_t round = 0; good && round < rounds; round++) {
        random_state = (base * UINT64_C(0x9e3779b97f4a7c15) + round) * UINT64_C(0xbf58476d1ce4e5b9) | 1;
        if (is_verbose || round % 1000 == 0)
            fprintf(out, "# round %" PRIu64 ": %" PRIu64 " printed, %" PRIu64 " replayed\n", round, counts.printed,
                    counts.replayed);
        alarm(ROUND_LIMIT_S); /* a hang ends the program */
        good = replay_mutated(fd, path, png_path);
    }
    alarm(0);
    unlink(png_path);
    close(png_fd);
    close(fd);
    fprintf(out, "# %" PRIu64 " printed, %" PRIu64 " replayed, %" PRIu64 " not replayed\n", counts.printed,
            counts.replayed, counts.refused);
    good = good && counts.printed && counts.replayed && counts.refused; /* otherwise the test had no effect */
    fprintf(out, "%s 1 - damaged trace files\n", good ? "ok" : "not ok");
    fclose(out);
    return !good;
}
