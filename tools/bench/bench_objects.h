/* SPDX-License-Identifier: MIT
 *
 * Objects that most lines make: buffers, images, programs, one command buffer with its fence.
 *
 * False where something could not be made; what was is for the matching function, which takes what is zeroed, too.
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

/* Of a type with the wanted properties where there is one. */
VkDeviceMemory bench_allocate(struct bench_device *d, const VkMemoryRequirements *needs, VkMemoryPropertyFlags wanted);
/* That the CPU can map. */
bool bench_make_buffer(struct bench_device *d, VkDeviceSize size_B, VkBufferUsageFlags usage, struct buffer *b);
void bench_finish_buffer(struct bench_device *d, struct buffer *b);

struct image_info {
    VkFormat format;
    VkExtent2D size;
    uint32_t levels;
    VkSampleCountFlagBits samples;
    VkImageUsageFlags usage; /* an attachment of depth has no colour */
};

/* What bench_make_plain_image makes has one such range. */
#define BENCH_COLOR_RANGE ((VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1})

bool bench_make_image(struct bench_device *d, const struct image_info *info, struct image *i);
/* A square of RGBA8. */
bool bench_make_plain_image(struct bench_device *d, uint32_t size_px, VkImageUsageFlags usage, struct image *i);
void bench_finish_image(struct bench_device *d, struct image *i);

bool bench_make_commands(struct bench_device *d, struct commands *c);
/* Recorded for one submission. */
void bench_begin(const struct commands *c);
bool bench_submit_and_wait(struct bench_device *d, const struct commands *c);
/* What was ended, for any number of submissions. */
bool bench_submit_again(struct bench_device *d, const struct commands *c);
void bench_to_layout(const struct commands *c, VkImage image, VkImageLayout from, VkImageLayout to);
void bench_finish_commands(struct bench_device *d, struct commands *c);

/* VK_NULL_HANDLE: it could not be made. */
VkShaderModule bench_make_module(struct bench_device *d, const uint32_t *words, size_t size_B);

#endif
