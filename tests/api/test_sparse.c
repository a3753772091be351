/* SPDX-License-Identifier: MIT
 *
 * Sparse buffers and images: what shaders, copies and the program see when blocks are bound, bound again, unbound and
 * shared; device addresses; the order of bindings with other work, by semaphores, fences and from several threads;
 * shared memory; refusals. Where a device has no sparse memory, the queries say so. The programs api_..._sparse run
 * other tests with all their buffers and images sparse.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "vkt.h"
#include "addresses_list.comp.h"
#include "compute_add.comp.h"
#include "full.vert.h"
#include "texture.frag.h"

#define LONG_NS UINT64_C(60000000000)
#define NONE    UINT32_MAX

#define STORAGE                                                                                                        \
    (VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT)
#define RESIDENT                                                                                                       \
    (VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT | VK_BUFFER_CREATE_SPARSE_ALIASED_BIT)

static bool is_reported(void)
{
    VkPhysicalDeviceFeatures has;
    vkGetPhysicalDeviceFeatures(vkt_device(VKT_TESTED)->physical, &has);
    return has.sparseBinding;
}

#define NEEDS_SPARSE()                                                                                                 \
    if (!is_reported())                                                                                                \
    vkt_skip("the device has no sparse memory")

static struct vkt open_device(void)
{
    return vkt_device_create_sparse(vkt_device(VKT_TESTED), NULL, 0);
}

/* ---------------------------------------------------------------- buffers and bindings */

struct sparse {
    VkBuffer buffer;
    uint32_t block_B, blocks;
    VkMemoryRequirements req;
};

static struct sparse create_buffer(struct vkt *t, uint32_t blocks, VkBufferCreateFlags flags, VkBufferUsageFlags usage)
{
    struct sparse s = {.blocks = blocks};
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .flags = flags, .size = 4, .usage = usage};
    for (int try = 0; try < 2; try++) { /* the first tells how large a block is */
        vkt_ok(vkCreateBuffer(t->device, &info, NULL, &s.buffer));
        vkGetBufferMemoryRequirements(t->device, s.buffer, &s.req);
        s.block_B = (uint32_t)s.req.alignment;
        if (!try)
            vkDestroyBuffer(t->device, s.buffer, NULL);
        info.size = (VkDeviceSize)blocks * s.block_B;
    }
    assert_int_equal(s.req.size, info.size);
    return s;
}

struct memory {
    VkDeviceMemory memory;
    uint32_t *words; /* mapped */
};

static struct memory allocate(struct vkt *t, VkDeviceSize size_B, const void *next)
{
    struct memory m;
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = next, .allocationSize = size_B};
    vkt_ok(vkAllocateMemory(t->device, &info, NULL, &m.memory));
    vkt_ok(vkMapMemory(t->device, m.memory, 0, VK_WHOLE_SIZE, 0, (void **)&m.words));
    return m;
}

static VkSparseMemoryBind block_bind(const struct sparse *s, uint32_t block, VkDeviceMemory memory, uint32_t at)
{
    return (VkSparseMemoryBind){.resourceOffset = (VkDeviceSize)block * s->block_B,
                                .size = s->block_B,
                                .memory = at == NONE ? VK_NULL_HANDLE : memory,
                                .memoryOffset = at == NONE ? 0 : (VkDeviceSize)at * s->block_B};
}

static VkFence create_fence(struct vkt *t)
{
    VkFence fence;
    vkt_ok(vkCreateFence(t->device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
    return fence;
}

static void wait_fence(struct vkt *t, VkFence fence)
{
    vkt_ok(vkWaitForFences(t->device, 1, &fence, VK_TRUE, LONG_NS));
    vkDestroyFence(t->device, fence, NULL);
}

static VkBindSparseInfo buffer_info(const VkSparseBufferMemoryBindInfo *of)
{
    return (VkBindSparseInfo){.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .bufferBindCount = 1, .pBufferBinds = of};
}

static void bind_all(struct vkt *t, const struct sparse *s, const VkSparseMemoryBind *binds, uint32_t count)
{
    const VkSparseBufferMemoryBindInfo of = {s->buffer, count, binds};
    const VkBindSparseInfo info = buffer_info(&of);
    VkFence fence = create_fence(t);
    vkt_ok(vkQueueBindSparse(t->queue, 1, &info, fence));
    wait_fence(t, fence);
}

/* Binds one block and waits; `at`: the block in the memory, or NONE. */
static void bind(struct vkt *t, const struct sparse *s, uint32_t block, const struct memory *m, uint32_t at)
{
    const VkSparseMemoryBind one = block_bind(s, block, m ? m->memory : VK_NULL_HANDLE, at);
    bind_all(t, s, &one, 1);
}

static void fill(struct vkt *t, VkBuffer buffer, VkDeviceSize offset_B, VkDeviceSize size_B, uint32_t word)
{
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdFillBuffer(cmd, buffer, offset_B, size_B, word);
    vkt_barrier_all(cmd);
    vkt_end_submit(t, cmd);
}

static void assert_words(const uint32_t *words, size_t size_B, uint32_t word)
{
    for (size_t i = 0; i < size_B / 4; i++)
        if (words[i] != word)
            fail_msg("word %zu is 0x%x, not 0x%x", i, words[i], word);
}

/* The words of a sparse buffer as a copy gives them. */
static void read_words(struct vkt *t, VkBuffer buffer, VkDeviceSize offset_B, uint32_t count, uint32_t *out)
{
    struct vkt_buffer to = vkt_buffer_create(t, 4 * count, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdCopyBuffer(cmd, buffer, to.buffer, 1, &(VkBufferCopy){.srcOffset = offset_B, .size = 4 * count});
    vkt_barrier_all(cmd);
    vkt_end_submit(t, cmd);
    memcpy(out, to.map, 4 * count);
    vkt_buffer_destroy(t, &to);
}

static uint32_t read_word(struct vkt *t, const struct sparse *s, uint32_t block)
{
    uint32_t word;
    read_words(t, s->buffer, (VkDeviceSize)block * s->block_B + 12, 1, &word);
    return word;
}

static void destroy(struct vkt *t, const struct sparse *s)
{
    vkDestroyBuffer(t->device, s->buffer, NULL);
}

static void release(struct vkt *t, const struct memory *m)
{
    vkFreeMemory(t->device, m->memory, NULL);
}

/* ---------------------------------------------------------------- queries */

static void queries_agree(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const bool has = is_reported();
    VkPhysicalDeviceFeatures features;
    vkGetPhysicalDeviceFeatures(t->physical, &features);
    assert_int_equal(features.sparseResidencyBuffer, has);
    assert_int_equal(features.sparseResidencyAliased, has);
    assert_false(features.sparseResidencyImage2D || features.sparseResidencyImage3D);
    assert_int_equal(t->properties.limits.sparseAddressSpaceSize, has ? UINT64_C(1) << 31 : 0);
    assert_false(t->properties.sparseProperties.residencyNonResidentStrict);
    VkQueueFamilyProperties families[8];
    uint32_t count = VKT_COUNT(families);
    vkGetPhysicalDeviceQueueFamilyProperties(t->physical, &count, families);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal((families[i].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT) != 0, has);
    static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D24_UNORM_S8_UINT,
                                       VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK};
    for (uint32_t i = 0; i < VKT_COUNT(formats); i++) {
        VkImageFormatProperties plain, sparse, resident;
        vkt_ok(vkGetPhysicalDeviceImageFormatProperties(t->physical, formats[i], VK_IMAGE_TYPE_2D,
                                                        VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_TRANSFER_SRC_BIT, 0,
                                                        &plain));
        const VkResult result = vkGetPhysicalDeviceImageFormatProperties(
            t->physical, formats[i], VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
            VK_IMAGE_CREATE_SPARSE_BINDING_BIT, &sparse);
        assert_int_equal(result, has ? VK_SUCCESS : VK_ERROR_FORMAT_NOT_SUPPORTED);
        if (has)
            assert_memory_equal(&plain, &sparse, sizeof plain);
        assert_int_equal(vkGetPhysicalDeviceImageFormatProperties(
                             t->physical, formats[i], VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                             VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                             VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT, &resident),
                         VK_ERROR_FORMAT_NOT_SUPPORTED);
        count = 7;
        vkGetPhysicalDeviceSparseImageFormatProperties(t->physical, formats[i], VK_IMAGE_TYPE_2D, VK_SAMPLE_COUNT_1_BIT,
                                                       VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_IMAGE_TILING_OPTIMAL, &count,
                                                       NULL);
        assert_int_equal(count, 0);
        VkPhysicalDeviceSparseImageFormatInfo2 info = {.sType =
                                                           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SPARSE_IMAGE_FORMAT_INFO_2,
                                                       .format = formats[i],
                                                       .type = VK_IMAGE_TYPE_2D,
                                                       .samples = VK_SAMPLE_COUNT_1_BIT,
                                                       .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
        count = 7;
        vkGetPhysicalDeviceSparseImageFormatProperties2(t->physical, &info, &count, NULL);
        assert_int_equal(count, 0);
    }
}

static VkExternalMemoryFeatureFlags external_features(VkBufferCreateFlags flags,
                                                      VkExternalMemoryHandleTypeFlagBits type)
{
    VkExternalBufferProperties p = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    vkGetPhysicalDeviceExternalBufferProperties(
        vkt_device(VKT_TESTED)->physical,
        &(VkPhysicalDeviceExternalBufferInfo){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
                                              .flags = flags,
                                              .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                              .handleType = type},
        &p);
    return p.externalMemoryProperties.externalMemoryFeatures;
}

/* Memory of the program cannot be bound to sparse buffers, memory shared by descriptor can. */
static void external_memory_is_reported(void **state)
{
    NEEDS_SPARSE();
    assert_int_equal(external_features(RESIDENT, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT),
                     external_features(0, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT));
    assert_true(external_features(0, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT));
    assert_false(
        external_features(VK_BUFFER_CREATE_SPARSE_BINDING_BIT, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT));
}

/* Requirements of buffers and images, and of those that do not exist, also when no address range is free. */
static void requirements_are_whole_blocks(void **state)
{
    NEEDS_SPARSE();
    struct vkt t = open_device();
    struct sparse small = create_buffer(&t, 1, RESIDENT, STORAGE);
    const uint32_t block_B = small.block_B;
    const VkImageCreateInfo image_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                          .flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT,
                                          .imageType = VK_IMAGE_TYPE_2D,
                                          .format = VK_FORMAT_R8G8B8A8_UNORM,
                                          .extent = {300, 200, 1},
                                          .mipLevels = 3,
                                          .arrayLayers = 2,
                                          .samples = VK_SAMPLE_COUNT_1_BIT,
                                          .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
    VkImage image;
    vkt_ok(vkCreateImage(t.device, &image_info, NULL, &image));
    VkMemoryRequirements of_image;
    uint32_t count = 7;
    vkGetImageMemoryRequirements(t.device, image, &of_image);
    vkGetImageSparseMemoryRequirements(t.device, image, &count, NULL);
    assert_int_equal(count, 0);
    const VkImageSparseMemoryRequirementsInfo2 sparse_info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_SPARSE_MEMORY_REQUIREMENTS_INFO_2, .image = image};
    count = 7;
    vkGetImageSparseMemoryRequirements2(t.device, &sparse_info, &count, NULL);
    assert_int_equal(count, 0);
    assert_int_equal(of_image.alignment, block_B);
    assert_true(of_image.size >= 300 * 200 * 4 * 2 && of_image.size % block_B == 0);
    vkDestroyImage(t.device, image, NULL);
    destroy(&t, &small);
    struct sparse most = create_buffer(&t, (uint32_t)((UINT64_C(1) << 31) / block_B), RESIDENT, STORAGE);
    VkBuffer more;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .flags = RESIDENT, .size = 5 * block_B - 3, .usage = STORAGE};
    assert_int_equal(vkCreateBuffer(t.device, &info, NULL, &more), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(vkCreateImage(t.device, &image_info, NULL, &image), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    VkMemoryRequirements2 req = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    const VkDeviceBufferMemoryRequirements of_buffer = {.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS,
                                                        .pCreateInfo = &info};
    vkGetDeviceBufferMemoryRequirements(t.device, &of_buffer, &req);
    assert_int_equal(req.memoryRequirements.size, 5 * block_B);
    assert_int_equal(req.memoryRequirements.alignment, block_B);
    const VkDeviceImageMemoryRequirements of_device_image = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS, .pCreateInfo = &image_info};
    vkGetDeviceImageMemoryRequirements(t.device, &of_device_image, &req);
    assert_int_equal(req.memoryRequirements.size, of_image.size);
    assert_int_equal(req.memoryRequirements.alignment, block_B);
    count = 7;
    vkGetDeviceImageSparseMemoryRequirements(t.device, &of_device_image, &count, NULL);
    assert_int_equal(count, 0);
    destroy(&t, &most);
    vkt_ok(vkCreateBuffer(t.device, &info, NULL, &more));
    vkDestroyBuffer(t.device, more, NULL);
    vkt_device_close(&t);
}

/* ---------------------------------------------------------------- blocks of buffers */

/* Every block of a buffer in two memory objects, in another order, in one call. */
static void all_blocks_are_bound(void **state)
{
    NEEDS_SPARSE();
    enum { BLOCKS = 9 };
    static const uint8_t order[BLOCKS] = {4, 0, 1, 2, 8, 7, 3, 5, 6};
    struct vkt t = open_device();
    struct sparse s = create_buffer(&t, BLOCKS, VK_BUFFER_CREATE_SPARSE_BINDING_BIT, STORAGE);
    struct memory m[2] = {allocate(&t, BLOCKS * s.block_B, NULL), allocate(&t, BLOCKS * s.block_B, NULL)};
    VkSparseMemoryBind binds[BLOCKS];
    for (uint32_t i = 0; i < BLOCKS; i++)
        binds[i] = block_bind(&s, i, m[i % 2].memory, order[i]);
    bind_all(&t, &s, binds, BLOCKS);
    for (uint32_t i = 0; i < BLOCKS; i++)
        fill(&t, s.buffer, (VkDeviceSize)i * s.block_B, s.block_B, i + 100);
    for (uint32_t i = 0; i < BLOCKS; i++)
        assert_words(m[i % 2].words + (size_t)order[i] * s.block_B / 4, s.block_B, i + 100);
    fill(&t, s.buffer, 0, VK_WHOLE_SIZE, 7); /* over all boundaries at once */
    for (uint32_t i = 0; i < BLOCKS; i++)
        assert_words(m[i % 2].words + (size_t)order[i] * s.block_B / 4, s.block_B, 7);
    for (uint32_t i = 0; i < BLOCKS; i++)
        assert_words(m[1 - i % 2].words + (size_t)order[i] * s.block_B / 4, s.block_B, 0); /* nobody's */
    destroy(&t, &s);
    assert_int_equal(m[0].words[4 * (s.block_B / 4)], 7); /* memory outlives the buffer */
    release(&t, &m[0]);
    release(&t, &m[1]);
    vkt_device_close(&t);
}

/* Some blocks are bound, one after the other, bound again and unbound. */
static void blocks_come_and_go(void **state)
{
    NEEDS_SPARSE();
    struct vkt t = open_device();
    struct sparse s = create_buffer(&t, 6, RESIDENT, STORAGE);
    struct memory a = allocate(&t, 3 * s.block_B, NULL), b = allocate(&t, 3 * s.block_B, NULL);
    for (uint32_t i = 0; i < 3 * s.block_B / 4; i++) {
        a.words[i] = 0xa0 + i / (s.block_B / 4);
        b.words[i] = 0xb0 + i / (s.block_B / 4);
    }
    bind(&t, &s, 4, &a, 1);
    bind(&t, &s, 1, &b, 2);
    assert_int_equal(read_word(&t, &s, 4), 0xa1);
    assert_int_equal(read_word(&t, &s, 1), 0xb2);
    fill(&t, s.buffer, 0, VK_WHOLE_SIZE, 1); /* unbound blocks take writes without harm */
    assert_words(a.words, s.block_B, 0xa0);
    assert_words(a.words + s.block_B / 4, s.block_B, 1);
    assert_words(b.words + 2 * s.block_B / 4, s.block_B, 1);
    assert_words(b.words, 2 * s.block_B / 2, 0xb0);
    bind(&t, &s, 4, &b, 0); /* bound again: the old memory keeps what it has */
    assert_int_equal(read_word(&t, &s, 4), 0xb0);
    fill(&t, s.buffer, 4 * s.block_B, s.block_B, 2);
    assert_words(a.words + s.block_B / 4, s.block_B, 1);
    assert_words(b.words, s.block_B, 2);
    bind(&t, &s, 4, &a, 1);
    assert_int_equal(read_word(&t, &s, 4), 1);
    bind(&t, &s, 4, NULL, NONE);
    fill(&t, s.buffer, 4 * s.block_B, s.block_B, 3); /* reaches no memory */
    assert_words(a.words + s.block_B / 4, s.block_B, 1);
    assert_int_equal(read_word(&t, &s, 1), 1);
    VkSparseMemoryBind whole = {.size = 6 * s.block_B};
    bind_all(&t, &s, &whole, 1);
    fill(&t, s.buffer, 0, VK_WHOLE_SIZE, 4);
    assert_words(b.words + 2 * s.block_B / 4, s.block_B, 1);
    destroy(&t, &s);
    release(&t, &a);
    release(&t, &b);
    vkt_device_close(&t);
}

/* A buffer that ends within a block; the range of its bindings may end there too. */
static void the_last_block_is_shorter(void **state)
{
    NEEDS_SPARSE();
    struct vkt t = open_device();
    struct sparse like = create_buffer(&t, 1, RESIDENT, STORAGE), s = like;
    const VkDeviceSize size_B = like.block_B + 1000;
    vkt_ok(vkCreateBuffer(
        t.device,
        &(VkBufferCreateInfo){
            .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .flags = RESIDENT, .size = size_B, .usage = STORAGE},
        NULL, &s.buffer));
    vkGetBufferMemoryRequirements(t.device, s.buffer, &s.req);
    assert_int_equal(s.req.size, 2 * s.block_B);
    struct memory m = allocate(&t, s.req.size, NULL);
    const VkSparseMemoryBind binds[] = {block_bind(&s, 0, m.memory, 1), block_bind(&s, 1, m.memory, 0)};
    bind_all(&t, &s, binds, 2);
    fill(&t, s.buffer, 0, VK_WHOLE_SIZE, 5);
    assert_words(m.words, 1000, 5);
    assert_int_equal(m.words[250], 0); /* behind its end */
    assert_words(m.words + s.block_B / 4, s.block_B, 5);
    destroy(&t, &s);
    destroy(&t, &like);
    release(&t, &m);
    vkt_device_close(&t);
}

/* Two sparse buffers, an ordinary one and the mapping have the same memory. */
static void memory_is_shared(void **state)
{
    NEEDS_SPARSE();
    struct vkt t = open_device();
    struct sparse a = create_buffer(&t, 2, RESIDENT, STORAGE), b = create_buffer(&t, 3, RESIDENT, STORAGE);
    struct memory m = allocate(&t, 2 * a.block_B, NULL);
    VkBuffer plain;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 2 * a.block_B, .usage = STORAGE};
    vkt_ok(vkCreateBuffer(t.device, &info, NULL, &plain));
    vkt_ok(vkBindBufferMemory(t.device, plain, m.memory, 0));
    bind(&t, &a, 0, &m, 1);
    bind(&t, &a, 1, &m, 1); /* twice in one buffer */
    bind(&t, &b, 2, &m, 1);
    fill(&t, a.buffer, 0, a.block_B, 11);
    assert_int_equal(read_word(&t, &a, 1), 11);
    assert_int_equal(read_word(&t, &b, 2), 11);
    assert_int_equal(m.words[a.block_B / 4 + 3], 11);
    fill(&t, plain, a.block_B, a.block_B, 12);
    assert_int_equal(read_word(&t, &a, 0), 12);
    assert_int_equal(read_word(&t, &b, 2), 12);
    m.words[a.block_B / 4 + 3] = 13;
    assert_int_equal(read_word(&t, &a, 0), 13);
    assert_int_equal(read_word(&t, &a, 1), 13);
    assert_int_equal(m.words[3], 0);
    vkDestroyBuffer(t.device, plain, NULL);
    destroy(&t, &a);
    assert_int_equal(read_word(&t, &b, 2), 13);
    destroy(&t, &b);
    release(&t, &m);
    vkt_device_close(&t);
}

/* Programs read and write ranges that lie over boundaries of blocks. */
static void programs_cross_blocks(void **state)
{
    NEEDS_SPARSE();
    struct vkt t = open_device();
    struct sparse s = create_buffer(&t, 4, RESIDENT, STORAGE);
    struct memory m = allocate(&t, 8 * s.block_B, NULL);
    static const uint32_t at[] = {6, 1, 3, 0};
    VkSparseMemoryBind binds[4];
    for (uint32_t i = 0; i < 4; i++)
        binds[i] = block_bind(&s, i, m.memory, at[i]);
    bind_all(&t, &s, binds, 4);
    float *floats = (float *)m.words;
    const uint32_t words = s.block_B / 4;
    for (uint32_t i = 0; i < 32; i++) /* 16 at the end of each block, 16 at the beginning of the next */
        for (uint32_t k = 0; k < 2; k++)
            floats[i < 16 ? (at[k] + 1) * words - 16 + i : at[k + 1] * words + i - 16] = (float)((k ? 1000 : 1) * i);
    struct vkt_compute c = vkt_compute_create_simple(&t, VKT_SHADER(compute_add_comp), 3, 0, NULL);
    VkDescriptorSet set = vkt_set_alloc(&t, c.set_layouts[0]);
    for (uint32_t i = 0; i < 3; i++)
        vkt_set_buffer(&t, set, i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, s.buffer, (VkDeviceSize)(i + 1) * s.block_B - 64,
                       128);
    VkCommandBuffer cmd = vkt_begin(&t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(&t, cmd);
    for (uint32_t i = 0; i < 32; i++)
        assert_float_equal(floats[i < 16 ? (at[2] + 1) * words - 16 + i : at[3] * words + i - 16], 1001 * (float)i, 0);
    vkt_compute_destroy(&t, &c);
    destroy(&t, &s);
    release(&t, &m);
    vkt_device_close(&t);
}

/* Memory is freed while it is bound, and used by others; then the buffer is bound to other memory, or destroyed. */
static void memory_is_freed_while_bound(void **state)
{
    NEEDS_SPARSE();
    struct vkt t = open_device();
    struct sparse s = create_buffer(&t, 3, RESIDENT, STORAGE);
    for (uint32_t i = 0; i < 8; i++) {
        struct memory m = allocate(&t, 2 * s.block_B, NULL), other;
        bind(&t, &s, 0, &m, 1);
        bind(&t, &s, 2, &m, 0);
        fill(&t, s.buffer, 0, s.block_B, 9);
        release(&t, &m);
        other = allocate(&t, 2 * s.block_B, NULL);
        for (uint32_t k = 0; k < 2 * s.block_B / 4; k++)
            other.words[k] = 77;
        if (i % 2) {
            bind(&t, &s, 0, NULL, NONE);
            bind(&t, &s, 2, NULL, NONE);
        } else {
            destroy(&t, &s);
            s = create_buffer(&t, 3, RESIDENT, STORAGE);
        }
        fill(&t, s.buffer, 0, VK_WHOLE_SIZE, 9);
        assert_words(other.words, 2 * s.block_B, 77);
        release(&t, &other);
    }
    struct memory last = allocate(&t, s.block_B, NULL);
    bind(&t, &s, 1, &last, 0);
    release(&t, &last);
    destroy(&t, &s);
    vkt_device_close(&t);
}

/* ---------------------------------------------------------------- addresses */

struct node {
    VkDeviceAddress next;
    uint32_t value, visits;
};

#define ADDRESSED (STORAGE | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT)

static VkDeviceAddress address_of(struct vkt *t, VkBuffer buffer)
{
    return vkGetBufferDeviceAddress(
        t->device,
        &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffer});
}

/* A list in a sparse buffer, which a recorded command buffer walks again after the memory has been exchanged: the
 * address stays. */
static void addresses_stay(void **state)
{
    NEEDS_SPARSE();
    struct vkt t = open_device();
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    struct sparse s = create_buffer(&t, 3, RESIDENT, ADDRESSED), out = create_buffer(&t, 1, RESIDENT, ADDRESSED);
    struct memory m = allocate(&t, 8 * s.block_B, &flags);
    const VkDeviceAddress at = address_of(&t, s.buffer), results = address_of(&t, out.buffer);
    assert_true(at && results && at % 16 == 0);
    bind(&t, &out, 0, &m, 7);
    struct vkt_compute c = vkt_compute_create(&t, VKT_SHADER(addresses_list_comp), NULL, 0, 16, NULL);
    const uint64_t push[2] = {at, results};
    VkCommandBuffer cmd = vkt_begin(&t);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, c.pipeline);
    vkCmdPushConstants(cmd, c.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 3; i++) { /* a node in each block, each block somewhere in the memory */
            const uint32_t block = (3 * round + 2 * i) % 7;
            bind(&t, &s, i, &m, block);
            struct node *n = (struct node *)(m.words + block * s.block_B / 4);
            *n = (struct node){i < 2 ? at + (VkDeviceAddress)(i + 1) * s.block_B : 0, 100 * round + i, 0};
        }
        vkt_submit(&t, cmd);
        const uint32_t *got = m.words + 7 * s.block_B / 4;
        for (uint32_t i = 0, sum = 0; i < 3; i++) {
            sum += 100 * round + i;
            assert_int_equal(got[i], sum);
            const struct node *n = (struct node *)(m.words + (3 * round + 2 * i) % 7 * s.block_B / 4);
            assert_int_equal(n->visits, 16);
        }
        assert_int_equal(address_of(&t, s.buffer), at);
    }
    vkFreeCommandBuffers(t.device, t.pool, 1, &cmd);
    vkt_compute_destroy(&t, &c);
    destroy(&t, &s);
    destroy(&t, &out);
    release(&t, &m);
    vkt_device_close(&t);
}

/* A replayed buffer gets the address of an earlier run, if it is free. */
static void addresses_are_replayed(void **state)
{
    NEEDS_SPARSE();
    struct vkt t = open_device();
    const VkBufferCreateFlags flags = RESIDENT | VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
    struct sparse s = create_buffer(&t, 2, flags, ADDRESSED);
    VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = s.buffer};
    const uint64_t capture = vkGetBufferOpaqueCaptureAddress(t.device, &info);
    const VkDeviceAddress at = address_of(&t, s.buffer);
    VkBufferOpaqueCaptureAddressCreateInfo replay = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO, .opaqueCaptureAddress = capture};
    const VkBufferCreateInfo again = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .pNext = &replay,
                                      .flags = flags,
                                      .size = 2 * s.block_B,
                                      .usage = ADDRESSED};
    VkBuffer buffer;
    assert_int_equal(vkCreateBuffer(t.device, &again, NULL, &buffer), VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS);
    destroy(&t, &s);
    vkt_ok(vkCreateBuffer(t.device, &again, NULL, &buffer));
    assert_int_equal(address_of(&t, buffer), at);
    vkDestroyBuffer(t.device, buffer, NULL);
    vkt_device_close(&t);
}

/* ---------------------------------------------------------------- order */

static VkSemaphore create_semaphore(struct vkt *t, bool is_timeline)
{
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                        .pNext = is_timeline ? &type : NULL};
    VkSemaphore semaphore;
    vkt_ok(vkCreateSemaphore(t->device, &info, NULL, &semaphore));
    return semaphore;
}

static VkCommandBuffer record_copy(struct vkt *t, const struct sparse *s, const struct vkt_buffer *out, uint32_t at)
{
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdCopyBuffer(cmd, s->buffer, out->buffer, 1, &(VkBufferCopy){.srcOffset = 12, .dstOffset = 4 * at, .size = 4});
    vkt_barrier_all(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    return cmd;
}

/* Copies and bindings in turn, ordered by binary semaphores alone, and submitted before any of them has run. */
static void semaphores_order_bindings(void **state)
{
    NEEDS_SPARSE();
    enum { ROUNDS = 40 };
    struct vkt t = open_device();
    struct sparse s = create_buffer(&t, 1, RESIDENT, STORAGE);
    struct memory m = allocate(&t, 4 * s.block_B, NULL);
    struct vkt_buffer out = vkt_storage_buffer(&t, ROUNDS, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    VkSemaphore bound[ROUNDS], copied[ROUNDS];
    VkCommandBuffer cmds[ROUNDS];
    VkFence fence = create_fence(&t);
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    for (uint32_t i = 0; i < 4; i++)
        m.words[i * s.block_B / 4 + 3] = i + 50;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        bound[i] = create_semaphore(&t, false);
        copied[i] = create_semaphore(&t, false);
        cmds[i] = record_copy(&t, &s, &out, i);
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const VkSparseMemoryBind one = block_bind(&s, 0, m.memory, i % 4);
        const VkSparseBufferMemoryBindInfo of = {s.buffer, 1, &one};
        const VkDeviceGroupBindSparseInfo group = {.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_BIND_SPARSE_INFO};
        VkBindSparseInfo info = buffer_info(&of);
        info.pNext = &group;
        info.waitSemaphoreCount = i > 0;
        info.pWaitSemaphores = i ? &copied[i - 1] : NULL;
        info.signalSemaphoreCount = 1;
        info.pSignalSemaphores = &bound[i];
        vkt_ok(vkQueueBindSparse(t.queue, 1, &info, VK_NULL_HANDLE));
        vkt_ok(vkQueueSubmit(t.queue, 1,
                             &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                             .waitSemaphoreCount = 1,
                                             .pWaitSemaphores = &bound[i],
                                             .pWaitDstStageMask = &stage,
                                             .commandBufferCount = 1,
                                             .pCommandBuffers = &cmds[i],
                                             .signalSemaphoreCount = 1,
                                             .pSignalSemaphores = &copied[i]},
                             i + 1 == ROUNDS ? fence : VK_NULL_HANDLE));
    }
    wait_fence(&t, fence);
    for (uint32_t i = 0; i < ROUNDS; i++)
        assert_int_equal(((uint32_t *)out.map)[i], i % 4 + 50);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        vkDestroySemaphore(t.device, bound[i], NULL);
        vkDestroySemaphore(t.device, copied[i], NULL);
    }
    vkFreeCommandBuffers(t.device, t.pool, ROUNDS, cmds);
    vkt_buffer_destroy(&t, &out);
    destroy(&t, &s);
    release(&t, &m);
    vkt_device_close(&t);
}

/* A device with two queues: of two families, or of one. `t.queue` is the first. */
struct pair {
    struct vkt t;
    VkQueue second;
};

static struct pair open_pair(void)
{
    struct pair p = {.t = *vkt_device(VKT_TESTED)};
    VkQueueFamilyProperties families[8];
    uint32_t count = VKT_COUNT(families);
    vkGetPhysicalDeviceQueueFamilyProperties(p.t.physical, &count, families);
    const bool is_one = count < 2 || !(families[1].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT);
    const VkDeviceQueueCreateInfo queues[] = {
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueCount = is_one ? 2 : 1,
         .pQueuePriorities = (const float[]){1, 1}},
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueFamilyIndex = 1,
         .queueCount = 1,
         .pQueuePriorities = (const float[]){1}},
    };
    const VkPhysicalDeviceVulkan12Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                       .timelineSemaphore = VK_TRUE};
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features,
        .queueCreateInfoCount = is_one ? 1 : 2,
        .pQueueCreateInfos = queues,
        .pEnabledFeatures = &(VkPhysicalDeviceFeatures){
            .sparseBinding = VK_TRUE, .sparseResidencyBuffer = VK_TRUE, .sparseResidencyAliased = VK_TRUE}};
    vkt_ok(vkCreateDevice(p.t.physical, &info, NULL, &p.t.device));
    vkGetDeviceQueue(p.t.device, 0, 0, &p.t.queue);
    vkGetDeviceQueue(p.t.device, is_one ? 0 : 1, is_one ? 1 : 0, &p.second);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    vkt_ok(vkCreateCommandPool(p.t.device, &pool, NULL, &p.t.pool));
    p.t.descriptors = VK_NULL_HANDLE;
    return p;
}

static void *signal_later(void *arg)
{
    void **args = arg;
    usleep(50000);
    const VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = (VkSemaphore)args[1], .value = 1};
    vkSignalSemaphore((VkDevice)args[0], &info);
    return NULL;
}

/* A binding waits for a value that a thread signals later; until then another queue uses the old memory. A second batch
 * follows in the same call. */
static void a_binding_waits_for_a_timeline(void **state)
{
    NEEDS_SPARSE();
    /* The layer's thread may take the signals of bindings for unfinished for ten seconds, and calls that its own bug. */
    vkt_accept_message(vkt_device(VKT_TESTED), "UNASSIGNED-VkSemaphore-state-timeout");
    struct pair p = open_pair();
    struct vkt *t = &p.t;
    struct sparse s = create_buffer(t, 2, RESIDENT, STORAGE);
    struct memory m = allocate(t, 3 * s.block_B, NULL);
    for (uint32_t i = 0; i < 3; i++)
        m.words[i * s.block_B / 4 + 3] = i + 60;
    bind(t, &s, 0, &m, 0);
    VkSemaphore timeline = create_semaphore(t, true);
    const uint64_t values[] = {1, 2, 3};
    const VkSparseMemoryBind binds[] = {block_bind(&s, 0, m.memory, 1), block_bind(&s, 1, m.memory, 2)};
    const VkSparseBufferMemoryBindInfo of[] = {{s.buffer, 1, &binds[0]}, {s.buffer, 1, &binds[1]}};
    VkTimelineSemaphoreSubmitInfo chain[2];
    VkBindSparseInfo infos[2];
    for (uint32_t i = 0; i < 2; i++) {
        chain[i] = (VkTimelineSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                   .waitSemaphoreValueCount = 1,
                                                   .pWaitSemaphoreValues = &values[i],
                                                   .signalSemaphoreValueCount = 1,
                                                   .pSignalSemaphoreValues = &values[i + 1]};
        infos[i] = buffer_info(&of[i]);
        infos[i].pNext = &chain[i];
        infos[i].waitSemaphoreCount = infos[i].signalSemaphoreCount = 1;
        infos[i].pWaitSemaphores = infos[i].pSignalSemaphores = &timeline;
    }
    VkFence fence = create_fence(t);
    vkt_ok(vkQueueBindSparse(p.second, 2, infos, fence));
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(read_word(t, &s, 0), 60);
    assert_int_equal(vkGetFenceStatus(t->device, fence), VK_NOT_READY);
    pthread_t thread;
    void *args[] = {t->device, (void *)timeline};
    assert_int_equal(pthread_create(&thread, NULL, signal_later, args), 0);
    const VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &timeline,
                                      .pValues = &values[2]};
    vkt_ok(vkWaitSemaphores(t->device, &wait, LONG_NS));
    wait_fence(t, fence);
    pthread_join(thread, NULL);
    assert_int_equal(read_word(t, &s, 0), 61);
    assert_int_equal(read_word(t, &s, 1), 62);
    fence = create_fence(t); /* calls without batches, and batches without bindings */
    vkt_ok(vkQueueBindSparse(p.second, 0, NULL, fence));
    wait_fence(t, fence);
    fence = create_fence(t);
    vkt_ok(vkQueueBindSparse(t->queue, 1, &(VkBindSparseInfo){.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO}, fence));
    wait_fence(t, fence);
    vkDestroySemaphore(t->device, timeline, NULL);
    destroy(t, &s);
    release(t, &m);
    vkt_device_close(t);
}

struct binder {
    struct pair *p;
    const struct sparse *s;
    VkDeviceMemory memory;
    VkFence fence;
    bool failed;
};

enum { BINDINGS = 300 };

/* Binds the odd blocks over and over on the second queue. */
static void *bind_often(void *arg)
{
    struct binder *b = arg;
    VkDevice device = b->p->t.device;
    for (uint32_t i = 0; i < BINDINGS && !b->failed; i++) {
        VkSparseMemoryBind binds[4];
        for (uint32_t k = 0; k < 4; k++)
            binds[k] = block_bind(b->s, 2 * k + 1, b->memory, (i + k) % 8);
        const VkSparseBufferMemoryBindInfo of = {b->s->buffer, 4, binds};
        const VkBindSparseInfo info = buffer_info(&of);
        b->failed = vkQueueBindSparse(b->p->second, 1, &info, b->fence) != VK_SUCCESS ||
                    vkWaitForFences(device, 1, &b->fence, VK_TRUE, LONG_NS) != VK_SUCCESS ||
                    vkResetFences(device, 1, &b->fence) != VK_SUCCESS;
    }
    return NULL;
}

/* A thread binds blocks of a buffer while another one uses the blocks between them, and their neighbours in memory. */
static void threads_bind_and_use(void **state)
{
    NEEDS_SPARSE();
    struct pair p = open_pair();
    struct vkt *t = &p.t;
    struct sparse s = create_buffer(t, 8, RESIDENT, STORAGE);
    struct memory odd = allocate(t, 8 * s.block_B, NULL), even = allocate(t, 4 * s.block_B, NULL);
    for (uint32_t k = 0; k < 4; k++)
        bind(t, &s, 2 * k, &even, 3 - k);
    for (uint32_t k = 0; k < 8; k++)
        odd.words[k * s.block_B / 4 + 3] = 500 + k;
    struct binder b = {&p, &s, odd.memory, create_fence(t), false};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, bind_often, &b), 0);
    for (uint32_t i = 0; i < 60; i++) {
        const uint32_t k = i % 4;
        fill(t, s.buffer, 2 * k * (VkDeviceSize)s.block_B, s.block_B, i);
        assert_words(even.words + (3 - k) * s.block_B / 4, s.block_B, i);
    }
    pthread_join(thread, NULL);
    assert_false(b.failed);
    for (uint32_t k = 0; k < 4; k++)
        assert_int_equal(read_word(t, &s, 2 * k + 1), 500 + (BINDINGS - 1 + k) % 8);
    vkDestroyFence(t->device, b.fence, NULL);
    destroy(t, &s);
    release(t, &odd);
    release(t, &even);
    vkt_device_close(t);
}

/* ---------------------------------------------------------------- images */

/* Draws a texture with levels, and returns the picture. */
static struct vkt_picture draw(struct vkt *t, uint32_t side_px)
{
    const uint32_t width = side_px, height = side_px / 2 + 7;
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = width,
                                    .height = height,
                                    .levels = 3,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    uint8_t *texels = malloc(4 * width * height);
    for (uint32_t level = 0; level < 3; level++) {
        const uint32_t size_B = 4 * (width >> level) * (height >> level);
        for (uint32_t i = 0; i < size_B; i++)
            texels[i] = (uint8_t)(i * 2654435761u >> 13 ^ level << 6);
        vkt_image_upload(t, &image, level, 0, texels, size_B);
    }
    free(texels);
    struct vkt_target target = vkt_target_create(t, side_px, side_px, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    VkDescriptorSetLayout layout = vkt_set_layout_create(
        t, &(struct vkt_binding){VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 0}, 1);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    VkSampler sampler =
        vkt_sampler_create(t, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 3);
    vkt_set_texture(t, set, 0, image.view, sampler);
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                       .vs = VKT_SHADER(full_vert),
                                                       .fs = VKT_SHADER(texture_frag),
                                                       .pass = target.pass,
                                                       .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                       .width = side_px,
                                                       .height = side_px,
                                                       .set_layouts = {layout},
                                                       .set_layout_count = 1,
                                                   });
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture picture = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &p);
    vkDestroySampler(t->device, sampler, NULL);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    vkt_target_destroy(t, &target);
    vkt_image_destroy(t, &image);
    return picture;
}

/* The texture is read and the picture drawn in memory whose blocks come in another order: as in ordinary memory. */
static void images_are_sampled_and_drawn(void **state)
{
    NEEDS_SPARSE();
    struct vkt plain = open_device(), sparse = plain;
    sparse.makes_sparse = true;
    for (uint32_t side_px = 40; side_px <= 700; side_px = side_px * 2 + 13) {
        struct vkt_picture expected = draw(&plain, side_px), got = draw(&sparse, side_px);
        vkt_compare("sparse_images", &expected, &got, (struct vkt_tolerance){0, 0});
        vkt_picture_free(&expected);
        vkt_picture_free(&got);
    }
    vkt_device_close(&plain);
}

/* Two images of the same memory, which is also a sparse buffer's. */
static void images_share_memory(void **state)
{
    NEEDS_SPARSE();
    struct vkt t = open_device();
    VkImage images[2];
    VkMemoryRequirements req;
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_ALIAS_BIT,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .extent = {256, 256, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .tiling = VK_IMAGE_TILING_LINEAR,
                                    .initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED,
                                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    for (uint32_t i = 0; i < 2; i++)
        vkt_ok(vkCreateImage(t.device, &info, NULL, &images[i]));
    vkGetImageMemoryRequirements(t.device, images[0], &req);
    struct sparse s = create_buffer(&t, (uint32_t)(req.size / req.alignment), RESIDENT, STORAGE);
    struct memory m = allocate(&t, req.size, NULL);
    vkt_bind_sparse_image(&t, images[0], m.memory);
    vkt_bind_sparse_image(&t, images[1], m.memory);
    for (uint32_t i = 0; i < s.blocks; i++)
        bind(&t, &s, i, &m, s.blocks - 1 - i);
    const struct vkt_image first = {.image = images[0], .aspect = VK_IMAGE_ASPECT_COLOR_BIT, .levels = 1, .layers = 1};
    VkCommandBuffer cmd = vkt_begin(&t);
    vkt_image_barrier(cmd, &first, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdClearColorImage(cmd, images[0], VK_IMAGE_LAYOUT_GENERAL, &(VkClearColorValue){.float32 = {1, 0, 0.2f, 1}}, 1,
                         &(VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1});
    vkt_barrier_all(cmd);
    vkt_end_submit(&t, cmd);
    uint32_t word;
    read_words(&t, s.buffer, 4 * 5000, 1, &word);
    assert_int_equal(word, 0xff3300ff);
    fill(&t, s.buffer, 0, VK_WHOLE_SIZE, 0xff112233);
    const struct vkt_image second = {.image = images[1], .aspect = VK_IMAGE_ASPECT_COLOR_BIT, .levels = 1, .layers = 1};
    struct vkt_buffer out = vkt_storage_buffer(&t, 256 * 256, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    cmd = vkt_begin(&t);
    vkt_image_barrier(cmd, &second, VK_IMAGE_LAYOUT_PREINITIALIZED, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdCopyImageToBuffer(
        cmd, images[1], VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1,
        &(VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {256, 256, 1}});
    vkt_barrier_all(cmd);
    vkt_end_submit(&t, cmd);
    assert_words(out.map, 256 * 256 * 4, 0xff112233);
    vkt_buffer_destroy(&t, &out);
    destroy(&t, &s);
    vkDestroyImage(t.device, images[0], NULL);
    vkDestroyImage(t.device, images[1], NULL);
    release(&t, &m);
    vkt_device_close(&t);
}

/* ---------------------------------------------------------------- shared memory */

static struct sparse create_shared(struct vkt *t, uint32_t block_B)
{
    struct sparse s = {.block_B = block_B, .blocks = 2};
    const VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                       .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    vkt_ok(vkCreateBuffer(t->device,
                          &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                                .pNext = &external,
                                                .flags = RESIDENT,
                                                .size = 2 * block_B,
                                                .usage = STORAGE},
                          NULL, &s.buffer));
    vkGetBufferMemoryRequirements(t->device, s.buffer, &s.req);
    assert_int_equal(s.req.alignment, block_B);
    return s;
}

/* Exported memory and imported memory are bound on two devices. */
static void shared_memory_is_bound(void **state)
{
    NEEDS_SPARSE();
    static const char *const extensions[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME};
    struct vkt here = vkt_device_create_sparse(vkt_device(VKT_TESTED), extensions, 1),
               there = vkt_device_create_sparse(vkt_device(VKT_TESTED), extensions, 1);
    struct sparse probe = create_buffer(&here, 1, RESIDENT, STORAGE);
    destroy(&here, &probe);
    struct sparse a = create_shared(&here, probe.block_B), b = create_shared(&there, probe.block_B);
    const VkExportMemoryAllocateInfo export = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                               .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    struct memory m = allocate(&here, 2 * a.block_B, &export);
    PFN_vkGetMemoryFdKHR get = (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(here.device, "vkGetMemoryFdKHR");
    VkImportMemoryFdInfoKHR import = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
                                      .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    vkt_ok(get(here.device,
               &(VkMemoryGetFdInfoKHR){.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                       .memory = m.memory,
                                       .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT},
               &import.fd));
    struct memory same = allocate(&there, 2 * a.block_B, &import);
    bind(&here, &a, 0, &m, 1);
    bind(&there, &b, 1, &same, 1);
    fill(&here, a.buffer, 0, a.block_B, 21);
    assert_int_equal(read_word(&there, &b, 1), 21);
    assert_int_equal(same.words[a.block_B / 4 + 3], 21);
    fill(&there, b.buffer, b.block_B, b.block_B, 22);
    assert_int_equal(read_word(&here, &a, 0), 22);
    assert_int_equal(m.words[a.block_B / 4 + 3], 22);
    destroy(&there, &b);
    release(&there, &same);
    vkt_device_close(&there);
    assert_int_equal(read_word(&here, &a, 0), 22);
    destroy(&here, &a);
    release(&here, &m);
    vkt_device_close(&here);
}

/* ---------------------------------------------------------------- refusals */

static VkResult try_bind(struct vkt *t, VkBuffer buffer, VkSparseMemoryBind bind)
{
    const VkSparseBufferMemoryBindInfo of = {buffer, 1, &bind};
    const VkBindSparseInfo info = buffer_info(&of);
    VkFence fence = create_fence(t);
    const VkResult result = vkQueueBindSparse(t->queue, 1, &info, fence);
    if (result == VK_SUCCESS)
        vkt_ok(vkWaitForFences(t->device, 1, &fence, VK_TRUE, LONG_NS));
    else
        assert_int_equal(vkGetFenceStatus(t->device, fence), VK_NOT_READY);
    vkDestroyFence(t->device, fence, NULL);
    return result;
}

static void refuse_host_memory(struct vkt *t, const struct sparse *s)
{
    void *host = aligned_alloc(s->block_B, s->block_B);
    const VkImportMemoryHostPointerInfoEXT pointer = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
                                                      .handleType =
                                                          VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
                                                      .pHostPointer = host};
    struct memory m = allocate(t, s->block_B, &pointer);
    assert_int_equal(try_bind(t, s->buffer, block_bind(s, 0, m.memory, 0)), VK_ERROR_UNKNOWN);
    release(t, &m);
    free(host);
}

static void refuse_bindings(void)
{
    static const char *const extensions[] = {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
    struct vkt t = vkt_device_create_sparse(vkt_device(VKT_TESTED), extensions, 1);
    struct sparse s = create_buffer(&t, 4, RESIDENT, STORAGE);
    struct memory m = allocate(&t, 2 * s.block_B, NULL);
    VkBuffer plain;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = s.block_B, .usage = STORAGE};
    vkt_ok(vkCreateBuffer(t.device, &info, NULL, &plain));
    m.words[3] = 5;
    bind(&t, &s, 0, &m, 0);
    const VkSparseMemoryBind good = block_bind(&s, 1, m.memory, 1);
    VkSparseMemoryBind bad[8];
    for (uint32_t i = 0; i < VKT_COUNT(bad); i++)
        bad[i] = good;
    bad[0].resourceOffset += 4096;
    bad[1].size = 4096;
    bad[2].memoryOffset -= 4096;
    bad[3].memoryOffset += s.block_B;
    bad[4].resourceOffset = 4 * s.block_B;
    bad[5].size = 4 * s.block_B;
    bad[6].resourceOffset = UINT64_MAX - s.block_B + 1;
    bad[7].memoryOffset = UINT64_MAX - s.block_B + 1;
    for (uint32_t i = 0; i < VKT_COUNT(bad); i++)
        assert_int_equal(try_bind(&t, s.buffer, bad[i]), VK_ERROR_UNKNOWN);
    assert_int_equal(try_bind(&t, plain, good), VK_ERROR_UNKNOWN);
    assert_int_equal(vkBindBufferMemory(t.device, s.buffer, m.memory, 0), VK_ERROR_UNKNOWN);
    refuse_host_memory(&t, &s);
    /* A call with a bad binding binds nothing. */
    const VkSparseMemoryBind both[] = {block_bind(&s, 0, m.memory, 1), bad[3]};
    const VkSparseBufferMemoryBindInfo of = {s.buffer, 2, both};
    const VkBindSparseInfo batch = buffer_info(&of);
    assert_int_equal(vkQueueBindSparse(t.queue, 1, &batch, VK_NULL_HANDLE), VK_ERROR_UNKNOWN);
    assert_int_equal(read_word(&t, &s, 0), 5);
    vkt_ok(try_bind(&t, s.buffer, good));
    vkDestroyBuffer(t.device, plain, NULL);
    destroy(&t, &s);
    release(&t, &m);
    vkt_device_close(&t);
}

static void refuse_creation(void)
{
    struct vkt t = vkt_device_create(vkt_device(VKT_TESTED)); /* with no feature enabled */
    VkBuffer buffer;
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .flags = RESIDENT, .size = 65536, .usage = STORAGE};
    assert_int_equal(vkCreateBuffer(t.device, &info, NULL, &buffer), VK_ERROR_FEATURE_NOT_PRESENT);
    vkt_device_close(&t);
    t = open_device();
    info.size = (UINT64_C(1) << 31) + 1;
    assert_int_equal(vkCreateBuffer(t.device, &info, NULL, &buffer), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    info.size = UINT64_MAX;
    assert_int_equal(vkCreateBuffer(t.device, &info, NULL, &buffer), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    VkImage image;
    VkImageCreateInfo image_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .extent = {16, 16, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
    assert_int_equal(vkCreateImage(t.device, &image_info, NULL, &image), VK_ERROR_FORMAT_NOT_SUPPORTED);
    image_info.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT;
    vkt_ok(vkCreateImage(t.device, &image_info, NULL, &image));
    struct memory m = allocate(&t, 65536, NULL);
    assert_int_equal(vkBindImageMemory(t.device, image, m.memory, 0), VK_ERROR_UNKNOWN);
    const VkSparseImageMemoryBind bind = {.extent = {16, 16, 1}, .memory = m.memory};
    const VkSparseImageMemoryBindInfo of = {image, 1, &bind};
    const VkBindSparseInfo batch = {
        .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .imageBindCount = 1, .pImageBinds = &of};
    assert_int_equal(vkQueueBindSparse(t.queue, 1, &batch, VK_NULL_HANDLE), VK_ERROR_UNKNOWN);
    vkDestroyImage(t.device, image, NULL);
    release(&t, &m);
    vkt_device_close(&t);
}

/* The layer would stop such calls, so this runs without it: in a child, which has an instance of its own, unless there
 * is no layer at all. */
static void misuse_is_refused(void **state)
{
    NEEDS_SPARSE();
    if (getenv("VKT_NO_VALIDATION")) {
        refuse_bindings();
        refuse_creation();
        return;
    }
    fflush(stdout);
    const pid_t pid = fork();
    if (!pid) {
        vkt_forget_devices();
        setenv("VKT_NO_VALIDATION", "1", 1);
        refuse_bindings();
        refuse_creation();
        fflush(stdout);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    vkt_request_version(VK_API_VERSION_1_3);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(queries_agree, vkt_check_messages),
        cmocka_unit_test_teardown(external_memory_is_reported, vkt_check_messages),
        cmocka_unit_test_teardown(requirements_are_whole_blocks, vkt_check_messages),
        cmocka_unit_test_teardown(all_blocks_are_bound, vkt_check_messages),
        cmocka_unit_test_teardown(blocks_come_and_go, vkt_check_messages),
        cmocka_unit_test_teardown(the_last_block_is_shorter, vkt_check_messages),
        cmocka_unit_test_teardown(memory_is_shared, vkt_check_messages),
        cmocka_unit_test_teardown(programs_cross_blocks, vkt_check_messages),
        cmocka_unit_test_teardown(memory_is_freed_while_bound, vkt_check_messages),
        cmocka_unit_test_teardown(addresses_stay, vkt_check_messages),
        cmocka_unit_test_teardown(addresses_are_replayed, vkt_check_messages),
        cmocka_unit_test_teardown(semaphores_order_bindings, vkt_check_messages),
        cmocka_unit_test_teardown(a_binding_waits_for_a_timeline, vkt_check_messages),
        cmocka_unit_test_teardown(threads_bind_and_use, vkt_check_messages),
        cmocka_unit_test_teardown(images_are_sampled_and_drawn, vkt_check_messages),
        cmocka_unit_test_teardown(images_share_memory, vkt_check_messages),
        cmocka_unit_test_teardown(shared_memory_is_bound, vkt_check_messages),
        cmocka_unit_test_teardown(misuse_is_refused, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_sparse", tests, NULL, vkt_teardown);
}
