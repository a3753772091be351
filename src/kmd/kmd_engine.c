/* SPDX-License-Identifier: MIT
 *
 * The CPU engine: programs that the chip cannot run, on the mapped buffers (docs/cpu-engine.md). A backend tells at
 * which 32-bit address a BO is seen; all mappings of a device are at one distance from their addresses. What runs the
 * programs is behind a table, kmd_device.engine_ops. This file creates the engine when it is first used, makes the
 * address map of each job from its BOs, and allocates the memory for lists.
 */
#include <errno.h>
#include <stdlib.h>
#include "kmd/kmd_backend.h"

int kmd_bo_engine_addr(struct kmd_bo *bo, uint32_t *addr_out)
{
    if (!bo->dev->bo_ops->engine_addr)
        return -ENOTSUP;
    if (!kmd_bo_map(bo))
        return bo->is_shader ? -EINVAL : -ENOMEM;
    return bo->dev->bo_ops->engine_addr(bo, addr_out);
}

uint32_t kmd_engine_memory_addr(struct kmd_device *dev)
{
    return dev->ops->upper_addr ? dev->ops->upper_addr(dev) : UINT32_MAX;
}

bool kmd_device_is_model(const struct kmd_device *dev)
{
    return dev->bo_ops->model_addr != NULL;
}

int kmd_bo_model_addr(struct kmd_bo *bo, uint32_t *addr_out)
{
    return bo->dev->bo_ops->model_addr ? bo->dev->bo_ops->model_addr(bo, addr_out) : -ENOTSUP;
}

/* Creates the engine on first use, because its threads are not free. */
static int get_engine(struct kmd_device *dev, struct kmd_engine **out)
{
    if (!dev->engine_ops)
        return -ENOTSUP;
    int err = 0;
    pthread_mutex_lock(&dev->engine_mutex);
    if (!dev->engine)
        err = dev->engine_ops->create(&dev->engine);
    *out = dev->engine;
    pthread_mutex_unlock(&dev->engine_mutex);
    return err;
}

int kmd_engine_qpu_count(struct kmd_device *dev, uint32_t *count_out)
{
    struct kmd_engine *engine;
    int err = get_engine(dev, &engine);
    if (!err)
        *count_out = dev->engine_ops->qpu_count(engine);
    return err;
}

/* -- address maps -- */

static int add_range(struct kmd_bo *bo, uint8_t **memory, struct kmd_engine_range *out)
{
    uint32_t addr;
    int err = kmd_bo_engine_addr(bo, &addr);
    if (err)
        return err;
    uint8_t *begin = (uint8_t *)((uintptr_t)kmd_bo_map(bo) - addr);
    if (*memory && begin != *memory)
        return -EINVAL;
    *memory = begin;
    *out = (struct kmd_engine_range){addr, bo->size_B};
    return 0;
}

/* Makes the map of the BOs and, if it is not NULL, of `last`. The caller frees the ranges, on failure too. */
static int make_map(struct kmd_bo *const *bos, uint32_t count, struct kmd_bo *last,
                    struct kmd_engine_range **ranges_out, struct kmd_engine_map *map_out)
{
    struct kmd_engine_range *ranges = calloc((size_t)count + 1, sizeof *ranges);
    uint8_t *memory = NULL;
    int err = ranges ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < count && !err; i++) {
        if (!bos[i]->is_shader)
            err = add_range(bos[i], &memory, &ranges[i]);
    }
    if (last && !err)
        err = add_range(last, &memory, &ranges[count]);
    *ranges_out = ranges;
    *map_out = (struct kmd_engine_map){memory, ranges, count + (last != NULL)};
    return err;
}

/* -- jobs -- */

int kmd_engine_run(struct kmd_device *dev, const struct kmd_engine_job *job, struct kmd_engine_result *out)
{
    struct kmd_engine *engine;
    *out = (struct kmd_engine_result){0};
    int err = get_engine(dev, &engine);
    if (err)
        return err;
    struct kmd_engine_range *ranges;
    struct kmd_engine_map map;
    err = make_map(job->bos, job->bo_count, NULL, &ranges, &map);
    if (!err)
        err = dev->engine_ops->run(engine, &map, job, out);
    free(ranges);
    return err;
}

/* `memory` holds the job's lists, then what the binner writes. */
static int run_lists(struct kmd_engine *engine, const struct kmd_engine_lists *lists, struct kmd_bo *memory,
                     uint32_t binner_B, struct kmd_engine_result *out)
{
    const struct kmd_submit *submit = lists->submit;
    struct kmd_engine_range *ranges;
    struct kmd_engine_map map;
    int err = make_map(submit->bos, submit->bo_count, memory, &ranges, &map);
    if (!err) {
        const struct kmd_engine_range own = ranges[submit->bo_count];
        const uint32_t lists_B = own.size_B - binner_B;
        const struct kmd_engine_list_memory parts = {{own.addr, lists_B}, {own.addr + lists_B, binner_B}};
        err = memory->dev->engine_ops->run_lists(engine, &map, lists, &parts, out);
    }
    free(ranges);
    return err;
}

int kmd_engine_run_lists(struct kmd_device *dev, const struct kmd_engine_lists *lists, struct kmd_engine_result *out)
{
    struct kmd_engine *engine;
    *out = (struct kmd_engine_result){0};
    int err = get_engine(dev, &engine);
    if (err)
        return err;
    uint32_t lists_B, max_binner_B;
    dev->engine_ops->list_sizes(lists->submit, &lists_B, &max_binner_B);
    const uint32_t binner_B = MIN2(lists->binner_B, max_binner_B);
    struct kmd_bo *memory;
    err = kmd_bo_create(dev, (uint64_t)lists_B + binner_B, "lists of an engine job", &memory);
    if (err)
        return err;
    err = run_lists(engine, lists, memory, binner_B, out);
    kmd_bo_unref(memory);
    return err;
}

int kmd_engine_init(struct kmd_device *dev)
{
    return -pthread_mutex_init(&dev->engine_mutex, NULL);
}

void kmd_engine_finish(struct kmd_device *dev)
{
    if (dev->engine)
        dev->engine_ops->destroy(dev->engine);
    pthread_mutex_destroy(&dev->engine_mutex);
}
