/* SPDX-License-Identifier: MIT
 *
 * Objects that most lines need: buffers, images, shader modules, a command buffer with its fence.
 *
 * A make function returns false if it fails. Its finish function must be called in any case; it destroys what was made
 * and accepts a zeroed struct.
 */
#ifndef BENCH_OBJECTS_H
#define BENCH_OBJECTS_H

#include "bench.h"

struct buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize size_B;
};

struct image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
};

struct commands {
    VkCommandPool pool;
    VkCommandBuffer cmd;
    VkFence fence;
};

/* Allocates memory of a type with the wanted properties, or of type 0 if there is none. */
VkDeviceMemory bench_allocate(struct bench_device *d, const VkMemoryRequirements *needs, VkMemoryPropertyFlags wanted);
/* The buffer's memory is host visible and coherent. */
bool bench_make_buffer(struct bench_device *d, VkDeviceSize size_B, VkBufferUsageFlags usage, struct buffer *b);
void bench_finish_buffer(struct bench_device *d, struct buffer *b);

struct image_info {
    VkFormat format;
    VkExtent2D size;
    uint32_t levels;
    VkSampleCountFlagBits samples;
    VkImageUsageFlags usage; /* with a depth attachment usage, the view has the depth aspect only */
};

/* The whole of an image made by bench_make_plain_image. */
#define BENCH_COLOR_RANGE ((VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1})

bool bench_make_image(struct bench_device *d, const struct image_info *info, struct image *i);
/* Makes a square RGBA8 image with one level and one sample. */
bool bench_make_plain_image(struct bench_device *d, uint32_t size_px, VkImageUsageFlags usage, struct image *i);
void bench_finish_image(struct bench_device *d, struct image *i);

bool bench_make_commands(struct bench_device *d, struct commands *c);
/* Begins recording for one submission. */
void bench_begin(const struct commands *c);
bool bench_submit_and_wait(struct bench_device *d, const struct commands *c);
/* Submits an ended command buffer, which may be submitted any number of times, and waits. */
bool bench_submit_again(struct bench_device *d, const struct commands *c);
void bench_to_layout(const struct commands *c, VkImage image, VkImageLayout from, VkImageLayout to);
void bench_finish_commands(struct bench_device *d, struct commands *c);

/* Returns VK_NULL_HANDLE on failure. */
VkShaderModule bench_make_module(struct bench_device *d, const uint32_t *words, size_t size_B);

#endif
