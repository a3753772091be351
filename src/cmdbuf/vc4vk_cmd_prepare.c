/* SPDX-License-Identifier: MIT
 *
 * Prepares draws: finds the shader variants and binding tables for the bound pipeline and sets. The results are cached,
 * so that a pipeline and sets that are bound again, as materials are, cost only a comparison.
 */
#include <math.h>
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"

/* ---------------------------------------------------------------- a stage */

void vc4vk_cmd_sets_note_changes(struct vc4vk_cmd_sets *sets)
{
    for (uint32_t i = 0; sets->changed && i < VC4VK_CACHED_TABLES; i++)
        sets->cached[i].changed |= sets->changed;
    sets->changed = 0;
}

static bool is_for(const struct vc4vk_cached_table *cached, const struct vc4vk_variant *variant)
{
    return cached->slots == variant->slots ||
           (cached->slots && cached->slot_count == variant->slot_count &&
            !memcmp(cached->slots, variant->slots, cached->slot_count * sizeof *cached->slots));
}

/* The cached table for the slots of this variant, or an empty one that replaces the oldest. */
static struct vc4vk_cached_table *cached_table(struct vc4vk_cmd_sets *sets, const struct vc4vk_variant *variant)
{
    for (uint32_t i = 0; i < VC4VK_CACHED_TABLES; i++)
        if (is_for(&sets->cached[i], variant))
            return &sets->cached[i];
    struct vc4vk_cached_table *oldest = &sets->cached[sets->next_cached];
    sets->next_cached = (sets->next_cached + 1) % VC4VK_CACHED_TABLES;
    *oldest = (struct vc4vk_cached_table){variant->slots, variant->slot_count, VC4VK_ALL_SETS, {0}};
    return oldest;
}

bool vc4vk_cmd_state_prepare_stage(struct vc4vk_cmd_buffer *cmd, struct vc4vk_pipeline *pipeline,
                                   struct vc4vk_pipeline_stage *stage, struct vc4vk_cmd_sets *sets, uint32_t special,
                                   const struct vc4vk_variant **variant, struct vc4vk_binding_table *table)
{
    const struct vc4vk_pipeline_layout *layout = pipeline->layout;
    struct vc4vk_classes classes;
    vc4vk_pipeline_stage_bound_classes(stage, cmd->tables.pool, sets->bound, layout->set_count, cmd->pass.tile_inputs,
                                       &classes);
    VkResult result = vc4vk_pipeline_stage_variant(cmd->device, stage, layout, &classes, special, variant);
    *table = (struct vc4vk_binding_table){0};
    if (result == VK_SUCCESS && (*variant)->slot_count) {
        struct vc4vk_cached_table *cached = cached_table(sets, *variant);
        result = vc4vk_binding_table_update(&cmd->tables, cached->slots, cached->slot_count, sets->bound,
                                            layout->set_count, cached->changed, &cached->table, &cached->table);
        cached->changed = result == VK_SUCCESS ? 0 : VC4VK_ALL_SETS;
        *table = cached->table;
    }
    if (result != VK_SUCCESS)
        vc4vk_cmd_fail(cmd, result);
    return result == VK_SUCCESS;
}

/* ---------------------------------------------------------------- a pipeline */

/* Coordinates of the viewport's centre, and distances from it, must fit signed 12.4 fixed point. */
#define VIEWPORT_MAX_PX 2040.0f

/* Whether the chip cannot express the viewport. */
static bool viewport_is_out_of_range(const VkViewport *v)
{
    const float x = v->x + v->width * 0.5f, y = v->y + v->height * 0.5f;
    return fabsf(x) > VIEWPORT_MAX_PX || fabsf(y) > VIEWPORT_MAX_PX || fabsf(v->width) > 2 * VIEWPORT_MAX_PX ||
           fabsf(v->height) > 2 * VIEWPORT_MAX_PX;
}

static bool any_is_out_of_range(const struct vc4vk_cmd_state *state)
{
    const uint32_t count = vc4vk_cmd_viewport_count(state);
    bool is = false;
    for (uint32_t i = 0; i < count; i++)
        is |= viewport_is_out_of_range(vc4vk_cmd_viewport(state, i));
    return is;
}

/* Bytes that one draw takes when it is issued. */
static uint32_t find_draw_B(const struct vc4vk_prepared *p)
{
    const uint32_t arrays = p->vertex->programs[1].program->compiled.attribute_count;
    return (p->vertex->stream_words + p->fragment->stream_words) * 4 + (3 + arrays) * 4 + 100 + arrays * 4 +
           CL_GEM_HANDLES_SIZE_B + CL_GL_SHADER_STATE_SIZE_B + CL_INDEXED_PRIMITIVES_SIZE_B;
}

/* The maximum number of vertices drawn per vertex of the draw. */
static uint8_t find_vertex_factor(const struct vc4vk_pipeline *pipeline, const struct vc4vk_variant *vertex)
{
    const uint8_t per_line = vc4vk_draws_rectangles(&pipeline->state) ? 6 : 2;
    if (pipeline->state.polygon == VC4VK_POLYGON_LINE)
        return (uint8_t)(3 * per_line);
    if (vc4vk_draws_rectangles(&pipeline->state))
        return per_line;
    const bool copies = vertex->programs[0].program->compiled.needs_triangle;
    return copies || pipeline->state.polygon != VC4VK_POLYGON_FILL ? 3 : 1;
}

/* ---------------------------------------------------------------- the cache */

/* The bucket for the bound pipeline and sets. */
static struct vc4vk_prepared_bucket *bucket_of(struct vc4vk_cmd_state *state)
{
    uint64_t key = 0;
    for (uint32_t i = 0; i < state->pipeline->layout->set_count; i++)
        key = key * 31 + (uintptr_t)state->sets.bound[i].set;
    const uint32_t of_sets = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - VC4VK_LOG2_PREPARED));
    const uint32_t index = (state->pipeline->number + of_sets) % BIT(VC4VK_LOG2_PREPARED);
    if (!(state->prepared_begun & BIT(index)))
        memset(&state->prepared[index], 0, sizeof state->prepared[index]);
    state->prepared_begun |= BIT(index);
    return &state->prepared[index];
}

static bool is_as_bound(const struct vc4vk_prepared *p, const struct vc4vk_cmd_buffer *cmd, uint32_t special)
{
    const struct vc4vk_cmd_state *state = &cmd->state;
    if (p->pipeline != state->pipeline || p->sets_serial != state->sets.serial || p->special != special ||
        p->tile_inputs != cmd->pass.tile_inputs)
        return false;
    for (uint32_t i = 0; i < state->pipeline->layout->set_count; i++)
        if (p->sets[i] != state->sets.bound[i].set)
            return false;
    return true;
}

/* The entry for the bound state, or NULL. */
static struct vc4vk_prepared *find_as_bound(struct vc4vk_prepared_bucket *bucket, const struct vc4vk_cmd_buffer *cmd,
                                            uint32_t special)
{
    for (uint32_t i = 0; i < VC4VK_PREPARED_WAYS; i++)
        if (is_as_bound(&bucket->ways[i], cmd, special))
            return &bucket->ways[i];
    return NULL;
}

static bool prepare_expander(struct vc4vk_cmd_buffer *cmd, struct vc4vk_pipeline *pipeline, struct vc4vk_prepared *p)
{
    struct vc4vk_expander *expander = pipeline->expander;
    const struct {
        struct vc4vk_pipeline_stage *stage;
        const struct vc4vk_variant **variant;
        struct vc4vk_binding_table *table;
    } stages[] = {{&expander->vertex, &p->expander.vertex, &p->expander.vertex_table},
                  {&expander->control, &p->expander.control, &p->expander.control_table},
                  {&expander->evaluation, &p->expander.evaluation, &p->expander.evaluation_table},
                  {&expander->geometry, &p->expander.geometry, &p->expander.geometry_table},
                  {&expander->task, &p->expander.task, &p->expander.task_table},
                  {&expander->mesh, &p->expander.mesh, &p->expander.mesh_table}};
    bool done = true;
    for (uint32_t i = 0; i < ARRAY_SIZE(stages) && done; i++)
        if (stages[i].stage->spirv)
            done = vc4vk_cmd_state_prepare_stage(cmd, pipeline, stages[i].stage, &cmd->state.sets, 0, stages[i].variant,
                                                 stages[i].table);
    return done;
}

/* Adds an entry for the bound state. NULL after a failure. */
static struct vc4vk_prepared *add_prepared(struct vc4vk_cmd_buffer *cmd, uint32_t special,
                                           struct vc4vk_prepared_bucket *bucket)
{
    struct vc4vk_cmd_state *state = &cmd->state;
    struct vc4vk_pipeline *pipeline = state->pipeline;
    struct vc4vk_prepared p = {.pipeline = pipeline,
                               .sets_serial = state->sets.serial,
                               .tile_inputs = cmd->pass.tile_inputs,
                               .special = special,
                               .passes = pipeline->state.sample_shading ? HW_MS_SAMPLES : 1};
    for (uint32_t i = 0; i < pipeline->layout->set_count; i++)
        p.sets[i] = state->sets.bound[i].set;
    vc4vk_cmd_sets_note_changes(&state->sets);
    if (!vc4vk_cmd_state_prepare_stage(cmd, pipeline, &pipeline->vertex, &state->sets,
                                       special & VC4VK_SPECIAL_BIASES, &p.vertex, &p.vertex_table) ||
        !vc4vk_cmd_state_prepare_stage(cmd, pipeline, &pipeline->fragment, &state->sets,
                                       special & VC4VK_SPECIAL_COUNTS, &p.fragment, &p.fragment_table))
        return NULL;
    if (pipeline->expander && !prepare_expander(cmd, pipeline, &p))
        return NULL;
    p.draw_B = find_draw_B(&p);
    p.vertex_factor = find_vertex_factor(pipeline, p.vertex);
    struct vc4vk_prepared *oldest = &bucket->ways[bucket->next];
    bucket->next = (bucket->next + 1) % VC4VK_PREPARED_WAYS;
    *oldest = p;
    return oldest;
}

static bool is_same_table(const struct vc4vk_binding_table *a, const struct vc4vk_binding_table *b)
{
    return a->block_B == b->block_B && a->offset_B == b->offset_B && a->count == b->count;
}

static void use(struct vc4vk_cmd_state *state, struct vc4vk_prepared *p)
{
    state->dirty &= ~(uint32_t)VC4VK_DIRTY_DESCRIPTORS;
    state->vertex = p->vertex;
    state->fragment = p->fragment;
    state->prepared_now = p;
}

/* Marks as dirty what differs from the last draw. */
static void note_changes(struct vc4vk_cmd_state *state, const struct vc4vk_prepared *p)
{
    const struct vc4vk_draw_state *last = state->recorded;
    if (!last || p->pipeline->expander || !is_same_table(&p->vertex_table, &last->vertex_table) ||
        !is_same_table(&p->fragment_table, &last->fragment_table))
        state->dirty |= VC4VK_DIRTY_TABLES;
    if (p->vertex != state->vertex || p->fragment != state->fragment)
        state->dirty |= VC4VK_DIRTY_VARIANTS;
}

/* ---------------------------------------------------------------- for a draw */

static uint32_t find_special(const struct vc4vk_cmd_buffer *cmd)
{
    const struct vc4vk_cmd_state *state = &cmd->state;
    return (vc4vk_cmd_query_wants_counts(cmd) ? VC4VK_SPECIAL_COUNTS : 0) |
           (vc4vk_shader_biases_depth(&state->pipeline->state, &state->dynamic) ? VC4VK_SPECIAL_BIASES : 0);
}

/* State that may change without an update of the job's properties, once they cover the pipeline and its sets. */
#define DIRTY_LIGHT (VC4VK_DIRTY_PREPARED | VC4VK_DIRTY_VERTEX_BUFFERS | VC4VK_DIRTY_INDEX_BUFFER | VC4VK_DIRTY_PUSH)

bool vc4vk_cmd_state_try_reuse(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_state *state = &cmd->state;
    struct vc4vk_prepared *p = state->prepared_now;
    if (state->dirty & ~(uint32_t)DIRTY_LIGHT)
        return false;
    if (state->dirty & VC4VK_DIRTY_DESCRIPTORS)
        p = find_as_bound(bucket_of(state), cmd, find_special(cmd));
    if (!p || p->job != cmd->job)
        return false;
    if (vc4vk_cmd_state_is_reusable(state, p)) {
        use(state, p);
        state->recorded = p->recorded;
        state->dirty = 0;
        return true;
    }
    note_changes(state, p);
    use(state, p);
    vc4vk_cmd_state_flush(cmd);
    return !state->dirty;
}

/* State that the choice of variants depends on. */
#define DIRTY_CHOICE (VC4VK_DIRTY_DESCRIPTORS | VC4VK_DIRTY_PIPELINE | VC4VK_DYNAMIC_DEPTH_BIAS)

bool vc4vk_cmd_state_prepare(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_state *state = &cmd->state;
    if (!(state->dirty & (DIRTY_CHOICE | VC4VK_DYNAMIC_VIEWPORT)) &&
        vc4vk_cmd_query_wants_counts(cmd) == (state->prepared_now->special & VC4VK_SPECIAL_COUNTS))
        return true;
    if (state->dirty & (VC4VK_DYNAMIC_VIEWPORT | VC4VK_DIRTY_PIPELINE))
        state->viewport_is_out_of_range = any_is_out_of_range(state);
    const uint32_t special = find_special(cmd);
    if (!(state->dirty & VC4VK_DIRTY_DESCRIPTORS) && state->prepared_now->special == special)
        return true;
    struct vc4vk_prepared_bucket *bucket = bucket_of(state);
    struct vc4vk_prepared *p = find_as_bound(bucket, cmd, special);
    if (!p)
        p = add_prepared(cmd, special, bucket);
    if (!p)
        return false;
    note_changes(state, p);
    use(state, p);
    return true;
}
