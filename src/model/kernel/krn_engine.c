/* SPDX-License-Identifier: MIT
 *
 * Jobs with control lists on the CPU engine. The lists are validated and built as for the kernel (krn_lists.h), from
 * buffers that are ranges of the job's memory. The job is not queued: it runs while the caller waits.
 */
#include <errno.h>
#include <stdlib.h>
#include "model/gpu/gpu_engine.h"
#include "model/kernel/krn_lists.h"
#include "model/model.h"
#include "util/thread.h"

#define TILE_LIST_B 128u /* of the render list, more than any tile takes */

/* The part of a range that is not allocated yet. Allocations are never freed: the range is the job's alone. */
struct free_range {
    uint32_t addr, end;
};

struct engine_job {
    struct krn_lists lists;
    const struct model_engine_lists *input;
    struct krn_buffer *buffers;
    struct free_range list_memory, binner_memory;
};

uint32_t model_engine_lists_B(const struct drm_vc4_submit_cl *submit)
{
    const uint64_t tiles = (submit->max_x_tile - submit->min_x_tile + UINT64_C(1)) *
                           (submit->max_y_tile - submit->min_y_tile + UINT64_C(1));
    const uint64_t size_B = util_align64(submit->bin_cl_size, 16) + submit->shader_rec_size + submit->uniforms_size +
                            (tiles + 2) * TILE_LIST_B;
    return (uint32_t)MIN2(size_B, (uint64_t)UINT32_MAX);
}

/* -- memory -- */

static struct free_range whole(struct model_engine_range range)
{
    return (struct free_range){range.addr, range.addr + range.size_B};
}

static int allocate(struct free_range *range, uint32_t size_B, uint32_t *addr_out)
{
    if (range->end - range->addr < size_B)
        return -ENOMEM;
    *addr_out = range->addr;
    range->addr += size_B;
    return 0;
}

static int alloc_list(struct krn_lists *lists, uint32_t size_B, struct krn_list_memory *out)
{
    struct engine_job *job = container_of(lists, struct engine_job, lists);
    int err = allocate(&job->list_memory, util_align(size_B, 16), &out->addr);
    if (!err)
        out->data = (uint8_t *)job->input->memory + out->addr;
    return err;
}

static int get_bin_slot(struct krn_lists *lists, uint32_t *addr_out)
{
    struct engine_job *job = container_of(lists, struct engine_job, lists);
    return allocate(&job->binner_memory, KRN_BIN_SLOT_B, addr_out);
}

static const struct krn_lists_ops lists_ops = {.alloc = alloc_list, .get_bin_slot = get_bin_slot};

/* Makes the table of buffers from the first ranges. The caller frees it, on failure too. */
static int make_buffers(struct engine_job *job)
{
    const struct model_engine_lists *input = job->input;
    const uint32_t count = input->submit->bo_handle_count;
    if (!count || count > input->range_count)
        return krn_refuse(KRN_RULE_SUBMIT_BOS, "%u of %u ranges", count, input->range_count);
    job->lists.buffers = job->buffers = calloc(count, sizeof *job->buffers);
    if (!job->buffers)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        job->buffers[i] = (struct krn_buffer){.addr = input->ranges[i].addr, .size_B = input->ranges[i].size_B};
    return 0;
}

/* -- running -- */

static bool overspill(void *data, uint32_t *addr_out, uint32_t *size_B_out)
{
    struct engine_job *job = data;
    *size_B_out = KRN_BIN_SLOT_B;
    return !allocate(&job->binner_memory, KRN_BIN_SLOT_B, addr_out);
}

/* `work_ns_out`: the processor time of this thread for binning, plus the largest of any thread for rendering. */
static int run(struct engine_job *job, struct gpu *gpu, uint64_t *work_ns_out, const char **message_out)
{
    const struct krn_lists *lists = &job->lists;
    const uint64_t begin_ns = util_thread_time_ns(), timeout_ns = job->input->timeout_ns;
    enum gpu_status status = GPU_OK;
    if (lists->ct0ca) {
        const struct gpu_bin_job bin = {.ct0ca = lists->ct0ca,
                                        .ct0ea = lists->ct0ea,
                                        .overspill = {job, overspill},
                                        .limit_ns = timeout_ns,
                                        .stats = job->input->stats,
                                        .engine_counts = job->input->counts};
        status = gpu_run_bin(gpu, &bin, message_out);
    }
    *work_ns_out = util_thread_time_ns() - begin_ns;
    if (status == GPU_OK) {
        const struct gpu_render_job render = {.ct1ca = lists->ct1ca,
                                              .ct1ea = lists->ct1ea,
                                              .stats = job->input->stats,
                                              .engine_counts = job->input->counts,
                                              .limit_ns = timeout_ns - MIN2(timeout_ns, *work_ns_out)};
        status = gpu_run_render(gpu, &render, message_out);
        *work_ns_out += gpu_render_work_ns(gpu);
    }
    return status == GPU_OK ? 0 : status == GPU_HANG ? -ETIMEDOUT : -ENOMEM;
}

/* The ranges that programs' stores may reach, in the chip's form. NULL: all of memory. */
static int copy_kept(const struct model_engine_lists *input, struct gpu_kept_stores **out)
{
    if (!input->kept_stores)
        return 0;
    struct gpu_kept_stores *kept = calloc(MAX2(input->kept_count, 1u), sizeof *kept);
    if (!kept)
        return -ENOMEM;
    for (unsigned i = 0; i < input->kept_count; i++)
        kept[i] = (struct gpu_kept_stores){input->kept_stores[i].addr, input->kept_stores[i].size_B};
    *out = kept;
    return 0;
}

int model_engine_run_lists(struct model_engine *engine, const struct model_engine_lists *input,
                           struct model_user_result *out)
{
    struct engine_job job = {
        .lists = {.ops = &lists_ops, .args = *input->submit, .uniforms_are_addresses = true, .may_store_nothing = true},
        .input = input,
        .list_memory = whole(input->lists),
        .binner_memory = whole(input->binner),
    };
    struct gpu *gpu;
    struct gpu_kept_stores *kept = NULL;
    *out = (struct model_user_result){0};
    int err = make_buffers(&job);
    if (!err)
        err = copy_kept(input, &kept);
    if (!err)
        err = krn_lists_build(&job.lists);
    if (!err)
        err = gpu_engine_begin_lists(engine, input->memory, input->ranges, input->range_count, &gpu);
    if (!err) {
        gpu_keep_stores(gpu, kept, input->kept_count, input->drops_binning_stores_only);
        err = run(&job, gpu, &out->run_ns, &out->message);
        gpu_keep_stores(gpu, NULL, 0, false);
        out->stray_accesses = gpu_take_stray_accesses(gpu);
        gpu_engine_end_lists(engine);
    }
    free(kept);
    free(job.buffers);
    return err;
}
