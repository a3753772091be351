/* SPDX-License-Identifier: MIT
 *
 * The door of the compiler: SPIR-V and a plain key in; QPU code, a uniform recipe, inputs and outputs out.
 *
 * It knows no Vulkan object and no state: what a program depends on stands in the key, what is filled in later stands
 * in the recipe. Equal module, entry point, specialisation and key give equal code.
 *
 * Thread safe: modules are immutable once created; every call works in its own arena.
 */
#ifndef COMPILER_VC4C_H
#define COMPILER_VC4C_H

#include "hw/expr.h"
#include "hw/tex.h"
#include "util/alloc.h"

enum vc4c_result {
    VC4C_OK,
    VC4C_INVALID,       /* not SPIR-V, or SPIR-V that breaks its own rules */
    VC4C_UNSUPPORTED,   /* valid, but this compiler cannot do it; the message says what */
    VC4C_DOES_NOT_FIT,  /* needs more registers or varyings than the chip has */
    VC4C_OUT_OF_MEMORY,
};

/* Why a call failed. `offset_words`: where in the module, 0 when unknown. */
struct vc4c_error {
    char text[240];
    uint32_t offset_words;
};

enum vc4c_stage { VC4C_STAGE_VERTEX, VC4C_STAGE_FRAGMENT, VC4C_STAGE_COMPUTE };

/* The programs that a stage becomes: a vertex shader is compiled twice. */
enum vc4c_program_kind { VC4C_PROGRAM_COORDINATE, VC4C_PROGRAM_VERTEX, VC4C_PROGRAM_FRAGMENT, VC4C_PROGRAM_COMPUTE };

/* Who runs the program. The CPU engine takes what the kernel takes and more: stores, atomics, barriers, any number of
 * registers. Compute programs run nowhere else. See docs/cpu-engine.md. */
enum vc4c_target { VC4C_TARGET_CHIP, VC4C_TARGET_CPU_ENGINE };

/* ---------------------------------------------------------------- modules */

struct vc4c_module;

/* Copies and checks the words (header, instruction sizes, ids, types). The module owns its memory. */
enum vc4c_result vc4c_module_create(const uint32_t *words, size_t size_B, const struct util_alloc *alloc,
                                    struct vc4c_module **out, struct vc4c_error *error);
void vc4c_module_destroy(struct vc4c_module *module); /* NULL is accepted */
/* The instruction at an offset as one line for people: result, operation, operands with their names, file and line.
 * Returns the length, as snprintf; 0: there is none. */
int vc4c_module_print(const struct vc4c_module *module, uint32_t offset_words, char *out, size_t out_B);

struct vc4c_spec_constant {
    uint32_t id;
    uint32_t size_B;   /* 1, 2, 4 or 8; booleans 4 */
    const void *data;
};

enum vc4c_color_model { VC4C_MODEL_RGB, VC4C_MODEL_YCBCR, VC4C_MODEL_BT709, VC4C_MODEL_BT601, VC4C_MODEL_BT2020 };

/* A combined image sampler whose images are planes of brightness and of colour differences: lookups read each plane
 * and convert. Compared and hashed as bytes: no padding. */
struct vc4c_conversion {
    uint16_t set, binding, index; /* element of the binding */
    uint8_t planes;               /* 2: G, then B and R; 3: G, B, R */
    uint8_t bits;                 /* of a channel */
    uint8_t model;                /* enum vc4c_color_model */
    uint8_t narrow;               /* the range that ITU-R BT.601 leaves head and foot room of */
    uint8_t shift_x, shift_y;     /* texels of colour lie a quarter of their size before their middle */
    uint8_t swizzle[4];           /* enum hw_swizzle: R, G, B, A as the model takes them, in terms of the planes' */
};

/* The format of a binding's storage images or storage texel buffers, where it is another than the shader declares.
 * Compared and hashed as bytes: no padding. */
struct vc4c_stored_format {
    uint16_t set, binding;
    uint8_t format; /* enum hw_format; VC4C_FORMAT_ANY */
    uint8_t zero;
};
#define VC4C_FORMAT_ANY 0xffu /* each descriptor says it */

struct vc4c_entry {
    const struct vc4c_module *module;
    const char *name;
    enum vc4c_stage stage;
    const struct vc4c_spec_constant *specs;
    uint32_t spec_count;
    uint8_t clip_distances; /* fragment: mask of those that the vertex stage writes: what they cut off is not covered */
    uint8_t facing_is_input; /* fragment: of polygons that are lines or points only the vertex stage knows it */
    uint8_t two_stencils;    /* fragment: such polygons have a stencil state for each face: facing is an input */
    uint8_t depth_is_input;  /* fragment: depth is clamped, or near and far plane clip nothing: programs write it */
    uint8_t clamps_depth;    /* fragment, then: between the viewport's ends; else between 0 and 1 */
    const struct vc4c_conversion *conversions;
    uint32_t conversion_count;
    const struct vc4c_stored_format *stored_formats;
    uint32_t stored_format_count;
};

/* Does the module have this entry point, of this stage? */
bool vc4c_has_entry(const struct vc4c_entry *entry);

#define VC4C_MAX_INVOCATIONS 256 /* of a workgroup */
#define VC4C_MAX_SUBGROUPS   (VC4C_MAX_INVOCATIONS / 16)

/* What a stage uses, independent of any key: known once per pipeline. */
#define VC4C_MAX_SLOTS  138 /* scalar varyings: 32 locations, eight clip and cull distances, facing, depth */
#define VC4C_CHIP_SLOTS 32  /* what the chip has flags for; programs with more are for the CPU engine */

struct vc4c_varying {
    uint8_t location, component; /* of the scalar */
    uint8_t flat : 1, noperspective : 1, point_coord : 1;
};

#define VC4C_FACING_LOCATION 34 /* where facing is an input: 1 for the front */
#define VC4C_DEPTH_LOCATION  35 /* where depth is one: z of clip space */

struct vc4c_resource {       /* one descriptor binding that the stage statically uses */
    uint16_t set, binding;
    uint16_t count;          /* array size, 1 for none, 0 for a run-time array */
    uint8_t kind;            /* enum vc4c_resource_kind */
    uint8_t format;          /* of storage images and storage texel buffers: enum hw_format as declared, HW_FORMAT_NONE
                              * where none is, VC4C_FORMAT_ANY where several are */
};
enum vc4c_resource_kind {
    VC4C_RESOURCE_UNIFORM_BUFFER,
    VC4C_RESOURCE_STORAGE_BUFFER,
    VC4C_RESOURCE_COMBINED_IMAGE_SAMPLER,
    VC4C_RESOURCE_SAMPLED_IMAGE,
    VC4C_RESOURCE_SAMPLER,
    VC4C_RESOURCE_INPUT_ATTACHMENT,
    VC4C_RESOURCE_STORAGE_IMAGE,
    VC4C_RESOURCE_UNIFORM_TEXEL_BUFFER,
    VC4C_RESOURCE_STORAGE_TEXEL_BUFFER,
};

enum vc4c_dim { VC4C_DIM_1D, VC4C_DIM_2D, VC4C_DIM_3D, VC4C_DIM_CUBE, VC4C_DIM_BUFFER, VC4C_DIM_SUBPASS };

/* A view-sampler pair that the stage samples. Both halves are the same binding for combined image samplers. */
struct vc4c_texture_ref {
    uint16_t image_set, image_binding, image_index;
    uint16_t sampler_set, sampler_binding, sampler_index;
    uint8_t fetch_only; /* no sampler: texelFetch and queries */
    uint8_t dim;        /* enum vc4c_dim */
    uint8_t is_array, multisampled;
    uint8_t input_index; /* VC4C_DIM_SUBPASS: which of the subpass's input attachments; VC4C_NO_INPUT: not said */
    uint8_t has_offset;  /* some lookups have offsets in texels, which are those of the level that is read */
    uint8_t plane;       /* of an image that is converted: 0, 1 and perhaps 2 */
};

#define VC4C_NO_INPUT 0xff

struct vc4c_buffer_ref {
    uint16_t set, binding, index;
    uint8_t storage; /* storage buffer, else uniform buffer */
};

#define VC4C_MAX_TEXTURES  64
#define VC4C_MAX_BUFFERS   64
#define VC4C_MAX_RESOURCES 128
#define VC4C_MAX_ATTRIBUTES 16
/* Programs that see the triangle: location + 16 is that of the next corner, + 32 of the previous one. */
#define VC4C_MAX_LOCATIONS  (3 * VC4C_MAX_ATTRIBUTES)
#define VC4C_MAX_ARRAYS     (VC4C_MAX_LOCATIONS + 5) /* and the vertex's number and place, the others', its corner */

struct vc4c_interface {
    struct vc4c_varying inputs[VC4C_MAX_SLOTS]; /* fragment: scalars that are read, in location-component order; where
                                                 * they are more than the chip has, flat ones last */
    uint32_t input_count;
    uint32_t attribute_mask;      /* vertex: locations that are read */
    uint8_t attribute_components[VC4C_MAX_ATTRIBUTES]; /* mask of components read, per location */
    struct vc4c_texture_ref textures[VC4C_MAX_TEXTURES];
    uint32_t texture_count;
    struct vc4c_resource resources[VC4C_MAX_RESOURCES];
    uint32_t resource_count;
    bool uses_vertex_index, uses_instance_index, writes_point_size;
    uint8_t clip_distances;       /* vertex: mask of those that are written */
    uint8_t cull_distances;       /* the same */
    bool writes_depth, uses_discard;
    bool has_side_effects;        /* stores or atomics */
    bool sample_shading;          /* fragment: asks for an invocation for each sample */
    uint32_t color_output_mask;   /* fragment: locations written */
    uint32_t local_size[3];       /* compute */
};

/* From what a cache kept: the struct as it is. False when it cannot have come from the compiler. */
bool vc4c_interface_read(const void *bytes, size_t size_B, struct vc4c_interface *out);

enum vc4c_result vc4c_get_interface(const struct vc4c_entry *entry, const struct util_alloc *alloc,
                                    struct vc4c_interface *out, struct vc4c_error *error);

/* A stage as far as all its programs are the same: who makes several of them, or wants the interface, too, is spared
 * reading and optimising it again. `alloc` outlives it; the module and the entry's constants need not. One thread at a
 * time. */
struct vc4c_front;
struct vc4c_key;
struct vc4c_program;
enum vc4c_result vc4c_front_create(const struct vc4c_entry *entry, const struct util_alloc *alloc,
                                   struct vc4c_front **out, struct vc4c_error *error);
void vc4c_front_destroy(struct vc4c_front *front); /* NULL is accepted */
void vc4c_front_interface(const struct vc4c_front *front, struct vc4c_interface *out);
/* As vc4c_compile. */
enum vc4c_result vc4c_front_compile(struct vc4c_front *front, enum vc4c_program_kind kind, const struct vc4c_key *key,
                                    const struct util_alloc *alloc, struct vc4c_program *out, struct vc4c_error *error);

/* ---------------------------------------------------------------- keys */

enum vc4c_blend_factor { /* Vulkan's order */
    VC4C_BLEND_ZERO,
    VC4C_BLEND_ONE,
    VC4C_BLEND_SRC_COLOR,
    VC4C_BLEND_ONE_MINUS_SRC_COLOR,
    VC4C_BLEND_DST_COLOR,
    VC4C_BLEND_ONE_MINUS_DST_COLOR,
    VC4C_BLEND_SRC_ALPHA,
    VC4C_BLEND_ONE_MINUS_SRC_ALPHA,
    VC4C_BLEND_DST_ALPHA,
    VC4C_BLEND_ONE_MINUS_DST_ALPHA,
    VC4C_BLEND_CONSTANT_COLOR,
    VC4C_BLEND_ONE_MINUS_CONSTANT_COLOR,
    VC4C_BLEND_CONSTANT_ALPHA,
    VC4C_BLEND_ONE_MINUS_CONSTANT_ALPHA,
    VC4C_BLEND_SRC_ALPHA_SATURATE,
    VC4C_BLEND_SRC1_COLOR,
    VC4C_BLEND_ONE_MINUS_SRC1_COLOR,
    VC4C_BLEND_SRC1_ALPHA,
    VC4C_BLEND_ONE_MINUS_SRC1_ALPHA,
};
enum vc4c_blend_op { VC4C_BLEND_OP_ADD, VC4C_BLEND_OP_SUBTRACT, VC4C_BLEND_OP_REVERSE_SUBTRACT, VC4C_BLEND_OP_MIN,
                     VC4C_BLEND_OP_MAX };

/* Logic operations in Vulkan's order; VC4C_LOGIC_COPY when logic ops are off. */
enum vc4c_logic_op { VC4C_LOGIC_CLEAR, VC4C_LOGIC_AND, VC4C_LOGIC_AND_REVERSE, VC4C_LOGIC_COPY, VC4C_LOGIC_AND_INVERTED,
                     VC4C_LOGIC_NO_OP, VC4C_LOGIC_XOR, VC4C_LOGIC_OR, VC4C_LOGIC_NOR, VC4C_LOGIC_EQUIVALENT,
                     VC4C_LOGIC_INVERT, VC4C_LOGIC_OR_REVERSE, VC4C_LOGIC_COPY_INVERTED, VC4C_LOGIC_OR_INVERTED,
                     VC4C_LOGIC_NAND, VC4C_LOGIC_SET };

enum vc4c_primitive { VC4C_PRIMITIVE_TRIANGLES, VC4C_PRIMITIVE_LINES, VC4C_PRIMITIVE_POINTS };

struct vc4c_vertex_key {
    uint8_t formats[VC4C_MAX_ATTRIBUTES]; /* enum hw_format per location; HW_FORMAT_NONE = not fed, reads (0,0,0,1) */
    struct vc4c_varying outputs[VC4C_MAX_SLOTS]; /* what the fragment stage reads, in its order */
    uint8_t output_count;
    uint8_t emit_point_size;   /* points are drawn: a point size word is written */
    uint8_t instance_index_is_zero;
    uint16_t trailing_mask;      /* locations whose words lie behind all others in the VPM */
    uint8_t recentre;          /* x and y of clip space are moved and scaled by uniforms first */
    uint8_t merge_instances;   /* draws hold several instances: gl_InstanceIndex is an attribute, not a uniform */
    /* Attributes come for all corners of the triangle. For what depends on it: flat outputs,
     * facing as an output, what is culled, depth bias. */
    uint8_t needs_triangle;
    uint8_t provoking_vertex;  /* of triangles 0 or 2, of lines 0 or 1: whose values flat outputs have */
    uint8_t cull_front, cull_back, front_is_clockwise;
    uint8_t biases_depth;
    uint8_t bias_steps_by_depth; /* the constant term's unit depends on the triangle's greatest depth: float formats */
    uint8_t cull_distances;    /* mask of those that drop primitives of which they are negative at all corners */
    uint8_t ignores_depth_planes; /* near and far plane clip nothing */
};

struct vc4c_fragment_key {
    uint8_t color_format;      /* enum hw_format of the colour target; HW_FORMAT_NONE = no colour */
    uint8_t color_word;        /* which 32-bit word of its texels the tile buffer holds */
    uint8_t pairs_alpha;       /* four channels of 16 bits: the tile buffer holds channel `color_word` (0 to 2) in its
                                * low half, alpha in its high half */
    uint8_t color_location;    /* which output goes there */
    uint8_t write_mask;        /* bits R, G, B, A */
    uint8_t blend_enable;
    uint8_t src_color, dst_color, color_op, src_alpha, dst_alpha, alpha_op; /* vc4c_blend_factor, vc4c_blend_op */
    uint8_t logic_op;          /* enum vc4c_logic_op */
    uint8_t write_z;           /* a TLB_Z write is needed: depth test, depth write or stencil is on. Without it one
                                * may still be made, so the test must be off: function always, no updates. */
    uint8_t stencil_words;     /* 0..3 stencil configuration words are set up */
    uint8_t primitive;         /* enum vc4c_primitive: points and lines have varyings of their own */
    uint8_t samples;           /* 1 or 4 */
    uint8_t alpha_to_coverage, alpha_to_one;
    uint8_t use_sample_mask;   /* AND the coverage with a uniform word */
    uint8_t sample_shading;    /* draws are repeated for each sample; use_sample_mask is set */
    uint8_t counts;            /* occlusion queries: the target's words are counters, to which each sample that passes
                                * adds a uniform word; nothing above of colour is looked at but alpha to coverage */
};

#define VC4C_MAX_STORED 31 /* eight targets of up to four words, but for the one in the tile buffer */

/* Compared and hashed as bytes: zero it before filling it in. */
struct vc4c_key {
    union {
        struct vc4c_vertex_key vs;
        struct vc4c_fragment_key fs;
    };
    uint32_t target;           /* enum vc4c_target */
    uint32_t class_count;      /* as interface.texture_count: one class per texture, in that order */
    struct hw_sampling_class classes[VC4C_MAX_TEXTURES];
    /* Fragment programs of the CPU engine: words of colour that they store themselves, each as `fs` says it of the tile
     * buffer's; only what is said of the colour counts. One sample. */
    uint32_t stored_count;
    struct vc4c_fragment_key stored[VC4C_MAX_STORED];
};

/* ---------------------------------------------------------------- programs */

/* What a word of the uniform stream holds. The words stand in the order in which the program pops them. */
enum vc4c_uniform_kind {
    VC4C_UNIFORM_CONSTANT,       /* data: the word */
    VC4C_UNIFORM_PUSH,           /* data: byte offset in the push constants */
    VC4C_UNIFORM_BUFFER_WORD,    /* ref: buffer, data: byte offset; the word read from memory at issue, else 0 */
    VC4C_UNIFORM_BUFFER_LIMIT,   /* ref: buffer; last byte offset at which an access of data + 4 bytes may begin: range
                                  * rounded down to 4, minus 4, minus data; 0 when it is shorter */
    VC4C_UNIFORM_BUFFER_BASE,    /* ref: buffer; byte offset of the range in its BO (kernel: p0 of a direct lookup),
                                  * plus data, which goes no further than the range's last word */
    VC4C_UNIFORM_BUFFER_SIZE,    /* ref: buffer; range in bytes */
    VC4C_UNIFORM_TEX_P0,         /* ref: texture; data: word of the texel, of those wider than 32 bits; config words of
                                  * a textured lookup */
    VC4C_UNIFORM_TEX_P1,         /* ref: texture; data: bit 0 = nearest filters (texel fetch), with bit 1 B is the
                                  * level, without it level 0 is read */
    VC4C_UNIFORM_TEX_P2_LOD,     /* ref: texture; cube stride; data: 1 = B is the LOD */
    VC4C_UNIFORM_TEX_ZERO,       /* a config word without meaning */
    VC4C_UNIFORM_TEX_BORDER,     /* ref: texture; border word in the type's layout; raw texels: data: which word */
    VC4C_UNIFORM_TEX_WIDTH_F,    /* ref: texture; data: level (0 = base level of the view), as float */
    VC4C_UNIFORM_TEX_HEIGHT_F,
    VC4C_UNIFORM_TEX_DEPTH_F,    /* depth of 3D views */
    VC4C_UNIFORM_TEX_RCP_WIDTH_F,  /* 1 / width of the view's base level */
    VC4C_UNIFORM_TEX_RCP_HEIGHT_F,
    VC4C_UNIFORM_TEX_RCP_DEPTH_F,
    VC4C_UNIFORM_TEX_WIDTH_I,    /* the same as integers; texels of texel buffers */
    VC4C_UNIFORM_TEX_HEIGHT_I,
    VC4C_UNIFORM_TEX_DEPTH_I,    /* depth of 3D views, layers of array views, cubes of cube array views */
    VC4C_UNIFORM_TEX_LEVELS_I,
    VC4C_UNIFORM_TEX_SAMPLES_I,
    VC4C_UNIFORM_TEX_LOD_BIAS_F, /* sampler bias */
    VC4C_UNIFORM_TEX_LOD_MIN_F,  /* clamps, in levels counted from the image's level 0 */
    VC4C_UNIFORM_TEX_LOD_MAX_F,
    VC4C_UNIFORM_TEX_BASE_LEVEL_F, /* the view's base level: added to explicit LODs */
    VC4C_UNIFORM_TEX_LAST_LEVEL_F, /* the view's last level, counted from its base level */
    VC4C_UNIFORM_TEX_MIP_LINEAR_I, /* whether the sampler takes two levels */
    /* Of HW_SAMPLE_DIRECT classes; ref: texture. The place of a texel's word is
     * base + level offset + slice * layer stride + word * word stride + what the layout makes of x, y and the pitch. */
    VC4C_UNIFORM_DIRECT_LIMIT,   /* last byte offset from the base that may be read */
    VC4C_UNIFORM_DIRECT_BASE,    /* byte offset in the BO (kernel: p0 of a direct lookup) */
    VC4C_UNIFORM_DIRECT_LEVEL,   /* data: level (0 = base level of the view); bytes from the base */
    VC4C_UNIFORM_DIRECT_PITCH,   /* data: level; bytes from a row to the next: of microtiles (LT), 4 KiB tiles (T),
                                  * texels (raster), 32 x 32 blocks (samples) */
    VC4C_UNIFORM_DIRECT_LAYER,   /* from a layer, face or slice to the next, in units of 4096 bytes */
    VC4C_UNIFORM_DIRECT_WORD,    /* from a word of a texel to its next */
    VC4C_UNIFORM_DIRECT_T_LEVELS, /* how many levels from the view's base on are T */
    VC4C_UNIFORM_VIEWPORT_SCALE_X_16, /* half viewport width in 1/16 px, float */
    VC4C_UNIFORM_VIEWPORT_SCALE_Y_16, /* negative for a flipped viewport */
    VC4C_UNIFORM_VIEWPORT_SCALE_Z,    /* (max - min) / 2 and (max + min) / 2: clip z handed on is 2z - w */
    VC4C_UNIFORM_VIEWPORT_OFFSET_Z,
    VC4C_UNIFORM_BLEND_CONSTANT, /* data: component + enum vc4c_blend_range; float, clamped to that range */
    VC4C_UNIFORM_STENCIL,        /* data: word 0..2 */
    VC4C_UNIFORM_BASE_VERTEX,    /* added to the ramp attribute: first vertex or vertex offset, integer */
    VC4C_UNIFORM_INSTANCE_INDEX,
    VC4C_UNIFORM_DRAW,           /* of the draw command; data: 0 BaseVertex, 1 BaseInstance, 2 DrawIndex */
    VC4C_UNIFORM_VIEW_INDEX,     /* of multiview: which view this job draws; 0 elsewhere */
    VC4C_UNIFORM_SAMPLE_MASK,    /* with sample shading only of the sample that is shaded */
    VC4C_UNIFORM_SAMPLE_ID,      /* sample shading: its number */
    VC4C_UNIFORM_SAMPLE_OFFSET,  /* how far it lies off the centre; data: 0 x, 1 y; float */
    VC4C_UNIFORM_COUNT,          /* what a program that counts adds */
    VC4C_UNIFORM_RECENTRE_SCALE, /* data: 0 x, 1 y; floats: clip x becomes scale * x + offset * w */
    VC4C_UNIFORM_RECENTRE_OFFSET,
    VC4C_UNIFORM_POLYGON,        /* data: enum vc4c_polygon_word; float */
    VC4C_UNIFORM_FRAG_COORD_OFFSET, /* data: 0 x, 1 y; origin of this job's range, float; 2, 3: as integers */
    VC4C_UNIFORM_EXPR,           /* data: step of the program's exprs whose result it is */
    VC4C_UNIFORM_STREAM_ADDRESS, /* a uniforms-address reset: the kernel writes its own word, anything may stand here;
                                  * the CPU engine's own map has no kernel: the address of the stream's first word */

    /* CPU engine; addresses are those of the job's address map. */
    VC4C_UNIFORM_ENGINE_ENTRY,   /* ref: resource; address of the binding-table entry of its element 0 */
    VC4C_UNIFORM_ENGINE_STATES,  /* ref: resource; entry + this = address of a struct vc4c_engine_descriptor */
    VC4C_UNIFORM_ENGINE_PUSH,    /* address of the push constants */
    VC4C_UNIFORM_ENGINE_SHARED,  /* address of the shared memory of the workgroup */
    VC4C_UNIFORM_ENGINE_SCRATCH, /* address of the scratch memory plus data; QPU q's part begins at q * scratch_B */
    VC4C_UNIFORM_ENGINE_SCRATCH_B, /* the program's scratch_B */
    VC4C_UNIFORM_ENGINE_COLOR,   /* data: which of the stored words; address of that of the first pixel. Pixels are four
                                  * bytes apart */
    VC4C_UNIFORM_ENGINE_COLOR_PITCH, /* data: the same; bytes from a row to the next */
    VC4C_UNIFORM_ENGINE_VERTICES, /* address of what the coordinate program hands on to the vertex program: vertex_results_B
                                   * for each number in the ramp */
    VC4C_UNIFORM_WORKGROUP_FIRST, /* x of the first workgroup of this request, and of the one behind its last */
    VC4C_UNIFORM_WORKGROUP_END,
    VC4C_UNIFORM_WORKGROUP_Y,
    VC4C_UNIFORM_WORKGROUP_Z,
    VC4C_UNIFORM_WORKGROUP_COUNT, /* data: 0 x, 1 y, 2 z */
    VC4C_UNIFORM_SUBGROUP,       /* number of this request's subgroup in its workgroup */
    VC4C_UNIFORM_KINDS
};

/* Of the triangle, in the window. */
enum vc4c_polygon_word {
    VC4C_POLYGON_FLIP,     /* negative: the viewport is upside down */
    VC4C_POLYGON_BIAS_CONSTANT, /* depth bias: its constant term, in depth; of float formats at depths from 0.5 to 1 */
    VC4C_POLYGON_BIAS_SLOPE,    /* its factor of the steepest slope */
    VC4C_POLYGON_BIAS_MIN,    /* its limits */
    VC4C_POLYGON_BIAS_MAX,
    VC4C_POLYGON_PER_X,    /* depth in the window a pixel, of a slope of one in clip space */
    VC4C_POLYGON_PER_Y,
    VC4C_POLYGON_PER_DEPTH, /* z of clip space, of w 1, for depth in the window */
    VC4C_POLYGON_WORDS
};

/* Blend constants are clamped to what the target's format can hold. */
enum vc4c_blend_range { VC4C_BLEND_RANGE_ANY = 0, VC4C_BLEND_RANGE_UNORM = 4, VC4C_BLEND_RANGE_SNORM = 8 };

struct vc4c_uniform {
    uint8_t kind;  /* enum vc4c_uniform_kind */
    uint8_t ref;   /* index into textures[] or buffers[] of the program */
    uint16_t pad;
    uint32_t data;
};

/* Uniform words that are computed of others when the stream is built, before its first word. Steps stand in an order in
 * which each uses earlier ones only. */
struct vc4c_expr {
    uint16_t op;              /* enum hw_expr_op; HW_EXPR_WORD: `word`, of a kind that is no EXPR */
    uint16_t src[3];          /* steps */
    struct vc4c_uniform word;
};
#define VC4C_MAX_EXPRS 4096

/* One S write, in program order: the kernel takes one handle per write from the head of the stage's uniforms. */
struct vc4c_lookup {
    uint8_t is_buffer; /* direct lookup in buffers[ref], else textures[ref] */
    uint8_t ref;
};

/* One attribute row set that the vertex pipe loads into the VPM; or, where that is full, memory that the program reads
 * instead, as buffer VC4C_BUFFER_SPILL. Locations of the key's trailing_mask have the same values in all vertices of a
 * draw then, and are read at their offsets alone; for others the program adds spill_stride_B times the vertex's place. */
struct vc4c_attribute {
    uint8_t location;   /* VC4C_ATTRIBUTE_VERTEX_RAMP: 32-bit numbers 0, 1, 2, ... (gl_VertexIndex - base vertex) */
    uint16_t vpm_B;     /* offset in the vertex's column, multiple of 4; or in the memory */
    uint8_t size_B;     /* bytes to load: the leading part of the format that is needed */
    bool is_spilled;
};
#define VC4C_ATTRIBUTE_VERTEX_RAMP  0xff
#define VC4C_ATTRIBUTE_ARRAY_INDEX 0xfe /* place in its arrays, and in the memory of spilled attributes: 16 bits */
#define VC4C_ATTRIBUTE_INSTANCE     0xfd /* gl_InstanceIndex, behind all others: with merge_instances, if it is read */
#define VC4C_ATTRIBUTE_NEXT_RAMP     0xfc /* numbers of the other corners' vertices */
#define VC4C_ATTRIBUTE_PREVIOUS_RAMP 0xfb
#define VC4C_ATTRIBUTE_TRIANGLE_VERTEX        0xfa /* which corner of its triangle: 0, 1, 2 */
#define VC4C_BUFFER_SPILL           0xff

/* What a CPU-engine program reads of a descriptor, word for word. All zero: a null descriptor, reads give zero and
 * stores go nowhere. Lookups of sampled images come through the uniform stream as in other programs. */
struct vc4c_engine_descriptor {
    uint32_t address;        /* of the range or of the first texel */
    union {
        uint32_t limit_B;        /* buffers: bytes from there that may be touched, a multiple of 4 */
        uint32_t texel_stride_B; /* storage images and texel buffers: from a texel to the next */
    };
    union {
        uint32_t size_B;         /* buffers: the range */
        uint32_t word_stride_B;  /* the same: from a word of a texel to its next */
    };
    uint32_t width, height, depth; /* storage images: in texels; depth: slices, layers or 6 * cubes. Buffers: width */
    uint32_t row_stride_B, layer_stride_B; /* storage images are in raster order, or dumps of four samples: all of them
                                            * count in a row */
    uint32_t format, texel_B;              /* storage images and texel buffers: enum hw_format, bytes of a texel */
};
/* Nothing is ever mapped there: loads give zero, stores vanish, and neither is reported. */
#define VC4C_ENGINE_NULL 0u

/* The fixed instruction sequences of CPU-engine programs, so that a JIT can put something better in their place. Each
 * reads its operands from registers and clobbers r0 to r5, the flags and what it names here. */
enum vc4c_site_kind {
    VC4C_SITE_LOAD,          /* result = word at `address`, per lane */
    VC4C_SITE_LOAD_ONE,      /* the same where all lanes have one address */
    VC4C_SITE_STORE,         /* word at `address` = data, per lane */
    VC4C_SITE_STORE_16,      /* its low half at an even address, its low byte at any */
    VC4C_SITE_STORE_8,
    VC4C_SITE_ATOMIC_ADD,    /* result = word at `address`, which becomes f(word, data); lanes in ascending order */
    VC4C_SITE_ATOMIC_SUB,
    VC4C_SITE_ATOMIC_IMIN,
    VC4C_SITE_ATOMIC_IMAX,
    VC4C_SITE_ATOMIC_UMIN,
    VC4C_SITE_ATOMIC_UMAX,
    VC4C_SITE_ATOMIC_AND,
    VC4C_SITE_ATOMIC_OR,
    VC4C_SITE_ATOMIC_XOR,
    VC4C_SITE_ATOMIC_EXCHANGE,
    VC4C_SITE_ATOMIC_COMPARE, /* becomes data where it is `compare` */
    VC4C_SITE_BARRIER,       /* waits for the other subgroups; `data` holds this one's number */
    VC4C_SITE_BARRIER_ARRIVE, /* its two phases */
    VC4C_SITE_BARRIER_LEAVE,
    VC4C_SITE_SPILL_LOAD,    /* result = the 16 words at lane 0's `address` */
    VC4C_SITE_SPILL_STORE,
    VC4C_SITE_KINDS
};
#define VC4C_SITE_FILE_B   0x20u /* added to the number of a register in file B */
#define VC4C_SITE_NO_REGISTER 0xffu

struct vc4c_site {
    uint8_t kind;            /* enum vc4c_site_kind */
    uint8_t address, data, compare, result, scratch; /* registers, VC4C_SITE_NO_REGISTER where there is none */
    uint16_t count;          /* instructions */
    uint32_t first;          /* the first of them */
};

struct vc4c_stats {
    uint32_t instructions, uniforms, lookups, registers, cycles, compile_us;
};

struct vc4c_program {
    const struct util_alloc *alloc;
    uint64_t *code;
    uint32_t *origins;          /* of each instruction: where in the module what it was made from stands, 0: nowhere */
    uint32_t instruction_count;
    bool threaded;              /* fragment: two hardware threads */
    struct vc4c_uniform *uniforms;
    uint32_t uniform_count;
    struct vc4c_expr *exprs;
    uint32_t expr_count;
    bool extra_stream_word;     /* a backward branch is not followed by a reset: one word more at the end */
    struct vc4c_lookup *lookups;
    uint32_t lookup_count;
    struct vc4c_texture_ref textures[VC4C_MAX_TEXTURES]; /* the interface's, same order */
    uint32_t texture_count;
    struct vc4c_buffer_ref buffers[VC4C_MAX_BUFFERS];
    uint32_t buffer_count;
    struct vc4c_attribute attributes[VC4C_MAX_ARRAYS]; /* vertex kinds, ascending vpm_B; at least one */
    uint32_t attribute_count;
    uint32_t attribute_size_B;  /* total, <= 255 */
    uint32_t spill_stride_B;      /* 0: no attribute is spilled */
    bool needs_triangle;         /* vertex kinds: as in the key */
    struct vc4c_varying inputs[VC4C_MAX_SLOTS]; /* fragment: the varyings popped, without those of points and lines */
    uint32_t input_count;
    uint32_t flat_mask;         /* bit i: inputs[i] is flat (packet 97) */
    uint32_t flat_from;         /* CPU engine: inputs from there on are flat, without bits for them; 0: none are */
    bool reads_color;           /* loads the old colour from the tile buffer */
    struct vc4c_resource resources[VC4C_MAX_RESOURCES]; /* the interface's, same order */
    uint32_t resource_count;

    /* CPU engine. */
    bool is_engine;             /* compiled for it: has descriptors, and only it may run the program */
    struct vc4c_site *sites;    /* in program order */
    uint32_t site_count;
    uint32_t local_size[3];     /* compute: invocations of a workgroup */
    uint32_t subgroups;         /* compute: requests that a workgroup becomes, of 16 invocations each */
    uint32_t shared_B;          /* shared memory of a workgroup */
    bool counts_finished;           /* compute: a word behind the shared memory, 0 when a request begins, counts the subgroups
                                 * that have ended a workgroup */
    uint32_t scratch_B;         /* spilled values of a QPU */
    uint32_t vertex_results_B;       /* vertex kinds with side effects: of memory for each vertex, else 0 */
    bool has_barriers;          /* the subgroups of a workgroup must run at the same time, and no other workgroup with
                                 * them on one set of semaphores */

    bool writes_z_late;         /* depth from the shader or discard: early Z needs care (discard) or is off (depth) */
    struct vc4c_stats stats;
};

/* Compiles one program. `out` is owned by the caller afterwards and filled only on VC4C_OK. */
enum vc4c_result vc4c_compile(const struct vc4c_entry *entry, enum vc4c_program_kind kind, const struct vc4c_key *key,
                              const struct util_alloc *alloc, struct vc4c_program *out, struct vc4c_error *error);
void vc4c_program_finish(struct vc4c_program *program);

/* Vulkan's standard places of four samples: how far one lies off the pixel's centre; axis: 0 x, 1 y. */
float vc4c_sample_offset(uint32_t sample, uint32_t axis);

/* Whether nothing in it leads out of it: every index is one of its tables', every truth value is one. Holds for what
 * the compiler has made. Instructions are not looked at: whatever they do, the model bears it. */
bool vc4c_program_is_valid(const struct vc4c_program *program);

/* A program as bytes that only this build can read: returns their number, and stores them unless `bytes` is NULL. */
size_t vc4c_program_write(const struct vc4c_program *program, void *bytes);
/* VC4C_INVALID when the bytes are none of ours: when their lengths or numbers could not be. Check a sum of them first. */
enum vc4c_result vc4c_program_read(const void *bytes, size_t size_B, const struct util_alloc *alloc,
                                   struct vc4c_program *out);

#endif
