/* SPDX-License-Identifier: MIT
 *
 * The scene of the recording and descriptor lines: a thousand small triangles, each with a descriptor set of a uniform
 * buffer and a texture.
 */
#ifndef BENCH_SCENE_H
#define BENCH_SCENE_H

#include "bench_objects.h"

#define SETS     1000
#define PLACE_B  256 /* stride of the uniform data of the sets */

/* The objects that descriptor sets refer to, and the pool of the sets. */
struct scene {
    struct buffer places;
    struct image picture;
    VkSampler sampler;
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
    struct commands c;
};

#define TARGET_PX 256

struct pipeline {
    VkShaderModule modules[2];
    VkPipelineLayout layout;
    VkRenderPass pass;
    VkPipeline pipeline;
    struct image target;
    VkFramebuffer framebuffer;
};

/* A make function returns false if it fails. Its finish function must be called in any case. */
bool bench_make_scene(struct bench_device *d, struct scene *s);
void bench_finish_scene(struct bench_device *d, struct scene *s);
/* Allocates and writes the set of triangle `i`. Returns VK_NULL_HANDLE on failure. */
VkDescriptorSet bench_make_set(struct bench_device *d, const struct scene *s, uint32_t i);
/* Makes a render pass with one attachment, which is cleared and has the layout `last` at the end. */
VkRenderPass bench_make_pass(struct bench_device *d, VkFormat format, VkImageLayout last);
/* Makes the modules and the pipeline for the layout and the pass of `p`. The caller destroys them. `vs` is a vertex
 * shader that reads a pair of floats at location 0, or NULL for a default shader without attributes. */
bool bench_make_programs(struct bench_device *d, const uint32_t *vs, size_t vs_B, struct pipeline *p);
bool bench_make_pipeline(struct bench_device *d, const struct scene *s, const uint32_t *vs, size_t vs_B,
                         struct pipeline *p);
void bench_finish_pipeline(struct bench_device *d, struct pipeline *p);

#endif
