/* SPDX-License-Identifier: MIT
 *
 * Enumerates devices: the chips that the DRM backend finds, or else the model, unless VC4VK_DEVICE selects a device.
 */
#include <string.h>
#include "kmd/kmd_backend.h"
#include "util/environment.h"
#include "util/log.h"

/* One line per process: applications enumerate often. */
static void log_error_once(const char *requested)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&said))
        return;
    if (!strcmp(requested, "drm"))
        util_error("VC4VK_DEVICE=drm: no render node of a vc4 driver with V3D 2.1, so there is no device; "
                   "VC4VK_DEVICE=model (or unset) takes the model of the chip");
    else if (requested[0] == '/')
        util_error("VC4VK_DEVICE=%s: not a render node of a vc4 driver with V3D 2.1, so there is no device; "
                   "VC4VK_DEVICE=model (or unset) takes the model of the chip",
                   requested);
    else
        util_error("VC4VK_DEVICE=%s: not one of drm, model, /dev/dri/renderDN, so there is no device", requested);
}

static uint32_t keep_path(struct kmd_physical *physical, uint32_t count, const char *path)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(physical[i].path, path))
            physical[kept++] = physical[i];
    return kept;
}

uint32_t kmd_enumerate(struct kmd_physical out[KMD_MAX_DEVICES])
{
    const char *requested = util_environment("VC4VK_DEVICE");
    uint32_t count = 0;
    if (!requested) {
        count = kmd_drm_backend.enumerate(out, KMD_MAX_DEVICES);
        return count ? count : kmd_model_backend.enumerate(out, KMD_MAX_DEVICES);
    }
    if (!strcmp(requested, "model"))
        return kmd_model_backend.enumerate(out, KMD_MAX_DEVICES);
    if (!strcmp(requested, "drm"))
        count = kmd_drm_backend.enumerate(out, KMD_MAX_DEVICES);
    else if (requested[0] == '/')
        count = keep_path(out, kmd_drm_backend.enumerate(out, KMD_MAX_DEVICES), requested);
    if (!count)
        log_error_once(requested);
    return count;
}
