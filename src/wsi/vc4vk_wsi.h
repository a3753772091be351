/* SPDX-License-Identifier: MIT
 *
 * Surfaces, and where their pictures go. A platform is a table of operations; a swapchain makes one target of its
 * surface and hands it finished pictures from a thread of its own (vc4vk_presenter.c), so no dispatcher and no
 * application thread ever waits for a display.
 */
#ifndef WSI_VC4VK_WSI_H
#define WSI_VC4VK_WSI_H

#include <sys/types.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_memory.h"

#define VC4VK_MIN_SWAPCHAIN_IMAGES 2u
#define VC4VK_MAX_SWAPCHAIN_IMAGES 8u
#define VC4VK_REFRESH_NS           UINT64_C(16666667) /* the clock that FIFO and MAILBOX follow: 60 Hz */

/* What an extent in VkSurfaceCapabilitiesKHR says when the swapchain decides. */
#define VC4VK_ANY_EXTENT UINT32_MAX

struct vc4vk_target;

struct vc4vk_target_ops {
    void (*destroy)(struct vc4vk_target *target);
    /* Takes the picture: its memory may be written again after the return. Rows of 4-byte pixels, B8G8R8A8. Outside
     * `changed` it is as the picture taken before; `changed` lies in the target's extent. */
    void (*copy)(struct vc4vk_target *target, const uint8_t *pixels, uint32_t stride_B, VkRect2D changed);
    /* Shows what was copied. VK_SUCCESS, VK_SUBOPTIMAL_KHR (the surface has another size now) or
     * VK_ERROR_SURFACE_LOST_KHR. */
    VkResult (*show)(struct vc4vk_target *target);
    /* With wants_images: takes the swapchain's images one by one, memory behind a descriptor that stays the caller's.
     * False: it cannot show them after all. */
    bool (*adopt)(struct vc4vk_target *target, uint32_t image, int fd, uint32_t offset_B, uint32_t stride_B);
    /* Then: forgets those it has taken, and wants others (of another modifier), or none and has pictures copied. */
    VkResult (*after_refusal)(struct vc4vk_target *target);
    /* With shows_images, where images come back when it suits the display's server: sleeps until one has (`held`), or
     * until wake(), which any thread may call. VK_SUCCESS or an error as of show(). NULL: show() alone changes `held`.
     */
    VkResult (*wait)(struct vc4vk_target *target);
    void (*wake)(struct vc4vk_target *target);
    /* How many vertical blanks there have been; VK_ERROR_OUT_OF_DATE_KHR. NULL: it has no such counter. */
    VkResult (*count_vblanks)(struct vc4vk_target *target, uint64_t *count_out);
};

/* A platform's target starts with it. */
struct vc4vk_target {
    const struct vc4vk_target_ops *ops;
    VkExtent2D extent;
    bool keeps_pace;  /* show() waits for the display's own clock in FIFO */
    /* Without copies: each image is shown as it is. */
    bool wants_images, shows_images;
    bool replaces;       /* MAILBOX: a picture may be shown at any time, the newest counts at the display's own tick */
    uint64_t modifier;   /* of DRM: how the images that it wants lie in memory, LINEAR or the chip's T tiles */
    uint32_t min_images; /* that it wants, to have one for the application while others are read */
    uint32_t image;      /* for show() */
    uint32_t held;       /* a bit for each image that the display or its server reads */
    bool is_unseen;      /* by show(): it could not for the time being, and is called again while nothing newer comes */
    uint64_t free_ns; /* MAILBOX: when the next picture may be shown; 0: by the presenter's own clock */
};

struct vc4vk_surface;

struct vc4vk_surface_ops {
    void (*finish)(struct vc4vk_surface *surface); /* before its memory is freed; NULL: nothing to do */
    /* VC4VK_ANY_EXTENT when the surface has no size of its own; VK_ERROR_SURFACE_LOST_KHR. */
    VkResult (*get_extent)(struct vc4vk_surface *surface, VkExtent2D *extent_out);
    /* For one swapchain of the device, whose extent, mode and composite alpha it takes from `info`. */
    VkResult (*create_target)(struct vc4vk_surface *surface, const struct vc4vk_device *device,
                              const VkSwapchainCreateInfoKHR *info, struct vc4vk_target **out);
    VkCompositeAlphaFlagsKHR composite_alpha; /* what the platform can do */
    bool never_tears;                         /* so the modes that may tear are not there */
    bool passes_colors_through;               /* nobody between us and the display looks at them */
    bool counts_vblanks;                      /* as its targets do */
};

/* A VkSurfaceKHR. A platform's surface starts with it. */
struct vc4vk_surface {
    struct vc4vk_object base;
    const struct vc4vk_surface_ops *ops;
};

VC4VK_DEFINE_HANDLE(vc4vk_surface, VkSurfaceKHR, VK_OBJECT_TYPE_SURFACE_KHR)

/* Memory for pixels that another process can map: a descriptor, to be closed when it has been handed over; -1 without
 * memory. `*map_out` is the caller's, to be unmapped. */
int vc4vk_shared_pixels_create(size_t size_B, void **map_out);

/* Copies the rectangle to the same place of another picture of 4-byte pixels. */
void vc4vk_copy_pixels(uint8_t *to, uint32_t to_stride_B, const uint8_t *from, uint32_t from_stride_B, VkRect2D rect);

/* The smallest rectangle around both; an empty one adds nothing. */
VkRect2D vc4vk_rect_union(VkRect2D a, VkRect2D b);

/* VC4VK_SHOWN is set: each picture that is shown becomes a file. */
bool vc4vk_present_dump_is_enabled(void);

/* Whether the device number is that of a node of the DRM device which has this node too. */
bool vc4vk_node_is_of_device(const char *path, dev_t number);

/* The largest and smallest extents and everything else a surface can do. */
VkResult vc4vk_surface_get_capabilities(struct vc4vk_surface *surface, VkSurfaceCapabilitiesKHR *out);
bool vc4vk_surface_has_format(const struct vc4vk_surface *surface, const struct vc4vk_physical_device *physical,
                              VkFormat format, VkColorSpaceKHR color_space);
bool vc4vk_surface_has_present_mode(const struct vc4vk_surface *surface, VkPresentModeKHR mode);

/* Every picture is shown, one after the other. */
static inline bool vc4vk_present_mode_is_fifo(VkPresentModeKHR mode)
{
    return mode == VK_PRESENT_MODE_FIFO_KHR || mode == VK_PRESENT_MODE_FIFO_RELAXED_KHR;
}

#endif
