/* SPDX-License-Identifier: MIT
 *
 * Fixed-function state of a graphics pipeline, captured from its create info and packed where the chip has a packet for
 * it. The same dynamic-state struct lives in pipelines (what is static) and in command buffers (what is current).
 */
#ifndef UTIL_PIPELINE_STATE_H
#define UTIL_PIPELINE_STATE_H

#include <vulkan/vulkan.h>
#include "compiler/vc4c.h"
#include "device/vc4vk_device.h"
#include "device/vc4vk_memory.h"
#include "hw/cl.h"

#define VC4VK_MAX_REPLAYS (VC4VK_MAX_COLOR_ATTACHMENTS * VC4VK_MAX_PLANES)

enum vc4vk_dynamic {
    VC4VK_DYNAMIC_VIEWPORT = 1 << 0,
    VC4VK_DYNAMIC_SCISSOR = 1 << 1,
    VC4VK_DYNAMIC_LINE_WIDTH = 1 << 2,
    VC4VK_DYNAMIC_DEPTH_BIAS = 1 << 3,
    VC4VK_DYNAMIC_BLEND_CONSTANTS = 1 << 4,
    VC4VK_DYNAMIC_STENCIL_COMPARE_MASK = 1 << 5,
    VC4VK_DYNAMIC_STENCIL_WRITE_MASK = 1 << 6,
    VC4VK_DYNAMIC_STENCIL_REFERENCE = 1 << 7,
    VC4VK_DYNAMIC_ALL = (1 << 8) - 1,
};
#define VC4VK_DYNAMIC_STENCIL                                                                                          \
    (VC4VK_DYNAMIC_STENCIL_COMPARE_MASK | VC4VK_DYNAMIC_STENCIL_WRITE_MASK | VC4VK_DYNAMIC_STENCIL_REFERENCE)

struct vc4vk_stencil_face {
    uint8_t compare_mask, write_mask, reference;
};

struct vc4vk_dynamic_state {
    VkViewport viewport;
    VkRect2D scissor;
    float line_width_px;
    float depth_bias_constant, depth_bias_slope, depth_bias_clamp;
    float blend_constants[4];
    struct vc4vk_stencil_face front, back;
};

struct vc4vk_vertex_attribute {
    uint8_t binding;
    uint8_t format; /* enum hw_format; HW_FORMAT_NONE: the location is not fed */
    uint8_t format_B;
    uint32_t offset_B;
};

struct vc4vk_vertex_binding {
    uint32_t stride_B;
    bool per_instance;
    uint32_t divisor; /* of these, instances that have an element; 0: all */
};

#define VC4VK_STENCIL_WORDS_MAX 3

enum vc4vk_polygon { VC4VK_POLYGON_FILL, VC4VK_POLYGON_LINE, VC4VK_POLYGON_POINT };

/* What does not change over the life of a pipeline. */
struct vc4vk_pipeline_state {
    uint32_t dynamic_mask;            /* enum vc4vk_dynamic: taken from the command buffer */
    struct vc4vk_dynamic_state fixed; /* the rest */

    struct vc4vk_vertex_attribute attributes[VC4C_MAX_ATTRIBUTES]; /* by location */
    struct vc4vk_vertex_binding bindings[16];
    uint32_t binding_mask; /* bindings that some attribute reads */

    VkPrimitiveTopology topology;
    bool has_adjacency; /* draws name adjacent vertices, too */
    uint8_t polygon; /* enum vc4vk_polygon: what triangles are drawn as */
    bool primitive_restart;
    bool last_provokes; /* the last vertex of primitives gives flat inputs their values, not the first */
    bool rasterizer_discard;
    bool depth_bias, clamps_depth, clips_depth; /* near and far plane clip */
    float depth_unit;           /* what a depth bias of 1 is, in depth; of floats from 0.5 to 1 */
    bool depth_is_float;        /* then a bias of 1 is less for smaller depths */
    bool cull_front, cull_back; /* of triangles */
    bool front_is_clockwise;

    bool depth_test, depth_write, stencil_test;
    uint8_t depth_compare; /* CL_COMPARE_* as the packet holds it: ALWAYS without a test */
    VkStencilOpState front, back;
    uint8_t stencil_words; /* 0..3: words that the program sets up */
    bool two_stencils;     /* of lines and points that are of both faces: programs tell which */

    uint32_t sample_mask;
    bool sample_shading;               /* every draw is made for each sample */
    struct vc4c_fragment_key fragment; /* what the state decides of the keys, but for the colour */
    /* The tile buffer holds one 32-bit word a pixel: every word of every colour attachment, in their order, takes a
     * replay of the draws with a program of its own. One without colour when there is no attachment. Behind them stands
     * the key of the program that counts for occlusion queries. */
    struct vc4c_fragment_key replays[VC4VK_MAX_REPLAYS + 1];
    uint32_t replay_count;
    uint32_t written_replays; /* bit mask: those that change their colour */
    /* Bit mask of colour attachments of four channels of 16 bits that are blended by their own alpha, which stands in
     * another word than most of what it scales: they have a replay for each channel but alpha, which each word has. */
    uint32_t pairs;
};

/* What is drawn into: of the subpass. */
struct vc4vk_pipeline_target {
    uint8_t color_formats[VC4VK_MAX_COLOR_ATTACHMENTS]; /* enum hw_format by location; NONE where there is none */
    bool has_depth, has_stencil;
    uint8_t samples;
    float depth_unit; /* as in the state */
    bool depth_is_float;
};

/* Replays that an attachment of this format takes: one for each word. */
static inline uint32_t vc4vk_format_replays(enum hw_format format)
{
    return util_div_round_up(hw_format_info(format)->block_B, 4);
}

/* VK_SUCCESS, or the code of what this driver refuses, logged. */
VkResult vc4vk_pipeline_state_init(const void *object, struct vc4vk_pipeline_state *state,
                                   const VkGraphicsPipelineCreateInfo *info,
                                   const struct vc4vk_pipeline_target *target);

/* Every draw is to be made for each sample, if there are several. */
void vc4vk_pipeline_state_shade_samples(struct vc4vk_pipeline_state *state);

/* Topology class of the chip, and the CL_PRIM_* mode that draws it. */
enum vc4c_primitive vc4vk_topology_class(VkPrimitiveTopology topology);
uint8_t vc4vk_topology_mode(VkPrimitiveTopology topology);

/* Do programs write depth where the chip would? */
bool vc4vk_shader_writes_depth(const struct vc4vk_pipeline_state *state);

/* Is there a bias that the chip cannot make? It cannot clamp a slope, and its steps do not depend on the depth. Then
 * programs that see the triangle make it. */
bool vc4vk_shader_biases_depth(const struct vc4vk_pipeline_state *state, const struct vc4vk_dynamic_state *dynamic);
/* The packet, as far as the chip biases. */
struct cl_depth_offset vc4vk_depth_offset(const struct vc4vk_pipeline_state *state,
                                          const struct vc4vk_dynamic_state *dynamic);

/* Early depth tests are safe with this state [hardware notes 5.4]. */
bool vc4vk_pipeline_state_early_z(const struct vc4vk_pipeline_state *state, bool shader_writes_depth);

/* The packets that the pipeline fixes, ready to copy into a binning list. Returns their size in bytes. */
#define VC4VK_PIPELINE_PACKETS_MAX_B                                                                                   \
    (CL_CONFIGURATION_BITS_SIZE_B + CL_FLAT_SHADE_FLAGS_SIZE_B + CL_DEPTH_OFFSET_SIZE_B + CL_LINE_WIDTH_SIZE_B +       \
     CL_POINT_SIZE_SIZE_B)
uint32_t vc4vk_pipeline_state_pack(const struct vc4vk_pipeline_state *state, bool early_z, uint32_t flat_mask,
                                   uint8_t out[VC4VK_PIPELINE_PACKETS_MAX_B]);

/* The stencil configuration words for the current dynamic values; fills state->stencil_words of them. */
void vc4vk_pipeline_state_stencil_words(const struct vc4vk_pipeline_state *state,
                                        const struct vc4vk_dynamic_state *dynamic,
                                        uint32_t words_out[VC4VK_STENCIL_WORDS_MAX]);

/* Copies the groups in `mask` (enum vc4vk_dynamic) from one to the other. Returns those that were others before. */
uint32_t vc4vk_dynamic_state_copy(struct vc4vk_dynamic_state *to, const struct vc4vk_dynamic_state *from,
                                  uint32_t mask);

#endif
