/* SPDX-License-Identifier: MIT
 *
 * Pipelines with tessellation, geometry or mesh stages, with outputs that are captured, with stippled lines, or whose
 * fragment stage reads the primitive's number. The stages of the application become an expander, whose programs run
 * when a draw is issued; the pipeline itself becomes one that draws the expander's records.
 */
#include "pipeline/vc4vk_pipeline.h"

static VkResult init_records(struct vc4vk_pipeline *pipeline, struct vc4vk_pipeline_stage *stage,
                             const VkGraphicsPipelineCreateInfo *info, const VkPipelineShaderStageCreateInfo *described,
                             uint8_t patch_vertices)
{
    stage->front.must_hit = pipeline->vertex.front.must_hit;
    stage->front.is_quick = pipeline->vertex.front.is_quick;
    return vc4vk_pipeline_stage_init_records(pipeline->device, stage, pipeline->store, described, pipeline->layout,
                                             info->pNext, patch_vertices);
}

/* The modes of the tessellator may be declared in either stage; the size of output patches is one of them. */
static VkResult init_tessellation(struct vc4vk_pipeline *pipeline, const VkGraphicsPipelineCreateInfo *info,
                                  const struct vc4vk_expander_stages *stages)
{
    struct vc4vk_expander *expander = pipeline->expander;
    struct vc4c_tessellation *t = &expander->tessellation;
    VkResult result = init_records(pipeline, &expander->evaluation, info, stages->evaluation, 0);
    if (result != VK_SUCCESS)
        return result;
    *t = expander->evaluation.interface->tessellation;
    result = init_records(pipeline, &expander->control, info, stages->control, t->output_vertices);
    if (result != VK_SUCCESS)
        return result;
    const struct vc4c_tessellation *control = &expander->control.interface->tessellation;
    t->output_vertices = control->output_vertices;
    t->domain = t->domain ? t->domain : control->domain;
    t->spacing = t->spacing ? t->spacing : control->spacing;
    t->order = t->order ? t->order : control->order;
    t->point_mode |= control->point_mode;
    return VK_SUCCESS;
}

static VkResult init_pass_through(struct vc4vk_pipeline *pipeline)
{
    struct vc4vk_expander *expander = pipeline->expander;
    struct vc4vk_spirv *spirv;
    const bool emits = vc4vk_expander_emits(expander) || vc4vk_expander_meshes(expander);
    const bool may_stipple = pipeline->state.choice.stipples || pipeline->state.choice_mask & VC4VK_CHOICE_STIPPLE;
    /* without stages between it and the rasteriser the vertex stage has been followed by the fragment stage */
    vc4vk_pass_through_init(&expander->pass, vc4vk_expander_writer(expander), pipeline->fragment.interface, !emits,
                            may_stipple);
    VkResult result = vc4vk_pass_through_spirv(pipeline->device, &expander->pass, &spirv);
    if (result != VK_SUCCESS)
        return result;
    result = vc4vk_pipeline_stage_init_spirv(pipeline->device, &pipeline->vertex, pipeline->store, spirv, may_stipple);
    vc4vk_spirv_unref(spirv);
    return result;
}

static VkPrimitiveTopology tessellated_topology(const struct vc4c_tessellation *t)
{
    return t->point_mode                       ? VK_PRIMITIVE_TOPOLOGY_POINT_LIST
           : t->domain == VC4C_DOMAIN_ISOLINES ? VK_PRIMITIVE_TOPOLOGY_LINE_LIST
                                               : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
}

static VkPrimitiveTopology mesh_topology(const struct vc4c_mesh *mesh)
{
    return mesh->corners == 1   ? VK_PRIMITIVE_TOPOLOGY_POINT_LIST
           : mesh->corners == 2 ? VK_PRIMITIVE_TOPOLOGY_LINE_LIST
                                : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
}

/* What the rasteriser gets. */
static VkResult adapt_state(struct vc4vk_pipeline *pipeline)
{
    static const VkPrimitiveTopology topologies[] = {VK_PRIMITIVE_TOPOLOGY_POINT_LIST, VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                                     VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,
                                                     VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP};
    const struct vc4vk_expander *expander = pipeline->expander;
    const bool emits = vc4vk_expander_emits(expander);
    pipeline->state.expands = true;
    pipeline->state.emits = emits || vc4vk_expander_tessellates(expander) || vc4vk_expander_meshes(expander);
    if (vc4vk_expander_meshes(expander))
        pipeline->state.emitted_topology = mesh_topology(&expander->mesh.interface->mesh);
    else if (emits)
        pipeline->state.emitted_topology = topologies[expander->geometry.interface->geometry.output_vertices];
    else if (pipeline->state.emits)
        pipeline->state.emitted_topology = tessellated_topology(&expander->tessellation);
    const struct vc4vk_choice choice = pipeline->state.choice;
    return vc4vk_pipeline_state_choose(pipeline->device, &pipeline->state, &choice);
}

static VkResult add_expander(struct vc4vk_pipeline *pipeline)
{
    pipeline->expander = vc4vk_new(pipeline->device->alloc, struct vc4vk_expander, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    pipeline->owns_expander = pipeline->expander != NULL;
    return pipeline->expander ? VK_SUCCESS : vc4vk_oom(pipeline->device);
}

VkResult vc4vk_expander_init(struct vc4vk_pipeline *pipeline, const VkGraphicsPipelineCreateInfo *info,
                             const struct vc4vk_expander_stages *stages)
{
    VkResult result = add_expander(pipeline);
    if (result != VK_SUCCESS)
        return result;
    struct vc4vk_expander *expander = pipeline->expander;
    if (stages->vertex)
        result = init_records(pipeline, &expander->vertex, info, stages->vertex, 0);
    if (result == VK_SUCCESS && stages->task)
        result = init_records(pipeline, &expander->task, info, stages->task, 0);
    if (result == VK_SUCCESS && stages->mesh)
        result = init_records(pipeline, &expander->mesh, info, stages->mesh, 0);
    if (result == VK_SUCCESS && stages->evaluation)
        result = init_tessellation(pipeline, info, stages);
    if (result == VK_SUCCESS && stages->geometry)
        result = init_records(pipeline, &expander->geometry, info, stages->geometry, 0);
    if (result == VK_SUCCESS)
        result = init_pass_through(pipeline);
    return result == VK_SUCCESS ? adapt_state(pipeline) : result;
}

VkResult vc4vk_expander_init_instance(struct vc4vk_pipeline *instance, const struct vc4vk_pipeline *from)
{
    VkResult result = add_expander(instance);
    if (result != VK_SUCCESS)
        return result;
    struct vc4vk_pipeline_stage *vertex = &instance->expander->vertex;
    vertex->front.is_quick = instance->vertex.front.is_quick;
    result = vc4vk_pipeline_stage_init_records_like(instance->device, vertex, instance->store, &from->vertex);
    vc4vk_pipeline_stage_finish(instance->device, &instance->vertex);
    if (result == VK_SUCCESS)
        result = init_pass_through(instance);
    return result == VK_SUCCESS ? adapt_state(instance) : result;
}

bool vc4vk_pipeline_stores_before_rasterizer(const struct vc4vk_pipeline *pipeline)
{
    const struct vc4vk_expander *expander = pipeline->expander;
    if (!expander)
        return pipeline->vertex.interface->has_side_effects;
    const struct vc4vk_pipeline_stage *const stages[] = {&expander->vertex,   &expander->control, &expander->evaluation,
                                                         &expander->geometry, &expander->task,    &expander->mesh};
    bool stores = false;
    for (uint32_t i = 0; i < ARRAY_SIZE(stages); i++)
        stores |= stages[i]->spirv && stages[i]->interface->has_side_effects;
    return stores;
}

bool vc4vk_pipeline_reads_primitive(const struct vc4vk_pipeline *pipeline)
{
    const struct vc4c_interface *fragment = pipeline->fragment.interface;
    for (uint32_t i = 0; i < fragment->input_count; i++)
        if (fragment->inputs[i].location == VC4C_TARGET_LOCATION &&
            fragment->inputs[i].component == VC4C_TARGET_PRIMITIVE)
            return true;
    return false;
}

VkResult vc4vk_expander_finish_init(struct vc4vk_pipeline *pipeline)
{
    struct vc4vk_pipeline_stage *stages[] = {&pipeline->expander->vertex,     &pipeline->expander->control,
                                             &pipeline->expander->evaluation, &pipeline->expander->geometry,
                                             &pipeline->expander->task,       &pipeline->expander->mesh};
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < ARRAY_SIZE(stages) && result == VK_SUCCESS; i++) {
        const struct vc4vk_variant *variant;
        if (!stages[i]->spirv)
            continue;
        result = vc4vk_pipeline_stage_link(pipeline->device, stages[i], pipeline->layout);
        if (result == VK_SUCCESS)
            result = vc4vk_pipeline_compile_first(pipeline, stages[i], NULL, 0, &variant);
        stages[i]->front.must_hit = false; /* variants for draws are always compiled */
    }
    return result;
}

void vc4vk_expander_use_input(struct vc4vk_pipeline *pipeline)
{
    pipeline->state.application.input = pipeline->state.input;
    pipeline->state.input = vc4vk_pass_through_input(&pipeline->expander->pass);
}

void vc4vk_expander_free(struct vc4vk_device *device, struct vc4vk_expander *expander)
{
    vc4vk_pipeline_stage_finish(device, &expander->vertex);
    vc4vk_pipeline_stage_finish(device, &expander->control);
    vc4vk_pipeline_stage_finish(device, &expander->evaluation);
    vc4vk_pipeline_stage_finish(device, &expander->geometry);
    vc4vk_pipeline_stage_finish(device, &expander->task);
    vc4vk_pipeline_stage_finish(device, &expander->mesh);
    vc4vk_free(device->alloc, expander);
}
