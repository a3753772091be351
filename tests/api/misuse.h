/* SPDX-License-Identifier: MIT
 *
 * Random programs that use Vulkan slightly wrong (test_misuse.c): generators of random values, most of them valid, and
 * the list of objects that a program has created.
 */
#ifndef MISUSE_H
#define MISUSE_H

#include <math.h>
#include "vkt.h"

#define MISUSE_MANY 64 /* capacity of arrays; the counts passed to Vulkan stay below it */

/* -- objects ------------------------------------------------------------------------------------------------------- */

enum kind {
    BUFFER,
    IMAGE,
    MEMORY,
    VIEW,
    BUFFER_VIEW,
    SAMPLER,
    SET_LAYOUT,
    LAYOUT,
    SET_POOL,
    PASS,
    FRAMEBUFFER,
    PIPELINE,
    COMPUTE,
    COMMAND_POOL,
    FENCE,
    SEMAPHORE,
    TIMELINE,
    EVENT,
    QUERIES,
    SWAPCHAIN,
    CACHE,
    MODULE,
    SHADER,
    KINDS
};

struct object {
    enum kind kind;
    uint64_t handle;
};

struct misuse {
    uint64_t rng;
    uint32_t one_in; /* on average, one value in this many is wrong */
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queues[3];
    VkSurfaceKHR surface;
    struct object objects[4096];
    uint32_t count;
    VkDescriptorSet sets[MISUSE_MANY];
    VkCommandBuffer commands[MISUSE_MANY];
    uint32_t set_count, command_count, swapchain_images;
    PFN_vkWaitSemaphoresKHR WaitSemaphores;
    PFN_vkSignalSemaphoreKHR SignalSemaphore;
    PFN_vkGetSemaphoreCounterValueKHR GetSemaphoreCounterValue;
};
extern struct misuse misuse;

/* Adds the object to the list, to be destroyed by misuse_close(), unless the result is an error. `handle` points to a
 * non-dispatchable handle, which always has 64 bits, as the preceding call has written it. */
void misuse_keep(enum kind kind, VkResult result, const void *handle);
/* A random object of this kind; 0 when there is none. */
uint64_t misuse_pick(enum kind kind);
#define SOME(type, kind) ((type)misuse_pick(kind))

/* ORDER the table of misuse_make.c: vertices, fragments, compute */
enum misuse_shader {
    MISUSE_FULL,
    MISUSE_COLOR_VERTICES,
    MISUSE_PULL,
    MISUSE_WHITE,
    MISUSE_COLOR,
    MISUSE_PUSH,
    MISUSE_TEXTURE,
    MISUSE_UBO,
    MISUSE_SUM,
    MISUSE_SHADERS
};
struct vkt_shader misuse_shader(enum misuse_shader which);

/* -- what programs do ---------------------------------------------------------------------------------------------- */

void misuse_open(void);
/* Waits for all work and destroys everything in a random order. */
void misuse_close(void);
/* The kit: valid objects that fit together. misuse_record_kit() records commands that use them, most of them valid. */
void misuse_make_kit(void);
void misuse_destroy_kit(void); /* what is not in the list of objects */
void misuse_record_kit(VkCommandBuffer cmd);
/* Parts of the kit. It has three targets with their passes and framebuffers: the second target has depth, the third has
 * four words per texel. */
VkRenderPassBeginInfo misuse_begin_pass(uint32_t target);
VkPipeline misuse_pipeline(uint32_t target); /* needs no buffers or sets bound */
VkPipeline misuse_dynamic_pipeline(uint32_t target); /* reads vertices; all state that may be dynamic is */
VkImageView misuse_color(uint32_t target), misuse_depth(uint32_t target); /* VK_NULL_HANDLE: it has none */
/* A new one each time: the primary that executes it requires that it is not recorded again. NULL after a failure. */
VkCommandBuffer misuse_new_secondary(void);
VkBuffer misuse_buffer(void);
VkBuffer misuse_counts(void); /* small numbers */
VkImage misuse_texture(void); /* R8G8B8A8, 64 x 64, three levels */
/* Each call creates one random object, or does one random thing with objects. */
void misuse_make_modules(void);
void misuse_make(void);
void misuse_record(void);
void misuse_record_extension(VkCommandBuffer cmd);
void misuse_submit(void);
void misuse_check_results(void);
void misuse_present(void);
void misuse_query(void);

/* Commands of extensions (misuse_extensions.c): the extensions that the device has are to be enabled. */
#define MISUSE_EXTENSIONS 19
uint32_t misuse_list_extensions(const char *names[MISUSE_EXTENSIONS]);
void misuse_load_extensions(void);
void misuse_make_shaders(void); /* one object of each shader, and some without a layout that they need */
void misuse_destroy_shader(uint64_t shader);

/* -- random values ------------------------------------------------------------------------------------------------- */

static inline uint32_t any(void)
{
    misuse.rng = misuse.rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(misuse.rng >> 33);
}

static inline uint32_t below(uint32_t n)
{
    return n ? any() % n : 0;
}

static inline bool rarely(void)
{
    return below(misuse.one_in) == 0;
}

static inline uint32_t odd(void)
{
    static const uint32_t values[] = {0,          1,          2,          3,          4,         7,     15,
                                      16,         17,         31,         64,         255,       256,   1000,
                                      2048,       4095,       4096,       4097,       65535,     65536, 1u << 20,
                                      0x7fffffff, 0x80000000, 0xfffffff0, 0xfffffffe, 0xffffffff};
    return below(4) ? values[below(VKT_COUNT(values))] : any();
}

/* Returns `right`, or rarely a wrong value. */
static inline uint32_t u32(uint32_t right)
{
    return rarely() ? odd() : right;
}

static inline uint64_t u64(uint64_t right)
{
    if (!rarely())
        return right;
    return below(3) ? odd() : below(2) ? UINT64_MAX : (uint64_t)any() << 32 | any();
}

static inline float number(float right)
{
    static const float values[] = {0,      -0.0f, 1,        -1,  0.5f,     1e-30f,   1e30f,
                                   -1e30f, 65536, 16777216, NAN, INFINITY, -INFINITY};
    return rarely() ? values[below(VKT_COUNT(values))] : right;
}

/* One of the given enumerants, or rarely something else. */
#define PICK(...)                                                                                                      \
    (rarely() ? odd() : ((const uint32_t[]){__VA_ARGS__})[below(VKT_COUNT(((const uint32_t[]){__VA_ARGS__})))])
/* Always one of the given enumerants, for values that the loader itself interprets. */
#define ONE_OF(...) (((const uint32_t[]){__VA_ARGS__})[below(VKT_COUNT(((const uint32_t[]){__VA_ARGS__})))])

static inline VkFormat format(void)
{
    return (VkFormat)PICK(VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_UNORM,
                          VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32_UINT,
                          VK_FORMAT_R8_UINT, VK_FORMAT_R5G6B5_UNORM_PACK16, VK_FORMAT_D24_UNORM_S8_UINT,
                          VK_FORMAT_D32_SFLOAT, VK_FORMAT_S8_UINT, VK_FORMAT_BC1_RGB_UNORM_BLOCK,
                          VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK, VK_FORMAT_ASTC_10x6_UNORM_BLOCK,
                          VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, VK_FORMAT_UNDEFINED);
}

static inline VkImageAspectFlags aspect(void)
{
    return PICK(VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_COLOR_BIT,
                VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT,
                VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT, 0);
}

static inline VkImageLayout image_layout(void)
{
    return (VkImageLayout)PICK(VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                               VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
}

#endif
