/* SPDX-License-Identifier: MIT
 *
 * See tiny_x_server.h. Implements requests and replies of the X protocol, DRI3 1.2 and Present 1.2 in the byte order of
 * the machine, with the structs of xcb's headers.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <drm_fourcc.h>
#include <xcb/dri3.h>
#include <xcb/present.h>
#include <xcb/xcb.h>
#include "tiny_dmabuf.h"
#include "tiny_x_server.h"
#include "util/macros.h"

#define DRI3_MAJOR    140
#define PRESENT_MAJOR 141
#define VISUAL        0x21u
#define DEPTH         24
#define MAX_PIXMAPS   32
#define MAX_PENDING   16
#define MAX_REQUEST_B 262144u
#define MAX_FDS       8

struct pixmap {
    uint32_t id; /* 0: none */
    struct tiny_dmabuf *memory;
    uint8_t *copy; /* of the pixels when presented, until idle; detects writes */
};

/* A PresentPixmap request. */
struct picture {
    uint32_t pixmap, serial, options;
    uint64_t target_msc;
};

struct server_state {
    struct tiny_x_server *public;
    int fd, control_fd;
    _Alignas(8) uint8_t in[MAX_REQUEST_B]; /* received bytes; begins with a request */
    size_t in_B;
    int fds[MAX_FDS];
    uint32_t fd_count;
    int node_fd; /* from the last DRI3Open, or -1 */
    uint16_t sequence;
    bool is_set_up, is_over;
    uint32_t window, event_id;
    uint16_t width, height;
    struct pixmap pixmaps[MAX_PIXMAPS];
    struct picture pending[MAX_PENDING]; /* oldest first */
    uint32_t pending_count;
    struct picture shown; /* .pixmap 0: none */
    uint64_t msc, next_tick_ms;
};

/* -- sending ------------------------------------------------------------------------------------------------------ */

static void send_with_fd(struct server_state *s, const void *data, size_t size_B, int fd)
{
    struct iovec iov = {(void *)data, size_B};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
    if (fd >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control.room;
        control.header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    }
    while (iov.iov_len) {
        ssize_t n = sendmsg(s->fd, &message, MSG_NOSIGNAL);
        if (n < 0) {
            s->is_over = true;
            return;
        }
        iov.iov_base = (uint8_t *)iov.iov_base + n;
        iov.iov_len -= (size_t)n;
        message.msg_control = NULL;
        message.msg_controllen = 0;
    }
}

/* Sends a reply of 32 bytes or more. Fills in its first eight bytes, except the second. */
static void reply(struct server_state *s, void *data, size_t size_B, int fd)
{
    xcb_generic_reply_t *head = data;
    head->response_type = 1;
    head->sequence = s->sequence;
    head->length = (uint32_t)(size_B - 32) / 4;
    send_with_fd(s, data, size_B, fd);
}

static void refuse(struct server_state *s, uint8_t code, uint32_t id, uint8_t major, uint16_t minor)
{
    const xcb_value_error_t error = {0, code, s->sequence, id, minor, major, 0};
    uint8_t packet[32] = {0};
    memcpy(packet, &error, MIN2(sizeof error, sizeof packet));
    send_with_fd(s, packet, sizeof packet, -1);
}

/* Sends an event of Present. Up to byte 32 its fields lie as in xcb's struct, where a field of xcb's own
 * (full_sequence) follows that is not sent. */
static void send_event(struct server_state *s, const void *event, size_t struct_B)
{
    uint8_t packet[64] = {0};
    const size_t tail_B = struct_B > 36 ? struct_B - 36 : 0;
    memcpy(packet, event, 32);
    memcpy(packet + 32, (const uint8_t *)event + 36, tail_B);
    const uint32_t length = (uint32_t)tail_B / 4;
    packet[0] = XCB_GE_GENERIC;
    packet[1] = PRESENT_MAJOR;
    memcpy(packet + 2, &s->sequence, sizeof s->sequence);
    memcpy(packet + 4, &length, sizeof length);
    if (s->event_id)
        send_with_fd(s, packet, 32 + tail_B, -1);
}

static void send_complete(struct server_state *s, const struct picture *picture, uint8_t mode)
{
    const xcb_present_complete_notify_event_t event = {
        .event_type = XCB_PRESENT_COMPLETE_NOTIFY,
        .kind = XCB_PRESENT_COMPLETE_KIND_PIXMAP,
        .mode = mode,
        .event = s->event_id,
        .window = s->window,
        .serial = picture->serial,
        .msc = s->msc,
    };
    send_event(s, &event, sizeof event);
}

static void send_configure(struct server_state *s)
{
    const xcb_present_configure_notify_event_t event = {.event_type = XCB_PRESENT_CONFIGURE_NOTIFY,
                                                        .event = s->event_id,
                                                        .window = s->window,
                                                        .width = s->width,
                                                        .height = s->height,
                                                        .pixmap_width = s->width,
                                                        .pixmap_height = s->height};
    send_event(s, &event, sizeof event);
}

/* -- pixmaps and presents ----------------------------------------------------------------------------------------- */

static struct pixmap *find_pixmap(struct server_state *s, uint32_t id)
{
    for (uint32_t i = 0; i < MAX_PIXMAPS; i++)
        if (s->pixmaps[i].id == id)
            return &s->pixmaps[i];
    return NULL;
}

static uint8_t *copy_of(const struct tiny_dmabuf *memory)
{
    uint8_t *rows = malloc((size_t)memory->width * memory->height * 4);
    if (rows)
        tiny_dmabuf_read(memory, rows);
    return rows;
}

static void free_pixmap(struct pixmap *pixmap)
{
    if (pixmap->memory)
        tiny_dmabuf_unmap(pixmap->memory);
    free(pixmap->copy);
    *pixmap = (struct pixmap){0};
}

/* The server no longer reads the pixmap: counts a write that came too early, and tells the client. */
static void set_idle(struct server_state *s, const struct picture *picture)
{
    struct pixmap *pixmap = picture->pixmap ? find_pixmap(s, picture->pixmap) : NULL;
    if (!pixmap || s->public->keeps_all)
        return;
    uint8_t *now = copy_of(pixmap->memory);
    if (now && pixmap->copy)
        s->public->torn += memcmp(now, pixmap->copy, (size_t)pixmap->memory->width * pixmap->memory->height * 4) != 0;
    free(now);
    free(pixmap->copy);
    pixmap->copy = NULL;
    const xcb_present_idle_notify_event_t event = {
        .event_type = XCB_PRESENT_IDLE_NOTIFY,
        .event = s->event_id,
        .window = s->window,
        .serial = picture->serial,
        .pixmap = picture->pixmap,
    };
    send_event(s, &event, sizeof event);
}

static void show(struct server_state *s, const struct picture *picture)
{
    const struct pixmap *pixmap = find_pixmap(s, picture->pixmap);
    send_complete(s, picture, XCB_PRESENT_COMPLETE_MODE_FLIP);
    if (pixmap) {
        free(s->public->pixels);
        s->public->pixels = copy_of(pixmap->memory);
        s->public->width = pixmap->memory->width;
        s->public->height = pixmap->memory->height;
        s->public->modifier = pixmap->memory->modifier;
    }
    const struct picture before = s->shown;
    s->shown = *picture;
    if (before.pixmap != picture->pixmap)
        set_idle(s, &before);
}

static void take_pending(struct server_state *s, uint32_t index)
{
    s->pending_count--;
    memmove(&s->pending[index], &s->pending[index + 1], (s->pending_count - index) * sizeof s->pending[0]);
}

/* A vertical blank: shows the newest present that is due and skips the older ones. */
static void tick(struct server_state *s)
{
    s->msc++;
    struct picture next = {0};
    for (uint32_t i = 0; i < s->pending_count;) {
        if (s->pending[i].target_msc > s->msc) {
            i++;
            continue;
        }
        if (next.pixmap) {
            s->public->skipped++;
            send_complete(s, &next, XCB_PRESENT_COMPLETE_MODE_SKIP);
            set_idle(s, &next);
        }
        next = s->pending[i];
        take_pending(s, i);
    }
    if (next.pixmap)
        show(s, &next);
}

/* -- requests ----------------------------------------------------------------------------------------------------- */

static void on_present_pixmap(struct server_state *s, const xcb_present_pixmap_request_t *request)
{
    struct tiny_x_server *public = s->public;
    struct pixmap *pixmap = request->pixmap ? find_pixmap(s, request->pixmap) : NULL;
    if (!s->window || request->window != s->window || !pixmap || s->pending_count == MAX_PENDING) {
        refuse(s, XCB_WINDOW, request->window, PRESENT_MAJOR, XCB_PRESENT_PIXMAP);
        return;
    }
    const bool is_async = request->options & XCB_PRESENT_OPTION_ASYNC;
    public->reused += pixmap->copy != NULL;
    public->early += request->target_msc && s->pending_count;
    public->pictures++;
    public->async_pictures += is_async;
    free(pixmap->copy);
    pixmap->copy = copy_of(pixmap->memory);
    const struct picture picture = {request->pixmap, request->serial, request->options, request->target_msc};
    if (is_async && picture.target_msc <= s->msc)
        show(s, &picture);
    else
        s->pending[s->pending_count++] = picture;
    s->is_over |= public->pictures == public->exits_after_presents;
}

static void on_select_input(struct server_state *s, const xcb_present_select_input_request_t *request)
{
    if (!s->window || request->window != s->window)
        refuse(s, XCB_WINDOW, request->window, PRESENT_MAJOR, XCB_PRESENT_SELECT_INPUT);
    else if (request->event_mask)
        s->event_id = request->eid;
    else if (s->event_id == request->eid)
        s->event_id = 0;
}

static void on_present(struct server_state *s, const xcb_generic_reply_t *request)
{
    xcb_present_query_version_reply_t version = {.major_version = 1, .minor_version = 2};
    uint8_t packet[32] = {0};
    switch (((const uint8_t *)request)[1]) {
    case XCB_PRESENT_QUERY_VERSION:
        memcpy(packet, &version, sizeof version);
        reply(s, packet, sizeof packet, -1);
        break;
    case XCB_PRESENT_PIXMAP:
        on_present_pixmap(s, (const void *)request);
        break;
    case XCB_PRESENT_SELECT_INPUT:
        on_select_input(s, (const void *)request);
        break;
    default:
        refuse(s, XCB_REQUEST, 0, PRESENT_MAJOR, ((const uint8_t *)request)[1]);
    }
}

static int take_fd(struct server_state *s)
{
    if (!s->fd_count)
        return -1;
    int fd = s->fds[0];
    memmove(&s->fds[0], &s->fds[1], --s->fd_count * sizeof(int));
    return fd;
}

static void make_pixmap(struct server_state *s, uint32_t id, const struct tiny_dmabuf *shape, uint8_t minor)
{
    const bool is_refused =
        s->public->refuses || (s->public->refuses_tiles && shape->modifier != DRM_FORMAT_MOD_LINEAR);
    int fd = take_fd(s);
    struct pixmap *place = find_pixmap(s, 0);
    struct tiny_dmabuf *memory = place && !is_refused ? tiny_dmabuf_map(fd, shape) : NULL;
    close(fd);
    s->public->refused += !memory;
    if (memory)
        *place = (struct pixmap){.id = id, .memory = memory};
    else
        refuse(s, XCB_ALLOC, id, DRI3_MAJOR, minor);
}

static void on_open(struct server_state *s)
{
    int fd = open(s->public->node, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        refuse(s, XCB_ALLOC, 0, DRI3_MAJOR, XCB_DRI3_OPEN);
        return;
    }
    uint8_t packet[32] = {0, 1};
    reply(s, packet, sizeof packet, fd);
    if (s->node_fd >= 0)
        close(s->node_fd);
    s->node_fd = fd; /* the shim does not see descriptors in transit: it would release a file that nobody has open */
}

static void on_get_modifiers(struct server_state *s)
{
    const struct tiny_x_server *public = s->public;
    struct {
        uint8_t head[8];
        uint32_t window_count, screen_count;
        uint8_t padding[16];
        uint64_t modifiers[2 * TINY_X_MODIFIERS];
    } packet = {.window_count = public->window_modifier_count, .screen_count = public->screen_modifier_count};
    const uint32_t count = packet.window_count + packet.screen_count;
    memcpy(packet.modifiers, public->window_modifiers, packet.window_count * sizeof(uint64_t));
    memcpy(packet.modifiers + packet.window_count, public->screen_modifiers, packet.screen_count * sizeof(uint64_t));
    reply(s, &packet, 32 + count * sizeof(uint64_t), -1);
}

static void on_pixmap_from_buffer(struct server_state *s, const xcb_dri3_pixmap_from_buffer_request_t *request)
{
    const struct tiny_dmabuf shape = {.stride_B = request->stride, .width = request->width, .height = request->height};
    make_pixmap(s, request->pixmap, &shape, XCB_DRI3_PIXMAP_FROM_BUFFER);
}

static void on_pixmap_from_buffers(struct server_state *s, const xcb_dri3_pixmap_from_buffers_request_t *request)
{
    struct tiny_dmabuf shape = {
        .offset_B = request->offset0, .stride_B = request->stride0, .width = request->width, .height = request->height};
    memcpy(&shape.modifier, &request->modifier, sizeof shape.modifier);
    make_pixmap(s, request->pixmap, &shape, XCB_DRI3_PIXMAP_FROM_BUFFERS);
}

static void on_dri3(struct server_state *s, const xcb_generic_reply_t *request)
{
    xcb_dri3_query_version_reply_t version = {.major_version = 1, .minor_version = s->public->dri3_minor};
    uint8_t packet[32] = {0};
    switch (((const uint8_t *)request)[1]) {
    case XCB_DRI3_QUERY_VERSION:
        memcpy(packet, &version, sizeof version);
        reply(s, packet, sizeof packet, -1);
        break;
    case XCB_DRI3_OPEN:
        on_open(s);
        break;
    case XCB_DRI3_PIXMAP_FROM_BUFFER:
        on_pixmap_from_buffer(s, (const void *)request);
        break;
    case XCB_DRI3_GET_SUPPORTED_MODIFIERS:
        on_get_modifiers(s);
        break;
    case XCB_DRI3_PIXMAP_FROM_BUFFERS:
        on_pixmap_from_buffers(s, (const void *)request);
        break;
    default:
        refuse(s, XCB_REQUEST, 0, DRI3_MAJOR, ((const uint8_t *)request)[1]);
    }
}

static void on_query_extension(struct server_state *s, const xcb_query_extension_request_t *request)
{
    const char *name = (const char *)(request + 1);
    uint8_t major = 0;
    if (s->public->has_dri3 && request->name_len == 4 && !memcmp(name, "DRI3", 4))
        major = DRI3_MAJOR;
    if (s->public->has_dri3 && request->name_len == 7 && !memcmp(name, "Present", 7))
        major = PRESENT_MAJOR;
    const xcb_query_extension_reply_t answer = {.present = major != 0, .major_opcode = major};
    uint8_t packet[32] = {0};
    memcpy(packet, &answer, sizeof answer);
    reply(s, packet, sizeof packet, -1);
}

static void on_get_geometry(struct server_state *s, const xcb_get_geometry_request_t *request)
{
    if (!s->window || request->drawable != s->window) {
        refuse(s, XCB_DRAWABLE, request->drawable, XCB_GET_GEOMETRY, 0);
        return;
    }
    const xcb_get_geometry_reply_t answer = {
        .depth = DEPTH, .root = TINY_X_ROOT, .width = s->width, .height = s->height};
    uint8_t packet[32] = {0};
    memcpy(packet, &answer, sizeof answer);
    reply(s, packet, sizeof packet, -1);
}

/* Supports changes of both width and height, nothing else. */
static void on_configure(struct server_state *s, const xcb_configure_window_request_t *request)
{
    const uint32_t *values = (const uint32_t *)(request + 1);
    if (!s->window || request->window != s->window ||
        request->value_mask != (XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT))
        return;
    s->width = (uint16_t)values[0];
    s->height = (uint16_t)values[1];
    send_configure(s);
}

static void on_create_window(struct server_state *s, const xcb_create_window_request_t *request)
{
    s->window = request->wid;
    s->width = request->width;
    s->height = request->height;
}

static void on_request(struct server_state *s, const void *data)
{
    const uint8_t opcode = *(const uint8_t *)data;
    const uint32_t id = ((const uint32_t *)data)[1]; /* in requests that name one resource */
    uint8_t packet[32] = {0};
    switch (opcode) {
    case XCB_CREATE_WINDOW:
        on_create_window(s, data);
        break;
    case XCB_DESTROY_WINDOW:
        s->window = s->event_id = 0;
        s->pending_count = 0;
        break;
    case XCB_CONFIGURE_WINDOW:
        on_configure(s, data);
        break;
    case XCB_GET_GEOMETRY:
        on_get_geometry(s, data);
        break;
    case XCB_GET_INPUT_FOCUS:
        reply(s, packet, sizeof packet, -1);
        break;
    case XCB_FREE_PIXMAP:
        if (id && find_pixmap(s, id))
            free_pixmap(find_pixmap(s, id));
        else
            refuse(s, XCB_PIXMAP, id, opcode, 0);
        break;
    case XCB_QUERY_EXTENSION:
        on_query_extension(s, data);
        break;
    case XCB_PUT_IMAGE:
        s->public->put_images++;
        break;
    case XCB_MAP_WINDOW:
    case XCB_CREATE_GC:
    case XCB_FREE_GC:
        break;
    case DRI3_MAJOR:
        on_dri3(s, data);
        break;
    case PRESENT_MAJOR:
        on_present(s, data);
        break;
    default:
        refuse(s, XCB_REQUEST, 0, opcode, 0);
    }
}

/* -- the connection ----------------------------------------------------------------------------------------------- */

static void set_up(struct server_state *s)
{
    struct {
        xcb_setup_t setup;
        xcb_format_t format;
        xcb_screen_t screen;
        xcb_depth_t depth;
        xcb_visualtype_t visual;
    } packet = {
        .setup = {.status = 1,
                  .protocol_major_version = 11,
                  .length = (sizeof packet - 8) / 4,
                  .resource_id_base = 0x200000,
                  .resource_id_mask = 0x1fffff,
                  .maximum_request_length = UINT16_MAX,
                  .roots_len = 1,
                  .pixmap_formats_len = 1,
                  .bitmap_format_scanline_unit = 32,
                  .bitmap_format_scanline_pad = 32,
                  .min_keycode = 8,
                  .max_keycode = 255},
        .format = {.depth = DEPTH, .bits_per_pixel = 32, .scanline_pad = 32},
        .screen = {.root = TINY_X_ROOT,
                   .width_in_pixels = 1920,
                   .height_in_pixels = 1080,
                   .root_visual = VISUAL,
                   .root_depth = DEPTH,
                   .allowed_depths_len = 1},
        .depth = {.depth = DEPTH, .visuals_len = 1},
        .visual = {.visual_id = VISUAL,
                   ._class = XCB_VISUAL_CLASS_TRUE_COLOR,
                   .bits_per_rgb_value = 8,
                   .colormap_entries = 256,
                   .red_mask = 0xff0000,
                   .green_mask = 0x00ff00,
                   .blue_mask = 0x0000ff},
    };
    send_with_fd(s, &packet, sizeof packet, -1);
    s->is_set_up = true;
}

static void receive(struct server_state *s)
{
    struct iovec iov = {s->in + s->in_B, sizeof s->in - s->in_B};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(MAX_FDS * sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.room};
    ssize_t n = recvmsg(s->fd, &message, MSG_CMSG_CLOEXEC);
    if (n <= 0) {
        s->is_over = true;
        return;
    }
    s->in_B += (size_t)n;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS)
        return;
    for (size_t at = 0; CMSG_LEN(at + sizeof(int)) <= header->cmsg_len && s->fd_count < MAX_FDS; at += sizeof(int))
        memcpy(&s->fds[s->fd_count++], CMSG_DATA(header) + at, sizeof(int));
}

static void consume(struct server_state *s, size_t size_B)
{
    s->in_B -= size_B;
    memmove(s->in, s->in + size_B, s->in_B);
}

/* Executes the requests that have arrived completely; the rest stays for the next call. */
static void execute_requests(struct server_state *s)
{
    if (!s->is_set_up && s->in_B >= sizeof(xcb_setup_request_t)) {
        consume(s, sizeof(xcb_setup_request_t)); /* the client sends no authorisation data */
        set_up(s);
    }
    while (s->is_set_up && !s->is_over && s->in_B >= 4) {
        const size_t size_B = ((const uint16_t *)(const void *)s->in)[1] * 4u;
        if (s->in_B < size_B)
            return;
        s->sequence++;
        on_request(s, s->in);
        consume(s, size_B);
    }
}

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static int ms_to_tick(const struct server_state *s)
{
    const uint64_t now = now_ms();
    if (!s->public->period_ms)
        return -1;
    return s->next_tick_ms > now ? (int)(s->next_tick_ms - now) : 0;
}

static void *server_main(void *arg)
{
    struct server_state *s = arg;
    s->next_tick_ms = now_ms() + s->public->period_ms;
    struct pollfd fds[2] = {{.fd = s->fd, .events = POLLIN}, {.fd = s->control_fd, .events = POLLIN}};
    while (!s->is_over && poll(fds, 2, ms_to_tick(s)) >= 0 && !fds[1].revents) {
        if (fds[0].revents) {
            receive(s);
            execute_requests(s);
        }
        if (s->public->period_ms && !ms_to_tick(s)) {
            tick(s);
            s->next_tick_ms = now_ms() + s->public->period_ms;
        }
    }
    shutdown(s->fd, SHUT_RDWR);
    return NULL;
}

int tiny_x_server_start(struct tiny_x_server *server)
{
    struct server_state *s = calloc(1, sizeof *s);
    int client_fds[2], control_fds[2];
    if (!s || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, client_fds) ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control_fds))
        return ENOMEM;
    s->public = server;
    s->node_fd = -1;
    s->fd = client_fds[0];
    s->control_fd = control_fds[0];
    server->client_fd = client_fds[1];
    server->control_fd = control_fds[1];
    server->state = s;
    return pthread_create(&server->thread, NULL, server_main, s);
}

void tiny_x_server_stop(struct tiny_x_server *server)
{
    (void)!write(server->control_fd, "", 1);
    pthread_join(server->thread, NULL);
    struct server_state *s = server->state;
    for (uint32_t i = 0; i < MAX_PIXMAPS; i++)
        server->pixmaps_left += s->pixmaps[i].id != 0;
    server->selections_left = s->event_id != 0;
}

void tiny_x_server_finish(struct tiny_x_server *server)
{
    struct server_state *s = server->state;
    for (uint32_t i = 0; i < MAX_PIXMAPS; i++)
        free_pixmap(&s->pixmaps[i]);
    while (s->fd_count)
        close(take_fd(s));
    if (s->node_fd >= 0)
        close(s->node_fd);
    close(s->fd);
    close(s->control_fd);
    close(server->control_fd);
    free(s);
    free(server->pixels);
    server->pixels = NULL;
}
