/* SPDX-License-Identifier: MIT
 *
 * Runs the fragment shaders of glsl/, which glslang compiles at build time, in the IR evaluator and compares the
 * results with the expectations in the shaders' comments (glsl_expect.h). Each shader is checked after translation,
 * after optimisation and after each step of lowering to the chip's operations.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/lower/lower.h"
#include "compiler/spirv/spv.h"
#include "compiler/vc4c_ir.h"
#include "glsl_expect.h"
#include "ir_eval.h"

/* ---------------------------------------------------------------- running */

static uint32_t builtin(uint32_t which, uint32_t component, uint32_t lane)
{
    return which == SpvBuiltInFragCoord ? util_fui(component < 2 ? (float)lane + 0.5f : 0.5f) : lane & 1;
}

static bool run(const char *what, const struct expected *e, struct ir_shader *shader)
{
    struct eval eval = {.push = e->push, .push_words = e->push_words, .buffer = e->buffer,
                        .buffer_words = e->buffer_words, .input = glsl_input, .builtin = builtin};
    const char *message = ir_validate(shader, false);
    if (message) {
        printf("# %s: %s\n", what, message);
        return false;
    }
    eval_run(&eval, shader, 100000);
    if (eval.trouble)
        printf("# %s: %s\n", what, eval.trouble);
    return !eval.trouble && glsl_check(what, e, eval.out[0]);
}

/* Checks one shader after every stage of the compiler. */
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
    if (ir_lower_fs_inputs(shader, &(struct vc4c_fragment_key){.samples = 1}, &error) ||
        ir_lower_buffers(shader, &error)) {
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
    if (!glsl_read(source, &e)) {
        printf("# %s: no \"// out\" comment states an expected result\n", source);
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

/* Arguments: the source and the module of each shader, alternating. */
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
