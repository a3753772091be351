/* SPDX-License-Identifier: MIT
 *
 * The kernel's display interface (KMS) through libdrm, as far as full-screen presentation needs it: connectors and
 * their modes, CRTCs with their primary planes, dumb buffers, and commits that take effect at the vertical blank and
 * report it by an event. Uses atomic commits if the kernel driver has them, otherwise the legacy calls.
 *
 * The DRM master role is held only while swapchains present. Enumerating displays therefore never disturbs the program
 * that is master.
 */
#ifndef WSI_VC4VK_KMS_H
#define WSI_VC4VK_KMS_H

#include <pthread.h>
#include <xf86drmMode.h>
#include "util/list.h"

#define VC4VK_KMS_MAX_CRTCS 8u

/* Property ids; 0: the object has no such property. */
struct vc4vk_kms_properties {
    uint32_t active, mode_id;      /* CRTC */
    uint32_t plane_fb, plane_crtc; /* its primary plane */
    uint32_t src[4], dst[4];       /* x, y, w, h */
};

struct vc4vk_kms_buffer {
    struct util_list link;
    uint32_t handle; /* GEM handle; 0: imported memory, kept alive by the framebuffer only */
    uint32_t fb_id, pitch_B, width_px, height_px;
    uint8_t *map;
    size_t map_B;
};

struct vc4vk_kms_crtc {
    uint32_t id, plane_id; /* plane_id 0: the kernel driver has legacy calls only */
    struct vc4vk_kms_properties properties;
    /* Guarded by vc4vk_kms.lock: */
    unsigned users; /* number of outputs on the CRTC */
    bool is_flipping;
    bool is_dark;                          /* turned off by vkDisplayPowerControlEXT: nothing can be shown */
    struct vc4vk_kms_buffer *next, *shown; /* `next` becomes `shown` when the flip is complete */
    uint64_t shown_ns;                     /* vertical blank at which `shown` was flipped to; 0: unknown */
    struct util_list leftover;             /* buffers of a destroyed output; one of them may still be shown */
    uint32_t saved_connector;              /* state before the first output, to be restored; 0: none */
    drmModeCrtc *saved;
};

struct vc4vk_kms {
    int fd;
    dev_t device; /* of the primary node */
    char path[64];
    bool is_atomic;
    bool is_given; /* `fd` came from the application, which then manages the master role itself */
    uint32_t crtc_count;
    struct vc4vk_kms_crtc crtcs[VC4VK_KMS_MAX_CRTCS];
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_reading; /* a thread is reading events */
    unsigned users;  /* number of outputs; while it is not 0 the driver tries to be DRM master */
};

/* Opens the primary node. NULL when it does not exist, has no displays, or memory is short. */
struct vc4vk_kms *vc4vk_kms_open(const char *path);
void vc4vk_kms_close(struct vc4vk_kms *kms); /* NULL is accepted */

/* Switches to a duplicate of this file descriptor, or with -1 to a file opened by the driver. Returns 0, -EBUSY while
 * there are outputs, or another negative errno. */
int vc4vk_kms_use_file(struct vc4vk_kms *kms, int fd);

/* The connector's current state; NULL when it does not exist any more. Free it with drmModeFreeConnector. `probe`: the
 * kernel probes the connector again, which takes time. */
drmModeConnector *vc4vk_kms_connector(const struct vc4vk_kms *kms, uint32_t id, bool probe);
bool vc4vk_kms_is_connected(const struct vc4vk_kms *kms, uint32_t connector);
/* Bit mask (by index) of the CRTCs that can drive the connector. *current_out: the index of the one that drives it now,
 * or UINT32_MAX. */
uint32_t vc4vk_kms_possible_crtcs(const struct vc4vk_kms *kms, const drmModeConnector *connector,
                                  uint32_t *current_out);

/* The CRTC that drives the connector now, or NULL. */
struct vc4vk_kms_crtc *vc4vk_kms_current_crtc(struct vc4vk_kms *kms, uint32_t connector);
/* The id of the property of this name; 0: there is none. */
uint32_t vc4vk_kms_property(const struct vc4vk_kms *kms, uint32_t object, uint32_t type, const char *name);

/* Tries to become DRM master; returns whether the file is master now. With the application's file (is_given) it only
 * checks. */
bool vc4vk_kms_take_master(const struct vc4vk_kms *kms);
/* As vc4vk_kms_take_master, for use while there are no outputs: it may reopen the file. Under the lock. */
bool vc4vk_kms_take_first_master_locked(struct vc4vk_kms *kms);
void vc4vk_kms_drop_master(const struct vc4vk_kms *kms);

/* -- vertical blanks and hot-plug (vc4vk_kms_events.c) ------------------------------------------------------------ */

/* The number of vertical blanks so far, the time of the last one and the expected time of the next. */
struct vc4vk_kms_vblank {
    uint64_t count, time_ns, next_ns;
};
/* Returns 0, -ENOTCONN while the display shows nothing, or another negative errno. */
int vc4vk_kms_vblank(struct vc4vk_kms *kms, uint32_t connector, struct vc4vk_kms_vblank *out);

/* Opens a socket for the kernel's uevents of all devices, which the caller closes. Returns it or a negative errno. */
int vc4vk_kms_open_uevents(void);
/* Reads all pending uevents. Returns whether displays of this device were plugged in or pulled out. */
bool vc4vk_kms_read_uevents(const struct vc4vk_kms *kms, int fd);

/* -- outputs and flips -------------------------------------------------------------------------------------------- */

/* One user of a CRTC: drives a connector in a mode. */
struct vc4vk_kms_output {
    struct vc4vk_kms *kms;
    struct vc4vk_kms_crtc *crtc;
    uint32_t connector, connector_crtc_property; /* CRTC_ID */
    drmModeModeInfo mode;
    uint32_t mode_blob; /* atomic */
    uint64_t refresh_ns;
};

/* Starts to use the CRTC. Returns 0, -EBUSY when another output uses it and `is_shared` is false, -EACCES when another
 * program is master, or another negative errno. */
int vc4vk_kms_output_init(struct vc4vk_kms_output *output, struct vc4vk_kms *kms, uint32_t crtc_index,
                          uint32_t connector, const drmModeModeInfo *mode, bool is_shared);
/* Ends the use. The last output of a CRTC restores the previous picture. Destroys `buffers`; one that is still shown is
 * kept until another is shown. */
void vc4vk_kms_output_finish(struct vc4vk_kms_output *output, struct util_list *buffers);

/* Creates a mapped dumb buffer. Returns 0 or a negative errno. */
int vc4vk_kms_buffer_create(struct vc4vk_kms *kms, uint32_t width_px, uint32_t height_px,
                            struct vc4vk_kms_buffer **out);
/* Creates a buffer from memory of the same device. `fd`: a dma-buf, which stays the caller's. */
int vc4vk_kms_buffer_adopt(struct vc4vk_kms *kms, uint32_t width_px, uint32_t height_px, int fd, uint32_t offset_B,
                           uint32_t pitch_B, struct vc4vk_kms_buffer **out);
void vc4vk_kms_buffer_destroy(struct vc4vk_kms *kms, struct vc4vk_kms_buffer *buffer);
/* Whether the display scans the buffer out, or will after the current flip. */
bool vc4vk_kms_buffer_is_busy(const struct vc4vk_kms_output *output, const struct vc4vk_kms_buffer *buffer);

/* Waits until the previous flip is complete, then flips to `buffer`, which has the mode's size, at the next vertical
 * blank. Returns 0, -EACCES when another program is master, -EHOSTDOWN when the display is turned off, or another
 * negative errno. */
int vc4vk_kms_flip(struct vc4vk_kms_output *output, struct vc4vk_kms_buffer *buffer);
/* Waits until the flip is complete. */
void vc4vk_kms_wait_for_flip(struct vc4vk_kms_output *output);
/* The time of the next vertical blank, extrapolated from the last flip event. */
uint64_t vc4vk_kms_next_vblank(const struct vc4vk_kms_output *output);
uint64_t vc4vk_kms_refresh_ns(const drmModeModeInfo *mode);

/* Turns the display on or off: `level` is DRM_MODE_DPMS_*. When turned on, it shows the same picture as before. Returns
 * 0, -EACCES when another program is master, or another negative errno. */
int vc4vk_kms_set_power(struct vc4vk_kms *kms, uint32_t connector, uint32_t level);

#endif
