/* SPDX-License-Identifier: MIT
 *
 * Texture instructions. Each becomes one IR_SAMPLE with its sources in the order that ir.h states, and a SAMPLE_RESULT per
 * component; ir_lower_tex makes code of it once the sampling class is known.
 */
#include "compiler/spirv/spv.h"

#define MAX_SOURCES 16

struct lookup {
    struct ir_sample sample;
    struct ir_instr *srcs[MAX_SOURCES];
    uint32_t src_count;
    uint32_t dref;               /* id, or SPV_NO_NUMBER */
    uint32_t operands;           /* place of the image operands in the instruction; 0: none */
    const struct spv_texture *texture;
};

/* ---------------------------------------------------------------- which texture */

static uint8_t texture_index(struct spv *s, const struct spv_texture *t)
{
    struct ir_shader *shader = s->shader;
    struct vc4c_texture_ref ref = {
        .image_set = t->image_set, .image_binding = t->image_binding, .image_index = t->image_index,
        .sampler_set = t->sampler_set, .sampler_binding = t->sampler_binding, .sampler_index = t->sampler_index,
        .fetch_only = !t->has_sampler};
    for (uint32_t i = 0; i < shader->texture_count; i++) {
        const struct vc4c_texture_ref *r = &shader->textures[i];
        if (r->image_set == ref.image_set && r->image_binding == ref.image_binding && r->image_index == ref.image_index &&
            r->fetch_only == ref.fetch_only && r->sampler_set == ref.sampler_set &&
            r->sampler_binding == ref.sampler_binding && r->sampler_index == ref.sampler_index)
            return (uint8_t)i;
    }
    if (shader->texture_count == VC4C_MAX_TEXTURES)
        spv_unsupported(s, "more than %u pairs of image and sampler", VC4C_MAX_TEXTURES);
    shader->textures[shader->texture_count] = ref;
    return (uint8_t)shader->texture_count++;
}

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

/* Coordinates that select a place, with the layer. */
static uint32_t coord_count(enum ir_sample_dim dim, bool is_array)
{
    static const uint8_t counts[] = {[IR_DIM_1D] = 1, [IR_DIM_2D] = 2, [IR_DIM_3D] = 3, [IR_DIM_CUBE] = 3,
                                     [IR_DIM_BUFFER] = 1, [IR_DIM_SUBPASS] = 2};
    return counts[dim] + is_array;
}

static void init_lookup(struct spv *s, struct lookup *l, const struct spv_instr *in, enum ir_sample_kind kind)
{
    const struct spv_texture *t = spv_texture(s, in->words[3]);
    if (!t->image)
        spv_invalid(s, "a sampler without image");
    if (t->image->sampled == 2 && t->image->dim != SpvDimSubpassData)
        spv_unsupported(s, "storage images");
    *l = (struct lookup){.dref = SPV_NO_NUMBER, .texture = t};
    l->sample.kind = (uint8_t)kind;
    l->sample.dim = (uint8_t)dim_of(s, t->image);
    l->sample.is_array = t->image->arrayed;
    l->sample.multisampled = t->image->multisampled;
    l->sample.relaxed = s->b.relaxed;
    if (t->image->elem->kind == SPV_TYPE_INT)
        l->sample.integer = t->image->elem->is_signed ? 1 : 2;
    l->sample.texture = texture_index(s, t);
}

/* ---------------------------------------------------------------- sources */

static void add_source(struct spv *s, struct lookup *l, struct ir_instr *x)
{
    if (l->src_count == MAX_SOURCES)
        spv_invalid(s, "too many operands");
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
        spv_invalid(s, "a projective lookup without projector");
    add_source(s, l, spv_value(s, id)[given - 1]);
}

static void add_offset(struct spv *s, struct lookup *l, uint32_t id)
{
    const struct spv_id *v = &s->ids[id];
    if (v->kind != SPV_CONSTANT)
        spv_unsupported(s, "texel offsets that are not constant");
    for (uint32_t i = 0; i < v->type->scalars && i < 3; i++) {
        int32_t offset = (int32_t)v->words[i];
        if (offset < -128 || offset > 127)
            spv_unsupported(s, "a texel offset of %d", offset);
        l->sample.offset[i] = (int8_t)offset;
    }
}

static void add_operands(struct spv *s, struct lookup *l, const struct spv_instr *in)
{
    uint32_t at = l->operands;
    if (!at || at >= in->count)
        return;
    uint32_t mask = in->words[at++];
    if (mask & ~(SpvImageOperandsBiasMask | SpvImageOperandsLodMask | SpvImageOperandsGradMask |
                 SpvImageOperandsConstOffsetMask | SpvImageOperandsSampleMask))
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
    if (mask & SpvImageOperandsSampleMask)
        add_sources(s, l, in->words[at++], 1);
}

/* ---------------------------------------------------------------- building */

static void build_lookup(struct spv *s, const struct lookup *l, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    if (!type->scalars || type->scalars > 4)
        spv_invalid(s, "a lookup gives a scalar or a vector");
    struct ir_instr *sample = ir_build(&s->b, IR_SAMPLE, 32, l->src_count, l->srcs);
    sample->sample = l->sample;
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++) {
        out[i] = ir_build1(&s->b, IR_SAMPLE_RESULT, sample);
        out[i]->imm = i;
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
    both->sampler_set = sampler->sampler_set;
    both->sampler_binding = sampler->sampler_binding;
    both->sampler_index = sampler->sampler_index;
    s->ids[in->words[2]] = (struct spv_id){.kind = SPV_TEXTURE, .type = spv_type(s, in->words[1]), .texture = both};
}

static void image_of(struct spv *s, const struct spv_instr *in)
{
    struct spv_texture *image = util_arena_new(s->arena, struct spv_texture);
    *image = *spv_texture(s, in->words[3]);
    image->has_sampler = false;
    image->sampler_set = image->sampler_binding = image->sampler_index = 0;
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
