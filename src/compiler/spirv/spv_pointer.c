/* SPDX-License-Identifier: MIT
 *
 * Pointers as values: variable pointers and 64-bit addresses. Most pointers are known when the program is translated
 * (struct spv_pointer) and take no instructions. A pointer that is selected, stored, loaded, merged by a phi or returned
 * by a function becomes a value with these scalars:
 *
 *   StorageBuffer          address of the buffer's descriptor, byte offset in the buffer
 *   ... an array of them   address of the binding-table entry of its first element, what is added to an entry
 *   Workgroup              address in the job's map
 *   PhysicalStorageBuffer  lower and upper word of the address
 *
 * Null pointers are all zero: at VC4C_ENGINE_NULL the engine reads a descriptor of no bytes. Programs that access memory
 * through such values run on the CPU engine.
 */
#include <string.h>
#include "compiler/spirv/spv_engine.h"

bool spv_is_block_storage(uint32_t storage)
{
    return storage == SpvStorageClassUniform || storage == SpvStorageClassStorageBuffer ||
           storage == SpvStorageClassPushConstant || storage == SpvStorageClassPhysicalStorageBuffer;
}

bool spv_is_descriptor_array(const struct spv_pointer *p)
{
    if (!p->var)
        return p->storage == SpvStorageClassStorageBuffer && p->address;
    const struct spv_type *t = p->var->type;
    bool has_descriptors = spv_is_block_storage(p->storage) || p->storage == SpvStorageClassUniformConstant;
    return has_descriptors && p->storage != SpvStorageClassPushConstant && p->type == t && t->kind == SPV_TYPE_ARRAY;
}

/* Blocks cannot be nested, so an array of them is one of descriptors. */
static bool is_array_of_blocks(const struct spv_type *t)
{
    return t->kind == SPV_TYPE_ARRAY && t->elem->decor->block;
}

static struct ir_instr *block_offset(struct spv *s, const struct spv_pointer *p)
{
    struct ir_instr *fixed = ir_const(&s->b, p->offset_B);
    return p->offset ? ir_build2(&s->b, IR_IADD, p->offset, fixed) : fixed;
}

void spv_choose_descriptor(struct spv *s, struct spv_pointer *p, uint32_t element, struct ir_instr *index)
{
    if (p->var) {
        p->element_count = spv_descriptor_count(s, p->var);
        p->element = MIN2(element, MAX2(p->element_count, 1u) - 1);
        p->element_index = index;
    } else {
        struct ir_instr *words[] = {p->address, p->address_high};
        p->descriptor = spv_descriptor_in(s, p->type->count, words, element, index);
        p->address = p->address_high = NULL;
    }
    p->type = p->type->elem;
}

struct ir_instr **spv_pointer_value(struct spv *s, const struct spv_pointer *p)
{
    const uint32_t count = spv_pointer_scalars(s, p->storage);
    if (!count)
        spv_unsupported(s, "a pointer of storage class %u used as a value", p->storage);
    struct ir_instr **out = spv_new_scalars(s, count);
    if (p->storage == SpvStorageClassWorkgroup) {
        out[0] = spv_shared_place(s, p);
    } else if (p->storage == SpvStorageClassPhysicalStorageBuffer) {
        /* No object crosses a multiple of 4 GiB, so the upper word is the same in all of its parts. */
        out[0] = ir_build2(&s->b, IR_IADD, p->address, block_offset(s, p));
        out[1] = p->address_high;
    } else if (spv_is_descriptor_array(p) != is_array_of_blocks(p->type)) {
        spv_invalid(s, "a pointer into an array of blocks that is not one of descriptors");
    } else if (is_array_of_blocks(p->type)) {
        if (!p->type->count || (p->var && spv_descriptor_stride_B(s, p->var)))
            spv_unsupported(s, "a pointer to a run-time or large array of descriptors used as a value");
        if (p->var)
            spv_descriptor_array_words(s, p->var, out);
        else
            memcpy(out, (struct ir_instr *[]){p->address, p->address_high}, 2 * sizeof *out);
    } else {
        out[0] = p->descriptor ? p->descriptor : spv_descriptor_address(s, p->var, p->element, p->element_index);
        out[1] = block_offset(s, p);
    }
    return out;
}

const struct spv_type *spv_pointer_type(struct spv *s, const struct spv_pointer *p)
{
    const uint32_t count = spv_pointer_scalars(s, p->storage);
    if (!count)
        spv_unsupported(s, "a pointer of storage class %u used as a value", p->storage);
    if (p->pointer_type && p->pointer_type->kind == SPV_TYPE_POINTER && p->pointer_type->scalars == count)
        return p->pointer_type;
    struct spv_type *t = util_arena_new(s->arena, struct spv_type);
    *t = (struct spv_type){.kind = SPV_TYPE_POINTER, .bits = 32, .elem = p->type, .decor = &spv_no_decor,
                           .scalars = count, .storage = p->storage};
    return t;
}

struct spv_pointer *spv_pointer_from_value(struct spv *s, const struct spv_type *type, struct ir_instr *const *scalars)
{
    struct spv_pointer *p = util_arena_new(s->arena, struct spv_pointer);
    *p = (struct spv_pointer){.type = type->elem, .storage = type->storage, .pointer_type = type};
    if (type->storage == SpvStorageClassStorageBuffer && is_array_of_blocks(type->elem)) {
        p->address = scalars[0];
        p->address_high = scalars[1];
        p->descriptor = spv_descriptor_in(s, type->elem->count, scalars, 0, NULL); /* in case that no index follows */
    } else if (type->storage == SpvStorageClassStorageBuffer) {
        p->descriptor = scalars[0];
        p->offset = scalars[1];
        p->dynamic_max_B = UINT32_MAX;
        p->dynamic_step_B = 1;
    } else {
        p->address = scalars[0];
        p->address_high = type->scalars > 1 ? scalars[1] : NULL;
    }
    return p;
}
