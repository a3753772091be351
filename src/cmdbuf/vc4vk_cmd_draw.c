/* SPDX-License-Identifier: MIT
 *
 * Draws. What depends on memory (indices, how far they reach, indirect counts) is left for issue; here a draw becomes a
 * recipe, and passes are split where the limits of a job ask for it.
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"

/* How often everything is drawn: where programs run for each sample, once for each. */
static uint32_t passes(const struct vc4vk_cmd_buffer *cmd)
{
    return cmd->state.pipeline->state.sample_shading ? HW_MS_SAMPLES : 1;
}

/* Of one instance. */
static uint64_t binner_estimate_B(const struct vc4vk_cmd_buffer *cmd, uint64_t vertices)
{
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    const uint32_t tiles = (pass->max_x_tl - pass->min_x_tl + 1u) * (pass->max_y_tl - pass->min_y_tl + 1u);
    return vc4vk_binner_estimate_B(tiles, cmd->state.pipeline->state.topology, vertices) * passes(cmd);
}

/* Packets of one instance: their counts have 16 bits. */
static uint32_t chip_draws(const struct vc4vk_cmd_buffer *cmd, uint32_t vertices)
{
    return (vertices / 65000 + 1) * passes(cmd);
}

/* How much one piece may hold; instances are cut to fit, vertices are not. */
static uint32_t instances_per_job(const struct vc4vk_cmd_buffer *cmd, uint32_t vertices, uint32_t draw_B)
{
    const struct vc4vk_job_limits *limits = vc4vk_job_limits();
    uint64_t n = limits->chip_draws / chip_draws(cmd, vertices);
    n = MIN2(n, limits->bytes_B / (draw_B * passes(cmd)));
    n = MIN2(n, limits->binner_B / MAX2(binner_estimate_B(cmd, vertices), 1u));
    return (uint32_t)MAX2(n, 1u);
}

/* Where the numbers of indirect draws lie. */
struct indirect {
    const struct vc4vk_buffer *parameters, *count; /* `count` may be NULL */
};

static bool is_for_engine(const struct vc4vk_variant *variant)
{
    for (uint32_t i = 0; i < variant->program_count; i++)
        if (variant->programs[i].program->compiled.is_engine)
            return true;
    return false;
}

static void mark_written(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job)
{
    const struct vc4vk_pipeline_state *state = &cmd->state.pipeline->state;
    job->written_replays |= state->written_replays;
    job->samples = state->fragment.samples;
    job->pairs = state->pairs;
    job->writes_depth |= state->depth_write || state->stencil_test;
    if (!cmd->state.vertex->is_native || !cmd->state.fragment->is_native)
        job->base.class = MAX2(job->base.class, VC4VK_JOB_LOWERED);
    if (is_for_engine(cmd->state.vertex) || is_for_engine(cmd->state.fragment))
        job->base.class = VC4VK_JOB_CPU;
    job->has_side_effects |= cmd->state.pipeline->vertex.interface->has_side_effects ||
                             cmd->state.pipeline->fragment.interface->has_side_effects;
    /* The chip bins a job while it still renders the one before. */
    job->base.command.needs_idle |= cmd->state.pipeline->samples_in_vertex_stage;
}

/* Its program is made now, not when the job is issued. False after a failure. */
static bool make_recentred(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job)
{
    const struct vc4vk_variant *variant;
    VkResult result = vc4vk_variant_recentred(cmd->state.vertex, &variant);
    if (result != VK_SUCCESS)
        vc4vk_cmd_fail(cmd, result);
    if (cmd->pass.is_cut && cmd->state.pipeline->vertex.interface->has_side_effects)
        vc4vk_cmd_failf(cmd, VK_ERROR_FEATURE_NOT_PRESENT,
                        "vertex shaders that store cannot draw into framebuffers of more than %u pixels a side",
                        VC4VK_MAX_IMAGE_PX);
    job->is_recentred = true;
    job->base.class = MAX2(job->base.class, VC4VK_JOB_LOWERED);
    return cmd->error == VK_SUCCESS;
}

/* Lists have no restart. */
static bool is_strip(uint8_t topology)
{
    return topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP || topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP ||
           topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
}

/* One recipe, in the job that has room for it. */
static void record_piece(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_draw *draw, const struct indirect *indirect,
                         uint32_t vertices, uint32_t draw_B)
{
    const uint32_t state_B = VC4VK_PIPELINE_PACKETS_MAX_B + CL_CLIPPER_XY_SCALING_SIZE_B + CL_CLIP_WINDOW_SIZE_B +
                             CL_CLIPPER_Z_SCALE_OFFSET_SIZE_B + CL_VIEWPORT_OFFSET_SIZE_B;
    const uint32_t pieces = chip_draws(cmd, vertices) * draw->instance_count;
    const uint64_t size_B = state_B + (uint64_t)pieces * draw_B;
    const uint64_t binner_B = binner_estimate_B(cmd, vertices) * draw->instance_count;
    const bool recentre = cmd->pass.is_cut || vc4vk_cmd_state_is_far(&cmd->state);
    const bool stores_colors = cmd->state.pipeline->fragment.stores_colors;
    if (cmd->job && (vc4vk_cmd_job_is_full(cmd->job, pieces, size_B, binner_B) ||
                     (cmd->job->draw_count &&
                      (cmd->job->is_recentred != recentre || cmd->job->stores_colors != stores_colors))))
        vc4vk_cmd_pass_split(cmd);
    vc4vk_cmd_pass_set_samples(cmd, cmd->state.pipeline->state.fragment.samples);
    vc4vk_cmd_pass_set_pairs(cmd, cmd->state.pipeline->state.pairs);
    if (vc4vk_cmd_query_wants_counts(cmd))
        vc4vk_cmd_pass_leave_tiles(cmd);
    const uint64_t primitives = indirect ? UINT32_MAX : (uint64_t)vertices * draw->instance_count;
    vc4vk_cmd_query_make_room(cmd, primitives);
    struct vc4vk_cmd_job *job = vc4vk_cmd_pass_job(cmd);
    if (!job || !vc4vk_cmd_state_prepare(cmd) || (recentre && !make_recentred(cmd, job)))
        return;
    const uint32_t count = vc4vk_cmd_query_count(cmd, job, primitives);
    vc4vk_cmd_state_set_count(&cmd->state, count);
    vc4vk_cmd_state_flush(cmd, job);

    struct vc4vk_draw *out = util_stream_reserve(&job->draws, sizeof *out);
    *out = *draw;
    out->bin_cl_B = job->base.bin_cl.size_B;
    out->record_B = cmd->state.record_B;
    out->uniform_B = cmd->state.uniform_B;
    out->topology = (uint8_t)cmd->state.pipeline->state.topology;
    out->restart = cmd->state.pipeline->state.primitive_restart && is_strip(out->topology);
    const struct vc4c_program *fs = &cmd->state.fragment->programs[0].program->compiled;
    out->first_provokes = (fs->flat_mask || fs->flat_from) &&
                          cmd->state.pipeline->state.topology != VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    job->may_take_parts |= indirect != NULL;
    if (indirect)
        out->indirect_bo = vc4vk_bo_table_add(&job->base.bos, indirect->parameters->bo);
    if (indirect)
        out->draw_count_bo = indirect->count ? vc4vk_bo_table_add(&job->base.bos, indirect->count->bo) : KMD_NO_BO;
    if (draw->index_B) {
        const struct vc4vk_buffer *buffer = cmd->state.index.buffer;
        uint64_t offset_B = buffer->offset_B + cmd->state.index.offset_B;
        out->index_bo = vc4vk_bo_table_add(&job->base.bos, buffer->bo);
        out->index_offset_B = (uint32_t)offset_B;
        out->index_limit_B = (uint32_t)(buffer->size_B - MIN2(cmd->state.index.offset_B, buffer->size_B));
    }
    job->has_counting_programs = cmd->state.fragment->special && (job->has_counting_programs || !job->draw_count);
    job->draw_count++;
    job->counted_draws = count ? job->draw_count : job->counted_draws;
    job->stores_colors = stores_colors;
    job->chip_draws += pieces;
    job->estimate_B += size_B;
    job->binner_B += binner_B;
    mark_written(cmd, job);
}

/* `indirect`: where an indirect draw's counts lie, else NULL. */
static void record_draw(struct vc4vk_cmd_buffer *cmd, struct vc4vk_draw draw, const struct indirect *indirect)
{
    if (cmd->error != VK_SUCCESS || !cmd->pass.pass || !cmd->state.pipeline || !draw.count || !draw.instance_count)
        return;
    if (cmd->state.pipeline->state.rasterizer_discard && !cmd->state.pipeline->vertex.interface->has_side_effects)
        return; /* nothing that a program does can be seen */
    if (draw.index_B && (!cmd->state.index.buffer || !cmd->state.index.buffer->bo))
        return;
    if (!vc4vk_cmd_state_prepare(cmd))
        return;
    const uint32_t draw_B = cmd->state.draw_B;
    const uint32_t most = draw.instance_count > 1 ? instances_per_job(cmd, draw.count, draw_B) : 1;
    const uint32_t end = draw.first_instance + draw.instance_count;
    for (uint32_t left = draw.instance_count; left; left -= draw.instance_count) {
        draw.instance_count = MIN2(left, most);
        draw.first_instance = end - left;
        record_piece(cmd, &draw, indirect, draw.count, draw_B);
    }
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDraw(VkCommandBuffer cmd_h, uint32_t count, uint32_t instances, uint32_t first,
                                         uint32_t first_instance)
{
    record_draw(vc4vk_cmd_buffer_from_handle(cmd_h),
                (struct vc4vk_draw){
                    .count = count,
                    .first = first,
                    .instance_count = instances,
                    .first_instance = first_instance,
                },
                NULL);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdDrawIndexed(VkCommandBuffer cmd_h, uint32_t count, uint32_t instances,
                                                uint32_t first, int32_t vertex_offset, uint32_t first_instance)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    record_draw(cmd,
                (struct vc4vk_draw){
                    .count = count,
                    .first = first,
                    .vertex_offset = vertex_offset,
                    .instance_count = instances,
                    .first_instance = first_instance,
                    .index_B = cmd->state.index.index_B,
                },
                NULL);
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
    const struct indirect indirect = {vc4vk_buffer_from_handle(draws->parameters),
                                      vc4vk_buffer_from_handle(draws->count)};
    if (!indirect.parameters->bo || (indirect.count && !indirect.count->bo))
        return;
    for (uint32_t i = 0; i < draws->draw_count && cmd->error == VK_SUCCESS; i++)
        record_draw(cmd,
                    (struct vc4vk_draw){
                        .first = i,
                        .count = 1,
                        .instance_count = 1,
                        .index_B = draws->indexed ? cmd->state.index.index_B : 0,
                        .indirect = 1,
                        .indirect_offset_B =
                            (uint32_t)(indirect.parameters->offset_B + draws->offset_B + (uint64_t)i * draws->stride_B),
                        .draw_count_offset_B =
                            indirect.count ? (uint32_t)(indirect.count->offset_B + draws->count_offset_B) : 0,
                    },
                    &indirect);
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
