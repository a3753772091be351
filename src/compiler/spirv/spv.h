/* SPDX-License-Identifier: MIT
 *
 * SPIR-V to IR: the state that the files of this folder share while they translate one entry point.
 *
 *   spv_context.c   decorations, specialisation, entry point; the entry functions of this folder
 *   spv_type.c      types          spv_const.c   constants
 *   spv_value.c     ids to values and back
 *   spv_function.c  functions, inlined
 *   spv_cfg.c       structured control flow     spv_repair.c  values that no longer dominate their uses
 *   spv_switch.c    the order of cases          spv_phi.c     phis
 *   spv_memory.c    pointers, loads, stores     spv_block.c   buffer and push-constant layouts
 *   spv_table.c     tables of constants         spv_scratch.c  large arrays
 *   spv_pointer.c spv_pointer_ops.c   pointers as values, and their instructions
 *   spv_double*.c   64-bit floats
 *   spv_io.c        inputs, outputs, built-ins     spv_io_memory.c  those that live in memory
 *   spv_geometry.c spv_tessellation.c spv_mesh.c   stages before the rasteriser
 *   spv_alu.c spv_composite.c spv_glsl.c spv_glsl_pack.c spv_tex.c   instructions by family
 *
 * All composites are flattened: a value is the list of its scalars, in declaration order, matrices by columns. A number
 * of 64 bits is two scalars, low word first. On an error spv_fail leaves the translation by longjmp; so does running
 * out of memory.
 */
#ifndef SPV_H
#define SPV_H

#include "compiler/ir/ir.h"
#include "compiler/spirv/spv_module.h"

/* ---------------------------------------------------------------- decorations */

#define SPV_NO_NUMBER UINT32_MAX

struct spv_decor {
    uint32_t location, component, builtin, binding, set, spec_id, input_index; /* SPV_NO_NUMBER: not decorated */
    uint32_t array_stride_B, offset_B, matrix_stride_B;
    uint32_t capture_buffer, capture_stride_B, stream; /* SPV_NO_NUMBER: not decorated */
    bool is_dual_source; /* index 1 */
    bool flat, noperspective, centroid, sample, patch, relaxed, exact, block, buffer_block, row_major, non_writable,
        rounds_to_zero, is_volatile, has_fast_math, per_primitive;
    uint32_t fast_math;               /* SpvFPFastMathMode..Mask, if it has one */
    struct spv_decor **members;       /* OpMemberDecorate; NULL where a member has none */
    uint32_t member_count;
};
#define SPV_MAX_MEMBERS 16384u /* SPIR-V's own limit is one less */

/* ---------------------------------------------------------------- types */

enum spv_type_kind {
    SPV_TYPE_VOID,
    SPV_TYPE_BOOL,
    SPV_TYPE_INT,
    SPV_TYPE_FLOAT,
    SPV_TYPE_VECTOR,
    SPV_TYPE_MATRIX,
    SPV_TYPE_ARRAY,   /* count 0: run-time sized */
    SPV_TYPE_STRUCT,
    SPV_TYPE_POINTER,
    SPV_TYPE_FUNCTION,
    SPV_TYPE_IMAGE,
    SPV_TYPE_SAMPLER,
    SPV_TYPE_SAMPLED_IMAGE,
};

struct spv_type {
    uint8_t kind;
    bool is_signed;                    /* INT */
    bool is_empty;                     /* STRUCT, ARRAY: made of structs without members */
    uint8_t bits;                      /* INT, FLOAT: 8, 16, 32 or 64; BOOL: 1; POINTER: of its words in memory */
    uint32_t id;
    uint32_t count;                    /* components, columns, elements, members */
    const struct spv_type
        *elem; /* VECTOR, MATRIX (column), ARRAY, POINTER (target; NULL until a forward pointer is defined), FUNCTION
                * (result), SAMPLED_IMAGE */
    const struct spv_type **members;   /* STRUCT */
    const struct spv_decor **layouts;  /* STRUCT: per member, never NULL */
    const struct spv_decor *decor;     /* never NULL */
    uint32_t scalars;                  /* number of scalars when flattened, 2 for 64 bits; 0 for types without. Pointers
                                        * have some if the module may use them as values (spv_pointer.c). Whatever
                                        * walks a type must not enter one without scalars: depth is no bound, because
                                        * members are shared */
    uint32_t depth;                    /* depth of nested aggregates */
    uint32_t storage;                  /* POINTER: storage class */
    uint8_t dim, arrayed, multisampled, sampled, format; /* IMAGE; format: SpvImageFormat */
};

#define SPV_MAX_SCALARS 4096u /* limit for a value that is loaded as a whole */

/* Bits of each IR value of a scalar type; those of 64 bits are two words. */
static inline uint8_t spv_scalar_bits(const struct spv_type *t)
{
    return t->kind == SPV_TYPE_BOOL ? 1 : 32;
}

static inline bool spv_is_scalar(const struct spv_type *t)
{
    return t->kind == SPV_TYPE_BOOL || t->kind == SPV_TYPE_INT || t->kind == SPV_TYPE_FLOAT;
}

/* A number of 64 bits? */
static inline bool spv_is_wide(const struct spv_type *t)
{
    return (t->kind == SPV_TYPE_INT || t->kind == SPV_TYPE_FLOAT) && t->bits == 64;
}

/* The scalar type at the bottom of vectors, matrices and arrays. */
const struct spv_type *spv_scalar_of(const struct spv_type *t);
/* The type of member `index` of a composite, and the scalar at which it begins. NULL if out of range. */
const struct spv_type *spv_member(const struct spv_type *t, uint32_t index, uint32_t *first_scalar_out);
/* Can there be values of this type? Those of structs without members, and of arrays of them, have no scalars. */
bool spv_has_values(const struct spv_type *t);
/* The stride of a matrix whose layout does not tell it. */
uint32_t spv_usual_matrix_stride_B(const struct spv_type *matrix, bool row_major);
/* Type of scalar number `index` of a flattened type; both words of a 64-bit number have its type. */
const struct spv_type *spv_scalar_at(const struct spv_type *t, uint32_t index);

/* ---------------------------------------------------------------- ids */

enum spv_kind {
    SPV_NOTHING,
    SPV_TYPE,
    SPV_CONSTANT,
    SPV_UNDEF,
    SPV_VALUE,
    SPV_POINTER,
    SPV_TEXTURE,
    SPV_GLSL_SET,
    SPV_IGNORED_SET,
    SPV_PRINTF_SET,
    SPV_LABEL,
    SPV_FUNCTION,
};

/* A variable index in a pointer into a variable: one dimension of an array. */
struct spv_step {
    struct ir_instr *index;
    uint32_t count;    /* elements */
    uint32_t scalars;  /* per element */
};
#define SPV_MAX_STEPS 8

/* What a pointer points to. */
struct spv_pointer {
    const struct spv_type *type;   /* of the pointee */
    uint32_t storage;
    struct spv_var *var;           /* the variable that contains the pointee */
    /* variables of this program: offset in scalars, then the variable indices */
    uint32_t scalar;
    struct spv_step steps[SPV_MAX_STEPS];
    uint32_t step_count;
    /* buffers and push constants: bytes from the start */
    uint32_t offset_B;
    struct ir_instr *offset;       /* dynamic part, or NULL */
    uint32_t dynamic_max_B;        /* the largest value of `offset` within the type, and a divisor of all its values */
    uint32_t dynamic_step_B;
    uint32_t matrix_stride_B;      /* inside a matrix: its layout */
    bool row_major;
    bool is_row_major_column;      /* the pointee is a column of a row-major matrix: its components are a stride
                                    * apart */
    /* descriptors: element of the binding, or a variable index below element_count */
    uint32_t element;
    struct ir_instr *element_index;
    uint32_t element_count;
    struct ir_instr *address; /* storage class Image: address of the texel; of one of 64 bits, that of its low word,
                               * and `address_high` that of the other */
    /* Pointers that were made from values have no variable but, by storage class: StorageBuffer: `descriptor` and
     * `offset`; for an array of descriptors, its two words in `address` and `address_high`. Workgroup: `address`,
     * before `scalar` and `steps`. PhysicalStorageBuffer: `address` and `address_high`, before `offset_B` and `offset`.
     */
    struct ir_instr *descriptor;   /* address of the buffer's struct hw_engine_descriptor */
    struct ir_instr *address_high; /* upper word of a 64-bit address */
    const struct spv_type *pointer_type; /* of the pointer itself, NULL if unknown */
};

struct spv_var {
    const struct spv_type *type;
    uint32_t storage;
    const struct spv_decor *decor;
    uint32_t id;
    struct spv_place *places;  /* per scalar, for variables of this program; NULL otherwise */
    bool is_interface;         /* listed by the entry point */
    uint32_t initializer;      /* id, or SPV_NO_NUMBER */
    uint32_t shared_B;         /* Workgroup: offset in the shared memory, or in the payload; SPV_NO_NUMBER: not there
                                * (yet) */
    uint32_t shared_size_B;    /* Workgroup, blocks only: size with the block's own layout */
    bool in_scratch;           /* lives in scratch memory, from slot scratch_slot on; has no places */
    uint32_t scratch_slot;
    const uint32_t *table_words; /* lives in table `table` of the shader, has no places; else NULL */
    uint32_t table;
    /* Inputs and outputs that live in memory (spv_io_memory.c): by scalar of a vertex or primitive, or of the patch if
     * `of_vertices` is false, its word; has no places. Else NULL. */
    uint8_t *io_words;
    bool of_vertices;
};

struct spv_place { /* the word of an IR variable that holds a scalar */
    uint32_t variable, word;
};

/* An image, a sampler, or both: the result of OpLoad of an opaque type. */
struct spv_texture {
    const struct spv_type *image; /* SPV_TYPE_IMAGE, or NULL for a sampler alone */
    const struct spv_pointer *pointer; /* pointer to the image, or NULL */
    const struct spv_pointer *sampler_pointer; /* the same to the sampler */
    bool has_sampler;
    uint16_t image_set, image_binding, image_index, sampler_set, sampler_binding, sampler_index;
    uint32_t input_index; /* input attachments: index of element 0, or SPV_NO_NUMBER */
    struct ir_instr *image_choice, *sampler_choice; /* variable indices that replace image_index or sampler_index, below
                                                     * image_count or sampler_count; else NULL */
    uint32_t image_count, sampler_count;
    uint8_t plane;
};

struct spv_id {
    uint8_t kind;                /* enum spv_kind */
    const struct spv_type *type; /* type of the value; for SPV_TYPE the type itself */
    union {
        uint32_t *words;           /* SPV_CONSTANT: one per scalar */
        struct ir_instr **scalars; /* SPV_VALUE */
        struct spv_pointer *pointer;
        struct spv_texture *texture;
        uint32_t offset;           /* SPV_LABEL, SPV_FUNCTION: offset of the instruction */
    };
};

/* ---------------------------------------------------------------- the translation of one entry point */

struct spv_label_state {
    uint32_t visited;     /* label_stamp of the last walk that reached this label */
    uint32_t case_number; /* number from 1 while the cases of a switch are sorted; 0: not one of them */
    bool is_open;         /* a region that contains this block is being translated */
};

/* What float controls ask of arithmetic. */
struct spv_float_mode {
    bool is_exact;   /* it rounds as it is written: nothing is contracted or reassociated */
    bool is_special; /* it preserves NaN, infinities and the sign of zero (spv_special.c) */
};

/* The last store to a word of an IR variable, and the block that it is in. */
struct spv_stored {
    const struct ir_block *block; /* NULL: none */
    struct ir_instr *value;
};

struct spv {
    const struct vc4c_module *m;
    const struct vc4c_entry *entry;
    struct util_arena *arena;
    struct ir_shader *shader;
    struct ir_builder b;
    struct spv_stored **stored; /* per IR variable, for each of its words; NULL: no store so far */
    struct spv_id *ids;
    struct spv_decor **decors;    /* per id, NULL without decorations */
    struct spv_phi **phis;        /* per id of a label, for functions that are being inlined */
    struct spv_label_state *label_states; /* per id */
    uint32_t label_stamp;
    uint32_t offset;              /* of the current instruction, for messages */
    uint32_t entry_point;         /* offset of OpEntryPoint */
    struct spv_var **vars;        /* all module-scope variables */
    uint32_t var_count;
    struct spv_function *function;
    uint32_t region_depth;        /* recursion of spv_cfg.c */
    bool has_8_bits, has_16_bits; /* the module has, or may have, numbers of that width */
    bool has_64_bit_ints, has_64_bit_floats;
    bool has_variable_pointers;   /* pointers to storage buffers and shared memory may be values */
    bool has_shared_blocks;       /* the entry point's shared memory is blocks with a layout (spv_workgroup.c) */
    bool packs_shared;            /* small numbers in shared memory lie close together */
    bool writes_memory;           /* the module may store to buffers or images */
    bool flushes_32, rounds_32_to_zero, rounds_32_to_nearest; /* float controls of the entry point (spv_modes.c) */
    struct spv_float_mode float_modes[3]; /* of floats of 16, 32 and 64 bits */
    uint64_t *special_operands; /* set of ids that operations take which preserve NaN and such by their own decoration;
                                 * NULL: none */
    bool requires_full_quads;           /* fragment: helper invocations take part in group operations */
    uint32_t helper_queries;      /* queries of HelperInvocation so far */
    uint32_t emitted_variable;    /* geometry: the number of vertices emitted so far; followed by a variable for each
                                   * stream, which is 1 if its next vertex begins a strip */
    /* Tessellation: addresses of what the control program's input patch has, of the record of the output patch's vertex
     * 0 (of the evaluation program's input patch), and of the patch's own words; control: gl_InvocationID. */
    struct ir_instr *patch_input, *patch_vertices, *patch_own, *patch_invocation;
    /* Task and mesh: addresses of the workgroup's input, output, payload, and of the first blocks of vertices and
     * primitives. */
    struct ir_instr *group_input, *group_output, *payload, *mesh_vertices, *mesh_primitives;
    uint32_t lookup_slots;        /* first slot of the arguments of lookups by address plus 1, 0 = none yet */
    /* Bit sets of variable ids (spv_scratch.c): variables that are accessed with variable indices; variables that are
     * written other than as a whole by a constant or a copy. */
    uint64_t *indexed_vars, *mutable_vars;
    uint32_t *held_constants;     /* per id: the constant that a variable holds (spv_table.c); NULL: none */
    uint32_t *scratch_slots;      /* per id: first slot of the variable plus 1, 0 = none yet */
    uint32_t budget;              /* remaining translation steps: bounds inlining and super-linear work */
    jmp_buf *jump;
    enum vc4c_result result;
    struct vc4c_error *error;
};

void spv_fail(struct spv *s, enum vc4c_result result, const char *fmt, ...) UTIL_NORETURN UTIL_PRINTF(3, 4);
#define spv_invalid(s, ...)     spv_fail(s, VC4C_INVALID, __VA_ARGS__)
#define spv_unsupported(s, ...) spv_fail(s, VC4C_UNSUPPORTED, __VA_ARGS__)

/* Takes `steps` from the budget; fails if not enough are left. */
void spv_spend(struct spv *s, uint32_t steps);
/* Limit on SPIR-V instructions, inlined ones counted each time, on half the scalars of all values, and on searches. */
#define SPV_BUDGET 1000000u

/* Never NULL. */
const struct spv_decor *spv_decor(struct spv *s, uint32_t id);
void spv_read_decoration(struct spv *s, const struct spv_instr *in); /* ignores all other instructions */
extern const struct spv_decor spv_no_decor;

/* Translates the entry point into `arena`. The result uses high-level operations and variables. */
enum vc4c_result spv_to_ir(const struct vc4c_entry *entry, enum vc4c_program_kind kind, struct util_arena *arena,
                           struct ir_shader **shader_out, struct vc4c_error *error);
/* Checks what can be checked without an entry point: types, constants and module-scope variables. */
enum vc4c_result spv_check_module(const struct vc4c_module *m, struct vc4c_error *error);
/* ---------------------------------------------------------------- spv_type.c, spv_const.c */

bool spv_translate_type(struct spv *s, const struct spv_instr *in);     /* false: `in` declares no type */
bool spv_translate_constant(struct spv *s, const struct spv_instr *in);
const struct spv_type *spv_type(struct spv *s, uint32_t id);
/* The number of scalars of a pointer to this storage class (spv_pointer.c); 0: it cannot be a value. */
uint32_t spv_pointer_scalars(const struct spv *s, uint32_t storage);
/* Fails if a forward pointer has not been defined. Called once all types are known. */
void spv_check_forward_pointers(struct spv *s);
/* Clamps a constant index to the elements of an array, vector or matrix. Member numbers are returned as they are. */
uint32_t spv_clamped_index(const struct spv_type *t, uint32_t number);
/* The word of a constant scalar, the low one of 64 bits; fails if the id is not one. */
uint32_t spv_const_word(struct spv *s, uint32_t id);

/* ---------------------------------------------------------------- spv_value.c */

/* The scalars of a value. Constants become instructions at the builder's place. */
struct ir_instr **spv_value(struct spv *s, uint32_t id);
struct ir_instr *spv_scalar(struct spv *s, uint32_t id);
/* An index of any integer type, as a word. Too large and negative ones give a word that is out of range of any array. */
struct ir_instr *spv_index(struct spv *s, uint32_t id);
const struct spv_type *spv_type_of(struct spv *s, uint32_t id); /* of the value `id` */
/* Defines id with `scalars`, or with new ones for the caller to fill in if NULL. */
struct ir_instr **spv_define(struct spv *s, uint32_t id, const struct spv_type *type, struct ir_instr **scalars);
/* Defines id, whose type must be a scalar. */
void spv_define_scalar(struct spv *s, uint32_t id, const struct spv_type *type, struct ir_instr *scalar);
struct ir_instr **spv_undef(struct spv *s, const struct spv_type *type); /* undefined pointers are null */
struct ir_instr **spv_zero(struct spv *s, const struct spv_type *type);
struct spv_pointer *spv_pointer(struct spv *s, uint32_t id); /* the id may also be a value of a pointer type */
struct spv_texture *spv_texture(struct spv *s, uint32_t id);
void spv_define_pointer(struct spv *s, uint32_t id, struct spv_pointer *pointer);

/* ---------------------------------------------------------------- instructions by family; false: not of the family */

/* The leading operands of the instruction that are values: the first one's index in its words, and the end of all.
 * Instructions that compute have their values first. */
uint32_t spv_value_operands(const struct spv_instr *in, uint32_t *first_out);
/* Has the result or an operand of the instruction numbers of this kind (SPV_TYPE_INT or SPV_TYPE_FLOAT) and width? */
bool spv_uses(struct spv *s, const struct spv_instr *in, enum spv_type_kind kind, uint32_t bits);
/* Does the instruction only move scalars, whatever their width? */
bool spv_is_move(const struct spv_instr *in);
bool spv_translate_widths(struct spv *s, const struct spv_instr *in); /* on numbers of 8, 16 and 64 bits */
bool spv_translate_double(struct spv *s, const struct spv_instr *in); /* arithmetic on floats of 64 bits */
bool spv_translate_int64(struct spv *s, const struct spv_instr *in);  /* on integers of 64 bits */
bool spv_translate_alu(struct spv *s, const struct spv_instr *in);
bool spv_translate_bits(struct spv *s, const struct spv_instr *in); /* bit fields, additions with carry, extended
                                                                     * products */
bool spv_translate_dot(struct spv *s, const struct spv_instr *in); /* integer dot products */
bool spv_translate_matrix(struct spv *s, const struct spv_instr *in);
/* The number of scalars of `part`, of which all constituents of the composite are copies. Fails the translation if they
 * cannot be. */
uint32_t spv_replicated_scalars(struct spv *s, const struct spv_type *type, const struct spv_type *part);
bool spv_translate_composite(struct spv *s, const struct spv_instr *in);
bool spv_translate_memory(struct spv *s, const struct spv_instr *in);
bool spv_translate_texture(struct spv *s, const struct spv_instr *in);
/* The Y'CbCr conversion of a texture's lookups, or NULL. */
const struct vc4c_conversion *spv_ycbcr_conversion(const struct spv *s, const struct spv_texture *t);
/* Converts R, G, B, A in place, from the values of the planes to those of the colour model. */
void spv_convert_ycbcr(struct ir_builder *b, const struct vc4c_conversion *conversion, struct ir_instr *rgba[4]);
void spv_translate_glsl(struct spv *s, const struct spv_instr *in);
/* Families of GLSL.std.450; false: not of this family. */
bool spv_translate_glsl_pack(struct spv *s, const struct spv_instr *in);
bool spv_translate_glsl_geometry(struct spv *s, const struct spv_instr *in);
bool spv_translate_glsl_parts(struct spv *s, const struct spv_instr *in); /* modf, frexp, ldexp */
/* A trigonometric or hyperbolic function of one scalar (two for Atan2); NULL if `op` is not one. */
struct ir_instr *spv_glsl_trig(struct ir_builder *b, uint32_t op, struct ir_instr *const *x);
struct ir_instr *spv_exp(struct ir_builder *b, struct ir_instr *x);
struct ir_instr *spv_log(struct ir_builder *b, struct ir_instr *x);
struct ir_instr *spv_dot(struct ir_builder *b, struct ir_instr *const *x, struct ir_instr *const *y, uint32_t n);

/* ---------------------------------------------------------------- spv_build.c, spv_binding.c */

struct ir_instr **spv_new_scalars(struct spv *s, uint32_t count);
uint32_t spv_new_ir_variable(struct spv *s, uint32_t words, uint32_t bits);
/* Is the lane a helper now, demoted lanes included? */
struct ir_instr *spv_is_helper(struct spv *s);
struct ir_instr *spv_load_var(struct spv *s, uint32_t variable, uint32_t word);
void spv_store_var(struct spv *s, uint32_t variable, uint32_t word, struct ir_instr *value);
/* Code for one element of an array of descriptors: runs in the lanes whose index is `element`. The caller emits it for
 * every element; those that no lane selects are skipped. */
struct ir_if *spv_begin_element(struct spv *s, struct ir_instr *index, uint32_t element);
void spv_end_element(struct spv *s, struct ir_if *nif);
/* Records that the entry point uses a descriptor binding. Returns its index among the resources. */
uint32_t spv_use_binding(struct spv *s, const struct spv_var *var);
/* The number of descriptors in the variable's binding. */
uint32_t spv_descriptor_count(struct spv *s, const struct spv_var *var);

/* ---------------------------------------------------------------- memory */

struct spv_var *spv_create_var(struct spv *s, uint32_t id, const struct spv_type *type, uint32_t storage);
/* A variable of storage class Function or Private? */
static inline bool spv_is_own(const struct spv_var *var)
{
    return var->storage == SpvStorageClassFunction || var->storage == SpvStorageClassPrivate;
}
/* Creates the IR words, the table, or the scratch slots, of a variable of the program. */
void spv_create_places(struct spv *s, struct spv_var *var);
struct ir_instr **spv_load(struct spv *s, const struct spv_pointer *p);
void spv_store(struct spv *s, const struct spv_pointer *p, struct ir_instr *const *scalars);
/* Stores the value of an id, which must have as many scalars as the pointee of `p`. Tables hold it already. */
void spv_store_id(struct spv *s, const struct spv_pointer *p, uint32_t id);
/* A pointer to a whole variable. `type`: the pointer's, or NULL. */
struct spv_pointer *spv_var_pointer(struct spv *s, struct spv_var *var, const struct spv_type *type);
/* Advances `p` by the indices of an access chain, which are the operands of `in` from `first` on. */
void spv_follow_indices(struct spv *s, struct spv_pointer *p, const struct spv_instr *in, uint32_t first);
/* Does `p` point to an array of descriptors, rather than into one of them? */
bool spv_is_descriptor_array(const struct spv_pointer *p);
/* Advances `p` from an array of descriptors to element `element` + `index` (NULL: none). */
void spv_choose_descriptor(struct spv *s, struct spv_pointer *p, uint32_t element, struct ir_instr *index);
/* OpCompositeExtract from an array of images or samplers that was loaded as a whole. Returns false if the composite is
 * anything else. */
bool spv_extract_descriptor(struct spv *s, const struct spv_instr *in);
bool spv_is_block_storage(uint32_t storage); /* memory with a layout: offsets and strides */
/* Buffers and push constants (spv_block.c). */
void spv_block_step(struct spv *s, struct spv_pointer *p, struct ir_instr *index, bool is_const, uint32_t number);
struct ir_instr **spv_block_load(struct spv *s, const struct spv_pointer *p);
void spv_block_store(struct spv *s, const struct spv_pointer *p, struct ir_instr *const *scalars);
uint32_t spv_buffer_index(struct spv *s, const struct spv_pointer *p);
/* Size of the descriptor's range in bytes. */
struct ir_instr *spv_buffer_size(struct spv *s, const struct spv_pointer *p);
/* Pointers as values (spv_pointer.c). */
struct ir_instr **spv_pointer_value(struct spv *s, const struct spv_pointer *p);
const struct spv_type *spv_pointer_type(struct spv *s, const struct spv_pointer *p);
struct spv_pointer *spv_pointer_from_value(struct spv *s, const struct spv_type *type, struct ir_instr *const *scalars);
/* Copies inputs into variables at the start, and outputs out of variables at the end (spv_io.c). */
void spv_load_inputs(struct spv *s);
void spv_store_outputs(struct spv *s);
/* Fills shader->capture if the entry point captures its outputs. */
void spv_collect_captured(struct spv *s);
/* Geometry: stores all outputs to the record of emitted vertex `number`. */
void spv_store_record(struct spv *s, struct ir_instr *number);
/* The word of a record that holds this scalar; VC4C_RECORD_WORDS: none does. `builtin`: SPV_NO_NUMBER for a location.
 */
uint32_t spv_record_word(uint32_t builtin, uint32_t location, uint32_t component);
/* The value of an input, interpolated at an offset of x and y pixels from the centre. */
struct ir_instr **spv_load_input_at(struct spv *s, const struct spv_pointer *p, struct ir_instr *const offset[2]);

/* ---------------------------------------------------------------- functions and control flow */

void spv_find_functions(struct spv *s, uint32_t offset);
void spv_inline_entry(struct spv *s, uint32_t function_id);
/* These two return false if the function never returns. */
bool spv_translate_call(struct spv *s, const struct spv_instr *in);
bool spv_translate_body(struct spv *s, uint32_t first_label); /* spv_cfg.c */
/* Creates the variables of all phis of the function at `offset`, before its body is translated (spv_phi.c). */
void spv_collect_phis(struct spv *s, uint32_t offset);
/* Called at the end of block `from`: stores the sources that the phis of block `to` have for it. */
void spv_store_phis(struct spv *s, uint32_t from, uint32_t to);
/* Defines the phi's result by loading its variables. */
void spv_load_phi(struct spv *s, uint32_t label, const struct spv_instr *in);
/* The id that is the only source of a phi apart from the phi itself, or SPV_NO_NUMBER. */
uint32_t spv_phi_source(const struct spv_instr *in);
bool spv_is_terminator(uint16_t op);
/* Stores what OpEmitMeshTasksEXT says (spv_mesh.c). The caller ends the invocation. */
void spv_emit_tasks(struct spv *s, const struct spv_instr *in);
/* Sorts the labels of a switch's cases so that each comes after all cases that can fall through into it. `ends_at`
 * tells whether a label is outside of the switch. */
void spv_order_cases(struct spv *s, uint32_t *labels, uint32_t count, bool (*ends_at)(struct spv *s, uint32_t label));
/* Words of the literal of each case of an OpSwitch. */
uint32_t spv_case_words(struct spv *s, const struct spv_instr *in);
void spv_translate_instr(struct spv *s, const struct spv_instr *in);
void spv_repair_uses(struct spv *s); /* called at the end of the translation */
uint32_t spv_label_offset(struct spv *s, uint32_t id);

/* A function that is being inlined. */
struct spv_function {
    struct spv_function *caller;
    uint32_t id;
    const struct spv_type *result;
    uint32_t result_variables;     /* IR variables of the scalars, consecutive */
    struct spv_construct *outer;   /* innermost construct around the call */
    struct spv_construct *construct; /* innermost construct at the current instruction */
};

/* An OpPhi of the function. Its scalars live in IR variables that every predecessor sets. */
struct spv_phi {
    struct spv_phi *next;          /* next phi of the same block */
    struct spv_instr in;
    const struct spv_type *type;
    uint32_t variables;
    struct spv_pointer *pointer;   /* pointers only: the first source seen; all sources have the same constant parts */
};

#endif
