/* SPDX-License-Identifier: MIT
 *
 * Performance monitors [kernel vc4_perfmon.c, notes 9.9]: event counts, summed over the jobs that name the monitor.
 * gpu.h lists the events that the model counts; the others stay 0. The kernel serialises jobs with different monitors,
 * because the chip has one set of counters. Here each job has counters of its own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "model/kernel/krn_device.h"

static struct krn_perfmon *find_locked(struct model_file *file, uint32_t id)
{
    util_list_for_each(struct krn_perfmon, perfmon, &file->perfmons, link) {
        if (perfmon->id == id)
            return perfmon;
    }
    return NULL;
}

bool krn_perfmon_exists(struct model_file *file, uint32_t id)
{
    pthread_mutex_lock(&file->lock);
    bool exists = find_locked(file, id) != NULL;
    pthread_mutex_unlock(&file->lock);
    return exists;
}

static_assert((int)GPU_COUNTS == VC4_PERFCNT_NUM_EVENTS, "events are the chip's sources");
static_assert((BIT(GPU_COUNT_PRIMS_WITHOUT_PIXELS) | BIT(GPU_COUNT_PRIMS) | BIT(GPU_COUNT_QUADS_CLIPPED) |
               BIT(GPU_COUNT_QUADS) | BIT(GPU_COUNT_QUADS_FAILING) | BIT(GPU_COUNT_QUADS_PASSING) |
               BIT(GPU_COUNT_QUADS_WRITTEN) | BIT(GPU_COUNT_PRIMS_OUTSIDE) | BIT(GPU_COUNT_PRIMS_TO_CLIP) |
               BIT(GPU_COUNT_PRIMS_REVERSED)) == MODEL_COUNTED_EVENTS,
              "the public header lists the counted events");

/* The monitor may have been destroyed since the job was submitted. */
void krn_perfmon_add(struct model_file *file, uint32_t id, const uint64_t counts[VC4_PERFCNT_NUM_EVENTS])
{
    pthread_mutex_lock(&file->lock);
    struct krn_perfmon *perfmon = find_locked(file, id);
    for (uint32_t i = 0; perfmon && i < perfmon->counters; i++)
        perfmon->value[i] += counts[perfmon->event[i]];
    pthread_mutex_unlock(&file->lock);
}

int krn_ioctl_perfmon_create(struct model_file *file, struct drm_vc4_perfmon_create *args)
{
    if (!args->ncounters || args->ncounters > DRM_VC4_MAX_PERF_COUNTERS)
        return -EINVAL;
    for (uint32_t i = 0; i < args->ncounters; i++) {
        if (args->events[i] >= VC4_PERFCNT_NUM_EVENTS)
            return -EINVAL;
    }
    struct krn_perfmon *perfmon = calloc(1, sizeof *perfmon);
    if (!perfmon)
        return -ENOMEM;
    perfmon->counters = args->ncounters;
    memcpy(perfmon->event, args->events, args->ncounters);
    pthread_mutex_lock(&file->lock);
    perfmon->id = ++file->last_perfmon;
    util_list_add_tail(&file->perfmons, &perfmon->link);
    args->id = perfmon->id;
    pthread_mutex_unlock(&file->lock);
    return 0;
}

int krn_ioctl_perfmon_destroy(struct model_file *file, struct drm_vc4_perfmon_destroy *args)
{
    pthread_mutex_lock(&file->lock);
    struct krn_perfmon *perfmon = find_locked(file, args->id);
    if (perfmon)
        util_list_del(&perfmon->link);
    pthread_mutex_unlock(&file->lock);
    free(perfmon);
    return perfmon ? 0 : -EINVAL;
}

int krn_ioctl_perfmon_get_values(struct model_file *file, struct drm_vc4_perfmon_get_values *args)
{
    pthread_mutex_lock(&file->lock);
    struct krn_perfmon *perfmon = find_locked(file, args->id);
    uint32_t counters = perfmon ? perfmon->counters : 0;
    uint64_t values[DRM_VC4_MAX_PERF_COUNTERS];
    if (perfmon)
        memcpy(values, perfmon->value, sizeof values);
    pthread_mutex_unlock(&file->lock);
    if (!perfmon)
        return -EINVAL;
    if (!args->values_ptr || args->values_ptr != (uint64_t)(uintptr_t)args->values_ptr)
        return -EFAULT;
    memcpy((void *)(uintptr_t)args->values_ptr, values, counters * sizeof values[0]);
    return 0;
}

void krn_perfmons_finish(struct model_file *file)
{
    util_list_for_each_safe(struct krn_perfmon, perfmon, &file->perfmons, link)
        free(perfmon);
}
