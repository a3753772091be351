/* SPDX-License-Identifier: MIT
 *
 * Swapchains: images that the device renders to, and a presenter thread that passes finished images to the target at
 * the pace of the present mode. The target copies them or shows them directly. An image becomes free when it has been
 * copied, or when nothing reads it any more. Acquisition therefore signals its semaphore and fence immediately.
 */
#ifndef WSI_VC4VK_SWAPCHAIN_H
#define WSI_VC4VK_SWAPCHAIN_H

#include "wsi/vc4vk_wsi.h"

enum vc4vk_swapchain_image_state {
    VC4VK_IMAGE_FREE,
    VC4VK_IMAGE_ACQUIRED, /* owned by the application */
    VC4VK_IMAGE_QUEUED,   /* owned by the presenter or the target */
};

struct vc4vk_swapchain_image {
    VkImage image; /* owned, as is its memory */
    VkDeviceMemory memory;
    const uint8_t *pixels; /* B8G8R8A8; raster unless the target wants tiles */
    uint32_t stride_B;
    enum vc4vk_swapchain_image_state state; /* guarded by the swapchain's lock */
};

struct vc4vk_pending_present {
    uint32_t image;
    struct vc4vk_timestamp_set ready; /* when it has retired, rendering is finished */
    VkRect2D changed;                 /* area that differs from the previous image */
    uint32_t number;                  /* counts the device's presents, from 1 */
    VkPresentModeKHR mode;            /* from this image on */
    uint64_t id;                      /* of VK_KHR_present_id; 0: none */
    struct inspect_frame *frame;      /* the frame that this present ends, referenced; NULL: not inspected */
};

struct vc4vk_swapchain {
    struct vc4vk_swapchain_memory base; /* must be first */
    struct vc4vk_device *device;
    struct vc4vk_target *target; /* owned; only the presenter thread uses it while it runs */
    uint32_t modes;              /* bit per VkPresentModeKHR that presents may ask for; all of them are core modes */
    uint32_t image_count;
    struct vc4vk_swapchain_image images[VC4VK_MAX_SWAPCHAIN_IMAGES];

    pthread_t thread;
    bool thread_is_running;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Guarded by `lock`: */
    struct vc4vk_pending_present pending[VC4VK_MAX_SWAPCHAIN_IMAGES]; /* oldest first */
    uint32_t pending_count;
    VkPresentModeKHR mode;     /* of the image that is being presented or was last */
    VkPresentModeKHR new_mode; /* of the image that was last queued */
    uint64_t shown_id;         /* the largest id of an image that has become visible or was replaced by a newer one */
    uint32_t last_acquired;
    bool has_presented; /* at least one image was queued */
    bool is_presenting; /* the presenter shows an image that is not pending any more */
    uint32_t lent;      /* with shows_images: bit mask of images passed to the target and not yet freed */
    uint32_t track;     /* of VC4VK_TRACE */
    bool stop;          /* show pending images without pacing, then end the thread */
    bool is_retired;    /* replaced by another swapchain, or being destroyed: nothing can be acquired */
    VkResult status;    /* VK_SUCCESS, VK_SUBOPTIMAL_KHR, or the error that every later call returns */
};

/* NULL when the swapchain has been destroyed; otherwise it stays alive until it is put. put accepts NULL. */
static inline struct vc4vk_swapchain *vc4vk_swapchain_get(struct vc4vk_device *device, VkSwapchainKHR handle)
{
    return (struct vc4vk_swapchain *)vc4vk_swapchain_memory_get(device, handle);
}

static inline void vc4vk_swapchain_put(struct vc4vk_device *device, struct vc4vk_swapchain *swapchain)
{
    vc4vk_swapchain_memory_put(device, swapchain ? &swapchain->base : NULL);
}

/* With VC4VK_SHOWN set, writes the image, which must be raster, to a file; otherwise does nothing. */
void vc4vk_present_dump_write(const struct vc4vk_swapchain_image *image, VkExtent2D extent, uint32_t number);

/* Wakes the presenter thread after a change of state that it depends on. */
void vc4vk_presenter_wake_locked(struct vc4vk_swapchain *swapchain);

/* Called when a thread waits for a free image: targets that must poll for released images then poll at once. */
void vc4vk_presenter_poll_now_locked(struct vc4vk_swapchain *swapchain);

/* Starts and ends the thread. Before it ends, the thread shows all pending images. */
VkResult vc4vk_presenter_start(struct vc4vk_swapchain *swapchain);
void vc4vk_presenter_stop(struct vc4vk_swapchain *swapchain);

/* What a present asks for. */
struct vc4vk_present_request {
    uint32_t image;
    struct vc4vk_timestamp_set ready;
    VkRect2D changed;
    const VkPresentModeKHR *mode; /* NULL: as before */
    uint64_t id;                  /* 0: none */
};

/* Queues an acquired image for presentation once `ready` has retired. Outside `changed` it equals the previously queued
 * image. Returns the swapchain's status, or VK_ERROR_OUT_OF_DATE_KHR for an image that was not acquired. */
VkResult vc4vk_presenter_push(struct vc4vk_swapchain *swapchain, const struct vc4vk_present_request *request);

#endif
