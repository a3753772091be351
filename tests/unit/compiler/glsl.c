/* SPDX-License-Identifier: MIT
 *
 * Fragment shaders in GLSL (glsl/), compiled by glslang when the tests are built, run by the evaluator and compared with
 * what the shader's own comments expect:
 *
 *   // push 1.0 2 -3          words of the push constants (an integer when there is no point)
 *   // buffer 1.0 2           words of every buffer
 *   // out 1.0 2 ...          location 0, all lanes; a tolerance of 2^-14 relative to max(1, |x|), integers exact
 *   // out@5 1.0 ...          lane 5 only
 *
 * Input (location 0): lane, lane / 4 - 2, 1, lane & 1. Each shader runs as it was translated, optimised, and lowered to the
 * chip's own operations: translation, passes and lowering are all judged.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/lower/lower.h"
#include "compiler/spirv/spv.h"
#include "compiler/vc4c_ir.h"
#include "ir_eval.h"

#define MAX_WORDS 64

struct word {
    uint32_t bits;
    bool is_int;
};

struct expectation {
    int lane; /* -1: all */
    struct word words[4];
    uint32_t count;
};

struct expected {
    uint32_t push[MAX_WORDS], buffer[MAX_WORDS], push_words, buffer_words;
    struct expectation outs[40];
    uint32_t out_count;
};

/* ---------------------------------------------------------------- comments */

static uint32_t read_words(const char *text, struct word *words, uint32_t max)
{
    uint32_t count = 0;
    char *end;
    for (; count < max; text = end) {
        while (*text == ' ')
            text++;
        size_t length = strcspn(text, " \n");
        bool is_float = memchr(text, '.', length) && strncmp(text, "0x", 2);
        float x = strtof(text, &end);
        if (end == text)
            break;
        words[count].is_int = !is_float;
        words[count++].bits = is_float ? util_fui(x) : (uint32_t)strtoll(text, &end, 0);
    }
    return count;
}

static void read_line(struct expected *e, const char *line)
{
    struct word words[MAX_WORDS];
    if (!strncmp(line, "// push ", 8)) {
        e->push_words = read_words(line + 8, words, MAX_WORDS);
        for (uint32_t i = 0; i < e->push_words; i++)
            e->push[i] = words[i].bits;
    } else if (!strncmp(line, "// buffer ", 10)) {
        e->buffer_words = read_words(line + 10, words, MAX_WORDS);
        for (uint32_t i = 0; i < e->buffer_words; i++)
            e->buffer[i] = words[i].bits;
    } else if (!strncmp(line, "// out", 6) && e->out_count < ARRAY_SIZE(e->outs)) {
        struct expectation *out = &e->outs[e->out_count++];
        char *at = (char *)line + 6;
        out->lane = *at == '@' ? (int)strtol(at + 1, &at, 10) : -1;
        out->count = read_words(at, out->words, 4);
    }
}

static bool read_expected(const char *name, struct expected *e)
{
    char line[1024];
    FILE *f = fopen(name, "r");
    memset(e, 0, sizeof *e);
    while (f && fgets(line, sizeof line, f))
        read_line(e, line);
    if (f)
        fclose(f);
    return e->out_count > 0;
}

/* ---------------------------------------------------------------- running */

static uint32_t input(uint32_t location, uint32_t component, uint32_t lane)
{
    const float v[4] = {(float)lane, (float)lane / 4 - 2, 1, (float)(lane & 1)};
    return location == 0 ? util_fui(v[component]) : util_fui((float)(location + component));
}

static uint32_t builtin(uint32_t which, uint32_t component, uint32_t lane)
{
    return which == SpvBuiltInFragCoord ? util_fui(component < 2 ? (float)lane + 0.5f : 0.5f) : lane & 1;
}

static bool is_near(struct word want, uint32_t got)
{
    if (want.is_int)
        return want.bits == got;
    float x = util_uif(want.bits), y = util_uif(got);
    return fabsf(x - y) <= fmaxf(1, fabsf(x)) / 16384 || x == y;
}

static bool check(const char *what, const struct expected *e, const struct eval *run)
{
    bool ok = true;
    if (run->trouble) {
        printf("# %s: %s\n", what, run->trouble);
        return false;
    }
    for (uint32_t i = 0; i < e->out_count; i++) {
        const struct expectation *x = &e->outs[i];
        for (uint32_t lane = 0; lane < EVAL_LANES; lane++) {
            if (x->lane >= 0 && lane != (uint32_t)x->lane)
                continue;
            for (uint32_t c = 0; c < x->count; c++) {
                uint32_t got = run->out[0][c][lane];
                if (is_near(x->words[c], got))
                    continue;
                printf("# %s: lane %u, component %u: %g (0x%08x) instead of %g (0x%08x)\n", what, lane, c,
                       (double)util_uif(got), got, (double)util_uif(x->words[c].bits), x->words[c].bits);
                ok = false;
            }
            if (!ok)
                return false;
        }
    }
    return ok;
}

static bool run(const char *what, const struct expected *e, struct ir_shader *shader)
{
    struct eval eval = {.push = e->push, .push_words = e->push_words, .buffer = e->buffer,
                        .buffer_words = e->buffer_words, .input = input, .builtin = builtin};
    const char *message = ir_validate(shader, false);
    if (message) {
        printf("# %s: %s\n", what, message);
        return false;
    }
    eval_run(&eval, shader, 100000);
    return check(what, e, &eval);
}

/* All stages of one shader, one after the other. */
static bool run_stages(const struct expected *e, const struct vc4c_entry *entry, struct util_arena *arena)
{
    struct ir_shader *shader;
    struct vc4c_error error = {{0}};
    if (spv_to_ir(entry, VC4C_PROGRAM_FRAGMENT, arena, &shader, &error)) {
        printf("# %s (word %u)\n", error.text, error.offset_words);
        return false;
    }
    bool ok = run("translated", e, shader);
    ir_optimise(shader);
    ok &= run("optimised", e, shader);
    ir_collect_inputs(shader);
    if (ir_lower_fs_inputs(shader, &error) || ir_lower_buffers(shader, &error)) {
        printf("# %s\n", error.text);
        return false;
    }
    ir_lower_int(shader);
    ok &= run("with integers lowered", e, shader);
    ir_lower_math(shader);
    ok &= run("lowered", e, shader);
    ir_optimise(shader);
    ir_lower_loop_exits(shader);
    return run("at the end", e, shader) && ok;
}

static uint32_t *read_spv(const char *name, size_t *size_B)
{
    FILE *f = fopen(name, "rb");
    uint32_t *words = malloc(1 << 20);
    *size_B = f ? fread(words, 1, 1 << 20, f) : 0;
    if (f)
        fclose(f);
    return words;
}

static bool test(const char *source, const char *spv)
{
    struct expected e;
    struct util_arena arena;
    struct vc4c_module *module = NULL;
    struct vc4c_error error = {{0}};
    jmp_buf oom;
    size_t size_B;
    bool volatile ok = false;
    if (!read_expected(source, &e)) {
        printf("# the shader expects nothing\n");
        return false;
    }
    uint32_t *words = read_spv(spv, &size_B);
    util_arena_init(&arena, NULL);
    arena.on_oom = &oom;
    if (vc4c_module_create(words, size_B, NULL, &module, &error)) {
        printf("# %s (word %u)\n", error.text, error.offset_words);
    } else if (!setjmp(oom)) {
        struct vc4c_entry entry = {.module = module, .name = "main", .stage = VC4C_STAGE_FRAGMENT};
        ok = run_stages(&e, &entry, &arena);
    }
    util_arena_finish(&arena);
    vc4c_module_destroy(module);
    free(words);
    return ok;
}

/* Arguments: source and module of each shader in turn. */
int main(int argc, char **argv)
{
    int failed = 0;
    printf("1..%d\n", argc / 2);
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *base = strrchr(argv[i], '/');
        bool ok = test(argv[i], argv[i + 1]);
        printf("%s %d - %s\n", ok ? "ok" : "not ok", i / 2 + 1, base ? base + 1 : argv[i]);
        failed += !ok;
    }
    return failed != 0;
}
