/* SPDX-License-Identifier: MIT
 *
 * Entry points of VK_KHR_display, VK_KHR_get_display_properties2, VK_EXT_direct_mode_display and
 * VK_EXT_acquire_drm_display: enumerates displays, planes and modes.
 *
 * If the device is the chip, these are the chip's own displays. If it is the model, they are those of the first DRM
 * device that has any.
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

/* The displays of a physical device. Created when the application first asks for displays. */
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

/* Adds connectors that are not known yet. New ones may appear at any time, for example with a dock. */
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

/* Returns the state with the lock held. NULL when out of memory; the lock is held then, too. */
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

/* The connected displays with their connectors, which free_connected frees. */
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

/* The application's output array: of the items themselves, or of newer structs that have them as a member. */
struct out_array {
    uint32_t *count;
    uint8_t *first; /* next item to write; NULL: only the count is requested */
    size_t stride_B;
};

#define OUT_ARRAY(count, array) ((struct out_array){count, (uint8_t *)(array), sizeof *(array)})
#define OUT_ARRAY_MEMBER(count, array, member)                                                                         \
    ((struct out_array){count, (array) ? (uint8_t *)&(array)->member : NULL, sizeof *(array)})

/* Sets the output count and the result for `there` available items. Returns how many of them to append. */
static uint32_t begin_out_array(struct out_array *out_array, uint32_t there, VkResult *result_out)
{
    uint32_t given = out_array->first ? MIN2(*out_array->count, there) : 0;
    *result_out = out_array->first && given < there ? VK_INCOMPLETE : VK_SUCCESS;
    *out_array->count = out_array->first ? given : there;
    return given;
}

static void append(struct out_array *out_array, const void *item, size_t item_B)
{
    memcpy(out_array->first, item, item_B);
    out_array->first += out_array->stride_B;
}

static VkResult list_displays(VkPhysicalDevice physicalDevice, struct out_array out_array)
{
    struct connected c;
    VkResult result = find_connected(vc4vk_physical_device_from_handle(physicalDevice), &c);
    if (result != VK_SUCCESS)
        return result;
    uint32_t given = begin_out_array(&out_array, c.count, &result);
    for (uint32_t i = 0; i < given; i++) {
        const VkDisplayPropertiesKHR properties = display_properties(c.displays[i], c.connectors[i]);
        append(&out_array, &properties, sizeof properties);
    }
    free_connected(&c);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceDisplayPropertiesKHR(VkPhysicalDevice physicalDevice,
                                                                           uint32_t *pPropertyCount,
                                                                           VkDisplayPropertiesKHR *pProperties)
{
    return list_displays(physicalDevice, OUT_ARRAY(pPropertyCount, pProperties));
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceDisplayProperties2KHR(VkPhysicalDevice physicalDevice,
                                                                            uint32_t *pPropertyCount,
                                                                            VkDisplayProperties2KHR *pProperties)
{
    return list_displays(physicalDevice, OUT_ARRAY_MEMBER(pPropertyCount, pProperties, displayProperties));
}

/* The properties of a plane: its current display, and stack index 0, since each stack has one plane. */
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

static VkResult list_planes(VkPhysicalDevice physicalDevice, struct out_array out_array)
{
    VC4VK_FROM_HANDLE(vc4vk_physical_device, physical, physicalDevice);
    struct connected c;
    VkResult result = find_connected(physical, &c);
    if (result != VK_SUCCESS)
        return result;
    uint32_t given = begin_out_array(&out_array, plane_count(physical), &result);
    for (uint32_t i = 0; i < given; i++) {
        const VkDisplayPlanePropertiesKHR properties = plane_properties(&c, i);
        append(&out_array, &properties, sizeof properties);
    }
    free_connected(&c);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceDisplayPlanePropertiesKHR(
    VkPhysicalDevice physicalDevice, uint32_t *pPropertyCount, VkDisplayPlanePropertiesKHR *pProperties)
{
    return list_planes(physicalDevice, OUT_ARRAY(pPropertyCount, pProperties));
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceDisplayPlaneProperties2KHR(
    VkPhysicalDevice physicalDevice, uint32_t *pPropertyCount, VkDisplayPlaneProperties2KHR *pProperties)
{
    return list_planes(physicalDevice, OUT_ARRAY_MEMBER(pPropertyCount, pProperties, displayPlaneProperties));
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
    struct out_array out_array = OUT_ARRAY(pDisplayCount, pDisplays);
    uint32_t given = begin_out_array(&out_array, count, &result);
    for (uint32_t i = 0; i < given; i++)
        append(&out_array, &able[i], sizeof able[i]);
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

/* Finds the object of a mode or adds one. NULL when out of memory. */
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

/* Lists the modes that are not too large for rendering, in the kernel's order: the preferred one comes first. */
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

static VkResult list_mode_properties(VkDisplayKHR display, struct out_array out_array)
{
    struct vc4vk_display_mode **modes;
    uint32_t count;
    VkResult result = list_modes(vc4vk_display_from_handle(display), &modes, &count);
    if (result != VK_SUCCESS)
        return result;
    uint32_t given = begin_out_array(&out_array, count, &result);
    for (uint32_t i = 0; i < given; i++) {
        const VkDisplayModePropertiesKHR properties = {vc4vk_display_mode_to_handle(modes[i]),
                                                       mode_parameters(&modes[i]->info)};
        append(&out_array, &properties, sizeof properties);
    }
    free(modes);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetDisplayModePropertiesKHR(VkPhysicalDevice physicalDevice, VkDisplayKHR display,
                                                                 uint32_t *pPropertyCount,
                                                                 VkDisplayModePropertiesKHR *pProperties)
{
    return list_mode_properties(display, OUT_ARRAY(pPropertyCount, pProperties));
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetDisplayModeProperties2KHR(VkPhysicalDevice physicalDevice, VkDisplayKHR display,
                                                                  uint32_t *pPropertyCount,
                                                                  VkDisplayModeProperties2KHR *pProperties)
{
    return list_mode_properties(display, OUT_ARRAY_MEMBER(pPropertyCount, pProperties, displayModeProperties));
}

/* Custom modes are not supported: returns the display's own mode with these parameters. */
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

/* -- displays acquired by file descriptor ------------------------------------------------------------------------- */

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

/* All displays of the device use the file descriptor that was acquired last. */
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_AcquireDrmDisplayEXT(VkPhysicalDevice physicalDevice, int32_t drmFd,
                                                          VkDisplayKHR _display)
{
    VC4VK_FROM_HANDLE(vc4vk_display, display, _display);
    int err = is_same_node(display->kms, drmFd) ? 0 : -ENODEV;
    if (!err && !drmIsMaster(drmFd))
        err = -EACCES;
    if (!err)
        err = vc4vk_kms_use_file(display->kms, drmFd);
    return err ? vc4vk_errorf(display, VK_ERROR_INITIALIZATION_FAILED, "display %s: cannot be acquired: %s",
                              display->name, strerror(-err))
               : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_ReleaseDisplayEXT(VkPhysicalDevice physicalDevice, VkDisplayKHR _display)
{
    VC4VK_FROM_HANDLE(vc4vk_display, display, _display);
    int err = display->kms->is_given ? vc4vk_kms_use_file(display->kms, -1) : 0;
    return err ? vc4vk_errorf(display, VK_ERROR_INITIALIZATION_FAILED, "display %s: cannot be released: %s",
                              display->name, strerror(-err))
               : VK_SUCCESS;
}
