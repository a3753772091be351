/* SPDX-License-Identifier: MIT
 *
 * Jobs with control lists on the CPU engine. The kernel's own code checks and relocates the lists and makes the render
 * list; buffers are ranges of the job's memory here, and nothing is queued: the caller waits.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "model/gpu/gpu_engine.h"
#include "model/kernel/krn_job.h"

#define TILE_LIST_B 128u /* of the render list, more than any tile takes */

uint32_t model_engine_lists_B(const struct drm_vc4_submit_cl *submit)
{
    const uint64_t tiles = (submit->max_x_tile - submit->min_x_tile + UINT64_C(1)) *
                           (submit->max_y_tile - submit->min_y_tile + UINT64_C(1));
    const uint64_t size_B = util_align64(submit->bin_cl_size, 16) + submit->shader_rec_size + submit->uniforms_size +
                            (tiles + 2) * TILE_LIST_B;
    return (uint32_t)MIN2(size_B, (uint64_t)UINT32_MAX);
}

static int make_table(struct krn_job *job, const struct model_engine_lists *lists)
{
    const uint32_t count = job->args.bo_handle_count;
    if (!count || count > lists->range_count)
        return krn_refuse(KRN_RULE_SUBMIT_BOS, "%u of %u ranges", count, lists->range_count);
    struct krn_bo *bos = calloc(count, sizeof *bos);
    job->bos = calloc(count, sizeof *job->bos);
    if (!bos || !job->bos) {
        free(bos);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        bos[i] = (struct krn_bo){.dev = job->dev, .addr = lists->ranges[i].addr, .size_B = lists->ranges[i].size_B};
        job->bos[i] = &bos[i]; /* the first one owns them all */
    }
    return 0;
}

static bool overspill(void *data, uint32_t *addr_out, uint32_t *size_B_out)
{
    *size_B_out = KRN_BIN_SLOT_B;
    return !krn_job_get_bin_slot(data, NULL, addr_out);
}

/* `work_ns_out`: the processor time of this thread that bins, and the most of a thread that renders. */
static int run(struct krn_job *job, struct gpu *gpu, uint64_t timeout_ns, uint64_t *work_ns_out,
               const char **message_out)
{
    const uint64_t begin_ns = util_thread_time_ns();
    enum gpu_status status = GPU_OK;
    if (job->ct0ca) {
        const struct gpu_bin_job bin = {
            .ct0ca = job->ct0ca, .ct0ea = job->ct0ea, .overspill = {job, overspill}, .limit_ns = timeout_ns,
            .stats = job->stats};
        status = gpu_run_bin(gpu, &bin, message_out);
    }
    *work_ns_out = util_thread_time_ns() - begin_ns;
    if (status == GPU_OK) {
        const struct gpu_render_job render = {
            .ct1ca = job->ct1ca, .ct1ea = job->ct1ea, .stats = job->stats,
            .limit_ns = timeout_ns - MIN2(timeout_ns, *work_ns_out)};
        status = gpu_run_render(gpu, &render, message_out);
        *work_ns_out += gpu_render_work_ns(gpu);
    }
    return status == GPU_OK ? 0 : status == GPU_HANG ? -ETIMEDOUT : -ENOMEM;
}

static int copy_kept(const struct model_engine_lists *lists, struct gpu_kept_stores **out)
{
    if (!lists->kept_stores)
        return 0;
    struct gpu_kept_stores *kept = calloc(MAX2(lists->kept_count, 1u), sizeof *kept);
    if (!kept)
        return -ENOMEM;
    for (unsigned i = 0; i < lists->kept_count; i++)
        kept[i] = (struct gpu_kept_stores){lists->kept_stores[i].addr, lists->kept_stores[i].size_B};
    *out = kept;
    return 0;
}

static int run_lists(struct model_engine *engine, const struct model_engine_lists *lists, struct krn_job *job,
                     struct model_user_result *out)
{
    struct gpu *gpu;
    struct gpu_kept_stores *kept = NULL;
    int err = make_table(job, lists);
    if (!err)
        err = copy_kept(lists, &kept);
    if (!err)
        err = krn_job_build_lists(job);
    if (!err)
        err = gpu_engine_begin_lists(engine, lists->memory, lists->ranges, lists->range_count, &gpu);
    if (err) {
        free(kept);
        return err;
    }
    gpu_keep_stores(gpu, kept, lists->kept_count, lists->drops_binning_stores_only);
    err = run(job, gpu, lists->timeout_ns, &out->run_ns, &out->message);
    gpu_keep_stores(gpu, NULL, 0, false);
    out->stray_accesses = gpu_take_stray_accesses(gpu);
    gpu_engine_end_lists(engine);
    free(kept);
    return err;
}

int model_engine_run_lists(struct model_engine *engine, const struct model_engine_lists *lists,
                           struct model_user_result *out)
{
    struct krn_engine_memory *place = calloc(1, sizeof *place);
    *out = (struct model_user_result){0};
    if (!place || pthread_mutex_init(&place->dev.lock, NULL)) {
        free(place);
        return -ENOMEM;
    }
    place->dev.mem.gpu.base = lists->memory;
    place->list_addr = lists->lists.addr;
    place->list_end = lists->lists.addr + lists->lists.size_B;
    place->binner_addr = lists->binner.addr;
    place->binner_end = lists->binner.addr + lists->binner.size_B;
    struct krn_job job = {.dev = &place->dev, .args = *lists->submit, .engine = place, .stats = lists->stats};
    int err = run_lists(engine, lists, &job, out);
    if (job.bos)
        free(job.bos[0]);
    free(job.bos);
    free(job.states);
    pthread_mutex_destroy(&place->dev.lock);
    free(place);
    return err;
}
