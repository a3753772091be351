/* SPDX-License-Identifier: MIT
 *
 * Every sampling instruction on every kind of image must compile for the chip with every sampling class it can meet, so
 * that a draw has a program whatever is bound.
 *
 * Arguments: modules of api/shaders/sample.frag. Compiles every seventh combination, or all of them if ALL is set.
 * Prints the size of the largest program, or of every program if VERBOSE is set.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/vc4c.h"
#include "hw/layout.h"
#include "util/debug.h"

#define MODES 8

static const struct hw_sampling_class methods[] = {
    {.method = HW_SAMPLE_NATIVE, .format = HW_FORMAT_R8G8B8A8_UNORM},
    {.method = HW_SAMPLE_NATIVE, .format = HW_FORMAT_R8G8B8A8_SRGB, .flags = HW_SAMPLING_LOD_CLAMP},
    {.method = HW_SAMPLE_NATIVE, .format = HW_FORMAT_R8G8B8A8_SRGB, .flags = HW_SAMPLING_IN_CODE},
    {.method = HW_SAMPLE_RAW, .format = HW_FORMAT_R16G16B16A16_FLOAT},
    {.method = HW_SAMPLE_RAW, .format = HW_FORMAT_R8_SNORM, .flags = HW_SAMPLING_IN_CODE},
    {.method = HW_SAMPLE_RAW, .format = HW_FORMAT_R32G32B32A32_FLOAT, .flags = HW_SAMPLING_IN_CODE},
    {.method = HW_SAMPLE_RAW,
     .format = HW_FORMAT_R9G9B9E5_UFLOAT,
     .flags = HW_SAMPLING_IN_CODE | HW_SAMPLING_LOD_CLAMP | HW_SAMPLING_BORDER},
    {.method = HW_SAMPLE_DIRECT, .format = HW_FORMAT_R8G8B8A8_SRGB},
    {.method = HW_SAMPLE_DIRECT, .format = HW_FORMAT_R8G8_SNORM, .wraps = 0x15},
    {.method = HW_SAMPLE_DIRECT, .format = HW_FORMAT_R16G16B16A16_FLOAT, .wraps = 0x2a},
    {.method = HW_SAMPLE_DIRECT, .format = HW_FORMAT_R32G32B32A32_FLOAT, .wraps = 0x3f},
    {.method = HW_SAMPLE_DIRECT, .format = HW_FORMAT_Z24S8, .flags = HW_SAMPLING_LOD_CLAMP},
};

static const uint8_t filters[] = {0, HW_FILTER_MAG_LINEAR | HW_FILTER_MIN_LINEAR, HW_FILTER_MAG_LINEAR,
                                  HW_FILTER_MAG_LINEAR | HW_FILTER_MIN_LINEAR | HW_FILTER_MIP_LINEAR};

struct seen {
    uint32_t combinations, programs, failures, worst_instructions, worst_registers;
};

static void compile(const char *name, const struct vc4c_entry *entry, uint32_t mode, const struct vc4c_key *key,
                    struct seen *seen)
{
    struct vc4c_program program;
    struct vc4c_error error = {{0}};
    const struct hw_sampling_class *c = &key->classes[0];
    enum vc4c_result result = vc4c_compile(entry, VC4C_PROGRAM_FRAGMENT, key, NULL, &program, &error);
    seen->programs++;
    /* a program that fits the chip need not fit in the stress mode with few registers */
    if (result == VC4C_DOES_NOT_FIT && util_debug(UTIL_DEBUG_FEW_REGISTERS)) {
        struct vc4c_key engine = *key;
        engine.target = VC4C_TARGET_CPU_ENGINE;
        result = vc4c_compile(entry, VC4C_PROGRAM_FRAGMENT, &engine, NULL, &program, &error);
    }
    if (result || getenv("VERBOSE"))
        printf("# %s mode %u method %u %s filters %u wraps 0x%x levels %u layout %u flags %u: ", name, mode, c->method,
               hw_format_info((enum hw_format)c->format)->name, c->filters, c->wraps, c->levels, c->layout, c->flags);
    if (result) {
        printf("%s\n", error.text);
        seen->failures++;
        return;
    }
    if (getenv("VERBOSE"))
        printf("%u instructions, %u registers, %u us\n", program.stats.instructions, program.stats.registers,
               program.stats.compile_us);
    seen->worst_instructions = MAX2(seen->worst_instructions, program.stats.instructions);
    seen->worst_registers = MAX2(seen->worst_registers, program.stats.registers);
    vc4c_program_finish(&program);
}

static void compile_class(const char *name, const struct vc4c_entry *entry, uint32_t mode, struct hw_sampling_class c,
                          struct seen *seen)
{
    struct vc4c_key key = {
        .fs = {.color_format = HW_FORMAT_R8G8B8A8_UNORM, .write_mask = 15, .samples = 1, .logic_op = VC4C_LOGIC_COPY},
        .class_count = 2}; /* a second texture: size queries may use the image without the sampler */
    for (uint8_t i = 0; i < 4; i++)
        c.swizzle[i] = i;
    c.compare = 2;
    if (seen->combinations++ % 7 && !getenv("ALL"))
        return;
    key.classes[0] = key.classes[1] = c;
    compile(name, entry, mode, &key, seen);
}

static bool is_filtered(const struct hw_sampling_class *c)
{
    return c->method == HW_SAMPLE_DIRECT || (c->flags & HW_SAMPLING_IN_CODE);
}

static void compile_all(const char *name, const struct vc4c_entry *entry, uint32_t mode, struct seen *seen)
{
    for (size_t m = 0; m < ARRAY_SIZE(methods); m++)
        for (size_t f = 0; f < (is_filtered(&methods[m]) ? ARRAY_SIZE(filters) : 1); f++)
            for (uint32_t levels = 0; levels < (is_filtered(&methods[m]) ? 2u : 1u); levels++)
                for (uint32_t layout = 0; layout < (methods[m].method == HW_SAMPLE_DIRECT ? 2u : 1u); layout++) {
                    struct hw_sampling_class c = methods[m];
                    c.filters = filters[f];
                    c.levels = is_filtered(&c) ? (levels ? HW_MAX_LEVELS : 1) : 0;
                    c.layout = (uint8_t)layout; /* LT, T */
                    compile_class(name, entry, mode, c, seen);
                }
}

static bool test(const char *file)
{
    static uint32_t words[1 << 16];
    struct vc4c_module *module = NULL;
    struct vc4c_error error = {{0}};
    struct seen seen = {0};
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    FILE *f = fopen(file, "rb");
    size_t count = f ? fread(words, 4, ARRAY_SIZE(words), f) : 0;
    if (f)
        fclose(f);
    if (vc4c_module_create(words, count * 4, NULL, &module, &error)) {
        printf("# %s: %s\n", file, error.text);
        return false;
    }
    for (uint32_t mode = 0; mode < MODES; mode++) {
        const struct vc4c_spec_constant spec = {.id = 0, .size_B = 4, .data = &mode};
        const struct vc4c_entry entry = {
            .module = module, .name = "main", .stage = VC4C_STAGE_FRAGMENT, .specs = &spec, .spec_count = 1};
        compile_all(name, &entry, mode, &seen);
    }
    vc4c_module_destroy(module);
    printf("# %s: %u programs, %u do not compile; at most %u instructions, %u registers\n", name, seen.programs,
           seen.failures, seen.worst_instructions, seen.worst_registers);
    return !seen.failures;
}

int main(int argc, char **argv)
{
    int failed = 0;
    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++) {
        bool ok = test(argv[i]);
        printf("%s %d - %s\n", ok ? "ok" : "not ok", i, strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i]);
        failed += !ok;
    }
    return failed != 0;
}
