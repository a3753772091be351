/* SPDX-License-Identifier: MIT
 *
 * Memory that programs of the CPU engine access by address: storage buffers, storage images, shared memory, and in
 * compute programs uniform buffers too (docs/cpu-engine.md).
 */
#ifndef SPV_ENGINE_H
#define SPV_ENGINE_H

#include "compiler/spirv/spv.h"

/* Is the memory that this pointer points to accessed by address, rather than by the chip's own means? */
bool spv_is_addressed(const struct spv *s, const struct spv_pointer *p);
/* The address of the word at `offset_B` from the pointee of `p`; VC4C_ENGINE_NULL if out of bounds. */
struct ir_instr *spv_address(struct spv *s, const struct spv_pointer *p, uint32_t offset_B);
/* The address of a number of `size_B` (1 or 2) bytes. It may lie behind the buffer's last whole word. */
struct ir_instr *spv_part_address(struct spv *s, const struct spv_pointer *p, uint32_t size_B);
/* Does the type have numbers of 8 or 16 bits? */
bool spv_has_small_types(const struct spv_type *t);
/* Loads the word at an address. `may_change`: the program may write it. */
struct ir_instr *spv_load_word(struct spv *s, struct ir_instr *address, bool may_change);
/* Loads part of a word at an address of any alignment. The bits above the part are undefined. */
struct ir_instr *spv_load_part(struct spv *s, struct ir_instr *address, bool may_change);
void spv_store_word(struct spv *s, struct ir_instr *address, struct ir_instr *word);
/* Stores the low `size_B` (1 or 2) bytes of `word` at an address of any alignment. */
void spv_store_part(struct spv *s, struct ir_instr *address, struct ir_instr *word, uint32_t size_B);
/* May the program write the pointee of `p`? */
bool spv_may_change(const struct spv *s, const struct spv_pointer *p);
/* May the program write the image? */
bool spv_image_may_change(const struct spv *s, const struct spv_var *var);

/* An array of descriptors as a value: the address of the binding-table entry of element 0, and what is added to an entry to
 * get the address of its descriptor. */
void spv_descriptor_array_words(struct spv *s, const struct spv_var *var, struct ir_instr *words_out[2]);
/* The address of the descriptor of element `element` + `index` (NULL: none) of such an array with `count` elements. */
struct ir_instr *spv_descriptor_in(struct spv *s, uint32_t count, struct ir_instr *const words[2], uint32_t element,
                                   struct ir_instr *index);
/* Bytes from one descriptor of the variable's binding to the next, if they lie in memory of the set; else 0. */
uint32_t spv_descriptor_stride_B(const struct spv *s, const struct spv_var *var);
/* The address of the descriptor of element `element` + `index` (NULL: none) of a binding. */
struct ir_instr *spv_descriptor_address(struct spv *s, const struct spv_var *var, uint32_t element,
                                        struct ir_instr *index);
/* The number of bytes in the range of the buffer that contains the pointee of `p`. */
struct ir_instr *spv_addressed_size(struct spv *s, const struct spv_pointer *p);
/* Loads the word at byte `field_B` of the descriptor of element `element` + `index` (NULL: none) of a binding. */
struct ir_instr *spv_descriptor_word(struct spv *s, const struct spv_var *var, uint32_t element,
                                     struct ir_instr *index, uint32_t field_B);

/* The format of a storage image's texels at run time, which is the view's. HW_FORMAT_NONE: only the descriptor knows
 * it; the `word` below is then the descriptor's format, and NULL otherwise. */
struct spv_texel_format {
    const struct spv_type *image;
    enum hw_format format;
    uint32_t size_B; /* 0: only the descriptor knows it */
};
struct spv_texel_format spv_texel_format(struct spv *s, const struct spv_var *var, const struct spv_type *image);
/* The format that the image type declares; HW_FORMAT_NONE if it declares none. */
enum hw_format spv_declared_format(struct spv *s, const struct spv_type *image);
void spv_unpack_texel(struct spv *s, const struct spv_texel_format *f, struct ir_instr *word,
                      struct ir_instr *const words[4], struct ir_instr *rgba[4]);
void spv_pack_texel(struct spv *s, const struct spv_texel_format *f, struct ir_instr *word,
                    struct ir_instr *const rgba[4], struct ir_instr *words[4]);

/* For the addresses of records and of what lies beside them. */
static inline struct ir_instr *spv_add(struct spv *s, struct ir_instr *x, struct ir_instr *y)
{
    return ir_build2(&s->b, IR_IADD, x, y);
}
static inline struct ir_instr *spv_add_const(struct spv *s, struct ir_instr *x, uint32_t word)
{
    return word ? spv_add(s, x, ir_const(&s->b, word)) : x;
}
static inline struct ir_instr *spv_records_word(struct spv *s, enum vc4c_records_word word)
{
    return ir_uniform(&s->b, VC4C_UNIFORM_RECORDS, 0, word);
}
static inline struct ir_instr *spv_builtin(struct spv *s, uint32_t number, uint32_t component)
{
    struct ir_instr *load = ir_build(&s->b, IR_LOAD_BUILTIN, 32, 0, NULL);
    load->imm = number;
    load->imm2 = component;
    return load;
}

/* Shared memory, and the payload of a task, which has the same layout. */
static inline bool spv_is_shared(const struct spv_pointer *p)
{
    return p->storage == SpvStorageClassWorkgroup || p->storage == SpvStorageClassTaskPayloadWorkgroupEXT;
}
#define SPV_MAX_SHARED_B 32768u
/* Bytes that each scalar of such a variable has. */
uint32_t spv_shared_unit_B(const struct spv *s, const struct spv_var *var);
void spv_create_shared(struct spv *s, struct spv_var *var);
void spv_create_all_shared(struct spv *s); /* what the entry point lists */
/* The address of the pointee of `p`, not checked. */
struct ir_instr *spv_shared_place(struct spv *s, const struct spv_pointer *p);
void spv_check_shared_size(struct spv *s, uint64_t size_B);
/* Blocks in shared memory have a layout of their own (spv_workgroup.c). */
bool spv_is_shared_block(const struct spv *s, const struct spv_pointer *p);
struct ir_instr *spv_shared_block_place(struct spv *s, const struct spv_pointer *p);
/* The address of `size_B` bytes at byte `offset_B` of the pointee. */
struct ir_instr *spv_shared_block_address(struct spv *s, const struct spv_pointer *p, uint32_t offset_B,
                                          uint32_t size_B);
/* Stores zero to the variables in shared memory that ask for it. */
void spv_zero_shared(struct spv *s);
struct ir_instr **spv_shared_load(struct spv *s, const struct spv_pointer *p);
void spv_shared_store(struct spv *s, const struct spv_pointer *p, struct ir_instr *const *scalars);

/* Large arrays of the program itself (spv_scratch.c). spv_find_indexed fills s->indexed_vars and s->mutable_vars; call
 * it when the constants are known. */
void spv_find_indexed(struct spv *s);
/* The variable or parameter that a pointer is derived from, or SPV_NO_NUMBER. *is_whole_out: it points to all of it. */
uint32_t spv_base_variable(struct spv *s, uint32_t pointer, bool *is_whole_out);
/* The private or function variable that is loaded as a whole to give `value`, or SPV_NO_NUMBER. */
uint32_t spv_copied_from(struct spv *s, uint32_t value);
bool spv_lives_in_scratch(const struct spv *s, const struct spv_var *var);
void spv_create_scratch(struct spv *s, struct spv_var *var);
struct ir_instr **spv_scratch_load(struct spv *s, const struct spv_pointer *p);
void spv_scratch_store(struct spv *s, const struct spv_pointer *p, struct ir_instr *const *scalars);

/* Tables of constants (spv_table.c). spv_find_tables fills s->held_constants; call it after spv_find_indexed. */
void spv_find_tables(struct spv *s);
/* Makes the variable a table if it is indexed and always holds the same constant. False: it is none. */
bool spv_create_table(struct spv *s, struct spv_var *var);
struct ir_instr **spv_table_load(struct spv *s, const struct spv_pointer *p);

/* Fills s->writes_memory. */
void spv_find_writes(struct spv *s);
/* The execution modes except LocalSizeId (spv_modes.c). */
void spv_read_modes(struct spv *s);
void spv_read_fast_math_modes(struct spv *s); /* after types and constants */
/* How the arithmetic of the instruction, whose result has these decorations, treats its floats. */
struct spv_float_mode spv_float_mode(struct spv *s, const struct spv_instr *in, const struct spv_decor *d);
/* Flushes denormals among the 32-bit floats that an instruction has computed. For programs that ask for it. */
void spv_flush_results(struct spv *s, const struct spv_instr *in);
/* The workgroup's size, from the execution mode or the built-in constant. */
void spv_read_local_size(struct spv *s);

/* Instructions by family; false: not of this family. */
bool spv_translate_atomic(struct spv *s, const struct spv_instr *in); /* and barriers */
bool spv_translate_atomic64(struct spv *s, const struct spv_instr *in);
bool spv_translate_small_types(struct spv *s, const struct spv_instr *in); /* conversions between widths */
bool spv_translate_subgroup(struct spv *s, const struct spv_instr *in);
/* A call of DebugPrintf (spv_printf.c). */
void spv_translate_printf(struct spv *s, const struct spv_instr *in);
bool spv_translate_clock(struct spv *s, const struct spv_instr *in);
/* Emitting vertices in geometry shaders, and ending strips (spv_geometry.c). */
bool spv_translate_emit(struct spv *s, const struct spv_instr *in);
/* Stages that write records: what must be known before anything is translated, and the variables of emitting. */
void spv_begin_records(struct spv *s);
void spv_begin_emitting(struct spv *s);
/* Stores how many vertices the invocation has emitted. */
void spv_end_emitting(struct spv *s);
/* Inputs and outputs that live in memory (spv_io_memory.c). */
bool spv_io_is_in_memory(const struct spv *s, const struct spv_var *var);
void spv_create_io_words(struct spv *s, struct spv_var *var);
struct ir_instr **spv_io_load(struct spv *s, const struct spv_pointer *p);
void spv_io_store(struct spv *s, const struct spv_pointer *p, struct ir_instr *const *scalars);
/* The word that holds this scalar of such a variable; VC4C_RECORD_WORDS, or VC4C_PATCH_WORDS: none does. */
uint32_t spv_io_word(const struct spv *s, const struct spv_var *var, uint32_t builtin, uint32_t location,
                     uint32_t component);
/* The address of word 0 of record `index`, one of `count`, in blocks from `first` on that are `stride` apart. */
struct ir_instr *spv_record_address(struct spv *s, struct ir_instr *first, struct ir_instr *stride,
                                    struct ir_instr *index, uint32_t count);

/* Tessellation stages (spv_tessellation.c): those that live in the memory of patches. */
bool spv_is_of_patch(const struct spv *s, const struct spv_var *var);
bool spv_is_of_whole_patch(const struct spv_var *var);
/* The address of the record of a vertex of the variable's patch. */
struct ir_instr *spv_patch_record(struct spv *s, const struct spv_var *var, struct ir_instr *vertex);
/* The word of a patch that holds this scalar; VC4C_PATCH_WORDS: none does. As spv_record_word. */
uint32_t spv_patch_word(uint32_t builtin, uint32_t location, uint32_t component);
void spv_begin_tessellation(struct spv *s); /* before anything is translated */
void spv_begin_patch(struct spv *s);
/* An input of a tessellation stage that is the same for all of its patch, or gl_TessCoord; NULL: another one. */
struct ir_instr *spv_patch_builtin(struct spv *s, uint32_t builtin, uint32_t component);
/* False: not a mode of a tessellation stage. */
bool spv_read_tessellation_mode(struct spv *s, const struct spv_instr *in);
/* Task and mesh shaders (spv_mesh.c). */
bool spv_has_groups(const struct spv *s);                           /* is the stage one of the two? */
bool spv_read_mesh_mode(struct spv *s, const struct spv_instr *in); /* false: not a mode of a mesh shader */
void spv_create_payload(struct spv *s); /* places what the entry point lists of the payload */
void spv_begin_group(struct spv *s);
/* A built-in that tells the place among the application's workgroups, or the draw; NULL: another one. */
struct ir_instr *spv_group_builtin(struct spv *s, uint32_t builtin, uint32_t component);
bool spv_is_of_mesh(const struct spv *s, const struct spv_var *var);       /* an output of a mesh shader? */
bool spv_is_of_primitives(const struct spv *s, const struct spv_var *var); /* that belongs to primitives? */
/* As spv_record_word, of the record of a primitive. */
uint32_t spv_mesh_primitive_word(uint32_t builtin, uint32_t location, uint32_t component);
/* The address of the record of a vertex or primitive. */
struct ir_instr *spv_mesh_record(struct spv *s, const struct spv_var *var, struct ir_instr *index);
/* Notes that the shader writes this word of the variable's records. */
void spv_note_mesh_word(struct spv *s, const struct spv_var *var, uint32_t word);
bool spv_translate_mesh(struct spv *s, const struct spv_instr *in);    /* OpSetMeshOutputsEXT */
bool spv_translate_pointer(struct spv *s, const struct spv_instr *in); /* arithmetic and comparisons of pointers */
/* Lookups by the addresses of descriptors (spv_lookup.c). */
bool spv_is_looked_up_by_address(const struct spv *s, const struct spv_texture *t);
/* `srcs` in the order of struct ir_sample. Returns `count` components of the result. */
void spv_look_up_by_address(struct spv *s, const struct ir_sample *sample, struct ir_instr *const *srcs,
                            const struct spv_texture *texture, struct ir_instr **out, uint32_t count);
bool spv_translate_storage_image(struct spv *s, const struct spv_instr *in);

#endif
