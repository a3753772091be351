/* SPDX-License-Identifier: MIT
 *
 * Compares device numbers, with which display servers identify DRM devices.
 */
#include <string.h>
#include <sys/stat.h>
#include <xf86drm.h>
#include "wsi/vc4vk_wsi.h"

static bool has_node(const drmDevice *device, const char *path)
{
    for (int i = 0; i < DRM_NODE_MAX; i++)
        if (device->available_nodes & 1 << i && !strcmp(device->nodes[i], path))
            return true;
    return false;
}

bool vc4vk_node_is_of_device(const char *path, dev_t number)
{
    struct stat st;
    if (!stat(path, &st) && st.st_rdev == number)
        return true;
    drmDevice *device;
    if (drmGetDeviceFromDevId(number, 0, &device))
        return false;
    bool is_same = has_node(device, path);
    drmFreeDevice(&device);
    return is_same;
}
