/* SPDX-License-Identifier: MIT
 *
 * Surfaces and presentation targets. Each platform is a table of operations. A swapchain creates one target from its
 * surface and passes finished images to it from a thread of its own (vc4vk_presenter.c), so neither the scheduler nor
 * an application thread ever waits for a display.
 */
#ifndef WSI_VC4VK_WSI_H
#define WSI_VC4VK_WSI_H

#include <sys/types.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_memory.h"

#define VC4VK_MIN_SWAPCHAIN_IMAGES 2u
#define VC4VK_MAX_SWAPCHAIN_IMAGES 8u
#define VC4VK_MAX_SWAPCHAIN_PX     8192u              /* a side: rows of 32-bit pixels stay below DRI3's 65536 bytes */
#define VC4VK_REFRESH_NS           UINT64_C(16666667) /* default clock of FIFO and MAILBOX: 60 Hz */

/* Width and height in VkSurfaceCapabilitiesKHR when the swapchain determines the extent. */
#define VC4VK_ANY_EXTENT UINT32_MAX

struct vc4vk_target;

struct vc4vk_target_ops {
    void (*destroy)(struct vc4vk_target *target);
    /* Copies an image: rows of 4-byte pixels, B8G8R8A8. The source may be overwritten after the return. Outside
     * `changed`, which lies within the target's extent, the image equals the previously copied one. */
    void (*copy)(struct vc4vk_target *target, const uint8_t *pixels, uint32_t stride_B, VkRect2D changed);
    /* Shows the copied image, or with shows_images the image `image`. Returns VK_SUCCESS, VK_SUBOPTIMAL_KHR (the size
     * of the surface has changed) or VK_ERROR_SURFACE_LOST_KHR. */
    VkResult (*show)(struct vc4vk_target *target);
    /* FIFO: sleeps until what show() was last given is visible, at most for some ticks. NULL: it is when show()
     * returns. */
    void (*wait_until_visible)(struct vc4vk_target *target);
    /* With wants_images: imports a swapchain image. `fd` stays the caller's. False: the target cannot show such images.
     */
    bool (*adopt)(struct vc4vk_target *target, uint32_t image, int fd, uint32_t offset_B, uint32_t stride_B);
    /* Called after adopt() has failed: drops all imported images, then either chooses another modifier or clears
     * wants_images so that images are copied. */
    VkResult (*after_refusal)(struct vc4vk_target *target);
    /* With shows_images, for display servers that release images asynchronously: sleeps until an image is released
     * (updates `held`) or until wake(), which any thread may call. Returns VK_SUCCESS or an error like show(). NULL:
     * only show() changes `held`. */
    VkResult (*wait)(struct vc4vk_target *target);
    void (*wake)(struct vc4vk_target *target);
    /* Number of vertical blanks so far, or VK_ERROR_OUT_OF_DATE_KHR. NULL: the platform has no such counter. */
    VkResult (*count_vblanks)(struct vc4vk_target *target, uint64_t *count_out);
};

/* Base of the platforms' targets. */
struct vc4vk_target {
    const struct vc4vk_target_ops *ops;
    VkExtent2D extent;
    VkPresentModeKHR mode; /* of the image that show() is called for; changes from image to image */
    bool keeps_pace;     /* in FIFO, show() waits for the display's own clock */
    bool wants_images;   /* the target would like to show the swapchain images directly, without copies */
    bool shows_images;   /* it does: it has adopted all images */
    bool replaces;       /* MAILBOX: show() may be called at any time; the display uses the newest image at its tick */
    uint64_t modifier;   /* DRM modifier of the wanted images: LINEAR or the chip's T tiles */
    uint32_t min_images; /* number of wanted images, so that one is free while others are read */
    uint32_t image;      /* input of show() */
    uint32_t held;       /* bit mask of the images that the display or its server reads */
    bool needs_retry;    /* set by show() when it cannot show now; it is called again until there is a newer image */
    uint64_t free_ns;    /* MAILBOX: earliest time for the next show(); 0: the presenter's own clock */
};

struct vc4vk_surface;

struct vc4vk_surface_ops {
    void (*finish)(struct vc4vk_surface *surface); /* called before the memory is freed; NULL: nothing to do */
    /* VC4VK_ANY_EXTENT when the surface has no size of its own. May fail with VK_ERROR_SURFACE_LOST_KHR. */
    VkResult (*get_extent)(struct vc4vk_surface *surface, VkExtent2D *extent_out);
    /* Creates the target of one swapchain; uses the extent, present mode and composite alpha of `info`. */
    VkResult (*create_target)(struct vc4vk_surface *surface, const struct vc4vk_device *device,
                              const VkSwapchainCreateInfoKHR *info, struct vc4vk_target **out);
    VkCompositeAlphaFlagsKHR composite_alpha; /* supported by the platform */
    bool never_tears;                         /* present modes that may tear are not offered */
    bool passes_colors_through;               /* no server between the driver and the display interprets colours */
    bool counts_vblanks;                      /* its targets have count_vblanks */
    bool places_images; /* a surface of another size than the image shows it unscaled in its upper left corner */
};

/* A VkSurfaceKHR: base of the platforms' surfaces. */
struct vc4vk_surface {
    struct vc4vk_object base;
    const struct vc4vk_surface_ops *ops;
};

VC4VK_DEFINE_HANDLE(vc4vk_surface, VkSurfaceKHR, VK_OBJECT_TYPE_SURFACE_KHR)

/* Creates memory for pixels that another process can map. Returns a file descriptor, to be closed once it has been
 * sent, or -1 when memory is short. The caller unmaps *map_out. */
int vc4vk_shared_pixels_create(size_t size_B, void **map_out);

/* Copies a rectangle between two images of 4-byte pixels; it has the same position in both. */
void vc4vk_copy_pixels(uint8_t *to, uint32_t to_stride_B, const uint8_t *from, uint32_t from_stride_B, VkRect2D rect);

/* The bounding box of both rectangles; empty ones are ignored. */
VkRect2D vc4vk_rect_union(VkRect2D a, VkRect2D b);

/* Whether VC4VK_SHOWN is set: each presented image is then written to a file. */
bool vc4vk_present_dump_is_enabled(void);

/* Whether the device number belongs to any node of the DRM device with the node `path`. */
bool vc4vk_node_is_of_device(const char *path, dev_t number);

/* All capabilities of the surface, with its smallest and largest extents. */
VkResult vc4vk_surface_get_capabilities(struct vc4vk_surface *surface, VkSurfaceCapabilitiesKHR *out);
bool vc4vk_surface_has_format(const struct vc4vk_surface *surface, const struct vc4vk_physical_device *physical,
                              VkFormat format, VkColorSpaceKHR color_space);
bool vc4vk_surface_has_present_mode(const struct vc4vk_surface *surface, VkPresentModeKHR mode);
/* VK_EXT_surface_maintenance1: what VkSwapchainPresentScalingCreateInfoEXT may ask for. */
VkPresentScalingFlagsEXT vc4vk_surface_scaling(const struct vc4vk_surface *surface);
VkPresentGravityFlagsEXT vc4vk_surface_gravity(const struct vc4vk_surface *surface);

/* Whether presents of this swapchain may ask for the mode: it is the swapchain's own, or one of those that
 * VkSwapchainPresentModesCreateInfoEXT lists. */
bool vc4vk_swapchain_may_use_mode(const VkSwapchainCreateInfoKHR *info, VkPresentModeKHR mode);

/* Whether every queued image is shown, one after the other. */
static inline bool vc4vk_present_mode_is_fifo(VkPresentModeKHR mode)
{
    return mode == VK_PRESENT_MODE_FIFO_KHR || mode == VK_PRESENT_MODE_FIFO_RELAXED_KHR;
}

#endif
