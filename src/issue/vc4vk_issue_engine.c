/* SPDX-License-Identifier: MIT
 *
 * Jobs on the CPU engine (docs/cpu-engine.md). The lists are the same as for the chip, but programs lie in ordinary
 * memory, and words that the kernel would relocate contain addresses. Uniform streams lie in fresh memory, next to the
 * push constants, binding tables and descriptors that programs read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "transfer/vc4vk_transfer.h"
#include "cmdbuf/vc4vk_issue.h"
#include "util/debug.h"
#include "util/environment.h"
#include "util/log.h"

#define MIN_BINNER_B (2u << 20)

/* ---------------------------------------------------------------- memory */

uint32_t vc4vk_issue_engine_addr(struct vc4vk_issue *issue, struct kmd_bo *bo)
{
    uint32_t addr = VC4C_ENGINE_NULL;
    if (!bo)
        return addr;
    if (kmd_bo_engine_addr(bo, &addr)) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_DEVICE_MEMORY);
        return VC4C_ENGINE_NULL;
    }
    vc4vk_issue_bo_index(issue, bo);
    return addr;
}

static uint32_t take(uint32_t *size_B, uint32_t more_B)
{
    uint32_t at_B = *size_B;
    *size_B += util_align(more_B, 16);
    return at_B;
}

/* Adds an image of blocks that programs may store to. */
static void note_blocks(struct vc4vk_issue *issue, const struct vc4vk_view_state *view)
{
    const struct vc4vk_view_state *const *noted = (const void *)issue->engine->blocks.data;
    for (uint32_t i = 0; i < issue->engine->blocks.size_B / sizeof *noted; i++)
        if (noted[i] == view)
            return;
    const struct vc4vk_view_state **out = (void *)vc4vk_bytes_append(&issue->engine->blocks, sizeof *out);
    if (out)
        *out = view;
    else
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
}

static void write_descriptors(struct vc4vk_issue *issue, const struct vc4vk_program_descriptors *d, uint32_t count,
                              uint32_t *entries, struct vc4c_engine_descriptor *states)
{
    const uint32_t first = d->first_slot + d->program->buffer_count + 2 * d->program->texture_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct vc4vk_surface_state *state = vc4vk_binding_table_resolve(d->pool, d->table, first + i);
        entries[i] = i * (uint32_t)sizeof *states;
        struct kmd_bo *bo = vc4vk_surface_state_bo(state);
        states[i] = (struct vc4c_engine_descriptor){0};
        if (state->kind == VC4VK_STATE_VIEW && state->view.blocks)
            note_blocks(issue, &state->view);
        if (bo)
            states[i] = vc4vk_engine_descriptor(state, vc4vk_issue_engine_addr(issue, bo));
    }
}

bool vc4vk_issue_engine_program(struct vc4vk_issue *issue, const struct vc4vk_program_descriptors *descriptors,
                                const struct vc4vk_draw_state *state, uint32_t words, uint32_t **stream_out,
                                struct vc4vk_issue_engine_program *out)
{
    const struct vc4c_program *p = descriptors->program;
    struct vc4vk_issue_memory memory;
    uint32_t size_B = 0, entry_count = 0, stream_B = take(&size_B, words * 4 + 4), push_B = 0, entries_B = 0,
             states_B = 0;
    for (uint32_t i = 0; p->is_engine && i < p->resource_count; i++) {
        out->first_entry[i] = entry_count;
        entry_count += vc4vk_resource_slot_count(&p->resources[i]);
    }
    if (p->is_engine) {
        push_B = take(&size_B, VC4VK_MAX_PUSH_B);
        entries_B = take(&size_B, 4 * entry_count);
        states_B = take(&size_B, entry_count * (uint32_t)sizeof(struct vc4c_engine_descriptor));
    }
    if (!vc4vk_issue_fresh(issue, size_B, &memory))
        return false;
    const uint32_t addr = vc4vk_issue_engine_addr(issue, issue->fresh_bo) + memory.offset_B;
    uint8_t *map = memory.map;
    if (p->is_engine) {
        memcpy(map + push_B, state->push, VC4VK_MAX_PUSH_B);
        write_descriptors(issue, descriptors, entry_count, (void *)(map + entries_B), (void *)(map + states_B));
    }
    *stream_out = (uint32_t *)(void *)(map + stream_B);
    out->stream_addr = addr + stream_B;
    out->push_addr = addr + push_B;
    out->entries_addr = addr + entries_B;
    out->states_addr = addr + states_B;
    return issue->result == VK_SUCCESS;
}

bool vc4vk_issue_engine_word(const struct vc4vk_issue *issue, const struct vc4vk_issue_engine_program *program,
                             const struct vc4c_uniform *u, uint32_t *out)
{
    switch ((enum vc4c_uniform_kind)u->kind) {
    case VC4C_UNIFORM_STREAM_ADDRESS:
        *out = program->stream_addr;
        return true;
    case VC4C_UNIFORM_ENGINE_ENTRY:
        *out = program->entries_addr + 4 * program->first_entry[u->ref];
        return true;
    case VC4C_UNIFORM_ENGINE_STATES:
        *out = program->states_addr;
        return true;
    case VC4C_UNIFORM_ENGINE_PUSH:
        *out = program->push_addr;
        return true;
    case VC4C_UNIFORM_ENGINE_SCRATCH:
        *out = issue->engine->scratch_addr + u->data;
        return true;
    case VC4C_UNIFORM_ENGINE_SCRATCH_B:
        *out = issue->engine->scratch_B;
        return true;
    case VC4C_UNIFORM_ENGINE_COLOR: /* word 0 is in the tile buffer */
        *out = issue->engine->color_addr[u->data + 1];
        return true;
    case VC4C_UNIFORM_ENGINE_COLOR_PITCH:
        *out = issue->engine->color_pitch_B[u->data + 1];
        return true;
    case VC4C_UNIFORM_ENGINE_VERTICES:
        *out = issue->vertices_addr;
        return true;
    default:
        return false;
    }
}

void vc4vk_issue_engine_colors(struct vc4vk_issue *issue, const struct vc4vk_stored_colors *stored)
{
    for (uint32_t i = 0; i < VC4VK_MAX_REPLAYS && stored; i++) {
        issue->engine->color_addr[i] = vc4vk_issue_engine_addr(issue, stored->words[i].bo);
        issue->engine->color_pitch_B[i] = stored->words[i].stride_B;
    }
}

void vc4vk_issue_engine_keep(struct vc4vk_issue *issue, uint32_t addr, uint32_t size_B)
{
    struct kmd_engine_range *kept = (void *)vc4vk_bytes_append(&issue->engine->kept, sizeof *kept);
    if (kept)
        *kept = (struct kmd_engine_range){addr, size_B};
    else
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
}

void vc4vk_issue_engine_vertices(struct vc4vk_issue *issue, const struct vc4vk_record *record,
                                 const struct vc4vk_issue_range *range)
{
    const uint32_t vertex_B = record->vertex->programs[0].program->compiled.vertex_results_B;
    const uint32_t count = range->max_index + 1;
    struct vc4vk_issue_memory memory;
    issue->vertices_addr = VC4C_ENGINE_NULL;
    if (!vertex_B || !vc4vk_issue_fresh(issue, vertex_B * count, &memory))
        return;
    issue->vertices_addr = vc4vk_issue_engine_addr(issue, issue->fresh_bo) + memory.offset_B;
    vc4vk_issue_engine_keep(issue, issue->vertices_addr, vertex_B * count);
}

/* ---------------------------------------------------------------- the run */

/* Binning cannot be restarted when it runs out of memory, so it gets a minimum plus twice the estimate. */
static uint32_t binner_B(const struct vc4vk_issue_engine *engine)
{
    return (uint32_t)MIN2(util_align64(MIN_BINNER_B + 2 * engine->binner_B, 4096), (uint64_t)UINT32_MAX);
}

/* Runs one part. Stores of programs are dropped in all replays but the first, which has done them, except stores to the
 * job's own memory. */
static VkResult run_part(const struct vc4vk_job *job, const struct vc4vk_job_build *build,
                         const struct vc4vk_issue_engine *engine, uint64_t *left_ns)
{
    const struct vc4vk_cmd_replay *replay = job->data;
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
    if (result.stray_accesses)
        util_warn("%s on the CPU engine: %u accesses were outside of all mapped memory", job->name,
                  result.stray_accesses);
    return VK_SUCCESS;
}

static void say_why(const struct vc4vk_job *job)
{
    if (util_debug(UTIL_DEBUG_PERF))
        util_info("perf: %s runs on the CPU engine: %s", job->name,
                  job->class == VC4VK_JOB_CPU ? "one of its programs stores to memory or exceeds the chip's limits"
                                                   : "VC4VK_DEBUG=force-cpu-engine");
}

static VkResult decode_stored(const struct vc4vk_job *job, const struct vc4vk_issue_engine *engine)
{
    const struct vc4vk_cmd_replay *replay = job->data;
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
        engine->kept.size_B = engine->blocks.size_B = 0;
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
    const struct vc4vk_cmd_replay *replay = job->data;
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
        if (result == VK_SUCCESS)
            result = decode_stored(job, &engine);
        vc4vk_job_build_end(&build);
    } while (from && result == VK_SUCCESS);
    vc4vk_job_build_finish(&build);
    free(engine.kept.data);
    free(engine.blocks.data);
    return result;
}
