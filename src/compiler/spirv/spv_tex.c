/* SPDX-License-Identifier: MIT
 *
 * Texture instructions. Each becomes one IR_SAMPLE, with its sources in the order that ir.h states, and one
 * SAMPLE_RESULT per component. ir_lower_tex expands it once the sampling class is known.
 */
#include "compiler/spirv/spv_engine.h"

#define MAX_SOURCES 16

struct lookup {
    struct ir_sample sample;
    struct ir_instr *srcs[MAX_SOURCES];
    uint32_t src_count;
    uint32_t dref;               /* id, or SPV_NO_NUMBER */
    uint32_t operands;           /* index of the image operands in the instruction's words */
    const uint32_t *offsets;     /* gather: four constant offsets in a row, or NULL */
    const struct spv_texture *texture;
};

/* ---------------------------------------------------------------- which texture */

static enum ir_sample_dim dim_of(struct spv *s, const struct spv_type *image)
{
    switch (image->dim) {
    case SpvDim1D:
        return IR_DIM_1D;
    case SpvDim2D:
        return IR_DIM_2D;
    case SpvDim3D:
        return IR_DIM_3D;
    case SpvDimCube:
        return IR_DIM_CUBE;
    case SpvDimBuffer:
        return IR_DIM_BUFFER;
    case SpvDimSubpassData:
        return IR_DIM_SUBPASS;
    default:
        spv_unsupported(s, "images of dimension %u", image->dim);
    }
}

/* The elements of an array are consecutive input attachments. */
static uint8_t input_index(const struct spv_texture *t)
{
    const uint64_t index = (uint64_t)t->input_index + t->image_index;
    return index < VC4C_NO_INPUT ? (uint8_t)index : VC4C_NO_INPUT;
}

static uint16_t texture_index(struct spv *s, const struct spv_texture *t)
{
    struct ir_shader *shader = s->shader;
    struct vc4c_texture_ref ref = {
        .image_set = t->image_set, .image_binding = t->image_binding, .image_index = t->image_index,
        .sampler_set = t->sampler_set, .sampler_binding = t->sampler_binding, .sampler_index = t->sampler_index,
        .fetch_only = !t->has_sampler,
        .dim = (uint8_t)dim_of(s, t->image), .is_array = t->image->arrayed, .multisampled = t->image->multisampled,
        .input_index = t->image->dim == SpvDimSubpassData ? input_index(t) : VC4C_NO_INPUT,
        .plane = t->plane};
    for (uint32_t i = 0; i < shader->texture_count; i++) {
        const struct vc4c_texture_ref *r = &shader->textures[i];
        if (r->image_set == ref.image_set && r->image_binding == ref.image_binding &&
            r->image_index == ref.image_index && r->fetch_only == ref.fetch_only && r->sampler_set == ref.sampler_set &&
            r->sampler_binding == ref.sampler_binding && r->sampler_index == ref.sampler_index &&
            r->plane == ref.plane && r->dim == ref.dim && r->is_array == ref.is_array &&
            r->multisampled == ref.multisampled)
            return (uint16_t)i;
    }
    if (shader->texture_count == VC4C_MAX_TEXTURES)
        spv_unsupported(s, "more than %u pairs of an image and a sampler", VC4C_MAX_TEXTURES);
    shader->textures[shader->texture_count] = ref;
    return (uint16_t)shader->texture_count++;
}

/* The pairs that the program already lists of those from which the indices select. */
static uint32_t listed_pairs(struct spv *s, const struct spv_texture *t)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->shader->texture_count; i++) {
        const struct vc4c_texture_ref *r = &s->shader->textures[i];
        count += r->image_set == t->image_set && r->image_binding == t->image_binding &&
                 (t->image_choice || r->image_index == t->image_index) && !r->fetch_only &&
                 r->sampler_set == t->sampler_set && r->sampler_binding == t->sampler_binding &&
                 (t->sampler_choice || r->sampler_index == t->sampler_index) && r->dim == dim_of(s, t->image) &&
                 r->is_array == t->image->arrayed && r->multisampled == t->image->multisampled;
    }
    return count;
}

/* Do indices select from more pairs of an image and a sampler than a program can list beside its others? Such lookups
 * go by the addresses of the descriptors. The binding table has views and samplers, but not both of a combined one. */
static bool has_too_many_pairs(struct spv *s, const struct spv_texture *t)
{
    if (!t->pointer || !t->sampler_pointer || t->pointer->var == t->sampler_pointer->var ||
        (!t->image_choice && !t->sampler_choice))
        return false;
    const uint64_t pairs =
        (uint64_t)(t->image_choice ? t->image_count : 1) * (t->sampler_choice ? t->sampler_count : 1);
    return pairs > VC4C_MAX_TEXTURES || s->shader->texture_count + pairs > VC4C_MAX_TEXTURES + listed_pairs(s, t);
}

/* The number of coordinates that address a texel, layer included. */
static uint32_t coord_count(enum ir_sample_dim dim, bool is_array)
{
    static const uint8_t counts[] = {[IR_DIM_1D] = 1, [IR_DIM_2D] = 2, [IR_DIM_3D] = 3, [IR_DIM_CUBE] = 3,
                                     [IR_DIM_BUFFER] = 1, [IR_DIM_SUBPASS] = 2};
    return counts[dim] + is_array;
}

/* The images that each instruction may be used on. [SPIR-V 3.42.10 "Image Instructions"; Vulkan, "Standalone SPIR-V
 * Validation"] */
enum image_dims {
    ON_1D = 1 << SpvDim1D,
    ON_2D = 1 << SpvDim2D,
    ON_3D = 1 << SpvDim3D,
    ON_CUBE = 1 << SpvDimCube,
    ON_BUFFER = 1 << SpvDimBuffer,
    ON_SUBPASS = 1 << SpvDimSubpassData,
    ON_FILTERED = ON_1D | ON_2D | ON_3D | ON_CUBE,
};
enum image_samples { SINGLE = 1, MULTIPLE = 2, ANY_SAMPLES = SINGLE | MULTIPLE };

static const struct image_rule {
    uint16_t op;
    uint8_t dims;          /* enum image_dims */
    uint8_t samples;       /* enum image_samples */
    bool may_be_arrayed, has_sampler;
} image_rules[] = {
    {SpvOpImageSampleImplicitLod, ON_FILTERED, SINGLE, true, true},
    {SpvOpImageSampleExplicitLod, ON_FILTERED, SINGLE, true, true},
    {SpvOpImageSampleDrefImplicitLod, ON_FILTERED & ~ON_3D, SINGLE, true, true},
    {SpvOpImageSampleDrefExplicitLod, ON_FILTERED & ~ON_3D, SINGLE, true, true},
    {SpvOpImageSampleProjImplicitLod, ON_1D | ON_2D | ON_3D, SINGLE, false, true},
    {SpvOpImageSampleProjExplicitLod, ON_1D | ON_2D | ON_3D, SINGLE, false, true},
    {SpvOpImageSampleProjDrefImplicitLod, ON_1D | ON_2D, SINGLE, false, true},
    {SpvOpImageSampleProjDrefExplicitLod, ON_1D | ON_2D, SINGLE, false, true},
    {SpvOpImageFetch, ON_1D | ON_2D | ON_3D | ON_BUFFER, ANY_SAMPLES, true, false},
    {SpvOpImageRead, ON_SUBPASS, ANY_SAMPLES, false, false},
    {SpvOpImageGather, ON_2D | ON_CUBE, SINGLE, true, true},
    {SpvOpImageDrefGather, ON_2D | ON_CUBE, SINGLE, true, true},
    {SpvOpImageQuerySize, ON_2D | ON_BUFFER, ANY_SAMPLES, true, false},
    {SpvOpImageQuerySizeLod, ON_FILTERED, SINGLE, true, false},
    {SpvOpImageQueryLevels, ON_FILTERED, SINGLE, true, false},
    {SpvOpImageQueryLod, ON_FILTERED, SINGLE, true, true},
    {SpvOpImageQuerySamples, ON_2D, MULTIPLE, true, false},
};

static void check_lookup(struct spv *s, uint16_t op, const struct spv_texture *t)
{
    const struct spv_type *image = t->image;
    for (uint32_t i = 0; i < ARRAY_SIZE(image_rules); i++) {
        const struct image_rule *r = &image_rules[i];
        if (r->op != op)
            continue;
        const bool has_size = op != SpvOpImageQuerySize || image->multisampled || image->dim == SpvDimBuffer;
        if (!(r->dims >> image->dim & 1) || !(r->samples >> image->multisampled & 1) || !has_size ||
            (image->arrayed && !r->may_be_arrayed))
            spv_invalid(s, "%s of an image of dimension %u, arrayed %u, multisampled %u", spv_op_info(op)->name,
                        image->dim, image->arrayed, image->multisampled);
        if (r->has_sampler && !t->has_sampler)
            spv_invalid(s, "%s of an image without a sampler", spv_op_info(op)->name);
        return;
    }
    spv_unsupported(s, "%s", spv_op_info(op)->name);
}

static void init_lookup(struct spv *s, struct lookup *l, const struct spv_instr *in, enum ir_sample_kind kind)
{
    const struct spv_texture *t = spv_texture(s, in->words[3]);
    if (!t->image)
        spv_invalid(s, "the operand is a sampler, not an image");
    if (t->image->sampled == 2 && t->image->dim != SpvDimSubpassData)
        spv_unsupported(s, "storage images");
    check_lookup(s, in->op, t);
    *l = (struct lookup){.dref = SPV_NO_NUMBER, .texture = t};
    l->sample.kind = (uint8_t)kind;
    l->sample.dim = (uint8_t)dim_of(s, t->image);
    l->sample.is_array = t->image->arrayed;
    l->sample.multisampled = t->image->multisampled;
    l->sample.relaxed = s->b.relaxed;
    if (t->image->elem->kind == SPV_TYPE_INT)
        l->sample.integer = t->image->elem->is_signed ? 1 : 2;
}

/* ---------------------------------------------------------------- sources */

static void add_source(struct spv *s, struct lookup *l, struct ir_instr *x)
{
    if (l->src_count == MAX_SOURCES)
        spv_invalid(s, "more than %u operands of a texture instruction", MAX_SOURCES);
    l->srcs[l->src_count++] = x;
}

static void add_sources(struct spv *s, struct lookup *l, uint32_t id, uint32_t count)
{
    if (spv_type_of(s, id)->scalars < count)
        spv_invalid(s, "an operand has too few components");
    struct ir_instr **x = spv_value(s, id);
    for (uint32_t i = 0; i < count; i++)
        add_source(s, l, x[i]);
}

static void add_coords(struct spv *s, struct lookup *l, uint32_t id)
{
    l->sample.coord_count = (uint8_t)coord_count(l->sample.dim, l->sample.is_array);
    if (l->sample.dim == IR_DIM_SUBPASS)
        l->sample.coord_count = 2;
    uint32_t given = spv_type_of(s, id)->scalars;
    add_sources(s, l, id, l->sample.coord_count);
    if (!l->sample.projected)
        return;
    if (given <= l->sample.coord_count)
        spv_invalid(s, "a projective lookup without a projector component");
    add_source(s, l, spv_value(s, id)[given - 1]);
}

static void set_offset(struct spv *s, struct ir_sample *sample, uint32_t axis, uint32_t word)
{
    int32_t offset = (int32_t)word;
    if (offset < -128 || offset > 127)
        spv_unsupported(s, "a texel offset of %d, the limits are -128 and 127", offset);
    sample->offset[axis] = (int8_t)offset;
}

/* Constant offsets are stored in the IR_SAMPLE, others are sources. */
static void add_offset(struct spv *s, struct lookup *l, uint32_t id)
{
    const struct spv_id *v = &s->ids[id];
    if (v->kind != SPV_CONSTANT) {
        l->sample.has_offset = 1;
        add_sources(s, l, id, l->sample.coord_count - l->sample.is_array);
        return;
    }
    for (uint32_t i = 0; i < v->type->scalars && i < 3; i++)
        set_offset(s, &l->sample, i, v->words[i]);
}

static void add_four_offsets(struct spv *s, struct lookup *l, uint32_t id)
{
    const struct spv_id *v = &s->ids[id];
    if (v->kind != SPV_CONSTANT || v->type->scalars != 8)
        spv_invalid(s, "ConstOffsets must be four constant pairs");
    l->offsets = v->words;
}

#define OFFSET_MASKS                                                                                                   \
    (SpvImageOperandsConstOffsetMask | SpvImageOperandsOffsetMask | SpvImageOperandsConstOffsetsMask)

/* Checks that the image operands in `mask` fit the instruction and the image. */
static void check_operands(struct spv *s, const struct ir_sample *sample, uint32_t mask)
{
    const bool is_fetch = sample->kind == IR_SAMPLE_FETCH, is_explicit = sample->kind == IR_SAMPLE_EXPLICIT_LOD;
    const bool has_lod = mask & SpvImageOperandsLodMask, has_grad = mask & SpvImageOperandsGradMask;
    const bool has_levels = !sample->multisampled && sample->dim != IR_DIM_BUFFER && sample->dim != IR_DIM_SUBPASS;
    const uint32_t offsets = mask & OFFSET_MASKS;
    if (((mask & SpvImageOperandsSampleMask) != 0) != sample->multisampled)
        spv_invalid(s, "the operand Sample is required for multisampled images, and allowed only there");
    if (is_explicit ? has_lod == has_grad : has_grad || (has_lod && !(is_fetch && has_levels)))
        spv_invalid(s, "Lod or Grad: ExplicitLod takes exactly one, a fetch may take Lod, others take neither");
    if ((mask & SpvImageOperandsBiasMask) && sample->kind != IR_SAMPLE_IMPLICIT)
        spv_invalid(s, "the operand Bias is only allowed with an implicit level of detail");
    if ((mask & SpvImageOperandsMinLodMask) && sample->kind != IR_SAMPLE_IMPLICIT && !has_grad)
        spv_invalid(s, "the operand MinLod is only allowed with an implicit level of detail or Grad");
    if (offsets & (offsets - 1))
        spv_invalid(s, "more than one of ConstOffset, Offset and ConstOffsets");
    if (offsets && (sample->dim == IR_DIM_CUBE || sample->dim == IR_DIM_BUFFER || sample->dim == IR_DIM_SUBPASS))
        spv_invalid(s, "a texel offset in a cube, buffer or subpass image");
    if ((offsets & SpvImageOperandsConstOffsetsMask) && sample->kind != IR_SAMPLE_GATHER)
        spv_invalid(s, "ConstOffsets is only allowed with a gather");
}

static void add_operands(struct spv *s, struct lookup *l, const struct spv_instr *in)
{
    uint32_t at = l->operands, mask = at < in->count ? in->words[at++] : 0;
    check_operands(s, &l->sample, mask);
    if (mask & ~(SpvImageOperandsBiasMask | SpvImageOperandsLodMask | SpvImageOperandsGradMask |
                 SpvImageOperandsConstOffsetMask | SpvImageOperandsOffsetMask | SpvImageOperandsConstOffsetsMask |
                 SpvImageOperandsSampleMask | SpvImageOperandsMinLodMask | SpvImageOperandsSignExtendMask |
                 SpvImageOperandsZeroExtendMask | SpvImageOperandsNonPrivateTexelMask |
                 SpvImageOperandsVolatileTexelMask | SpvImageOperandsNontemporalMask))
        spv_unsupported(s, "image operands 0x%x", mask);
    if (mask & SpvImageOperandsBiasMask) {
        l->sample.has_bias = 1;
        add_sources(s, l, in->words[at++], 1);
    }
    if (mask & SpvImageOperandsLodMask) {
        l->sample.has_lod = 1;
        add_sources(s, l, in->words[at++], 1);
    }
    if (mask & SpvImageOperandsGradMask) {
        uint32_t n = l->sample.coord_count - l->sample.is_array;
        l->sample.kind = IR_SAMPLE_GRAD;
        add_sources(s, l, in->words[at++], n);
        add_sources(s, l, in->words[at++], n);
    }
    if (mask & SpvImageOperandsConstOffsetMask)
        add_offset(s, l, in->words[at++]);
    if (mask & SpvImageOperandsOffsetMask)
        add_offset(s, l, in->words[at++]);
    if (mask & SpvImageOperandsConstOffsetsMask)
        add_four_offsets(s, l, in->words[at++]);
    if (mask & SpvImageOperandsSampleMask)
        add_sources(s, l, in->words[at++], 1);
    if (mask & SpvImageOperandsMinLodMask) {
        l->sample.has_min_lod = 1;
        add_sources(s, l, in->words[at++], 1);
    }
}

/* ---------------------------------------------------------------- building */

static struct ir_instr *build_result(struct spv *s, const struct lookup *l, const struct spv_texture *texture,
                                     uint32_t component)
{
    struct ir_instr *sample = ir_build(&s->b, IR_SAMPLE, 32, l->src_count, l->srcs);
    sample->sample = l->sample;
    sample->sample.texture = texture_index(s, texture);
    if (l->sample.has_offset || l->sample.offset[0] || l->sample.offset[1] || l->sample.offset[2])
        s->shader->textures[sample->sample.texture].has_offset |=
            l->sample.kind != IR_SAMPLE_FETCH && l->sample.kind != IR_SAMPLE_GATHER;
    struct ir_instr *result = ir_build1(&s->b, IR_SAMPLE_RESULT, sample);
    result->imm = component;
    return result;
}

/* A gather with a different offset for each texel: four gathers, of which only component 3 is used. */
static void build_offset_gathers(struct spv *s, const struct lookup *l, const struct spv_texture *texture,
                                 struct ir_instr **out)
{
    for (uint32_t i = 0; i < 4; i++) {
        struct lookup one = *l;
        for (uint32_t axis = 0; axis < 2; axis++)
            set_offset(s, &one.sample, axis, l->offsets[2 * i + axis]);
        out[i] = build_result(s, &one, texture, 3);
    }
}

static struct ir_instr *build_component(struct spv *s, struct ir_instr *result, uint32_t component)
{
    struct ir_instr *other = ir_build1(&s->b, IR_SAMPLE_RESULT, result->src[0].def);
    other->imm = component;
    return other;
}

/* Chroma texels whose location is cosited, a quarter of a texel before the middle of what they cover: moves the
 * coordinate by that much. */
static void shift_coord(struct spv *s, struct lookup *l, const struct spv_texture *plane, uint32_t axis)
{
    enum vc4c_uniform_kind size = axis ? VC4C_UNIFORM_TEX_RCP_HEIGHT_F : VC4C_UNIFORM_TEX_RCP_WIDTH_F;
    struct ir_instr *texel = ir_uniform(&s->b, size, texture_index(s, plane), 0);
    struct ir_instr *shift = ir_build2(&s->b, IR_FMUL, texel, ir_const_f(&s->b, 0.25f));
    if (l->sample.projected)
        shift = ir_build2(&s->b, IR_FMUL, shift, l->srcs[l->sample.coord_count]);
    l->srcs[axis] = ir_build2(&s->b, IR_FADD, l->srcs[axis], shift);
}

/* A lookup with Y'CbCr conversion: one lookup per plane, all with the filter of the conversion. */
static void build_converted(struct spv *s, const struct lookup *l, const struct spv_texture *texture,
                            const struct vc4c_conversion *conversion, uint32_t count, struct ir_instr **out)
{
    struct ir_instr *rgba[4] = {NULL, NULL, NULL, ir_const_f(&s->b, 1.0f)};
    struct spv_texture plane = *texture;
    if (l->sample.kind == IR_SAMPLE_GATHER || l->sample.shadow || l->offsets || l->sample.dim != IR_DIM_2D)
        spv_unsupported(s, "a lookup with Y'CbCr conversion that is a gather, a depth comparison or not 2D");
    rgba[1] = build_result(s, l, &plane, 0);
    for (plane.plane = 1; plane.plane < conversion->planes; plane.plane++) {
        struct lookup one = *l;
        if (conversion->shift_x)
            shift_coord(s, &one, &plane, 0);
        if (conversion->shift_y)
            shift_coord(s, &one, &plane, 1);
        struct ir_instr *first = build_result(s, &one, &plane, 0);
        rgba[plane.plane == 1 ? 2 : 0] = first;
        if (conversion->planes == 2)
            rgba[0] = build_component(s, first, 1);
    }
    spv_convert_ycbcr(&s->b, conversion, rgba);
    for (uint32_t i = 0; i < count; i++)
        out[i] = rgba[i];
}

static void build_single(struct spv *s, const struct lookup *l, const struct spv_texture *texture, uint32_t count,
                         struct ir_instr **out)
{
    const struct vc4c_conversion *conversion = spv_ycbcr_conversion(s, texture);
    if (conversion && l->sample.kind != IR_SAMPLE_QUERY_LOD) {
        build_converted(s, l, texture, conversion, count, out);
        return;
    }
    if (l->offsets) {
        if (count != 4)
            spv_invalid(s, "the result of a gather has %u components instead of 4", count);
        build_offset_gathers(s, l, texture, out);
        return;
    }
    out[0] = build_result(s, l, texture, 0);
    for (uint32_t i = 1; i < count; i++)
        out[i] = build_component(s, out[0], i);
}

static void build_element(struct spv *s, const struct lookup *l, const struct spv_texture *texture,
                          struct ir_instr *index, uint32_t element, uint32_t count, uint32_t variable);

/* Emits the lookup for every element that variable indices may select: first of images, then of samplers. A combined
 * image sampler has one index for both. */
static void build_selected(struct spv *s, const struct lookup *l, const struct spv_texture *texture, uint32_t count,
                           uint32_t variable)
{
    struct spv_texture one = *texture;
    if (!texture->image_choice && !texture->sampler_choice) {
        struct ir_instr *out[4];
        build_single(s, l, texture, count, out);
        for (uint32_t i = 0; i < count; i++)
            spv_store_var(s, variable, i, out[i]);
        return;
    }
    bool is_image = texture->image_choice != NULL;
    struct ir_instr *index = is_image ? texture->image_choice : texture->sampler_choice;
    uint32_t elements = is_image ? texture->image_count : texture->sampler_count;
    for (uint32_t k = 0; k < elements; k++) {
        if (is_image) {
            one.image_index = (uint16_t)k;
            one.image_choice = NULL;
        }
        if (texture->sampler_choice == index) {
            one.sampler_index = (uint16_t)k;
            one.sampler_choice = NULL;
        }
        build_element(s, l, &one, index, k, count, variable);
    }
}

static void build_element(struct spv *s, const struct lookup *l, const struct spv_texture *texture,
                          struct ir_instr *index, uint32_t element, uint32_t count, uint32_t variable)
{
    struct ir_if *nif = spv_begin_element(s, index, element);
    build_selected(s, l, texture, count, variable);
    spv_end_element(s, nif);
}

static void build_by_address(struct spv *s, const struct lookup *l, uint32_t count, struct ir_instr **out)
{
    if (!l->offsets) {
        spv_look_up_by_address(s, &l->sample, l->srcs, l->texture, out, count);
        return;
    }
    if (count != 4)
        spv_invalid(s, "the result of a gather has %u components instead of 4", count);
    for (uint32_t i = 0; i < 4; i++) { /* as build_offset_gathers() */
        struct lookup one = *l;
        struct ir_instr *texels[4];
        for (uint32_t axis = 0; axis < 2; axis++)
            set_offset(s, &one.sample, axis, l->offsets[2 * i + axis]);
        spv_look_up_by_address(s, &one.sample, one.srcs, l->texture, texels, 4);
        out[i] = texels[3];
    }
}

static void build_lookup(struct spv *s, const struct lookup *l, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    if (!type->scalars || type->scalars > 4)
        spv_invalid(s, "the result of a lookup has %u components, allowed are 1 to 4", type->scalars);
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    if (spv_is_looked_up_by_address(s, l->texture) || has_too_many_pairs(s, l->texture)) {
        build_by_address(s, l, type->scalars, out);
    } else if (l->texture->image_choice || l->texture->sampler_choice) {
        uint32_t variable = spv_new_ir_variable(s, type->scalars, 32);
        for (uint32_t i = 0; i < type->scalars; i++)
            spv_store_var(s, variable, i, ir_const(&s->b, 0));
        build_selected(s, l, l->texture, type->scalars, variable);
        for (uint32_t i = 0; i < type->scalars; i++)
            out[i] = spv_load_var(s, variable, i);
    } else {
        build_single(s, l, l->texture, type->scalars, out);
    }
    spv_define(s, in->words[2], type, out);
}

struct sample_row {
    uint16_t op;
    uint8_t kind, has_dref, projected;
};

static const struct sample_row sample_rows[] = {
    {SpvOpImageSampleImplicitLod, IR_SAMPLE_IMPLICIT, 0, 0},
    {SpvOpImageSampleExplicitLod, IR_SAMPLE_EXPLICIT_LOD, 0, 0},
    {SpvOpImageSampleDrefImplicitLod, IR_SAMPLE_IMPLICIT, 1, 0},
    {SpvOpImageSampleDrefExplicitLod, IR_SAMPLE_EXPLICIT_LOD, 1, 0},
    {SpvOpImageSampleProjImplicitLod, IR_SAMPLE_IMPLICIT, 0, 1},
    {SpvOpImageSampleProjExplicitLod, IR_SAMPLE_EXPLICIT_LOD, 0, 1},
    {SpvOpImageSampleProjDrefImplicitLod, IR_SAMPLE_IMPLICIT, 1, 1},
    {SpvOpImageSampleProjDrefExplicitLod, IR_SAMPLE_EXPLICIT_LOD, 1, 1},
    {SpvOpImageFetch, IR_SAMPLE_FETCH, 0, 0},
    {SpvOpImageRead, IR_SAMPLE_FETCH, 0, 0},
};

static bool translate_sample(struct spv *s, const struct spv_instr *in)
{
    const struct sample_row *row = NULL;
    for (uint32_t i = 0; i < ARRAY_SIZE(sample_rows); i++)
        if (sample_rows[i].op == in->op)
            row = &sample_rows[i];
    if (!row)
        return false;
    struct lookup l;
    init_lookup(s, &l, in, row->kind);
    l.sample.projected = row->projected;
    l.sample.shadow = row->has_dref;
    add_coords(s, &l, in->words[4]);
    if (row->has_dref)
        add_sources(s, &l, in->words[5], 1);
    l.operands = 5u + row->has_dref;
    add_operands(s, &l, in);
    build_lookup(s, &l, in);
    return true;
}

static void translate_gather(struct spv *s, const struct spv_instr *in)
{
    struct lookup l;
    init_lookup(s, &l, in, IR_SAMPLE_GATHER);
    add_coords(s, &l, in->words[4]);
    if (in->op == SpvOpImageDrefGather) {
        l.sample.shadow = 1;
        add_sources(s, &l, in->words[5], 1);
    } else {
        l.sample.gather_component = (uint8_t)(spv_const_word(s, in->words[5]) & 3);
    }
    l.operands = 6;
    add_operands(s, &l, in);
    build_lookup(s, &l, in);
}

static bool translate_query(struct spv *s, const struct spv_instr *in)
{
    struct lookup l;
    switch (in->op) {
    case SpvOpImageQuerySize:
    case SpvOpImageQuerySizeLod:
        init_lookup(s, &l, in, IR_SAMPLE_QUERY_SIZE);
        if (in->op == SpvOpImageQuerySizeLod) {
            l.sample.has_lod = 1;
            add_sources(s, &l, in->words[4], 1);
        }
        break;
    case SpvOpImageQuerySamples:
        init_lookup(s, &l, in, IR_SAMPLE_QUERY_SAMPLES);
        break;
    case SpvOpImageQueryLevels:
        init_lookup(s, &l, in, IR_SAMPLE_QUERY_LEVELS);
        break;
    case SpvOpImageQueryLod:
        init_lookup(s, &l, in, IR_SAMPLE_QUERY_LOD);
        l.sample.is_array = 0;
        add_coords(s, &l, in->words[4]);
        break;
    default:
        return false;
    }
    build_lookup(s, &l, in);
    return true;
}

/* ---------------------------------------------------------------- images and samplers as objects */

static void sampled_image(struct spv *s, const struct spv_instr *in)
{
    const struct spv_texture *image = spv_texture(s, in->words[3]), *sampler = spv_texture(s, in->words[4]);
    if (!image->image || !sampler->has_sampler)
        spv_invalid(s, "OpSampledImage takes an image and a sampler");
    struct spv_texture *both = util_arena_new(s->arena, struct spv_texture);
    *both = *image;
    both->has_sampler = true;
    both->sampler_pointer = sampler->sampler_pointer;
    both->sampler_set = sampler->sampler_set;
    both->sampler_binding = sampler->sampler_binding;
    both->sampler_index = sampler->sampler_index;
    both->sampler_choice = sampler->sampler_choice;
    both->sampler_count = sampler->sampler_count;
    s->ids[in->words[2]] = (struct spv_id){.kind = SPV_TEXTURE, .type = spv_type(s, in->words[1]), .texture = both};
}

static void image_of(struct spv *s, const struct spv_instr *in)
{
    struct spv_texture *image = util_arena_new(s->arena, struct spv_texture);
    *image = *spv_texture(s, in->words[3]);
    image->has_sampler = false;
    image->sampler_pointer = NULL;
    image->sampler_set = image->sampler_binding = image->sampler_index = 0;
    image->sampler_choice = NULL;
    s->ids[in->words[2]] = (struct spv_id){.kind = SPV_TEXTURE, .type = spv_type(s, in->words[1]), .texture = image};
}

bool spv_translate_texture(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpSampledImage:
        sampled_image(s, in);
        return true;
    case SpvOpImage:
        image_of(s, in);
        return true;
    case SpvOpImageGather:
    case SpvOpImageDrefGather:
        translate_gather(s, in);
        return true;
    default:
        return translate_sample(s, in) || translate_query(s, in);
    }
}
