/* SPDX-License-Identifier: MIT
 *
 * Sizes of levels, and the level of detail of a lookup [Vulkan, "Scale Factor Operation", "LOD Operation"].
 */
#include "compiler/lower/lower_tex.h"

/* ---------------------------------------------------------------- sizes */

static const uint8_t size_i_kinds[3] = {VC4C_UNIFORM_TEX_WIDTH_I, VC4C_UNIFORM_TEX_HEIGHT_I, VC4C_UNIFORM_TEX_DEPTH_I};
static const uint8_t size_f_kinds[3] = {VC4C_UNIFORM_TEX_WIDTH_F, VC4C_UNIFORM_TEX_HEIGHT_F, VC4C_UNIFORM_TEX_DEPTH_F};
static const uint8_t rcp_kinds[3] = {VC4C_UNIFORM_TEX_RCP_WIDTH_F, VC4C_UNIFORM_TEX_RCP_HEIGHT_F,
                                     VC4C_UNIFORM_TEX_RCP_DEPTH_F};

static bool is_base(const struct ir_instr *level)
{
    return !level || (ir_is_const(level) && level->imm == 0);
}

struct ir_instr *ir_tex_size_i(struct ir_tex_lookup *l, uint32_t axis, struct ir_instr *level)
{
    struct ir_builder *b = l->b;
    struct ir_instr *size = ir_tex_uniform(l, (enum vc4c_uniform_kind)size_i_kinds[axis], 0);
    if (is_base(level))
        return size;
    return ir_build2(b, IR_IMAX, ir_build2(b, IR_SHR, size, level), ir_const(b, 1));
}

struct ir_instr *ir_tex_size_f(struct ir_tex_lookup *l, uint32_t axis, struct ir_instr *level)
{
    if (is_base(level))
        return ir_tex_uniform(l, (enum vc4c_uniform_kind)size_f_kinds[axis], 0);
    return ir_build1(l->b, IR_ITOF, ir_tex_size_i(l, axis, level));
}

struct ir_instr *ir_tex_rcp_size(struct ir_tex_lookup *l, uint32_t axis, struct ir_instr *level)
{
    if (is_base(level))
        return ir_tex_uniform(l, (enum vc4c_uniform_kind)rcp_kinds[axis], 0);
    return ir_build1(l->b, IR_FRCP, ir_tex_size_f(l, axis, level));
}

/* ---------------------------------------------------------------- level of detail */

/* Squared length of a derivative in texels. Face coordinates of a cube are half the quotient of two components, hence
 * the factor 1/4. */
static struct ir_instr *rho_squared(struct ir_tex_lookup *l, struct ir_instr *const d[3])
{
    struct ir_builder *b = l->b;
    struct ir_instr *sum = NULL;
    bool is_cube = l->sample->dim == IR_DIM_CUBE;
    uint32_t dims = is_cube ? 3 : ir_tex_axes(l);
    for (uint32_t i = 0; i < dims; i++) {
        struct ir_instr *texels = d[i];
        if (!ir_tex_has_flag(l, HW_SAMPLING_UNNORMALIZED))
            texels = ir_fmul(b, d[i], ir_tex_size_f(l, is_cube ? 0 : i, NULL));
        struct ir_instr *square = ir_fmul(b, texels, texels);
        sum = sum ? ir_fadd(b, sum, square) : square;
    }
    return is_cube ? ir_fmul(b, sum, ir_const_f(b, 0.25f)) : sum;
}

/* log2(rho) = log2(rho^2) / 2 */
struct ir_instr *ir_tex_automatic_lod(struct ir_tex_lookup *l)
{
    struct ir_builder *b = l->b;
    struct ir_instr *dx[3] = {l->ddx[0], l->ddx[1], l->ddx[2]}, *dy[3] = {l->ddy[0], l->ddy[1], l->ddy[2]};
    for (uint32_t i = 0; i < 3 && !l->ddx[0]; i++) {
        if (!l->coord[i])
            continue;
        dx[i] = ir_build1(b, IR_DDX, l->coord[i]);
        dy[i] = ir_build1(b, IR_DDY, l->coord[i]);
    }
    struct ir_instr *rho2 = ir_build2(b, IR_FMAX, rho_squared(l, dx), rho_squared(l, dy));
    return ir_fmul(b, ir_build1(b, IR_SFU_LOG2, rho2), ir_const_f(b, 0.5f));
}

struct ir_instr *ir_tex_not_below_min_lod(struct ir_tex_lookup *l, struct ir_instr *lod)
{
    return l->min_lod ? ir_build2(l->b, IR_FMAX, lod, l->min_lod) : lod;
}

struct ir_instr *ir_tex_clamp_lod(struct ir_tex_lookup *l, struct ir_instr *lod)
{
    struct ir_builder *b = l->b;
    lod = ir_fadd(b, lod, ir_tex_uniform(l, VC4C_UNIFORM_TEX_LOD_BIAS_F, 0));
    lod = ir_tex_not_below_min_lod(l, lod);
    lod = ir_fadd(b, lod, ir_tex_uniform(l, VC4C_UNIFORM_TEX_BASE_LEVEL_F, 0));
    lod = ir_build2(b, IR_FMAX, lod, ir_tex_uniform(l, VC4C_UNIFORM_TEX_LOD_MIN_F, 0));
    return ir_build2(b, IR_FMIN, lod, ir_tex_uniform(l, VC4C_UNIFORM_TEX_LOD_MAX_F, 0));
}

struct ir_instr *ir_tex_wanted_lod(struct ir_tex_lookup *l)
{
    struct ir_builder *b = l->b;
    struct ir_instr *lod = l->lod;
    if (l->sample->kind == IR_SAMPLE_GRAD)
        lod = ir_tex_automatic_lod(l);
    else if (!lod)
        lod = b->shader->has_quads ? ir_tex_automatic_lod(l) : ir_const(b, 0);
    return l->bias ? ir_fadd(b, lod, l->bias) : lod;
}
