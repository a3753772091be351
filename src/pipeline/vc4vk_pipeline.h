/* SPDX-License-Identifier: MIT
 *
 * Graphics and compute pipelines.
 */
#ifndef UTIL_PIPELINE_H
#define UTIL_PIPELINE_H

#include "pipeline/vc4vk_pass_through.h"
#include "pipeline/vc4vk_pipeline_stage.h"
#include "pipeline/vc4vk_pipeline_state.h"

struct vc4vk_library;

/* The stages before the rasteriser of a pipeline that needs them as programs of the CPU engine (vc4vk_expander.c).
 * Stages that the pipeline does not have have no SPIR-V; without a geometry stage records are drawn once for each
 * primitive. They write records, which the pipeline's `vertex` stage, a pass-through one, draws (docs/geometry.md).
 * Instances of a pipeline share its expander, if it has one. */
struct vc4vk_expander {
    struct vc4vk_pipeline_stage vertex, control, evaluation, geometry;
    struct vc4vk_pipeline_stage task, mesh; /* a pipeline with a mesh stage has none of those above */
    struct vc4c_tessellation tessellation; /* what both tessellation stages declare together */
    struct vc4vk_pass_through pass;
};

/* Whether it has a geometry stage. */
static inline bool vc4vk_expander_emits(const struct vc4vk_expander *expander)
{
    return expander->geometry.spirv != NULL;
}

/* Whether it has tessellation stages. */
static inline bool vc4vk_expander_tessellates(const struct vc4vk_expander *expander)
{
    return expander->evaluation.spirv != NULL;
}

/* Whether it has a mesh stage. */
static inline bool vc4vk_expander_meshes(const struct vc4vk_expander *expander)
{
    return expander->mesh.spirv != NULL;
}

/* The interface of the stage whose records are drawn. */
static inline const struct vc4c_interface *vc4vk_expander_writer(const struct vc4vk_expander *expander)
{
    return vc4vk_expander_meshes(expander)        ? expander->mesh.interface
           : vc4vk_expander_emits(expander)       ? expander->geometry.interface
           : vc4vk_expander_tessellates(expander) ? expander->evaluation.interface
                                                  : expander->vertex.interface;
}

/* The create infos of an expander's stages; NULL where there is none. */
struct vc4vk_expander_stages {
    const VkPipelineShaderStageCreateInfo *vertex, *control, *evaluation, *geometry, *task, *mesh;
};

struct vc4vk_pipeline {
    struct vc4vk_object base;
    struct vc4vk_device *device;
    uint32_t number;                      /* counts the device's pipelines; see struct vc4vk_prepared_bucket */
    struct vc4vk_pipeline_layout *layout; /* referenced */
    /* Of the cache given at creation, or what shares programs: later variants go there too. Referenced; may be NULL. */
    struct vc4vk_program_store *store, *fragment_store;
    struct vc4vk_pipeline_stage vertex, fragment; /* graphics pipelines, as all fields below except `compute` */
    struct vc4vk_pipeline_stage compute;
    struct vc4vk_expander *expander; /* or NULL */
    bool owns_expander;              /* instances do only if their pipeline has none */
    struct vc4vk_pipeline_state state;
    bool early_z;
    bool samples_in_vertex_stage;
    uint8_t packets[VC4VK_PIPELINE_PACKETS_MAX_B]; /* ready for the binning list */
    uint32_t packets_B;
    uint32_t tile_inputs;          /* the input attachments that programs are likely to read from the tile buffer */
    struct vc4vk_library *library; /* referenced; such a pipeline has no stages and is only linked. NULL: no library */
    /* Where state is dynamic that is lowered into code: pipelines like this one for other values of it. */
    _Atomic(struct vc4vk_pipeline *) instances;
    struct vc4vk_pipeline *next_instance; /* of an instance: the next older one */
};

VC4VK_DEFINE_HANDLE(vc4vk_pipeline, VkPipeline, VK_OBJECT_TYPE_PIPELINE)

/* Creates a pipeline without stages; NULL: out of memory. `layout`: VK_NULL_HANDLE for libraries. `alloc`: the
 * application's callbacks of the creating or destroying call. */
struct vc4vk_pipeline *vc4vk_pipeline_new(struct vc4vk_device *device, VkPipelineLayout layout,
                                          struct vc4vk_program_store *store, const VkAllocationCallbacks *alloc);
void vc4vk_pipeline_free(struct vc4vk_pipeline *pipeline, const VkAllocationCallbacks *alloc);
/* Replaces its stores, with references of its own; to be called before its stages are initialised. */
void vc4vk_pipeline_use_stores(struct vc4vk_pipeline *pipeline, struct vc4vk_program_store *store,
                               struct vc4vk_program_store *fragment_store);

/* What follows once the state is known and the stages are initialised: links them, compiles the first variants and
 * packs the packets. `like`: the pipeline that this one is an instance of, or NULL. */
VkResult vc4vk_pipeline_finish_init(struct vc4vk_pipeline *pipeline, const struct vc4vk_pipeline *like);
struct vc4vk_fragment_options vc4vk_pipeline_fragment_options(const struct vc4vk_pipeline *pipeline);

/* A graphics pipeline of shader objects: `info` has shaders and layout, and says that everything is dynamic. Its first
 * programs are for this state. */
VkResult vc4vk_pipeline_init_dynamic(struct vc4vk_pipeline *pipeline, const VkGraphicsPipelineCreateInfo *info,
                                     const struct vc4vk_choice *choice, const struct vc4vk_vertex_input *input);
/* vc4vk_compute_pipeline.c */
VkResult vc4vk_compute_pipeline_init(struct vc4vk_pipeline *pipeline, const VkComputePipelineCreateInfo *info);

/* vc4vk_expander.c. Whether stages before the rasteriser store to memory. */
bool vc4vk_pipeline_stores_before_rasterizer(const struct vc4vk_pipeline *pipeline);
/* Whether the fragment stage reads gl_PrimitiveID. */
bool vc4vk_pipeline_reads_primitive(const struct vc4vk_pipeline *pipeline);
/* Creates the expander, and the pass-through stage behind it, and adapts the state. */
VkResult vc4vk_expander_init(struct vc4vk_pipeline *pipeline, const VkGraphicsPipelineCreateInfo *info,
                             const struct vc4vk_expander_stages *stages);
/* The same for an instance whose lines are stippled, of a pipeline without an expander. Replaces its vertex stage. */
VkResult vc4vk_expander_init_instance(struct vc4vk_pipeline *instance, const struct vc4vk_pipeline *from);
/* Links its stages and compiles their first variants. */
VkResult vc4vk_expander_finish_init(struct vc4vk_pipeline *pipeline);
/* Lets the state describe what the pass-through stage reads. `state->input` is that of the application before. */
void vc4vk_expander_use_input(struct vc4vk_pipeline *pipeline);
void vc4vk_expander_free(struct vc4vk_device *device, struct vc4vk_expander *expander);
/* Compiles a stage's first variant: for the classes that the stage `like` (or NULL) was last used with, or those that
 * are likely. */
VkResult vc4vk_pipeline_compile_first(struct vc4vk_pipeline *pipeline, struct vc4vk_pipeline_stage *stage,
                                      const struct vc4vk_pipeline_stage *like, uint32_t tile_inputs,
                                      const struct vc4vk_variant **out);

/* The pipeline, or the instance of it, for this state; creates it when there is none. `input`: NULL if the vertex input
 * is not dynamic. */
VkResult vc4vk_pipeline_instance(struct vc4vk_pipeline *pipeline, const struct vc4vk_choice *choice,
                                 const struct vc4vk_vertex_input *input, struct vc4vk_pipeline **out);
/* Whether the pipeline or instance is for this state. */
bool vc4vk_pipeline_is_for(const struct vc4vk_pipeline *instance, const struct vc4vk_choice *choice,
                           const struct vc4vk_vertex_input *input);
/* VK_EXT_pipeline_creation_cache_control. With `must_hit`, to be set before the stages are initialised, creation fails
 * with VK_PIPELINE_COMPILE_REQUIRED where it would have to compile. It is cleared again after creation, because
 * variants for draws are always compiled. */
void vc4vk_pipeline_set_must_hit(struct vc4vk_pipeline *pipeline, bool must_hit);
/* To be called before the stages are initialised of a pipeline that somebody waits for: its programs are compiled
 * quickly, at the price of slightly longer code. */
void vc4vk_pipeline_set_quick(struct vc4vk_pipeline *pipeline);
/* Combines the result of one pipeline with that of those before it. Returns whether the next one is to be created. */
bool vc4vk_pipeline_goes_on(VkResult result, VkPipelineCreateFlags flags, VkResult *all);

/* -- test hooks -- */

/* Replaces an instruction word of the first variant's program: kind as enum vc4c_program_kind. Returns the old word in
 * *word; VK_ERROR_UNKNOWN past the end or when the kernel refuses the new program. */
VkResult vc4vk_test_patch_program(VkPipeline pipeline, uint32_t kind, uint32_t instruction, uint64_t *word);
/* Returns the program's number of instruction words and copies as many of them as fit. */
uint32_t vc4vk_test_program_words(VkPipeline pipeline, uint32_t kind, uint64_t *words, uint32_t capacity);

#endif
