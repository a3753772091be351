/* SPDX-License-Identifier: MIT
 *
 * Turns a recorded job of a subpass into jobs of the queue: one for each word of each colour attachment that is needed.
 * The tile buffer holds one word per pixel, and draws without side effects may be replayed. Each replay starts from the
 * depth and stencil in memory; only the last one stores the result. The replay that counts for occlusion queries comes
 * before all others. If the framebuffer is too large for one job, all replays are repeated for each range, and if
 * vertex programs select layers, for each layer.
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "cmdbuf/vc4vk_cmd_inspect.h"
#include "cmdbuf/vc4vk_cmd_staging.h"
#include "cmdbuf/vc4vk_cmd_surfaces.h"
#include "issue/vc4vk_issue.h"
#include "transfer/vc4vk_job_surface.h"

/* ---------------------------------------------------------------- surfaces */

static enum hw_tiling surface_tiling(const struct vc4vk_cmd_surface *s)
{
    return s->stage ? HW_TILING_RASTER : s->level->tiling;
}

static struct kmd_surface place_of(struct vc4vk_job *job, const struct vc4vk_image_view *view, uint32_t word,
                                   uint32_t layer, uint16_t bits)
{
    const struct vc4vk_image_plane *plane = vc4vk_image_view_plane(view) + word;
    return (struct kmd_surface){
        .bo_index = vc4vk_job_add_bo(job, view->image->bo),
        .offset_B =
            (uint32_t)vc4vk_image_level_offset_B(view->image, plane, view->base_level, view->base_layer + layer),
        .bits = bits,
    };
}

/* Whether the surface exists: as an attachment, or as the counters of a query. */
static bool is_present(const struct vc4vk_cmd_surface *s)
{
    return s->view || s->stage;
}

static struct kmd_surface surface_of(struct vc4vk_job *job, const struct vc4vk_cmd_surface *s, uint16_t bits)
{
    if (!s->stage)
        return place_of(job, s->view, s->word, s->layer, bits);
    return (struct kmd_surface){.bo_index = vc4vk_job_add_bo(job, s->stage->bo), .bits = bits};
}

static bool has_samples(const struct vc4vk_cmd_surface *s)
{
    return s->stage ? s->stage->samples > 1 : s->view->image->samples > 1;
}

static struct kmd_surface samples_of(struct vc4vk_job *job, const struct vc4vk_cmd_surface *s, uint16_t flags)
{
    struct kmd_surface surface = surface_of(job, s, 0);
    surface.flags = flags;
    return surface;
}

/* The attachment of one sample that the samples are drawn for. */
static struct kmd_surface pixels_of(struct vc4vk_job *job, const struct vc4vk_cmd_surface *s, uint32_t buffer)
{
    const struct hw_level *level = &vc4vk_image_view_plane(s->resolve)->layout.level[s->resolve->base_level];
    return place_of(job, s->resolve, 0, s->layer, vc4vk_general_bits(level->tiling, buffer));
}

/* `pixels`: instead of the samples. */
static void load_color(struct vc4vk_job *job, struct kmd_render *r, const struct vc4vk_cmd_surface *s, bool pixels)
{
    r->color_read = pixels           ? pixels_of(job, s, CL_BUFFER_COLOR)
                    : has_samples(s) ? samples_of(job, s, KMD_SURFACE_FULL_RES)
                                     : surface_of(job, s, vc4vk_general_bits(surface_tiling(s), CL_BUFFER_COLOR));
}

static void store_color(struct vc4vk_job *job, struct kmd_render *r, const struct vc4vk_cmd_surface *s)
{
    if (has_samples(s))
        r->msaa_color_write = samples_of(job, s, 0);
    else
        r->color_write = surface_of(job, s, vc4vk_store_color_bits(surface_tiling(s)));
}

static void resolve_color(struct vc4vk_job *job, struct kmd_render *r, const struct vc4vk_cmd_surface *s)
{
    const struct hw_level *level = &vc4vk_image_view_plane(s->resolve)->layout.level[s->resolve->base_level];
    r->color_write =
        place_of(job, s->resolve, 0, s->layer, vc4vk_store_color_bits(level->tiling) | VC4VK_STORE_COLOR_MS);
}

static void load_depth(struct vc4vk_job *job, struct kmd_render *r, const struct vc4vk_cmd_surface *s, bool pixels)
{
    r->zs_read = pixels           ? pixels_of(job, s, CL_BUFFER_ZS)
                 : has_samples(s) ? samples_of(job, s, KMD_SURFACE_FULL_RES)
                                  : surface_of(job, s, vc4vk_general_bits(surface_tiling(s), CL_BUFFER_ZS));
}

static void store_depth(struct vc4vk_job *job, struct kmd_render *r, const struct vc4vk_cmd_surface *s)
{
    if (has_samples(s))
        r->msaa_zs_write = samples_of(job, s, 0);
    else
        r->zs_write = surface_of(job, s, vc4vk_general_bits(surface_tiling(s), CL_BUFFER_ZS));
}

/* ---------------------------------------------------------------- jobs */

void vc4vk_cmd_open_job(struct vc4vk_cmd_buffer *cmd)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    struct vc4vk_cmd_job *job = vc4vk_cmd_new(cmd, struct vc4vk_cmd_job);
    if (!job)
        return;
    job->draws.device = cmd->device;
    job->limits = cmd->limits;
    job->forces_engine = cmd->forces_engine;
    job->counted = cmd->counted;
    job->may_be_counted = cmd->may_be_counted;
    job->label = vc4vk_cmd_label(cmd);
    job->draws.is_recentred = pass->is_cut;
    job->draws.max_x_px = (uint16_t)pass->width_px;
    job->draws.max_y_px = (uint16_t)pass->height_px;
    cmd->job = job;
    cmd->state.dirty |= VC4VK_DIRTY_JOB;
}

/* Whether the job must store the surface: it has been changed, and its contents are needed later. */
static bool must_store(const struct vc4vk_cmd_pass *pass, const struct vc4vk_cmd_surface *s, bool is_written,
                       bool more_follows)
{
    if (!s->view || (s->begin != VC4VK_TILE_CLEAR && !is_written))
        return false;
    const VkAttachmentDescription *a = &pass->pass->attachments[s->attachment];
    bool has_stencil = s->view->format->aspects & VK_IMAGE_ASPECT_STENCIL_BIT;
    if (s->is_implicit) /* its own contents end with the subpass */
        return more_follows || (vc4vk_cmd_surface_is_resolved(pass, s) && !s->resolves_in_tiles);
    return more_follows || pass->pass->last_use[s->attachment] > pass->subpass ||
           (s->resolve && !s->resolves_in_tiles) || a->storeOp == VK_ATTACHMENT_STORE_OP_STORE ||
           (has_stencil && a->stencilStoreOp == VK_ATTACHMENT_STORE_OP_STORE);
}

struct replay {
    struct vc4vk_draw_replay *job;
    const struct vc4vk_cmd_job *draws;
    uint32_t range;
    const struct vc4vk_cmd_surface *color;
    bool stores_color, stores_depth, resolves;
    const struct vc4vk_cmd_surface *scratch; /* passes depth from part to part if the attachment must stay; or NULL */
    uint32_t runs;                           /* bit mask of all replays */
    bool more_follows;
};

/* Sets the part of the framebuffer that the job draws. */
static void place_replay(const struct vc4vk_cmd_pass *pass, const struct vc4vk_cmd_range *range,
                         struct vc4vk_draw_replay *job)
{
    struct kmd_render *r = &job->base.render;
    job->view = range->view;
    job->is_other_layer = range->view && !pass->pass->view_mask;
    job->x_px = range->x_px;
    job->y_px = range->y_px;
    job->width_px = range->width_px;
    job->height_px = range->height_px;
    r->width_px = (uint16_t)range->width_px;
    r->height_px = (uint16_t)range->height_px;
    r->min_x_tl = range->min_x_tl;
    r->min_y_tl = range->min_y_tl;
    r->max_x_tl = range->max_x_tl;
    r->max_y_tl = range->max_y_tl;
}

/* The render part of the parts after the first: they load what the previous one has stored. NULL after a failure. */
static const struct kmd_render *later_part(struct vc4vk_cmd_buffer *cmd, const struct replay *replay,
                                           const struct vc4vk_cmd_surface *color, const struct vc4vk_cmd_surface *depth)
{
    struct vc4vk_job *job = &replay->job->base;
    struct kmd_render *later = vc4vk_cmd_copy(cmd, &job->render, sizeof *later);
    if (!later)
        return NULL;
    later->flags &= ~(uint32_t)KMD_RENDER_USE_CLEAR_COLOR;
    if (is_present(color) && (replay->stores_color || color->begin == VC4VK_TILE_LOAD))
        load_color(job, later, color, color->loads_pixels && !replay->stores_color);
    if (replay->scratch)
        load_depth(job, later, replay->scratch, false);
    else if (depth->view && (replay->stores_depth || depth->begin == VC4VK_TILE_LOAD))
        load_depth(job, later, depth, depth->loads_pixels && !replay->stores_depth);
    return later;
}

/* Sets what the job and its later parts load, clear and store. */
static void fill_render(struct vc4vk_cmd_buffer *cmd, const struct replay *replay)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    struct vc4vk_job *job = &replay->job->base;
    struct kmd_render *r = &job->render;
    const struct vc4vk_cmd_surface *color = replay->color, *depth = &pass->depth;
    place_replay(pass, &pass->ranges[replay->range], replay->job);
    r->color_write.bits =
        (uint16_t)(vc4vk_store_color_bits(HW_TILING_RASTER) | (pass->samples > 1 ? VC4VK_STORE_COLOR_MS : 0));
    if (replay->stores_color)
        store_color(job, r, color);
    if (replay->resolves)
        resolve_color(job, r, color);
    if (replay->stores_depth || replay->scratch)
        store_depth(job, r, replay->scratch ? replay->scratch : depth);
    if (is_present(color) && color->begin == VC4VK_TILE_LOAD)
        load_color(job, r, color, color->loads_pixels);
    if (depth->view && depth->begin == VC4VK_TILE_LOAD)
        load_depth(job, r, depth, depth->loads_pixels);
    if ((is_present(color) && color->begin == VC4VK_TILE_CLEAR) || (depth->view && depth->begin == VC4VK_TILE_CLEAR)) {
        r->flags |= KMD_RENDER_USE_CLEAR_COLOR;
        r->clear_color[0] = r->clear_color[1] = color->clear_word;
        r->clear_z = pass->clear_z;
        r->clear_s = pass->clear_s;
    }
    if (replay->job->draws->may_take_parts)
        replay->job->later_part = later_part(cmd, replay, color, depth);
    vc4vk_cmd_inspect_job(cmd, replay->job,
                       &(struct vc4vk_cmd_inspect_info){.color = color,
                                                 .runs = replay->runs,
                                                 .index = replay->job->index,
                                                 .counts = !replay->runs,
                                                 .has_scratch = replay->scratch != NULL,
                                                 .more_follows = replay->more_follows});
}

/* The operation that runs the job on the CPU engine; NULL after a failure. */
static struct vc4vk_command *engine_command(struct vc4vk_cmd_buffer *cmd, struct vc4vk_job *job)
{
    struct vc4vk_cpu_op *op = vc4vk_cmd_new(cmd, struct vc4vk_cpu_op);
    if (!op)
        return NULL;
    vc4vk_cpu_op_init(op, VC4VK_ENGINE_CPU, job->name, vc4vk_issue_engine_job, job);
    op->command.label = job->command.label;
    return &op->command;
}

/* The jobs of a pass must run one after the other, in raster order, which takes a barrier where the CPU engine runs one
 * of them. Work outside of the pass is ordered by the application's barriers alone, so chip and CPU engine may overlap.
 */
static void add_job(struct vc4vk_cmd_buffer *cmd, const struct replay *replay)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    const bool is_for_engine = vc4vk_cmd_job_is_for_engine(replay->draws);
    if (pass->has_jobs && (is_for_engine || pass->was_on_engine))
        vc4vk_cmd_order_full_barrier(&cmd->order);
    pass->has_jobs = true;
    pass->was_on_engine = is_for_engine;
    struct vc4vk_command *command =
        is_for_engine ? engine_command(cmd, &replay->job->base) : &replay->job->base.command;
    if (command)
        vc4vk_cmd_add_unordered(cmd, command);
}

/* The staging copy for the layer that is replayed now. NULL after a failure. */
static struct vc4vk_staging *stage_at(struct vc4vk_cmd_buffer *cmd, struct vc4vk_staging *stages, uint32_t range)
{
    const uint32_t layer = cmd->pass.ranges[range].view;
    struct vc4vk_staging *stage = &stages[range];
    if (stage->layer == layer)
        return stage;
    stage = vc4vk_cmd_copy(cmd, stage, sizeof *stage);
    if (stage)
        stage->layer = layer;
    return stage;
}

static void copy_in(struct vc4vk_cmd_buffer *cmd, struct vc4vk_staging *stages, uint32_t range)
{
    struct vc4vk_staging *stage = stage_at(cmd, stages, range);
    if (stage)
        vc4vk_cmd_staging_copy_in(cmd, stage);
}

static void copy_out(struct vc4vk_cmd_buffer *cmd, struct vc4vk_staging *stages, uint32_t range)
{
    struct vc4vk_staging *stage = stage_at(cmd, stages, range);
    if (stage)
        vc4vk_cmd_staging_copy_out(cmd, stage);
}

/* Records the copies to staging memory, then the job. */
static void add_job_with_stages(struct vc4vk_cmd_buffer *cmd, const struct replay *replay)
{
    struct vc4vk_staging *const stages[] = {replay->color->stage, cmd->pass.depth.stage};
    for (uint32_t i = 0; i < ARRAY_SIZE(stages); i++)
        if (stages[i] && stages[i]->view) {
            copy_in(cmd, stages[i], replay->range);
            replay->job->base.class = MAX2(replay->job->base.class, VC4VK_JOB_LOWERED);
        }
    add_job(cmd, replay);
}

static void add_staged(struct vc4vk_cmd_buffer *cmd, const struct replay *replay)
{
    if (replay->color->stage || cmd->pass.depth.stage)
        add_job_with_stages(cmd, replay);
    else
        add_job(cmd, replay);
}

/* A new job; the caller sets replay, draw count and range. NULL after a failure. */
static struct vc4vk_draw_replay *new_job(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_job *draws)
{
    struct vc4vk_draw_replay *job = vc4vk_cmd_alloc_raw(cmd, sizeof *job);
    if (!job)
        return NULL;
    vc4vk_job_init(&job->base, "pass");
    job->base.command.waits_for_ring = draws->needs_idle;
    job->base.command.label = draws->label;
    job->base.class = draws->counted ? VC4VK_JOB_CPU : draws->class;
    job->base.list_B = draws->packets_B;
    job->base.build = vc4vk_issue_build;
    job->base.data = job;
    job->draws = &draws->draws;
    job->later_part = NULL;
    job->stored = NULL;
    job->counted = draws->counted;
    job->condition = NULL;
    job->has_binned = false;
    return job;
}

/* The surface that passes depth from part to part of a replay, so that the attachment stays as the next replay needs
 * it. NULL after a failure. */
static const struct vc4vk_cmd_surface *scratch_depth(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_surface *scratch)
{
    if (!scratch->view) {
        *scratch = cmd->pass.depth;
        scratch->stage = vc4vk_cmd_staging_new(cmd, &cmd->pass.depth);
    }
    return scratch->stage ? scratch : NULL;
}

/* The replays of a job. A replay that stores nothing is omitted. */
struct replays {
    uint32_t runs, stored; /* bit masks: those that run, and those whose colour is stored */
    bool stores_depth, resolves, more_follows;
};

/* Records the replay that counts the samples that pass the tests. It does not change the depth and stencil
 * attachment. */
static void replay_counting(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job, uint32_t range, bool is_last,
                            struct vc4vk_cmd_surface *scratch)
{
    struct vc4vk_cmd_surface counters;
    struct replay replay = {.draws = job, .range = range, .color = &counters, .stores_color = true};
    if (!vc4vk_cmd_query_counters(cmd, &counters))
        return;
    replay.job = new_job(cmd, job);
    if (!replay.job)
        return;
    if (job->draws.may_take_parts && job->writes_depth)
        replay.scratch = scratch_depth(cmd, scratch);
    replay.job->base.class = MAX2(replay.job->base.class, VC4VK_JOB_LOWERED);
    replay.job->base.name = "occlusion count";
    replay.job->index = job->stores_colors ? 1 : cmd->pass.replay_count; /* its program follows those of the others */
    replay.job->draw_count = job->counted_draws;
    fill_render(cmd, &replay);
    add_staged(cmd, &replay);
    vc4vk_cmd_query_counted(cmd, job, range, is_last);
}

static struct replays find_replays(const struct vc4vk_cmd_pass *pass, const struct vc4vk_cmd_job *job,
                                   bool more_follows)
{
    const bool is_loaded_again = more_follows || job->draws.may_take_parts;
    struct replays r = {.resolves = !more_follows, .more_follows = more_follows};
    r.stores_depth = pass->depth.view && must_store(pass, &pass->depth, job->writes_depth, is_loaded_again);
    for (uint32_t i = 0; i < pass->replay_count; i++) {
        const struct vc4vk_cmd_surface *s = &pass->colors[i];
        const bool is_stored = must_store(pass, s, job->written_replays & BIT(i), is_loaded_again);
        r.stored |= is_stored ? BIT(i) : 0;
        r.runs |= is_stored || (s->resolves_in_tiles && r.resolves) ? BIT(i) : 0;
    }
    if ((r.stores_depth && !r.runs) || job->has_side_effects || job->counted ||
        job->may_be_counted) /* only the first replay has the side effects */
        r.runs |= 1;
    if (job->stores_colors)
        r.runs = 1;
    return r;
}

/* Copies staged attachments back after all replays of the range, since the programs of the replays may read them. */
static void store_range(struct vc4vk_cmd_buffer *cmd, const struct replays *replays, uint32_t range)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    for (uint32_t stored = replays->stored; stored; stored &= stored - 1) {
        const struct vc4vk_cmd_surface *s = &pass->colors[util_lowest_bit(stored)];
        if (s->stage)
            copy_out(cmd, s->stage, range);
    }
    if (replays->stores_depth && pass->depth.stage)
        copy_out(cmd, pass->depth.stage, range);
}

/* Stages the attachments whose words are stored by programs (all but the first word): programs write raster rows, or
 * blocks of samples. `wanted`: the words whose contents they read. NULL after a failure. */
static const struct vc4vk_stored_colors *begin_stored(struct vc4vk_cmd_buffer *cmd, uint32_t wanted, uint32_t range)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    struct vc4vk_stored_colors *stored = vc4vk_cmd_new(cmd, struct vc4vk_stored_colors);
    for (uint32_t i = 1; i < pass->replay_count && stored; i++) {
        struct vc4vk_cmd_surface *s = &pass->colors[i];
        if (!s->view)
            continue;
        if (!s->stage)
            s->stage = vc4vk_cmd_staging_new(cmd, s);
        if (!s->stage)
            return NULL;
        pass->found_for = NULL;
        if (wanted & BIT(i))
            copy_in(cmd, s->stage, range);
        if (s->begin == VC4VK_TILE_CLEAR)
            vc4vk_cmd_staging_fill(cmd, s->stage + range, &pass->ranges[range].area, s->clear_word);
        stored->words[i].bo = s->stage[range].bo;
        stored->words[i].stride_B = s->stage[range].stride_B;
    }
    return stored;
}

/* False after a failure. */
static bool replay_range(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job, const struct replays *replays,
                         uint32_t range, bool is_first, struct vc4vk_cmd_surface *scratch)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    const uint32_t wanted = job->reads_all_words ? UINT32_MAX : replays->stored;
    const struct vc4vk_stored_colors *stored = job->stores_colors ? begin_stored(cmd, wanted, range) : NULL;
    if (job->stores_colors && !stored)
        return false;
    for (uint32_t left = replays->runs; left;) {
        const uint32_t i = util_lowest_bit(left);
        left &= left - 1;
        struct replay replay = {.draws = job,
                                .range = range,
                                .color = &pass->colors[i],
                                .stores_color = replays->stored & BIT(i),
                                .stores_depth = replays->stores_depth && !left,
                                .resolves = pass->colors[i].resolves_in_tiles && replays->resolves,
                                .runs = replays->runs,
                                .more_follows = replays->more_follows};
        replay.job = new_job(cmd, job);
        if (!replay.job)
            return false;
        if ((replays->runs & (replays->runs - 1)) || pass->range_count > 1)
            replay.job->base.class = MAX2(replay.job->base.class, VC4VK_JOB_LOWERED);
        if (job->draws.may_take_parts && job->writes_depth && !replay.stores_depth && left)
            replay.scratch = scratch_depth(cmd, scratch);
        replay.job->index = i;
        replay.job->draw_count = job->draw_count;
        replay.job->stored = stored;
        replay.job->has_binned = !is_first;
        fill_render(cmd, &replay);
        add_staged(cmd, &replay);
    }
    store_range(cmd, replays, range);
    return true;
}

/* Selects the layer of all surfaces for the range's view. */
static void set_layers(struct vc4vk_cmd_pass *pass, uint32_t range)
{
    for (uint32_t i = 0; i < pass->replay_count; i++)
        pass->colors[i].layer = pass->ranges[range].view;
    pass->depth.layer = pass->ranges[range].view;
}

/* Whether no earlier range of this view has run the vertex programs. */
static bool is_first_of_view(const struct vc4vk_cmd_pass *pass, uint32_t first, uint32_t range)
{
    return range == first || pass->ranges[range].view != pass->ranges[range - 1].view;
}

static bool is_empty(const struct vc4vk_cmd_range *range)
{
    return !range->area.extent.width || !range->area.extent.height;
}

/* Selects a layer of a framebuffer that has several. What clears the first one in the tile buffer has cleared the
 * others in memory. */
static void select_layer(struct vc4vk_cmd_pass *pass, uint32_t layer)
{
    for (uint32_t i = 0; i < pass->range_count; i++)
        pass->ranges[i].view = layer;
    VC4VK_FOR_EACH_SURFACE(pass, s) {
        s->layer = layer;
        if (layer && s->begin == VC4VK_TILE_CLEAR)
            s->begin = VC4VK_TILE_LOAD;
    }
}

/* The ranges that overlap the area; both 0 if it is empty. */
struct replayed_ranges {
    uint32_t first, last;
};

static struct replayed_ranges find_range_span(const struct vc4vk_cmd_pass *pass)
{
    struct replayed_ranges r = {0, pass->range_count - 1};
    while (r.first < r.last && is_empty(&pass->ranges[r.first]))
        r.first++;
    while (r.last > r.first && is_empty(&pass->ranges[r.last]))
        r.last--;
    return r;
}

/* Replays the job in all ranges. `is_last`: of the layers. False after a failure. */
static bool replay_ranges(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job, const struct replays *replays,
                          bool is_last, struct vc4vk_cmd_surface *scratch)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    const struct replayed_ranges r = find_range_span(pass);
    for (uint32_t i = r.first; i <= r.last; i++) {
        if (is_empty(&pass->ranges[i]) && i != r.first)
            continue;
        if (pass->pass->view_mask)
            set_layers(pass, i);
        const bool is_first = is_first_of_view(pass, r.first, i) && (pass->pass->view_mask || !pass->ranges[i].view);
        if (job->counts)
            replay_counting(cmd, job, i, is_last && i == r.last, scratch);
        if (!replay_range(cmd, job, replays, i, is_first, scratch))
            return false;
    }
    return true;
}

void vc4vk_cmd_replay_job(struct vc4vk_cmd_buffer *cmd, bool more_follows)
{
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    struct vc4vk_cmd_job *job = cmd->job;
    struct vc4vk_cmd_surface scratch; /* `view` NULL: not created yet */
    scratch.view = NULL;
    cmd->job = NULL;
    if (!job)
        return;
    vc4vk_cmd_job_end_section(job);
    if (job->stores_colors) /* most words are not in the tile buffer */
        VC4VK_FOR_EACH_SURFACE(pass, s)
            s->resolves_in_tiles = s == &pass->depth && s->resolves_in_tiles;
    const struct replays replays = find_replays(pass, job, more_follows);
    const uint32_t layers = job->is_layered && !pass->pass->view_mask ? MAX2(pass->framebuffer->layers, 1u) : 1;
    bool done = true;
    for (uint32_t layer = 0; layer < layers && done; layer++) {
        if (layer)
            select_layer(pass, layer);
        done = replay_ranges(cmd, job, &replays, layer + 1 == layers, &scratch);
    }
    if (layers > 1)
        select_layer(pass, 0);
    if (!done)
        return;
    for (uint32_t stored = replays.stored; stored; stored &= stored - 1) {
        pass->colors[util_lowest_bit(stored)].begin = VC4VK_TILE_LOAD;
        pass->colors[util_lowest_bit(stored)].was_stored = true;
        pass->colors[util_lowest_bit(stored)].loads_pixels = false;
    }
    if (replays.stores_depth) {
        pass->depth.begin = VC4VK_TILE_LOAD;
        pass->depth.was_stored = true;
        pass->depth.loads_pixels = false;
    }
}
