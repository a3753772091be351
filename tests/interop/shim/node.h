/* SPDX-License-Identifier: MIT
 *
 * Helpers of the programs in this folder: plain DRM calls on the node that libdrm finds.
 */
#ifndef SHIM_NODE_H
#define SHIM_NODE_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include <vc4_drm.h>
#include <xf86drm.h>

#define SIDE_PX   64
#define SURFACE_B (SIDE_PX * SIDE_PX * 4)

/* Finds the shim's node: the first vc4 render node whose driver description says that it is a shim. */
static inline bool find_node(char *path_out, size_t path_B)
{
    drmDevicePtr devices[16];
    int count = drmGetDevices2(0, devices, 16);
    bool found = false;
    for (int i = 0; i < count && !found; i++) {
        if (!(devices[i]->available_nodes & 1 << DRM_NODE_RENDER))
            continue;
        int fd = open(devices[i]->nodes[DRM_NODE_RENDER], O_RDWR | O_CLOEXEC);
        drmVersionPtr version = fd >= 0 ? drmGetVersion(fd) : NULL;
        found = version && !strcmp(version->name, "vc4") && strstr(version->desc, "shim");
        snprintf(path_out, path_B, "%s", devices[i]->nodes[DRM_NODE_RENDER]);
        drmFreeVersion(version);
        if (fd >= 0)
            close(fd);
    }
    if (count > 0)
        drmFreeDevices(devices, count);
    return found;
}

static inline int open_node(void)
{
    char path[64];
    assert_true(find_node(path, sizeof path));
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

/* 0 or a negative errno. */
static inline int call(int fd, unsigned long request, void *arg)
{
    return drmIoctl(fd, request, arg) ? -errno : 0;
}

static inline uint32_t create_bo(int fd, uint32_t size_B)
{
    struct drm_vc4_create_bo create = {.size = size_B};
    assert_int_equal(call(fd, DRM_IOCTL_VC4_CREATE_BO, &create), 0);
    return create.handle;
}

static inline uint32_t *map_bo(int fd, uint32_t handle, uint32_t size_B)
{
    struct drm_vc4_mmap_bo arg = {.handle = handle};
    assert_int_equal(call(fd, DRM_IOCTL_VC4_MMAP_BO, &arg), 0);
    void *map = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)arg.offset);
    assert_ptr_not_equal(map, MAP_FAILED);
    return map;
}

/* Submits a job that fills the surface with one word. */
static inline int submit_clear(int fd, uint32_t handle, uint32_t word, uint32_t in_sync, uint32_t out_sync,
                               uint64_t *seqno_out)
{
    const struct drm_vc4_submit_rcl_surface none = {.hindex = ~0u};
    struct drm_vc4_submit_cl submit = {
        .bo_handles = (uintptr_t)&handle,
        .bo_handle_count = 1,
        .width = SIDE_PX,
        .height = SIDE_PX,
        .color_read = none,
        .color_write = {.hindex = 0, .bits = 1 << 2}, /* RGBA8888, raster */
        .zs_read = none,
        .zs_write = none,
        .msaa_color_write = none,
        .msaa_zs_write = none,
        .clear_color = {word, word},
        .flags = VC4_SUBMIT_CL_USE_CLEAR_COLOR,
        .in_sync = in_sync,
        .out_sync = out_sync,
    };
    int err = call(fd, DRM_IOCTL_VC4_SUBMIT_CL, &submit);
    *seqno_out = submit.seqno;
    return err;
}

static inline void clear_and_wait(int fd, uint32_t handle, uint32_t word)
{
    struct drm_vc4_wait_seqno wait = {.timeout_ns = UINT64_C(10000000000)};
    uint64_t seqno;
    assert_int_equal(submit_clear(fd, handle, word, 0, 0, &seqno), 0);
    wait.seqno = seqno;
    assert_int_equal(call(fd, DRM_IOCTL_VC4_WAIT_SEQNO, &wait), 0);
}

#endif
