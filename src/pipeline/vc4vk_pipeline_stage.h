/* SPDX-License-Identifier: MIT
 *
 * One shader stage of a pipeline: what it reads, and its variants, one per combination of sampling classes.
 *
 * The native variant is compiled with the pipeline; a draw that binds other classes compiles once, under the stage's
 * lock. Variants are only ever added at the head of a list, so finding one takes no lock.
 */
#ifndef UTIL_PIPELINE_STAGE_H
#define UTIL_PIPELINE_STAGE_H

#include "descriptor/vc4vk_binding_table.h"
#include "pipeline/vc4vk_attribute_arrays.h"
#include "pipeline/vc4vk_pipeline_layout.h"
#include "pipeline/vc4vk_pipeline_state.h"
#include "pipeline/vc4vk_program.h"

/* A program with the layout of its binding table: its buffers, then view and sampler of each of its textures, then what
 * programs of the CPU engine read as descriptors, element for element. The programs of a variant share one table, one
 * part behind the other. */
struct vc4vk_variant_program {
    struct vc4vk_program *program; /* referenced */
    uint16_t first_slot;           /* its part of the variant's table */
};

#define VC4VK_VARIANT_PROGRAMS_MAX (VC4VK_MAX_REPLAYS + 1)

/* Variants other than for what is sampled. Of fragment stages: behind the programs of replays stands the one that
 * counts for occlusion queries. Of vertex stages: clip space is re-centred; one draw holds several instances; they see
 * the triangle and bias its depth. */
#define VC4VK_SPECIAL_COUNTS    1u
#define VC4VK_SPECIAL_RECENTRED 1u
#define VC4VK_SPECIAL_MERGED    2u
#define VC4VK_SPECIAL_BIASES    4u

struct vc4vk_pipeline_stage;

/* What of the descriptors that are bound a variant is compiled for. */
struct vc4vk_classes {
    struct hw_sampling_class textures[VC4C_MAX_TEXTURES]; /* one per texture of the interface */
    /* Of each resource of the interface. Storage images and storage texel buffers whose views have another format than
     * the shader declares: that one (enum hw_format), or VC4C_FORMAT_ANY where elements differ. Else HW_FORMAT_NONE. */
    uint8_t stored[VC4C_MAX_RESOURCES];
};

struct vc4vk_variant {
    struct vc4vk_variant *next;                                        /* older */
    struct vc4vk_pipeline_stage *stage;
    struct vc4vk_variant_program programs[VC4VK_VARIANT_PROGRAMS_MAX]; /* coordinate, vertex; one for each replay */
    uint32_t program_count;
    struct vc4vk_table_slot *slots;
    uint32_t slot_count;
    uint32_t special;                   /* VC4VK_SPECIAL_* */
    bool reads_instance;                /* vertex stages: gl_InstanceIndex, as a uniform word */
    bool reads_draw;                    /* the same: what draw commands say of themselves */
    bool is_native;                     /* the texture unit decodes and filters all that is sampled */
    bool is_engine;                     /* a program of it needs the CPU engine */
    uint32_t stream_words; /* of a draw: uniform streams of both vertex programs, or of the longest replay's */
    struct vc4vk_attribute_arrays attributes; /* of vertex stages */
    uint8_t *stored;                    /* as in struct vc4vk_classes, as many as the interface has */
    struct hw_sampling_class textures[];
};

/* Where a texture of the interface is found in the bound sets. */
struct vc4vk_stage_texture {
    struct vc4vk_table_slot view, sampler;
    bool has_sampler;
};

/* Where an element of a resource whose format the shader declares is found in the bound sets. */
struct vc4vk_stage_stored {
    uint32_t resource;
    struct vc4vk_table_slot slot;
};

/* Slots of a resource that a program of the CPU engine reads as descriptors: its elements, or none. */
uint32_t vc4vk_resource_slot_count(const struct vc4c_resource *resource);

/* What fragment stages get beside what shaders name: as in struct vc4c_entry. */
struct vc4vk_stage_given {
    uint8_t clip_distances;
    bool facing_is_input, two_stencils, depth_is_input, clamps_depth;
};

struct vc4vk_pipeline_stage {
    enum vc4c_stage kind;
    struct vc4vk_device *device;
    struct vc4vk_spirv *spirv; /* referenced; NULL: the pipeline has no such stage */
    struct vc4c_entry entry;   /* name and constants are the stage's own copies */
    void *entry_memory;        /* one allocation for them */
    struct vc4c_interface *interface;
    struct vc4vk_stage_texture *textures; /* interface->texture_count */
    struct vc4vk_stage_stored *stored;    /* storage images and texel buffers, element for element */
    uint32_t stored_count;
    struct vc4c_key key;                  /* but for the classes and what is in `replays` */
    const struct vc4vk_pipeline_state *state; /* vertex stages: of the pipeline */
    const struct vc4c_fragment_key
        *replays; /* fragment stages: one for each program, and one that counts; the pipeline's */
    uint32_t replay_count;
    uint16_t per_instance_mask; /* vertex stages: locations that step by instance */
    bool stores_colors; /* one program, which stores what the other replays would draw */
    pthread_mutex_t compile_lock;
    const struct vc4vk_pipeline_layout *layout; /* from the first variant on: the pipeline's */
    struct vc4vk_program_store *store;
    struct vc4vk_front front; /* from the interface to the first variant, then while a variant is made */
    _Atomic(struct vc4vk_variant *) variants;
};

/* Copies the stage's description and reads its interface. A stage that failed is left for finish. Stores here and below
 * may be NULL. `layout`: whose samplers may convert. `given`: NULL for other than fragment stages. */
VkResult vc4vk_pipeline_stage_init(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                   struct vc4vk_program_store *store, const VkPipelineShaderStageCreateInfo *info,
                                   const struct vc4vk_pipeline_layout *layout, const struct vc4vk_stage_given *given);
/* A fragment stage without outputs, for pipelines that have none. */
VkResult vc4vk_pipeline_stage_init_empty(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                         struct vc4vk_program_store *store, const struct vc4vk_stage_given *given);
void vc4vk_pipeline_stage_finish(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage);

/* Finds the textures and the storage images in the sets of the layout. */
VkResult vc4vk_pipeline_stage_link(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                   const struct vc4vk_pipeline_layout *layout);

/* The classes that the stage is compiled for when the pipeline is made: native, or as immutable samplers ask.
 * `tile_inputs`: bit mask of the input attachments that the tile buffer holds, which is the target's colour. */
void vc4vk_pipeline_stage_default_classes(const struct vc4vk_pipeline_stage *stage, const struct vc4vk_state_pool *pool,
                                          const struct vc4vk_pipeline_layout *layout, uint32_t tile_inputs,
                                          struct vc4vk_classes *out);

/* The classes of what is bound. */
void vc4vk_pipeline_stage_bound_classes(const struct vc4vk_pipeline_stage *stage, const struct vc4vk_state_pool *pool,
                                        const struct vc4vk_bound_set *sets, uint32_t set_count, uint32_t tile_inputs,
                                        struct vc4vk_classes *out);

/* The variant for these classes, compiled now if there is none. `special`: VC4VK_SPECIAL_*. */
VkResult vc4vk_pipeline_stage_variant(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                      const struct vc4vk_pipeline_layout *layout, struct vc4vk_program_store *store,
                                      const struct vc4vk_classes *classes, uint32_t special,
                                      const struct vc4vk_variant **out);
/* Special ones of a vertex variant. */
VkResult vc4vk_variant_recentred(const struct vc4vk_variant *variant, const struct vc4vk_variant **out);
/* Of use only where the stage reads gl_InstanceIndex; the programs of any other draw merged instances as they are. */
VkResult vc4vk_variant_merged(const struct vc4vk_variant *variant, const struct vc4vk_variant **out);

#endif
