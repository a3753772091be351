/* SPDX-License-Identifier: MIT
 *
 * Shader extensions that are younger than Vulkan 1.3. Headers from before an extension have no struct for its feature,
 * and the validation layer of their time refuses its instructions. A build with such headers therefore runs without the
 * layer and does not enable the extension; the shaders and their results are the same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "cover.vert.h"
#include "derivatives_linear.comp.h"
#include "derivatives_linear.task.h"
#include "derivatives_quads.comp.h"
#include "derivatives_quads.mesh.h"
#include "expect.comp.h"
#include "fast_math_loose.comp.h"
#include "fast_math_operands.comp.h"
#include "fast_math_special.comp.h"
#include "fast_math_strict.comp.h"
#include "forward_refs.comp.h"
#include "quads.frag.h"
#include "quads.vert.h"
#include "reconverge.comp.h"
#include "replicated.comp.h"
#include "rotate.comp.h"
#include "rotate.frag.h"
#include "rotate.vert.h"

#define LANES 16u

static struct vkt device;

struct enabled {
    const char *extensions[24];
    uint32_t count;
    void *chain;
};

/* Adds an extension and its feature struct. Fails if the driver does not report the extension. Unused where the headers
 * know none of them. */
__attribute__((unused)) static void enable(struct enabled *e, const char *extension, void *features)
{
    if (!vkt_has_extension(vkt_device(VKT_TESTED), extension))
        fail_msg("%s is not reported", extension);
    e->extensions[e->count++] = extension;
    if (features) {
        ((VkBaseOutStructure *)features)->pNext = e->chain;
        e->chain = features;
    }
}

static int open_device(void **state)
{
    struct enabled e = {
        .extensions = {VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME, VK_KHR_SHADER_SUBGROUP_EXTENDED_TYPES_EXTENSION_NAME},
        .count = 2};
#ifdef VK_KHR_shader_subgroup_rotate
    VkPhysicalDeviceShaderSubgroupRotateFeaturesKHR rotate = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_ROTATE_FEATURES_KHR,
        .shaderSubgroupRotate = VK_TRUE,
        .shaderSubgroupRotateClustered = VK_TRUE};
    enable(&e, VK_KHR_SHADER_SUBGROUP_ROTATE_EXTENSION_NAME, &rotate);
#endif
#ifdef VK_KHR_compute_shader_derivatives
    VkPhysicalDeviceComputeShaderDerivativesFeaturesKHR derivatives = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_FEATURES_KHR,
        .computeDerivativeGroupQuads = VK_TRUE,
        .computeDerivativeGroupLinear = VK_TRUE};
    enable(&e, VK_KHR_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME, &derivatives);
    VkPhysicalDeviceMeshShaderFeaturesEXT meshes = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
                                                    .taskShader = VK_TRUE,
                                                    .meshShader = VK_TRUE};
    enable(&e, VK_KHR_SPIRV_1_4_EXTENSION_NAME, NULL);
    enable(&e, VK_EXT_MESH_SHADER_EXTENSION_NAME, &meshes);
#endif
#ifdef VK_KHR_shader_expect_assume
    VkPhysicalDeviceShaderExpectAssumeFeaturesKHR hints = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_EXPECT_ASSUME_FEATURES_KHR, .shaderExpectAssume = VK_TRUE};
    enable(&e, VK_KHR_SHADER_EXPECT_ASSUME_EXTENSION_NAME, &hints);
#endif
#ifdef VK_KHR_shader_float_controls2
    VkPhysicalDeviceShaderFloatControls2FeaturesKHR floats = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT_CONTROLS_2_FEATURES_KHR,
        .shaderFloatControls2 = VK_TRUE};
    enable(&e, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME, NULL);
    enable(&e, VK_KHR_SHADER_FLOAT_CONTROLS_2_EXTENSION_NAME, &floats);
#endif
#ifdef VK_KHR_shader_maximal_reconvergence
    VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR reconvergence = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR,
        .shaderMaximalReconvergence = VK_TRUE};
    enable(&e, VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME, &reconvergence);
#endif
#ifdef VK_KHR_shader_quad_control
    VkPhysicalDeviceShaderQuadControlFeaturesKHR quads = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_QUAD_CONTROL_FEATURES_KHR, .shaderQuadControl = VK_TRUE};
    enable(&e, VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME, NULL);
    enable(&e, VK_KHR_SHADER_QUAD_CONTROL_EXTENSION_NAME, &quads);
#endif
#ifdef VK_KHR_shader_relaxed_extended_instruction
    VkPhysicalDeviceShaderRelaxedExtendedInstructionFeaturesKHR relaxed = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_RELAXED_EXTENDED_INSTRUCTION_FEATURES_KHR,
        .shaderRelaxedExtendedInstruction = VK_TRUE};
    enable(&e, VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME, NULL);
    enable(&e, VK_KHR_SHADER_RELAXED_EXTENDED_INSTRUCTION_EXTENSION_NAME, &relaxed);
#endif
#ifdef VK_EXT_shader_replicated_composites
    VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT replicated = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_REPLICATED_COMPOSITES_FEATURES_EXT,
        .shaderReplicatedComposites = VK_TRUE};
    enable(&e, VK_EXT_SHADER_REPLICATED_COMPOSITES_EXTENSION_NAME, &replicated);
#endif
    device = vkt_device_create_chain(vkt_device(VKT_TESTED), e.extensions, e.count, e.chain);
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* Runs one workgroup on two storage buffers: the results, and words that the shader reads. */
static struct vkt_buffer compute_with(struct vkt_shader shader, uint32_t result_words, const uint32_t *in,
                                      uint32_t in_words, const VkSpecializationInfo *spec)
{
    struct vkt *d = &device;
    struct vkt_compute c = vkt_compute_create_simple(d, shader, 2, 0, spec);
    struct vkt_buffer buffers[] = {vkt_storage_buffer(d, result_words, 0), vkt_storage_buffer(d, in_words, 0)};
    memcpy(buffers[1].map, in, in_words * sizeof *in);
    VkDescriptorSet set = vkt_compute_set(d, &c, buffers, 2);
    VkCommandBuffer cmd = vkt_begin(d);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(d, cmd);
    vkt_compute_destroy(d, &c);
    vkt_buffer_destroy(d, &buffers[1]);
    return buffers[0];
}

static struct vkt_buffer compute(struct vkt_shader shader, uint32_t result_words, const uint32_t *in, uint32_t in_words)
{
    return compute_with(shader, result_words, in, in_words, NULL);
}

/* Draws a row of points, one for each vertex, and fails for those that are not white. */
static void draw_white_points(struct vkt_shader vs, uint32_t count)
{
    struct vkt_target target = vkt_target_create(&device, count, 1, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline = vkt_pipeline_create(&device, &(struct vkt_pipeline_info){
                                                                    .vs = vs,
                                                                    .fs = VKT_SHADER(color_frag),
                                                                    .pass = target.pass,
                                                                    .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                                                    .width = count,
                                                                    .height = 1,
                                                                });
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_begin_pass(cmd, &target, (const float[4]){0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdDraw(cmd, count, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&device, cmd);
    struct vkt_picture out = vkt_read_target(&device, &target);
    for (uint32_t i = 0; i < count; i++)
        if (memcmp(out.rgba + 4 * i, "\xff\xff\xff\xff", 4))
            fail_msg("vertex %u: %u %u %u %u", i, out.rgba[4 * i], out.rgba[4 * i + 1], out.rgba[4 * i + 2],
                     out.rgba[4 * i + 3]);
    vkt_picture_free(&out);
    vkt_pipeline_destroy(&device, &pipeline);
    vkt_target_destroy(&device, &target);
}

#define SIZE_PX 16u

static void draw_and_compare(const char *name, struct vkt_shader vs, struct vkt_shader fs,
                             void (*expect)(uint32_t x, uint32_t y, uint8_t rgba_out[4]))
{
    struct vkt_picture expected = vkt_picture_compute(SIZE_PX, SIZE_PX, expect);
    struct vkt_picture got = vkt_draw_triangle(&device, vs, fs, SIZE_PX);
    vkt_compare(name, &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&expected);
    vkt_picture_free(&got);
}

/* ---------------------------------------------------------------- VK_KHR_shader_subgroup_rotate */

#define INVOCATIONS 64u
#define DELTA       13u /* what the shader reads from memory */

static uint32_t product(uint32_t i)
{
    return i * 1103515245;
}

static uint32_t expect_rotated(uint32_t row, uint32_t i)
{
    static const struct {
        uint32_t delta, cluster;
    } rows[] = {{3, 16}, {1, 4},  {DELTA, 16}, {DELTA, 8}, {21, 16}, {15, 16}, {7, 1},  {3, 16},
                {5, 8},  {2, 16}, {3, 16},     {3, 16},    {1, 2},   {2, 8},   {7, 16}, {5, 8}};
    const uint32_t inside = rows[row].cluster - 1, from = (i & ~inside) | ((i + rows[row].delta) & inside);
    const uint64_t squared = (uint64_t)product(from) * product(from);
    switch (row) {
    case 7:
        return (uint8_t)(from * 37);
    case 8:
        return (uint16_t)product(from);
    case 9:
        return from;
    case 10:
        return (uint32_t)squared;
    case 11:
        return (uint32_t)(squared >> 32);
    case 13:
        return (from & 4) != 0;
    case 14:
        return 2 * from + 1;
    default:
        return product(from);
    }
}

static void rotations_of_all_types(void **state)
{
    enum { ROWS = 16 };
    struct vkt_buffer out = compute(VKT_SHADER(rotate_comp), ROWS * INVOCATIONS, &(uint32_t){DELTA}, 1);
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t i = 0; i < INVOCATIONS; i++) {
            const bool is_written = row != 15 || !(i & 8); /* the last row is that of half of the lanes */
            const uint32_t want = is_written ? expect_rotated(row, i) : 0;
            const uint32_t got = ((const uint32_t *)out.map)[row * INVOCATIONS + i];
            if (got != want)
                fail_msg("row %u, invocation %u: 0x%x instead of 0x%x", row, i, got, want);
        }
    }
    vkt_buffer_destroy(&device, &out);
}

static void expect_rotated_quad(uint32_t x, uint32_t y, uint8_t rgba_out[4])
{
    const uint32_t lane = (x & 1) + 2 * (y & 1), next = (lane + 1) & 3, last = (lane + 3) & 3;
    x &= ~1u;
    y &= ~1u;
    rgba_out[0] = (uint8_t)((y + (next >> 1)) * 16 + x + (next & 1));
    rgba_out[1] = (uint8_t)((y + (last >> 1)) * 16 + x + (last & 1));
    rgba_out[2] = rgba_out[3] = 255;
}

static void rotations_of_fragments(void **state)
{
    draw_and_compare("rotate", VKT_SHADER(cover_vert), VKT_SHADER(rotate_frag), expect_rotated_quad);
}

static void rotations_of_vertices(void **state)
{
    draw_white_points(VKT_SHADER(rotate_vert), 40);
}

/* ---------------------------------------------------------------- VK_KHR_shader_expect_assume */

static void expectations_change_nothing(void **state)
{
    enum { ROWS = 5 };
    struct vkt_buffer out = compute(VKT_SHADER(expect_comp), ROWS * INVOCATIONS, &(uint32_t){0}, 1);
    for (uint32_t i = 0; i < INVOCATIONS; i++) {
        const uint32_t want[ROWS] = {3 * i, i < 20 ? 1 : 7, 4 * i, (uint8_t)(21 * i), 9 * i * i};
        for (uint32_t row = 0; row < ROWS; row++) {
            const uint32_t got = ((const uint32_t *)out.map)[row * INVOCATIONS + i];
            if (got != want[row])
                fail_msg("row %u, invocation %u: %u instead of %u", row, i, got, want[row]);
        }
    }
    vkt_buffer_destroy(&device, &out);
}

/* ---------------------------------------------------------------- VK_EXT_shader_replicated_composites */

static void constituents_have_one_value(void **state)
{
    enum { ROWS = 7 };
    static const uint32_t chosen = 13;
    const VkSpecializationInfo spec = {1, &(VkSpecializationMapEntry){3, 0, sizeof chosen}, sizeof chosen, &chosen};
    struct vkt_buffer out = compute_with(VKT_SHADER(replicated_comp), ROWS * INVOCATIONS, &(uint32_t){0}, 1, &spec);
    for (uint32_t i = 0; i < INVOCATIONS; i++) {
        const uint32_t want[ROWS] = {i, i + 1, i + 1, i + 1, i + 7, chosen * i, 9 * 9};
        for (uint32_t row = 0; row < ROWS; row++) {
            const uint32_t got = ((const uint32_t *)out.map)[row * INVOCATIONS + i];
            if (got != want[row])
                fail_msg("row %u, invocation %u: %u instead of %u", row, i, got, want[row]);
        }
    }
    vkt_buffer_destroy(&device, &out);
}

/* ---------------------------------------------------------------- VK_KHR_shader_float_controls2 */

/* The product (214 * 0.185253903) * 2.10468769, rounded to nearest or to zero as it is written; and reassociated. */
static bool is_product(float got, bool may_be_reassociated)
{
    return got == 0x1.4dc17cp+6f || got == 0x1.4dc178p+6f || (may_be_reassociated && got == 0x1.4dc17ap+6f);
}

static void run_products(struct vkt_shader shader, uint32_t loose_row)
{
    struct vkt_buffer out = compute(shader, 2 * INVOCATIONS, &(uint32_t){214}, 1);
    for (uint32_t i = 0; i < 2 * INVOCATIONS; i++) {
        const float got = ((const float *)out.map)[i];
        if (!is_product(got, i / INVOCATIONS == loose_row))
            fail_msg("row %u, invocation %u: %a", i / INVOCATIONS, i % INVOCATIONS, (double)got);
    }
    vkt_buffer_destroy(&device, &out);
}

static void modes_forbid_reassociation(void **state)
{
    run_products(VKT_SHADER(fast_math_strict_comp), 1);
    run_products(VKT_SHADER(fast_math_loose_comp), 0);
}

static bool is_same(float got, float want)
{
    return isnan(want) ? isnan(got) != 0 : got == want && signbit(got) == signbit(want);
}

enum { SPECIAL_NUMBERS = 11, PAIRS = 128 };

/* All pairs of special numbers, and some others, and zeros behind them. */
static void fill_pairs(float pairs[2 * PAIRS], uint32_t words[2 * PAIRS])
{
    static const float numbers[SPECIAL_NUMBERS] = {0.0f, -0.0f,    1,         -1,  0.5f, -2.5f,
                                                   100,  INFINITY, -INFINITY, NAN, -NAN};
    memset(pairs, 0, 2 * PAIRS * sizeof *pairs);
    for (uint32_t i = 0; i < SPECIAL_NUMBERS * SPECIAL_NUMBERS; i++) {
        pairs[2 * i] = numbers[i / SPECIAL_NUMBERS];
        pairs[2 * i + 1] = numbers[i % SPECIAL_NUMBERS];
    }
    memcpy(words, pairs, 2 * PAIRS * sizeof *words);
}

/* What an undecorated operation makes of NaN reaches the decorated one that takes it. */
static void operands_of_modes_preserve_nan(void **state)
{
    float pairs[2 * PAIRS];
    uint32_t words[2 * PAIRS];
    fill_pairs(pairs, words);
    struct vkt_buffer out = compute(VKT_SHADER(fast_math_operands_comp), PAIRS, words, 2 * PAIRS);
    for (uint32_t i = 0; i < PAIRS; i++) {
        const float want = pairs[2 * i] * pairs[2 * i + 1] - 1, got = ((const float *)out.map)[i];
        const bool is_due = isnan(pairs[2 * i]) || isnan(pairs[2 * i + 1]) || isfinite(want);
        if (is_due && !(isnan(want) ? isnan(got) : got == want))
            fail_msg("pair %g, %g: %g", (double)pairs[2 * i], (double)pairs[2 * i + 1], (double)got);
    }
    vkt_buffer_destroy(&device, &out);
}

static void modes_preserve_special_values(void **state)
{
    enum { N = SPECIAL_NUMBERS, COUNT = PAIRS };
    float pairs[2 * COUNT];
    uint32_t words[2 * COUNT];
    fill_pairs(pairs, words);
    struct vkt_buffer out = compute(VKT_SHADER(fast_math_special_comp), 5 * COUNT, words, 2 * COUNT);
    const float *rows = out.map;
    for (uint32_t i = 0; i < N * N; i++) {
        const float a = pairs[2 * i], b = pairs[2 * i + 1];
        const bool is_ordinary = isfinite(a) && isfinite(b) && a != 0 && b != 0;
        const float want[] = {a - b, a * b, !(a >= b), a < b || a > b, a * b};
        for (uint32_t row = 0; row < (is_ordinary ? 5u : 4u); row++)
            if (!is_same(rows[row * COUNT + i], want[row]))
                fail_msg("row %u of %g, %g: %g instead of %g", row, (double)a, (double)b, (double)rows[row * COUNT + i],
                         (double)want[row]);
    }
    vkt_buffer_destroy(&device, &out);
}

/* ---------------------------------------------------------------- VK_KHR_shader_relaxed_extended_instruction */

static void debug_information_refers_forward(void **state)
{
    struct vkt_buffer out = compute(VKT_SHADER(forward_refs_comp), INVOCATIONS, &(uint32_t){0}, 1);
    for (uint32_t i = 0; i < INVOCATIONS; i++)
        assert_int_equal(((const uint32_t *)out.map)[i], 3 * i);
    vkt_buffer_destroy(&device, &out);
}

/* ---------------------------------------------------------------- VK_KHR_shader_maximal_reconvergence */

#define MAX_VISITS 48u
#define BOUND      6u

/* The places that one invocation visits, in order: a number for each place and the iterations that enclose it. */
struct path {
    uint32_t i, count, keys[MAX_VISITS];
};

static void visit(struct path *p, uint32_t place, uint32_t outer, uint32_t inner)
{
    p->keys[p->count++] = place << 16 | outer << 8 | inner;
}

static uint32_t leave_early(struct path *p, uint32_t x)
{
    if (x % 7 == 0) {
        visit(p, 1, 0, 0);
        return 1;
    }
    for (uint32_t k = 0; k < BOUND; k++) {
        visit(p, 2, k, 0);
        if (x % (k + 2) == 0)
            return k;
        if (x % 5 == k)
            break;
    }
    visit(p, 3, 0, 0);
    return x;
}

static void walk_loop(struct path *p)
{
    for (uint32_t k = 0; k < BOUND; k++) {
        if ((p->i + k) % 3 == 0) {
            visit(p, 4, k, 0);
            continue;
        }
        if (p->i % 5 == k) {
            visit(p, 5, k, 0);
            break;
        }
        if (p->i & 4)
            visit(p, 6, k, 0);
        visit(p, 7, k, 0);
    }
    visit(p, 8, 0, 0);
}

static void walk_switch(struct path *p)
{
    const uint32_t choice = p->i % 4;
    if (choice == 0)
        visit(p, 9, 0, 0);
    if (choice <= 1)
        visit(p, 10, 0, 0);
    if (choice == 2 && !(p->i & 8))
        visit(p, 11, 0, 0);
    if (choice == 3 || (choice == 2 && !(p->i & 8)))
        visit(p, 12, 0, 0);
    visit(p, 13, 0, 0);
}

static void walk(struct path *p)
{
    walk_loop(p);
    walk_switch(p);
    uint32_t x = leave_early(p, p->i), round = 0;
    visit(p, 14, 0, 0);
    do {
        x = x / 2;
        for (uint32_t k = 0; k != (p->i & 3); k++)
            visit(p, 15, round, k);
        visit(p, 16, round, 0);
        round++;
    } while (x > BOUND);
    visit(p, 17, 0, 0);
}

static bool visits(const struct path *p, uint32_t key)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->keys[i] == key)
            return true;
    return false;
}

static void lanes_run_together(void **state)
{
    static struct path paths[INVOCATIONS];
    struct vkt_buffer out = compute(VKT_SHADER(reconverge_comp), MAX_VISITS * INVOCATIONS, &(uint32_t){BOUND}, 1);
    for (uint32_t i = 0; i < INVOCATIONS; i++) {
        paths[i] = (struct path){.i = i};
        walk(&paths[i]);
    }
    for (uint32_t i = 0; i < INVOCATIONS; i++) {
        for (uint32_t n = 0; n < paths[i].count; n++) {
            const uint32_t key = paths[i].keys[n], got = ((const uint32_t *)out.map)[i * MAX_VISITS + n];
            uint32_t want = 0;
            for (uint32_t lane = 0; lane < LANES; lane++)
                want |= (uint32_t)visits(&paths[i / LANES * LANES + lane], key) << lane;
            if (got != want)
                fail_msg("invocation %u, visit %u (place %u, iterations %u, %u): lanes 0x%x instead of 0x%x", i, n,
                         key >> 16, key >> 8 & 0xff, key & 0xff, got, want);
        }
    }
    vkt_buffer_destroy(&device, &out);
}

/* ---------------------------------------------------------------- VK_KHR_shader_quad_control */

static void expect_quads(uint32_t x, uint32_t y, uint8_t rgba_out[4])
{
    const bool is_cut = x / 2 == y / 2; /* one of the quad's pixels is not covered */
    rgba_out[0] = y <= x && is_cut ? 255 : 0;
    rgba_out[1] = y <= x && !is_cut ? 255 : 0;
    rgba_out[2] = y <= x ? 255 : 0;
    rgba_out[3] = y <= x ? 255 : 0;
}

static void helper_invocations_take_part(void **state)
{
    draw_and_compare("quads", VKT_SHADER(quads_vert), VKT_SHADER(quads_frag), expect_quads);
}

/* ---------------------------------------------------------------- VK_KHR_compute_shader_derivatives */

#define TEXTURE_PX     16u
#define TEXTURE_LEVELS 5u

/* A texture whose texels are the number of their level. */
static struct vkt_image texture_of_levels(void)
{
    struct vkt_image image =
        vkt_image_create(&device, &(struct vkt_image_info){
                                      .format = VK_FORMAT_R32_SFLOAT,
                                      .width = TEXTURE_PX,
                                      .height = TEXTURE_PX,
                                      .levels = TEXTURE_LEVELS,
                                      .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                  });
    for (uint32_t level = 0; level < TEXTURE_LEVELS; level++) {
        float texels[TEXTURE_PX * TEXTURE_PX];
        for (uint32_t i = 0; i < TEXTURE_PX * TEXTURE_PX; i++)
            texels[i] = (float)level;
        vkt_image_upload(&device, &image, level, 0, texels, TEXTURE_PX * TEXTURE_PX * 4 >> 2 * level);
    }
    return image;
}

/* `step_y`: the distance of the indices of the two rows of a quad, whose columns follow each other. */
static void check_derivatives(const float *results, uint32_t count, uint32_t step_y, float level)
{
    const uint32_t area = count == 64 ? 32 : count; /* of one z */
    for (uint32_t i = 0; i < count; i++) {
        const float *got = results + 4 * i;
        const uint32_t row = i / step_y % 2 ? i - step_y : i; /* of the quad: its first */
        const float dx = (float)(2 * (i & ~1u) + 1), dy = (float)(step_y * (2 * row + step_y));
        if (got[0] != dx || got[1] != dy || got[2] != level || got[3] != (float)(i % area))
            fail_msg("invocation %u: derivatives %g, %g instead of %g, %g; level %g instead of %g; place %g", i,
                     (double)got[0], (double)got[1], (double)dx, (double)dy, (double)got[2], (double)level,
                     (double)got[3]);
    }
}

static void run_derivatives(struct vkt_shader shader, uint32_t count, uint32_t step_y, float factor, float level)
{
    struct vkt *d = &device;
    const struct vkt_binding bindings[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1},
                                           {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_COMPUTE_BIT, 1}};
    VkDescriptorSetLayout layout = vkt_set_layout_create(d, bindings, VKT_COUNT(bindings));
    struct vkt_compute c = vkt_compute_create(d, shader, &layout, 1, 0, NULL);
    struct vkt_buffer out = vkt_storage_buffer(d, 4 * count, 0), in = vkt_storage_buffer(d, 1, 0);
    struct vkt_image image = texture_of_levels();
    VkSampler sampler = vkt_sampler_create(d, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                           VK_SAMPLER_ADDRESS_MODE_REPEAT, TEXTURE_LEVELS);
    VkDescriptorSet set = vkt_set_alloc(d, layout);
    memcpy(in.map, &factor, sizeof factor);
    vkt_set_buffer(d, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out.buffer, 0, VK_WHOLE_SIZE);
    vkt_set_buffer(d, set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, in.buffer, 0, VK_WHOLE_SIZE);
    vkt_set_texture(d, set, 2, image.view, sampler);
    VkCommandBuffer cmd = vkt_begin(d);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(d, cmd);
    check_derivatives(out.map, count, step_y, level);
    vkt_compute_destroy(d, &c);
    vkt_image_destroy(d, &image);
    vkDestroySampler(d->device, sampler, NULL);
    vkt_buffer_destroy(d, &out);
    vkt_buffer_destroy(d, &in);
}

/* Workgroups of 8 x 4 x 2, and of 8 x 5 x 1. The levels follow from the longer step: 8/64 and 2/8 of 16 texels. */
static void derivatives_of_invocations(void **state)
{
    run_derivatives(VKT_SHADER(derivatives_quads_comp), 64, 8, 1.0f / 64, 1);
    run_derivatives(VKT_SHADER(derivatives_linear_comp), 40, 2, 1.0f / 8, 2);
}

#ifdef VK_KHR_compute_shader_derivatives
/* A task shader and the mesh shader of its one mesh, which draws nothing; groups, orders and levels are those above. */
static void derivatives_of_tasks_and_meshes(void **state)
{
    enum { MESHES = 64, TASKS = 40 };
    const VkShaderStageFlags stages = VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
    const struct vkt_binding bindings[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, stages, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, stages, 1},
                                           {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, stages, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, stages, 1}};
    static const float factors[] = {1.0f / 64, 1.0f / 8};
    VkPhysicalDeviceComputeShaderDerivativesPropertiesKHR properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_PROPERTIES_KHR};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &properties};
    struct vkt *d = &device;
    vkGetPhysicalDeviceProperties2(d->physical, &all);
    assert_true(properties.meshAndTaskShaderDerivatives);
    VkDescriptorSetLayout layout = vkt_set_layout_create(d, bindings, VKT_COUNT(bindings));
    struct vkt_target target = vkt_target_create(d, 8, 8, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(d, &(struct vkt_pipeline_info){.ms = VKT_SHADER(derivatives_quads_mesh),
                                                           .ts = VKT_SHADER(derivatives_linear_task),
                                                           .pass = target.pass,
                                                           .rasterizer_discard = true,
                                                           .set_layouts = {layout},
                                                           .set_layout_count = 1,
                                                           .width = 8,
                                                           .height = 8});
    struct vkt_buffer of_meshes = vkt_storage_buffer(d, 4 * MESHES, 0), of_tasks = vkt_storage_buffer(d, 4 * TASKS, 0),
                      in = vkt_storage_buffer(d, 2, 0);
    struct vkt_image image = texture_of_levels();
    VkSampler sampler = vkt_sampler_create(d, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                           VK_SAMPLER_ADDRESS_MODE_REPEAT, TEXTURE_LEVELS);
    VkDescriptorSet set = vkt_set_alloc(d, layout);
    PFN_vkCmdDrawMeshTasksEXT draw_tasks =
        (PFN_vkCmdDrawMeshTasksEXT)vkGetDeviceProcAddr(d->device, "vkCmdDrawMeshTasksEXT");
    memcpy(in.map, factors, sizeof factors);
    vkt_set_buffer(d, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, of_meshes.buffer, 0, VK_WHOLE_SIZE);
    vkt_set_buffer(d, set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, in.buffer, 0, VK_WHOLE_SIZE);
    vkt_set_texture(d, set, 2, image.view, sampler);
    vkt_set_buffer(d, set, 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, of_tasks.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(d);
    vkt_begin_pass(cmd, &target, (const float[4]){0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    draw_tasks(cmd, 1, 1, 1);
    vkCmdEndRenderPass(cmd);
    vkt_barrier_all(cmd);
    vkt_end_submit(d, cmd);
    check_derivatives(of_meshes.map, MESHES, 8, 1);
    check_derivatives(of_tasks.map, TASKS, 2, 2);
    vkt_buffer_destroy(d, &of_meshes);
    vkt_buffer_destroy(d, &of_tasks);
    vkt_buffer_destroy(d, &in);
    vkt_image_destroy(d, &image);
    vkDestroySampler(d->device, sampler, NULL);
    vkt_pipeline_destroy(d, &pipeline);
    vkt_target_destroy(d, &target);
    vkDestroyDescriptorSetLayout(d->device, layout, NULL);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(rotations_of_all_types, vkt_check_messages),
        cmocka_unit_test_teardown(rotations_of_fragments, vkt_check_messages),
        cmocka_unit_test_teardown(rotations_of_vertices, vkt_check_messages),
        cmocka_unit_test_teardown(expectations_change_nothing, vkt_check_messages),
        cmocka_unit_test_teardown(constituents_have_one_value, vkt_check_messages),
        cmocka_unit_test_teardown(modes_forbid_reassociation, vkt_check_messages),
        cmocka_unit_test_teardown(modes_preserve_special_values, vkt_check_messages),
        cmocka_unit_test_teardown(operands_of_modes_preserve_nan, vkt_check_messages),
        cmocka_unit_test_teardown(debug_information_refers_forward, vkt_check_messages),
        cmocka_unit_test_teardown(lanes_run_together, vkt_check_messages),
        cmocka_unit_test_teardown(helper_invocations_take_part, vkt_check_messages),
        cmocka_unit_test_teardown(derivatives_of_invocations, vkt_check_messages),
#ifdef VK_KHR_compute_shader_derivatives
        cmocka_unit_test_teardown(derivatives_of_tasks_and_meshes, vkt_check_messages),
#endif
    };
#ifndef VK_KHR_shader_float_controls2
    setenv("VKT_NO_VALIDATION", "1", 1);
#endif
    vkt_request_version(VK_API_VERSION_1_1);
    return cmocka_run_group_tests_name("api_shader_extensions", tests, open_device, close_device);
}
