/* SPDX-License-Identifier: MIT
 *
 * See vkt_present.h.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt_present.h"

#define MAX_FRAMES 20000u /* a present must have failed by then */

/* -- device ------------------------------------------------------------------------------------------------------- */

static void create_sync(struct vkt_present *p)
{
    const VkSemaphoreCreateInfo semaphore_info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    vkt_ok(vkCreateSemaphore(p->device, &semaphore_info, NULL, &p->acquired));
    vkt_ok(vkCreateSemaphore(p->device, &semaphore_info, NULL, &p->rendered));
    const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    vkt_ok(vkCreateFence(p->device, &fence_info, NULL, &p->fence));
}

void vkt_present_open(struct vkt_present *p, const char *const *platforms, uint32_t platform_count)
{
    const char *icd = getenv("VKT_TESTED_ICD");
    if (icd)
        setenv("VK_ICD_FILENAMES", icd, 1);
    const char *instance_extensions[16] = {VK_KHR_SURFACE_EXTENSION_NAME,
                                           VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME,
                                           VK_KHR_DEVICE_GROUP_CREATION_EXTENSION_NAME,
                                           VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME,
                                           VK_KHR_SURFACE_PROTECTED_CAPABILITIES_EXTENSION_NAME,
                                           VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME,
                                           VK_EXT_SURFACE_MAINTENANCE_1_EXTENSION_NAME};
    uint32_t extension_count = 7;
    bool has_control = false;
    for (uint32_t i = 0; i < platform_count; i++) {
        instance_extensions[extension_count++] = platforms[i];
        has_control |= !strcmp(platforms[i], VK_EXT_DISPLAY_SURFACE_COUNTER_EXTENSION_NAME);
    }
    const char *const device_extensions[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME,
                                             VK_KHR_DEVICE_GROUP_EXTENSION_NAME,
                                             VK_KHR_BIND_MEMORY_2_EXTENSION_NAME,
                                             VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME,
                                             VK_KHR_INCREMENTAL_PRESENT_EXTENSION_NAME,
                                             VK_KHR_MAINTENANCE2_EXTENSION_NAME,
                                             VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME,
                                             VK_KHR_PRESENT_ID_EXTENSION_NAME,
                                             VK_KHR_PRESENT_WAIT_EXTENSION_NAME,
                                             VK_EXT_SWAPCHAIN_MAINTENANCE_1_EXTENSION_NAME,
                                             VK_EXT_DISPLAY_CONTROL_EXTENSION_NAME}; /* the last one is optional */
    const VkInstanceCreateInfo instance_info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .enabledExtensionCount = extension_count,
        .ppEnabledExtensionNames = instance_extensions,
    };
    vkt_check_leaks_at_exit();
    vkt_ok(vkCreateInstance(&instance_info, NULL, &p->instance));
    uint32_t count = 1;
    vkt_ok(vkEnumeratePhysicalDevices(p->instance, &count, &p->physical));
    const float priorities[2] = {1, 1};
    const VkPhysicalDeviceFeatures features = {.shaderStorageImageReadWithoutFormat = VK_TRUE,
                                               .shaderSampledImageArrayDynamicIndexing = VK_TRUE};
    VkPhysicalDevicePresentIdFeaturesKHR ids = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR,
                                                .presentId = VK_TRUE};
    VkPhysicalDevicePresentWaitFeaturesKHR waits = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR, .pNext = &ids, .presentWait = VK_TRUE};
    VkPhysicalDeviceSwapchainMaintenance1FeaturesEXT maintenance = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT,
        .pNext = &waits,
        .swapchainMaintenance1 = VK_TRUE};
    const VkDeviceQueueCreateInfo queue_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 2, .pQueuePriorities = priorities};
    const VkDeviceCreateInfo device_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &maintenance,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue_info,
        .enabledExtensionCount = VKT_COUNT(device_extensions) - !has_control,
        .ppEnabledExtensionNames = device_extensions,
        .pEnabledFeatures = &features,
    };
    vkt_ok(vkCreateDevice(p->physical, &device_info, NULL, &p->device));
    vkt_keep_libraries();
    vkGetDeviceQueue(p->device, 0, 0, &p->queue);
    vkGetDeviceQueue(p->device, 0, 1, &p->other_queue);
    create_sync(p);
}

struct vkt_present vkt_present_for_thread(const struct vkt_present *p)
{
    struct vkt_present beside = *p;
    beside.queue = p->other_queue;
    create_sync(&beside);
    return beside;
}

void vkt_present_destroy_sync(struct vkt_present *p)
{
    vkDestroyFence(p->device, p->fence, NULL);
    vkDestroySemaphore(p->device, p->rendered, NULL);
    vkDestroySemaphore(p->device, p->acquired, NULL);
}

void vkt_present_close(struct vkt_present *p)
{
    vkt_present_destroy_sync(p);
    vkDestroyDevice(p->device, NULL);
    vkDestroyInstance(p->instance, NULL);
}

/* -- swapchains --------------------------------------------------------------------------------------------------- */

VkSwapchainCreateInfoKHR vkt_swapchain_info(VkSurfaceKHR surface, VkPresentModeKHR mode)
{
    return (VkSwapchainCreateInfoKHR){
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .surface = surface,
        .minImageCount = 3,
        .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
        .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
        .imageExtent = {VKT_PRESENT_WIDTH, VKT_PRESENT_HEIGHT},
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
        .presentMode = mode,
        .clipped = VK_TRUE,
    };
}

VkResult vkt_try_swapchain(const struct vkt_present *p, VkSurfaceKHR surface, VkPresentModeKHR mode, VkSwapchainKHR old,
                           VkSwapchainKHR *out)
{
    VkSwapchainCreateInfoKHR info = vkt_swapchain_info(surface, mode);
    info.oldSwapchain = old;
    return vkCreateSwapchainKHR(p->device, &info, NULL, out);
}

VkSwapchainKHR vkt_make_swapchain(const struct vkt_present *p, VkSurfaceKHR surface, VkPresentModeKHR mode)
{
    VkSwapchainKHR swapchain;
    vkt_ok(vkt_try_swapchain(p, surface, mode, VK_NULL_HANDLE, &swapchain));
    return swapchain;
}

VkResult vkt_present_image(const struct vkt_present *p, VkSwapchainKHR swapchain, uint32_t image, VkSemaphore wait,
                           const VkPresentRegionKHR *region)
{
    const VkPresentRegionsKHR regions = {
        .sType = VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR, .swapchainCount = 1, .pRegions = region};
    const VkPresentInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
        .pNext = region ? &regions : NULL,
        .waitSemaphoreCount = wait != VK_NULL_HANDLE,
        .pWaitSemaphores = &wait,
        .swapchainCount = 1,
        .pSwapchains = &swapchain,
        .pImageIndices = &image,
    };
    return vkQueuePresentKHR(p->queue, &info);
}

/* Uses cmds[image * stride]: `stride` is 1, or 0 for one command buffer for all images. */
static VkResult present_frame(const struct vkt_present *p, VkSwapchainKHR swapchain, const VkCommandBuffer *cmds,
                              uint32_t stride, const VkPresentRegionKHR *region)
{
    uint32_t image;
    VkResult acquired =
        vkAcquireNextImageKHR(p->device, swapchain, UINT64_C(5000000000), p->acquired, VK_NULL_HANDLE, &image);
    if (acquired != VK_SUCCESS && acquired != VK_SUBOPTIMAL_KHR)
        return acquired;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .waitSemaphoreCount = 1,
        .pWaitSemaphores = &p->acquired,
        .pWaitDstStageMask = &stage,
        .commandBufferCount = cmds[image * stride] != VK_NULL_HANDLE,
        .pCommandBuffers = &cmds[image * stride],
        .signalSemaphoreCount = 1,
        .pSignalSemaphores = &p->rendered,
    };
    vkt_ok(vkQueueSubmit(p->queue, 1, &submit, VK_NULL_HANDLE));
    VkResult presented = vkt_present_image(p, swapchain, image, p->rendered, region);
    return presented != VK_SUCCESS ? presented : acquired;
}

VkResult vkt_present_frame(const struct vkt_present *p, VkSwapchainKHR swapchain, VkCommandBuffer cmd,
                           const VkPresentRegionKHR *region)
{
    return present_frame(p, swapchain, &cmd, 0, region);
}

VkResult vkt_present_frame_of(const struct vkt_present *p, VkSwapchainKHR swapchain, const VkCommandBuffer *cmds,
                              const VkPresentRegionKHR *region)
{
    return present_frame(p, swapchain, cmds, 1, region);
}

VkResult vkt_present_until_failure(const struct vkt_present *p, VkSwapchainKHR swapchain)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < MAX_FRAMES && result == VK_SUCCESS; i++)
        result = vkt_present_frame(p, swapchain, VK_NULL_HANDLE, NULL);
    return result;
}

/* -- frames of one colour ----------------------------------------------------------------------------------------- */

static VkRenderPass make_pass(const struct vkt_present *p, VkFormat format)
{
    const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkRenderPassCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &(VkAttachmentDescription){.format = format,
                                                   .samples = VK_SAMPLE_COUNT_1_BIT,
                                                   .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                   .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                   .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                                   .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                                   .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                                   .finalLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR},
        .subpassCount = 1,
        .pSubpasses = &(VkSubpassDescription){.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                              .colorAttachmentCount = 1,
                                              .pColorAttachments = &reference},
    };
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(p->device, &info, NULL, &pass));
    return pass;
}

static void record_clear(const struct vkt_present *p, VkImage image, VkFormat format, struct vkt_present_clears *c,
                         uint32_t index)
{
    const VkImageViewCreateInfo view_info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = format,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    vkt_ok(vkCreateImageView(p->device, &view_info, NULL, &c->views[index]));
    const VkFramebufferCreateInfo framebuffer_info = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
        .renderPass = c->pass,
        .attachmentCount = 1,
        .pAttachments = &c->views[index],
        .width = VKT_PRESENT_WIDTH,
        .height = VKT_PRESENT_HEIGHT,
        .layers = 1,
    };
    vkt_ok(vkCreateFramebuffer(p->device, &framebuffer_info, NULL, &c->framebuffers[index]));
    const VkCommandBufferAllocateInfo alloc_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = c->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VkCommandBuffer cmd;
    vkt_ok(vkAllocateCommandBuffers(p->device, &alloc_info, &cmd));
    const VkCommandBufferBeginInfo begin_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    vkt_ok(vkBeginCommandBuffer(cmd, &begin_info));
    const bool is_srgb = format == VK_FORMAT_B8G8R8A8_SRGB; /* both give the bytes 255, 51, 102 */
    const VkClearValue clear = {.color = {.float32 = {1.0f, is_srgb ? 0.0331f : 0.2f, is_srgb ? 0.1329f : 0.4f, 1.0f}}};
    const VkRenderPassBeginInfo pass_info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = c->pass,
        .framebuffer = c->framebuffers[index],
        .renderArea = {{0, 0}, {VKT_PRESENT_WIDTH, VKT_PRESENT_HEIGHT}},
        .clearValueCount = 1,
        .pClearValues = &clear,
    };
    vkCmdBeginRenderPass(cmd, &pass_info, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdEndRenderPass(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    c->cmds[index] = cmd;
}

void vkt_present_record_clears(const struct vkt_present *p, const VkImage images[3], VkFormat format,
                               struct vkt_present_clears *out)
{
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    vkt_ok(vkCreateCommandPool(p->device, &pool_info, NULL, &out->pool));
    out->pass = make_pass(p, format);
    for (uint32_t i = 0; i < 3; i++)
        record_clear(p, images[i], format, out, i);
}

void vkt_present_destroy_clears(const struct vkt_present *p, struct vkt_present_clears *clears)
{
    for (uint32_t i = 0; i < 3; i++) {
        vkDestroyFramebuffer(p->device, clears->framebuffers[i], NULL);
        vkDestroyImageView(p->device, clears->views[i], NULL);
    }
    vkDestroyCommandPool(p->device, clears->pool, NULL);
    vkDestroyRenderPass(p->device, clears->pass, NULL);
}

static VkImageMemoryBarrier transition(VkImage image, VkImageLayout from, VkImageLayout to)
{
    return (VkImageMemoryBarrier){
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .oldLayout = from,
        .newLayout = to,
        .image = image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
}

void vkt_present_record_copy(VkCommandBuffer cmd, VkBuffer pixels, VkImage image, VkExtent2D extent)
{
    const VkCommandBufferBeginInfo begin_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkImageLayout written = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {extent.width, extent.height, 1}};
    VkImageMemoryBarrier before = transition(image, VK_IMAGE_LAYOUT_UNDEFINED, written);
    VkImageMemoryBarrier after = transition(image, written, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    before.dstAccessMask = after.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    vkt_ok(vkBeginCommandBuffer(cmd, &begin_info));
    /* Includes the stage at which the submission waits for the acquire semaphore. */
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &before);
    vkCmdCopyBufferToImage(cmd, pixels, image, written, 1, &copy);
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, NULL, 0, NULL,
                         1, &after);
    vkt_ok(vkEndCommandBuffer(cmd));
}

uint32_t vkt_present_count_wrong(const uint8_t *pixels, uint32_t count)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < count; i++)
        wrong += pixels[4 * i] != 102 || pixels[4 * i + 1] != 51 || pixels[4 * i + 2] != 255;
    return wrong;
}

/* -- nodes -------------------------------------------------------------------------------------------------------- */

bool vkt_present_node(char path[VKT_NODE_PATH])
{
    const char *kind = getenv("VC4VK_DEVICE");
    const bool is_drm = kind && !strcmp(kind, "drm");
    DIR *dir = is_drm ? opendir("/dev/dri") : NULL;
    for (const struct dirent *entry; dir && (entry = readdir(dir));)
        if (!strncmp(entry->d_name, "card", 4))
            snprintf(path, VKT_NODE_PATH, "/dev/dri/%s", entry->d_name);
    if (dir)
        closedir(dir);
    return is_drm;
}
