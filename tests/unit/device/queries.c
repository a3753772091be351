/* SPDX-License-Identifier: MIT
 *
 * Entry points and physical-device queries: every Vulkan 1.0 command is found, count arguments may be too small,
 * unknown structs in a pNext chain are left untouched, and the reported limits are consistent.
 */
#include <stdlib.h>
#include <string.h>
#include "device/vc4vk_dispatch.h"
#include "device/vc4vk_physical_device.h"
#include "device/vc4vk_test_hooks.h"
#include "harness.h"
#include "util/debug.h"

PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name);
PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name);
VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);

static void loader_interface(void **state)
{
    uint32_t version = 1;
    assert_int_equal(vk_icdNegotiateLoaderICDInterfaceVersion(&version), VK_ERROR_INCOMPATIBLE_DRIVER);
    for (uint32_t asked = 2; asked < 9; asked++) {
        version = asked;
        assert_int_equal(vk_icdNegotiateLoaderICDInterfaceVersion(&version), VK_SUCCESS);
        assert_int_equal(version, MIN2(asked, 5));
    }
}

static void names(void **state)
{
    const struct harness *h = *state;
    uint32_t core = 0;
    for (uint32_t i = 0; i < vc4vk_entrypoint_count; i++) {
        const struct vc4vk_entrypoint *e = &vc4vk_entrypoints[i];
        if (i)
            assert_true(strcmp(vc4vk_entrypoints[i - 1].name, e->name) < 0);
        const bool is_global = e->level == VC4VK_LEVEL_GLOBAL;
        const bool is_later = e->gate == VC4VK_GATE_CORE && e->gate_keys[0] > 0;
        const bool is_core = e->gate == VC4VK_GATE_CORE && !is_later;
        core += is_core;
        assert_non_null(e->function);
        assert_true((vc4vk_GetInstanceProcAddr(NULL, e->name) != NULL) == is_global);
        if (is_core)
            assert_ptr_equal(vc4vk_GetInstanceProcAddr(h->instance, e->name), e->function);
        if (is_core)
            assert_true((vc4vk_GetDeviceProcAddr(h->device, e->name) != NULL) == (e->level == VC4VK_LEVEL_DEVICE));
        assert_true((vk_icdGetPhysicalDeviceProcAddr(h->instance, e->name) != NULL) ==
                    (e->level == VC4VK_LEVEL_PHYSICAL_DEVICE && e->gate != VC4VK_GATE_INSTANCE && !is_later));
    }
    assert_int_equal(core, 137); /* commands of Vulkan 1.0 */
    assert_null(vk_icdGetInstanceProcAddr(h->instance, "vkNoSuchThing"));
    assert_null(vk_icdGetInstanceProcAddr(h->instance, "vkTrimCommandPool")); /* 1.1 */
    assert_null(vc4vk_GetDeviceProcAddr(h->device, "vkCreateSwapchainKHR"));  /* not enabled */
    assert_null(vc4vk_GetInstanceProcAddr(h->instance, "vkGetPhysicalDeviceProperties2KHR"));
}

static void names_of_version(const struct harness *h, uint32_t minor, uint32_t expected_count)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_MAKE_API_VERSION(0, 1, minor, 0)};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    uint32_t version, count = 0;
    VkInstance instance;
    assert_int_equal(vc4vk_EnumerateInstanceVersion(&version), VK_SUCCESS);
    assert_int_equal(vc4vk_CreateInstance(&info, NULL, &instance), VK_SUCCESS);
    for (uint32_t i = 0; i < vc4vk_entrypoint_count; i++) {
        const struct vc4vk_entrypoint *e = &vc4vk_entrypoints[i];
        if (e->gate != VC4VK_GATE_CORE || e->level == VC4VK_LEVEL_GLOBAL || !e->gate_keys[0])
            continue;
        count += e->gate_keys[0] == minor;
        assert_null(vc4vk_GetInstanceProcAddr(h->instance, e->name));
        assert_null(vc4vk_GetDeviceProcAddr(h->device, e->name));
        assert_true((vc4vk_GetInstanceProcAddr(instance, e->name) != NULL) ==
                    (e->gate_keys[0] <= MIN2(VK_API_VERSION_MINOR(version), minor)));
    }
    assert_int_equal(count, expected_count);
    vc4vk_DestroyInstance(instance, NULL);
}

/* An instance finds the commands that its version and earlier ones have promoted by their core names; an instance of
 * 1.0 finds none. */
static void names_of_later_versions(void **state)
{
    names_of_version(*state, 1, 27);
    names_of_version(*state, 2, 13);
    names_of_version(*state, 3, 37);
}

static void extensions(void **state)
{
    const struct harness *h = *state;
    uint32_t count = 0, all;
    VkExtensionProperties properties[32];
    assert_int_equal(vc4vk_EnumerateInstanceExtensionProperties(NULL, &count, NULL), VK_SUCCESS);
    assert_in_range(count, 1, ARRAY_SIZE(properties));
    all = count;
    assert_int_equal(vc4vk_EnumerateInstanceExtensionProperties(NULL, &count, properties), VK_SUCCESS);
    assert_int_equal(count, all);
    count = 0;
    assert_int_equal(vc4vk_EnumerateInstanceExtensionProperties(NULL, &count, properties), VK_INCOMPLETE);
    assert_int_equal(vc4vk_EnumerateInstanceExtensionProperties("VK_LAYER_x", &count, NULL),
                     VK_ERROR_LAYER_NOT_PRESENT);

    const char *names_wanted[] = {"VK_KHR_get_physical_device_properties2", "VK_NO_such"};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .enabledExtensionCount = 1,
                                 .ppEnabledExtensionNames = names_wanted};
    VkInstance instance;
    assert_int_equal(vc4vk_CreateInstance(&info, NULL, &instance), VK_SUCCESS);
    assert_non_null(vc4vk_GetInstanceProcAddr(instance, "vkGetPhysicalDeviceProperties2KHR"));
    vc4vk_DestroyInstance(instance, NULL);
    info.enabledExtensionCount = 2;
    assert_int_equal(vc4vk_CreateInstance(&info, NULL, &instance), VK_ERROR_EXTENSION_NOT_PRESENT);
    const VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                            .enabledExtensionCount = 1,
                                            .ppEnabledExtensionNames = &names_wanted[1]};
    VkDevice device;
    assert_int_equal(vc4vk_CreateDevice(h->physical, &device_info, NULL, &device), VK_ERROR_EXTENSION_NOT_PRESENT);
}

static bool has_extension(VkPhysicalDevice physical, const char *name)
{
    VkExtensionProperties properties[256];
    uint32_t count = ARRAY_SIZE(properties);
    bool has = false;
    assert_int_equal(vc4vk_EnumerateDeviceExtensionProperties(physical, NULL, &count, properties), VK_SUCCESS);
    for (uint32_t i = 0; i < count; i++)
        has |= !strcmp(properties[i].extensionName, name);
    return has;
}

/* Where the kernel has no dma-bufs, they are not reported. Where it has them, the device supports them for buffers and
 * for linear images, with a DRM format modifier or without. */
static void dma_bufs_are_the_kernels(void **state)
{
    const struct harness *h = *state;
    struct kmd_info *kmd = &vc4vk_physical_device_from_handle(h->physical)->kmd.info;
    const VkPhysicalDeviceExternalBufferInfo info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
                                                     .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT};
    const VkPhysicalDeviceExternalImageFormatInfo external = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO, .handleType = info.handleType};
    VkPhysicalDeviceImageFormatInfo2 image = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                              .pNext = &external,
                                              .format = VK_FORMAT_R8G8B8A8_UNORM,
                                              .type = VK_IMAGE_TYPE_2D,
                                              .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    VkImageFormatProperties2 limits = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
    const char *name = VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME;
    const bool had = kmd->has_dma_bufs; /* a machine may have /dev/udmabuf */
    for (int has = 0; has < 2; has++) {
        VkExternalBufferProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
        kmd->has_dma_bufs = has;
        assert_int_equal(has_extension(h->physical, name), has);
        assert_int_equal(has_extension(h->physical, VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME), has);
        vc4vk_GetPhysicalDeviceExternalBufferPropertiesKHR(h->physical, &info, &properties);
        assert_int_equal(properties.externalMemoryProperties.externalMemoryFeatures != 0, has);
        image.tiling = VK_IMAGE_TILING_LINEAR;
        assert_int_equal(vc4vk_GetPhysicalDeviceImageFormatProperties2KHR(h->physical, &image, &limits),
                         has ? VK_SUCCESS : VK_ERROR_FORMAT_NOT_SUPPORTED);
        image.tiling = VK_IMAGE_TILING_OPTIMAL;
        assert_int_equal(vc4vk_GetPhysicalDeviceImageFormatProperties2KHR(h->physical, &image, &limits),
                         VK_ERROR_FORMAT_NOT_SUPPORTED);
        VkMemoryFdPropertiesKHR memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR, .memoryTypeBits = 1};
        assert_int_equal(vc4vk_GetMemoryFdPropertiesKHR(h->device, info.handleType, 0, &memory),
                         VK_ERROR_INVALID_EXTERNAL_HANDLE); /* standard input is not a dma-buf */
        assert_int_equal(memory.memoryTypeBits, 0);
    }
    kmd->has_dma_bufs = had;
}

/* Enables each feature alone: device creation must refuse the features that are not reported. */
static void features_are_checked(void **state)
{
    const struct harness *h = *state;
    VkPhysicalDeviceFeatures has, wants;
    vc4vk_GetPhysicalDeviceFeatures(h->physical, &has);
    for (uint32_t i = 0; i < sizeof has / sizeof(VkBool32); i++) {
        memset(&wants, 0, sizeof wants);
        ((VkBool32 *)&wants)[i] = VK_TRUE;
        const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pEnabledFeatures = &wants};
        VkDevice device;
        VkResult result = vc4vk_CreateDevice(h->physical, &info, NULL, &device);
        assert_int_equal(result, ((VkBool32 *)&has)[i] ? VK_SUCCESS : VK_ERROR_FEATURE_NOT_PRESENT);
        if (result == VK_SUCCESS)
            vc4vk_DestroyDevice(device, NULL);
    }
}

static void chains(void **state)
{
    const struct harness *h = *state;
    VkPhysicalDeviceMemoryProperties2 foreign = {.sType = (VkStructureType)0x3fffffff};
    VkPhysicalDeviceMemoryProperties2 before = foreign;
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, .pNext = &foreign};
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                                               .pNext = &id};
    VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &driver};
    vc4vk_GetPhysicalDeviceProperties2KHR(h->physical, &p);
    assert_memory_equal(&foreign, &before, sizeof foreign);
    assert_string_equal(driver.driverName, "vc4vk");
    assert_int_equal(driver.conformanceVersion.major, 0);
    static const uint8_t zeros[VK_UUID_SIZE];
    assert_memory_not_equal(id.driverUUID, zeros, VK_UUID_SIZE);
    assert_memory_not_equal(p.properties.pipelineCacheUUID, zeros, VK_UUID_SIZE);
    static const struct {
        const char *text;
        VkConformanceVersion version;
    } told[] = {{"1.3.8.2", {1, 3, 8, 2}}, {"1.3.8", {0}}, {"1.3.8.2.0", {0}}, {"yes", {0}}, {"", {0}}};
    for (uint32_t i = 0; i < ARRAY_SIZE(told); i++) {
        setenv("VC4VK_CONFORMANCE", told[i].text, 1);
        vc4vk_GetPhysicalDeviceProperties2KHR(h->physical, &p);
        assert_memory_equal(&driver.conformanceVersion, &told[i].version, sizeof driver.conformanceVersion);
        assert_non_null(strstr(driver.driverInfo, "non-conformant"));
    }
    unsetenv("VC4VK_CONFORMANCE");
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &foreign};
    vc4vk_GetPhysicalDeviceFeatures2KHR(h->physical, &features);
    assert_memory_equal(&foreign, &before, sizeof foreign);
}

static void memory_and_queues(void **state)
{
    const struct harness *h = *state;
    VkPhysicalDeviceMemoryProperties m;
    vc4vk_GetPhysicalDeviceMemoryProperties(h->physical, &m);
    const VkMemoryPropertyFlags all = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    assert_int_equal(m.memoryTypeCount, 2);
    assert_int_equal(m.memoryTypes[0].propertyFlags, all);
    assert_int_equal(m.memoryTypes[1].propertyFlags, all | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    assert_true(m.memoryHeaps[0].size >= 64u << 20);
    uint32_t count = 0;
    VkQueueFamilyProperties families[2] = {0};
    vc4vk_GetPhysicalDeviceQueueFamilyProperties(h->physical, &count, NULL);
    assert_int_equal(count, 2);
    count = 1; /* an array of one element */
    vc4vk_GetPhysicalDeviceQueueFamilyProperties(h->physical, &count, families);
    assert_int_equal(count, 1);
    assert_int_equal(families[1].queueCount, 0);
    count = 8;
    vc4vk_GetPhysicalDeviceQueueFamilyProperties(h->physical, &count, families);
    assert_int_equal(count, 2);
    VkPhysicalDeviceFeatures features;
    vc4vk_GetPhysicalDeviceFeatures(h->physical, &features);
    const VkQueueFlags sparse = features.sparseBinding ? VK_QUEUE_SPARSE_BINDING_BIT : 0;
    assert_int_equal(families[0].queueFlags,
                     VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT | sparse);
    assert_int_equal(families[1].queueFlags, VK_QUEUE_TRANSFER_BIT | sparse);
    count = 0;
    vc4vk_GetPhysicalDeviceQueueFamilyProperties(h->physical, &count, families);
    assert_int_equal(count, 0);
}

static void limits_hang_together(void **state)
{
    VkPhysicalDeviceLimits l;
    vc4vk_fill_limits(&l);
    assert_true(l.maxPerStageResources <= 512); /* VC4C_MAX_RESOURCES */
    assert_true(l.maxPerStageDescriptorUniformBuffers + l.maxPerStageDescriptorStorageBuffers <= 512); /* _BUFFERS */
    assert_true(l.maxPerStageDescriptorSamplers <= l.maxDescriptorSetSamplers);
    assert_true(l.maxPerStageDescriptorUniformBuffers <= l.maxDescriptorSetUniformBuffers);
    assert_true(l.maxPerStageDescriptorSampledImages <= l.maxDescriptorSetSampledImages);
    assert_true(l.maxColorAttachments == l.maxFragmentOutputAttachments);
    assert_true(l.maxViewportDimensions[0] >= l.maxFramebufferWidth);
    assert_true(util_is_pow2(l.minMemoryMapAlignment) && util_is_pow2(l.minUniformBufferOffsetAlignment));
    assert_true(l.framebufferColorSampleCounts & VK_SAMPLE_COUNT_1_BIT);
}

/* An unsupported create call returns an error and sets the handle to VK_NULL_HANDLE. */
static void stand_ins(void **state)
{
    const struct harness *h = *state;
    VkQueryPool pool = (VkQueryPool)(uintptr_t)1;
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS,
                                        .queryCount = 1};
    assert_int_equal(vc4vk_CreateQueryPool(h->device, &info, NULL, &pool), VK_ERROR_FEATURE_NOT_PRESENT);
    assert_true(pool == VK_NULL_HANDLE);
}

static void test_hooks(void **state)
{
    assert_null(vc4vk_test_hook_lookup("vk_test_nothing"));
    assert_null(vc4vk_test_hook_lookup("vkCreateImage"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loader_interface),
        cmocka_unit_test(names),
        cmocka_unit_test(extensions),
        cmocka_unit_test(names_of_later_versions),
        cmocka_unit_test(dma_bufs_are_the_kernels),
        cmocka_unit_test(features_are_checked),
        cmocka_unit_test(chains),
        cmocka_unit_test(memory_and_queues),
        cmocka_unit_test(limits_hang_together),
        cmocka_unit_test(stand_ins),
        cmocka_unit_test(test_hooks),
    };
    return cmocka_run_group_tests_name("queries", tests, harness_set_up, harness_tear_down);
}
