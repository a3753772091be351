/* SPDX-License-Identifier: MIT
 *
 * Runs jobs on the CPU engine: builds each part, executes its lists, and decodes the images of blocks that its programs
 * may have stored to. That is pixel work, hence the dependency on the copy engine's module.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "issue/vc4vk_issue_private.h"
#include "issue/vc4vk_print.h"
#include "transfer/vc4vk_transfer.h"
#include "util/debug.h"
#include "util/environment.h"
#include "util/log.h"

#define MIN_BINNER_B (2u << 20)

/* Binning cannot be restarted when it runs out of memory, so it gets a minimum plus twice the estimate. */
static uint32_t binner_B(const struct vc4vk_issue_engine *engine)
{
    return (uint32_t)MIN2(util_align64(MIN_BINNER_B + 2 * engine->binner_B, 4096), (uint64_t)UINT32_MAX);
}

static void add_counts(const struct vc4vk_counted *counted, const struct kmd_engine_result *result)
{
    struct vc4vk_counts counts = {{0}};
    counts.statistics[VC4VK_STATISTIC_CLIPPED_PRIMITIVES] = result->clipped;
    counts.statistics[VC4VK_STATISTIC_FRAGMENT_RUNS] = result->fragments;
    vc4vk_counted_add(counted, &counts);
}

/* Runs one part. Stores of programs are dropped in all replays but the first, which has done them, except stores to the
 * job's own memory. */
static VkResult run_part(const struct vc4vk_job *job, const struct vc4vk_job_build *build,
                         const struct vc4vk_issue_engine *engine, uint64_t *left_ns)
{
    const struct vc4vk_draw_replay *replay = job->data;
    struct vc4vk_device *device = replay->draws->device;
    struct kmd_engine_result result;
    const struct kmd_submit submit = {
        .bin_cl = build->bin_cl.data,
        .bin_cl_B = build->bin_cl.size_B,
        .shader_rec = build->shader_rec.data,
        .shader_rec_B = build->shader_rec.size_B,
        .shader_rec_count = build->shader_rec_count,
        .bos = build->bos,
        .bo_count = build->bo_count,
        .render = build->render,
    };
    const struct kmd_engine_lists lists = {
        .submit = &submit,
        .timeout_ns = *left_ns,
        .binner_B = binner_B(engine),
        .drops_stores = replay->index > 0,
        .drops_binning_stores = replay->has_binned,
        .kept = (const void *)engine->kept.data,
        .kept_count = engine->kept.size_B / (uint32_t)sizeof(struct kmd_engine_range),
        .stats = inspect_stats(inspect_current()),
    };
    const struct inspect_job seen = vc4vk_inspect_describe(job, lists.submit);
    inspect_describe_job(inspect_current(), &seen);
    int err = kmd_engine_run_lists(device->kmd, &lists, &result);
    *left_ns -= MIN2(*left_ns, result.run_ns);
    if (err == -ENOMEM)
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "%s on the CPU engine: out of device memory",
                            job->name);
    if (err)
        return vc4vk_errorf(device, VK_ERROR_DEVICE_LOST, "%s on the CPU engine: %s", job->name,
                            result.message ? result.message : strerror(-err));
    if (replay->counted)
        add_counts(replay->counted, &result);
    if (result.stray_accesses && (!engine->uses_addresses || util_debug(UTIL_DEBUG_PERF)))
        util_warn("%s on the CPU engine: %u accesses were outside of all mapped memory", job->name,
                  result.stray_accesses);
    return VK_SUCCESS;
}

static void print_messages(const struct vc4vk_issue_engine *engine)
{
    const struct vc4vk_issue_print *prints = (const void *)engine->prints.data;
    for (uint32_t i = 0; i < engine->prints.size_B / sizeof *prints; i++)
        vc4vk_print_messages(prints[i].program, prints[i].memory);
}

static void say_why(const struct vc4vk_job *job)
{
    const struct vc4vk_draw_replay *replay = job->data;
    if (util_debug(UTIL_DEBUG_PERF))
        util_info("perf: %s runs on the CPU engine: %s", job->name,
                  replay->counted               ? "a query counts what it does"
                  : job->class == VC4VK_JOB_CPU ? "one of its programs stores to memory or exceeds the chip's limits"
                                                : "VC4VK_DEBUG=force-cpu-engine");
}

static VkResult decode_stored(const struct vc4vk_job *job, const struct vc4vk_issue_engine *engine)
{
    const struct vc4vk_draw_replay *replay = job->data;
    const struct vc4vk_view_state *const *views = (const void *)engine->blocks.data;
    bool done = true;
    for (uint32_t i = 0; i < engine->blocks.size_B / sizeof *views; i++)
        done &= vc4vk_image_decode(views[i]->blocks, views[i]->first_layer, views[i]->slices);
    return done ? VK_SUCCESS
                : vc4vk_errorf(replay->draws->device, VK_ERROR_MEMORY_MAP_FAILED, "%s: image memory is not mapped",
                               job->name);
}

/* Builds a part. When that fails, for instance because memory is short, drops the BO cache and tries once more; nothing
 * has run by then. */
static VkResult build_part(const struct vc4vk_job *job, struct vc4vk_job_build *build, uint64_t from,
                           struct vc4vk_issue_engine *engine)
{
    VkResult result = VK_SUCCESS;
    for (int tries = 0; tries < 2; tries++) {
        engine->kept.size_B = engine->blocks.size_B = engine->prints.size_B = 0;
        result = vc4vk_job_build_begin(build, job);
        build->from = from;
        if (result == VK_SUCCESS && kmd_engine_qpu_count(build->kmd, &engine->qpu_count))
            result = VK_ERROR_OUT_OF_HOST_MEMORY;
        if (result == VK_SUCCESS)
            result = vc4vk_issue_build_for(job, build, engine);
        if (result == VK_SUCCESS)
            break;
        vc4vk_job_build_end(build);
        kmd_bo_cache_drop(build->kmd);
    }
    return result;
}

VkResult vc4vk_issue_engine_job(void *arguments)
{
    const struct vc4vk_job *job = arguments;
    const struct vc4vk_draw_replay *replay = job->data;
    struct vc4vk_job_build build = {.kmd = replay->draws->device->kmd};
    struct vc4vk_issue_engine engine = {0};
    VkResult result;
    uint64_t from = 0, left_ns = util_engine_hang_limit_ns(); /* for all parts together */
    say_why(job);
    do {
        result = build_part(job, &build, from, &engine);
        if (result != VK_SUCCESS)
            break;
        from = build.next_from;
        if (!build.is_nothing)
            result = run_part(job, &build, &engine, &left_ns);
        if (!build.is_nothing)
            print_messages(&engine);
        if (result == VK_SUCCESS)
            result = decode_stored(job, &engine);
        vc4vk_job_build_end(&build);
    } while (from && result == VK_SUCCESS);
    vc4vk_job_build_finish(&build);
    free(engine.kept.data);
    free(engine.blocks.data);
    free(engine.prints.data);
    return result;
}
