/* SPDX-License-Identifier: MIT
 *
 * The driver ignores whatever belongs to extensions that it does not report, as other drivers do: usage and creation
 * bits, structs in pNext chains, stages and accesses. Programs such as zink set them after they have asked for an
 * extension and gone on without it. Each unknown bit of a usage or creation flag is reported once to debug messengers.
 * What the driver refuses on purpose (sparse and protected resources) stays an error.
 *
 * The test runs without validation layers, because these calls are invalid by the letter of Vulkan.
 */
#include <stdio.h>
#include <string.h>
#include "vkt.h"

#define MAX_MESSAGES 256

static struct {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkDebugUtilsMessengerEXT messenger;
    uint32_t message_count;
    char messages[MAX_MESSAGES][160];
} t;

/* A structure type that no extension defines. */
static const VkBaseInStructure unknown_struct = {.sType = (VkStructureType)0x7ffffff0};

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    if (data->pMessageIdName && !strcmp(data->pMessageIdName, "vc4vk") && t.message_count < MAX_MESSAGES)
        snprintf(t.messages[t.message_count++], sizeof t.messages[0], "%s", data->pMessage);
    return VK_FALSE;
}

static int open_device(void **state)
{
    const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_KHR_SURFACE_EXTENSION_NAME,
                                      VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};
    const char *const device_extensions[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
    vkt_device(VKT_TESTED); /* selects the manifest */
    const VkInstanceCreateInfo instance = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = &unknown_struct,
        .pApplicationInfo =
            &(VkApplicationInfo){.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1},
        .enabledExtensionCount = VKT_COUNT(extensions),
        .ppEnabledExtensionNames = extensions,
    };
    vkt_ok(vkCreateInstance(&instance, NULL, &t.instance));
    const VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
        .pfnUserCallback = on_message,
    };
    vkt_ok(((PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(t.instance, "vkCreateDebugUtilsMessengerEXT"))(
        t.instance, &messenger, NULL, &t.messenger));
    uint32_t count = 1;
    assert_true(vkEnumeratePhysicalDevices(t.instance, &count, &t.physical) >= 0);
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .pNext = &unknown_struct,
                                           .queueCount = 1,
                                           .pQueuePriorities = &(float){1}};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &unknown_struct,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue,
                                       .enabledExtensionCount = VKT_COUNT(device_extensions),
                                       .ppEnabledExtensionNames = device_extensions};
    vkt_ok(vkCreateDevice(t.physical, &device, NULL, &t.device));
    vkGetDeviceQueue(t.device, 0, 0, &t.queue);
    vkt_ok(vkCreateCommandPool(
        t.device,
        &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .pNext = &unknown_struct}, NULL,
        &t.pool));
    return 0;
}

static int close_device(void **state)
{
    vkDestroyCommandPool(t.device, t.pool, NULL);
    vkDestroyDevice(t.device, NULL);
    ((PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(t.instance, "vkDestroyDebugUtilsMessengerEXT"))(
        t.instance, t.messenger, NULL);
    vkDestroyInstance(t.instance, NULL);
    return vkt_teardown(state);
}

/* Checks that exactly one message begins with "WHAT 0xBIT belongs to". */
static void expect_reported_once(const char *what, uint32_t bit)
{
    char begin[96];
    uint32_t times = 0;
    snprintf(begin, sizeof begin, "%s 0x%x belongs to", what, bit);
    for (uint32_t i = 0; i < t.message_count; i++)
        times += !strncmp(t.messages[i], begin, strlen(begin));
    if (times != 1)
        fail_msg("'%s...' was reported %u times, not once", begin, times);
}

/* ---------------------------------------------------------------- images */

#define PLAIN_USAGE (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT)
#define REFUSED_FLAGS                                                                                                  \
    (VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT |  \
     VK_IMAGE_CREATE_PROTECTED_BIT)
#define UNKNOWN_USAGE       0x40000000u
#define FIRST_UNKNOWN_USAGE 8 /* bits of Vulkan 1.1 lie below */
#define FIRST_UNKNOWN_FLAG  12
#ifdef VK_EXT_host_image_copy
#define HOST_TRANSFER_USAGE VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT
#else
#define HOST_TRANSFER_USAGE 0u
#endif

static VkImageCreateInfo image_info(VkImageUsageFlags usage, VkImageCreateFlags flags)
{
    return (VkImageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .flags = flags,
                               .imageType = VK_IMAGE_TYPE_2D,
                               .format = VK_FORMAT_R8G8B8A8_UNORM,
                               .extent = {100, 70, 1},
                               .mipLevels = 2,
                               .arrayLayers = 1,
                               .samples = VK_SAMPLE_COUNT_1_BIT,
                               .usage = usage};
}

static VkMemoryRequirements needs_of_image(const VkImageCreateInfo *info)
{
    VkImage image;
    VkMemoryRequirements needs;
    vkt_ok(vkCreateImage(t.device, info, NULL, &image));
    vkGetImageMemoryRequirements(t.device, image, &needs);
    vkDestroyImage(t.device, image, NULL);
    return needs;
}

static void expect_needs(const VkImageCreateInfo *info, const VkMemoryRequirements *expected)
{
    const VkMemoryRequirements needs = needs_of_image(info);
    assert_true(needs.size == expected->size && needs.alignment == expected->alignment);
    assert_int_equal(needs.memoryTypeBits, expected->memoryTypeBits);
}

static void expect_limits(VkImageUsageFlags usage, VkImageCreateFlags flags, const VkImageFormatProperties *expected)
{
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    VkImageFormatProperties got;
    vkt_ok(vkGetPhysicalDeviceImageFormatProperties(t.physical, format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                                                    usage, flags, &got));
    assert_memory_equal(&got, expected, sizeof got);
    VkBaseOutStructure unknown_out = {.sType = (VkStructureType)0x7ffffff1};
    VkImageFormatProperties2 got2 = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &unknown_out};
    const VkPhysicalDeviceImageFormatInfo2 info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                                   .pNext = &unknown_struct,
                                                   .format = format,
                                                   .type = VK_IMAGE_TYPE_2D,
                                                   .usage = usage,
                                                   .flags = flags};
    vkt_ok(vkGetPhysicalDeviceImageFormatProperties2(t.physical, &info, &got2));
    assert_memory_equal(&got2.imageFormatProperties, expected, sizeof *expected);
}

static void usages_of_images(void **state)
{
    VkImageFormatProperties limits;
    vkt_ok(vkGetPhysicalDeviceImageFormatProperties(t.physical, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D,
                                                    VK_IMAGE_TILING_OPTIMAL, PLAIN_USAGE, 0, &limits));
    VkImageCreateInfo info = image_info(PLAIN_USAGE, 0);
    const VkMemoryRequirements plain = needs_of_image(&info);
    for (uint32_t bit = FIRST_UNKNOWN_USAGE; bit < 32; bit++) {
        info.usage = PLAIN_USAGE | 1u << bit;
        expect_limits(info.usage, 0, &limits);
        for (int again = 0; again < 2; again++)
            expect_needs(&info, &plain);
        if (1u << bit != VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT && 1u << bit != HOST_TRANSFER_USAGE)
            expect_reported_once("image: usage", 1u << bit);
    }
    /* An unknown usage bit does not hide a known usage that the format lacks: E5B9G9R9 cannot be a storage image. */
    assert_int_equal(vkGetPhysicalDeviceImageFormatProperties(t.physical, VK_FORMAT_E5B9G9R9_UFLOAT_PACK32,
                                                              VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                                                              VK_IMAGE_USAGE_STORAGE_BIT | UNKNOWN_USAGE, 0, &limits),
                     VK_ERROR_FORMAT_NOT_SUPPORTED);
}

static void flags_of_images(void **state)
{
    VkImageFormatProperties limits, none;
    vkt_ok(vkGetPhysicalDeviceImageFormatProperties(t.physical, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D,
                                                    VK_IMAGE_TILING_OPTIMAL, PLAIN_USAGE, 0, &limits));
    VkImageCreateInfo info = image_info(PLAIN_USAGE, 0);
    const VkMemoryRequirements plain = needs_of_image(&info);
    for (uint32_t bit = FIRST_UNKNOWN_FLAG; bit < 32; bit++) {
        info.flags = 1u << bit;
        expect_limits(PLAIN_USAGE, info.flags, &limits);
        expect_needs(&info, &plain);
        if (1u << bit != VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT &&
            1u << bit != VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT)
            expect_reported_once("image: creation flag", 1u << bit);
    }
    VkPhysicalDeviceFeatures has;
    vkGetPhysicalDeviceFeatures(t.physical, &has);
    const VkImageCreateFlags sparse = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT;
    for (uint32_t bits = REFUSED_FLAGS; bits; bits &= bits - 1) {
        VkImage image;
        info.flags = bits & (~bits + 1);
        const bool is_supported = has.sparseBinding && (info.flags & sparse); /* but this device does not enable it */
        assert_int_equal(vkGetPhysicalDeviceImageFormatProperties(t.physical, VK_FORMAT_R8G8B8A8_UNORM,
                                                                  VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                                                                  PLAIN_USAGE, info.flags, &none),
                         is_supported ? VK_SUCCESS : VK_ERROR_FORMAT_NOT_SUPPORTED);
        assert_true(vkCreateImage(t.device, &info, NULL, &image) < 0);
    }
}

/* ---------------------------------------------------------------- buffers */

static void bits_of_buffers(void **state)
{
    VkBuffer buffer;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &unknown_struct, .size = 1000};
    for (uint32_t bit = 9; bit < 32; bit++) {
        if (1u << bit == VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT ||
            1u << bit == VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT ||
            1u << bit == VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT ||
            1u << bit == VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT ||
            1u << bit == VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT ||
            1u << bit == VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT ||
            1u << bit == VK_BUFFER_USAGE_PUSH_DESCRIPTORS_DESCRIPTOR_BUFFER_BIT_EXT)
            continue;
        info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | 1u << bit;
        vkt_ok(vkCreateBuffer(t.device, &info, NULL, &buffer));
        vkDestroyBuffer(t.device, buffer, NULL);
        expect_reported_once("buffer: usage", 1u << bit);
    }
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    for (uint32_t bit = 0; bit < 32; bit++) {
        const bool is_refused = bit < 4; /* protected; sparse, as the device does not enable it */
        VkPhysicalDeviceFeatures has;
        vkGetPhysicalDeviceFeatures(t.physical, &has);
        const bool is_unsupported = is_refused && (bit == 3 || !has.sparseBinding);
        VkPhysicalDeviceExternalBufferInfo external = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
                                                       .flags = 1u << bit,
                                                       .usage = info.usage,
                                                       .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
        VkExternalBufferProperties sharing = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
        vkGetPhysicalDeviceExternalBufferProperties(t.physical, &external, &sharing);
        assert_int_equal(!sharing.externalMemoryProperties.externalMemoryFeatures, is_unsupported);
        info.flags = 1u << bit;
        const VkResult result = vkCreateBuffer(t.device, &info, NULL, &buffer);
        assert_int_equal(result < 0, is_refused);
        if (is_refused)
            continue;
        vkDestroyBuffer(t.device, buffer, NULL);
        if (1u << bit != VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT)
            expect_reported_once("buffer: creation flag", 1u << bit);
    }
}

/* ---------------------------------------------------------------- swapchains */

static void bits_of_swapchains(void **state)
{
    VkSurfaceKHR surface;
    VkSwapchainKHR swapchain;
    const VkHeadlessSurfaceCreateInfoEXT headless = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    vkt_ok(((PFN_vkCreateHeadlessSurfaceEXT)vkGetInstanceProcAddr(t.instance, "vkCreateHeadlessSurfaceEXT"))(
        t.instance, &headless, NULL, &surface));
    VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                     .pNext = &unknown_struct,
                                     .surface = surface,
                                     .minImageCount = 2,
                                     .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
                                     .imageExtent = {64, 48},
                                     .imageArrayLayers = 1,
                                     .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
                                     .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                     .presentMode = VK_PRESENT_MODE_FIFO_KHR};
    for (uint32_t bit = FIRST_UNKNOWN_USAGE; bit < 32; bit++) {
        info.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | 1u << bit;
        vkt_ok(vkCreateSwapchainKHR(t.device, &info, NULL, &swapchain));
        vkDestroySwapchainKHR(t.device, swapchain, NULL);
    }
    info.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    for (uint32_t bit = 4; bit < 32; bit++) {
        info.flags = 1u << bit;
        vkt_ok(vkCreateSwapchainKHR(t.device, &info, NULL, &swapchain));
        vkDestroySwapchainKHR(t.device, swapchain, NULL);
        expect_reported_once("swapchain: creation flag", 1u << bit);
    }
    info.flags = VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR;
    assert_int_equal(vkCreateSwapchainKHR(t.device, &info, NULL, &swapchain), VK_ERROR_INITIALIZATION_FAILED);
    vkDestroySurfaceKHR(t.instance, surface, NULL);
}

/* ---------------------------------------------------------------- views and samplers */

static void bits_of_views_and_samplers(void **state)
{
    const VkImageCreateInfo image_wanted = image_info(PLAIN_USAGE | UNKNOWN_USAGE, 0);
    VkImage image;
    VkMemoryRequirements needs;
    VkDeviceMemory memory;
    vkt_ok(vkCreateImage(t.device, &image_wanted, NULL, &image));
    vkGetImageMemoryRequirements(t.device, image, &needs);
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, .pNext = &unknown_struct, .flags = 0x7ffffffe};
    vkt_ok(vkAllocateMemory(t.device,
                            &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                    .pNext = &flags,
                                                    .allocationSize = needs.size},
                            NULL, &memory));
    vkt_ok(vkBindImageMemory2(t.device, 1,
                              &(VkBindImageMemoryInfo){.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
                                                       .pNext = &unknown_struct,
                                                       .image = image,
                                                       .memory = memory}));
    const VkImageViewUsageCreateInfo usage = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
                                              .pNext = &unknown_struct,
                                              .usage = VK_IMAGE_USAGE_SAMPLED_BIT | UNKNOWN_USAGE};
    VkImageViewCreateInfo view_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                       .pNext = &usage,
                                       .image = image,
                                       .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                       .format = VK_FORMAT_R8G8B8A8_UNORM,
                                       .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 2, 0, 1}};
    VkSamplerCreateInfo sampler_info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .pNext = &unknown_struct};
    for (uint32_t bit = 0; bit < 32; bit++) {
        VkImageView view;
        VkSampler sampler;
        view_info.flags = sampler_info.flags = 1u << bit;
        vkt_ok(vkCreateImageView(t.device, &view_info, NULL, &view));
        vkDestroyImageView(t.device, view, NULL);
        expect_reported_once("image view: creation flag", 1u << bit);
        vkt_ok(vkCreateSampler(t.device, &sampler_info, NULL, &sampler));
        vkDestroySampler(t.device, sampler, NULL);
        if (1u << bit != VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT)
            expect_reported_once("sampler: creation flag", 1u << bit);
    }
    vkDestroyImage(t.device, image, NULL);
    vkFreeMemory(t.device, memory, NULL);
}

/* ---------------------------------------------------------------- queries */

/* The queries do not write to an unknown struct in the chain, and they fill the known struct behind it. */
static void structs_in_queries(void **state)
{
    struct {
        VkBaseOutStructure head;
        uint32_t words[8];
    } unknown = {.head = {.sType = (VkStructureType)0x7ffffff1}}, untouched;
    VkPhysicalDeviceMultiviewFeatures views = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES};
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    memset(unknown.words, 0x5a, sizeof unknown.words);

    unknown.head.pNext = (VkBaseOutStructure *)&views;
    untouched = unknown;
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &unknown};
    vkGetPhysicalDeviceFeatures2(t.physical, &features);
    assert_memory_equal(&unknown, &untouched, sizeof unknown);
    assert_true(views.multiview);

    unknown.head.pNext = (VkBaseOutStructure *)&subgroup;
    untouched = unknown;
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &unknown};
    vkGetPhysicalDeviceProperties2(t.physical, &properties);
    assert_memory_equal(&unknown, &untouched, sizeof unknown);
    assert_int_equal(subgroup.subgroupSize, 16);

    unknown.head.pNext = NULL;
    untouched = unknown;
    VkPhysicalDeviceMemoryProperties2 memory = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                                                .pNext = &unknown};
    vkGetPhysicalDeviceMemoryProperties2(t.physical, &memory);
    VkFormatProperties2 format = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &unknown};
    vkGetPhysicalDeviceFormatProperties2(t.physical, VK_FORMAT_R8G8B8A8_UNORM, &format);
    uint32_t count = 1;
    VkQueueFamilyProperties2 family = {.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2, .pNext = &unknown};
    vkGetPhysicalDeviceQueueFamilyProperties2(t.physical, &count, &family);
    assert_memory_equal(&unknown, &untouched, sizeof unknown);
    assert_true(memory.memoryProperties.memoryTypeCount && format.formatProperties.optimalTilingFeatures &&
                family.queueFamilyProperties.queueCount);
}

/* ---------------------------------------------------------------- stages, accesses, passes */

/* Two render passes whose operations, dependencies and barriers use values of later extensions. The first pass clears
 * its attachment; the second uses load and store operation NONE and must keep the contents. */
static void stages_accesses_and_operations(void **state)
{
    const uint32_t W = 64, H = 64;
    const VkImageCreateInfo wanted = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                      .imageType = VK_IMAGE_TYPE_2D,
                                      .format = VK_FORMAT_R8G8B8A8_UNORM,
                                      .extent = {W, H, 1},
                                      .mipLevels = 1,
                                      .arrayLayers = 1,
                                      .samples = VK_SAMPLE_COUNT_1_BIT,
                                      .tiling = VK_IMAGE_TILING_LINEAR,
                                      .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | UNKNOWN_USAGE};
    VkImage image;
    VkMemoryRequirements needs;
    VkDeviceMemory memory;
    VkImageView view;
    uint8_t *map;
    vkt_ok(vkCreateImage(t.device, &wanted, NULL, &image));
    vkGetImageMemoryRequirements(t.device, image, &needs);
    vkt_ok(vkAllocateMemory(
        t.device,
        &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size}, NULL,
        &memory));
    vkt_ok(vkBindImageMemory(t.device, image, memory, 0));
    vkt_ok(vkMapMemory(t.device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&map));
    vkt_ok(vkCreateImageView(t.device,
                             &(VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                                      .image = image,
                                                      .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                                      .format = VK_FORMAT_R8G8B8A8_UNORM,
                                                      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}},
                             NULL, &view));
    VkRenderPass passes[2];
    VkFramebuffer framebuffers[2];
    for (int is_second = 0; is_second < 2; is_second++) {
        const VkAttachmentDescription attachment = {
            .flags = 0x40000000,
            .format = VK_FORMAT_R8G8B8A8_UNORM,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = is_second ? (VkAttachmentLoadOp)1000400000 : VK_ATTACHMENT_LOAD_OP_CLEAR, /* LOAD_OP_NONE */
            .storeOp = is_second ? (VkAttachmentStoreOp)1000301000 : VK_ATTACHMENT_STORE_OP_STORE,
            .initialLayout = is_second ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED,
            .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
        const VkAttachmentReference reference = {0, (VkImageLayout)1000339000}; /* ATTACHMENT_FEEDBACK_LOOP */
        const VkSubpassDescription subpass = {
            .flags = 0x40000000, .colorAttachmentCount = 1, .pColorAttachments = &reference};
        const VkSubpassDependency dependency = {.srcSubpass = VK_SUBPASS_EXTERNAL,
                                                .dstSubpass = 0,
                                                .srcStageMask = 0x7f000000,
                                                .dstStageMask = 0x7f000000,
                                                .srcAccessMask = 0x7f000000,
                                                .dstAccessMask = 0x7f000000,
                                                .dependencyFlags = 0x8};
        const VkRenderPassCreateInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                             .pNext = &unknown_struct,
                                             .flags = 0x40000000,
                                             .attachmentCount = 1,
                                             .pAttachments = &attachment,
                                             .subpassCount = 1,
                                             .pSubpasses = &subpass,
                                             .dependencyCount = 1,
                                             .pDependencies = &dependency};
        vkt_ok(vkCreateRenderPass(t.device, &pass, NULL, &passes[is_second]));
        const VkFramebufferCreateInfo framebuffer = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                     .pNext = &unknown_struct,
                                                     .renderPass = passes[is_second],
                                                     .attachmentCount = 1,
                                                     .pAttachments = &view,
                                                     .width = W,
                                                     .height = H,
                                                     .layers = 1};
        vkt_ok(vkCreateFramebuffer(t.device, &framebuffer, NULL, &framebuffers[is_second]));
    }
    VkCommandBuffer cmd;
    vkt_ok(
        vkAllocateCommandBuffers(t.device,
                                 &(VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                                .pNext = &unknown_struct,
                                                                .commandPool = t.pool,
                                                                .commandBufferCount = 1},
                                 &cmd));
    vkt_ok(vkBeginCommandBuffer(cmd, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                                 .pNext = &unknown_struct}));
    const VkClearValue red = {.color = {.float32 = {1, 0, 0, 1}}};
    for (int is_second = 0; is_second < 2; is_second++) {
        const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                             .pNext = &unknown_struct,
                                             .renderPass = passes[is_second],
                                             .framebuffer = framebuffers[is_second],
                                             .renderArea = {.extent = {W, H}},
                                             .clearValueCount = 1,
                                             .pClearValues = &red};
        vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
        vkCmdEndRenderPass(cmd);
        const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                              .pNext = &unknown_struct,
                                              .srcAccessMask = 0x7f000000,
                                              .dstAccessMask = 0x7f000000,
                                              .oldLayout = (VkImageLayout)1000339000,
                                              .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                              .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                              .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                              .image = image,
                                              .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
        vkCmdPipelineBarrier(cmd, 0x7f000000, 0x7f000000, 0x8, 0, NULL, 0, NULL, 1, &barrier);
    }
    vkt_ok(vkEndCommandBuffer(cmd));
    vkt_ok(vkQueueSubmit(t.queue, 1,
                         &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                         .pNext = &unknown_struct,
                                         .commandBufferCount = 1,
                                         .pCommandBuffers = &cmd},
                         VK_NULL_HANDLE));
    vkt_ok(vkQueueWaitIdle(t.queue));
    VkSubresourceLayout layout;
    vkGetImageSubresourceLayout(t.device, image, &(VkImageSubresource){VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, &layout);
    for (uint32_t y = 0; y < H; y++) {
        const uint32_t *row = (const uint32_t *)(const void *)(map + layout.offset + y * layout.rowPitch);
        for (uint32_t x = 0; x < W; x++)
            assert_int_equal(row[x], 0xff0000ff);
    }
    for (int is_second = 0; is_second < 2; is_second++) {
        vkDestroyFramebuffer(t.device, framebuffers[is_second], NULL);
        vkDestroyRenderPass(t.device, passes[is_second], NULL);
    }
    vkDestroyImageView(t.device, view, NULL);
    vkDestroyImage(t.device, image, NULL);
    vkFreeMemory(t.device, memory, NULL);
}

/* ---------------------------------------------------------------- flags of other objects */

static void flags_of_other_objects(void **state)
{
    const VkFlags high = 0x40000000;
    VkFence fence;
    vkt_ok(vkCreateFence(
        t.device,
        &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .pNext = &unknown_struct, .flags = high},
        NULL, &fence));
    vkDestroyFence(t.device, fence, NULL);
    VkSemaphore semaphore;
    vkt_ok(vkCreateSemaphore(t.device,
                             &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                                      .pNext = &unknown_struct,
                                                      .flags = high},
                             NULL, &semaphore));
    vkDestroySemaphore(t.device, semaphore, NULL);
    VkEvent event;
    vkt_ok(vkCreateEvent(
        t.device,
        &(VkEventCreateInfo){.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, .pNext = &unknown_struct, .flags = high},
        NULL, &event));
    vkDestroyEvent(t.device, event, NULL);
    VkQueryPool queries;
    vkt_ok(vkCreateQueryPool(t.device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .pNext = &unknown_struct,
                                                      .flags = high,
                                                      .queryType = VK_QUERY_TYPE_OCCLUSION,
                                                      .queryCount = 1},
                             NULL, &queries));
    vkDestroyQueryPool(t.device, queries, NULL);
    VkPipelineCache cache;
    vkt_ok(vkCreatePipelineCache(t.device,
                                 &(VkPipelineCacheCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                                              .pNext = &unknown_struct,
                                                              .flags = high},
                                 NULL, &cache));
    vkDestroyPipelineCache(t.device, cache, NULL);
    VkCommandPool pool;
    vkt_ok(vkCreateCommandPool(
        t.device, &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = high}, NULL,
        &pool));
    vkt_ok(vkResetCommandPool(t.device, pool, high));
    vkDestroyCommandPool(t.device, pool, NULL);
    VkDescriptorSetLayout layout;
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_ALL, NULL};
    vkt_ok(vkCreateDescriptorSetLayout(
        t.device,
        &(VkDescriptorSetLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .pNext = &unknown_struct,
                                           .flags = high,
                                           .bindingCount = 1,
                                           .pBindings = &binding},
        NULL, &layout));
    VkDescriptorPool descriptors;
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1};
    vkt_ok(vkCreateDescriptorPool(t.device,
                                  &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                                .pNext = &unknown_struct,
                                                                .flags = high,
                                                                .maxSets = 1,
                                                                .poolSizeCount = 1,
                                                                .pPoolSizes = &size},
                                  NULL, &descriptors));
    vkDestroyDescriptorPool(t.device, descriptors, NULL);
    VkPipelineLayout pipeline_layout;
    vkt_ok(vkCreatePipelineLayout(t.device,
                                  &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                                .pNext = &unknown_struct,
                                                                .flags = high,
                                                                .setLayoutCount = 1,
                                                                .pSetLayouts = &layout},
                                  NULL, &pipeline_layout));
    vkDestroyPipelineLayout(t.device, pipeline_layout, NULL);
    vkDestroyDescriptorSetLayout(t.device, layout, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usages_of_images),
        cmocka_unit_test(flags_of_images),
        cmocka_unit_test(bits_of_buffers),
        cmocka_unit_test(bits_of_swapchains),
        cmocka_unit_test(bits_of_views_and_samplers),
        cmocka_unit_test(structs_in_queries),
        cmocka_unit_test(stages_accesses_and_operations),
        cmocka_unit_test(flags_of_other_objects),
    };
    return cmocka_run_group_tests_name("ignored", tests, open_device, close_device);
}
