/* SPDX-License-Identifier: MIT
 *
 * Draws. What depends on memory (indices, how far they reach, indirect counts) is left for issue; here a draw becomes a
 * recipe, and passes are split where the limits of a job ask for it. A draw for which nothing has changed since the
 * last one is no more than 32 bytes behind it [measured: vc4-bench record].
 */
#include <inttypes.h>
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"

/* ---------------------------------------------------------------- what a draw costs */

/* Packets that change state, at the most. */
#define STATE_B                                                                                                        \
    (VC4VK_PIPELINE_PACKETS_MAX_B + CL_CLIPPER_XY_SCALING_SIZE_B + CL_CLIP_WINDOW_SIZE_B +                             \
     CL_CLIPPER_Z_SCALE_OFFSET_SIZE_B + CL_VIEWPORT_OFFSET_SIZE_B)

static uint32_t tile_count(const struct vc4vk_cmd_buffer *cmd)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    return (pass->max_x_tl - pass->min_x_tl + 1u) * (pass->max_y_tl - pass->min_y_tl + 1u);
}

/* Of one instance. Counts of packets have 16 bits. */
static struct vc4vk_cmd_cost cost_of_instance(const struct vc4vk_cmd_buffer *cmd, uint32_t vertices)
{
    const struct vc4vk_prepared *p = cmd->state.prepared_now;
    const uint64_t drawn = (uint64_t)vertices * p->growth;
    const uint32_t pieces = (uint32_t)(drawn / 65000 + 1) * p->passes;
    return (struct vc4vk_cmd_cost){
        .chip_draws = pieces,
        .estimate_B = (uint64_t)pieces * p->draw_B,
        .binner_B = vc4vk_binner_estimate_B(tile_count(cmd), p->pipeline->state.topology, drawn) * p->passes,
    };
}

static struct vc4vk_cmd_cost cost_of(const struct vc4vk_cmd_cost *instance, uint32_t instances)
{
    return (struct vc4vk_cmd_cost){instance->chip_draws * instances, STATE_B + instance->estimate_B * instances,
                                   instance->binner_B * instances};
}

/* Of merged instances: they share state and packets. Lists have more vertices than strips. */
static struct vc4vk_cmd_cost cost_of_merged(const struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_cost *instance,
                                            const struct vc4vk_draw *draw)
{
    const uint32_t pieces = draw->instance_count / (65000 / (3 * draw->count)) + 1;
    const uint64_t state_B = vc4vk_binner_state_B(tile_count(cmd)) * cmd->state.prepared_now->passes;
    return (struct vc4vk_cmd_cost){instance->chip_draws * pieces, STATE_B + instance->estimate_B * pieces,
                                   state_B + (instance->binner_B - state_B) * draw->instance_count};
}

#define MERGED_VERTICES (1u << 20) /* copied for one job */

/* How much one piece may hold; instances are cut to fit, vertices are not. */
static uint32_t instances_per_job(const struct vc4vk_cmd_cost *instance, const struct vc4vk_draw *draw)
{
    const struct vc4vk_job_limits *limits = vc4vk_job_limits();
    uint64_t n = limits->binner_B / MAX2(instance->binner_B, 1u);
    if (draw->merges)
        return (uint32_t)CLAMP(n, 1u, MERGED_VERTICES / draw->count);
    n = MIN2(n, limits->chip_draws / instance->chip_draws);
    n = MIN2(n, limits->bytes_B / instance->estimate_B);
    return (uint32_t)MAX2(n, 1u);
}

/* ---------------------------------------------------------------- its job */

/* What the job has to be for draws as they are now. */
static void tell_job(const struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job)
{
    const struct vc4vk_cmd_state *state = &cmd->state;
    const struct vc4vk_pipeline *pipeline = state->pipeline;
    job->written_replays |= pipeline->state.written_replays;
    job->samples = pipeline->state.fragment.samples;
    job->replay_count = (uint8_t)pipeline->state.replay_count;
    job->pairs = pipeline->state.pairs;
    job->stores_colors = pipeline->fragment.stores_colors;
    job->writes_depth |= pipeline->state.depth_write || pipeline->state.stencil_test;
    job->has_side_effects |=
        pipeline->vertex.interface->has_side_effects || pipeline->fragment.interface->has_side_effects;
    /* The chip bins a job while it still renders the one before. */
    job->needs_idle |= pipeline->samples_in_vertex_stage;
    if (!state->vertex->is_native || !state->fragment->is_native || state->vertex->attributes.is_packed)
        job->class = MAX2(job->class, VC4VK_JOB_LOWERED);
    if (state->vertex->is_engine || state->fragment->is_engine)
        job->class = VC4VK_JOB_CPU;
    job->has_counting_programs = state->fragment->special && (job->has_counting_programs || !job->draw_count);
    state->prepared_now->job = job;
}

/* Its program is made now, not when the job is issued. False after a failure. */
static bool make_recentred(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job)
{
    const struct vc4vk_variant *variant;
    VkResult result = vc4vk_variant_recentred(cmd->state.vertex, &variant);
    if (result != VK_SUCCESS)
        vc4vk_cmd_fail(cmd, result);
    job->is_recentred = true;
    job->class = MAX2(job->class, VC4VK_JOB_LOWERED);
    return cmd->error == VK_SUCCESS;
}

/* Draws are recorded into the lists of the command buffer, behind those that are there. False after a failure. */
static bool ensure_own_section(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job)
{
    if (job->last && !job->last->is_executed)
        return true;
    struct vc4vk_cmd_section *section = vc4vk_cmd_section_new(cmd, job);
    if (section)
        vc4vk_cmd_job_begin_section(job, section, &cmd->lists, vc4vk_cmd_state_open(cmd));
    return section != NULL;
}

/* Is all recorded that the next draw needs, now at the latest? No query counts, and the job has seen such draws. */
static bool is_settled(struct vc4vk_cmd_buffer *cmd)
{
    return cmd->job && !cmd->query.pool && !cmd->query.is_inherited &&
           (!cmd->state.dirty || vc4vk_cmd_state_renew(cmd));
}

/* The job that such a draw goes into, with all state that it needs; NULL after a failure. */
static struct vc4vk_cmd_job *settle(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_cost *cost,
                                    uint64_t primitives)
{
    const struct vc4vk_pipeline *pipeline = cmd->state.pipeline;
    const bool recentre = cmd->pass.is_cut || cmd->state.is_far;
    if (cmd->job && (vc4vk_cmd_job_is_full(cmd->job, cost) ||
                     (cmd->job->draw_count && (cmd->job->is_recentred != recentre ||
                                               cmd->job->stores_colors != pipeline->fragment.stores_colors))))
        vc4vk_cmd_pass_split(cmd);
    if (cmd->pass.samples != pipeline->state.fragment.samples)
        vc4vk_cmd_pass_set_samples(cmd, pipeline->state.fragment.samples);
    if (cmd->pass.pairs != pipeline->state.pairs || cmd->continues_pass)
        vc4vk_cmd_pass_set_pairs(cmd, pipeline->state.pairs);
    if (!vc4vk_cmd_pass_suits(cmd, pipeline->state.replay_count, pipeline->state.fragment.samples))
        return NULL;
    const bool counts = vc4vk_cmd_query_wants_counts(cmd);
    if (counts) {
        vc4vk_cmd_pass_leave_tiles(cmd);
        vc4vk_cmd_query_make_room(cmd, primitives);
    }
    struct vc4vk_cmd_job *job = vc4vk_cmd_pass_job(cmd);
    if (!job || !vc4vk_cmd_state_prepare(cmd) || (recentre && !make_recentred(cmd, job)) ||
        !ensure_own_section(cmd, job))
        return NULL;
    vc4vk_cmd_state_set_count(&cmd->state, counts ? vc4vk_cmd_query_count(cmd, job, primitives) : 0);
    if (cmd->state.prepared_now->job != job)
        tell_job(cmd, job);
    vc4vk_cmd_state_flush(cmd);
    return cmd->error == VK_SUCCESS ? job : NULL;
}

/* ---------------------------------------------------------------- merged instances */

/* What a draw of its own costs, against a copied vertex and an instruction more of the programs that it runs, in one
 * unit [measured: vc4-bench instances]. */
#define DRAW_COST        500u
#define VERTEX_COST      33u
#define INSTRUCTION_COST 1u
#define MERGED_MESH      (DRAW_COST / VERTEX_COST) /* vertices, or indices */

static uint32_t instructions(const struct vc4vk_variant *variant)
{
    return variant->programs[0].program->compiled.instruction_count +
           variant->programs[1].program->compiled.instruction_count;
}

/* What instances have in common is not computed once any more. */
static bool is_cheaper(const struct vc4vk_draw *draw, const struct vc4vk_variant *plain,
                       const struct vc4vk_variant *merged)
{
    const uint32_t before = instructions(plain), after = instructions(merged);
    return draw->count * (VERTEX_COST + INSTRUCTION_COST * (MAX2(after, before) - before)) <= DRAW_COST;
}

static bool has_same_arrays(const struct vc4c_program *a, const struct vc4c_program *b)
{
    return b->attribute_count >= a->attribute_count && b->attribute_count <= a->attribute_count + 1u &&
           !memcmp(a->attributes, b->attributes, a->attribute_count * sizeof a->attributes[0]) &&
           (b->attribute_count == a->attribute_count ||
            b->attributes[a->attribute_count].location == VC4C_ATTRIBUTE_INSTANCE);
}

/* The chip's programs, without what they cannot load and without what depends on single vertices' numbers. */
static bool suits_copies(const struct vc4vk_variant *variant)
{
    bool suits = !variant->is_engine && !variant->attributes.is_packed;
    for (uint32_t i = 0; i < 2; i++)
        suits &= !variant->programs[i].program->compiled.vertex_results_B;
    return suits;
}

/* Is the draw cheaper when its instances are copied into one? Its programs are made now. */
static bool can_merge(const struct vc4vk_cmd_buffer *cmd, const struct vc4vk_draw *draw)
{
    const struct vc4vk_variant *plain = cmd->state.vertex, *merged = plain;
    if (draw->count > MERGED_MESH || cmd->state.pipeline->vertex.interface->has_side_effects || !suits_copies(plain))
        return false;
    if (!plain->reads_instance)
        return true;
    return vc4vk_variant_merged(plain, &merged) == VK_SUCCESS && suits_copies(merged) &&
           plain->attributes.count < VC4VK_ATTRIBUTE_ARRAYS_MAX && is_cheaper(draw, plain, merged) &&
           has_same_arrays(&plain->programs[0].program->compiled, &merged->programs[0].program->compiled) &&
           has_same_arrays(&plain->programs[1].program->compiled, &merged->programs[1].program->compiled);
}

/* ---------------------------------------------------------------- recording */

/* A draw that may be cut; `indirect`: where its counts lie, or NULL. */
struct draw {
    struct vc4vk_draw recipe;
    const struct vc4vk_indirect *indirect;
    const struct vc4vk_draw_state *direct; /* with `indirect`: what the recipe's state was made from */
    uint32_t instances_before;             /* in earlier pieces */
};

static void point_to_state(struct vc4vk_cmd_buffer *cmd, struct draw *draw)
{
    const struct vc4vk_draw_state *recorded = cmd->state.recorded;
    if (!draw->indirect && !draw->instances_before) {
        draw->recipe.state = recorded;
    } else if (draw->direct != recorded || draw->instances_before) {
        struct vc4vk_draw_state *own = vc4vk_cmd_copy(cmd, recorded, sizeof *own);
        if (own) {
            own->indirect = draw->indirect;
            own->instances_before = draw->instances_before;
        }
        draw->recipe.state = own;
        draw->direct = recorded;
    }
}

/* One recipe, in the job that has room for it. */
static void record_piece(struct vc4vk_cmd_buffer *cmd, struct draw *draw, const struct vc4vk_cmd_cost *instance)
{
    const struct vc4vk_cmd_cost cost = draw->recipe.merges ? cost_of_merged(cmd, instance, &draw->recipe)
                                                           : cost_of(instance, draw->recipe.instance_count);
    struct vc4vk_cmd_job *job = cmd->job;
    if (!is_settled(cmd) || vc4vk_cmd_job_is_full(job, &cost))
        job = settle(cmd, &cost,
                     draw->indirect ? UINT32_MAX
                                    : (uint64_t)draw->recipe.count * cmd->state.prepared_now->growth *
                                          draw->recipe.instance_count);
    if (!job)
        return;
    point_to_state(cmd, draw);
    job->may_take_parts |= draw->indirect != NULL;
    vc4vk_cmd_job_add_draw(job, &cmd->lists, &draw->recipe, &cost);
    if (cmd->state.count)
        job->counted_draws = job->draw_count;
}

/* Draws with indices that nobody has bound have some, too: they are none without. */
static uint8_t index_size_B(const struct vc4vk_cmd_buffer *cmd)
{
    return cmd->state.index.buffer ? cmd->state.index.index_B : 2;
}

static bool lacks_indices(const struct vc4vk_cmd_buffer *cmd, const struct vc4vk_draw *draw)
{
    return draw->index_B && (!cmd->state.index.buffer || !cmd->state.index.buffer->bo);
}

static bool draws_nothing(const struct vc4vk_cmd_buffer *cmd, const struct vc4vk_draw *draw)
{
    const struct vc4vk_pipeline *pipeline = cmd->state.pipeline;
    if (cmd->error != VK_SUCCESS || !cmd->pass.pass || !pipeline || !draw->count || !draw->instance_count)
        return true;
    const VkExtent2D *scissor = &cmd->state.dynamic.scissor.extent;
    if ((pipeline->state.rasterizer_discard || !scissor->width || !scissor->height) &&
        !pipeline->vertex.interface->has_side_effects)
        return true; /* nothing that a program does can be seen */
    return lacks_indices(cmd, draw);
}

/* One more draw for a job that has seen such, as nearly all are. False: it takes more than that. */
static bool record_another(struct vc4vk_cmd_buffer *cmd, struct vc4vk_draw *recipe)
{
    if (recipe->instance_count != 1 || !recipe->count || lacks_indices(cmd, recipe) || !is_settled(cmd))
        return false;
    const struct vc4vk_cmd_cost instance = cost_of_instance(cmd, recipe->count), cost = cost_of(&instance, 1);
    if (vc4vk_cmd_job_is_full(cmd->job, &cost))
        return false;
    recipe->state = cmd->state.recorded;
    vc4vk_cmd_job_add_draw(cmd->job, &cmd->lists, recipe, &cost);
    return true;
}

static void record_draw(struct vc4vk_cmd_buffer *cmd, struct draw *draw)
{
    struct vc4vk_draw *recipe = &draw->recipe;
    if (draws_nothing(cmd, recipe) || !vc4vk_cmd_state_prepare(cmd))
        return;
    const struct vc4vk_cmd_cost instance = cost_of_instance(cmd, recipe->count);
    if (recipe->instance_count == 1) {
        record_piece(cmd, draw, &instance);
        return;
    }
    recipe->merges = can_merge(cmd, recipe);
    const uint32_t most = instances_per_job(&instance, recipe), all = recipe->instance_count;
    const uint32_t end = recipe->first_instance + all;
    for (uint32_t left = all; left; left -= recipe->instance_count) {
        recipe->instance_count = MIN2(left, most);
        recipe->first_instance = end - left;
        draw->instances_before = all - left;
        record_piece(cmd, draw, &instance);
    }
}

static void record_direct(struct vc4vk_cmd_buffer *cmd, struct vc4vk_draw *recipe)
{
    if (!record_another(cmd, recipe))
        record_draw(cmd, &(struct draw){.recipe = *recipe});
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDraw(VkCommandBuffer cmd, uint32_t count, uint32_t instances, uint32_t first,
                                         uint32_t first_instance)
{
    record_direct(vc4vk_cmd_buffer_from_handle(cmd),
                  &(struct vc4vk_draw){
                      .count = count, .first = first, .instance_count = instances, .first_instance = first_instance});
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDrawIndexed(VkCommandBuffer cmd_h, uint32_t count, uint32_t instances,
                                                uint32_t first, int32_t vertex_offset, uint32_t first_instance)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    record_direct(cmd, &(struct vc4vk_draw){.count = count,
                                            .first = first,
                                            .vertex_offset = vertex_offset,
                                            .instance_count = instances,
                                            .first_instance = first_instance,
                                            .index_B = index_size_B(cmd)});
}

struct indirect_draws {
    VkBuffer parameters, count;
    VkDeviceSize offset_B, count_offset_B;
    uint32_t draw_count, stride_B; /* with `count`: at most so many */
    bool indexed;
};

static void record_indirect(VkCommandBuffer cmd_h, const struct indirect_draws *draws)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    const struct vc4vk_buffer *parameters = vc4vk_buffer_from_handle(draws->parameters),
                              *count = vc4vk_buffer_from_handle(draws->count);
    struct vc4vk_indirect *indirect = vc4vk_cmd_new(cmd, struct vc4vk_indirect);
    if ((draws->offset_B | draws->count_offset_B | (draws->draw_count > 1 ? draws->stride_B : 0)) % 4)
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN, "an indirect draw at offset %" PRIu64 ", stride %u: no multiples of 4",
                        draws->offset_B, draws->stride_B);
    if (!indirect || !parameters || !parameters->bo || (count && !count->bo))
        return;
    indirect->bo = parameters->bo;
    indirect->offset_B = (uint32_t)(parameters->offset_B + draws->offset_B);
    indirect->stride_B = draws->stride_B;
    indirect->count_bo = count ? count->bo : NULL;
    indirect->count_offset_B = count ? (uint32_t)(count->offset_B + draws->count_offset_B) : 0;
    struct draw draw = {
        .recipe = {.count = 1, .instance_count = 1, .index_B = draws->indexed ? index_size_B(cmd) : 0},
        .indirect = indirect};
    for (; draw.recipe.first < draws->draw_count && cmd->error == VK_SUCCESS; draw.recipe.first++)
        record_draw(cmd, &draw);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDrawIndirect(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset_B,
                                                 uint32_t draw_count, uint32_t stride_B)
{
    record_indirect(cmd,
                    &(struct indirect_draws){
                        .parameters = buffer, .offset_B = offset_B, .draw_count = draw_count, .stride_B = stride_B});
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDrawIndexedIndirect(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset_B,
                                                        uint32_t draw_count, uint32_t stride_B)
{
    record_indirect(cmd, &(struct indirect_draws){.parameters = buffer,
                                                  .offset_B = offset_B,
                                                  .draw_count = draw_count,
                                                  .stride_B = stride_B,
                                                  .indexed = true});
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDrawIndirectCountKHR(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset_B,
                                                         VkBuffer count, VkDeviceSize count_offset_B, uint32_t most,
                                                         uint32_t stride_B)
{
    record_indirect(cmd, &(struct indirect_draws){.parameters = buffer,
                                                  .offset_B = offset_B,
                                                  .count = count,
                                                  .count_offset_B = count_offset_B,
                                                  .draw_count = most,
                                                  .stride_B = stride_B});
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDrawIndexedIndirectCountKHR(VkCommandBuffer cmd, VkBuffer buffer,
                                                                VkDeviceSize offset_B, VkBuffer count,
                                                                VkDeviceSize count_offset_B, uint32_t most,
                                                                uint32_t stride_B)
{
    record_indirect(cmd, &(struct indirect_draws){.parameters = buffer,
                                                  .offset_B = offset_B,
                                                  .count = count,
                                                  .count_offset_B = count_offset_B,
                                                  .draw_count = most,
                                                  .stride_B = stride_B,
                                                  .indexed = true});
}
