/* SPDX-License-Identifier: MIT
 *
 * Presentation through DRI3 and Present. See vc4vk_xcb_present.h.
 *
 * The server is only asked to read the driver's memory if it runs on the same device. DRI3Open returns a file
 * descriptor of the server's device, which is used only for this comparison. DRI3 1.2 lists the modifiers that the
 * server can show; an older server accepts raster images only.
 *
 * Events go to a special event queue that the application does not see. Any thread that reads the connection fills it,
 * including the application's threads, so the driver cannot poll for new events in that queue. A waiting thread
 * therefore checks repeatedly, first after milliseconds, later less often. Each check is a round trip, which also tells
 * whether the window still exists.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <drm_fourcc.h>
#include <xcb/dri3.h>
#include "util/thread.h"
#include "wsi/vc4vk_xcb_present.h"

#define BITS_PER_PIXEL   32u
#define SHOW_TIMEOUT_NS  UINT64_C(100000000) /* for the previous image: a hidden window has no vertical blanks */
#define MIN_POLL_MS      4
#define MAX_POLL_MS      256
#define WINDOW_DESTROYED 1u /* in ConfigureNotify's pixmap_flags, Present 1.3 */

/* -- server capabilities ------------------------------------------------------------------------------------------ */

static bool has_extension(xcb_connection_t *connection, xcb_extension_t *id)
{
    const xcb_query_extension_reply_t *extension = xcb_get_extension_data(connection, id);
    return extension && extension->present;
}

static bool ask_versions(struct vc4vk_xcb_present *p)
{
    if (!has_extension(p->connection, &xcb_dri3_id) || !has_extension(p->connection, &xcb_present_id))
        return false;
    xcb_dri3_query_version_cookie_t dri3_cookie = xcb_dri3_query_version(p->connection, 1, 2);
    xcb_present_query_version_cookie_t present_cookie = xcb_present_query_version(p->connection, 1, 2);
    xcb_generic_error_t *errors[2] = {NULL, NULL};
    xcb_dri3_query_version_reply_t *dri3 = xcb_dri3_query_version_reply(p->connection, dri3_cookie, &errors[0]);
    xcb_present_query_version_reply_t *present =
        xcb_present_query_version_reply(p->connection, present_cookie, &errors[1]);
    bool has_both = dri3 && present;
    p->has_modifiers = has_both && (dri3->major_version > 1 || dri3->minor_version >= 2) &&
                       (present->major_version > 1 || present->minor_version >= 2);
    free(dri3);
    free(present);
    free(errors[0]);
    free(errors[1]);
    return has_both;
}

/* Whether DRI3Open returns the device of the node. */
static bool is_our_device(struct vc4vk_xcb_present *p, const char *node_path)
{
    xcb_generic_error_t *error = NULL;
    xcb_dri3_open_reply_t *reply =
        xcb_dri3_open_reply(p->connection, xcb_dri3_open(p->connection, p->window, XCB_NONE), &error);
    free(error);
    if (!reply)
        return false;
    const int *fds = xcb_dri3_open_reply_fds(p->connection, reply);
    bool is_ours = false;
    for (uint32_t i = 0; i < reply->nfd; i++) {
        struct stat st;
        is_ours = i == 0 && !fstat(fds[i], &st) && vc4vk_node_is_of_device(node_path, st.st_rdev);
        close(fds[i]);
    }
    free(reply);
    return is_ours;
}

static void record_modifiers(struct vc4vk_xcb_present *p, const uint64_t *modifiers, int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t modifier;
        memcpy(&modifier, &modifiers[i], sizeof modifier);
        p->has_linear |= modifier == DRM_FORMAT_MOD_LINEAR;
        p->has_tiles |= modifier == DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED;
    }
}

/* Queries the modifiers of the window, to which the server can flip, and of the screen, from which it can copy. */
static void ask_modifiers(struct vc4vk_xcb_present *p)
{
    xcb_generic_error_t *error = NULL;
    xcb_dri3_get_supported_modifiers_reply_t *reply = xcb_dri3_get_supported_modifiers_reply(
        p->connection, xcb_dri3_get_supported_modifiers(p->connection, p->window, p->depth, BITS_PER_PIXEL), &error);
    free(error);
    if (!reply)
        return;
    record_modifiers(p, xcb_dri3_get_supported_modifiers_window_modifiers(reply),
                     xcb_dri3_get_supported_modifiers_window_modifiers_length(reply));
    record_modifiers(p, xcb_dri3_get_supported_modifiers_screen_modifiers(reply),
                     xcb_dri3_get_supported_modifiers_screen_modifiers_length(reply));
    if (!reply->num_window_modifiers && !reply->num_screen_modifiers) /* the server does not use modifiers */
        p->has_modifiers = false;
    free(reply);
}

/* -- requests and events ------------------------------------------------------------------------------------------ */

/* Waits until the server has processed a checked request; all events that it sent before have then been received.
 * Returns whether the request succeeded. */
static bool succeeded(struct vc4vk_xcb_present *p, xcb_void_cookie_t cookie)
{
    xcb_generic_error_t *error = xcb_request_check(p->connection, cookie);
    bool ok = !error && !xcb_connection_has_error(p->connection);
    free(error);
    return ok;
}

/* Round trip to the server, which receives pending events. False when the window was destroyed or the connection lost.
 */
static bool sync_with_server(struct vc4vk_xcb_present *p)
{
    xcb_generic_error_t *error = NULL;
    xcb_get_geometry_reply_t *geometry =
        xcb_get_geometry_reply(p->connection, xcb_get_geometry(p->connection, p->window), &error);
    free(error);
    if (geometry)
        p->window_extent = (VkExtent2D){geometry->width, geometry->height};
    p->is_lost |= !geometry;
    free(geometry);
    return !p->is_lost;
}

static void on_idle(struct vc4vk_xcb_present *p, const xcb_present_idle_notify_event_t *event)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(p->pixmaps); i++)
        if (p->pixmaps[i] == event->pixmap)
            p->held &= ~BIT(i);
}

static void on_complete(struct vc4vk_xcb_present *p, const xcb_present_complete_notify_event_t *event)
{
    if (event->kind != XCB_PRESENT_COMPLETE_KIND_PIXMAP)
        return;
    p->completed = event->serial;
    p->msc = event->msc;
}

static void on_configure(struct vc4vk_xcb_present *p, const xcb_present_configure_notify_event_t *event)
{
    p->window_extent = (VkExtent2D){event->width, event->height};
    p->is_lost |= event->pixmap_flags & WINDOW_DESTROYED;
}

static void handle_events(struct vc4vk_xcb_present *p)
{
    xcb_generic_event_t *event;
    while ((event = xcb_poll_for_special_event(p->connection, p->events))) {
        switch (((const xcb_present_generic_event_t *)event)->evtype) {
        case XCB_PRESENT_EVENT_IDLE_NOTIFY:
            on_idle(p, (const void *)event);
            break;
        case XCB_PRESENT_EVENT_COMPLETE_NOTIFY:
            on_complete(p, (const void *)event);
            break;
        case XCB_PRESENT_EVENT_CONFIGURE_NOTIFY:
            on_configure(p, (const void *)event);
            break;
        }
        free(event);
    }
}

/* Handles events until `is_done`. False at the deadline, when woken by wake_fd, and when the window is lost. */
static bool handle_events_until(struct vc4vk_xcb_present *p,
                                bool (*is_done)(const struct vc4vk_xcb_present *, uint32_t), uint32_t arg,
                                bool can_be_woken, uint64_t deadline_ns)
{
    struct pollfd fds[2] = {{.fd = xcb_get_file_descriptor(p->connection), .events = POLLIN},
                            {.fd = p->wake_fd, .events = POLLIN}};
    for (int poll_ms = MIN_POLL_MS;; poll_ms = MIN2(2 * poll_ms, MAX_POLL_MS)) {
        handle_events(p);
        if (p->is_lost || is_done(p, arg))
            return !p->is_lost;
        if (util_now_ns() >= deadline_ns)
            return false;
        (void)poll(fds, can_be_woken ? 2 : 1, poll_ms);
        if (can_be_woken && fds[1].revents)
            return false;
        if (!sync_with_server(p))
            return false;
    }
}

/* -- pixmaps ------------------------------------------------------------------------------------------------------ */

bool vc4vk_xcb_present_adopt(struct vc4vk_xcb_present *p, const struct vc4vk_target *target, uint32_t image, int fd,
                             uint32_t offset_B, uint32_t stride_B)
{
    const bool is_offered = target->modifier == DRM_FORMAT_MOD_LINEAR ? p->has_linear : p->has_tiles;
    const uint16_t width = (uint16_t)target->extent.width, height = (uint16_t)target->extent.height;
    if (!is_offered || (!p->has_modifiers && (offset_B || stride_B > UINT16_MAX)))
        return false;
    int own_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* xcb closes it */
    if (own_fd < 0)
        return false;
    xcb_pixmap_t pixmap = xcb_generate_id(p->connection);
    xcb_void_cookie_t cookie =
        p->has_modifiers
            ? xcb_dri3_pixmap_from_buffers_checked(p->connection, pixmap, p->window, 1, width, height, stride_B,
                                                   offset_B, 0, 0, 0, 0, 0, 0, p->depth, BITS_PER_PIXEL,
                                                   target->modifier, &own_fd)
            : xcb_dri3_pixmap_from_buffer_checked(p->connection, pixmap, p->window, stride_B * height, width, height,
                                                  (uint16_t)stride_B, p->depth, BITS_PER_PIXEL, own_fd);
    if (!succeeded(p, cookie))
        return false;
    p->pixmaps[image] = pixmap;
    return true;
}

void vc4vk_xcb_present_free_pixmaps(struct vc4vk_xcb_present *p)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(p->pixmaps); i++) {
        if (p->pixmaps[i])
            (void)succeeded(p, xcb_free_pixmap_checked(p->connection, p->pixmaps[i]));
        p->pixmaps[i] = XCB_NONE;
    }
    p->held = 0;
}

/* -- presentation ------------------------------------------------------------------------------------------------- */

static uint32_t options_of(VkPresentModeKHR mode)
{
    const bool may_tear = mode == VK_PRESENT_MODE_IMMEDIATE_KHR || mode == VK_PRESENT_MODE_FIFO_RELAXED_KHR;
    return may_tear ? XCB_PRESENT_OPTION_ASYNC : XCB_PRESENT_OPTION_NONE;
}

static bool all_are_shown(const struct vc4vk_xcb_present *p, uint32_t unused)
{
    return p->completed == p->serial;
}

/* In FIFO the image is shown no earlier than one vertical blank after the previous image. */
VkResult vc4vk_xcb_present_show(struct vc4vk_xcb_present *p, struct vc4vk_target *target)
{
    const bool is_fifo = vc4vk_present_mode_is_fifo(target->mode);
    if (is_fifo)
        (void)handle_events_until(p, all_are_shown, 0, false, util_now_ns() + SHOW_TIMEOUT_NS);
    if (p->is_lost)
        return VK_ERROR_SURFACE_LOST_KHR;
    const uint64_t target_msc = is_fifo && p->msc ? p->msc + 1 : 0;
    p->held |= BIT(target->image);
    p->is_lost |=
        !succeeded(p, xcb_present_pixmap_checked(p->connection, p->window, p->pixmaps[target->image], ++p->serial,
                                                 XCB_NONE, XCB_NONE, 0, 0, XCB_NONE, XCB_NONE, XCB_NONE,
                                                 options_of(target->mode), target_msc, 0, 0, 0, NULL));
    handle_events(p);
    target->held = p->held;
    if (p->is_lost)
        return VK_ERROR_SURFACE_LOST_KHR;
    const bool fits =
        p->window_extent.width == target->extent.width && p->window_extent.height == target->extent.height;
    return fits ? VK_SUCCESS : VK_SUBOPTIMAL_KHR;
}

void vc4vk_xcb_present_wait_until_visible(struct vc4vk_xcb_present *p, struct vc4vk_target *target)
{
    (void)handle_events_until(p, all_are_shown, 0, false, util_now_ns() + SHOW_TIMEOUT_NS);
    target->held = p->held;
}

static bool has_image_back(const struct vc4vk_xcb_present *p, uint32_t held_before)
{
    return held_before & ~p->held;
}

VkResult vc4vk_xcb_present_wait(struct vc4vk_xcb_present *p, struct vc4vk_target *target)
{
    (void)handle_events_until(p, has_image_back, target->held, true, UTIL_FOREVER_NS);
    uint64_t wakes;
    (void)!read(p->wake_fd, &wakes, sizeof wakes); /* does not block */
    target->held = p->held;
    return p->is_lost ? VK_ERROR_SURFACE_LOST_KHR : VK_SUCCESS;
}

void vc4vk_xcb_present_wake(struct vc4vk_xcb_present *p)
{
    const uint64_t one = 1;
    (void)!write(p->wake_fd, &one, sizeof one);
}

/* -- init and finish ---------------------------------------------------------------------------------------------- */

static bool select_events(struct vc4vk_xcb_present *p)
{
    p->event_id = xcb_generate_id(p->connection);
    p->events = xcb_register_for_special_xge(p->connection, &xcb_present_id, p->event_id, NULL);
    return p->events && succeeded(p, xcb_present_select_input_checked(p->connection, p->event_id, p->window,
                                                                      XCB_PRESENT_EVENT_MASK_CONFIGURE_NOTIFY |
                                                                          XCB_PRESENT_EVENT_MASK_COMPLETE_NOTIFY |
                                                                          XCB_PRESENT_EVENT_MASK_IDLE_NOTIFY));
}

bool vc4vk_xcb_present_init(struct vc4vk_xcb_present *p, xcb_connection_t *connection, xcb_window_t window,
                            const xcb_get_geometry_reply_t *geometry, const char *node_path)
{
    *p = (struct vc4vk_xcb_present){
        .connection = connection,
        .window = window,
        .depth = geometry->depth,
        .wake_fd = -1,
        .window_extent = {geometry->width, geometry->height},
    };
    if (!ask_versions(p) || !is_our_device(p, node_path))
        return false;
    if (p->has_modifiers)
        ask_modifiers(p);
    if (!p->has_modifiers)
        p->has_linear = true;
    p->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (p->wake_fd >= 0 && (p->has_linear || p->has_tiles) && select_events(p))
        return true;
    vc4vk_xcb_present_finish(p);
    return false;
}

void vc4vk_xcb_present_finish(struct vc4vk_xcb_present *p)
{
    if (!p->connection)
        return;
    vc4vk_xcb_present_free_pixmaps(p);
    if (p->events) {
        (void)succeeded(p, xcb_present_select_input_checked(p->connection, p->event_id, p->window, 0));
        xcb_unregister_for_special_event(p->connection, p->events);
    }
    if (p->wake_fd >= 0)
        close(p->wake_fd);
    *p = (struct vc4vk_xcb_present){.wake_fd = -1};
}
