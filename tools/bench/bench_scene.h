/* SPDX-License-Identifier: MIT
 *
 * What lines about recording and descriptors draw: a thousand small triangles, with a uniform buffer and a picture
 * each.
 */
#ifndef BENCH_SCENE_H
#define BENCH_SCENE_H

#include "bench_objects.h"

#define SETS     1000
#define PLACE_B  256 /* of a set's uniform buffer, beside the next one's */

/* Sets of a uniform buffer and a picture, as a small scene has them. */
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

/* False where something could not be made; what was is for the matching function. */
bool bench_make_scene(struct bench_device *d, struct scene *s);
void bench_finish_scene(struct bench_device *d, struct scene *s);
/* A new set for place `i`. */
VkDescriptorSet bench_make_set(struct bench_device *d, const struct scene *s, uint32_t i);
/* Of one attachment, which is cleared. */
VkRenderPass bench_make_pass(struct bench_device *d, VkFormat format, VkImageLayout last);
/* For a layout and a pass; modules and pipeline are the caller's. `vs` NULL: a program without attributes; otherwise
 * one that reads a pair of floats at location 0. */
bool bench_make_programs(struct bench_device *d, const uint32_t *vs, size_t vs_B, struct pipeline *p);
bool bench_make_pipeline(struct bench_device *d, const struct scene *s, const uint32_t *vs, size_t vs_B,
                         struct pipeline *p);
void bench_finish_pipeline(struct bench_device *d, struct pipeline *p);

#endif
