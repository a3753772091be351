/* SPDX-License-Identifier: MIT
 *
 * Tests memory and buffer objects: they are zeroed, reused and limited in size, and thousands of them need few file
 * descriptors. Also tests the ioctls for tiling, labels, madvise, parameters and performance monitors.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <drm_fourcc.h>
#include "krn_test.h"
#include "model/kernel/krn_memory.h"

static struct model_device *dev;
static struct model_file *file;

static int setup(void **state)
{
    return model_create(&(struct model_options){.threads = 1, .memory_limit_B = 512 << 20}, &dev) ||
           model_open(dev, &file);
}

static int teardown(void **state)
{
    model_close(file);
    model_destroy(dev);
    return 0;
}

/* Allocates and frees ranges in random order and compares the allocator with a plain list of live ranges. Ranges never
 * overlap and are zeroed, and all memory can be allocated again at the end. */
static void check_ranges(bool is_private)
{
    enum { N = 200 };
    struct krn_memory mem;
    struct {
        uint32_t addr, size_B;
    } live[N] = {{0}};
    assert_int_equal(krn_memory_init(&mem, 256 << 20, is_private), 0);
    srand(5);
    for (int step = 0; step < 4000; step++) {
        int i = rand() % N;
        if (live[i].size_B) {
            memset(krn_memory_ptr(&mem, live[i].addr), 0xa5, live[i].size_B);
            assert_true(mem.gpu.is_mapped(&mem.gpu, live[i].addr, live[i].size_B));
            krn_memory_free(&mem, live[i].addr, live[i].size_B);
            assert_false(mem.gpu.is_mapped(&mem.gpu, live[i].addr, 1));
            live[i].size_B = 0;
            continue;
        }
        uint32_t size_B = 4096 * (1 + (uint32_t)rand() % (rand() % 8 ? 8 : rand() % 20 ? 200 : 1500));
        uint32_t align_B = rand() % 4 ? 4096 : 65536;
        assert_int_equal(krn_memory_alloc(&mem, size_B, align_B, KRN_ANYWHERE, &live[i].addr), 0);
        live[i].size_B = size_B;
        assert_int_equal(live[i].addr % align_B, 0);
        assert_int_not_equal(live[i].addr, 0);
        const uint32_t *words = krn_memory_ptr(&mem, live[i].addr);
        for (uint32_t w = 0; w < size_B / 4; w += 61)
            assert_int_equal(words[w], 0);
        for (int j = 0; j < N; j++) {
            if (j != i && live[j].size_B)
                assert_true(live[j].addr + live[j].size_B <= live[i].addr || live[i].addr + size_B <= live[j].addr);
        }
    }
    for (int i = 0; i < N; i++) {
        if (live[i].size_B)
            krn_memory_free(&mem, live[i].addr, live[i].size_B);
    }
    assert_int_equal(mem.used_B, 0);
    uint32_t all;
    assert_int_equal(krn_memory_alloc(&mem, 256 << 20, 4096, KRN_ANYWHERE, &all), 0); /* free ranges have been merged */
    uint32_t more;
    assert_int_equal(krn_memory_alloc(&mem, 4096, 4096, KRN_ANYWHERE, &more), -ENOMEM);
    krn_memory_free(&mem, all, 256 << 20);
    krn_memory_finish(&mem);
}

#if __SIZEOF_POINTER__ == 8 /* elsewhere the calls have other arguments */
/* The functions below override libc's in the library. They count how much memory it returns to the system, and how
 * often. */
static struct {
    uint64_t calls, size_B;
} released;

static int punch_hole(int fd, uint64_t offset_B, uint64_t size_B)
{
    released.calls++;
    released.size_B += size_B;
    return (int)syscall(SYS_fallocate, fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset_B, size_B);
}

int fallocate64(int fd, int mode, off64_t offset_B, off64_t size_B)
{
    return punch_hole(fd, (uint64_t)offset_B, (uint64_t)size_B);
}

int madvise(void *at, size_t size_B, int advice)
{
    if (advice == MADV_DONTNEED) {
        released.calls++;
        released.size_B += size_B;
    }
    return (int)syscall(SYS_madvise, at, size_B, advice);
}

static void memory_is_cleared_once(void **state)
{
    enum { SIZE_B = 1 << 20 };
    for (int is_private = 0; is_private < 2; is_private++) {
        struct krn_memory mem;
        uint32_t addr;
        assert_int_equal(krn_memory_init(&mem, 0, is_private), 0);
        assert_int_equal(krn_memory_alloc(&mem, SIZE_B, 4096, KRN_ANYWHERE, &addr), 0);
        memset(krn_memory_ptr(&mem, addr), 1, SIZE_B);
        released.calls = released.size_B = 0;
        krn_memory_free(&mem, addr, SIZE_B);
        assert_int_equal(released.calls, 1);
        assert_int_equal(released.size_B, SIZE_B);
        krn_memory_finish(&mem);
    }
}
#endif

static void ranges_do_not_overlap(void **state)
{
    check_ranges(false);
    check_ranges(true);
}

/* The memory of a buffer is replaced by a file's, and then by the model's own memory again. */
static void memory_may_be_a_file(void **state)
{
    for (int is_private = 0; is_private < 2; is_private++) {
        struct krn_memory mem;
        uint32_t addr;
        const uint32_t size_B = 3 << 20;
        assert_int_equal(krn_memory_init(&mem, 0, is_private), 0);
        assert_int_equal(krn_memory_alloc(&mem, size_B, 4096, KRN_ANYWHERE, &addr), 0);
        uint8_t *bytes = krn_memory_ptr(&mem, addr), seen = 0;
        memset(bytes, 1, size_B);
        int fd = memfd_create("test", MFD_CLOEXEC);
        assert_int_equal(ftruncate(fd, size_B), 0);
        assert_int_equal(krn_memory_map_file(&mem, addr, size_B, fd, 0), 0);
        assert_int_equal(bytes[size_B - 1], 0);
        bytes[5] = 7;
        assert_int_equal(pread(fd, &seen, 1, 5), 1);
        assert_int_equal(seen, 7);
        assert_int_equal(krn_memory_unmap_file(&mem, addr, size_B), 0);
        for (uint32_t i = 0; i < size_B; i++)
            assert_int_equal(bytes[i], 0);
        close(fd);
        krn_memory_free(&mem, addr, size_B);
        krn_memory_finish(&mem);
    }
}

static void allocations_have_places(void **state)
{
    enum { N = 8 };
    struct krn_memory mem;
    uint32_t low, upper[N], top[N], at;
    assert_int_equal(krn_memory_init(&mem, 0, true), 0);
    const uint32_t half = krn_memory_upper_addr(&mem);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(krn_memory_alloc(&mem, 4096, 4096, &(struct krn_place){MODEL_PLACE_UPPER, 0}, &upper[i]), 0);
        assert_int_equal(krn_memory_alloc(&mem, 4096, 4096, &(struct krn_place){MODEL_PLACE_TOP, 0}, &top[i]), 0);
        assert_int_equal(upper[i], half + 4096 * i);
        assert_true(i ? top[i] == top[i - 1] - 4096 : top[i] > half);
    }
    assert_int_equal(krn_memory_alloc(&mem, 4096, 4096, KRN_ANYWHERE, &low), 0);
    assert_true(low < half);
    assert_int_equal(krn_memory_alloc(&mem, 4096, 4096, &(struct krn_place){MODEL_PLACE_TOP, top[3]}, &at), -ENOMEM);
    assert_int_equal(krn_memory_alloc(&mem, 4096, 4096, &(struct krn_place){MODEL_PLACE_TOP, low + 4096}, &at),
                     -ENOMEM);
    krn_memory_free(&mem, top[3], 4096);
    krn_memory_free(&mem, top[5], 4096);
    assert_int_equal(krn_memory_alloc(&mem, 8192, 4096, &(struct krn_place){MODEL_PLACE_TOP, top[3]}, &at), -ENOMEM);
    assert_int_equal(krn_memory_alloc(&mem, 4096, 4096, &(struct krn_place){MODEL_PLACE_TOP, top[5]}, &at), 0);
    assert_int_equal(at, top[5]);
    assert_int_equal(krn_memory_alloc(&mem, 4096, 4096, &(struct krn_place){MODEL_PLACE_TOP, 0}, &at), 0);
    assert_int_equal(at, top[3]); /* the highest */
    krn_memory_finish(&mem);
}

static void edges_are_unmapped(void **state)
{
    struct krn_memory mem;
    uint32_t addr;
    assert_int_equal(krn_memory_init(&mem, 0, false), 0);
    assert_int_equal(krn_memory_alloc(&mem, 8192, 4096, KRN_ANYWHERE, &addr), 0);
    assert_true(mem.gpu.is_mapped(&mem.gpu, addr, 8192));
    assert_true(mem.gpu.is_mapped(&mem.gpu, addr + 8191, 1));
    assert_false(mem.gpu.is_mapped(&mem.gpu, addr, 8193));
    assert_false(mem.gpu.is_mapped(&mem.gpu, addr - 1, 2));
    assert_false(mem.gpu.is_mapped(&mem.gpu, 0, 1));
    assert_false(mem.gpu.is_mapped(&mem.gpu, 0xffffffff, 1));
    assert_false(mem.gpu.is_mapped(&mem.gpu, 0xfffffff0, 0x20));
    assert_false(mem.gpu.is_mapped(&mem.gpu, addr, 0xffffffff));
    krn_memory_finish(&mem);
}

static void thousands_of_buffers(void **state)
{
    enum { N = 4096 };
    struct rlimit old, few = {256, 256};
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    few.rlim_max = old.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    static uint32_t handles[N];
    for (uint32_t i = 0; i < N; i++) {
        handles[i] = create_bo(file, 4096 * (1 + i % 5));
        *(uint32_t *)model_bo_map(file, handles[i], NULL) = i;
    }
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(*(uint32_t *)model_bo_map(file, handles[i], NULL), i);
        close_bo(file, handles[i]);
    }
    setrlimit(RLIMIT_NOFILE, &old);
}

static void new_buffers_are_zero(void **state)
{
    for (int n = 0; n < 4; n++) {
        uint32_t size_B = n % 2 ? 8192 : 4 << 20;
        uint32_t handle = create_bo(file, size_B);
        uint64_t mapped_B = 0;
        uint8_t *map = model_bo_map(file, handle, &mapped_B);
        assert_int_equal(mapped_B, size_B);
        for (uint32_t i = 0; i < size_B; i++)
            assert_int_equal(map[i], 0);
        memset(map, 0xff, size_B);
        close_bo(file, handle);
    }
}

static void sizes(void **state)
{
    struct drm_vc4_create_bo args = {.size = 0};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_CREATE_BO, &args), -EINVAL);
    args.size = UINT32_MAX;
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_CREATE_BO, &args), -ENOMEM);
    args.size = 600 << 20; /* beyond the limit */
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_CREATE_BO, &args), -ENOMEM);
    uint64_t mapped_B;
    uint32_t handle = create_bo(file, 1);
    assert_non_null(model_bo_map(file, handle, &mapped_B));
    assert_int_equal(mapped_B, 4096);
    close_bo(file, handle);
}

static void handles(void **state)
{
    uint32_t a = create_bo(file, 1), b = create_bo(file, 1);
    assert_int_not_equal(a, b);
    close_bo(file, a);
    struct drm_gem_close gem_close = {.handle = a};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_GEM_CLOSE, &gem_close), -EINVAL);
    gem_close.handle = 0;
    assert_int_equal(model_ioctl(file, DRM_IOCTL_GEM_CLOSE, &gem_close), -EINVAL);
    gem_close.handle = UINT32_MAX;
    assert_int_equal(model_ioctl(file, DRM_IOCTL_GEM_CLOSE, &gem_close), -EINVAL);
    assert_null(model_bo_map(file, a, NULL));
    assert_int_equal(create_bo(file, 1), a); /* the lowest free one */
    struct model_file *other;
    assert_int_equal(model_open(dev, &other), 0);
    assert_null(model_bo_map(other, a, NULL)); /* handles are the file's own */
    model_close(other);
    struct drm_vc4_mmap_bo map = {.handle = a};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_MMAP_BO, &map), 0);
    assert_true(map.offset > 0);
    int fd;
    uint64_t offset_B;
    assert_int_equal(model_bo_fd(file, a, &fd, &offset_B), 0);
    assert_true(fd >= 0);
    assert_int_equal(model_bo_fd(file, 12345, &fd, &offset_B), -ENOENT);
    close_bo(file, a);
    close_bo(file, b);
    map.handle = a;
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_MMAP_BO, &map), -EINVAL);
}

static void tiling_labels_madvise(void **state)
{
    uint32_t handle = create_bo(file, 4096);
    struct drm_vc4_set_tiling set = {.handle = handle, .modifier = DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_SET_TILING, &set), 0);
    struct drm_vc4_get_tiling get = {.handle = handle};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_GET_TILING, &get), 0);
    assert_true(get.modifier == DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED);
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_GET_TILING, &get), -EINVAL); /* the modifier must be 0 on input */
    set.modifier = 12345;
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_SET_TILING, &set), -EINVAL);
    set = (struct drm_vc4_set_tiling){.handle = 9999};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_SET_TILING, &set), -ENOENT);

    char name[] = "picture";
    struct drm_vc4_label_bo label = {.handle = handle, .len = sizeof name, .name = (uintptr_t)name};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_LABEL_BO, &label), 0);
    label.len = 0;
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_LABEL_BO, &label), -EINVAL);
    label.len = sizeof name - 1; /* the length need not count the NUL */
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_LABEL_BO, &label), 0);
    label.len = 1000; /* nor be right, if there is one */
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_LABEL_BO, &label), 0);
    label.len = sizeof name - 2;
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_LABEL_BO, &label), -EINVAL);
    label.len = UINT32_MAX;
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_LABEL_BO, &label), -EFAULT);

    struct drm_vc4_gem_madvise madvise = {.handle = handle, .madv = VC4_MADV_DONTNEED};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_GEM_MADVISE, &madvise), 0);
    assert_int_equal(madvise.retained, 1);
    madvise.madv = 2;
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_GEM_MADVISE, &madvise), -EINVAL);
    madvise = (struct drm_vc4_gem_madvise){.handle = 9999};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_GEM_MADVISE, &madvise), -ENOENT);
    close_bo(file, handle);
}

static uint32_t advise(struct model_file *f, uint32_t handle, uint32_t madv)
{
    struct drm_vc4_gem_madvise args = {.handle = handle, .madv = madv};
    assert_int_equal(model_ioctl(f, DRM_IOCTL_VC4_GEM_MADVISE, &args), 0);
    return args.retained;
}

/* Programs may be purged, too. */
static void programs_are_purged(void **state)
{
    uint32_t handle;
    assert_int_equal(create_shader(file, IDLE_PROGRAM, &handle), 0);
    assert_int_equal(advise(file, handle, VC4_MADV_DONTNEED), 1);
    struct drm_vc4_create_bo huge = {.size = UINT32_MAX};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_CREATE_BO, &huge), -ENOMEM);
    assert_int_equal(advise(file, handle, VC4_MADV_WILLNEED), 0);
    close_bo(file, handle);
}

/* An exported buffer is never purged, and may be used although it is marked. What it is marked as, and its modifier,
 * last as long as the memory. */
static void exported_buffers_are_kept(void **state)
{
    uint32_t handle = create_bo(file, 4096);
    int fd, again;
    uint64_t size_B;
    assert_int_equal(model_bo_export(file, handle, false, &fd), 0);
    assert_int_equal(advise(file, handle, VC4_MADV_DONTNEED), 1);
    assert_int_equal(model_bo_export(file, handle, false, &again), 0);
    close(again);
    struct drm_vc4_create_bo huge = {.size = UINT32_MAX};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_CREATE_BO, &huge), -ENOMEM);
    assert_int_equal(advise(file, handle, VC4_MADV_DONTNEED), 1);
    assert_false(model_may_map_shared(fd, 0, 4096));
    struct drm_vc4_set_tiling set = {.handle = handle, .modifier = DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_SET_TILING, &set), 0);
    close_bo(file, handle);

    assert_int_equal(model_bo_import(file, fd, &handle), 0);
    struct drm_vc4_get_tiling get = {.handle = handle};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_GET_TILING, &get), 0);
    assert_true(get.modifier == DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED);
    assert_null(model_bo_map(file, handle, NULL));
    assert_int_equal(advise(file, handle, VC4_MADV_WILLNEED), 1);
    assert_true(model_may_map_shared(fd, 0, 4096));
    assert_false(model_may_map_shared(fd, 0, 8192));
    assert_false(model_may_map_shared(fd, 4096, 4096));
    assert_true(model_is_shared_memory(fd, &size_B));
    close_bo(file, handle);
    close(fd);
    assert_int_equal(model_bo_import(file, fd, &handle), -EBADF);
    assert_int_equal(model_bo_import(file, 0, &handle), -EINVAL);
}

/* The first export tells whether its descriptors may be written. */
static void exports_may_be_read_only(void **state)
{
    uint32_t handle = create_bo(file, 4096);
    int fd, again;
    assert_int_equal(model_bo_export(file, handle, true, &fd), 0);
    assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
    assert_int_equal(model_bo_export(file, handle, false, &again), 0);
    assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, again, 0), MAP_FAILED);
    close(again);
    close_bo(file, handle);
    assert_int_equal(model_bo_import(file, fd, &handle), 0);
    memset(model_bo_map(file, handle, NULL), 5, 4096);
    close_bo(file, handle);
    close(fd);
}

/* An mmap offset is good for the files that have a handle. */
static void offsets_are_the_files(void **state)
{
    uint32_t handle = create_bo(file, 8192);
    struct drm_vc4_mmap_bo args = {.handle = handle};
    struct model_file *other;
    int fd;
    uint64_t offset_B;
    assert_int_equal(model_open(dev, &other), 0);
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_MMAP_BO, &args), 0);
    assert_int_equal(model_map_offset(file, args.offset, 8192, true, &fd, &offset_B), 0);
    assert_int_equal(model_map_offset(file, args.offset, 12288, true, &fd, &offset_B), -EINVAL);
    assert_int_equal(model_map_offset(file, args.offset + 4096, 4096, true, &fd, &offset_B), -EINVAL);
    assert_int_equal(model_map_offset(other, args.offset, 8192, true, &fd, &offset_B), -EACCES);
    assert_int_equal(model_map_offset(other, args.offset, 12288, true, &fd, &offset_B), -EINVAL);
    model_close(other);
    close_bo(file, handle);
    assert_int_equal(model_map_offset(file, args.offset, 8192, true, &fd, &offset_B), -EINVAL);
}

/* Bad addresses, for a caller that is not trusted. */
static void addresses_are_checked(void **state)
{
    const struct model_options options = {.threads = 1, .checks_addresses = true};
    struct model_device *checking;
    struct model_file *f;
    assert_int_equal(model_create(&options, &checking), 0);
    assert_int_equal(model_open(checking, &f), 0);
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + 4096, 4096, PROT_NONE), 0);
    const struct iovec byte = {pages, 1};
    const bool notices_all = process_vm_readv(getpid(), &byte, 1, &byte, 1, 0) == 1; /* emulators lack it */

    strcpy(pages + 4090, "label");
    struct drm_vc4_label_bo label = {.handle = create_bo(f, 1), .len = 100};
    assert_int_equal(model_ioctl(f, DRM_IOCTL_VC4_LABEL_BO, &label), -EFAULT);
    label.name = (uintptr_t)(pages + 4090);
    assert_int_equal(model_ioctl(f, DRM_IOCTL_VC4_LABEL_BO, &label), 0);
    if (!notices_all)
        goto end;
    pages[4095] = 'x';
    assert_int_equal(model_ioctl(f, DRM_IOCTL_VC4_LABEL_BO, &label), -EFAULT);
    struct drm_vc4_create_shader_bo shader = {.size = 16, .data = (uintptr_t)(pages + 4088)};
    assert_int_equal(model_ioctl(f, DRM_IOCTL_VC4_CREATE_SHADER_BO, &shader), -EFAULT);
    struct drm_vc4_perfmon_create create = {.ncounters = 2};
    assert_int_equal(model_ioctl(f, DRM_IOCTL_VC4_PERFMON_CREATE, &create), 0);
    struct drm_vc4_perfmon_get_values get = {.id = create.id, .values_ptr = (uintptr_t)(pages + 4088)};
    assert_int_equal(model_ioctl(f, DRM_IOCTL_VC4_PERFMON_GET_VALUES, &get), -EFAULT);
    get.values_ptr -= 8;
    assert_int_equal(model_ioctl(f, DRM_IOCTL_VC4_PERFMON_GET_VALUES, &get), 0);
end:
    munmap(pages, 8192);
    model_close(f);
    model_destroy(checking);
}

/* When memory runs out, buffers marked DONTNEED are purged, those marked first before the others, and only as many as
 * necessary. */
static void unneeded_buffers_are_purged(void **state)
{
    /* 16 MiB for the binner, 8 MiB for buffers. */
    const struct model_options options = {.threads = 1, .memory_limit_B = (16u + 8) << 20};
    struct model_device *small;
    struct model_file *f;
    assert_int_equal(model_create(&options, &small), 0);
    assert_int_equal(model_open(small, &f), 0);
    uint32_t handles[4];
    for (unsigned i = 0; i < 4; i++) {
        handles[i] = create_bo(f, 2u << 20);
        memset(model_bo_map(f, handles[i], NULL), 7, 2u << 20);
    }
    struct drm_vc4_create_bo create = {.size = 4096};
    assert_int_equal(model_ioctl(f, DRM_IOCTL_VC4_CREATE_BO, &create), -ENOMEM);

    assert_int_equal(advise(f, handles[2], VC4_MADV_DONTNEED), 1);
    assert_int_equal(advise(f, handles[1], VC4_MADV_DONTNEED), 1);
    assert_int_equal(advise(f, handles[0], VC4_MADV_DONTNEED), 1);
    assert_int_equal(advise(f, handles[0], VC4_MADV_WILLNEED), 1); /* needed after all */
    assert_null(model_bo_map(f, handles[1], NULL));
    uint8_t *fresh = model_bo_map(f, create_bo(f, 1u << 20), NULL);
    assert_int_equal(fresh[0], 0);

    assert_int_equal(advise(f, handles[2], VC4_MADV_WILLNEED), 0); /* purged, and not restored */
    assert_int_equal(advise(f, handles[2], VC4_MADV_WILLNEED), 0);
    assert_null(model_bo_map(f, handles[2], NULL));
    assert_int_equal(advise(f, handles[1], VC4_MADV_WILLNEED), 1);
    assert_int_equal(((uint8_t *)model_bo_map(f, handles[1], NULL))[12345], 7);

    /* Closing a purged buffer does not free its memory a second time. */
    close_bo(f, handles[2]);
    create.size = (1u << 20) + 4096;
    assert_int_equal(model_ioctl(f, DRM_IOCTL_VC4_CREATE_BO, &create), -ENOMEM);
    create.size = 1u << 20;
    assert_int_equal(model_ioctl(f, DRM_IOCTL_VC4_CREATE_BO, &create), 0);
    model_close(f);
    model_destroy(small);
}

static void params_and_perfmons(void **state)
{
    struct drm_vc4_get_param param = {.param = DRM_VC4_PARAM_V3D_IDENT0};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_GET_PARAM, &param), 0);
    assert_true(param.value == 0x02443356);
    param.param = 99;
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_GET_PARAM, &param), -EINVAL);
    param.param = DRM_VC4_PARAM_SUPPORTS_PERFMON;
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_GET_PARAM, &param), 0);
    assert_true(param.value == 1);
    param = (struct drm_vc4_get_param){.pad = 1};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_GET_PARAM, &param), -EINVAL);

    struct drm_vc4_perfmon_create create = {.ncounters = 2, .events = {3, 30}};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_PERFMON_CREATE, &create), -EINVAL);
    create.events[1] = 29;
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_PERFMON_CREATE, &create), 0);
    uint64_t values[2] = {1, 1};
    struct drm_vc4_perfmon_get_values get = {.id = create.id, .values_ptr = (uintptr_t)values};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_PERFMON_GET_VALUES, &get), 0);
    struct drm_vc4_perfmon_destroy destroy = {.id = create.id};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_PERFMON_DESTROY, &destroy), 0);
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_PERFMON_DESTROY, &destroy), -EINVAL);
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_PERFMON_GET_VALUES, &get), -EINVAL);
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_GET_HANG_STATE, NULL), -EACCES);
    assert_int_equal(model_ioctl(file, 0x1234, NULL), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_do_not_overlap),
#if __SIZEOF_POINTER__ == 8
        cmocka_unit_test(memory_is_cleared_once),
#endif
        cmocka_unit_test(memory_may_be_a_file),
        cmocka_unit_test(allocations_have_places),
        cmocka_unit_test(edges_are_unmapped),
        cmocka_unit_test(thousands_of_buffers),
        cmocka_unit_test(new_buffers_are_zero),
        cmocka_unit_test(sizes),
        cmocka_unit_test(handles),
        cmocka_unit_test(tiling_labels_madvise),
        cmocka_unit_test(unneeded_buffers_are_purged),
        cmocka_unit_test(programs_are_purged),
        cmocka_unit_test(exported_buffers_are_kept),
        cmocka_unit_test(exports_may_be_read_only),
        cmocka_unit_test(offsets_are_the_files),
        cmocka_unit_test(addresses_are_checked),
        cmocka_unit_test(params_and_perfmons),
    };
    return cmocka_run_group_tests_name("buffers", tests, setup, teardown);
}
