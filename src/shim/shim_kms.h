/* SPDX-License-Identifier: MIT
 *
 * The display behind the primary node: one connector (HDMI), encoder, CRTC and primary plane, dumb buffers,
 * framebuffers, the atomic and the legacy interface, and a vertical blank at the mode's rate. It accepts and refuses
 * what the kernel does; where drivers differ it follows the strictest [kernel drm_atomic.c, drm_atomic_uapi.c,
 * drm_atomic_helper.c, drm_crtc.c, drm_plane.c, drm_framebuffer.c, drm_auth.c].
 *
 *   shim_kms.c           table of ioctls, DRM master, resources, legacy calls
 *   shim_kms_state.c     the state, and what all files need
 *   shim_kms_property.c  properties, blobs, the atomic call
 *   shim_kms_buffer.c    dumb buffers and framebuffers
 *   shim_kms_screen.c    checking and committing states, the vertical blank, contents of the screen
 */
#ifndef SHIM_SHIM_KMS_H
#define SHIM_SHIM_KMS_H

#include <drm.h>
#include <drm_mode.h>
#include "shim/shim.h"

#define SHIM_KMS_MAX_PX 2048u /* maximum size of a framebuffer [kernel vc4_kms.c] */

enum shim_kms_id {
    SHIM_KMS_CONNECTOR = 30,
    SHIM_KMS_ENCODER,
    SHIM_KMS_CRTC,
    SHIM_KMS_PLANE,
    SHIM_KMS_FIRST_PROPERTY = 40,
    SHIM_KMS_FIRST_DYNAMIC = 100, /* IDs of framebuffers and blobs start here */
};

struct shim_kms_fb {
    struct util_list link;
    struct shim_file *owner;
    uint32_t id, width_px, height_px, pitch_B, offset_B, format;
    uint8_t *map; /* mapping of the whole buffer; keeps its memory alive */
    size_t map_B;
};

struct shim_kms_blob {
    struct util_list link;
    struct shim_file *owner; /* NULL: created by the shim itself, or destroyed while a state uses it */
    uint32_t id, size_B;
    uint8_t data[];
};

/* Everything that a commit can change. */
struct shim_kms_state {
    bool has_mode;
    uint32_t is_active; /* a word, like all fields that properties set */
    struct drm_mode_modeinfo mode;
    uint32_t mode_blob;
    uint32_t connector_crtc;
    uint32_t plane_fb, plane_crtc;
    int32_t crtc_x, crtc_y;
    uint32_t crtc_w, crtc_h;
    uint32_t src_x, src_y, src_w, src_h; /* 16.16 */
};

struct shim_kms_event {
    struct shim_file *file; /* NULL: no event is sent */
    uint64_t user_data;
};

struct shim_kms {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a state was committed or has reached the screen */
    struct util_list fbs, blobs;
    uint32_t last_id;
    struct shim_file *master; /* NULL: none */
    bool is_taken;            /* another process is master */
    bool is_unplugged;
    struct shim_kms_state state;  /* as committed */
    uint32_t shown_fb;            /* framebuffer that the CRTC scans out; 0: none */
    struct shim_kms_state shown;  /* the state that is on the screen */
    uint64_t shown_checksum;      /* checksum of its pixels at the flip */
    bool is_pending;              /* `state` reaches the screen at the next vertical blank */
    struct shim_kms_event event;  /* sent at that vertical blank */
    uint64_t epoch_ns, period_ns; /* of the vertical blank; 0: off */
    uint64_t vblanks_before;      /* in earlier modes */
    uint64_t flips, modesets, torn, dumb_buffers;
    bool has_thread;
};

extern struct shim_kms shim_kms;

/* -- shim_kms.c --------------------------------------------------------------------------------------------------- */

int shim_kms_get_cap(struct drm_get_cap *args);
/* The request of this number, with our struct size, that only the primary node has; 0 when there is none. */
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

/* All functions below are called under the lock. Those with `arg` serve an ioctl; `arg` is its struct. */

/* -- shim_kms_state.c --------------------------------------------------------------------------------------------- */

/* Whether VC4VK_SHIM_DISPLAY has this value. "legacy": a driver without the atomic call and without a vertical blank
 * counter; "unplugged": no display is connected at first; "none": no primary node. Takes no lock. */
bool shim_kms_display_is(const char *word);
/* Copies items to the caller's array as far as it has room, and stores the total count. */
void shim_kms_copy_array(uint64_t to, uint32_t *count_inout, const void *items, uint32_t count, size_t item_B);
/* Frees blobs that neither a file owns nor the state uses. */
void shim_kms_collect_blobs(void);

/* -- shim_kms_property.c ------------------------------------------------------------------------------------------ */

int shim_kms_atomic(struct shim_file *file, void *arg);
int shim_kms_get_property(struct shim_file *file, void *arg);
int shim_kms_set_property(struct shim_file *file, void *arg);
int shim_kms_get_properties(struct shim_file *file, void *arg);
int shim_kms_get_blob(struct shim_file *file, void *arg);
int shim_kms_create_blob(struct shim_file *owner, const void *data, uint32_t size_B, uint32_t *id_out);
int shim_kms_destroy_blob(struct shim_file *file, uint32_t id);

/* -- shim_kms_buffer.c -------------------------------------------------------------------------------------------- */

int shim_kms_create_dumb(struct shim_file *file, void *arg);
int shim_kms_map_dumb(struct shim_file *file, void *arg);
int shim_kms_add_fb(struct shim_file *file, void *arg);
int shim_kms_add_fb2(struct shim_file *file, void *arg);
/* NULL when there is none. */
struct shim_kms_fb *shim_kms_find_fb(uint32_t id);
/* The framebuffer must not be on the screen. */
void shim_kms_free_fb(struct shim_kms_fb *fb);

/* -- shim_kms_screen.c -------------------------------------------------------------------------------------------- */

/* Checks the state and, without TEST_ONLY, commits it. `flags` are those of the atomic call. Without NONBLOCK, waits
 * until the state is on the screen. */
int shim_kms_commit(const struct shim_kms_state *next, uint32_t flags, struct shim_kms_event event);
/* Waits until the committed state is on the screen. */
void shim_kms_wait_shown(void);
/* If the plane shows this framebuffer, turns off the plane and its CRTC, as removing a framebuffer does. */
void shim_kms_disable_fb(uint32_t id);
uint64_t shim_kms_vblank(void); /* vertical blanks since the mode was set */
int shim_kms_get_sequence(struct shim_file *file, void *arg);
/* Writes the contents of the screen, if any, to the file that VC4VK_SHIM_SCREENSHOT names. */
void shim_kms_dump_screen(void);

#endif
