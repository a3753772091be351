/* SPDX-License-Identifier: MIT
 *
 * Feeds hostile SPIR-V modules to the compiler. There are three kinds: damaged modules, which are valid modules changed
 * along the grammar (mutate.h) or word by word and bit by bit; modules made to hurt, hand-written worst cases; and
 * small modules with one or two instructions that have operands of any kind (both hostile_made.h), ten for each damaged
 * one.
 * Every module must end in an error or in a program. The compiler must not crash, hang or use much memory. Under
 * AddressSanitizer the test also shows that no access leaves its array.
 *
 *   hostile [SEED [FIRST [COUNT]]] -- LIST (SOURCE MODULE)...
 *
 * Compiles the damaged modules number FIRST (0) to FIRST + COUNT - 1 of the sequence that SEED (1) selects: 1,500 by
 * default, 1,000,000 with VKT_FUZZ=full. A module depends on SEED and its number only, and a fatal signal prints both.
 * LIST names modules of all stages, as corpus.py writes it. HOSTILE_VERBOSE prints the result of each module,
 * HOSTILE_DUMP names a file that receives the last module.
 */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "compiler/vc4c.h"
#include "hostile_made.h"
#include "hw/tex.h"
#include "mutate.h"
#include "util/macros.h"

#define MAX_WORDS   (1u << 16)
#define MAX_SECONDS 60 /* processor time for one module, enough under ThreadSanitizer, too; more is a hang */

/* ---------------------------------------------------------------- fatal signals */

/* The module being compiled. */
static struct {
    unsigned long long seed, number;
    const char *what; /* its kind */
    uint32_t *words, count;
    uint8_t robustness; /* VC4C_ROBUST_* that it is compiled with */
} now;

/* The sanitizers call abort(), so that `die` prints the module. A small quarantine keeps the memory in the cache: all
 * data of a module lives in a few large blocks. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "abort_on_error=1:detect_leaks=1:allocator_may_return_null=1:quarantine_size_mb=4:malloc_context_size=4";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "halt_on_error=1:abort_on_error=1:print_stacktrace=1";
}

static void dump(void)
{
    const char *name = getenv("HOSTILE_DUMP");
    FILE *f = name ? fopen(name, "wb") : NULL;
    if (!f)
        return;
    fwrite(now.words, sizeof *now.words, now.count, f);
    fclose(f);
}

static void die(int number)
{
    char text[200];
    int length = snprintf(text, sizeof text, "\nhostile: %s in module %llu of seed %llu (%s)\n",
                          number == SIGPROF ? "time limit exceeded" : "fatal signal", now.number, now.seed, now.what);
    if (write(2, text, (size_t)length) == length)
        dump();
    signal(number, SIG_DFL);
    raise(number == SIGPROF ? SIGKILL : number);
}

static void set_time_limit(long seconds)
{
    const struct itimerval limit = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_PROF, &limit, NULL);
}

static double processor_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---------------------------------------------------------------- damage */

static uint64_t state;

static uint32_t rnd(uint32_t below)
{
    return mutate_rnd(&state, below);
}

static void damage_word(uint32_t *words, uint32_t count)
{
    uint32_t at = rnd(count), other = rnd(count);
    switch (rnd(7)) {
    case 0:
        words[at] ^= 1u << rnd(32);
        break;
    case 1:
        words[at] = words[other];
        break;
    case 2:
        words[at] += rnd(2) ? 1 : UINT32_MAX;
        break;
    case 3:
        words[at] = rnd(2) ? 0 : UINT32_MAX;
        break;
    case 4: /* another opcode */
        words[at] = (words[at] & 0xffff0000) | rnd(400);
        break;
    case 5: { /* a byte */
        uint32_t shift = 8 * rnd(4);
        words[at] = (words[at] & ~(0xffu << shift)) | rnd(256) << shift;
        break;
    }
    default: /* swap two words */
        words[at] ^= words[other];
        words[other] ^= words[at];
        words[at] ^= words[other];
        break;
    }
}

static uint32_t damage(uint32_t *words, uint32_t count, const struct mutate_module *donors, uint32_t donor_count)
{
    if (rnd(8)) {
        for (uint32_t n = 1 + rnd(rnd(4) ? 4 : 12); n; n--)
            count = mutate(words, count, MAX_WORDS, &state, donors, donor_count);
        return count;
    }
    for (uint32_t n = 1 + rnd(3); n; n--)
        damage_word(words, count);
    return rnd(20) ? count : rnd(count) + 1;
}

/* ---------------------------------------------------------------- keys */

/* Attribute formats and render target state are random. */
static enum vc4c_program_kind fill_key(const struct vc4c_entry *entry, struct vc4c_key *key)
{
    const enum vc4c_stage stage = entry->writes_records ? VC4C_STAGE_COMPUTE : entry->stage;
    static const uint8_t attributes[] = {HW_FORMAT_R8G8B8A8_UNORM, HW_FORMAT_R32G32B32A32_FLOAT, HW_FORMAT_NONE,
                                         HW_FORMAT_R16G16_SNORM, HW_FORMAT_R32_UINT};
    static const uint8_t colors[] = {HW_FORMAT_R8G8B8A8_UNORM, HW_FORMAT_R8G8B8A8_SRGB, HW_FORMAT_R16G16_FLOAT,
                                     HW_FORMAT_R32_UINT, HW_FORMAT_NONE};
    memset(key, 0, sizeof *key);
    key->target = rnd(3) && stage != VC4C_STAGE_COMPUTE ? VC4C_TARGET_CHIP : VC4C_TARGET_CPU_ENGINE;
    switch (stage) {
    case VC4C_STAGE_VERTEX:
        for (uint32_t i = 0; i < VC4C_MAX_ATTRIBUTES; i++)
            key->vs.formats[i] = attributes[rnd(ARRAY_SIZE(attributes))];
        key->vs.output_count = 8;
        for (uint8_t i = 0; i < 8; i++)
            key->vs.outputs[i] = (struct vc4c_varying){.location = i / 4, .component = i % 4};
        key->vs.emit_point_size = (uint8_t)rnd(2);
        return rnd(3) ? VC4C_PROGRAM_VERTEX : VC4C_PROGRAM_COORDINATE;
    case VC4C_STAGE_FRAGMENT:
        key->fs.color_format = colors[rnd(ARRAY_SIZE(colors))];
        key->fs.write_mask = 15;
        key->fs.logic_op = VC4C_LOGIC_COPY;
        key->fs.samples = rnd(4) ? 1 : 4;
        key->fs.write_z = (uint8_t)rnd(2);
        key->fs.primitive = (uint8_t)(rnd(4) ? VC4C_PRIMITIVE_TRIANGLES : 1 + rnd(2));
        if (rnd(3) == 0 && key->fs.color_format == HW_FORMAT_R8G8B8A8_UNORM) {
            key->fs.blend_enable = 1;
            key->fs.src_color = key->fs.src_alpha = VC4C_BLEND_SRC_ALPHA;
            key->fs.dst_color = key->fs.dst_alpha = VC4C_BLEND_ONE_MINUS_SRC_ALPHA;
        }
        return VC4C_PROGRAM_FRAGMENT;
    default:
        return VC4C_PROGRAM_COMPUTE;
    }
}

/* A random sampling class that is legal for the texture's dimension. */
static struct hw_sampling_class class_of(const struct vc4c_texture_ref *t)
{
    static const struct hw_sampling_class filtered[] = {
        {.method = HW_SAMPLE_NATIVE, .format = HW_FORMAT_R8G8B8A8_UNORM},
        {.method = HW_SAMPLE_NATIVE, .format = HW_FORMAT_R8G8B8A8_SRGB, .flags = HW_SAMPLING_LOD_CLAMP},
        {.method = HW_SAMPLE_RAW, .format = HW_FORMAT_R16G16B16A16_FLOAT, .flags = HW_SAMPLING_IN_CODE, .levels = 4},
        {.method = HW_SAMPLE_RAW, .format = HW_FORMAT_R32G32B32A32_FLOAT},
    };
    struct hw_sampling_class c = filtered[rnd(ARRAY_SIZE(filtered))];
    if (t->is_array || t->multisampled || t->dim == VC4C_DIM_3D || t->dim == VC4C_DIM_BUFFER ||
        t->dim == VC4C_DIM_SUBPASS || !rnd(4))
        c = (struct hw_sampling_class){.method = HW_SAMPLE_DIRECT, .format = HW_FORMAT_R8G8B8A8_UNORM, .levels = 1};
    if (t->multisampled)
        c.layout = HW_DIRECT_MS;
    else if (t->dim == VC4C_DIM_BUFFER)
        c.layout = HW_DIRECT_RASTER;
    for (uint8_t i = 0; i < 4; i++)
        c.swizzle[i] = i;
    return c;
}

/* ---------------------------------------------------------------- compiling */

/* Compiles to code, as far as the module allows. The compiler itself bounds the memory of a call. */
static bool compile(const struct vc4c_module *module, struct vc4c_error *error)
{
    struct vc4c_entry entry = {.module = module, .name = "main", .stage = VC4C_STAGE_VERTEX};
    while (entry.stage + 1 < VC4C_STAGES && !vc4c_has_entry(&entry))
        entry.stage++;
    entry.writes_records = entry.stage >= VC4C_STAGE_GEOMETRY || (entry.stage == VC4C_STAGE_VERTEX && rnd(4) == 0);
    entry.patch_vertices = (uint8_t)(rnd(4) ? 0 : rnd(40));
    static struct vc4c_interface interface;
    static struct vc4c_program program;
    static struct vc4c_key key;
    struct vc4c_front *front;
    const uint32_t number = rnd(16);
    const struct vc4c_spec_constant specs[] = {{rnd(3), 4, &number}};
    entry.specs = specs;
    entry.spec_count = rnd(4) == 0;
    entry.robustness = now.robustness;
    entry.prints = true;
    struct vc4c_array_size sizes[16]; /* as if the descriptors of two sets were in memory */
    for (uint32_t i = 0; i < ARRAY_SIZE(sizes); i++)
        sizes[i] = (struct vc4c_array_size){(uint16_t)(i / 8), (uint16_t)(i % 8), 1000, i & 1 ? 40 : 184};
    if (rnd(4) == 0) {
        entry.array_sizes = sizes;
        entry.array_size_count = ARRAY_SIZE(sizes);
    }
    if (vc4c_front_create(&entry, NULL, &front, error))
        return false;
    vc4c_front_interface(front, &interface);
    enum vc4c_program_kind kind = fill_key(&entry, &key);
    key.class_count = interface.texture_count;
    for (uint32_t i = 0; i < interface.texture_count; i++)
        key.classes[i] = class_of(&interface.textures[i]);
    bool ok = !vc4c_front_compile(front, kind, &key, NULL, &program, error);
    if (ok)
        vc4c_program_finish(&program);
    vc4c_front_destroy(front);
    return ok;
}

/* What tools read of a module: lines and texts of its debug information. */
static void read_lines(const struct vc4c_module *module, uint32_t count)
{
    static struct vc4c_lines lines;
    uint32_t offsets[64];
    for (uint32_t i = 0; i < ARRAY_SIZE(offsets); i++)
        offsets[i] = (uint32_t)((uint64_t)i * count / ARRAY_SIZE(offsets));
    if (vc4c_module_lines(module, offsets, ARRAY_SIZE(offsets), NULL, &lines))
        vc4c_lines_finish(&lines);
}

struct tally {
    uint32_t refused, uncompiled, compiled;
    double slowest_s;
    unsigned long long slowest;
};

static bool try_words(uint32_t *words, uint32_t count, struct tally *t, const char *expected)
{
    struct vc4c_module *module = NULL;
    struct vc4c_error error = {{0}};
    const double start_s = processor_s();
    now.words = words;
    now.count = count;
    if (getenv("HOSTILE_DUMP"))
        dump();
    set_time_limit(MAX_SECONDS);
    if (vc4c_module_create(words, (size_t)count * 4, NULL, &module, &error))
        t->refused++;
    else if (compile(module, &error))
        t->compiled++;
    else
        t->uncompiled++;
    if (module)
        read_lines(module, count);
    set_time_limit(0);
    vc4c_module_destroy(module);
    const double took_s = processor_s() - start_s;
    if (took_s > t->slowest_s) {
        t->slowest_s = took_s;
        t->slowest = now.number;
    }
    if (getenv("HOSTILE_VERBOSE"))
        fprintf(stderr, "module %llu: %.3f s, %s\n", now.number, took_s, error.text[0] ? error.text : "compiled");
    return !expected || strstr(error.text, expected);
}

static void print_tally(const struct tally *t)
{
    printf("# %u refused when read, %u when compiled, %u compiled; the slowest, number %llu, took %.2f s\n", t->refused,
           t->uncompiled, t->compiled, t->slowest, t->slowest_s);
    fflush(stdout);
}

/* ---------------------------------------------------------------- modules from files */

#define MAX_NAMES 1024

static struct mutate_module good[MAX_NAMES];
static uint32_t good_count;

static void read_module(const char *name)
{
    static uint32_t words[MAX_WORDS];
    FILE *f = fopen(name, "rb");
    uint32_t count = f ? (uint32_t)fread(words, 4, MAX_WORDS, f) : 0;
    if (f)
        fclose(f);
    if (count <= 5 || good_count == MAX_NAMES)
        return;
    uint32_t *copy = malloc(count * sizeof *copy);
    memcpy(copy, words, count * sizeof *copy);
    good[good_count++] = (struct mutate_module){copy, count};
}

static void read_list(const char *list)
{
    char line[1024];
    FILE *f = fopen(list, "r");
    while (f && fgets(line, sizeof line, f)) {
        char *tab = strchr(line, '\t'), *end = strchr(line, '\n');
        if (!tab || !end)
            break;
        *end = 0;
        read_module(tab + 1);
    }
    if (f)
        fclose(f);
}

/* Prefers small modules: they compile faster, and the compiler refuses them for the same reasons. */
static const struct mutate_module *pick_module(void)
{
    const struct mutate_module *best = &good[rnd(good_count)];
    for (uint32_t n = rnd(3); n; n--) {
        const struct mutate_module *other = &good[rnd(good_count)];
        best = other->count < best->count ? other : best;
    }
    return best;
}

/* The random state of a module: each module has its own sequence. */
static uint64_t start_of(uint64_t seed, uint64_t number)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15u + number + 1;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return x ? x : 1;
}

static uint8_t any_robustness(void)
{
    return (uint8_t)(rnd(4) ? 0 : rnd(16));
}

static void try_damaged(uint64_t seed, uint64_t first, uint64_t count, struct tally *t)
{
    static uint32_t words[MAX_WORDS];
    now.seed = seed;
    now.what = "damaged";
    for (uint64_t number = first; number < first + count; number++) {
        now.number = number;
        state = start_of(seed, number);
        const struct mutate_module *module = pick_module();
        memcpy(words, module->words, module->count * sizeof *words);
        const uint32_t length = damage(words, module->count, good, good_count);
        now.robustness = any_robustness();
        try_words(words, length, t, NULL);
        if ((number - first + 1) % 50000 == 0)
            print_tally(t);
    }
}

static void try_operands(uint64_t seed, uint64_t first, uint64_t count, struct tally *t)
{
    static struct module m;
    now.seed = seed;
    now.what = "any operands";
    for (now.number = first; now.number < first + count; now.number++) {
        state = start_of(~seed, now.number);
        hostile_operands(&m, &state);
        now.robustness = any_robustness();
        try_words(m.words, m.count, t, NULL);
    }
}

static bool try_made(struct tally *t, uint8_t robustness)
{
    bool ok = true;
    static struct module m;
    now.seed = 0;
    now.what = "made to hurt";
    now.robustness = robustness;
    for (uint32_t i = 0; hostile_make(&m, i); i++) {
        const double start_s = processor_s();
        now.number = i;
        const bool is_expected = try_words(m.words, m.count, t, hostile_expected(i));
        ok = ok && is_expected;
        printf("# made to hurt, number %u: %.2f s%s\n", i, processor_s() - start_s,
               is_expected ? "" : ", not refused for what is wrong with it");
    }
    return ok;
}

int main(int argc, char **argv)
{
    const char *mode = getenv("VKT_FUZZ");
    uint64_t numbers[] = {1, 0, !mode ? 1500 : !strcmp(mode, "full") ? 1000000 : !strcmp(mode, "few") ? 150 : 1500};
    static const int fatal[] = {SIGPROF, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    struct tally t = {0}, made = {0}, operands = {0};
    int i = 1;
    for (uint32_t k = 0; k < ARRAY_SIZE(fatal); k++)
        signal(fatal[k], die);
    mallopt(M_MMAP_THRESHOLD, 256 << 20); /* otherwise page faults take 40 % of the time */
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
    for (uint32_t k = 0; i < argc && strcmp(argv[i], "--"); i++)
        if (k < ARRAY_SIZE(numbers))
            numbers[k++] = strtoull(argv[i], NULL, 0);
    printf("1..3\n# seed %llu, modules %llu to %llu\n", (unsigned long long)numbers[0], (unsigned long long)numbers[1],
           (unsigned long long)(numbers[1] + numbers[2] - 1));
    if (++i < argc)
        read_list(argv[i]);
    for (i += 2; i < argc; i += 2)
        read_module(argv[i]);
    const double start_s = processor_s();
    if (good_count)
        try_damaged(numbers[0], numbers[1], numbers[2], &t);
    printf("# %.0f s of processor time\n", processor_s() - start_s);
    print_tally(&t);
    bool ok = numbers[2] < 1000 || (t.refused && t.uncompiled && t.compiled);
    printf("%sok 1 - damaged modules\n", ok ? "" : "not ");
    bool made_ok = try_made(&made, 0);
    made_ok = try_made(&made, 15) && made_ok; /* all of VC4C_ROBUST_* */
    print_tally(&made);
    made_ok = made_ok && made.refused >= 2 && made.uncompiled >= 4;
    printf("%sok 2 - modules made to hurt\n", made_ok ? "" : "not ");
    try_operands(numbers[0], numbers[1], 10 * numbers[2], &operands);
    print_tally(&operands);
    const bool operands_ok = numbers[2] < 1000 || (operands.uncompiled && operands.compiled);
    printf("%sok 3 - instructions with any operands\n", operands_ok ? "" : "not ");
    for (uint32_t n = 0; n < good_count; n++)
        free((void *)good[n].words);
    return !ok || !made_ok || !operands_ok;
}
