/* SPDX-License-Identifier: MIT
 *
 * An ordinary KMS program on the shim's display, which must behave as a kernel's primary node does, errors included.
 * Each rule of a commit is tested on its own: the correct state is accepted, and the state with just this fault is
 * refused.
 */
#include "node.h"
#include <dlfcn.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <drm_fourcc.h>
#include <xf86drmMode.h>
#include "shim/shim_screen.h"

struct card {
    int fd;
    uint32_t connector, crtc, plane, fb, small_fb, blob;
    drmModeModeInfo mode;
};

/* -- helpers ------------------------------------------------------------------------------------------------------ */

static int open_primary(void)
{
    drmDevicePtr devices[16];
    int count = drmGetDevices2(0, devices, 16), fd = -1;
    for (int i = 0; i < count && fd < 0; i++) {
        if (!(devices[i]->available_nodes & 1 << DRM_NODE_PRIMARY))
            continue;
        fd = open(devices[i]->nodes[DRM_NODE_PRIMARY], O_RDWR | O_CLOEXEC);
        drmVersionPtr version = drmGetVersion(fd);
        if (!version || !strstr(version->desc, "shim")) {
            close(fd);
            fd = -1;
        }
        drmFreeVersion(version);
    }
    if (count > 0)
        drmFreeDevices(devices, count);
    assert_true(fd >= 0);
    return fd;
}

static uint32_t property(const struct card *c, uint32_t object, const char *name)
{
    drmModeObjectProperties *list = drmModeObjectGetProperties(c->fd, object, DRM_MODE_OBJECT_ANY);
    uint32_t id = 0;
    for (uint32_t i = 0; list && i < list->count_props; i++) {
        drmModePropertyRes *p = drmModeGetProperty(c->fd, list->props[i]);
        if (!strcmp(p->name, name))
            id = p->prop_id;
        drmModeFreeProperty(p);
    }
    drmModeFreeObjectProperties(list);
    return id;
}

static uint32_t add_fb(const struct card *c, uint32_t width, uint32_t height, uint32_t color)
{
    struct drm_mode_create_dumb create = {.width = width, .height = height, .bpp = 32};
    assert_int_equal(call(c->fd, DRM_IOCTL_MODE_CREATE_DUMB, &create), 0);
    assert_true(create.pitch >= width * 4 && create.size >= (uint64_t)create.pitch * height);
    struct drm_mode_map_dumb map = {.handle = create.handle};
    assert_int_equal(call(c->fd, DRM_IOCTL_MODE_MAP_DUMB, &map), 0);
    uint32_t *pixels = mmap(NULL, create.size, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, (off_t)map.offset), fb;
    assert_ptr_not_equal(pixels, MAP_FAILED);
    assert_int_equal(pixels[0], 0); /* the kernel clears dumb buffers */
    for (uint64_t i = 0; i < create.size / 4; i++)
        pixels[i] = color;
    munmap(pixels, create.size);
    const uint32_t handles[4] = {create.handle}, pitches[4] = {create.pitch}, offsets[4] = {0};
    assert_int_equal(drmModeAddFB2(c->fd, width, height, DRM_FORMAT_XRGB8888, handles, pitches, offsets, &fb, 0), 0);
    struct drm_mode_destroy_dumb destroy = {.handle = create.handle};
    assert_int_equal(call(c->fd, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy), 0); /* the framebuffer keeps the memory */
    return fb;
}

static void open_card(struct card *c)
{
    *c = (struct card){.fd = open_primary()};
    assert_int_equal(drmSetClientCap(c->fd, DRM_CLIENT_CAP_ATOMIC, 1), 0);
    drmModeRes *resources = drmModeGetResources(c->fd);
    assert_int_equal(resources->count_crtcs, 1);
    assert_int_equal(resources->count_connectors, 1);
    c->crtc = resources->crtcs[0];
    c->connector = resources->connectors[0];
    drmModeFreeResources(resources);
    drmModePlaneRes *planes = drmModeGetPlaneResources(c->fd);
    assert_int_equal(planes->count_planes, 1);
    c->plane = planes->planes[0];
    drmModeFreePlaneResources(planes);
    drmModeConnector *connector = drmModeGetConnector(c->fd, c->connector);
    assert_int_equal(connector->connection, DRM_MODE_CONNECTED);
    c->mode = connector->modes[connector->count_modes - 1];
    drmModeFreeConnector(connector);
    c->fb = add_fb(c, c->mode.hdisplay, c->mode.vdisplay, 0x112233);
    c->small_fb = add_fb(c, 64, 64, 0x445566);
    assert_int_equal(drmModeCreatePropertyBlob(c->fd, &c->mode, sizeof c->mode, &c->blob), 0);
}

static void set(const struct card *c, drmModeAtomicReq *request, uint32_t object, const char *name, uint64_t value)
{
    uint32_t id = property(c, object, name);
    assert_int_not_equal(id, 0);
    assert_true(drmModeAtomicAddProperty(request, object, id, value) >= 0);
}

/* A state that turns everything on, with the framebuffer over the whole mode. Values that are set later replace
 * these. */
static drmModeAtomicReq *good_state(const struct card *c)
{
    drmModeAtomicReq *request = drmModeAtomicAlloc();
    set(c, request, c->connector, "CRTC_ID", c->crtc);
    set(c, request, c->crtc, "MODE_ID", c->blob);
    set(c, request, c->crtc, "ACTIVE", 1);
    set(c, request, c->plane, "FB_ID", c->fb);
    set(c, request, c->plane, "CRTC_ID", c->crtc);
    set(c, request, c->plane, "CRTC_X", 0);
    set(c, request, c->plane, "CRTC_Y", 0);
    set(c, request, c->plane, "CRTC_W", c->mode.hdisplay);
    set(c, request, c->plane, "CRTC_H", c->mode.vdisplay);
    set(c, request, c->plane, "SRC_X", 0);
    set(c, request, c->plane, "SRC_Y", 0);
    set(c, request, c->plane, "SRC_W", (uint64_t)c->mode.hdisplay << 16);
    set(c, request, c->plane, "SRC_H", (uint64_t)c->mode.vdisplay << 16);
    return request;
}

static int commit(const struct card *c, drmModeAtomicReq *request, uint32_t flags)
{
    int err = drmModeAtomicCommit(c->fd, request, flags, (void *)0x1234);
    drmModeAtomicFree(request);
    return err;
}

static void turn_on(const struct card *c)
{
    assert_int_equal(commit(c, good_state(c), DRM_MODE_ATOMIC_ALLOW_MODESET), 0);
}

/* Lets a second pass between two vertical blanks, so that a loaded machine makes two calls between them, too. */
static void slow_down(struct card *c)
{
    c->mode.clock = c->mode.htotal * c->mode.vtotal / 1000u; /* kHz */
    assert_int_equal(drmModeCreatePropertyBlob(c->fd, &c->mode, sizeof c->mode, &c->blob), 0);
}

static struct vc4_shim_screen read_screen_state(uint32_t *first_out)
{
    static uint32_t pixels[2048 * 2048];
    vc4_shim_read_screen_fn read_screen = (vc4_shim_read_screen_fn)dlsym(RTLD_DEFAULT, "vc4_shim_read_screen");
    assert_non_null(read_screen);
    struct vc4_shim_screen screen;
    read_screen(&screen, pixels, 2048 * 2048);
    *first_out = pixels[0];
    return screen;
}

/* -- commits ------------------------------------------------------------------------------------------------------ */

static void a_state_is_shown(void **state)
{
    struct card c;
    uint32_t first;
    open_card(&c);
    assert_int_equal(commit(&c, good_state(&c), DRM_MODE_ATOMIC_ALLOW_MODESET | DRM_MODE_ATOMIC_TEST_ONLY), 0);
    assert_false(read_screen_state(&first).is_on); /* TEST_ONLY changes nothing */
    turn_on(&c);
    struct vc4_shim_screen screen = read_screen_state(&first);
    assert_true(screen.is_on);
    assert_int_equal(screen.width_px, c.mode.hdisplay);
    assert_int_equal(first, 0x112233);
    drmModeCrtc *crtc = drmModeGetCrtc(c.fd, c.crtc);
    assert_true(crtc->mode_valid);
    assert_int_equal(crtc->buffer_id, c.fb);
    assert_memory_equal(&crtc->mode, &c.mode, sizeof c.mode);
    drmModeFreeCrtc(crtc);
    assert_int_equal(drmModeRmFB(c.fd, c.fb), 0); /* also turns the CRTC off */
    assert_false(read_screen_state(&first).is_on);
    close(c.fd);
}

struct fault {
    const char *object, *name;
    uint64_t value;
    int err;
};

static uint32_t object_of(const struct card *c, const char *name)
{
    return !strcmp(name, "plane") ? c->plane : !strcmp(name, "crtc") ? c->crtc : c->connector;
}

static void states_with_a_fault_are_refused(void **state)
{
    struct card c;
    open_card(&c);
    const uint64_t too_wide = (uint64_t)(c.mode.hdisplay + 1) << 16;
    const struct fault faults[] = {
        {"crtc", "ACTIVE", 2, -EINVAL},
        {"crtc", "MODE_ID", 0, -EINVAL},          /* active without a mode */
        {"crtc", "MODE_ID", 99999, -EINVAL},      /* no such blob */
        {"connector", "CRTC_ID", 0, -EINVAL},     /* a CRTC without connectors */
        {"connector", "CRTC_ID", 12345, -EINVAL}, /* no such CRTC */
        {"plane", "FB_ID", 0, -EINVAL},           /* a CRTC without a framebuffer */
        {"plane", "FB_ID", 12345, -EINVAL},       /* no such framebuffer */
        {"plane", "CRTC_ID", 0, -EINVAL},         /* a framebuffer without a CRTC */
        {"plane", "FB_ID", c.small_fb, -ENOSPC},  /* source beyond the framebuffer's edge */
        {"plane", "SRC_W", too_wide, -ENOSPC},    /* likewise */
        {"plane", "SRC_X", 1 << 16, -ENOSPC},     /* likewise */
        {"plane", "CRTC_W", 32, -ERANGE},         /* scaled */
        {"plane", "CRTC_W", UINT64_C(1) << 31, -EINVAL},
        {"plane", "CRTC_X", UINT64_C(1) << 40, -EINVAL},
        {"plane", "type", 1, -EINVAL}, /* immutable */
    };
    for (uint32_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        drmModeAtomicReq *request = good_state(&c);
        set(&c, request, object_of(&c, faults[i].object), faults[i].name, faults[i].value);
        int err = commit(&c, request, DRM_MODE_ATOMIC_ALLOW_MODESET);
        if (err != faults[i].err)
            fail_msg("%s %s = %llu: %d, not %d", faults[i].object, faults[i].name, (unsigned long long)faults[i].value,
                     err, faults[i].err);
    }
    turn_on(&c);
    close(c.fd);
}

static void blob_must_be_a_mode(void **state)
{
    struct card c;
    open_card(&c);
    uint32_t shorter, zero;
    drmModeModeInfo no_clock = c.mode;
    no_clock.clock = 0;
    assert_int_equal(drmModeCreatePropertyBlob(c.fd, &c.mode, sizeof c.mode - 1, &shorter), 0);
    assert_int_equal(drmModeCreatePropertyBlob(c.fd, &no_clock, sizeof no_clock, &zero), 0);
    for (uint32_t i = 0; i < 2; i++) {
        drmModeAtomicReq *request = good_state(&c);
        set(&c, request, c.crtc, "MODE_ID", i ? zero : shorter);
        assert_int_equal(commit(&c, request, DRM_MODE_ATOMIC_ALLOW_MODESET), -EINVAL);
    }
    assert_int_equal(drmModeDestroyPropertyBlob(c.fd, 99999), -ENOENT);
    assert_int_equal(drmModeDestroyPropertyBlob(c.fd, zero), 0);
    assert_int_equal(drmModeDestroyPropertyBlob(c.fd, zero), -ENOENT);
    close(c.fd);
}

static void flags_are_looked_at(void **state)
{
    struct card c;
    open_card(&c);
    assert_int_equal(commit(&c, good_state(&c), 0), -EINVAL); /* a mode must be set first */
    turn_on(&c);
    assert_int_equal(commit(&c, good_state(&c), 0), 0);
    assert_int_equal(commit(&c, good_state(&c), DRM_MODE_PAGE_FLIP_ASYNC), -EINVAL);
    assert_int_equal(commit(&c, good_state(&c), DRM_MODE_ATOMIC_TEST_ONLY | DRM_MODE_PAGE_FLIP_EVENT), -EINVAL);
    assert_int_equal(commit(&c, good_state(&c), 1 << 20), -EINVAL);
    assert_int_equal(drmSetClientCap(c.fd, DRM_CLIENT_CAP_ATOMIC, 0), 0);
    drmModeAtomicReq *request = drmModeAtomicAlloc();
    drmModeAtomicAddProperty(request, c.plane, 43, c.fb);
    assert_int_equal(commit(&c, request, 0), -EINVAL); /* the client has not enabled the atomic capability */
    assert_int_equal(property(&c, c.crtc, "ACTIVE"), 0);
    close(c.fd);
}

/* -- flips -------------------------------------------------------------------------------------------------------- */

static struct drm_event_vblank read_event(int fd)
{
    struct drm_event_vblank event = {0};
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&poll_fd, 1, 5000), 1);
    assert_int_equal(read(fd, &event, sizeof event), sizeof event);
    assert_int_equal(event.base.type, DRM_EVENT_FLIP_COMPLETE);
    return event;
}

static void flips_wait_for_the_vertical_blank(void **state)
{
    struct card c;
    open_card(&c);
    turn_on(&c);
    struct pollfd poll_fd = {.fd = c.fd, .events = POLLIN};
    assert_int_equal(poll(&poll_fd, 1, 0), 0);
    uint32_t before = 0;
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(commit(&c, good_state(&c), DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_PAGE_FLIP_EVENT), 0);
        struct drm_event_vblank event = read_event(c.fd);
        assert_int_equal(event.user_data, 0x1234);
        assert_int_equal(event.crtc_id, c.crtc);
        assert_true(!i || event.sequence > before);
        before = event.sequence;
    }
    assert_int_equal(poll(&poll_fd, 1, 0), 0);
    slow_down(&c);
    turn_on(&c);
    assert_int_equal(commit(&c, good_state(&c), DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_PAGE_FLIP_EVENT), 0);
    assert_int_equal(commit(&c, good_state(&c), DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_PAGE_FLIP_EVENT), -EBUSY);
    assert_int_equal(read_event(c.fd).user_data, 0x1234);
    assert_int_equal(poll(&poll_fd, 1, 0), 0);
    close(c.fd);
}

static void older_calls(void **state)
{
    struct card c;
    uint32_t first;
    open_card(&c);
    slow_down(&c);
    uint32_t other = add_fb(&c, c.mode.hdisplay, c.mode.vdisplay, 0x778899);
    assert_int_equal(drmModePageFlip(c.fd, c.crtc, other, DRM_MODE_PAGE_FLIP_EVENT, NULL), -EBUSY); /* nothing is on */
    assert_int_equal(drmModeSetCrtc(c.fd, c.crtc, c.small_fb, 0, 0, &c.connector, 1, &c.mode), -ENOSPC);
    assert_int_equal(drmModeSetCrtc(c.fd, c.crtc, c.fb, 0, 0, NULL, 0, &c.mode), -EINVAL);
    assert_int_equal(drmModeSetCrtc(c.fd, 12345, c.fb, 0, 0, &c.connector, 1, &c.mode), -ENOENT);
    assert_int_equal(drmModeSetCrtc(c.fd, c.crtc, 12345, 0, 0, &c.connector, 1, &c.mode), -ENOENT);
    assert_int_equal(drmModeSetCrtc(c.fd, c.crtc, c.fb, 0, 0, &c.connector, 1, &c.mode), 0);
    assert_int_equal(drmModePageFlip(c.fd, c.crtc, c.small_fb, DRM_MODE_PAGE_FLIP_EVENT, NULL), -ENOSPC);
    assert_int_equal(drmModePageFlip(c.fd, c.crtc, other, DRM_MODE_PAGE_FLIP_ASYNC, NULL), -EINVAL);
    assert_int_equal(drmModePageFlip(c.fd, c.crtc, other, DRM_MODE_PAGE_FLIP_EVENT, (void *)7), 0);
    assert_int_equal(drmModePageFlip(c.fd, c.crtc, other, DRM_MODE_PAGE_FLIP_EVENT, NULL), -EBUSY);
    assert_int_equal(read_event(c.fd).user_data, 7);
    read_screen_state(&first);
    assert_int_equal(first, 0x778899);
    assert_int_equal(drmModeSetCrtc(c.fd, c.crtc, 0, 0, 0, NULL, 0, NULL), 0);
    assert_false(read_screen_state(&first).is_on);
    close(c.fd);
}

/* -- buffers and masters ------------------------------------------------------------------------------------------ */

static void framebuffers_fit_their_buffers(void **state)
{
    struct card c;
    open_card(&c);
    struct drm_mode_create_dumb create = {.width = 64, .height = 64, .bpp = 32};
    assert_int_equal(call(c.fd, DRM_IOCTL_MODE_CREATE_DUMB, &create), 0);
    struct drm_mode_fb_cmd2 good = {.width = 64,
                                    .height = 64,
                                    .pixel_format = DRM_FORMAT_XRGB8888,
                                    .handles = {create.handle},
                                    .pitches = {create.pitch}};
    struct drm_mode_fb_cmd2 bad[7] = {good, good, good, good, good, good, good};
    bad[0].height = 65;
    bad[1].pitches[0] = 64 * 4 - 1;
    bad[2].handles[0] = 777;
    bad[3].pixel_format = DRM_FORMAT_NV12;
    bad[4].width = 4096;
    bad[5].offsets[0] = 4;
    bad[6].modifier[0] = 1;
    assert_int_equal(call(c.fd, DRM_IOCTL_MODE_ADDFB2, &good), 0);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(call(c.fd, DRM_IOCTL_MODE_ADDFB2, &bad[i]), i == 2 ? -ENOENT : -EINVAL);
    assert_int_equal(drmModeRmFB(c.fd, good.fb_id), 0);
    assert_int_equal(drmModeRmFB(c.fd, good.fb_id), -ENOENT);
    close(c.fd);
}

static void one_file_is_master(void **state)
{
    struct card c;
    open_card(&c);
    turn_on(&c);
    int other = open_primary();
    assert_true(drmIsMaster(c.fd));
    assert_false(drmIsMaster(other));
    assert_int_equal(drmSetMaster(other), -1);
    assert_int_equal(errno, EACCES); /* it never was */
    assert_int_equal(drmModeSetCrtc(other, c.crtc, 0, 0, 0, NULL, 0, NULL), -EACCES);
    assert_int_equal(drmModeRmFB(other, c.fb), -ENOENT); /* it belongs to another file */
    assert_int_equal(drmDropMaster(c.fd), 0);
    assert_int_equal(drmDropMaster(c.fd), -1);
    assert_int_equal(commit(&c, good_state(&c), 0), -EACCES);
    int third = open_primary();
    assert_true(drmIsMaster(third)); /* no file was master */
    assert_int_equal(drmSetMaster(c.fd), -1);
    assert_int_equal(errno, EBUSY);
    close(third);
    assert_int_equal(drmSetMaster(c.fd), 0);
    assert_int_equal(commit(&c, good_state(&c), 0), 0);
    close(other);
    close(c.fd);
}

/* -- the display itself ------------------------------------------------------------------------------------------- */

static struct drm_crtc_get_sequence sequence_of(const struct card *c)
{
    struct drm_crtc_get_sequence sequence = {.crtc_id = c->crtc};
    assert_int_equal(call(c->fd, DRM_IOCTL_CRTC_GET_SEQUENCE, &sequence), 0);
    return sequence;
}

static void display_is_turned_off_and_on(void **state)
{
    struct card c;
    uint32_t first;
    open_card(&c);
    const uint32_t dpms = property(&c, c.connector, "DPMS"), link = property(&c, c.connector, "link-status");
    struct drm_crtc_get_sequence sequence = {.crtc_id = c.crtc};
    assert_int_equal(call(c.fd, DRM_IOCTL_CRTC_GET_SEQUENCE, &sequence), -EINVAL); /* no vertical blank while the CRTC
                                                                                    * is off */
    turn_on(&c);
    const uint64_t before = sequence_of(&c).sequence;
    assert_int_equal(drmModeConnectorSetProperty(c.fd, c.connector, dpms, DRM_MODE_DPMS_OFF), 0);
    assert_false(read_screen_state(&first).is_on);
    assert_int_equal(call(c.fd, DRM_IOCTL_CRTC_GET_SEQUENCE, &sequence), -EINVAL);
    assert_int_equal(drmModeConnectorSetProperty(c.fd, c.connector, dpms, DRM_MODE_DPMS_ON), 0);
    assert_true(read_screen_state(&first).is_on);
    assert_int_equal(first, 0x112233); /* the framebuffer is still shown */
    assert_true(sequence_of(&c).sequence >= before);
    assert_int_equal(drmModeConnectorSetProperty(c.fd, c.connector, dpms, 4), -EINVAL);
    assert_int_equal(drmModeConnectorSetProperty(c.fd, c.connector, 12345, 0), -ENOENT);
    assert_int_equal(drmModeConnectorSetProperty(c.fd, c.plane, dpms, 0), -ENOENT);
    assert_int_equal(drmModeConnectorSetProperty(c.fd, c.connector, link, 0), 0);
    assert_int_equal(drmDropMaster(c.fd), 0);
    assert_int_equal(drmModeConnectorSetProperty(c.fd, c.connector, dpms, 0), -EACCES);
    close(c.fd);
}

static int open_uevents(void)
{
    const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK, .nl_groups = 1};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&kernel, sizeof kernel), 0);
    assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    return fd;
}

static bool says(const char *message, ssize_t size_B, const char *line)
{
    for (const char *at = message; at < message + size_B; at += strlen(at) + 1)
        if (!strcmp(at, line))
            return true;
    return false;
}

static void plug_is_announced(void **state)
{
    vc4_shim_plug_fn plug = (vc4_shim_plug_fn)dlsym(RTLD_DEFAULT, "vc4_shim_plug");
    assert_non_null(plug);
    const int card = open_primary(), gone = open_uevents(), fd = open_uevents();
    char message[1024];
    close(gone); /* a closed listener must not block the sender */
    assert_int_equal(recv(fd, message, sizeof message, 0), -1);
    assert_int_equal(errno, EAGAIN);
    plug(true); /* it is plugged in already */
    assert_int_equal(recv(fd, message, sizeof message, 0), -1);
    for (uint32_t i = 0; i < 2; i++) {
        plug(i);
        struct sockaddr_nl sender = {0};
        socklen_t sender_B = sizeof sender;
        ssize_t size_B = recvfrom(fd, message, sizeof message, 0, (struct sockaddr *)&sender, &sender_B);
        assert_true(size_B > 0 && !message[size_B - 1]);
        assert_int_equal(sender_B, sizeof sender);
        assert_int_equal(sender.nl_family, AF_NETLINK);
        assert_int_equal(sender.nl_pid, 0); /* the kernel */
        struct stat st;
        char line[32];
        assert_int_equal(fstat(card, &st), 0);
        snprintf(line, sizeof line, "MINOR=%u", minor(st.st_rdev));
        assert_true(says(message, size_B, line));
        assert_true(says(message, size_B, "MAJOR=226"));
        assert_true(says(message, size_B, "SUBSYSTEM=drm"));
        assert_true(says(message, size_B, "HOTPLUG=1"));
        assert_int_equal(strncmp(message, "change@/devices/", 16), 0);
    }
    close(fd);
    close(card);
}

static void render_nodes_have_no_display(void **state)
{
    int fd = open_node();
    assert_null(drmModeGetResources(fd));
    assert_int_equal(errno, EACCES);
    struct drm_mode_create_dumb create = {.width = 64, .height = 64, .bpp = 32};
    assert_int_equal(call(fd, DRM_IOCTL_MODE_CREATE_DUMB, &create), -EACCES);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_shown),
        cmocka_unit_test(states_with_a_fault_are_refused),
        cmocka_unit_test(blob_must_be_a_mode),
        cmocka_unit_test(flags_are_looked_at),
        cmocka_unit_test(flips_wait_for_the_vertical_blank),
        cmocka_unit_test(older_calls),
        cmocka_unit_test(framebuffers_fit_their_buffers),
        cmocka_unit_test(one_file_is_master),
        cmocka_unit_test(display_is_turned_off_and_on),
        cmocka_unit_test(plug_is_announced),
        cmocka_unit_test(render_nodes_have_no_display),
    };
    return cmocka_run_group_tests_name("kms", tests, NULL, NULL);
}
