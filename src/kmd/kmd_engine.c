/* SPDX-License-Identifier: MIT
 *
 * The CPU engine: programs that the chip cannot run, on the mapped buffers, the same on every backend
 * (docs/cpu-engine.md). A backend only says at which 32-bit address a BO is seen; all mappings of a device lie at one
 * distance from their addresses.
 */
#include <errno.h>
#include <stdlib.h>
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

/* Fills the ranges of the BO table and where address 0 would lie. */
static int make_map(const struct kmd_engine_job *job, struct model_engine_range *ranges, uint8_t **memory_out)
{
    for (uint32_t i = 0; i < job->bo_count; i++) {
        uint32_t addr;
        int err = kmd_bo_engine_addr(job->bos[i], &addr);
        if (err)
            return err;
        uint8_t *memory = (uint8_t *)((uintptr_t)kmd_bo_map(job->bos[i]) - addr);
        if (i && memory != *memory_out)
            return -EINVAL;
        *memory_out = memory;
        ranges[i] = (struct model_engine_range){addr, job->bos[i]->size_B};
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
        err = make_map(job, ranges, &memory);
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
                                                          .timeout_ns = job->timeout_ns},
                               &result);
    }
    *out = (struct kmd_engine_result){result.completed, result.stray_accesses, result.message};
    free(ranges);
    free(requests);
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
