/* SPDX-License-Identifier: MIT
 *
 * The binning thread: executes the records of a binning list, shades vertices with the coordinate program and assembles
 * primitives from them [guide p.59-71].
 */
#include <stdlib.h>
#include "model/gpu/gpu_mem.h"
#include "model/gpu/gpu_ptb.h"
#include "model/gpu/gpu_stats.h"

/* Vertices are shaded and primitives assembled in steps of this many indices; the time limit is checked between steps.
 * A multiple of 2 and 3, so that no line or triangle spans two steps. */
#define INDICES_PER_STEP 4092

bool gpu_ptb_fail(struct gpu_ptb *ptb, enum gpu_status status, const char *message)
{
    ptb->status = status;
    ptb->message = message;
    return false;
}

/* -- vertices -- */

static void store_vertex(struct gpu_ptb *ptb, unsigned lane)
{
    struct gpu_ptb_vertex *v = &ptb->vertex[ptb->batch[lane]];
    uint32_t (*out)[QPU_LANES] = ptb->pipe.out;
    for (unsigned i = 0; i < 4; i++)
        v->clip[i] = util_uif(out[i][lane]);
    v->screen.x = (int16_t)out[4][lane];
    v->screen.y = (int16_t)(out[4][lane] >> 16);
    v->zs = util_uif(out[5][lane]);
    v->rw = util_uif(out[6][lane]);
    v->point_size_px = ptb->shader.rec.point_size ? util_uif(out[GPU_COORDINATE_WORDS][lane]) : 0;
}

static bool shade_batch(struct gpu_ptb *ptb)
{
    if (ptb->batch_count == 0)
        return true;
    const char *message = NULL;
    enum gpu_status status = gpu_vertex_run(&ptb->pipe, &ptb->shader, GPU_STAGE_COORDINATE, ptb->batch,
                                            ptb->batch_count, &message);
    if (status != GPU_OK)
        return gpu_ptb_fail(ptb, status, message);
    uint32_t outside[QPU_LANES], outside_guard[QPU_LANES];
    gpu_clip_outcodes(ptb, ptb->pipe.out, outside, outside_guard);
    for (unsigned lane = 0; lane < ptb->batch_count; lane++) {
        store_vertex(ptb, lane);
        ptb->vertex[ptb->batch[lane]].outside = (uint8_t)outside[lane];
        ptb->vertex[ptb->batch[lane]].outside_guard = (uint8_t)outside_guard[lane];
    }
    ptb->batch_count = 0;
    return true;
}

static bool queue_vertex(struct gpu_ptb *ptb, uint16_t index)
{
    if (ptb->vertex_run[index] == ptb->run)
        return true;
    ptb->vertex_run[index] = ptb->run;
    ptb->batch[ptb->batch_count++] = index;
    return ptb->batch_count < QPU_LANES || shade_batch(ptb);
}

static void invalidate_vertices(struct gpu_ptb *ptb)
{
    if (++ptb->run == 0) {
        memset(ptb->vertex_run, 0, sizeof ptb->vertex_run);
        ptb->run = 1;
    }
}

/* -- indices -- */

/* Where a draw's indices come from. */
struct index_source {
    const struct gpu_memory *mem;
    bool is_array;
    uint32_t first;   /* array draw; indices have 16 bits (GFXH-515) */
    uint32_t address; /* indexed draw */
    uint32_t index_B;
};

/* Returns a pointer into mapped memory if possible, else fills `out`, which holds INDICES_PER_STEP indices. */
static const uint16_t *read_indices(const struct index_source *source, uint32_t start, uint32_t count, uint16_t *out)
{
    if (source->is_array) {
        for (uint32_t i = 0; i < count; i++)
            out[i] = (uint16_t)(source->first + start + i);
        return out;
    }
    uint32_t address = source->address + start * source->index_B;
    if (source->index_B == 2) {
        const uint8_t *at = gpu_mem_at(source->mem, address, count * 2);
        if (at && (uintptr_t)at % sizeof *out == 0)
            return (const uint16_t *)(const void *)at;
        gpu_mem_read(source->mem, address, out, count * 2);
        return out;
    }
    uint8_t bytes[INDICES_PER_STEP];
    gpu_mem_read(source->mem, address, bytes, count);
    for (uint32_t i = 0; i < count; i++)
        out[i] = bytes[i];
    return out;
}

/* -- primitive assembly -- */

/* Builds primitives from a stream of indices; keeps the earlier indices that strips, fans and loops need. */
struct assembler {
    enum cl_primitive mode;
    uint32_t count;       /* indices taken */
    uint16_t first, a, b; /* the draw's first index, the second to last one, the last one */
};

static enum cl_list_type list_type(enum cl_primitive mode)
{
    return mode == CL_PRIM_POINTS ? CL_LIST_POINTS : mode <= CL_PRIM_LINE_STRIP ? CL_LIST_LINES : CL_LIST_TRIANGLES;
}

/* Takes the next index; true if it completes primitive `v`. The last vertex is the provoking one, as in the recorded
 * jobs. The vertex order in odd triangles of a strip is the one that gives the shortest list codings. */
static bool assemble(struct assembler *as, uint16_t index, uint16_t v[3])
{
    uint32_t n = as->count++;
    uint16_t a = as->a, b = as->b;
    bool complete = false;
    if (n == 0)
        as->first = index;
    switch (as->mode) {
    case CL_PRIM_POINTS:
        v[0] = index;
        return true;
    case CL_PRIM_LINES:
        complete = n % 2 == 1;
        v[0] = b, v[1] = index;
        break;
    case CL_PRIM_LINE_LOOP:
    case CL_PRIM_LINE_STRIP:
        complete = n >= 1;
        v[0] = b, v[1] = index;
        break;
    case CL_PRIM_TRIANGLES:
        complete = n % 3 == 2;
        v[0] = a, v[1] = b, v[2] = index;
        break;
    case CL_PRIM_TRIANGLE_STRIP:
        complete = n >= 2;
        v[0] = n % 2 ? b : a, v[1] = n % 2 ? a : b, v[2] = index;
        break;
    case CL_PRIM_TRIANGLE_FAN:
        complete = n >= 2;
        v[0] = as->first, v[1] = b, v[2] = index;
        break;
    }
    as->a = b;
    as->b = index;
    return complete;
}

/* The closing line of a line loop. A loop of two vertices draws nothing, a chip bug that Mesa's driver knows of. */
static bool closing_line(const struct assembler *as, uint16_t v[3])
{
    v[0] = as->b;
    v[1] = as->first;
    return as->mode == CL_PRIM_LINE_LOOP && as->count > 2;
}

static bool assemble_step(struct gpu_ptb *ptb, struct assembler *as, enum cl_list_type type, const uint16_t *index,
                          uint32_t count)
{
    uint16_t v[3] = {0};
    if (as->mode == CL_PRIM_TRIANGLES) {
        for (uint32_t i = 0; i + 3 <= count; i += 3)
            if (!gpu_ptb_primitive(ptb, type, &index[i]))
                return false;
        return true;
    }
    for (uint32_t i = 0; i < count; i++)
        if (assemble(as, index[i], v) && !gpu_ptb_primitive(ptb, type, v))
            return false;
    return true;
}

static bool draw(struct gpu_cle *cle, struct gpu_ptb *ptb, enum cl_primitive mode, const struct index_source *source,
                 uint32_t length)
{
    struct assembler as = {.mode = mode};
    enum cl_list_type type = list_type(mode);
    uint16_t buffer[INDICES_PER_STEP], v[3] = {0};
    if (mode == CL_PRIM_LINE_LOOP && length <= 2)
        return true;
    for (uint32_t done = 0; done < length;) {
        uint32_t count = MIN2(length - done, INDICES_PER_STEP);
        if (!gpu_cle_in_time(cle))
            return gpu_ptb_fail(ptb, cle->status, cle->message);
        const uint16_t *index = read_indices(source, done, count, buffer);
        for (uint32_t i = 0; i < count; i++)
            if (!queue_vertex(ptb, index[i]))
                return false;
        if (!shade_batch(ptb))
            return false;
        if (!assemble_step(ptb, &as, type, index, count))
            return false;
        done += count;
    }
    return !closing_line(&as, v) || gpu_ptb_primitive(ptb, type, v);
}

static struct gpu_rect drawable(const struct gpu_ptb *ptb)
{
    struct gpu_rect window = gpu_state_window(&ptb->state);
    struct gpu_rect tiles = {0, 0, (int32_t)(ptb->config.width_tl * ptb->tile_px),
                             (int32_t)(ptb->config.height_tl * ptb->tile_px)};
    return gpu_rect_intersect(&window, &tiles);
}

static enum gpu_cle_next start_draw(struct gpu_cle *cle, uint32_t mode, const struct index_source *source,
                                    uint32_t length)
{
    struct gpu_ptb *ptb = cle->unit;
    if (!ptb->started)
        return gpu_cle_fail(cle, GPU_HANG, "primitives before the start of tile binning");
    if (!ptb->has_shader)
        return gpu_cle_fail(cle, GPU_HANG, "primitives without shader state");
    if (mode > CL_PRIM_TRIANGLE_FAN)
        return gpu_cle_fail(cle, GPU_HANG, "unknown primitive mode");
    if (ptb->draw == GPU_PTB_DRAWS_MAX)
        return gpu_cle_fail(cle, GPU_HANG, "more than 7920 draws in a binning list: state counters overflow (HW-2116)");
    ptb->draw++;
    /* A flush has ended the tile lists with a return, so nothing would reach primitives after it. */
    if (ptb->flushed)
        return GPU_CLE_GO_ON;
    ptb->drawable = drawable(ptb);
    if (!draw(cle, ptb, mode, source, length))
        return gpu_cle_fail(cle, ptb->status, ptb->message);
    return GPU_CLE_GO_ON;
}

/* -- records -- */

static enum gpu_cle_next indexed_primitives(struct gpu_cle *cle, const uint8_t *record)
{
    struct cl_indexed_primitives p;
    cl_indexed_primitives_unpack(record, &p);
    struct index_source source = {.mem = cle->mem, .address = p.address, .index_B = p.index_type ? 2 : 1};
    return start_draw(cle, p.mode, &source, p.length);
}

static enum gpu_cle_next array_primitives(struct gpu_cle *cle, const uint8_t *record)
{
    struct cl_array_primitives p;
    cl_array_primitives_unpack(record, &p);
    struct index_source source = {.mem = cle->mem, .is_array = true, .first = p.first};
    return start_draw(cle, p.mode, &source, p.length);
}

static bool update_state(struct gpu_ptb *ptb, enum gpu_state_group group, const uint8_t *record)
{
    uint8_t size_B = cl_packet_info(record[0])->size_B;
    if (ptb->group[group].size_B && !memcmp(ptb->group[group].record, record, size_B))
        return false;
    memcpy(ptb->group[group].record, record, size_B);
    ptb->group[group].size_B = size_B;
    ptb->group[group].changed_at = ptb->draw + 1;
    gpu_state_apply(&ptb->state, group, record);
    return true;
}

static enum gpu_cle_next state(struct gpu_cle *cle, const uint8_t *record)
{
    update_state(cle->unit, (enum gpu_state_group)gpu_state_group(record[0]), record);
    return GPU_CLE_GO_ON;
}

static enum gpu_cle_next shader_state(struct gpu_cle *cle, const uint8_t *record)
{
    struct gpu_ptb *ptb = cle->unit;
    const char *message = NULL;
    if (!update_state(ptb, GPU_STATE_SHADER, record) && ptb->has_shader)
        return GPU_CLE_GO_ON;
    if (!gpu_shader_read(cle->mem, &ptb->state.shader, &ptb->shader, &message))
        return gpu_cle_fail(cle, GPU_HANG, message);
    ptb->has_shader = true;
    invalidate_vertices(ptb);
    return GPU_CLE_GO_ON;
}

static enum gpu_cle_next clipper_xy(struct gpu_cle *cle, const uint8_t *record)
{
    struct gpu_ptb *ptb = cle->unit;
    struct cl_clipper_xy_scaling s;
    cl_clipper_xy_scaling_unpack(record, &s);
    if (ptb->half_width_16 != s.half_width_16 || ptb->half_height_16 != s.half_height_16)
        invalidate_vertices(ptb); /* their guard-band outcodes depend on this */
    ptb->half_width_16 = s.half_width_16;
    ptb->half_height_16 = s.half_height_16;
    return GPU_CLE_GO_ON;
}

static enum gpu_cle_next clipper_z(struct gpu_cle *cle, const uint8_t *record)
{
    struct gpu_ptb *ptb = cle->unit;
    struct cl_clipper_z_scale_offset s;
    cl_clipper_z_scale_offset_unpack(record, &s);
    ptb->z_scale = s.scale;
    ptb->z_offset = s.offset;
    return GPU_CLE_GO_ON;
}

static enum gpu_cle_next mode_config(struct gpu_cle *cle, const uint8_t *record)
{
    struct gpu_ptb *ptb = cle->unit;
    cl_tile_binning_mode_config_unpack(record, &ptb->config);
    if (ptb->config.color_64 || ptb->config.double_buffer)
        return gpu_cle_fail(cle, GPU_HANG, "binning for 64-bit colour or double buffering is not modelled");
    ptb->configured = true;
    if (ptb->monitor)
        atomic_store(&ptb->monitor->is_prefixing, true);
    return GPU_CLE_GO_ON;
}

static enum gpu_cle_next start_binning(struct gpu_cle *cle, const uint8_t *record)
{
    struct gpu_ptb *ptb = cle->unit;
    if (!ptb->configured || ptb->started)
        return gpu_cle_fail(cle, GPU_HANG, "start of tile binning without a configuration, or twice");
    if (!gpu_ptb_lists_init(ptb))
        return gpu_cle_fail(cle, ptb->status, ptb->message);
    ptb->started = true;
    if (ptb->monitor)
        atomic_store(&ptb->monitor->is_prefixing, false);
    return GPU_CLE_GO_ON;
}

static enum gpu_cle_next flush(struct gpu_cle *cle, const uint8_t *record)
{
    struct gpu_ptb *ptb = cle->unit;
    if (!ptb->started)
        return gpu_cle_fail(cle, GPU_HANG, "flush before the start of tile binning");
    if (!ptb->flushed && !gpu_ptb_lists_flush(ptb, record[0] == CL_FLUSH_ALL_STATE_ID))
        return gpu_cle_fail(cle, ptb->status, ptb->message);
    ptb->flushed = true;
    if (ptb->monitor)
        atomic_fetch_add(&ptb->monitor->flushes, 1);
    return GPU_CLE_GO_ON;
}

static enum gpu_cle_next increment_semaphore(struct gpu_cle *cle, const uint8_t *record)
{
    struct gpu_ptb *ptb = cle->unit;
    ptb->semaphore_pending = true;
    return GPU_CLE_GO_ON;
}

static gpu_cle_fn *const table[256] = {
    [CL_HALT_ID] = gpu_cle_halt,
    [CL_NOP_ID] = gpu_cle_nop,
    [CL_FLUSH_ID] = flush,
    [CL_FLUSH_ALL_STATE_ID] = flush,
    [CL_START_TILE_BINNING_ID] = start_binning,
    [CL_INCREMENT_SEMAPHORE_ID] = increment_semaphore,
    [CL_BRANCH_ID] = gpu_cle_branch,
    [CL_INDEXED_PRIMITIVES_ID] = indexed_primitives,
    [CL_ARRAY_PRIMITIVES_ID] = array_primitives,
    [CL_PRIMITIVE_LIST_FORMAT_ID] = state,
    [CL_GL_SHADER_STATE_ID] = shader_state,
    [CL_CONFIGURATION_BITS_ID] = state,
    [CL_FLAT_SHADE_FLAGS_ID] = state,
    [CL_POINT_SIZE_ID] = state,
    [CL_LINE_WIDTH_ID] = state,
    [CL_RHT_X_BOUNDARY_ID] = state,
    [CL_DEPTH_OFFSET_ID] = state,
    [CL_CLIP_WINDOW_ID] = state,
    [CL_VIEWPORT_OFFSET_ID] = state,
    [CL_CLIPPER_XY_SCALING_ID] = clipper_xy,
    [CL_CLIPPER_Z_SCALE_OFFSET_ID] = clipper_z,
    [CL_TILE_BINNING_MODE_CONFIG_ID] = mode_config,
};

/* -- the thread -- */

struct gpu_ptb *gpu_ptb_create(const struct gpu_memory *mem)
{
    struct gpu_ptb *ptb = calloc(1, sizeof *ptb);
    if (!ptb)
        return NULL;
    ptb->mem = mem;
    ptb->pipe.mem = mem;
    if (gpu_qpu_core_create(mem, &ptb->pipe.core)) {
        free(ptb);
        return NULL;
    }
    return ptb;
}

void gpu_ptb_destroy(struct gpu_ptb *ptb)
{
    if (!ptb)
        return;
    gpu_qpu_core_destroy(ptb->pipe.core);
    free(ptb);
}

static void reset(struct gpu_ptb *ptb, const struct gpu_bin_job *job)
{
    ptb->configured = ptb->started = ptb->flushed = ptb->semaphore_pending = ptb->has_shader = false;
    ptb->draw = 0;
    ptb->half_width_16 = ptb->half_height_16 = 0;
    ptb->z_scale = ptb->z_offset = 0;
    ptb->overspill = job->overspill;
    ptb->batch_count = 0;
    util_work_limit_begin(&ptb->limit, job->limit_ns);
    ptb->limit.cancelled = job->monitor ? &job->monitor->cancelled : NULL;
    ptb->monitor = job->monitor;
    ptb->pipe.limit = &ptb->limit;
    memset(ptb->group, 0, sizeof ptb->group);
    gpu_state_reset(&ptb->state);
    gpu_qpu_begin_job(ptb->pipe.core);
    invalidate_vertices(ptb);
}

enum gpu_status gpu_ptb_run(struct gpu_ptb *ptb, const struct gpu_bin_job *job, bool *increments_semaphore_out,
                            const char **message_out)
{
    struct gpu_cle cle = {
        .mem = ptb->mem,
        .table = table,
        .unit = ptb,
        .ca = job->ct0ca,
        .ea = job->ct0ea,
        .limit = &ptb->limit,
        .monitor = job->monitor,
    };
    reset(ptb, job);
    memset(ptb->counts, 0, sizeof ptb->counts);
    ptb->clipped = 0;
    enum gpu_status status = gpu_cle_run(&cle);
    for (unsigned n = 0; job->counts && n < GPU_COUNTS; n++)
        job->counts[n] += ptb->counts[n];
    for (unsigned n = 0; job->stats && n < GPU_COUNTS; n++)
        job->stats->chip_counts[n] += ptb->counts[n];
    if (job->engine_counts)
        job->engine_counts->clipped += ptb->clipped;
    *message_out = cle.message;
    *increments_semaphore_out = status == GPU_OK && ptb->semaphore_pending && ptb->flushed;
    return status;
}
