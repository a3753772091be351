/* SPDX-License-Identifier: MIT
 *
 * Compiles fragment shaders with random keys: formats, blending, logic operations, write masks, samples, tests, and
 * words of colour that the program stores itself. Every program must compile, for the chip or for the CPU engine, and
 * its code must keep all rules of the chip, which the compiler checks (VC4VK_DEBUG=validate).
 *
 *   keys MODULE...
 *
 * VKT_SEED is the first seed, VKT_FUZZ the number of keys: 4,000, `few` 400, `full` 1,000,000.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "compiler/lower/lower.h"
#include "compiler/vc4c.h"
#include "util/debug.h"
#include "mutate.h"

#define MAX_MODULES 256

struct stage {
    struct vc4c_entry entry;
    struct vc4c_interface interface;
    const char *name;
};

static struct stage stages[MAX_MODULES];
static unsigned stage_count;
static volatile unsigned long long current; /* seed */

/* The compiler aborts where code breaks a rule. */
static void die(int signal_number)
{
    printf("not ok 1 - random keys\n# seed %llu: signal %d\n", current, signal_number);
    fflush(stdout);
    _exit(1);
}

static void *plain_alloc(void *data, size_t size_B, size_t align_B)
{
    return malloc(size_B);
}

static void plain_free(void *data, void *ptr)
{
    free(ptr);
}

static const struct util_alloc alloc = {NULL, plain_alloc, plain_free};

static void read_stage(const char *name)
{
    static uint32_t words[1 << 16];
    struct vc4c_error error = {{0}};
    struct stage *s = &stages[stage_count];
    struct vc4c_module *module;
    FILE *f = fopen(name, "rb");
    const size_t count = f ? fread(words, 4, sizeof words / 4, f) : 0;
    if (f)
        fclose(f);
    *s = (struct stage){.name = name};
    if (stage_count == MAX_MODULES || vc4c_module_create(words, count * 4, &alloc, &module, &error)) {
        printf("Bail out! %s: %s\n", name, count ? error.text : "cannot be read");
        exit(1);
    }
    s->entry = (struct vc4c_entry){.module = module, .name = "main", .stage = VC4C_STAGE_FRAGMENT};
    if (vc4c_get_interface(&s->entry, &alloc, &s->interface, &error)) {
        vc4c_module_destroy(module); /* not a fragment shader */
        return;
    }
    stage_count++;
}

/* Number of words of a texel, or of channels beside alpha if they are paired with it. */
static uint32_t words_of(const struct vc4c_fragment_key *key)
{
    return key->pairs_alpha ? 3 : (hw_format_info(key->color_format)->block_B + 3) / 4;
}

static bool reads_alpha(const struct vc4c_fragment_key *key)
{
    const uint8_t factors[] = {key->src_color, key->dst_color, key->src_alpha, key->dst_alpha};
    bool reads = false;
    for (uint32_t i = 0; i < ARRAY_SIZE(factors); i++)
        reads |= factors[i] == VC4C_BLEND_DST_ALPHA || factors[i] == VC4C_BLEND_ONE_MINUS_DST_ALPHA ||
                 factors[i] == VC4C_BLEND_SRC_ALPHA_SATURATE;
    return reads && key->blend_enable && hw_format_info(key->color_format)->block_B > 4 &&
           hw_format_info(key->color_format)->swizzle[3] <= HW_SWIZZLE_W;
}

/* The state of one colour target. */
static void make_target(struct vc4c_fragment_key *key, uint64_t *random)
{
    do
        key->color_format = (uint8_t)mutate_rnd(random, HW_FORMAT_COUNT);
    while (!ir_can_pack_format((enum hw_format)key->color_format));
    key->color_location = (uint8_t)mutate_rnd(random, 4);
    key->write_mask = mutate_rnd(random, 2) ? 15 : (uint8_t)mutate_rnd(random, 16);
    key->logic_op = mutate_rnd(random, 4) ? VC4C_LOGIC_COPY : (uint8_t)mutate_rnd(random, VC4C_LOGIC_SET + 1);
    key->blend_enable = key->logic_op == VC4C_LOGIC_COPY && mutate_rnd(random, 3);
    key->src_color = (uint8_t)mutate_rnd(random, VC4C_BLEND_ONE_MINUS_SRC1_ALPHA + 1);
    key->dst_color = (uint8_t)mutate_rnd(random, VC4C_BLEND_ONE_MINUS_SRC1_ALPHA + 1);
    key->src_alpha = (uint8_t)mutate_rnd(random, VC4C_BLEND_ONE_MINUS_SRC1_ALPHA + 1);
    key->dst_alpha = (uint8_t)mutate_rnd(random, VC4C_BLEND_ONE_MINUS_SRC1_ALPHA + 1);
    key->color_op = (uint8_t)mutate_rnd(random, VC4C_BLEND_OP_MAX + 1);
    key->alpha_op = (uint8_t)mutate_rnd(random, VC4C_BLEND_OP_MAX + 1);
    key->dithers = !mutate_rnd(random, 8);
    key->pairs_alpha = reads_alpha(key) && hw_format_info(key->color_format)->block_B == 8;
    key->alpha_apart = reads_alpha(key) && !key->pairs_alpha;
}

/* What all targets have in common. */
static void make_state(struct vc4c_fragment_key *key, uint64_t *random)
{
    key->samples = mutate_rnd(random, 2) ? 4 : 1;
    key->sample_shading = key->samples == 4 && mutate_rnd(random, 2);
    key->use_sample_mask = key->sample_shading || !mutate_rnd(random, 4);
    key->write_z = mutate_rnd(random, 2) != 0;
    key->stencil_words = key->write_z ? (uint8_t)mutate_rnd(random, 4) : 0;
    key->alpha_to_coverage = !mutate_rnd(random, 4);
    key->alpha_to_one = !mutate_rnd(random, 8);
    key->primitive = mutate_rnd(random, 4) ? VC4C_PRIMITIVE_TRIANGLES : (uint8_t)mutate_rnd(random, 3);
}

/* The words of all targets; the first is in the tile buffer. Those that do not fit are left out, whole targets only. */
static void make_words(struct vc4c_key *key, uint64_t *random)
{
    const uint32_t targets = 1 + (uint32_t)mutate_rnd(random, 4);
    const struct vc4c_fragment_key common = key->fs;
    uint32_t count = 0;
    for (uint32_t i = 0; i < targets; i++) {
        struct vc4c_fragment_key target = common;
        make_target(&target, random);
        for (uint32_t word = 0; word < words_of(&target); word++, count++) {
            target.color_word = (uint8_t)word;
            *(count ? &key->stored[count - 1] : &key->fs) = target;
        }
    }
    key->stored_count = count - 1;
}

static void make_key(struct vc4c_key *key, const struct stage *s, uint64_t *random)
{
    memset(key, 0, sizeof *key);
    make_state(&key->fs, random);
    if (mutate_rnd(random, 2)) {
        make_words(key, random);
    } else {
        do
            make_target(&key->fs, random);
        while (key->fs.alpha_apart); /* for stored words only */
        key->fs.color_word = (uint8_t)mutate_rnd(random, words_of(&key->fs));
    }
    key->quick = mutate_rnd(random, 2) != 0;
    key->class_count = s->interface.texture_count;
}

/* False if the compiler refuses the key. Counts programs that do not fit the chip, and are the CPU engine's. */
static bool compiles(const struct stage *s, uint64_t seed, unsigned *engine)
{
    static struct vc4c_key key;
    static struct vc4c_program program;
    struct vc4c_error error = {{0}};
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    make_key(&key, s, &random);
    enum vc4c_result result = vc4c_compile(&s->entry, VC4C_PROGRAM_FRAGMENT, &key, &alloc, &program, &error);
    if (result == VC4C_DOES_NOT_FIT) { /* the chip */
        key.target = VC4C_TARGET_CPU_ENGINE;
        result = vc4c_compile(&s->entry, VC4C_PROGRAM_FRAGMENT, &key, &alloc, &program, &error);
        ++*engine;
    }
    if (result == VC4C_OK) {
        vc4c_program_finish(&program);
        return true;
    }
    printf("# seed %llu, %s: result %d: %s\n", (unsigned long long)seed, s->name, (int)result, error.text);
    return false;
}

int main(int argc, char **argv)
{
    const char *fuzz = getenv("VKT_FUZZ"), *first = getenv("VKT_SEED");
    const uint64_t count = !fuzz                   ? 4000
                           : !strcmp(fuzz, "full") ? 1000000
                           : !strcmp(fuzz, "few")  ? 400
                                                   : strtoull(fuzz, NULL, 0);
    const uint64_t begin = first ? strtoull(first, NULL, 0) : 1;
    unsigned bad = 0, engine = 0;
    if (!util_debug(UTIL_DEBUG_VALIDATE)) {
        printf("Bail out! without VC4VK_DEBUG=validate the compiler does not check its code\n");
        return 1;
    }
    signal(SIGABRT, die);
    signal(SIGSEGV, die);
    printf("1..1\n# seeds %llu to %llu\n", (unsigned long long)begin, (unsigned long long)(begin + count - 1));
    for (int i = 1; i < argc; i++)
        read_stage(argv[i]);
    for (uint64_t seed = begin; seed < begin + count && stage_count; seed++) {
        current = seed;
        bad += !compiles(&stages[seed % stage_count], seed, &engine);
    }
    for (unsigned i = 0; i < stage_count; i++)
        vc4c_module_destroy((struct vc4c_module *)stages[i].entry.module);
    const bool ok = !bad && stage_count && engine < count;
    printf("# %u fragment shaders, %u programs of the CPU engine, %u refused\n%sok 1 - random keys\n", stage_count,
           engine, bad, ok ? "" : "not ");
    return !ok;
}
