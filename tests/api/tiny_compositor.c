/* SPDX-License-Identifier: MIT
 *
 * See tiny_compositor.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wayland-server.h>
#include "tiny_compositor.h"

#define MAX_HELD 4

/* A reference to a client's buffer. It becomes NULL when the client destroys the buffer, which may happen at any
 * time. */
struct buffer_ref {
    struct wl_resource *buffer;
    struct wl_listener destroyed;
};

struct held_buffer {
    struct buffer_ref ref;
    uint8_t *copy; /* of the pixels at the commit, to detect writes while held */
    size_t size_B;
};

#define MAX_SURFACES 4

struct compositor_surface {
    struct compositor_state *state;
    struct buffer_ref attached;
    struct wl_resource *requested, *due; /* frame callbacks, before and after the commit */
};

struct compositor_state {
    struct tiny_compositor *public;
    struct wl_display *display;
    struct wl_event_source *clock, *control;
    struct compositor_surface surfaces[MAX_SURFACES];
    uint32_t surface_count; /* ever created */
    struct held_buffer held[MAX_HELD]; /* ring; the oldest is at held_first */
    uint32_t held_first, held_count;
};

/* -- buffers ------------------------------------------------------------------------------------------------------ */

static void forget_buffer(struct wl_listener *listener, void *data)
{
    struct buffer_ref *ref = wl_container_of(listener, ref, destroyed);
    ref->buffer = NULL;
}

static void drop_ref(struct buffer_ref *ref)
{
    if (ref->buffer)
        wl_list_remove(&ref->destroyed.link);
    ref->buffer = NULL;
}

/* `ref` must not move until it is dropped or its buffer is destroyed. */
static void take_ref(struct buffer_ref *ref, struct wl_resource *buffer)
{
    drop_ref(ref);
    ref->buffer = buffer;
    ref->destroyed.notify = forget_buffer;
    if (buffer)
        wl_resource_add_destroy_listener(buffer, &ref->destroyed);
}

/* Works for wl_shm buffers and dmabufs. */
static struct tiny_picture describe(struct wl_resource *buffer)
{
    struct wl_shm_buffer *shm = wl_shm_buffer_get(buffer);
    if (shm)
        return (struct tiny_picture){.width = (uint32_t)wl_shm_buffer_get_width(shm),
                                     .height = (uint32_t)wl_shm_buffer_get_height(shm),
                                     .format = wl_shm_buffer_get_format(shm)};
    const struct tiny_dmabuf *dmabuf = tiny_dmabuf_get(buffer);
    return (struct tiny_picture){.width = dmabuf->width,
                                 .height = dmabuf->height,
                                 .format = dmabuf->format,
                                 .is_dmabuf = true,
                                 .modifier = dmabuf->modifier};
}

/* Returns a copy of the pixels, tightly packed like the client's. NULL: out of memory. */
static uint8_t *copy_of(struct wl_resource *buffer, size_t *size_out)
{
    const struct tiny_picture picture = describe(buffer);
    *size_out = (size_t)picture.width * picture.height * 4;
    uint8_t *copy = malloc(*size_out);
    if (!copy)
        return NULL;
    if (picture.is_dmabuf) {
        tiny_dmabuf_read(tiny_dmabuf_get(buffer), copy);
        return copy;
    }
    struct wl_shm_buffer *shm = wl_shm_buffer_get(buffer);
    wl_shm_buffer_begin_access(shm);
    memcpy(copy, wl_shm_buffer_get_data(shm), *size_out);
    wl_shm_buffer_end_access(shm);
    return copy;
}

static bool has_changed(const struct held_buffer *held)
{
    size_t size_B;
    uint8_t *now = copy_of(held->ref.buffer, &size_B);
    bool is_same = !now || !held->copy || !memcmp(held->copy, now, size_B);
    free(now);
    return !is_same;
}

static void release_oldest(struct compositor_state *s)
{
    struct held_buffer *oldest = &s->held[s->held_first];
    if (oldest->ref.buffer) {
        s->public->torn += has_changed(oldest);
        wl_buffer_send_release(oldest->ref.buffer);
    }
    free(oldest->copy);
    drop_ref(&oldest->ref);
    s->held_first = (s->held_first + 1) % MAX_HELD;
    s->held_count--;
}

static void release_surplus(struct compositor_state *s)
{
    while (s->held_count > s->public->held)
        release_oldest(s);
}

static void hold(struct compositor_state *s, struct wl_resource *buffer)
{
    for (uint32_t i = 0; i < s->held_count; i++)
        s->public->reused += s->held[(s->held_first + i) % MAX_HELD].ref.buffer == buffer;
    if (s->held_count == MAX_HELD)
        release_oldest(s);
    struct held_buffer *newest = &s->held[(s->held_first + s->held_count++) % MAX_HELD];
    newest->copy = copy_of(buffer, &newest->size_B);
    take_ref(&newest->ref, buffer);
    if (!s->public->releases_on_tick)
        release_surplus(s);
}

static void show(struct compositor_state *s, struct wl_resource *buffer)
{
    struct tiny_compositor *public = s->public;
    size_t size_B;
    free(public->pixels);
    public->pixels = copy_of(buffer, &size_B);
    public->picture = describe(buffer);
    public->dmabuf_commits += public->picture.is_dmabuf;
    hold(s, buffer);
}

/* -- surfaces ----------------------------------------------------------------------------------------------------- */

static void destroy_resource(struct wl_client *client, struct wl_resource *resource)
{
    wl_resource_destroy(resource);
}

static void on_attach(struct wl_client *client, struct wl_resource *surface, struct wl_resource *buffer, int32_t x,
                      int32_t y)
{
    take_ref(&((struct compositor_surface *)wl_resource_get_user_data(surface))->attached, buffer);
}

static void on_damage(struct wl_client *client, struct wl_resource *surface, int32_t x, int32_t y, int32_t width,
                      int32_t height)
{
}

static void forget_callback(struct wl_resource *callback)
{
    struct compositor_surface *s = wl_resource_get_user_data(callback);
    if (s->requested == callback)
        s->requested = NULL;
    if (s->due == callback)
        s->due = NULL;
}

static void on_frame(struct wl_client *client, struct wl_resource *surface, uint32_t id)
{
    struct compositor_surface *s = wl_resource_get_user_data(surface);
    s->requested = wl_resource_create(client, &wl_callback_interface, 1, id);
    wl_resource_set_implementation(s->requested, NULL, s, forget_callback);
}

static void on_region(struct wl_client *client, struct wl_resource *surface, struct wl_resource *region)
{
}

static void on_number(struct wl_client *client, struct wl_resource *surface, int32_t number)
{
}

static void on_commit(struct wl_client *client, struct wl_resource *surface)
{
    struct compositor_surface *s = wl_resource_get_user_data(surface);
    struct tiny_compositor *public = s->state->public;
    public->commits++;
    public->early_commits += s->due && public->period_ms;
    if (s->requested)
        s->due = s->requested;
    s->requested = NULL;
    if (s->attached.buffer)
        show(s->state, s->attached.buffer);
    drop_ref(&s->attached);
    if (public->commits == public->exits_after_commits)
        wl_display_terminate(s->state->display);
}

static const struct wl_surface_interface surface_requests = {
    .destroy = destroy_resource,
    .attach = on_attach,
    .damage = on_damage,
    .frame = on_frame,
    .set_opaque_region = on_region,
    .set_input_region = on_region,
    .commit = on_commit,
    .set_buffer_transform = on_number,
    .set_buffer_scale = on_number,
    .damage_buffer = on_damage,
};

static void on_create_surface(struct wl_client *client, struct wl_resource *compositor, uint32_t id)
{
    struct compositor_state *s = wl_resource_get_user_data(compositor);
    if (s->surface_count == MAX_SURFACES) {
        wl_client_post_no_memory(client);
        return;
    }
    struct wl_resource *surface =
        wl_resource_create(client, &wl_surface_interface, wl_resource_get_version(compositor), id);
    s->surfaces[s->surface_count].state = s;
    wl_resource_set_implementation(surface, &surface_requests, &s->surfaces[s->surface_count++], NULL);
}

static void on_create_region(struct wl_client *client, struct wl_resource *compositor, uint32_t id)
{
    wl_client_post_no_memory(client); /* no test creates regions */
}

static const struct wl_compositor_interface compositor_requests = {
    .create_surface = on_create_surface,
    .create_region = on_create_region,
};

static void on_bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
    struct wl_resource *compositor = wl_resource_create(client, &wl_compositor_interface, (int)version, id);
    wl_resource_set_implementation(compositor, &compositor_requests, data, NULL);
}

/* -- the thread --------------------------------------------------------------------------------------------------- */

static int on_tick(void *data)
{
    struct compositor_state *s = data;
    release_surplus(s);
    for (uint32_t i = 0; i < s->surface_count; i++) {
        struct wl_resource *due = s->surfaces[i].due;
        if (!due)
            continue;
        wl_callback_send_done(due, 0);
        wl_resource_destroy(due);
    }
    wl_event_source_timer_update(s->clock, (int)s->public->period_ms);
    return 0;
}

static int on_control(int fd, uint32_t mask, void *data)
{
    wl_display_terminate(((struct compositor_state *)data)->display);
    return 0;
}

static void *compositor_main(void *arg)
{
    struct compositor_state *s = arg;
    wl_display_run(s->display);
    wl_display_destroy_clients(s->display);
    for (; s->held_count; s->held_count--, s->held_first = (s->held_first + 1) % MAX_HELD)
        free(s->held[s->held_first].copy);
    return NULL;
}

static void free_state(struct compositor_state *s)
{
    if (s->display)
        wl_display_destroy(s->display);
    free(s);
}

int tiny_compositor_start(struct tiny_compositor *compositor)
{
    struct compositor_state *s = calloc(1, sizeof *s);
    int client_fds[2], control_fds[2];
    if (!s || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, client_fds) ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control_fds))
        return ENOMEM;
    s->public = compositor;
    s->display = wl_display_create();
    struct wl_event_loop *loop = wl_display_get_event_loop(s->display);
    if (compositor->has_shm)
        wl_display_init_shm(s->display);
    tiny_dmabuf_add(s->display, &compositor->dmabuf);
    wl_global_create(s->display, &wl_compositor_interface, 4, s, on_bind);
    s->clock = wl_event_loop_add_timer(loop, on_tick, s);
    if (compositor->period_ms)
        wl_event_source_timer_update(s->clock, (int)compositor->period_ms);
    s->control = wl_event_loop_add_fd(loop, control_fds[0], WL_EVENT_READABLE, on_control, s);
    wl_client_create(s->display, client_fds[0]);
    compositor->client_fd = client_fds[1];
    compositor->control_fd = control_fds[1];
    compositor->state = s;
    return pthread_create(&compositor->thread, NULL, compositor_main, s);
}

void tiny_compositor_stop(struct tiny_compositor *compositor)
{
    (void)!write(compositor->control_fd, "", 1);
    pthread_join(compositor->thread, NULL);
}

void tiny_compositor_finish(struct tiny_compositor *compositor)
{
    struct compositor_state *s = compositor->state;
    wl_event_source_remove(s->control);
    wl_event_source_remove(s->clock);
    free_state(s);
    close(compositor->control_fd);
    free(compositor->pixels);
    compositor->pixels = NULL;
}
