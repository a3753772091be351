/* SPDX-License-Identifier: MIT
 *
 * The CPU engine: programs that the chip cannot run, on the mapped buffers, the same on every backend
 * (docs/cpu-engine.md). A backend only says at which 32-bit address a BO is seen; all mappings of a device lie at one
 * distance from their addresses.
 */
#include <errno.h>
#include <stdlib.h>
#include <vc4_drm.h>
#include "kmd/kmd_backend.h"
#include "model/model.h"

int kmd_bo_engine_addr(struct kmd_bo *bo, uint32_t *addr_out)
{
    if (!bo->dev->bo_ops->engine_addr)
        return -ENOTSUP;
    if (!kmd_bo_map(bo))
        return bo->is_shader ? -EINVAL : -ENOMEM;
    return bo->dev->bo_ops->engine_addr(bo, addr_out);
}

bool kmd_device_is_model(const struct kmd_device *dev)
{
    return dev->bo_ops->model_addr != NULL;
}

int kmd_bo_model_addr(struct kmd_bo *bo, uint32_t *addr_out)
{
    return bo->dev->bo_ops->model_addr ? bo->dev->bo_ops->model_addr(bo, addr_out) : -ENOTSUP;
}

/* Made when it is first needed; threads cost something. */
static int get_engine(struct kmd_device *dev, struct model_engine **out)
{
    int err = 0;
    pthread_mutex_lock(&dev->engine_mutex);
    if (!dev->engine)
        err = model_engine_create(0, &dev->engine);
    *out = dev->engine;
    pthread_mutex_unlock(&dev->engine_mutex);
    return err;
}

int kmd_engine_qpu_count(struct kmd_device *dev, uint32_t *count_out)
{
    struct model_engine *engine;
    int err = get_engine(dev, &engine);
    if (!err)
        *count_out = model_engine_qpu_count(engine);
    return err;
}

/* Fills the ranges of the BOs and where address 0 would lie. Programs of the kernel's have no range. */
static int make_map(struct kmd_bo *const *bos, uint32_t count, struct model_engine_range *ranges, uint8_t **memory)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t addr;
        ranges[i] = (struct model_engine_range){0};
        if (bos[i]->is_shader)
            continue;
        int err = kmd_bo_engine_addr(bos[i], &addr);
        if (err)
            return err;
        uint8_t *begin = (uint8_t *)((uintptr_t)kmd_bo_map(bos[i]) - addr);
        if (*memory && begin != *memory)
            return -EINVAL;
        *memory = begin;
        ranges[i] = (struct model_engine_range){addr, bos[i]->size_B};
    }
    return 0;
}

int kmd_engine_run(struct kmd_device *dev, const struct kmd_engine_job *job, struct kmd_engine_result *out)
{
    struct model_engine_range *ranges = calloc(MAX2(job->bo_count, 1u), sizeof *ranges);
    struct model_user_request *requests = calloc(MAX2(job->request_count, 1u), sizeof *requests);
    struct model_user_result result = {0};
    struct model_engine *engine;
    uint8_t *memory = NULL;
    int err = ranges && requests ? get_engine(dev, &engine) : -ENOMEM;
    if (!err)
        err = make_map(job->bos, job->bo_count, ranges, &memory);
    if (!err) {
        for (uint32_t i = 0; i < job->request_count; i++)
            requests[i] = (struct model_user_request){job->requests[i].code_addr, job->requests[i].uniforms_addr, 0};
        err = model_engine_run(engine,
                               &(struct model_engine_job){.memory = memory,
                                                          .ranges = ranges,
                                                          .range_count = job->bo_count,
                                                          .requests = requests,
                                                          .request_count = job->request_count,
                                                          .group = job->group,
                                                          .group_timeout_ns = job->group_timeout_ns,
                                                          .timeout_ns = job->timeout_ns,
                                                          .stats = job->stats},
                               &result);
    }
    *out = (struct kmd_engine_result){result.completed, result.stray_accesses, result.message, result.run_ns};
    free(ranges);
    free(requests);
    return err;
}

/* `memory` holds the job's lists and what the binner writes, behind each other. */
static int run_lists(struct model_engine *engine, const struct kmd_engine_lists *lists, struct kmd_bo *memory,
                     uint32_t binner_B, struct model_user_result *result)
{
    const struct kmd_submit *submit = lists->submit;
    struct drm_vc4_submit_cl args;
    kmd_vc4_fill_submit(submit, &args);
    struct model_engine_range *ranges = calloc(submit->bo_count + 1 + lists->kept_count, sizeof *ranges);
    struct model_engine_range *kept = ranges + submit->bo_count + 1; /* behind them */
    uint8_t *base = NULL;
    for (uint32_t i = 0; ranges && i < lists->kept_count; i++)
        kept[i] = (struct model_engine_range){lists->kept[i].addr, lists->kept[i].size_B};
    int err = ranges ? make_map(submit->bos, submit->bo_count, ranges, &base) : -ENOMEM;
    if (!err)
        err = make_map(&memory, 1, &ranges[submit->bo_count], &base);
    if (!err) {
        const uint32_t addr = ranges[submit->bo_count].addr, lists_B = memory->size_B - binner_B;
        err = model_engine_run_lists(engine,
                                     &(struct model_engine_lists){
                                         .memory = base,
                                         .ranges = ranges,
                                         .range_count = submit->bo_count + 1,
                                         .submit = &args,
                                         .lists = {addr, lists_B},
                                         .binner = {addr + lists_B, binner_B},
                                         .kept_stores =
                                             lists->drops_stores || lists->drops_binning_stores ? kept : NULL,
                                         .drops_binning_stores_only = !lists->drops_stores,
                                         .kept_count = lists->kept_count,
                                         .timeout_ns = lists->timeout_ns,
                                         .stats = lists->stats,
                                     },
                                     result);
    }
    free(ranges);
    return err;
}

int kmd_engine_run_lists(struct kmd_device *dev, const struct kmd_engine_lists *lists, struct kmd_engine_result *out)
{
    struct model_user_result result = {0};
    struct drm_vc4_submit_cl args;
    struct model_engine *engine;
    struct kmd_bo *memory;
    kmd_vc4_fill_submit(lists->submit, &args);
    const uint32_t binner_B = MIN2(lists->binner_B, MODEL_ENGINE_BINNER_B);
    int err = get_engine(dev, &engine);
    if (!err)
        err = kmd_bo_create(dev, (uint64_t)model_engine_lists_B(&args) + binner_B, "lists of an engine job",
                            &memory);
    if (!err) {
        err = run_lists(engine, lists, memory, binner_B, &result);
        kmd_bo_unref(memory);
    }
    *out = (struct kmd_engine_result){
        .stray_accesses = result.stray_accesses,
        .message = err == -EINVAL && !result.message ? model_last_refusal() : result.message,
        .run_ns = result.run_ns,
    };
    return err;
}

int kmd_engine_init(struct kmd_device *dev)
{
    return -pthread_mutex_init(&dev->engine_mutex, NULL);
}

void kmd_engine_finish(struct kmd_device *dev)
{
    model_engine_destroy(dev->engine);
    pthread_mutex_destroy(&dev->engine_mutex);
}
