/* SPDX-License-Identifier: MIT
 *
 * The kernel's display interface (KMS) through libdrm, as much of it as showing full-screen pictures takes: connectors
 * and their modes, CRTCs with their primary planes, dumb buffers, commits that take effect at the vertical blank and
 * say so by an event. Atomic where the driver is, otherwise the older calls.
 *
 * Being master is a matter of the moment: it is taken while somebody shows pictures, and given up in between, so that
 * asking which displays there are disturbs nobody.
 */
#ifndef WSI_VC4VK_KMS_H
#define WSI_VC4VK_KMS_H

#include <pthread.h>
#include <xf86drmMode.h>
#include "util/list.h"

#define VC4VK_KMS_MAX_CRTCS 8u

/* Of an object, by name; 0: it has none such. */
struct vc4vk_kms_properties {
    uint32_t active, mode_id;      /* CRTC */
    uint32_t plane_fb, plane_crtc; /* its primary plane */
    uint32_t src[4], dst[4];       /* x, y, w, h */
};

struct vc4vk_kms_buffer {
    struct util_list link;
    uint32_t handle; /* 0: adopted, the framebuffer alone holds the memory */
    uint32_t fb_id, pitch_B, width_px, height_px;
    uint8_t *map;
    size_t map_B;
};

struct vc4vk_kms_crtc {
    uint32_t id, plane_id; /* plane 0: the driver has older calls only */
    struct vc4vk_kms_properties properties;
    /* Under the lock: */
    unsigned users; /* targets */
    bool is_flipping;
    bool is_dark;                          /* turned off on request: nothing can be shown */
    struct vc4vk_kms_buffer *next, *shown; /* `next` takes the place when the flip is done */
    uint64_t shown_ns;                     /* the vertical blank at which it came; 0: not known */
    struct util_list leftover;             /* buffers of a target that is gone, of which one may still be shown */
    uint32_t saved_connector;              /* what the first user found; 0: nothing to restore */
    drmModeCrtc *saved;
};

struct vc4vk_kms {
    int fd;
    dev_t device; /* of the primary node */
    char path[64];
    bool is_atomic;
    bool is_given; /* the application's open file: who is master is its business */
    uint32_t crtc_count;
    struct vc4vk_kms_crtc crtcs[VC4VK_KMS_MAX_CRTCS];
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_reading; /* somebody waits for events */
    unsigned users;  /* targets: the device is master while there are any, if it can be */
};

/* Opens the primary node. NULL: not there, or it has no displays, or no memory. */
struct vc4vk_kms *vc4vk_kms_open(const char *path);
void vc4vk_kms_close(struct vc4vk_kms *kms); /* NULL is accepted */

/* Goes on with this open file, or, with -1, with one of our own. 0, -EBUSY while there are targets, or another negative
 * errno. */
int vc4vk_kms_use_file(struct vc4vk_kms *kms, int fd);

/* The connector as the kernel knows it; NULL when it is gone. To be freed with drmModeFreeConnector. `probe`: the
 * kernel looks anew, which takes time. */
drmModeConnector *vc4vk_kms_connector(const struct vc4vk_kms *kms, uint32_t id, bool probe);
bool vc4vk_kms_is_connected(const struct vc4vk_kms *kms, uint32_t connector);
/* Bits by index of the CRTCs that can drive it; in `*current_out` the index of the one that does, or UINT32_MAX. */
uint32_t vc4vk_kms_possible_crtcs(const struct vc4vk_kms *kms, const drmModeConnector *connector,
                                  uint32_t *current_out);

/* The CRTC that drives the connector now, or NULL. */
struct vc4vk_kms_crtc *vc4vk_kms_current_crtc(struct vc4vk_kms *kms, uint32_t connector);
/* The property of this name; 0: there is none. */
uint32_t vc4vk_kms_property(const struct vc4vk_kms *kms, uint32_t object, uint32_t type, const char *name);

/* Whether we are master now. What the application gave is master or not, as it wishes: nothing is done to it. */
bool vc4vk_kms_take_master(const struct vc4vk_kms *kms);
/* The same where there are no targets yet. */
bool vc4vk_kms_take_master_at_first(struct vc4vk_kms *kms);
void vc4vk_kms_drop_master(const struct vc4vk_kms *kms);

/* -- what displays do of themselves (vc4vk_kms_events.c) ---------------------------------------------------------- */

/* The last vertical blank: how many there have been, when it was and when the next one comes. */
struct vc4vk_kms_vblank {
    uint64_t count, time_ns, next_ns;
};
/* 0; -ENOTCONN while the display shows nothing; another negative errno. */
int vc4vk_kms_vblank(struct vc4vk_kms *kms, uint32_t connector, struct vc4vk_kms_vblank *out);

/* A socket that becomes readable when something happens to some device, the caller's; or a negative errno. */
int vc4vk_kms_open_uevents(void);
/* Reads all of them; whether displays of this device were plugged in or pulled out. */
bool vc4vk_kms_read_uevents(const struct vc4vk_kms *kms, int fd);

/* -- showing ------------------------------------------------------------------------------------------------------ */

/* What is shown where. */
struct vc4vk_kms_output {
    struct vc4vk_kms *kms;
    struct vc4vk_kms_crtc *crtc;
    uint32_t connector, connector_crtc_property; /* CRTC_ID */
    drmModeModeInfo mode;
    uint32_t mode_blob; /* atomic */
    uint64_t refresh_ns;
};

/* Takes the CRTC. 0, -EBUSY when it is taken and not `is_shared`, -EACCES when another program is master, or another
 * negative errno. */
int vc4vk_kms_output_init(struct vc4vk_kms_output *output, struct vc4vk_kms *kms, uint32_t crtc_index,
                          uint32_t connector, const drmModeModeInfo *mode, bool is_shared);
/* Restores what was there before if nobody else has the CRTC; the buffers are freed, or left until others are shown. */
void vc4vk_kms_output_finish(struct vc4vk_kms_output *output, struct util_list *buffers);

/* 0 or a negative errno. */
int vc4vk_kms_buffer_create(struct vc4vk_kms *kms, uint32_t width_px, uint32_t height_px,
                            struct vc4vk_kms_buffer **out);
/* Shows memory of the same device, behind a dma-buf that stays the caller's. */
int vc4vk_kms_buffer_adopt(struct vc4vk_kms *kms, uint32_t width_px, uint32_t height_px, int fd, uint32_t offset_B,
                           uint32_t pitch_B, struct vc4vk_kms_buffer **out);
void vc4vk_kms_buffer_destroy(struct vc4vk_kms *kms, struct vc4vk_kms_buffer *buffer);
/* Whether the display reads it, or is about to. */
bool vc4vk_kms_buffer_is_busy(const struct vc4vk_kms_output *output, const struct vc4vk_kms_buffer *buffer);

/* Waits until the picture before is seen, and has a buffer of the mode's size shown from the next vertical blank on. 0;
 * -EACCES when another program is master; -EHOSTDOWN when the display is turned off; another negative errno. */
int vc4vk_kms_flip(struct vc4vk_kms_output *output, struct vc4vk_kms_buffer *buffer);
/* Waits until it is. */
void vc4vk_kms_wait_for_flip(struct vc4vk_kms_output *output);
/* When that will be, by what the last event said. */
uint64_t vc4vk_kms_next_vblank(const struct vc4vk_kms_output *output);
uint64_t vc4vk_kms_refresh_ns(const drmModeModeInfo *mode);

/* Turns the display on or off: DRM_MODE_DPMS_*. What it showed it shows again. 0; -EACCES when another program is
 * master; another negative errno. */
int vc4vk_kms_set_power(struct vc4vk_kms *kms, uint32_t connector, uint32_t level);

#endif
