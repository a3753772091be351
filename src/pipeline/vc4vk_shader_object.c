/* SPDX-License-Identifier: MIT
 *
 * Shader objects: creation from SPIR-V and from binaries, binaries, and the pipelines of shaders that are drawn with
 * together.
 *
 * A binary holds the SPIR-V and what the compiler made of it when the shader was created, with a header that names the
 * build of the driver and a digest of the rest. Binaries of another build, and damaged ones, are incompatible.
 */
#include "pipeline/vc4vk_shader_object.h"

#ifdef VK_EXT_shader_object
#include <stdlib.h>
#include <string.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "pipeline/vc4vk_pipeline_cache.h"
#include "pipeline/vc4vk_program_store.h"
#include "pipeline/vc4vk_shader_module.h"

/* Shaders that have been drawn with together, and their pipeline. */
struct combination {
    struct vc4vk_shaders shaders;
    struct util_list links[VC4VK_SHADER_STAGES]; /* in vc4vk_shader.combinations of each shader that there is */
    struct vc4vk_pipeline *pipeline;             /* owned */
};

struct vc4vk_shader {
    struct vc4vk_object base;
    struct vc4vk_device *device;
    VkShaderStageFlagBits stage;
    struct vc4vk_shader_module module; /* its SPIR-V is referenced */
    struct vc4vk_pipeline_layout *layout;
    struct vc4vk_program_store *store; /* of its results */
    /* Copies; the info names `module` and the specialisation below. */
    VkPipelineShaderStageCreateInfo info;
    VkSpecializationInfo specialisation;
    void *memory; /* of the copies */
    void *binary; /* what vkGetShaderBinaryDataEXT returns */
    size_t binary_B;
    struct vc4vk_pipeline *compute; /* of a compute shader; owned */
    /* Graphics shaders: written under the device's shader_lock. Vertex and mesh shaders: also under `lock`, under which
     * they are read. */
    struct util_list combinations;
    pthread_mutex_t lock;
};

VC4VK_DEFINE_HANDLE(vc4vk_shader, VkShaderEXT, VK_OBJECT_TYPE_SHADER_EXT)

enum vc4vk_shader_stage vc4vk_shader_stage(VkShaderStageFlagBits stage)
{
    return stage == VK_SHADER_STAGE_VERTEX_BIT                    ? VC4VK_SHADER_VERTEX
           : stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT    ? VC4VK_SHADER_CONTROL
           : stage == VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT ? VC4VK_SHADER_EVALUATION
           : stage == VK_SHADER_STAGE_GEOMETRY_BIT                ? VC4VK_SHADER_GEOMETRY
           : stage == VK_SHADER_STAGE_TASK_BIT_EXT                ? VC4VK_SHADER_TASK
           : stage == VK_SHADER_STAGE_MESH_BIT_EXT                ? VC4VK_SHADER_MESH
           : stage == VK_SHADER_STAGE_FRAGMENT_BIT                ? VC4VK_SHADER_FRAGMENT
                                                                  : VC4VK_SHADER_STAGES;
}

struct vc4vk_shader *vc4vk_shader_for(VkShaderEXT shader_h, VkShaderStageFlagBits stage)
{
    VC4VK_FROM_HANDLE(vc4vk_shader, shader, shader_h);
    return shader && shader->stage == stage ? shader : NULL;
}

struct vc4vk_pipeline *vc4vk_shader_compute(VkShaderEXT shader)
{
    return shader ? vc4vk_shader_from_handle(shader)->compute : NULL;
}

/* ---------------------------------------------------------------- binaries */

#define BINARY_MAGIC   0x34736376u
#define BINARY_VERSION 1u

struct binary_header {
    uint32_t magic, version;
    uint8_t build[VK_UUID_SIZE]; /* pipelineCacheUUID */
    uint32_t stage;              /* VkShaderStageFlagBits */
    uint32_t words_B, rows_B;    /* SPIR-V and rows of the store, which follow */
    struct util_digest digest;   /* of what follows, and of the fields above */
};

static struct util_digest digest_of(const struct binary_header *header, const void *contents)
{
    return util_digest_two(header, offsetof(struct binary_header, digest), contents,
                           (size_t)header->words_B + header->rows_B);
}

static VkResult binary_make(struct vc4vk_shader *shader, const void *words, size_t words_B)
{
    size_t rows_B = 0;
    if (shader->store)
        vc4vk_program_store_write(shader->store, NULL, &rows_B);
    struct binary_header header = {.magic = BINARY_MAGIC,
                                   .version = BINARY_VERSION,
                                   .stage = shader->stage,
                                   .words_B = (uint32_t)words_B,
                                   .rows_B = (uint32_t)rows_B};
    memcpy(header.build, shader->device->physical->properties.pipelineCacheUUID, VK_UUID_SIZE);
    shader->binary_B = sizeof header + words_B + rows_B;
    shader->binary = vc4vk_zalloc(shader->device->alloc, shader->binary_B, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!shader->binary)
        return vc4vk_oom(shader->device);
    uint8_t *contents = (uint8_t *)shader->binary + sizeof header;
    memcpy(contents, words, words_B);
    if (rows_B)
        vc4vk_program_store_write(shader->store, contents + words_B, &rows_B);
    header.digest = digest_of(&header, contents);
    memcpy(shader->binary, &header, sizeof header);
    return VK_SUCCESS;
}

/* A copy of the application's binary, which is also what the shader returns as its own. */
static VkResult binary_read(struct vc4vk_shader *shader, const void *bytes, size_t size_B)
{
    struct binary_header header;
    if (size_B < sizeof header)
        return VK_INCOMPATIBLE_SHADER_BINARY_EXT;
    memcpy(&header, bytes, sizeof header);
    if (header.magic != BINARY_MAGIC || header.version != BINARY_VERSION || header.stage != (uint32_t)shader->stage ||
        memcmp(header.build, shader->device->physical->properties.pipelineCacheUUID, VK_UUID_SIZE) ||
        (uint64_t)sizeof header + header.words_B + header.rows_B != size_B)
        return VK_INCOMPATIBLE_SHADER_BINARY_EXT;
    const uint8_t *contents = (const uint8_t *)bytes + sizeof header;
    const struct util_digest digest = digest_of(&header, contents);
    if (memcmp(&digest, &header.digest, sizeof digest))
        return VK_INCOMPATIBLE_SHADER_BINARY_EXT;
    shader->binary = vc4vk_zalloc(shader->device->alloc, size_B, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!shader->binary)
        return vc4vk_oom(shader->device);
    memcpy(shader->binary, bytes, size_B);
    shader->binary_B = size_B;
    if (shader->store)
        vc4vk_program_store_read(shader->store, contents + header.words_B, header.rows_B);
    return vc4vk_spirv_create(shader->device,
                              (const uint32_t *)(const void *)((uint8_t *)shader->binary + sizeof header),
                              header.words_B, &shader->module.spirv);
}

_Static_assert(sizeof(struct binary_header) % sizeof(uint32_t) == 0, "the SPIR-V behind it is aligned");

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetShaderBinaryDataEXT(VkDevice device, VkShaderEXT shader_h, size_t *size_B,
                                                            void *data)
{
    VC4VK_FROM_HANDLE(vc4vk_shader, shader, shader_h);
    const bool fits = !data || *size_B >= shader->binary_B;
    if (data && fits)
        memcpy(data, shader->binary, shader->binary_B);
    *size_B = fits ? shader->binary_B : 0; /* a part of it would be useless */
    return fits ? VK_SUCCESS : VK_INCOMPLETE;
}

/* ---------------------------------------------------------------- creation */

static VkResult copy_info(struct vc4vk_shader *shader, const VkShaderCreateInfoEXT *from)
{
    const VkSpecializationInfo *specs = from->pSpecializationInfo;
    const char *name = from->pName ? from->pName : "main";
    const size_t entry_count = specs ? specs->mapEntryCount : 0, data_B = specs ? specs->dataSize : 0,
                 name_B = strlen(name) + 1;
    VkSpecializationMapEntry *entries;
    uint8_t *data;
    char *name_copy;
    struct vc4vk_multialloc ma = {0};
    vc4vk_multialloc_add(&ma, &entries, entry_count);
    vc4vk_multialloc_add(&ma, &data, data_B);
    vc4vk_multialloc_add(&ma, &name_copy, name_B);
    shader->memory = vc4vk_multialloc_alloc(&ma, shader->device->alloc, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!shader->memory)
        return vc4vk_oom(shader->device);
    memcpy(name_copy, name, name_B);
    if (entry_count)
        memcpy(entries, specs->pMapEntries, entry_count * sizeof *entries);
    if (data_B)
        memcpy(data, specs->pData, data_B);
    shader->specialisation = (VkSpecializationInfo){(uint32_t)entry_count, entries, data_B, data};
    shader->info = (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                     .stage = from->stage,
                                                     .module = vc4vk_shader_module_to_handle(&shader->module),
                                                     .pName = name_copy,
                                                     .pSpecializationInfo = &shader->specialisation};
    return VK_SUCCESS;
}

static VkResult make_layout(struct vc4vk_shader *shader, const VkShaderCreateInfoEXT *info)
{
    VkPipelineLayout layout;
    VkResult result =
        vc4vk_CreatePipelineLayout((VkDevice)shader->device,
                                   &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                                 .setLayoutCount = info->setLayoutCount,
                                                                 .pSetLayouts = info->pSetLayouts,
                                                                 .pushConstantRangeCount = info->pushConstantRangeCount,
                                                                 .pPushConstantRanges = info->pPushConstantRanges},
                                   NULL, &layout);
    if (result == VK_SUCCESS)
        shader->layout = vc4vk_pipeline_layout_from_handle(layout);
    return result;
}

/* Reads the interface of a graphics shader, which finds what is wrong with it. Programs depend on state. The size of
 * output patches may be declared in the other tessellation shader. */
static VkResult check_graphics(struct vc4vk_shader *shader)
{
    struct vc4vk_pipeline_stage stage = {0};
    const struct vc4vk_fragment_options options = {0};
    VkResult result;
    if (vc4vk_shader_stage(shader->stage) == VC4VK_SHADER_STAGES)
        return vc4vk_errorf(shader->device, VK_ERROR_FEATURE_NOT_PRESENT, "shader stage 0x%x is not supported",
                            shader->stage);
    if (shader->stage != VK_SHADER_STAGE_VERTEX_BIT && shader->stage != VK_SHADER_STAGE_FRAGMENT_BIT)
        result = vc4vk_pipeline_stage_init_records(shader->device, &stage, shader->store, &shader->info, shader->layout,
                                                   NULL, VC4C_MAX_PATCH_VERTICES);
    else
        result = vc4vk_pipeline_stage_init(shader->device, &stage, shader->store, &shader->info, shader->layout, NULL,
                                           shader->stage == VK_SHADER_STAGE_FRAGMENT_BIT ? &options : NULL);
    vc4vk_pipeline_stage_finish(shader->device, &stage);
    return result;
}

static VkResult make_compute(struct vc4vk_shader *shader)
{
    struct vc4vk_pipeline *pipeline =
        vc4vk_pipeline_new(shader->device, vc4vk_pipeline_layout_to_handle(shader->layout), shader->store, NULL);
    if (!pipeline)
        return vc4vk_oom(shader->device);
    const VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                              .stage = shader->info};
    shader->compute = pipeline;
    return vc4vk_compute_pipeline_init(pipeline, &info);
}

static VkResult shader_init(struct vc4vk_shader *shader, const VkShaderCreateInfoEXT *info)
{
    const bool is_binary = info->codeType == VK_SHADER_CODE_TYPE_BINARY_EXT;
    shader->store = vc4vk_program_store_create(shader->device); /* NULL: programs are compiled again */
    VkResult result = is_binary
                          ? binary_read(shader, info->pCode, info->codeSize)
                          : vc4vk_spirv_create(shader->device, info->pCode, info->codeSize, &shader->module.spirv);
    if (result == VK_SUCCESS)
        result = copy_info(shader, info);
    if (result == VK_SUCCESS)
        result = make_layout(shader, info);
    if (result == VK_SUCCESS)
        result = shader->stage == VK_SHADER_STAGE_COMPUTE_BIT ? make_compute(shader) : check_graphics(shader);
    return result == VK_SUCCESS && !is_binary ? binary_make(shader, info->pCode, info->codeSize) : result;
}

/* The stage that each combination has one of. */
static enum vc4vk_shader_stage first_stage(const struct vc4vk_shaders *shaders)
{
    return shaders->at[VC4VK_SHADER_MESH] ? VC4VK_SHADER_MESH : VC4VK_SHADER_VERTEX;
}

static void combination_free(struct vc4vk_device *device, struct combination *combination)
{
    vc4vk_pipeline_free(combination->pipeline, NULL);
    vc4vk_free(device->alloc, combination);
}

/* Removes the shader's combinations from the lists of all their shaders and frees them. */
static void combinations_finish(struct vc4vk_shader *shader)
{
    const enum vc4vk_shader_stage own = vc4vk_shader_stage(shader->stage);
    struct util_list removed; /* through the links of this stage */
    util_list_init(&removed);
    pthread_mutex_lock(&shader->device->shader_lock);
    while (!util_list_is_empty(&shader->combinations)) {
        struct combination *c = container_of(shader->combinations.next - own, struct combination, links[0]);
        struct vc4vk_shader *first = c->shaders.at[first_stage(&c->shaders)];
        pthread_mutex_lock(&first->lock);
        for (uint32_t i = 0; i < VC4VK_SHADER_STAGES; i++)
            if (c->shaders.at[i])
                util_list_del(&c->links[i]);
        pthread_mutex_unlock(&first->lock);
        util_list_add_tail(&removed, &c->links[0]);
    }
    pthread_mutex_unlock(&shader->device->shader_lock);
    util_list_for_each_safe(struct combination, c, &removed, links[0]) {
        combination_free(shader->device, c);
    }
}

static void shader_free(struct vc4vk_shader *shader, const VkAllocationCallbacks *alloc)
{
    struct vc4vk_device *device = shader->device;
    if (vc4vk_shader_stage(shader->stage) != VC4VK_SHADER_STAGES)
        combinations_finish(shader);
    if (shader->compute)
        vc4vk_pipeline_free(shader->compute, NULL);
    vc4vk_spirv_unref(shader->module.spirv);
    vc4vk_pipeline_layout_unref(device, shader->layout);
    vc4vk_program_store_unref(shader->store);
    vc4vk_free(device->alloc, shader->memory);
    vc4vk_free(device->alloc, shader->binary);
    pthread_mutex_destroy(&shader->lock);
    vc4vk_free(vc4vk_alloc_choose(device->alloc, alloc), shader);
}

static VkResult shader_create(struct vc4vk_device *device, const VkShaderCreateInfoEXT *info,
                              const VkAllocationCallbacks *alloc, VkShaderEXT *out)
{
    struct vc4vk_shader *shader =
        vc4vk_new(vc4vk_alloc_choose(device->alloc, alloc), struct vc4vk_shader, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!shader)
        return vc4vk_oom(device);
    vc4vk_object_init(&shader->base, VK_OBJECT_TYPE_SHADER_EXT);
    vc4vk_object_init(&shader->module.base, VK_OBJECT_TYPE_SHADER_MODULE);
    shader->device = device;
    shader->stage = info->stage;
    util_list_init(&shader->combinations);
    pthread_mutex_init(&shader->lock, NULL);
    VkResult result = shader_init(shader, info);
    if (result != VK_SUCCESS) {
        shader_free(shader, alloc);
        return result;
    }
    *out = vc4vk_shader_to_handle(shader);
    return VK_SUCCESS;
}

/* Applications find the first shader that failed by its null handle. */
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateShadersEXT(VkDevice device_h, uint32_t count,
                                                      const VkShaderCreateInfoEXT *infos,
                                                      const VkAllocationCallbacks *alloc, VkShaderEXT *out)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, device_h);
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = VK_NULL_HANDLE;
        if (result == VK_SUCCESS)
            result = shader_create(device, &infos[i], alloc, &out[i]);
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyShaderEXT(VkDevice device, VkShaderEXT shader_h,
                                                  const VkAllocationCallbacks *alloc)
{
    VC4VK_FROM_HANDLE(vc4vk_shader, shader, shader_h);
    if (!shader)
        return;
    vc4vk_private_data_forget(shader->device, &shader->base.private_number);
    shader_free(shader, alloc);
}

/* ---------------------------------------------------------------- combinations */

/* ORDER: none. What a pipeline of shader objects does not have as its own. */
static const VkDynamicState all_states[] = {
    VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT,
    VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
    VK_DYNAMIC_STATE_LINE_WIDTH,
    VK_DYNAMIC_STATE_DEPTH_BIAS,
    VK_DYNAMIC_STATE_BLEND_CONSTANTS,
    VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK,
    VK_DYNAMIC_STATE_STENCIL_WRITE_MASK,
    VK_DYNAMIC_STATE_STENCIL_REFERENCE,
    VK_DYNAMIC_STATE_CULL_MODE,
    VK_DYNAMIC_STATE_FRONT_FACE,
    VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,
    VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
    VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
    VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE,
    VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
    VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
    VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
    VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
    VK_DYNAMIC_STATE_STENCIL_OP,
    VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE,
    VK_DYNAMIC_STATE_VERTEX_INPUT_EXT,
    VK_DYNAMIC_STATE_LOGIC_OP_EXT,
    VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT,
    VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT,
    VK_DYNAMIC_STATE_POLYGON_MODE_EXT,
    VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT,
    VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT,
    VK_DYNAMIC_STATE_PROVOKING_VERTEX_MODE_EXT,
    VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT,
    VK_DYNAMIC_STATE_SAMPLE_MASK_EXT,
    VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT,
    VK_DYNAMIC_STATE_ALPHA_TO_ONE_ENABLE_EXT,
    VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT,
    VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
    VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
    VK_DYNAMIC_STATE_LINE_RASTERIZATION_MODE_EXT,
    VK_DYNAMIC_STATE_DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT,
    VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT,
    VK_DYNAMIC_STATE_TESSELLATION_DOMAIN_ORIGIN_EXT,
    VK_DYNAMIC_STATE_RASTERIZATION_STREAM_EXT,
    VK_DYNAMIC_STATE_LINE_STIPPLE_EXT,
    VK_DYNAMIC_STATE_LINE_STIPPLE_ENABLE_EXT,
};

static const VkPipelineInputAssemblyStateCreateInfo no_assembly = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
static const VkPipelineDynamicStateCreateInfo all_dynamic = {.sType =
                                                                 VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                             .dynamicStateCount = ARRAY_SIZE(all_states),
                                                             .pDynamicStates = all_states};

/* The layouts are compatible; of a shader that uses fewer sets, the layout may have fewer. */
static struct vc4vk_pipeline_layout *layout_of(const struct vc4vk_shaders *shaders)
{
    struct vc4vk_pipeline_layout *layout = shaders->at[first_stage(shaders)]->layout;
    for (uint32_t i = 0; i < VC4VK_SHADER_STAGES; i++)
        if (shaders->at[i] && shaders->at[i]->layout->set_count > layout->set_count)
            layout = shaders->at[i]->layout;
    return layout;
}

static struct vc4vk_program_store *fragment_store_of(const struct vc4vk_shaders *shaders)
{
    const struct vc4vk_shader *fragment = shaders->at[VC4VK_SHADER_FRAGMENT];
    return fragment ? fragment->store : shaders->at[first_stage(shaders)]->store;
}

static VkResult pipeline_make(const struct vc4vk_shaders *shaders, const struct vc4vk_choice *choice,
                              const struct vc4vk_vertex_input *input, struct vc4vk_pipeline **out)
{
    const struct vc4vk_shader *first = shaders->at[first_stage(shaders)];
    const VkPipelineRasterizationLineStateCreateInfoEXT lines = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT};
    const VkPipelineRasterizationStateCreateInfo rasterization = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .pNext = &lines, .lineWidth = 1};
    VkPipelineShaderStageCreateInfo stages[VC4VK_SHADER_STAGES];
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .pStages = stages,
                                         .pInputAssemblyState = &no_assembly,
                                         .pRasterizationState = &rasterization,
                                         .pDynamicState = &all_dynamic,
                                         .layout = vc4vk_pipeline_layout_to_handle(layout_of(shaders))};
    for (uint32_t i = 0; i < VC4VK_SHADER_STAGES; i++)
        if (shaders->at[i])
            stages[info.stageCount++] = shaders->at[i]->info;
    struct vc4vk_pipeline *pipeline = vc4vk_pipeline_new(first->device, info.layout, NULL, NULL);
    if (!pipeline)
        return vc4vk_oom(first->device);
    vc4vk_pipeline_use_stores(pipeline, first->store, fragment_store_of(shaders));
    vc4vk_pipeline_set_quick(pipeline);
    VkResult result = vc4vk_pipeline_init_dynamic(pipeline, &info, choice, input);
    if (result == VK_SUCCESS)
        *out = pipeline;
    else
        vc4vk_pipeline_free(pipeline, NULL);
    return result;
}

/* Under the lock of the vertex or mesh shader. */
static struct combination *find_locked(const struct vc4vk_shaders *shaders)
{
    const enum vc4vk_shader_stage stage = first_stage(shaders);
    const struct util_list *all = &shaders->at[stage]->combinations;
    for (struct util_list *link = all->next; link != all; link = link->next) {
        struct combination *c = container_of(link - stage, struct combination, links[0]);
        if (!memcmp(&c->shaders, shaders, sizeof *shaders))
            return c;
    }
    return NULL;
}

/* NULL: there is none yet. */
static struct vc4vk_pipeline *pipeline_find(const struct vc4vk_shaders *shaders)
{
    struct vc4vk_shader *first = shaders->at[first_stage(shaders)];
    pthread_mutex_lock(&first->lock);
    const struct combination *c = find_locked(shaders);
    pthread_mutex_unlock(&first->lock);
    return c ? c->pipeline : NULL;
}

/* Takes over the pipeline; returns another one if another thread has added it meanwhile. NULL: out of memory. */
static struct vc4vk_pipeline *pipeline_add(const struct vc4vk_shaders *shaders, struct vc4vk_pipeline *pipeline)
{
    struct vc4vk_shader *first = shaders->at[first_stage(shaders)];
    struct vc4vk_device *device = first->device;
    struct combination *own = vc4vk_new(device->alloc, struct combination, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!own) {
        vc4vk_pipeline_free(pipeline, NULL);
        return NULL;
    }
    own->shaders = *shaders;
    own->pipeline = pipeline;
    pthread_mutex_lock(&device->shader_lock);
    pthread_mutex_lock(&first->lock);
    struct combination *there = find_locked(shaders);
    for (uint32_t i = 0; i < VC4VK_SHADER_STAGES && !there; i++)
        if (shaders->at[i])
            util_list_add_head(&shaders->at[i]->combinations, &own->links[i]);
    pthread_mutex_unlock(&first->lock);
    pthread_mutex_unlock(&device->shader_lock);
    if (!there)
        return pipeline;
    combination_free(device, own);
    return there->pipeline;
}

VkResult vc4vk_shaders_pipeline(const struct vc4vk_shaders *shaders, const struct vc4vk_choice *choice,
                                const struct vc4vk_vertex_input *input, struct vc4vk_pipeline **bound_out,
                                struct vc4vk_pipeline **out)
{
    struct vc4vk_pipeline *bound = pipeline_find(shaders);
    if (!bound) {
        VkResult result = pipeline_make(shaders, choice, input, &bound);
        if (result == VK_SUCCESS)
            bound = pipeline_add(shaders, bound);
        if (!bound)
            return result == VK_SUCCESS ? vc4vk_oom(shaders->at[first_stage(shaders)]->device) : result;
    }
    *bound_out = bound;
    return vc4vk_pipeline_instance(bound, choice, input, out);
}
#endif
