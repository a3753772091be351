/* SPDX-License-Identifier: MIT
 *
 * Queries about a pipeline: its programs with their statistics and code (VK_KHR_pipeline_executable_properties), how
 * long it took to create, and whether it came from the cache (VK_EXT_pipeline_creation_feedback).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "compute_add.comp.h"
#include "full.vert.h"
#include "push.frag.h"
#include "statistics.frag.h"
#include "statistics.geom.h"
#include "statistics.vert.h"

#define CAPTURE                                                                                                        \
    (VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR | VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR)

static struct vkt device;
static PFN_vkGetPipelineExecutablePropertiesKHR get_properties;
static PFN_vkGetPipelineExecutableStatisticsKHR get_statistics;
static PFN_vkGetPipelineExecutableInternalRepresentationsKHR get_code;

static int open_device(void **state)
{
    static const char *const extensions[] = {VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME,
                                             VK_EXT_PIPELINE_CREATION_FEEDBACK_EXTENSION_NAME};
    device = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions));
    get_properties = (PFN_vkGetPipelineExecutablePropertiesKHR)vkGetDeviceProcAddr(
        device.device, "vkGetPipelineExecutablePropertiesKHR");
    get_statistics = (PFN_vkGetPipelineExecutableStatisticsKHR)vkGetDeviceProcAddr(
        device.device, "vkGetPipelineExecutableStatisticsKHR");
    get_code = (PFN_vkGetPipelineExecutableInternalRepresentationsKHR)vkGetDeviceProcAddr(
        device.device, "vkGetPipelineExecutableInternalRepresentationsKHR");
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

static struct vkt_pipeline make(VkRenderPass pass, VkPipelineCache cache, const void *next)
{
    return vkt_pipeline_create(&device, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                                    .fs = VKT_SHADER(push_frag),
                                                                    .pass = pass,
                                                                    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                    .width = 16,
                                                                    .height = 16,
                                                                    .push_size_B = 16,
                                                                    .cache = cache,
                                                                    .flags = CAPTURE,
                                                                    .next = next});
}

/* ---------------------------------------------------------------- executables */

static uint64_t statistic(VkPipeline pipeline, uint32_t index, const char *name)
{
    const VkPipelineExecutableInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                              .pipeline = pipeline,
                                              .executableIndex = index};
    uint32_t count = 0;
    vkt_ok(get_statistics(device.device, &info, &count, NULL));
    assert_true(count > 3 && count <= 16);
    VkPipelineExecutableStatisticKHR list[16] = {0};
    for (uint32_t i = 0; i < count; i++)
        list[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
    uint32_t fewer = count - 1;
    assert_int_equal(get_statistics(device.device, &info, &fewer, list), VK_INCOMPLETE);
    assert_int_equal(fewer, count - 1);
    vkt_ok(get_statistics(device.device, &info, &count, list));
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(list[i].name, name))
            return list[i].value.u64;
    fail_msg("no statistic %s", name);
    return 0;
}

/* Checks that the text has the program's words, one instruction per line. */
static void expect_text_of(VkPipeline pipeline, uint32_t index, uint32_t kind)
{
    const VkPipelineExecutableInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                              .pipeline = pipeline,
                                              .executableIndex = index};
    uint64_t words[256];
    uint32_t (*program_words)(VkPipeline, uint32_t, uint64_t *, uint32_t) =
        (uint32_t(*)(VkPipeline, uint32_t, uint64_t *, uint32_t))vkt_hook(&device, "vc4vk_test_program_words");
    uint32_t word_count = program_words(pipeline, kind, words, VKT_COUNT(words));
    assert_true(word_count <= VKT_COUNT(words));
    assert_int_equal(statistic(pipeline, index, "Instructions"), word_count);
    uint32_t count = 0;
    vkt_ok(get_code(device.device, &info, &count, NULL));
    assert_int_equal(count, 1);
    VkPipelineExecutableInternalRepresentationKHR code = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR};
    vkt_ok(get_code(device.device, &info, &count, &code));
    assert_true(code.isText && code.dataSize > 1);
    char *text = malloc(code.dataSize);
    code.pData = text;
    vkt_ok(get_code(device.device, &info, &count, &code));
    assert_int_equal(text[code.dataSize - 1], 0);
    const char *line = text;
    for (uint32_t i = 0; i < word_count; i++, line = strchr(line, '\n') + 1) {
        unsigned long long word = 0;
        unsigned number = 0;
        assert_int_equal(sscanf(line, " %u: 0x%llx", &number, &word), 2);
        assert_int_equal(number, i);
        assert_true(word == words[i]);
    }
    assert_int_equal(*line, 0);
    code.dataSize = 10;
    assert_int_equal(get_code(device.device, &info, &count, &code), VK_INCOMPLETE);
    assert_int_equal(code.dataSize, 10);
    assert_int_equal(text[9], 0);
    free(text);
}

static void programs_of_a_graphics_pipeline(void **state)
{
    enum { COORDINATE, VERTEX, FRAGMENT }; /* the compiler's numbers of its program kinds */
    struct vkt_target target = vkt_target_create(&device, 16, 16, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = make(target.pass, VK_NULL_HANDLE, NULL);
    const VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = p.pipeline};
    uint32_t count = 0;
    vkt_ok(get_properties(device.device, &info, &count, NULL));
    assert_int_equal(count, 3);
    VkPipelineExecutablePropertiesKHR list[3] = {0};
    for (uint32_t i = 0; i < 3; i++)
        list[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR;
    count = 2;
    assert_int_equal(get_properties(device.device, &info, &count, list), VK_INCOMPLETE);
    count = 3;
    vkt_ok(get_properties(device.device, &info, &count, list));
    assert_string_equal(list[0].name, "coordinate program");
    assert_int_equal(list[1].stages, VK_SHADER_STAGE_VERTEX_BIT);
    assert_int_equal(list[2].stages, VK_SHADER_STAGE_FRAGMENT_BIT);
    assert_int_equal(list[2].subgroupSize, 16);
    expect_text_of(p.pipeline, 0, COORDINATE);
    expect_text_of(p.pipeline, 1, VERTEX);
    expect_text_of(p.pipeline, 2, FRAGMENT);
    vkt_pipeline_destroy(&device, &p);
    vkt_target_destroy(&device, &target);
}

/* The vertex shader's program, and the one that draws what the geometry shader emits, are not confused. */
static void programs_have_different_names(void **state)
{
    enum { PROGRAMS = 5 };
    struct vkt_target target = vkt_target_create(&device, 16, 16, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    const VkVertexInputBindingDescription binding = {0, 16, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attribute = {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0};
    struct vkt_pipeline p = vkt_pipeline_create(&device, &(struct vkt_pipeline_info){.vs = VKT_SHADER(statistics_vert),
                                                                                     .gs = VKT_SHADER(statistics_geom),
                                                                                     .fs = VKT_SHADER(statistics_frag),
                                                                                     .pass = target.pass,
                                                                                     .bindings = &binding,
                                                                                     .binding_count = 1,
                                                                                     .attributes = &attribute,
                                                                                     .attribute_count = 1,
                                                                                     .topology = VKT_TRIANGLES,
                                                                                     .width = 16,
                                                                                     .height = 16,
                                                                                     .flags = CAPTURE});
    const VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = p.pipeline};
    uint32_t count = PROGRAMS;
    VkPipelineExecutablePropertiesKHR list[PROGRAMS] = {0};
    for (uint32_t i = 0; i < PROGRAMS; i++)
        list[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR;
    vkt_ok(get_properties(device.device, &info, &count, list));
    assert_int_equal(count, PROGRAMS);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(list[i].name, list[k].name);
    vkt_pipeline_destroy(&device, &p);
    vkt_target_destroy(&device, &target);
}

/* ---------------------------------------------------------------- feedback */

struct feedback {
    VkPipelineCreationFeedback whole, stages[2];
    VkPipelineCreationFeedbackCreateInfo info;
};

static void feedback_init(struct feedback *f, uint32_t stage_count)
{
    *f = (struct feedback){.info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                                    .pPipelineCreationFeedback = &f->whole,
                                    .pipelineStageCreationFeedbackCount = stage_count,
                                    .pPipelineStageCreationFeedbacks = f->stages}};
}

static void expect_feedback(const struct feedback *f, bool is_hit)
{
    const VkPipelineCreationFeedbackFlags want =
        VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT |
        (is_hit ? VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT : 0u);
    uint64_t stages_ns = 0;
    assert_int_equal(f->whole.flags, want);
    for (uint32_t i = 0; i < f->info.pipelineStageCreationFeedbackCount; i++) {
        assert_int_equal(f->stages[i].flags, want);
        stages_ns += f->stages[i].duration;
    }
    assert_true(stages_ns > 0);
    assert_true(stages_ns <= f->whole.duration);
}

static VkPipelineCache make_cache(void)
{
    VkPipelineCache cache;
    vkt_ok(vkCreatePipelineCache(device.device,
                                 &(VkPipelineCacheCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO},
                                 NULL, &cache));
    return cache;
}

static void feedback_of_graphics_pipelines(void **state)
{
    struct vkt_target target = vkt_target_create(&device, 16, 16, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    VkPipelineCache cache = make_cache();
    struct feedback f;
    feedback_init(&f, 2);
    struct vkt_pipeline p = make(target.pass, VK_NULL_HANDLE, &f.info);
    expect_feedback(&f, false); /* no cache, no hit */
    vkt_pipeline_destroy(&device, &p);
    for (int round = 0; round < 2; round++) {
        feedback_init(&f, 2);
        p = make(target.pass, cache, &f.info);
        expect_feedback(&f, round == 1);
        vkt_pipeline_destroy(&device, &p);
    }
    vkDestroyPipelineCache(device.device, cache, NULL);
    vkt_target_destroy(&device, &target);
}

static void feedback_of_compute_pipelines(void **state)
{
    const struct vkt_shader shader = VKT_SHADER(compute_add_comp);
    const struct vkt_binding bindings[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1}};
    VkDescriptorSetLayout set_layout = vkt_set_layout_create(&device, bindings, VKT_COUNT(bindings));
    VkPipelineLayout layout;
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 64};
    vkt_ok(vkCreatePipelineLayout(device.device,
                                  &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                                .setLayoutCount = 1,
                                                                .pSetLayouts = &set_layout,
                                                                .pushConstantRangeCount = 1,
                                                                .pPushConstantRanges = &range},
                                  NULL, &layout));
    VkShaderModule module;
    vkt_ok(vkCreateShaderModule(device.device,
                                &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                            .codeSize = shader.size_B,
                                                            .pCode = shader.words},
                                NULL, &module));
    VkPipelineCache cache = make_cache();
    for (int round = 0; round < 2; round++) {
        struct feedback f;
        feedback_init(&f, 1);
        const VkComputePipelineCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .pNext = &f.info,
            .flags = CAPTURE,
            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                      .module = module,
                      .pName = "main"},
            .layout = layout,
        };
        VkPipeline pipeline;
        vkt_ok(vkCreateComputePipelines(device.device, cache, 1, &info, NULL, &pipeline));
        expect_feedback(&f, round == 1);
        expect_text_of(pipeline, 0, 3);
        vkDestroyPipeline(device.device, pipeline, NULL);
    }
    vkDestroyPipelineCache(device.device, cache, NULL);
    vkDestroyShaderModule(device.device, module, NULL);
    vkDestroyPipelineLayout(device.device, layout, NULL);
    vkDestroyDescriptorSetLayout(device.device, set_layout, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(programs_of_a_graphics_pipeline, vkt_check_messages),
        cmocka_unit_test_teardown(programs_have_different_names, vkt_check_messages),
        cmocka_unit_test_teardown(feedback_of_graphics_pipelines, vkt_check_messages),
        cmocka_unit_test_teardown(feedback_of_compute_pipelines, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("executables", tests, open_device, close_device);
}
