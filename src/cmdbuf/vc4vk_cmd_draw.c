/* SPDX-License-Identifier: MIT
 *
 * Recording of draws. A draw is recorded as a recipe; everything that depends on memory contents (indices and their
 * range, indirect counts) is left to issue. A pass is split where a draw would exceed the limits of its job. A draw
 * without state changes since the last one only appends 32 bytes [measured: vc4-bench record].
 */
#include <inttypes.h>
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"

/* ---------------------------------------------------------------- what a draw costs */

/* Upper bound of the packets that change state before a draw. */
#define STATE_B                                                                                                        \
    (VC4VK_PIPELINE_PACKETS_MAX_B + CL_CLIPPER_XY_SCALING_SIZE_B + CL_CLIP_WINDOW_SIZE_B +                             \
     CL_CLIPPER_Z_SCALE_OFFSET_SIZE_B + CL_VIEWPORT_OFFSET_SIZE_B)

/* Of the area, or of the largest range. */
static uint32_t tile_count(const struct vc4vk_cmd_buffer *cmd)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    const uint32_t most = VC4VK_MAX_IMAGE_PX / hw_tile_px(pass->samples);
    return MIN2(pass->max_x_tl - pass->min_x_tl + 1u, most) * MIN2(pass->max_y_tl - pass->min_y_tl + 1u, most);
}

/* The cost of one instance. The vertex count of a packet has 16 bits. */
static struct vc4vk_cmd_cost cost_of_instance(const struct vc4vk_cmd_buffer *cmd, uint32_t vertices)
{
    const struct vc4vk_prepared *p = cmd->state.prepared_now;
    const uint64_t drawn = (uint64_t)vertices * p->vertex_factor;
    const uint32_t viewports = vc4vk_cmd_viewport_count(&cmd->state), passes = p->passes * viewports;
    const uint32_t pieces = (uint32_t)(drawn / 65000 + 1) * passes;
    return (struct vc4vk_cmd_cost){
        .chip_draws = pieces,
        .estimate_B = (uint64_t)pieces * (p->draw_B + (viewports > 1 ? STATE_B : 0)),
        .binner_B = vc4vk_binner_estimate_B(tile_count(cmd), p->pipeline->state.topology, drawn) * passes,
    };
}

/* The vertices of an instance. What mesh tasks draw is known when they are issued. */
static uint32_t vertices_of(const struct vc4vk_draw *draw)
{
    return draw->is_mesh ? 0 : draw->count;
}

static struct vc4vk_cmd_cost cost_of(const struct vc4vk_cmd_cost *instance, uint32_t instances)
{
    return (struct vc4vk_cmd_cost){instance->chip_draws * instances, STATE_B + instance->estimate_B * instances,
                                   instance->binner_B * instances};
}

/* The cost of merged instances: they share state and packets. They are drawn as lists, which have more vertices than
 * strips. */
static struct vc4vk_cmd_cost cost_of_merged(const struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_cost *instance,
                                            const struct vc4vk_draw *draw)
{
    const uint32_t pieces = draw->instance_count / (65000 / (3 * draw->count)) + 1;
    const uint64_t state_B = vc4vk_binner_state_B(tile_count(cmd)) * cmd->state.prepared_now->passes;
    return (struct vc4vk_cmd_cost){instance->chip_draws * pieces, STATE_B + instance->estimate_B * pieces,
                                   state_B + (instance->binner_B - state_B) * draw->instance_count};
}

#define MERGED_VERTICES (1u << 20) /* maximum number of vertices copied for one job */
#define MAX_PIECES      (1u << 20) /* of a draw; more would take gigabytes of memory, and days to draw */

/* How many instances fit one job. A draw is cut between instances, never within one. */
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

/* ---------------------------------------------------------------- the job of a draw */

/* Updates the job's properties for draws with the current state. */
static void update_job(const struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job)
{
    const struct vc4vk_cmd_state *state = &cmd->state;
    vc4vk_cmd_job_note_pipeline(job, state->pipeline, state->vertex, state->fragment);
    state->prepared_now->job = job;
}

/* Marks the job as re-centred, and compiles the programs for it now rather than at issue. False after a failure. */
static bool make_recentred(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job)
{
    const struct vc4vk_variant *variant;
    VkResult result = vc4vk_variant_recentred(cmd->state.vertex, &variant);
    if (result != VK_SUCCESS)
        vc4vk_cmd_fail(cmd, result);
    job->draws.is_recentred = true;
    job->class = MAX2(job->class, VC4VK_JOB_LOWERED);
    return cmd->error == VK_SUCCESS;
}

/* Begins a section of the job in the command buffer's own lists, if the last one is not such. False after a failure. */
static bool ensure_own_section(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job)
{
    if (job->last && !job->last->is_executed)
        return true;
    struct vc4vk_draw_section *section = vc4vk_cmd_section_new(cmd, job);
    if (section)
        vc4vk_cmd_job_begin_section(job, section, &cmd->lists, vc4vk_cmd_state_open(cmd));
    return section != NULL;
}

/* Fast path: whether the next draw can go into the open job without further setup, because the job has had draws with
 * such state and no query counts. Records the state where only that has changed. */
static bool is_ready(struct vc4vk_cmd_buffer *cmd)
{
    if (cmd->state.dirty & VC4VK_DIRTY_CHOICE)
        vc4vk_cmd_state_choose(cmd);
    return cmd->job && !cmd->query.pool && !cmd->query.is_inherited &&
           (!cmd->state.dirty || vc4vk_cmd_state_try_reuse(cmd));
}

/* Slow path: splits the pass where needed, and records all state that the draw needs. Returns the job that the draw
 * goes into; NULL after a failure. */
static struct vc4vk_cmd_job *prepare_job(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_cost *cost,
                                         uint64_t primitives)
{
    const struct vc4vk_pipeline *pipeline = cmd->state.pipeline;
    const bool recentre = cmd->pass.is_cut || cmd->state.viewport_is_out_of_range;
    if (cmd->job && (vc4vk_cmd_job_is_full(cmd->job, cost) ||
                     (cmd->job->draw_count && (cmd->job->draws.is_recentred != recentre ||
                                               cmd->job->stores_colors != pipeline->fragment.stores_colors))))
        vc4vk_cmd_pass_split(cmd);
    if (cmd->pass.samples != pipeline->state.fragment.samples)
        vc4vk_cmd_pass_set_samples(cmd, pipeline->state.fragment.samples);
    if (cmd->pass.pairs != pipeline->state.pairs || cmd->continues_pass)
        vc4vk_cmd_pass_set_pairs(cmd, pipeline->state.pairs);
    if (!vc4vk_cmd_pass_check_pipeline(cmd, pipeline->state.replay_count, pipeline->state.fragment.samples))
        return NULL;
    const bool counts = vc4vk_cmd_query_wants_counts(cmd);
    if (counts) {
        vc4vk_cmd_pass_stop_tile_inputs(cmd);
        if (!vc4vk_cmd_query_has_room(cmd, primitives))
            vc4vk_cmd_pass_split(cmd);
    }
    struct vc4vk_cmd_job *job = vc4vk_cmd_pass_job(cmd);
    if (!job || !vc4vk_cmd_state_prepare(cmd) || (recentre && !make_recentred(cmd, job)) ||
        !ensure_own_section(cmd, job))
        return NULL;
    vc4vk_cmd_state_set_count(&cmd->state, counts ? vc4vk_cmd_query_count(cmd, job, primitives) : 0);
    if (cmd->state.prepared_now->job != job)
        update_job(cmd, job);
    vc4vk_cmd_state_flush(cmd);
    if (cmd->error != VK_SUCCESS)
        return NULL;
    if (cmd->capture.active) { /* what is captured must be captured once, whether anything is drawn or not */
        job->has_side_effects = true;
        job->class = VC4VK_JOB_CPU;
    }
    /* it is unknown how often they are drawn, or how many vertices are */
    job->draws.may_take_parts |= cmd->state.recorded->viewports || cmd->state.recorded->orders_pixels ||
                                 cmd->state.recorded->expansion;
    return job;
}

/* ---------------------------------------------------------------- merged instances */

/* The cost of a separate draw, of a copied vertex, and of one more instruction of the vertex programs, in one unit
 * [measured: vc4-bench instances]. */
#define DRAW_COST        500u
#define VERTEX_COST      33u
#define INSTRUCTION_COST 1u
#define MERGED_MESH      (DRAW_COST / VERTEX_COST) /* maximum number of vertices, or indices, of an instance */

static uint32_t instructions(const struct vc4vk_variant *variant)
{
    return variant->programs[0].program->compiled.instruction_count +
           variant->programs[1].program->compiled.instruction_count;
}

/* Merged programs may be longer: values that are the same for all vertices of an instance are computed per vertex. */
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

/* Copies work only for programs of the chip whose attributes are not packed, and which do not store per-vertex results.
 */
static bool suits_copies(const struct vc4vk_variant *variant)
{
    bool suits = !variant->is_engine && !variant->attributes.is_packed;
    for (uint32_t i = 0; i < 2; i++)
        suits &= !variant->programs[i].program->compiled.vertex_results_B;
    return suits;
}

/* Whether it is possible and cheaper to merge the instances into one draw. Compiles the programs for it. */
static bool can_merge(const struct vc4vk_cmd_buffer *cmd, const struct vc4vk_draw *draw)
{
    const struct vc4vk_variant *plain = cmd->state.vertex, *merged = plain;
    if (draw->count > MERGED_MESH || vc4vk_cmd_viewport_count(&cmd->state) > 1 ||
        cmd->state.pipeline->vertex.interface->has_side_effects || !suits_copies(plain))
        return false;
    if (!plain->reads_instance)
        return true;
    return vc4vk_variant_merged(plain, &merged) == VK_SUCCESS && suits_copies(merged) &&
           plain->attributes.count < VC4VK_ATTRIBUTE_ARRAYS_MAX && is_cheaper(draw, plain, merged) &&
           has_same_arrays(&plain->programs[0].program->compiled, &merged->programs[0].program->compiled) &&
           has_same_arrays(&plain->programs[1].program->compiled, &merged->programs[1].program->compiled);
}

/* ---------------------------------------------------------------- recording */

/* A draw that may be cut into pieces. */
struct draw {
    struct vc4vk_draw recipe;
    const struct vc4vk_indirect *indirect; /* where its parameters lie; NULL: not indirect */
    const struct vc4vk_draw_state *direct; /* the shared state that the recipe's own copy was made from */
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

/* Records one recipe, in a new job if the current one has no room for it. */
static void record_piece(struct vc4vk_cmd_buffer *cmd, struct draw *draw, const struct vc4vk_cmd_cost *instance)
{
    const bool expands = cmd->state.pipeline->expander != NULL; /* what is drawn is known when the draw is issued */
    const struct vc4vk_cmd_cost cost = draw->recipe.merges ? cost_of_merged(cmd, instance, &draw->recipe)
                                       : expands           ? cost_of(instance, 1)
                                                           : cost_of(instance, draw->recipe.instance_count);
    struct vc4vk_cmd_job *job = cmd->job;
    if (!is_ready(cmd) || vc4vk_cmd_job_is_full(job, &cost))
        job = prepare_job(cmd, &cost,
                          draw->indirect || expands
                              ? UINT32_MAX
                              : (uint64_t)draw->recipe.count * cmd->state.prepared_now->vertex_factor *
                                    draw->recipe.instance_count);
    if (!job)
        return;
    point_to_state(cmd, draw);
    job->draws.may_take_parts |= draw->indirect != NULL;
    vc4vk_cmd_job_add_draw(job, &cmd->lists, &draw->recipe, &cost);
    if (cmd->state.count)
        job->counted_draws = job->draw_count;
}

/* Not 0 when no index buffer is bound, since 0 means that the draw is not indexed. */
static uint8_t index_size_B(const struct vc4vk_cmd_buffer *cmd)
{
    return cmd->state.index.index_B ? cmd->state.index.index_B : 2;
}

/* Without an index buffer nothing is drawn, unless nullDescriptor makes all indices zero. */
static bool lacks_indices(const struct vc4vk_cmd_buffer *cmd, const struct vc4vk_draw *draw)
{
    const struct vc4vk_buffer *buffer = cmd->state.index.buffer;
    return draw->index_B && (buffer ? !buffer->bo : !cmd->device->robustness.nulls);
}

static bool draws_nothing(const struct vc4vk_cmd_buffer *cmd, const struct vc4vk_draw *draw)
{
    const struct vc4vk_pipeline *pipeline = cmd->state.pipeline;
    if (cmd->error != VK_SUCCESS || !cmd->pass.pass || !pipeline || !draw->count || !draw->instance_count)
        return true;
    const VkExtent2D *scissor = &cmd->state.dynamic.scissor.extent;
    const bool is_empty = !(scissor->width && scissor->height) && vc4vk_cmd_viewport_count(&cmd->state) == 1;
    if ((pipeline->state.rasterizer_discard || is_empty) && !vc4vk_pipeline_stores_before_rasterizer(pipeline) &&
        !cmd->capture.active && !cmd->counted && !cmd->may_be_counted)
        return true; /* the programs have no visible effect */
    return lacks_indices(cmd, draw);
}

/* Fast path, taken by nearly all draws: a draw for which is_ready and with one instance. False: not such a draw. */
static bool try_record_fast(struct vc4vk_cmd_buffer *cmd, struct vc4vk_draw *recipe)
{
    if (recipe->instance_count != 1 || !recipe->count || lacks_indices(cmd, recipe) || !is_ready(cmd))
        return false;
    const struct vc4vk_cmd_cost instance = cost_of_instance(cmd, vertices_of(recipe)), cost = cost_of(&instance, 1);
    if (vc4vk_cmd_job_is_full(cmd->job, &cost))
        return false;
    recipe->state = cmd->state.recorded;
    vc4vk_cmd_job_add_draw(cmd->job, &cmd->lists, recipe, &cost);
    return true;
}

static void record_draw(struct vc4vk_cmd_buffer *cmd, struct draw *draw)
{
    struct vc4vk_draw *recipe = &draw->recipe;
    if (cmd->state.dirty & VC4VK_DIRTY_CHOICE)
        vc4vk_cmd_state_choose(cmd);
    if (draws_nothing(cmd, recipe) || !vc4vk_cmd_state_prepare(cmd))
        return;
    const struct vc4vk_cmd_cost instance = cost_of_instance(cmd, vertices_of(recipe));
    if (recipe->instance_count == 1 || cmd->state.pipeline->expander) { /* an expander cuts draws itself */
        record_piece(cmd, draw, &instance);
        return;
    }
    recipe->merges = can_merge(cmd, recipe);
    const uint32_t max = instances_per_job(&instance, recipe), all = recipe->instance_count;
    const uint32_t end = recipe->first_instance + all;
    if (all / max > MAX_PIECES) {
        vc4vk_cmd_fail(cmd, vc4vk_errorf(cmd, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                                         "draw of %u vertices and %u instances: there is no memory for so many jobs",
                                         recipe->count, all));
        return;
    }
    for (uint32_t left = all; left && cmd->error == VK_SUCCESS; left -= recipe->instance_count) {
        recipe->instance_count = MIN2(left, max);
        recipe->first_instance = end - left;
        draw->instances_before = all - left;
        record_piece(cmd, draw, &instance);
    }
}

static void record_direct(struct vc4vk_cmd_buffer *cmd, struct vc4vk_draw *recipe)
{
    if (!try_record_fast(cmd, recipe))
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

/* -- VK_EXT_multi_draw --------------------------------------------------------------------------------------------- */

static const void *element(const void *first, uint32_t i, uint32_t stride_B)
{
    return (const char *)first + (size_t)i * stride_B;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDrawMultiEXT(VkCommandBuffer cmd_h, uint32_t draw_count,
                                                 const VkMultiDrawInfoEXT *draws, uint32_t instances,
                                                 uint32_t first_instance, uint32_t stride_B)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    for (uint32_t i = 0; i < draw_count; i++) {
        const VkMultiDrawInfoEXT *d = element(draws, i, stride_B);
        record_direct(cmd, &(struct vc4vk_draw){.count = d->vertexCount,
                                                .first = d->firstVertex,
                                                .instance_count = instances,
                                                .first_instance = first_instance,
                                                .number = (uint16_t)i});
    }
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDrawMultiIndexedEXT(VkCommandBuffer cmd_h, uint32_t draw_count,
                                                        const VkMultiDrawIndexedInfoEXT *draws, uint32_t instances,
                                                        uint32_t first_instance, uint32_t stride_B,
                                                        const int32_t *vertex_offset)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    for (uint32_t i = 0; i < draw_count; i++) {
        const VkMultiDrawIndexedInfoEXT *d = element(draws, i, stride_B);
        record_direct(cmd, &(struct vc4vk_draw){.count = d->indexCount,
                                                .first = d->firstIndex,
                                                .vertex_offset = vertex_offset ? *vertex_offset : d->vertexOffset,
                                                .instance_count = instances,
                                                .first_instance = first_instance,
                                                .index_B = index_size_B(cmd),
                                                .number = (uint16_t)i});
    }
}

/* -- indirect draws ------------------------------------------------------------------------------------------------ */

struct indirect_draws {
    VkBuffer parameters, count;
    VkDeviceSize offset_B, count_offset_B;
    uint32_t draw_count, stride_B; /* draw_count is an upper bound if there is a `count` */
    bool indexed, is_mesh;
};

static void record_indirect(VkCommandBuffer cmd_h, const struct indirect_draws *draws)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    const struct vc4vk_buffer *parameters = vc4vk_buffer_from_handle(draws->parameters),
                              *count = vc4vk_buffer_from_handle(draws->count);
    struct vc4vk_indirect *indirect = vc4vk_cmd_new(cmd, struct vc4vk_indirect);
    if ((draws->offset_B | draws->count_offset_B | (draws->draw_count > 1 ? draws->stride_B : 0)) % 4)
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN,
                        "indirect draw: offset %" PRIu64 ", stride %u or count offset is not a multiple of 4",
                        draws->offset_B, draws->stride_B);
    if (!indirect || !parameters || !parameters->bo || (count && !count->bo))
        return;
    indirect->bo = parameters->bo;
    indirect->offset_B = (uint32_t)(parameters->offset_B + draws->offset_B);
    indirect->stride_B = draws->stride_B;
    indirect->count_bo = count ? count->bo : NULL;
    indirect->count_offset_B = count ? (uint32_t)(count->offset_B + draws->count_offset_B) : 0;
    struct draw draw = {.recipe = {.count = 1,
                                   .instance_count = 1,
                                   .index_B = draws->indexed ? index_size_B(cmd) : 0,
                                   .is_mesh = draws->is_mesh},
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
                                                         VkBuffer count, VkDeviceSize count_offset_B, uint32_t max,
                                                         uint32_t stride_B)
{
    record_indirect(cmd, &(struct indirect_draws){.parameters = buffer,
                                                  .offset_B = offset_B,
                                                  .count = count,
                                                  .count_offset_B = count_offset_B,
                                                  .draw_count = max,
                                                  .stride_B = stride_B});
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDrawIndexedIndirectCountKHR(VkCommandBuffer cmd, VkBuffer buffer,
                                                                VkDeviceSize offset_B, VkBuffer count,
                                                                VkDeviceSize count_offset_B, uint32_t max,
                                                                uint32_t stride_B)
{
    record_indirect(cmd, &(struct indirect_draws){.parameters = buffer,
                                                  .offset_B = offset_B,
                                                  .count = count,
                                                  .count_offset_B = count_offset_B,
                                                  .draw_count = max,
                                                  .stride_B = stride_B,
                                                  .indexed = true});
}

/* -- VK_EXT_mesh_shader ------------------------------------------------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDrawMeshTasksEXT(VkCommandBuffer cmd, uint32_t x, uint32_t y, uint32_t z)
{
    record_direct(vc4vk_cmd_buffer_from_handle(cmd),
                  &(struct vc4vk_draw){.count = x, .instance_count = y, .vertex_offset = (int32_t)z, .is_mesh = true});
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDrawMeshTasksIndirectEXT(VkCommandBuffer cmd, VkBuffer buffer,
                                                             VkDeviceSize offset_B, uint32_t draw_count,
                                                             uint32_t stride_B)
{
    record_indirect(cmd, &(struct indirect_draws){.parameters = buffer,
                                                  .offset_B = offset_B,
                                                  .draw_count = draw_count,
                                                  .stride_B = stride_B,
                                                  .is_mesh = true});
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDrawMeshTasksIndirectCountEXT(VkCommandBuffer cmd, VkBuffer buffer,
                                                                  VkDeviceSize offset_B, VkBuffer count,
                                                                  VkDeviceSize count_offset_B, uint32_t max,
                                                                  uint32_t stride_B)
{
    record_indirect(cmd, &(struct indirect_draws){.parameters = buffer,
                                                  .offset_B = offset_B,
                                                  .count = count,
                                                  .count_offset_B = count_offset_B,
                                                  .draw_count = max,
                                                  .stride_B = stride_B,
                                                  .is_mesh = true});
}

/* ------------------------------------------------------------------------------------------------------------------ */

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDrawIndirectByteCountEXT(VkCommandBuffer cmd_h, uint32_t instances,
                                                             uint32_t first_instance, VkBuffer counter_h,
                                                             VkDeviceSize counter_offset_B, uint32_t before_B,
                                                             uint32_t stride_B)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    const struct vc4vk_buffer *counter = vc4vk_buffer_from_handle(counter_h);
    struct vc4vk_indirect *indirect = vc4vk_cmd_new(cmd, struct vc4vk_indirect);
    if (counter_offset_B % 4 || !stride_B)
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN,
                        "indirect draw: counter offset %" PRIu64 " is not a multiple of 4, or the stride is 0",
                        counter_offset_B);
    if (!indirect || !counter || !counter->bo || !stride_B)
        return;
    *indirect = (struct vc4vk_indirect){.bo = counter->bo,
                                        .offset_B = (uint32_t)(counter->offset_B + counter_offset_B),
                                        .vertex_stride_B = stride_B,
                                        .before_B = before_B,
                                        .first_instance = first_instance,
                                        .instance_count = instances};
    record_draw(cmd, &(struct draw){.recipe = {.count = 1, .instance_count = 1}, .indirect = indirect});
}
