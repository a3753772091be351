/* SPDX-License-Identifier: MIT
 *
 * Sample positions, coverage, and interpolation of inputs away from the pixel centre, see lower_samples.h.
 */
#include "compiler/lower/lower_samples.h"

/* In sixteenths of a pixel. [docs/model-gpu.md] */
static const int8_t sample_offsets_16[4][2] = {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}};

float vc4c_sample_offset(uint32_t sample, uint32_t axis)
{
    return (float)sample_offsets_16[sample & 3][axis & 1] / 16;
}

static struct ir_builder at_anchor(const struct ir_interpolator *in)
{
    return ir_before(in->shader, in->anchor);
}

void ir_interpolator_begin(struct ir_interpolator *in, struct ir_shader *shader, const struct vc4c_fragment_key *key)
{
    struct ir_builder start = ir_at_start(shader, ir_first_block(shader));
    *in = (struct ir_interpolator){
        .shader = shader, .key = key, .anchor = ir_build(&start, IR_UNDEF, 32, 0, NULL)};
}

void ir_interpolator_end(struct ir_interpolator *in)
{
    ir_remove(in->anchor);
}

/* ---------------------------------------------------------------- inputs */

static const struct ir_plane *plane(const struct ir_interpolator *in, struct ir_plane *p, struct ir_instr *value)
{
    struct ir_builder b = at_anchor(in);
    p->value = value;
    p->ddx = ir_build1(&b, IR_DDX, value);
    p->ddy = ir_build1(&b, IR_DDY, value);
    return p;
}

static const struct ir_plane *rcp_w(struct ir_interpolator *in)
{
    struct ir_builder b = at_anchor(in);
    if (in->rcp_w.value)
        return &in->rcp_w;
    return plane(in, &in->rcp_w, ir_build1(&b, IR_FRCP, ir_build0(&b, IR_FRAG_W)));
}

/* Input / w is linear on the screen. Vertex programs multiply inputs without perspective by w, so for those it is the
 * input itself. */
static const struct ir_plane *input(struct ir_interpolator *in, uint32_t slot)
{
    if (in->slots[slot].value)
        return &in->slots[slot];
    struct ir_instr *over_w = rcp_w(in)->value;
    struct ir_builder b = at_anchor(in);
    struct ir_instr *varying = ir_build0(&b, IR_VARYING);
    varying->imm = slot;
    return plane(in, &in->slots[slot], ir_fmul(&b, varying, over_w));
}

static struct ir_instr *plane_at(struct ir_builder *b, const struct ir_plane *p, struct ir_instr *x, struct ir_instr *y)
{
    return ir_fadd(b, ir_fadd(b, p->value, ir_fmul(b, p->ddx, x)), ir_fmul(b, p->ddy, y));
}

struct ir_instr *ir_input_at(struct ir_interpolator *in, struct ir_builder *b, uint32_t slot, struct ir_instr *x,
                             struct ir_instr *y)
{
    const struct vc4c_varying *v = &in->shader->inputs[slot];
    if (v->flat) {
        struct ir_instr *varying = ir_build0(b, IR_VARYING);
        varying->imm = slot;
        return varying;
    }
    struct ir_instr *over_w = plane_at(b, input(in, slot), x, y);
    if (v->noperspective)
        return over_w;
    return ir_fmul(b, over_w, ir_build1(b, IR_FRCP, plane_at(b, rcp_w(in), x, y)));
}

/* ---------------------------------------------------------------- sample positions */

static struct ir_instr *const_offset(struct ir_builder *b, uint32_t sample, uint32_t axis)
{
    return ir_const_f(b, vc4c_sample_offset(sample, axis));
}

struct ir_instr *ir_sample_offset(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *sample,
                                  uint32_t axis)
{
    if (key->samples == 1)
        return ir_const_f(b, 0);
    struct ir_instr *offset = const_offset(b, 0, axis);
    for (uint32_t i = 1; i < 4; i++)
        offset = ir_sel(b, ir_build2(b, IR_IEQ, sample, ir_const(b, i)), const_offset(b, i, axis), offset);
    return offset;
}

struct ir_instr *ir_shaded_offset(struct ir_builder *b, const struct vc4c_fragment_key *key, uint32_t axis)
{
    return key->sample_shading ? ir_uniform(b, VC4C_UNIFORM_SAMPLE_OFFSET, 0, axis) : ir_const_f(b, 0);
}

/* The centre lies between samples 0 and 3, in the middle of all four, so it is covered when all of them are. */
struct ir_instr *ir_centroid_offset(struct ir_interpolator *in, uint32_t axis)
{
    if (in->centroid[axis])
        return in->centroid[axis];
    struct ir_builder b = at_anchor(in);
    struct ir_instr *zero = ir_const_f(&b, 0), *offset = zero;
    if (in->key->samples > 1) {
        struct ir_instr *covered = in->covered = in->covered ? in->covered : ir_coverage(&b, in->key);
        for (uint32_t i = 4; i-- > 0;) {
            struct ir_instr *bit = ir_build2(&b, IR_AND, covered, ir_const(&b, BIT(i)));
            offset = ir_sel(&b, ir_build2(&b, IR_INE, bit, ir_const(&b, 0)), const_offset(&b, i, axis), offset);
        }
        offset = ir_sel(&b, ir_build2(&b, IR_IEQ, covered, ir_const(&b, 15)), zero, offset);
    }
    in->centroid[axis] = offset;
    return offset;
}

struct ir_instr *ir_coverage(struct ir_builder *b, const struct vc4c_fragment_key *key)
{
    struct ir_instr *flags = ir_build0(b, IR_MS_FLAGS);
    return key->use_sample_mask ? ir_build2(b, IR_AND, flags, ir_uniform(b, VC4C_UNIFORM_SAMPLE_MASK, 0, 0)) : flags;
}
