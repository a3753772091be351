/* SPDX-License-Identifier: MIT
 *
 * Instance, physical device, logical device and queue handles.
 *
 * Modules that depend on this one keep their per-device state in opaque slots. A slot is filled on first use and
 * destroyed with the device: slots go in reverse order of the enum, before the queues and the kernel device.
 */
#ifndef DEVICE_VC4VK_DEVICE_H
#define DEVICE_VC4VK_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include "device/vc4vk_buffer_address.h"
#include "device/vc4vk_error.h"
#include "device/vc4vk_extensions.h"
#include "device/vc4vk_multialloc.h"
#include "device/vc4vk_object.h"
#include "device/vc4vk_private_data.h"
#include "kmd/kmd.h"
#include "queue/vc4vk_queue.h"
#include "util/log.h"

#define VC4VK_VENDOR_ID             0x14e4u /* Broadcom's PCI vendor number */
#define VC4VK_MAX_ALLOCATIONS       4096u   /* maxMemoryAllocationCount */
#define VC4VK_MAX_ALLOCATION_B      (UINT64_C(1) << 31) /* maxMemoryAllocationSize, maxBufferSize */
#define VC4VK_MAX_SPARSE_B              (UINT64_C(1) << 31) /* sparseAddressSpaceSize: as little as Vulkan allows */
#define VC4VK_MAX_PUSH_B            256u    /* maxPushConstantsSize */
#define VC4VK_MAX_SETS              8u      /* maxBoundDescriptorSets */
#define VC4VK_MAX_STAGE_DESCRIPTORS 200u    /* maxPerStageDescriptorSamplers and others */
#define VC4VK_MAX_STAGE_RESOURCES   512u    /* maxPerStageResources: as many bindings as the compiler takes */
#define VC4VK_MAX_INPUTS            64u     /* maxPerStageDescriptorInputAttachments */
#define VC4VK_MAX_SET_INPUTS        256u    /* maxDescriptorSetInputAttachments */
#define VC4VK_MAX_SET_DESCRIPTORS   1048576u /* maxPerSetDescriptors, maxDescriptorSetUpdateAfterBindSamplers, ... */
#define VC4VK_MAX_INLINE_B          4096u   /* maxInlineUniformBlockSize */
#define VC4VK_MAX_INLINE_BLOCKS     16u     /* maxPerStageDescriptorInlineUniformBlocks */
#define VC4VK_MAX_PUSH_DESCRIPTORS  32u     /* maxPushDescriptors */
#define VC4VK_MAX_DESCRIPTOR_BUFFERS    32u     /* maxDescriptorBufferBindings */
#define VC4VK_MAX_DESCRIPTOR_RANGE_B    (1u << 30) /* maxResourceDescriptorBufferRange */
#define VC4VK_DESCRIPTOR_BUFFER_ALIGN_B 4u         /* descriptorBufferOffsetAlignment */
#define VC4VK_MAX_EMBEDDED_SAMPLERS     65536u     /* maxEmbeddedImmutableSamplers */
#define VC4VK_YCBCR_DESCRIPTORS     1u /* that a combined sampler with a conversion takes: it has space for all planes */
#define VC4VK_MAX_IMAGE_PX          2048u   /* the chip's own limit for sampling and rendering */
#define VC4VK_MAX_TARGET_PX         16384u  /* of framebuffers: those above a job's limit are drawn in several ranges */
#define VC4VK_MAX_DIRECT_PX         16384u  /* of images: above the chip's limit, shaders compute the addresses */
#define VC4VK_MAX_3D_PX             2048u
#define VC4VK_MAX_IMAGE_B           (UINT64_C(1) << 31) /* larger images cannot be bound */
#define VC4VK_MAX_LAYERS            2048u               /* of an image */
#define VC4VK_MAX_ANISOTROPY        16
#define VC4VK_MAX_VIEWS             6u         /* of a multiview subpass: each view is drawn as ranges of its own */
#define VC4VK_MAX_INVOCATIONS       1024u      /* of a workgroup */
#define VC4VK_MAX_GROUP_COUNT       65535u     /* workgroups in each dimension */
#define VC4VK_MAX_MESH_GROUPS       (1u << 22) /* workgroups of tasks, or of the meshes of a task */
#define VC4VK_MAX_TEXELS            (1u << 26) /* of a texel buffer: at 16 B each, this is the largest range */
#define VC4VK_MAX_VIEWPORTS         16u
#define VC4VK_MAX_SAMPLERS          4000u
#define VC4VK_MAX_COLOR_ATTACHMENTS 8u
#define VC4VK_MAX_VERTEX_ATTRIBUTES 32u
#define VC4VK_MAX_VERTEX_BINDINGS   32u
#define VC4VK_MAX_MULTI_DRAWS       UINT16_MAX /* of vkCmdDrawMultiEXT: draws hold their number in 16 bits */

struct vc4vk_instance {
    struct vc4vk_object base;
    const VkAllocationCallbacks *alloc;  /* NULL: the C library */
    VkAllocationCallbacks alloc_storage; /* copy of the application's callbacks */
    struct vc4vk_instance_extensions enabled;
    uint32_t api_version; /* requested by the application, at least 1.0 */
    struct util_log_domain *log;                         /* delivers messages to its messengers; owned */
    VkDebugUtilsMessengerCreateInfoEXT *messenger_infos; /* chained to VkInstanceCreateInfo: creation messengers */
    uint32_t messenger_info_count;
    struct util_list messengers; /* the creation messengers; they exist while creation or destruction runs */
    pthread_mutex_t lock;        /* guards the fields below */
    bool enumerated;
    uint32_t physical_count;
    struct vc4vk_physical_device *physical[KMD_MAX_DEVICES]; /* owned */
};

/* Creation messengers: a VkDebugUtilsMessengerCreateInfoEXT chained to VkInstanceCreateInfo asks for a messenger that
 * receives messages while the instance is created and while it is destroyed. init copies the structs; it returns false
 * when out of memory. begin and end enclose a creation or a destruction. */
bool vc4vk_creation_messengers_init(struct vc4vk_instance *instance, const void *chain);
void vc4vk_creation_messengers_begin(struct vc4vk_instance *instance, struct util_log_call *call);
void vc4vk_creation_messengers_end(struct vc4vk_instance *instance, struct util_log_call *call);
void vc4vk_creation_messengers_finish(struct vc4vk_instance *instance);

struct vc4vk_physical_device {
    struct vc4vk_object base;
    struct vc4vk_instance *instance;
    struct kmd_physical kmd; /* each logical device opens its own kmd_device from it */
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceFeatures features; /* what is supported */
    VkPhysicalDeviceMemoryProperties memory;
    pthread_mutex_t lock;     /* guards `devices` and `wsi_state` */
    struct util_list devices; /* of vc4vk_device.physical_link; their memory use is summed for VK_EXT_memory_budget */
    /* The displays, owned by the wsi module. NULL until the application asks for displays. */
    void *wsi_state;
    void (*wsi_destroy)(struct vc4vk_physical_device *physical, void *state);
};

/* Modules with per-device state. ORDER: destroyed from last to first. */
enum vc4vk_slot {
    VC4VK_SLOT_DESCRIPTOR,
    VC4VK_SLOT_PIPELINE,
    VC4VK_SLOT_ISSUE,
    VC4VK_SLOT_WSI,
    VC4VK_SLOT_COUNT
};

/* Flag fields of create-info structs in which applications may set unknown bits (vc4vk_ignored_bits.h). */
enum vc4vk_bits {
    VC4VK_BITS_IMAGE_USAGE,
    VC4VK_BITS_IMAGE_FLAGS,
    VC4VK_BITS_BUFFER_USAGE,
    VC4VK_BITS_BUFFER_FLAGS,
    VC4VK_BITS_IMAGE_VIEW_FLAGS,
    VC4VK_BITS_SAMPLER_FLAGS,
    VC4VK_BITS_SWAPCHAIN_FLAGS,
    VC4VK_BITS_COUNT
};

struct vc4vk_device;
struct vc4vk_slot_ops {
    VkResult (*create)(struct vc4vk_device *device, void **out);
    void (*destroy)(struct vc4vk_device *device, void *state);
};

/* What accesses out of bounds do beyond robustBufferAccess, which always holds: they give zero. */
struct vc4vk_robustness {
    bool buffers; /* robustBufferAccess2 */
    bool images;  /* robustImageAccess, robustImageAccess2 */
    bool nulls;   /* nullDescriptor */
};

struct vc4vk_device {
    struct vc4vk_object base;
    const VkAllocationCallbacks *alloc;  /* NULL: the C library. Entry points use vc4vk_alloc_choose */
    VkAllocationCallbacks alloc_storage; /* copy of the application's callbacks */
    struct vc4vk_physical_device *physical;
    struct util_list physical_link;         /* in vc4vk_physical_device.devices */
    struct kmd_device *kmd;                 /* owned */
    struct vc4vk_queue_device queue_device; /* scheduler and queues */
    struct vc4vk_device_extensions enabled;
    VkPhysicalDeviceFeatures features; /* enabled by the application */
    struct vc4vk_robustness robustness; /* the same */
    bool local_reads;                   /* the same: dynamicRenderingLocalRead */
    bool reports_addresses;             /* reportAddressBinding is enabled */
    _Atomic uint32_t memory_count;     /* live VkDeviceMemory objects */
    _Atomic uint64_t sparse_B;         /* size of all sparse buffers and images */
    _Atomic uint32_t pipeline_count;   /* pipelines created so far */
    struct vc4vk_addressed_memory addressed_memory;
    struct vc4vk_private_slots private_slots;
    pthread_mutex_t slot_lock;         /* held while a slot is filled */
    struct {
        _Atomic(void *) state;
        const struct vc4vk_slot_ops *ops;
    } slots[VC4VK_SLOT_COUNT];
    _Atomic uint32_t ignored_bits[VC4VK_BITS_COUNT]; /* unknown bits that have been reported */
    pthread_mutex_t shader_lock;                     /* guards which shader objects are drawn with together */
    pthread_mutex_t swapchain_lock;                  /* guards `swapchains` and the user count of each */
    pthread_cond_t swapchain_unused;                 /* signalled when a swapchain's user count becomes 0 */
    struct util_list swapchains;                     /* of vc4vk_swapchain_memory.link */
    _Atomic uint32_t present_count;                  /* swapchain images presented so far, all swapchains together */
};

VC4VK_DEFINE_HANDLE(vc4vk_instance, VkInstance, VK_OBJECT_TYPE_INSTANCE)
VC4VK_DEFINE_HANDLE(vc4vk_physical_device, VkPhysicalDevice, VK_OBJECT_TYPE_PHYSICAL_DEVICE)
VC4VK_DEFINE_HANDLE(vc4vk_device, VkDevice, VK_OBJECT_TYPE_DEVICE)

static inline struct vc4vk_device *vc4vk_device_from_queue(const struct vc4vk_queue *queue)
{
    return container_of(queue->device, struct vc4vk_device, queue_device);
}

/* Every buffer and image can be bound to every memory type. */
static inline uint32_t vc4vk_memory_type_bits(const struct vc4vk_device *device)
{
    return BIT(device->physical->memory.memoryTypeCount) - 1;
}

/* Returns the slot's state. The first caller creates it with ops->create, exactly once even with concurrent callers.
 * When creation fails, the next caller tries again; once it has succeeded, this function cannot fail. */
VkResult vc4vk_device_slot(struct vc4vk_device *device, enum vc4vk_slot slot, const struct vc4vk_slot_ops *ops,
                           void **state_out);

/* The slot's state, or NULL when it was never made. */
static inline void *vc4vk_device_slot_peek(struct vc4vk_device *device, enum vc4vk_slot slot)
{
    return atomic_load_explicit(&device->slots[slot].state, memory_order_acquire);
}

#endif
