/* SPDX-License-Identifier: MIT
 *
 * Client of zwp_linux_dmabuf_v1: modifier events, feedback and buffers. See vc4vk_wayland_dmabuf.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <drm_fourcc.h>
#include "linux-dmabuf-client.h"
#include "util/macros.h"
#include "wsi/vc4vk_wayland_dmabuf.h"
#include "wsi/vc4vk_wsi.h"

#define MIN_VERSION 3u /* has modifier events */
#define MAX_VERSION 4u /* has feedback */

/* A row of the feedback's format table, as the protocol defines it. */
struct vc4vk_wayland_format {
    uint32_t format, padding;
    uint64_t modifier;
};
static_assert(sizeof(struct vc4vk_wayland_format) == 16, "rows of the table");

#define MAX_TABLE_B (65536u * (uint32_t)sizeof(struct vc4vk_wayland_format)) /* tranches have 16-bit row indices */

static void record_modifier(uint64_t modifier, bool *has_linear, bool *has_tiles)
{
    *has_linear |= modifier == DRM_FORMAT_MOD_LINEAR;
    *has_tiles |= modifier == DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED;
}

/* -- version 3 ---------------------------------------------------------------------------------------------------- */

static void on_format(void *data, struct zwp_linux_dmabuf_v1 *global, uint32_t format)
{
}

static void on_modifier(void *data, struct zwp_linux_dmabuf_v1 *global, uint32_t format, uint32_t modifier_hi,
                        uint32_t modifier_lo)
{
    struct vc4vk_wayland_dmabuf *dmabuf = data;
    if (format == dmabuf->format)
        record_modifier((uint64_t)modifier_hi << 32 | modifier_lo, &dmabuf->has_linear, &dmabuf->has_tiles);
}

static const struct zwp_linux_dmabuf_v1_listener dmabuf_listener = {.format = on_format, .modifier = on_modifier};

bool vc4vk_wayland_dmabuf_bind(struct vc4vk_wayland_dmabuf *dmabuf, struct wl_registry *registry, uint32_t name,
                               uint32_t version)
{
    if (version < MIN_VERSION)
        return false;
    dmabuf->global = wl_registry_bind(registry, name, &zwp_linux_dmabuf_v1_interface, MIN2(version, MAX_VERSION));
    if (dmabuf->global)
        zwp_linux_dmabuf_v1_add_listener(dmabuf->global, &dmabuf_listener, dmabuf);
    return dmabuf->global;
}

/* -- feedback ----------------------------------------------------------------------------------------------------- */

static void free_table(struct vc4vk_wayland_dmabuf *dmabuf)
{
    free(dmabuf->table);
    dmabuf->table = NULL;
    dmabuf->table_B = 0;
}

/* Reads a copy of the table. A mapping would fault if the compositor truncated the file. */
static void on_table(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, int32_t fd, uint32_t size_B)
{
    struct vc4vk_wayland_dmabuf *dmabuf = data;
    free_table(dmabuf);
    size_B = MIN2(size_B, MAX_TABLE_B);
    dmabuf->table = malloc(MAX2(size_B, 1u));
    while (dmabuf->table && dmabuf->table_B < size_B) {
        ssize_t got_B =
            pread(fd, (char *)dmabuf->table + dmabuf->table_B, size_B - dmabuf->table_B, (off_t)dmabuf->table_B);
        if (got_B < 0 && errno == EINTR)
            continue;
        if (got_B <= 0)
            break;
        dmabuf->table_B += (uint32_t)got_B;
    }
    close(fd);
}

static bool is_our_device(const struct vc4vk_wayland_dmabuf *dmabuf, const struct wl_array *device)
{
    dev_t number;
    if (device->size != sizeof number)
        return false;
    memcpy(&number, device->data, sizeof number);
    return vc4vk_node_is_of_device(dmabuf->node_path, number);
}

static void on_main_device(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, struct wl_array *device)
{
    struct vc4vk_wayland_dmabuf *dmabuf = data;
    dmabuf->main_is_ours = is_our_device(dmabuf, device);
}

static void on_target_device(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, struct wl_array *device)
{
    struct vc4vk_wayland_dmabuf *dmabuf = data;
    dmabuf->tranche_is_ours = is_our_device(dmabuf, device);
}

static void on_tranche_formats(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, struct wl_array *indices)
{
    struct vc4vk_wayland_dmabuf *dmabuf = data;
    const uint16_t *index = indices->data;
    for (size_t i = 0; i < indices->size / sizeof *index; i++) {
        if (((size_t)index[i] + 1) * sizeof *dmabuf->table > dmabuf->table_B)
            continue;
        const struct vc4vk_wayland_format *row = &dmabuf->table[index[i]];
        if (row->format == dmabuf->format)
            record_modifier(row->modifier, &dmabuf->tranche_has_linear, &dmabuf->tranche_has_tiles);
    }
}

static void on_tranche_flags(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, uint32_t flags)
{
}

static void on_tranche_done(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback)
{
    struct vc4vk_wayland_dmabuf *dmabuf = data;
    dmabuf->has_linear |= dmabuf->tranche_is_ours && dmabuf->tranche_has_linear;
    dmabuf->has_tiles |= dmabuf->tranche_is_ours && dmabuf->tranche_has_tiles;
    dmabuf->tranche_is_ours = dmabuf->tranche_has_linear = dmabuf->tranche_has_tiles = false;
}

static void on_done(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback)
{
    struct vc4vk_wayland_dmabuf *dmabuf = data;
    dmabuf->has_linear &= dmabuf->main_is_ours;
    dmabuf->has_tiles &= dmabuf->main_is_ours;
}

static const struct zwp_linux_dmabuf_feedback_v1_listener feedback_listener = {
    .done = on_done,
    .format_table = on_table,
    .main_device = on_main_device,
    .tranche_done = on_tranche_done,
    .tranche_target_device = on_target_device,
    .tranche_formats = on_tranche_formats,
    .tranche_flags = on_tranche_flags,
};

bool vc4vk_wayland_dmabuf_ask(struct vc4vk_wayland_dmabuf *dmabuf, struct wl_display *display,
                              struct wl_event_queue *queue, struct wl_surface *surface)
{
    const uint32_t version = dmabuf->global ? zwp_linux_dmabuf_v1_get_version(dmabuf->global) : 0;
    if (version < ZWP_LINUX_DMABUF_V1_GET_SURFACE_FEEDBACK_SINCE_VERSION) /* version 3: wait for the modifier events */
        return !dmabuf->global || wl_display_roundtrip_queue(display, queue) >= 0;
    struct zwp_linux_dmabuf_feedback_v1 *feedback = zwp_linux_dmabuf_v1_get_surface_feedback(dmabuf->global, surface);
    if (!feedback)
        return false;
    zwp_linux_dmabuf_feedback_v1_add_listener(feedback, &feedback_listener, dmabuf);
    bool is_connected = wl_display_roundtrip_queue(display, queue) >= 0;
    zwp_linux_dmabuf_feedback_v1_destroy(feedback);
    free_table(dmabuf);
    return is_connected;
}

bool vc4vk_wayland_dmabuf_offers(const struct vc4vk_wayland_dmabuf *dmabuf, uint64_t modifier)
{
    return (modifier == DRM_FORMAT_MOD_LINEAR && dmabuf->has_linear) ||
           (modifier == DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED && dmabuf->has_tiles);
}

/* -- buffers ------------------------------------------------------------------------------------------------------ */

static void on_created(void *data, struct zwp_linux_buffer_params_v1 *params, struct wl_buffer *buffer)
{
    *(struct wl_buffer **)data = buffer;
}

static void on_failed(void *data, struct zwp_linux_buffer_params_v1 *params)
{
}

static const struct zwp_linux_buffer_params_v1_listener params_listener = {.created = on_created, .failed = on_failed};

struct wl_buffer *vc4vk_wayland_dmabuf_buffer(struct vc4vk_wayland_dmabuf *dmabuf, struct wl_display *display,
                                              struct wl_event_queue *queue, const struct vc4vk_wayland_image *image)
{
    if (!vc4vk_wayland_dmabuf_offers(dmabuf, image->modifier))
        return NULL;
    struct zwp_linux_buffer_params_v1 *params = zwp_linux_dmabuf_v1_create_params(dmabuf->global);
    if (!params)
        return NULL;
    struct wl_buffer *buffer = NULL;
    zwp_linux_buffer_params_v1_add_listener(params, &params_listener, &buffer);
    zwp_linux_buffer_params_v1_add(params, image->fd, 0, image->offset_B, image->stride_B,
                                   (uint32_t)(image->modifier >> 32), (uint32_t)image->modifier);
    zwp_linux_buffer_params_v1_create(params, (int32_t)image->width_px, (int32_t)image->height_px, dmabuf->format, 0);
    (void)wl_display_roundtrip_queue(display, queue); /* brings either `created` or `failed` */
    zwp_linux_buffer_params_v1_destroy(params);
    return buffer;
}

void vc4vk_wayland_dmabuf_finish(struct vc4vk_wayland_dmabuf *dmabuf)
{
    free_table(dmabuf);
    if (dmabuf->global)
        zwp_linux_dmabuf_v1_destroy(dmabuf->global);
    dmabuf->global = NULL;
}
