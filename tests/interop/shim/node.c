/* SPDX-License-Identifier: MIT
 *
 * An ordinary DRM program that does not know of the shim under which it runs. libdrm finds the node, and the node
 * behaves as a kernel's does: ioctls and their errors, mappings, duplicates of descriptors, threads, fork.
 */
#include "node.h"
#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <drm_fourcc.h>

static void libdrm_finds_it(void **state)
{
    char path[64];
    assert_true(find_node(path, sizeof path));
    int fd = open_node();
    assert_int_equal(drmGetNodeTypeFromFd(fd), DRM_NODE_RENDER);
    char *name = drmGetRenderDeviceNameFromFd(fd), *name2 = drmGetDeviceNameFromFd2(fd);
    assert_string_equal(name, path);
    assert_string_equal(name2, path);
    free(name);
    free(name2);
    drmDevicePtr device = NULL;
    assert_int_equal(drmGetDevice2(fd, 0, &device), 0);
    assert_string_equal(device->nodes[DRM_NODE_RENDER], path);
    assert_int_equal(device->bustype, DRM_BUS_PLATFORM);
    assert_string_equal(device->deviceinfo.platform->compatible[0], "brcm,bcm2835-vc4");
    drmFreeDevice(&device);
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(major(st.st_rdev), 226);
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&poll_fd, 1, 0), 0); /* a render node has no events */
    close(fd);
}

/* For programs that search for the device in sysfs and /dev themselves. */
static void sysfs_tells_of_it(void **state)
{
    char path[64], link[128], text[256] = "", uevent[128], *real;
    assert_true(find_node(path, sizeof path));
    const char *number = path + strlen("/dev/dri/renderD");
    snprintf(uevent, sizeof uevent, "/sys/dev/char/226:%s/device/subsystem", number);
    ssize_t n = readlink(uevent, link, sizeof link - 1);
    assert_true(n > 0);
    link[n] = '\0';
    assert_string_equal(strrchr(link, '/'), "/platform");
    snprintf(uevent, sizeof uevent, "/sys/dev/char/226:%s/uevent", number);
    FILE *file = fopen(uevent, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_non_null(strstr(text, "DEVNAME=dri/renderD"));
    snprintf(uevent, sizeof uevent, "/sys/dev/char/226:%s/device", number);
    real = realpath(uevent, NULL);
    assert_string_equal(real, "/sys/devices/platform/soc/soc:gpu");
    free(real);
    DIR *dir = opendir("/dev/dri");
    assert_non_null(dir);
    int seen = 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        seen += !strcmp(entry->d_name, strrchr(path, '/') + 1);
    closedir(dir);
    assert_int_equal(seen, 1);
    assert_int_equal(access("/dev/dri/renderD191x", F_OK), -1);
}

/* A render node refuses ioctls of primary nodes; the driver refuses ioctls that it does not have. */
static void refusals(void **state)
{
    int fd = open_node();
    struct drm_gem_flink flink = {.handle = create_bo(fd, 4096)};
    assert_int_equal(call(fd, DRM_IOCTL_GEM_FLINK, &flink), -EACCES);
    struct drm_set_client_cap client_cap = {0};
    assert_int_equal(call(fd, DRM_IOCTL_SET_CLIENT_CAP, &client_cap), -EACCES);
    assert_int_equal(call(fd, DRM_IOR(DRM_COMMAND_BASE + 0x30, struct drm_gem_close), &flink), -EINVAL);
    assert_int_equal(call(fd, DRM_IOCTL_VERSION, NULL), -EFAULT);
    uint64_t value;
    assert_int_equal(drmGetCap(fd, DRM_CAP_PRIME, &value), 0);
    assert_int_equal(value, DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT);
    assert_int_equal(drmGetCap(fd, DRM_CAP_DUMB_BUFFER, &value), 0); /* the driver supports them, but not on this
                                                                      * node */
    struct drm_gem_close bad = {.handle = 77};
    assert_int_equal(call(fd, DRM_IOCTL_GEM_CLOSE, &bad), -EINVAL);
    assert_ptr_equal(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 1 << 30), MAP_FAILED);
    assert_int_equal(errno, EINVAL);
    close(fd);
    assert_int_equal(call(fd, DRM_IOCTL_GEM_CLOSE, &bad), -EBADF);
}

/* A caller with a shorter struct (an older header) is served, and nothing beyond its struct is written. */
static void shorter_structs(void **state)
{
    int fd = open_node();
    uint32_t only_size[2] = {4096, 0x5555};
    assert_int_equal(call(fd, _IOC(_IOC_READ | _IOC_WRITE, 'd', DRM_COMMAND_BASE + DRM_VC4_CREATE_BO, 4), only_size),
                     0);
    assert_int_equal(only_size[1], 0x5555);
    close(fd);
}

/* Calls every ioctl of the driver except GET_HANG_STATE, which only the superuser may call. */
static void driver_ioctls(void **state)
{
    static const uint64_t program[] = {UINT64_C(0x300009e7009e7000), UINT64_C(0x100009e7009e7000),
                                       UINT64_C(0x100009e7009e7000)};
    int fd = open_node();
    uint32_t handle = create_bo(fd, SURFACE_B);
    struct drm_vc4_create_shader_bo shader = {.size = sizeof program, .data = (uintptr_t)program};
    assert_int_equal(call(fd, DRM_IOCTL_VC4_CREATE_SHADER_BO, &shader), 0);
    struct drm_vc4_set_tiling set = {.handle = handle, .modifier = DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED};
    assert_int_equal(call(fd, DRM_IOCTL_VC4_SET_TILING, &set), 0);
    struct drm_vc4_get_tiling get = {.handle = handle};
    assert_int_equal(call(fd, DRM_IOCTL_VC4_GET_TILING, &get), 0);
    assert_true(get.modifier == set.modifier);
    struct drm_vc4_label_bo label = {.handle = handle, .len = 4, .name = (uintptr_t) "test"};
    assert_int_equal(call(fd, DRM_IOCTL_VC4_LABEL_BO, &label), 0);
    struct drm_vc4_gem_madvise madvise = {.handle = handle, .madv = VC4_MADV_WILLNEED};
    assert_int_equal(call(fd, DRM_IOCTL_VC4_GEM_MADVISE, &madvise), 0);
    assert_int_equal(madvise.retained, 1);
    struct drm_vc4_perfmon_create perfmon = {.ncounters = 1};
    assert_int_equal(call(fd, DRM_IOCTL_VC4_PERFMON_CREATE, &perfmon), 0);
    uint64_t count;
    struct drm_vc4_perfmon_get_values values = {.id = perfmon.id, .values_ptr = (uintptr_t)&count};
    assert_int_equal(call(fd, DRM_IOCTL_VC4_PERFMON_GET_VALUES, &values), 0);
    struct drm_vc4_perfmon_destroy destroy = {.id = perfmon.id};
    assert_int_equal(call(fd, DRM_IOCTL_VC4_PERFMON_DESTROY, &destroy), 0);
    uint32_t *pixels = map_bo(fd, handle, SURFACE_B);
    clear_and_wait(fd, handle, 0xcafe0001);
    struct drm_vc4_wait_bo wait = {.handle = handle};
    assert_int_equal(call(fd, DRM_IOCTL_VC4_WAIT_BO, &wait), 0);
    assert_int_equal(pixels[0], 0xcafe0001);
    assert_int_equal(pixels[SIDE_PX * SIDE_PX - 1], 0xcafe0001);
    munmap(pixels, SURFACE_B);

    struct drm_vc4_mmap_bo where = {.handle = shader.handle}; /* shader code may be mapped for reading only */
    assert_int_equal(call(fd, DRM_IOCTL_VC4_MMAP_BO, &where), 0);
    assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)where.offset), MAP_FAILED);
    uint64_t *code = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)where.offset);
    assert_ptr_not_equal(code, MAP_FAILED);
    assert_memory_equal(code, program, sizeof program);
    munmap(code, 4096);
    close(fd);
}

/* A duplicate keeps the file open until the last descriptor is closed. */
static void duplicates(void **state)
{
    int fd = open_node();
    uint32_t handle = create_bo(fd, 4096);
    int second = dup(fd), third = fcntl(fd, F_DUPFD_CLOEXEC, 100);
    assert_int_equal(dup2(fd, 200), 200);
    close(fd);
    close(second);
    munmap(map_bo(third, handle, 4096), 4096);
    close(third);
    struct drm_vc4_mmap_bo arg = {.handle = handle};
    assert_int_equal(call(200, DRM_IOCTL_VC4_MMAP_BO, &arg), 0);
    int other = open_node(); /* handles are local to an open file */
    assert_int_equal(call(other, DRM_IOCTL_VC4_MMAP_BO, &arg), -EINVAL);
    close(other);
    close(200);
}

/* -- threads and processes ---------------------------------------------------------------------------------------- */

static void *clear_often(void *arg)
{
    uint32_t word = (uint32_t)(uintptr_t)arg << 16;
    for (uint32_t i = 0; i < 20; i++) {
        int fd = open_node();
        uint32_t handle = create_bo(fd, SURFACE_B);
        uint32_t *pixels = map_bo(fd, handle, SURFACE_B);
        clear_and_wait(fd, handle, word + i);
        if (pixels[0] != word + i || pixels[SIDE_PX * SIDE_PX - 1] != word + i)
            return (void *)"wrong pixels";
        munmap(pixels, SURFACE_B);
        close(fd);
    }
    return NULL;
}

static void threads(void **state)
{
    pthread_t thread[4];
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, clear_often, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++) {
        void *problem;
        pthread_join(thread[i], &problem);
        assert_null(problem);
    }
}

/* A forked child cannot use descriptors that its parent opened, but can open its own; the parent is not affected. */
static void forks(void **state)
{
    int fd = open_node();
    uint32_t handle = create_bo(fd, SURFACE_B);
    uint32_t *pixels = map_bo(fd, handle, SURFACE_B);
    clear_and_wait(fd, handle, 1);
    pid_t child = fork();
    if (!child) {
        struct drm_vc4_get_param param = {0};
        bool is_refused = call(fd, DRM_IOCTL_VC4_GET_PARAM, &param) == -ENODEV;
        bool is_shown = pixels[0] == 1 || pixels[0] == 2; /* the memory is still shared with the parent */
        close(fd);
        _exit(is_refused && is_shown && !clear_often((void *)9) ? 0 : 1);
    }
    int status;
    clear_and_wait(fd, handle, 2);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    clear_and_wait(fd, handle, 3);
    assert_int_equal(pixels[0], 3);
    munmap(pixels, SURFACE_B);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libdrm_finds_it), cmocka_unit_test(sysfs_tells_of_it),
        cmocka_unit_test(refusals),        cmocka_unit_test(shorter_structs),
        cmocka_unit_test(driver_ioctls),   cmocka_unit_test(duplicates),
        cmocka_unit_test(threads),         cmocka_unit_test(forks),
    };
    return cmocka_run_group_tests_name("shim_node", tests, NULL, NULL);
}
