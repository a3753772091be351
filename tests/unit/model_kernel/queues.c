/* SPDX-License-Identifier: MIT
 *
 * Tests the job queues: sequence numbers, waits, hooks, binning in parallel with rendering, hangs, binner slots, and
 * buffers that outlive their handles.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "krn_test.h"
#include "util/log.h"
#include "util/thread.h"

static int wait_seqno(struct test_job *job, uint64_t seqno, uint64_t timeout_ns)
{
    struct drm_vc4_wait_seqno args = {.seqno = seqno, .timeout_ns = timeout_ns};
    return model_ioctl(job->file, DRM_IOCTL_VC4_WAIT_SEQNO, &args);
}

static int wait_bo(struct test_job *job, uint32_t handle, uint64_t timeout_ns)
{
    struct drm_vc4_wait_bo args = {.handle = handle, .timeout_ns = timeout_ns};
    return model_ioctl(job->file, DRM_IOCTL_VC4_WAIT_BO, &args);
}

/* Submits a job without a binning list. */
static uint64_t submit_render_only(struct test_job *job)
{
    struct drm_vc4_submit_cl args = job->args;
    args.bo_handles = (uintptr_t)&job->handles[BO_COLOR];
    args.bo_handle_count = 1;
    args.color_write.hindex = 0;
    assert_accepted(model_ioctl(job->file, DRM_IOCTL_VC4_SUBMIT_CL, &args));
    return args.seqno;
}

static void seqnos_increase_and_waits_end(void **state)
{
    struct test_job job;
    job_init(&job);
    assert_int_equal(wait_seqno(&job, 0, 0), 0);
    assert_int_equal(wait_bo(&job, job.handles[BO_COLOR], 0), 0);
    chip.sleep_ns = 50000000;
    uint64_t a = submit_render_only(&job), b = submit_render_only(&job);
    assert_true(b == a + 1);
    assert_int_equal(wait_seqno(&job, b, 0), -ETIME);
    assert_int_equal(wait_seqno(&job, b, 1000000), -ETIME);
    assert_int_equal(wait_bo(&job, job.handles[BO_COLOR], 1000000), -ETIME);
    assert_int_equal(wait_bo(&job, job.handles[BO_ZS], 0), 0); /* not in the job's table */
    assert_int_equal(wait_bo(&job, 9999, 0), -EINVAL);
    assert_int_equal(wait_seqno(&job, a, UINT64_MAX), 0);
    assert_int_equal(wait_bo(&job, job.handles[BO_COLOR], UINT64_MAX), 0);
    assert_int_equal(wait_seqno(&job, b, 0), 0);
    job_finish(&job);
}

struct hook_calls {
    uint64_t started[16], finished[16];
    uint64_t started_ns[16], finished_ns[16];
    int status[16];
    unsigned starts, finishes;
    struct test_job *job;
};

static void on_start(void *data, uint64_t seqno, uint64_t time_ns)
{
    struct hook_calls *s = data;
    s->started_ns[s->starts] = time_ns;
    s->started[s->starts++] = seqno;
}

static void on_finish(void *data, uint64_t seqno, uint64_t time_ns, int status)
{
    struct hook_calls *s = data;
    s->status[s->finishes] = status;
    s->finished_ns[s->finishes] = time_ns;
    s->finished[s->finishes++] = seqno;
    assert_int_equal(wait_seqno(s->job, seqno, 0), 0); /* hooks run without locks, after the seqno is complete */
}

static void hooks_are_called_in_order(void **state)
{
    struct test_job job;
    job_init(&job);
    struct hook_calls hook_calls = {.job = &job};
    model_file_set_job_hooks(job.file, &(struct model_job_hooks){&hook_calls, on_start, on_finish});
    uint64_t before_ns = util_now_ns();
    assert_accepted(job_submit(&job));
    assert_int_equal(wait_seqno(&job, submit_render_only(&job), UINT64_MAX), 0); /* else the next may start first */
    assert_accepted(job_submit(&job));
    model_close(job.file); /* waits for the hooks */
    assert_int_equal(hook_calls.starts, 3);
    assert_int_equal(hook_calls.finishes, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(hook_calls.started[i], i + 1);
        assert_int_equal(hook_calls.finished[i], i + 1);
        assert_int_equal(hook_calls.status[i], 0);
        assert_true(hook_calls.started_ns[i] >= before_ns && hook_calls.finished_ns[i] >= hook_calls.started_ns[i]);
    }
    model_destroy(job.dev);
}

static void store_line(void *data, enum util_log_level level, const char *line)
{
    snprintf(data, 128, "%s", line);
}

/* The first job is rendered only after the second has begun to bin: binning does not wait for earlier rendering. */
static void the_next_job_is_binned_meanwhile(void **state)
{
    struct test_job job;
    job_init(&job);
    chip.bins_wanted = 2;
    job.skip_wait = true;
    assert_accepted(job_submit(&job));
    assert_accepted(job_submit(&job));
    assert_int_equal(wait_seqno(&job, 2, UINT64_MAX), 0);
    assert_false(chip.bin_wait_timed_out);
    assert_int_equal(chip.bins, 2);
    assert_int_equal(chip.renders, 2);
    job_finish(&job);
}

/* A hang is logged with the chip's reason. */
static void hangs_cost_one_job(void **state)
{
    struct test_job job;
    job_init(&job);
    char line[128] = "";
    util_log_set_sink(store_line, line);
    struct hook_calls hook_calls = {.job = &job};
    model_file_set_job_hooks(job.file, &(struct model_job_hooks){&hook_calls, on_start, on_finish});
    chip.hang_bin = true;
    assert_accepted(job_submit(&job)); /* waiters see success, as on the classic kernel */
    assert_int_equal(chip.renders, 0); /* there are no lists to render */
    chip.hang_bin = false;
    chip.hang_render = true;
    assert_accepted(job_submit(&job));
    chip.hang_render = false;
    assert_accepted(job_submit(&job));
    util_log_set_sink(NULL, NULL);
    assert_non_null(strstr(line, "job 2: rendering: told to hang"));
    model_close(job.file);
    assert_int_equal(hook_calls.status[0], -ETIMEDOUT);
    assert_int_equal(hook_calls.status[1], -ETIMEDOUT);
    assert_int_equal(hook_calls.status[2], 0);
    model_destroy(job.dev);
}

static uint64_t time_limit_ns(const char *variable)
{
    if (variable)
        setenv("VC4VK_HANG_MS", variable, 1);
    else
        unsetenv("VC4VK_HANG_MS");
    struct test_job job;
    job_init_with(&job, &(struct model_options){.threads = 1});
    assert_accepted(job_submit(&job));
    job_finish(&job);
    assert_int_equal(chip.render.limit_ns, chip.bin.limit_ns); /* bin and render jobs get the full limit each */
    return chip.bin.limit_ns;
}

static void the_time_limit_can_be_changed(void **state)
{
    const uint64_t second_ns = UINT64_C(1000000000), slack_ns = 5 * second_ns; /* a busy machine is late */
    const char *outer = getenv("VC4VK_HANG_MS");
    char *outer_copy = outer ? strdup(outer) : NULL;
    char line[128] = "";
    assert_in_range(time_limit_ns(NULL), 10 * second_ns, 10 * second_ns + slack_ns);
    assert_in_range(time_limit_ns("90000"), 90 * second_ns, 90 * second_ns + slack_ns);
    util_log_set_sink(store_line, line);
    assert_in_range(time_limit_ns("soon"), 10 * second_ns, 10 * second_ns + slack_ns);
    util_log_set_sink(NULL, NULL);
    assert_non_null(strstr(line, "VC4VK_HANG_MS=soon"));
    if (outer_copy)
        setenv("VC4VK_HANG_MS", outer_copy, 1);
    free(outer_copy);
}

static void perfmons_sum_their_jobs(void **state)
{
    struct test_job job;
    job_init(&job);
    chip.counts = true;
    struct drm_vc4_perfmon_create create = {.ncounters = 3, .events = {3, 29, 10}},
                                  other = {.ncounters = 1, .events = {3}};
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_PERFMON_CREATE, &create), 0);
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_PERFMON_CREATE, &other), 0);
    assert_accepted(job_submit(&job)); /* has no perfmon */
    job.args.perfmonid = create.id;
    assert_accepted(job_submit(&job));
    assert_accepted(job_submit(&job));
    job.args.perfmonid = other.id;
    assert_accepted(job_submit(&job));

    uint64_t values[3];
    struct drm_vc4_perfmon_get_values get = {.id = create.id, .values_ptr = (uintptr_t)values};
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_PERFMON_GET_VALUES, &get), 0);
    assert_int_equal(values[0], 10);
    assert_int_equal(values[1], 0);
    assert_int_equal(values[2], 6);
    get.id = other.id;
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_PERFMON_GET_VALUES, &get), 0);
    assert_int_equal(values[0], 5);

    chip.sleep_ns = 20000000; /* destroyed while its job runs */
    uint64_t last = submit_render_only(&job);
    struct drm_vc4_perfmon_destroy destroy = {.id = other.id};
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_PERFMON_DESTROY, &destroy), 0);
    assert_int_equal(wait_seqno(&job, last, UINT64_MAX), 0);
    job_finish(&job);
}

static void binner_slots_come_back(void **state)
{
    struct test_job job;
    job_init(&job);
    chip.want_slots = 31; /* all except the job's own first slot */
    for (int i = 0; i < 10; i++) {
        chip.got_slots = 0;
        assert_accepted(job_submit(&job));
        assert_int_equal(chip.got_slots, 31);
    }
    chip.want_slots = 32; /* more than exist, and no other job will free one */
    chip.got_slots = 0;
    assert_accepted(job_submit(&job));
    assert_int_equal(chip.got_slots, 31);
    chip.want_slots = 0;
    assert_accepted(job_submit(&job));
    job_finish(&job);
}

struct bin_done {
    uint32_t calls, slots, size_B;
    const uint8_t *tile_alloc;
};

static void on_bin_done(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots)
{
    struct bin_done *d = data;
    *d = (struct bin_done){d->calls + 1, slots, size_B, tile_alloc};
}

static void bin_done_hook(void **state)
{
    struct test_job job;
    job_init(&job);
    struct bin_done done = {0};
    model_set_bin_done_hook(job.dev, on_bin_done, &done);
    chip.want_slots = 2;
    assert_accepted(job_submit(&job));
    struct cl_tile_binning_mode_config config;
    cl_tile_binning_mode_config_unpack(chip.bin_list, &config);
    assert_int_equal(done.calls, 1);
    assert_int_equal(done.slots, 3);
    assert_ptr_equal(done.tile_alloc, chip.mem->base + config.tile_alloc_address);
    assert_int_equal(done.size_B, config.tile_alloc_size_B);
    job_finish(&job);
}

/* A buffer whose handle is closed keeps its memory until the jobs that use it are done. */
static void jobs_hold_their_buffers(void **state)
{
    struct test_job job;
    job_init(&job);
    chip.sleep_ns = 50000000;
    submit_render_only(&job);
    uint8_t *map = model_bo_map(job.file, job.handles[BO_COLOR], NULL);
    map[0] = 1;
    const uint32_t addr = (uint32_t)(map - chip.mem->base);
    close_bo(job.file, job.handles[BO_COLOR]);
    assert_true(chip.mem->is_mapped(chip.mem, addr, 4096));
    model_close(job.file);
    assert_false(chip.mem->is_mapped(chip.mem, addr, 4096));
    model_destroy(job.dev);
}

static void purgeable_and_bad_handles(void **state)
{
    struct test_job job;
    job_init(&job);
    struct drm_vc4_gem_madvise madvise = {.handle = job.handles[BO_TEXTURE], .madv = VC4_MADV_DONTNEED};
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_GEM_MADVISE, &madvise), 0);
    assert_refused(job_submit(&job), KRN_RULE_SUBMIT_PURGED);
    madvise.madv = VC4_MADV_WILLNEED;
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_GEM_MADVISE, &madvise), 0);
    assert_accepted(job_submit(&job));
    uint32_t good = job.handles[BO_TEXTURE];
    job.handles[BO_TEXTURE] = 9999;
    assert_int_equal(job_submit(&job), -ENOENT);
    job.handles[BO_TEXTURE] = good;
    struct drm_vc4_submit_cl args = job.args;
    assert_refused(model_ioctl(job.file, DRM_IOCTL_VC4_SUBMIT_CL, &args), KRN_RULE_SUBMIT_BOS);
    args.bo_handle_count = 1;
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_SUBMIT_CL, &args), -EFAULT);
    job.args.perfmonid = 7;
    assert_int_equal(job_submit(&job), -ENOENT);
    job_finish(&job);
}

struct submitter {
    struct test_job *job;
    unsigned count;
};

static void *submit_many(void *arg)
{
    struct submitter *s = arg;
    for (unsigned i = 0; i < s->count; i++)
        submit_render_only(s->job);
    return NULL;
}

static void many_threads_submit(void **state)
{
    struct test_job job;
    job_init(&job);
    pthread_t threads[4];
    struct submitter submitter = {&job, 200};
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, submit_many, &submitter), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wait_seqno(&job, 800, UINT64_MAX), 0);
    assert_int_equal(chip.renders, 800);
    job_finish(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seqnos_increase_and_waits_end),
        cmocka_unit_test(hooks_are_called_in_order),
        cmocka_unit_test(the_next_job_is_binned_meanwhile),
        cmocka_unit_test(hangs_cost_one_job),
        cmocka_unit_test(the_time_limit_can_be_changed),
        cmocka_unit_test(perfmons_sum_their_jobs),
        cmocka_unit_test(binner_slots_come_back),
        cmocka_unit_test(bin_done_hook),
        cmocka_unit_test(jobs_hold_their_buffers),
        cmocka_unit_test(purgeable_and_bad_handles),
        cmocka_unit_test(many_threads_submit),
    };
    return cmocka_run_group_tests_name("queues", tests, NULL, NULL);
}
