/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include "harness.h"
#include "hw/qpu.h"
#include "model/gpu/gpu_alu.h"
#include "util/thread.h"

static bool is_mapped(const struct gpu_memory *mem, uint32_t addr, uint32_t size_B)
{
    return addr >= 0x1000 && addr < mem->size_B && size_B <= mem->size_B - addr &&
           (addr + size_B <= HOLE || addr >= HOLE + 0x1000);
}

int harness_setup(void **state)
{
    struct harness *h = calloc(1, sizeof *h);

    h->mem = (struct gpu_memory){calloc(1, MEMORY_B), MEMORY_B, is_mapped};
    h->timeout_ns = 5000000000u;
    *state = h;
    return gpu_create(&h->mem, 1, &h->gpu);
}

int harness_setup_engine(void **state)
{
    if (harness_setup(state))
        return -1;
    struct harness *h = *state;
    h->share.mutex_holder = GPU_MUTEX_FREE;
    h->engine = gpu_user_create(&h->mem);
    return h->engine ? gpu_user_share(h->engine, &h->share, 0, GPU_USER_SET) : -1;
}

int harness_teardown(void **state)
{
    struct harness *h = *state;

    gpu_user_destroy(h->engine);
    gpu_destroy(h->gpu);
    free(h->mem.base);
    free(h);
    return 0;
}

void harness_clear(struct harness *h)
{
    memset(h->mem.base + DATA, 0, MEMORY_B - DATA);
}

void harness_code(struct harness *h, uint32_t addr, const char *text)
{
    char *copy = strdup(text), *rest = copy, *line;

    while ((line = strsep(&rest, "\n"))) {
        struct qpu_instr instr;
        char error[128];
        if (!line[strspn(line, " \t")])
            continue;
        if (!qpu_parse(line, &instr, error, sizeof error))
            fail_msg("\"%s\": %s", line, error);
        uint64_t word = qpu_encode(&instr);
        memcpy(h->mem.base + addr, &word, 8);
        addr += 8;
    }
    free(copy);
}

enum gpu_status harness_run(struct harness *h, const struct gpu_user_request *requests, unsigned count)
{
    h->message = NULL;
    if (h->engine) {
        struct gpu_fp_mode mode = gpu_fp_enter();
        struct util_work_limit limit;
        gpu_user_begin_job(h->engine, NULL, 0);
        util_work_limit_begin(&limit, h->timeout_ns);
        enum gpu_status status = gpu_user_run(h->engine, requests, count, &limit, &h->result, &h->message);
        gpu_fp_leave(mode);
        return status;
    }
    return gpu_run_user(h->gpu, requests, count, h->timeout_ns, &h->result, &h->message);
}

void harness_run_copies(struct harness *h, unsigned count, unsigned uniforms)
{
    struct gpu_user_request requests[64];

    assert_true(count <= 64);
    for (unsigned n = 0; n < count; n++)
        requests[n] = (struct gpu_user_request){CODE, UNIFORMS + 4 * uniforms * n, uniforms};
    if (harness_run(h, requests, count) != GPU_OK)
        fail_msg("%s", h->message);
    assert_int_equal(h->result.completed, count);
}
