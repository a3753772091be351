/* SPDX-License-Identifier: MIT
 *
 * Checks and commits states of the display as the kernel does. A thread puts the committed state on the screen at the
 * next vertical blank. Tests can read the screen; it is written as a PNG when the process ends.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <drm_fourcc.h>
#include "shim/shim_kms.h"
#include "shim/shim_screen.h"
#include "util/environment.h"
#include "util/hash.h"
#include "util/log.h"
#include "util/png.h"
#include "util/thread.h"

#define EXPORT            __attribute__((visibility("default")))
#define EVENT_SPACE_B     4096 /* unread events per file [kernel drm_file.c] */
#define CHECKSUM_ROW_STEP 7u

static bool is_on(const struct shim_kms_state *s)
{
    return s->has_mode && s->is_active;
}

static bool needs_modeset(const struct shim_kms_state *a, const struct shim_kms_state *b)
{
    return a->has_mode != b->has_mode || a->is_active != b->is_active || a->connector_crtc != b->connector_crtc ||
           (a->has_mode && memcmp(&a->mode, &b->mode, sizeof a->mode));
}

/* -- contents of the screen --------------------------------------------------------------------------------------- */

/* Reads the pixels on the screen: the plane where it lies, black elsewhere. */
static void read_pixels(uint32_t *out, uint32_t width_px, uint32_t height_px)
{
    const struct shim_kms_state *s = &shim_kms.shown;
    const struct shim_kms_fb *fb = shim_kms.shown_fb ? shim_kms_find_fb(shim_kms.shown_fb) : NULL;
    memset(out, 0, (size_t)width_px * height_px * 4);
    for (uint32_t y = 0; fb && y < height_px; y++)
        for (uint32_t x = 0; x < width_px; x++) {
            int64_t u = (int64_t)x - s->crtc_x, v = (int64_t)y - s->crtc_y;
            if (u < 0 || v < 0 || u >= s->crtc_w || v >= s->crtc_h)
                continue;
            const uint8_t *row = fb->map + fb->offset_B + ((size_t)v + (s->src_y >> 16)) * fb->pitch_B;
            memcpy(&out[y * width_px + x], row + ((size_t)u + (s->src_x >> 16)) * 4, 4);
        }
}

static void put_to_file(void *data, const void *bytes, size_t size_B)
{
    fwrite(bytes, 1, size_B, data);
}

/* On failure returns false, with errno set. */
static bool write_png(const char *path, const struct util_png_image *image)
{
    FILE *out = SHIM_REAL(fopen64)(path, "we");
    if (!out)
        return false;
    const bool is_encoded = util_png_encode(image, NULL, put_to_file, out);
    const bool is_written = !ferror(out);
    if (fclose(out) || !is_written)
        return false;
    errno = ENOMEM;
    return is_encoded;
}

static bool write_screen(const char *path, uint32_t width_px, uint32_t height_px)
{
    const size_t count = (size_t)width_px * height_px;
    uint32_t *pixels = malloc(count * sizeof *pixels);
    uint8_t *rgb = malloc(count * 3);
    bool is_written = false;
    if (pixels && rgb) {
        read_pixels(pixels, width_px, height_px);
        for (size_t i = 0; i < count; i++)
            for (unsigned c = 0; c < 3; c++)
                rgb[3 * i + c] = (uint8_t)(pixels[i] >> (16 - 8 * c));
        is_written = write_png(path, &(struct util_png_image){rgb, width_px, height_px});
    }
    free(pixels);
    free(rgb);
    return is_written;
}

void shim_kms_dump_screen(void)
{
    const char *path = util_environment("VC4VK_SHIM_SCREENSHOT");
    const struct drm_mode_modeinfo *mode = &shim_kms.shown.mode;
    if (path && shim_kms.shown_fb && !write_screen(path, mode->hdisplay, mode->vdisplay))
        util_error("VC4VK_SHIM_SCREENSHOT=%s: %s", path, strerror(errno));
}

/* -- the vertical blank ------------------------------------------------------------------------------------------- */

uint64_t shim_kms_vblank(void)
{
    return shim_kms.period_ns ? (util_now_ns() - shim_kms.epoch_ns) / shim_kms.period_ns : 0;
}

/* [kernel drm_vblank.c drm_crtc_get_sequence_ioctl] */
int shim_kms_get_sequence(struct shim_file *file, void *arg)
{
    struct drm_crtc_get_sequence *args = arg;
    if (shim_kms_display_is("legacy"))
        return -EOPNOTSUPP; /* this driver counts no vertical blanks */
    if (args->crtc_id != SHIM_KMS_CRTC)
        return -ENOENT;
    if (!shim_kms.period_ns)
        return -EINVAL;
    const uint64_t vblank = shim_kms_vblank();
    args->active = 1;
    args->sequence = shim_kms.vblanks_before + vblank;
    args->sequence_ns = (int64_t)(shim_kms.epoch_ns + vblank * shim_kms.period_ns);
    return 0;
}

static uint64_t checksum_of_shown(void)
{
    const struct shim_kms_fb *fb = shim_kms.shown_fb ? shim_kms_find_fb(shim_kms.shown_fb) : NULL;
    uint64_t sum = 0;
    for (uint32_t y = 0; fb && y < fb->height_px; y += CHECKSUM_ROW_STEP)
        sum = util_hash_bytes(fb->map + fb->offset_B + (size_t)y * fb->pitch_B, fb->width_px * 4, sum + 1);
    return sum;
}

static void send_event(uint64_t time_ns, uint64_t vblank)
{
    struct shim_kms_event event = shim_kms.event;
    shim_kms.event.file = NULL;
    if (!event.file)
        return;
    const struct drm_event_vblank message = {
        .base = {DRM_EVENT_FLIP_COMPLETE, sizeof message},
        .user_data = event.user_data,
        .tv_sec = (uint32_t)(time_ns / 1000000000),
        .tv_usec = (uint32_t)(time_ns % 1000000000 / 1000),
        .sequence = (uint32_t)(shim_kms.vblanks_before + vblank),
        .crtc_id = SHIM_KMS_CRTC,
    };
    ssize_t n = write(event.file->event_fd, &message, sizeof message);
    (void)n; /* there is room: check_event has checked */
}

/* Puts the committed state on the screen. */
static void show_committed(uint64_t time_ns, uint64_t vblank)
{
    if (shim_kms.shown_fb && checksum_of_shown() != shim_kms.shown_checksum)
        shim_kms.torn++;
    const struct shim_kms_state *s = &shim_kms.state;
    uint32_t fb = is_on(s) && s->plane_crtc ? s->plane_fb : 0;
    if (fb != shim_kms.shown_fb)
        shim_kms.flips++;
    if (!fb || needs_modeset(&shim_kms.shown, s))
        shim_kms_dump_screen(); /* the last image before the screen changes mode or goes dark */
    shim_kms.shown = *s;
    shim_kms.shown_fb = fb;
    shim_kms.shown_checksum = checksum_of_shown();
    shim_kms.is_pending = false;
    send_event(time_ns, vblank);
    pthread_cond_broadcast(&shim_kms.changed);
}

static void *vblank_main(void *arg)
{
    pthread_mutex_lock(&shim_kms.lock);
    for (;;) {
        if (!shim_kms.is_pending) {
            pthread_cond_wait(&shim_kms.changed, &shim_kms.lock);
            continue;
        }
        uint64_t vblank = shim_kms_vblank() + 1, tick_ns = shim_kms.epoch_ns + vblank * shim_kms.period_ns;
        while (shim_kms.is_pending && shim_kms.period_ns && util_now_ns() < tick_ns)
            util_cond_wait_until(&shim_kms.changed, &shim_kms.lock, tick_ns);
        if (shim_kms.is_pending)
            show_committed(tick_ns, vblank);
    }
    return NULL;
}

/* Called under the lock, before the first commit. */
static int ensure_thread(void)
{
    if (shim_kms.has_thread)
        return 0;
    pthread_t thread;
    if (util_cond_init(&shim_kms.changed) || util_thread_create(&thread, "vc4-shim-kms", vblank_main, NULL))
        return -ENOMEM;
    pthread_detach(thread);
    shim_kms.has_thread = true;
    return 0;
}

void shim_kms_wait_shown(void)
{
    while (shim_kms.is_pending)
        pthread_cond_wait(&shim_kms.changed, &shim_kms.lock);
}

/* -- check -------------------------------------------------------------------------------------------------------- */

static int check_plane(const struct shim_kms_state *s)
{
    if (!s->plane_fb != !s->plane_crtc)
        return -EINVAL; /* framebuffer and CRTC must be set together */
    if (!s->plane_fb)
        return 0;
    const struct shim_kms_fb *fb = shim_kms_find_fb(s->plane_fb);
    if (!fb || s->plane_crtc != SHIM_KMS_CRTC || !s->has_mode)
        return -EINVAL;
    if ((s->src_x | s->src_y | s->src_w | s->src_h) & 0xffff)
        return -EINVAL;
    uint32_t x = s->src_x >> 16, y = s->src_y >> 16, w = s->src_w >> 16, h = s->src_h >> 16;
    if (w > fb->width_px || h > fb->height_px || x > fb->width_px - w || y > fb->height_px - h)
        return -ENOSPC;
    if (s->crtc_w > INT32_MAX || s->crtc_h > INT32_MAX || s->crtc_x > INT32_MAX - (int32_t)s->crtc_w ||
        s->crtc_y > INT32_MAX - (int32_t)s->crtc_h)
        return -ERANGE;
    return w && h && w == s->crtc_w && h == s->crtc_h ? 0 : -ERANGE; /* scaling is not supported */
}

static int check_state(const struct shim_kms_state *next, uint32_t flags)
{
    if (next->is_active && !next->has_mode)
        return -EINVAL;
    if (next->has_mode != (next->connector_crtc == SHIM_KMS_CRTC))
        return -EINVAL; /* a CRTC without connector, or a connector without mode */
    int err = check_plane(next);
    if (err)
        return err;
    return needs_modeset(&shim_kms.state, next) && !(flags & DRM_MODE_ATOMIC_ALLOW_MODESET) ? -EINVAL : 0;
}

static int check_event(const struct shim_kms_state *next, const struct shim_file *file)
{
    if (!file)
        return 0;
    if (!is_on(next) && !is_on(&shim_kms.state))
        return -EINVAL;
    int waiting_B = 0;
    if (ioctl(file->event_fd, FIONREAD, &waiting_B) || waiting_B + (int)sizeof(struct drm_event_vblank) > EVENT_SPACE_B)
        return -ENOMEM;
    return 0;
}

/* -- commit ------------------------------------------------------------------------------------------------------- */

static uint64_t period_of(const struct drm_mode_modeinfo *mode)
{
    return (uint64_t)mode->htotal * mode->vtotal * 1000000 / mode->clock;
}

int shim_kms_commit(const struct shim_kms_state *next, uint32_t flags, struct shim_kms_event event)
{
    int err = check_state(next, flags);
    if (!err)
        err = check_event(next, event.file);
    if (err || flags & DRM_MODE_ATOMIC_TEST_ONLY)
        return err;
    if (shim_kms.is_pending && flags & DRM_MODE_ATOMIC_NONBLOCK)
        return -EBUSY;
    err = ensure_thread();
    if (err)
        return err;
    shim_kms_wait_shown();
    bool is_modeset = needs_modeset(&shim_kms.state, next);
    shim_kms.state = *next;
    shim_kms_collect_blobs();
    if (is_modeset) {
        shim_kms.modesets++;
        shim_kms.vblanks_before += shim_kms_vblank();
        shim_kms.epoch_ns = util_now_ns();
        shim_kms.period_ns = is_on(next) ? period_of(&next->mode) : 0;
    }
    shim_kms.event = event;
    shim_kms.is_pending = true;
    if (!shim_kms.period_ns)
        show_committed(util_now_ns(), 0);
    pthread_cond_broadcast(&shim_kms.changed);
    if (!(flags & DRM_MODE_ATOMIC_NONBLOCK))
        shim_kms_wait_shown();
    return 0;
}

/* [kernel drm_framebuffer.c atomic_remove_fb] The CRTC is turned off with its primary plane. */
void shim_kms_disable_fb(uint32_t id)
{
    shim_kms_wait_shown();
    if (shim_kms.state.plane_fb != id)
        return;
    struct shim_kms_state off = {0};
    (void)shim_kms_commit(&off, DRM_MODE_ATOMIC_ALLOW_MODESET, (struct shim_kms_event){0});
}

/* -- for tests ---------------------------------------------------------------------------------------------------- */

void vc4_shim_read_screen(struct vc4_shim_screen *out, uint32_t *pixels, uint32_t capacity);
EXPORT void vc4_shim_read_screen(struct vc4_shim_screen *out, uint32_t *pixels, uint32_t capacity)
{
    pthread_mutex_lock(&shim_kms.lock);
    const struct shim_kms_state *s = &shim_kms.shown;
    *out = (struct vc4_shim_screen){
        .is_on = is_on(s),
        .width_px = is_on(s) ? s->mode.hdisplay : 0,
        .height_px = is_on(s) ? s->mode.vdisplay : 0,
        .refresh_mhz = shim_kms.period_ns ? (uint32_t)(UINT64_C(1000000000000) / shim_kms.period_ns) : 0,
        .vblanks = shim_kms_vblank(),
        .flips = shim_kms.flips,
        .modesets = shim_kms.modesets,
        .dumb_buffers = shim_kms.dumb_buffers,
        .torn = shim_kms.torn,
    };
    if (pixels && (uint64_t)out->width_px * out->height_px <= capacity)
        read_pixels(pixels, out->width_px, out->height_px);
    pthread_mutex_unlock(&shim_kms.lock);
}

void vc4_shim_plug(bool is_plugged);
EXPORT void vc4_shim_plug(bool is_plugged)
{
    pthread_mutex_lock(&shim_kms.lock);
    const bool has_changed = shim_kms.is_unplugged == is_plugged;
    shim_kms.is_unplugged = !is_plugged;
    pthread_mutex_unlock(&shim_kms.lock);
    if (has_changed)
        shim_uevent_send();
}

void vc4_shim_take_master(bool is_taken);
EXPORT void vc4_shim_take_master(bool is_taken)
{
    pthread_mutex_lock(&shim_kms.lock);
    shim_kms.is_taken = is_taken;
    shim_kms.master = NULL;
    pthread_mutex_unlock(&shim_kms.lock);
}
