/* SPDX-License-Identifier: MIT
 *
 * A program that creates every object type, records every kind of command, submits, waits and presents, and that can
 * destroy everything after a failure at any step. It calls the driver's functions directly, without the loader.
 */
#ifndef FAULTS_WORLD_H
#define FAULTS_WORLD_H

#include <vulkan/vulkan.h>

enum { WORLD_STAGE, WORLD_VERTEX, WORLD_UNIFORM, WORLD_OUT, WORLD_TEXELS, WORLD_BUFFERS };
enum { WORLD_TARGET, WORLD_DEPTH, WORLD_TEXTURE, WORLD_IMAGES };

struct world {
    const VkAllocationCallbacks *alloc;
    const char *failed_call; /* the call that failed in world_run; NULL: none */

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
    VkShaderModule modules[6];
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    VkPipeline pipeline, patches, compute; /* patches: with all stages before the rasteriser */

    VkCommandPool pool, transfer_pool;
    VkCommandBuffer primary, secondary, transfer;
    VkSwapchainKHR swapchain;
    uint32_t presented; /* index of the swapchain image */

    VkDevice sparse_device; /* has sparse memory; NULL if there is none */
    VkBuffer sparse_buffer;
    VkImage sparse_image;
    VkDeviceMemory sparse_memory;
    VkFence sparse_fence;
};

/* Runs the whole program. Stops at the first call that fails and returns its result. */
VkResult world_run(struct world *w, const VkAllocationCallbacks *alloc);
/* Destroys everything that the last run created. */
void world_destroy(struct world *w);

#endif
