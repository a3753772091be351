/* SPDX-License-Identifier: MIT
 *
 * User programs in buffer memory, run through the model's public interface.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <vc4_drm.h>
#include "hw/qpu.h"
#include "model/model.h"

static void assemble(uint8_t *at, const char *const *lines, unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        struct qpu_instr instr;
        char error[128];
        if (!qpu_parse(lines[n], &instr, error, sizeof error))
            fail_msg("\"%s\": %s", lines[n], error);
        uint64_t word = qpu_encode(&instr);
        memcpy(at + 8 * n, &word, 8);
    }
}

static void programs_run_in_buffers(void **state)
{
    static const char *const lines[] = {
        "ldi vpm_wr_setup, 0x1a00",
        "mov vpm, elem",
        "ldi vpm_wr_setup, 0x80904000",
        "mov vpm_st_addr, unif",
        "mov nop, vpm_st_wait",
        "mov host_int, unif",
        "nop ; end",
        "nop",
        "nop",
    };
    struct model_options options = {.threads = 1, .job_timeout_ns = 1000000000};
    struct drm_vc4_create_bo create = {.size = 8192};
    struct model_user_result result;
    struct model_device *dev;
    struct model_file *file;
    uint32_t addr, words[2];

    assert_int_equal(model_create(&options, &dev), 0);
    assert_int_equal(model_open(dev, &file), 0);
    assert_int_equal(model_ioctl(file, DRM_IOCTL_VC4_CREATE_BO, &create), 0);
    assert_int_equal(model_bo_address(file, create.handle, &addr), 0);
    assert_int_equal(model_bo_address(file, create.handle + 1, &addr), -ENOENT);
    uint8_t *bo = model_bo_map(file, create.handle, NULL);
    assert_non_null(bo);
    assemble(bo, lines, ARRAY_SIZE(lines));
    words[0] = addr + 4096;
    words[1] = 1;
    memcpy(bo + 2048, words, sizeof words);

    struct model_user_request request = {addr, addr + 2048, 2};
    assert_int_equal(model_run_user_programs(file, &request, 1, &result), 0);
    assert_int_equal(result.completed, 1);
    assert_int_equal(result.interrupts, 1);
    assert_int_equal(result.stray_accesses, 0);
    for (unsigned l = 0; l < 16; l++)
        assert_memory_equal(bo + 4096 + 4 * l, &l, 4);

    request.code_addr = 0; /* never mapped */
    assert_int_equal(model_run_user_programs(file, &request, 1, &result), -ETIMEDOUT);
    assert_non_null(result.message);
    assert_int_equal(result.completed, 0);
    model_close(file);
    model_destroy(dev);
}

/* When a program fails, the job ends, whatever its other threads are doing. */
static void failures_end_jobs_of_many_threads(void **state)
{
    static struct model_user_request requests[4000]; /* their code address is unmapped */
    static uint8_t memory[8192];
    const struct model_engine_range range = {4096, 4096};
    const struct model_engine_job job = {.memory = memory,
                                         .ranges = &range,
                                         .range_count = 1,
                                         .requests = requests,
                                         .request_count = ARRAY_SIZE(requests),
                                         .timeout_ns = UINT64_MAX,
                                         .group_timeout_ns = 1000000000};
    struct model_user_result result;
    struct model_engine *engine;
    assert_int_equal(model_engine_create(4, &engine), 0);
    for (unsigned i = 0; i < 50; i++) {
        assert_int_equal(model_engine_run(engine, &job, &result), -ETIMEDOUT);
        assert_int_equal(result.completed, 0);
        assert_non_null(result.message);
    }
    model_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs_run_in_buffers),
                                       cmocka_unit_test(failures_end_jobs_of_many_threads)};
    return cmocka_run_group_tests_name("gpu_user_model", tests, NULL, NULL);
}
