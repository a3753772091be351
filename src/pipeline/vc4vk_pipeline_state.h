/* SPDX-License-Identifier: MIT
 *
 * Fixed-function state of a graphics pipeline, captured from its create info and packed into the chip's packets where
 * possible. Pipelines hold their static values in the same dynamic-state struct in which command buffers hold the
 * current values.
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
    VC4VK_DYNAMIC_LINE_STIPPLE = 1 << 8,
    VC4VK_DYNAMIC_ALL = (1 << 9) - 1,
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
    uint16_t stipple_factor, stipple_pattern; /* of lines; the factor is at least 1 */
    float depth_bias_constant, depth_bias_slope, depth_bias_clamp;
    float blend_constants[4];
    struct vc4vk_stencil_face front, back;
};

/* The viewports and scissors after the first ones, which are in struct vc4vk_dynamic_state. */
struct vc4vk_more_viewports {
    VkViewport viewports[VC4VK_MAX_VIEWPORTS - 1];
    VkRect2D scissors[VC4VK_MAX_VIEWPORTS - 1];
};

/* State that is lowered into programs and packets, or that says how vertices are assembled, as the application gives
 * it. Where such state is dynamic, a pipeline has an instance for each combination of values that draws use. */
enum vc4vk_choice_bit {
    VC4VK_CHOICE_CULL_MODE = 1 << 0,
    VC4VK_CHOICE_FRONT_FACE = 1 << 1,
    VC4VK_CHOICE_TOPOLOGY = 1 << 2,
    VC4VK_CHOICE_RESTART = 1 << 3,
    VC4VK_CHOICE_DISCARD = 1 << 4,
    VC4VK_CHOICE_DEPTH_BIAS = 1 << 5,
    VC4VK_CHOICE_DEPTH_TEST = 1 << 6,
    VC4VK_CHOICE_DEPTH_WRITE = 1 << 7,
    VC4VK_CHOICE_DEPTH_COMPARE = 1 << 8,
    VC4VK_CHOICE_STENCIL_TEST = 1 << 9,
    VC4VK_CHOICE_STENCIL_OP = 1 << 10,
    VC4VK_CHOICE_LOGIC_OP = 1 << 11,
    VC4VK_CHOICE_COLOR_WRITES = 1 << 12,
    VC4VK_CHOICE_VERTEX_INPUT = 1 << 13, /* struct vc4vk_vertex_input instead of a field of struct vc4vk_choice */
    VC4VK_CHOICE_POLYGON_MODE = 1 << 14,
    VC4VK_CHOICE_DEPTH_CLAMP = 1 << 15,
    VC4VK_CHOICE_DEPTH_CLIP = 1 << 16,
    VC4VK_CHOICE_PROVOKING_VERTEX = 1 << 17,
    VC4VK_CHOICE_SAMPLES = 1 << 18,
    VC4VK_CHOICE_SAMPLE_MASK = 1 << 19,
    VC4VK_CHOICE_ALPHA_TO_COVERAGE = 1 << 20,
    VC4VK_CHOICE_ALPHA_TO_ONE = 1 << 21,
    VC4VK_CHOICE_LOGIC_OP_ENABLE = 1 << 22,
    VC4VK_CHOICE_BLEND_ENABLE = 1 << 23,
    VC4VK_CHOICE_BLEND_EQUATION = 1 << 24,
    VC4VK_CHOICE_WRITE_MASK = 1 << 25,
    VC4VK_CHOICE_LINE_MODE = 1 << 26,
    VC4VK_CHOICE_PATCH_VERTICES = 1 << 27,
    VC4VK_CHOICE_DOMAIN_ORIGIN = 1 << 28,
    VC4VK_CHOICE_SYMMETRIC_DEPTH = 1 << 29,
    VC4VK_CHOICE_STREAM = 1 << 30,
};
#define VC4VK_CHOICE_STIPPLE BIT(31) /* too large for an enumerator */

struct vc4vk_stencil_ops {
    uint8_t fail, pass, depth_fail; /* VkStencilOp */
    uint8_t compare;                /* VkCompareOp */
};

/* The attachments that a draw goes to, as far as programs and packets depend on them. Only bytes. */
struct vc4vk_target {
    uint8_t colors[VC4VK_MAX_COLOR_ATTACHMENTS]; /* enum hw_format in memory, by location; HW_FORMAT_NONE if unused */
    uint8_t depth;                               /* enum vc4vk_target_depth */
    uint8_t dithers;                             /* VK_EXT_legacy_dithering; a bool */
};

#define VC4VK_NO_LOCATION UINT8_MAX

enum vc4vk_target_depth {
    VC4VK_TARGET_DEPTH = 1 << 0,
    VC4VK_TARGET_STENCIL = 1 << 1,
    VC4VK_TARGET_16_BITS = 1 << 2, /* of depth, in Vulkan; memory has 24 for all formats */
    VC4VK_TARGET_FLOAT = 1 << 3,
};

/* HW_FORMAT_NONE for VK_FORMAT_UNDEFINED and for formats that cannot be rendered to. */
uint8_t vc4vk_target_color(VkFormat format);
uint8_t vc4vk_target_depth(VkFormat depth, VkFormat stencil);

/* As in struct vc4c_fragment_key. */
struct vc4vk_blend_equation {
    uint8_t src_color, dst_color, color_op;
    uint8_t src_alpha, dst_alpha, alpha_op;
};

enum vc4vk_clip { VC4VK_CLIP_NEVER, VC4VK_CLIP_ALWAYS, VC4VK_CLIP_UNLESS_CLAMPED };

/* What a depth bias constant counts. ORDER: VkDepthBiasRepresentationEXT. */
enum vc4vk_bias_unit {
    VC4VK_BIAS_FORMAT, /* the smallest difference of depths in the format, which for floats depends on the depth */
    VC4VK_BIAS_UNORM,  /* that of a normalized format, also for floats */
    VC4VK_BIAS_DEPTH,  /* the depth itself */
};

#define VC4VK_ALL_SAMPLES 0xfu

/* Only bytes, so that it has no padding and can be compared as memory. */
struct vc4vk_choice {
    struct vc4vk_target target; /* differs from the pipeline's own where a dynamic pass has other attachments */
    uint8_t cull_mode;          /* VkCullModeFlags */
    uint8_t front_face;         /* VkFrontFace */
    uint8_t topology;           /* VkPrimitiveTopology */
    uint8_t restart, discard, depth_bias;
    uint8_t bias_unit; /* enum vc4vk_bias_unit; dynamic together with the bias, not by a bit of its own */
    uint8_t depth_test, depth_write;
    uint8_t depth_compare; /* VkCompareOp */
    uint8_t stencil_test;
    struct vc4vk_stencil_ops front, back;
    uint8_t logic_op_enable;
    uint8_t logic_op;      /* VkLogicOp */
    uint8_t color_writes;  /* bit mask by attachment */
    uint8_t polygon_mode;  /* VkPolygonMode */
    uint8_t line_mode;     /* VkLineRasterizationModeEXT */
    uint8_t stipples;      /* a bool: lines, where any are drawn, have a stipple */
    uint8_t patch_vertices; /* patchControlPoints */
    uint8_t domain_origin;  /* VkTessellationDomainOrigin */
    uint8_t stream;         /* as below */
    uint8_t last_provokes; /* flat inputs have the values of a primitive's last vertex instead of the first */
    uint8_t depth_clamp;
    uint8_t depth_clip;  /* enum vc4vk_clip */
    uint8_t symmetric_depth; /* as below */
    uint8_t samples;     /* VkSampleCountFlagBits */
    uint8_t sample_mask; /* of VC4VK_ALL_SAMPLES */
    uint8_t alpha_to_coverage, alpha_to_one;
    uint8_t blends;                                   /* bit mask by attachment */
    uint8_t write_masks[VC4VK_MAX_COLOR_ATTACHMENTS]; /* VkColorComponentFlags */
    struct vc4vk_blend_equation equations[VC4VK_MAX_COLOR_ATTACHMENTS];
    /* The output location that is written to each colour attachment: VK_KHR_dynamic_rendering_local_read may exchange
     * them. VC4VK_NO_LOCATION: none. Always the pipeline's own; shader objects take those of the pass. */
    uint8_t color_locations[VC4VK_MAX_COLOR_ATTACHMENTS];
};

/* Lets the choice draw to `target`. Nothing is written to the attachments that `own`, those that the draw was made for,
 * lacks, and they are not tested. */
void vc4vk_choice_set_target(struct vc4vk_choice *choice, const struct vc4vk_target *own,
                             const struct vc4vk_target *target);

struct vc4vk_vertex_attribute {
    uint8_t binding;
    uint8_t format; /* enum hw_format; HW_FORMAT_NONE: the location has no attribute */
    uint8_t size_B; /* from offset_B to the end of the application's attribute, which may go on in the next location */
    uint32_t offset_B;
};

struct vc4vk_vertex_binding {
    uint32_t stride_B;
    bool per_instance;
    uint32_t divisor; /* per-instance bindings: instances that share an element; 0: all instances */
};

struct vc4vk_vertex_input {
    struct vc4vk_vertex_attribute attributes[VC4C_MAX_ATTRIBUTES]; /* by location */
    struct vc4vk_vertex_binding bindings[VC4VK_MAX_VERTEX_BINDINGS];
    uint32_t binding_mask; /* bindings used by any attribute */
};

#define VC4VK_STENCIL_WORDS_MAX 3

/* How lines are drawn: as the chip does it (parallelograms, which Vulkan calls not strict), as the chip does it with a
 * width of whole pixels and all samples of a pixel alike (Bresenham lines), or as rectangles of two triangles. Smooth
 * ones are larger, and their programs multiply alpha by the part of a pixel that is covered; all samples are alike,
 * too.
 */
enum vc4vk_lines { VC4VK_LINES_CHIP, VC4VK_LINES_BRESENHAM, VC4VK_LINES_RECTANGLES, VC4VK_LINES_SMOOTH };

enum vc4vk_polygon { VC4VK_POLYGON_FILL, VC4VK_POLYGON_LINE, VC4VK_POLYGON_POINT };

/* State that never changes after a pipeline, or an instance of it, has been created. */
struct vc4vk_pipeline_state {
    uint32_t dynamic_mask;            /* enum vc4vk_dynamic: groups taken from the command buffer */
    struct vc4vk_dynamic_state fixed; /* values of all other groups */
    struct vc4vk_more_viewports more_fixed;
    uint32_t viewport_count; /* 0: dynamic */
    bool selects_viewports;  /* the vertex stage does, for each primitive; set with the stages */

    uint32_t choice_mask;       /* enum vc4vk_choice_bit: what the command buffer chooses */
    struct vc4vk_choice choice; /* what the fields below are derived from; of the groups above, placeholders */

    struct vc4vk_vertex_input input;
    bool has_bound_strides; /* strides are bound with the buffers, instead of those in `input` */
    bool exact_attributes; /* each attribute is zero exactly if it is not in its buffer, as robustBufferAccess2 wants */

    /* With an expander, the state describes how its records are drawn, and this is what the application gave. */
    struct {
        struct vc4vk_vertex_input input;
        VkPrimitiveTopology topology;
        bool restart;
        uint32_t patch_vertices; /* of patches */
        bool is_lower_left;      /* the tessellation domain's origin */
    } application;
    uint32_t stream;     /* of a geometry stage: the one that is drawn */
    bool expands, emits; /* there is an expander; it emits this topology, else the same primitives */
    VkPrimitiveTopology emitted_topology;

    VkPrimitiveTopology topology;
    bool has_adjacency; /* the application's topology has adjacent vertices, which are skipped */
    uint8_t polygon;    /* enum vc4vk_polygon: how triangles are drawn */
    uint8_t lines;      /* enum vc4vk_lines; VC4VK_LINES_CHIP unless lines are drawn */
    bool stipples;      /* lines are drawn, with a stipple */
    bool primitive_restart;
    bool last_provokes;
    bool rasterizer_discard;
    bool depth_bias, clamps_depth, clips_depth; /* clips_depth: near and far plane clip */
    bool symmetric_depth;                       /* z of clip space is from -w to w, else from 0 to w */
    float depth_unit;           /* depth of a bias constant of 1; for float formats, at depths from 0.5 to 1 */
    bool depth_is_float; /* a bias constant of 1 is then smaller for smaller depths, unless the bias unit differs */
    bool bias_is_depth;  /* VC4VK_BIAS_DEPTH */
    bool cull_front, cull_back; /* false unless triangles are drawn */
    bool front_is_clockwise;

    bool has_depth, has_stencil; /* of the attachments */
    bool depth_test, depth_write, stencil_test;
    uint8_t depth_compare; /* CL_COMPARE_* as the packet holds it: ALWAYS without a test */
    VkStencilOpState front, back;
    uint8_t stencil_words; /* 0..3: stencil configuration words that the program writes */
    bool two_stencils;     /* triangles drawn as lines or points with two stencil states: programs select the face */

    uint32_t sample_mask;
    float min_sample_shading;          /* the share of samples that must be shaded apart; 0: none */
    bool sample_shading;               /* every draw is repeated for each sample */
    struct vc4c_fragment_key fragment; /* the part of the fragment keys that does not depend on the colour */
    /* The tile buffer holds one 32-bit word per pixel. Each word of each colour attachment, in order, therefore needs a
     * replay of the draws with a program of its own. Without attachments there is one replay without colour. The last
     * key, after all replays, is for the program that counts samples for occlusion queries. */
    struct vc4c_fragment_key replays[VC4VK_MAX_REPLAYS + 1];
    uint32_t replay_count;
    uint32_t written_replays; /* bit mask of the replays that write colour */
    /* Bit mask of colour attachments with four 16-bit channels whose blending reads destination alpha. Alpha is in a
     * different word than red and green, so there is a replay for each channel except alpha; the word of each such
     * replay holds a pair of that channel and alpha. */
    uint32_t pairs;
    bool blends_apart; /* blending reads destination alpha that is a word of its own, of a texel of 128 bits */
};

/* Number of replays for an attachment of this format: one per word. */
static inline uint32_t vc4vk_format_replays(enum hw_format format)
{
    return util_div_round_up(hw_format_info(format)->block_B, 4);
}

/* Captures the state. Unsupported state is logged and its error code returned. `locations`: the color_locations of the
 * choice. */
VkResult vc4vk_pipeline_state_init(const void *object, struct vc4vk_pipeline_state *state,
                                   const VkGraphicsPipelineCreateInfo *info, const struct vc4vk_target *target,
                                   const uint8_t locations[VC4VK_MAX_COLOR_ATTACHMENTS]);

/* Derives everything that depends on the choice. Unsupported choices are logged and their error code returned. */
VkResult vc4vk_pipeline_state_choose(const void *object, struct vc4vk_pipeline_state *state,
                                     const struct vc4vk_choice *choice);

/* The enum vc4vk_bias_unit that the chain asks for. */
uint8_t vc4vk_bias_unit(const void *chain);

/* The part for colours (vc4vk_pipeline_colors.c). `info` may be NULL if all of it is dynamic. */
struct vc4vk_blend_equation vc4vk_blend_equation(const VkColorBlendEquationEXT *e);
void vc4vk_pipeline_state_init_colors(struct vc4vk_pipeline_state *state,
                                      const VkPipelineColorBlendStateCreateInfo *info);
VkResult vc4vk_pipeline_state_choose_replays(const void *object, struct vc4vk_pipeline_state *state,
                                             const struct vc4vk_choice *choice);

/* Add to a zeroed vertex input. Unsupported formats and indices are logged and their error code returned. */
VkResult vc4vk_vertex_input_add_binding(const void *object, struct vc4vk_vertex_input *input,
                                        const VkVertexInputBindingDescription2EXT *binding);
VkResult vc4vk_vertex_input_add_attribute(const void *object, struct vc4vk_vertex_input *input,
                                          const VkVertexInputAttributeDescription2EXT *attribute);
bool vc4vk_vertex_input_is_equal(const struct vc4vk_vertex_input *a, const struct vc4vk_vertex_input *b);

/* Enables sample shading when there are several samples: every draw is then repeated for each sample. */
void vc4vk_pipeline_state_shade_samples(struct vc4vk_pipeline_state *state);

/* The chip's topology class, and the CL_PRIM_* mode for the topology. */
enum vc4c_primitive vc4vk_topology_class(VkPrimitiveTopology topology);
uint8_t vc4vk_topology_mode(VkPrimitiveTopology topology);

static inline bool vc4vk_draws_rectangles(const struct vc4vk_pipeline_state *state)
{
    return state->lines == VC4VK_LINES_RECTANGLES || state->lines == VC4VK_LINES_SMOOTH;
}

/* The width with which lines are drawn where the application asks for `width_px`. */
float vc4vk_line_width_px(const struct vc4vk_pipeline_state *state, float width_px);

/* Whether fragment programs must write depth instead of the chip (depth clamp, or no depth clipping). */
bool vc4vk_shader_writes_depth(const struct vc4vk_pipeline_state *state);

/* Whether vertex programs that see the whole triangle must apply the depth bias because the chip cannot: it cannot
 * clamp a sloped bias, and its unit does not depend on the depth. */
bool vc4vk_shader_biases_depth(const struct vc4vk_pipeline_state *state, const struct vc4vk_dynamic_state *dynamic);
/* The depth-offset packet; zero when the chip cannot apply the bias. */
struct cl_depth_offset vc4vk_depth_offset(const struct vc4vk_pipeline_state *state,
                                          const struct vc4vk_dynamic_state *dynamic);

/* Whether early depth tests are safe with this state [hardware notes 5.4]. */
bool vc4vk_pipeline_state_early_z(const struct vc4vk_pipeline_state *state, bool shader_writes_depth);

/* Packs the packets that depend on the pipeline only, ready to copy into a binning list. Returns their size in bytes.
 */
#define VC4VK_PIPELINE_PACKETS_MAX_B                                                                                   \
    (CL_CONFIGURATION_BITS_SIZE_B + CL_FLAT_SHADE_FLAGS_SIZE_B + CL_DEPTH_OFFSET_SIZE_B + CL_LINE_WIDTH_SIZE_B +       \
     CL_POINT_SIZE_SIZE_B)
uint32_t vc4vk_pipeline_state_pack(const struct vc4vk_pipeline_state *state, bool early_z, uint32_t flat_mask,
                                   uint8_t out[VC4VK_PIPELINE_PACKETS_MAX_B]);

/* Computes the stencil configuration words for the current dynamic values: state->stencil_words of them. */
void vc4vk_pipeline_state_stencil_words(const struct vc4vk_pipeline_state *state,
                                        const struct vc4vk_dynamic_state *dynamic,
                                        uint32_t words_out[VC4VK_STENCIL_WORDS_MAX]);

/* Copies the groups in `mask` (enum vc4vk_dynamic). Returns the groups whose values changed. */
uint32_t vc4vk_dynamic_state_copy(struct vc4vk_dynamic_state *to, const struct vc4vk_dynamic_state *from,
                                  uint32_t mask);

#endif
