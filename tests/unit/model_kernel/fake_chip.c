/* SPDX-License-Identifier: MIT
 *
 * A fake chip that replaces the model's. It executes nothing and records the jobs it is given.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "krn_test.h"
#include "util/thread.h"

struct fake_chip chip;

struct gpu {
    int unused;
};

int gpu_create(const struct gpu_memory *mem, unsigned threads, struct gpu **out)
{
    memset(&chip, 0, sizeof chip);
    chip.mem = mem;
    *out = calloc(1, sizeof **out);
    return *out ? 0 : -1;
}

void gpu_destroy(struct gpu *gpu)
{
    free(gpu);
}

static uint32_t copy_list(uint8_t *to, uint32_t max_B, uint32_t from, uint32_t end)
{
    assert_true(chip.mem->is_mapped(chip.mem, from, end - from));
    uint32_t size_B = MIN2(end - from, max_B);
    memcpy(to, chip.mem->base + from, size_B);
    return size_B;
}

enum gpu_status gpu_run_bin(struct gpu *gpu, const struct gpu_bin_job *job, const char **message_out)
{
    chip.bin = *job;
    chip.bins++;
    if (chip.counts && job->counts)
        job->counts[10] += 3;
    chip.bin_list_B = copy_list(chip.bin_list, sizeof chip.bin_list, job->ct0ca, job->ct0ea);
    for (uint32_t i = 0; i < chip.want_slots; i++) {
        uint32_t addr, size_B;
        if (!job->overspill.get(job->overspill.data, &addr, &size_B))
            return GPU_NO_BIN_MEMORY;
        assert_true(chip.mem->is_mapped(chip.mem, addr, size_B));
        chip.got_slots++;
    }
    /* Copies 512 bytes from the first shader record on. */
    for (uint32_t at = 0; at < chip.bin_list_B; at += cl_packet_info(chip.bin_list[at])->size_B) {
        if (chip.bin_list[at] != CL_GL_SHADER_STATE_ID)
            continue;
        struct cl_gl_shader_state state;
        cl_gl_shader_state_unpack(chip.bin_list + at, &state);
        chip.copy_addr = state.address;
        chip.copy_B = copy_list(chip.copied, 512, state.address, state.address + 512);
        break;
    }
    *message_out = "told to hang";
    return chip.hang_bin ? GPU_HANG : GPU_OK;
}

static void wait_for_bins(void)
{
    const uint64_t deadline_ns = util_deadline_ns(UINT64_C(60000000000));
    while (chip.bins < chip.bins_wanted && !chip.bin_wait_timed_out) {
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
        chip.bin_wait_timed_out = util_now_ns() > deadline_ns;
    }
}

enum gpu_status gpu_run_render(struct gpu *gpu, const struct gpu_render_job *job, const char **message_out)
{
    if (chip.sleep_ns)
        nanosleep(&(struct timespec){.tv_nsec = (long)chip.sleep_ns}, NULL);
    wait_for_bins();
    chip.render = *job;
    chip.renders++;
    if (chip.counts && job->counts)
        job->counts[3] += 5;
    chip.render_list_B = copy_list(chip.render_list, sizeof chip.render_list, job->ct1ca, job->ct1ea);
    *message_out = "told to hang";
    return chip.hang_render ? GPU_HANG : GPU_OK;
}
