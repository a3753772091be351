/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "harness.h"

static bool is_mapped(const struct gpu_memory *mem, uint32_t addr, uint32_t size_B)
{
    return addr >= 0x1000 && addr < mem->size_B && size_B <= mem->size_B - addr;
}

int harness_setup(void **state)
{
    struct harness *h = calloc(1, sizeof *h);

    h->mem = (struct gpu_memory){calloc(1, HARNESS_MEMORY_B), HARNESS_MEMORY_B, is_mapped};
    *state = h;
    return gpu_qpu_core_create(&h->mem, &h->core);
}

int harness_teardown(void **state)
{
    struct harness *h = *state;

    gpu_qpu_core_destroy(h->core);
    free(h->mem.base);
    free(h);
    return 0;
}

void harness_code(struct harness *h, const char *text)
{
    char *copy = strdup(text), *rest = copy, *line;
    uint32_t at = HARNESS_CODE;

    while ((line = strsep(&rest, "\n"))) {
        struct qpu_instr instr;
        char error[128];
        uint64_t word;
        if (!line[strspn(line, " \t")])
            continue;
        if (!qpu_parse(line, &instr, error, sizeof error))
            fail_msg("\"%s\": %s", line, error);
        word = qpu_encode(&instr);
        memcpy(h->mem.base + at, &word, 8);
        at += 8;
    }
    free(copy);
    gpu_qpu_begin_job(h->core);
}

void harness_uniforms(struct harness *h, const uint32_t *words, unsigned count)
{
    memcpy(h->mem.base + HARNESS_UNIFORMS, words, 4 * count);
}

enum gpu_status harness_run_vertex(struct harness *h)
{
    struct gpu_vertex_io io = {h->vpm_in, h->vpm_out};
    struct gpu_qpu_run run = {
        .kind = QPU_PROGRAM_VERTEX, .uniforms_addr = HARNESS_UNIFORMS, .vertex = &io, .strict = h->strict};
    struct gpu_fp_mode mode = gpu_fp_enter();
    enum gpu_status status = GPU_HANG;
    struct util_work_limit limit;

    util_work_limit_begin(&limit, 200000000u);
    run.limit = &limit;
    h->message = NULL;
    run.program = gpu_qpu_program_get(h->core, HARNESS_CODE, &h->message);
    if (run.program)
        status = gpu_qpu_run(h->core, &run, &h->message);
    gpu_fp_leave(mode);
    return status;
}

const uint32_t *harness_r0(struct harness *h, const char *text)
{
    static const char end[] = "\nldi vpm_wr_setup, 0x1a00\n mov vpm, r0\n nop ; end\n nop\n nop\n";
    char *all = malloc(strlen(text) + sizeof end);

    strcpy(all, text);
    strcat(all, end);
    harness_code(h, all);
    free(all);
    memset(h->vpm_out, 0xee, sizeof h->vpm_out);
    if (harness_run_vertex(h) != GPU_OK)
        fail_msg("%s", h->message);
    return h->vpm_out[0];
}
