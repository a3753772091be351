/* SPDX-License-Identifier: MIT
 *
 * Device memory: requirements and binding by the VK_KHR_*2 entry points, budgets, memory types, thousands of
 * allocations, memory shared between devices and processes; and the other features of VK_KHR_maintenance1. The second
 * process is this program, started again with the number of the file descriptor that it inherits.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "vkt.h"
#include "compute_add.comp.h"
#include "push.frag.h"
#include "push.vert.h"

extern char **environ;

static const char *own_path;

static const char *const extensions[] = {
    VK_KHR_BIND_MEMORY_2_EXTENSION_NAME,        VK_KHR_GET_MEMORY_REQUIREMENTS_2_EXTENSION_NAME,
    VK_KHR_DEDICATED_ALLOCATION_EXTENSION_NAME, VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME,
    VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,   VK_KHR_MAINTENANCE1_EXTENSION_NAME,
    VK_EXT_MEMORY_BUDGET_EXTENSION_NAME,
};

struct side {
    struct vkt t;
    PFN_vkGetBufferMemoryRequirements2KHR GetBufferMemoryRequirements2;
    PFN_vkGetImageMemoryRequirements2KHR GetImageMemoryRequirements2;
    PFN_vkGetImageSparseMemoryRequirements2KHR GetImageSparseMemoryRequirements2;
    PFN_vkBindBufferMemory2KHR BindBufferMemory2;
    PFN_vkBindImageMemory2KHR BindImageMemory2;
    PFN_vkGetMemoryFdKHR GetMemoryFd;
    PFN_vkTrimCommandPoolKHR TrimCommandPool;
};

static struct side open_side(void)
{
    struct side s = {.t = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions))};
#define GET(name) assert_non_null(s.name = (PFN_vk##name##KHR)vkGetDeviceProcAddr(s.t.device, "vk" #name "KHR"))
    GET(GetBufferMemoryRequirements2);
    GET(GetImageMemoryRequirements2);
    GET(GetImageSparseMemoryRequirements2);
    GET(BindBufferMemory2);
    GET(BindImageMemory2);
    GET(GetMemoryFd);
    GET(TrimCommandPool);
#undef GET
    return s;
}

static void close_side(struct side *s)
{
    vkt_device_close(&s->t);
}

static VkDeviceMemory allocate(const struct vkt *t, VkDeviceSize size_B, uint32_t type, const void *chain)
{
    VkDeviceMemory memory;
    vkt_ok(vkAllocateMemory(t->device,
                            &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                    .pNext = chain,
                                                    .allocationSize = size_B,
                                                    .memoryTypeIndex = type},
                            NULL, &memory));
    return memory;
}

static VkBuffer make_buffer(const struct vkt *t, VkDeviceSize size_B, const void *chain)
{
    VkBuffer buffer;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .pNext = chain,
                                     .size = size_B,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    vkt_ok(vkCreateBuffer(t->device, &info, NULL, &buffer));
    return buffer;
}

static VkImage make_image(const struct vkt *t, VkImageCreateFlags flags)
{
    VkImage image;
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .flags = flags,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .extent = {100, 40, 1},
                                    .mipLevels = 3,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    vkt_ok(vkCreateImage(t->device, &info, NULL, &image));
    return image;
}

static void copy_buffer(struct vkt *t, VkBuffer from, VkBuffer to, VkDeviceSize size_B)
{
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdCopyBuffer(cmd, from, to, 1, &(VkBufferCopy){.size = size_B});
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0,
                         NULL);
    vkt_end_submit(t, cmd);
}

/* ---------------------------------------------------------------- requirements and binding */

static void assert_same_requirements(const VkMemoryRequirements *a, const VkMemoryRequirements *b)
{
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->alignment, b->alignment);
    assert_int_equal(a->memoryTypeBits, b->memoryTypeBits);
}

static void both_ways_of_asking_give_the_same_requirements(void **state)
{
    struct side s = open_side();
    VkBuffer buffer = make_buffer(&s.t, 1000, NULL);
    VkImage image = make_image(&s.t, 0);
    VkMemoryRequirements plain;
    VkMemoryDedicatedRequirements dedicated = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS,
                                               .prefersDedicatedAllocation = 77,
                                               .requiresDedicatedAllocation = 77};
    VkMemoryRequirements2 newer = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, .pNext = &dedicated};

    vkGetBufferMemoryRequirements(s.t.device, buffer, &plain);
    s.GetBufferMemoryRequirements2(s.t.device,
                                   &(VkBufferMemoryRequirementsInfo2){
                                       .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, .buffer = buffer},
                                   &newer);
    assert_same_requirements(&plain, &newer.memoryRequirements);
    assert_int_equal(dedicated.requiresDedicatedAllocation, VK_FALSE);
    assert_true(dedicated.prefersDedicatedAllocation <= VK_TRUE);

    dedicated.requiresDedicatedAllocation = dedicated.prefersDedicatedAllocation = 77;
    vkGetImageMemoryRequirements(s.t.device, image, &plain);
    s.GetImageMemoryRequirements2(
        s.t.device,
        &(VkImageMemoryRequirementsInfo2){.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, .image = image},
        &newer);
    assert_same_requirements(&plain, &newer.memoryRequirements);
    assert_int_equal(dedicated.requiresDedicatedAllocation, VK_FALSE);
    assert_true(dedicated.prefersDedicatedAllocation <= VK_TRUE);
    assert_int_equal(plain.memoryTypeBits, (1u << s.t.memory.memoryTypeCount) - 1);

    uint32_t count = 5;
    s.GetImageSparseMemoryRequirements2(s.t.device,
                                        &(VkImageSparseMemoryRequirementsInfo2){
                                            .sType = VK_STRUCTURE_TYPE_IMAGE_SPARSE_MEMORY_REQUIREMENTS_INFO_2,
                                            .image = image},
                                        &count, NULL);
    assert_int_equal(count, 0);
    vkDestroyBuffer(s.t.device, buffer, NULL);
    vkDestroyImage(s.t.device, image, NULL);
    close_side(&s);
}

/* Two buffers and two images, each with its own memory, are bound by one call each. The test copies the first buffer
 * through both images into the second. */
static void several_are_bound_at_once(void **state)
{
    struct side s = open_side();
    VkBuffer buffers[2];
    VkImage images[2];
    VkDeviceMemory buffer_memory[2], image_memory[2];
    VkBindBufferMemoryInfo bind_buffers[2];
    VkBindImageMemoryInfo bind_images[2];
    VkMemoryRequirements req;
    uint32_t *words[2];
    for (uint32_t i = 0; i < 2; i++) {
        buffers[i] = make_buffer(&s.t, 100 * 40 * 4, NULL);
        vkGetBufferMemoryRequirements(s.t.device, buffers[i], &req);
        const VkMemoryDedicatedAllocateInfo for_buffer = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                                          .buffer = buffers[i]};
        buffer_memory[i] = allocate(&s.t, req.size, 0, i ? &for_buffer : NULL);
        bind_buffers[i] = (VkBindBufferMemoryInfo){.sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO,
                                                   .buffer = buffers[i],
                                                   .memory = buffer_memory[i]};
        vkt_ok(vkMapMemory(s.t.device, buffer_memory[i], 0, VK_WHOLE_SIZE, 0, (void **)&words[i]));
        images[i] = make_image(&s.t, 0);
        vkGetImageMemoryRequirements(s.t.device, images[i], &req);
        const VkMemoryDedicatedAllocateInfo for_image = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                                         .image = images[i]};
        image_memory[i] = allocate(&s.t, req.size, 0, i ? &for_image : NULL);
        bind_images[i] = (VkBindImageMemoryInfo){.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
                                                 .image = images[i],
                                                 .memory = image_memory[i]};
    }
    vkt_ok(s.BindBufferMemory2(s.t.device, 2, bind_buffers));
    vkt_ok(s.BindImageMemory2(s.t.device, 2, bind_images));
    for (uint32_t i = 0; i < 100 * 40; i++) {
        words[0][i] = i * 2654435761u;
        words[1][i] = 0;
    }
    VkCommandBuffer cmd = vkt_begin(&s.t);
    const struct vkt_image a = {.image = images[0], .aspect = VK_IMAGE_ASPECT_COLOR_BIT, .levels = 3, .layers = 1};
    const struct vkt_image b = {.image = images[1], .aspect = VK_IMAGE_ASPECT_COLOR_BIT, .levels = 3, .layers = 1};
    const VkImageSubresourceLayers whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkBufferImageCopy region = {.imageSubresource = whole, .imageExtent = {100, 40, 1}};
    vkt_image_barrier(cmd, &a, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkt_image_barrier(cmd, &b, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdCopyBufferToImage(cmd, buffers[0], images[0], VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    vkt_image_barrier(cmd, &a, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdCopyImage(cmd, images[0], VK_IMAGE_LAYOUT_GENERAL, images[1], VK_IMAGE_LAYOUT_GENERAL, 1,
                   &(VkImageCopy){.srcSubresource = whole, .dstSubresource = whole, .extent = {100, 40, 1}});
    vkt_image_barrier(cmd, &b, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdCopyImageToBuffer(cmd, images[1], VK_IMAGE_LAYOUT_GENERAL, buffers[1], 1, &region);
    vkt_end_submit(&s.t, cmd);
    assert_memory_equal(words[0], words[1], 100 * 40 * 4);
    for (uint32_t i = 0; i < 2; i++) {
        vkDestroyBuffer(s.t.device, buffers[i], NULL);
        vkDestroyImage(s.t.device, images[i], NULL);
        vkFreeMemory(s.t.device, buffer_memory[i], NULL);
        vkFreeMemory(s.t.device, image_memory[i], NULL);
    }
    close_side(&s);
}

/* What is written through one image is read through the other. */
static void aliased_images_are_the_same_texels(void **state)
{
    struct side s = open_side();
    struct vkt *t = &s.t;
    VkImage images[2];
    VkMemoryRequirements req;
    for (uint32_t i = 0; i < 2; i++)
        images[i] = make_image(t, VK_IMAGE_CREATE_ALIAS_BIT);
    vkGetImageMemoryRequirements(t->device, images[0], &req);
    VkDeviceMemory memory = allocate(t, req.size, 0, NULL);
    for (uint32_t i = 0; i < 2; i++)
        vkt_ok(vkBindImageMemory(t->device, images[i], memory, 0));
    struct vkt_buffer from = vkt_buffer_create(t, 100 * 40 * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
    struct vkt_buffer to = vkt_buffer_create(t, 100 * 40 * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    for (uint32_t i = 0; i < 100 * 40; i++)
        ((uint32_t *)from.map)[i] = i * 2654435761u;
    const struct vkt_image a = {.image = images[0], .aspect = VK_IMAGE_ASPECT_COLOR_BIT, .levels = 3, .layers = 1};
    const struct vkt_image b = {.image = images[1], .aspect = VK_IMAGE_ASPECT_COLOR_BIT, .levels = 3, .layers = 1};
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {100, 40, 1}};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &a, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkt_image_barrier(cmd, &b, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdCopyBufferToImage(cmd, from.buffer, images[0], VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    vkt_image_barrier(cmd, &a, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    vkt_image_barrier(cmd, &b, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdCopyImageToBuffer(cmd, images[1], VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &region);
    vkt_end_submit(t, cmd);
    assert_memory_equal(from.map, to.map, 100 * 40 * 4);
    for (uint32_t i = 0; i < 2; i++)
        vkDestroyImage(t->device, images[i], NULL);
    vkFreeMemory(t->device, memory, NULL);
    vkt_buffer_destroy(t, &from);
    vkt_buffer_destroy(t, &to);
    close_side(&s);
}

/* ---------------------------------------------------------------- budget, types, many allocations */

static VkPhysicalDeviceMemoryBudgetPropertiesEXT budget_of(const struct vkt *t)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
                                                    .pNext = &budget};
    PFN_vkGetPhysicalDeviceMemoryProperties2KHR get =
        (PFN_vkGetPhysicalDeviceMemoryProperties2KHR)vkGetInstanceProcAddr(t->instance,
                                                                           "vkGetPhysicalDeviceMemoryProperties2KHR");
    get(t->physical, &properties);
    assert_memory_equal(&properties.memoryProperties, &t->memory, sizeof t->memory);
    for (uint32_t i = 0; i < VK_MAX_MEMORY_HEAPS; i++) {
        const bool is_heap = i < t->memory.memoryHeapCount;
        assert_true(is_heap == (budget.heapBudget[i] > 0));
        assert_true(is_heap || budget.heapUsage[i] == 0);
        assert_true(!is_heap || budget.heapBudget[i] <= t->memory.memoryHeaps[i].size);
    }
    return budget;
}

static void the_budget_follows_what_is_used(void **state)
{
    struct side s = open_side();
    const VkDeviceSize before_B = budget_of(&s.t).heapUsage[0];
    VkDeviceMemory memory[3];
    for (uint32_t i = 0; i < 3; i++)
        memory[i] = allocate(&s.t, 5000000, 0, NULL);
    const VkDeviceSize with_B = budget_of(&s.t).heapUsage[0];
    assert_true(with_B >= before_B + 15000000 && with_B < before_B + 20000000);
    for (uint32_t i = 0; i < 3; i++)
        vkFreeMemory(s.t.device, memory[i], NULL);
    assert_int_equal(budget_of(&s.t).heapUsage[0], before_B);
    close_side(&s);
}

/* A coherent type must exist. The types must be ordered so that the first one that fits is the best. All of them must
 * carry data from the host to the device and back. */
static void every_memory_type_works(void **state)
{
    struct side s = open_side();
    bool has_coherent = false, has_local = false;
    const VkPhysicalDeviceMemoryProperties *m = &s.t.memory;
    for (uint32_t i = 0; i < m->memoryTypeCount; i++) {
        const VkMemoryPropertyFlags flags = m->memoryTypes[i].propertyFlags;
        has_coherent |= (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) && (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
        has_local |= flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
        for (uint32_t j = 0; j < i; j++) /* no earlier type has all these flags */
            assert_false((m->memoryTypes[j].propertyFlags & flags) == flags);
        VkBuffer buffer[2];
        VkDeviceMemory memory[2];
        uint32_t *words[2];
        for (uint32_t j = 0; j < 2; j++) {
            buffer[j] = make_buffer(&s.t, 16384, NULL);
            memory[j] = allocate(&s.t, 16384 + 64, i, NULL);
            vkt_ok(vkBindBufferMemory(s.t.device, buffer[j], memory[j], 64));
            vkt_ok(vkMapMemory(s.t.device, memory[j], 64, VK_WHOLE_SIZE, 0, (void **)&words[j]));
        }
        for (uint32_t j = 0; j < 4096; j++)
            words[0][j] = j * 31 + i;
        const VkMappedMemoryRange written = {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
                                             .memory = memory[0],
                                             .offset = 64,
                                             .size = VK_WHOLE_SIZE};
        const VkMappedMemoryRange read = {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
                                          .memory = memory[1],
                                          .offset = 64,
                                          .size = VK_WHOLE_SIZE};
        vkt_ok(vkFlushMappedMemoryRanges(s.t.device, 1, &written));
        copy_buffer(&s.t, buffer[0], buffer[1], 16384);
        vkt_ok(vkInvalidateMappedMemoryRanges(s.t.device, 1, &read));
        assert_memory_equal(words[0], words[1], 16384);
        VkDeviceSize committed_B = 0; /* may be asked of lazily allocated memory only */
        if (flags & VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT)
            vkGetDeviceMemoryCommitment(s.t.device, memory[0], &committed_B);
        for (uint32_t j = 0; j < 2; j++) {
            vkDestroyBuffer(s.t.device, buffer[j], NULL);
            vkFreeMemory(s.t.device, memory[j], NULL);
        }
    }
    assert_true(has_coherent && has_local);
    close_side(&s);
}

static VkDeviceSize largest_allocation_B(const struct vkt *t)
{
    VkPhysicalDeviceMaintenance3Properties m = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &m};
    PFN_vkGetPhysicalDeviceProperties2KHR get =
        (PFN_vkGetPhysicalDeviceProperties2KHR)vkGetInstanceProcAddr(t->instance, "vkGetPhysicalDeviceProperties2KHR");
    get(t->physical, &properties);
    assert_true(m.maxMemoryAllocationSize >= 1u << 30);
    const VkDeviceSize heap_B = t->memory.memoryHeaps[0].size;
    return m.maxMemoryAllocationSize < heap_B ? m.maxMemoryAllocationSize : heap_B;
}

#define ENDS_B 128u /* as many words as the program adds */

/* An allocation of the largest size, bound to a buffer of that size. Transfers write to its ends and its middle, and
 * programs read from the last words of it through a descriptor. */
static void the_largest_allocation_is_used(void **state)
{
    struct side s = open_side();
    struct vkt *t = &s.t;
    const VkDeviceSize size_B = largest_allocation_B(t) & ~(VkDeviceSize)0xffff;
    const VkDeviceSize places_B[] = {0, size_B / 2 - ENDS_B / 2, size_B - ENDS_B};
    VkBuffer buffer;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size_B,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                              VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    vkt_ok(vkCreateBuffer(t->device, &info, NULL, &buffer));
    VkDeviceMemory memory = allocate(t, size_B, 0, NULL);
    vkt_ok(vkBindBufferMemory(t->device, buffer, memory, 0));
    struct vkt_buffer from = vkt_storage_buffer(t, 3 * ENDS_B / 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    struct vkt_buffer to = vkt_storage_buffer(t, 3 * ENDS_B / 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    struct vkt_buffer sums = vkt_storage_buffer(t, ENDS_B / 4, 0);
    for (uint32_t i = 0; i < 3 * ENDS_B / 4; i++)
        ((float *)from.map)[i] = (float)(i * 3 + 1);
    struct vkt_compute compute = vkt_compute_create_simple(t, VKT_SHADER(compute_add_comp), 3, 0, NULL);
    const VkDescriptorSet set = vkt_set_alloc(t, compute.set_layouts[0]);
    for (uint32_t i = 0; i < 2; i++)
        vkt_set_buffer(t, set, i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffer, places_B[2 - i] & ~(VkDeviceSize)0x3f,
                       ENDS_B);
    vkt_set_buffer(t, set, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sums.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(t);
    for (uint32_t i = 0; i < 3; i++)
        vkCmdCopyBuffer(cmd, from.buffer, buffer, 1, &(VkBufferCopy){i * ENDS_B, places_B[i], ENDS_B});
    vkt_barrier_all(cmd);
    for (uint32_t i = 0; i < 3; i++)
        vkCmdCopyBuffer(cmd, buffer, to.buffer, 1, &(VkBufferCopy){places_B[i], i * ENDS_B, ENDS_B});
    vkt_compute_bind(cmd, &compute, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_end_submit(t, cmd);
    assert_memory_equal(from.map, to.map, 3 * ENDS_B);
    for (uint32_t i = 0; i < ENDS_B / 4; i++)
        assert_true(((const float *)sums.map)[i] ==
                    ((const float *)from.map)[i + 2 * ENDS_B / 4] + ((const float *)from.map)[i + ENDS_B / 4]);
    char *map;
    vkt_ok(vkMapMemory(t->device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&map));
    for (uint32_t i = 0; i < 3; i++)
        assert_memory_equal(map + places_B[i], (const char *)from.map + i * ENDS_B, ENDS_B);
    vkt_compute_destroy(t, &compute);
    vkDestroyBuffer(t->device, buffer, NULL);
    vkFreeMemory(t->device, memory, NULL);
    vkt_buffer_destroy(t, &sums);
    vkt_buffer_destroy(t, &from);
    vkt_buffer_destroy(t, &to);
    close_side(&s);
}

/* Fills the heap with allocations of 64 MiB. What exceeds it is refused, and freed memory is free again. */
static void the_whole_heap_can_be_allocated(void **state)
{
    enum { PIECE_B = 64 << 20, MOST = 512 };
    struct side s = open_side();
    struct vkt *t = &s.t;
    const VkDeviceSize heap_B = t->memory.memoryHeaps[0].size, before_B = budget_of(t).heapUsage[0];
    const uint32_t count = (uint32_t)((heap_B - before_B) / PIECE_B);
    static VkDeviceMemory memory[MOST], more[64]; /* addresses of 4 GiB bound what a kernel gives */
    assert_true(count > 0 && count <= MOST);
    for (uint32_t i = 0; i < count; i++) {
        char *map;
        memory[i] = allocate(t, PIECE_B, 0, NULL);
        vkt_ok(vkMapMemory(t->device, memory[i], 0, VK_WHOLE_SIZE, 0, (void **)&map));
        map[PIECE_B - 1] = 1;
    }
    assert_true(budget_of(t).heapUsage[0] >= before_B + (VkDeviceSize)count * PIECE_B);
    uint32_t added = 0;
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = PIECE_B};
    VkResult result = VK_SUCCESS;
    for (; added < VKT_COUNT(more) && result == VK_SUCCESS; added += result == VK_SUCCESS)
        result = vkAllocateMemory(t->device, &info, NULL, &more[added]);
    assert_int_equal(result, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    for (uint32_t i = 0; i < added; i++)
        vkFreeMemory(t->device, more[i], NULL);
    for (uint32_t i = 0; i < count; i++)
        vkFreeMemory(t->device, memory[i], NULL);
    assert_int_equal(budget_of(t).heapUsage[0], before_B);
    close_side(&s);
}

/* The driver maps memory once and keeps the mapping for as long as the memory exists. */
static void a_mapping_lasts_as_long_as_its_memory(void **state)
{
    struct side s = open_side();
    VkDeviceMemory memory = allocate(&s.t, 65536, 0, NULL);
    char *first, *again;
    vkt_ok(vkMapMemory(s.t.device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&first));
    memset(first, 0x5a, 65536);
    vkUnmapMemory(s.t.device, memory);
    vkt_ok(vkMapMemory(s.t.device, memory, 4096, 100, 0, (void **)&again));
    assert_ptr_equal(again, first + 4096);
    assert_int_equal(again[99], 0x5a);
    assert_true((uintptr_t)first % s.t.properties.limits.minMemoryMapAlignment == 0);
    vkFreeMemory(s.t.device, memory, NULL);
    close_side(&s);
}

/* Allocates and maps maxMemoryAllocationCount at once, while the process may open only 256 files. */
static void four_thousand_allocations_need_no_descriptors(void **state)
{
    struct side s = open_side();
    struct rlimit files, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    few = files;
    few.rlim_cur = 256;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    const uint32_t count = s.t.properties.limits.maxMemoryAllocationCount;
    assert_true(count >= 4096);
    VkDeviceMemory *memory = malloc(count * sizeof *memory);
    uint32_t **words = malloc(count * sizeof *words);
    for (uint32_t i = 0; i < count; i++) {
        memory[i] = allocate(&s.t, i % 8 ? 1024 : 16384, i % s.t.memory.memoryTypeCount, NULL);
        vkt_ok(vkMapMemory(s.t.device, memory[i], 0, VK_WHOLE_SIZE, 0, (void **)&words[i]));
        words[i][0] = i;
        words[i][255] = ~i;
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(words[i][0], i);
        assert_int_equal(words[i][255], ~i);
        vkFreeMemory(s.t.device, memory[i], NULL);
    }
    free(memory);
    free(words);
    close_side(&s);
}

/* ---------------------------------------------------------------- shared memory */

#define SHARED_B 40000u
#define OPAQUE   VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT

static const VkExportMemoryAllocateInfo to_export = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                                     .handleTypes = OPAQUE};
static const VkExternalMemoryBufferCreateInfo shared_buffer = {
    .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, .handleTypes = OPAQUE};

static int memory_fd(const struct side *s, VkDeviceMemory memory)
{
    int fd = -1;
    const VkMemoryGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = memory, .handleType = OPAQUE};
    vkt_ok(s->GetMemoryFd(s->t.device, &info, &fd));
    assert_true(fd >= 0);
    return fd;
}

static VkResult import_memory(const struct side *s, int fd, VkDeviceSize size_B, VkDeviceMemory *out)
{
    const VkImportMemoryFdInfoKHR import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, .handleType = OPAQUE, .fd = fd};
    return vkAllocateMemory(s->t.device,
                            &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                    .pNext = &import,
                                                    .allocationSize = size_B},
                            NULL, out);
}

static void sharing_is_what_the_queries_say(void **state)
{
    struct side s = open_side();
    PFN_vkGetPhysicalDeviceExternalBufferPropertiesKHR buffer_query =
        (PFN_vkGetPhysicalDeviceExternalBufferPropertiesKHR)vkGetInstanceProcAddr(
            s.t.instance, "vkGetPhysicalDeviceExternalBufferPropertiesKHR");
    PFN_vkGetPhysicalDeviceImageFormatProperties2KHR image_query =
        (PFN_vkGetPhysicalDeviceImageFormatProperties2KHR)vkGetInstanceProcAddr(
            s.t.instance, "vkGetPhysicalDeviceImageFormatProperties2KHR");
    static const VkExternalMemoryHandleTypeFlagBits types[] = {OPAQUE, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT};
    for (uint32_t i = 0; i < VKT_COUNT(types); i++) {
        VkExternalBufferProperties b = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
        buffer_query(s.t.physical,
                     &(VkPhysicalDeviceExternalBufferInfo){
                         .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
                         .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                         .handleType = types[i]},
                     &b);
        VkExternalImageFormatProperties e = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
        VkImageFormatProperties2 p = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &e};
        const VkPhysicalDeviceExternalImageFormatInfo external = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO, .handleType = types[i]};
        VkResult result = image_query(s.t.physical,
                                      &(VkPhysicalDeviceImageFormatInfo2){
                                          .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                          .pNext = &external,
                                          .format = VK_FORMAT_R8G8B8A8_UNORM,
                                          .type = VK_IMAGE_TYPE_2D,
                                          .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT},
                                      &p);
        const VkExternalMemoryFeatureFlags features = b.externalMemoryProperties.externalMemoryFeatures;
        if (types[i] == OPAQUE) {
            assert_int_equal(features,
                             VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT);
            assert_int_equal(result, VK_SUCCESS);
            assert_memory_equal(&b.externalMemoryProperties, &e.externalMemoryProperties,
                                sizeof e.externalMemoryProperties);
        } else {
            assert_int_equal(features, 0);
            assert_int_equal(result, VK_ERROR_FORMAT_NOT_SUPPORTED);
        }
    }
    close_side(&s);
}

/* VK_EXT_queue_family_foreign: memory that is handed to a queue of another driver and comes back keeps its contents. */
static void memory_comes_back_from_a_foreign_queue(void **state)
{
    static const char *const foreign[] = {VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME,
                                          VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME};
    struct vkt t = vkt_device_create_with(vkt_device(VKT_TESTED), foreign, VKT_COUNT(foreign));
    struct vkt_buffer b =
        vkt_buffer_create(&t, 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
    struct vkt_buffer out = vkt_buffer_create(&t, 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    for (int comes_back = 0; comes_back < 2; comes_back++) {
        VkCommandBuffer cmd = vkt_begin(&t);
        if (!comes_back)
            vkCmdFillBuffer(cmd, b.buffer, 0, VK_WHOLE_SIZE, 0x600df00d);
        const VkBufferMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                               .srcAccessMask = comes_back ? 0 : VK_ACCESS_TRANSFER_WRITE_BIT,
                                               .dstAccessMask = comes_back ? VK_ACCESS_TRANSFER_READ_BIT : 0,
                                               .srcQueueFamilyIndex = comes_back ? VK_QUEUE_FAMILY_FOREIGN_EXT : 0,
                                               .dstQueueFamilyIndex = comes_back ? 0 : VK_QUEUE_FAMILY_FOREIGN_EXT,
                                               .buffer = b.buffer,
                                               .size = VK_WHOLE_SIZE};
        vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 1,
                             &barrier, 0, NULL);
        if (comes_back)
            vkCmdCopyBuffer(cmd, b.buffer, out.buffer, 1, &(VkBufferCopy){.size = 4096});
        vkt_end_submit(&t, cmd);
    }
    for (uint32_t i = 0; i < 1024; i++)
        assert_int_equal(((uint32_t *)out.map)[i], 0x600df00d);
    vkt_buffer_destroy(&t, &out);
    vkt_buffer_destroy(&t, &b);
    vkt_device_close(&t);
}

/* One device writes by copy commands and the other sees it in its mapping, and the other way round. */
static void memory_crosses_devices(void **state)
{
    struct side a = open_side(), b = open_side();
    struct vkt_buffer stage = vkt_buffer_create(&a.t, SHARED_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
    VkBuffer ours = make_buffer(&a.t, SHARED_B, &shared_buffer);
    VkMemoryRequirements req;
    vkGetBufferMemoryRequirements(a.t.device, ours, &req);
    VkDeviceMemory memory = allocate(&a.t, req.size, 0, &to_export), theirs;
    vkt_ok(vkBindBufferMemory(a.t.device, ours, memory, 0));
    int fd = memory_fd(&a, memory), second = memory_fd(&a, memory);
    vkt_ok(import_memory(&b, fd, req.size, &theirs));
    assert_int_equal(fcntl(fd, F_GETFD), -1); /* the import took ownership and closed it */
    uint32_t *words, *here;
    vkt_ok(vkMapMemory(b.t.device, theirs, 0, VK_WHOLE_SIZE, 0, (void **)&words));
    vkt_ok(vkMapMemory(a.t.device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&here));
    for (uint32_t i = 0; i < SHARED_B / 4; i++)
        ((uint32_t *)stage.map)[i] = i ^ 0xabcd;
    copy_buffer(&a.t, stage.buffer, ours, SHARED_B);
    assert_memory_equal(words, stage.map, SHARED_B);
    words[17] = 4711;
    assert_int_equal(here[17], 4711);

    /* The same memory imported twice on one device outlives its exporter. */
    VkDeviceMemory twice;
    uint32_t *twice_words;
    vkt_ok(import_memory(&b, second, req.size, &twice));
    vkt_ok(vkMapMemory(b.t.device, twice, 0, VK_WHOLE_SIZE, 0, (void **)&twice_words));
    vkDestroyBuffer(a.t.device, ours, NULL);
    vkFreeMemory(a.t.device, memory, NULL);
    vkt_buffer_destroy(&a.t, &stage);
    close_side(&a);
    words[18] = 4712;
    assert_int_equal(twice_words[17], 4711);
    assert_int_equal(twice_words[18], 4712);
    vkFreeMemory(b.t.device, twice, NULL);
    assert_int_equal(words[18], 4712);
    vkFreeMemory(b.t.device, theirs, NULL);
    close_side(&b);
}

/* The child doubles each word. */
static int child(const char *fd_text)
{
    struct side s = open_side();
    VkDeviceMemory memory;
    uint32_t *words;
    if (import_memory(&s, atoi(fd_text), SHARED_B, &memory) != VK_SUCCESS ||
        vkMapMemory(s.t.device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&words) != VK_SUCCESS)
        return 1;
    for (uint32_t i = 0; i < SHARED_B / 4; i++)
        words[i] *= 2;
    vkFreeMemory(s.t.device, memory, NULL);
    close_side(&s);
    return 0;
}

static void memory_crosses_processes(void **state)
{
    struct side s = open_side();
    VkDeviceMemory memory = allocate(&s.t, SHARED_B, 0, &to_export);
    uint32_t *words;
    vkt_ok(vkMapMemory(s.t.device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&words));
    for (uint32_t i = 0; i < SHARED_B / 4; i++)
        words[i] = i;
    char number[16];
    int fd = memory_fd(&s, memory), status;
    pid_t pid;
    snprintf(number, sizeof number, "%d", fd);
    assert_int_equal(fcntl(fd, F_SETFD, 0), 0); /* the child inherits it */
    /* A cross-compiled program needs its emulator, which Meson names. */
    char *const argv[] = {(char *)"sh", (char *)"-c", (char *)"exec $MESON_EXE_WRAPPER \"$0\" \"$@\"", (char *)own_path,
                          number, NULL};
    assert_int_equal(posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    for (uint32_t i = 0; i < SHARED_B / 4; i++)
        assert_int_equal(words[i], 2 * i);
    close(fd);
    vkFreeMemory(s.t.device, memory, NULL);
    close_side(&s);
}

static void what_is_no_memory_is_refused(void **state)
{
    struct side s = open_side();
    VkDeviceMemory memory = VK_NULL_HANDLE;
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(import_memory(&s, fd, 4096, &memory), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    assert_int_equal(close(fd), 0); /* a failed import leaves it open */
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-VkMemoryAllocateInfo-allocationSize-01742");
    VkDeviceMemory small = allocate(&s.t, 4096, 0, &to_export);
    fd = memory_fd(&s, small);
    assert_int_equal(import_memory(&s, fd, 1u << 20, &memory), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    assert_int_equal(close(fd), 0);
    vkFreeMemory(s.t.device, small, NULL);
    close_side(&s);
}

/* A process that holds the descriptor cannot truncate the file under processes that have mapped it, which would kill
 * them. */
static void shared_memory_cannot_be_cut(void **state)
{
    struct side s = open_side();
    VkDeviceMemory memory = allocate(&s.t, SHARED_B, 0, &to_export);
    uint32_t *words;
    vkt_ok(vkMapMemory(s.t.device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&words));
    words[SHARED_B / 4 - 1] = 4711;
    int fd = memory_fd(&s, memory);
    assert_int_not_equal(ftruncate(fd, 0), 0);
    assert_int_not_equal(ftruncate(fd, 1 << 20), 0);
    assert_int_not_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
    assert_int_equal(words[SHARED_B / 4 - 1], 4711);
    close(fd);
    vkFreeMemory(s.t.device, memory, NULL);
    close_side(&s);
}

/* The whole of a shared memory's file. fstat() may tell what a dma-buf of the memory would be. */
struct whole_file {
    char bytes[1 << 16];
    off_t size_B;
};

/* Makes a sealed file of `size_B` bytes that ends with the last `trailer_B` bytes of `from`. -1: no such file can be
 * made. */
static int forge(const struct whole_file *from, off_t size_B, size_t trailer_B, unsigned flags, int seals)
{
    int fd = memfd_create("vc4-shared-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags);
    if (fd < 0)
        return -1;
    assert_int_equal(ftruncate(fd, size_B), 0);
    if (trailer_B)
        assert_int_equal(pwrite(fd, from->bytes + from->size_B - trailer_B, trailer_B, size_B - (off_t)trailer_B),
                         trailer_B);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
    return fd;
}

/* Refused: files that can be truncated, whose pages can run out, that lie about their size, or that are something
 * else. */
static void forged_memory_is_refused(void **state)
{
    enum { PAGE_B = 4096, SEALED = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };
    struct side s = open_side();
    VkDeviceMemory real = allocate(&s.t, PAGE_B, 0, &to_export), memory = VK_NULL_HANDLE;
    static struct whole_file whole;
    int fd = memory_fd(&s, real);
    whole.size_B = pread(fd, whole.bytes, sizeof whole.bytes, 0);
    assert_true(whole.size_B > PAGE_B && whole.size_B < (off_t)sizeof whole.bytes);
    const struct {
        off_t size_B;
        size_t trailer_B;
        unsigned flags;
        int seals;
        VkResult result;
    } forgeries[] = {
        {whole.size_B, PAGE_B, 0, SEALED, VK_SUCCESS}, /* a correct copy is accepted, so the others fail for one reason
                                                        * each */
        {whole.size_B, PAGE_B, 0, 0, VK_ERROR_INVALID_EXTERNAL_HANDLE},
        {whole.size_B, PAGE_B, 0, F_SEAL_SHRINK | F_SEAL_SEAL, VK_ERROR_INVALID_EXTERNAL_HANDLE},
        {whole.size_B, PAGE_B, 0, F_SEAL_GROW | F_SEAL_SEAL, VK_ERROR_INVALID_EXTERNAL_HANDLE},
        {whole.size_B, PAGE_B, 0, SEALED & ~F_SEAL_SEAL, VK_ERROR_INVALID_EXTERNAL_HANDLE},
        {whole.size_B, PAGE_B, 0, SEALED | F_SEAL_WRITE, VK_ERROR_INVALID_EXTERNAL_HANDLE},
        {whole.size_B, 0, 0, SEALED, VK_ERROR_INVALID_EXTERNAL_HANDLE},
        {whole.size_B + PAGE_B, PAGE_B, 0, SEALED, VK_ERROR_INVALID_EXTERNAL_HANDLE},
        {PAGE_B, PAGE_B, 0, SEALED, VK_ERROR_INVALID_EXTERNAL_HANDLE},
        {whole.size_B + 1, PAGE_B, 0, SEALED, VK_ERROR_INVALID_EXTERNAL_HANDLE},
        {0, 0, 0, SEALED, VK_ERROR_INVALID_EXTERNAL_HANDLE},
        {2 << 20, 0, MFD_HUGETLB, SEALED, VK_ERROR_INVALID_EXTERNAL_HANDLE},
    };
    for (uint32_t i = 0; i < VKT_COUNT(forgeries); i++) {
        int forged = forge(&whole, forgeries[i].size_B, forgeries[i].trailer_B, forgeries[i].flags, forgeries[i].seals);
        if (forged < 0 && forgeries[i].flags)
            continue; /* this kernel has no huge pages */
        assert_true(forged >= 0);
        assert_int_equal(import_memory(&s, forged, PAGE_B, &memory), forgeries[i].result);
        if (forgeries[i].result == VK_SUCCESS)
            vkFreeMemory(s.t.device, memory, NULL);
        else
            assert_int_equal(close(forged), 0); /* a failed import leaves it open */
    }
    close(fd);
    vkFreeMemory(s.t.device, real, NULL);
    close_side(&s);
}

/* ---------------------------------------------------------------- maintenance1 */

#define W 64
#define H 48

static void flipped_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    const uint8_t background[4] = {0, 0, 0, 255}, quad[4] = {255, 0, 51, 255};
    /* Clip space [-1, -0.5] x [-1, 0]: left, in the lower half. */
    memcpy(rgba, x < W / 4 && y >= H / 2 ? quad : background, 4);
}

/* y points up, and the winding order is reversed. */
static void a_negative_viewport_height_flips(void **state)
{
    struct side s = open_side();
    struct vkt *t = &s.t;
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    const VkDynamicState dynamic = VK_DYNAMIC_STATE_VIEWPORT;
    struct vkt_pipeline_info info = {.vs = VKT_SHADER(push_vert),
                                     .fs = VKT_SHADER(push_frag),
                                     .pass = target.pass,
                                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                     .cull = VK_CULL_MODE_BACK_BIT,
                                     .dynamic = &dynamic,
                                     .dynamic_count = 1,
                                     .push_size_B = 36,
                                     .width = W,
                                     .height = H};
    info.front_face = VK_FRONT_FACE_COUNTER_CLOCKWISE;
    struct vkt_pipeline counter = vkt_pipeline_create(t, &info);
    info.front_face = VK_FRONT_FACE_CLOCKWISE;
    struct vkt_pipeline clockwise = vkt_pipeline_create(t, &info);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[4]){0, 0, 0, 1}, 1, 0);
    vkCmdSetViewport(cmd, 0, 1, &(VkViewport){0, H, W, -(float)H, 0, 1});
    const float shown[9] = {1, 0, 0.2f, 1, -1, -1, -0.5f, 0, 0.5f}, culled[9] = {0, 1, 0, 1, -1, -1, 1, 1, 0.5f};
    const VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, counter.pipeline);
    vkCmdPushConstants(cmd, counter.layout, stages, 0, sizeof shown, shown);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, clockwise.pipeline);
    vkCmdPushConstants(cmd, clockwise.layout, stages, 0, sizeof culled, culled);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture got = vkt_read_target(t, &target), expected = vkt_picture_compute(W, H, flipped_pixel);
    vkt_compare("negative_viewport_height", &expected, &got, (struct vkt_tolerance){0});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
    vkt_pipeline_destroy(t, &counter);
    vkt_pipeline_destroy(t, &clockwise);
    vkt_target_destroy(t, &target);
    close_side(&s);
}

/* Copies layers 1 and 2 of an array to slices 1 and 2 of a 3D image, and from there to layers 0 and 1 of another
 * array. */
static void slices_and_layers_are_copied_to_each_other(void **state)
{
    struct side s = open_side();
    struct vkt *t = &s.t;
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    struct vkt_image from = vkt_image_create(
        t, &(struct vkt_image_info){
               .format = format, .width = 20, .height = 12, .layers = 3, .array = true, .usage = usage});
    struct vkt_image volume = vkt_image_create(
        t, &(struct vkt_image_info){.format = format, .width = 20, .height = 12, .depth = 4, .usage = usage});
    struct vkt_image to = vkt_image_create(
        t, &(struct vkt_image_info){
               .format = format, .width = 20, .height = 12, .layers = 2, .array = true, .usage = usage});
    uint32_t texels[3][12 * 20], got[12 * 20];
    const VkImageSubresourceLayers layers_12 = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 2},
                                   one = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                   layers_01 = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 2};
    struct vkt_buffer stage = vkt_buffer_create(t, sizeof texels, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
    for (uint32_t i = 0; i < 3 * 12 * 20; i++)
        texels[i / 240][i % 240] = i * 2654435761u;
    memcpy(stage.map, texels, sizeof texels);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &from, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkt_image_barrier(cmd, &volume, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkt_image_barrier(cmd, &to, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(cmd, stage.buffer, from.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                           &(VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 3},
                                                .imageExtent = {20, 12, 1}});
    vkt_image_barrier(cmd, &from, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdCopyImage(cmd, from.image, VK_IMAGE_LAYOUT_GENERAL, volume.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                   &(VkImageCopy){.srcSubresource = layers_12,
                                  .dstSubresource = one,
                                  .dstOffset = {0, 0, 1},
                                  .extent = {20, 12, 2}});
    vkt_image_barrier(cmd, &volume, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdCopyImage(cmd, volume.image, VK_IMAGE_LAYOUT_GENERAL, to.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                   &(VkImageCopy){.srcSubresource = one,
                                  .srcOffset = {0, 0, 1},
                                  .dstSubresource = layers_01,
                                  .extent = {20, 12, 2}});
    vkt_image_barrier(cmd, &to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    for (uint32_t i = 0; i < 2; i++) {
        vkt_read_image(t, &to, 0, i, got, sizeof got);
        assert_memory_equal(got, texels[i + 1], sizeof got);
    }
    vkt_buffer_destroy(t, &stage);
    vkt_image_destroy(t, &from);
    vkt_image_destroy(t, &volume);
    vkt_image_destroy(t, &to);
    close_side(&s);
}

static void a_trimmed_pool_keeps_what_is_recorded(void **state)
{
    struct side s = open_side();
    struct vkt_buffer b = vkt_buffer_create(&s.t, 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    memset(b.map, 0, 4096);
    VkCommandBuffer forgotten = vkt_begin(&s.t), cmd = vkt_begin(&s.t);
    for (uint32_t i = 0; i < 1000; i++)
        vkCmdFillBuffer(forgotten, b.buffer, 4 * i, 4, i);
    vkt_ok(vkEndCommandBuffer(forgotten));
    vkCmdFillBuffer(cmd, b.buffer, 0, 4096, 0x01020304);
    vkt_ok(vkEndCommandBuffer(cmd));
    vkt_ok(vkResetCommandBuffer(forgotten, 0));
    s.TrimCommandPool(s.t.device, s.t.pool, 0);
    vkt_submit(&s.t, cmd);
    assert_int_equal(((uint32_t *)b.map)[1023], 0x01020304);
    vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &cmd);
    vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &forgotten);
    vkt_buffer_destroy(&s.t, &b);
    close_side(&s);
}

int main(int argc, char **argv)
{
    own_path = argv[0];
    if (argc == 2)
        return child(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(both_ways_of_asking_give_the_same_requirements, vkt_check_messages),
        cmocka_unit_test_teardown(several_are_bound_at_once, vkt_check_messages),
        cmocka_unit_test_teardown(aliased_images_are_the_same_texels, vkt_check_messages),
        cmocka_unit_test_teardown(the_budget_follows_what_is_used, vkt_check_messages),
        cmocka_unit_test_teardown(every_memory_type_works, vkt_check_messages),
        cmocka_unit_test_teardown(the_largest_allocation_is_used, vkt_check_messages),
        cmocka_unit_test_teardown(the_whole_heap_can_be_allocated, vkt_check_messages),
        cmocka_unit_test_teardown(a_mapping_lasts_as_long_as_its_memory, vkt_check_messages),
        cmocka_unit_test_teardown(four_thousand_allocations_need_no_descriptors, vkt_check_messages),
        cmocka_unit_test_teardown(sharing_is_what_the_queries_say, vkt_check_messages),
        cmocka_unit_test_teardown(memory_comes_back_from_a_foreign_queue, vkt_check_messages),
        cmocka_unit_test_teardown(memory_crosses_devices, vkt_check_messages),
        cmocka_unit_test_teardown(memory_crosses_processes, vkt_check_messages),
        cmocka_unit_test_teardown(what_is_no_memory_is_refused, vkt_check_messages),
        cmocka_unit_test_teardown(shared_memory_cannot_be_cut, vkt_check_messages),
        cmocka_unit_test_teardown(forged_memory_is_refused, vkt_check_messages),
        cmocka_unit_test_teardown(a_negative_viewport_height_flips, vkt_check_messages),
        cmocka_unit_test_teardown(slices_and_layers_are_copied_to_each_other, vkt_check_messages),
        cmocka_unit_test_teardown(a_trimmed_pool_keeps_what_is_recorded, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_memory", tests, NULL, vkt_teardown);
}
