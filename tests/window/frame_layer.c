/* SPDX-License-Identifier: MIT
 *
 * A Vulkan layer that writes one frame of a program to a file. FRAME_LAYER=N:OUT.png names the N-th vkQueuePresentKHR
 * of the process, counted from 1, and the file; a present to an older swapchain than the last is passed over for the
 * next one. The layer waits until the device is idle and copies the swapchain image before it passes the present on, so
 * the result does not depend on how or when the driver presents. It lists B8G8R8A8_UNORM first among a surface's
 * formats, so that programs which take the first one draw the same on drivers which list others first. For programs
 * with one device and four-byte formats, RGBA or BGRA.
 */
#include <png.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define EXPORT __attribute__((visibility("default")))

#define INSTANCE_CALLS(X)                                                                                              \
    X(CreateDevice)                                                                                                    \
    X(DestroyInstance)                                                                                                 \
    X(GetPhysicalDeviceMemoryProperties) X(GetPhysicalDeviceSurfaceFormatsKHR) X(GetPhysicalDeviceSurfaceFormats2KHR)
#define DEVICE_CALLS(X)                                                                                                \
    X(QueuePresentKHR)                                                                                                 \
    X(CreateSwapchainKHR)                                                                                              \
    X(GetSwapchainImagesKHR) X(DeviceWaitIdle) X(QueueSubmit) X(QueueWaitIdle) X(CreateCommandPool)                    \
        X(DestroyCommandPool) X(AllocateCommandBuffers) X(BeginCommandBuffer) X(EndCommandBuffer)                      \
            X(CmdPipelineBarrier) X(CmdCopyImageToBuffer) X(CreateBuffer) X(DestroyBuffer)                             \
                X(GetBufferMemoryRequirements) X(AllocateMemory) X(FreeMemory) X(BindBufferMemory) X(MapMemory)

#define FIELD(name) PFN_vk##name name;
static struct {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr GetDeviceProcAddr;
    PFN_vkSetDeviceLoaderData set_loader_data;
    INSTANCE_CALLS(FIELD)
    DEVICE_CALLS(FIELD)
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t family;
    VkSwapchainKHR swapchain; /* the last one */
    VkSwapchainCreateInfoKHR info;
    unsigned presents;
    bool is_done;
} layer;

static bool report(const char *what)
{
    fprintf(stderr, "frame_layer: %s\n", what);
    return false;
}

/* ---------------------------------------------------------------- the frame */

struct readback {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkCommandPool pool;
    const uint8_t *map;
};

static bool make_buffer(struct readback *r, VkDeviceSize size_B)
{
    VkPhysicalDeviceMemoryProperties types;
    VkMemoryRequirements needs;
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size_B, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    void *map;
    if (layer.CreateBuffer(layer.device, &info, NULL, &r->buffer))
        return report("cannot create the readback buffer");
    layer.GetBufferMemoryRequirements(layer.device, r->buffer, &needs);
    layer.GetPhysicalDeviceMemoryProperties(layer.physical, &types);
    uint32_t type = 0;
    while (type < types.memoryTypeCount &&
           !(needs.memoryTypeBits >> type & 1 && (types.memoryTypes[type].propertyFlags & wanted) == wanted))
        type++;
    const VkMemoryAllocateInfo memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size, .memoryTypeIndex = type};
    if (type == types.memoryTypeCount || layer.AllocateMemory(layer.device, &memory, NULL, &r->memory) ||
        layer.BindBufferMemory(layer.device, r->buffer, r->memory, 0) ||
        layer.MapMemory(layer.device, r->memory, 0, VK_WHOLE_SIZE, 0, &map))
        return report("cannot allocate host-visible memory for the readback buffer");
    r->map = map;
    return true;
}

static void record(VkCommandBuffer cmd, VkImage image, VkBuffer buffer)
{
    const VkExtent2D extent = layer.info.imageExtent;
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
                                    .oldLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
                                    .newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    layer.CmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0,
                             NULL, 1, &barrier);
    layer.CmdCopyImageToBuffer(cmd, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer, 1,
                               &(VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                                    .imageExtent = {extent.width, extent.height, 1}});
    barrier.oldLayout = barrier.newLayout;
    barrier.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT;
    layer.CmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                             NULL, 1, &barrier);
}

/* Once the device is idle the present's wait semaphores are signalled. The copy does not wait for them, so they stay
 * signalled for the present. */
static bool copy_frame(struct readback *r, VkQueue queue, VkImage image)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = layer.family};
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer cmd;
    if (layer.DeviceWaitIdle(layer.device) || layer.CreateCommandPool(layer.device, &pool, NULL, &r->pool))
        return report("cannot wait for the device or create a command pool");
    allocate.commandPool = r->pool;
    if (layer.AllocateCommandBuffers(layer.device, &allocate, &cmd) ||
        (layer.set_loader_data && layer.set_loader_data(layer.device, cmd)) || layer.BeginCommandBuffer(cmd, &begin))
        return report("cannot allocate or begin a command buffer");
    record(cmd, image, r->buffer);
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    if (layer.EndCommandBuffer(cmd) || layer.QueueSubmit(queue, 1, &submit, VK_NULL_HANDLE) ||
        layer.QueueWaitIdle(queue))
        return report("cannot copy the swapchain image");
    return true;
}

/* Writes to a temporary file and renames it, so that the named file is always complete. */
static bool write_frame(const char *path, const uint8_t *pixels)
{
    char part[4096];
    const VkExtent2D extent = layer.info.imageExtent;
    const VkFormat format = layer.info.imageFormat;
    const bool red_first = format == VK_FORMAT_R8G8B8A8_UNORM || format == VK_FORMAT_R8G8B8A8_SRGB;
    if (!red_first && format != VK_FORMAT_B8G8R8A8_UNORM && format != VK_FORMAT_B8G8R8A8_SRGB)
        return report("unsupported swapchain format: only 8-bit RGBA and BGRA can be written");
    uint8_t *rgb = malloc((size_t)extent.width * extent.height * 3);
    if (!rgb)
        return report("out of memory for the image");
    for (size_t i = 0; i < (size_t)extent.width * extent.height; i++)
        for (size_t c = 0; c < 3; c++)
            rgb[3 * i + c] = pixels[4 * i + (red_first ? c : 2 - c)];
    png_image png = {
        .version = PNG_IMAGE_VERSION, .width = extent.width, .height = extent.height, .format = PNG_FORMAT_RGB};
    const bool good = snprintf(part, sizeof part, "%s.part", path) < (int)sizeof part &&
                      png_image_write_to_file(&png, part, 0, rgb, 0, NULL) && !rename(part, path);
    free(rgb);
    return good || report(path);
}

static void save(VkQueue queue, uint32_t index, const char *path)
{
    VkImage images[16];
    uint32_t count = sizeof images / sizeof images[0];
    struct readback r = {0};
    const VkExtent2D extent = layer.info.imageExtent;
    layer.GetSwapchainImagesKHR(layer.device, layer.swapchain, &count, images);
    if (index < count && make_buffer(&r, (VkDeviceSize)extent.width * extent.height * 4) &&
        copy_frame(&r, queue, images[index]))
        write_frame(path, r.map);
    layer.DestroyCommandPool(layer.device, r.pool, NULL);
    layer.DestroyBuffer(layer.device, r.buffer, NULL);
    layer.FreeMemory(layer.device, r.memory, NULL);
}

/* ---------------------------------------------------------------- intercepted functions */

static VKAPI_ATTR VkResult VKAPI_CALL queue_present(VkQueue queue, const VkPresentInfoKHR *info)
{
    const char *wanted = getenv("FRAME_LAYER"), *path = wanted ? strchr(wanted, ':') : NULL;
    layer.presents++;
    if (path && !layer.is_done && strtoul(wanted, NULL, 10) <= layer.presents &&
        info->pSwapchains[0] == layer.swapchain) {
        layer.is_done = true;
        save(queue, info->pImageIndices[0], path + 1);
    }
    return layer.QueuePresentKHR(queue, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_swapchain(VkDevice device, const VkSwapchainCreateInfoKHR *info,
                                                       const VkAllocationCallbacks *allocator, VkSwapchainKHR *out)
{
    VkSwapchainCreateInfoKHR with_copies = *info;
    with_copies.imageUsage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    const VkResult result = layer.CreateSwapchainKHR(device, &with_copies, allocator, out);
    if (result == VK_SUCCESS) {
        layer.swapchain = *out;
        layer.info = with_copies;
    }
    return result;
}

static bool comes_first(VkSurfaceFormatKHR format)
{
    return format.format == VK_FORMAT_B8G8R8A8_UNORM && format.colorSpace == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_formats(VkPhysicalDevice physical, VkSurfaceKHR surface, uint32_t *count,
                                                  VkSurfaceFormatKHR *out)
{
    const VkResult result = layer.GetPhysicalDeviceSurfaceFormatsKHR(physical, surface, count, out);
    for (uint32_t i = 1; out && i < *count; i++)
        if (comes_first(out[i])) {
            const VkSurfaceFormatKHR first = out[0];
            out[0] = out[i];
            out[i] = first;
        }
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_formats2(VkPhysicalDevice physical,
                                                   const VkPhysicalDeviceSurfaceInfo2KHR *surface, uint32_t *count,
                                                   VkSurfaceFormat2KHR *out)
{
    const VkResult result = layer.GetPhysicalDeviceSurfaceFormats2KHR(physical, surface, count, out);
    for (uint32_t i = 1; out && i < *count; i++)
        if (comes_first(out[i].surfaceFormat)) {
            const VkSurfaceFormatKHR first = out[0].surfaceFormat;
            out[0].surfaceFormat = out[i].surfaceFormat;
            out[i].surfaceFormat = first;
        }
    return result;
}

/* Finds the loader's structure for this function in a pNext chain. NULL: there is none. */
static void *chain_link(const void *chain, VkStructureType type, VkLayerFunction function)
{
    for (const VkBaseInStructure *s = chain; s; s = s->pNext)
        if (s->sType == type && ((const VkLayerInstanceCreateInfo *)s)->function == function)
            return (void *)s;
    return NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkDevice *out)
{
    VkLayerDeviceCreateInfo *link =
        chain_link(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, VK_LAYER_LINK_INFO);
    const VkLayerDeviceCreateInfo *data =
        chain_link(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, VK_LOADER_DATA_CALLBACK);
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    layer.GetDeviceProcAddr = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    layer.CreateDevice =
        (PFN_vkCreateDevice)link->u.pLayerInfo->pfnNextGetInstanceProcAddr(layer.instance, "vkCreateDevice");
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const VkResult result = layer.CreateDevice(physical, info, allocator, out);
    if (result)
        return result;
#define LOAD(name) layer.name = (PFN_vk##name)layer.GetDeviceProcAddr(*out, "vk" #name);
    DEVICE_CALLS(LOAD)
#undef LOAD
    layer.set_loader_data = data ? data->u.pfnSetDeviceLoaderData : NULL;
    layer.physical = physical;
    layer.device = *out;
    layer.family = info->queueCreateInfoCount ? info->pQueueCreateInfos[0].queueFamilyIndex : 0;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator, VkInstance *out)
{
    VkLayerInstanceCreateInfo *link =
        chain_link(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, VK_LAYER_LINK_INFO);
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    layer.GetInstanceProcAddr = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)layer.GetInstanceProcAddr(NULL, "vkCreateInstance");
    const VkResult result = create(info, allocator, out);
    if (result)
        return result;
    layer.instance = *out;
#define LOAD(name) layer.name = (PFN_vk##name)layer.GetInstanceProcAddr(*out, "vk" #name);
    INSTANCE_CALLS(LOAD)
#undef LOAD
    return VK_SUCCESS;
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL frame_layer_device_proc(VkDevice device, const char *name);
EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL frame_layer_instance_proc(VkInstance instance, const char *name);

static PFN_vkVoidFunction intercepted(const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } all[] = {
        {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
        {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
        {"vkCreateSwapchainKHR", (PFN_vkVoidFunction)create_swapchain},
        {"vkQueuePresentKHR", (PFN_vkVoidFunction)queue_present},
        {"vkGetPhysicalDeviceSurfaceFormatsKHR", (PFN_vkVoidFunction)get_formats},
        {"vkGetPhysicalDeviceSurfaceFormats2KHR", (PFN_vkVoidFunction)get_formats2},
        {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)frame_layer_instance_proc},
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)frame_layer_device_proc},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!strcmp(name, all[i].name))
            return all[i].function;
    return NULL;
}

PFN_vkVoidFunction frame_layer_device_proc(VkDevice device, const char *name)
{
    PFN_vkVoidFunction function = intercepted(name);
    return function ? function : layer.GetDeviceProcAddr(device, name);
}

PFN_vkVoidFunction frame_layer_instance_proc(VkInstance instance, const char *name)
{
    PFN_vkVoidFunction function = intercepted(name), next = NULL;
    if (layer.GetInstanceProcAddr)
        next = layer.GetInstanceProcAddr(instance, name);
    /* A function of an extension that is not enabled stays absent. */
    const bool is_absent = !next && strstr(name, "SurfaceFormats");
    return function && !is_absent ? function : next;
}
