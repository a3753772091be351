/* SPDX-License-Identifier: MIT
 *
 * See tiny_dmabuf.h.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <drm_fourcc.h>
#include <wayland-server.h>
#include "linux-dmabuf-server.h"
#include "tiny_dmabuf.h"
#include "util/macros.h"

static const uint32_t formats[] = {DRM_FORMAT_RGB565, DRM_FORMAT_ARGB8888, DRM_FORMAT_XRGB8888};

/* -- buffers ------------------------------------------------------------------------------------------------------ */

struct params {
    struct tiny_dmabuf_options *options;
    int fd; /* -1: no plane yet */
    uint32_t offset_B, stride_B;
    uint64_t modifier;
};

static void destroy_resource(struct wl_client *client, struct wl_resource *resource)
{
    wl_resource_destroy(resource);
}

static const struct wl_buffer_interface buffer_requests = {.destroy = destroy_resource};

static void free_buffer(struct wl_resource *resource)
{
    tiny_dmabuf_unmap(wl_resource_get_user_data(resource));
}

const struct tiny_dmabuf *tiny_dmabuf_get(struct wl_resource *buffer)
{
    return wl_resource_instance_of(buffer, &wl_buffer_interface, &buffer_requests) ? wl_resource_get_user_data(buffer)
                                                                                   : NULL;
}

static bool is_offered(const struct tiny_dmabuf_options *options, uint32_t format, uint64_t modifier)
{
    bool has_format = false, has_modifier = false;
    for (uint32_t i = 0; i < ARRAY_SIZE(formats); i++)
        has_format |= formats[i] == format;
    for (uint32_t i = 0; i < options->modifier_count; i++)
        has_modifier |= options->modifiers[i] == modifier;
    return has_format && has_modifier;
}

static void on_add(struct wl_client *client, struct wl_resource *resource, int32_t fd, uint32_t plane,
                   uint32_t offset_B, uint32_t stride_B, uint32_t modifier_hi, uint32_t modifier_lo)
{
    struct params *p = wl_resource_get_user_data(resource);
    if (plane || p->fd >= 0) {
        close(fd);
        p->options->mistakes = "a plane too many";
        wl_resource_post_error(resource, ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_PLANE_IDX, "plane %u", plane);
        return;
    }
    p->fd = fd;
    p->offset_B = offset_B;
    p->stride_B = stride_B;
    p->modifier = (uint64_t)modifier_hi << 32 | modifier_lo;
}

static void on_create(struct wl_client *client, struct wl_resource *resource, int32_t width, int32_t height,
                      uint32_t format, uint32_t flags)
{
    struct params *p = wl_resource_get_user_data(resource);
    if (p->fd < 0 || width <= 0 || height <= 0 || !is_offered(p->options, format, p->modifier)) {
        p->options->mistakes = "a buffer that was not offered";
        wl_resource_post_error(resource, ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INVALID_FORMAT, "not offered");
        return;
    }
    const bool is_refused = p->options->refuses || (p->options->refuses_tiles && p->modifier != DRM_FORMAT_MOD_LINEAR);
    const struct tiny_dmabuf shape = {.offset_B = p->offset_B,
                                      .stride_B = p->stride_B,
                                      .width = (uint32_t)width,
                                      .height = (uint32_t)height,
                                      .format = format,
                                      .modifier = p->modifier};
    struct tiny_dmabuf *dmabuf = is_refused ? NULL : tiny_dmabuf_map(p->fd, &shape);
    p->options->refused += !dmabuf;
    if (!dmabuf) {
        zwp_linux_buffer_params_v1_send_failed(resource);
        return;
    }
    struct wl_resource *buffer = wl_resource_create(client, &wl_buffer_interface, 1, 0);
    wl_resource_set_implementation(buffer, &buffer_requests, dmabuf, free_buffer);
    zwp_linux_buffer_params_v1_send_created(resource, buffer);
}

static void on_create_immed(struct wl_client *client, struct wl_resource *resource, uint32_t id, int32_t width,
                            int32_t height, uint32_t format, uint32_t flags)
{
    wl_client_post_no_memory(client); /* the driver uses `create`, which reports failure */
}

static const struct zwp_linux_buffer_params_v1_interface params_requests = {
    .destroy = destroy_resource,
    .add = on_add,
    .create = on_create,
    .create_immed = on_create_immed,
};

static void free_params(struct wl_resource *resource)
{
    struct params *p = wl_resource_get_user_data(resource);
    if (p->fd >= 0)
        close(p->fd);
    free(p);
}

static void on_create_params(struct wl_client *client, struct wl_resource *global, uint32_t id)
{
    struct params *p = malloc(sizeof *p);
    if (!p) {
        wl_client_post_no_memory(client);
        return;
    }
    *p = (struct params){.options = wl_resource_get_user_data(global), .fd = -1};
    struct wl_resource *resource =
        wl_resource_create(client, &zwp_linux_buffer_params_v1_interface, wl_resource_get_version(global), id);
    wl_resource_set_implementation(resource, &params_requests, p, free_params);
}

/* -- supported formats -------------------------------------------------------------------------------------------- */

static const struct zwp_linux_dmabuf_feedback_v1_interface feedback_requests = {.destroy = destroy_resource};

/* Layout defined by the protocol. */
struct table_row {
    uint32_t format, padding;
    uint64_t modifier;
};

/* Sends all pairs of format and modifier. The last rows have the chip's T tiling, and only the tranche of another
 * device refers to them. */
static void send_table(const struct tiny_dmabuf_options *options, struct wl_resource *feedback)
{
    struct table_row rows[ARRAY_SIZE(formats) * (TINY_DMABUF_MODIFIERS + 1)];
    uint32_t count = 0;
    for (uint32_t i = 0; i <= options->modifier_count; i++)
        for (uint32_t f = 0; f < ARRAY_SIZE(formats); f++)
            rows[count++] = (struct table_row){formats[f], 0,
                                               i < options->modifier_count ? options->modifiers[i]
                                                                           : DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED};
    int fd = memfd_create("tiny-formats", MFD_CLOEXEC);
    const size_t size_B = count * sizeof rows[0];
    if (fd >= 0 && write(fd, rows, size_B) == (ssize_t)size_B)
        zwp_linux_dmabuf_feedback_v1_send_format_table(feedback, fd, (uint32_t)size_B);
    if (options->truncates_table && ftruncate(fd, 0))
        abort();
    close(fd);
}

static void send_tranche(struct wl_resource *feedback, dev_t device, uint32_t first_row, uint32_t row_count)
{
    struct wl_array array;
    wl_array_init(&array);
    memcpy(wl_array_add(&array, sizeof device), &device, sizeof device);
    zwp_linux_dmabuf_feedback_v1_send_tranche_target_device(feedback, &array);
    array.size = 0;
    for (uint32_t i = 0; i < row_count; i++)
        *(uint16_t *)wl_array_add(&array, sizeof(uint16_t)) = (uint16_t)(first_row + i);
    zwp_linux_dmabuf_feedback_v1_send_tranche_formats(feedback, &array);
    zwp_linux_dmabuf_feedback_v1_send_tranche_flags(feedback, 0);
    zwp_linux_dmabuf_feedback_v1_send_tranche_done(feedback);
    wl_array_release(&array);
}

static void send_feedback(const struct tiny_dmabuf_options *options, struct wl_resource *feedback)
{
    struct wl_array device;
    wl_array_init(&device);
    memcpy(wl_array_add(&device, sizeof options->device), &options->device, sizeof options->device);
    send_table(options, feedback);
    zwp_linux_dmabuf_feedback_v1_send_main_device(feedback, &device);
    wl_array_release(&device);
    const uint32_t own_rows = options->modifier_count * (uint32_t)ARRAY_SIZE(formats);
    send_tranche(feedback, makedev(1, 3), own_rows, ARRAY_SIZE(formats)); /* /dev/null: a device that is not ours */
    send_tranche(feedback, options->device, 0, own_rows);
    zwp_linux_dmabuf_feedback_v1_send_done(feedback);
}

static void on_default_feedback(struct wl_client *client, struct wl_resource *global, uint32_t id)
{
    struct wl_resource *feedback = wl_resource_create(client, &zwp_linux_dmabuf_feedback_v1_interface, 4, id);
    wl_resource_set_implementation(feedback, &feedback_requests, NULL, NULL);
    send_feedback(wl_resource_get_user_data(global), feedback);
}

static void on_surface_feedback(struct wl_client *client, struct wl_resource *global, uint32_t id,
                                struct wl_resource *surface)
{
    on_default_feedback(client, global, id);
}

static const struct zwp_linux_dmabuf_v1_interface dmabuf_requests = {
    .destroy = destroy_resource,
    .create_params = on_create_params,
    .get_default_feedback = on_default_feedback,
    .get_surface_feedback = on_surface_feedback,
};

static void on_bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
    const struct tiny_dmabuf_options *options = data;
    struct wl_resource *global = wl_resource_create(client, &zwp_linux_dmabuf_v1_interface, (int)version, id);
    wl_resource_set_implementation(global, &dmabuf_requests, data, NULL);
    for (uint32_t f = 0; version == 3 && f < ARRAY_SIZE(formats); f++)
        for (uint32_t i = 0; i < options->modifier_count; i++)
            zwp_linux_dmabuf_v1_send_modifier(global, formats[f], (uint32_t)(options->modifiers[i] >> 32),
                                              (uint32_t)options->modifiers[i]);
}

void tiny_dmabuf_add(struct wl_display *display, struct tiny_dmabuf_options *options)
{
    if (options->version)
        wl_global_create(display, &zwp_linux_dmabuf_v1_interface, (int)options->version, options, on_bind);
}
