/* SPDX-License-Identifier: MIT
 *
 * Types. A type must be defined before it is used as an operand, so types cannot be cyclic, except through pointers that
 * OpTypeForwardPointer declares. Nothing that walks through types follows pointers, so all such walks end.
 */
#include "compiler/spirv/spv.h"

static struct spv_type *add(struct spv *s, const struct spv_instr *in, enum spv_type_kind kind)
{
    uint32_t id = in->words[1];
    struct spv_type *t = util_arena_new(s->arena, struct spv_type);
    t->kind = (uint8_t)kind;
    t->id = id;
    t->decor = spv_decor(s, id);
    s->ids[id] = (struct spv_id){.kind = SPV_TYPE, .type = t};
    return t;
}

const struct spv_type *spv_type(struct spv *s, uint32_t id)
{
    if (s->ids[id].kind != SPV_TYPE)
        spv_invalid(s, "an operand is not a type, or is used before its definition");
    return s->ids[id].type;
}

static uint32_t checked_product(struct spv *s, uint32_t a, uint32_t b)
{
    uint32_t r;
    if (__builtin_mul_overflow(a, b, &r) || r > 1u << 28)
        spv_unsupported(s, "a type of more than 2^28 scalars");
    return r;
}

/* ---------------------------------------------------------------- numbers, vectors, matrices */

static void type_bool(struct spv *s, const struct spv_instr *in)
{
    struct spv_type *t = add(s, in, SPV_TYPE_BOOL);
    t->scalars = t->bits = 1;
}

/* Some compilers leave out the capability of a small type that only specialisation constants have. */
static bool has_width(struct spv *s, uint32_t bits, bool has_64_bits)
{
    s->has_8_bits |= bits == 8;
    s->has_16_bits |= bits == 16;
    return bits == 32 || bits == 16 || bits == 8 || (bits == 64 && has_64_bits);
}

static void type_int(struct spv *s, const struct spv_instr *in)
{
    if (!has_width(s, in->words[2], s->has_64_bit_ints))
        spv_unsupported(s, "%u-bit integers", in->words[2]);
    struct spv_type *t = add(s, in, SPV_TYPE_INT);
    t->is_signed = in->words[3] != 0;
    t->bits = (uint8_t)in->words[2];
    t->scalars = spv_is_wide(t) ? 2 : 1;
}

static void type_float(struct spv *s, const struct spv_instr *in)
{
    if (in->words[2] == 8 || !has_width(s, in->words[2], s->has_64_bit_floats))
        spv_unsupported(s, "%u-bit floats", in->words[2]);
    struct spv_type *t = add(s, in, SPV_TYPE_FLOAT);
    t->bits = (uint8_t)in->words[2];
    t->scalars = spv_is_wide(t) ? 2 : 1;
}

static void type_vector(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *elem = spv_type(s, in->words[2]);
    if (!spv_is_scalar(elem) || in->words[3] < 2 || in->words[3] > 4)
        spv_invalid(s, "a vector of %u components, allowed are 2 to 4 scalars", in->words[3]);
    struct spv_type *t = add(s, in, SPV_TYPE_VECTOR);
    t->elem = elem;
    t->count = in->words[3];
    t->scalars = t->count * elem->scalars;
}

static void type_matrix(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *elem = spv_type(s, in->words[2]);
    if (elem->kind != SPV_TYPE_VECTOR || elem->elem->kind != SPV_TYPE_FLOAT || in->words[3] < 2 || in->words[3] > 4)
        spv_invalid(s, "a matrix of %u columns, allowed are 2 to 4 float vectors", in->words[3]);
    struct spv_type *t = add(s, in, SPV_TYPE_MATRIX);
    t->elem = elem;
    t->count = in->words[3];
    t->scalars = t->count * elem->scalars;
}

/* ---------------------------------------------------------------- aggregates */

#define MAX_DEPTH 256 /* depth of nested aggregates: bounds every recursion over types */

static void check_sized(struct spv *s, const struct spv_type *elem)
{
    if (elem->depth >= MAX_DEPTH)
        spv_unsupported(s, "a type nested more than %u deep", MAX_DEPTH);
    if (elem->kind == SPV_TYPE_VOID || elem->kind == SPV_TYPE_FUNCTION)
        spv_invalid(s, "an aggregate of void or functions");
}

/* Whether the value of a constant is known only when a pipeline specialises it. The default is then no reason to refuse
 * the module. */
static bool is_specialised_later(const struct spv *s, uint32_t id)
{
    const uint16_t op = spv_instr_at(s->m, s->m->defs[id]).op;
    return !s->entry && (op == SpvOpSpecConstant || op == SpvOpSpecConstantOp);
}

static void type_array(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *elem = spv_type(s, in->words[2]);
    check_sized(s, elem);
    struct spv_type *t = add(s, in, SPV_TYPE_ARRAY);
    t->elem = elem;
    t->depth = elem->depth + 1;
    if (in->op == SpvOpTypeRuntimeArray)
        return;
    t->count = spv_const_word(s, in->words[3]);
    if (!t->count && is_specialised_later(s, in->words[3]))
        spv_unsupported(s, "an array of length 0 unless specialised");
    if (!t->count)
        spv_invalid(s, "an array of length 0");
    t->scalars = checked_product(s, t->count, elem->scalars);
    t->is_empty = elem->is_empty;
}

static const struct spv_decor *member_decor(const struct spv_decor *of, uint32_t member)
{
    return member < of->member_count && of->members[member] ? of->members[member] : &spv_no_decor;
}

static void type_struct(struct spv *s, const struct spv_instr *in)
{
    uint32_t count = in->count - 2u, scalars = 0, depth = 0;
    bool is_empty = true;
    if (count >= SPV_MAX_MEMBERS)
        spv_invalid(s, "a struct of %u members, the limit is %u", count, SPV_MAX_MEMBERS - 1);
    const struct spv_type **members = util_arena_new_array(s->arena, const struct spv_type *, count);
    const struct spv_decor **layouts = util_arena_new_array(s->arena, const struct spv_decor *, count);
    for (uint32_t i = 0; i < count; i++) {
        members[i] = spv_type(s, in->words[2 + i]);
        check_sized(s, members[i]);
        layouts[i] = member_decor(spv_decor(s, in->words[1]), i);
        scalars += members[i]->scalars;
        is_empty &= members[i]->is_empty;
        depth = MAX2(depth, members[i]->depth);
        if (scalars > 1u << 28)
            spv_unsupported(s, "a type of more than 2^28 scalars");
    }
    struct spv_type *t = add(s, in, SPV_TYPE_STRUCT);
    t->count = count;
    t->members = members;
    t->layouts = layouts;
    t->scalars = scalars;
    t->is_empty = is_empty;
    t->depth = depth + 1;
}

/* ---------------------------------------------------------------- images, pointers, all types */

/* Checks the parameters of OpTypeImage. [SPIR-V 3.42.6 "OpTypeImage"; Vulkan, "Standalone SPIR-V Validation"] */
static void check_image(struct spv *s, const struct spv_type *texel, const uint32_t *words)
{
    const uint32_t dim = words[3], depth = words[4], arrayed = words[5], multisampled = words[6], sampled = words[7];
    const uint32_t format = words[8];
    if (texel->kind != SPV_TYPE_INT && texel->kind != SPV_TYPE_FLOAT)
        spv_invalid(s, "an image whose sampled type is not numeric");
    if (texel->bits == 64 && (texel->kind != SPV_TYPE_INT || sampled != 2 || dim == SpvDimSubpassData))
        spv_unsupported(s, "images of 64-bit numbers other than storage images of integers");
    if (texel->bits < 32)
        spv_unsupported(s, "images of numbers of %u bits", texel->bits);
    if (dim > SpvDimSubpassData || dim == SpvDimRect)
        spv_unsupported(s, "images of dimension %u", dim);
    if (depth > 2 || arrayed > 1 || multisampled > 1 || format > SpvImageFormatR64i)
        spv_invalid(s, "an image of depth %u, arrayed %u, multisampled %u, format %u", depth, arrayed, multisampled,
                    format);
    if (sampled != 1 && sampled != 2)
        spv_invalid(s, "an image with Sampled %u, Vulkan allows 1 and 2", sampled);
    if (arrayed && dim != SpvDim1D && dim != SpvDim2D && dim != SpvDimCube)
        spv_invalid(s, "an arrayed image of dimension %u", dim);
    if (multisampled && dim != SpvDim2D && dim != SpvDimSubpassData)
        spv_invalid(s, "a multisampled image of dimension %u", dim);
    if (dim == SpvDimSubpassData && (sampled != 2 || format != SpvImageFormatUnknown))
        spv_invalid(s, "an input attachment with Sampled %u and format %u, which have to be 2 and 0", sampled, format);
}

static void type_image(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *texel = spv_type(s, in->words[2]);
    check_image(s, texel, in->words);
    struct spv_type *t = add(s, in, SPV_TYPE_IMAGE);
    t->elem = texel;
    t->dim = (uint8_t)in->words[3];
    t->arrayed = in->words[5] != 0;
    t->multisampled = in->words[6] != 0;
    t->sampled = (uint8_t)in->words[7];
    t->format = (uint8_t)in->words[8];
}

static void type_sampled_image(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *image = spv_type(s, in->words[2]);
    if (image->kind != SPV_TYPE_IMAGE)
        spv_invalid(s, "a sampled image whose operand is not an image");
    add(s, in, SPV_TYPE_SAMPLED_IMAGE)->elem = image;
}

uint32_t spv_pointer_scalars(const struct spv *s, uint32_t storage)
{
    switch (storage) {
    case SpvStorageClassPhysicalStorageBuffer:
        return 2;
    case SpvStorageClassStorageBuffer:
        return s->has_variable_pointers ? 2 : 0;
    case SpvStorageClassWorkgroup:
        return s->has_variable_pointers ? 1 : 0;
    default:
        return 0;
    }
}

static struct spv_type *add_pointer(struct spv *s, const struct spv_instr *in)
{
    struct spv_type *t = add(s, in, SPV_TYPE_POINTER);
    t->storage = in->words[2];
    t->scalars = spv_pointer_scalars(s, t->storage);
    t->bits = 32;
    return t;
}

/* Declares a pointer whose target is defined later, and may contain it. */
static void forward_pointer(struct spv *s, const struct spv_instr *in)
{
    if (in->words[2] != SpvStorageClassPhysicalStorageBuffer)
        spv_invalid(s, "a forward pointer of storage class %u", in->words[2]);
    if (s->ids[in->words[1]].kind == SPV_NOTHING)
        add_pointer(s, in);
}

static void type_pointer(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *target = spv_type(s, in->words[3]);
    const struct spv_id *forward = &s->ids[in->words[1]];
    struct spv_type *t;
    if (forward->kind == SPV_TYPE) { /* the reader lets no id have two results, so this is a forward pointer */
        t = (struct spv_type *)forward->type;
        if (t->storage != in->words[2])
            spv_invalid(s, "a pointer of another storage class than in its forward declaration");
    } else {
        t = add_pointer(s, in);
    }
    t->elem = target;
}

void spv_check_forward_pointers(struct spv *s)
{
    spv_for_each_instr(in, s->m) {
        s->offset = in.offset;
        if (in.op == SpvOpFunction)
            return;
        if (in.op == SpvOpTypeForwardPointer && !spv_type(s, in.words[1])->elem)
            spv_invalid(s, "a forward pointer that is never defined");
    }
}

bool spv_translate_type(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpTypeVoid:
        add(s, in, SPV_TYPE_VOID);
        return true;
    case SpvOpTypeBool:
        type_bool(s, in);
        return true;
    case SpvOpTypeInt:
        type_int(s, in);
        return true;
    case SpvOpTypeFloat:
        type_float(s, in);
        return true;
    case SpvOpTypeVector:
        type_vector(s, in);
        return true;
    case SpvOpTypeMatrix:
        type_matrix(s, in);
        return true;
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
        type_array(s, in);
        return true;
    case SpvOpTypeStruct:
        type_struct(s, in);
        return true;
    case SpvOpTypePointer:
        type_pointer(s, in);
        return true;
    case SpvOpTypeForwardPointer:
        forward_pointer(s, in);
        return true;
    case SpvOpTypeFunction:
        add(s, in, SPV_TYPE_FUNCTION)->elem = spv_type(s, in->words[2]);
        return true;
    case SpvOpTypeImage:
        type_image(s, in);
        return true;
    case SpvOpTypeSampler:
        add(s, in, SPV_TYPE_SAMPLER);
        return true;
    case SpvOpTypeSampledImage:
        type_sampled_image(s, in);
        return true;
    default:
        if (!__builtin_strncmp(spv_op_info(in->op)->name, "OpType", 6))
            spv_unsupported(s, "%s", spv_op_info(in->op)->name);
        return false;
    }
}

/* ---------------------------------------------------------------- queries */

const struct spv_type *spv_scalar_of(const struct spv_type *t)
{
    while (t->kind == SPV_TYPE_VECTOR || t->kind == SPV_TYPE_MATRIX || t->kind == SPV_TYPE_ARRAY)
        t = t->elem;
    return t;
}

/* Valid programs may have out-of-range constant indices in code that never runs; any element will do there. Member
 * numbers of structs must be valid. */
uint32_t spv_clamped_index(const struct spv_type *t, uint32_t number)
{
    return t->kind == SPV_TYPE_STRUCT || !t->count ? number : MIN2(number, t->count - 1);
}

const struct spv_type *spv_member(const struct spv_type *t, uint32_t index, uint32_t *first_scalar_out)
{
    switch ((enum spv_type_kind)t->kind) {
    case SPV_TYPE_VECTOR:
    case SPV_TYPE_MATRIX:
    case SPV_TYPE_ARRAY:
        if (index >= t->count && !(t->kind == SPV_TYPE_ARRAY && !t->count))
            return NULL;
        *first_scalar_out = index * t->elem->scalars;
        return t->elem;
    case SPV_TYPE_STRUCT:
        if (index >= t->count)
            return NULL;
        *first_scalar_out = 0;
        for (uint32_t i = 0; i < index; i++)
            *first_scalar_out += t->members[i]->scalars;
        return t->members[index];
    default:
        return NULL;
    }
}

const struct spv_type *spv_scalar_at(const struct spv_type *t, uint32_t index)
{
    while (!spv_is_scalar(t) && t->kind != SPV_TYPE_POINTER) {
        if (t->kind == SPV_TYPE_STRUCT) {
            uint32_t i = 0;
            while (index >= t->members[i]->scalars)
                index -= t->members[i++]->scalars;
            t = t->members[i];
        } else {
            index %= t->elem->scalars;
            t = t->elem;
        }
    }
    return t;
}

bool spv_has_values(const struct spv_type *t)
{
    return t->scalars || t->is_empty;
}

/* MatrixStride is missing in some modules where the matrix is in an array of arrays. They mean what GLSL's std430 has. */
uint32_t spv_usual_matrix_stride_B(const struct spv_type *matrix, bool row_major)
{
    const uint32_t components = row_major ? matrix->count : matrix->elem->count;
    return (components == 3 ? 4 : components) * spv_scalar_of(matrix)->bits / 8;
}
