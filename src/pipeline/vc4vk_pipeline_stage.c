/* SPDX-License-Identifier: MIT
 *
 * Pipeline stages: copies a stage's description, maps its resources to the sets of the layout, and finds or compiles
 * its variants.
 */
#include <string.h>
#include "descriptor/vc4vk_buffer_set.h"
#include "descriptor/vc4vk_descriptor_type.h"
#include "pipeline/vc4vk_pipeline_robustness.h"
#include "pipeline/vc4vk_pipeline_stage.h"
#include "device/vc4vk_render_pass.h"
#include "util/log.h"

#include "pipeline/empty_frag_gen.h" /* generated from empty.frag; needs stdint.h above */

/* ---------------------------------------------------------------- description */

static const struct hw_sampling_class native_class = {
    .method = HW_SAMPLE_NATIVE,
    .format = HW_FORMAT_R8G8B8A8_UNORM,
    .swizzle = {HW_SWIZZLE_X, HW_SWIZZLE_Y, HW_SWIZZLE_Z, HW_SWIZZLE_W},
};

/* Default class for textures that the unit can never address (arrays, 3D, multisampled, buffers). */
static const struct hw_sampling_class direct_class = {
    .method = HW_SAMPLE_DIRECT,
    .format = HW_FORMAT_R8G8B8A8_UNORM,
    .swizzle = {HW_SWIZZLE_X, HW_SWIZZLE_Y, HW_SWIZZLE_Z, HW_SWIZZLE_W},
    .filters = HW_FILTER_MAG_LINEAR | HW_FILTER_MIN_LINEAR,
    .levels = 1,
    .layout = HW_DIRECT_LT,
};

static uint32_t lookups_of(const struct vc4c_texture_ref *ref)
{
    return (ref->fetch_only ? VC4VK_LOOKUP_FETCH_ONLY : 0) | (ref->has_offset ? VC4VK_LOOKUP_OFFSETS : 0) |
           (ref->plane ? VC4VK_LOOKUP_CHROMA : 0);
}

/* The class that a texture most likely needs, judged by its declaration alone. */
static struct hw_sampling_class likely_class(const struct vc4c_texture_ref *ref)
{
    struct hw_sampling_class class = direct_class;
    if (!ref->is_array && !ref->multisampled && ref->dim != VC4C_DIM_3D && ref->dim != VC4C_DIM_BUFFER)
        return native_class;
    if (ref->fetch_only)
        class.filters = 0;
    class.layout = ref->multisampled ? HW_DIRECT_MS : ref->dim == VC4C_DIM_BUFFER ? HW_DIRECT_RASTER : HW_DIRECT_LT;
    return class;
}

static bool is_in_tiles(const struct vc4c_texture_ref *ref, uint32_t tile_inputs)
{
    return ref->dim == VC4C_DIM_SUBPASS && ref->input_index < VC4VK_MAX_TILE_INPUTS &&
           (tile_inputs & BIT(ref->input_index));
}

/* For input attachments read from the tile buffer: the word of the subpass's only colour attachment. */
static struct hw_sampling_class tile_class(const struct vc4vk_pipeline_stage *stage)
{
    const enum hw_format format = stage->replays[0].color_format;
    struct hw_sampling_class class = {.method = HW_SAMPLE_TILE, .format = (uint8_t)format};
    for (uint32_t i = 0; i < 4; i++) {
        const uint8_t from = hw_format_info(format)->swizzle[i];
        class.swizzle[i] = from <= HW_SWIZZLE_W ? (uint8_t)(HW_SWIZZLE_X + i) : from;
    }
    return class;
}

/* Lists the YCbCr conversions of the layout's immutable samplers. Returns their number; `out` may be NULL. */
static uint32_t find_conversions(const struct vc4vk_state_pool *pool, const struct vc4vk_pipeline_layout *layout,
                                 struct vc4c_conversion *out)
{
    uint32_t count = 0;
    for (uint32_t set = 0; layout && set < layout->set_count; set++) {
        for (uint32_t i = 0; layout->sets[set] && i < layout->sets[set]->binding_count; i++) {
            const struct vc4vk_set_binding *b = &layout->sets[set]->bindings[i];
            for (uint32_t e = 0; b->element_entries == VC4VK_PLANAR_ENTRIES && e < b->count; e++) {
                const struct vc4vk_surface_state *sampler = vc4vk_state_ptr(pool, b->immutable[e]);
                const struct vc4vk_conversion *c = &sampler->sampler.conversion;
                if (!c->planes)
                    continue;
                if (out)
                    out[count] = (struct vc4c_conversion){
                        .set = (uint16_t)set, .binding = (uint16_t)i, .index = (uint16_t)e, .planes = c->planes,
                        .bits = c->bits, .model = c->model, .narrow = c->narrow, .shift_x = c->shift_x,
                        .shift_y = c->shift_y, .swizzle = {c->swizzle[0], c->swizzle[1], c->swizzle[2], c->swizzle[3]}};
                count++;
            }
        }
    }
    return count;
}

/* Lists the number of descriptors of each binding of the layout, for modules that do not say it, or only of those in
 * memory of sets. Returns the length of the list; `out` may be NULL. */
static uint32_t find_array_sizes(const struct vc4c_module *module, const struct vc4vk_pipeline_layout *layout,
                                 struct vc4c_array_size *out)
{
    uint32_t count = 0;
    const bool wants_all = vc4c_has_runtime_arrays(module);
    for (uint32_t set = 0; layout && set < layout->set_count; set++) {
        if (!layout->sets[set] || (!wants_all && !layout->sets[set]->array_count))
            continue;
        for (uint32_t i = 0; i < layout->sets[set]->binding_count; i++) {
            const struct vc4vk_set_binding *b = &layout->sets[set]->bindings[i];
            if (!b->count || !(wants_all || b->memory_B))
                continue;
            if (out)
                out[count] = (struct vc4c_array_size){(uint16_t)set, (uint16_t)i, b->count, b->memory_B};
            count++;
        }
    }
    return count;
}

/* Copies name, specialisation constants, conversions and sizes of arrays into one allocation, because variants are
 * compiled later. */
static VkResult copy_entry(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage, const char *name,
                           const VkSpecializationInfo *specs, const struct vc4vk_pipeline_layout *layout)
{
    uint32_t spec_count = specs ? specs->mapEntryCount : 0;
    size_t data_B = specs ? specs->dataSize : 0, name_B = strlen(name) + 1;
    struct vc4vk_state_pool *pool;
    VkResult result = vc4vk_device_state_pool(device, &pool);
    if (result != VK_SUCCESS)
        return result;
    const uint32_t conversion_count = find_conversions(pool, layout, NULL);
    const uint32_t size_count = find_array_sizes(stage->spirv->module, layout, NULL);
    struct vc4c_conversion *conversions;
    struct vc4c_array_size *sizes;
    struct vc4c_spec_constant *constants;
    uint8_t *data;
    char *name_copy;
    struct vc4vk_multialloc ma = {0};
    vc4vk_multialloc_add(&ma, &constants, spec_count);
    vc4vk_multialloc_add(&ma, &conversions, conversion_count);
    vc4vk_multialloc_add(&ma, &sizes, size_count);
    vc4vk_multialloc_add(&ma, &data, data_B);
    vc4vk_multialloc_add(&ma, &name_copy, name_B);
    stage->entry_memory = vc4vk_multialloc_alloc(&ma, device->alloc, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!stage->entry_memory)
        return vc4vk_oom(device);
    memcpy(name_copy, name, name_B);
    if (data_B)
        memcpy(data, specs->pData, data_B);
    for (uint32_t i = 0; i < spec_count; i++) {
        const VkSpecializationMapEntry *m = &specs->pMapEntries[i];
        constants[i] = (struct vc4c_spec_constant){m->constantID, (uint32_t)m->size, data + m->offset};
    }
    stage->entry = (struct vc4c_entry){
        .module = stage->spirv->module,
        .name = name_copy,
        .stage = stage->kind,
        .specs = constants,
        .spec_count = spec_count,
        .conversions = conversions,
        .conversion_count = conversion_count,
        .array_sizes = sizes,
        .array_size_count = size_count,
    };
    find_conversions(pool, layout, conversions);
    find_array_sizes(stage->spirv->module, layout, sizes);
    return VK_SUCCESS;
}

static VkResult read_interface(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage)
{
    stage->interface = vc4vk_new(device->alloc, struct vc4c_interface, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!stage->interface)
        return vc4vk_oom(device);
    return vc4vk_interface_get(device, stage->store, stage->spirv, &stage->entry, &stage->front, stage->interface);
}

static void stage_prepare(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage, enum vc4c_stage kind,
                          struct vc4vk_program_store *store)
{
    const bool must_hit = stage->front.must_hit, is_quick = stage->front.is_quick;
    memset(stage, 0, sizeof *stage);
    stage->device = device;
    vc4vk_front_init(&stage->front, device);
    stage->front.must_hit = must_hit;
    stage->front.is_quick = is_quick;
    stage->kind = kind;
    stage->store = store;
    pthread_mutex_init(&stage->compile_lock, NULL);
}

static void set_options(struct vc4c_entry *entry, const struct vc4vk_fragment_options *options)
{
    entry->clip_distances = options->clip_distances;
    entry->facing_is_input = options->facing_is_input;
    entry->two_stencils = options->two_stencils;
    entry->depth_is_input = options->depth_is_input;
    entry->clamps_depth = options->clamps_depth;
    entry->targets = options->targets;
    entry->is_smooth = options->is_smooth;
    entry->stipples = options->stipples;
}

static enum vc4c_stage vk_to_stage(VkShaderStageFlagBits stage)
{
    return stage == VK_SHADER_STAGE_VERTEX_BIT                    ? VC4C_STAGE_VERTEX
           : stage == VK_SHADER_STAGE_GEOMETRY_BIT                ? VC4C_STAGE_GEOMETRY
           : stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT    ? VC4C_STAGE_TESS_CONTROL
           : stage == VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT ? VC4C_STAGE_TESS_EVALUATION
           : stage == VK_SHADER_STAGE_TASK_BIT_EXT                ? VC4C_STAGE_TASK
           : stage == VK_SHADER_STAGE_MESH_BIT_EXT                ? VC4C_STAGE_MESH
           : stage == VK_SHADER_STAGE_COMPUTE_BIT                 ? VC4C_STAGE_COMPUTE
                                                                  : VC4C_STAGE_FRAGMENT;
}

static VkResult init_stage(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                           struct vc4vk_program_store *store, const VkPipelineShaderStageCreateInfo *info,
                           const struct vc4vk_pipeline_layout *layout, const void *chain,
                           const struct vc4vk_fragment_options *options, bool writes_records, uint8_t patch_vertices)
{
    stage_prepare(device, stage, writes_records ? VC4C_STAGE_COMPUTE : vk_to_stage(info->stage), store);
    stage->key.target = stage->kind == VC4C_STAGE_COMPUTE ? VC4C_TARGET_CPU_ENGINE : VC4C_TARGET_CHIP;
    VkResult result = vc4vk_stage_spirv(device, info, &stage->spirv);
    if (result != VK_SUCCESS)
        return result;
    result = copy_entry(device, stage, info->pName, info->pSpecializationInfo, layout);
    stage->entry.stage = vk_to_stage(info->stage);
    stage->entry.writes_records = writes_records;
    stage->entry.patch_vertices = patch_vertices;
    stage->entry.robustness = vc4vk_stage_robustness(device, info->stage, chain, info->pNext);
    stage->entry.prints = util_log_wants_prints(device->physical->instance->log);
    if (options)
        set_options(&stage->entry, options);
    return result == VK_SUCCESS ? read_interface(device, stage) : result;
}

VkResult vc4vk_pipeline_stage_init(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                   struct vc4vk_program_store *store, const VkPipelineShaderStageCreateInfo *info,
                                   const struct vc4vk_pipeline_layout *layout, const void *chain,
                                   const struct vc4vk_fragment_options *options)
{
    return init_stage(device, stage, store, info, layout, chain, options, false, 0);
}

VkResult vc4vk_pipeline_stage_init_records(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                           struct vc4vk_program_store *store,
                                           const VkPipelineShaderStageCreateInfo *info,
                                           const struct vc4vk_pipeline_layout *layout, const void *chain,
                                           uint8_t patch_vertices)
{
    return init_stage(device, stage, store, info, layout, chain, NULL, true, patch_vertices);
}

VkResult vc4vk_pipeline_stage_init_spirv(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                         struct vc4vk_program_store *store, struct vc4vk_spirv *spirv, bool stipples)
{
    stage_prepare(device, stage, VC4C_STAGE_VERTEX, store);
    stage->spirv = vc4vk_spirv_ref(spirv);
    VkResult result = copy_entry(device, stage, "main", NULL, NULL);
    stage->entry.stipples = stipples;
    return result == VK_SUCCESS ? read_interface(device, stage) : result;
}

VkResult vc4vk_pipeline_stage_init_empty(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                         struct vc4vk_program_store *store,
                                         const struct vc4vk_fragment_options *options)
{
    stage_prepare(device, stage, VC4C_STAGE_FRAGMENT, store);
    stage->is_empty = true;
    VkResult result = vc4vk_spirv_create(device, vc4vk_empty_frag_spv, sizeof vc4vk_empty_frag_spv, &stage->spirv);
    if (result == VK_SUCCESS)
        result = copy_entry(device, stage, "main", NULL, NULL);
    set_options(&stage->entry, options);
    return result == VK_SUCCESS ? read_interface(device, stage) : result;
}

VkResult vc4vk_pipeline_stage_init_like(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                        struct vc4vk_program_store *store, const struct vc4vk_pipeline_stage *from,
                                        const struct vc4vk_fragment_options *options)
{
    stage_prepare(device, stage, from->kind, store);
    stage->key.target = from->key.target;
    stage->is_empty = from->is_empty;
    stage->spirv = vc4vk_spirv_ref(from->spirv);
    stage->entry = from->entry; /* its arrays belong to `from` */
    if (options)
        set_options(&stage->entry, options);
    return read_interface(device, stage);
}

VkResult vc4vk_pipeline_stage_init_records_like(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                                struct vc4vk_program_store *store,
                                                const struct vc4vk_pipeline_stage *from)
{
    stage_prepare(device, stage, VC4C_STAGE_COMPUTE, store);
    stage->key.target = VC4C_TARGET_CPU_ENGINE;
    stage->spirv = vc4vk_spirv_ref(from->spirv);
    stage->entry = from->entry; /* its arrays belong to `from` */
    stage->entry.writes_records = true;
    return read_interface(device, stage);
}

static void variant_free(struct vc4vk_device *device, struct vc4vk_variant *variant)
{
    for (uint32_t i = 0; i < variant->program_count; i++)
        vc4vk_program_unref(variant->programs[i].program);
    vc4vk_free(VC4VK_ALLOC_INTERNAL, variant);
}

void vc4vk_pipeline_stage_finish(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage)
{
    if (!stage->spirv)
        return;
    struct vc4vk_variant *variant = atomic_load(&stage->variants);
    while (variant) {
        struct vc4vk_variant *next = variant->next;
        variant_free(device, variant);
        variant = next;
    }
    vc4vk_front_release(&stage->front);
    vc4vk_free(device->alloc, stage->stored);
    vc4vk_free(device->alloc, stage->textures);
    vc4vk_free(device->alloc, stage->interface);
    vc4vk_free(device->alloc, stage->entry_memory);
    pthread_mutex_destroy(&stage->compile_lock);
    vc4vk_spirv_unref(stage->spirv);
    stage->spirv = NULL;
}

/* ---------------------------------------------------------------- descriptors */

static bool make_slot(struct vc4vk_table_slot *slot, const struct vc4vk_pipeline_layout *layout, uint32_t set,
                      uint32_t binding, uint32_t element, enum vc4vk_entry_part part)
{
    return set < layout->set_count && layout->sets[set] &&
           vc4vk_table_slot_init(slot, layout->sets[set], set, binding, element, part);
}

static enum vc4vk_entry_part view_part(const struct vc4c_texture_ref *ref)
{
    return ref->plane ? VC4VK_PART_CHROMA_0 + ref->plane - 1u : VC4VK_PART_VIEW;
}

static bool declares_format(const struct vc4c_resource *r)
{
    return r->format != HW_FORMAT_NONE &&
           (r->kind == VC4C_RESOURCE_STORAGE_IMAGE || r->kind == VC4C_RESOURCE_STORAGE_TEXEL_BUFFER);
}

/* Whether the declared format is compared with those of the views when a draw or dispatch is recorded. */
static bool is_compared_when_recorded(const struct vc4c_resource *r)
{
    return declares_format(r) && r->access != VC4C_ACCESS_MEMORY;
}

/* The binding of a resource whose declared format is compared with those of its views when a job is issued, because
 * they are in a descriptor buffer. Else NULL. */
static const struct vc4vk_set_binding *binding_compared_at_issue(const struct vc4vk_pipeline_layout *layout,
                                                                 const struct vc4c_resource *r)
{
    if (!declares_format(r) || r->access != VC4C_ACCESS_MEMORY || r->set >= layout->set_count)
        return NULL;
    const struct vc4vk_set_layout *set = layout->sets[r->set];
    if (!set || set->kind != VC4VK_SET_IN_BUFFER || r->binding >= set->binding_count)
        return NULL;
    return vc4vk_formats_are_read(&set->bindings[r->binding]) ? &set->bindings[r->binding] : NULL;
}

static VkResult link_stored(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                            const struct vc4vk_pipeline_layout *layout)
{
    const struct vc4c_interface *interface = stage->interface;
    uint32_t count = 0;
    for (uint32_t i = 0; i < interface->resource_count; i++) {
        count += is_compared_when_recorded(&interface->resources[i]) ? interface->resources[i].count : 0u;
        stage->is_read_at_issue |= binding_compared_at_issue(layout, &interface->resources[i]) != NULL;
    }
    if (!count)
        return VK_SUCCESS;
    stage->stored = vc4vk_zalloc(device->alloc, count * sizeof *stage->stored, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!stage->stored)
        return vc4vk_oom(device);
    for (uint32_t i = 0; i < interface->resource_count; i++) {
        const struct vc4c_resource *r = &interface->resources[i];
        const enum vc4vk_entry_part part =
            r->kind == VC4C_RESOURCE_STORAGE_IMAGE ? VC4VK_PART_VIEW : VC4VK_PART_BUFFER;
        for (uint32_t e = 0; is_compared_when_recorded(r) && e < r->count; e++) {
            struct vc4vk_stage_stored *s = &stage->stored[stage->stored_count];
            s->resource = i;
            if (make_slot(&s->slot, layout, r->set, r->binding, e, part)) /* if missing, the variant's creation fails */
                stage->stored_count++;
        }
    }
    return VK_SUCCESS;
}

static VkResult link_textures(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                              const struct vc4vk_pipeline_layout *layout)
{
    uint32_t count = stage->interface->texture_count;
    if (!count)
        return VK_SUCCESS;
    stage->textures = vc4vk_zalloc(device->alloc, count * sizeof *stage->textures, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!stage->textures)
        return vc4vk_oom(device);
    for (uint32_t i = 0; i < count; i++) {
        const struct vc4c_texture_ref *ref = &stage->interface->textures[i];
        struct vc4vk_stage_texture *t = &stage->textures[i];
        t->has_sampler = !ref->fetch_only;
        bool found = make_slot(&t->view, layout, ref->image_set, ref->image_binding, ref->image_index, view_part(ref));
        if (found && t->has_sampler)
            found = make_slot(&t->sampler, layout, ref->sampler_set, ref->sampler_binding, ref->sampler_index,
                              VC4VK_PART_SAMPLER);
        if (!found)
            return vc4vk_errorf(device, VK_ERROR_UNKNOWN,
                                "'%s' samples set %u binding %u[%u], which the pipeline layout does not have",
                                stage->entry.name, ref->image_set, ref->image_binding, ref->image_index);
        stage->is_read_at_issue |= layout->sets[ref->image_set]->bindings[ref->image_binding].issue_B > 0;
    }
    return VK_SUCCESS;
}

VkResult vc4vk_pipeline_stage_link(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                   const struct vc4vk_pipeline_layout *layout)
{
    VkResult result = link_textures(device, stage, layout);
    return result == VK_SUCCESS ? link_stored(device, stage, layout) : result;
}

void vc4vk_pipeline_stage_default_classes(const struct vc4vk_pipeline_stage *stage, const struct vc4vk_state_pool *pool,
                                          const struct vc4vk_pipeline_layout *layout, uint32_t tile_inputs,
                                          struct vc4vk_classes *out)
{
    const struct vc4vk_surface_state null_view = {.kind = VC4VK_STATE_NULL};
    struct hw_sampling_class *classes = out->textures;
    memset(out->stored, HW_FORMAT_NONE, sizeof out->stored); /* views have the declared formats */
    for (uint32_t i = 0; i < stage->interface->texture_count; i++) {
        const struct vc4c_texture_ref *ref = &stage->interface->textures[i];
        const struct vc4vk_set_binding *binding =
            ref->fetch_only ? NULL : &layout->sets[ref->sampler_set]->bindings[ref->sampler_binding];
        classes[i] = is_in_tiles(ref, tile_inputs) ? tile_class(stage) : likely_class(ref);
        if (binding && binding->immutable && classes[i].method == HW_SAMPLE_NATIVE)
            classes[i] = vc4vk_sampling_class(&null_view, vc4vk_state_ptr(pool, binding->immutable[ref->sampler_index]),
                                              lookups_of(ref));
    }
}

bool vc4vk_pipeline_stage_newest_classes(const struct vc4vk_pipeline_stage *stage, uint32_t texture_count,
                                         struct vc4vk_classes *out)
{
    const struct vc4vk_variant *newest = atomic_load_explicit(&stage->variants, memory_order_acquire);
    if (!newest || stage->interface->texture_count != texture_count)
        return false;
    memset(out->stored, HW_FORMAT_NONE, sizeof out->stored);
    memcpy(out->textures, newest->textures, texture_count * sizeof out->textures[0]);
    memcpy(out->stored, newest->stored, stage->interface->resource_count);
    return true;
}

static const struct vc4vk_surface_state *bound_state(const struct vc4vk_state_pool *pool,
                                                     const struct vc4vk_table_slot *slot,
                                                     const struct vc4vk_bound_set *sets, uint32_t set_count)
{
    const struct vc4vk_set *set = slot->set < set_count ? sets[slot->set].set : NULL;
    return vc4vk_state_ptr(pool, set && slot->entry < set->entry_count ? set->entries[slot->entry] : 0);
}

/* Adds the format of one array element. When elements differ, the result is VC4C_FORMAT_ANY: the program then reads
 * each element's format from its descriptor. */
static void add_stored_format(uint8_t *format, enum hw_format bound, bool *is_first)
{
    if (bound == HW_FORMAT_NONE)
        return;
    *format = *is_first || *format == bound ? (uint8_t)bound : VC4C_FORMAT_ANY;
    *is_first = false;
}

static void find_stored_formats(const struct vc4vk_pipeline_stage *stage, const struct vc4vk_state_pool *pool,
                                const struct vc4vk_bound_set *sets, uint32_t set_count,
                                uint8_t out[VC4C_MAX_RESOURCES])
{
    memset(out, HW_FORMAT_NONE, VC4C_MAX_RESOURCES);
    for (uint32_t i = 0; i < stage->stored_count;) {
        const uint32_t resource = stage->stored[i].resource;
        bool is_first = true;
        for (; i < stage->stored_count && stage->stored[i].resource == resource; i++)
            add_stored_format(&out[resource],
                              vc4vk_stored_format(bound_state(pool, &stage->stored[i].slot, sets, set_count)),
                              &is_first);
        if (out[resource] == stage->interface->resources[resource].format)
            out[resource] = HW_FORMAT_NONE;
    }
}

void vc4vk_pipeline_stage_read_formats(const struct vc4vk_pipeline_stage *stage, const struct vc4vk_bound_set *sets,
                                       uint32_t set_count, struct vc4vk_classes *classes)
{
    for (uint32_t i = 0; i < stage->interface->resource_count; i++) {
        const struct vc4c_resource *r = &stage->interface->resources[i];
        const struct vc4vk_set_binding *b = binding_compared_at_issue(stage->layout, r);
        const struct vc4vk_set *set = b && r->set < set_count ? sets[r->set].set : NULL;
        bool is_first = true;
        for (uint32_t e = 0; set && e < b->count; e++)
            add_stored_format(&classes->stored[i], vc4vk_buffer_set_format(set, b, e), &is_first);
        if (classes->stored[i] == r->format)
            classes->stored[i] = HW_FORMAT_NONE;
    }
}

void vc4vk_pipeline_stage_bound_classes(const struct vc4vk_pipeline_stage *stage, const struct vc4vk_state_pool *pool,
                                        const struct vc4vk_bound_set *sets, uint32_t set_count, uint32_t tile_inputs,
                                        struct vc4vk_classes *out)
{
    struct hw_sampling_class *classes = out->textures;
    find_stored_formats(stage, pool, sets, set_count, out->stored);
    for (uint32_t i = 0; i < stage->interface->texture_count; i++) {
        const struct vc4vk_stage_texture *t = &stage->textures[i];
        if (is_in_tiles(&stage->interface->textures[i], tile_inputs)) {
            classes[i] = tile_class(stage);
            continue;
        }
        classes[i] = vc4vk_sampling_class(bound_state(pool, &t->view, sets, set_count),
                                          t->has_sampler ? bound_state(pool, &t->sampler, sets, set_count) : NULL,
                                          lookups_of(&stage->interface->textures[i]));
    }
}

/* ---------------------------------------------------------------- variants */

/* Resources that a program of the CPU engine reads as descriptors. Sampled resources come through the uniform stream
 * instead, unless the program asks for their descriptors: false for these. */
static bool resource_part(const struct vc4c_resource *resource, enum vc4vk_entry_part *part_out)
{
    *part_out = VC4VK_PART_ARRAY;
    if (resource->access == VC4C_ACCESS_MEMORY)
        return true;
    switch ((enum vc4c_resource_kind)resource->kind) {
    case VC4C_RESOURCE_UNIFORM_BUFFER:
    case VC4C_RESOURCE_STORAGE_BUFFER:
    case VC4C_RESOURCE_STORAGE_TEXEL_BUFFER:
        *part_out = VC4VK_PART_BUFFER;
        return true;
    case VC4C_RESOURCE_STORAGE_IMAGE:
        *part_out = VC4VK_PART_VIEW;
        return true;
    case VC4C_RESOURCE_COMBINED_IMAGE_SAMPLER:
    case VC4C_RESOURCE_SAMPLED_IMAGE:
        *part_out = VC4VK_PART_VIEW;
        return resource->access == VC4C_ACCESS_TABLE;
    case VC4C_RESOURCE_SAMPLER:
        *part_out = VC4VK_PART_SAMPLER;
        return resource->access == VC4C_ACCESS_TABLE;
    case VC4C_RESOURCE_INPUT_ATTACHMENT:
    case VC4C_RESOURCE_UNIFORM_TEXEL_BUFFER:
        break;
    }
    return false;
}

#define TYPE(type) BIT(VK_DESCRIPTOR_TYPE_##type)

/* The types whose descriptors in memory are what a program expects of the resource. Programs trust them, so others are
 * an error. */
static const uint32_t memory_types[] = {
    [VC4C_RESOURCE_UNIFORM_BUFFER] = TYPE(UNIFORM_BUFFER) | TYPE(STORAGE_BUFFER),
    [VC4C_RESOURCE_STORAGE_BUFFER] = TYPE(UNIFORM_BUFFER) | TYPE(STORAGE_BUFFER),
    [VC4C_RESOURCE_COMBINED_IMAGE_SAMPLER] = TYPE(COMBINED_IMAGE_SAMPLER) | TYPE(SAMPLED_IMAGE), /* if only fetched */
    [VC4C_RESOURCE_SAMPLED_IMAGE] = TYPE(SAMPLED_IMAGE) | TYPE(COMBINED_IMAGE_SAMPLER),
    [VC4C_RESOURCE_SAMPLER] = TYPE(SAMPLER) | TYPE(COMBINED_IMAGE_SAMPLER),
    [VC4C_RESOURCE_INPUT_ATTACHMENT] = 0,
    [VC4C_RESOURCE_UNIFORM_TEXEL_BUFFER] = TYPE(UNIFORM_TEXEL_BUFFER),
    [VC4C_RESOURCE_STORAGE_IMAGE] = TYPE(STORAGE_IMAGE),
    [VC4C_RESOURCE_STORAGE_TEXEL_BUFFER] = TYPE(STORAGE_TEXEL_BUFFER),
};

static bool suits_memory(const struct vc4vk_pipeline_layout *layout, const struct vc4c_resource *r)
{
    if (r->access != VC4C_ACCESS_MEMORY)
        return true;
    if (r->set >= layout->set_count || !layout->sets[r->set] || r->binding >= layout->sets[r->set]->binding_count)
        return false;
    const struct vc4vk_set_binding *b = &layout->sets[r->set]->bindings[r->binding];
    const uint32_t types =
        b->type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT ? b->mutable_types : BIT(vc4vk_descriptor_type_index(b->type));
    return (types & memory_types[r->kind]) != 0;
}

uint32_t vc4vk_resource_slot_count(const struct vc4c_resource *resource)
{
    enum vc4vk_entry_part part;
    return resource_part(resource, &part) ? resource->count : 0;
}

static uint32_t program_slot_count(const struct vc4c_program *p)
{
    uint32_t count = p->buffer_count + 2 * p->texture_count;
    for (uint32_t i = 0; p->is_engine && i < p->resource_count; i++)
        count += vc4vk_resource_slot_count(&p->resources[i]);
    return count;
}

/* ORDER binding table: buffers, then view and sampler per texture, then the elements of each resource of a program
 * of the CPU engine (issue resolves by this order). */
static bool fill_slots(const struct vc4c_program *p, const struct vc4vk_pipeline_layout *layout,
                       struct vc4vk_table_slot *slots)
{
    bool found = true;
    for (uint32_t i = 0; i < p->buffer_count; i++) {
        const struct vc4c_buffer_ref *ref = &p->buffers[i];
        found &= make_slot(slots++, layout, ref->set, ref->binding, ref->index, VC4VK_PART_BUFFER);
    }
    for (uint32_t i = 0; i < p->texture_count; i++) {
        const struct vc4c_texture_ref *ref = &p->textures[i];
        found &= make_slot(slots, layout, ref->image_set, ref->image_binding, ref->image_index, view_part(ref));
        slots[1] = slots[0];
        if (!ref->fetch_only)
            found &= make_slot(&slots[1], layout, ref->sampler_set, ref->sampler_binding, ref->sampler_index,
                               VC4VK_PART_SAMPLER);
        slots += 2;
    }
    for (uint32_t i = 0; p->is_engine && i < p->resource_count; i++) {
        const struct vc4c_resource *r = &p->resources[i];
        enum vc4vk_entry_part part;
        found &= suits_memory(layout, r);
        for (uint32_t e = 0; resource_part(r, &part) && e < r->count; e++)
            found &= make_slot(slots++, layout, r->set, r->binding, e, part);
    }
    return found;
}

static uint32_t list_stored_formats(const struct vc4vk_pipeline_stage *stage, const struct vc4vk_classes *classes,
                                    struct vc4c_stored_format out[VC4C_MAX_RESOURCES])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < stage->interface->resource_count; i++) {
        const struct vc4c_resource *r = &stage->interface->resources[i];
        if (classes->stored[i] != HW_FORMAT_NONE)
            out[count++] =
                (struct vc4c_stored_format){.set = r->set, .binding = r->binding, .format = classes->stored[i]};
    }
    return count;
}

static VkResult compile_programs(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage, struct vc4c_key *key,
                                 const struct vc4vk_classes *classes, uint32_t special,
                                 struct vc4vk_program *programs[VC4VK_VARIANT_PROGRAMS_MAX], uint32_t *count_out)
{
    struct vc4c_stored_format formats[VC4C_MAX_RESOURCES];
    struct vc4c_entry entry = stage->entry;
    entry.stored_formats = formats;
    entry.stored_format_count = list_stored_formats(stage, classes, formats);
    if (entry.stored_format_count) /* the front end result is for the declared formats */
        vc4vk_front_release(&stage->front);
    /* The counting program's key follows those of all replays. */
    const uint32_t replays = stage->stores_colors ? 1 : stage->replay_count;
    const uint32_t program_counts[] = {
        [VC4C_STAGE_VERTEX] = 2, [VC4C_STAGE_FRAGMENT] = replays + special, [VC4C_STAGE_COMPUTE] = 1};
    for (*count_out = 0; *count_out < program_counts[stage->kind]; ++*count_out) {
        enum vc4c_program_kind kind = VC4C_PROGRAM_COMPUTE;
        if (stage->kind == VC4C_STAGE_VERTEX) {
            kind = *count_out ? VC4C_PROGRAM_VERTEX : VC4C_PROGRAM_COORDINATE;
        } else if (stage->kind == VC4C_STAGE_FRAGMENT) {
            kind = VC4C_PROGRAM_FRAGMENT;
            const bool is_counting = *count_out == replays;
            key->fs = stage->replays[is_counting ? stage->replay_count : *count_out];
            key->stored_count = stage->stores_colors && !is_counting ? stage->replay_count - 1 : 0;
            memcpy(key->stored, stage->replays + 1, key->stored_count * sizeof key->stored[0]);
        }
        const struct vc4vk_program_info info = {stage->spirv, entry, kind, key, &stage->front};
        VkResult result = vc4vk_program_get(device, stage->store, &info, &programs[*count_out]);
        if (result != VK_SUCCESS)
            return result;
    }
    return VK_SUCCESS;
}

static bool classes_are_native(const struct hw_sampling_class *classes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (classes[i].method != HW_SAMPLE_NATIVE && classes[i].method != HW_SAMPLE_TILE)
            return false;
    return true;
}

static struct vc4c_vertex_key special_vertex_key(const struct vc4vk_pipeline_stage *stage, uint32_t special)
{
    struct vc4c_vertex_key out = stage->key.vs;
    out.recentre = (special & VC4VK_SPECIAL_RECENTRED) != 0;
    out.merge_instances = (special & VC4VK_SPECIAL_MERGED) != 0;
    if (special & VC4VK_SPECIAL_BIASES) {
        out.needs_triangle = out.biases_depth = 1;
        out.trailing_mask = stage->per_instance_mask;
    }
    return out;
}

static bool reads_word(const struct vc4c_program *p, enum vc4c_uniform_kind kind)
{
    bool reads = false;
    for (uint32_t i = 0; i < p->uniform_count; i++)
        reads |= p->uniforms[i].kind == kind;
    for (uint32_t i = 0; i < p->expr_count; i++)
        reads |= p->exprs[i].op == HW_EXPR_WORD && p->exprs[i].word.kind == kind;
    return reads;
}

static uint32_t stream_words(const struct vc4vk_variant_program *p)
{
    return p->program->compiled.lookup_count + p->program->compiled.uniform_count + 1;
}

/* Precomputes the properties of a variant that recording needs for every draw. */
static void derive_properties(struct vc4vk_variant *variant)
{
    const bool is_vertex = variant->stage->kind == VC4C_STAGE_VERTEX;
    variant->is_engine = variant->stage->is_read_at_issue;
    for (uint32_t i = 0; i < variant->program_count; i++) {
        const uint32_t words = stream_words(&variant->programs[i]);
        variant->is_engine |= variant->programs[i].program->compiled.is_engine;
        variant->reads_instance |=
            is_vertex && reads_word(&variant->programs[i].program->compiled, VC4C_UNIFORM_INSTANCE_INDEX);
        variant->reads_draw |= is_vertex && reads_word(&variant->programs[i].program->compiled, VC4C_UNIFORM_DRAW);
        variant->stream_words = is_vertex ? variant->stream_words + words : MAX2(variant->stream_words, words);
    }
    if (is_vertex)
        vc4vk_attribute_arrays_init(&variant->attributes, variant->stage->state,
                                    &variant->programs[0].program->compiled, &variant->programs[1].program->compiled);
}

static VkResult variant_create(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                               const struct vc4vk_pipeline_layout *layout, const struct vc4vk_classes *classes,
                               uint32_t special, struct vc4vk_variant **out)
{
    const uint32_t class_count = stage->interface->texture_count, resource_count = stage->interface->resource_count;
    const size_t classes_B = class_count * sizeof classes->textures[0];
    struct vc4c_key key = stage->key;
    if (stage->kind == VC4C_STAGE_VERTEX)
        key.vs = special_vertex_key(stage, special);
    key.class_count = class_count;
    memcpy(key.classes, classes->textures, classes_B);

    struct vc4vk_program *programs[VC4VK_VARIANT_PROGRAMS_MAX] = {0};
    uint32_t program_count, slot_count = 0;
    struct vc4vk_variant *variant = NULL;
    VkResult result = compile_programs(device, stage, &key, classes, special, programs, &program_count);
    if (result == VK_SUCCESS) {
        for (uint32_t i = 0; i < program_count; i++)
            slot_count += program_slot_count(&programs[i]->compiled);
        if (slot_count > VC4VK_TABLE_MAX_SLOTS)
            result = vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                                  "'%s' reads %u descriptors: a binding table holds only %u", stage->entry.name,
                                  slot_count, (uint32_t)VC4VK_TABLE_MAX_SLOTS);
    }
    if (result == VK_SUCCESS) {
        size_t head_B = util_align64(sizeof *variant + classes_B, 8);
        size_t slots_B = slot_count * sizeof *variant->slots;
        variant = vc4vk_zalloc(VC4VK_ALLOC_INTERNAL, head_B + slots_B + resource_count,
                               VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
        if (variant) {
            variant->slots = (struct vc4vk_table_slot *)((char *)variant + head_B);
            variant->stored = (uint8_t *)variant + head_B + slots_B;
        } else {
            result = vc4vk_oom(device);
        }
    }
    if (result != VK_SUCCESS) {
        for (uint32_t i = 0; i < program_count; i++)
            vc4vk_program_unref(programs[i]);
        return result;
    }

    bool found = true;
    for (uint32_t i = 0; i < program_count; i++) {
        variant->programs[i] = (struct vc4vk_variant_program){programs[i], (uint16_t)variant->slot_count};
        found &= fill_slots(&programs[i]->compiled, layout, variant->slots + variant->slot_count);
        variant->slot_count += program_slot_count(&programs[i]->compiled);
    }
    variant->stage = stage;
    variant->program_count = program_count;
    variant->special = special;
    variant->is_native = classes_are_native(classes->textures, class_count);
    derive_properties(variant);
    memcpy(variant->textures, classes->textures, classes_B);
    memcpy(variant->stored, classes->stored, resource_count);
    if (!found) {
        variant_free(device, variant);
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN, "'%s' reads a descriptor that the pipeline layout does not have",
                            stage->entry.name);
    }
    *out = variant;
    return VK_SUCCESS;
}

static struct vc4vk_variant *variant_find(const struct vc4vk_pipeline_stage *stage,
                                          const struct vc4vk_classes *classes, uint32_t special)
{
    const size_t classes_B = stage->interface->texture_count * sizeof classes->textures[0];
    struct vc4vk_variant *v = atomic_load_explicit(&stage->variants, memory_order_acquire);
    while (v && (v->special != special || memcmp(v->textures, classes->textures, classes_B) != 0 ||
                 memcmp(v->stored, classes->stored, stage->interface->resource_count) != 0))
        v = v->next;
    return v;
}

static bool has_other_stored_formats(const struct vc4vk_variant *variant)
{
    bool does = false;
    for (uint32_t i = 0; i < variant->stage->interface->resource_count; i++)
        does |= variant->stored[i] != HW_FORMAT_NONE;
    return does;
}

VkResult vc4vk_pipeline_stage_variant(struct vc4vk_device *device, struct vc4vk_pipeline_stage *stage,
                                      const struct vc4vk_pipeline_layout *layout, const struct vc4vk_classes *classes,
                                      uint32_t special, const struct vc4vk_variant **out)
{
    struct vc4vk_variant *variant = variant_find(stage, classes, special);
    if (!variant) {
        pthread_mutex_lock(&stage->compile_lock);
        stage->layout = layout;
        variant = variant_find(stage, classes, special); /* another thread may have added it meanwhile */
        VkResult result = variant ? VK_SUCCESS : variant_create(device, stage, layout, classes, special, &variant);
        vc4vk_front_release(&stage->front);
        if (result == VK_SUCCESS && variant != variant_find(stage, classes, special)) {
            variant->next = atomic_load_explicit(&stage->variants, memory_order_relaxed);
            if (special)
                util_perf("compiled another variant of '%s' while recording: %s", stage->entry.name,
                          stage->kind != VC4C_STAGE_VERTEX ? "an occlusion query counts its samples"
                          : special & VC4VK_SPECIAL_BIASES ? "the chip cannot do its depth bias (clamp or float depth)"
                          : special & VC4VK_SPECIAL_MERGED ? "small instances are merged into one draw"
                                                           : "its viewport does not fit one job");
            else if (has_other_stored_formats(variant))
                util_perf("compiled another variant of '%s' while recording: the views of its storage images have "
                          "formats other than the declared ones",
                          stage->entry.name);
            else if (variant->next)
                util_perf("compiled another variant of '%s' while recording: its views and samplers need %s code",
                          stage->entry.name, variant->is_native ? "other native" : "lowered");
            atomic_store_explicit(&stage->variants, variant, memory_order_release);
            stage->front.is_quick = true; /* later ones are compiled while a draw or dispatch is recorded */
        }
        pthread_mutex_unlock(&stage->compile_lock);
        if (result != VK_SUCCESS)
            return result;
    }
    *out = variant;
    return VK_SUCCESS;
}

static VkResult add_special(const struct vc4vk_variant *variant, uint32_t special, const struct vc4vk_variant **out)
{
    struct vc4vk_pipeline_stage *stage = variant->stage;
    struct vc4vk_classes classes = {0};
    memcpy(classes.textures, variant->textures, stage->interface->texture_count * sizeof classes.textures[0]);
    memcpy(classes.stored, variant->stored, stage->interface->resource_count);
    return vc4vk_pipeline_stage_variant(stage->device, stage, stage->layout, &classes, variant->special | special, out);
}

VkResult vc4vk_variant_recentred(const struct vc4vk_variant *variant, const struct vc4vk_variant **out)
{
    return add_special(variant, VC4VK_SPECIAL_RECENTRED, out);
}

VkResult vc4vk_variant_merged(const struct vc4vk_variant *variant, const struct vc4vk_variant **out)
{
    return add_special(variant, VC4VK_SPECIAL_MERGED, out);
}
