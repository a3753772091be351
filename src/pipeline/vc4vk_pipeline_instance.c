/* SPDX-License-Identifier: MIT
 *
 * Instances of pipelines with dynamic state that is lowered into programs and packets, and of those that are drawn with
 * in dynamic passes whose attachments differ from the pipeline's: each is a pipeline for one combination of values, and
 * lives as long as the pipeline. The first draw with a combination creates its instance;
 * most of its programs are found in the store, since few values change code. Instances are only added at the head of a
 * list, so finding one takes no lock. None is held while one is created either, because that calls the application's
 * allocation callbacks.
 */
#include <string.h>
#include "pipeline/vc4vk_pipeline.h"
#include "util/log.h"

bool vc4vk_pipeline_is_for(const struct vc4vk_pipeline *instance, const struct vc4vk_choice *choice,
                           const struct vc4vk_vertex_input *input)
{
    return !memcmp(&instance->state.choice, choice, sizeof *choice) &&
           (!input || vc4vk_vertex_input_is_equal(
                          instance->expander ? &instance->state.application.input : &instance->state.input, input));
}

/* Searches the list from `p` up to `end`, which is not looked at. NULL: it is not there. */
static struct vc4vk_pipeline *find(struct vc4vk_pipeline *p, const struct vc4vk_pipeline *end,
                                   const struct vc4vk_choice *choice, const struct vc4vk_vertex_input *input)
{
    while (p != end && !vc4vk_pipeline_is_for(p, choice, input))
        p = p->next_instance;
    return p != end ? p : NULL;
}

/* The stages of the pipeline for the instance's state. */
static VkResult init_stages(struct vc4vk_pipeline *instance, const struct vc4vk_pipeline *from)
{
    struct vc4vk_device *device = instance->device;
    VkResult result = vc4vk_pipeline_stage_init_like(device, &instance->vertex, instance->store, &from->vertex, NULL);
    if (result != VK_SUCCESS)
        return result;
    struct vc4vk_fragment_options options = vc4vk_pipeline_fragment_options(instance);
    if (instance->state.polygon ==
        from->state.polygon) /* else vc4vk_cmd_retarget.c could not keep the vertex program */
        options.two_stencils |= from->state.two_stencils;
    result = instance->state.rasterizer_discard
                 ? vc4vk_pipeline_stage_init_empty(device, &instance->fragment, instance->fragment_store, &options)
                 : vc4vk_pipeline_stage_init_like(device, &instance->fragment, instance->fragment_store,
                                                  &from->fragment, &options);
    if (result == VK_SUCCESS && instance->state.stipples && !instance->expander)
        result = vc4vk_expander_init_instance(instance, from);
    return result;
}

static VkResult create(struct vc4vk_pipeline *from, const struct vc4vk_choice *choice,
                       const struct vc4vk_vertex_input *input, struct vc4vk_pipeline **out)
{
    struct vc4vk_pipeline *instance =
        vc4vk_pipeline_new(from->device, vc4vk_pipeline_layout_to_handle(from->layout), from->store, NULL);
    if (!instance)
        return vc4vk_oom(from->device);
    vc4vk_pipeline_use_stores(instance, from->store, from->fragment_store);
    vc4vk_pipeline_set_quick(instance);
    instance->state = from->state;
    instance->tile_inputs = from->tile_inputs;
    instance->expander = from->expander;
    if (from->expander) /* until vc4vk_expander_use_input */
        instance->state.input = from->state.application.input;
    if (input)
        instance->state.input = *input;
    VkResult result = vc4vk_pipeline_state_choose(from->device, &instance->state, choice);
    if (result == VK_SUCCESS)
        result = init_stages(instance, from);
    if (result == VK_SUCCESS)
        result = vc4vk_pipeline_finish_init(instance, from);
    if (result != VK_SUCCESS) {
        vc4vk_pipeline_free(instance, NULL);
        return result;
    }
    util_perf("created another instance of a pipeline ('%s') while recording: for other dynamic state or attachments",
              from->vertex.entry.name);
    *out = instance;
    return VK_SUCCESS;
}

/* Returns the instance that is in the list: another one if another thread has added it meanwhile. */
static struct vc4vk_pipeline *add(struct vc4vk_pipeline *pipeline, struct vc4vk_pipeline *instance,
                                  struct vc4vk_pipeline *looked_at, const struct vc4vk_choice *choice,
                                  const struct vc4vk_vertex_input *input)
{
    struct vc4vk_pipeline *head = looked_at;
    instance->next_instance = head;
    while (!atomic_compare_exchange_weak_explicit(&pipeline->instances, &head, instance, memory_order_acq_rel,
                                                  memory_order_acquire)) {
        struct vc4vk_pipeline *other = find(head, looked_at, choice, input);
        if (other) {
            vc4vk_pipeline_free(instance, NULL);
            return other;
        }
        instance->next_instance = looked_at = head;
    }
    return instance;
}

VkResult vc4vk_pipeline_instance(struct vc4vk_pipeline *pipeline, const struct vc4vk_choice *choice,
                                 const struct vc4vk_vertex_input *input, struct vc4vk_pipeline **out)
{
    struct vc4vk_pipeline *head = atomic_load_explicit(&pipeline->instances, memory_order_acquire);
    *out = vc4vk_pipeline_is_for(pipeline, choice, input) ? pipeline : find(head, NULL, choice, input);
    if (*out)
        return VK_SUCCESS;
    struct vc4vk_pipeline *instance = NULL;
    VkResult result = create(pipeline, choice, input, &instance);
    if (result == VK_SUCCESS)
        *out = add(pipeline, instance, head, choice, input);
    return result;
}
