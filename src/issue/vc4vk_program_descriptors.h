/* SPDX-License-Identifier: MIT
 *
 * A program's descriptors, resolved through a recorded binding table, and the uniform words that depend on them.
 */
#ifndef ISSUE_VC4VK_PROGRAM_DESCRIPTORS_H
#define ISSUE_VC4VK_PROGRAM_DESCRIPTORS_H

#include "descriptor/vc4vk_engine_descriptor.h"
#include "pipeline/vc4vk_pipeline_stage.h"

struct vc4vk_program_descriptors {
    const struct vc4c_program *program;
    const struct vc4vk_state_pool *pool;
    const struct vc4vk_binding_table *table;
    uint32_t first_slot; /* the program's first slot in the table */
};

/* The state of buffers[ref], or of the view or sampler of textures[ref]. Never NULL. */
const struct vc4vk_surface_state *vc4vk_program_buffer(const struct vc4vk_program_descriptors *d, uint32_t ref);
const struct vc4vk_surface_state *vc4vk_program_texture(const struct vc4vk_program_descriptors *d, uint32_t ref,
                                                        bool sampler);

/* The uniform's word. False when it does not depend on buffers or textures. */
bool vc4vk_program_descriptor_word(const struct vc4vk_program_descriptors *d, const struct vc4c_uniform *u,
                                   uint32_t *out);

/* Programs of the CPU engine: the bytes of each descriptor that the binding table leads to. */
uint32_t vc4vk_program_descriptor_B(const struct vc4c_program *program);
/* Writes the descriptor of an element of a resource; its BO has the address `addr`, 0: there is none. */
void vc4vk_program_descriptor_write(const struct vc4c_resource *resource, const struct vc4vk_surface_state *state,
                                    uint32_t addr, void *out);

#endif
