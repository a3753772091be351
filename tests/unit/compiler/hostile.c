/* SPDX-License-Identifier: MIT
 *
 * Hostile modules. Damaged: words of good ones are changed, removed, repeated, cut off. Made to hurt: types and calls
 * that name themselves, huge bounds, deep nesting, what grows with each step. Whatever comes out ends in an error or in
 * a program, never in a crash, nor without end, nor in much memory. Run under AddressSanitizer it shows that nothing
 * reads past its array.
 *
 *   hostile [SEED] -- LIST (SOURCE MODULE)...       1,000 damaged modules, 10,000 with VKT_FUZZ=full
 *
 * LIST names modules of all stages, as corpus.py writes it. Half of the damage is done along the grammar (mutate.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "compiler/vc4c.h"
#include "hw/tex.h"
#include "mutate.h"

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

static uint32_t random_instruction(const uint32_t *words, uint32_t count)
{
    uint32_t at = 5, skip = rnd(count / 4);
    while (skip-- && words[at] >> 16 && at + (words[at] >> 16) < count)
        at += words[at] >> 16;
    return at;
}

/* An operand becomes what it is in another instruction of that kind: most such modules are well formed. */
static void exchange_operand(uint32_t *words, uint32_t count)
{
    uint32_t at = random_instruction(words, count), other = at;
    for (int tries = 0; tries < 200 && (other == at || words[other] != words[at]); tries++)
        other = random_instruction(words, count);
    uint32_t size = words[at] >> 16;
    if (words[other] != words[at] || size < 2)
        return;
    uint32_t i = 1 + rnd(size - 1);
    words[at + i] = words[other + i];
}

static uint32_t damage(uint32_t *words, uint32_t count, uint32_t room)
{
    if (rnd(2)) {
        for (uint32_t n = 1 + rnd(4); n; n--)
            count = mutate(words, count, room, &state);
        return count;
    }
    if (rnd(4)) {
        for (uint32_t n = 1 + rnd(3); n; n--)
            exchange_operand(words, count);
        return count;
    }
    for (uint32_t n = 1 + rnd(3); n; n--)
        damage_word(words, count);
    if (rnd(3) == 0)
        count = damage_instruction(words, count, room);
    if (rnd(20) == 0)
        count = rnd(count) + 1;
    return count;
}

/* ---------------------------------------------------------------- compiling */

#define MAX_SECONDS 60 /* of one module, on a busy machine and under a sanitizer */

static enum vc4c_program_kind fill_key(enum vc4c_stage stage, struct vc4c_key *key)
{
    memset(key, 0, sizeof *key);
    switch (stage) {
    case VC4C_STAGE_VERTEX:
        for (uint32_t i = 0; i < VC4C_MAX_ATTRIBUTES; i++)
            key->vs.formats[i] = HW_FORMAT_R8G8B8A8_UNORM;
        key->vs.output_count = 4;
        for (uint8_t i = 0; i < 4; i++)
            key->vs.outputs[i].component = i;
        return VC4C_PROGRAM_VERTEX;
    case VC4C_STAGE_FRAGMENT:
        key->fs.color_format = HW_FORMAT_R8G8B8A8_UNORM;
        key->fs.write_mask = 15;
        key->fs.logic_op = VC4C_LOGIC_COPY;
        key->fs.samples = 1;
        return VC4C_PROGRAM_FRAGMENT;
    default:
        key->target = VC4C_TARGET_CPU_ENGINE;
        return VC4C_PROGRAM_COMPUTE;
    }
}

/* To code, as far as it goes. The memory of a call is bounded by the compiler itself. */
static bool compile(const struct vc4c_module *module, struct vc4c_error *error)
{
    struct vc4c_entry entry = {.module = module, .name = "main", .stage = VC4C_STAGE_VERTEX};
    while (entry.stage < VC4C_STAGE_COMPUTE && !vc4c_has_entry(&entry))
        entry.stage++;
    static struct vc4c_interface interface;
    static struct vc4c_program program;
    static struct vc4c_key key;
    if (vc4c_get_interface(&entry, NULL, &interface, error))
        return false;
    enum vc4c_program_kind kind = fill_key(entry.stage, &key);
    key.class_count = interface.texture_count;
    for (uint32_t i = 0; i < interface.texture_count; i++)
        key.classes[i] = (struct hw_sampling_class){.format = HW_FORMAT_R8G8B8A8_UNORM, .swizzle = {0, 1, 2, 3}};
    if (vc4c_compile(&entry, kind, &key, NULL, &program, error))
        return false;
    vc4c_program_finish(&program);
    return true;
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
    if (compile(module, &error)) {
        t->compiled++;
    } else {
        t->uncompiled++;
        if (getenv("HOSTILE_VERBOSE"))
            fprintf(stderr, "%s\n", error.text);
    }
    vc4c_module_destroy(module);
}

#define ROOM (1u << 16)

static uint32_t read_words(const char *name, uint32_t *words)
{
    FILE *f = fopen(name, "rb");
    uint32_t count = f ? (uint32_t)fread(words, 4, ROOM, f) : 0;
    if (f)
        fclose(f);
    return count;
}

#define MAX_NAMES 1024

/* Modules of the list, behind those given by name. Returns their number. */
static uint32_t read_list(const char *list, char **names, uint32_t count)
{
    static char lines[MAX_NAMES][512];
    FILE *f = fopen(list, "r");
    for (uint32_t i = 0; f && count < MAX_NAMES && fgets(lines[i], sizeof lines[i], f); i++) {
        char *tab = strchr(lines[i], '\t'), *end = strchr(lines[i], '\n');
        if (!tab || !end)
            break;
        *end = 0;
        names[count++] = tab + 1;
    }
    if (f)
        fclose(f);
    return count;
}

static void try_damaged(char **names, uint32_t count, uint32_t rounds, struct tally *t)
{
    static uint32_t good[ROOM], bad[ROOM];
    for (uint32_t i = 0; i < rounds; i++) {
        const char *name = names[rnd(count)];
        uint32_t words = read_words(name, good);
        if (words <= 5)
            continue;
        memcpy(bad, good, words * 4);
        uint64_t seed = state;
        uint32_t size = damage(bad, words, ROOM);
        if (getenv("HOSTILE_VERBOSE"))
            fprintf(stderr, "%s seed %llu\n", name, (unsigned long long)seed);
        alarm(MAX_SECONDS);
        try_words(bad, size, t);
    }
}

/* ---------------------------------------------------------------- modules made to hurt */

struct module {
    uint32_t words[1 << 18], count, next_id;
};

static void op(struct module *m, uint32_t code, uint32_t count, const uint32_t *operands)
{
    if (m->count + 1 + count > ARRAY_SIZE(m->words))
        return;
    m->words[m->count++] = (count + 1) << 16 | code;
    memcpy(m->words + m->count, operands, count * 4);
    m->count += count;
}

#define OP(m, code, ...)                                                                                               \
    op(m, code, sizeof(uint32_t[]){__VA_ARGS__} / 4, (const uint32_t[]){__VA_ARGS__})

enum { MAIN = 1, VOID, FUNCTION, FLOAT, BOOL, INT, POINTER, OUT, ONE, TRUE, ZERO, FIRST_FREE };

static void begin(struct module *m)
{
    static const uint32_t header[] = {0x07230203, 0x00010000, 0, 0x3fffff, 0};
    const uint32_t name = 0x6e69616d; /* "main" */
    memcpy(m->words, header, sizeof header);
    m->count = 5;
    m->next_id = FIRST_FREE;
    OP(m, 17, 1);                         /* OpCapability Shader */
    OP(m, 14, 0, 1);                      /* OpMemoryModel Logical GLSL450 */
    OP(m, 15, 4, MAIN, name, 0, OUT);     /* OpEntryPoint Fragment */
    OP(m, 16, MAIN, 7);                   /* OpExecutionMode OriginUpperLeft */
    OP(m, 71, OUT, 30, 0);                /* OpDecorate Location 0 */
    OP(m, 19, VOID);
    OP(m, 33, FUNCTION, VOID);
    OP(m, 22, FLOAT, 32);
    OP(m, 20, BOOL);
    OP(m, 21, INT, 32, 1);
    OP(m, 32, POINTER, 3, FLOAT);         /* Output */
    OP(m, 59, POINTER, OUT, 3);
    OP(m, 43, FLOAT, ONE, 0x3f800000);
    OP(m, 41, BOOL, TRUE);
    OP(m, 43, INT, ZERO, 0);
}

static uint32_t begin_main(struct module *m)
{
    uint32_t label = m->next_id++;
    OP(m, 54, VOID, MAIN, 0, FUNCTION);
    OP(m, 248, label);
    return label;
}

static void end_main(struct module *m)
{
    OP(m, 62, OUT, ONE);
    OP(m, 253, 0);
    m->words[m->count - 2] = 1u << 16 | 253; /* OpReturn has no operand */
    m->words[m->count - 1] = 1u << 16 | 56;
}

static void itself_as_type(struct module *m)
{
    uint32_t id = m->next_id++;
    OP(m, 30, id, id);                    /* a struct of itself */
    begin_main(m);
    end_main(m);
}

static void huge_array(struct module *m)
{
    uint32_t size = m->next_id++, array = m->next_id, pointer;
    OP(m, 43, INT, size, 0x7fffffff);
    for (int i = 0; i < 4; i++)
        OP(m, 28, m->next_id + (uint32_t)i, i ? m->next_id + (uint32_t)i - 1 : FLOAT, size);
    m->next_id += 4;
    pointer = m->next_id++;
    OP(m, 32, pointer, 6, array);
    OP(m, 59, pointer, m->next_id++, 6);
    begin_main(m);
    end_main(m);
}

/* 4,096 floats, loaded and stored again and again. */
static void large_values(struct module *m)
{
    uint32_t size = m->next_id++, array = m->next_id++, pointer = m->next_id++, variable = m->next_id++;
    OP(m, 43, INT, size, 4096);
    OP(m, 28, array, FLOAT, size);
    OP(m, 32, pointer, 6, array);
    OP(m, 59, pointer, variable, 6);
    begin_main(m);
    for (int i = 0; i < 20000; i++) {
        OP(m, 61, array, m->next_id, variable);
        OP(m, 62, variable, m->next_id++);
    }
    end_main(m);
}

static void nested_types(struct module *m)
{
    uint32_t last = FLOAT;
    for (int i = 0; i < 20000; i++, last = m->next_id++)
        OP(m, 30, m->next_id, last);
    begin_main(m);
    end_main(m);
}

static void nested_ifs(struct module *m)
{
    enum { DEPTH = 5000 };
    begin_main(m);
    uint32_t merges = m->next_id;
    m->next_id += DEPTH;
    for (uint32_t i = 0; i < DEPTH; i++) {
        OP(m, 247, merges + i, 0);
        OP(m, 250, TRUE, m->next_id, merges + i);
        OP(m, 248, m->next_id++);
    }
    for (uint32_t i = DEPTH; i--;) {
        OP(m, 249, merges + i);
        OP(m, 248, merges + i);
    }
    end_main(m);
}

/* Every function calls the next one twice. */
static void doubling_calls(struct module *m)
{
    enum { FUNCTIONS = 40 };
    uint32_t first = m->next_id;
    m->next_id += FUNCTIONS;
    begin_main(m);
    OP(m, 57, VOID, m->next_id++, first);
    end_main(m);
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        OP(m, 54, VOID, first + i, 0, FUNCTION);
        OP(m, 248, m->next_id++);
        for (int k = 0; k < 2 && i + 1 < FUNCTIONS; k++)
            OP(m, 57, VOID, m->next_id++, first + i + 1);
        end_main(m);
    }
}

static void call_of_itself(struct module *m)
{
    begin_main(m);
    OP(m, 57, VOID, m->next_id++, MAIN);
    end_main(m);
}

/* A block that branches to itself, without a loop around. */
static void branch_to_itself(struct module *m)
{
    uint32_t label = begin_main(m);
    OP(m, 249, label);
    m->words[m->count++] = 1u << 16 | 56;
}

/* One block with thousands of phis, and as many ways into it as the branches give. */
static void many_phis(struct module *m)
{
    uint32_t label = begin_main(m), next = m->next_id++;
    OP(m, 249, next);
    OP(m, 248, next);
    for (int i = 0; i < 20000; i++)
        OP(m, 245, FLOAT, m->next_id++, ONE, label);
    end_main(m);
}

static void many_cases(struct module *m)
{
    enum { CASES = 16000 };
    static uint32_t words[2 + 2 * CASES];
    begin_main(m);
    uint32_t merge = m->next_id++, first = m->next_id;
    OP(m, 247, merge, 0);
    words[0] = ZERO;
    words[1] = merge;
    for (uint32_t i = 0; i < CASES; i++) {
        words[2 + 2 * i] = i;
        words[3 + 2 * i] = first + i;
    }
    op(m, 251, ARRAY_SIZE(words), words);
    for (uint32_t i = 0; i < CASES; i++) {
        OP(m, 248, first + i);
        OP(m, 249, merge);
    }
    m->next_id += CASES;
    OP(m, 248, merge);
    end_main(m);
}

static void many_members(struct module *m)
{
    uint32_t id = m->next_id++;
    for (uint32_t i = 0; i < 40000; i++)
        OP(m, 72, id, i * 7 % 40000, 35, 4 * i); /* OpMemberDecorate Offset */
    OP(m, 30, id, FLOAT);
    begin_main(m);
    end_main(m);
}

static void long_chain(struct module *m)
{
    uint32_t last = ONE, load;
    begin_main(m);
    load = m->next_id++;
    OP(m, 61, FLOAT, load, OUT);
    for (int i = 0; i < 40000; i++, last = m->next_id++)
        OP(m, i % 2 ? 133 : 129, FLOAT, m->next_id, i ? last : load, load);
    OP(m, 62, OUT, last);
    end_main(m);
}

static void try_made(struct tally *t)
{
    static void (*const makers[])(struct module *) = {
        itself_as_type, huge_array, large_values, nested_types, nested_ifs,   doubling_calls, call_of_itself,
        branch_to_itself, many_phis, many_cases,  many_members, long_chain,
    };
    static struct module m;
    for (uint32_t i = 0; i < ARRAY_SIZE(makers); i++) {
        clock_t start = clock();
        begin(&m);
        makers[i](&m);
        alarm(MAX_SECONDS);
        try_words(m.words, m.count, t);
        printf("# made to hurt, number %u: %.2f s\n", i, (double)(clock() - start) / CLOCKS_PER_SEC);
    }
}

int main(int argc, char **argv)
{
    const char *mode = getenv("VKT_FUZZ");
    uint32_t rounds = mode && !strcmp(mode, "full") ? 10000 : 1000;
    struct tally t = {0}, made = {0};
    int i = 1;
    state = 88172645463325252u;
    if (i < argc && strcmp(argv[i], "--"))
        state = strtoull(argv[i++], NULL, 0);
    printf("1..2\n# seed %llu\n", (unsigned long long)state);
    static char *names[MAX_NAMES];
    uint32_t count = 0;
    const char *list = ++i < argc ? argv[i] : "";
    for (i += 2; i < argc && count < MAX_NAMES / 2; i += 2)
        names[count++] = argv[i];
    count = read_list(list, names, count);
    if (count)
        try_damaged(names, count, rounds, &t);
    printf("# %u refused when read, %u when compiled, %u compiled\n", t.refused, t.uncompiled, t.compiled);
    bool ok = t.refused && t.uncompiled && t.compiled;
    printf("%sok 1 - damaged modules\n", ok ? "" : "not ");
    try_made(&made);
    printf("# %u refused when read, %u when compiled, %u compiled\n", made.refused, made.uncompiled, made.compiled);
    bool made_ok = made.refused >= 2 && made.uncompiled >= 4;
    printf("%sok 2 - modules made to hurt\n", made_ok ? "" : "not ");
    return !ok || !made_ok;
}
