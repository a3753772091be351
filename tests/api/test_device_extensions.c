/* SPDX-License-Identifier: MIT
 *
 * Small extensions of what devices tell and of how memory is mapped:
 * - VK_KHR_format_feature_flags2,
 * - VK_EXT_calibrated_timestamps and VK_KHR_calibrated_timestamps,
 * - VK_EXT_image_compression_control,
 * - VK_KHR_map_memory2,
 * - VK_EXT_memory_priority and VK_EXT_pageable_device_local_memory,
 * - VK_QCOM_tile_properties.
 */
#include <time.h>
#include <string.h>
#include "vkt.h"

static struct vkt device;

#define FUNCTION(name) ((PFN_##name)load(#name))

static PFN_vkVoidFunction load(const char *name)
{
    PFN_vkVoidFunction function = strstr(name, "PhysicalDevice") ? vkGetInstanceProcAddr(device.instance, name)
                                                                 : vkGetDeviceProcAddr(device.device, name);
    if (!function)
        fail_msg("%s is missing", name);
    return function;
}

static int open_device(void **state)
{
    const char *const extensions[] = {
        VK_KHR_FORMAT_FEATURE_FLAGS_2_EXTENSION_NAME,
        VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME,
    };
    device = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- VK_KHR_format_feature_flags2 */

#define WITHOUT_FORMAT                                                                                                 \
    (VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT | VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT)
#define COMPARED VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT

static void check_features(VkFormatFeatureFlags old, VkFormatFeatureFlags2 new, bool has_depth)
{
    const bool is_stored = old & (VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT);
    assert_int_equal((uint32_t) new & 0x7fffffff, old);
    assert_true((new &WITHOUT_FORMAT) == (is_stored ? WITHOUT_FORMAT : 0));
    assert_true(((new &COMPARED) != 0) == (has_depth && (old & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)));
}

static void formats_have_64_bits_of_features(void **state)
{
    uint32_t stored = 0, compared = 0;
    for (VkFormat format = VK_FORMAT_R4G4_UNORM_PACK8; format <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; format++) {
        VkFormatProperties3 new = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
        VkFormatProperties2 old = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &new};
        FUNCTION(vkGetPhysicalDeviceFormatProperties2KHR)(device.physical, format, &old);
        const bool has_depth =
            format >= VK_FORMAT_D16_UNORM && format <= VK_FORMAT_D32_SFLOAT_S8_UINT && format != VK_FORMAT_S8_UINT;
        check_features(old.formatProperties.linearTilingFeatures, new.linearTilingFeatures, has_depth);
        check_features(old.formatProperties.optimalTilingFeatures, new.optimalTilingFeatures, has_depth);
        check_features(old.formatProperties.bufferFeatures, new.bufferFeatures, false);
        stored += (new.optimalTilingFeatures &WITHOUT_FORMAT) != 0;
        compared += (new.optimalTilingFeatures &COMPARED) != 0;
    }
    assert_true(stored >= 30 && compared >= 4);
}

/* ---------------------------------------------------------------- VK_EXT_calibrated_timestamps */

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t device_ns(void)
{
    const VkCalibratedTimestampInfoEXT info = {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT,
                                               .timeDomain = VK_TIME_DOMAIN_DEVICE_EXT};
    uint64_t time_ns, deviation_ns;
    vkt_ok(FUNCTION(vkGetCalibratedTimestampsEXT)(device.device, 1, &info, &time_ns, &deviation_ns));
    return time_ns;
}

static void clocks_are_read_together(void **state)
{
    VkTimeDomainEXT domains[8];
    uint32_t count = 1;
    assert_int_equal(FUNCTION(vkGetPhysicalDeviceCalibrateableTimeDomainsEXT)(device.physical, &count, domains),
                     VK_INCOMPLETE);
    assert_int_equal(count, 1);
    count = VKT_COUNT(domains);
    vkt_ok(FUNCTION(vkGetPhysicalDeviceCalibrateableTimeDomainsEXT)(device.physical, &count, domains));
    assert_int_equal(count, 3);
    VkCalibratedTimestampInfoEXT infos[3];
    for (uint32_t i = 0; i < 3; i++)
        infos[i] = (VkCalibratedTimestampInfoEXT){.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT,
                                                  .timeDomain = domains[i]};
    uint64_t times_ns[3], deviation_ns, before_ns = clock_ns(CLOCK_MONOTONIC),
                                        raw_before_ns = clock_ns(CLOCK_MONOTONIC_RAW);
    vkt_ok(FUNCTION(vkGetCalibratedTimestampsEXT)(device.device, 3, infos, times_ns, &deviation_ns));
    const uint64_t after_ns = clock_ns(CLOCK_MONOTONIC), raw_after_ns = clock_ns(CLOCK_MONOTONIC_RAW);
    assert_true(deviation_ns > 0 && deviation_ns <= after_ns - before_ns + 1000);
    for (uint32_t i = 0; i < 3; i++) {
        const bool is_raw = domains[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT;
        assert_true(times_ns[i] >= (is_raw ? raw_before_ns : before_ns));
        assert_true(times_ns[i] <= (is_raw ? raw_after_ns : after_ns));
    }
}

/* A timestamp that the device writes lies between two times of its clock. */
static void the_devices_clock_is_that_of_queries(void **state)
{
    VkQueryPool pool;
    vkt_ok(vkCreateQueryPool(device.device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                                      .queryCount = 1},
                             NULL, &pool));
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdResetQueryPool(cmd, pool, 0, 1);
    vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
    const uint64_t before_ns = device_ns();
    vkt_end_submit(&device, cmd);
    const uint64_t after_ns = device_ns();
    uint64_t time_ns;
    vkt_ok(vkGetQueryPoolResults(device.device, pool, 0, 1, 8, &time_ns, 8, VK_QUERY_RESULT_64_BIT));
    assert_true(before_ns <= time_ns && time_ns <= after_ns);
    vkDestroyQueryPool(device.device, pool, NULL);
}

#ifdef VK_KHR_calibrated_timestamps
/* The same functions by their later names, for devices without the earlier extension. */
static void clocks_have_later_names(void **state)
{
    const char *const extension = VK_KHR_CALIBRATED_TIMESTAMPS_EXTENSION_NAME;
    struct vkt t = vkt_device_create_with(vkt_device(VKT_TESTED), &extension, 1);
    PFN_vkGetCalibratedTimestampsKHR get =
        (PFN_vkGetCalibratedTimestampsKHR)vkGetDeviceProcAddr(t.device, "vkGetCalibratedTimestampsKHR");
    PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsKHR list =
        (PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsKHR)vkGetInstanceProcAddr(
            t.instance, "vkGetPhysicalDeviceCalibrateableTimeDomainsKHR");
    const VkCalibratedTimestampInfoKHR info = {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_KHR,
                                               .timeDomain = VK_TIME_DOMAIN_DEVICE_KHR};
    uint64_t time_ns, deviation_ns;
    uint32_t count = 0;
    assert_null(vkGetDeviceProcAddr(t.device, "vkGetCalibratedTimestampsEXT"));
    vkt_ok(list(t.physical, &count, NULL));
    assert_int_equal(count, 3);
    const uint64_t before_ns = clock_ns(CLOCK_MONOTONIC);
    vkt_ok(get(t.device, 1, &info, &time_ns, &deviation_ns));
    assert_true(time_ns >= before_ns && time_ns <= clock_ns(CLOCK_MONOTONIC));
    vkt_device_close(&t);
}
#endif

/* ---------------------------------------------------------------- VK_EXT_image_compression_control */

/* Whatever is asked for, images are not compressed, and say so. */
static void images_are_not_compressed(void **state)
{
    const char *const extension = VK_EXT_IMAGE_COMPRESSION_CONTROL_EXTENSION_NAME;
    VkPhysicalDeviceImageCompressionControlFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_COMPRESSION_CONTROL_FEATURES_EXT,
        .imageCompressionControl = VK_TRUE};
    struct vkt t = vkt_device_create_chain(vkt_device(VKT_TESTED), &extension, 1, &features);
    PFN_vkGetImageSubresourceLayout2EXT get_layout =
        (PFN_vkGetImageSubresourceLayout2EXT)vkGetDeviceProcAddr(t.device, "vkGetImageSubresourceLayout2EXT");
    const VkImageCompressionFlagsEXT asked[] = {VK_IMAGE_COMPRESSION_DEFAULT_EXT,
                                                VK_IMAGE_COMPRESSION_FIXED_RATE_DEFAULT_EXT,
                                                VK_IMAGE_COMPRESSION_DISABLED_EXT};
    /* The layer 1.3.239 refuses the default, which is 0. */
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-VkImageCompressionControlEXT-flags-06747");
    for (uint32_t i = 0; i < VKT_COUNT(asked); i++) {
        const VkImageCompressionControlEXT control = {.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT,
                                                      .flags = asked[i]};
        const VkPhysicalDeviceImageFormatInfo2 wanted = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                                         .pNext = &control,
                                                         .format = VK_FORMAT_R8G8B8A8_UNORM,
                                                         .type = VK_IMAGE_TYPE_2D,
                                                         .tiling = VK_IMAGE_TILING_OPTIMAL,
                                                         .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
        VkImageCompressionPropertiesEXT got = {.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_PROPERTIES_EXT,
                                               .imageCompressionFlags = 0x55,
                                               .imageCompressionFixedRateFlags = 0x55};
        VkImageFormatProperties2 properties = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &got};
        vkt_ok(FUNCTION(vkGetPhysicalDeviceImageFormatProperties2KHR)(t.physical, &wanted, &properties));
        assert_int_equal(got.imageCompressionFlags, VK_IMAGE_COMPRESSION_DISABLED_EXT);
        assert_int_equal(got.imageCompressionFixedRateFlags, VK_IMAGE_COMPRESSION_FIXED_RATE_NONE_EXT);
        VkImage image;
        vkt_ok(vkCreateImage(t.device,
                             &(VkImageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                                  .pNext = &control,
                                                  .imageType = wanted.type,
                                                  .format = wanted.format,
                                                  .extent = {16, 16, 1},
                                                  .mipLevels = 1,
                                                  .arrayLayers = 1,
                                                  .samples = VK_SAMPLE_COUNT_1_BIT,
                                                  .tiling = wanted.tiling,
                                                  .usage = wanted.usage},
                             NULL, &image));
        VkSubresourceLayout2EXT layout = {.sType = VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_EXT, .pNext = &got};
        got.imageCompressionFlags = got.imageCompressionFixedRateFlags = 0x55;
        get_layout(t.device, image,
                   &(VkImageSubresource2EXT){.sType = VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_EXT,
                                             .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}},
                   &layout);
        assert_int_equal(got.imageCompressionFlags, VK_IMAGE_COMPRESSION_DISABLED_EXT);
        assert_int_equal(got.imageCompressionFixedRateFlags, VK_IMAGE_COMPRESSION_FIXED_RATE_NONE_EXT);
        assert_true(layout.subresourceLayout.size >= 16 * 16 * 4);
        vkDestroyImage(t.device, image, NULL);
    }
    vkt_device_close(&t);
}

/* ---------------------------------------------------------------- VK_KHR_map_memory2 */

#ifdef VK_KHR_map_memory2
/* Maps the second half of a buffer's memory, which the first mapping shows as well. */
static void memory_is_mapped_by_structs(void **state)
{
    const char *const extension = VK_KHR_MAP_MEMORY_2_EXTENSION_NAME;
    struct vkt own = vkt_device_create_with(&device, &extension, 1);
    VkDeviceMemory memory;
    uint32_t *map;
    PFN_vkMapMemory2KHR map_memory = (PFN_vkMapMemory2KHR)vkGetDeviceProcAddr(own.device, "vkMapMemory2KHR");
    PFN_vkUnmapMemory2KHR unmap_memory = (PFN_vkUnmapMemory2KHR)vkGetDeviceProcAddr(own.device, "vkUnmapMemory2KHR");
    assert_true(map_memory && unmap_memory);
    vkt_ok(vkAllocateMemory(
        own.device, &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 8192},
        NULL, &memory));
    for (uint32_t round = 0; round < 2; round++) {
        const VkMemoryMapInfoKHR info = {.sType = VK_STRUCTURE_TYPE_MEMORY_MAP_INFO_KHR,
                                         .memory = memory,
                                         .offset = round ? 0 : 4096,
                                         .size = VK_WHOLE_SIZE};
        const VkMemoryUnmapInfoKHR end = {.sType = VK_STRUCTURE_TYPE_MEMORY_UNMAP_INFO_KHR, .memory = memory};
        vkt_ok(map_memory(own.device, &info, (void **)&map));
        if (round)
            assert_int_equal(map[1024], 0x12345678);
        else
            map[0] = 0x12345678;
        vkt_ok(unmap_memory(own.device, &end));
    }
    vkFreeMemory(own.device, memory, NULL);
    vkt_device_close(&own);
}
#endif

/* ---------------------------------------------------------------- VK_EXT_memory_priority */

/* As DXVK and vkd3d-proton do. Priorities change neither what memory holds nor where it is mapped. */
static void priorities_are_hints(void **state)
{
    static const char *const extensions[] = {VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME,
                                             VK_EXT_PAGEABLE_DEVICE_LOCAL_MEMORY_EXTENSION_NAME};
    VkPhysicalDeviceMemoryPriorityFeaturesEXT priority = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT, .memoryPriority = VK_TRUE};
    VkPhysicalDevicePageableDeviceLocalMemoryFeaturesEXT pageable = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PAGEABLE_DEVICE_LOCAL_MEMORY_FEATURES_EXT,
        .pNext = &priority,
        .pageableDeviceLocalMemory = VK_TRUE};
    struct vkt t = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &pageable);
    PFN_vkSetDeviceMemoryPriorityEXT set =
        (PFN_vkSetDeviceMemoryPriorityEXT)vkGetDeviceProcAddr(t.device, "vkSetDeviceMemoryPriorityEXT");
    assert_non_null(set);
    for (uint32_t i = 0; i < 3; i++) {
        const VkMemoryPriorityAllocateInfoEXT wanted = {.sType = VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT,
                                                        .priority = 0.5f * (float)i};
        VkDeviceMemory memory;
        void *before, *after;
        vkt_ok(vkAllocateMemory(t.device,
                                &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                        .pNext = &wanted,
                                                        .allocationSize = 8192},
                                NULL, &memory));
        vkt_ok(vkMapMemory(t.device, memory, 0, VK_WHOLE_SIZE, 0, &before));
        memset(before, 0x40 + (int)i, 8192);
        vkUnmapMemory(t.device, memory);
        set(t.device, memory, 1 - wanted.priority);
        vkt_ok(vkMapMemory(t.device, memory, 0, VK_WHOLE_SIZE, 0, &after));
        assert_ptr_equal(before, after);
        for (uint32_t b = 0; b < 8192; b++)
            assert_int_equal(((uint8_t *)after)[b], 0x40 + i);
        vkUnmapMemory(t.device, memory);
        vkFreeMemory(t.device, memory, NULL);
    }
    vkt_device_close(&t);
}

/* ---------------------------------------------------------------- VK_QCOM_tile_properties */

static VkRenderPass make_two_subpasses(struct vkt *t)
{
    const VkAttachmentDescription attachments[] = {
        {.format = VK_FORMAT_R8G8B8A8_UNORM,
         .samples = VK_SAMPLE_COUNT_1_BIT,
         .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
        {.format = VK_FORMAT_D24_UNORM_S8_UINT,
         .samples = VK_SAMPLE_COUNT_4_BIT,
         .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
         .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL}};
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
                                depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpasses[] = {
        {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS, .colorAttachmentCount = 1, .pColorAttachments = &color},
        {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS, .pDepthStencilAttachment = &depth}};
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                                        .attachmentCount = 2,
                                                        .pAttachments = attachments,
                                                        .subpassCount = 2,
                                                        .pSubpasses = subpasses},
                              NULL, &pass));
    return pass;
}

static void expect_tiles(const VkTilePropertiesQCOM *tiles, uint32_t side_px)
{
    assert_int_equal(tiles->tileSize.width, side_px);
    assert_int_equal(tiles->tileSize.height, side_px);
    assert_int_equal(tiles->tileSize.depth, 1);
    assert_true(!tiles->apronSize.width && !tiles->apronSize.height && !tiles->origin.x && !tiles->origin.y);
}

static void tiles_depend_on_samples(void **state)
{
    static const char *const extensions[] = {
        VK_QCOM_TILE_PROPERTIES_EXTENSION_NAME, VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
        VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME};
    VkPhysicalDeviceDynamicRenderingFeatures rendering = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, .dynamicRendering = VK_TRUE};
    VkPhysicalDeviceTilePropertiesFeaturesQCOM features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TILE_PROPERTIES_FEATURES_QCOM,
        .pNext = &rendering,
        .tileProperties = VK_TRUE};
    struct vkt t = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &features);
    PFN_vkGetFramebufferTilePropertiesQCOM get = (PFN_vkGetFramebufferTilePropertiesQCOM)vkGetDeviceProcAddr(
        t.device, "vkGetFramebufferTilePropertiesQCOM");
    PFN_vkGetDynamicRenderingTilePropertiesQCOM get_dynamic =
        (PFN_vkGetDynamicRenderingTilePropertiesQCOM)vkGetDeviceProcAddr(t.device,
                                                                         "vkGetDynamicRenderingTilePropertiesQCOM");
    struct vkt_image color = vkt_image_create(&t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                                           .width = 100,
                                                                           .height = 80,
                                                                           .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    struct vkt_image depth =
        vkt_image_create(&t, &(struct vkt_image_info){.format = VK_FORMAT_D24_UNORM_S8_UINT,
                                                      .width = 100,
                                                      .height = 80,
                                                      .samples = VK_SAMPLE_COUNT_4_BIT,
                                                      .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
    VkRenderPass pass = make_two_subpasses(&t);
    VkFramebuffer framebuffer;
    vkt_ok(vkCreateFramebuffer(t.device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = pass,
                                                          .attachmentCount = 2,
                                                          .pAttachments = (VkImageView[]){color.view, depth.view},
                                                          .width = 100,
                                                          .height = 80,
                                                          .layers = 1},
                               NULL, &framebuffer));
    vkDestroyRenderPass(t.device, pass, NULL);
    VkTilePropertiesQCOM tiles[3] = {{.sType = VK_STRUCTURE_TYPE_TILE_PROPERTIES_QCOM},
                                     {.sType = VK_STRUCTURE_TYPE_TILE_PROPERTIES_QCOM},
                                     {.sType = VK_STRUCTURE_TYPE_TILE_PROPERTIES_QCOM}};
    uint32_t count = 0;
    vkt_ok(get(t.device, framebuffer, &count, NULL));
    assert_int_equal(count, 2);
    count = 1;
    assert_int_equal(get(t.device, framebuffer, &count, tiles), VK_INCOMPLETE);
    assert_int_equal(count, 1);
    count = 3;
    vkt_ok(get(t.device, framebuffer, &count, tiles));
    assert_int_equal(count, 2);
    expect_tiles(&tiles[0], 64);
    expect_tiles(&tiles[1], 32);
    for (uint32_t i = 0; i < 2; i++) {
        const VkRenderingAttachmentInfo attachment = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                                      .imageView = i ? depth.view : color.view,
                                                      .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
        vkt_ok(get_dynamic(t.device,
                           &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                              .renderArea = {{0, 0}, {100, 80}},
                                              .layerCount = 1,
                                              .colorAttachmentCount = !i,
                                              .pColorAttachments = &attachment,
                                              .pDepthAttachment = i ? &attachment : NULL},
                           &tiles[2]));
        expect_tiles(&tiles[2], i ? 32 : 64);
    }
    vkDestroyFramebuffer(t.device, framebuffer, NULL);
    vkt_image_destroy(&t, &color);
    vkt_image_destroy(&t, &depth);
    vkt_device_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(formats_have_64_bits_of_features, vkt_check_messages),
        cmocka_unit_test_teardown(clocks_are_read_together, vkt_check_messages),
        cmocka_unit_test_teardown(the_devices_clock_is_that_of_queries, vkt_check_messages),
        cmocka_unit_test_teardown(images_are_not_compressed, vkt_check_messages),
        cmocka_unit_test_teardown(priorities_are_hints, vkt_check_messages),
        cmocka_unit_test_teardown(tiles_depend_on_samples, vkt_check_messages),
#ifdef VK_KHR_calibrated_timestamps
        cmocka_unit_test_teardown(clocks_have_later_names, vkt_check_messages),
#endif
#ifdef VK_KHR_map_memory2
        cmocka_unit_test_teardown(memory_is_mapped_by_structs, vkt_check_messages),
#endif
    };
    return cmocka_run_group_tests_name("api_device_extensions", tests, open_device, close_device);
}
