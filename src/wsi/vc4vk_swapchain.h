/* SPDX-License-Identifier: MIT
 *
 * A swapchain: images that the device renders to, and a presenter thread that hands finished ones to the target at the
 * pace of the present mode. The target copies them or shows them as they are. An image is free again as soon as it has
 * been copied, or as nobody reads it any more, so what acquisition signals is signalled at once.
 */
#ifndef WSI_VC4VK_SWAPCHAIN_H
#define WSI_VC4VK_SWAPCHAIN_H

#include "wsi/vc4vk_wsi.h"

enum vc4vk_swapchain_image_state {
    VC4VK_IMAGE_FREE,
    VC4VK_IMAGE_ACQUIRED, /* the application's */
    VC4VK_IMAGE_QUEUED,   /* the presenter's */
};

struct vc4vk_swapchain_image {
    VkImage image; /* owned, as is its memory */
    VkDeviceMemory memory;
    const uint8_t *pixels; /* B8G8R8A8; raster unless the target wants tiles */
    uint32_t stride_B;
    enum vc4vk_swapchain_image_state state; /* under the swapchain's lock */
};

struct vc4vk_pending_present {
    uint32_t image;
    struct vc4vk_timestamp ready; /* rendering has finished */
    VkRect2D changed;             /* since the picture before */
    uint32_t number;              /* of the device's presents, from 1 */
    struct inspect_frame *frame;  /* that it ends, with a reference; NULL: it is not inspected */
};

struct vc4vk_swapchain {
    struct vc4vk_swapchain_memory base; /* first */
    struct vc4vk_device *device;
    struct vc4vk_target *target; /* owned; the presenter's while it runs */
    VkPresentModeKHR mode;
    uint32_t image_count;
    struct vc4vk_swapchain_image images[VC4VK_MAX_SWAPCHAIN_IMAGES];

    pthread_t thread;
    bool thread_is_running;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock: */
    struct vc4vk_pending_present pending[VC4VK_MAX_SWAPCHAIN_IMAGES]; /* oldest first */
    uint32_t pending_count;
    uint32_t last_acquired;
    bool has_picture; /* one was handed over */
    uint32_t lent;    /* with shows_images: a bit for each image that the target has had since it was free */
    uint32_t track;  /* of VC4VK_TRACE */
    bool stop;       /* show what is pending without pacing, and end */
    bool is_retired; /* replaced by another swapchain, or being destroyed: nothing can be acquired */
    VkResult status; /* VK_SUCCESS, VK_SUBOPTIMAL_KHR, or the error that every later call returns */
};

/* NULL when it has been destroyed; else it stays until it is put. NULL may be put. */
static inline struct vc4vk_swapchain *vc4vk_swapchain_get(struct vc4vk_device *device, VkSwapchainKHR handle)
{
    return (struct vc4vk_swapchain *)vc4vk_swapchain_memory_get(device, handle);
}

static inline void vc4vk_swapchain_put(struct vc4vk_device *device, struct vc4vk_swapchain *swapchain)
{
    vc4vk_swapchain_memory_put(device, swapchain ? &swapchain->base : NULL);
}

/* VC4VK_SHOWN: writes the picture, which is raster then, as a file, unless that is not asked for. */
void vc4vk_present_dump_write(const struct vc4vk_swapchain_image *image, VkExtent2D extent, uint32_t number);

/* What the thread looks at has changed. */
void vc4vk_presenter_wake_locked(struct vc4vk_swapchain *swapchain);

/* Somebody waits for an image: where only looking tells that one has come back, it is looked for at once. */
void vc4vk_presenter_hurry_locked(struct vc4vk_swapchain *swapchain);

/* Starts and ends the thread; stopping shows what is pending first. */
VkResult vc4vk_presenter_start(struct vc4vk_swapchain *swapchain);
void vc4vk_presenter_stop(struct vc4vk_swapchain *swapchain);

/* Hands over an acquired image that may be shown once `ready` has retired. Outside `changed` it looks like the one
 * handed over before. The swapchain's status; VK_ERROR_OUT_OF_DATE_KHR for an image that was not acquired. */
VkResult vc4vk_presenter_push(struct vc4vk_swapchain *swapchain, uint32_t image, struct vc4vk_timestamp ready,
                              VkRect2D changed);

#endif
