/* SPDX-License-Identifier: MIT
 *
 * The public header of the compiler. In: SPIR-V and a plain key. Out: QPU code, a recipe for the uniform stream, inputs
 * and outputs.
 *
 * The compiler knows no Vulkan objects or state. The key holds everything that the code depends on, and the recipe
 * names everything that is filled in later. Equal module, entry point, specialisation and key give equal code.
 *
 * Thread safe: modules are immutable once created, and every call works in its own arena.
 */
#ifndef COMPILER_VC4C_H
#define COMPILER_VC4C_H

#include "hw/descriptor.h"
#include "hw/expr.h"
#include "hw/tex.h"
#include "util/alloc.h"

enum vc4c_result {
    VC4C_OK,
    VC4C_INVALID,       /* not SPIR-V, or SPIR-V that breaks its own rules */
    VC4C_UNSUPPORTED,   /* valid, but not supported by this compiler; the message says what */
    VC4C_DOES_NOT_FIT,  /* needs more registers or varyings than the chip has, or what only the CPU engine supports */
    VC4C_OUT_OF_MEMORY,
};

/* Why a call failed. `offset_words`: offset in the module, 0 when unknown. */
struct vc4c_error {
    char text[240];
    uint32_t offset_words;
};

enum vc4c_stage {
    VC4C_STAGE_VERTEX,
    VC4C_STAGE_FRAGMENT,
    VC4C_STAGE_COMPUTE,
    VC4C_STAGE_GEOMETRY,
    VC4C_STAGE_TESS_CONTROL,
    VC4C_STAGE_TESS_EVALUATION,
    VC4C_STAGE_TASK,
    VC4C_STAGE_MESH,
    VC4C_STAGES
};

/* Task and mesh shaders: the stages that write records and have the application's workgroups. */
static inline bool vc4c_is_mesh_stage(enum vc4c_stage stage)
{
    return stage == VC4C_STAGE_TASK || stage == VC4C_STAGE_MESH;
}

/* The programs that stages compile to: a vertex shader becomes two. Stages that write records (see below) become
 * compute programs. */
enum vc4c_program_kind { VC4C_PROGRAM_COORDINATE, VC4C_PROGRAM_VERTEX, VC4C_PROGRAM_FRAGMENT, VC4C_PROGRAM_COMPUTE };

/* Where the program runs. The CPU engine accepts everything that the kernel accepts and also stores, atomics, barriers
 * and any number of registers. Compute programs run nowhere else. See docs/cpu-engine.md. */
enum vc4c_target { VC4C_TARGET_CHIP, VC4C_TARGET_CPU_ENGINE };

/* ---------------------------------------------------------------- modules */

struct vc4c_module;

/* Copies and checks the words (header, instruction sizes, ids, types). The module owns its memory. */
enum vc4c_result vc4c_module_create(const uint32_t *words, size_t size_B, const struct util_alloc *alloc,
                                    struct vc4c_module **out, struct vc4c_error *error);
void vc4c_module_destroy(struct vc4c_module *module); /* NULL is accepted */
/* Prints the instruction at an offset as one line for people: result, operation, operands with their names, file and
 * line. Returns the length, as snprintf; 0 if there is no instruction. */
int vc4c_module_print(const struct vc4c_module *module, uint32_t offset_words, char *out, size_t out_B);

#define VC4C_MAX_SOURCES  64u
#define VC4C_MAX_SOURCE_B ((size_t)1 << 20) /* longer texts are cut off */

/* A source file of a module. */
struct vc4c_source {
    char *name;
    const char *text; /* NULL: the module does not hold it */
};

struct vc4c_line {
    uint32_t source; /* index */
    uint32_t line;   /* 0: unknown, and so is the source */
};

struct vc4c_lines {
    const struct util_alloc *alloc;
    struct vc4c_source sources[VC4C_MAX_SOURCES]; /* those of the lines */
    uint32_t source_count;
    struct vc4c_line *lines; /* one per offset */
};

/* Finds the source lines of instructions by their offsets (vc4c_program.origins). False when the module has no debug
 * information, or memory runs out; otherwise the caller owns the result. */
bool vc4c_module_lines(const struct vc4c_module *module, const uint32_t *offsets, uint32_t count,
                       const struct util_alloc *alloc, struct vc4c_lines *out);
void vc4c_lines_finish(struct vc4c_lines *lines);

struct vc4c_spec_constant {
    uint32_t id;
    uint32_t size_B;   /* 1, 2, 4 or 8, as wide as the constant; booleans 4 */
    const void *data;
};

enum vc4c_color_model { VC4C_MODEL_RGB, VC4C_MODEL_YCBCR, VC4C_MODEL_BT709, VC4C_MODEL_BT601, VC4C_MODEL_BT2020 };

/* A combined image sampler with Y'CbCr conversion: the image has planes of luma and chroma; lookups read each plane and
 * convert. Compared and hashed as bytes: no padding. */
struct vc4c_conversion {
    uint16_t set, binding, index; /* element of the binding */
    uint8_t planes;               /* 2: G, then B and R; 3: G, B, R */
    uint8_t bits;                 /* per channel */
    uint8_t model;                /* enum vc4c_color_model */
    uint8_t narrow;               /* the narrow range of ITU-R BT.601, with head and foot room */
    uint8_t shift_x, shift_y;     /* chroma is cosited: its texels lie a quarter of their size before the middle of what
                                   * they cover */
    uint8_t swizzle[4];           /* enum hw_swizzle: selects R, G, B, A for the model from the values of the planes */
};

/* The format of a binding's storage images or storage texel buffers, if it differs from the one that the shader
 * declares. Compared and hashed as bytes: no padding. */
struct vc4c_stored_format {
    uint16_t set, binding;
    uint8_t format; /* enum hw_format; VC4C_FORMAT_ANY */
    uint8_t zero;
};
#define VC4C_FORMAT_ANY 0xffu /* only the descriptors know the format */

/* How many descriptors a binding has, for programs with arrays of descriptors that do not say it, and where they are.
 * Compared and hashed as bytes: no padding. */
struct vc4c_array_size {
    uint16_t set, binding;
    uint32_t count;
    uint32_t element_B; /* the descriptors lie in memory of the set, this far apart; 0: they do not */
};

#define VC4C_USUAL_ARRAY 16u

/* Whether the module may have such arrays (RuntimeDescriptorArray). */
bool vc4c_has_runtime_arrays(const struct vc4c_module *module);

/* What programs guarantee beyond Vulkan's robustBufferAccess, which all of them guarantee. */
#define VC4C_ROBUST_UNIFORM_BUFFERS 1u /* loads beyond the end give zero: uniform buffers, uniform texel buffers */
#define VC4C_ROBUST_STORAGE_BUFFERS 2u /* the same of storage buffers */
#define VC4C_ROBUST_IMAGES          4u /* fetches outside of the image give zero */
#define VC4C_ROBUST_NULLS           8u /* lengths of arrays in null descriptors are zero */

struct vc4c_entry {
    const struct vc4c_module *module;
    const char *name;
    enum vc4c_stage stage;
    const struct vc4c_spec_constant *specs;
    uint32_t spec_count;
    uint8_t clip_distances; /* fragment: mask of the distances that the vertex stage writes; fragments where one is
                             * negative lose their coverage */
    uint8_t facing_is_input; /* fragment: facing is a varying, for polygons drawn as lines or points, whose facing only
                              * the vertex stage knows */
    uint8_t two_stencils;    /* fragment: such polygons have a different stencil state per face; facing is then an
                              * input */
    uint8_t depth_is_input;  /* fragment: depth is a varying and the program writes it, because depth is clamped, or
                              * near and far plane do not clip */
    uint8_t clamps_depth;    /* fragment, with depth_is_input: clamps to the viewport's depth range, else to [0, 1] */
    uint8_t targets;         /* fragment: VC4C_TARGET_*, what the vertex stage selects for each primitive; fragments of
                              * another layer or viewport than the one that is drawn lose their coverage */
    uint8_t is_smooth;       /* fragment: of a smooth line; alpha is multiplied by the coverage of the pixel */
    uint8_t stipples;        /* fragment: of a stippled line, enum vc4c_stipple; fragments where the pattern has a zero
                              * lose their coverage. Vertex: not 0: of vc4c_pass_through(), for such lines */
    uint8_t robustness;      /* VC4C_ROBUST_* */
    uint8_t prints;          /* calls of NonSemantic.DebugPrintf print; otherwise they do nothing */
    uint8_t writes_records;  /* all stages before the rasteriser: the program is of kind compute and writes records (see
                              * below) */
    uint8_t patch_vertices;  /* tessellation control: of an output patch, if the module does not say it */
    const struct vc4c_conversion *conversions;
    uint32_t conversion_count;
    const struct vc4c_stored_format *stored_formats;
    uint32_t stored_format_count;
    const struct vc4c_array_size *array_sizes; /* of all bindings, if the module has run-time arrays of descriptors,
                                                * else of those in memory. NULL: there is no layout, and run-time arrays
                                                * have VC4C_USUAL_ARRAY elements */
    uint32_t array_size_count;
};

/* Does the module have this entry point for this stage? */
bool vc4c_has_entry(const struct vc4c_entry *entry);

#define VC4C_MAX_INVOCATIONS 1024 /* of a workgroup */
#define VC4C_MAX_SUBGROUPS   (VC4C_MAX_INVOCATIONS / 16)

/* What a stage uses, independent of any key; computed once per pipeline. */
#define VC4C_MAX_SLOTS  147 /* scalar varyings: 32 locations, eight clip and cull distances, facing, depth, targets, a
                             * number of the primitive, smooth and stippled lines */
#define VC4C_CHIP_SLOTS 32  /* varyings that the chip has flags for; programs with more run on the CPU engine */

struct vc4c_varying {
    uint8_t location, component; /* of the scalar */
    uint8_t flat : 1, noperspective : 1, point_coord : 1;
};

#define VC4C_FACING_LOCATION 34 /* facing as an input: 1 for front faces */
#define VC4C_DEPTH_LOCATION  35 /* depth as an input: z of clip space */
#define VC4C_TARGET_LOCATION 36 /* where a primitive is drawn: layer, viewport */
#define VC4C_TARGET_LAYER    1u /* bit k: component k of VC4C_TARGET_LOCATION */
#define VC4C_TARGET_VIEWPORT 2u
#define VC4C_TARGET_PRIMITIVE 2u /* no bit but the component of VC4C_TARGET_LOCATION that has gl_PrimitiveID */
#define VC4C_LINE_LOCATION   37 /* smooth lines: how many pixels from the line, from its first end, from its second */
#define VC4C_LINE_WORDS      3u
/* Stippled lines, flat: how many steps of the pattern a fragment is from its beginning is word 0 * x + word 1 * y + word
 * 2, with x and y in pixels of the framebuffer. Record words of the same names have them. */
#define VC4C_STIPPLE_LOCATION 40
#define VC4C_STIPPLE_WORDS    3u

enum vc4c_stipple {
    VC4C_STIPPLE_NONE,
    VC4C_STIPPLE_PIXELS,  /* all samples of a pixel are alike */
    VC4C_STIPPLE_SAMPLES, /* each sample has its own place on the line */
};

struct vc4c_resource {       /* one descriptor binding that the stage statically uses */
    uint16_t set, binding;
    uint16_t count;          /* array size; 1 if it is not an array */
    uint8_t kind;            /* enum vc4c_resource_kind */
    uint8_t format;          /* storage images and storage texel buffers: enum hw_format as declared, HW_FORMAT_NONE if
                              * none is declared, VC4C_FORMAT_ANY if several are */
    uint8_t access;          /* enum vc4c_resource_access */
    uint8_t zero;
};

/* How programs find the descriptors of a binding. */
enum vc4c_resource_access {
    VC4C_ACCESS_USUAL,  /* buffers and storage images: in the binding table; sampled ones: as words of the stream */
    VC4C_ACCESS_TABLE,  /* sampled ones in the binding table, too */
    VC4C_ACCESS_MEMORY, /* in memory of the set: the table has one entry, of a buffer that holds them all */
    VC4C_ACCESS_KINDS
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
    uint8_t fetch_only; /* used without a sampler: texelFetch and queries */
    uint8_t dim;        /* enum vc4c_dim */
    uint8_t is_array, multisampled;
    uint8_t input_index; /* VC4C_DIM_SUBPASS: index among the subpass's input attachments; VC4C_NO_INPUT: not given */
    uint8_t has_offset;  /* some lookups have offsets in texels of the level that is read */
    uint8_t plane;       /* with Y'CbCr conversion: plane 0, 1 or 2 */
};

#define VC4C_NO_INPUT 0xff

struct vc4c_buffer_ref {
    uint16_t set, binding, index;
    uint8_t storage; /* a storage buffer, otherwise a uniform buffer */
};

#define VC4C_MAX_TEXTURES  256
#define VC4C_MAX_BUFFERS   512
#define VC4C_MAX_RESOURCES 512
/* Locations of attributes. An application has the first 32, for which masks are words; drawn records use all of them.
 */
#define VC4C_MAX_APPLICATION_ATTRIBUTES 32
#define VC4C_MAX_ATTRIBUTES             40
/* Programs with needs_triangle: location + VC4C_MAX_ATTRIBUTES holds the attribute of the triangle's next vertex, twice
 * that more the attribute of the previous one. */
#define VC4C_MAX_LOCATIONS  (3 * VC4C_MAX_ATTRIBUTES)
#define VC4C_MAX_ARRAYS     (VC4C_MAX_LOCATIONS + 5) /* plus the vertex's number and array index, the numbers of the
                                                      * other two vertices, and which of the three it is */

/* ---------------------------------------------------------------- records
 *
 * Tessellation and geometry shaders, and vertex shaders before them, are compute programs of the CPU engine, a lane for
 * each vertex or for each invocation; so are task and mesh shaders. Their outputs are records in memory: words in the
 * order of enum vc4c_record_word, of which a program stores those that the shader writes. Sixteen lanes share a block,
 * in which word w of lane l lies at 64 * w + 4 * l (docs/geometry.md). */

enum vc4c_record_word {
    VC4C_RECORD_POSITION,
    VC4C_RECORD_POINT_SIZE = 4,
    VC4C_RECORD_CLIP,      /* eight distances */
    VC4C_RECORD_CULL = 13, /* eight distances */
    VC4C_RECORD_LAYER = 21,
    VC4C_RECORD_VIEWPORT,
    VC4C_RECORD_PRIMITIVE, /* gl_PrimitiveID */
    VC4C_RECORD_USER,      /* location * 4 + component */
    VC4C_RECORD_WORDS = VC4C_RECORD_USER + 4 * 32,
    VC4C_RECORD_STIPPLE = VC4C_RECORD_WORDS, /* no program stores them: they are added when records are drawn */
    VC4C_DRAWN_WORDS = VC4C_RECORD_STIPPLE + VC4C_STIPPLE_WORDS,
};
#define VC4C_RECORD_MASKS 5u /* 32-bit masks that have a bit for each word */

/* The words of a vertex program's input: four for each location of an attribute, and the vertex and instance indices.
 */
enum vc4c_vertex_input_word {
    VC4C_VERTEX_INPUT_INDEX = 4 * VC4C_MAX_APPLICATION_ATTRIBUTES,
    VC4C_VERTEX_INPUT_INSTANCE,
    VC4C_VERTEX_INPUT_WORDS,
};

/* The words of a geometry program's input: addresses of the records of the primitive's vertices, and two numbers. */
enum vc4c_primitive_word {
    VC4C_PRIMITIVE_VERTICES = 6, /* at most */
    VC4C_PRIMITIVE_ID = VC4C_PRIMITIVE_VERTICES,
    VC4C_PRIMITIVE_INVOCATION,
    VC4C_PRIMITIVE_WORDS,
};

/* -- tessellation --
 *
 * The output patches of a control program are records in blocks of 16 lanes, too. As many whole patches share a block
 * as fit; one of more than 16 vertices has two blocks of its own. What belongs to a patch as a whole is one after the
 * other in memory. */

#define VC4C_MAX_PATCH_VERTICES 32u

enum vc4c_patch_word {
    VC4C_PATCH_OUTER, /* gl_TessLevelOuter */
    VC4C_PATCH_INNER = 4,
    VC4C_PATCH_USER = 6, /* location * 4 + component */
    VC4C_PATCH_WORDS = VC4C_PATCH_USER + 4 * 32,
};
#define VC4C_PATCH_B (4u * (VC4C_PATCH_WORDS + 2)) /* from patch to patch */

/* The words of a patch that a control program reads, one after the other: addresses of the records of its vertices, of
 * which the last one is repeated, and its number. */
enum vc4c_control_word { VC4C_CONTROL_ID = VC4C_MAX_PATCH_VERTICES, VC4C_CONTROL_WORDS };

/* The words of an evaluation program's input. */
enum vc4c_evaluation_word {
    VC4C_EVALUATION_COORD,        /* gl_TessCoord */
    VC4C_EVALUATION_VERTICES = 3, /* address of the record of the patch's vertex 0 */
    VC4C_EVALUATION_PATCH,        /* address of the patch's own words */
    VC4C_EVALUATION_ID,
    VC4C_EVALUATION_WORDS,
};

/* Patches that a workgroup of a control program has. */
static inline uint32_t vc4c_patches_per_group(uint32_t output_vertices)
{
    return output_vertices && output_vertices <= 16 ? 16 / output_vertices : 1;
}

enum vc4c_domain { VC4C_DOMAIN_NONE, VC4C_DOMAIN_TRIANGLES, VC4C_DOMAIN_QUADS, VC4C_DOMAIN_ISOLINES };
enum vc4c_spacing { VC4C_SPACING_NONE, VC4C_SPACING_EQUAL, VC4C_SPACING_EVEN, VC4C_SPACING_ODD };
enum vc4c_order { VC4C_ORDER_NONE, VC4C_ORDER_CLOCKWISE, VC4C_ORDER_COUNTERCLOCKWISE };

/* What a tessellation stage declares; each mode may be declared in either stage. */
struct vc4c_tessellation {
    uint8_t output_vertices; /* of a patch; 0: not declared */
    uint8_t domain, spacing, order;
    uint8_t point_mode;
    uint8_t zero[3];
};

/* What the first word of an emitted vertex says. The word is followed by those of the record. */
#define VC4C_EMITTED_BEGINS 1u /* the first vertex of a strip */
#define VC4C_EMITTED_STREAM 1u /* shift of the stream's number */

/* -- meshes --
 *
 * Task and mesh programs keep the workgroups of the application. A workgroup's number in a run, which is one row, is
 * that of its input and of its output; what the application sees of its place is in the input. The output of a mesh
 * program begins with VC4C_MESH_HEADER_B bytes, followed by vertices and primitives, both as records in blocks of 16.
 * The payload of a task is memory whose address both stages get. */

/* The words of a workgroup's input, one after the other. */
enum vc4c_group_word {
    VC4C_GROUP_ID,          /* gl_WorkGroupID */
    VC4C_GROUP_COUNT = 3,   /* gl_NumWorkGroups */
    VC4C_GROUP_PAYLOAD = 6, /* address */
    VC4C_GROUP_WORDS = 8,
};

/* The output of a task: the numbers of mesh workgroups. Of a mesh: its numbers of vertices and primitives. */
#define VC4C_TASK_OUTPUT_B 64u
#define VC4C_MESH_HEADER_B 64u
enum vc4c_mesh_header_word { VC4C_MESH_VERTICES, VC4C_MESH_PRIMITIVES };

/* A primitive's record has its own words in place of the position: the indices of its vertices, and whether it is
 * culled. */
enum vc4c_mesh_primitive_word { VC4C_MESH_INDEX, VC4C_MESH_CULL = 3 };

#define VC4C_MAX_MESH_VERTICES   256u
#define VC4C_MAX_MESH_PRIMITIVES 256u
#define VC4C_MAX_PAYLOAD_B       65536u /* each scalar has a word, also those of a byte */

/* What a task or mesh stage declares. */
struct vc4c_mesh {
    uint16_t max_vertices, max_primitives;
    uint8_t corners; /* of a primitive: 1, 2, 3 */
    uint8_t culls;   /* it writes CullPrimitiveEXT */
    uint16_t zero;
    uint32_t payload_B;
    uint32_t primitive_words[VC4C_RECORD_MASKS]; /* those of record_words that belong to primitives */
};

/* The contents of VC4C_UNIFORM_RECORDS words. Addresses are of the first block; strides are bytes from block to block.
 * The output of a geometry program has a block for each vertex that an invocation may emit, behind a row that holds the
 * number of vertices that each lane has emitted. Inputs and outputs of task and mesh programs are those of workgroups.
 */
enum vc4c_records_word {
    VC4C_RECORDS_COUNT, /* lanes that run */
    VC4C_RECORDS_INPUT,
    VC4C_RECORDS_INPUT_STRIDE,
    VC4C_RECORDS_OUTPUT,
    VC4C_RECORDS_OUTPUT_STRIDE,
    VC4C_RECORDS_VERTEX_STRIDE,  /* geometry: from an emitted vertex to the next one of the lane; tessellation: from the
                                  * first block of an output patch to its second; mesh: between blocks of vertices */
    VC4C_RECORDS_PATCHES,        /* tessellation control: the words of whole patches */
    VC4C_RECORDS_PATCH_VERTICES, /* tessellation: gl_PatchVerticesIn */
    VC4C_RECORDS_PRIMITIVES,     /* mesh: bytes from a workgroup's output to its first block of primitives */
    VC4C_RECORDS_PRIMITIVE_STRIDE, /* mesh: between blocks of primitives */
    VC4C_RECORDS_KINDS
};

/* Writes the SPIR-V of a vertex shader with the entry point "main" that draws records: attribute i holds the words
 * record[4 i] and following, which the shader copies to the outputs that they belong to. `record`: `count` words in
 * ascending order, at most four for each possible attribute. Returns the number of words written. */
#define VC4C_PASS_THROUGH_WORDS 8192u /* more than the longest module has */
uint32_t vc4c_pass_through(const uint8_t *record, uint32_t count, uint32_t words_out[VC4C_PASS_THROUGH_WORDS]);

/* Transform feedback: words of a record, each with its place in a vertex of one of the buffers. */
#define VC4C_MAX_CAPTURE_BUFFERS  4u
#define VC4C_MAX_CAPTURED         512u
#define VC4C_MAX_CAPTURE_STRIDE_B 2048u

struct vc4c_captured_word {
    uint16_t offset_B;
    uint8_t word; /* enum vc4c_record_word */
    uint8_t buffer, stream;
    uint8_t zero[3];
};

struct vc4c_capture {
    uint32_t count; /* 0: nothing is captured */
    uint32_t strides_B[VC4C_MAX_CAPTURE_BUFFERS];
    struct vc4c_captured_word words[VC4C_MAX_CAPTURED];
};

#define VC4C_MAX_EMITTED              1024u
#define VC4C_MAX_GEOMETRY_INVOCATIONS 32u
#define VC4C_MAX_STREAMS              4u

struct vc4c_geometry {
    uint8_t input_vertices;  /* per primitive: 1, 2, 3, with adjacent ones 4, 6 */
    uint8_t output_vertices; /* 1 points, 2 line strips, 3 triangle strips */
    uint8_t invocations;
    uint8_t zero;
    uint32_t max_vertices;
};

struct vc4c_interface {
    struct vc4c_varying inputs[VC4C_MAX_SLOTS]; /* fragment: the scalars read, in order of location and component; if
                                                 * there are more than VC4C_CHIP_SLOTS, flat ones come last */
    uint32_t input_count;
    uint32_t attribute_mask;                           /* vertex: mask of the application's locations read */
    uint8_t attribute_components[VC4C_MAX_ATTRIBUTES]; /* mask of the components read, per location */
    struct vc4c_texture_ref textures[VC4C_MAX_TEXTURES];
    uint32_t texture_count;
    struct vc4c_resource resources[VC4C_MAX_RESOURCES];
    uint32_t resource_count;
    bool uses_vertex_index, uses_instance_index, writes_point_size;
    uint8_t clip_distances;       /* vertex: mask of the clip distances written */
    uint8_t cull_distances;       /* vertex: mask of the cull distances written */
    uint8_t targets;              /* vertex: VC4C_TARGET_*, the built-ins Layer and ViewportIndex if they are written */
    bool writes_depth, uses_discard;
    bool has_side_effects;        /* stores or atomics */
    bool sample_shading;          /* fragment: needs one invocation per sample */
    bool orders_pixels;           /* fragment: invocations at one pixel must run in the order of primitives, whatever
                                   * samples they are for */
    uint32_t color_output_mask;   /* fragment: mask of the locations written */
    uint32_t local_size[3];       /* compute */
    uint32_t record_words[VC4C_RECORD_MASKS]; /* stages that write records: mask of the words that they write */
    struct vc4c_geometry geometry;
    struct vc4c_tessellation tessellation;
    struct vc4c_mesh mesh;
    struct vc4c_capture capture; /* stages that write records */
};

static inline bool vc4c_writes_record_word(const struct vc4c_interface *interface, uint32_t word)
{
    return interface->record_words[word / 32] >> word % 32 & 1;
}

/* Mesh: whether the word belongs to primitives. */
static inline bool vc4c_is_primitive_word(const struct vc4c_interface *interface, uint32_t word)
{
    return interface->mesh.primitive_words[word / 32] >> word % 32 & 1;
}

/* Reads an interface from a cache, which stores the bytes of the struct. False if the compiler cannot have made it. */
bool vc4c_interface_read(const void *bytes, size_t size_B, struct vc4c_interface *out);

enum vc4c_result vc4c_get_interface(const struct vc4c_entry *entry, const struct util_alloc *alloc,
                                    struct vc4c_interface *out, struct vc4c_error *error);

/* The front end's result for a stage, which all its programs share. Saves reading and optimising the stage again when
 * several of its programs, or a program and the interface, are wanted. `alloc` must outlive it; the module and the
 * entry's constants need not. Only one thread may use it at a time. */
struct vc4c_front;
struct vc4c_key;
struct vc4c_program;
enum vc4c_result vc4c_front_create(const struct vc4c_entry *entry, const struct util_alloc *alloc,
                                   struct vc4c_front **out, struct vc4c_error *error);
void vc4c_front_destroy(struct vc4c_front *front); /* NULL is accepted */
void vc4c_front_interface(const struct vc4c_front *front, struct vc4c_interface *out);
/* Like vc4c_compile, but from a front. */
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

/* Lines that are drawn as two triangles: those of the topology, or the edges of triangles. */
enum vc4c_rectangles { VC4C_RECTANGLES_NONE, VC4C_RECTANGLES_OF_LINES, VC4C_RECTANGLES_OF_EDGES };

/* The number that each vertex of a rectangle has as an attribute (VC4C_ATTRIBUTE_TRIANGLE_VERTEX). */
enum vc4c_rectangle_vertex {
    VC4C_RECTANGLE_VERTEX = 3,   /* mask: which vertex of its line or triangle it is a copy of */
    VC4C_RECTANGLE_END = 1 << 2, /* the second end of its line: of an edge, the other one is the previous vertex */
    VC4C_RECTANGLE_PLUS = 1 << 3 /* it moves to the side that is clockwise of the direction to the other end, with row 0
                                  * of memory at the top */
};

struct vc4c_vertex_key {
    uint8_t formats[VC4C_MAX_ATTRIBUTES]; /* enum hw_format per location; HW_FORMAT_NONE = no array, reads (0,0,0,1) */
    uint32_t trailing_mask; /* mask of the locations whose words come last in the VPM */
    struct vc4c_varying outputs[VC4C_MAX_SLOTS]; /* the inputs of the fragment stage, in its order */
    uint8_t output_count;
    uint8_t emit_point_size;   /* points are drawn: the program writes a point size word */
    uint8_t instance_index_is_zero;
    uint8_t recentre;          /* the program first scales and moves x and y of clip space by uniforms */
    uint8_t merge_instances;   /* draws hold several instances: gl_InstanceIndex is an attribute, not a uniform */
    /* Attributes of all three vertices of the triangle are loaded, for results that depend on the triangle: flat
     * outputs, facing as an output, culling, depth bias. */
    uint8_t needs_triangle;
    uint8_t provoking_vertex;  /* vertex whose values flat outputs get: 0 or 2 of triangles, 0 or 1 of lines */
    uint8_t cull_front, cull_back, front_is_clockwise;
    uint8_t biases_depth;
    uint8_t bias_steps_by_depth; /* float formats: the unit of the constant term depends on the triangle's greatest
                                  * depth */
    uint8_t rectangles;        /* enum vc4c_rectangles; needs_triangle is set */
    uint8_t is_smooth;         /* the rectangles are larger, and VC4C_LINE_LOCATION is an output */
    uint8_t cull_distances;    /* mask of cull distances; a primitive is dropped if one is negative at all its
                                * vertices */
    uint8_t ignores_depth_planes; /* near and far plane do not clip */
    uint8_t symmetric_depth;      /* z of clip space is from -w to w, else from 0 to w */
};

struct vc4c_fragment_key {
    uint8_t color_format;      /* enum hw_format of the colour target; HW_FORMAT_NONE = no colour */
    uint8_t color_word;        /* the 32-bit word of its texels that the tile buffer holds */
    uint8_t pairs_alpha;       /* four channels of 16 bits: the tile buffer holds channel `color_word` (0 to 2) in its
                                * low half, alpha in its high half */
    uint8_t alpha_apart; /* blending needs the target's alpha, which is a word of its own: the last of the target's
                          * four, which the program stores itself */
    uint8_t color_location;    /* location of the output that is written to it */
    uint8_t write_mask;        /* bits R, G, B, A */
    uint8_t blend_enable;
    uint8_t src_color, dst_color, color_op, src_alpha, dst_alpha, alpha_op; /* vc4c_blend_factor, vc4c_blend_op */
    uint8_t logic_op;          /* enum vc4c_logic_op */
    uint8_t dithers;           /* how channels of less than eight bits are rounded depends on the pixel's place */
    uint8_t write_z;           /* a TLB_Z write is needed: depth test, depth write or stencil is on. If it is 0 the
                                * program may still write it, so the draw must set the depth function to always, without
                                * updates. */
    uint8_t stencil_words;     /* number of stencil configuration words to set up, 0..3 */
    uint8_t primitive;         /* enum vc4c_primitive: points and lines have additional varyings, made by the chip */
    uint8_t samples;           /* 1 or 4 */
    uint8_t alpha_to_coverage, alpha_to_one;
    uint8_t use_sample_mask;   /* AND the coverage with a uniform word */
    uint8_t sample_shading;    /* draws are repeated once per sample; use_sample_mask is set */
    uint8_t counts;            /* occlusion queries: the target's words are counters, and each sample that passes adds a
                                * uniform word; of the colour state above only alpha_to_coverage has an effect */
};

#define VC4C_MAX_STORED 31 /* eight targets of up to four words, minus the one in the tile buffer */

/* Compared and hashed as bytes: zero it before filling it in. */
struct vc4c_key {
    union {
        struct vc4c_vertex_key vs;
        struct vc4c_fragment_key fs;
    };
    uint32_t target;           /* enum vc4c_target */
    uint32_t quick;            /* 1: somebody waits for the program; a short search makes do for its schedule */
    uint32_t class_count;      /* equals interface.texture_count: one class per texture, in the same order */
    struct hw_sampling_class classes[VC4C_MAX_TEXTURES];
    /* Fragment programs of the CPU engine: the colour words that the program stores to memory itself, each described as
     * `fs` describes the tile buffer's word. Only the fields about colour are used. */
    uint32_t stored_count;
    struct vc4c_fragment_key stored[VC4C_MAX_STORED];
};

/* ---------------------------------------------------------------- programs */

/* The contents of a word of the uniform stream. The words are in the order in which the program pops them. */
enum vc4c_uniform_kind {
    VC4C_UNIFORM_CONSTANT,     /* data: the word */
    VC4C_UNIFORM_PUSH,         /* data: byte offset in the push constants */
    VC4C_UNIFORM_BUFFER_WORD,  /* ref: buffer, data: byte offset; the word in memory when the job is issued, 0 beyond
                                * the range */
    VC4C_UNIFORM_BUFFER_LIMIT, /* ref: buffer; last byte offset at which an access of data + 4 bytes may begin: range
                                * rounded up to 4, minus 4, minus data; 0 if the range is shorter */
    VC4C_UNIFORM_BUFFER_BASE,  /* ref: buffer; byte offset of the range in its BO (kernel: p0 of a direct lookup),
                                * plus data, clamped to the range's last word */
    VC4C_UNIFORM_BUFFER_SIZE,  /* ref: buffer; range in bytes */
    VC4C_UNIFORM_TABLE_LIMIT,  /* ref: table; last byte offset in the table at which an access of data + 4 bytes may
                                * begin */
    VC4C_UNIFORM_TABLE_BASE,   /* ref: table; byte offset of its first word in the BO of the program's tables, plus
                                * data */
    VC4C_UNIFORM_TEX_P0,       /* config words of a textured lookup. ref: texture; data: word of the texel if texels
                                * are wider than 32 bits */
    VC4C_UNIFORM_TEX_P1,       /* ref: texture; data: bit 0 = nearest filters (texel fetch); bit 1 then says that B is
                                * the level, otherwise level 0 is read */
    VC4C_UNIFORM_TEX_P2_LOD,   /* ref: texture; cube stride; data: 1 = B is the LOD */
    VC4C_UNIFORM_TEX_ZERO,     /* a config word that the chip ignores */
    VC4C_UNIFORM_TEX_BORDER,   /* ref: texture; border colour in the texture type's layout; raw texels: data: which
                                * word */
    VC4C_UNIFORM_TEX_WIDTH_F,  /* ref: texture; data: level (0 = base level of the view), as float */
    VC4C_UNIFORM_TEX_HEIGHT_F,
    VC4C_UNIFORM_TEX_DEPTH_F,     /* depth of 3D views, as float */
    VC4C_UNIFORM_TEX_RCP_WIDTH_F, /* 1 / width of the view's base level */
    VC4C_UNIFORM_TEX_RCP_HEIGHT_F,
    VC4C_UNIFORM_TEX_RCP_DEPTH_F,
    VC4C_UNIFORM_TEX_WIDTH_I, /* the same as integers; for texel buffers the number of texels */
    VC4C_UNIFORM_TEX_HEIGHT_I,
    VC4C_UNIFORM_TEX_DEPTH_I, /* depth of 3D views, layers of array views, cubes of cube array views */
    VC4C_UNIFORM_TEX_LEVELS_I,
    VC4C_UNIFORM_TEX_SAMPLES_I,
    VC4C_UNIFORM_TEX_LOD_BIAS_F, /* sampler bias */
    VC4C_UNIFORM_TEX_LOD_MIN_F,  /* LOD clamps, in levels counted from the image's level 0 */
    VC4C_UNIFORM_TEX_LOD_MAX_F,
    VC4C_UNIFORM_TEX_BASE_LEVEL_F, /* the view's base level: added to explicit LODs */
    VC4C_UNIFORM_TEX_LAST_LEVEL_F, /* the view's last level, counted from its base level */
    VC4C_UNIFORM_TEX_MIP_LINEAR_I, /* 1 if the sampler blends two levels */
    /* For HW_SAMPLE_DIRECT classes; ref: texture. A texel's word is at base + level offset + slice * layer stride +
     * word * word stride + the layout's offset of x and y, which depends on the pitch. */
    VC4C_UNIFORM_DIRECT_LIMIT,        /* last byte offset from the base that may be read */
    VC4C_UNIFORM_DIRECT_BASE,         /* byte offset in the BO (kernel: p0 of a direct lookup) */
    VC4C_UNIFORM_DIRECT_LEVEL,        /* data: level (0 = base level of the view); byte offset from the base */
    VC4C_UNIFORM_DIRECT_PITCH,        /* data: level; bytes between rows: of microtiles (LT), 4 KiB tiles (T), texels
                                       * (raster), 32 x 32 blocks (samples) */
    VC4C_UNIFORM_DIRECT_LAYER,        /* distance between layers, faces or slices, in units of 4096 bytes */
    VC4C_UNIFORM_DIRECT_WORD,         /* bytes between the words of a texel */
    VC4C_UNIFORM_DIRECT_T_LEVELS,     /* number of levels, from the view's base level on, that have layout T */
    VC4C_UNIFORM_VIEWPORT_SCALE_X_16, /* half viewport width in 1/16 px, float */
    VC4C_UNIFORM_VIEWPORT_SCALE_Y_16, /* negative for a flipped viewport */
    VC4C_UNIFORM_VIEWPORT_SCALE_Z,    /* (max - min) / 2 and (max + min) / 2, for clip z changed to 2z - w */
    VC4C_UNIFORM_VIEWPORT_OFFSET_Z,
    VC4C_UNIFORM_BLEND_CONSTANT, /* data: component + enum vc4c_blend_range; float, clamped to that range */
    VC4C_UNIFORM_STENCIL,        /* data: word 0..2 */
    VC4C_UNIFORM_BASE_VERTEX,    /* first vertex or vertex offset, an integer that is added to the ramp attribute */
    VC4C_UNIFORM_INSTANCE_INDEX,
    VC4C_UNIFORM_DRAW,           /* built-ins of the draw command; data: 0 BaseVertex, 1 BaseInstance, 2 DrawIndex */
    VC4C_UNIFORM_VIEW_INDEX,     /* of what this job draws; data: 0 the view, 0 without multiview; 1 the layer */
    VC4C_UNIFORM_VIEWPORT_INDEX, /* the viewport that this draw of the chip is for */
    VC4C_UNIFORM_SAMPLE_MASK,    /* with sample shading only the bit of the sample that is shaded */
    VC4C_UNIFORM_SAMPLE_ID,      /* sample shading: the sample's index */
    VC4C_UNIFORM_SAMPLE_OFFSET,  /* the sample's offset from the centre; data: 0 x, 1 y; float */
    VC4C_UNIFORM_COUNT,          /* the word that occlusion-query programs add */
    VC4C_UNIFORM_RECENTRE_SCALE, /* data: 0 x, 1 y; floats: clip x becomes scale * x + offset * w */
    VC4C_UNIFORM_RECENTRE_OFFSET,
    VC4C_UNIFORM_POLYGON,           /* data: enum vc4c_polygon_word; float */
    VC4C_UNIFORM_FRAG_COORD_OFFSET, /* data: 0 x, 1 y; origin of this job's range, float; 2, 3: as integers */
    VC4C_UNIFORM_EXPR,              /* data: the result of this step of the program's exprs */
    VC4C_UNIFORM_STREAM_ADDRESS,    /* a uniforms-address reset. The kernel overwrites it, so its value does not matter.
                                     * The CPU engine's own map has no kernel; there it is the address of the stream's
                                     * first word */

    /* CPU engine; addresses are in the job's address map. */
    VC4C_UNIFORM_ENGINE_ENTRY,       /* ref: resource; address of the binding-table entry of its element 0 */
    VC4C_UNIFORM_ENGINE_STATES,      /* ref: resource; the entry plus this word is the address of a struct
                                      * hw_engine_descriptor */
    VC4C_UNIFORM_ENGINE_PUSH,        /* address of the push constants */
    VC4C_UNIFORM_ENGINE_MEMORY,      /* the lowest address that memory of the application has */
    VC4C_UNIFORM_ENGINE_SHARED,      /* address of the workgroup's shared memory */
    VC4C_UNIFORM_ENGINE_SCRATCH,     /* address of the scratch memory plus data; QPU q's part begins at q * scratch_B */
    VC4C_UNIFORM_ENGINE_SCRATCH_B,   /* the program's scratch_B */
    VC4C_UNIFORM_ENGINE_COLOR,       /* data: index of the stored word; its address for the first pixel. Pixels are four
                                      * bytes apart */
    VC4C_UNIFORM_ENGINE_COLOR_PITCH, /* data: the same; bytes between rows */
    VC4C_UNIFORM_ENGINE_VERTICES,    /* address of the memory in which the coordinate program passes data to the vertex
                                      * program: vertex_results_B for each number in the ramp */
    VC4C_UNIFORM_ENGINE_PRINT,       /* address of the program's print memory, VC4C_PRINT_MEMORY_B bytes that begin as
                                      * zeros; VC4C_ENGINE_NULL: nothing is printed */
    VC4C_UNIFORM_WORKGROUP_FIRST,    /* x of the first workgroup of this request; END: x of the one after its last */
    VC4C_UNIFORM_WORKGROUP_END,
    VC4C_UNIFORM_WORKGROUP_Y,
    VC4C_UNIFORM_WORKGROUP_Z,
    VC4C_UNIFORM_WORKGROUP_COUNT, /* data: 0 x, 1 y, 2 z */
    VC4C_UNIFORM_SUBGROUP,        /* number of this request's subgroup in its workgroup */
    VC4C_UNIFORM_RECORDS,         /* stages that write records; data: enum vc4c_records_word */
    VC4C_UNIFORM_KINDS
};

/* Words for programs with needs_triangle; depths and slopes are in window coordinates. */
enum vc4c_polygon_word {
    VC4C_POLYGON_FLIP,     /* negative if the viewport is flipped */
    VC4C_POLYGON_BIAS_CONSTANT, /* depth bias: the constant term as a depth; of float formats at depths from 0.5 to 1 */
    VC4C_POLYGON_BIAS_SLOPE,    /* depth bias: the factor of the steepest slope */
    VC4C_POLYGON_BIAS_MIN,    /* depth bias: the lower and the upper limit */
    VC4C_POLYGON_BIAS_MAX,
    VC4C_POLYGON_PER_X,    /* window depth per pixel, for a slope of one in clip space */
    VC4C_POLYGON_PER_Y,
    VC4C_POLYGON_PER_DEPTH, /* clip z (for w = 1) per window depth */
    VC4C_POLYGON_LINE_X, /* rectangles: 1/16 pixels per unit of x and y in clip space (for w = 1) */
    VC4C_POLYGON_LINE_Y,
    VC4C_POLYGON_LINE_HALF_X, /* rectangles: half of the line's width in these units */
    VC4C_POLYGON_LINE_HALF_Y,
    VC4C_POLYGON_LINE_PX_X, /* rectangles: one pixel in these units */
    VC4C_POLYGON_LINE_PX_Y,
    VC4C_POLYGON_LINE_HALF, /* half of the line's width in pixels */
    VC4C_POLYGON_STIPPLE_PATTERN, /* 16 bits, as an integer */
    VC4C_POLYGON_STIPPLE_RATE,    /* bits of the pattern per step */
    VC4C_POLYGON_WORDS
};

/* The range to which a blend constant is clamped: that of the target's format. */
enum vc4c_blend_range { VC4C_BLEND_RANGE_ANY = 0, VC4C_BLEND_RANGE_UNORM = 4, VC4C_BLEND_RANGE_SNORM = 8 };

struct vc4c_uniform {
    uint8_t kind;  /* enum vc4c_uniform_kind */
    uint8_t pad;
    uint16_t ref;  /* index into textures[], buffers[] or resources[] of the program */
    uint32_t data;
};

/* A step in computing uniform words from others, done when the stream is built, before its first word. Steps use only
 * earlier ones. */
struct vc4c_expr {
    uint16_t op;              /* enum hw_expr_op; HW_EXPR_WORD: `word`, whose kind is not EXPR */
    uint16_t src[3];          /* steps */
    struct vc4c_uniform word;
};
#define VC4C_MAX_EXPRS 4096

/* One write to an S register, in program order: for each write the kernel takes one handle from the head of the stage's
 * uniforms. */
struct vc4c_lookup {
    uint8_t is_buffer; /* a direct lookup in buffers[ref] or in the program's tables, otherwise in textures[ref] */
    uint8_t pad;
    uint16_t ref;
};

/* One attribute: rows that the vertex pipe loads into the VPM. If the VPM is full, the attribute is spilled: the
 * program reads it from memory, as buffer VC4C_BUFFER_SPILL. Spilled locations of the key's trailing_mask have the same
 * values in all vertices of a draw, and are read at their offset. For other locations the program adds spill_stride_B
 * times the vertex's array index. */
struct vc4c_attribute {
    uint8_t location;   /* below VC4C_MAX_LOCATIONS, or one of the VC4C_ATTRIBUTE_ values */
    uint16_t vpm_B;     /* offset in the vertex's VPM column, or in the spill memory; a multiple of 4 */
    uint8_t size_B;     /* bytes to load: the part of the format that is needed, from its start */
    bool is_spilled;
};
#define VC4C_ATTRIBUTE_VERTEX_RAMP  0xff /* 32-bit numbers 0, 1, 2, ... (gl_VertexIndex - base vertex) */
#define VC4C_ATTRIBUTE_ARRAY_INDEX 0xfe /* the vertex's index in its arrays and in the spill memory: 16 bits */
#define VC4C_ATTRIBUTE_INSTANCE     0xfd /* gl_InstanceIndex, after all others; only with merge_instances, and if it is
                                          * read */
#define VC4C_ATTRIBUTE_NEXT_RAMP     0xfc /* vertex numbers of the triangle's other two vertices */
#define VC4C_ATTRIBUTE_PREVIOUS_RAMP 0xfb
#define VC4C_ATTRIBUTE_TRIANGLE_VERTEX        0xfa /* which vertex of its triangle this is: 0, 1, 2 */
#define VC4C_BUFFER_SPILL           0xffff
#define VC4C_BUFFER_TABLES                    0xfffe /* ref of lookups in the program's tables */

/* A table of constants that the program indexes: `count` of its table_words, from word `first` on. count 0: the program
 * does not read it. */
struct vc4c_table {
    uint32_t first, count;
};
#define VC4C_MAX_TABLE_WORDS (1u << 18)

/* An address that is never mapped: loads give zero, stores have no effect, and neither is reported as a fault. */
#define VC4C_ENGINE_NULL  0u
#define VC4C_ENGINE_CLOCK 2048u /* 16 words, by VPM DMA: low and high half of the time in ns, in turn */
/* Never mapped either, but accesses are reported. Stands for 64-bit addresses outside of the application's memory. */
#define VC4C_ENGINE_OUTSIDE 0x1000u

/* The fixed instruction sequences of CPU-engine programs, so that a JIT can replace them. Each reads its operands from
 * registers and clobbers r0 to r5, the flags and the registers that it names in struct vc4c_site. */
enum vc4c_site_kind {
    VC4C_SITE_ATOMIC_ADD, /* result = word at `address`, which becomes f(word, data); lanes in ascending order */
    VC4C_SITE_ATOMIC_SUB,
    VC4C_SITE_ATOMIC_IMIN,
    VC4C_SITE_ATOMIC_IMAX,
    VC4C_SITE_ATOMIC_UMIN,
    VC4C_SITE_ATOMIC_UMAX,
    VC4C_SITE_ATOMIC_AND,
    VC4C_SITE_ATOMIC_OR,
    VC4C_SITE_ATOMIC_XOR,
    VC4C_SITE_ATOMIC_FADD, /* adds floats, rounding toward zero; `compare` holds infinity, data is not NaN */
    VC4C_SITE_ATOMIC_FMIN, /* `compare` holds infinity; NaN as data must be positive */
    VC4C_SITE_ATOMIC_FMAX, /* `compare` holds infinity; NaN as data must be negative */
    VC4C_SITE_ATOMIC_EXCHANGE,
    VC4C_SITE_ATOMIC_COMPARE, /* becomes data if it equals `compare` */
    VC4C_SITE_BARRIER,        /* waits for the other subgroups; `data` holds this subgroup's number */
    VC4C_SITE_BARRIER_ARRIVE, /* the two phases of a barrier */
    VC4C_SITE_BARRIER_LEAVE,
    VC4C_SITE_MUTEX_ACQUIRE, /* the mutex that atomics hold */
    VC4C_SITE_MUTEX_RELEASE,
    VC4C_SITE_KINDS
};
#define VC4C_SITE_FILE_B   0x20u /* added to the number of a register in file B */
#define VC4C_SITE_NO_REGISTER 0xffu

struct vc4c_site {
    uint8_t kind;            /* enum vc4c_site_kind */
    uint8_t address, data, compare, result, scratch; /* register numbers, VC4C_SITE_NO_REGISTER if unused */
    uint16_t count;          /* number of instructions */
    uint32_t first;          /* index of the first instruction */
};

/* -- printf ---------------------------------------------------------------------------------------------------------
 *
 * Messages of a program's lanes lie in its print memory: a word that counts the words which lanes have asked for, then
 * VC4C_PRINT_WORDS words of messages, one after the other. Those that do not fit any more are lost. A message is the
 * number of its call plus 1, and the words of the arguments. */

#define VC4C_PRINT_WORDS      16383u
#define VC4C_PRINT_MEMORY_B   (4 * (1 + VC4C_PRINT_WORDS))
#define VC4C_PRINT_CALLS      256u /* of a program; further ones do not print */
#define VC4C_PRINT_ARGS       16u  /* of a call; further ones are not printed */
#define VC4C_PRINT_COMPONENTS 4u
#define VC4C_PRINT_FORMAT_B   1024u /* longer formats are cut off */

enum vc4c_print_type {
    VC4C_PRINT_NOTHING, /* not a number: has no words */
    VC4C_PRINT_BOOL,
    VC4C_PRINT_INT, /* also of smaller integers and floats, which are widened */
    VC4C_PRINT_UINT,
    VC4C_PRINT_FLOAT,
    VC4C_PRINT_INT64, /* two words, the low one first */
    VC4C_PRINT_UINT64,
    VC4C_PRINT_FLOAT64,
    VC4C_PRINT_TYPES
};

struct vc4c_print_arg {
    uint8_t type;  /* enum vc4c_print_type */
    uint8_t count; /* components */
};

static inline uint32_t vc4c_print_arg_words(const struct vc4c_print_arg *arg)
{
    return arg->type == VC4C_PRINT_NOTHING ? 0 : arg->count * (arg->type >= VC4C_PRINT_INT64 ? 2u : 1u);
}

struct vc4c_print {    /* a call */
    uint32_t format_B; /* where the format begins in print_text */
    uint16_t words;    /* of its messages */
    uint16_t arg_count;
    struct vc4c_print_arg args[VC4C_PRINT_ARGS];
};

struct vc4c_stats {
    uint32_t instructions, uniforms, lookups, registers, cycles, compile_us;
    uint32_t spill_rows; /* CPU engine: own rows of the QPU that hold spilled values; more are in scratch memory */
};

struct vc4c_program {
    const struct util_alloc *alloc;
    uint64_t *code;
    uint32_t *origins;          /* per instruction: offset in the module of what it was compiled from, 0: unknown */
    uint32_t instruction_count;
    bool threaded;              /* fragment: uses two hardware threads */
    struct vc4c_uniform *uniforms;
    uint32_t uniform_count;
    struct vc4c_expr *exprs;
    uint32_t expr_count;
    bool extra_stream_word;     /* a backward branch is not followed by a uniforms reset: the stream needs one word more
                                 * at its end */
    struct vc4c_lookup *lookups;
    uint32_t lookup_count;
    struct vc4c_table *tables;
    uint32_t table_count;
    uint32_t *table_words;                               /* a BO with these words is what lookups in tables read */
    uint32_t table_word_count;                           /* even */
    struct vc4c_texture_ref textures[VC4C_MAX_TEXTURES]; /* the interface's, same order */
    uint32_t texture_count;
    struct vc4c_buffer_ref *buffers;
    uint32_t buffer_count;
    struct vc4c_attribute attributes[VC4C_MAX_ARRAYS]; /* vertex kinds, ascending vpm_B; at least one */
    uint32_t attribute_count;
    uint32_t attribute_size_B;  /* size of all attributes in the VPM, <= 255 */
    uint32_t spill_stride_B;      /* bytes per vertex of the spilled attributes; 0: none is spilled */
    bool needs_triangle;         /* vertex kinds: as in the key */
    struct vc4c_varying inputs[VC4C_MAX_SLOTS]; /* fragment: the varyings popped, without the additional ones of points
                                                 * and lines */
    uint32_t input_count;
    uint32_t flat_mask;         /* bit i: inputs[i] is flat (packet 97) */
    uint32_t flat_from;         /* CPU engine: inputs from this index on are flat; they have no bits in flat_mask. 0:
                                 * none */
    bool reads_color;           /* loads the old colour from the tile buffer */
    struct vc4c_resource resources[VC4C_MAX_RESOURCES]; /* the interface's, same order */
    uint32_t resource_count;

    /* CPU engine. */
    bool is_engine;             /* compiled for the CPU engine: uses descriptors, and runs nowhere else */
    struct vc4c_print *prints;  /* calls of printf */
    uint32_t print_count;
    char *print_text; /* the formats, each zero-terminated */
    uint32_t print_text_B;
    struct vc4c_site *sites;    /* in program order */
    uint32_t site_count;
    uint32_t local_size[3];     /* compute: invocations of a workgroup */
    uint32_t subgroups;         /* compute: requests per workgroup, of 16 invocations each */
    uint32_t shared_B;          /* shared memory of a workgroup */
    bool counts_finished;       /* compute: the word after the shared memory counts the subgroups that have finished a
                                 * workgroup; it must be 0 when a request begins */
    uint32_t scratch_B;         /* size of the scratch memory of a QPU: spilled values and large arrays */
    bool uses_set_memory;       /* reads descriptors in memory of sets: the job's map must have all memory */
    bool uses_addresses;        /* accesses memory through 64-bit addresses: the job's map must have all memory of
                                 * buffers that have such addresses */
    uint32_t vertex_results_B;  /* vertex kinds with side effects: bytes per vertex passed from the coordinate to the
                                 * vertex program, else 0 */
    bool has_barriers;          /* the subgroups of a workgroup must run at the same time, and no other workgroup may
                                 * share their set of semaphores */

    bool writes_z_late;         /* the shader writes depth or discards: early Z needs care (discard) or is off
                                 * (depth) */
    struct vc4c_stats stats;
};

/* Compiles one program. `out` is filled only on VC4C_OK; the caller then owns it. */
enum vc4c_result vc4c_compile(const struct vc4c_entry *entry, enum vc4c_program_kind kind, const struct vc4c_key *key,
                              const struct util_alloc *alloc, struct vc4c_program *out, struct vc4c_error *error);
void vc4c_program_finish(struct vc4c_program *program);

/* Offset of a sample from the pixel's centre, in Vulkan's standard pattern of four samples; axis: 0 x, 1 y. */
float vc4c_sample_offset(uint32_t sample, uint32_t axis);

/* Reads the message at word `at` of a program's print memory, `words` being what follows the memory's first word, and
 * makes its text, which is cut off to `out_B` bytes (at least 1). It is UTF-8 whatever the program stored. Returns
 * where the next message begins; 0: there is no message at `at`. (vc4c_print.c) */
uint32_t vc4c_print_message(const struct vc4c_program *program, const uint32_t *words, uint32_t at, char *out,
                            size_t out_B);
/* Makes the text of a format and its arguments, in the same way. */
void vc4c_print_text(const char *format, const struct vc4c_print *print, const uint32_t *words, char *out,
                     size_t out_B);

/* The word of a uniform of kind TABLE_LIMIT or TABLE_BASE; false for all other kinds. */
bool vc4c_table_word(const struct vc4c_program *program, const struct vc4c_uniform *uniform, uint32_t *out);

/* Checks that every index is within its table and every bool is 0 or 1. True for everything that the compiler makes.
 * Instructions are not checked: the model tolerates any. */
bool vc4c_program_is_valid(const struct vc4c_program *program);

/* Serialises a program; only this build can read the bytes. Returns their number, and stores them unless `bytes` is
 * NULL. */
size_t vc4c_program_write(const struct vc4c_program *program, void *bytes);
/* VC4C_INVALID if lengths or indices in the bytes are impossible. The caller must verify a checksum of the bytes
 * first. */
enum vc4c_result vc4c_program_read(const void *bytes, size_t size_B, const struct util_alloc *alloc,
                                   struct vc4c_program *out);

#endif
