/* SPDX-License-Identifier: MIT
 *
 * Memory that a program reaches by address, on the CPU engine: storage buffers, storage images, shared memory, and in
 * compute programs uniform buffers too (docs/cpu-engine.md).
 */
#ifndef SPV_ENGINE_H
#define SPV_ENGINE_H

#include "compiler/spirv/spv.h"

/* Does this pointer's memory take addresses, rather than what the chip can do? */
bool spv_takes_address(const struct spv *s, const struct spv_pointer *p);
/* Of a word at `offset_B` behind what `p` points to; VC4C_ENGINE_NULL out of bounds. */
struct ir_instr *spv_address(struct spv *s, const struct spv_pointer *p, uint32_t offset_B);
/* Of a number of `size_B` (1 or 2) bytes, of which all may lie behind the buffer's last whole word. */
struct ir_instr *spv_part_address(struct spv *s, const struct spv_pointer *p, uint32_t size_B);
/* Does the type have numbers of 8 or 16 bits? */
bool spv_has_narrow(const struct spv_type *t);
/* The word at an address. `may_change`: the program may write it. */
struct ir_instr *spv_load_word(struct spv *s, struct ir_instr *address, bool may_change);
/* What stands at an address of any alignment, below bits that mean nothing: a part of a word. */
struct ir_instr *spv_load_part(struct spv *s, struct ir_instr *address, bool may_change);
void spv_store_word(struct spv *s, struct ir_instr *address, struct ir_instr *word);
/* Its low `size_B` (1 or 2) bytes at an address of any alignment. */
void spv_store_part(struct spv *s, struct ir_instr *address, struct ir_instr *word, uint32_t size_B);
/* May the program write what `p` points to? */
bool spv_may_change(const struct spv *s, const struct spv_pointer *p);
/* May the program write an image? */
bool spv_image_may_change(const struct spv *s, const struct spv_var *var);

/* Word `field` (bytes) of the descriptor of element `element` + `index` (NULL: none) of a binding. */
struct ir_instr *spv_descriptor_word(struct spv *s, const struct spv_var *var, uint32_t element,
                                     struct ir_instr *index, uint32_t field_B);

/* Texels of storage images: the format that they have when the program runs, which is the view's. HW_FORMAT_NONE: the
 * descriptor says it, whose word `word` (NULL otherwise) then decides. */
struct spv_texel_format {
    const struct spv_type *image;
    enum hw_format format;
    uint32_t size_B; /* 0: the descriptor says it */
};
struct spv_texel_format spv_texel_format(struct spv *s, const struct spv_var *var, const struct spv_type *image);
/* As the type declares it; HW_FORMAT_NONE when it does not. */
enum hw_format spv_declared_format(struct spv *s, const struct spv_type *image);
void spv_unpack_texel(struct spv *s, const struct spv_texel_format *f, struct ir_instr *word,
                      struct ir_instr *const words[4], struct ir_instr *rgba[4]);
void spv_pack_texel(struct spv *s, const struct spv_texel_format *f, struct ir_instr *word,
                    struct ir_instr *const rgba[4], struct ir_instr *words[4]);

/* Shared memory. */
void spv_create_shared(struct spv *s, struct spv_var *var);
struct ir_instr **spv_shared_load(struct spv *s, const struct spv_pointer *p);
void spv_shared_store(struct spv *s, const struct spv_pointer *p, struct ir_instr *const *scalars);

/* Large arrays of the program itself (spv_scratch.c). Fills s->indexed and s->varied, when constants are known. */
void spv_find_indexed(struct spv *s);
bool spv_lives_in_scratch(const struct spv *s, const struct spv_var *var);
void spv_create_scratch(struct spv *s, struct spv_var *var);
struct ir_instr **spv_scratch_load(struct spv *s, const struct spv_pointer *p);
void spv_scratch_store(struct spv *s, const struct spv_pointer *p, struct ir_instr *const *scalars);

/* Fills s->writes_memory. */
void spv_find_writes(struct spv *s);
/* The workgroup's size, from the execution mode or the built-in constant. */
void spv_read_local_size(struct spv *s);

/* Instructions by family; false: not of the family. */
bool spv_translate_atomic(struct spv *s, const struct spv_instr *in); /* barriers too */
bool spv_translate_narrow(struct spv *s, const struct spv_instr *in); /* conversions of width */
bool spv_translate_subgroup(struct spv *s, const struct spv_instr *in);
bool spv_translate_storage_image(struct spv *s, const struct spv_instr *in);

#endif
