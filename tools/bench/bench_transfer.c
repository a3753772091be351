/* SPDX-License-Identifier: MIT
 *
 * Transfer lines: blits, copies, clears, resolves and fills of a megapixel, TIMES of them in one command buffer.
 */
#include <string.h>
#include "bench.h"

enum { SIDE = 1024, TIMES = 8, REPEATS = 5 };

struct transfer {
    struct bench_device *d;
    VkCommandPool pool;
    VkCommandBuffer cmd;
    VkFence fence;
};

struct picture {
    VkImage image;
    VkDeviceMemory memory;
};

/* ---------------------------------------------------------------- set-up */

static bool init(struct transfer *t, struct bench_device *d)
{
    *t = (struct transfer){.d = d};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (vkCreateCommandPool(d->device, &pool, NULL, &t->pool) != VK_SUCCESS ||
        vkCreateFence(d->device, &fence, NULL, &t->fence) != VK_SUCCESS)
        return false;
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = t->pool,
                                              .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              .commandBufferCount = 1};
    return vkAllocateCommandBuffers(d->device, &info, &t->cmd) == VK_SUCCESS;
}

static void finish(struct transfer *t)
{
    vkDestroyFence(t->d->device, t->fence, NULL);
    vkDestroyCommandPool(t->d->device, t->pool, NULL);
}

static bool allocate(const struct bench_device *d, VkMemoryRequirements need, VkDeviceMemory *out)
{
    uint32_t type = 0;
    while (type < d->memory.memoryTypeCount && !(need.memoryTypeBits & 1u << type))
        type++;
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need.size, .memoryTypeIndex = type};
    return vkAllocateMemory(d->device, &info, NULL, out) == VK_SUCCESS;
}

static bool make_image(struct transfer *t, VkFormat format, uint32_t side_px, VkSampleCountFlagBits samples,
                       struct picture *out)
{
    VkMemoryRequirements need;
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = {side_px, side_px, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = samples,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
    };
    if (vkCreateImage(t->d->device, &info, NULL, &out->image) != VK_SUCCESS)
        return false;
    vkGetImageMemoryRequirements(t->d->device, out->image, &need);
    return allocate(t->d, need, &out->memory) &&
           vkBindImageMemory(t->d->device, out->image, out->memory, 0) == VK_SUCCESS;
}

static void destroy_image(struct transfer *t, struct picture *p)
{
    vkDestroyImage(t->d->device, p->image, NULL);
    vkFreeMemory(t->d->device, p->memory, NULL);
}

static void barrier(VkCommandBuffer cmd)
{
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0,
                         NULL, 0, NULL);
}

static void to_general(VkCommandBuffer cmd, VkImage image)
{
    const VkImageMemoryBarrier first = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .image = image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
    };
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1,
                         &first);
}

static bool submit(struct transfer *t)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &t->cmd};
    return vkEndCommandBuffer(t->cmd) == VK_SUCCESS &&
           vkQueueSubmit(t->d->queue, 1, &info, t->fence) == VK_SUCCESS &&
           vkWaitForFences(t->d->device, 1, &t->fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS &&
           vkResetFences(t->d->device, 1, &t->fence) == VK_SUCCESS;
}

static bool begin(struct transfer *t)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    return vkBeginCommandBuffer(t->cmd, &info) == VK_SUCCESS;
}

/* The arguments of the command that a line records TIMES times. */
struct operands {
    struct picture from, to;
    VkBuffer buffer;
    uint32_t from_px, to_px;
    VkFilter filter;
};
typedef void (*record_fn)(VkCommandBuffer cmd, const struct operands *o);

/* Measures the best of several submissions. A first one is not measured, because it touches memory for the first time.
 */
static bool measure(struct transfer *t, const char *name, record_fn record, const struct operands *o)
{
    uint64_t best_ns = UINT64_MAX;
    if (!begin(t))
        return false;
    if (o->from.image)
        to_general(t->cmd, o->from.image);
    if (o->to.image)
        to_general(t->cmd, o->to.image);
    record(t->cmd, o);
    if (!submit(t))
        return false;
    for (uint32_t i = 0; i < REPEATS; i++) {
        if (!begin(t))
            return false;
        for (uint32_t k = 0; k < TIMES; k++) {
            record(t->cmd, o);
            barrier(t->cmd);
        }
        const uint64_t start_ns = bench_now_ns();
        if (!submit(t))
            return false;
        const uint64_t ns = bench_now_ns() - start_ns;
        best_ns = ns < best_ns ? ns : best_ns;
    }
    bench_item(name, best_ns);
    return true;
}

static const VkImageSubresourceLayers whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};

/* Makes the destination image and, unless from_px is 0, the source image, measures, and destroys the images. */
static bool with_images(struct transfer *t, const char *name, record_fn record, VkFormat from, VkFormat to,
                        VkSampleCountFlagBits samples, struct operands o)
{
    bool good = (!o.from_px || make_image(t, from, o.from_px, samples, &o.from)) &&
                make_image(t, to, o.to_px, VK_SAMPLE_COUNT_1_BIT, &o.to) && measure(t, name, record, &o);
    if (o.from_px)
        destroy_image(t, &o.from);
    destroy_image(t, &o.to);
    return good;
}

/* ---------------------------------------------------------------- lines */

static void record_blit(VkCommandBuffer cmd, const struct operands *o)
{
    const VkImageBlit region = {whole,
                                {{0, 0, 0}, {(int32_t)o->from_px, (int32_t)o->from_px, 1}},
                                whole,
                                {{0, 0, 0}, {(int32_t)o->to_px, (int32_t)o->to_px, 1}}};
    vkCmdBlitImage(cmd, o->from.image, VK_IMAGE_LAYOUT_GENERAL, o->to.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region,
                   o->filter);
}

static bool run_blit(struct bench_device *d)
{
    static const struct {
        const char *name;
        VkFormat from, to;
        uint32_t from_px, to_px;
        VkFilter filter;
    } blits[] = {
        {"same-size", VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, SIDE, SIDE, VK_FILTER_NEAREST},
        {"nearest-up", VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, SIDE / 3, SIDE, VK_FILTER_NEAREST},
        {"linear-up", VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, SIDE / 3, SIDE, VK_FILTER_LINEAR},
        {"linear-half", VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, 2 * SIDE, SIDE, VK_FILTER_LINEAR},
        {"linear-swapped", VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM, SIDE / 3, SIDE, VK_FILTER_LINEAR},
        {"convert-half-float", VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, SIDE, SIDE, VK_FILTER_NEAREST},
    };
    struct transfer t;
    bool good = init(&t, d);
    for (unsigned i = 0; good && i < sizeof blits / sizeof blits[0]; i++)
        good = with_images(&t, blits[i].name, record_blit, blits[i].from, blits[i].to, VK_SAMPLE_COUNT_1_BIT,
                           (struct operands){
                               .from_px = blits[i].from_px, .to_px = blits[i].to_px, .filter = blits[i].filter});
    finish(&t);
    return good;
}

static void record_copy(VkCommandBuffer cmd, const struct operands *o)
{
    vkCmdCopyImage(cmd, o->from.image, VK_IMAGE_LAYOUT_GENERAL, o->to.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                   &(VkImageCopy){whole, {0, 0, 0}, whole, {0, 0, 0}, {o->to_px, o->to_px, 1}});
}

static void record_part(VkCommandBuffer cmd, const struct operands *o)
{
    vkCmdCopyImage(cmd, o->from.image, VK_IMAGE_LAYOUT_GENERAL, o->to.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                   &(VkImageCopy){whole, {3, 5, 0}, whole, {7, 1, 0}, {o->to_px - 8, o->to_px - 8, 1}});
}

static bool run_copy_image(struct bench_device *d)
{
    struct transfer t;
    const struct operands o = {.from_px = SIDE, .to_px = SIDE};
    const VkFormat bytes = VK_FORMAT_R8G8B8A8_UNORM, half_floats = VK_FORMAT_R16G16B16A16_SFLOAT;
    bool good = init(&t, d) && with_images(&t, "whole", record_copy, bytes, bytes, VK_SAMPLE_COUNT_1_BIT, o) &&
                with_images(&t, "part", record_part, bytes, bytes, VK_SAMPLE_COUNT_1_BIT, o) &&
                with_images(&t, "whole-64-bit", record_copy, half_floats, half_floats, VK_SAMPLE_COUNT_1_BIT, o);
    finish(&t);
    return good;
}

static void record_clear(VkCommandBuffer cmd, const struct operands *o)
{
    vkCmdClearColorImage(cmd, o->to.image, VK_IMAGE_LAYOUT_GENERAL, &(VkClearColorValue){{0.25f, 0.5f, 0.75f, 1}}, 1,
                         &(VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1});
}

static bool run_clear_image(struct bench_device *d)
{
    struct transfer t;
    const struct operands o = {.to_px = SIDE};
    const VkFormat bytes = VK_FORMAT_R8G8B8A8_UNORM, half_floats = VK_FORMAT_R16G16B16A16_SFLOAT;
    bool good = init(&t, d) && with_images(&t, "8888", record_clear, bytes, bytes, VK_SAMPLE_COUNT_1_BIT, o) &&
                with_images(&t, "64-bit", record_clear, half_floats, half_floats, VK_SAMPLE_COUNT_1_BIT, o);
    finish(&t);
    return good;
}

static void record_resolve(VkCommandBuffer cmd, const struct operands *o)
{
    vkCmdResolveImage(cmd, o->from.image, VK_IMAGE_LAYOUT_GENERAL, o->to.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                      &(VkImageResolve){whole, {0, 0, 0}, whole, {0, 0, 0}, {o->to_px, o->to_px, 1}});
}

static bool run_resolve(struct bench_device *d)
{
    struct transfer t;
    const struct operands o = {.from_px = SIDE, .to_px = SIDE};
    const VkFormat bytes = VK_FORMAT_R8G8B8A8_UNORM, half_floats = VK_FORMAT_R16G16B16A16_SFLOAT;
    bool good = init(&t, d) && with_images(&t, "8888", record_resolve, bytes, bytes, VK_SAMPLE_COUNT_4_BIT, o) &&
                with_images(&t, "half-float", record_resolve, half_floats, half_floats, VK_SAMPLE_COUNT_4_BIT, o);
    finish(&t);
    return good;
}

static void record_fill(VkCommandBuffer cmd, const struct operands *o)
{
    vkCmdFillBuffer(cmd, o->buffer, 0, VK_WHOLE_SIZE, 0x12345678);
}

static bool run_fill(struct bench_device *d)
{
    struct transfer t;
    struct operands o = {.from_px = 0};
    VkMemoryRequirements need;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = SIDE * SIDE * 4,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    if (!init(&t, d) || vkCreateBuffer(d->device, &info, NULL, &o.buffer) != VK_SUCCESS)
        return false;
    vkGetBufferMemoryRequirements(d->device, o.buffer, &need);
    bool good = allocate(d, need, &memory) && vkBindBufferMemory(d->device, o.buffer, memory, 0) == VK_SUCCESS &&
                measure(&t, "4-MiB", record_fill, &o);
    vkDestroyBuffer(d->device, o.buffer, NULL);
    vkFreeMemory(d->device, memory, NULL);
    finish(&t);
    return good;
}

const struct bench_line bench_transfer[] = {
    {"blit", "a megapixel blitted, eight times of each kind", run_blit},
    {"copy-image", "a megapixel copied to another image, eight times", run_copy_image},
    {"clear-image", "a megapixel cleared, eight times", run_clear_image},
    {"resolve", "a megapixel of four samples resolved, eight times", run_resolve},
    {"fill", "4 MiB filled, eight times", run_fill},
    {0},
};
