/* SPDX-License-Identifier: MIT
 *
 * KMS devices: enumeration of their resources, open files and the DRM master role. Buffers are in vc4vk_kms_buffer.c,
 * commits and flips in vc4vk_kms_output.c, vertical blanks and hot-plug in vc4vk_kms_events.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xf86drm.h>
#include "util/log.h"
#include "util/macros.h"
#include "util/thread.h"
#include "wsi/vc4vk_kms.h"

/* -- resources ---------------------------------------------------------------------------------------------------- */

static uint64_t property_value(int fd, uint32_t object, uint32_t type, const char *name, uint32_t *id_out)
{
    drmModeObjectProperties *list = drmModeObjectGetProperties(fd, object, type);
    uint64_t value = 0;
    *id_out = 0;
    for (uint32_t i = 0; list && i < list->count_props && !*id_out; i++) {
        drmModePropertyRes *property = drmModeGetProperty(fd, list->props[i]);
        if (property && !strcmp(property->name, name)) {
            *id_out = property->prop_id;
            value = list->prop_values[i];
        }
        drmModeFreeProperty(property);
    }
    drmModeFreeObjectProperties(list);
    return value;
}

uint32_t vc4vk_kms_property(const struct vc4vk_kms *kms, uint32_t object, uint32_t type, const char *name)
{
    uint32_t id;
    property_value(kms->fd, object, type, name, &id);
    return id;
}

/* Chooses the CRTC's primary plane: preferably one that only this CRTC can use. */
static void find_plane(struct vc4vk_kms *kms, uint32_t index)
{
    struct vc4vk_kms_crtc *crtc = &kms->crtcs[index];
    drmModePlaneRes *planes = drmModeGetPlaneResources(kms->fd);
    for (uint32_t i = 0; planes && i < planes->count_planes; i++) {
        drmModePlane *plane = drmModeGetPlane(kms->fd, planes->planes[i]);
        uint32_t id;
        bool fits =
            plane && plane->possible_crtcs & 1u << index &&
            property_value(kms->fd, planes->planes[i], DRM_MODE_OBJECT_PLANE, "type", &id) == DRM_PLANE_TYPE_PRIMARY;
        if (fits && (!crtc->plane_id || plane->possible_crtcs == 1u << index))
            crtc->plane_id = plane->plane_id;
        drmModeFreePlane(plane);
    }
    drmModeFreePlaneResources(planes);
}

static bool find_properties(struct vc4vk_kms *kms, struct vc4vk_kms_crtc *crtc)
{
    static const char *const src[] = {"SRC_X", "SRC_Y", "SRC_W", "SRC_H"};
    static const char *const dst[] = {"CRTC_X", "CRTC_Y", "CRTC_W", "CRTC_H"};
    struct vc4vk_kms_properties *p = &crtc->properties;
    p->active = vc4vk_kms_property(kms, crtc->id, DRM_MODE_OBJECT_CRTC, "ACTIVE");
    p->mode_id = vc4vk_kms_property(kms, crtc->id, DRM_MODE_OBJECT_CRTC, "MODE_ID");
    p->plane_fb = vc4vk_kms_property(kms, crtc->plane_id, DRM_MODE_OBJECT_PLANE, "FB_ID");
    p->plane_crtc = vc4vk_kms_property(kms, crtc->plane_id, DRM_MODE_OBJECT_PLANE, "CRTC_ID");
    bool has_all = p->active && p->mode_id && p->plane_fb && p->plane_crtc;
    for (uint32_t i = 0; i < 4; i++) {
        p->src[i] = vc4vk_kms_property(kms, crtc->plane_id, DRM_MODE_OBJECT_PLANE, src[i]);
        p->dst[i] = vc4vk_kms_property(kms, crtc->plane_id, DRM_MODE_OBJECT_PLANE, dst[i]);
        has_all &= p->src[i] && p->dst[i];
    }
    return has_all;
}

static bool find_crtcs(struct vc4vk_kms *kms)
{
    drmModeRes *resources = drmModeGetResources(kms->fd);
    if (!resources)
        return false;
    kms->crtc_count = MIN2((uint32_t)resources->count_crtcs, VC4VK_KMS_MAX_CRTCS);
    for (uint32_t i = 0; i < kms->crtc_count; i++) {
        struct vc4vk_kms_crtc *crtc = &kms->crtcs[i];
        crtc->id = resources->crtcs[i];
        util_list_init(&crtc->leftover);
        if (!kms->is_atomic)
            continue;
        find_plane(kms, i);
        kms->is_atomic = crtc->plane_id && find_properties(kms, crtc);
    }
    bool has_displays = kms->crtc_count && resources->count_connectors;
    drmModeFreeResources(resources);
    return has_displays;
}

drmModeConnector *vc4vk_kms_connector(const struct vc4vk_kms *kms, uint32_t id, bool probe)
{
    return probe ? drmModeGetConnector(kms->fd, id) : drmModeGetConnectorCurrent(kms->fd, id);
}

bool vc4vk_kms_is_connected(const struct vc4vk_kms *kms, uint32_t id)
{
    drmModeConnector *connector = vc4vk_kms_connector(kms, id, false);
    bool is_connected = connector && connector->connection == DRM_MODE_CONNECTED;
    drmModeFreeConnector(connector);
    return is_connected;
}

uint32_t vc4vk_kms_possible_crtcs(const struct vc4vk_kms *kms, const drmModeConnector *connector, uint32_t *current_out)
{
    uint32_t possible = 0;
    *current_out = UINT32_MAX;
    for (int i = 0; i < connector->count_encoders; i++) {
        drmModeEncoder *encoder = drmModeGetEncoder(kms->fd, connector->encoders[i]);
        if (!encoder)
            continue;
        possible |= encoder->possible_crtcs;
        for (uint32_t c = 0; c < kms->crtc_count; c++)
            if (encoder->encoder_id == connector->encoder_id && encoder->crtc_id == kms->crtcs[c].id)
                *current_out = c;
        drmModeFreeEncoder(encoder);
    }
    return possible & ((1u << kms->crtc_count) - 1);
}

struct vc4vk_kms_crtc *vc4vk_kms_current_crtc(struct vc4vk_kms *kms, uint32_t connector_id)
{
    uint32_t current = UINT32_MAX;
    drmModeConnector *connector = vc4vk_kms_connector(kms, connector_id, false);
    if (connector)
        vc4vk_kms_possible_crtcs(kms, connector, &current);
    drmModeFreeConnector(connector);
    return current < kms->crtc_count ? &kms->crtcs[current] : NULL;
}

/* -- open files --------------------------------------------------------------------------------------------------- */

static bool init_file(struct vc4vk_kms *kms, int fd)
{
    uint64_t has_dumb = 0;
    if (drmGetCap(fd, DRM_CAP_DUMB_BUFFER, &has_dumb) || !has_dumb)
        return false;
    kms->fd = fd;
    (void)drmSetClientCap(fd, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1);
    kms->is_atomic = !drmSetClientCap(fd, DRM_CLIENT_CAP_ATOMIC, 1);
    return true;
}

/* Opening a primary node without a master makes the opener its master. The driver drops that role until it has
 * something to show. */
static int open_node(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0)
        (void)drmDropMaster(fd);
    return fd < 0 ? -errno : fd;
}

struct vc4vk_kms *vc4vk_kms_open(const char *path)
{
    struct vc4vk_kms *kms = calloc(1, sizeof *kms);
    if (!kms)
        return NULL;
    const size_t path_B = strlen(path) + 1;
    int fd = path_B <= sizeof kms->path ? open_node(path) : -EINVAL;
    if (fd < 0)
        goto free_kms;
    memcpy(kms->path, path, path_B);
    struct stat st;
    if (fstat(fd, &st) || !init_file(kms, fd) || !find_crtcs(kms) || pthread_mutex_init(&kms->lock, NULL))
        goto close_file;
    kms->device = st.st_rdev;
    if (!util_cond_init(&kms->changed))
        return kms;
    pthread_mutex_destroy(&kms->lock);

close_file:
    close(fd);
free_kms:
    free(kms);
    return NULL;
}

void vc4vk_kms_close(struct vc4vk_kms *kms)
{
    if (!kms)
        return;
    if (kms->users) { /* the presenter threads of swapchains that were not destroyed still use it: leak it */
        util_error("display: the instance is destroyed before %u of its swapchains", kms->users);
        return;
    }
    close(kms->fd);
    pthread_cond_destroy(&kms->changed);
    pthread_mutex_destroy(&kms->lock);
    free(kms);
}

/* Owns `fd`. */
static int use_file_locked(struct vc4vk_kms *kms, int fd, bool is_given)
{
    int err = -EBUSY, old_fd = fd;
    if (!kms->users) {
        const int before = kms->fd;
        const bool was_atomic = kms->is_atomic;
        err = init_file(kms, fd) ? 0 : -ENODEV;
        kms->is_atomic &= was_atomic;
        kms->is_given = err ? kms->is_given : is_given;
        old_fd = err ? fd : before;
    }
    close(old_fd);
    return err;
}

int vc4vk_kms_use_file(struct vc4vk_kms *kms, int given_fd)
{
    int fd = given_fd >= 0 ? fcntl(given_fd, F_DUPFD_CLOEXEC, 0) : open_node(kms->path);
    if (fd < 0)
        return given_fd >= 0 ? -errno : fd;
    pthread_mutex_lock(&kms->lock);
    int err = use_file_locked(kms, fd, given_fd >= 0);
    pthread_mutex_unlock(&kms->lock);
    return err;
}

/* -- DRM master --------------------------------------------------------------------------------------------------- */

bool vc4vk_kms_take_master(const struct vc4vk_kms *kms)
{
    return (!kms->is_given && !drmSetMaster(kms->fd)) || drmIsMaster(kms->fd);
}

/* An open file that was never master may not become master. A file opened while there is no master becomes it, so this
 * reopens the node when the first attempt fails. */
bool vc4vk_kms_take_first_master_locked(struct vc4vk_kms *kms)
{
    if (vc4vk_kms_take_master(kms))
        return true;
    const int fd = kms->is_given ? -1 : open_node(kms->path);
    return fd >= 0 && !use_file_locked(kms, fd, false) && vc4vk_kms_take_master(kms);
}

void vc4vk_kms_drop_master(const struct vc4vk_kms *kms)
{
    if (!kms->is_given)
        (void)drmDropMaster(kms->fd);
}
