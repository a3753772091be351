/* SPDX-License-Identifier: MIT
 *
 * Tests sparse buffers: what a block shows when it is bound, bound again and unbound, what is refused, what happens at
 * the process's limit of mappings, and the order of jobs that use the same memory through two buffers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "krn_test.h"
#include "model/model_sparse.h"

#define BLOCK_B MODEL_SPARSE_BLOCK_B
#define PAGE_B  4096u

static uint32_t create_sparse(struct model_file *file, uint32_t blocks)
{
    uint32_t handle;
    assert_int_equal(model_sparse_create(file, blocks * BLOCK_B, MODEL_PLACE_UPPER, 0, &handle), 0);
    return handle;
}

static void bind(struct model_file *file, uint32_t sparse, uint32_t block, uint32_t memory, uint32_t memory_offset_B)
{
    assert_int_equal(model_sparse_bind(file, sparse, block * BLOCK_B, BLOCK_B, memory, memory_offset_B), 0);
}

static uint8_t *map(struct model_file *file, uint32_t handle)
{
    uint8_t *bytes = model_bo_map(file, handle, NULL);
    assert_non_null(bytes);
    return bytes;
}

static uint64_t address(struct model_file *file, uint32_t handle)
{
    struct drm_vc4_mmap_bo args = {.handle = handle};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_MMAP_BO, &args), 0);
    return args.offset;
}

static void assert_zero(const uint8_t *bytes, uint32_t size_B)
{
    for (uint32_t i = 0; i < size_B; i++)
        assert_int_equal(bytes[i], 0);
}

static void blocks_show_memory(void **state)
{
    struct test_job job;
    job_init(&job);
    const uint32_t sparse = create_sparse(job.file, 4), other = create_sparse(job.file, 1);
    const uint32_t memory = create_bo(job.file, 3 * BLOCK_B);
    uint8_t *shown = map(job.file, sparse), *also = map(job.file, other), *bytes = map(job.file, memory);
    const uint64_t addr = address(job.file, sparse);
    assert_zero(shown, 4 * BLOCK_B);
    for (uint32_t i = 0; i < 3; i++)
        bytes[i * BLOCK_B + 5] = (uint8_t)(i + 1);
    bind(job.file, sparse, 3, memory, 0);
    bind(job.file, sparse, 1, memory, 2 * BLOCK_B);
    bind(job.file, other, 0, memory, 2 * BLOCK_B);
    assert_int_equal(shown[3 * BLOCK_B + 5], 1); /* what was there before */
    assert_int_equal(shown[BLOCK_B + 5], 3);
    assert_int_equal(also[5], 3);
    assert_zero(shown, BLOCK_B);
    shown[BLOCK_B + 7] = 77; /* one page, three addresses */
    assert_int_equal(bytes[2 * BLOCK_B + 7], 77);
    assert_int_equal(also[7], 77);
    bind(job.file, sparse, 1, memory, BLOCK_B); /* other memory at the same address */
    assert_int_equal(shown[BLOCK_B + 5], 2);
    assert_int_equal(also[5], 3);
    bind(job.file, sparse, 1, 0, 0);
    assert_zero(shown + BLOCK_B, BLOCK_B);
    shown[BLOCK_B + 5] = 99;
    assert_int_equal(bytes[BLOCK_B + 5], 2); /* no memory of others */
    assert_int_equal(address(job.file, sparse), addr);
    assert_ptr_equal(map(job.file, sparse), shown);
    job_finish(&job);
}

/* A single page can be bound as well, and a range over several mappings. */
static void ranges_are_whole_pages(void **state)
{
    struct test_job job;
    job_init(&job);
    const uint32_t sparse = create_sparse(job.file, 2), memory = create_bo(job.file, 2 * BLOCK_B);
    uint8_t *shown = map(job.file, sparse), *bytes = map(job.file, memory);
    memset(bytes, 1, 2 * BLOCK_B);
    for (uint32_t i = 0; i < 32; i += 2)
        assert_int_equal(model_sparse_bind(job.file, sparse, i * PAGE_B, PAGE_B, memory, (31 - i) * PAGE_B), 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(shown[i * PAGE_B], i % 2 == 0);
    assert_int_equal(model_sparse_bind(job.file, sparse, 3 * PAGE_B, 20 * PAGE_B, memory, PAGE_B), 0);
    bytes[19 * PAGE_B] = 9;
    assert_int_equal(shown[21 * PAGE_B], 9);
    assert_int_equal(model_sparse_bind(job.file, sparse, 0, 2 * BLOCK_B, 0, 0), 0);
    assert_zero(shown, 2 * BLOCK_B);
    job_finish(&job);
}

/* When a sparse buffer ends, the memory stays as it is, and the next buffer at its address is zero. */
static void the_end_leaves_memory_alone(void **state)
{
    struct test_job job;
    job_init(&job);
    const uint32_t memory = create_bo(job.file, BLOCK_B);
    uint8_t *bytes = map(job.file, memory);
    memset(bytes, 7, BLOCK_B);
    for (uint32_t i = 0; i < 20; i++) {
        const uint32_t sparse = create_sparse(job.file, 2);
        uint8_t *shown = map(job.file, sparse);
        assert_zero(shown, 2 * BLOCK_B);
        bind(job.file, sparse, i % 2, memory, 0);
        memset(shown, 7, 2 * BLOCK_B); /* the unbound block too */
        close_bo(job.file, sparse);
        for (uint32_t k = 0; k < BLOCK_B; k++)
            assert_int_equal(bytes[k], 7);
    }
    uint32_t plain;
    assert_int_equal(model_bo_create(job.file, 2 * BLOCK_B, MODEL_PLACE_UPPER, 0, &plain), 0);
    assert_zero(map(job.file, plain), 2 * BLOCK_B);
    job_finish(&job);
}

/* Memory may end while it is shown. */
static void memory_ends_while_shown(void **state)
{
    struct test_job job;
    job_init(&job);
    const uint32_t sparse = create_sparse(job.file, 1);
    uint8_t *shown = map(job.file, sparse);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t memory = create_bo(job.file, BLOCK_B);
        map(job.file, memory)[0] = 5;
        if (i) { /* then the pages live as long as the mapping */
            int fd;
            assert_int_equal(model_bo_export(job.file, memory, false, &fd), 0);
            close(fd);
        }
        bind(job.file, sparse, 0, memory, 0);
        assert_int_equal(shown[0], 5);
        close_bo(job.file, memory);
        assert_int_equal(shown[0], i ? 5 : 0);
    }
    bind(job.file, sparse, 0, 0, 0);
    assert_zero(shown, BLOCK_B);
    job_finish(&job);
}

/* Memory with a file of its own: exported before, and imported by another device. */
static void shared_memory_is_shown(void **state)
{
    struct test_job job, there;
    job_init(&job);
    job_init(&there);
    const uint32_t memory = create_bo(job.file, 2 * BLOCK_B);
    uint32_t imported;
    int fd;
    assert_int_equal(model_bo_export(job.file, memory, false, &fd), 0);
    assert_int_equal(model_bo_import(there.file, fd, &imported), 0);
    close(fd);
    const uint32_t here = create_sparse(job.file, 1), sparse = create_sparse(there.file, 1);
    bind(job.file, here, 0, memory, BLOCK_B);
    bind(there.file, sparse, 0, imported, BLOCK_B);
    map(job.file, here)[3] = 44;
    assert_int_equal(map(there.file, sparse)[3], 44);
    assert_int_equal(map(job.file, memory)[BLOCK_B + 3], 44);
    job_finish(&there);
    assert_int_equal(map(job.file, here)[3], 44);
    job_finish(&job);
}

/* Addresses are all that a sparse buffer takes: it may be larger than the device's memory. */
static void it_takes_no_memory(void **state)
{
    struct test_job job;
    job_init_with(&job, &(struct model_options){.memory_limit_B = 64u << 20});
    struct drm_vc4_create_bo args = {.size = 128u << 20};
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_CREATE_BO, &args), -ENOMEM);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t sparse = create_sparse(job.file, (128u << 20) / BLOCK_B);
        const uint32_t memory = create_bo(job.file, 16u << 20);
        for (uint32_t k = 0; k < 100; k++)
            bind(job.file, sparse, 20 * k, memory, k * BLOCK_B);
        close_bo(job.file, sparse);
        close_bo(job.file, memory);
    }
    close_bo(job.file, create_bo(job.file, 32u << 20)); /* all of it is free again */
    job_finish(&job);
}

static void what_is_refused(void **state)
{
    struct test_job job, private_job;
    job_init(&job);
    const uint32_t sparse = create_sparse(job.file, 2), memory = create_bo(job.file, BLOCK_B);
    uint32_t handle, host;
    uint8_t *shown = map(job.file, sparse);
    int fd;
    bind(job.file, sparse, 0, memory, 0);
    map(job.file, memory)[9] = 9;
    assert_int_equal(model_sparse_create(job.file, 0, MODEL_PLACE_UPPER, 0, &handle), -EINVAL);
    assert_int_equal(model_sparse_create(job.file, PAGE_B, MODEL_PLACE_UPPER, 0, &handle), -EINVAL);
    assert_int_equal(model_sparse_bind(job.file, 9999, 0, PAGE_B, memory, 0), -ENOENT);
    assert_int_equal(model_sparse_bind(job.file, sparse, 0, PAGE_B, 9999, 0), -ENOENT);
    assert_int_equal(model_sparse_bind(job.file, memory, 0, PAGE_B, memory, 0), -EINVAL); /* not sparse */
    assert_int_equal(model_sparse_bind(job.file, sparse, 0, PAGE_B, sparse, 0), -EINVAL);
    assert_int_equal(model_sparse_bind(job.file, sparse, 0, 0, memory, 0), -EINVAL);
    assert_int_equal(model_sparse_bind(job.file, sparse, 8, PAGE_B, memory, 0), -EINVAL);
    assert_int_equal(model_sparse_bind(job.file, sparse, 0, 100, memory, 0), -EINVAL);
    assert_int_equal(model_sparse_bind(job.file, sparse, 0, PAGE_B, memory, 8), -EINVAL);
    assert_int_equal(model_sparse_bind(job.file, sparse, BLOCK_B, 2 * BLOCK_B, 0, 0), -EINVAL);
    assert_int_equal(model_sparse_bind(job.file, sparse, 3 * BLOCK_B, PAGE_B, 0, 0), -EINVAL);
    assert_int_equal(model_sparse_bind(job.file, sparse, 0, 2 * BLOCK_B, memory, 0), -EINVAL);
    assert_int_equal(model_sparse_bind(job.file, sparse, 0, BLOCK_B, memory, PAGE_B), -EINVAL);
    assert_int_equal(model_sparse_bind(job.file, sparse, 0, PAGE_B, job.handles[BO_FS], 0), -EINVAL); /* a program */
    void *own = aligned_alloc(BLOCK_B, BLOCK_B);
    const int err = model_bo_import_host(job.file, own, BLOCK_B, &host);
    if (!err) {
        assert_int_equal(model_sparse_bind(job.file, sparse, 0, BLOCK_B, host, 0), -EINVAL);
        close_bo(job.file, host);
    } else {
        assert_int_equal(err, -ENOMEM);
        print_message("# not tested: memory of the program, which qemu cannot share\n");
    }
    free(own);
    assert_int_equal(model_bo_export(job.file, sparse, false, &fd), -EINVAL);
    struct drm_vc4_gem_madvise madvise = {.handle = sparse, .madv = VC4_MADV_DONTNEED};
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_GEM_MADVISE, &madvise), -EINVAL);
    madvise.handle = memory;
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_GEM_MADVISE, &madvise), 0);
    assert_int_equal(model_sparse_bind(job.file, sparse, 0, BLOCK_B, memory, 0), -EINVAL);
    assert_int_equal(shown[9], 9); /* nothing has changed */
    job_finish(&job);
    job_init_with(&private_job, &(struct model_options){.is_private = true});
    assert_int_equal(model_sparse_create(private_job.file, BLOCK_B, MODEL_PLACE_UPPER, 0, &handle), -EINVAL);
    job_finish(&private_job);
}

/* Takes all mappings that the system allows the process, by pages of alternating access. NULL: there are too many. */
static uint8_t *exhaust_mappings(size_t size_B)
{
    uint8_t *pages = mmap(NULL, size_B, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(pages != MAP_FAILED);
    for (size_t at = PAGE_B; at < size_B; at += 2 * PAGE_B)
        if (mprotect(pages + at, PAGE_B, PROT_NONE))
            return pages;
    munmap(pages, size_B);
    return NULL;
}

/* A binding that fails because the process has too many mappings leaves what was bound. */
static void the_limit_of_mappings(void **state)
{
    struct test_job job;
    job_init(&job);
    const uint32_t sparse = create_sparse(job.file, 8), memory = create_bo(job.file, 8 * BLOCK_B);
    uint8_t *shown = map(job.file, sparse), *bytes = map(job.file, memory);
    for (uint32_t i = 0; i < 8; i++)
        bytes[i * BLOCK_B] = (uint8_t)(i + 1);
    assert_int_equal(model_sparse_bind(job.file, sparse, 0, 8 * BLOCK_B, memory, 0), 0); /* one mapping */
    const size_t size_B = (size_t)PAGE_B << 17;
    uint8_t *pages = exhaust_mappings(size_B);
    int err = 0;
    if (pages) {
        err = model_sparse_bind(job.file, sparse, 3 * BLOCK_B, BLOCK_B, memory, 0);
        munmap(pages, size_B);
    }
    if (!pages) {
        print_message("# the system allows more than %zu mappings\n", size_B / PAGE_B);
    } else {
        assert_int_equal(err, -ENOMEM);
        for (uint32_t i = 0; i < 8; i++)
            assert_int_equal(shown[i * BLOCK_B], i + 1);
    }
    bind(job.file, sparse, 3, memory, 0);
    assert_int_equal(shown[3 * BLOCK_B], 1);
    job_finish(&job);
}

/* No more blocks can be created than the process may have mappings, and each can be shown by a mapping of its own. */
static void blocks_are_limited_by_mappings(void **state)
{
    struct test_job job, second;
    job_init(&job);
    job_init(&second);
    const uint32_t blocks = (1u << 31) / BLOCK_B;
    const uint32_t sparse = create_sparse(job.file, blocks), memory = create_bo(job.file, 2 * BLOCK_B);
    uint8_t *shown = map(job.file, sparse);
    map(job.file, memory)[0] = 1;
    for (uint32_t i = 0; i < blocks; i++)
        bind(job.file, sparse, i, memory, i % 2 ? 0 : BLOCK_B);
    for (uint32_t i = 0; i < blocks; i++)
        assert_int_equal(shown[(size_t)i * BLOCK_B], i % 2);
    FILE *file = fopen("/proc/sys/vm/max_map_count", "r");
    unsigned long limit = 0;
    assert_true(file && fscanf(file, "%lu", &limit) == 1);
    fclose(file);
    uint32_t handle;
    const int err = model_sparse_create(second.file, 1u << 31, MODEL_PLACE_UPPER, 0, &handle);
    if (limit / 4 * 3 < 2 * blocks)
        assert_int_equal(err, -ENOMEM);
    close_bo(job.file, sparse);
    if (err)
        assert_int_equal(model_sparse_create(second.file, 1u << 31, MODEL_PLACE_UPPER, 0, &handle), 0);
    job_finish(&second);
    job_finish(&job);
}

/* ---------------------------------------------------------------- order */

static uint32_t renders_at_bin_done[4], bins_done;

static void on_bin_done(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots)
{
    renders_at_bin_done[bins_done++] = chip.renders;
}

/* Submits two equal jobs, of which each renders for a while. Returns whether the second was binned after that. */
static bool second_waits(struct test_job *job)
{
    bins_done = 0;
    model_set_bin_done_hook(job->dev, on_bin_done, NULL);
    chip.sleep_ns = 50000000;
    job->skip_wait = true;
    assert_accepted(job_submit(job));
    assert_accepted(job_submit(job));
    struct drm_vc4_wait_seqno wait = {.seqno = 2, .timeout_ns = UINT64_MAX};
    assert_int_equal(model_ioctl(job->file, DRM_IOCTL_VC4_WAIT_SEQNO, &wait), 0);
    assert_int_equal(bins_done, 2);
    return renders_at_bin_done[1] == 1;
}

/* The kernel orders binning after rendering by the buffer that the one stores and the other reads. Two buffers may show
 * the same memory if one of them is sparse. */
static void binning_waits_for_stores_through_another_buffer(void **state)
{
    for (uint32_t which = 0; which < 2; which++) {
        const int bo = which ? BO_VERTICES : BO_COLOR;
        struct test_job job;
        job_init(&job);
        close_bo(job.file, job.handles[bo]);
        job.handles[bo] = create_sparse(job.file, 1);
        bind(job.file, job.handles[bo], 0, create_bo(job.file, BLOCK_B), 0);
        assert_true(second_waits(&job));
        job_finish(&job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_show_memory),
        cmocka_unit_test(ranges_are_whole_pages),
        cmocka_unit_test(the_end_leaves_memory_alone),
        cmocka_unit_test(memory_ends_while_shown),
        cmocka_unit_test(shared_memory_is_shown),
        cmocka_unit_test(it_takes_no_memory),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(the_limit_of_mappings),
        cmocka_unit_test(blocks_are_limited_by_mappings),
        cmocka_unit_test(binning_waits_for_stores_through_another_buffer),
    };
    if (!model_has_sparse()) {
        puts("1..0 # SKIP sparse buffers need 64-bit addresses and pages of 4 KiB");
        return 0;
    }
    return cmocka_run_group_tests_name("krn_sparse", tests, NULL, NULL);
}
