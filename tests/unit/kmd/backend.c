/* SPDX-License-Identifier: MIT
 *
 * Tests what all kmd backends have in common: buffer objects, programs, jobs, refusals, shared memory and the CPU
 * engine. VC4VK_DEVICE selects the backend: the model, or DRM under the shim.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>
#include <drm_fourcc.h>
#include "hw/cl.h"
#include "hw/qpu.h"
#include "kmd/kmd.h"
#include "util/log.h"
#include "util/thread.h"

static const char *requested_device;

static bool is_drm(void)
{
    return strcmp(requested_device, "model") != 0;
}

static int open_device(void **state)
{
    struct kmd_physical physical[KMD_MAX_DEVICES];
    struct kmd_device *dev = NULL;
    setenv("VC4VK_DEVICE", requested_device, 1);
    if (kmd_enumerate(physical) != 1 || kmd_open(&physical[0], &dev))
        return 1;
    *state = dev;
    return 0;
}

static int close_device(void **state)
{
    kmd_close(*state);
    return 0;
}

struct log_lines {
    uint32_t count;
    char last[512];
};

static void keep_line(void *data, enum util_log_level level, const char *line)
{
    struct log_lines *lines = data;
    lines->count++;
    strncpy(lines->last, line, sizeof lines->last - 1);
}

static void environment_restricts(void **state)
{
    struct kmd_physical physical[KMD_MAX_DEVICES];
    struct log_lines lines = {0};
    util_log_set_sink(keep_line, &lines);
    setenv("VC4VK_DEVICE", "drm", 1);
    uint32_t chips = kmd_enumerate(physical);
    assert_int_equal(chips, is_drm());
    assert_int_equal(kmd_enumerate(physical), chips);
    assert_int_equal(lines.count, !is_drm()); /* logged only once */
    if (!is_drm())
        assert_non_null(strstr(lines.last, "VC4VK_DEVICE=drm"));
    setenv("VC4VK_DEVICE", is_drm() ? physical[0].path : "/dev/dri/renderD128", 1);
    assert_int_equal(kmd_enumerate(physical), chips);
    setenv("VC4VK_DEVICE", "/dev/dri/renderD191", 1);
    assert_int_equal(kmd_enumerate(physical), 0);
    setenv("VC4VK_DEVICE", "nonsense", 1);
    assert_int_equal(kmd_enumerate(physical), 0);
    assert_int_equal(lines.count, 1);
    unsetenv("VC4VK_DEVICE");
    assert_int_equal(kmd_enumerate(physical), 1);
    assert_int_equal(physical[0].path[0] != 0, is_drm()); /* a chip is preferred to the model */
    util_log_set_sink(NULL, NULL);
    assert_true(physical[0].info.is_model);                  /* also behind the shim's DRM node */
    assert_int_equal(physical[0].info.ident[0], 0x02443356); /* "V3D", 2 [guide p.85 V3D_IDENT0] */
    assert_true(physical[0].info.memory_B >= UINT64_C(64) << 20);
}

static void buffer_objects(void **state)
{
    struct kmd_device *dev = *state;
    struct kmd_bo *bo;
    assert_int_equal(kmd_bo_create(dev, 100000, "test", &bo), 0);
    uint8_t *map = kmd_bo_map(bo);
    assert_non_null(map);
    assert_int_equal(map[0] | map[bo->size_B - 1], 0); /* new BOs are zeroed, as by the kernel */
    memset(map, 0xa5, bo->size_B);
    kmd_bo_unref(bo);

    const uint64_t zero = 0; /* refused: signal 0 is a breakpoint, and there is no program end */
    assert_int_equal(kmd_bo_create_shader(dev, &zero, 8, &bo), -EINVAL);
    assert_true(kmd_last_refusal(dev)[0]);
}

/* A program that does nothing is accepted. Its BO is rounded up to whole pages and cannot be mapped. */
static void programs(void **state)
{
    struct kmd_device *dev = *state;
    const uint64_t nop = UINT64_C(0x100009e7009e7000), end = UINT64_C(0x300009e7009e7000);
    const uint64_t code[] = {nop, end, nop, nop};
    struct kmd_bo *bo;
    assert_int_equal(kmd_bo_create_shader(dev, code, sizeof code, &bo), 0);
    assert_int_equal(bo->size_B, 4096);
    assert_null(kmd_bo_map(bo));
    kmd_bo_unref(bo);
}

/* The contents of sparse BOs are tested with the model. Here: they are neither charged nor reused nor exported, and
 * there are none where nobody asked for them. */
static void sparse_buffer_objects(void **state)
{
    struct kmd_device *dev = *state, *sparse_dev = NULL;
    struct kmd_physical physical[KMD_MAX_DEVICES];
    struct kmd_bo *bo, *memory;
    int fd;
    assert_int_equal(kmd_bo_create_sparse(dev, 1 << 20, KMD_PLACE_MEMORY, 0, "sparse", &bo), -ENOTSUP);
    assert_int_equal(kmd_enumerate(physical), 1);
    const uint32_t block_B = physical[0].info.sparse_block_B;
    physical[0].wants_sparse = true;
    assert_int_equal(kmd_open(&physical[0], &sparse_dev), 0);
    if (!block_B) {
        assert_int_equal(kmd_bo_create_sparse(sparse_dev, 1 << 20, KMD_PLACE_MEMORY, 0, "sparse", &bo), -ENOTSUP);
        kmd_close(sparse_dev);
        return;
    }
    assert_false(is_drm());
    assert_int_equal(kmd_bo_create(sparse_dev, block_B, "memory", &memory), 0);
    const uint64_t used_B = kmd_memory_used_B(sparse_dev);
    uint8_t *bytes = kmd_bo_map(memory);
    assert_int_equal(kmd_bo_create_sparse(sparse_dev, 0, KMD_PLACE_MEMORY, 0, NULL, &bo), -EINVAL);
    assert_int_equal(kmd_bo_create_sparse(sparse_dev, UINT64_C(1) << 33, KMD_PLACE_MEMORY, 0, NULL, &bo), -ENOMEM);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kmd_bo_create_sparse(sparse_dev, 4 * block_B, KMD_PLACE_MEMORY, 0, "sparse", &bo), 0);
        assert_true(bo->size_B == 4 * block_B && kmd_memory_used_B(sparse_dev) == used_B);
        uint8_t *shown = kmd_bo_map(bo);
        assert_int_equal(shown[2 * block_B], 0); /* not what the one before it showed */
        assert_int_equal(kmd_bo_bind_sparse(bo, 2 * block_B, block_B, memory, 0), 0);
        shown[2 * block_B] = 9;
        assert_int_equal(bytes[0], 9);
        assert_int_equal(kmd_bo_bind_sparse(memory, 0, block_B, memory, 0), -EINVAL);
        assert_int_equal(kmd_bo_bind_sparse(bo, 0, block_B, bo, 0), -EINVAL);
        assert_int_equal(kmd_bo_export_fd(bo, &fd), -EINVAL);
        kmd_bo_unref(bo);
        assert_true(kmd_memory_used_B(sparse_dev) == used_B && kmd_bo_cache_is_empty(sparse_dev));
    }
    kmd_bo_unref(memory);
    kmd_close(sparse_dev);
}

/* The driver promises 4,096 allocations, even to a process with a limit of 256 file descriptors. */
static void many_need_few_descriptors(void **state)
{
    enum { COUNT = 4096 };
    struct kmd_device *dev = *state;
    static struct kmd_bo *bos[COUNT];
    struct rlimit limit, small;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    small = limit;
    small.rlim_cur = MIN2(limit.rlim_cur, 256);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(kmd_bo_create(dev, 4096, NULL, &bos[i]), 0);
        *(uint32_t *)kmd_bo_map(bos[i]) = i;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(*(uint32_t *)kmd_bo_map(bos[i]), i);
        kmd_bo_unref(bos[i]);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* Memory of the application lies in the upper half of the engine's addresses, the driver's own in the lower half. */
static void places(void **state)
{
    struct kmd_device *dev = *state;
    const uint32_t half = kmd_engine_memory_addr(dev);
    struct kmd_bo *own, *memory[3], *replayed[2], *taken;
    uint32_t addr, at[2];
    struct kmd_part part;
    for (int round = 0; round < 2; round++) { /* the second time the BOs come from the cache */
        assert_int_equal(kmd_bo_create(dev, 8192, "own", &own), 0);
        assert_int_equal(kmd_bo_engine_addr(own, &addr), 0);
        assert_true(addr && addr < half);
        for (uint32_t i = 0; i < ARRAY_SIZE(memory); i++) {
            assert_int_equal(kmd_bo_create_at(dev, 8192, KMD_PLACE_MEMORY, 0, "memory", &memory[i]), 0);
            assert_int_equal(kmd_bo_engine_addr(memory[i], &addr), 0);
            assert_true(addr >= half);
        }
        assert_int_equal(kmd_part_create(dev, 100, "part", &part), 0);
        assert_int_equal(kmd_bo_engine_addr(part.bo, &addr), 0);
        assert_true(addr >= half);
        kmd_part_destroy(&part);
        kmd_bo_unref(own);
        for (uint32_t i = 0; i < ARRAY_SIZE(memory); i++)
            kmd_bo_unref(memory[i]);
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kmd_bo_create_at(dev, 4096 << i, KMD_PLACE_REPLAY, 0, "replayed", &replayed[i]), 0);
        assert_int_equal(kmd_bo_engine_addr(replayed[i], &at[i]), 0);
    }
    assert_true(at[1] < at[0] && at[1] > half);
    assert_int_equal(kmd_bo_create_at(dev, 4096, KMD_PLACE_REPLAY, at[1], "taken", &taken), -EADDRINUSE);
    for (uint32_t i = 0; i < 2; i++)
        kmd_bo_unref(replayed[i]);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kmd_bo_create_at(dev, 4096 << i, KMD_PLACE_REPLAY, at[i], "again", &replayed[i]), 0);
        assert_int_equal(kmd_bo_engine_addr(replayed[i], &addr), 0);
        assert_int_equal(addr, at[i]);
        assert_non_null(kmd_bo_map(replayed[i]));
    }
    for (uint32_t i = 0; i < 2; i++)
        kmd_bo_unref(replayed[i]);
    assert_int_equal(kmd_bo_create_at(dev, 4096, KMD_PLACE_REPLAY, 0x20000, "low", &taken), -EADDRINUSE);
}

static void too_much_memory_is_an_error(void **state)
{
    struct kmd_device *dev = *state;
    struct kmd_bo *bos[64];
    uint32_t count = 0;
    int err = 0;
    while (count < ARRAY_SIZE(bos) && !(err = kmd_bo_create(dev, UINT64_C(64) << 20, NULL, &bos[count])))
        count++;
    assert_int_equal(err, -ENOMEM);
    assert_true(count >= 1);
    kmd_bo_unref(bos[--count]);
    assert_int_equal(kmd_bo_create(dev, UINT64_C(63) << 20, NULL, &bos[count]), 0); /* the released one makes room */
    count++;
    while (count)
        kmd_bo_unref(bos[--count]);
}

static void attributes(void **state)
{
    struct kmd_device *dev = *state;
    struct kmd_bo *bo;
    uint64_t modifier;
    bool retained;
    assert_int_equal(kmd_bo_create(dev, 4096, "test", &bo), 0);
    assert_int_equal(kmd_bo_get_tiling(bo, &modifier), 0);
    assert_int_equal(modifier, DRM_FORMAT_MOD_LINEAR);
    assert_int_equal(kmd_bo_set_tiling(bo, DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED), 0);
    assert_int_equal(kmd_bo_get_tiling(bo, &modifier), 0);
    assert_int_equal(modifier, DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED);
    assert_int_equal(kmd_bo_set_tiling(bo, 12345), -EINVAL);
    assert_int_equal(kmd_bo_madvise(bo, false, &retained), 0);
    assert_int_equal(kmd_bo_madvise(bo, true, &retained), 0);
    assert_true(retained);
    assert_int_equal(kmd_bo_wait(bo, 0), 0);
    kmd_bo_unref(bo);
}

static void performance_monitors(void **state)
{
    struct kmd_device *dev = *state;
    uint32_t id = 0;
    uint64_t values[2] = {1, 1};
    assert_int_equal(kmd_perfmon_create(dev, (uint8_t[]){0, 30}, 2, &id), -EINVAL); /* events are 0 to 29 */
    assert_int_equal(kmd_perfmon_create(dev, (uint8_t[]){0, 29}, 2, &id), 0);
    assert_int_equal(kmd_perfmon_get_values(dev, id + 1, values), -EINVAL);
    assert_int_equal(kmd_perfmon_get_values(dev, id, values), 0);
    assert_int_equal(values[0] | values[1], 0);
    kmd_perfmon_destroy(dev, id);
}

/* A render-only job that clears 64x64 pixels of a raster surface. */
static struct kmd_submit clear_job(struct kmd_bo **bo, struct kmd_timeline *line, uint64_t value, uint32_t color)
{
    struct kmd_submit submit = {.bos = bo, .bo_count = 1, .timeline = line, .value = value};
    kmd_render_init(&submit.render);
    submit.render.width_px = submit.render.height_px = 64;
    submit.render.color_write = (struct kmd_surface){.bo_index = 0, .bits = 1 << 2}; /* RGBA8888, raster */
    submit.render.clear_color[0] = submit.render.clear_color[1] = color;
    submit.render.flags = KMD_RENDER_USE_CLEAR_COLOR;
    return submit;
}

static void wait_for(struct kmd_device *dev, struct kmd_timeline *line, uint64_t value)
{
    struct kmd_store *store = kmd_device_store(dev);
    uint64_t deadline_ns = util_deadline_ns(UINT64_C(10000000000));
    pthread_mutex_lock(&store->mutex);
    while (!kmd_timeline_is_retired(line, value) && util_cond_wait_until(&store->cond, &store->mutex, deadline_ns)) {
    }
    pthread_mutex_unlock(&store->mutex);
    assert_true(kmd_timeline_is_retired(line, value));
}

static void jobs_clear(void **state)
{
    struct kmd_device *dev = *state;
    struct kmd_timeline *line;
    struct kmd_bo *bo;
    struct kmd_job_times times = {0};
    assert_int_equal(kmd_timeline_create(dev, &line), 0);
    assert_int_equal(kmd_bo_create(dev, 64 * 64 * 4, "surface", &bo), 0);
    const uint32_t *pixels = kmd_bo_map(bo);
    for (uint32_t i = 1; i <= 20; i++) {
        struct kmd_submit submit = clear_job(&bo, line, i, 0x11223300 + i);
        submit.times = &times;
        uint64_t before_ns = util_now_ns();
        assert_int_equal(kmd_submit(dev, &submit), 0);
        wait_for(dev, line, i);
        assert_int_equal(pixels[0], 0x11223300 + i);
        assert_int_equal(pixels[64 * 64 - 1], 0x11223300 + i);
        assert_true(before_ns <= times.started_ns && times.started_ns <= times.finished_ns);
    }
    struct kmd_submit bad = clear_job(&bo, line, 21, 0);
    bad.render.color_write.bo_index = 1; /* past the table */
    assert_int_equal(kmd_submit(dev, &bad), -EINVAL);
    assert_true(kmd_last_refusal(dev)[0]);
    kmd_bo_unref(bo);
    kmd_timeline_destroy(line);
}

/* Exports a job's fence as a sync file and checks it. The model alone has no sync files. Under the shim only the shim's
 * own calls accept a sync file, so devices there do not report support for them. */
static void sync_files(void **state)
{
    struct kmd_device *dev = *state;
    struct kmd_physical physical[KMD_MAX_DEVICES];
    struct kmd_timeline *line;
    struct kmd_bo *bo;
    int fd = -1;
    assert_int_equal(kmd_enumerate(physical), 1);
    assert_false(physical[0].info.has_sync_files);
    assert_int_equal(kmd_timeline_create(dev, &line), 0);
    assert_int_equal(kmd_bo_create(dev, 64 * 64 * 4, "surface", &bo), 0);
    struct kmd_submit submit = clear_job(&bo, line, 1, 0x11223344);
    assert_int_equal(kmd_submit(dev, &submit), 0);
    int err = kmd_job_sync_file(dev, line, 1, &fd);
    if (is_drm()) {
        assert_true(err == 0 || err == -ENOENT); /* -ENOENT: the job has already finished */
        if (!err)
            assert_int_equal(*(const uint32_t *)kmd_bo_map(bo), 0x11223344); /* the shim waits for the job */
    } else {
        assert_int_equal(err, -ENOTSUP);
    }
    wait_for(dev, line, 1);
    assert_int_equal(kmd_job_sync_file(dev, line, 2, &fd), is_drm() ? -ENOENT : -ENOTSUP);
    if (!err) {
        assert_int_equal(kmd_sync_file_check(dev, fd), 0);
        close(fd);
    }
    assert_int_equal(kmd_sync_file_check(dev, STDOUT_FILENO), is_drm() ? -EINVAL : -ENOTSUP);
    kmd_bo_unref(bo);
    kmd_timeline_destroy(line);
}

/* A BO is shared between two open files of the same node: what a job stores through one is seen through the other. */
static void shared_memory(void **state)
{
    struct kmd_device *dev = *state, *other = NULL;
    struct kmd_bo *bo, *same = NULL, *theirs = NULL;
    int fd = -1, fd2 = -1;
    assert_int_equal(kmd_bo_create(dev, 64 * 64 * 4, "surface", &bo), 0);
    uint32_t *pixels = kmd_bo_map(bo);
    pixels[5] = 0xabcdef01;
    assert_int_equal(kmd_bo_export_fd(bo, &fd), 0);
    assert_int_equal(kmd_bo_import_fd(dev, fd, &same), 0);
    assert_ptr_equal(same, bo); /* one memory, one handle, one BO */
    kmd_bo_unref(same);
    assert_int_equal(kmd_bo_export_fd(bo, &fd2), 0);
    close(fd2);

    assert_int_equal(open_device((void **)&other), 0);
    assert_int_equal(kmd_bo_import_fd(other, fd, &theirs), 0);
    close(fd);
    assert_int_equal(theirs->size_B, bo->size_B);
    const uint32_t *their_pixels = kmd_bo_map(theirs);
    assert_int_equal(their_pixels[5], 0xabcdef01);
    struct kmd_timeline *line;
    assert_int_equal(kmd_timeline_create(dev, &line), 0);
    struct kmd_submit submit = clear_job(&bo, line, 1, 0x55667788);
    assert_int_equal(kmd_submit(dev, &submit), 0);
    wait_for(dev, line, 1);
    assert_int_equal(kmd_bo_wait(theirs, 0), 0);
    assert_int_equal(their_pixels[0], 0x55667788);
    assert_int_equal(their_pixels[64 * 64 - 1], 0x55667788);
    kmd_timeline_destroy(line);
    kmd_bo_unref(bo);
    assert_int_equal(their_pixels[1], 0x55667788); /* the other file's reference keeps the memory */
    kmd_bo_unref(theirs);
    kmd_close(other);

    assert_int_equal(kmd_bo_import_fd(dev, STDOUT_FILENO, &same) < 0, 1);
}

/* Two programs on the CPU engine each store their first uniform, an address, into another BO. */
static void engine_runs_programs(void **state)
{
    static const char *const lines[] = {
        "ldi vpm_wr_setup, 0x1a00", "mov vpm, unif",  "ldi vpm_wr_setup, 0x80904000", "mov vpm_st_addr, unif",
        "mov nop, vpm_st_wait",     "nop ; end", "nop", "nop",
    };
    struct kmd_device *dev = *state;
    struct kmd_bo *bos[2];
    uint32_t addr[2], qpus = 0;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(kmd_bo_create(dev, 8192, "test", &bos[i]), 0);
        assert_int_equal(kmd_bo_engine_addr(bos[i], &addr[i]), 0);
    }
    uint8_t *code = kmd_bo_map(bos[0]);
    uint32_t *data = kmd_bo_map(bos[1]);
    for (size_t n = 0; n < ARRAY_SIZE(lines); n++) {
        struct qpu_instr instr;
        char error[128];
        if (!qpu_parse(lines[n], &instr, error, sizeof error))
            fail_msg("\"%s\": %s", lines[n], error);
        uint64_t word = qpu_encode(&instr);
        memcpy(code + 8 * n, &word, 8);
    }
    struct kmd_engine_request requests[2];
    for (uint32_t n = 0; n < 2; n++) {
        uint32_t uniforms[2] = {addr[0] + n, addr[1] + 256 * n};
        memcpy(code + 1024 + 8 * n, uniforms, 8);
        requests[n] = (struct kmd_engine_request){addr[0], addr[0] + 1024 + 8 * n};
    }
    memset(data, 0, 512);
    struct kmd_engine_job job = {.bos = bos, .bo_count = 2, .requests = requests, .request_count = 2,
                                 .timeout_ns = UINT64_MAX,
                                 .group_timeout_ns = UINT64_C(10000000000)};
    struct kmd_engine_result result;
    assert_int_equal(kmd_engine_run(dev, &job, &result), 0);
    assert_int_equal(result.completed, 2);
    assert_int_equal(result.stray_accesses, 0);
    for (uint32_t l = 0; l < 64; l++)
        assert_int_equal(data[l], l < 16 ? addr[0] : 0);
    assert_int_equal(data[64], addr[0] + 1);

    job.timeout_ns = 1; /* each group meets its own timeout, but the whole job exceeds its timeout */
    assert_int_equal(kmd_engine_run(dev, &job, &result), -ETIMEDOUT);
    assert_int_equal(result.completed, 0);
    assert_non_null(strstr(result.message, "together"));
    assert_true(result.run_ns >= 1);
    job.timeout_ns = UINT64_MAX;

    job.bo_count = 1; /* a BO outside the table is not accessible */
    data[0] = 5;
    assert_int_equal(kmd_engine_run(dev, &job, &result), 0);
    assert_int_equal(result.stray_accesses, 32);
    assert_int_equal(data[0], 5);
    assert_int_equal(kmd_engine_qpu_count(dev, &qpus), 0);
    assert_true(qpus >= 12);
    kmd_bo_unref(bos[0]);
    kmd_bo_unref(bos[1]);
}

static int run_lists(struct kmd_device *dev, const struct kmd_submit *submit, struct kmd_engine_result *result)
{
    const struct kmd_engine_lists lists = {
        .submit = submit, .timeout_ns = UINT64_C(10000000000), .binner_B = submit->bin_cl ? 512 * 1024 : 0};
    return kmd_engine_run_lists(dev, &lists, result);
}

/* The CPU engine validates lists by the kernel's rules and names the rule that is broken. */
static void engine_refuses_lists(void **state)
{
    struct kmd_device *dev = *state;
    const uint64_t nop = UINT64_C(0x100009e7009e7000), end = UINT64_C(0x300009e7009e7000);
    const uint64_t code[] = {nop, end, nop, nop};
    const uint8_t halt = CL_HALT_ID;
    struct kmd_bo *bos[2];
    assert_int_equal(kmd_bo_create(dev, 64 * 64 * 4, "surface", &bos[0]), 0);
    assert_int_equal(kmd_bo_create_shader(dev, code, sizeof code, &bos[1]), 0);
    struct kmd_submit none = clear_job(bos, NULL, 0, 0), index = none, size = none, shader = none, range = none,
                      list = none;
    none.bo_count = 0;
    index.render.color_write.bo_index = 1;
    size.render.height_px = 65;
    shader.bo_count = 2;
    shader.render.color_write.bo_index = 1; /* a shader BO is not in the engine's memory */
    range.render.min_x_tl = 1;
    list.bin_cl = &halt;
    list.bin_cl_B = 1;
    const struct {
        const struct kmd_submit *submit;
        const char *text;
    } rows[] = {
        {&none, "9.3 buffer table: none given: 0 of 1 ranges"},
        {&index, "9.4 relocation: buffer index out of range: 1 of 1"},
        {&size, "9.7 surfaces: buffer too small: color_write: 64 x 65 pixels of 4 B at 0 do not lie in 16384 B"},
        {&shader, "9.7 surfaces: buffer too small: color_write: 64 x 64 pixels of 4 B at 0 do not lie in 0 B"},
        {&range, "9.7 tile range: first tile 1, 0 is after the last, 0, 0"},
        {&list, "9.4 rule 1: start tile binning: missing"},
    };
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct kmd_engine_result result;
        assert_int_equal(run_lists(dev, rows[i].submit, &result), -EINVAL);
        assert_string_equal(result.message, rows[i].text);
    }
    kmd_bo_unref(bos[0]);
    kmd_bo_unref(bos[1]);
}

/* Jobs with and without a binning list run on the CPU engine, also one that stores nothing. */
static void engine_runs_lists(void **state)
{
    struct kmd_device *dev = *state;
    struct kmd_bo *bo;
    struct kmd_engine_result result;
    assert_int_equal(kmd_bo_create(dev, 64 * 64 * 4, "surface", &bo), 0);
    uint32_t *pixels = kmd_bo_map(bo);
    struct kmd_submit submit = clear_job(&bo, NULL, 0, 0x11223344);
    pixels[0] = pixels[64 * 64 - 1] = 0;
    assert_int_equal(run_lists(dev, &submit, &result), 0);
    assert_int_equal(pixels[0], 0x11223344);
    assert_int_equal(pixels[64 * 64 - 1], 0x11223344);
    assert_null(result.message);

    struct util_stream cl;
    uint8_t list[64];
    util_stream_init(&cl, 64, NULL);
    cl_emit(&cl, TILE_BINNING_MODE_CONFIG, tile_binning_mode_config, p)
        p.width_tl = p.height_tl = 1;
    cl_emit(&cl, START_TILE_BINNING, start_tile_binning, p) {}
    cl_emit(&cl, INCREMENT_SEMAPHORE, increment_semaphore, p) {}
    cl_emit(&cl, FLUSH, flush, p) {}
    assert_true(!cl.failed && cl.size_B <= sizeof list);
    util_stream_gather(&cl, list);
    submit.bin_cl = list;
    submit.bin_cl_B = cl.size_B;
    submit.render.clear_color[0] = submit.render.clear_color[1] = 0x55667788;
    assert_int_equal(run_lists(dev, &submit, &result), 0);
    assert_int_equal(pixels[0], 0x55667788);
    const struct kmd_engine_lists without_binner = {.submit = &submit, .timeout_ns = UINT64_C(10000000000)};
    assert_int_equal(kmd_engine_run_lists(dev, &without_binner, &result), -ENOMEM);

    submit.render.clear_color[0] = submit.render.clear_color[1] = 0;
    submit.render.color_write.bo_index = KMD_NO_BO;
    assert_int_equal(run_lists(dev, &submit, &result), 0);
    assert_int_equal(pixels[0], 0x55667788);
    util_stream_finish(&cl);
    kmd_bo_unref(bo);
}

int main(void)
{
    requested_device = getenv("VC4VK_DEVICE");
    requested_device = requested_device ? strdup(requested_device) : "model";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(environment_restricts),
        cmocka_unit_test_setup_teardown(buffer_objects, open_device, close_device),
        cmocka_unit_test_setup_teardown(programs, open_device, close_device),
        cmocka_unit_test_setup_teardown(sparse_buffer_objects, open_device, close_device),
        cmocka_unit_test_setup_teardown(many_need_few_descriptors, open_device, close_device),
        cmocka_unit_test_setup_teardown(places, open_device, close_device),
        cmocka_unit_test_setup_teardown(too_much_memory_is_an_error, open_device, close_device),
        cmocka_unit_test_setup_teardown(attributes, open_device, close_device),
        cmocka_unit_test_setup_teardown(performance_monitors, open_device, close_device),
        cmocka_unit_test_setup_teardown(jobs_clear, open_device, close_device),
        cmocka_unit_test_setup_teardown(sync_files, open_device, close_device),
        cmocka_unit_test_setup_teardown(shared_memory, open_device, close_device),
        cmocka_unit_test_setup_teardown(engine_runs_programs, open_device, close_device),
        cmocka_unit_test_setup_teardown(engine_refuses_lists, open_device, close_device),
        cmocka_unit_test_setup_teardown(engine_runs_lists, open_device, close_device),
    };
    return cmocka_run_group_tests_name("kmd_backend", tests, NULL, NULL);
}
