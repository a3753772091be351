/* SPDX-License-Identifier: MIT
 *
 * Makes pipelines for the shaders of the corpus (tests/unit/compiler/corpus): their layouts, render passes and the
 * missing other stage. A shader's layout contains only the bindings that the shader decorates:
 *
 *   set 0   0 uniform buffer, 1 storage buffer, 2 to 4 uniform texel buffers: float, int, uint
 *   set 1   a combined image sampler per kind of image; 13, 20, 21 sampled images; 14, 22 samplers; 15 an array of four
 *   set 2   input attachments: 0 float, 1 uint
 *   128 B of push constants; attributes 0 to 3
 */
#ifndef CORPUS_PIPELINE_H
#define CORPUS_PIPELINE_H

#include <vulkan/vulkan.h>
#include "../../tests/unit/compiler/corpus_list.h"

#define CORPUS_SETS        3
#define CORPUS_PUSH_B      128
#define CORPUS_ATTRIBUTES  4
#define CORPUS_ATTACHMENTS 2 /* colour, and one to read as input: uint where the colour is, else float */

/* Objects that all shaders share. */
struct corpus_common {
    VkRenderPass passes[3][2];       /* by type of output 0; [1]: with input attachments */
    VkShaderModule vertex, fragment; /* the other stage for shaders of the corpus */
    VkShaderModule fragment_without_input;
};

/* The finish functions must also be called after a failed init. */
VkResult corpus_common_init(VkDevice device, struct corpus_common *c);
void corpus_common_finish(VkDevice device, struct corpus_common *c);

/* The layouts of one shader. */
struct corpus_layout {
    uint32_t bindings[CORPUS_SETS]; /* bit masks of the bindings in use */
    VkDescriptorSetLayout sets[CORPUS_SETS];
    VkPipelineLayout layout;
};

VkResult corpus_layout_init(VkDevice device, const struct corpus_shader *shader, struct corpus_layout *l);
void corpus_layout_finish(VkDevice device, struct corpus_layout *l);
VkDescriptorType corpus_descriptor_type(uint32_t set, uint32_t binding);
uint32_t corpus_descriptor_count(uint32_t set, uint32_t binding);

VkFormat corpus_color_format(enum corpus_type type);
/* Whether the shader reads input attachments. */
bool corpus_reads_attachments(const struct corpus_shader *shader);
VkRenderPass corpus_pass(const struct corpus_common *c, const struct corpus_shader *shader);

/* Creates a pipeline with a square viewport of `size_px`. `module` is the shader's module. Vertex shaders are drawn as
 * a triangle list, fragment shaders with a triangle strip of four vertices from gl_VertexIndex. */
VkResult corpus_pipeline_create(VkDevice device, const struct corpus_common *c, const struct corpus_layout *l,
                                const struct corpus_shader *shader, VkShaderModule module, uint32_t size_px,
                                VkPipeline *out);

#endif
