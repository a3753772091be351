/* SPDX-License-Identifier: MIT
 *
 * Tests SUBMIT_CL: the objects that a job names by number (buffers, performance monitors), the sizes of its data, tile
 * ranges, and the programs of its shader records. Each rule is obeyed and broken. submit_rules.c tests the contents of
 * the lists.
 */
#include <errno.h>
#include <string.h>
#include "krn_test.h"

#define THREADED_PROGRAM "nop ; thrsw\nnop\nnop\nnop ; last_thrsw\nnop\nnop\nnop ; end\nnop\nnop"

static void assert_refused_as(int err, int want, enum krn_rule rule)
{
    assert_int_equal(err, want);
    assert_memory_equal(model_last_refusal(), krn_rule_text(rule), strlen(krn_rule_text(rule)));
}

static void a_buffer_named_twice(void **state)
{
    struct test_job job;
    job_init(&job);
    const uint32_t texture = job.handles[BO_TEXTURE];
    job.handles[BO_TEXTURE] = job.handles[BO_ZS];
    assert_refused_as(job_submit(&job), -EALREADY, KRN_RULE_SUBMIT_TWICE);
    job.args.color_write.bits = 0xffff; /* what validation finds comes first */
    assert_refused(job_submit(&job), KRN_RULE_SURFACE_BITS);
    job.args.color_write.bits = 1 << 2;
    job.handles[BO_TEXTURE] = texture;
    assert_accepted(job_submit(&job));
    job_finish(&job);
}

static int no_fence(void *data, uint32_t handle)
{
    return handle == 1 ? 0 : handle == 2 ? -EINVAL : -ENOENT;
}

static bool has_1(void *data, uint32_t handle)
{
    return handle == 1;
}

/* The owner of the model knows the syncobjs. */
static void syncobjs_are_the_owners(void **state)
{
    struct test_job job;
    job_init(&job);
    job.args.in_sync = 1;
    assert_refused_as(job_submit(&job), -ENOENT, KRN_RULE_SUBMIT_SYNC);
    model_file_set_job_hooks(job.file, &(struct model_job_hooks){.wait_sync = no_fence, .has_sync = has_1});
    assert_accepted(job_submit(&job));
    job.args.in_sync = 2;
    assert_refused_as(job_submit(&job), -EINVAL, KRN_RULE_SUBMIT_SYNC);
    job.args.perfmonid = 7; /* is looked for before */
    assert_refused_as(job_submit(&job), -ENOENT, KRN_RULE_SUBMIT_PERFMON);
    job.args.in_sync = job.args.perfmonid = 0;
    job.args.out_sync = 3;
    assert_refused_as(job_submit(&job), -EINVAL, KRN_RULE_SUBMIT_SYNC);
    job.args.color_write.bits = 0xffff; /* is looked for before */
    assert_refused(job_submit(&job), KRN_RULE_SURFACE_BITS);
    job_finish(&job);
}

/* Monitors get the lowest free id, and one that is destroyed counts to the end of its jobs. */
static void ids_of_perfmons(void **state)
{
    struct test_job job;
    job_init(&job);
    struct drm_vc4_perfmon_create create = {.ncounters = 1, .events = {3}};
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_PERFMON_CREATE, &create), 0);
        assert_int_equal(create.id, i);
    }
    struct drm_vc4_perfmon_destroy destroy = {.id = 2};
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_PERFMON_DESTROY, &destroy), 0);
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_PERFMON_CREATE, &create), 0);
    assert_int_equal(create.id, 2);
    chip.counts = true;
    chip.sleep_ns = 20000000;
    job.args.perfmonid = 2;
    job.skip_wait = true;
    assert_accepted(job_submit(&job));
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_PERFMON_DESTROY, &destroy), 0);
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_PERFMON_CREATE, &create), 0);
    struct drm_vc4_wait_bo wait = {.handle = job.handles[BO_COLOR], .timeout_ns = UINT64_MAX};
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_WAIT_BO, &wait), 0);
    uint64_t value = 1;
    struct drm_vc4_perfmon_get_values get = {.id = 2, .values_ptr = (uintptr_t)&value};
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_PERFMON_GET_VALUES, &get), 0);
    assert_true(value == 0); /* the job's were another monitor's */
    job_finish(&job);
}

static void an_unknown_buffer(void **state)
{
    struct test_job job;
    job_init(&job);
    close_bo(job.file, job.handles[BO_TEXTURE]); /* unused by the job, and still looked up */
    assert_refused_as(job_submit(&job), -ENOENT, KRN_RULE_SUBMIT_HANDLE);
    job_finish(&job);
}

static void a_known_perfmon(void **state)
{
    struct test_job job;
    job_init(&job);
    struct drm_vc4_perfmon_create create = {.ncounters = 1, .events = {VC4_PERFCNT_FEP_VALID_PRIMS_RENDER}};
    assert_int_equal(model_ioctl(job.file, DRM_IOCTL_VC4_PERFMON_CREATE, &create), 0);
    job.args.perfmonid = create.id;
    assert_accepted(job_submit(&job));
    job_finish(&job);
}

static void an_unknown_perfmon(void **state)
{
    struct test_job job;
    job_init(&job);
    job.args.perfmonid = 7;
    assert_refused_as(job_submit(&job), -ENOENT, KRN_RULE_SUBMIT_PERFMON);
    job_finish(&job);
}

/* The sum of the sizes exceeds 32 bits. The kernel must refuse the job before it copies anything. */
static void sizes_overflow(void **state)
{
    struct test_job job;
    job_init(&job);
    job.uniform_words = 0x3fffffff;
    assert_refused(job_submit(&job), KRN_RULE_SUBMIT_SIZES);
    job.uniform_words = 0;
    job.args.shader_rec_size = 0xfffffff0;
    assert_refused(job_submit(&job), KRN_RULE_SUBMIT_SIZES);
    job.args.shader_rec_size = 0;
    job.args.shader_rec_count = UINT32_MAX / 8;
    assert_refused(job_submit(&job), KRN_RULE_SUBMIT_SIZES);
    job.args.shader_rec_count = 1;
    assert_accepted(job_submit(&job));
    job_finish(&job);
}

static int submit_tiles(uint8_t width_tl, uint8_t height_tl)
{
    struct test_job job;
    job_init(&job);
    job.config.width_tl = width_tl;
    job.config.height_tl = height_tl;
    int err = job_submit(&job);
    job_finish(&job);
    return err;
}

/* 48 bytes of state each, rounded up to a page, must be less than a slot of 512 KiB: at most 10837 tiles. */
static void tile_state_fits(void **state)
{
    assert_accepted(submit_tiles(252, 43));
    assert_accepted(submit_tiles(255, 42));
}

static void tile_state_too_large(void **state)
{
    assert_refused(submit_tiles(139, 78), KRN_RULE_BIN_CONFIG);
    assert_refused(submit_tiles(1, 0), KRN_RULE_BIN_CONFIG);
}

static int submit_tile_range(uint8_t min_y, uint8_t max_y)
{
    struct test_job job;
    job_init(&job);
    job.args.min_y_tile = min_y;
    job.args.max_y_tile = max_y;
    int err = job_submit(&job);
    job_finish(&job);
    return err;
}

static void tile_rows(void **state)
{
    assert_accepted(submit_tile_range(0, 0));
}

static void tile_rows_outside(void **state)
{
    assert_refused(submit_tile_range(1, 0), KRN_RULE_TILE_RANGE);
    assert_refused(submit_tile_range(0, 2), KRN_RULE_TILE_RANGE);
}

static int submit_code_offsets(uint32_t fs, uint32_t vs, uint32_t cs)
{
    struct test_job job;
    job_init(&job);
    job.record.fs_code = fs;
    job.record.vs_code = vs;
    job.record.cs_code = cs;
    int err = job_submit(&job);
    job_finish(&job);
    return err;
}

static void no_stage_starts_inside(void **state)
{
    assert_accepted(submit_code_offsets(0, 0, 0));
    assert_refused(submit_code_offsets(8, 0, 0), KRN_RULE_SHADER_REC_CODE);
    assert_refused(submit_code_offsets(0, 8, 0), KRN_RULE_SHADER_REC_CODE);
    assert_refused(submit_code_offsets(0, 0, 8), KRN_RULE_SHADER_REC_CODE);
}

static int submit_threaded(int bo, bool fs_single_threaded)
{
    struct test_job job;
    job_init(&job);
    job_set_program(&job, bo, THREADED_PROGRAM);
    job.record.fs_single_threaded = fs_single_threaded;
    int err = job_submit(&job);
    job_finish(&job);
    return err;
}

static void threaded_fragments(void **state)
{
    assert_accepted(submit_threaded(BO_FS, false));
}

static void threads_unsaid(void **state)
{
    assert_refused(submit_threaded(BO_FS, true), KRN_RULE_SHADER_REC_THREADS);
}

static void threaded_vertices(void **state)
{
    assert_refused(submit_threaded(BO_VS, true), KRN_RULE_SHADER_REC_THREADS);
    assert_refused(submit_threaded(BO_CS, true), KRN_RULE_SHADER_REC_THREADS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_named_twice), cmocka_unit_test(an_unknown_buffer),
        cmocka_unit_test(a_known_perfmon),      cmocka_unit_test(an_unknown_perfmon),
        cmocka_unit_test(sizes_overflow),       cmocka_unit_test(tile_state_fits),
        cmocka_unit_test(tile_state_too_large), cmocka_unit_test(tile_rows),
        cmocka_unit_test(tile_rows_outside),    cmocka_unit_test(no_stage_starts_inside),
        cmocka_unit_test(threaded_fragments),   cmocka_unit_test(threads_unsaid),
        cmocka_unit_test(threaded_vertices),    cmocka_unit_test(syncobjs_are_the_owners),
        cmocka_unit_test(ids_of_perfmons),
    };
    return cmocka_run_group_tests_name("submit_tables", tests, NULL, NULL);
}
