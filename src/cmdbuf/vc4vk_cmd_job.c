/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_job.h"
#include "descriptor/vc4vk_upload_ring.h"
#include "queue/vc4vk_queue.h"
#include "util/debug.h"

/* The kernel has 16 MiB of binner memory for all processes, in slots of 512 KiB. A job that needs more fails [hardware
 * notes 9.8]. */
static const struct vc4vk_job_limits normal_limits = {
    .chunk_B = 2048, .chip_draws = 7900, .bytes_B = 4u << 20, .binner_B = 12u << 20};
static const struct vc4vk_job_limits tiny_limits = {
    .chunk_B = 64, .chip_draws = 7900, .bytes_B = 1024, .binner_B = 12u << 20};

const struct vc4vk_job_limits *vc4vk_job_limits(void)
{
    return util_debug(UTIL_DEBUG_TINY) ? &tiny_limits : &normal_limits;
}

/* Tile lists hold the state once per tile that a draw enters, and up to 7 bytes per primitive and tile. The estimate is
 * for many small primitives, which enter one tile each, or for few that are as large as the window. */
uint64_t vc4vk_binner_estimate_B(uint32_t tiles, VkPrimitiveTopology topology, uint64_t vertices)
{
    const uint64_t primitives = topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST ? vertices / 3
                                : topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST   ? vertices / 2
                                                                                : vertices;
    const uint64_t small_B = 8 * primitives, large_B = UINT64_C(7) * tiles * MIN2(primitives, 4u);
    return vc4vk_binner_state_B(tiles) + MAX2(small_B, large_B);
}

/* ---------------------------------------------------------------- sections */

static void append(struct vc4vk_cmd_job *job, struct vc4vk_cmd_section *section)
{
    vc4vk_cmd_job_end_section(job);
    if (job->last)
        job->last->next = section;
    job->last = section;
}

void vc4vk_cmd_job_begin_section(struct vc4vk_cmd_job *job, struct vc4vk_cmd_section *section,
                                 const struct vc4vk_cmd_lists *lists, struct util_stream_place packets)
{
    append(job, section);
    *section = (struct vc4vk_cmd_section){.lists = lists, .packets = packets, .draws = util_stream_end(&lists->draws)};
}

/* Merges the properties of a secondary's job into the job that executes its draws. */
static void merge_properties(struct vc4vk_cmd_job *job, const struct vc4vk_cmd_job *from)
{
    job->has_counting_programs = from->has_counting_programs && (job->has_counting_programs || !job->draw_count);
    job->packets_B += from->packets_B;
    job->draw_count += from->draw_count;
    job->chip_draws += from->chip_draws;
    job->estimate_B += from->estimate_B;
    job->binner_B += from->binner_B;
    job->written_replays |= from->written_replays;
    job->writes_depth |= from->writes_depth;
    job->has_side_effects |= from->has_side_effects;
    job->samples = from->samples;
    job->replay_count = from->replay_count;
    job->is_recentred |= from->is_recentred;
    job->pairs = from->pairs;
    job->stores_colors |= from->stores_colors;
    job->may_take_parts |= from->may_take_parts;
    job->class = MAX2(job->class, from->class);
    job->needs_idle |= from->needs_idle;
}

void vc4vk_cmd_job_execute(struct vc4vk_cmd_job *job, struct vc4vk_cmd_section *section,
                           const struct vc4vk_cmd_job *from, uint32_t count)
{
    assert(!from->first.next && !from->first.is_executed); /* secondaries do not execute others */
    append(job, section);
    *section = from->first;
    section->is_executed = true;
    section->count = count;
    merge_properties(job, from);
    job->counted_draws = count ? job->draw_count : job->counted_draws;
}

/* ---------------------------------------------------------------- the module's state in a device */

struct cmdbuf_state {
    struct kmd_bo *ramp;
    pthread_mutex_t ring_lock;
    uint32_t ring_count;
    struct {
        const struct kmd_timeline *timeline; /* of a queue; NULL: for work that has finished when its build ends */
        struct vc4vk_upload_ring ring;
    } rings[VC4VK_MAX_QUEUES + 1];
};

static VkResult cmdbuf_state_create(struct vc4vk_device *device, void **out)
{
    struct cmdbuf_state *state =
        vc4vk_new(VC4VK_ALLOC_INTERNAL, struct cmdbuf_state, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!state)
        return vc4vk_oom(device);
    int err = kmd_bo_create(device->kmd, VC4VK_ZEROS_AT_B + VC4VK_ZEROS_B, "vertex numbers", &state->ramp);
    uint32_t *words = err ? NULL : kmd_bo_map(state->ramp);
    if (!words) {
        kmd_bo_unref(state->ramp);
        vc4vk_free(VC4VK_ALLOC_INTERNAL, state);
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "vertex number BO: out of device memory");
    }
    for (uint32_t i = 0; i < VC4VK_RAMP_COUNT; i++)
        words[i] = i;
    memset(words + VC4VK_RAMP_COUNT, 0, VC4VK_ZEROS_B);
    pthread_mutex_init(&state->ring_lock, NULL);
    *out = state;
    return VK_SUCCESS;
}

static void cmdbuf_state_destroy(struct vc4vk_device *device, void *data)
{
    struct cmdbuf_state *state = data;
    for (uint32_t i = 0; i < state->ring_count; i++)
        vc4vk_upload_ring_finish(&state->rings[i].ring);
    pthread_mutex_destroy(&state->ring_lock);
    kmd_bo_unref(state->ramp);
    vc4vk_free(VC4VK_ALLOC_INTERNAL, state);
}

static VkResult get_state(struct vc4vk_device *device, struct cmdbuf_state **out)
{
    static const struct vc4vk_slot_ops ops = {cmdbuf_state_create, cmdbuf_state_destroy};
    return vc4vk_device_slot(device, VC4VK_SLOT_CMDBUF, &ops, (void **)out);
}

VkResult vc4vk_device_ramp(struct vc4vk_device *device, struct kmd_bo **out)
{
    struct cmdbuf_state *state;
    VkResult result = get_state(device, &state);
    if (result == VK_SUCCESS)
        *out = state->ramp;
    return result;
}

struct vc4vk_upload_ring *vc4vk_device_upload_ring(struct vc4vk_device *device, const struct kmd_timeline *timeline)
{
    struct cmdbuf_state *state;
    struct vc4vk_upload_ring *ring = NULL;
    if (get_state(device, &state) != VK_SUCCESS)
        return NULL;
    pthread_mutex_lock(&state->ring_lock);
    for (uint32_t i = 0; i < state->ring_count && !ring; i++)
        if (state->rings[i].timeline == timeline)
            ring = &state->rings[i].ring;
    if (!ring && state->ring_count < ARRAY_SIZE(state->rings)) {
        ring = &state->rings[state->ring_count].ring;
        state->rings[state->ring_count++].timeline = timeline;
        vc4vk_upload_ring_init(ring, device->kmd, VC4VK_ALLOC_INTERNAL);
    }
    pthread_mutex_unlock(&state->ring_lock);
    return ring;
}
