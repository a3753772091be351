/* SPDX-License-Identifier: MIT
 *
 * Extensions about subgroups: clocks in every stage, and pipelines that ask for a size of subgroups or for full ones.
 * Operations in the stages between the vertex stage and the rasteriser.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "clock.comp.h"
#include "clock.frag.h"
#include "clock.vert.h"
#include "full_subgroups.comp.h"
#include "geometry.frag.h"
#include "patches.vert.h"
#include "subgroup_stages.geom.h"
#include "subgroup_stages.tese.h"
#include "subgroup_stages_20.tesc.h"
#include "subgroup_stages_5.tesc.h"

#define LANES   16u
#define COMPUTE VK_SHADER_STAGE_COMPUTE_BIT

static struct vkt device;

static int open_device(void **state)
{
    const char *const extensions[] = {
        VK_KHR_SHADER_CLOCK_EXTENSION_NAME, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME,
        VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME, VK_EXT_SHADER_SUBGROUP_BALLOT_EXTENSION_NAME,
        VK_EXT_SHADER_SUBGROUP_VOTE_EXTENSION_NAME};
    device = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- clocks */

static void clocks_of_workgroups(void **state)
{
    enum { N = 5 * 64 };
    struct vkt *t = &device;
    struct vkt_buffer out = vkt_storage_buffer(t, N * 8, 0);
    struct vkt_compute c = vkt_compute_create_simple(t, VKT_SHADER(clock_comp), 1, 0, NULL);
    VkDescriptorSet set = vkt_compute_set(t, &c, &out, 1);
    uint64_t times[N][4], last = 0;
    for (uint32_t run = 0; run < 3; run++) { /* each run is later than the one before */
        VkCommandBuffer cmd = vkt_begin(t);
        vkt_compute_bind(cmd, &c, &set);
        vkCmdDispatch(cmd, N / 64, 1, 1);
        vkt_barrier_all(cmd);
        vkt_end_submit(t, cmd);
        memcpy(times, out.map, sizeof times);
        uint64_t first = UINT64_MAX, end = 0;
        for (uint32_t i = 0; i < N; i++) {
            assert_true(times[i][0] < times[i][2] && times[i][1] < times[i][3]);
            assert_true(!memcmp(times[i], times[i - i % LANES], sizeof times[i])); /* a subgroup reads the time once */
            first = times[i][0] < first ? times[i][0] : first;
            end = times[i][2] > end ? times[i][2] : end;
        }
        assert_true(first > last && end > first && end - first < UINT64_C(60000000000));
        last = end;
    }
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &out);
}

static void clocks_of_vertices_and_fragments(void **state)
{
    enum { W = 37, H = 21 };
    struct vkt *t = &device;
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(clock_vert),
                                                                                      .fs = VKT_SHADER(clock_frag),
                                                                                      .pass = target.pass,
                                                                                      .topology = VKT_TRIANGLES,
                                                                                      .width = W,
                                                                                      .height = H});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (const float[4]){0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture out = vkt_read_target(t, &target);
    for (uint32_t i = 0; i < W * H; i++)
        if (memcmp(out.rgba + 4 * i, "\xff\xff\xff\xff", 4))
            fail_msg("pixel %u, %u: green (vertices) is %u, blue (fragments) is %u", i % W, i / W, out.rgba[4 * i + 1],
                     out.rgba[4 * i + 2]);
    vkt_picture_free(&out);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
}

/* ---------------------------------------------------------------- sizes */

static void sizes_are_reported(void **state)
{
    VkPhysicalDeviceSubgroupSizeControlPropertiesEXT sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &sizes};
    vkGetPhysicalDeviceProperties2(device.physical, &properties);
    assert_int_equal(sizes.minSubgroupSize, LANES);
    assert_int_equal(sizes.maxSubgroupSize, LANES);
    assert_int_equal(sizes.maxComputeWorkgroupSubgroups * LANES,
                     properties.properties.limits.maxComputeWorkGroupInvocations);
    assert_int_equal(sizes.requiredSubgroupSizeStages,
                     VK_SHADER_STAGE_ALL_GRAPHICS | COMPUTE | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT);
}

/* A pipeline of full subgroups of the required size, or of a size that may vary (NULL). */
static struct vkt_compute create_full(struct vkt *t, const uint32_t size[2], bool is_required)
{
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfoEXT required = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO_EXT,
        .requiredSubgroupSize = LANES};
    const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}};
    const VkSpecializationInfo spec = {VKT_COUNT(entries), entries, 8, size};
    const struct vkt_shader shader = VKT_SHADER(full_subgroups_comp);
    struct vkt_compute c = vkt_compute_create_simple(t, shader, 1, 0, &spec);
    VkShaderModule module;
    vkt_ok(vkCreateShaderModule(t->device,
                                &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                            .codeSize = shader.size_B,
                                                            .pCode = shader.words},
                                NULL, &module));
    vkDestroyPipeline(t->device, c.pipeline, NULL);
    VkPipelineShaderStageCreateInfo stage = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .pNext = is_required ? &required : NULL,
        .flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT,
        .stage = COMPUTE,
        .module = module,
        .pName = "main",
        .pSpecializationInfo = &spec};
    if (!is_required)
        stage.flags |= VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT_EXT;
    vkt_ok(vkCreateComputePipelines(t->device, VK_NULL_HANDLE, 1,
                                    &(VkComputePipelineCreateInfo){
                                        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = stage,
                                        .layout = c.layout,
                                    },
                                    NULL, &c.pipeline));
    vkDestroyShaderModule(t->device, module, NULL);
    return c;
}

static void full_subgroups(void **state)
{
    static const uint32_t sizes[][2] = {{16, 1}, {32, 3}, {48, 5}, {64, 16}, {1024, 1}, {16, 64}};
    struct vkt *t = &device;
    for (uint32_t k = 0; k < 2 * VKT_COUNT(sizes); k++) {
        const uint32_t *size = sizes[k / 2], count = size[0] * size[1];
        struct vkt_buffer out = vkt_storage_buffer(t, count * 3, 0);
        struct vkt_compute c = create_full(t, size, k % 2);
        VkDescriptorSet set = vkt_compute_set(t, &c, &out, 1);
        VkCommandBuffer cmd = vkt_begin(t);
        vkt_compute_bind(cmd, &c, &set);
        vkCmdDispatch(cmd, 1, 1, 1);
        vkt_barrier_all(cmd);
        vkt_end_submit(t, cmd);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t *w = (const uint32_t *)out.map + 3 * i;
            if (w[0] != (count / LANES << 16 | LANES) || w[1] != 0xffff || w[2] != i)
                fail_msg("%u x %u, invocation %u: 0x%x 0x%x %u", size[0], size[1], i, w[0], w[1], w[2]);
        }
        vkt_compute_destroy(t, &c);
        vkt_buffer_destroy(t, &out);
    }
}

/* ---------------------------------------------------------------- stages before the rasteriser */

#define GRAPHICS VK_SHADER_STAGE_ALL_GRAPHICS

struct stage_counts {
    uint32_t runs, wrong, most;
};

enum { PATCHES = 16, TRIANGLES = 18 }; /* of a patch */

/* Returns what the control, the evaluation and the geometry stage have counted. */
static void run_stages(struct vkt *t, struct vkt_shader tcs, struct stage_counts counts_out[3])
{
    const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, GRAPHICS, 1};
    const VkPipelineTessellationStateCreateInfo patches = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO, .patchControlPoints = 4};
    struct vkt_target target = vkt_target_create(t, 64, 64, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_buffer counts = vkt_storage_buffer(t, 9, 0);
    const VkDescriptorSetLayout layout = vkt_set_layout_create(t, &binding, 1);
    const VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_buffer(t, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, counts.buffer, 0, VK_WHOLE_SIZE);
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(patches_vert),
                                                           .tcs = tcs,
                                                           .tes = VKT_SHADER(subgroup_stages_tese),
                                                           .gs = VKT_SHADER(subgroup_stages_geom),
                                                           .fs = VKT_SHADER(geometry_frag),
                                                           .tessellation = &patches,
                                                           .pass = target.pass,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST,
                                                           .set_layouts = {layout},
                                                           .set_layout_count = 1,
                                                           .width = 64,
                                                           .height = 64});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (const float[4]){0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, 4 * PATCHES, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_barrier_all(cmd);
    vkt_end_submit(t, cmd);
    memcpy(counts_out, counts.map, 3 * sizeof *counts_out);
    vkt_pipeline_destroy(t, &pipeline);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    vkt_buffer_destroy(t, &counts);
    vkt_target_destroy(t, &target);
}

/* With output patches of 5 vertices three share a subgroup; one of 20 has two subgroups. */
static void stages_before_the_rasteriser(void **state)
{
    static const uint32_t sizes[] = {5, 20}, most[] = {15, 16};
    const struct vkt_shader tcs[] = {VKT_SHADER(subgroup_stages_5_tesc), VKT_SHADER(subgroup_stages_20_tesc)};
    VkPhysicalDeviceSubgroupProperties has = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    const char *words = getenv("VC4VK_DEBUG");
    const bool is_tiny = words && strstr(words, "tiny"); /* few patches and few primitives at a time */
    vkGetPhysicalDeviceProperties2(
        device.physical,
        &(VkPhysicalDeviceProperties2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &has});
    assert_int_equal(has.supportedStages,
                     GRAPHICS | COMPUTE | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT);
    for (uint32_t i = 0; i < VKT_COUNT(tcs); i++) {
        struct stage_counts counts[3];
        run_stages(&device, tcs[i], counts);
        for (uint32_t k = 0; k < 3; k++)
            if (counts[k].wrong)
                fail_msg("%u vertices, stage %u: wrong 0x%x", sizes[i], k, counts[k].wrong);
        assert_int_equal(counts[0].runs, PATCHES * sizes[i]);
        assert_int_equal(counts[0].most, is_tiny && sizes[i] == 5 ? 10 : most[i]);
        assert_in_range(counts[1].runs, PATCHES * 16, PATCHES * TRIANGLES * 3);
        assert_int_equal(counts[1].most, LANES);
        assert_int_equal(counts[2].runs, PATCHES * TRIANGLES * 2);
        assert_int_equal(counts[2].most, LANES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(clocks_of_workgroups, vkt_check_messages),
        cmocka_unit_test_teardown(clocks_of_vertices_and_fragments, vkt_check_messages),
        cmocka_unit_test_teardown(sizes_are_reported, vkt_check_messages),
        cmocka_unit_test_teardown(full_subgroups, vkt_check_messages),
        cmocka_unit_test_teardown(stages_before_the_rasteriser, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_1);
    return cmocka_run_group_tests(tests, open_device, close_device);
}
