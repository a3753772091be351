/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_job.h"
#include "cmdbuf/vc4vk_cmd_pass.h"
#include "cmdbuf/vc4vk_issue.h"
#include "descriptor/vc4vk_upload_ring.h"
#include "queue/vc4vk_queue.h"
#include "util/arena.h"
#include "util/debug.h"

/* Kernel: 16 MiB of binner memory for everybody, in slots of 512 KiB; a job that wants more than there is fails
 * [hardware notes 9.8]. */
static const struct vc4vk_job_limits normal_limits = {
    .chunk_B = 2048, .chip_draws = 7900, .bytes_B = 4u << 20, .binner_B = 12u << 20};
static const struct vc4vk_job_limits tiny_limits = {
    .chunk_B = 64, .chip_draws = 7900, .bytes_B = 1024, .binner_B = 12u << 20};

const struct vc4vk_job_limits *vc4vk_job_limits(void)
{
    return util_debug(UTIL_DEBUG_TINY) ? &tiny_limits : &normal_limits;
}

VkResult vc4vk_cmd_job_init(struct vc4vk_cmd_job *job, struct vc4vk_device *device, const struct util_alloc *alloc)
{
    uint32_t chunk_B = vc4vk_job_limits()->chunk_B;
    memset(job, 0, sizeof *job);
    vc4vk_job_init(&job->base, chunk_B, alloc);
    util_stream_init(&job->draws, chunk_B, alloc);
    job->base.name = "pass";
    job->base.build = vc4vk_issue_build;
    job->base.data = &job->replay;
    job->replay.draws = job;
    job->base.command.needs_idle = false;
    job->device = device;
    kmd_render_init(&job->base.render);
    return vc4vk_device_state_pool(device, &job->pool);
}

void vc4vk_cmd_job_finish(struct vc4vk_cmd_job *job)
{
    for (struct vc4vk_cmd_replay_job *replay = job->replays; replay; replay = replay->next)
        vc4vk_job_finish(&replay->base);
    util_stream_finish(&job->draws);
    vc4vk_job_finish(&job->base);
}

bool vc4vk_cmd_job_is_for_engine(const struct vc4vk_cmd_job *job)
{
    return job->base.class == VC4VK_JOB_CPU || util_debug(UTIL_DEBUG_FORCE_CPU_ENGINE);
}

bool vc4vk_cmd_job_has_failed(const struct vc4vk_cmd_job *job)
{
    bool failed = vc4vk_job_has_failed(&job->base) || job->draws.failed;
    for (const struct vc4vk_cmd_replay_job *replay = job->replays; replay; replay = replay->next)
        failed |= vc4vk_job_has_failed(&replay->base);
    return failed;
}

bool vc4vk_cmd_job_is_full(const struct vc4vk_cmd_job *job, uint32_t chip_draws, uint64_t bytes_B, uint64_t binner_B)
{
    const struct vc4vk_job_limits *limits = vc4vk_job_limits();
    return job->draw_count &&
           (job->chip_draws + chip_draws > limits->chip_draws || job->estimate_B + bytes_B > limits->bytes_B ||
            job->binner_B + binner_B > limits->binner_B);
}

/* State once per tile that a draw enters, and up to 7 bytes per primitive and tile. Many primitives are small and enter
 * one tile each, few may be as large as the window. */
uint64_t vc4vk_binner_estimate_B(uint32_t tiles, VkPrimitiveTopology topology, uint64_t vertices)
{
    const uint64_t primitives = topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST ? vertices / 3
                                : topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST   ? vertices / 2
                                                                                : vertices;
    const uint64_t state_B = UINT64_C(48) * tiles, small_B = 8 * primitives,
                   large_B = UINT64_C(7) * tiles * MIN2(primitives, 4u);
    return state_B + MAX2(small_B, large_B);
}

void vc4vk_cmd_job_begin_binning(struct vc4vk_cmd_job *job, const struct vc4vk_cmd_pass *pass)
{
    const uint32_t tile_px = vc4vk_tile_px(pass->samples);
    job->has_bin_header = true;
    job->max_x_px = (uint16_t)pass->width_px;
    job->max_y_px = (uint16_t)pass->height_px;
    cl_emit(&job->base.bin_cl, TILE_BINNING_MODE_CONFIG, tile_binning_mode_config, p)
    {
        p.width_tl = util_div_round_up(pass->width_px, tile_px);
        p.height_tl = util_div_round_up(pass->height_px, tile_px);
        p.ms_4x = pass->samples > 1;
    }
    cl_emit(&job->base.bin_cl, START_TILE_BINNING, start_tile_binning, p)
    {
    }
    /* A tile list must not rely on a left-over format; every draw starts from this one [hardware notes 7.7]. */
    cl_emit(&job->base.bin_cl, PRIMITIVE_LIST_FORMAT, primitive_list_format, p)
    {
        p.type = CL_LIST_TRIANGLES;
        p.data = 1;
    }
}

/* ---------------------------------------------------------------- secondaries */

static void clip_to_extent(const struct vc4vk_cmd_job *job, uint8_t *packet)
{
    struct cl_clip_window w;
    cl_clip_window_unpack(packet, &w);
    w.left_px = MIN2(w.left_px, job->max_x_px);
    w.bottom_px = MIN2(w.bottom_px, job->max_y_px);
    w.width_px = MIN2(w.width_px, job->max_x_px - w.left_px);
    w.height_px = MIN2(w.height_px, job->max_y_px - w.bottom_px);
    cl_clip_window_pack(packet, &w);
}

static void append_packets(struct vc4vk_cmd_job *job, uint8_t *packets, uint32_t size_B)
{
    for (uint32_t at = 0; at < size_B; at += cl_packet_info(packets[at])->size_B)
        if (packets[at] == CL_CLIP_WINDOW_ID)
            clip_to_extent(job, packets + at);
    util_stream_write(&job->base.bin_cl, packets, size_B);
}

static void append_records(struct vc4vk_cmd_job *job, uint8_t *records, uint32_t size_B, const uint32_t *new_index)
{
    for (uint32_t at_B = 0, record_B; at_B < size_B; at_B += record_B) {
        struct vc4vk_record *r = (void *)(records + at_B);
        record_B = vc4vk_record_size_B(r);
        r->fs_bo = new_index[r->fs_bo];
        r->vs_bo = new_index[r->vs_bo];
        r->cs_bo = new_index[r->cs_bo];
        for (uint32_t a = 0; a < r->array_count; a++)
            r->arrays[a].bo_index = new_index[r->arrays[a].bo_index];
        util_stream_write(&job->base.shader_rec, r, record_B);
    }
}

static void append_draws(struct vc4vk_cmd_job *job, const struct vc4vk_cmd_job *from, struct vc4vk_draw *draws,
                         const uint32_t *new_index)
{
    const uint32_t list_B = job->base.bin_cl.size_B, records_B = job->base.shader_rec.size_B,
                   uniforms_B = job->base.uniforms.size_B;
    for (uint32_t i = 0; i < from->draw_count; i++) {
        struct vc4vk_draw *d = &draws[i];
        d->bin_cl_B += list_B;
        d->record_B += records_B;
        d->uniform_B += uniforms_B;
        if (d->index_B)
            d->index_bo = new_index[d->index_bo];
        if (d->indirect)
            d->indirect_bo = new_index[d->indirect_bo];
        if (d->indirect && d->draw_count_bo != KMD_NO_BO)
            d->draw_count_bo = new_index[d->draw_count_bo];
        util_stream_write(&job->draws, d, sizeof *d);
    }
}

void vc4vk_cmd_job_append(struct vc4vk_cmd_job *job, const struct vc4vk_cmd_job *from, uint32_t count)
{
    struct util_arena arena;
    util_arena_init(&arena, from->base.bos.alloc);
    uint8_t *packets = util_arena_alloc(&arena, from->base.bin_cl.size_B + 1);
    uint8_t *records = util_arena_alloc(&arena, from->base.shader_rec.size_B + 1);
    struct vc4vk_uniform_set *uniforms = util_arena_alloc(&arena, from->base.uniforms.size_B + 1);
    struct vc4vk_draw *draws = util_arena_alloc(&arena, from->draws.size_B + 1);
    uint32_t *new_index = util_arena_new_array(&arena, uint32_t, from->base.bos.count + 1);
    if (!packets || !records || !uniforms || !draws || !new_index) {
        job->base.bin_cl.failed = true;
        util_arena_finish(&arena);
        return;
    }
    util_stream_gather(&from->base.bin_cl, packets);
    util_stream_gather(&from->base.shader_rec, records);
    util_stream_gather(&from->base.uniforms, uniforms);
    util_stream_gather(&from->draws, draws);

    /* ORDER: draws are re-based by what the streams held before */
    for (uint32_t i = 0; i < from->base.bos.count; i++)
        new_index[i] = vc4vk_bo_table_add(&job->base.bos, from->base.bos.bos[i]);
    append_draws(job, from, draws, new_index);
    append_packets(job, packets, from->base.bin_cl.size_B);
    append_records(job, records, from->base.shader_rec.size_B, new_index);
    for (uint32_t i = 0; i < from->base.uniforms.size_B / sizeof *uniforms; i++)
        uniforms[i].count = count;
    util_stream_write(&job->base.uniforms, uniforms, from->base.uniforms.size_B);

    job->has_counting_programs = from->has_counting_programs && (job->has_counting_programs || !job->draw_count);
    job->draw_count += from->draw_count;
    job->counted_draws = count ? job->draw_count : job->counted_draws;
    job->chip_draws += from->chip_draws;
    job->estimate_B += from->estimate_B;
    job->binner_B += from->binner_B;
    job->written_replays |= from->written_replays;
    job->writes_depth |= from->writes_depth;
    job->has_side_effects |= from->has_side_effects;
    job->samples = from->samples;
    job->is_recentred |= from->is_recentred;
    job->pairs = from->pairs;
    job->stores_colors |= from->stores_colors;
    job->may_take_parts |= from->may_take_parts;
    job->base.class = MAX2(job->base.class, from->base.class);
    job->base.command.needs_idle |= from->base.command.needs_idle;
    util_arena_finish(&arena);
}

/* ---------------------------------------------------------------- the room's part of a device */

struct cmdbuf_state {
    struct kmd_bo *ramp;
    pthread_mutex_t ring_lock;
    uint32_t ring_count;
    struct {
        const struct kmd_timeline *timeline; /* of a queue; NULL: of what has finished when its build ends */
        struct vc4vk_upload_ring ring;
    } rings[VC4VK_MAX_QUEUES + 1];
};

static VkResult cmdbuf_state_create(struct vc4vk_device *device, void **out)
{
    struct cmdbuf_state *state = vc4vk_new(device->alloc, struct cmdbuf_state, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!state)
        return vc4vk_oom(device);
    int err = kmd_bo_create(device->kmd, VC4VK_ZEROS_AT_B + VC4VK_ZEROS_B, "vertex numbers", &state->ramp);
    uint32_t *words = err ? NULL : kmd_bo_map(state->ramp);
    if (!words) {
        kmd_bo_unref(state->ramp);
        vc4vk_free(device->alloc, state);
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "no memory for the vertex numbers");
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
    vc4vk_free(device->alloc, state);
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
        vc4vk_upload_ring_init(ring, device->kmd, device->alloc);
    }
    pthread_mutex_unlock(&state->ring_lock);
    return ring;
}
