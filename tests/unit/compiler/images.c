/* SPDX-License-Identifier: MIT
 *
 * Image types and the instructions that use them: tries every combination of the operands of OpTypeImage, and every
 * instruction that reads an image with every type. What the specification allows has to compile or be refused as
 * unsupported. Everything else has to be refused as invalid or unsupported. The rules are stated here a second time,
 * independently of spv_type.c and spv_tex.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "compiler/vc4c.h"
#include "hw/tex.h"
#include "spv_gen.h"
#include "util/macros.h"

enum { MAX_WORDS = 600 };

struct module {
    uint32_t words[MAX_WORDS], count;
};

static void put(struct module *m, uint32_t op, uint32_t count, const uint32_t *operands)
{
    assert_true(m->count + count + 1 <= MAX_WORDS);
    m->words[m->count++] = (count + 1) << 16 | op;
    for (uint32_t i = 0; i < count; i++)
        m->words[m->count++] = operands[i];
}

#define PUT(m, op, ...) put(m, op, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (const uint32_t[]){__VA_ARGS__})

enum {
    NONE, MAIN, VOID, FUNCTION, FLOAT, INT, UINT, VEC2, VEC3, VEC4, IVEC2, IVEC3, IVEC4, UVEC4, STRUCT, BOOL, OUT_PTR,
    OUT, IMAGE, SAMPLED, POINTER, VARIABLE, ZERO, ZERO2, ZERO3, ZERO4, IZERO, IZERO2, IZERO3, IZERO4, LABEL, LOADED,
    TAKEN, RESULT, RESULT4, FIRST_FREE
};

/* An OpTypeImage: texel, Dim, Depth, Arrayed, MS, Sampled, Format. */
struct image {
    uint32_t texel, dim, depth, arrayed, ms, sampled, format;
};

static void begin(struct module *m, const struct image *i, bool has_variable)
{
    static const uint32_t header[] = {0x07230203, 0x00010000, 0, FIRST_FREE, 0};
    static const uint32_t capabilities[] = {
        SpvCapabilityShader, SpvCapabilitySampled1D, SpvCapabilityImage1D, SpvCapabilitySampledBuffer,
        SpvCapabilityImageBuffer, SpvCapabilitySampledCubeArray, SpvCapabilityImageCubeArray,
        SpvCapabilityInputAttachment, SpvCapabilityImageQuery, SpvCapabilityImageGatherExtended,
        SpvCapabilityStorageImageReadWithoutFormat, SpvCapabilityStorageImageExtendedFormats,
        SpvCapabilityStorageImageMultisample};
    memcpy(m->words, header, sizeof header);
    m->count = ARRAY_SIZE(header);
    for (uint32_t k = 0; k < ARRAY_SIZE(capabilities); k++)
        PUT(m, SpvOpCapability, capabilities[k]);
    PUT(m, SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelGLSL450);
    PUT(m, SpvOpEntryPoint, SpvExecutionModelFragment, MAIN, 0x6e69616d /* "main" */, 0, OUT);
    PUT(m, SpvOpExecutionMode, MAIN, SpvExecutionModeOriginUpperLeft);
    PUT(m, SpvOpDecorate, OUT, SpvDecorationLocation, 0);
    if (has_variable) {
        PUT(m, SpvOpDecorate, VARIABLE, SpvDecorationDescriptorSet, 0);
        PUT(m, SpvOpDecorate, VARIABLE, SpvDecorationBinding, 0);
    }
    if (has_variable && i->dim == SpvDimSubpassData)
        PUT(m, SpvOpDecorate, VARIABLE, SpvDecorationInputAttachmentIndex, 0);
    PUT(m, SpvOpTypeVoid, VOID);
    PUT(m, SpvOpTypeFunction, FUNCTION, VOID);
    PUT(m, SpvOpTypeFloat, FLOAT, 32);
    PUT(m, SpvOpTypeInt, INT, 32, 1);
    PUT(m, SpvOpTypeInt, UINT, 32, 0);
    PUT(m, SpvOpTypeBool, BOOL);
    for (uint32_t n = 2; n <= 4; n++) {
        PUT(m, SpvOpTypeVector, VEC2 + n - 2, FLOAT, n);
        PUT(m, SpvOpTypeVector, IVEC2 + n - 2, INT, n);
    }
    PUT(m, SpvOpTypeVector, UVEC4, UINT, 4);
    PUT(m, SpvOpTypeStruct, STRUCT, FLOAT);
    PUT(m, SpvOpTypePointer, OUT_PTR, SpvStorageClassOutput, VEC4);
    PUT(m, SpvOpVariable, OUT_PTR, OUT, SpvStorageClassOutput);
    PUT(m, SpvOpConstantNull, FLOAT, ZERO);
    PUT(m, SpvOpConstantNull, INT, IZERO);
    for (uint32_t n = 2; n <= 4; n++) {
        PUT(m, SpvOpConstantNull, VEC2 + n - 2, ZERO2 + n - 2);
        PUT(m, SpvOpConstantNull, IVEC2 + n - 2, IZERO2 + n - 2);
    }
    PUT(m, SpvOpTypeImage, IMAGE, i->texel, i->dim, i->depth, i->arrayed, i->ms, i->sampled, i->format);
}

static void end(struct module *m)
{
    PUT(m, SpvOpStore, OUT, ZERO4);
    put(m, SpvOpReturn, 0, NULL);
    put(m, SpvOpFunctionEnd, 0, NULL);
}

static void begin_main(struct module *m)
{
    PUT(m, SpvOpFunction, VOID, MAIN, 0, FUNCTION);
    PUT(m, SpvOpLabel, LABEL);
}

/* The result of the first step that fails: reading the module, its interface or compiling; VC4C_OK if none does. */
static enum vc4c_result compile(const struct module *m, struct vc4c_error *error)
{
    struct vc4c_module *module = NULL;
    static struct vc4c_interface interface;
    static struct vc4c_program program;
    static struct vc4c_key key;
    enum vc4c_result result = vc4c_module_create(m->words, m->count * sizeof *m->words, NULL, &module, error);
    if (result)
        return result;
    struct vc4c_entry entry = {.module = module, .name = "main", .stage = VC4C_STAGE_FRAGMENT};
    result = vc4c_get_interface(&entry, NULL, &interface, error);
    key = (struct vc4c_key){.target = VC4C_TARGET_CPU_ENGINE, .class_count = interface.texture_count};
    key.fs = (struct vc4c_fragment_key){.color_format = HW_FORMAT_R8G8B8A8_UNORM, .write_mask = 15,
                                        .logic_op = VC4C_LOGIC_COPY, .samples = 1};
    for (uint32_t i = 0; i < interface.texture_count; i++) {
        const bool is_fetched = interface.textures[i].fetch_only;
        key.classes[i] = (struct hw_sampling_class){.method = is_fetched ? HW_SAMPLE_DIRECT : HW_SAMPLE_NATIVE,
                                                    .format = HW_FORMAT_R8G8B8A8_UNORM, .swizzle = {0, 1, 2, 3}};
    }
    if (!result)
        result = vc4c_compile(&entry, VC4C_PROGRAM_FRAGMENT, &key, NULL, &program, error);
    if (!result)
        vc4c_program_finish(&program);
    vc4c_module_destroy(module);
    return result;
}

/* ---------------------------------------------------------------- types */

static bool is_valid_type(const struct image *i)
{
    static const char *const by_dim[] = {
        /* what each Dim allows: sampled (s), arrayed (a), multisampled (m) */
        [SpvDim1D] = "sa", [SpvDim2D] = "sam", [SpvDim3D] = "s", [SpvDimCube] = "sa", [SpvDimBuffer] = "s",
        [SpvDimSubpassData] = "m"};
    if (i->dim >= ARRAY_SIZE(by_dim) || !by_dim[i->dim])
        return false;
    const char *may = by_dim[i->dim];
    return (i->texel == FLOAT || i->texel == INT || i->texel == UINT) && i->depth <= 2 && i->format <= 41 &&
           (i->arrayed == 0 || (i->arrayed == 1 && strchr(may, 'a'))) &&
           (i->ms == 0 || (i->ms == 1 && strchr(may, 'm'))) &&
           (strchr(may, 's') ? i->sampled == 1 || i->sampled == 2 : i->sampled == 2 && i->format == 0);
}

static void fail_on(const struct image *i, const char *what, enum vc4c_result result, const struct vc4c_error *error)
{
    fail_msg("%s: texel %u, dim %u, depth %u, arrayed %u, ms %u, sampled %u, format %u: result %d, %s", what, i->texel,
             i->dim, i->depth, i->arrayed, i->ms, i->sampled, i->format, result, error->text);
}

static void types(void **state)
{
    static const uint32_t texels[] = {FLOAT, INT, UINT, VOID, VEC4, STRUCT, BOOL, FUNCTION};
    static const uint32_t formats[] = {0, 1, 39, 41, 42, 255, 256, UINT32_MAX};
    static const uint32_t dims[] = {0, 1, 2, 3, 4, 5, 6, 7, 255, 256 + SpvDim2D, 4173, UINT32_MAX};
    uint32_t valid = 0, refused = 0;
    for (uint32_t n = 0; n < ARRAY_SIZE(dims) * 4 * 3 * 3 * 4; n++) {
        for (uint32_t k = 0; k < ARRAY_SIZE(texels) + ARRAY_SIZE(formats); k++) {
            struct image i = {.texel = k < ARRAY_SIZE(texels) ? texels[k] : FLOAT, .dim = dims[n / 144],
                              .depth = n / 36 % 4, .arrayed = n / 12 % 3, .ms = n / 4 % 3, .sampled = n % 4,
                              .format = k < ARRAY_SIZE(texels) ? 0 : formats[k - ARRAY_SIZE(texels)]};
            struct vc4c_error error = {{0}};
            struct module m;
            begin(&m, &i, false);
            begin_main(&m);
            end(&m);
            enum vc4c_result result = compile(&m, &error);
            if (is_valid_type(&i) ? result != VC4C_OK : result != VC4C_INVALID && result != VC4C_UNSUPPORTED)
                fail_on(&i, "the type", result, &error);
            valid += result == VC4C_OK;
            refused += result != VC4C_OK;
        }
    }
    printf("# %u types compile, %u are refused\n", valid, refused);
}

/* ---------------------------------------------------------------- instructions */

/* What an image instruction allows; `sampler`: it needs one. */
struct use {
    uint16_t op;
    const char *dims;    /* 1, 2, 3, c, b, i for input attachments */
    const char *samples; /* 1, n */
    bool arrayed, sampler;
    char coordinate;     /* f float, i int, 0 none */
    uint8_t sampled;     /* mask of the values of Sampled */
};

static const struct use uses[] = {
    {SpvOpImageSampleImplicitLod, "123c", "1", true, true, 'f', 1},
    {SpvOpImageSampleExplicitLod, "123c", "1", true, true, 'f', 1},
    {SpvOpImageSampleDrefImplicitLod, "12c", "1", true, true, 'f', 1},
    {SpvOpImageSampleDrefExplicitLod, "12c", "1", true, true, 'f', 1},
    {SpvOpImageSampleProjImplicitLod, "123", "1", false, true, 'f', 1},
    {SpvOpImageSampleProjExplicitLod, "123", "1", false, true, 'f', 1},
    {SpvOpImageSampleProjDrefImplicitLod, "12", "1", false, true, 'f', 1},
    {SpvOpImageSampleProjDrefExplicitLod, "12", "1", false, true, 'f', 1},
    {SpvOpImageFetch, "123b", "1n", true, false, 'i', 1},
    {SpvOpImageRead, "123cbi", "1n", true, false, 'i', 2},
    {SpvOpImageGather, "2c", "1", true, true, 'f', 1},
    {SpvOpImageDrefGather, "2c", "1", true, true, 'f', 1},
    {SpvOpImageQuerySizeLod, "123c", "1", true, false, 0, 3}, /* 2 is not valid, but tolerated */
    {SpvOpImageQueryLevels, "123c", "1", true, false, 0, 1},
    {SpvOpImageQueryLod, "123c", "1", true, true, 'f', 1},
    {SpvOpImageQuerySamples, "2", "n", true, false, 0, 3},
    {SpvOpImageQuerySize, "123cb", "1n", true, false, 0, 3},
};

static bool is_allowed(const struct use *u, const struct image *i, bool has_sampler)
{
    static const char names[] = {[SpvDim1D] = '1', [SpvDim2D] = '2', [SpvDim3D] = '3', [SpvDimCube] = 'c',
                                 [SpvDimRect] = 'r', [SpvDimBuffer] = 'b', [SpvDimSubpassData] = 'i'};
    if (u->op == SpvOpImageQuerySize && i->sampled == 1 && i->dim != SpvDimBuffer && !i->ms)
        return false;
    return strchr(u->dims, names[i->dim]) && strchr(u->samples, i->ms ? 'n' : '1') && (u->arrayed || !i->arrayed) &&
           (!u->sampler || has_sampler) && (u->sampled & i->sampled);
}

static bool has_lod(const struct use *u)
{
    return strstr(spv_op_info(u->op)->name, "ExplicitLod");
}

/* Puts the instruction, with more coordinates than any image type needs. */
static void put_use(struct module *m, const struct use *u, const struct image *i)
{
    const uint32_t coordinate = u->coordinate == 'f' ? ZERO4 : IZERO4;
    const uint32_t result = i->texel == FLOAT ? VEC4 : i->texel == INT ? IVEC4 : UVEC4;
    const bool has_dref = strstr(spv_op_info(u->op)->name, "Dref");
    uint32_t words[8] = {result, RESULT, TAKEN}, count = 3;
    if (u->coordinate)
        words[count++] = coordinate;
    if (has_dref) {
        words[0] = FLOAT;
        words[count++] = ZERO;
    } else if (u->op == SpvOpImageGather) {
        words[count++] = IZERO;
    }
    if (u->op == SpvOpImageDrefGather)
        words[0] = VEC4;
    if (u->op == SpvOpImageQueryLevels || u->op == SpvOpImageQuerySamples)
        words[0] = INT;
    if (u->op == SpvOpImageQueryLod)
        words[0] = VEC2;
    if (u->op == SpvOpImageQuerySizeLod)
        words[count++] = IZERO;
    if (u->op == SpvOpImageQuerySize || u->op == SpvOpImageQuerySizeLod) {
        uint32_t n = i->dim == SpvDim1D || i->dim == SpvDimBuffer ? 1 : i->dim == SpvDim3D ? 3 : 2;
        n += i->arrayed;
        words[0] = n == 1 ? INT : IVEC2 + n - 2;
    }
    if (has_lod(u)) {
        words[count++] = SpvImageOperandsLodMask;
        words[count++] = ZERO;
    } else if (i->ms && (u->op == SpvOpImageFetch || u->op == SpvOpImageRead)) {
        words[count++] = SpvImageOperandsSampleMask;
        words[count++] = IZERO;
    }
    put(m, u->op, count, words);
}

static void instructions(void **state)
{
    uint32_t taken = 0, refused = 0;
    for (uint32_t n = 0; n < 7 * 2 * 2 * 2 * 3; n++) {
        const struct image i = {.texel = n % 3 == 0 ? FLOAT : n % 3 == 1 ? INT : UINT, .sampled = 1 + n / 3 % 2,
                                .ms = n / 6 % 2, .arrayed = n / 12 % 2, .dim = n / 24};
        if (!is_valid_type(&i))
            continue;
        for (uint32_t k = 0; k < 2 * ARRAY_SIZE(uses); k++) {
            const struct use *u = &uses[k / 2];
            const bool with_sampler = k % 2, can_have_sampler = i.sampled == 1 && i.dim != SpvDimBuffer;
            if (with_sampler && (!can_have_sampler || !u->sampler))
                continue;
            struct vc4c_error error = {{0}};
            struct module m;
            begin(&m, &i, true);
            PUT(&m, SpvOpTypeSampledImage, SAMPLED, IMAGE);
            PUT(&m, SpvOpTypePointer, POINTER, SpvStorageClassUniformConstant, with_sampler ? SAMPLED : IMAGE);
            PUT(&m, SpvOpVariable, POINTER, VARIABLE, SpvStorageClassUniformConstant);
            begin_main(&m);
            PUT(&m, SpvOpLoad, with_sampler ? SAMPLED : IMAGE, TAKEN, VARIABLE);
            put_use(&m, u, &i);
            end(&m);
            enum vc4c_result result = compile(&m, &error);
            const bool is_fine = is_allowed(u, &i, with_sampler);
            if (is_fine ? result != VC4C_OK && result != VC4C_UNSUPPORTED
                        : result != VC4C_INVALID && result != VC4C_UNSUPPORTED)
                fail_on(&i, spv_op_info(u->op)->name, result, &error);
            if (is_fine && result)
                printf("# %s, dim %u, arrayed %u, ms %u, sampled %u: %s\n", spv_op_info(u->op)->name, i.dim, i.arrayed,
                       i.ms, i.sampled, error.text);
            taken += result == VC4C_OK;
            refused += result != VC4C_OK;
        }
    }
    printf("# %u instructions compile, %u are refused\n", taken, refused);
    assert_true(taken > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types),
        cmocka_unit_test(instructions),
    };
    return cmocka_run_group_tests_name("compiler_images", tests, NULL, NULL);
}
