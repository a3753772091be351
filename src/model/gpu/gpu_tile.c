/* SPDX-License-Identifier: MIT
 *
 * The walk over one tile's list [guide p.64-78]: state records, compressed primitive lists, clipped primitives. The
 * list in tile allocation memory is the only input and is not trusted: where it makes no sense it ends, the tile keeps
 * what has been drawn so far, and the damage is reported. Only a failing program or the time limit counts as a hang.
 */
#include <stdlib.h>
#include "model/gpu/gpu_cle.h"
#include "model/gpu/gpu_list.h"
#include "model/gpu/gpu_mem.h"
#include "model/gpu/gpu_ptb.h"
#include "model/gpu/gpu_stats.h"
#include "model/gpu/gpu_tile.h"
#include "util/debug.h"
#include "util/thread.h"

#define GPU_BLOCK_MAX_B 256 /* largest block of a tile list [guide p.71] */

bool gpu_worker_fail(struct gpu_worker *worker, enum gpu_status status, const char *message)
{
    worker->status = status;
    worker->message = message;
    return false;
}

/* -- damage -- */

/* Records the damage and ends the list here. */
static enum gpu_cle_next damaged(struct gpu_cle *cle, const char *what)
{
    struct gpu_worker *w = cle->unit;
    if (!w->damage) {
        w->damage = what;
        w->damage_column = (uint32_t)w->fep.tile.x0 / gpu_tlb_tile_px(&w->tlb);
        w->damage_row = (uint32_t)w->fep.tile.y0 / gpu_tlb_tile_px(&w->tlb);
    }
    return GPU_CLE_STOP;
}

/* -- loops --
 *
 * A list's path depends only on memory, which does not change, so reaching the same place twice means an endless loop.
 * Brent's algorithm: remember one place for as many branches as were followed before it, then for twice as many. */

static void loop_guard_begin(struct gpu_worker *w, uint32_t address)
{
    w->block = address;
    w->loop_mark = UINT32_MAX;
    w->loop_left = w->loop_length = 1;
}

static bool is_loop(struct gpu_worker *w, uint32_t target)
{
    w->block = target;
    if (target == w->loop_mark)
        return true;
    if (--w->loop_left == 0) {
        w->loop_mark = target;
        w->loop_left = w->loop_length *= 2;
    }
    return false;
}

/* Whether the list has run past its block without a branch, judged by the largest block size. */
static bool has_left_block(const struct gpu_worker *w, uint32_t ca)
{
    return ca - w->block > GPU_BLOCK_MAX_B;
}

/* -- vertices -- */

static bool shade(struct gpu_worker *w, const uint16_t *indices, unsigned count)
{
    if (count == 0)
        return true;
    const char *message = NULL;
    enum gpu_status status =
        gpu_vertex_run(&w->pipe, &w->shader->shader, GPU_STAGE_VERTEX, indices, count, &message);
    if (status != GPU_OK)
        return gpu_worker_fail(w, status, message);
    if (!gpu_vertex_cache_put(w->shader, &w->arena, &w->pipe, indices, count))
        return gpu_worker_fail(w, GPU_OUT_OF_HOST_MEMORY, "out of host memory for shaded vertices");
    return true;
}

/* Compares all 16 indices, so that the loop vectorises. */
static bool contains_index(const uint16_t indices[QPU_LANES], unsigned count, uint16_t index)
{
    unsigned found = 0;
    for (unsigned i = 0; i < QPU_LANES; i++)
        found |= (unsigned)(indices[i] == index) << i;
    return found & (BIT(count) - 1);
}

/* Looks up the vertices that the queue needs and shades those that are not in the cache, in full batches as far as
 * possible. */
static bool shade_missing(struct gpu_worker *w)
{
    uint16_t missing[QPU_LANES] = {0};
    unsigned count = 0;
    for (uint32_t n = 0; n < w->queue_count; n++) {
        struct gpu_tile_primitive *p = &w->queue[n];
        unsigned vertices = gpu_list_vertices((enum cl_list_type)p->type);
        for (unsigned i = 0; i < vertices; i++) {
            p->vertex[i] = gpu_vertex_cache_get(w->shader, p->index[i]);
            if (p->vertex[i] || contains_index(missing, count, p->index[i]))
                continue;
            missing[count++] = p->index[i];
            if (count == QPU_LANES) {
                if (!shade(w, missing, count))
                    return false;
                count = 0;
            }
        }
    }
    if (!shade(w, missing, count))
        return false;
    for (uint32_t n = 0; n < w->queue_count; n++) {
        struct gpu_tile_primitive *p = &w->queue[n];
        unsigned vertices = gpu_list_vertices((enum cl_list_type)p->type);
        for (unsigned i = 0; i < vertices; i++)
            if (!p->vertex[i])
                p->vertex[i] = gpu_vertex_cache_get(w->shader, p->index[i]);
    }
    return true;
}

/* -- primitives -- */

static struct gpu_corner corner_at(const struct gpu_state *state, uint32_t xy, uint32_t zs, uint32_t rw)
{
    return (struct gpu_corner){
        .screen = {(int16_t)xy + state->centre_x_12p4, (int16_t)(xy >> 16) + state->centre_y_12p4},
        .zs = util_uif(zs),
        .rw = util_uif(rw),
    };
}

/* Collects the corners of a primitive: from shaded vertices, or from the binner's clip records if clipped. */
static void gather(const struct gpu_worker *w, const struct gpu_tile_primitive *p, struct gpu_setup_in *in)
{
    uint32_t record = p->clip_addr;
    for (unsigned i = 0; i < gpu_list_vertices(in->type); i++) {
        in->vertex[i] = p->vertex[i];
        if (!(in->clip_flags & BIT(i))) {
            in->corner[i] = corner_at(&w->state, in->vertex[i][0], in->vertex[i][1], in->vertex[i][2]);
            continue;
        }
        struct gpu_clip_record clip;
        gpu_mem_read(w->mem, record, &clip, sizeof clip);
        record += GPU_CLIP_RECORD_B;
        uint32_t xy = (uint16_t)clip.xs_12p4 | (uint32_t)(uint16_t)clip.ys_12p4 << 16;
        in->corner[i] = corner_at(&w->state, xy, util_fui(clip.zs), util_fui(clip.rw));
        memcpy(in->weight[i], clip.weight, sizeof clip.weight);
    }
}

static bool draw(struct gpu_worker *w, const struct gpu_tile_primitive *p, const struct gpu_rect *window)
{
    struct gpu_setup_in in = {
        .type = (enum cl_list_type)p->type,
        .state = &w->state,
        .shader = &w->shader->shader,
        .flat_from = w->pipe.user ? w->shader->shader.rec.fs_uniforms : 0, /* on the chip only the flags count */
        .clip_flags = p->clip_flags,
    };
    gather(w, p, &in);
    struct gpu_setup *setup = gpu_fep_setup(&w->fep);
    if (!gpu_setup_shape(setup, &in))
        return true;
    if (gpu_fep_reaches_pixels(&w->fep, window) && !gpu_setup_planes(setup, &in))
        return true;
    return gpu_fep_draw(&w->fep, window) || gpu_worker_fail(w, w->fep.status, w->fep.message);
}

/* Enables the rasteriser's fast paths. Counted jobs do not use them, nor do jobs that serve as a reference (debug words
 * no-solid, no-jit). */
static void configure_fast_paths(struct gpu_worker *w, const struct gpu_qpu_program *program, uint32_t uniforms_addr)
{
    struct gpu_fep *fep = &w->fep;
    const bool may = !w->stats && !fep->user && !util_debug(UTIL_DEBUG_NO_SOLID) && !util_debug(UTIL_DEBUG_NO_JIT);
    if (program != fep->program || uniforms_addr != fep->uniforms_addr)
        fep->solid_color = (struct gpu_solid_color){0};
    fep->solid = may ? gpu_solid_find(program) : (struct gpu_solid_program){false};
    fep->fills = fep->solid.is_solid && !fep->solid.tests_z && !fep->early_z && !w->tlb.ms_4x && !fep->counts_fragments;
    fep->drops_blocks = may && fep->early_z && !w->tlb.ms_4x;
}

/* Passes program and test state to the rasteriser, whose queue must be empty. */
static bool configure_fep(struct gpu_worker *w)
{
    const struct gpu_shader *shader = &w->shader->shader;
    const char *message = NULL;
    const struct gpu_qpu_program *program = gpu_qpu_program_get(w->fep.core, shader->rec.fs_code, &message);
    if (!program)
        return gpu_worker_fail(w, GPU_HANG, message);
    w->fep.varying_count = gpu_setup_varyings((enum cl_list_type)w->list_type, shader);
    w->fep.early_z = w->state.config.early_z && !w->fep.early_z_disabled;
    w->fep.multisampled = w->tlb.ms_4x && w->state.config.oversample;
    w->fep.times = w->times;
    w->fep.counts_fragments = w->pipe.user && shader->rec.vs_uniforms;
    configure_fast_paths(w, program, shader->rec.fs_uniforms_address);
    w->fep.program = program;
    w->fep.uniforms_addr = shader->rec.fs_uniforms_address;
    const uint64_t begin_ns = gpu_part_begin(w->times);
    gpu_tlb_apply_zs_clear(&w->tlb);
    gpu_part_end(w->times, GPU_PART_CLEARS, begin_ns);
    gpu_tlb_configure(&w->tlb, &w->state.config);
    w->fep_is_current = true;
    return true;
}

static bool run_queue(struct gpu_worker *w)
{
    if (w->queue_count == 0)
        return true;
    struct gpu_rect window = gpu_state_window(&w->state);
    if (!w->fep_is_current && !configure_fep(w))
        return false;
    if (!shade_missing(w))
        return false;
    for (unsigned i = 0; i < w->queue_count; i++)
        if (!draw(w, &w->queue[i], &window))
            return false;
    w->queue_count = 0;
    return true;
}

/* Draws all queued primitives and runs all queued fragments. */
static bool finish_drawing(struct gpu_worker *w)
{
    if (!run_queue(w))
        return false;
    w->fep_is_current = false;
    return gpu_fep_flush(&w->fep) || gpu_worker_fail(w, w->fep.status, w->fep.message);
}

/* -- records -- */

static enum gpu_cle_next fail(struct gpu_cle *cle)
{
    struct gpu_worker *w = cle->unit;
    return gpu_cle_fail(cle, w->status, w->message);
}

static enum gpu_cle_next state(struct gpu_cle *cle, const uint8_t *record)
{
    struct gpu_worker *w = cle->unit;
    enum gpu_state_group group = (enum gpu_state_group)gpu_state_group(record[0]);
    /* Queued fragments depend only on the configuration and the shader; other state changes need no flush. */
    bool done = group == GPU_STATE_CONFIG ? finish_drawing(w) : run_queue(w);
    if (!done)
        return fail(cle);
    gpu_state_apply(&w->state, group, record);
    return GPU_CLE_GO_ON;
}

static enum gpu_cle_next shader_state(struct gpu_cle *cle, const uint8_t *record)
{
    struct gpu_worker *w = cle->unit;
    const char *message = NULL;
    enum gpu_status status = GPU_HANG;
    if (!finish_drawing(w))
        return fail(cle);
    gpu_state_apply(&w->state, GPU_STATE_SHADER, record);
    w->shader = gpu_vertex_cache_shader(w->cache, w->mem, &w->arena, &w->state.shader, &status, &message);
    if (!w->shader)
        return status == GPU_HANG ? damaged(cle, message) : gpu_cle_fail(cle, status, message);
    /* The kernel refuses programs without an end, so a bad program address means that the list is damaged. */
    const struct cl_gl_shader_record *rec = &w->shader->shader.rec;
    if (!gpu_qpu_program_get(w->fep.core, rec->vs_code, &message) ||
        !gpu_qpu_program_get(w->fep.core, rec->fs_code, &message))
        return damaged(cle, message);
    w->list_type = w->state.list_type;
    if (w->list_type > CL_LIST_TRIANGLES || w->state.list_data != 1)
        return damaged(cle, "primitive list format that only NV and VG shaders draw");
    return GPU_CLE_GO_ON;
}

static bool enqueue(struct gpu_worker *w, const struct gpu_tile_primitive *p)
{
    if (w->queue_count == GPU_TILE_QUEUE && !run_queue(w))
        return false;
    w->queue[w->queue_count++] = *p;
    return true;
}

/* A range that is known to be mapped. */
struct window {
    const uint8_t *at;
    uint32_t addr, size_B;
};

/* Like gpu_mem_at(), but checks the map once per GPU_BLOCK_MAX_B bytes instead of for each coding. */
static const uint8_t *map_list(struct window *window, const struct gpu_memory *mem, uint32_t addr, uint32_t size_B)
{
    const uint32_t offset_B = addr - window->addr;
    if (offset_B < window->size_B && size_B <= window->size_B - offset_B)
        return window->at + offset_B;
    const uint8_t *at = gpu_mem_at(mem, addr, GPU_BLOCK_MAX_B);
    if (!at)
        return gpu_mem_at(mem, addr, size_B);
    *window = (struct window){at, addr, GPU_BLOCK_MAX_B};
    return at;
}

/* Executes the codings from CA on. `clip_flags` and `clip_addr` apply to the first primitive only. */
static enum gpu_cle_next compressed_list(struct gpu_cle *cle, unsigned clip_flags, uint32_t clip_addr)
{
    struct gpu_worker *w = cle->unit;
    if (!w->shader)
        return damaged(cle, "primitives before a shader record");
    enum cl_list_type type = (enum cl_list_type)w->list_type;
    struct window window = {0};
    struct gpu_tile_primitive p = {
        .type = (uint8_t)type, .clip_flags = (uint8_t)clip_flags, .clip_addr = clip_addr};
    for (;;) {
        if ((++cle->record_count & 0x3ff) == 0 && !gpu_cle_in_time(cle))
            return GPU_CLE_STOP;
        const uint8_t *at = map_list(&window, cle->mem, cle->ca, 1);
        uint32_t size_B = at ? gpu_list_coding_size(type, *at) : 0;
        if (!size_B || !map_list(&window, cle->mem, cle->ca, size_B) || has_left_block(w, cle->ca))
            return damaged(cle, "invalid primitive coding, or a coding that crosses the end of its block");
        if (*at == GPU_LIST_BRANCH) {
            int32_t blocks = (int16_t)(at[1] | at[2] << 8);
            cle->ca = (cle->ca & ~(GPU_LIST_BRANCH_UNIT_B - 1u)) + (uint32_t)blocks * GPU_LIST_BRANCH_UNIT_B;
            if (is_loop(w, cle->ca))
                return damaged(cle, "its branches form a loop");
            continue;
        }
        cle->ca += size_B;
        if (UTIL_UNLIKELY(w->stats))
            gpu_stats_add(w->stats, MODEL_COST_LIST_B, size_B);
        if (*at == GPU_LIST_ESCAPE)
            return GPU_CLE_GO_ON;
        gpu_list_decode(type, at, p.index);
        if (!enqueue(w, &p))
            return fail(cle);
        p.clip_flags = 0;
    }
}

static enum gpu_cle_next plain_list(struct gpu_cle *cle, const uint8_t *record)
{
    return compressed_list(cle, 0, 0);
}

static enum gpu_cle_next clipped_list(struct gpu_cle *cle, const uint8_t *record)
{
    struct cl_clipped_list clip;
    cl_clipped_list_unpack(record, &clip);
    return compressed_list(cle, clip.clip_flags, clip.address);
}

static enum gpu_cle_next branch(struct gpu_cle *cle, const uint8_t *record)
{
    gpu_cle_branch(cle, record);
    return is_loop(cle->unit, cle->ca) ? damaged(cle, "its branches form a loop") : GPU_CLE_GO_ON;
}

static enum gpu_cle_next return_from_sub_list(struct gpu_cle *cle, const uint8_t *record)
{
    return GPU_CLE_STOP;
}

static gpu_cle_fn *const table[256] = {
    [CL_NOP_ID] = gpu_cle_nop,
    [CL_BRANCH_ID] = branch,
    [CL_RETURN_FROM_SUB_LIST_ID] = return_from_sub_list,
    [CL_COMPRESSED_LIST_ID] = plain_list,
    [CL_CLIPPED_LIST_ID] = clipped_list,
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
};

static void begin_limit(struct gpu_worker *w)
{
    util_work_limit_begin(&w->limit, w->tile_limit_ns);
    w->limit.cancelled = w->monitor ? &w->monitor->cancelled : NULL;
}

bool gpu_tile_run_list(struct gpu_worker *w, uint32_t address, uint32_t column, uint32_t row)
{
    begin_limit(w);
    int32_t px = (int32_t)gpu_tlb_tile_px(&w->tlb), x = (int32_t)column * px, y = (int32_t)row * px;
    w->fep.tile = (struct gpu_rect){x, y, x + px, y + px};
    w->fep_is_current = false;
    w->fep.waiting.count = w->fep.waiting.tested = w->fep.waiting.dropped = 0;
    w->queue_count = 0;
    w->shader = NULL;
    gpu_state_reset(&w->state);
    struct gpu_cle cle = {
        .mem = w->mem,
        .table = table,
        .unit = w,
        .ca = address,
        .unbounded = true,
        .broken = damaged,
        .limit = &w->limit,
    };
    loop_guard_begin(w, address);
    if (gpu_cle_run(&cle) != GPU_OK)
        return gpu_worker_fail(w, cle.status, cle.message);
    return finish_drawing(w);
}

/* -- the worker -- */

struct gpu_worker *gpu_worker_create(const struct gpu_memory *mem, struct gpu_vertex_cache *cache)
{
    struct gpu_worker *w = aligned_alloc(64, util_align((uint32_t)sizeof *w, 64));
    if (!w)
        return NULL;
    memset(w, 0, sizeof *w);
    w->mem = w->pipe.mem = mem;
    w->cache = cache;
    if (gpu_qpu_core_create(mem, &w->pipe.core)) {
        free(w);
        return NULL;
    }
    gpu_fep_init(&w->fep, w->pipe.core, &w->tlb);
    w->pipe.limit = w->fep.limit = &w->limit;
    util_arena_init(&w->arena, NULL);
    return w;
}

void gpu_worker_destroy(struct gpu_worker *worker)
{
    if (!worker)
        return;
    util_arena_finish(&worker->arena);
    gpu_qpu_core_destroy(worker->pipe.core);
    free(worker);
}

void gpu_worker_begin_job(struct gpu_worker *worker, uint64_t tile_limit_ns, struct gpu_monitor *monitor)
{
    gpu_qpu_begin_job(worker->pipe.core);
    worker->tile_limit_ns = tile_limit_ns;
    worker->monitor = monitor;
    begin_limit(worker);
    memset(worker->fep.counts, 0, sizeof worker->fep.counts);
    worker->fep.fragments = 0;
    worker->fep.solid_color = (struct gpu_solid_color){0};
    worker->status = GPU_OK;
    worker->message = NULL;
    worker->damage = NULL;
}

void gpu_worker_set_stats(struct gpu_worker *worker, struct gpu_stats *stats)
{
    worker->stats = stats;
    gpu_qpu_set_stats(worker->pipe.core, stats);
}

void gpu_worker_end_job(struct gpu_worker *worker)
{
    util_arena_finish(&worker->arena);
    util_arena_init(&worker->arena, NULL);
}
