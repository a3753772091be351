/* SPDX-License-Identifier: MIT
 *
 * Outputs of CRTCs: commits of framebuffers, and the events that report completed flips. Several threads may wait for
 * events of the same open file, each for its own CRTC: the first one reads the events for all.
 *
 * Each atomic commit contains the whole state, including mode and connector. It is first tried without permission for a
 * mode set, so that a plain flip stays a plain flip. If the kernel refuses that because the current state differs
 * (first frame, or another program was master in between), it is repeated with permission for a mode set.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>
#include "util/log.h"
#include "util/macros.h"
#include "util/thread.h"
#include "wsi/vc4vk_kms.h"

#define FLIP_TIMEOUT_NS UINT64_C(1000000000) /* after this time without an event the display counts as gone */
#define BUSY_RETRY_NS   UINT64_C(2000000)
#define BUSY_RETRIES    100

bool vc4vk_kms_buffer_is_busy(const struct vc4vk_kms_output *output, const struct vc4vk_kms_buffer *buffer)
{
    pthread_mutex_lock(&output->kms->lock);
    bool is_busy = buffer == output->crtc->next || buffer == output->crtc->shown;
    pthread_mutex_unlock(&output->kms->lock);
    return is_busy;
}

uint64_t vc4vk_kms_refresh_ns(const drmModeModeInfo *mode)
{
    uint64_t ns = mode->clock ? (uint64_t)mode->htotal * mode->vtotal * 1000000 / mode->clock : 16666667;
    if (mode->flags & DRM_MODE_FLAG_INTERLACE)
        ns /= 2;
    return mode->flags & DRM_MODE_FLAG_DBLSCAN ? ns * 2 : ns;
}

uint64_t vc4vk_kms_next_vblank(const struct vc4vk_kms_output *output)
{
    pthread_mutex_lock(&output->kms->lock);
    const uint64_t shown_ns = output->crtc->shown_ns;
    pthread_mutex_unlock(&output->kms->lock);
    const uint64_t now_ns = util_now_ns();
    if (!shown_ns || shown_ns > now_ns)
        return now_ns + output->refresh_ns;
    return now_ns + output->refresh_ns - (now_ns - shown_ns) % output->refresh_ns;
}

/* -- events ------------------------------------------------------------------------------------------------------- */

static void finish_flip_locked(struct vc4vk_kms *kms, struct vc4vk_kms_crtc *crtc, uint64_t time_ns)
{
    crtc->is_flipping = false;
    crtc->shown_ns = time_ns;
    crtc->shown = crtc->next;
    crtc->next = NULL;
    util_list_for_each_safe(struct vc4vk_kms_buffer, buffer, &crtc->leftover, link)
        if (buffer != crtc->shown)
            vc4vk_kms_buffer_destroy(kms, buffer);
    pthread_cond_broadcast(&kms->changed);
}

static void handle_event_locked(struct vc4vk_kms *kms, const struct drm_event_vblank *event)
{
    for (uint32_t i = 0; i < kms->crtc_count; i++)
        if (event->user_data == kms->crtcs[i].id && kms->crtcs[i].is_flipping)
            finish_flip_locked(kms, &kms->crtcs[i],
                               event->tv_sec * UINT64_C(1000000000) + event->tv_usec * UINT64_C(1000));
}

/* Waits for events and handles them. Drops the lock while it waits. */
static void read_events_locked(struct vc4vk_kms *kms, uint64_t deadline_ns)
{
    uint8_t data[1024];
    const uint64_t now_ns = util_now_ns();
    struct pollfd fd = {.fd = kms->fd, .events = POLLIN};
    kms->is_reading = true;
    pthread_mutex_unlock(&kms->lock);
    int time_ms = now_ns < deadline_ns ? (int)((deadline_ns - now_ns + 999999) / 1000000) : 0;
    ssize_t size_B = poll(&fd, 1, time_ms) > 0 ? read(kms->fd, data, sizeof data) : 0;
    pthread_mutex_lock(&kms->lock);
    kms->is_reading = false;
    for (ssize_t at_B = 0; at_B + (ssize_t)sizeof(struct drm_event) <= size_B;) {
        struct drm_event_vblank event = {0};
        memcpy(&event.base, data + at_B, sizeof event.base);
        if (event.base.length < sizeof event.base || at_B + (ssize_t)event.base.length > size_B)
            break;
        memcpy(&event, data + at_B, MIN2(event.base.length, sizeof event));
        if (event.base.type == DRM_EVENT_FLIP_COMPLETE)
            handle_event_locked(kms, &event);
        at_B += (ssize_t)event.base.length;
    }
    pthread_cond_broadcast(&kms->changed);
}

static void wait_for_flip_locked(struct vc4vk_kms *kms, struct vc4vk_kms_crtc *crtc)
{
    const uint64_t deadline_ns = util_deadline_ns(FLIP_TIMEOUT_NS);
    while (crtc->is_flipping && util_now_ns() < deadline_ns) {
        if (kms->is_reading)
            util_cond_wait_until(&kms->changed, &kms->lock, deadline_ns);
        else
            read_events_locked(kms, deadline_ns);
    }
    if (crtc->is_flipping)
        finish_flip_locked(kms, crtc, 0); /* timed out: assume that the flip is complete */
}

void vc4vk_kms_wait_for_flip(struct vc4vk_kms_output *output)
{
    pthread_mutex_lock(&output->kms->lock);
    wait_for_flip_locked(output->kms, output->crtc);
    pthread_mutex_unlock(&output->kms->lock);
}

/* -- commits ------------------------------------------------------------------------------------------------------ */

static bool fill_request(const struct vc4vk_kms_output *o, uint32_t fb_id, drmModeAtomicReq *request)
{
    const struct vc4vk_kms_properties *p = &o->crtc->properties;
    const uint32_t plane = o->crtc->plane_id, size[2] = {o->mode.hdisplay, o->mode.vdisplay};
    bool ok = drmModeAtomicAddProperty(request, o->connector, o->connector_crtc_property, o->crtc->id) >= 0;
    ok &= drmModeAtomicAddProperty(request, o->crtc->id, p->mode_id, o->mode_blob) >= 0;
    ok &= drmModeAtomicAddProperty(request, o->crtc->id, p->active, 1) >= 0;
    ok &= drmModeAtomicAddProperty(request, plane, p->plane_fb, fb_id) >= 0;
    ok &= drmModeAtomicAddProperty(request, plane, p->plane_crtc, o->crtc->id) >= 0;
    for (uint32_t i = 0; i < 4; i++) {
        ok &= drmModeAtomicAddProperty(request, plane, p->dst[i], i < 2 ? 0 : size[i - 2]) >= 0;
        ok &= drmModeAtomicAddProperty(request, plane, p->src[i], i < 2 ? 0 : (uint64_t)size[i - 2] << 16) >= 0;
    }
    return ok;
}

/* The event's user data is the CRTC id, because events of older kernels do not contain it. */
static int commit_atomic(const struct vc4vk_kms_output *o, uint32_t fb_id)
{
    drmModeAtomicReq *request = drmModeAtomicAlloc();
    if (!request || !fill_request(o, fb_id, request)) {
        drmModeAtomicFree(request);
        return -ENOMEM;
    }
    void *user_data = (void *)(uintptr_t)o->crtc->id;
    int err = drmModeAtomicCommit(o->kms->fd, request, DRM_MODE_PAGE_FLIP_EVENT | DRM_MODE_ATOMIC_NONBLOCK, user_data);
    if (err == -EINVAL)
        err = drmModeAtomicCommit(o->kms->fd, request, DRM_MODE_PAGE_FLIP_EVENT | DRM_MODE_ATOMIC_ALLOW_MODESET,
                                  user_data);
    drmModeAtomicFree(request);
    return err;
}

/* A mode set by the legacy call is synchronous and sends no event; *is_done_out is set to true then. */
static int commit_legacy(const struct vc4vk_kms_output *o, uint32_t fb_id, bool *is_done_out)
{
    drmModeCrtc *now = drmModeGetCrtc(o->kms->fd, o->crtc->id);
    bool has_mode = now && now->mode_valid && now->mode.hdisplay == o->mode.hdisplay &&
                    now->mode.vdisplay == o->mode.vdisplay && now->mode.clock == o->mode.clock;
    drmModeFreeCrtc(now);
    int err = -EINVAL;
    if (has_mode && o->crtc->shown)
        err = drmModePageFlip(o->kms->fd, o->crtc->id, fb_id, DRM_MODE_PAGE_FLIP_EVENT, (void *)(uintptr_t)o->crtc->id);
    if (err != -EINVAL && (err != -EBUSY || has_mode))
        return err;
    uint32_t connector = o->connector;
    drmModeModeInfo mode = o->mode;
    *is_done_out = true;
    return drmModeSetCrtc(o->kms->fd, o->crtc->id, fb_id, 0, 0, &connector, 1, &mode);
}

static int commit(const struct vc4vk_kms_output *o, uint32_t fb_id, bool *is_done_out)
{
    *is_done_out = false;
    return o->kms->is_atomic ? commit_atomic(o, fb_id) : commit_legacy(o, fb_id, is_done_out);
}

/* Retries while the kernel reports EBUSY: a commit of a swapchain that was just destroyed may still be pending. */
static int commit_when_free(const struct vc4vk_kms_output *o, uint32_t fb_id, bool *is_done_out)
{
    int err = -EBUSY;
    for (uint32_t i = 0; i < BUSY_RETRIES && err == -EBUSY; i++) {
        err = commit(o, fb_id, is_done_out);
        if (err == -EBUSY)
            usleep((useconds_t)(BUSY_RETRY_NS / 1000));
    }
    return err;
}

int vc4vk_kms_flip(struct vc4vk_kms_output *output, struct vc4vk_kms_buffer *buffer)
{
    struct vc4vk_kms *kms = output->kms;
    pthread_mutex_lock(&kms->lock);
    wait_for_flip_locked(kms, output->crtc);
    const bool is_dark = output->crtc->is_dark;
    if (!is_dark) {
        output->crtc->is_flipping = true; /* must be set before the event can arrive */
        output->crtc->next = buffer;
    }
    pthread_mutex_unlock(&kms->lock);
    if (is_dark)
        return -EHOSTDOWN;
    bool is_done;
    int err = commit_when_free(output, buffer->fb_id, &is_done);
    if (err == -EACCES && vc4vk_kms_take_master(kms))
        err = commit_when_free(output, buffer->fb_id, &is_done);
    pthread_mutex_lock(&kms->lock);
    if (!err && is_done) {
        finish_flip_locked(kms, output->crtc, 0);
    } else if (err) {
        output->crtc->is_flipping = false;
        output->crtc->next = NULL;
        pthread_cond_broadcast(&kms->changed);
    }
    pthread_mutex_unlock(&kms->lock);
    return err;
}

/* -- power -------------------------------------------------------------------------------------------------------- */

/* Uses the legacy call, which atomic kernel drivers have as well. */
static int set_power_locked(struct vc4vk_kms *kms, uint32_t connector, uint32_t level)
{
    struct vc4vk_kms_crtc *crtc = vc4vk_kms_current_crtc(kms, connector);
    const uint32_t property = vc4vk_kms_property(kms, connector, DRM_MODE_OBJECT_CONNECTOR, "DPMS");
    if (!property)
        return -ENODEV;
    if (crtc)
        wait_for_flip_locked(kms, crtc);
    int err = drmModeConnectorSetProperty(kms->fd, connector, property, level);
    if (err == -EACCES && vc4vk_kms_take_master(kms))
        err = drmModeConnectorSetProperty(kms->fd, connector, property, level);
    if (!err && crtc && crtc->users)
        crtc->is_dark = level != DRM_MODE_DPMS_ON;
    return err;
}

int vc4vk_kms_set_power(struct vc4vk_kms *kms, uint32_t connector, uint32_t level)
{
    pthread_mutex_lock(&kms->lock);
    int err = kms->users || vc4vk_kms_take_first_master_locked(kms) ? set_power_locked(kms, connector, level) : -EACCES;
    if (!kms->users)
        vc4vk_kms_drop_master(kms);
    pthread_mutex_unlock(&kms->lock);
    return err;
}

/* -- init and finish ---------------------------------------------------------------------------------------------- */

/* Saves the state of the CRTC that drives the connector, or else that of the new CRTC. */
static void save_locked(struct vc4vk_kms *kms, struct vc4vk_kms_crtc *crtc, uint32_t connector_id)
{
    const struct vc4vk_kms_crtc *current = vc4vk_kms_current_crtc(kms, connector_id);
    crtc->saved = drmModeGetCrtc(kms->fd, current ? current->id : crtc->id);
    crtc->saved_connector = current ? connector_id : 0;
    if (current && current != crtc) /* a connector can have only one CRTC: turn the other off */
        (void)drmModeSetCrtc(kms->fd, current->id, 0, 0, 0, NULL, 0, NULL);
}

static void restore_locked(struct vc4vk_kms *kms, struct vc4vk_kms_crtc *crtc)
{
    drmModeCrtc *saved = crtc->saved;
    const bool had_framebuffer = saved && saved->mode_valid && saved->buffer_id && crtc->saved_connector;
    if (!had_framebuffer || saved->crtc_id != crtc->id)
        (void)drmModeSetCrtc(kms->fd, crtc->id, 0, 0, 0, NULL, 0, NULL);
    if (had_framebuffer && drmModeSetCrtc(kms->fd, saved->crtc_id, saved->buffer_id, saved->x, saved->y,
                                          &crtc->saved_connector, 1, &saved->mode))
        (void)drmModeSetCrtc(kms->fd, crtc->id, 0, 0, 0, NULL, 0, NULL); /* the saved framebuffer was deleted */
    drmModeFreeCrtc(saved);
    crtc->saved = NULL;
    crtc->saved_connector = 0;
    crtc->shown = crtc->next = NULL;
    crtc->is_flipping = crtc->is_dark = false;
    util_list_for_each_safe(struct vc4vk_kms_buffer, buffer, &crtc->leftover, link)
        vc4vk_kms_buffer_destroy(kms, buffer);
}

static int make_mode_blob(struct vc4vk_kms_output *output)
{
    const struct vc4vk_kms *kms = output->kms;
    if (!kms->is_atomic)
        return 0;
    output->connector_crtc_property = vc4vk_kms_property(kms, output->connector, DRM_MODE_OBJECT_CONNECTOR, "CRTC_ID");
    if (!output->connector_crtc_property)
        return -ENODEV;
    return drmModeCreatePropertyBlob(kms->fd, &output->mode, sizeof output->mode, &output->mode_blob);
}

int vc4vk_kms_output_init(struct vc4vk_kms_output *output, struct vc4vk_kms *kms, uint32_t crtc_index,
                          uint32_t connector, const drmModeModeInfo *mode, bool is_shared)
{
    struct vc4vk_kms_crtc *crtc = &kms->crtcs[crtc_index];
    *output = (struct vc4vk_kms_output){
        .kms = kms, .crtc = crtc, .connector = connector, .mode = *mode, .refresh_ns = vc4vk_kms_refresh_ns(mode)};
    pthread_mutex_lock(&kms->lock);
    int err = kms->users || vc4vk_kms_take_first_master_locked(kms) ? 0 : -EACCES;
    if (!err && crtc->users && !is_shared)
        err = -EBUSY;
    if (!err)
        err = make_mode_blob(output);
    if (!err) {
        if (!crtc->users)
            save_locked(kms, crtc, connector);
        crtc->users++;
        kms->users++;
    } else if (!kms->users) {
        vc4vk_kms_drop_master(kms);
    }
    pthread_mutex_unlock(&kms->lock);
    return err;
}

void vc4vk_kms_output_finish(struct vc4vk_kms_output *output, struct util_list *buffers)
{
    struct vc4vk_kms *kms = output->kms;
    struct vc4vk_kms_crtc *crtc = output->crtc;
    pthread_mutex_lock(&kms->lock);
    wait_for_flip_locked(kms, crtc);
    if (!--crtc->users)
        restore_locked(kms, crtc);
    util_list_for_each_safe(struct vc4vk_kms_buffer, buffer, buffers, link) {
        if (buffer == crtc->shown || buffer == crtc->next) {
            util_list_del(&buffer->link);
            util_list_add_tail(&crtc->leftover, &buffer->link);
        } else {
            vc4vk_kms_buffer_destroy(kms, buffer);
        }
    }
    if (output->mode_blob)
        drmModeDestroyPropertyBlob(kms->fd, output->mode_blob);
    if (!--kms->users)
        vc4vk_kms_drop_master(kms);
    pthread_mutex_unlock(&kms->lock);
}
