/* SPDX-License-Identifier: MIT
 *
 * Instance, physical device, logical device and queue handles.
 *
 * Rooms above hang their per-device state in opaque slots: made on first use, destroyed with the device in reverse
 * order of the enum, before the queues' machinery and the kernel device go.
 */
#ifndef DEVICE_VC4VK_DEVICE_H
#define DEVICE_VC4VK_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include "device/vc4vk_error.h"
#include "device/vc4vk_extensions.h"
#include "device/vc4vk_multialloc.h"
#include "device/vc4vk_object.h"
#include "kmd/kmd.h"
#include "queue/vc4vk_queue.h"
#include "util/log.h"

#define VC4VK_VENDOR_ID             0x14e4u /* Broadcom's PCI vendor number */
#define VC4VK_MAX_ALLOCATIONS       4096u   /* maxMemoryAllocationCount */
#define VC4VK_MAX_PUSH_B            256u    /* maxPushConstantsSize */
#define VC4VK_MAX_SETS              8u      /* maxBoundDescriptorSets */
#define VC4VK_MAX_SET_DESCRIPTORS   65536u  /* maxPerSetDescriptors */
#define VC4VK_MAX_PUSH_DESCRIPTORS  32u     /* maxPushDescriptors */
#define VC4VK_MAX_IMAGE_PX          2048u   /* sampling and rendering, natively */
#define VC4VK_MAX_TARGET_PX         4096u   /* of framebuffers: larger ones than a job's are drawn in ranges */
#define VC4VK_MAX_DIRECT_PX         4096u   /* of images: larger ones than the unit samples are addressed in code */
#define VC4VK_MAX_3D_PX             2048u
#define VC4VK_MAX_IMAGE_B           (UINT64_C(1) << 31) /* that can be bound */
#define VC4VK_MAX_LAYERS            256u    /* of an image */
/* What instances and devices report; applications that ask for an older version see the older one. */
#define VC4VK_API_VERSION           VK_MAKE_API_VERSION(0, 1, 1, VK_HEADER_VERSION)
#define VC4VK_MAX_ANISOTROPY        16
#define VC4VK_MAX_VIEWS             6u /* of a multiview subpass: ranges of their own each */
#define VC4VK_MAX_TEXELS            (1u << 26) /* of a texel buffer: 16 bytes each make the largest range */
#define VC4VK_MAX_VIEWPORTS         1u
#define VC4VK_MAX_COLOR_ATTACHMENTS 8u
#define VC4VK_MAX_VERTEX_BINDINGS   16u

struct vc4vk_instance {
    struct vc4vk_object base;
    const VkAllocationCallbacks *alloc;  /* NULL: the C library */
    VkAllocationCallbacks alloc_storage; /* copy of what the application gave */
    struct vc4vk_instance_extensions enabled;
    uint32_t api_version; /* what the application asked for, at least 1.0 */
    struct util_log_domain *log;                         /* what its messengers hear; owned */
    VkDebugUtilsMessengerCreateInfoEXT *messenger_infos; /* of those that hear its creation and its destruction */
    uint32_t messenger_info_count;
    struct util_list messengers; /* made of them, while either runs */
    pthread_mutex_t lock; /* guards the rest */
    bool enumerated;
    uint32_t physical_count;
    struct vc4vk_physical_device *physical[KMD_MAX_DEVICES]; /* owned */
};

/* VkDebugUtilsMessengerCreateInfoEXT behind VkInstanceCreateInfo: messengers that hear what is said while the instance
 * is made, and while it is destroyed. False when out of memory. */
bool vc4vk_creation_messengers_init(struct vc4vk_instance *instance, const void *chain);
void vc4vk_creation_messengers_begin(struct vc4vk_instance *instance, struct util_log_call *call);
void vc4vk_creation_messengers_end(struct vc4vk_instance *instance, struct util_log_call *call);
void vc4vk_creation_messengers_finish(struct vc4vk_instance *instance);

struct vc4vk_physical_device {
    struct vc4vk_object base;
    struct vc4vk_instance *instance;
    struct kmd_physical kmd; /* each logical device opens it anew */
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceFeatures features; /* what is supported */
    VkPhysicalDeviceMemoryProperties memory;
    pthread_mutex_t lock;     /* of the list */
    struct util_list devices; /* of vc4vk_device.physical_link: for what all of them use */
    /* The displays, which belong to a room above; under the lock. NULL: nobody has asked. */
    void *wsi_state;
    void (*wsi_destroy)(struct vc4vk_physical_device *physical, void *state);
};

/* Per-device state of the rooms above. ORDER: destroyed from last to first. */
enum vc4vk_slot {
    VC4VK_SLOT_DESCRIPTOR,
    VC4VK_SLOT_PIPELINE,
    VC4VK_SLOT_META,
    VC4VK_SLOT_CMDBUF,
    VC4VK_SLOT_WSI,
    VC4VK_SLOT_COUNT
};

/* Fields of bits of which some may be unknown (vc4vk_ignored_bits.h). */
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

struct vc4vk_device {
    struct vc4vk_object base;
    const VkAllocationCallbacks *alloc;  /* NULL: the C library. Entry points use vc4vk_alloc_choose */
    VkAllocationCallbacks alloc_storage; /* copy of what the application gave */
    struct vc4vk_physical_device *physical;
    struct util_list physical_link;         /* in vc4vk_physical_device.devices */
    struct kmd_device *kmd;                 /* owned */
    struct vc4vk_queue_device queue_device; /* dispatcher and queues */
    struct vc4vk_device_extensions enabled;
    VkPhysicalDeviceFeatures features; /* enabled by the application */
    _Atomic uint32_t memory_count;     /* live VkDeviceMemory objects */
    pthread_mutex_t slot_lock;         /* taken to fill a slot */
    struct {
        _Atomic(void *) state;
        const struct vc4vk_slot_ops *ops;
    } slots[VC4VK_SLOT_COUNT];
    _Atomic uint32_t ignored_bits[VC4VK_BITS_COUNT]; /* unknown ones that have been reported */
    pthread_mutex_t swapchain_lock;                  /* of the list, and of who uses those in it */
    pthread_cond_t swapchain_unused;
    struct util_list swapchains;    /* of vc4vk_swapchain_memory.link */
    _Atomic uint32_t present_count; /* pictures handed over to be shown, of all swapchains */
};

VC4VK_DEFINE_HANDLE(vc4vk_instance, VkInstance, VK_OBJECT_TYPE_INSTANCE)
VC4VK_DEFINE_HANDLE(vc4vk_physical_device, VkPhysicalDevice, VK_OBJECT_TYPE_PHYSICAL_DEVICE)
VC4VK_DEFINE_HANDLE(vc4vk_device, VkDevice, VK_OBJECT_TYPE_DEVICE)

static inline struct vc4vk_device *vc4vk_device_from_queue(const struct vc4vk_queue *queue)
{
    return container_of(queue->device, struct vc4vk_device, queue_device);
}

/* Every buffer and image can lie in every memory type. */
static inline uint32_t vc4vk_memory_type_bits(const struct vc4vk_device *device)
{
    return BIT(device->physical->memory.memoryTypeCount) - 1;
}

/* The slot's state, made by ops->create on first use (once, also under concurrency). Never fails again after the first
 * success; a failed creation is tried again by the next caller. */
VkResult vc4vk_device_slot(struct vc4vk_device *device, enum vc4vk_slot slot, const struct vc4vk_slot_ops *ops,
                           void **state_out);

/* The slot's state, or NULL when it was never made. */
static inline void *vc4vk_device_slot_peek(struct vc4vk_device *device, enum vc4vk_slot slot)
{
    return atomic_load_explicit(&device->slots[slot].state, memory_order_acquire);
}

#endif
