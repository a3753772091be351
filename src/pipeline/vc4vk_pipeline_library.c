/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_graphics_pipeline_library: keeps copies of the parts of a create info, and combines them into one again when a
 * pipeline is linked. Programs depend on several parts (a vertex program on the inputs of the fragment shader, a
 * fragment program on the formats of the attachments), so they are compiled when the pipeline is linked. Pipelines
 * linked from the same library share programs of its stage through its store, whatever the other libraries are.
 *
 * Only what a part needs is read: the specification lets all else be garbage.
 */
#include <string.h>
#include "pipeline/vc4vk_pipeline_flags.h"
#include "pipeline/vc4vk_pipeline_library.h"
#include "pipeline/vc4vk_program_store.h"
#include "pipeline/vc4vk_shader_module.h"
#include "util/arena.h"

enum part { INPUT, VERTEX, FRAGMENT, OUTPUT };

#define PART(part) BIT(part) /* ORDER enum part: VkGraphicsPipelineLibraryFlagBitsEXT */
_Static_assert(VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT == PART(INPUT), "");
_Static_assert(VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT == PART(VERTEX), "");
_Static_assert(VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT == PART(FRAGMENT), "");
_Static_assert(VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT == PART(OUTPUT), "");
#define ALL_PARTS (BIT(VC4VK_LIBRARY_PARTS) - 1)

/* A shader stage that no longer depends on what the application created it from. */
struct library_stage {
    VkPipelineShaderStageCreateInfo info; /* names `module` */
    struct vc4vk_shader_module module;    /* its SPIR-V is referenced; NULL: there is no such stage */
    VkPipelineRobustnessCreateInfoEXT robustness;
};

struct vc4vk_library {
    _Atomic uint32_t refs;
    struct vc4vk_device *device;
    struct vc4vk_util_alloc alloc;
    struct util_arena arena;                           /* of all copies below */
    struct vc4vk_library *owners[VC4VK_LIBRARY_PARTS]; /* of each part: this library, or another one, referenced */
    struct vc4vk_program_store *store;                 /* referenced; if it has a stage */
    struct vc4vk_pipeline_layout *layout;              /* referenced; NULL if none was given */
    /* Its own parts; NULL where the part is not its own or the application gave nothing. */
    const VkPipelineVertexInputStateCreateInfo *input;
    const VkPipelineInputAssemblyStateCreateInfo *assembly;
    const VkPipelineViewportStateCreateInfo *viewport;
    const VkPipelineRasterizationStateCreateInfo *rasterization;
    const VkPipelineMultisampleStateCreateInfo *multisample;
    const VkPipelineDepthStencilStateCreateInfo *depth_stencil;
    const VkPipelineColorBlendStateCreateInfo *colors;
    const VkPipelineTessellationStateCreateInfo *tessellation;
    struct library_stage vertex, control, evaluation, geometry, task, mesh, fragment;
    VkPipelineRobustnessCreateInfoEXT robustness; /* of the pipeline; of vertex inputs */
    struct vc4vk_library_target target;
    const VkDynamicState *dynamic;
    uint32_t dynamic_count;
};

/* ---------------------------------------------------------------- create infos */

static const VkPipelineLibraryCreateInfoKHR *find_libraries(const VkGraphicsPipelineCreateInfo *info)
{
    return vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
}

bool vc4vk_has_libraries(const VkGraphicsPipelineCreateInfo *info)
{
    const VkPipelineLibraryCreateInfoKHR *libraries = find_libraries(info);
    return (vc4vk_pipeline_flags(info->flags, info->pNext) & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) ||
           (libraries && libraries->libraryCount);
}

VkGraphicsPipelineLibraryFlagsEXT vc4vk_library_own_parts(const VkGraphicsPipelineCreateInfo *info)
{
    const VkGraphicsPipelineLibraryCreateInfoEXT *parts =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
    const VkPipelineLibraryCreateInfoKHR *libraries = find_libraries(info);
    return parts ? parts->flags & ALL_PARTS : libraries && libraries->libraryCount ? 0 : ALL_PARTS;
}

/* The parts that a dynamic state belongs to. Multisample state belongs to the fragment shader too. */
static uint32_t parts_of(VkDynamicState state)
{
    switch (state) {
    case VK_DYNAMIC_STATE_VERTEX_INPUT_EXT:
    case VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE:
    case VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY:
    case VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE:
        return PART(INPUT);
    case VK_DYNAMIC_STATE_DEPTH_BOUNDS:
    case VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK:
    case VK_DYNAMIC_STATE_STENCIL_WRITE_MASK:
    case VK_DYNAMIC_STATE_STENCIL_REFERENCE:
    case VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE:
    case VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE:
    case VK_DYNAMIC_STATE_DEPTH_COMPARE_OP:
    case VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE:
    case VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE:
    case VK_DYNAMIC_STATE_STENCIL_OP:
        return PART(FRAGMENT);
    case VK_DYNAMIC_STATE_BLEND_CONSTANTS:
    case VK_DYNAMIC_STATE_LOGIC_OP_EXT:
    case VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT:
    case VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT:
    case VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT:
    case VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT:
    case VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT:
        return PART(OUTPUT);
    case VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT:
    case VK_DYNAMIC_STATE_SAMPLE_MASK_EXT:
    case VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT:
    case VK_DYNAMIC_STATE_ALPHA_TO_ONE_ENABLE_EXT:
        return PART(OUTPUT) | PART(FRAGMENT);
    default:
        return PART(VERTEX);
    }
}

static bool is_dynamic(const VkGraphicsPipelineCreateInfo *info, VkDynamicState state)
{
    bool is = false;
    for (uint32_t i = 0; info->pDynamicState && i < info->pDynamicState->dynamicStateCount; i++)
        is |= info->pDynamicState->pDynamicStates[i] == state;
    return is;
}

/* ---------------------------------------------------------------- copies */

/* All return NULL for NULL; when out of memory, they set *oom too. */

static void *copy(struct vc4vk_library *library, const void *from, size_t size_B, bool *oom)
{
    void *to = from && size_B ? util_arena_alloc_raw(&library->arena, size_B) : NULL;
    if (to)
        memcpy(to, from, size_B);
    else if (from && size_B)
        *oom = true;
    return to;
}

#define COPY(from, count) copy(library, (from), (size_t)(count) * sizeof *(from), oom)

/* Copies a struct that has no pointers but pNext, and puts it at the head of the chain. */
static void chain(struct vc4vk_library *library, const void **head, const void *from, size_t size_B, bool *oom)
{
    VkBaseInStructure *to = copy(library, from, size_B, oom);
    if (to) {
        to->pNext = *head;
        *head = to;
    }
}

static void copy_input(struct vc4vk_library *library, const VkPipelineVertexInputStateCreateInfo *from, bool *oom)
{
    VkPipelineVertexInputStateCreateInfo *to = COPY(from, 1);
    if (!to)
        return;
    to->pNext = NULL;
    to->pVertexBindingDescriptions = COPY(from->pVertexBindingDescriptions, from->vertexBindingDescriptionCount);
    to->pVertexAttributeDescriptions = COPY(from->pVertexAttributeDescriptions, from->vertexAttributeDescriptionCount);
    const VkPipelineVertexInputDivisorStateCreateInfoEXT *divisors =
        vc4vk_find_in_chain(from->pNext, VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT);
    VkPipelineVertexInputDivisorStateCreateInfoEXT *own = COPY(divisors, 1);
    if (own) {
        own->pNext = NULL;
        own->pVertexBindingDivisors = COPY(divisors->pVertexBindingDivisors, divisors->vertexBindingDivisorCount);
        to->pNext = own;
    }
    library->input = to;
}

/* What is dynamic may be garbage, which reading does not harm: only the pointers are followed when they are needed. */
static void copy_viewport(struct vc4vk_library *library, const VkGraphicsPipelineCreateInfo *info, bool *oom)
{
    const VkPipelineViewportStateCreateInfo *from = info->pViewportState;
    VkPipelineViewportStateCreateInfo *to = COPY(from, 1);
    if (!to)
        return;
    const bool has_viewports = !is_dynamic(info, VK_DYNAMIC_STATE_VIEWPORT) &&
                               !is_dynamic(info, VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT),
               has_scissors = !is_dynamic(info, VK_DYNAMIC_STATE_SCISSOR) &&
                              !is_dynamic(info, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT);
    to->pNext = NULL;
    chain(library, &to->pNext,
          vc4vk_find_in_chain(from->pNext, VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT),
          sizeof(VkPipelineViewportDepthClipControlCreateInfoEXT), oom);
    to->pViewports = has_viewports ? COPY(from->pViewports, from->viewportCount) : NULL;
    to->pScissors = has_scissors ? COPY(from->pScissors, from->scissorCount) : NULL;
    library->viewport = to;
}

static void copy_rasterization(struct vc4vk_library *library, const VkPipelineRasterizationStateCreateInfo *from,
                               bool *oom)
{
    VkPipelineRasterizationStateCreateInfo *to = COPY(from, 1);
    if (!to)
        return;
    to->pNext = NULL;
    chain(library, &to->pNext,
          vc4vk_find_in_chain(from->pNext, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT),
          sizeof(VkPipelineRasterizationDepthClipStateCreateInfoEXT), oom);
    chain(library, &to->pNext,
          vc4vk_find_in_chain(from->pNext,
                              VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT),
          sizeof(VkPipelineRasterizationProvokingVertexStateCreateInfoEXT), oom);
    chain(library, &to->pNext,
          vc4vk_find_in_chain(from->pNext, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT),
          sizeof(VkPipelineRasterizationLineStateCreateInfoEXT), oom);
    chain(library, &to->pNext,
          vc4vk_find_in_chain(from->pNext, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_STREAM_CREATE_INFO_EXT),
          sizeof(VkPipelineRasterizationStateStreamCreateInfoEXT), oom);
#ifdef VK_EXT_depth_bias_control
    chain(library, &to->pNext, vc4vk_find_in_chain(from->pNext, VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT),
          sizeof(VkDepthBiasRepresentationInfoEXT), oom);
#endif
    library->rasterization = to;
}

static void copy_tessellation(struct vc4vk_library *library, const VkPipelineTessellationStateCreateInfo *from,
                              bool *oom)
{
    VkPipelineTessellationStateCreateInfo *to = COPY(from, 1);
    if (!to)
        return;
    to->pNext = NULL;
    chain(library, &to->pNext,
          vc4vk_find_in_chain(from->pNext, VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO),
          sizeof(VkPipelineTessellationDomainOriginStateCreateInfo), oom);
    library->tessellation = to;
}

static void copy_multisample(struct vc4vk_library *library, const VkGraphicsPipelineCreateInfo *info, bool *oom)
{
    const VkPipelineMultisampleStateCreateInfo *from = info->pMultisampleState;
    VkPipelineMultisampleStateCreateInfo *to = COPY(from, 1);
    if (!to)
        return;
    to->pNext = NULL;
    to->pSampleMask = is_dynamic(info, VK_DYNAMIC_STATE_SAMPLE_MASK_EXT) ? NULL : COPY(from->pSampleMask, 1);
    library->multisample = to;
}

static void copy_colors(struct vc4vk_library *library, const VkGraphicsPipelineCreateInfo *info, bool *oom)
{
    const VkPipelineColorBlendStateCreateInfo *from = info->pColorBlendState;
    VkPipelineColorBlendStateCreateInfo *to = COPY(from, 1);
    if (!to)
        return;
    const bool all_dynamic = is_dynamic(info, VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT) &&
                             is_dynamic(info, VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT) &&
                             is_dynamic(info, VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT);
    to->pNext = NULL;
    to->attachmentCount = all_dynamic ? 0 : from->attachmentCount;
    to->pAttachments = COPY(from->pAttachments, to->attachmentCount);
    const VkPipelineColorWriteCreateInfoEXT *writes =
        vc4vk_find_in_chain(from->pNext, VK_STRUCTURE_TYPE_PIPELINE_COLOR_WRITE_CREATE_INFO_EXT);
    VkPipelineColorWriteCreateInfoEXT *own =
        is_dynamic(info, VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT) ? NULL : COPY(writes, 1);
    if (own) {
        own->pNext = NULL;
        own->pColorWriteEnables = COPY(writes->pColorWriteEnables, writes->attachmentCount);
        to->pNext = own;
    }
    library->colors = to;
}

/* The robustness that the chain asks for, else `otherwise`. */
static VkPipelineRobustnessCreateInfoEXT robustness_of(const void *chain_,
                                                       const VkPipelineRobustnessCreateInfoEXT *otherwise)
{
    const VkPipelineRobustnessCreateInfoEXT *info =
        vc4vk_find_in_chain(chain_, VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT);
    VkPipelineRobustnessCreateInfoEXT r = info ? *info : *otherwise;
    r.sType = VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT;
    r.pNext = NULL;
    return r;
}

static VkResult copy_stage(struct vc4vk_library *library, struct library_stage *to,
                           const VkPipelineShaderStageCreateInfo *from, bool *oom)
{
    VkResult result = vc4vk_stage_spirv(library->device, from, &to->module.spirv);
    if (result != VK_SUCCESS)
        return result;
    vc4vk_object_init(&to->module.base, VK_OBJECT_TYPE_SHADER_MODULE);
    to->robustness = robustness_of(from->pNext, &library->robustness);
    VkSpecializationInfo *specs = COPY(from->pSpecializationInfo, 1);
    if (specs) {
        specs->pMapEntries = COPY(specs->pMapEntries, specs->mapEntryCount);
        specs->pData = copy(library, specs->pData, specs->dataSize, oom);
    }
    to->info = (VkPipelineShaderStageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .pNext = &to->robustness,
        .flags = from->flags,
        .stage = from->stage,
        .module = vc4vk_shader_module_to_handle(&to->module),
        .pName = copy(library, from->pName, strlen(from->pName) + 1, oom),
        .pSpecializationInfo = specs,
    };
    return VK_SUCCESS;
}

static struct library_stage *stage_of(struct vc4vk_library *library, VkShaderStageFlagBits stage)
{
    switch (stage) {
    case VK_SHADER_STAGE_VERTEX_BIT:
        return &library->vertex;
    case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT:
        return &library->control;
    case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT:
        return &library->evaluation;
    case VK_SHADER_STAGE_GEOMETRY_BIT:
        return &library->geometry;
    case VK_SHADER_STAGE_TASK_BIT_EXT:
        return &library->task;
    case VK_SHADER_STAGE_MESH_BIT_EXT:
        return &library->mesh;
    case VK_SHADER_STAGE_FRAGMENT_BIT:
        return &library->fragment;
    default:
        return NULL;
    }
}

static VkResult copy_stages(struct vc4vk_library *library, const VkGraphicsPipelineCreateInfo *info, uint32_t own,
                            bool *oom)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; (own & (PART(VERTEX) | PART(FRAGMENT))) && i < info->stageCount && result == VK_SUCCESS; i++) {
        const VkPipelineShaderStageCreateInfo *stage = &info->pStages[i];
        const bool is_fragment = stage->stage == VK_SHADER_STAGE_FRAGMENT_BIT;
        struct library_stage *to = stage_of(library, stage->stage);
        if (!to)
            return vc4vk_errorf(library->device, VK_ERROR_FEATURE_NOT_PRESENT, "shader stage 0x%x is not supported",
                                stage->stage);
        if ((own & (is_fragment ? PART(FRAGMENT) : PART(VERTEX))) && !to->module.spirv)
            result = copy_stage(library, to, stage, oom);
    }
    return result;
}

static void copy_dynamic(struct vc4vk_library *library, const VkPipelineDynamicStateCreateInfo *info, uint32_t own,
                         bool *oom)
{
    VkDynamicState *states = info ? COPY(info->pDynamicStates, info->dynamicStateCount) : NULL;
    for (uint32_t i = 0; states && i < info->dynamicStateCount; i++)
        if (parts_of(info->pDynamicStates[i]) & own)
            states[library->dynamic_count++] = info->pDynamicStates[i];
    library->dynamic = states;
}

/* Whether nothing is rasterized, whatever commands say: the state of fragments is then not read. */
static bool discards(const VkGraphicsPipelineCreateInfo *info, uint32_t own)
{
    return (own & PART(VERTEX)) && info->pRasterizationState && info->pRasterizationState->rasterizerDiscardEnable &&
           !is_dynamic(info, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE);
}

static bool has_mesh(const VkGraphicsPipelineCreateInfo *info)
{
    bool has = false;
    for (uint32_t i = 0; i < info->stageCount; i++)
        has |= info->pStages[i].stage == VK_SHADER_STAGE_MESH_BIT_EXT;
    return has;
}

static VkResult copy_parts(struct vc4vk_library *library, const VkGraphicsPipelineCreateInfo *info, uint32_t own)
{
    bool is_oom = false, *oom = &is_oom;
    const bool is_drawn = !discards(info, own);
    const struct vc4vk_target *formats = &library->target.formats;
    library->robustness = robustness_of(info->pNext, &(VkPipelineRobustnessCreateInfoEXT){0});
    copy_dynamic(library, info->pDynamicState, own, oom);
    const bool has_input = (own & PART(INPUT)) && !(own & PART(VERTEX) && has_mesh(info)); /* else it may be garbage */
    if (has_input && !is_dynamic(info, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT))
        copy_input(library, info->pVertexInputState, oom);
    if (has_input)
        library->assembly = COPY(info->pInputAssemblyState, 1);
    if (own & PART(VERTEX))
        copy_rasterization(library, info->pRasterizationState, oom);
    if ((own & PART(VERTEX)) && is_drawn)
        copy_viewport(library, info, oom);
    /* with a render pass, a subpass without depth makes it garbage */
    if ((own & PART(FRAGMENT)) && is_drawn && (!info->renderPass || formats->depth))
        library->depth_stencil = COPY(info->pDepthStencilState, 1);
    if ((own & (PART(FRAGMENT) | PART(OUTPUT))) && is_drawn)
        copy_multisample(library, info, oom);
    bool has_color = false;
    for (uint32_t i = 0; i < VC4VK_MAX_COLOR_ATTACHMENTS; i++)
        has_color |= formats->colors[i] != HW_FORMAT_NONE;
    if ((own & PART(OUTPUT)) && is_drawn && has_color)
        copy_colors(library, info, oom);
    VkResult result = copy_stages(library, info, own, oom);
    if (library->evaluation.module.spirv) /* otherwise it may be garbage */
        copy_tessellation(library, info->pTessellationState, oom);
    return result == VK_SUCCESS && is_oom ? vc4vk_oom(library->device) : result;
}

/* ---------------------------------------------------------------- libraries */

static struct vc4vk_library *library_ref(struct vc4vk_library *library)
{
    atomic_fetch_add_explicit(&library->refs, 1, memory_order_relaxed);
    return library;
}

void vc4vk_library_unref(struct vc4vk_library *library)
{
    if (!library || atomic_fetch_sub_explicit(&library->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < VC4VK_LIBRARY_PARTS; i++)
        if (library->owners[i] != library)
            vc4vk_library_unref(library->owners[i]);
    vc4vk_spirv_unref(library->vertex.module.spirv);
    vc4vk_spirv_unref(library->control.module.spirv);
    vc4vk_spirv_unref(library->evaluation.module.spirv);
    vc4vk_spirv_unref(library->geometry.module.spirv);
    vc4vk_spirv_unref(library->task.module.spirv);
    vc4vk_spirv_unref(library->mesh.module.spirv);
    vc4vk_spirv_unref(library->fragment.module.spirv);
    vc4vk_program_store_unref(library->store);
    vc4vk_pipeline_layout_unref(library->device, library->layout);
    util_arena_finish(&library->arena);
    vc4vk_free(library->device->alloc, library);
}

/* Refers to the parts of the libraries that the create info names. Its own parts come first. */
static VkResult add_libraries(struct vc4vk_library *library, const VkPipelineLibraryCreateInfoKHR *info)
{
    for (uint32_t i = 0; info && i < info->libraryCount; i++) {
        const struct vc4vk_pipeline *pipeline = vc4vk_pipeline_from_handle(info->pLibraries[i]);
        if (!pipeline || !pipeline->library)
            return vc4vk_errorf(library->device, VK_ERROR_UNKNOWN, "pipeline library %u is not a library", i);
        for (uint32_t p = 0; p < VC4VK_LIBRARY_PARTS; p++)
            if (pipeline->library->owners[p] && !library->owners[p])
                library->owners[p] = library_ref(pipeline->library->owners[p]);
    }
    return VK_SUCCESS;
}

static VkResult library_init(struct vc4vk_library *library, const VkGraphicsPipelineCreateInfo *info,
                             struct vc4vk_program_store *store)
{
    const uint32_t own = vc4vk_library_own_parts(info);
    for (uint32_t p = 0; p < VC4VK_LIBRARY_PARTS; p++)
        library->owners[p] = own & PART(p) ? library : NULL;
    VkResult result = copy_parts(library, info, own);
    if (result == VK_SUCCESS)
        result = add_libraries(library, find_libraries(info));
    if (result != VK_SUCCESS || !(own & (PART(VERTEX) | PART(FRAGMENT))))
        return result;
    if (info->layout)
        library->layout = vc4vk_pipeline_layout_ref(vc4vk_pipeline_layout_from_handle(info->layout));
    /* NULL when out of memory: programs are then compiled again */
    library->store = store ? vc4vk_program_store_ref(store) : vc4vk_program_store_create(library->device);
    return VK_SUCCESS;
}

VkResult vc4vk_library_create(struct vc4vk_device *device, const VkGraphicsPipelineCreateInfo *info,
                              const struct vc4vk_library_target *target, struct vc4vk_program_store *store,
                              struct vc4vk_library **out)
{
    struct vc4vk_library *library = vc4vk_new(device->alloc, struct vc4vk_library, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!library)
        return vc4vk_oom(device);
    atomic_init(&library->refs, 1);
    library->device = device;
    library->target = *target;
    vc4vk_util_alloc_init(&library->alloc, device->alloc, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    util_arena_init(&library->arena, &library->alloc.base);
    VkResult result = library_init(library, info, store);
    if (result != VK_SUCCESS) {
        vc4vk_library_unref(library);
        return result;
    }
    *out = library;
    return VK_SUCCESS;
}

/* ---------------------------------------------------------------- linking */

static const char *missing_part(const struct vc4vk_library *library)
{
    const struct vc4vk_library *vertex = library->owners[VERTEX];
    const bool has_mesh_stage = vertex && vertex->mesh.module.spirv;
    if (!library->owners[INPUT] && !has_mesh_stage)
        return "the vertex input interface";
    if (!vertex || (!vertex->vertex.module.spirv && !has_mesh_stage) || !vertex->rasterization)
        return "the pre-rasterization shaders";
    bool may_draw = !vertex->rasterization->rasterizerDiscardEnable;
    for (uint32_t i = 0; i < vertex->dynamic_count; i++)
        may_draw |= vertex->dynamic[i] == VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE;
    if (may_draw && !library->owners[FRAGMENT])
        return "the fragment shader";
    return may_draw && !library->owners[OUTPUT] ? "the fragment output interface" : NULL;
}

/* The dynamic states of all parts, each as its owner has it. */
static bool link_dynamic(const struct vc4vk_library *library, struct vc4vk_linked *out)
{
    uint32_t count = 0, written = 0;
    for (uint32_t p = 0; p < VC4VK_LIBRARY_PARTS; p++)
        count += library->owners[p] ? library->owners[p]->dynamic_count : 0;
    if (!count)
        return true;
    out->dynamic_states =
        vc4vk_zalloc(library->device->alloc, count * sizeof *out->dynamic_states, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
    if (!out->dynamic_states)
        return false;
    for (uint32_t p = 0; p < VC4VK_LIBRARY_PARTS; p++) {
        const struct vc4vk_library *owner = library->owners[p];
        for (uint32_t i = 0; owner && i < owner->dynamic_count; i++)
            if (parts_of(owner->dynamic[i]) & PART(p))
                out->dynamic_states[written++] = owner->dynamic[i];
    }
    out->dynamic = (VkPipelineDynamicStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                      .dynamicStateCount = written,
                                                      .pDynamicStates = out->dynamic_states};
    out->info.pDynamicState = &out->dynamic;
    return true;
}

VkResult vc4vk_library_link(const struct vc4vk_library *library, const VkGraphicsPipelineCreateInfo *info,
                            struct vc4vk_linked *out)
{
    const struct vc4vk_library none = {0}, *vertex = library->owners[VERTEX],
                               *input = library->owners[INPUT] ? library->owners[INPUT] : &none,
                               *fragment = library->owners[FRAGMENT] ? library->owners[FRAGMENT] : &none,
                               *output = library->owners[OUTPUT] ? library->owners[OUTPUT] : &none;
    *out = (struct vc4vk_linked){.target = output->target};
    const char *missing = missing_part(library);
    if (missing)
        return vc4vk_errorf(library->device, VK_ERROR_UNKNOWN, "graphics pipeline: no library has %s", missing);
    struct vc4vk_pipeline_layout *layout = vertex->layout ? vertex->layout : fragment->layout;
    if (!info->layout && !layout)
        return vc4vk_errorf(library->device, VK_ERROR_UNKNOWN, "graphics pipeline: there is no pipeline layout");
    out->store = vertex->store;
    out->fragment_store = fragment->store ? fragment->store : vertex->store;
    out->robustness = library->owners[INPUT] ? input->robustness : vertex->robustness;
    out->info = (VkGraphicsPipelineCreateInfo){
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = &out->robustness,
        .flags = info->flags,
        .pStages = out->stages,
        .pVertexInputState = input->input,
        .pInputAssemblyState = input->assembly,
        .pTessellationState = vertex->tessellation,
        .pViewportState = vertex->viewport,
        .pRasterizationState = vertex->rasterization,
        .pMultisampleState = output->multisample ? output->multisample : fragment->multisample,
        .pDepthStencilState = fragment->depth_stencil,
        .pColorBlendState = output->colors,
        .layout = info->layout ? info->layout : vc4vk_pipeline_layout_to_handle(layout),
    };
    const struct library_stage *const stages[] = {&vertex->vertex,    &vertex->control, &vertex->evaluation,
                                                  &vertex->geometry,  &vertex->task,    &vertex->mesh,
                                                  &fragment->fragment};
    for (uint32_t i = 0; i < ARRAY_SIZE(stages); i++)
        if (stages[i]->module.spirv)
            out->stages[out->info.stageCount++] = stages[i]->info;
    return link_dynamic(library, out) ? VK_SUCCESS : vc4vk_oom(library->device);
}

void vc4vk_linked_finish(const struct vc4vk_library *library, struct vc4vk_linked *linked)
{
    vc4vk_free(library->device->alloc, linked->dynamic_states);
}
