/* SPDX-License-Identifier: MIT
 *
 * Creates graphics pipelines: captures the state, reads the interfaces of the stages, compiles the default variant of
 * each stage and packs the packets that never change.
 */
#include <string.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_format.h"
#include "device/vc4vk_render_pass.h"
#include "device/vc4vk_test_hooks.h"
#include "pipeline/vc4vk_pipeline.h"
#include "pipeline/vc4vk_pipeline_cache.h"
#include "pipeline/vc4vk_pipeline_feedback.h"
#include "pipeline/vc4vk_pipeline_flags.h"
#include "pipeline/vc4vk_pipeline_library.h"
#include "pipeline/vc4vk_pipeline_robustness.h"
#include "pipeline/vc4vk_program_store.h"
#include "util/thread.h"

/* ---------------------------------------------------------------- target */

/* The formats of the attachments that the pipeline draws to; VK_FORMAT_UNDEFINED where there is none. */
struct target_formats {
    uint32_t color_count;
    VkFormat colors[VC4VK_MAX_COLOR_ATTACHMENTS], depth, stencil;
    bool dithers; /* of dynamic rendering, the pass that is drawn in says it */
};

static VkFormat format_of(const struct vc4vk_render_pass *pass, const VkAttachmentReference *reference)
{
    return reference->attachment == VK_ATTACHMENT_UNUSED ? VK_FORMAT_UNDEFINED
                                                         : pass->attachments[reference->attachment].format;
}

static VkResult subpass_formats(struct vc4vk_device *device, const struct vc4vk_render_pass *pass, uint32_t index,
                                struct target_formats *out)
{
    if (index >= pass->subpass_count)
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN, "graphics pipeline: subpass %u, the render pass has only %u",
                            index, pass->subpass_count);
    const struct vc4vk_subpass *subpass = &pass->subpasses[index];
    out->color_count = subpass->color_count;
    out->dithers = subpass->dithers;
    for (uint32_t i = 0; i < MIN2(subpass->color_count, VC4VK_MAX_COLOR_ATTACHMENTS); i++)
        out->colors[i] = format_of(pass, &subpass->colors[i]);
    out->depth = out->stencil = format_of(pass, &subpass->depth_stencil);
    return VK_SUCCESS;
}

/* For VK_KHR_dynamic_rendering. Without the struct there are no attachments. */
static void rendering_formats(const VkPipelineRenderingCreateInfo *info, struct target_formats *out)
{
    out->color_count = info ? info->colorAttachmentCount : 0;
    for (uint32_t i = 0; i < MIN2(out->color_count, VC4VK_MAX_COLOR_ATTACHMENTS); i++)
        out->colors[i] = info->pColorAttachmentFormats[i];
    out->depth = info ? info->depthAttachmentFormat : VK_FORMAT_UNDEFINED;
    out->stencil = info ? info->stencilAttachmentFormat : VK_FORMAT_UNDEFINED;
}

static VkResult fill_target(struct vc4vk_device *device, const struct target_formats *formats,
                            struct vc4vk_target *target)
{
    *target = (struct vc4vk_target){.depth = vc4vk_target_depth(formats->depth, formats->stencil),
                                    .dithers = formats->dithers};
    if (formats->color_count > VC4VK_MAX_COLOR_ATTACHMENTS)
        return vc4vk_errorf(device, VK_ERROR_FEATURE_NOT_PRESENT,
                            "graphics pipeline: %u colour attachments, at most %u are supported", formats->color_count,
                            VC4VK_MAX_COLOR_ATTACHMENTS);
    for (uint32_t i = 0; i < formats->color_count; i++) {
        target->colors[i] = vc4vk_target_color(formats->colors[i]);
        if (target->colors[i] == HW_FORMAT_NONE && formats->colors[i] != VK_FORMAT_UNDEFINED)
            return vc4vk_errorf(device, VK_ERROR_FORMAT_NOT_SUPPORTED,
                                "graphics pipeline: format %d of colour attachment %u cannot be rendered to",
                                formats->colors[i], i);
    }
    return VK_SUCCESS;
}

/* The output location of each attachment is its own number unless the create info exchanges them. */
static void find_locations(const void *chain, uint8_t locations_out[VC4VK_MAX_COLOR_ATTACHMENTS])
{
    for (uint32_t i = 0; i < VC4VK_MAX_COLOR_ATTACHMENTS; i++)
        locations_out[i] = (uint8_t)i;
#ifdef VK_KHR_dynamic_rendering_local_read
    const VkRenderingAttachmentLocationInfoKHR *info =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR);
    const uint32_t count =
        info && info->pColorAttachmentLocations ? MIN2(info->colorAttachmentCount, VC4VK_MAX_COLOR_ATTACHMENTS) : 0;
    for (uint32_t i = 0; i < count; i++)
        locations_out[i] = (uint8_t)MIN2(info->pColorAttachmentLocations[i], VC4VK_NO_LOCATION);
#endif
}

/* The input attachments that programs are likely to read from the tile buffer in a dynamic pass: the only colour
 * attachment, if a word holds its texel. */
static uint32_t rendering_tile_inputs(const void *chain, const struct vc4vk_target *formats)
{
    uint32_t only = VC4VK_MAX_COLOR_ATTACHMENTS, count = 0;
    for (uint32_t i = 0; i < VC4VK_MAX_COLOR_ATTACHMENTS; i++)
        if (formats->colors[i] != HW_FORMAT_NONE) {
            only = i;
            count++;
        }
    if (count != 1 || hw_format_info((enum hw_format)formats->colors[only])->block_B > 4)
        return 0;
    uint32_t index = only;
#ifdef VK_KHR_dynamic_rendering_local_read
    const VkRenderingInputAttachmentIndexInfoKHR *indices =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR);
    if (indices && indices->pColorAttachmentInputIndices && only < indices->colorAttachmentCount)
        index = indices->pColorAttachmentInputIndices[only];
#endif
    return index < VC4VK_MAX_TILE_INPUTS ? BIT(index) : 0;
}

static VkResult find_target(struct vc4vk_device *device, const VkGraphicsPipelineCreateInfo *info,
                            struct vc4vk_library_target *out)
{
    struct target_formats formats = {0};
    const struct vc4vk_render_pass *pass =
        vc4vk_render_pass_from_handle(info->renderPass); /* NULL: dynamic rendering */
    VkResult result = VK_SUCCESS;
    if (pass)
        result = subpass_formats(device, pass, info->subpass, &formats);
    else
        rendering_formats(vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO), &formats);
    if (result == VK_SUCCESS)
        result = fill_target(device, &formats, &out->formats);
    out->tile_inputs = 0;
    if (result == VK_SUCCESS)
        out->tile_inputs = pass ? vc4vk_render_pass_tile_inputs(pass, info->subpass)
                                : rendering_tile_inputs(info->pNext, &out->formats);
    find_locations(pass ? NULL : info->pNext, out->color_locations);
    return result;
}

/* ---------------------------------------------------------------- keys */

/* Mask of the vertex locations that step per instance. `read_out`: number of all locations that the shader reads. */
static uint32_t instance_locations(const struct vc4vk_pipeline *pipeline, uint32_t *read_out)
{
    const struct vc4vk_pipeline_state *state = &pipeline->state;
    uint32_t mask = 0;
    *read_out = 0;
    for (uint32_t i = 0; i < VC4C_MAX_APPLICATION_ATTRIBUTES; i++) {
        if (!(pipeline->vertex.interface->attribute_mask & BIT(i)) ||
            state->input.attributes[i].format == HW_FORMAT_NONE)
            continue;
        ++*read_out;
        mask |= state->input.bindings[state->input.attributes[i].binding].per_instance ? BIT(i) : 0;
    }
    return mask;
}

/* Whether the vertex program needs the attributes of all vertices of the triangle. Triangles drawn as lines or points
 * need them for culling, depth bias and flat inputs; so does a depth bias when programs write depth, and so do cull
 * distances of lines and triangles, and lines that are drawn as rectangles. */
static bool needs_triangle(const struct vc4vk_pipeline *pipeline)
{
    const struct vc4vk_pipeline_state *state = &pipeline->state;
    if (vc4vk_draws_rectangles(state) ||
        (pipeline->vertex.interface->cull_distances && state->topology != VK_PRIMITIVE_TOPOLOGY_POINT_LIST) ||
        (vc4vk_shader_writes_depth(state) && state->depth_bias))
        return true;
    const struct vc4c_interface *fragment = pipeline->fragment.interface;
    bool sees = state->cull_front || state->cull_back || state->depth_bias;
    for (uint32_t i = 0; i < fragment->input_count; i++)
        sees |= fragment->inputs[i].flat;
    return sees && state->polygon != VC4VK_POLYGON_FILL;
}

static void fill_vertex_key(struct vc4vk_pipeline *pipeline)
{
    struct vc4c_vertex_key *key = &pipeline->vertex.key.vs;
    const struct vc4c_interface *fragment = pipeline->fragment.interface;
    for (uint32_t i = 0; i < VC4C_MAX_ATTRIBUTES; i++)
        key->formats[i] = pipeline->state.input.attributes[i].format;
    for (uint32_t i = 0; i < fragment->input_count; i++)
        key->outputs[i] = fragment->inputs[i];
    key->output_count = (uint8_t)fragment->input_count;
    key->emit_point_size = pipeline->state.fragment.primitive == VC4C_PRIMITIVE_POINTS;
    key->needs_triangle = needs_triangle(pipeline);
    key->is_smooth = pipeline->state.lines == VC4VK_LINES_SMOOTH;
    if (vc4vk_draws_rectangles(&pipeline->state))
        key->rectangles =
            pipeline->state.polygon == VC4VK_POLYGON_LINE ? VC4C_RECTANGLES_OF_EDGES : VC4C_RECTANGLES_OF_LINES;
    /* the chip finds the facing unless the program sees the triangle, which a depth bias may need later */
    key->front_is_clockwise = (key->needs_triangle || pipeline->state.depth_bias) && pipeline->state.front_is_clockwise;
    if (pipeline->state.last_provokes)
        key->provoking_vertex = vc4vk_topology_class(pipeline->state.topology) == VC4C_PRIMITIVE_TRIANGLES ? 2 : 1;
    key->cull_distances = pipeline->vertex.interface->cull_distances;
    key->ignores_depth_planes = !pipeline->state.clips_depth;
    key->symmetric_depth = pipeline->state.symmetric_depth;
    const bool fills = pipeline->state.polygon == VC4VK_POLYGON_FILL; /* then the chip culls and usually biases depth */
    key->cull_front = pipeline->state.cull_front && !fills;
    key->cull_back = pipeline->state.cull_back && !fills;
    key->biases_depth =
        pipeline->state.depth_bias && key->needs_triangle && (!fills || vc4vk_shader_writes_depth(&pipeline->state));
    key->bias_steps_by_depth = pipeline->state.depth_bias && pipeline->state.depth_is_float;
    /* When the chip's arrays may not suffice, vertices are packed, with the per-instance attributes behind the others.
     */
    uint32_t read;
    pipeline->vertex.per_instance_mask = instance_locations(pipeline, &read);
    if (read >= VC4VK_ATTRIBUTE_ARRAYS_MAX || key->needs_triangle)
        key->trailing_mask = pipeline->vertex.per_instance_mask;
}

static const VkPipelineShaderStageCreateInfo *find_stage(const VkGraphicsPipelineCreateInfo *info,
                                                         VkShaderStageFlagBits stage)
{
    for (uint32_t i = 0; i < info->stageCount; i++)
        if (info->pStages[i].stage == stage)
            return &info->pStages[i];
    return NULL;
}

static uint8_t stipple_of(const struct vc4vk_pipeline_state *state)
{
    return !state->stipples                         ? VC4C_STIPPLE_NONE
           : state->lines == VC4VK_LINES_RECTANGLES ? VC4C_STIPPLE_SAMPLES
                                                    : VC4C_STIPPLE_PIXELS;
}

struct vc4vk_fragment_options vc4vk_pipeline_fragment_options(const struct vc4vk_pipeline *pipeline)
{
    return (struct vc4vk_fragment_options){pipeline->vertex.interface->clip_distances,
                                           pipeline->state.polygon != VC4VK_POLYGON_FILL,
                                           pipeline->state.two_stencils,
                                           vc4vk_shader_writes_depth(&pipeline->state),
                                           pipeline->state.clamps_depth,
                                           pipeline->vertex.interface->targets,
                                           pipeline->state.lines == VC4VK_LINES_SMOOTH,
                                           stipple_of(&pipeline->state)};
}

/* Whether the pipeline, or an instance of it, may draw stippled lines. Where the stipple itself is dynamic, such
 * instances get an expander of their own. */
static bool may_stipple(const struct vc4vk_pipeline_state *state)
{
    return state->stipples ||
           (state->choice.stipples && state->choice_mask & (VC4VK_CHOICE_TOPOLOGY | VC4VK_CHOICE_POLYGON_MODE));
}

static VkResult check_stages(struct vc4vk_device *device, const VkGraphicsPipelineCreateInfo *info,
                             const struct vc4vk_expander_stages *stages,
                             const VkPipelineShaderStageCreateInfo *fragment)
{
    for (uint32_t i = 0; i < info->stageCount; i++) {
        const VkPipelineShaderStageCreateInfo *stage = &info->pStages[i];
        if (stage != stages->vertex && stage != stages->control && stage != stages->evaluation &&
            stage != stages->geometry && stage != stages->task && stage != stages->mesh && stage != fragment)
            return vc4vk_errorf(device, VK_ERROR_FEATURE_NOT_PRESENT, "shader stage 0x%x is not supported",
                                stage->stage);
    }
    if (stages->mesh ? stages->vertex || stages->control || stages->evaluation || stages->geometry
                     : stages->task != NULL)
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN,
                            "a graphics pipeline has a mesh stage and a vertex stage, or a task stage alone");
    if (!stages->vertex && !stages->mesh)
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN, "a graphics pipeline needs a vertex or a mesh stage");
    if (!stages->control != !stages->evaluation)
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN, "a graphics pipeline has only one of two tessellation stages");
    return VK_SUCCESS;
}

static VkResult init_stages(struct vc4vk_pipeline *pipeline, const VkGraphicsPipelineCreateInfo *info)
{
    struct vc4vk_device *device = pipeline->device;
    const struct vc4vk_expander_stages stages = {find_stage(info, VK_SHADER_STAGE_VERTEX_BIT),
                                                 find_stage(info, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT),
                                                 find_stage(info, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT),
                                                 find_stage(info, VK_SHADER_STAGE_GEOMETRY_BIT),
                                                 find_stage(info, VK_SHADER_STAGE_TASK_BIT_EXT),
                                                 find_stage(info, VK_SHADER_STAGE_MESH_BIT_EXT)};
    const VkPipelineShaderStageCreateInfo *vertex = stages.vertex;
    const VkPipelineShaderStageCreateInfo *fragment = find_stage(info, VK_SHADER_STAGE_FRAGMENT_BIT);
    VkResult result = check_stages(device, info, &stages, fragment);
    if (result == VK_SUCCESS)
        result = stages.geometry || stages.evaluation || stages.mesh
                     ? vc4vk_expander_init(pipeline, info, &stages)
                     : vc4vk_pipeline_stage_init(device, &pipeline->vertex, pipeline->store, vertex, pipeline->layout,
                                                 info->pNext, NULL);
    if (result != VK_SUCCESS)
        return result;
    const struct vc4vk_fragment_options options = vc4vk_pipeline_fragment_options(pipeline);
    result = fragment && !pipeline->state.rasterizer_discard
                 ? vc4vk_pipeline_stage_init(device, &pipeline->fragment, pipeline->fragment_store, fragment,
                                             pipeline->layout, info->pNext, &options)
                 : vc4vk_pipeline_stage_init_empty(device, &pipeline->fragment, pipeline->fragment_store, &options);
    if (result != VK_SUCCESS || pipeline->expander ||
        !(vc4vk_pipeline_reads_primitive(pipeline) || pipeline->vertex.interface->capture.count ||
          may_stipple(&pipeline->state)))
        return result;
    /* The pass-through stage writes the same built-ins, so the fragment stage remains as it is. */
    vc4vk_pipeline_stage_finish(device, &pipeline->vertex);
    return vc4vk_expander_init(pipeline, info, &(struct vc4vk_expander_stages){.vertex = vertex});
}

VkResult vc4vk_pipeline_compile_first(struct vc4vk_pipeline *pipeline, struct vc4vk_pipeline_stage *stage,
                                      const struct vc4vk_pipeline_stage *like, uint32_t tile_inputs,
                                      const struct vc4vk_variant **out)
{
    struct vc4vk_state_pool *pool;
    VkResult result = vc4vk_device_state_pool(pipeline->device, &pool);
    if (result != VK_SUCCESS)
        return result;
    struct vc4vk_classes classes;
    if (!like || !vc4vk_pipeline_stage_newest_classes(like, stage->interface->texture_count, &classes))
        vc4vk_pipeline_stage_default_classes(stage, pool, pipeline->layout, tile_inputs, &classes);
    return vc4vk_pipeline_stage_variant(pipeline->device, stage, pipeline->layout, &classes, 0, out);
}

/* ---------------------------------------------------------------- creation */

void vc4vk_pipeline_use_stores(struct vc4vk_pipeline *pipeline, struct vc4vk_program_store *store,
                               struct vc4vk_program_store *fragment_store)
{
    vc4vk_program_store_ref(store);
    vc4vk_program_store_ref(fragment_store);
    vc4vk_program_store_unref(pipeline->store);
    vc4vk_program_store_unref(pipeline->fragment_store);
    pipeline->store = store;
    pipeline->fragment_store = fragment_store;
}

struct vc4vk_pipeline *vc4vk_pipeline_new(struct vc4vk_device *device, VkPipelineLayout layout,
                                          struct vc4vk_program_store *store, const VkAllocationCallbacks *alloc)
{
    struct vc4vk_pipeline *pipeline =
        vc4vk_new(vc4vk_alloc_choose(device->alloc, alloc), struct vc4vk_pipeline, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!pipeline)
        return NULL;
    vc4vk_object_init(&pipeline->base, VK_OBJECT_TYPE_PIPELINE);
    pipeline->device = device;
    pipeline->number = atomic_fetch_add_explicit(&device->pipeline_count, 1, memory_order_relaxed);
    vc4vk_pipeline_use_stores(pipeline, store, store);
    if (layout)
        pipeline->layout = vc4vk_pipeline_layout_ref(vc4vk_pipeline_layout_from_handle(layout));
    return pipeline;
}

void vc4vk_pipeline_free(struct vc4vk_pipeline *pipeline, const VkAllocationCallbacks *alloc)
{
    struct vc4vk_pipeline *instance = atomic_load(&pipeline->instances);
    while (instance) {
        struct vc4vk_pipeline *next = instance->next_instance;
        vc4vk_pipeline_free(instance, NULL);
        instance = next;
    }
    vc4vk_pipeline_stage_finish(pipeline->device, &pipeline->vertex);
    vc4vk_pipeline_stage_finish(pipeline->device, &pipeline->fragment);
    vc4vk_pipeline_stage_finish(pipeline->device, &pipeline->compute);
    if (pipeline->owns_expander)
        vc4vk_expander_free(pipeline->device, pipeline->expander);
    vc4vk_library_unref(pipeline->library);
    vc4vk_pipeline_layout_unref(pipeline->device, pipeline->layout);
    vc4vk_pipeline_use_stores(pipeline, NULL, NULL);
    vc4vk_free(vc4vk_alloc_choose(pipeline->device->alloc, alloc), pipeline);
}

void vc4vk_pipeline_set_must_hit(struct vc4vk_pipeline *pipeline, bool must_hit)
{
    pipeline->vertex.front.must_hit = pipeline->fragment.front.must_hit = must_hit;
    pipeline->compute.front.must_hit = must_hit;
}

void vc4vk_pipeline_set_quick(struct vc4vk_pipeline *pipeline)
{
    pipeline->vertex.front.is_quick = pipeline->fragment.front.is_quick = true;
}

/* An error is reported rather than a pipeline that was not to be compiled, and of several errors the first one. */
bool vc4vk_pipeline_goes_on(VkResult result, VkPipelineCreateFlags flags, VkResult *all)
{
    if (*all == VK_SUCCESS || (*all == VK_PIPELINE_COMPILE_REQUIRED && result < 0))
        *all = result;
    return result == VK_SUCCESS || !(flags & VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT);
}

/* Fragment side effects must happen exactly once, so such draws are not replayed: one program stores the colours of all
 * replays itself. So does one that needs two words of the target at once to blend. */
static bool stores_colors(const struct vc4vk_pipeline *pipeline)
{
    const bool has_side_effects =
        vc4vk_pipeline_stores_before_rasterizer(pipeline) || pipeline->fragment.interface->has_side_effects;
    return (has_side_effects || pipeline->state.blends_apart) && pipeline->state.replay_count > 1;
}

VkResult vc4vk_pipeline_finish_init(struct vc4vk_pipeline *pipeline, const struct vc4vk_pipeline *like)
{
    struct vc4vk_device *device = pipeline->device;
    VkResult result = vc4vk_pipeline_stage_link(device, &pipeline->vertex, pipeline->layout);
    if (result == VK_SUCCESS)
        result = vc4vk_pipeline_stage_link(device, &pipeline->fragment, pipeline->layout);
    if (result != VK_SUCCESS)
        return result;
    if (pipeline->fragment.interface->sample_shading || pipeline->state.sample_shading)
        vc4vk_pipeline_state_shade_samples(&pipeline->state);

    if (pipeline->expander)
        vc4vk_expander_use_input(pipeline);
    fill_vertex_key(pipeline);
    pipeline->state.selects_viewports = pipeline->vertex.interface->targets & VC4C_TARGET_VIEWPORT;
    pipeline->vertex.state = &pipeline->state;
    pipeline->fragment.replays = pipeline->state.replays;
    pipeline->fragment.replay_count = pipeline->state.replay_count;
    pipeline->fragment.stores_colors = stores_colors(pipeline);
    pipeline->samples_in_vertex_stage = pipeline->vertex.interface->texture_count > 0;
    const struct vc4vk_variant *vertex, *fragment;
    result = vc4vk_pipeline_compile_first(pipeline, &pipeline->vertex, like ? &like->vertex : NULL, 0, &vertex);
    if (result == VK_SUCCESS)
        result = vc4vk_pipeline_compile_first(pipeline, &pipeline->fragment, like ? &like->fragment : NULL,
                                              pipeline->tile_inputs, &fragment);
    if (result == VK_SUCCESS && pipeline->owns_expander)
        result = vc4vk_expander_finish_init(pipeline);
    if (result != VK_SUCCESS)
        return result;

    /* No early depth test for shaders with side effects: either these also happen for fragments that fail the tests, or
     * the program does early tests itself. */
    const struct vc4c_interface *fs = pipeline->fragment.interface;
    pipeline->early_z = vc4vk_pipeline_state_early_z(
        &pipeline->state, fs->writes_depth || fs->has_side_effects || vc4vk_shader_writes_depth(&pipeline->state));
    pipeline->packets_B = vc4vk_pipeline_state_pack(
        &pipeline->state, pipeline->early_z, fragment->programs[0].program->compiled.flat_mask, pipeline->packets);
    return VK_SUCCESS;
}

static VkResult pipeline_init(struct vc4vk_pipeline *pipeline, const VkGraphicsPipelineCreateInfo *info,
                              const struct vc4vk_library_target *target)
{
    struct vc4vk_device *device = pipeline->device;
    VkResult result =
        vc4vk_pipeline_state_init(device, &pipeline->state, info, &target->formats, target->color_locations);
    pipeline->state.exact_attributes = vc4vk_wants_exact_attributes(device, info->pNext);
    pipeline->tile_inputs = pipeline->state.fragment.samples > 1 ? 0 : target->tile_inputs;
    if (pipeline->state.choice_mask && !pipeline->store) { /* instances share programs; NULL: they are compiled again */
        struct vc4vk_program_store *store = vc4vk_program_store_create(device);
        vc4vk_pipeline_use_stores(pipeline, store, store);
        vc4vk_program_store_unref(store);
    }
    if (result == VK_SUCCESS)
        result = init_stages(pipeline, info);
    return result == VK_SUCCESS ? vc4vk_pipeline_finish_init(pipeline, NULL) : result;
}

/* A pipeline that discards has no fragment stage, of which instances could be made, so it does not. */
VkResult vc4vk_pipeline_init_dynamic(struct vc4vk_pipeline *pipeline, const VkGraphicsPipelineCreateInfo *info,
                                     const struct vc4vk_choice *choice, const struct vc4vk_vertex_input *input)
{
    struct vc4vk_choice first = *choice;
    struct target_formats no_formats = {0};
    struct vc4vk_library_target none;
    fill_target(pipeline->device, &no_formats, &none.formats);
    find_locations(NULL, none.color_locations);
    VkResult result =
        vc4vk_pipeline_state_init(pipeline->device, &pipeline->state, info, &none.formats, none.color_locations);
    first.discard = false;
    first.stipples = false; /* else all instances would draw with an expander */
    pipeline->state.input = *input;
    pipeline->state.exact_attributes = vc4vk_wants_exact_attributes(pipeline->device, NULL);
    if (result == VK_SUCCESS)
        result = vc4vk_pipeline_state_choose(pipeline->device, &pipeline->state, &first);
    if (result == VK_SUCCESS)
        result = init_stages(pipeline, info);
    return result == VK_SUCCESS ? vc4vk_pipeline_finish_init(pipeline, NULL) : result;
}

/* As in struct vc4vk_pipeline. */
struct stores {
    struct vc4vk_program_store *store, *fragment_store;
};

/* `described`: what the pipeline is made from; `info`: what the application passed, which may name libraries instead.
 */
static VkResult pipeline_create(struct vc4vk_device *device, const VkGraphicsPipelineCreateInfo *described,
                                const struct vc4vk_library_target *target, const VkGraphicsPipelineCreateInfo *info,
                                struct stores stores, const VkAllocationCallbacks *alloc, VkPipeline *out)
{
    struct vc4vk_pipeline *pipeline = vc4vk_pipeline_new(device, described->layout, NULL, alloc);
    if (!pipeline)
        return vc4vk_oom(device);
    vc4vk_pipeline_use_stores(pipeline, stores.store, stores.fragment_store);
    const uint64_t start_ns = util_now_ns();
    const VkPipelineCreateFlags flags = vc4vk_pipeline_flags(info->flags, info->pNext);
    vc4vk_pipeline_set_must_hit(pipeline, flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT);
    if (described != info && !(flags & VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT))
        vc4vk_pipeline_set_quick(pipeline);
    VkResult result = pipeline_init(pipeline, described, target);
    vc4vk_pipeline_set_must_hit(pipeline, false);
    vc4vk_pipeline_feedback(info->pNext, result == VK_SUCCESS ? pipeline : NULL, start_ns, described->pStages,
                            described->stageCount);
    if (result != VK_SUCCESS) {
        vc4vk_pipeline_free(pipeline, alloc);
        return result;
    }
    *out = vc4vk_pipeline_to_handle(pipeline);
    return VK_SUCCESS;
}

/* A library, which takes over the caller's reference also after a failure. */
static VkResult library_pipeline_create(struct vc4vk_device *device, struct vc4vk_library *library,
                                        const VkGraphicsPipelineCreateInfo *info, const VkAllocationCallbacks *alloc,
                                        VkPipeline *out)
{
    const uint64_t start_ns = util_now_ns();
    struct vc4vk_pipeline *pipeline = vc4vk_pipeline_new(device, VK_NULL_HANDLE, NULL, alloc);
    if (!pipeline) {
        vc4vk_library_unref(library);
        return vc4vk_oom(device);
    }
    pipeline->library = library;
    vc4vk_pipeline_feedback(info->pNext, pipeline, start_ns, NULL, 0);
    *out = vc4vk_pipeline_to_handle(pipeline);
    return VK_SUCCESS;
}

/* A library, or a pipeline that is linked from libraries. */
static VkResult create_from_libraries(struct vc4vk_device *device, const VkGraphicsPipelineCreateInfo *info,
                                      struct vc4vk_program_store *store, const VkAllocationCallbacks *alloc,
                                      VkPipeline *out)
{
    const uint32_t own = vc4vk_library_own_parts(info);
    /* without a render pass, only the output interface has formats */
    const uint32_t with_formats = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT |
                                  (info->renderPass ? VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT : 0u);
    struct vc4vk_library_target target = {.tile_inputs = 0};
    struct vc4vk_library *library;
    struct vc4vk_linked linked;
    VkResult result = own & with_formats ? find_target(device, info, &target) : VK_SUCCESS;
    if (result == VK_SUCCESS)
        result = vc4vk_library_create(device, info, &target, store, &library);
    if (result != VK_SUCCESS)
        return result;
    if (vc4vk_pipeline_flags(info->flags, info->pNext) & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR)
        return library_pipeline_create(device, library, info, alloc, out);
    result = vc4vk_library_link(library, info, &linked);
    if (result == VK_SUCCESS)
        result = pipeline_create(
            device, &linked.info, &linked.target, info,
            store ? (struct stores){store, store} : (struct stores){linked.store, linked.fragment_store}, alloc, out);
    vc4vk_linked_finish(library, &linked);
    vc4vk_library_unref(library);
    return result;
}

static VkResult create(struct vc4vk_device *device, const VkGraphicsPipelineCreateInfo *info,
                       struct vc4vk_program_store *store, const VkAllocationCallbacks *alloc, VkPipeline *out)
{
    struct vc4vk_library_target target;
    if (vc4vk_has_libraries(info))
        return create_from_libraries(device, info, store, alloc, out);
    VkResult result = find_target(device, info, &target);
    return result == VK_SUCCESS
               ? pipeline_create(device, info, &target, info, (struct stores){store, store}, alloc, out)
               : result;
}

/* ---------------------------------------------------------------- entry points */

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateGraphicsPipelines(VkDevice device_h, VkPipelineCache cache_h, uint32_t count,
                                                             const VkGraphicsPipelineCreateInfo *infos,
                                                             const VkAllocationCallbacks *alloc, VkPipeline *out)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, device_h);
    VkResult all = VK_SUCCESS;
    bool goes_on = true;
    for (uint32_t i = 0; i < count; i++) { /* a failure does not affect the other pipelines */
        out[i] = VK_NULL_HANDLE;
        if (!goes_on)
            continue;
        VkResult result = create(device, &infos[i], vc4vk_pipeline_cache_store(cache_h), alloc, &out[i]);
        goes_on = vc4vk_pipeline_goes_on(result, vc4vk_pipeline_flags(infos[i].flags, infos[i].pNext), &all);
    }
    return all;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyPipeline(VkDevice device_h, VkPipeline pipeline_h,
                                                 const VkAllocationCallbacks *alloc)
{
    VC4VK_FROM_HANDLE(vc4vk_pipeline, pipeline, pipeline_h);
    if (!pipeline)
        return;
    vc4vk_private_data_forget(pipeline->device, &pipeline->base.private_number);
    vc4vk_pipeline_free(pipeline, alloc);
}

/* ---------------------------------------------------------------- test hooks */

static struct vc4vk_program *test_program(VkPipeline pipeline_h, uint32_t kind)
{
    VC4VK_FROM_HANDLE(vc4vk_pipeline, pipeline, pipeline_h);
    struct vc4vk_pipeline_stage *stage = kind == VC4C_PROGRAM_COMPUTE    ? &pipeline->compute
                                         : kind == VC4C_PROGRAM_FRAGMENT ? &pipeline->fragment
                                                                         : &pipeline->vertex;
    struct vc4vk_variant *v = atomic_load(&stage->variants);
    while (v->next)
        v = v->next;
    return v->programs[kind == VC4C_PROGRAM_VERTEX].program;
}

VkResult vc4vk_test_patch_program(VkPipeline pipeline, uint32_t kind, uint32_t instruction, uint64_t *word)
{
    struct vc4vk_program *program = test_program(pipeline, kind);
    uint64_t old = instruction < program->compiled.instruction_count ? program->compiled.code[instruction] : 0;
    VkResult result = vc4vk_program_patch(program, instruction, *word);
    *word = old;
    return result;
}
VC4VK_TEST_HOOK(vc4vk_test_patch_program)

uint32_t vc4vk_test_program_words(VkPipeline pipeline, uint32_t kind, uint64_t *words, uint32_t capacity)
{
    const struct vc4c_program *p = &test_program(pipeline, kind)->compiled;
    if (words)
        memcpy(words, p->code, MIN2(capacity, p->instruction_count) * sizeof *words);
    return p->instruction_count;
}
VC4VK_TEST_HOOK(vc4vk_test_program_words)
