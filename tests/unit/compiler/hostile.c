/* SPDX-License-Identifier: MIT
 *
 * Damaged modules: words of good ones are changed, removed, repeated, cut off. Whatever comes out ends in an error or in a
 * program, never in a crash or without end. Run under AddressSanitizer it shows that nothing reads past its array.
 *
 *   hostile ROUNDS [SEED] -- (SOURCE MODULE)...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/vc4c_ir.h"
#include "hw/tex.h"

static uint64_t state;

static uint32_t rnd(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? (uint32_t)(state >> 20) % below : 0;
}

/* ---------------------------------------------------------------- damage */

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
    case 4: /* another operation */
        words[at] = (words[at] & 0xffff0000) | rnd(400);
        break;
    case 5:
        words[at] = rnd(words[3]);
        break;
    default: /* two words change places */
        words[at] ^= words[other];
        words[other] ^= words[at];
        words[at] ^= words[other];
        break;
    }
}

/* One instruction is taken out, or put in once more. Returns the new number of words. */
static uint32_t damage_instruction(uint32_t *words, uint32_t count, uint32_t room)
{
    uint32_t at = 5, skip = rnd(200);
    while (skip-- && at < count && words[at] >> 16 && at + (words[at] >> 16) < count)
        at += words[at] >> 16;
    uint32_t size = at < count ? words[at] >> 16 : 0;
    if (!size || size > count - at)
        return count;
    if (rnd(2)) {
        memmove(words + at, words + at + size, (count - at - size) * 4);
        return count - size;
    }
    if (count + size > room)
        return count;
    memmove(words + at + size, words + at, (count - at) * 4);
    return count + size;
}

static uint32_t damage(uint32_t *words, uint32_t count, uint32_t room)
{
    for (uint32_t n = 1 + rnd(3); n; n--)
        damage_word(words, count);
    if (rnd(3) == 0)
        count = damage_instruction(words, count, room);
    if (rnd(20) == 0)
        count = rnd(count) + 1;
    return count;
}

/* ---------------------------------------------------------------- compiling */

static bool compile(const struct vc4c_module *module)
{
    struct vc4c_entry entry = {.module = module, .name = "main", .stage = VC4C_STAGE_FRAGMENT};
    static struct vc4c_interface interface;
    static struct vc4c_key key;
    struct vc4c_error error = {{0}};
    struct util_arena arena;
    struct ir_shader *shader;
    jmp_buf oom;
    bool volatile ok = false;
    if (vc4c_get_interface(&entry, NULL, &interface, &error))
        return false;
    memset(&key, 0, sizeof key);
    key.fs.color_format = HW_FORMAT_R8G8B8A8_UNORM;
    key.fs.write_mask = 15;
    key.fs.logic_op = VC4C_LOGIC_COPY;
    key.fs.samples = 1;
    key.class_count = interface.texture_count;
    for (uint32_t i = 0; i < interface.texture_count; i++)
        key.classes[i] = (struct hw_sampling_class){.format = HW_FORMAT_R8G8B8A8_UNORM, .swizzle = {0, 1, 2, 3}};
    util_arena_init(&arena, NULL);
    arena.limit_B = (size_t)256 << 20;
    arena.on_oom = &oom;
    if (!setjmp(oom))
        ok = vc4c_compile_to_ir(&entry, VC4C_PROGRAM_FRAGMENT, &key, &arena, &shader, &error) == VC4C_OK;
    util_arena_finish(&arena);
    return ok;
}

struct tally {
    uint32_t refused, uncompiled, compiled;
};

static void try_words(const uint32_t *words, uint32_t count, struct tally *t)
{
    struct vc4c_module *module = NULL;
    struct vc4c_error error = {{0}};
    if (vc4c_module_create(words, (size_t)count * 4, NULL, &module, &error)) {
        t->refused++;
        return;
    }
    if (compile(module))
        t->compiled++;
    else
        t->uncompiled++;
    vc4c_module_destroy(module);
}

#define ROOM (1u << 16)

static void try_file(const char *name, uint32_t rounds, struct tally *t)
{
    static uint32_t good[ROOM], bad[ROOM];
    FILE *f = fopen(name, "rb");
    uint32_t count = f ? (uint32_t)fread(good, 4, ROOM, f) : 0;
    if (f)
        fclose(f);
    for (uint32_t i = 0; i < rounds && count > 5; i++) {
        memcpy(bad, good, count * 4);
        uint64_t seed = state;
        uint32_t size = damage(bad, count, ROOM);
        if (getenv("HOSTILE_VERBOSE"))
            fprintf(stderr, "%s seed %llu\n", name, (unsigned long long)seed);
        try_words(bad, size, t);
    }
}

int main(int argc, char **argv)
{
    uint32_t rounds = argc > 1 ? (uint32_t)atoi(argv[1]) : 10;
    struct tally t = {0};
    int i = 2;
    state = 88172645463325252u;
    if (i < argc && strcmp(argv[i], "--"))
        state = strtoull(argv[i++], NULL, 0);
    printf("1..1\n# seed %llu\n", (unsigned long long)state);
    for (i++; i + 1 < argc; i += 2)
        try_file(argv[i + 1], rounds, &t);
    printf("# %u refused when read, %u when compiled, %u compiled\n", t.refused, t.uncompiled, t.compiled);
    bool ok = t.refused && t.uncompiled && t.compiled;
    printf("%sok 1 - damaged modules\n", ok ? "" : "not ");
    return !ok;
}
