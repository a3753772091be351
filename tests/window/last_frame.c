/* SPDX-License-Identifier: MIT
 *
 * last_frame OUT.png: waits for one top-level window to be mapped and destroyed, and writes what it showed last.
 *
 * The Composite extension keeps a window's pixmap as long as a client holds a name for it, even after the window is
 * destroyed. So the last frame of a program that ends after N frames can be read exactly, without racing it with a
 * screenshot. The exit status is 0 if an image was written. None is written of a window that is black all over: a
 * program whose frames are presented by a thread of its library can end before its first frame is shown.
 */
#include <png.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/composite.h>
#include <xcb/xcb.h>

struct watched {
    xcb_window_t window;
    xcb_pixmap_t pixmap; /* 0 until the window is mapped */
    uint16_t width_px, height_px;
};

static bool write_png(const char *path, const uint8_t *bgrx, uint32_t width_px, uint32_t height_px)
{
    uint8_t *rgb = malloc((size_t)width_px * height_px * 3);
    if (!rgb)
        return false;
    for (size_t i = 0; i < (size_t)width_px * height_px; i++) {
        rgb[3 * i + 0] = bgrx[4 * i + 2];
        rgb[3 * i + 1] = bgrx[4 * i + 1];
        rgb[3 * i + 2] = bgrx[4 * i + 0];
    }
    png_image image = {.version = PNG_IMAGE_VERSION, .width = width_px, .height = height_px, .format = PNG_FORMAT_RGB};
    bool ok = png_image_write_to_file(&image, path, 0, rgb, 0, NULL);
    free(rgb);
    return ok;
}

static bool is_black(const uint8_t *bgrx, uint32_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bgrx[4 * i] | bgrx[4 * i + 1] | bgrx[4 * i + 2])
            return false;
    return true;
}

static void name_pixmap(xcb_connection_t *conn, struct watched *w)
{
    if (w->pixmap)
        xcb_free_pixmap(conn, w->pixmap);
    w->pixmap = xcb_generate_id(conn);
    xcb_composite_name_window_pixmap(conn, w->window, w->pixmap);
    xcb_get_geometry_reply_t *geometry = xcb_get_geometry_reply(conn, xcb_get_geometry(conn, w->window), NULL);
    if (geometry) {
        w->width_px = geometry->width;
        w->height_px = geometry->height;
        free(geometry);
    }
}

static bool save(xcb_connection_t *conn, const struct watched *w, const char *path)
{
    xcb_get_image_reply_t *reply = xcb_get_image_reply(
        conn, xcb_get_image(conn, XCB_IMAGE_FORMAT_Z_PIXMAP, w->pixmap, 0, 0, w->width_px, w->height_px, ~0u), NULL);
    const bool has_pixels = reply && xcb_get_image_data_length(reply) >= w->width_px * w->height_px * 4;
    const bool shows_nothing = has_pixels && is_black(xcb_get_image_data(reply), w->width_px * w->height_px);
    if (shows_nothing)
        fprintf(stderr, "last_frame: the window stayed black\n");
    const bool ok =
        has_pixels && !shows_nothing && write_png(path, xcb_get_image_data(reply), w->width_px, w->height_px);
    free(reply);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: last_frame OUT.png\n");
        return 2;
    }
    xcb_connection_t *conn = xcb_connect(NULL, NULL);
    if (xcb_connection_has_error(conn)) {
        fprintf(stderr, "last_frame: cannot connect to an X server: set DISPLAY\n");
        return 1;
    }
    xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(conn)).data->root;
    free(xcb_composite_query_version_reply(conn, xcb_composite_query_version(conn, 0, 4), NULL));
    xcb_composite_redirect_subwindows(conn, root, XCB_COMPOSITE_REDIRECT_AUTOMATIC);
    xcb_change_window_attributes(conn, root, XCB_CW_EVENT_MASK, (uint32_t[]){XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY});
    xcb_flush(conn);
    puts("ready");
    fflush(stdout);

    struct watched watched = {0};
    bool ok = false;
    for (xcb_generic_event_t *event; (event = xcb_wait_for_event(conn)); free(event)) {
        uint8_t type = event->response_type & 0x7f;
        if (type == XCB_MAP_NOTIFY && !watched.window) {
            watched.window = ((xcb_map_notify_event_t *)event)->window;
            name_pixmap(conn, &watched);
        } else if (type == XCB_CONFIGURE_NOTIFY && watched.pixmap &&
                   ((xcb_configure_notify_event_t *)event)->window == watched.window) {
            name_pixmap(conn, &watched);
        } else if (type == XCB_DESTROY_NOTIFY && watched.pixmap &&
                   ((xcb_destroy_notify_event_t *)event)->window == watched.window) {
            ok = save(conn, &watched, argv[1]);
            free(event);
            break;
        }
        xcb_flush(conn);
    }
    xcb_disconnect(conn);
    return ok ? 0 : 1;
}
