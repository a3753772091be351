/* SPDX-License-Identifier: MIT
 *
 * One shader stage of a pipeline: the resources it reads, and its variants, one per combination of sampling classes.
 *
 * The default variant is compiled with the pipeline. The first draw that binds other classes compiles another variant,
 * under the stage's lock. Variants are only added at the head of a list, so finding one takes no lock.
 */
#ifndef UTIL_PIPELINE_STAGE_H
#define UTIL_PIPELINE_STAGE_H

#include "descriptor/vc4vk_binding_table.h"
#include "pipeline/vc4vk_attribute_arrays.h"
#include "pipeline/vc4vk_pipeline_layout.h"
#include "pipeline/vc4vk_pipeline_state.h"
#include "pipeline/vc4vk_program.h"

/* A program and its part of the variant's binding table. A part holds the program's buffers, then view and sampler of
 * each of its textures, then, for programs of the CPU engine, each element of the resources that are read as
 * descriptors. The programs of a variant share one table, part after part. */
struct vc4vk_variant_program {
    struct vc4vk_program *program; /* referenced */
    uint16_t first_slot;           /* first slot of its part in the variant's table */
};

#define VC4VK_VARIANT_PROGRAMS_MAX (VC4VK_MAX_REPLAYS + 1)

/* Reasons for variants besides sampling classes. COUNTS is for fragment stages, the others are for vertex stages. */
#define VC4VK_SPECIAL_COUNTS    1u /* an additional last program counts samples for occlusion queries */
#define VC4VK_SPECIAL_RECENTRED 1u /* clip space is re-centred */
#define VC4VK_SPECIAL_MERGED    2u /* one draw holds several instances */
#define VC4VK_SPECIAL_BIASES    4u /* the programs see the whole triangle and bias its depth */

struct vc4vk_pipeline_stage;

/* The properties of bound descriptors that a variant is compiled for. */
struct vc4vk_classes {
    struct hw_sampling_class textures[VC4C_MAX_TEXTURES]; /* one per texture of the interface */
    /* One per resource of the interface. For storage images and storage texel buffers whose views differ from the
     * declared format: the view's format (enum hw_format), or VC4C_FORMAT_ANY if elements differ. Else HW_FORMAT_NONE.
     */
    uint8_t stored[VC4C_MAX_RESOURCES];
};

struct vc4vk_variant {
    struct vc4vk_variant *next; /* the next older variant */
    struct vc4vk_pipeline_stage *stage;
    struct vc4vk_variant_program programs[VC4VK_VARIANT_PROGRAMS_MAX]; /* coordinate, vertex; or one per replay */
    uint32_t program_count;
    struct vc4vk_table_slot *slots;
    uint32_t slot_count;
    uint32_t special;                   /* VC4VK_SPECIAL_* */
    bool reads_instance;                /* vertex stages: gl_InstanceIndex, as a uniform word */
    bool reads_draw;                    /* vertex stages: per-draw values (gl_BaseVertex, ...), as uniform words */
    bool is_native;                     /* the texture unit decodes and filters all sampled textures */
    bool is_engine;        /* at least one of the programs needs the CPU engine, or may do so when it is issued */
    uint32_t stream_words; /* uniform stream of a draw: both vertex programs, or the longest replay's program */
    struct vc4vk_attribute_arrays attributes; /* of vertex stages */
    uint8_t *stored;                          /* as in struct vc4vk_classes, one per resource of the interface */
    struct hw_sampling_class textures[];
};

/* Location of a texture of the interface in the bound sets. */
struct vc4vk_stage_texture {
    struct vc4vk_table_slot view, sampler;
    bool has_sampler;
};

/* Location in the bound sets of an element of a storage resource with a declared format. */
struct vc4vk_stage_stored {
    uint32_t resource;
    struct vc4vk_table_slot slot;
};

/* Number of binding-table slots of a resource in programs of the CPU engine: one per element if it is read as
 * descriptors, else 0. */
uint32_t vc4vk_resource_slot_count(const struct vc4c_resource *resource);

/* Compile options of fragment stages that come from the pipeline, not from the shader. As in struct vc4c_entry. */
struct vc4vk_fragment_options {
    uint8_t clip_distances;
    bool facing_is_input, two_stencils, depth_is_input, clamps_depth;
    uint8_t targets;
    bool is_smooth;
    uint8_t stipples;
};

struct vc4vk_pipeline_stage {
    enum vc4c_stage kind; /* of its programs: COMPUTE if it writes records, whatever the entry's stage is */
    struct vc4vk_device *device;
    struct vc4vk_spirv *spirv; /* referenced; NULL: the pipeline has no such stage */
    struct vc4c_entry entry;   /* points to copies in entry_memory */
    void *entry_memory;
    struct vc4c_interface *interface;
    struct vc4vk_stage_texture *textures; /* interface->texture_count */
    struct vc4vk_stage_stored *stored;    /* elements of storage images and texel buffers with declared formats */
    uint32_t stored_count;
    /* Textures, or storage images with a declared format, are in descriptor buffers, and their views are not known
     * before. */
    bool is_read_at_issue;
    struct vc4c_key key;                      /* without the classes and the keys in `replays` */
    const struct vc4vk_pipeline_state *state; /* vertex stages: the pipeline's */
    /* Fragment stages: the pipeline's keys, one for each replay, then one for the counting program. */
    const struct vc4c_fragment_key *replays;
    uint32_t replay_count;
    uint32_t per_instance_mask; /* vertex stages: locations that step per instance */
    bool is_empty;              /* the application gave no such stage */
    bool stores_colors;         /* a single program stores the colours of all other replays itself */
    pthread_mutex_t compile_lock;
    const struct vc4vk_pipeline_layout *layout; /* the pipeline's; set when the first variant is requested */
    struct vc4vk_program_store *store;          /* of its results; may be NULL; must outlive the stage */
    struct vc4vk_front front; /* held from init until the first variant exists, and while variants are compiled */
    _Atomic(struct vc4vk_variant *) variants;
};

/* Before this, `front.must_hit` and `front.is_quick` say whether and how the stage may be compiled; everything else is
 * zero.
 * Copies the stage's description and reads its interface. After a failure the caller must still call finish. `store`
 * here and below: for its results; must outlive the stage; NULL: none. `layout`: its immutable samplers may have YCbCr
 * conversions. `chain`: of the pipeline's create info. `options`: for fragment stages; NULL for others. */
VkResult vc4vk_pipeline_stage_init(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                   struct vc4vk_program_store *store, const VkPipelineShaderStageCreateInfo *info,
                                   const struct vc4vk_pipeline_layout *layout, const void *chain,
                                   const struct vc4vk_fragment_options *options);
/* The same for a stage that writes records. `patch_vertices`: as in struct vc4c_entry. */
VkResult vc4vk_pipeline_stage_init_records(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                           struct vc4vk_program_store *store,
                                           const VkPipelineShaderStageCreateInfo *info,
                                           const struct vc4vk_pipeline_layout *layout, const void *chain,
                                           uint8_t patch_vertices);
/* A vertex stage whose entry point is "main", without resources. `stipples`: of vc4c_pass_through(), for stippled
 * lines. */
VkResult vc4vk_pipeline_stage_init_spirv(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                         struct vc4vk_program_store *store, struct vc4vk_spirv *spirv, bool stipples);
/* A stage like `from`, which must live longer, for another pipeline. */
VkResult vc4vk_pipeline_stage_init_like(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                        struct vc4vk_program_store *store, const struct vc4vk_pipeline_stage *from,
                                        const struct vc4vk_fragment_options *options);
/* A stage that writes the records which the vertex stage `from` computes, and else like it. */
VkResult vc4vk_pipeline_stage_init_records_like(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                                struct vc4vk_program_store *store,
                                                const struct vc4vk_pipeline_stage *from);
/* A fragment stage without outputs, for pipelines without a fragment stage. */
VkResult vc4vk_pipeline_stage_init_empty(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                         struct vc4vk_program_store *store,
                                         const struct vc4vk_fragment_options *options);
void vc4vk_pipeline_stage_finish(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage);

/* Locates the stage's textures and storage images in the sets of the layout. */
VkResult vc4vk_pipeline_stage_link(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                   const struct vc4vk_pipeline_layout *layout);

/* The classes for which the stage is compiled at pipeline creation: native, or as immutable samplers demand.
 * `tile_inputs`: bit mask of the input attachments that are read from the tile buffer (vc4vk_render_pass_tile_inputs).
 */
void vc4vk_pipeline_stage_default_classes(const struct vc4vk_pipeline_stage *stage, const struct vc4vk_state_pool *pool,
                                          const struct vc4vk_pipeline_layout *layout, uint32_t tile_inputs,
                                          struct vc4vk_classes *out);

/* The classes of the stage's newest variant; false when there is none for so many textures. */
bool vc4vk_pipeline_stage_newest_classes(const struct vc4vk_pipeline_stage *stage, uint32_t texture_count,
                                         struct vc4vk_classes *out);

/* The classes for the currently bound sets, without what only descriptors in memory say. */
void vc4vk_pipeline_stage_bound_classes(const struct vc4vk_pipeline_stage *stage, const struct vc4vk_state_pool *pool,
                                        const struct vc4vk_bound_set *sets, uint32_t set_count, uint32_t tile_inputs,
                                        struct vc4vk_classes *out);
/* Adds the formats of storage images and texel buffers in descriptor buffers. To be called when the job is issued. */
void vc4vk_pipeline_stage_read_formats(const struct vc4vk_pipeline_stage *stage, const struct vc4vk_bound_set *sets,
                                       uint32_t set_count, struct vc4vk_classes *classes);

/* Finds the variant for these classes, or compiles it. `special`: VC4VK_SPECIAL_*. */
VkResult vc4vk_pipeline_stage_variant(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                      const struct vc4vk_pipeline_layout *layout, const struct vc4vk_classes *classes,
                                      uint32_t special, const struct vc4vk_variant **out);
/* The same vertex variant with VC4VK_SPECIAL_RECENTRED. */
VkResult vc4vk_variant_recentred(const struct vc4vk_variant *variant, const struct vc4vk_variant **out);
/* The same vertex variant with VC4VK_SPECIAL_MERGED. Only needed when the stage reads gl_InstanceIndex: other programs
 * can draw merged instances unchanged. */
VkResult vc4vk_variant_merged(const struct vc4vk_variant *variant, const struct vc4vk_variant **out);

#endif
