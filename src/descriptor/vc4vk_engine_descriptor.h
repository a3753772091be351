/* SPDX-License-Identifier: MIT
 *
 * Surface states as the descriptors that programs of the CPU engine read (hw/descriptor.h).
 */
#ifndef DESCRIPTOR_VC4VK_ENGINE_DESCRIPTOR_H
#define DESCRIPTOR_VC4VK_ENGINE_DESCRIPTOR_H

#include "descriptor/vc4vk_surface_state.h"
#include "hw/descriptor.h"

/* The engine's address of the memory of the state's resource; 0: there is none. */
uint32_t vc4vk_surface_state_addr(const struct vc4vk_surface_state *state);
/* A buffer or a storage image; its BO has the address `addr`. */
struct hw_engine_descriptor vc4vk_engine_descriptor(const struct vc4vk_surface_state *state, uint32_t addr);
/* A sampled image or a uniform texel buffer. */
struct hw_view_descriptor vc4vk_view_descriptor(const struct vc4vk_surface_state *state, uint32_t addr);
struct hw_sampler_descriptor vc4vk_sampler_descriptor(const struct vc4vk_surface_state *state);

#endif
