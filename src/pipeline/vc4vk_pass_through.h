/* SPDX-License-Identifier: MIT
 *
 * The vertex stage that draws records (vc4c.h): a shader that copies attributes to outputs, made for the words that a
 * geometry stage writes, and the vertex input that describes those attributes in memory. Everything behind it works as
 * with a shader of the application: clipping, culling, layers, viewports, polygon modes.
 */
#ifndef PIPELINE_VC4VK_PASS_THROUGH_H
#define PIPELINE_VC4VK_PASS_THROUGH_H

#include "pipeline/vc4vk_pipeline_state.h"
#include "pipeline/vc4vk_shader_module.h"

/* The record's words that are drawn, in ascending order. In memory a vertex has these words, one after the other. */
struct vc4vk_pass_through {
    uint8_t words[VC4C_DRAWN_WORDS];
    uint32_t count;
};

/* `reader`: the fragment stage; outputs that it does not read are not drawn. NULL: all are. `numbers`, `stipples`:
 * records get the primitive's number, the place of its lines in the stipple pattern, when they are drawn. */
void vc4vk_pass_through_init(struct vc4vk_pass_through *out, const struct vc4c_interface *writer,
                             const struct vc4c_interface *reader, bool numbers, bool stipples);
/* The SPIR-V of the stage, whose entry point is "main". */
VkResult vc4vk_pass_through_spirv(struct vc4vk_device *device, const struct vc4vk_pass_through *pass,
                                  struct vc4vk_spirv **out);
/* Bytes of a vertex in memory. */
static inline uint32_t vc4vk_pass_through_stride_B(const struct vc4vk_pass_through *pass)
{
    return util_align(4 * pass->count, 16);
}
struct vc4vk_vertex_input vc4vk_pass_through_input(const struct vc4vk_pass_through *pass);

#endif
