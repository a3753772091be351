/* SPDX-License-Identifier: MIT
 *
 * Implements the helpers and the adjustable job declared in krn_test.h.
 */
#include <stdlib.h>
#include <string.h>
#include "hw/qpu.h"
#include "krn_test.h"

/* -- results -- */

void check_refused(int err, enum krn_rule rule, const char *file, int line)
{
    const char *want = krn_rule_text(rule), *got = model_last_refusal();
    if (err != -22 || strncmp(got, want, strlen(want))) {
        print_error("expected refusal \"%s\", got %d \"%s\"\n", want, err, got);
        _fail(file, line);
    }
}

void check_accepted(int err, const char *file, int line)
{
    if (err) {
        print_error("refused with %d \"%s\"\n", err, model_last_refusal());
        _fail(file, line);
    }
}

/* -- programs and buffers -- */

uint32_t assemble(const char *text, uint64_t *words, uint32_t max)
{
    uint32_t count = 0;
    while (*text) {
        size_t n = strcspn(text, "\n");
        char line[128], error[160];
        assert_true(n < sizeof line && count < max);
        memcpy(line, text, n);
        line[n] = 0;
        struct qpu_instr instr;
        if (!qpu_parse(line, &instr, error, sizeof error))
            fail_msg("%s: %s", line, error);
        words[count++] = qpu_encode(&instr);
        text += n + (text[n] == '\n');
    }
    return count;
}

int create_shader(struct model_file *file, const char *text, uint32_t *handle_out)
{
    uint64_t words[512];
    uint32_t count = assemble(text, words, ARRAY_SIZE(words));
    struct drm_vc4_create_shader_bo args = {.size = 8 * count, .data = (uintptr_t)words};
    int err = model_ioctl(file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &args);
    *handle_out = args.handle;
    return err;
}

uint32_t create_bo(struct model_file *file, uint32_t size_B)
{
    struct drm_vc4_create_bo args = {.size = size_B};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_CREATE_BO, &args), 0);
    return args.handle;
}

void close_bo(struct model_file *file, uint32_t handle)
{
    struct drm_gem_close args = {.handle = handle};
    assert_int_equal(model_ioctl(file, DRM_IOCTL_GEM_CLOSE, &args), 0);
}

/* -- the job -- */

void job_set_program(struct test_job *job, int bo, const char *text)
{
    if (job->handles[bo])
        close_bo(job->file, job->handles[bo]);
    assert_accepted(create_shader(job->file, text, &job->handles[bo]));
}

void job_init(struct test_job *job)
{
    const struct model_options options = {.threads = 1, .job_timeout_ns = UINT64_C(60000000000)};
    job_init_with(job, &options);
}

void job_init_with(struct test_job *job, const struct model_options *options)
{
    memset(job, 0, sizeof *job);
    assert_int_equal(model_create(options, &job->dev), 0);
    assert_int_equal(model_open(job->dev, &job->file), 0);
    for (int i = BO_FS; i <= BO_CS; i++)
        job_set_program(job, i, IDLE_PROGRAM);
    job->handles[BO_VERTICES] = create_bo(job->file, VERTEX_BO_B);
    job->handles[BO_INDICES] = create_bo(job->file, INDEX_BO_B);
    job->handles[BO_COLOR] = create_bo(job->file, JOB_SIZE_PX * JOB_SIZE_PX * 4);
    job->handles[BO_ZS] = create_bo(job->file, JOB_SIZE_PX * JOB_SIZE_PX * 4);
    job->handles[BO_TEXTURE] = create_bo(job->file, 32 * 4096);

    job->config = (struct cl_tile_binning_mode_config){.width_tl = 1, .height_tl = 1};
    job->state.attribute_count = 1;
    job->gem_handles.handle0 = BO_INDICES;
    job->array_prim = (struct cl_array_primitives){.mode = CL_PRIM_TRIANGLES, .length = 3};
    job->indexed_prim =
        (struct cl_indexed_primitives){.mode = CL_PRIM_TRIANGLES, .index_type = 1, .length = 3, .max_index = 2};
    job->record.fs_single_threaded = true;
    for (int i = 0; i < 3; i++)
        job->rec_bos[i] = (uint32_t)(BO_FS + i);
    for (int i = 0; i < 8; i++) {
        job->rec_bos[3 + i] = BO_VERTICES;
        job->attribute[i] = (struct cl_attribute_record){.size_minus_1_B = 15, .stride_B = 16};
    }
    const struct drm_vc4_submit_rcl_surface absent = {.hindex = UINT32_MAX};
    job->args = (struct drm_vc4_submit_cl){
        .shader_rec_count = 1, .width = JOB_SIZE_PX, .height = JOB_SIZE_PX,
        .color_read = absent, .zs_read = absent, .zs_write = absent,
        .msaa_color_write = absent, .msaa_zs_write = absent,
        .color_write = {.hindex = BO_COLOR, .bits = 1 << 2 | CL_LAYOUT_T << 6},
        .flags = VC4_SUBMIT_CL_USE_CLEAR_COLOR,
    };
}

void job_finish(struct test_job *job)
{
    model_close(job->file);
    model_destroy(job->dev);
}

static void write_list(const struct test_job *job, struct util_stream *s)
{
    for (int i = job->without_config; i < 1 + job->twice_config; i++)
        cl_emit(s, TILE_BINNING_MODE_CONFIG, tile_binning_mode_config, p)
            p = job->config;
    for (int i = job->without_start; i < 1 + job->twice_start; i++)
        cl_emit(s, START_TILE_BINNING, start_tile_binning, p) {}
    util_stream_write(s, job->extra, job->extra_B);
    if (!job->without_state)
        cl_emit(s, GL_SHADER_STATE, gl_shader_state, p)
            p = job->state;
    if (job->indexed) {
        cl_emit(s, GEM_HANDLES, gem_handles, p)
            p = job->gem_handles;
        cl_emit(s, INDEXED_PRIMITIVES, indexed_primitives, p)
            p = job->indexed_prim;
    } else {
        cl_emit(s, ARRAY_PRIMITIVES, array_primitives, p)
            p = job->array_prim;
    }
    if (!job->without_increment)
        cl_emit(s, INCREMENT_SEMAPHORE, increment_semaphore, p) {}
    if (!job->without_flush)
        cl_emit(s, FLUSH, flush, p) {}
}

static void write_record(const struct test_job *job, struct util_stream *s)
{
    uint32_t n = job->state.attribute_count ? job->state.attribute_count : 8;
    util_stream_write(s, job->rec_bos, 4 * (3 + n));
    uint8_t record[132] = {0};
    cl_gl_shader_record_pack(record, &job->record);
    for (uint32_t i = 0; i < n; i++)
        cl_attribute_record_pack(record + 36 + 8 * i, &job->attribute[i]);
    if (job->state.extended)
        memcpy(record + 100, job->extended_stride, 4 * n);
    util_stream_write(s, record, job->state.extended ? 100 + 4 * n : 36 + 8 * n);
}

int job_submit(struct test_job *job)
{
    struct util_stream list, records;
    util_stream_init(&list, 4096, NULL);
    util_stream_init(&records, 4096, NULL);
    write_list(job, &list);
    write_record(job, &records);
    uint8_t *bytes = malloc(list.size_B + records.size_B);
    util_stream_gather(&list, bytes);
    util_stream_gather(&records, bytes + list.size_B);
    if (job->mangle)
        job->mangle(bytes, list.size_B + records.size_B);

    struct drm_vc4_submit_cl args = job->args;
    args.bin_cl = (uintptr_t)bytes;
    args.bin_cl_size = list.size_B - job->cut_B;
    args.shader_rec = (uintptr_t)(bytes + list.size_B);
    args.shader_rec_size = args.shader_rec_size ? args.shader_rec_size : records.size_B;
    args.uniforms = (uintptr_t)job->uniforms;
    args.uniforms_size = 4 * job->uniform_words;
    args.bo_handles = (uintptr_t)job->handles;
    args.bo_handle_count = BO_COUNT;
    int err = model_ioctl(job->file, DRM_IOCTL_VC4_SUBMIT_CL, &args);
    if (!err && !job->skip_wait) {
        struct drm_vc4_wait_seqno wait = {.seqno = args.seqno, .timeout_ns = UINT64_MAX};
        assert_int_equal(model_ioctl(job->file, DRM_IOCTL_VC4_WAIT_SEQNO, &wait), 0);
    }
    util_stream_finish(&list);
    util_stream_finish(&records);
    free(bytes);
    return err;
}
