/* SPDX-License-Identifier: MIT
 *
 * A program that creates every object type, records every kind of command, submits, waits and reads back; and that
 * takes everything down again from wherever it got to. It calls the driver's own functions, without the loader.
 */
#ifndef FAULTS_WORLD_H
#define FAULTS_WORLD_H

#include <vulkan/vulkan.h>

enum { WORLD_STAGE, WORLD_VERTEX, WORLD_UNIFORM, WORLD_OUT, WORLD_TEXELS, WORLD_BUFFERS };
enum { WORLD_TARGET, WORLD_DEPTH, WORLD_TEXTURE, WORLD_IMAGES };

struct world {
    const VkAllocationCallbacks *alloc;
    const char *failed_call; /* the one that gave world_run's result */

    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    VkSurfaceKHR surface;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue, transfer_queue;

    VkBuffer buffers[WORLD_BUFFERS];
    VkDeviceMemory buffer_memory[WORLD_BUFFERS];
    VkBufferView texels;
    VkImage images[WORLD_IMAGES];
    VkDeviceMemory image_memory[WORLD_IMAGES];
    VkImageView views[WORLD_IMAGES];
    VkDeviceMemory exported, imported;
    VkSampler sampler;

    VkFence fence;
    VkSemaphore semaphore, exported_semaphore, timeline;
    VkEvent event;
    VkQueryPool queries;

    VkDescriptorSetLayout set_layout;
    VkDescriptorPool descriptor_pool;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkPipelineCache cache, other_cache;
    VkShaderModule modules[3];
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    VkPipeline pipeline, compute;

    VkCommandPool pool, transfer_pool;
    VkCommandBuffer primary, secondary, transfer;
    VkSwapchainKHR swapchain;
    uint32_t presented; /* image of the swapchain */
};

/* From nothing to the end, or to the first call that fails: its result. */
VkResult world_run(struct world *w, const VkAllocationCallbacks *alloc);
/* What the last run has made. */
void world_destroy(struct world *w);

#endif
