/* SPDX-License-Identifier: MIT
 *
 * Memory, images, render passes: allocation counts, image layouts, deep copies of render passes, and failure of every
 * host allocation.
 */
#include <stdlib.h>
#include "device/vc4vk_memory.h"
#include "device/vc4vk_physical_device.h"
#include "device/vc4vk_render_pass.h"
#include "harness.h"
#include "util/log.h"

static void memory_is_mapped_for_life(void **state)
{
    const struct harness *h = *state;
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 5000};
    VkDeviceMemory memory;
    void *map, *again;
    assert_int_equal(vc4vk_AllocateMemory(h->device, &info, NULL, &memory), VK_SUCCESS);
    assert_int_equal(vc4vk_MapMemory(h->device, memory, 0, VK_WHOLE_SIZE, 0, &map), VK_SUCCESS);
    memset(map, 0x5a, 5000);
    vc4vk_UnmapMemory(h->device, memory);
    assert_int_equal(vc4vk_MapMemory(h->device, memory, 100, 10, 0, &again), VK_SUCCESS);
    assert_ptr_equal(again, (char *)map + 100);
    assert_int_equal(*(uint8_t *)again, 0x5a);
    vc4vk_FreeMemory(h->device, memory, NULL);
    vc4vk_FreeMemory(h->device, VK_NULL_HANDLE, NULL);
}

static void too_large(void **state)
{
    const struct harness *h = *state;
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = UINT64_C(1) << 40};
    VkDeviceMemory memory;
    assert_int_equal(vc4vk_AllocateMemory(h->device, &info, NULL, &memory), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(atomic_load(&vc4vk_device_from_handle(h->device)->memory_count), 0);
}

/* The maximum number of allocations succeeds, and one more is refused. */
static void four_thousand_allocations(void **state)
{
    const struct harness *h = *state;
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 64};
    static VkDeviceMemory memory[VC4VK_MAX_ALLOCATIONS];
    VkDeviceMemory more;
    for (uint32_t i = 0; i < VC4VK_MAX_ALLOCATIONS; i++)
        assert_int_equal(vc4vk_AllocateMemory(h->device, &info, NULL, &memory[i]), VK_SUCCESS);
    assert_int_equal(vc4vk_AllocateMemory(h->device, &info, NULL, &more), VK_ERROR_TOO_MANY_OBJECTS);
    for (uint32_t i = 0; i < VC4VK_MAX_ALLOCATIONS; i++)
        vc4vk_FreeMemory(h->device, memory[i], NULL);
}

static VkImageCreateInfo image_info(uint32_t w, uint32_t h, VkImageTiling tiling)
{
    return (VkImageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .extent = {w, h, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = tiling,
        .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
    };
}

static void image_layouts(void **state)
{
    const struct harness *h = *state;
    VkImage image;
    VkSubresourceLayout layout;
    VkMemoryRequirements needs;
    VkImageCreateInfo info = image_info(37, 5, VK_IMAGE_TILING_LINEAR);
    assert_int_equal(vc4vk_CreateImage(h->device, &info, NULL, &image), VK_SUCCESS);
    vc4vk_GetImageSubresourceLayout(h->device, image, &(VkImageSubresource){VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, &layout);
    assert_int_equal(layout.rowPitch, 40 * 4); /* the pitch that the kernel computes from a width of 37 */
    assert_int_equal(layout.offset, 0);
    vc4vk_DestroyImage(h->device, image, NULL);

    info = image_info(500, 500, VK_IMAGE_TILING_OPTIMAL);
    assert_int_equal(vc4vk_CreateImage(h->device, &info, NULL, &image), VK_SUCCESS);
    vc4vk_GetImageMemoryRequirements(h->device, image, &needs);
    assert_int_equal(needs.alignment, 4096);
    assert_int_equal(needs.size, 512 * 512 * 4);
    const struct vc4vk_image_plane *plane = &vc4vk_image_from_handle(image)->planes[0];
    assert_int_equal(plane->layout.level[0].tiling, HW_TILING_T);
    assert_int_equal(vc4vk_image_job_width_px(plane, 0), 512);
    vc4vk_DestroyImage(h->device, image, NULL);

    info = image_info(16385, 1, VK_IMAGE_TILING_OPTIMAL);
    assert_int_equal(vc4vk_CreateImage(h->device, &info, NULL, &image), VK_ERROR_FORMAT_NOT_SUPPORTED);
    info = image_info(8, 8, VK_IMAGE_TILING_OPTIMAL);
    info.samples = VK_SAMPLE_COUNT_2_BIT;
    assert_int_equal(vc4vk_CreateImage(h->device, &info, NULL, &image), VK_ERROR_FORMAT_NOT_SUPPORTED);
}

/* An image at all limits can be created and queried, but not bound to enough memory. */
static void largest_image(void **state)
{
    const struct harness *h = *state;
    const VkMemoryAllocateInfo memory_info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 64};
    VkImage image;
    VkDeviceMemory memory;
    VkMemoryRequirements needs;
    VkImageCreateInfo info = image_info(4096, 4096, VK_IMAGE_TILING_OPTIMAL);
    info.arrayLayers = 256;
    assert_int_equal(vc4vk_CreateImage(h->device, &info, NULL, &image), VK_SUCCESS);
    vc4vk_GetImageMemoryRequirements(h->device, image, &needs);
    assert_true(needs.size == UINT64_C(1) << 34);
    assert_int_equal(vc4vk_AllocateMemory(h->device, &memory_info, NULL, &memory), VK_SUCCESS);
    assert_int_equal(vc4vk_BindImageMemory(h->device, image, memory, 0), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    vc4vk_FreeMemory(h->device, memory, NULL);
    vc4vk_DestroyImage(h->device, image, NULL);
}

/* Multisampled images have the format of a tile-buffer dump: 16 KiB per block of 32 x 32 pixels, and one plane per word
 * of a texel. */
static void several_samples(void **state)
{
    const struct harness *h = *state;
    VkImage image;
    VkMemoryRequirements needs;
    VkImageCreateInfo info = image_info(33, 32, VK_IMAGE_TILING_OPTIMAL);
    info.samples = VK_SAMPLE_COUNT_4_BIT;
    info.arrayLayers = 3;
    assert_int_equal(vc4vk_CreateImage(h->device, &info, NULL, &image), VK_SUCCESS);
    vc4vk_GetImageMemoryRequirements(h->device, image, &needs);
    assert_int_equal(needs.size, 3 * 2 * 16384);
    vc4vk_DestroyImage(h->device, image, NULL);

    info.format = VK_FORMAT_R32G32_UINT;
    assert_int_equal(vc4vk_CreateImage(h->device, &info, NULL, &image), VK_SUCCESS);
    vc4vk_GetImageMemoryRequirements(h->device, image, &needs);
    assert_int_equal(needs.size, 2 * 3 * 2 * 16384);
    vc4vk_DestroyImage(h->device, image, NULL);

    info.usage |= VK_IMAGE_USAGE_STORAGE_BIT; /* storage usage does not change the layout */
    assert_int_equal(vc4vk_CreateImage(h->device, &info, NULL, &image), VK_SUCCESS);
    vc4vk_GetImageMemoryRequirements(h->device, image, &needs);
    assert_int_equal(needs.size, 2 * 3 * 2 * 16384);
    vc4vk_DestroyImage(h->device, image, NULL);
    info = image_info(32, 32, VK_IMAGE_TILING_LINEAR);
    info.samples = VK_SAMPLE_COUNT_4_BIT;
    assert_int_equal(vc4vk_CreateImage(h->device, &info, NULL, &image), VK_ERROR_FORMAT_NOT_SUPPORTED);
}

/* Creates a render pass and overwrites its description, which the pass must have copied. */
static VkRenderPass make_pass(VkDevice device, const VkAllocationCallbacks *alloc, VkResult *result_out)
{
    VkAttachmentDescription attachments[3] = {{.format = VK_FORMAT_R8G8B8A8_UNORM}, {.format = VK_FORMAT_D16_UNORM}};
    VkAttachmentReference colors[2] = {{0, VK_IMAGE_LAYOUT_GENERAL}, {VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED}};
    VkAttachmentReference depth = {1, VK_IMAGE_LAYOUT_GENERAL}, input = {0, VK_IMAGE_LAYOUT_GENERAL};
    uint32_t preserve = 1;
    VkSubpassDescription subpasses[2] = {
        {.colorAttachmentCount = 1, .pColorAttachments = colors, .pDepthStencilAttachment = &depth},
        {.colorAttachmentCount = 2,
         .pColorAttachments = colors,
         .inputAttachmentCount = 1,
         .pInputAttachments = &input,
         .preserveAttachmentCount = 1,
         .pPreserveAttachments = &preserve},
    };
    VkSubpassDependency dependency = {.srcSubpass = 0, .dstSubpass = 1};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = 3,
                                         .pAttachments = attachments,
                                         .subpassCount = 2,
                                         .pSubpasses = subpasses,
                                         .dependencyCount = 1,
                                         .pDependencies = &dependency};
    VkRenderPass pass = VK_NULL_HANDLE;
    *result_out = vc4vk_CreateRenderPass(device, &info, alloc, &pass);
    memset(attachments, 0xff, sizeof attachments);
    memset(colors, 0xff, sizeof colors);
    memset(&preserve, 0xff, sizeof preserve);
    return pass;
}

static void render_passes_are_copies(void **state)
{
    const struct harness *h = *state;
    VkResult result;
    VkRenderPass handle = make_pass(h->device, NULL, &result);
    const struct vc4vk_render_pass *pass = vc4vk_render_pass_from_handle(handle);
    assert_int_equal(result, VK_SUCCESS);
    assert_int_equal(pass->attachments[1].format, VK_FORMAT_D16_UNORM);
    assert_int_equal(pass->subpasses[0].depth_stencil.attachment, 1);
    assert_int_equal(pass->subpasses[1].depth_stencil.attachment, VK_ATTACHMENT_UNUSED);
    assert_int_equal(pass->subpasses[1].colors[0].attachment, 0);
    assert_int_equal(pass->subpasses[1].colors[1].attachment, VK_ATTACHMENT_UNUSED);
    assert_int_equal(pass->subpasses[1].inputs[0].attachment, 0);
    assert_int_equal(pass->subpasses[1].preserves[0], 1);
    assert_int_equal(pass->first_use[0], 0);
    assert_int_equal(pass->last_use[0], 1);
    assert_int_equal(pass->last_use[1], 0);
    assert_int_equal(pass->first_use[2], UINT32_MAX);
    assert_int_equal(pass->dependencies[0].dstSubpass, 1);
    vc4vk_DestroyRenderPass(h->device, handle, NULL);
}

/* -- allocation failures --------------------------------------------------------------------------------------------
 */

static void discard_log(void *data, enum util_log_level level, const char *line)
{
}

/* Fails the n-th allocation, for each n, from instance creation to a render pass: must return errors and not leak. */
static void every_allocation_may_fail(void **state)
{
    util_log_set_sink(discard_log, NULL);
    for (int n = 0;; n++) {
        struct harness_counter c = {.budget = n};
        const VkAllocationCallbacks alloc = harness_counting_alloc(&c);
        const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
        const VkDeviceQueueCreateInfo queue_info = {
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = (float[]){1}};
        const VkDeviceCreateInfo device_info = {
            .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info};
        VkInstance instance = VK_NULL_HANDLE;
        VkPhysicalDevice physical;
        VkDevice device = VK_NULL_HANDLE;
        uint32_t one = 1;
        VkResult result = vc4vk_CreateInstance(&instance_info, &alloc, &instance);
        if (result == VK_SUCCESS)
            result = vc4vk_EnumeratePhysicalDevices(instance, &one, &physical);
        if (result == VK_SUCCESS)
            result = vc4vk_CreateDevice(physical, &device_info, &alloc, &device);
        if (result == VK_SUCCESS) {
            VkRenderPass pass = make_pass(device, &alloc, &result);
            vc4vk_DestroyRenderPass(device, pass, &alloc);
        }
        vc4vk_DestroyDevice(device, &alloc);
        vc4vk_DestroyInstance(instance, &alloc);
        assert_int_equal(c.live, 0);
        if (result == VK_SUCCESS)
            break;
        assert_int_equal(result, VK_ERROR_OUT_OF_HOST_MEMORY);
        assert_true(n < 100);
    }
    util_log_set_sink(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_mapped_for_life),
        cmocka_unit_test(too_large),
        cmocka_unit_test(four_thousand_allocations),
        cmocka_unit_test(image_layouts),
        cmocka_unit_test(largest_image),
        cmocka_unit_test(several_samples),
        cmocka_unit_test(render_passes_are_copies),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("objects", tests, harness_set_up, harness_tear_down);
}
