/* SPDX-License-Identifier: MIT
 *
 * Entry points of VK_KHR_display, VK_KHR_get_display_properties2, VK_EXT_direct_mode_display and
 * VK_EXT_acquire_drm_display: which displays there are.
 *
 * The chip's own displays where the device is the chip; where it is the model, those of the first device that has any.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xf86drm.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_physical_device.h"
#include "wsi/vc4vk_display.h"

#define MAX_NODES    16
#define MAX_DISPLAYS 16u

/* Of a physical device: made at the first question. */
struct display_state {
    struct vc4vk_kms *kms; /* NULL: no displays */
    struct util_list displays;
};

/* -- the device's displays ---------------------------------------------------------------------------------------- */

static struct vc4vk_kms *open_kms(const char *render_path)
{
    drmDevicePtr devices[MAX_NODES];
    struct vc4vk_kms *kms = NULL;
    int found = drmGetDevices2(0, devices, MAX_NODES);
    for (int i = 0; i < found && !kms; i++) {
        const bool is_same = devices[i]->available_nodes & 1 << DRM_NODE_RENDER &&
                             !strcmp(devices[i]->nodes[DRM_NODE_RENDER], render_path);
        if ((is_same || !*render_path) && devices[i]->available_nodes & 1 << DRM_NODE_PRIMARY)
            kms = vc4vk_kms_open(devices[i]->nodes[DRM_NODE_PRIMARY]);
    }
    if (found > 0)
        drmFreeDevices(devices, found);
    return kms;
}

static void state_destroy(struct vc4vk_physical_device *physical, void *opaque)
{
    struct display_state *state = opaque;
    const VkAllocationCallbacks *alloc = VC4VK_ALLOC_INTERNAL;
    util_list_for_each_safe(struct vc4vk_display, display, &state->displays, link) {
        util_list_for_each_safe(struct vc4vk_display_mode, mode, &display->modes, link)
            vc4vk_free(alloc, mode);
        vc4vk_free(alloc, display);
    }
    vc4vk_kms_close(state->kms);
    vc4vk_free(alloc, state);
}

static struct vc4vk_display *find_display(const struct display_state *state, uint32_t connector)
{
    util_list_for_each(struct vc4vk_display, display, &state->displays, link)
        if (display->connector == connector)
            return display;
    return NULL;
}

static VkResult add_display(struct vc4vk_physical_device *physical, struct display_state *state, uint32_t id)
{
    drmModeConnector *connector = vc4vk_kms_connector(state->kms, id, false);
    if (!connector)
        return VK_SUCCESS;
    struct vc4vk_display *display =
        vc4vk_new(VC4VK_ALLOC_INTERNAL, struct vc4vk_display, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
    if (display) {
        const char *type = drmModeGetConnectorTypeName(connector->connector_type);
        vc4vk_object_init(&display->base, VK_OBJECT_TYPE_DISPLAY_KHR);
        display->physical = physical;
        display->kms = state->kms;
        display->connector = id;
        snprintf(display->name, sizeof display->name, "%s-%u", type ? type : "Unknown", connector->connector_type_id);
        util_list_init(&display->modes);
        util_list_add_tail(&state->displays, &display->link);
    }
    drmModeFreeConnector(connector);
    return display ? VK_SUCCESS : vc4vk_oom(physical);
}

/* Connectors may come later, too: of docks. */
static VkResult add_displays_locked(struct vc4vk_physical_device *physical, struct display_state *state)
{
    drmModeRes *resources = state->kms ? drmModeGetResources(state->kms->fd) : NULL;
    VkResult result = VK_SUCCESS;
    for (int i = 0; resources && i < resources->count_connectors && result == VK_SUCCESS; i++)
        if (!find_display(state, resources->connectors[i]))
            result = add_display(physical, state, resources->connectors[i]);
    drmModeFreeResources(resources);
    return result;
}

/* The state, with the lock held in any case; NULL: out of memory. */
static struct display_state *lock_state(struct vc4vk_physical_device *physical)
{
    pthread_mutex_lock(&physical->lock);
    struct display_state *state = physical->wsi_state;
    if (!state) {
        state = vc4vk_new(VC4VK_ALLOC_INTERNAL, struct display_state, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
        if (!state)
            return NULL;
        util_list_init(&state->displays);
        state->kms = open_kms(physical->kmd.path);
        physical->wsi_state = state;
        physical->wsi_destroy = state_destroy;
    }
    return add_displays_locked(physical, state) == VK_SUCCESS ? state : NULL;
}

static void unlock_state(struct vc4vk_physical_device *physical)
{
    pthread_mutex_unlock(&physical->lock);
}

struct vc4vk_kms *vc4vk_display_kms(struct vc4vk_physical_device *physical)
{
    struct display_state *state = lock_state(physical);
    struct vc4vk_kms *kms = state ? state->kms : NULL;
    unlock_state(physical);
    return kms;
}

/* What an answer is made of: the connected displays, each with its connector, which is freed behind. */
struct connected {
    uint32_t count;
    struct vc4vk_display *displays[MAX_DISPLAYS];
    drmModeConnector *connectors[MAX_DISPLAYS];
};

static VkResult find_connected(struct vc4vk_physical_device *physical, struct connected *out)
{
    out->count = 0;
    struct display_state *state = lock_state(physical);
    if (!state) {
        unlock_state(physical);
        return vc4vk_oom(physical);
    }
    util_list_for_each(struct vc4vk_display, display, &state->displays, link) {
        drmModeConnector *connector =
            out->count < MAX_DISPLAYS ? vc4vk_kms_connector(state->kms, display->connector, true) : NULL;
        if (connector && connector->connection == DRM_MODE_CONNECTED) {
            out->displays[out->count] = display;
            out->connectors[out->count++] = connector;
        } else {
            drmModeFreeConnector(connector);
        }
    }
    unlock_state(physical);
    return VK_SUCCESS;
}

static void free_connected(struct connected *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        drmModeFreeConnector(c->connectors[i]);
}

static uint32_t plane_count(struct vc4vk_physical_device *physical)
{
    const struct vc4vk_kms *kms = vc4vk_display_kms(physical);
    return kms ? kms->crtc_count : 0;
}

/* -- displays and planes ------------------------------------------------------------------------------------------ */

static VkExtent2D largest_mode(const drmModeConnector *connector)
{
    VkExtent2D extent = {0};
    for (int i = 0; i < connector->count_modes; i++) {
        const drmModeModeInfo *m = &connector->modes[i];
        if (m->type & DRM_MODE_TYPE_PREFERRED)
            return (VkExtent2D){m->hdisplay, m->vdisplay};
        if ((uint32_t)m->hdisplay * m->vdisplay > extent.width * extent.height)
            extent = (VkExtent2D){m->hdisplay, m->vdisplay};
    }
    return extent;
}

static VkDisplayPropertiesKHR display_properties(const struct vc4vk_display *display, const drmModeConnector *connector)
{
    return (VkDisplayPropertiesKHR){
        .display = vc4vk_display_to_handle(display),
        .displayName = display->name,
        .physicalDimensions = {connector->mmWidth, connector->mmHeight},
        .physicalResolution = largest_mode(connector),
        .supportedTransforms = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
    };
}

/* Where an answer of several items goes: an array of the items, or of newer structures of which they are a member. */
struct answer {
    uint32_t *count;
    uint8_t *first; /* NULL: only the number of items is asked for */
    size_t stride_B;
};

#define ANSWER(count, array) ((struct answer){count, (uint8_t *)(array), sizeof *(array)})
#define ANSWER_IN(count, array, member)                                                                                \
    ((struct answer){count, (array) ? (uint8_t *)&(array)->member : NULL, sizeof *(array)})

/* How many of `there` are to be given, and whether that is all. */
static uint32_t begin_answer(struct answer *answer, uint32_t there, VkResult *result_out)
{
    uint32_t given = answer->first ? MIN2(*answer->count, there) : 0;
    *result_out = answer->first && given < there ? VK_INCOMPLETE : VK_SUCCESS;
    *answer->count = answer->first ? given : there;
    return given;
}

static void give(struct answer *answer, const void *item, size_t item_B)
{
    memcpy(answer->first, item, item_B);
    answer->first += answer->stride_B;
}

static VkResult answer_displays(VkPhysicalDevice physicalDevice, struct answer answer)
{
    struct connected c;
    VkResult result = find_connected(vc4vk_physical_device_from_handle(physicalDevice), &c);
    if (result != VK_SUCCESS)
        return result;
    uint32_t given = begin_answer(&answer, c.count, &result);
    for (uint32_t i = 0; i < given; i++) {
        const VkDisplayPropertiesKHR properties = display_properties(c.displays[i], c.connectors[i]);
        give(&answer, &properties, sizeof properties);
    }
    free_connected(&c);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceDisplayPropertiesKHR(VkPhysicalDevice physicalDevice,
                                                                           uint32_t *pPropertyCount,
                                                                           VkDisplayPropertiesKHR *pProperties)
{
    return answer_displays(physicalDevice, ANSWER(pPropertyCount, pProperties));
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceDisplayProperties2KHR(VkPhysicalDevice physicalDevice,
                                                                            uint32_t *pPropertyCount,
                                                                            VkDisplayProperties2KHR *pProperties)
{
    return answer_displays(physicalDevice, ANSWER_IN(pPropertyCount, pProperties, displayProperties));
}

/* Which display a plane shows. Stacks have one plane each. */
static VkDisplayPlanePropertiesKHR plane_properties(const struct connected *c, uint32_t plane)
{
    VkDisplayPlanePropertiesKHR out = {.currentDisplay = VK_NULL_HANDLE};
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t current;
        vc4vk_kms_possible_crtcs(c->displays[i]->kms, c->connectors[i], &current);
        if (current == plane)
            out.currentDisplay = vc4vk_display_to_handle(c->displays[i]);
    }
    return out;
}

static VkResult answer_planes(VkPhysicalDevice physicalDevice, struct answer answer)
{
    VC4VK_FROM_HANDLE(vc4vk_physical_device, physical, physicalDevice);
    struct connected c;
    VkResult result = find_connected(physical, &c);
    if (result != VK_SUCCESS)
        return result;
    uint32_t given = begin_answer(&answer, plane_count(physical), &result);
    for (uint32_t i = 0; i < given; i++) {
        const VkDisplayPlanePropertiesKHR properties = plane_properties(&c, i);
        give(&answer, &properties, sizeof properties);
    }
    free_connected(&c);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceDisplayPlanePropertiesKHR(
    VkPhysicalDevice physicalDevice, uint32_t *pPropertyCount, VkDisplayPlanePropertiesKHR *pProperties)
{
    return answer_planes(physicalDevice, ANSWER(pPropertyCount, pProperties));
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceDisplayPlaneProperties2KHR(
    VkPhysicalDevice physicalDevice, uint32_t *pPropertyCount, VkDisplayPlaneProperties2KHR *pProperties)
{
    return answer_planes(physicalDevice, ANSWER_IN(pPropertyCount, pProperties, displayPlaneProperties));
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetDisplayPlaneSupportedDisplaysKHR(VkPhysicalDevice physicalDevice,
                                                                         uint32_t planeIndex, uint32_t *pDisplayCount,
                                                                         VkDisplayKHR *pDisplays)
{
    struct connected c;
    VkDisplayKHR able[MAX_DISPLAYS];
    uint32_t count = 0, current;
    VkResult result = find_connected(vc4vk_physical_device_from_handle(physicalDevice), &c);
    if (result != VK_SUCCESS)
        return result;
    for (uint32_t i = 0; i < c.count; i++)
        if (planeIndex < VC4VK_KMS_MAX_CRTCS &&
            vc4vk_kms_possible_crtcs(c.displays[i]->kms, c.connectors[i], &current) & 1u << planeIndex)
            able[count++] = vc4vk_display_to_handle(c.displays[i]);
    free_connected(&c);
    struct answer answer = ANSWER(pDisplayCount, pDisplays);
    uint32_t given = begin_answer(&answer, count, &result);
    for (uint32_t i = 0; i < given; i++)
        give(&answer, &able[i], sizeof able[i]);
    return result;
}

/* -- modes -------------------------------------------------------------------------------------------------------- */

static VkDisplayModeParametersKHR mode_parameters(const drmModeModeInfo *m)
{
    const uint64_t pixels = MAX2((uint64_t)m->htotal * m->vtotal, 1u);
    uint64_t rate_mhz = (m->clock * UINT64_C(1000000) + pixels / 2) / pixels;
    if (m->flags & DRM_MODE_FLAG_INTERLACE)
        rate_mhz *= 2;
    if (m->flags & DRM_MODE_FLAG_DBLSCAN)
        rate_mhz /= 2;
    return (VkDisplayModeParametersKHR){.visibleRegion = {m->hdisplay, m->vdisplay}, .refreshRate = (uint32_t)rate_mhz};
}

/* The mode that we know already, or a new one; NULL without memory. */
static struct vc4vk_display_mode *find_mode_locked(struct vc4vk_display *display, const drmModeModeInfo *info)
{
    util_list_for_each(struct vc4vk_display_mode, mode, &display->modes, link)
        if (!memcmp(&mode->info, info, sizeof *info))
            return mode;
    struct vc4vk_display_mode *mode =
        vc4vk_new(VC4VK_ALLOC_INTERNAL, struct vc4vk_display_mode, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
    if (!mode)
        return NULL;
    vc4vk_object_init(&mode->base, VK_OBJECT_TYPE_DISPLAY_MODE_KHR);
    mode->display = display;
    mode->info = *info;
    util_list_add_tail(&display->modes, &mode->link);
    return mode;
}

/* Modes that can be rendered, in the kernel's order, the preferred one first. */
static VkResult list_modes(struct vc4vk_display *display, struct vc4vk_display_mode ***modes_out, uint32_t *count_out)
{
    drmModeConnector *connector = vc4vk_kms_connector(display->kms, display->connector, true);
    const int known = connector && connector->connection == DRM_MODE_CONNECTED ? connector->count_modes : 0;
    struct vc4vk_display_mode **modes = malloc((size_t)MAX2(known, 1) * sizeof *modes);
    VkResult result = modes ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
    uint32_t count = 0;
    pthread_mutex_lock(&display->physical->lock);
    for (int i = 0; i < known && result == VK_SUCCESS; i++) {
        const drmModeModeInfo *info = &connector->modes[i];
        if (info->hdisplay > VC4VK_MAX_IMAGE_PX || info->vdisplay > VC4VK_MAX_IMAGE_PX)
            continue;
        modes[count] = find_mode_locked(display, info);
        result = modes[count++] ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    pthread_mutex_unlock(&display->physical->lock);
    drmModeFreeConnector(connector);
    if (result != VK_SUCCESS) {
        free(modes);
        return vc4vk_oom(display);
    }
    *modes_out = modes;
    *count_out = count;
    return VK_SUCCESS;
}

static VkResult answer_modes(VkDisplayKHR display, struct answer answer)
{
    struct vc4vk_display_mode **modes;
    uint32_t count;
    VkResult result = list_modes(vc4vk_display_from_handle(display), &modes, &count);
    if (result != VK_SUCCESS)
        return result;
    uint32_t given = begin_answer(&answer, count, &result);
    for (uint32_t i = 0; i < given; i++) {
        const VkDisplayModePropertiesKHR properties = {vc4vk_display_mode_to_handle(modes[i]),
                                                       mode_parameters(&modes[i]->info)};
        give(&answer, &properties, sizeof properties);
    }
    free(modes);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetDisplayModePropertiesKHR(VkPhysicalDevice physicalDevice, VkDisplayKHR display,
                                                                 uint32_t *pPropertyCount,
                                                                 VkDisplayModePropertiesKHR *pProperties)
{
    return answer_modes(display, ANSWER(pPropertyCount, pProperties));
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetDisplayModeProperties2KHR(VkPhysicalDevice physicalDevice, VkDisplayKHR display,
                                                                  uint32_t *pPropertyCount,
                                                                  VkDisplayModeProperties2KHR *pProperties)
{
    return answer_modes(display, ANSWER_IN(pPropertyCount, pProperties, displayModeProperties));
}

/* Modes are the display's: of those that it has, the one with these parameters. */
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateDisplayModeKHR(VkPhysicalDevice physicalDevice, VkDisplayKHR display,
                                                          const VkDisplayModeCreateInfoKHR *pCreateInfo,
                                                          const VkAllocationCallbacks *pAllocator,
                                                          VkDisplayModeKHR *pMode)
{
    struct vc4vk_display_mode **modes;
    uint32_t count;
    VkResult result = list_modes(vc4vk_display_from_handle(display), &modes, &count);
    if (result != VK_SUCCESS)
        return result;
    result = VK_ERROR_INITIALIZATION_FAILED;
    for (uint32_t i = 0; i < count && result != VK_SUCCESS; i++) {
        const VkDisplayModeParametersKHR have = mode_parameters(&modes[i]->info), *want = &pCreateInfo->parameters;
        if (have.visibleRegion.width != want->visibleRegion.width ||
            have.visibleRegion.height != want->visibleRegion.height || have.refreshRate != want->refreshRate)
            continue;
        *pMode = vc4vk_display_mode_to_handle(modes[i]);
        result = VK_SUCCESS;
    }
    free(modes);
    return result;
}

static VkDisplayPlaneCapabilitiesKHR plane_capabilities(VkDisplayModeKHR handle)
{
    VC4VK_FROM_HANDLE(vc4vk_display_mode, mode, handle);
    const VkExtent2D extent = mode_parameters(&mode->info).visibleRegion;
    return (VkDisplayPlaneCapabilitiesKHR){
        .supportedAlpha = VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR,
        .minSrcExtent = extent,
        .maxSrcExtent = extent,
        .minDstExtent = extent,
        .maxDstExtent = extent,
    };
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetDisplayPlaneCapabilitiesKHR(VkPhysicalDevice physicalDevice,
                                                                    VkDisplayModeKHR mode, uint32_t planeIndex,
                                                                    VkDisplayPlaneCapabilitiesKHR *pCapabilities)
{
    *pCapabilities = plane_capabilities(mode);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetDisplayPlaneCapabilities2KHR(VkPhysicalDevice physicalDevice,
                                                                     const VkDisplayPlaneInfo2KHR *pDisplayPlaneInfo,
                                                                     VkDisplayPlaneCapabilities2KHR *pCapabilities)
{
    pCapabilities->capabilities = plane_capabilities(pDisplayPlaneInfo->mode);
    return VK_SUCCESS;
}

/* -- displays of the application's own open file ------------------------------------------------------------------ */

static bool is_same_node(const struct vc4vk_kms *kms, int fd)
{
    struct stat ours, given;
    return !fstat(kms->fd, &ours) && !fstat(fd, &given) && ours.st_rdev == given.st_rdev;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetDrmDisplayEXT(VkPhysicalDevice physicalDevice, int32_t drmFd,
                                                      uint32_t connectorId, VkDisplayKHR *pDisplay)
{
    VC4VK_FROM_HANDLE(vc4vk_physical_device, physical, physicalDevice);
    struct display_state *state = lock_state(physical);
    struct vc4vk_display *display = NULL;
    if (state && state->kms && is_same_node(state->kms, drmFd))
        display = find_display(state, connectorId);
    unlock_state(physical);
    *pDisplay = vc4vk_display_to_handle(display);
    return display ? VK_SUCCESS : VK_ERROR_UNKNOWN;
}

/* All displays of the device go by the file that was given last. */
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_AcquireDrmDisplayEXT(VkPhysicalDevice physicalDevice, int32_t drmFd,
                                                          VkDisplayKHR _display)
{
    VC4VK_FROM_HANDLE(vc4vk_display, display, _display);
    int err = is_same_node(display->kms, drmFd) ? 0 : -ENODEV;
    if (!err && !drmIsMaster(drmFd))
        err = -EACCES;
    if (!err)
        err = vc4vk_kms_use_file(display->kms, drmFd);
    return err ? vc4vk_errorf(display, VK_ERROR_INITIALIZATION_FAILED, "display %s: %s", display->name, strerror(-err))
               : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_ReleaseDisplayEXT(VkPhysicalDevice physicalDevice, VkDisplayKHR _display)
{
    VC4VK_FROM_HANDLE(vc4vk_display, display, _display);
    int err = display->kms->is_given ? vc4vk_kms_use_file(display->kms, -1) : 0;
    return err ? vc4vk_errorf(display, VK_ERROR_INITIALIZATION_FAILED, "display %s: %s", display->name, strerror(-err))
               : VK_SUCCESS;
}
