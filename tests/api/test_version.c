/* SPDX-License-Identifier: MIT
 *
 * Vulkan 1.1 without any extension: the promoted entry points, what that version makes mandatory, and shaders of SPIR-V
 * 1.3 with subgroup operations.
 */
#include <string.h>
#include "vkt.h"
#include "cover.vert.h"
#include "color.frag.h"
#include "subgroups.comp.h"
#include "subgroups.frag.h"
#include "subgroups.vert.h"

#define LANES 16u

static void versions(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    uint32_t instance = 0;
    vkt_ok(vkEnumerateInstanceVersion(&instance));
    assert_true(instance >= VK_API_VERSION_1_1);
    assert_int_equal(VK_API_VERSION_MAJOR(t->properties.apiVersion), 1);
    assert_true(VK_API_VERSION_MINOR(t->properties.apiVersion) >= 1);
}

static void entry_points(void **state)
{
    static const char *const device_functions[] = {
        "vkBindBufferMemory2", "vkBindImageMemory2", "vkCmdDispatchBase", "vkCmdSetDeviceMask",
        "vkCreateDescriptorUpdateTemplate", "vkCreateSamplerYcbcrConversion", "vkDestroyDescriptorUpdateTemplate",
        "vkDestroySamplerYcbcrConversion", "vkGetBufferMemoryRequirements2", "vkGetDescriptorSetLayoutSupport",
        "vkGetDeviceGroupPeerMemoryFeatures", "vkGetDeviceQueue2", "vkGetImageMemoryRequirements2",
        "vkGetImageSparseMemoryRequirements2", "vkTrimCommandPool", "vkUpdateDescriptorSetWithTemplate",
    };
    static const char *const instance_functions[] = {
        "vkEnumeratePhysicalDeviceGroups", "vkGetPhysicalDeviceExternalBufferProperties",
        "vkGetPhysicalDeviceExternalFenceProperties", "vkGetPhysicalDeviceExternalSemaphoreProperties",
        "vkGetPhysicalDeviceFeatures2", "vkGetPhysicalDeviceFormatProperties2",
        "vkGetPhysicalDeviceImageFormatProperties2", "vkGetPhysicalDeviceMemoryProperties2",
        "vkGetPhysicalDeviceProperties2", "vkGetPhysicalDeviceQueueFamilyProperties2",
        "vkGetPhysicalDeviceSparseImageFormatProperties2",
    };
    struct vkt *t = vkt_device(VKT_TESTED);
    for (uint32_t i = 0; i < VKT_COUNT(device_functions); i++)
        if (!vkGetDeviceProcAddr(t->device, device_functions[i]))
            fail_msg("no %s", device_functions[i]);
    for (uint32_t i = 0; i < VKT_COUNT(instance_functions); i++)
        if (!vkGetInstanceProcAddr(t->instance, instance_functions[i]))
            fail_msg("no %s", instance_functions[i]);
    assert_null(vkGetDeviceProcAddr(t->device, "vkTrimCommandPoolKHR")); /* not enabled */
}

static void mandatory_properties(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceProtectedMemoryProperties protected_memory = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_PROPERTIES, .protectedNoFault = 77};
    VkPhysicalDeviceMaintenance3Properties maintenance3 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, .pNext = &protected_memory};
    VkPhysicalDeviceMultiviewProperties views = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_PROPERTIES,
                                                 .pNext = &maintenance3};
    VkPhysicalDeviceSubgroupProperties subgroups = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
                                                    .pNext = &views};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &subgroups};
    vkGetPhysicalDeviceProperties2(t->physical, &properties);
    assert_int_equal(subgroups.subgroupSize, LANES);
    assert_true(subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT);
    assert_true(subgroups.supportedStages & VK_SHADER_STAGE_VERTEX_BIT);
    assert_true(subgroups.supportedOperations & VK_SUBGROUP_FEATURE_BASIC_BIT);
    assert_true(views.maxMultiviewViewCount >= 6 && views.maxMultiviewInstanceIndex >= (1u << 27) - 1);
    assert_true(maintenance3.maxPerSetDescriptors >= 1024 && maintenance3.maxMemoryAllocationSize >= 1u << 30);
    assert_int_equal(protected_memory.protectedNoFault, VK_FALSE);
}

static void mandatory_features(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceVariablePointersFeatures pointers = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES, .variablePointers = 77};
    VkPhysicalDeviceShaderDrawParametersFeatures draws = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES,
        .pNext = &pointers,
        .shaderDrawParameters = 77};
    VkPhysicalDeviceProtectedMemoryFeatures protected_memory = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES, .pNext = &draws, .protectedMemory = 77};
    VkPhysicalDevice16BitStorageFeatures storage_16bit = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES, .pNext = &protected_memory};
    VkPhysicalDeviceMultiviewFeatures views = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES,
                                               .pNext = &storage_16bit};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &views};
    vkGetPhysicalDeviceFeatures2(t->physical, &features);
    assert_int_equal(views.multiview, VK_TRUE);
    assert_int_equal(storage_16bit.storageBuffer16BitAccess, VK_TRUE);
    assert_true(pointers.variablePointers <= VK_TRUE && pointers.variablePointersStorageBuffer <= VK_TRUE);
    assert_true(draws.shaderDrawParameters <= VK_TRUE && protected_memory.protectedMemory <= VK_TRUE);
}

static void queues_and_groups(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceGroupProperties group = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES};
    uint32_t count = 1;
    VkResult result = vkEnumeratePhysicalDeviceGroups(t->instance, &count, &group);
    assert_true(result == VK_SUCCESS || result == VK_INCOMPLETE);
    assert_int_equal(group.physicalDeviceCount, 1);
    VkQueue queue;
    vkGetDeviceQueue2(t->device, &(VkDeviceQueueInfo2){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2}, &queue);
    assert_ptr_equal(queue, t->queue);
    vkTrimCommandPool(t->device, t->pool, 0);
}

/* ---------------------------------------------------------------- subgroups */

#define INVOCATIONS 40u
#define WORDS       12u

static void expect(const uint32_t *got, uint32_t i)
{
    const uint32_t lane = i % LANES, first = i - lane, end = first + LANES < INVOCATIONS ? first + LANES : INVOCATIONS;
    uint32_t want[WORDS] = {LANES << 16 | 3 << 8 | i / LANES, lane};
    bool all = true, any = false;
    for (uint32_t k = first; k < end; k++) {
        want[2] += k + 1;
        want[3] += k < i ? k + 1 : 0;
        want[4] |= (k & 1) << (k - first);
        want[10] += (i & 2) && (k & 2);
        all &= k < 30;
        any |= k == 33;
    }
    want[5] = i ^ 1;
    want[6] = first;
    want[7] = i | 3;
    want[8] = i ^ 2;
    want[9] = all | any << 1 | (lane == 0) << 2;
    want[11] = (1u << lane) - 1;
    for (uint32_t w = 0; w < WORDS; w++)
        if (got[w] != want[w])
            fail_msg("invocation %u, word %u: 0x%x instead of 0x%x", i, w, got[w], want[w]);
}

static void subgroups_of_workgroups(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_buffer out = vkt_storage_buffer(t, INVOCATIONS * WORDS, 0);
    struct vkt_compute c = vkt_compute_create_simple(t, VKT_SHADER(subgroups_comp), 1, 0, NULL);
    VkDescriptorSet set = vkt_compute_set(t, &c, &out, 1);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(t, cmd);
    for (uint32_t i = 0; i < INVOCATIONS; i++)
        expect((const uint32_t *)out.map + i * WORDS, i);
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &out);
}

/* One triangle over a target whose size is no multiple of a batch: some batches are covered only in part. */
static void subgroups_of_fragments(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_target target = vkt_target_create(t, 37, 21, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                              .vs = VKT_SHADER(cover_vert),
                                                              .fs = VKT_SHADER(subgroups_frag),
                                                              .pass = target.pass,
                                                              .topology = VKT_TRIANGLES,
                                                              .width = 37,
                                                              .height = 21,
                                                          });
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (const float[4]){0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture out = vkt_read_target(t, &target);
    for (uint32_t i = 0; i < 37 * 21; i++)
        if (memcmp(out.rgba + 4 * i, "\xff\xff\xff\xff", 4))
            fail_msg("pixel %u, %u: %u %u %u %u", i % 37, i / 37, out.rgba[4 * i], out.rgba[4 * i + 1],
                     out.rgba[4 * i + 2], out.rgba[4 * i + 3]);
    vkt_picture_free(&out);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
}

/* Forty vertices do not fill a whole number of batches: lanes without a vertex must not count. */
static void subgroups_of_vertices(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_target target = vkt_target_create(t, INVOCATIONS, 1, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                              .vs = VKT_SHADER(subgroups_vert),
                                                              .fs = VKT_SHADER(color_frag),
                                                              .pass = target.pass,
                                                              .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                                              .width = INVOCATIONS,
                                                              .height = 1,
                                                          });
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (const float[4]){0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdDraw(cmd, INVOCATIONS, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture out = vkt_read_target(t, &target);
    uint32_t vertices_by_subgroup_size[LANES + 1] = {0};
    for (uint32_t i = 0; i < INVOCATIONS; i++) {
        const uint8_t *p = out.rgba + 4 * i;
        if (memcmp(p + 1, "\xff\xff\xff", 3) || !p[0] || p[0] > LANES)
            fail_msg("vertex %u: %u %u %u %u", i, p[0], p[1], p[2], p[3]);
        vertices_by_subgroup_size[p[0]]++;
    }
    for (uint32_t size = 1; size <= LANES; size++)
        if (vertices_by_subgroup_size[size] % size)
            fail_msg("%u vertices are in subgroups of %u", vertices_by_subgroup_size[size], size);
    vkt_picture_free(&out);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(versions, vkt_check_messages),
        cmocka_unit_test_teardown(entry_points, vkt_check_messages),
        cmocka_unit_test_teardown(mandatory_properties, vkt_check_messages),
        cmocka_unit_test_teardown(mandatory_features, vkt_check_messages),
        cmocka_unit_test_teardown(queues_and_groups, vkt_check_messages),
        cmocka_unit_test_teardown(subgroups_of_workgroups, vkt_check_messages),
        cmocka_unit_test_teardown(subgroups_of_fragments, vkt_check_messages),
        cmocka_unit_test_teardown(subgroups_of_vertices, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_1);
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
