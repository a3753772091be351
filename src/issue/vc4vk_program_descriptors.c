/* SPDX-License-Identifier: MIT
 *
 * The descriptors that a program of the CPU engine reads through its binding table.
 */
#include <string.h>
#include "issue/vc4vk_program_descriptors.h"

uint32_t vc4vk_program_descriptor_B(const struct vc4c_program *program)
{
    bool has_views = false;
    for (uint32_t i = 0; i < program->resource_count; i++)
        has_views |= program->resources[i].access == VC4C_ACCESS_TABLE;
    return has_views ? sizeof(struct hw_view_descriptor) : sizeof(struct hw_engine_descriptor);
}

void vc4vk_program_descriptor_write(const struct vc4c_resource *resource, const struct vc4vk_surface_state *state,
                                    uint32_t addr, void *out)
{
    if (resource->access != VC4C_ACCESS_TABLE) {
        const struct hw_engine_descriptor d =
            addr ? vc4vk_engine_descriptor(state, addr) : (struct hw_engine_descriptor){0};
        memcpy(out, &d, sizeof d);
    } else if (resource->kind == VC4C_RESOURCE_SAMPLER) {
        const struct hw_sampler_descriptor d = vc4vk_sampler_descriptor(state);
        memcpy(out, &d, sizeof d);
    } else {
        const struct hw_view_descriptor d = vc4vk_view_descriptor(state, addr);
        memcpy(out, &d, sizeof d);
    }
}
