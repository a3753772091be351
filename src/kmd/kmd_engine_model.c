/* SPDX-License-Identifier: MIT
 *
 * The CPU engine of both backends: the GPU half of the model, which runs QPU programs on the memory of this process.
 * This file translates jobs to the structs of model.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <vc4_drm.h>
#include "kmd/kmd_backend.h"
#include "model/model.h"

/* A struct kmd_engine is the model's engine; the type is never defined. */
static struct model_engine *model_engine(struct kmd_engine *engine)
{
    return (struct model_engine *)engine;
}

static int create(struct kmd_engine **out)
{
    struct model_engine *engine;
    int err = model_engine_create(0, &engine);
    if (!err)
        *out = (struct kmd_engine *)engine;
    return err;
}

static void destroy(struct kmd_engine *engine)
{
    model_engine_destroy(model_engine(engine));
}

static uint32_t qpu_count(const struct kmd_engine *engine)
{
    return model_engine_qpu_count((const struct model_engine *)engine);
}

static void copy_ranges(const struct kmd_engine_range *from, uint32_t count, struct model_engine_range *to)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = (struct model_engine_range){from[i].addr, from[i].size_B};
}

static struct kmd_engine_result to_result(const struct model_user_result *result)
{
    return (struct kmd_engine_result){
        .completed = result->completed,
        .stray_accesses = result->stray_accesses,
        .message = result->message,
        .run_ns = result->run_ns,
    };
}

static int run(struct kmd_engine *engine, const struct kmd_engine_map *map, const struct kmd_engine_job *job,
               struct kmd_engine_result *out)
{
    struct model_engine_range *ranges = calloc((size_t)map->range_count + job->kept_count + 1, sizeof *ranges);
    struct model_user_request *requests = calloc(MAX2(job->request_count, 1u), sizeof *requests);
    int err = -ENOMEM;
    if (ranges && requests) {
        struct model_engine_range *kept = ranges + map->range_count; /* in the same allocation */
        copy_ranges(map->ranges, map->range_count, ranges);
        copy_ranges(job->kept, job->kept_count, kept);
        for (uint32_t i = 0; i < job->request_count; i++)
            requests[i] = (struct model_user_request){job->requests[i].code_addr, job->requests[i].uniforms_addr, 0};
        struct model_user_result result;
        err = model_engine_run(model_engine(engine),
                               &(struct model_engine_job){
                                   .memory = map->memory,
                                   .ranges = ranges,
                                   .range_count = map->range_count,
                                   .requests = requests,
                                   .request_count = job->request_count,
                                   .group = job->group,
                                   .group_timeout_ns = job->group_timeout_ns,
                                   .timeout_ns = job->timeout_ns,
                                   .kept_stores = job->drops_stores ? kept : NULL,
                                   .kept_count = job->kept_count,
                                   .stats = job->stats,
                               },
                               &result);
        *out = to_result(&result);
    }
    free(ranges);
    free(requests);
    return err;
}

static void list_sizes(const struct kmd_submit *submit, uint32_t *lists_B_out, uint32_t *max_binner_B_out)
{
    struct drm_vc4_submit_cl args;
    kmd_vc4_fill_submit(submit, &args);
    *lists_B_out = model_engine_lists_B(&args);
    *max_binner_B_out = MODEL_ENGINE_BINNER_B;
}

static int run_lists(struct kmd_engine *engine, const struct kmd_engine_map *map, const struct kmd_engine_lists *lists,
                     const struct kmd_engine_list_memory *memory, struct kmd_engine_result *out)
{
    struct model_engine_range *ranges = calloc((size_t)map->range_count + lists->kept_count, sizeof *ranges);
    if (!ranges)
        return -ENOMEM;
    struct model_engine_range *kept = ranges + map->range_count; /* in the same allocation */
    copy_ranges(map->ranges, map->range_count, ranges);
    copy_ranges(lists->kept, lists->kept_count, kept);
    struct drm_vc4_submit_cl args;
    kmd_vc4_fill_submit(lists->submit, &args);
    struct model_user_result result;
    struct model_counts counts = {0};
    int err =
        model_engine_run_lists(model_engine(engine),
                               &(struct model_engine_lists){
                                   .memory = map->memory,
                                   .ranges = ranges,
                                   .range_count = map->range_count,
                                   .submit = &args,
                                   .kept_stores = lists->drops_stores || lists->drops_binning_stores ? kept : NULL,
                                   .kept_count = lists->kept_count,
                                   .drops_binning_stores_only = !lists->drops_stores,
                                   .lists = {memory->lists.addr, memory->lists.size_B},
                                   .binner = {memory->binner.addr, memory->binner.size_B},
                                   .timeout_ns = lists->timeout_ns,
                                   .stats = lists->stats,
                                   .counts = &counts,
                               },
                               &result);
    *out = to_result(&result);
    out->clipped = counts.clipped;
    out->fragments = counts.fragments;
    if (err == -EINVAL && !out->message)
        out->message = model_last_refusal();
    free(ranges);
    return err;
}

const struct kmd_engine_ops kmd_engine_model_ops = {
    .create = create,
    .destroy = destroy,
    .qpu_count = qpu_count,
    .run = run,
    .list_sizes = list_sizes,
    .run_lists = run_lists,
};
