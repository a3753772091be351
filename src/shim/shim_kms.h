/* SPDX-License-Identifier: MIT
 *
 * The display behind the primary node: one connector (HDMI), encoder, CRTC and primary plane, dumb buffers,
 * framebuffers, the atomic and the older interface, and a vertical blank at the mode's rate. It takes what the kernel
 * takes and refuses what it refuses; where drivers differ it is the stricter [kernel drm_atomic.c, drm_atomic_uapi.c,
 * drm_atomic_helper.c, drm_crtc.c, drm_plane.c, drm_framebuffer.c, drm_auth.c].
 *
 *   shim_kms.c           which ioctls there are; who is master; resources and the older calls
 *   shim_kms_property.c  properties, blobs, the atomic call
 *   shim_kms_buffer.c    dumb buffers and framebuffers
 *   shim_kms_screen.c    checking and committing states, the vertical blank, what is seen
 *   shim_kms_png.c   a PNG of it
 */
#ifndef SHIM_SHIM_KMS_H
#define SHIM_SHIM_KMS_H

#include <drm.h>
#include <drm_mode.h>
#include "shim/shim.h"

#define SHIM_KMS_MAX_PX 2048u /* [kernel vc4_kms.c] of a framebuffer */

enum shim_kms_id {
    SHIM_KMS_CONNECTOR = 30,
    SHIM_KMS_ENCODER,
    SHIM_KMS_CRTC,
    SHIM_KMS_PLANE,
    SHIM_KMS_FIRST_PROPERTY = 40,
    SHIM_KMS_FIRST_MADE = 100, /* framebuffers and blobs count from here */
};

struct shim_kms_fb {
    struct util_list link;
    struct shim_file *owner;
    uint32_t id, width_px, height_px, pitch_B, offset_B, format;
    uint8_t *map; /* of the whole buffer, which lives as long */
    size_t map_B;
};

struct shim_kms_blob {
    struct util_list link;
    struct shim_file *owner; /* NULL: the kernel's, or destroyed while a state has it */
    uint32_t id, size_B;
    uint8_t data[];
};

/* All that a commit can change. */
struct shim_kms_state {
    bool has_mode;
    uint32_t is_active; /* as all that properties change */
    struct drm_mode_modeinfo mode;
    uint32_t mode_blob;
    uint32_t connector_crtc;
    uint32_t plane_fb, plane_crtc;
    int32_t crtc_x, crtc_y;
    uint32_t crtc_w, crtc_h;
    uint32_t src_x, src_y, src_w, src_h; /* 16.16 */
};

struct shim_kms_event {
    struct shim_file *file; /* NULL: nobody is told */
    uint64_t user_data;
};

struct shim_kms {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* of all that follows */
    struct util_list fbs, blobs;
    uint32_t last_id;
    struct shim_file *master; /* NULL: nobody */
    bool is_taken;            /* somebody else is master */
    bool is_unplugged;
    struct shim_kms_state state;  /* as committed */
    uint32_t shown_fb;            /* 0: none; the CRTC reads it */
    struct shim_kms_state shown;  /* ... and so */
    uint64_t shown_sum;           /* of its pixels when it came */
    bool is_pending;              /* `state` is shown from the next vertical blank on */
    struct shim_kms_event event;  /* then */
    uint64_t epoch_ns, period_ns; /* of the vertical blank; 0: off */
    uint64_t vblanks_before;      /* in earlier modes */
    uint64_t flips, modesets, torn, dumb_buffers;
    bool has_thread;
};

extern struct shim_kms shim_kms;

/* -- shim_kms.c --------------------------------------------------------------------------------------------------- */

/* VC4VK_SHIM_DISPLAY: "legacy" is a driver from before the atomic call that counts no vertical blanks, "unplugged"
 * begins without a display, "none" has no primary node. */
bool shim_kms_display_is(const char *word);
int shim_kms_get_cap(struct drm_get_cap *args);
/* Our own form of a request that only the primary node has; 0: there is none. */
unsigned long shim_kms_request(unsigned number);
int shim_kms_ioctl(struct shim_file *file, unsigned long request, void *arg);
void shim_kms_open(struct shim_file *file);
void shim_kms_close(struct shim_file *file);
void shim_kms_lock(void);
void shim_kms_unlock(void);
void shim_kms_after_fork(void);
void shim_kms_finish(void);

extern const struct drm_mode_modeinfo shim_kms_modes[];
extern const uint32_t shim_kms_mode_count;
/* Copies as many items to the caller's array as it has room for; the count there is. */
void shim_kms_give(uint64_t to, uint32_t *count_inout, const void *items, uint32_t count, size_t item_B);

/* The files below: all under the lock. Those that take `arg` serve an ioctl, whose structure it is. */

/* -- shim_kms_property.c ------------------------------------------------------------------------------------------ */

int shim_kms_atomic(struct shim_file *file, void *arg);
int shim_kms_get_property(struct shim_file *file, void *arg);
int shim_kms_set_property(struct shim_file *file, void *arg);
int shim_kms_get_properties(struct shim_file *file, void *arg);
int shim_kms_get_blob(struct shim_file *file, void *arg);
int shim_kms_create_blob(struct shim_file *owner, const void *data, uint32_t size_B, uint32_t *id_out);
int shim_kms_destroy_blob(struct shim_file *file, uint32_t id);
/* Frees blobs that neither a file nor the state has. */
void shim_kms_collect_blobs(void);

/* -- shim_kms_buffer.c -------------------------------------------------------------------------------------------- */

int shim_kms_create_dumb(struct shim_file *file, void *arg);
int shim_kms_map_dumb(struct shim_file *file, void *arg);
int shim_kms_add_fb(struct shim_file *file, void *arg);
int shim_kms_add_fb2(struct shim_file *file, void *arg);
/* NULL: there is none. */
struct shim_kms_fb *shim_kms_find_fb(uint32_t id);
/* No CRTC reads it any more. */
void shim_kms_free_fb(struct shim_kms_fb *fb);

/* -- shim_kms_screen.c -------------------------------------------------------------------------------------------- */

/* Checks and, without TEST_ONLY, takes the state. `flags` are those of the atomic call. Waits until it is shown,
 * without NONBLOCK. */
int shim_kms_commit(const struct shim_kms_state *next, uint32_t flags, struct shim_kms_event event);
/* Waits until what was committed is shown. */
void shim_kms_settle(void);
/* Nobody shows it any more: what removing a framebuffer does to the plane and its CRTC. */
void shim_kms_forget_fb(uint32_t id);
uint64_t shim_kms_vblank(void); /* the number of the last one in this mode */
int shim_kms_get_sequence(struct shim_file *file, void *arg);
/* Writes what is shown, if anything, to the file that VC4VK_SHIM_SCREENSHOT names. */
void shim_kms_dump_screen(void);

/* -- shim_kms_png.c ------------------------------------------------------------------------------------------- */

/* Of words 0x??RRGGBB. False with errno set. */
bool shim_kms_write_png(const char *path, const uint32_t *pixels, uint32_t width_px, uint32_t height_px);

#endif
