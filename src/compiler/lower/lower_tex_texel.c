/* SPDX-License-Identifier: MIT
 *
 * Fetches single texels: requests to the texture unit or direct lookups, and the conversion of words to components. The
 * unit returns four bytes. Smaller texels occupy the upper ones: type ALPHA returns its only byte in d, LUMALPHA its
 * two in c and d [guide p.44 table 18]. Texels larger than a word are stored as planes of words; each request reads one
 * plane.
 */
#include "compiler/lower/lower_tex.h"

/* ---------------------------------------------------------------- components */

static struct ir_instr *constant(struct ir_tex_lookup *l, uint32_t swizzle)
{
    if (swizzle == HW_SWIZZLE_0)
        return ir_const(l->b, 0);
    return l->sample->integer ? ir_const(l->b, 1) : ir_const_f(l->b, 1);
}

static void native_components(struct ir_tex_lookup *l, struct ir_instr *word, struct ir_instr *out[4])
{
    bool is_srgb = hw_format_is_srgb(l->class->format);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t from = l->class->swizzle[i];
        if (!(l->needed & BIT(i)))
            continue;
        if (from >= HW_SWIZZLE_0) {
            out[i] = constant(l, from);
            continue;
        }
        out[i] = ir_unpack_part_f(l->b, word, 2 + from);
        if (is_srgb && from < 3) /* the fourth byte is alpha */
            out[i] = ir_srgb_to_linear(l->b, out[i]);
    }
}

/* Depth-stencil words. The sampled type says which of the two the shader reads: stencil is an integer. */
static void depth_components(struct ir_tex_lookup *l, struct ir_instr *word, struct ir_instr *texel[4])
{
    struct ir_builder *b = l->b;
    if (l->sample->integer) {
        texel[0] = ir_build2(b, IR_AND, word, ir_const(b, 0xff));
    } else {
        struct ir_instr *depth = ir_build1(b, IR_ITOF, ir_build2(b, IR_SHR, word, ir_const(b, 8)));
        texel[0] = ir_fmul(b, depth, ir_const_f(b, 1 / 16777215.0f));
    }
    texel[1] = texel[2] = ir_const(b, 0);
    texel[3] = constant(l, HW_SWIZZLE_1);
}

void ir_tex_decode(struct ir_tex_lookup *l, struct ir_instr *const words[4], uint32_t first_bit,
                   struct ir_instr *out[4])
{
    struct ir_instr *texel[4];
    if (l->class->format == HW_FORMAT_Z24S8)
        depth_components(l, words[0], texel);
    else
        ir_unpack_format_at(l->b, l->class->format, words, first_bit, texel);
    for (uint32_t i = 0; i < 4; i++)
        if (l->needed & BIT(i))
            out[i] =
                l->class->swizzle[i] < HW_SWIZZLE_0 ? texel[l->class->swizzle[i]] : constant(l, l->class->swizzle[i]);
}

uint32_t ir_tex_needed_words(const struct ir_tex_lookup *l)
{
    const struct hw_format_info *info = hw_format_info(l->class->format);
    uint32_t words = 0;
    if (info->block_B <= 4)
        return 1;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t component = l->class->swizzle[i];
        if (!(l->needed & BIT(i)) || component >= HW_SWIZZLE_0 || info->swizzle[component] >= HW_SWIZZLE_0)
            continue;
        words |= BIT(info->channel[info->swizzle[component]].shift / 32);
    }
    return words;
}

/* ---------------------------------------------------------------- requests of the unit */

/* The unit pops P0, P1, ... as its registers are written, in the order [r], t, [b], s. */
struct ir_instr *ir_tex_request(struct ir_tex_lookup *l, const struct ir_tex_request *request)
{
    bool has_border = ir_tex_has_flag(l, HW_SAMPLING_BORDER) && !request->r;
    struct ir_instr *srcs[4] = {request->s, request->t};
    uint32_t count = 2;
    struct ir_tex tex = {
        .texture = (uint16_t)l->texture, .has_r = request->r || has_border, .has_b = request->b != NULL};
    if (tex.has_r)
        srcs[count++] = request->r ? request->r : ir_tex_uniform(l, VC4C_UNIFORM_TEX_BORDER, request->word);
    if (tex.has_b)
        srcs[count++] = request->b;
    tex.param_count = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++)
        tex.p[i] = (struct vc4c_uniform){.kind = VC4C_UNIFORM_TEX_ZERO, .ref = (uint16_t)l->texture};
    tex.p[0].kind = VC4C_UNIFORM_TEX_P0;
    tex.p[0].data = request->word;
    tex.p[1].kind = VC4C_UNIFORM_TEX_P1;
    tex.p[1].data = request->is_fetch ? 1u + 2 * request->b_is_lod : 0;
    if (count > 2 && (request->r || request->b_is_lod)) {
        tex.p[2].kind = VC4C_UNIFORM_TEX_P2_LOD;
        tex.p[2].data = request->b_is_lod;
    }
    struct ir_instr *instr = ir_build(l->b, IR_TEX, 32, count, srcs);
    instr->tex = tex;
    return instr;
}

void ir_tex_request_decoded(struct ir_tex_lookup *l, struct ir_tex_request request, struct ir_instr *out[4])
{
    struct ir_instr *words[4] = {NULL};
    if (l->class->method == HW_SAMPLE_NATIVE) {
        native_components(l, ir_tex_request(l, &request), out);
        return;
    }
    uint32_t needed = ir_tex_needed_words(l);
    for (uint32_t i = 0; i < 4; i++) {
        request.word = (uint8_t)i;
        if (needed & BIT(i))
            words[i] = ir_tex_request(l, &request);
    }
    uint32_t texel_B = hw_format_info(l->class->format)->block_B;
    ir_tex_decode(l, words, texel_B < 4 ? 32 - 8 * texel_B : 0, out);
}

/* ---------------------------------------------------------------- any texel */

/* Converts a level of the view to a level of the unit, which counts from its own level 0. */
static struct ir_instr *unit_level(struct ir_tex_lookup *l, struct ir_instr *level)
{
    struct ir_builder *b = l->b;
    struct ir_instr *lod = level && !(ir_is_const(level) && !level->imm) ? ir_build1(b, IR_ITOF, level) : NULL;
    if (!ir_tex_has_flag(l, HW_SAMPLING_LOD_CLAMP))
        return lod;
    struct ir_instr *base = ir_tex_uniform(l, VC4C_UNIFORM_TEX_BASE_LEVEL_F, 0);
    return lod ? ir_fadd(b, lod, base) : base;
}

static void fetch_direct(struct ir_tex_lookup *l, const struct ir_tex_texel *texel, struct ir_instr *out[4])
{
    struct ir_instr *words[4] = {NULL};
    ir_direct_words(l, ir_direct_offset(l, texel), words);
    for (uint32_t i = 0; i < 4 && texel->outside; i++)
        if (words[i])
            words[i] = ir_sel(l->b, texel->outside, ir_tex_uniform(l, VC4C_UNIFORM_TEX_BORDER, i), words[i]);
    ir_tex_decode(l, words, 0, out);
}

/* Loads the tile buffer word at the start of the program and makes blending use the same load: the chip can load a
 * single sample only once. */
static struct ir_instr *load_tile_word(struct ir_shader *shader)
{
    struct ir_builder b = ir_at_start(shader, ir_first_block(shader));
    struct ir_instr *word = ir_build0(&b, IR_TLB_COLOR_LOAD);
    shader->reads_color = true;
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            if (instr->op != IR_TLB_COLOR_LOAD || instr == word)
                continue;
            ir_replace_uses(instr, word);
            ir_remove(instr);
        }
    }
    return word;
}

static void fetch_tile(struct ir_tex_lookup *l, struct ir_instr *out[4])
{
    struct ir_instr *words[4] = {load_tile_word(l->b->shader)};
    ir_tex_decode(l, words, 0, out);
}

void ir_tex_fetch(struct ir_tex_lookup *l, const struct ir_tex_texel *texel, struct ir_instr *out[4])
{
    if (l->class->method == HW_SAMPLE_TILE) {
        fetch_tile(l, out);
    } else if (l->class->method == HW_SAMPLE_DIRECT) {
        fetch_direct(l, texel, out);
    } else {
        struct ir_instr *lod = unit_level(l, texel->level);
        ir_tex_request_decoded(
            l,
            (struct ir_tex_request){
                .s = texel->s, .t = texel->t, .r = texel->r, .b = lod, .b_is_lod = lod != NULL, .is_fetch = true},
            out);
    }
}
