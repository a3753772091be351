/* SPDX-License-Identifier: MIT
 *
 * The primary node: the table of its ioctls beyond the render node's, DRM master, resources, and the legacy calls,
 * which are translated to atomic commits. See shim_kms.h.
 */
#include <errno.h>
#include "shim/shim_kms.h"

#define MODE(name_, clock_, h0, h1, h2, h3, v0, v1, v2, v3, hz, sync, kind)                                            \
    {                                                                                                                  \
        .clock = clock_, .hdisplay = h0, .hsync_start = h1, .hsync_end = h2, .htotal = h3, .vdisplay = v0,             \
        .vsync_start = v1, .vsync_end = v2, .vtotal = v3, .vrefresh = hz, .flags = sync,                               \
        .type = DRM_MODE_TYPE_DRIVER | (kind), .name = name_                                                           \
    }
#define POSITIVE (DRM_MODE_FLAG_PHSYNC | DRM_MODE_FLAG_PVSYNC)
#define NEGATIVE (DRM_MODE_FLAG_NHSYNC | DRM_MODE_FLAG_NVSYNC)

/* [CTA-861, VESA DMT] */
const struct drm_mode_modeinfo shim_kms_modes[] = {
    MODE("1280x720", 74250, 1280, 1390, 1430, 1650, 720, 725, 730, 750, 60, POSITIVE, DRM_MODE_TYPE_PREFERRED),
    MODE("1920x1080", 148500, 1920, 2008, 2052, 2200, 1080, 1084, 1089, 1125, 60, POSITIVE, 0),
    MODE("1024x768", 65000, 1024, 1048, 1184, 1344, 768, 771, 777, 806, 60, NEGATIVE, 0),
    MODE("800x600", 40000, 800, 840, 968, 1056, 600, 601, 605, 628, 60, POSITIVE, 0),
    MODE("640x480", 31500, 640, 664, 704, 832, 480, 489, 492, 520, 73, NEGATIVE, 0),
    MODE("640x480", 25175, 640, 656, 752, 800, 480, 490, 492, 525, 60, NEGATIVE, 0),
};
const uint32_t shim_kms_mode_count = ARRAY_SIZE(shim_kms_modes);

int shim_kms_get_cap(struct drm_get_cap *args)
{
    if (shim_kms_display_is("none"))
        return -EOPNOTSUPP;
    switch (args->capability) {
    case DRM_CAP_DUMB_BUFFER:
    case DRM_CAP_VBLANK_HIGH_CRTC:
    case DRM_CAP_ADDFB2_MODIFIERS:
    case DRM_CAP_CRTC_IN_VBLANK_EVENT:
        args->value = 1;
        return 0;
    case DRM_CAP_DUMB_PREFERRED_DEPTH:
        args->value = 24;
        return 0;
    case DRM_CAP_CURSOR_WIDTH:
    case DRM_CAP_CURSOR_HEIGHT:
        args->value = 64;
        return 0;
    case DRM_CAP_DUMB_PREFER_SHADOW:
    case DRM_CAP_ASYNC_PAGE_FLIP:
    case DRM_CAP_PAGE_FLIP_TARGET:
    case 0x15: /* DRM_CAP_ATOMIC_ASYNC_PAGE_FLIP, in newer headers */
        args->value = 0;
        return 0;
    default:
        return -EINVAL;
    }
}

/* -- master ------------------------------------------------------------------------------------------------------- */

static int set_master(struct shim_file *file, void *arg)
{
    if (!file->was_master)
        return -EACCES; /* the kernel would make an exception for a superuser */
    if (shim_kms.master == file)
        return 0;
    if (shim_kms.is_taken || shim_kms.master)
        return -EBUSY;
    shim_kms.master = file;
    return 0;
}

static int drop_master(struct shim_file *file, void *arg)
{
    if (!file->was_master)
        return -EACCES;
    if (shim_kms.master != file)
        return -EINVAL;
    shim_kms.master = NULL;
    return 0;
}

void shim_kms_lock(void)
{
    pthread_mutex_lock(&shim_kms.lock);
}

void shim_kms_unlock(void)
{
    pthread_mutex_unlock(&shim_kms.lock);
}

/* The first file to be opened becomes master. */
void shim_kms_open(struct shim_file *file)
{
    static bool is_open;
    if (!file->is_primary)
        return;
    shim_kms_lock();
    if (!is_open)
        shim_kms.is_unplugged |= shim_kms_display_is("unplugged");
    is_open = true;
    if (!shim_kms.master && !shim_kms.is_taken) {
        shim_kms.master = file;
        file->was_master = true;
    }
    shim_kms_unlock();
}

static int remove_fb(struct shim_file *file, uint32_t id)
{
    struct shim_kms_fb *fb = shim_kms_find_fb(id);
    if (!fb || fb->owner != file)
        return -ENOENT;
    shim_kms_disable_fb(id);
    fb = shim_kms_find_fb(id); /* look it up again: the lock was released during the wait */
    if (fb)
        shim_kms_free_fb(fb);
    return 0;
}

void shim_kms_close(struct shim_file *file)
{
    if (!file->is_primary)
        return;
    shim_kms_lock();
    shim_kms_wait_shown();
    util_list_for_each_safe(struct shim_kms_fb, fb, &shim_kms.fbs, link)
        if (fb->owner == file)
            (void)remove_fb(file, fb->id);
    util_list_for_each(struct shim_kms_blob, blob, &shim_kms.blobs, link)
        if (blob->owner == file)
            blob->owner = NULL;
    shim_kms_collect_blobs();
    if (shim_kms.event.file == file)
        shim_kms.event.file = NULL;
    if (shim_kms.master == file)
        shim_kms.master = NULL;
    shim_kms_unlock();
}

/* The child starts with a display of its own that no file has opened. */
void shim_kms_after_fork(void)
{
    util_list_init(&shim_kms.fbs);
    util_list_init(&shim_kms.blobs);
    shim_kms.master = NULL;
    shim_kms.state = shim_kms.shown = (struct shim_kms_state){0};
    shim_kms.shown_fb = 0;
    shim_kms.period_ns = 0;
    shim_kms.is_pending = shim_kms.has_thread = false;
    shim_kms.event.file = NULL;
}

void shim_kms_finish(void)
{
    shim_kms_lock();
    shim_kms_dump_screen();
    shim_kms_unlock();
}

/* -- resources ---------------------------------------------------------------------------------------------------- */

static int set_client_cap(struct shim_file *file, void *arg)
{
    const struct drm_set_client_cap *args = arg;
    switch (args->capability) {
    case DRM_CLIENT_CAP_UNIVERSAL_PLANES:
        if (args->value > 1)
            return -EINVAL;
        file->sees_planes = args->value;
        return 0;
    case DRM_CLIENT_CAP_ATOMIC:
        if (shim_kms_display_is("legacy"))
            return -EOPNOTSUPP;
        if (args->value > 1)
            return -EINVAL;
        file->is_atomic = file->sees_planes = args->value;
        return 0;
    case DRM_CLIENT_CAP_ASPECT_RATIO:
    case DRM_CLIENT_CAP_STEREO_3D:
        return args->value > 1 ? -EINVAL : 0;
    default:
        return -EINVAL;
    }
}

static int get_resources(struct shim_file *file, void *arg)
{
    struct drm_mode_card_res *args = arg;
    static const uint32_t connector = SHIM_KMS_CONNECTOR, encoder = SHIM_KMS_ENCODER, crtc = SHIM_KMS_CRTC;
    uint32_t fbs[16], fb_count = 0;
    util_list_for_each(struct shim_kms_fb, fb, &shim_kms.fbs, link)
        if (fb->owner == file && fb_count < ARRAY_SIZE(fbs))
            fbs[fb_count++] = fb->id;
    shim_kms_copy_array(args->fb_id_ptr, &args->count_fbs, fbs, fb_count, sizeof fbs[0]);
    shim_kms_copy_array(args->crtc_id_ptr, &args->count_crtcs, &crtc, 1, sizeof crtc);
    shim_kms_copy_array(args->connector_id_ptr, &args->count_connectors, &connector, 1, sizeof connector);
    shim_kms_copy_array(args->encoder_id_ptr, &args->count_encoders, &encoder, 1, sizeof encoder);
    args->min_width = args->min_height = 0;
    args->max_width = args->max_height = SHIM_KMS_MAX_PX;
    return 0;
}

static int get_connector(struct shim_file *file, void *arg)
{
    struct drm_mode_get_connector *args = arg;
    static const uint32_t encoder = SHIM_KMS_ENCODER;
    if (args->connector_id != SHIM_KMS_CONNECTOR)
        return -ENOENT;
    struct drm_mode_obj_get_properties properties = {
        .props_ptr = args->props_ptr,
        .prop_values_ptr = args->prop_values_ptr,
        .count_props = args->count_props,
        .obj_id = SHIM_KMS_CONNECTOR,
        .obj_type = DRM_MODE_OBJECT_CONNECTOR,
    };
    (void)shim_kms_get_properties(file, &properties);
    args->count_props = properties.count_props;
    const bool is_plugged = !shim_kms.is_unplugged;
    shim_kms_copy_array(args->encoders_ptr, &args->count_encoders, &encoder, 1, sizeof encoder);
    shim_kms_copy_array(args->modes_ptr, &args->count_modes, shim_kms_modes, is_plugged ? shim_kms_mode_count : 0,
                        sizeof shim_kms_modes[0]);
    args->encoder_id = shim_kms.state.connector_crtc ? SHIM_KMS_ENCODER : 0;
    args->connector_type = DRM_MODE_CONNECTOR_HDMIA;
    args->connector_type_id = 1;
    args->connection = is_plugged ? 1 : 2; /* connected, disconnected */
    args->mm_width = is_plugged ? 510 : 0;
    args->mm_height = is_plugged ? 290 : 0;
    args->subpixel = 1; /* unknown */
    return 0;
}

static int get_encoder(struct shim_file *file, void *arg)
{
    struct drm_mode_get_encoder *args = arg;
    if (args->encoder_id != SHIM_KMS_ENCODER)
        return -ENOENT;
    args->encoder_type = DRM_MODE_ENCODER_TMDS;
    args->crtc_id = shim_kms.state.connector_crtc;
    args->possible_crtcs = 1;
    args->possible_clones = 1;
    return 0;
}

static int get_plane_resources(struct shim_file *file, void *arg)
{
    struct drm_mode_get_plane_res *args = arg;
    static const uint32_t plane = SHIM_KMS_PLANE;
    shim_kms_copy_array(args->plane_id_ptr, &args->count_planes, &plane, file->sees_planes, sizeof plane);
    return 0;
}

static int get_plane(struct shim_file *file, void *arg)
{
    struct drm_mode_get_plane *args = arg;
    static const uint32_t formats[] = {0x34325258 /* XR24 */, 0x34325241 /* AR24 */};
    if (args->plane_id != SHIM_KMS_PLANE)
        return -ENOENT;
    args->crtc_id = shim_kms.state.plane_crtc;
    args->fb_id = shim_kms.state.plane_fb;
    args->possible_crtcs = 1;
    args->gamma_size = 0;
    shim_kms_copy_array(args->format_type_ptr, &args->count_format_types, formats, ARRAY_SIZE(formats),
                        sizeof formats[0]);
    return 0;
}

/* -- legacy calls ------------------------------------------------------------------------------------------------- */

static int get_crtc(struct shim_file *file, void *arg)
{
    struct drm_mode_crtc *args = arg;
    const struct shim_kms_state *s = &shim_kms.state;
    if (args->crtc_id != SHIM_KMS_CRTC)
        return -ENOENT;
    args->x = s->src_x >> 16;
    args->y = s->src_y >> 16;
    args->fb_id = s->plane_fb;
    args->gamma_size = 256;
    args->mode_valid = s->has_mode;
    args->mode = s->mode;
    return 0;
}

/* [kernel drm_crtc.c drm_mode_setcrtc] */
static int set_crtc(struct shim_file *file, void *arg)
{
    const struct drm_mode_crtc *args = arg;
    const uint32_t *connectors = (const uint32_t *)(uintptr_t)args->set_connectors_ptr;
    struct shim_kms_state next = {0};
    if (args->crtc_id != SHIM_KMS_CRTC)
        return -ENOENT;
    if (!args->mode_valid)
        return args->count_connectors
                   ? -EINVAL
                   : shim_kms_commit(&next, DRM_MODE_ATOMIC_ALLOW_MODESET, (struct shim_kms_event){0});
    if (args->count_connectors != 1)
        return -EINVAL;
    if (connectors[0] != SHIM_KMS_CONNECTOR)
        return -ENOENT;
    const struct shim_kms_fb *fb = shim_kms_find_fb(args->fb_id == UINT32_MAX ? shim_kms.state.plane_fb : args->fb_id);
    if (!fb)
        return args->fb_id == UINT32_MAX ? -EINVAL : -ENOENT;
    next = (struct shim_kms_state){
        .has_mode = true,
        .is_active = true,
        .mode = args->mode,
        .connector_crtc = SHIM_KMS_CRTC,
        .plane_fb = fb->id,
        .plane_crtc = SHIM_KMS_CRTC,
        .crtc_w = args->mode.hdisplay,
        .crtc_h = args->mode.vdisplay,
        .src_x = args->x << 16,
        .src_y = args->y << 16,
        .src_w = (uint32_t)args->mode.hdisplay << 16,
        .src_h = (uint32_t)args->mode.vdisplay << 16,
    };
    if (!args->mode.clock || !args->mode.htotal || !args->mode.vtotal)
        return -EINVAL;
    int err = shim_kms_create_blob(NULL, &next.mode, sizeof next.mode, &next.mode_blob);
    if (!err)
        err = shim_kms_commit(&next, DRM_MODE_ATOMIC_ALLOW_MODESET, (struct shim_kms_event){0});
    shim_kms_collect_blobs();
    return err;
}

/* [kernel drm_plane.c drm_mode_page_flip_ioctl] */
static int page_flip(struct shim_file *file, void *arg)
{
    const struct drm_mode_crtc_page_flip *args = arg;
    struct shim_kms_state next = shim_kms.state;
    if (args->flags & ~(uint32_t)DRM_MODE_PAGE_FLIP_FLAGS || args->reserved ||
        args->flags & (DRM_MODE_PAGE_FLIP_ASYNC | DRM_MODE_PAGE_FLIP_TARGET))
        return -EINVAL;
    if (args->crtc_id != SHIM_KMS_CRTC)
        return -ENOENT;
    const struct shim_kms_fb *now = shim_kms_find_fb(next.plane_fb), *fb = shim_kms_find_fb(args->fb_id);
    if (!now)
        return -EBUSY; /* no framebuffer is shown that could be replaced */
    if (!fb)
        return -ENOENT;
    if (fb->format != now->format)
        return -EINVAL;
    next.plane_fb = fb->id;
    bool wants_event = args->flags & DRM_MODE_PAGE_FLIP_EVENT;
    return shim_kms_commit(&next, DRM_MODE_ATOMIC_NONBLOCK,
                           (struct shim_kms_event){wants_event ? file : NULL, args->user_data});
}

/* -- dispatch ----------------------------------------------------------------------------------------------------- */

static int auth_magic(struct shim_file *file, void *arg)
{
    return -EINVAL; /* no client ever gets a magic to authenticate */
}

static int rm_fb(struct shim_file *file, void *arg)
{
    return remove_fb(file, *(const unsigned *)arg);
}

static int create_blob(struct shim_file *file, void *arg)
{
    struct drm_mode_create_blob *args = arg;
    return shim_kms_create_blob(file, (const void *)(uintptr_t)args->data, args->length, &args->blob_id);
}

static int destroy_blob(struct shim_file *file, void *arg)
{
    return shim_kms_destroy_blob(file, ((const struct drm_mode_destroy_blob *)arg)->blob_id);
}

static int destroy_dumb(struct shim_file *file, void *arg)
{
    struct drm_gem_close gem_close = {.handle = ((const struct drm_mode_destroy_dumb *)arg)->handle};
    return model_ioctl(file->model, DRM_IOCTL_GEM_CLOSE, &gem_close);
}

/* Requests that change the display need DRM master. */
enum { ANY, MASTER };

static const struct {
    unsigned long request;
    int access;
    int (*serve)(struct shim_file *file, void *arg);
} requests[] = {
    {DRM_IOCTL_SET_MASTER, ANY, set_master},
    {DRM_IOCTL_DROP_MASTER, ANY, drop_master},
    {DRM_IOCTL_AUTH_MAGIC, MASTER, auth_magic},
    {DRM_IOCTL_CRTC_GET_SEQUENCE, ANY, shim_kms_get_sequence},
    {DRM_IOCTL_SET_CLIENT_CAP, ANY, set_client_cap},
    {DRM_IOCTL_MODE_GETRESOURCES, ANY, get_resources},
    {DRM_IOCTL_MODE_GETCRTC, ANY, get_crtc},
    {DRM_IOCTL_MODE_SETCRTC, MASTER, set_crtc},
    {DRM_IOCTL_MODE_GETENCODER, ANY, get_encoder},
    {DRM_IOCTL_MODE_GETCONNECTOR, ANY, get_connector},
    {DRM_IOCTL_MODE_GETPROPERTY, ANY, shim_kms_get_property},
    {DRM_IOCTL_MODE_SETPROPERTY, MASTER, shim_kms_set_property},
    {DRM_IOCTL_MODE_GETPROPBLOB, ANY, shim_kms_get_blob},
    {DRM_IOCTL_MODE_ADDFB, ANY, shim_kms_add_fb},
    {DRM_IOCTL_MODE_ADDFB2, ANY, shim_kms_add_fb2},
    {DRM_IOCTL_MODE_RMFB, ANY, rm_fb},
    {DRM_IOCTL_MODE_PAGE_FLIP, MASTER, page_flip},
    {DRM_IOCTL_MODE_CREATE_DUMB, ANY, shim_kms_create_dumb},
    {DRM_IOCTL_MODE_MAP_DUMB, ANY, shim_kms_map_dumb},
    {DRM_IOCTL_MODE_DESTROY_DUMB, ANY, destroy_dumb},
    {DRM_IOCTL_MODE_GETPLANERESOURCES, ANY, get_plane_resources},
    {DRM_IOCTL_MODE_GETPLANE, ANY, get_plane},
    {DRM_IOCTL_MODE_OBJ_GETPROPERTIES, ANY, shim_kms_get_properties},
    {DRM_IOCTL_MODE_ATOMIC, MASTER, shim_kms_atomic},
    {DRM_IOCTL_MODE_CREATEPROPBLOB, ANY, create_blob},
    {DRM_IOCTL_MODE_DESTROYPROPBLOB, ANY, destroy_blob},
};

unsigned long shim_kms_request(unsigned number)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(requests); i++)
        if (_IOC_NR(requests[i].request) == number)
            return requests[i].request;
    return 0;
}

static int serve_locked(struct shim_file *file, unsigned long request, void *arg)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(requests); i++)
        if (requests[i].request == request)
            return requests[i].access == MASTER && shim_kms.master != file ? -EACCES : requests[i].serve(file, arg);
    return -EINVAL;
}

int shim_kms_ioctl(struct shim_file *file, unsigned long request, void *arg)
{
    shim_kms_lock();
    int err = serve_locked(file, request, arg);
    shim_kms_unlock();
    return err;
}
