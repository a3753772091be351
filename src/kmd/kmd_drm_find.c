/* SPDX-License-Identifier: MIT
 *
 * Finds the DRM devices that are a VideoCore IV: render nodes whose driver is called vc4 and whose V3D is version 2.1.
 * (On a Pi 4 the vc4 driver drives only the display, and queries of V3D parameters fail with ENODEV.)
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <vc4_drm.h>
#include <xf86drm.h>
#include "kmd/kmd_drm.h"
#include "util/hash.h"
#include "util/log.h"

#define IDENT0_V3D_2_1 0x02443356u /* "V3D", version 2 [guide p.85 V3D_IDENT0] */
#define MAX_NODES      16

static int read_ident(int fd, uint32_t ident_out[3])
{
    for (uint32_t i = 0; i < 3; i++) {
        struct drm_vc4_get_param param = {.param = DRM_VC4_PARAM_V3D_IDENT0 + i};
        int err = kmd_drm_ioctl(fd, DRM_IOCTL_VC4_GET_PARAM, &param);
        if (err)
            return err;
        ident_out[i] = (uint32_t)param.value;
    }
    return 0;
}

/* Decides by the device tree, for a device that cannot be opened. */
static bool looks_like_vc4(const drmDevice *device)
{
    char **compatible = device->bustype == DRM_BUS_PLATFORM ? device->deviceinfo.platform->compatible : NULL;
    for (; compatible && *compatible; compatible++)
        if (strstr(*compatible, "-vc4") || strstr(*compatible, "-v3d"))
            return true;
    return false;
}

/* One line per process: applications enumerate often. */
static void log_error_once(const char *path, int err)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said))
        util_error("%s: %s%s", path, strerror(err), err == EACCES ? " (is this user in the group \"render\"?)" : "");
}

static bool describe(int fd, const char *path, struct kmd_physical *out)
{
    *out = (struct kmd_physical){.backend = &kmd_drm_backend};
    drmVersionPtr version = drmGetVersion(fd);
    bool is_vc4 = version && version->name && !strcmp(version->name, "vc4");
    /* The shim's description contains "shim"; the kernel's is "Broadcom VC4 graphics". */
    out->info.is_model = is_vc4 && version->desc && strstr(version->desc, "shim");
    drmFreeVersion(version);
    if (!is_vc4 || read_ident(fd, out->info.ident) || out->info.ident[0] != IDENT0_V3D_2_1)
        return false;
    snprintf(out->path, sizeof out->path, "%s", path);
    snprintf(out->info.name, sizeof out->info.name, "vc4 (%s)", path);
    uint64_t has_syncobj = 0;
    out->info.has_sync_files = !out->info.is_model && !drmGetCap(fd, DRM_CAP_SYNCOBJ, &has_syncobj) && has_syncobj;
    const uint64_t both_ways = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
    uint64_t prime = 0;
    out->info.has_dma_bufs =
        !out->info.is_model && !drmGetCap(fd, DRM_CAP_PRIME, &prime) && (prime & both_ways) == both_ways;
    /* The model behind the shim uses ordinary memory. */
    out->info.memory_B = out->info.is_model ? kmd_heap_size_B(KMD_MODEL_HEAP_B) : kmd_chip_heap_size_B();
    uint64_t uuid[2] = {util_hash_bytes(path, strlen(path), 1),
                        util_hash_bytes(out->info.ident, sizeof out->info.ident, 2)};
    memcpy(out->info.device_uuid, uuid, sizeof out->info.device_uuid);
    return true;
}

uint32_t kmd_drm_enumerate(struct kmd_physical *out, uint32_t capacity)
{
    drmDevicePtr devices[MAX_NODES];
    int found = drmGetDevices2(0, devices, MAX_NODES);
    uint32_t count = 0;
    for (int i = 0; i < found; i++) {
        if (count == capacity || !(devices[i]->available_nodes & 1 << DRM_NODE_RENDER))
            continue;
        const char *path = devices[i]->nodes[DRM_NODE_RENDER];
        int fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd < 0) {
            if (looks_like_vc4(devices[i]))
                log_error_once(path, errno);
            continue;
        }
        if (strlen(path) < sizeof out->path && describe(fd, path, &out[count]))
            count++;
        close(fd);
    }
    if (found > 0)
        drmFreeDevices(devices, found);
    return count;
}
