/* SPDX-License-Identifier: MIT
 *
 * Addresses of buffers and shared memory on the CPU engine. The program reads its binding tables itself: the table
 * entry, then address and limit from the descriptor. CSE removes repeated reads.
 */
#include <stddef.h>
#include "compiler/spirv/spv_engine.h"

/* ---------------------------------------------------------------- which memory is addressed */

static const struct spv_type *block_of(const struct spv_var *var)
{
    return var->type->kind == SPV_TYPE_ARRAY ? var->type->elem : var->type;
}

static bool is_storage_buffer(const struct spv_pointer *p)
{
    return p->storage == SpvStorageClassStorageBuffer ||
           (p->storage == SpvStorageClassUniform && block_of(p->var)->decor->buffer_block);
}

bool spv_is_addressed(const struct spv *s, const struct spv_pointer *p)
{
    if (spv_is_shared(p) || p->storage == SpvStorageClassImage || p->storage == SpvStorageClassPhysicalStorageBuffer ||
        p->descriptor)
        return true;
    if (p->storage == SpvStorageClassPushConstant)
        return false;
    if (p->var && spv_descriptor_stride_B(s, p->var))
        return true;
    return s->shader->kind == VC4C_PROGRAM_COMPUTE || (s->writes_memory && is_storage_buffer(p));
}

static bool is_read_only(const struct spv_var *var)
{
    const struct spv_type *block = block_of(var);
    if (var->decor->non_writable)
        return true;
    for (uint32_t i = 0; i < block->count && block->kind == SPV_TYPE_STRUCT; i++)
        if (!block->layouts[i]->non_writable)
            return false;
    return block->kind == SPV_TYPE_STRUCT;
}

bool spv_may_change(const struct spv *s, const struct spv_pointer *p)
{
    if (p->storage == SpvStorageClassTaskPayloadWorkgroupEXT)
        return s->entry->stage == VC4C_STAGE_TASK;
    if (p->storage == SpvStorageClassWorkgroup || p->storage == SpvStorageClassImage)
        return true;
    if (!p->var)
        return s->writes_memory;
    return s->writes_memory && is_storage_buffer(p) && !is_read_only(p->var);
}

bool spv_image_may_change(const struct spv *s, const struct spv_var *var)
{
    return s->writes_memory && !var->decor->non_writable;
}

static uint32_t storage_of(const struct vc4c_module *m, uint32_t pointer)
{
    const uint32_t *def = m->words + m->defs[pointer];
    uint16_t op = def[0] & 0xffff;
    if (op != SpvOpVariable && op != SpvOpAccessChain && op != SpvOpInBoundsAccessChain &&
        op != SpvOpFunctionParameter && op != SpvOpCopyObject && op != SpvOpPhi)
        return SpvStorageClassStorageBuffer; /* unknown: assume the worst */
    const uint32_t *type = m->words + m->defs[def[1]];
    return (type[0] & 0xffff) == SpvOpTypePointer ? type[2] : SpvStorageClassStorageBuffer;
}

/* The atomics of floats were added later, with numbers of their own. */
static bool is_atomic_write(uint16_t op)
{
    return (op >= SpvOpAtomicStore && op <= SpvOpAtomicXor) || op == SpvOpAtomicFAddEXT || op == SpvOpAtomicFMinEXT ||
           op == SpvOpAtomicFMaxEXT;
}

static bool writes(const struct vc4c_module *m, const struct spv_instr *in)
{
    if (in->op == SpvOpImageWrite || is_atomic_write(in->op))
        return true;
    if (in->op != SpvOpStore && in->op != SpvOpCopyMemory)
        return false;
    uint32_t storage = storage_of(m, in->words[1]);
    return storage == SpvStorageClassStorageBuffer || storage == SpvStorageClassUniform ||
           storage == SpvStorageClassPhysicalStorageBuffer;
}

/* Of atomics in shared memory and in the payload. */
static bool stays_inside(const struct vc4c_module *m, const struct spv_instr *in)
{
    if (!is_atomic_write(in->op))
        return false;
    const uint32_t storage = storage_of(m, in->words[in->op == SpvOpAtomicStore ? 1 : 3]);
    return storage == SpvStorageClassWorkgroup || storage == SpvStorageClassTaskPayloadWorkgroupEXT;
}

/* Looks at all functions of the module, so the result is conservative for the entry point. */
void spv_find_writes(struct spv *s)
{
    spv_for_each_instr(in, s->m)
    {
        const bool is_write = writes(s->m, &in);
        s->writes_memory |= is_write;
        s->shader->stores_outside |= is_write && !stays_inside(s->m, &in);
    }
}

/* ---------------------------------------------------------------- descriptors */

static struct ir_instr *fetch(struct ir_builder *b, struct ir_instr *address)
{
    return ir_build1(b, IR_ENGINE_FETCH, address);
}

static struct ir_instr *add_const(struct ir_builder *b, struct ir_instr *x, uint32_t word)
{
    return word ? ir_build2(b, IR_IADD, x, ir_const(b, word)) : x;
}

void spv_descriptor_array_words(struct spv *s, const struct spv_var *var, struct ir_instr *words_out[2])
{
    if (var->decor->set == SPV_NO_NUMBER || var->decor->binding == SPV_NO_NUMBER)
        spv_invalid(s, "a descriptor variable without DescriptorSet or Binding");
    uint32_t resource = spv_use_binding(s, var);
    words_out[0] = ir_uniform(&s->b, VC4C_UNIFORM_ENGINE_ENTRY, resource, 0);
    words_out[1] = ir_uniform(&s->b, VC4C_UNIFORM_ENGINE_STATES, resource, 0);
}

struct ir_instr *spv_descriptor_in(struct spv *s, uint32_t count, struct ir_instr *const words[2], uint32_t element,
                                   struct ir_instr *index)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *entry = add_const(b, words[0], 4 * element);
    if (index) { /* clamp, so that other bindings are never accessed */
        index = ir_build2(b, IR_UMIN, index, ir_const(b, MAX2(count, 1u) - 1));
        entry = ir_build2(b, IR_IADD, entry, ir_build2(b, IR_SHL, index, ir_const(b, 2)));
    }
    return ir_build2(b, IR_IADD, fetch(b, entry), words[1]);
}

uint32_t spv_descriptor_stride_B(const struct spv *s, const struct spv_var *var)
{
    const struct vc4c_entry *e = s->entry;
    for (uint32_t i = 0; i < e->array_size_count; i++)
        if (e->array_sizes[i].set == var->decor->set && e->array_sizes[i].binding == var->decor->binding)
            return e->array_sizes[i].element_B;
    return 0;
}

/* The binding table's only descriptor is that of a buffer with all descriptors of the binding. An index beyond their
 * number gives VC4C_ENGINE_NULL, where a null descriptor is. */
static struct ir_instr *descriptor_in_memory(struct spv *s, struct ir_instr *const words[2], uint32_t stride_B,
                                             uint32_t element, struct ir_instr *index)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *array = spv_descriptor_in(s, 1, words, 0, NULL);
    struct ir_instr *first = fetch(b, add_const(b, array, offsetof(struct hw_engine_descriptor, address)));
    struct ir_instr *count = fetch(b, add_const(b, array, offsetof(struct hw_engine_descriptor, width)));
    struct ir_instr *at = index ? add_const(b, index, element) : ir_const(b, element);
    struct ir_instr *address = ir_build2(b, IR_IADD, first, ir_build2(b, IR_MUL24, at, ir_const(b, stride_B)));
    s->shader->uses_set_memory = true;
    return ir_build3(b, IR_SEL, ir_build2(b, IR_ULT, at, count), address, ir_const(b, VC4C_ENGINE_NULL));
}

/* Whether the variable has views or samplers. Elements that can hold anything have other descriptors behind these. */
static bool is_looked_up(struct spv *s, const struct spv_var *var)
{
    switch ((enum vc4c_resource_kind)s->shader->resources[spv_use_binding(s, var)].kind) {
    case VC4C_RESOURCE_COMBINED_IMAGE_SAMPLER:
    case VC4C_RESOURCE_SAMPLED_IMAGE:
    case VC4C_RESOURCE_SAMPLER:
    case VC4C_RESOURCE_UNIFORM_TEXEL_BUFFER:
    case VC4C_RESOURCE_INPUT_ATTACHMENT:
        return true;
    case VC4C_RESOURCE_UNIFORM_BUFFER:
    case VC4C_RESOURCE_STORAGE_BUFFER:
    case VC4C_RESOURCE_STORAGE_IMAGE:
    case VC4C_RESOURCE_STORAGE_TEXEL_BUFFER:
        break;
    }
    return false;
}

struct ir_instr *spv_descriptor_address(struct spv *s, const struct spv_var *var, uint32_t element,
                                        struct ir_instr *index)
{
    struct ir_instr *words[2];
    const uint32_t stride_B = spv_descriptor_stride_B(s, var);
    spv_descriptor_array_words(s, var, words);
    if (stride_B) {
        struct ir_instr *address = descriptor_in_memory(s, words, stride_B, element, index);
        return stride_B > HW_ENGINE_OFFSET_B && !is_looked_up(s, var) ? add_const(&s->b, address, HW_ENGINE_OFFSET_B)
                                                                      : address;
    }
    return spv_descriptor_in(s, spv_descriptor_count(s, var), words, element, index);
}

struct ir_instr *spv_descriptor_word(struct spv *s, const struct spv_var *var, uint32_t element, struct ir_instr *index,
                                     uint32_t field_B)
{
    return fetch(&s->b, add_const(&s->b, spv_descriptor_address(s, var, element, index), field_B));
}

/* A word of the descriptor of the buffer that contains the pointee. */
static struct ir_instr *buffer_word(struct spv *s, const struct spv_pointer *p, uint32_t field_B)
{
    if (p->descriptor)
        return fetch(&s->b, add_const(&s->b, p->descriptor, field_B));
    return spv_descriptor_word(s, p->var, p->element, p->element_index, field_B);
}

struct ir_instr *spv_addressed_size(struct spv *s, const struct spv_pointer *p)
{
    return buffer_word(s, p, offsetof(struct hw_engine_descriptor, size_B));
}

static struct ir_instr *checked_address(struct ir_builder *b, struct ir_instr *base, struct ir_instr *offset,
                                        struct ir_instr *limit)
{
    struct ir_instr *address = ir_build2(b, IR_IADD, base, offset);
    return ir_build3(b, IR_SEL, ir_build2(b, IR_ULT, offset, limit), address, ir_const(b, VC4C_ENGINE_NULL));
}

/* `limit_field`: offset of the descriptor's field with the number of accessible bytes. */
static struct ir_instr *buffer_address(struct spv *s, const struct spv_pointer *p, uint32_t offset_B,
                                       uint32_t limit_field)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *base = buffer_word(s, p, offsetof(struct hw_engine_descriptor, address));
    struct ir_instr *limit = buffer_word(s, p, limit_field);
    struct ir_instr *offset = ir_const(b, p->offset_B + offset_B);
    if (p->offset)
        offset = add_const(b, p->offset, p->offset_B + offset_B);
    return checked_address(b, base, offset, limit);
}

/* ---------------------------------------------------------------- physical addresses */

/* Offsets below this are added behind the check. VC4C_ENGINE_OUTSIDE plus any of them is never mapped either. */
#define MAX_UNCHECKED_B 0x8000u

/* Programs may reach the application's memory only, not what the driver has put into the job's map beside it. */
static struct ir_instr *physical_address(struct spv *s, const struct spv_pointer *p, uint32_t offset_B)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *at = p->offset ? ir_build2(b, IR_IADD, p->address, p->offset) : p->address;
    uint32_t unchecked_B = p->offset_B + offset_B;
    if (unchecked_B >= MAX_UNCHECKED_B) {
        at = add_const(b, at, unchecked_B);
        unchecked_B = 0;
    }
    struct ir_instr *is_32_bits = ir_build2(b, IR_IEQ, p->address_high, ir_const(b, 0));
    struct ir_instr *is_memory = ir_build2(b, IR_UGE, at, ir_uniform(b, VC4C_UNIFORM_ENGINE_MEMORY, 0, 0));
    is_memory = ir_build2(b, IR_BAND, is_32_bits, is_memory);
    s->shader->uses_addresses = true;
    return add_const(b, ir_build3(b, IR_SEL, is_memory, at, ir_const(b, VC4C_ENGINE_OUTSIDE)), unchecked_B);
}

/* ---------------------------------------------------------------- shared memory */

void spv_check_shared_size(struct spv *s, uint64_t size_B)
{
    if (size_B > SPV_MAX_SHARED_B)
        spv_unsupported(s, "%llu bytes of shared memory, the limit is %u", (unsigned long long)size_B,
                        SPV_MAX_SHARED_B);
}

void spv_create_shared(struct spv *s, struct spv_var *var)
{
    const uint64_t size_B = (uint64_t)spv_shared_unit_B(s, var) * var->type->scalars;
    const uint64_t end_B = s->shader->shared_B + ((size_B + 3) & ~3ull);
    if (!spv_has_values(var->type))
        spv_unsupported(s, "shared memory without a size");
    spv_check_shared_size(s, end_B);
    var->shared_B = s->shader->shared_B;
    s->shader->shared_B = (uint32_t)end_B;
}

/* The offset of the pointee, and `fixed_B` more, in a variable; NULL if it is constant. Shared memory has one word per
 * scalar, in declaration order, or less (spv_shared_unit_B). */
static struct ir_instr *shared_offset(struct spv *s, const struct spv_pointer *p, uint32_t fixed_B)
{
    struct ir_builder *b = &s->b;
    const uint32_t unit_B = p->var ? spv_shared_unit_B(s, p->var) : 4;
    struct ir_instr *offset = NULL;
    for (uint32_t k = 0; k < p->step_count; k++) {
        struct ir_instr *step = ir_build2(b, IR_MUL24, p->steps[k].index, ir_const(b, unit_B * p->steps[k].scalars));
        offset = offset ? ir_build2(b, IR_IADD, offset, step) : step;
    }
    return offset ? add_const(b, offset, fixed_B) : NULL;
}

static struct ir_instr *shared_base(struct spv *s, const struct spv_pointer *p)
{
    if (p->address)
        return p->address;
    if (p->storage == SpvStorageClassTaskPayloadWorkgroupEXT) {
        if (p->var->shared_B == SPV_NO_NUMBER)
            spv_invalid(s, "a payload that the entry point does not list");
        return add_const(&s->b, s->payload, p->var->shared_B);
    }
    if (p->var->shared_B == SPV_NO_NUMBER) /* the entry point does not list it */
        spv_create_shared(s, p->var);
    return add_const(&s->b, ir_uniform(&s->b, VC4C_UNIFORM_ENGINE_SHARED, 0, 0), p->var->shared_B);
}

struct ir_instr *spv_shared_place(struct spv *s, const struct spv_pointer *p)
{
    if (spv_is_shared_block(s, p))
        return spv_shared_block_place(s, p);
    struct ir_instr *offset = shared_offset(s, p, 4 * p->scalar), *base = shared_base(s, p);
    return offset ? ir_build2(&s->b, IR_IADD, base, offset) : add_const(&s->b, base, 4 * p->scalar);
}

static struct ir_instr *shared_address(struct spv *s, const struct spv_pointer *p, uint32_t offset_B)
{
    struct ir_builder *b = &s->b;
    if (p->address) { /* of any variable */
        struct ir_instr *all = ir_uniform(b, VC4C_UNIFORM_ENGINE_SHARED, 0, 0);
        struct ir_instr *offset = ir_build2(b, IR_ISUB, add_const(b, spv_shared_place(s, p), offset_B), all);
        return checked_address(b, all, offset, ir_const(b, s->shader->shared_B));
    }
    const uint32_t unit_B = spv_shared_unit_B(s, p->var), fixed_B = unit_B * p->scalar + offset_B;
    struct ir_instr *offset = shared_offset(s, p, fixed_B), *base = shared_base(s, p);
    if (!offset)
        return add_const(b, base, fixed_B);
    return checked_address(b, base, offset, ir_const(b, unit_B * p->var->type->scalars));
}

struct ir_instr **spv_shared_load(struct spv *s, const struct spv_pointer *p)
{
    struct ir_instr **out = spv_new_scalars(s, p->type->scalars);
    const uint32_t unit_B = p->var ? spv_shared_unit_B(s, p->var) : 4;
    const bool may_change = spv_may_change(s, p);
    for (uint32_t i = 0; i < p->type->scalars; i++) {
        struct ir_instr *address = shared_address(s, p, unit_B * i);
        out[i] = unit_B < 4 ? spv_load_part(s, address, may_change) : spv_load_word(s, address, may_change);
        if (spv_scalar_bits(spv_scalar_at(p->type, i)) == 1)
            out[i] = ir_build2(&s->b, IR_INE, out[i], ir_const(&s->b, 0));
    }
    return out;
}

void spv_shared_store(struct spv *s, const struct spv_pointer *p, struct ir_instr *const *scalars)
{
    struct ir_builder *b = &s->b;
    const uint32_t unit_B = p->var ? spv_shared_unit_B(s, p->var) : 4;
    if (!spv_may_change(s, p))
        spv_invalid(s, "a store to the payload of a mesh shader");
    for (uint32_t i = 0; i < p->type->scalars; i++) {
        struct ir_instr *word = scalars[i];
        if (spv_scalar_bits(spv_scalar_at(p->type, i)) == 1)
            word = ir_build3(b, IR_SEL, word, ir_const(b, 1), ir_const(b, 0));
        if (unit_B < 4)
            spv_store_part(s, shared_address(s, p, unit_B * i), word, unit_B);
        else
            spv_store_word(s, shared_address(s, p, 4 * i), word);
    }
}

/* ---------------------------------------------------------------- words */

struct ir_instr *spv_address(struct spv *s, const struct spv_pointer *p, uint32_t offset_B)
{
    if (p->storage == SpvStorageClassImage)
        return p->address;
    if (spv_is_shared_block(s, p))
        return spv_shared_block_address(s, p, offset_B, 4);
    if (spv_is_shared(p))
        return shared_address(s, p, offset_B);
    if (p->storage == SpvStorageClassPhysicalStorageBuffer)
        return physical_address(s, p, offset_B);
    return buffer_address(s, p, offset_B, offsetof(struct hw_engine_descriptor, limit_B));
}

struct ir_instr *spv_part_address(struct spv *s, const struct spv_pointer *p, uint32_t size_B)
{
    if (spv_is_shared_block(s, p))
        return spv_shared_block_address(s, p, 0, size_B);
    if (p->storage == SpvStorageClassImage || spv_is_shared(p))
        spv_unsupported(s, "%u-bit numbers in shared memory or images", 8 * size_B);
    if (p->storage == SpvStorageClassPhysicalStorageBuffer)
        return physical_address(s, p, 0);
    return buffer_address(s, p, 0, offsetof(struct hw_engine_descriptor, size_B));
}

struct ir_instr *spv_load_part(struct spv *s, struct ir_instr *address, bool may_change)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *word = spv_load_word(s, ir_build2(b, IR_AND, address, ir_const(b, ~3u)), may_change);
    struct ir_instr *byte = ir_build2(b, IR_AND, address, ir_const(b, 3));
    return ir_build2(b, IR_SHR, word, ir_build2(b, IR_SHL, byte, ir_const(b, 3)));
}

struct ir_instr *spv_load_word(struct spv *s, struct ir_instr *address, bool may_change)
{
    return ir_build1(&s->b, may_change ? IR_ENGINE_LOAD : IR_ENGINE_FETCH, address);
}

void spv_store_word(struct spv *s, struct ir_instr *address, struct ir_instr *word)
{
    ir_build2(&s->b, IR_ENGINE_STORE, address, word);
}

void spv_store_part(struct spv *s, struct ir_instr *address, struct ir_instr *word, uint32_t size_B)
{
    ir_build2(&s->b, IR_ENGINE_STORE, address, word)->imm = size_B;
}

/* ---------------------------------------------------------------- size of workgroups */

static void check_local_size(struct spv *s)
{
    const uint32_t *n = s->shader->local_size;
    uint64_t count = 1;
    for (int i = 0; i < 3; i++) {
        if (!n[i] || n[i] > VC4C_MAX_INVOCATIONS)
            spv_unsupported(s, "a workgroup of %u x %u x %u, the limit is %u invocations", n[0], n[1], n[2],
                            VC4C_MAX_INVOCATIONS);
        count *= n[i];
    }
    if (count > VC4C_MAX_INVOCATIONS)
        spv_unsupported(s, "a workgroup of %u x %u x %u, the limit is %u invocations", n[0], n[1], n[2],
                        VC4C_MAX_INVOCATIONS);
    const bool is_odd = s->shader->is_ordered_by_quads ? n[0] % 2 || n[1] % 2 : count % 4;
    if (s->shader->has_quads && is_odd)
        spv_invalid(s, "a workgroup of %u x %u x %u, which does not consist of quads", n[0], n[1], n[2]);
}

void spv_read_local_size(struct spv *s)
{
    uint32_t function = s->m->words[s->entry_point + 2];
    spv_for_each_instr(in, s->m) {
        if (in.op == SpvOpExecutionModeId && in.words[1] == function && in.words[2] == SpvExecutionModeLocalSizeId)
            for (uint32_t i = 0; i < 3 && 3 + i < in.count; i++)
                s->shader->local_size[i] = spv_const_word(s, in.words[3 + i]);
        if (in.op == SpvOpFunction)
            break;
    }
    for (uint32_t id = 0; id < s->m->id_count; id++) { /* takes precedence over the execution mode */
        const struct spv_id *c = &s->ids[id];
        if (spv_decor(s, id)->builtin == SpvBuiltInWorkgroupSize && c->kind == SPV_CONSTANT && c->type->scalars == 3)
            for (int i = 0; i < 3; i++)
                s->shader->local_size[i] = c->words[i];
    }
    check_local_size(s);
}
