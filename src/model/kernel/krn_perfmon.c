/* SPDX-License-Identifier: MIT
 *
 * Performance monitors [kernel vc4_perfmon.c, notes 9.9]: event counts, summed over the jobs that name the monitor.
 * gpu.h lists the events that the model counts; the others stay 0. The kernel serialises jobs with different monitors,
 * because the chip has one set of counters. Here each job has counters of its own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "model/kernel/krn_copy.h"
#include "model/kernel/krn_device.h"

static struct krn_perfmon *find_locked(struct model_file *file, uint32_t id)
{
    util_list_for_each(struct krn_perfmon, perfmon, &file->perfmons, link) {
        if (perfmon->id == id)
            return perfmon;
    }
    return NULL;
}

struct krn_perfmon *krn_perfmon_get(struct model_file *file, uint32_t id)
{
    pthread_mutex_lock(&file->lock);
    struct krn_perfmon *perfmon = find_locked(file, id);
    if (perfmon)
        perfmon->refs++;
    pthread_mutex_unlock(&file->lock);
    return perfmon;
}

void krn_perfmon_put(struct model_file *file, struct krn_perfmon *perfmon)
{
    if (!perfmon)
        return;
    pthread_mutex_lock(&file->lock);
    bool is_last = !--perfmon->refs;
    pthread_mutex_unlock(&file->lock);
    if (is_last)
        free(perfmon);
}

static_assert((int)GPU_COUNTS == VC4_PERFCNT_NUM_EVENTS, "events are the chip's sources");
static_assert((BIT(GPU_COUNT_PRIMS_WITHOUT_PIXELS) | BIT(GPU_COUNT_PRIMS) | BIT(GPU_COUNT_QUADS_CLIPPED) |
               BIT(GPU_COUNT_QUADS) | BIT(GPU_COUNT_QUADS_FAILING) | BIT(GPU_COUNT_QUADS_PASSING) |
               BIT(GPU_COUNT_QUADS_WRITTEN) | BIT(GPU_COUNT_PRIMS_OUTSIDE) | BIT(GPU_COUNT_PRIMS_TO_CLIP) |
               BIT(GPU_COUNT_PRIMS_REVERSED)) == MODEL_COUNTED_EVENTS,
              "the public header lists the counted events");

void krn_perfmon_add(struct model_file *file, struct krn_perfmon *perfmon,
                     const uint64_t counts[VC4_PERFCNT_NUM_EVENTS])
{
    pthread_mutex_lock(&file->lock);
    for (uint32_t i = 0; i < perfmon->counters; i++)
        perfmon->value[i] += counts[perfmon->event[i]];
    pthread_mutex_unlock(&file->lock);
}

/* Inserts it with the lowest id that is free. */
static void insert_locked(struct model_file *file, struct krn_perfmon *perfmon)
{
    struct util_list *at = &file->perfmons;
    perfmon->id = 1;
    util_list_for_each(struct krn_perfmon, other, &file->perfmons, link) {
        if (other->id != perfmon->id)
            break;
        perfmon->id++;
        at = &other->link;
    }
    util_list_add_after(at, &perfmon->link);
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
    perfmon->refs = 1;
    perfmon->counters = args->ncounters;
    memcpy(perfmon->event, args->events, args->ncounters);
    pthread_mutex_lock(&file->lock);
    insert_locked(file, perfmon);
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
    krn_perfmon_put(file, perfmon);
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
    return krn_copy_to_user(file->dev->checks_addresses, args->values_ptr, values, counters * sizeof values[0]);
}

void krn_perfmons_finish(struct model_file *file)
{
    util_list_for_each_safe(struct krn_perfmon, perfmon, &file->perfmons, link)
        free(perfmon);
}
