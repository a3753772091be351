/* SPDX-License-Identifier: MIT
 *
 * Fragment programs: discard, depth, stencil, and the colour word, which the program packs and blends itself.
 * Everything happens at the end, in the order that the tile buffer wants: coverage, stencil words, Z, colour. Only
 * where stores have to know the result of early tests, those come first.
 */
#include <string.h>
#include "compiler/lower/lower_samples.h"
#include "spv_gen.h"

#define COLOR_LOCATIONS 8

struct outputs {
    struct ir_instr *colors[COLOR_LOCATIONS][4], *second[4], *depth, *sample_mask, *clip_distances[8];
    struct ir_instr *color[4]; /* of the target that is written, with `second` */
    struct ir_instr *coverage_alpha; /* of location 0, whatever is written */
    bool discards, clips;
};

/* ---------------------------------------------------------------- what the shader wrote */

/* Of demoted lanes, too; the built-in variable only says how the lane began. */
static bool is_helper_query(const struct ir_instr *instr)
{
    return instr->op == IR_LOAD_BUILTIN && instr->imm == SpvBuiltInHelperInvocation && instr->imm2;
}

static struct ir_instr *no_coverage(struct ir_builder *b, const struct vc4c_fragment_key *key)
{
    return ir_build2(b, IR_IEQ, ir_coverage(b, key), ir_const(b, 0));
}

static enum vc4c_result take_outputs(struct ir_shader *shader, struct outputs *o, struct vc4c_error *error)
{
    *o = (struct outputs){.depth = NULL};
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            o->discards |= instr->op == IR_DISCARD || is_helper_query(instr);
            if (instr->op != IR_STORE_OUTPUT && instr->op != IR_STORE_BUILTIN)
                continue;
            struct ir_instr *value = instr->src[0].def;
            if (instr->op == IR_STORE_OUTPUT && instr->imm == 0 && instr->imm2 == 3)
                o->coverage_alpha = value;
            if (instr->op == IR_STORE_OUTPUT && instr->imm < COLOR_LOCATIONS) {
                o->colors[instr->imm][instr->imm2] = value;
            } else if (instr->op == IR_STORE_OUTPUT && instr->imm == IR_SECOND_SOURCE) {
                o->second[instr->imm2] = value;
            } else if (instr->op == IR_STORE_BUILTIN && instr->imm == SpvBuiltInFragDepth) {
                o->depth = value;
            } else if (instr->op == IR_STORE_BUILTIN && instr->imm == SpvBuiltInSampleMask) {
                o->sample_mask = instr->imm2 == 0 ? value : o->sample_mask;
            } else if (instr->op == IR_STORE_BUILTIN && instr->imm == SpvBuiltInClipDistance) {
                o->clip_distances[instr->imm2] = value;
                o->clips = true;
            } else if (instr->op == IR_STORE_BUILTIN && value->op != IR_UNDEF) {
                return ir_lower_error(error, VC4C_UNSUPPORTED, instr, "built-in %u as a fragment output", instr->imm);
            }
            ir_remove(instr);
        }
    }
    return VC4C_OK;
}

/* A boolean variable says which lanes live; ir_opt_vars makes a value of it. Returns the value at the end. */
static struct ir_instr *lower_discard(struct ir_shader *shader, const struct vc4c_fragment_key *key)
{
    shader->variables = util_arena_new_array(shader->arena, struct ir_variable, 1);
    shader->variables[0] = (struct ir_variable){.words = 1, .bits = 1};
    shader->variable_count = shader->variable_room = 1;
    struct ir_builder b = ir_at_start(shader, ir_first_block(shader));
    ir_build1(&b, IR_STORE_VAR, ir_const_bool(&b, true));
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            b = ir_before(shader, instr);
            if (is_helper_query(instr))
                ir_replace_uses(instr, ir_build2(&b, IR_BOR, no_coverage(&b, key),
                                                 ir_build1(&b, IR_BNOT, ir_build(&b, IR_LOAD_VAR, 1, 0, NULL))));
            else if (instr->op != IR_DISCARD)
                continue;
            else
                ir_build1(&b, IR_STORE_VAR, ir_const_bool(&b, false));
            ir_remove(instr);
        }
    }
    b = ir_at_end(shader, ir_list_last(&shader->body));
    return ir_build(&b, IR_LOAD_VAR, 1, 0, NULL);
}

/* ---------------------------------------------------------------- coverage, stencil, depth */

static bool changes_coverage(const struct vc4c_fragment_key *key, const struct outputs *o)
{
    return o->sample_mask || o->clips || key->use_sample_mask || (key->alpha_to_coverage && o->coverage_alpha);
}

/* Bits of the samples whose distance is not negative. A sample lies a few sixteenths of a pixel off the centre. */
static struct ir_instr *inside(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *distance)
{
    struct ir_instr *zero = ir_const(b, 0), *all = NULL;
    if (key->samples == 1 || key->sample_shading) /* the one sample has all four flags; what is shaded is masked */
        return ir_build3(b, IR_SEL, ir_build2(b, IR_FGE, distance, zero), ir_const(b, 15), zero);
    struct ir_instr *dx = ir_build1(b, IR_DDX, distance), *dy = ir_build1(b, IR_DDY, distance);
    for (uint32_t i = 0; i < 4; i++) {
        struct ir_instr *x = ir_fmul(b, dx, ir_const_f(b, vc4c_sample_offset(i, 0)));
        struct ir_instr *y = ir_fmul(b, dy, ir_const_f(b, vc4c_sample_offset(i, 1)));
        struct ir_instr *at_sample = ir_fadd(b, ir_fadd(b, distance, x), y);
        struct ir_instr *bit = ir_build3(b, IR_SEL, ir_build2(b, IR_FGE, at_sample, zero), ir_const(b, BIT(i)), zero);
        all = all ? ir_build2(b, IR_OR, all, bit) : bit;
    }
    return all;
}

/* The shader's word has a bit for each sample; the one sample has all four flags. */
static struct ir_instr *sample_flags(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *mask)
{
    if (key->samples > 1)
        return mask;
    return ir_build2(b, IR_ASR, ir_build2(b, IR_SHL, mask, ir_const(b, 31)), ir_const(b, 31));
}

static void write_coverage(struct ir_builder *b, const struct vc4c_fragment_key *key, const struct outputs *o)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(o->clip_distances); i++)
        if (o->clip_distances[i])
            ir_build1(b, IR_MS_FLAGS_AND, inside(b, key, o->clip_distances[i]));
    if (o->sample_mask)
        ir_build1(b, IR_MS_FLAGS_AND, sample_flags(b, key, o->sample_mask));
    if (key->use_sample_mask)
        ir_build1(b, IR_MS_FLAGS_AND, ir_uniform(b, VC4C_UNIFORM_SAMPLE_MASK, 0, 0));
    if (key->alpha_to_coverage && o->coverage_alpha) {
        /* as many ones as samples are covered */
        struct ir_instr *alpha = ir_build1(b, IR_FSAT, o->coverage_alpha);
        struct ir_instr *count = ir_fadd(b, ir_fmul(b, alpha, ir_const_f(b, key->samples)), ir_const_f(b, 0.5f));
        struct ir_instr *ones = ir_build2(b, IR_SHL, ir_const(b, 1), ir_build1(b, IR_FTOI, count));
        ones = ir_build2(b, IR_ISUB, ones, ir_const(b, 1));
        if (key->samples == 1) /* the one sample has all four flags */
            ones = ir_build2(b, IR_ISUB, ir_const(b, 0), ones);
        ir_build1(b, IR_MS_FLAGS_AND, ones);
    }
}

/* As the chip does with what is drawn: times 2^24, cut off; 1.0 saturates. */
static struct ir_instr *depth_word(struct ir_builder *b, struct ir_instr *depth)
{
    const float largest = 16777215.0f / 16777216.0f;
    depth = ir_build2(b, IR_FMIN, ir_build2(b, IR_FMAX, depth, ir_const_f(b, 0)), ir_const_f(b, largest));
    return ir_build1(b, IR_FTOI, ir_fmul(b, depth, ir_const_f(b, 16777216.0f)));
}

/* Between the viewport's ends. */
static struct ir_instr *clamp_depth(struct ir_builder *b, struct ir_instr *depth)
{
    struct ir_instr *half = ir_uniform(b, VC4C_UNIFORM_VIEWPORT_SCALE_Z, 0, 0);
    struct ir_instr *middle = ir_uniform(b, VC4C_UNIFORM_VIEWPORT_OFFSET_Z, 0, 0);
    half = ir_build2(b, IR_FMAXABS, half, half);
    depth = ir_build2(b, IR_FMAX, depth, ir_fsub(b, middle, half));
    return ir_build2(b, IR_FMIN, depth, ir_fadd(b, middle, half));
}

/* Lines and points are of the front to the chip. It chooses between the faces for all fragments that run together
 * (HW-2924), and they may be of several primitives: the front is tested first, then all are declared to be of the back,
 * and the rest is tested. */
static void test_faces(struct ir_builder *b, struct ir_instr *z, struct ir_instr *alive)
{
    struct ir_instr *front = ir_own_facing(b);
    ir_build2(b, IR_TLB_Z, z, ir_build2(b, IR_BAND, alive, front));
    ir_build1(b, IR_REV_FLAG, ir_const(b, 1));
    ir_build2(b, IR_TLB_Z, z, ir_build2(b, IR_BAND, alive, ir_build1(b, IR_BNOT, front)));
}

static void write_depth(struct ir_builder *b, const struct vc4c_fragment_key *key, const struct outputs *o,
                        struct ir_instr *alive)
{
    for (uint32_t i = 0; i < key->stencil_words; i++)
        ir_build1(b, IR_TLB_STENCIL, ir_uniform(b, VC4C_UNIFORM_STENCIL, 0, i));
    if (!key->write_z && !changes_coverage(key, o)) /* new coverage counts from the Z test on [docs/model-gpu.md] */
        return;
    struct ir_instr *depth = b->shader->early_fragment_tests ? NULL : o->depth;
    if (b->shader->depth_is_input)
        depth = depth ? depth : ir_own_depth(b);
    if (b->shader->clamps_depth)
        depth = clamp_depth(b, depth);
    struct ir_instr *z = depth ? depth_word(b, depth) : ir_build0(b, IR_FRAG_Z);
    alive = b->shader->early_fragment_tests ? ir_const_bool(b, true) : alive;
    if (b->shader->two_stencils)
        test_faces(b, z, alive);
    else
        ir_build2(b, IR_TLB_Z, z, alive);
}

/* ---------------------------------------------------------------- blending */

struct blend {
    struct ir_builder *b;
    const struct vc4c_fragment_key *key;
    struct ir_instr *src[4], *second[4], *dst[4], *constants[4];
};

static struct ir_instr *one_minus(struct ir_builder *b, struct ir_instr *x)
{
    return ir_fsub(b, ir_const_f(b, 1), x);
}

static enum vc4c_blend_range blend_range(const struct vc4c_fragment_key *key)
{
    switch (hw_format_kind(key->color_format)) {
    case HW_KIND_UNORM:
    case HW_KIND_SRGB:
        return VC4C_BLEND_RANGE_UNORM;
    case HW_KIND_SNORM:
        return VC4C_BLEND_RANGE_SNORM;
    default:
        return VC4C_BLEND_RANGE_ANY;
    }
}

static struct ir_instr *blend_constant(struct blend *bl, uint32_t c)
{
    if (!bl->constants[c])
        bl->constants[c] = ir_uniform(bl->b, VC4C_UNIFORM_BLEND_CONSTANT, 0, c + blend_range(bl->key));
    return bl->constants[c];
}

static struct ir_instr *factor(struct blend *bl, enum vc4c_blend_factor f, uint32_t c)
{
    struct ir_builder *b = bl->b;
    switch (f) {
    case VC4C_BLEND_ZERO:
        return ir_const(b, 0);
    case VC4C_BLEND_ONE:
        return ir_const_f(b, 1);
    case VC4C_BLEND_SRC_COLOR:
        return bl->src[c];
    case VC4C_BLEND_ONE_MINUS_SRC_COLOR:
        return one_minus(b, bl->src[c]);
    case VC4C_BLEND_DST_COLOR:
        return bl->dst[c];
    case VC4C_BLEND_ONE_MINUS_DST_COLOR:
        return one_minus(b, bl->dst[c]);
    case VC4C_BLEND_SRC_ALPHA:
        return bl->src[3];
    case VC4C_BLEND_ONE_MINUS_SRC_ALPHA:
        return one_minus(b, bl->src[3]);
    case VC4C_BLEND_DST_ALPHA:
        return bl->dst[3];
    case VC4C_BLEND_ONE_MINUS_DST_ALPHA:
        return one_minus(b, bl->dst[3]);
    case VC4C_BLEND_CONSTANT_COLOR:
        return blend_constant(bl, c);
    case VC4C_BLEND_ONE_MINUS_CONSTANT_COLOR:
        return one_minus(b, blend_constant(bl, c));
    case VC4C_BLEND_CONSTANT_ALPHA:
        return blend_constant(bl, 3);
    case VC4C_BLEND_ONE_MINUS_CONSTANT_ALPHA:
        return one_minus(b, blend_constant(bl, 3));
    case VC4C_BLEND_SRC_ALPHA_SATURATE:
        return c == 3 ? ir_const_f(b, 1) : ir_build2(b, IR_FMIN, bl->src[3], one_minus(b, bl->dst[3]));
    case VC4C_BLEND_SRC1_COLOR:
        return bl->second[c];
    case VC4C_BLEND_ONE_MINUS_SRC1_COLOR:
        return one_minus(b, bl->second[c]);
    case VC4C_BLEND_SRC1_ALPHA:
        return bl->second[3];
    case VC4C_BLEND_ONE_MINUS_SRC1_ALPHA:
        return one_minus(b, bl->second[3]);
    }
    return ir_const(b, 0);
}

static struct ir_instr *blend_channel(struct blend *bl, uint32_t c)
{
    const struct vc4c_fragment_key *key = bl->key;
    struct ir_builder *b = bl->b;
    enum vc4c_blend_op op = c == 3 ? key->alpha_op : key->color_op;
    if (op == VC4C_BLEND_OP_MIN || op == VC4C_BLEND_OP_MAX)
        return ir_build2(b, op == VC4C_BLEND_OP_MIN ? IR_FMIN : IR_FMAX, bl->src[c], bl->dst[c]);
    struct ir_instr *src = ir_fmul(b, bl->src[c], factor(bl, c == 3 ? key->src_alpha : key->src_color, c));
    struct ir_instr *dst = ir_fmul(b, bl->dst[c], factor(bl, c == 3 ? key->dst_alpha : key->dst_color, c));
    switch (op) {
    case VC4C_BLEND_OP_SUBTRACT:
        return ir_fsub(b, src, dst);
    case VC4C_BLEND_OP_REVERSE_SUBTRACT:
        return ir_fsub(b, dst, src);
    default:
        return ir_fadd(b, src, dst);
    }
}

/* ---------------------------------------------------------------- logic operations */

static struct ir_instr *logic(struct ir_builder *b, enum vc4c_logic_op op, struct ir_instr *s, struct ir_instr *d)
{
    struct ir_instr *not_s = ir_build1(b, IR_NOT, s), *not_d = ir_build1(b, IR_NOT, d);
    switch (op) {
    case VC4C_LOGIC_CLEAR:
        return ir_const(b, 0);
    case VC4C_LOGIC_AND:
        return ir_build2(b, IR_AND, s, d);
    case VC4C_LOGIC_AND_REVERSE:
        return ir_build2(b, IR_AND, s, not_d);
    case VC4C_LOGIC_COPY:
        return s;
    case VC4C_LOGIC_AND_INVERTED:
        return ir_build2(b, IR_AND, not_s, d);
    case VC4C_LOGIC_NO_OP:
        return d;
    case VC4C_LOGIC_XOR:
        return ir_build2(b, IR_XOR, s, d);
    case VC4C_LOGIC_OR:
        return ir_build2(b, IR_OR, s, d);
    case VC4C_LOGIC_NOR:
        return ir_build1(b, IR_NOT, ir_build2(b, IR_OR, s, d));
    case VC4C_LOGIC_EQUIVALENT:
        return ir_build1(b, IR_NOT, ir_build2(b, IR_XOR, s, d));
    case VC4C_LOGIC_INVERT:
        return not_d;
    case VC4C_LOGIC_OR_REVERSE:
        return ir_build2(b, IR_OR, s, not_d);
    case VC4C_LOGIC_COPY_INVERTED:
        return not_s;
    case VC4C_LOGIC_OR_INVERTED:
        return ir_build2(b, IR_OR, not_s, d);
    case VC4C_LOGIC_NAND:
        return ir_build1(b, IR_NOT, ir_build2(b, IR_AND, s, d));
    case VC4C_LOGIC_SET:
        return ir_const(b, UINT32_MAX);
    }
    return s;
}

/* ---------------------------------------------------------------- the colour word */

/* Bits of the word that the write mask leaves to the program; all of them where that is every channel in it. */
static uint32_t written_bits(const struct vc4c_fragment_key *key)
{
    if (key->pairs_alpha)
        return (key->write_mask & BIT(key->color_word) ? 0xffffu : 0u) | (key->write_mask & BIT(3) ? 0xffff0000u : 0u);
    const struct hw_format_info *info = hw_format_info(key->color_format);
    uint32_t bits = 0, all = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t from = info->swizzle[i];
        if (from >= HW_SWIZZLE_0)
            continue;
        const struct hw_channel *c = &info->channel[from];
        if (c->shift / 32 != key->color_word)
            continue;
        uint32_t mask = (c->bits == 32 ? UINT32_MAX : BIT(c->bits) - 1) << c->shift % 32;
        all |= mask;
        bits |= key->write_mask & BIT(i) ? mask : 0;
    }
    return bits == all ? UINT32_MAX : bits;
}

static bool is_float_like(enum hw_format format)
{
    enum hw_kind kind = hw_format_kind(format);
    return kind != HW_KIND_UINT && kind != HW_KIND_SINT;
}

/* Of a word that holds a channel and alpha. */
static enum hw_format pair_format(const struct vc4c_fragment_key *key)
{
    switch (hw_format_kind(key->color_format)) {
    case HW_KIND_UNORM:
        return HW_FORMAT_R16G16_UNORM;
    case HW_KIND_SNORM:
        return HW_FORMAT_R16G16_SNORM;
    default:
        return HW_FORMAT_R16G16_FLOAT;
    }
}

static bool has_logic_op(const struct vc4c_fragment_key *key)
{
    enum hw_kind kind = hw_format_kind(key->color_format);
    return key->logic_op != VC4C_LOGIC_COPY && kind != HW_KIND_FLOAT && kind != HW_KIND_UFLOAT && kind != HW_KIND_SRGB;
}

static bool needs_old(const struct vc4c_fragment_key *key)
{
    return (key->blend_enable && is_float_like(key->color_format) && key->logic_op == VC4C_LOGIC_COPY) ||
           has_logic_op(key) || written_bits(key) != UINT32_MAX;
}

/* Blending wants its inputs in the range of the format. */
static struct ir_instr *clamp_to_format(struct ir_builder *b, enum hw_format format, struct ir_instr *x)
{
    switch (hw_format_kind(format)) {
    case HW_KIND_UNORM:
    case HW_KIND_SRGB:
        return ir_build1(b, IR_FSAT, x);
    case HW_KIND_SNORM:
        return ir_build2(b, IR_FMIN, ir_build2(b, IR_FMAX, x, ir_const_f(b, -1)), ir_const_f(b, 1));
    default:
        return x;
    }
}

/* Blending of four unorm8 channels that one operation on bytes does: what is added, subtracted or compared is the
 * rounded source, and rounding before gives what rounding behind would. IR_MOV: there is none. */
static enum ir_op bytes_op(const struct vc4c_fragment_key *key)
{
    static const uint16_t ops[] = {IR_V8ADDS, IR_V8SUBS, IR_V8SUBS, IR_V8MIN, IR_V8MAX};
    const struct hw_format_info *info = hw_format_info(key->color_format);
    bool has_factors = key->color_op < VC4C_BLEND_OP_MIN;
    for (uint32_t i = 0; i < 4; i++)
        if (info->swizzle[i] >= HW_SWIZZLE_0 || info->channel[info->swizzle[i]].bits != 8)
            return IR_MOV;
    if (hw_format_kind(key->color_format) != HW_KIND_UNORM || key->color_op != key->alpha_op ||
        key->color_op >= ARRAY_SIZE(ops))
        return IR_MOV;
    if (has_factors && (key->src_color != VC4C_BLEND_ONE || key->dst_color != VC4C_BLEND_ONE ||
                        key->src_alpha != VC4C_BLEND_ONE || key->dst_alpha != VC4C_BLEND_ONE))
        return IR_MOV;
    return (enum ir_op)ops[key->color_op];
}

static struct ir_instr *blend_bytes(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *word,
                                    struct ir_instr *old)
{
    bool is_reverse = key->color_op == VC4C_BLEND_OP_REVERSE_SUBTRACT;
    return ir_build2(b, bytes_op(key), is_reverse ? old : word, is_reverse ? word : old);
}

/* The old colour, as far as the word has it; what is in other words is not needed: a pipeline's key says so. */
static void unpack_old(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *old,
                       struct ir_instr *out[4])
{
    struct ir_instr *words[4] = {NULL}, *pair[4];
    words[key->pairs_alpha ? 0 : key->color_word] = old;
    if (!key->pairs_alpha) {
        ir_unpack_format(b, key->color_format, words, out);
        return;
    }
    ir_unpack_format(b, pair_format(key), words, pair);
    for (uint32_t i = 0; i < 3; i++)
        out[i] = pair[0];
    out[3] = pair[1];
}

static struct ir_instr *pack_new(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *color[4])
{
    struct ir_instr *pair[4] = {color[key->color_word], color[3], ir_const(b, 0), ir_const(b, 0)};
    return key->pairs_alpha ? ir_pack_format(b, pair_format(key), 0, pair)
                            : ir_pack_format(b, key->color_format, key->color_word, color);
}

/* The new word of one sample, from the shader's colour and the old word (NULL when it is not needed). */
static struct ir_instr *color_word(struct ir_builder *b, const struct vc4c_fragment_key *key, const struct outputs *o,
                                   struct ir_instr *old)
{
    enum hw_format format = key->color_format;
    struct ir_instr *out[4], *word;
    for (uint32_t i = 0; i < 4; i++)
        out[i] = o->color[i];
    bool blends = key->blend_enable && is_float_like(format) && key->logic_op == VC4C_LOGIC_COPY;
    bool by_bytes = blends && bytes_op(key) != IR_MOV;
    if (blends && !by_bytes) {
        struct blend bl = {.b = b, .key = key};
        unpack_old(b, key, old, bl.dst);
        for (uint32_t i = 0; i < 4; i++)
            bl.src[i] = clamp_to_format(b, format, o->color[i]);
        for (uint32_t i = 0; i < 4; i++)
            bl.second[i] = clamp_to_format(b, format, o->second[i]);
        for (uint32_t i = 0; i < 4; i++)
            out[i] = blend_channel(&bl, i);
    }
    word = pack_new(b, key, out);
    if (by_bytes)
        word = blend_bytes(b, key, word, old);
    if (has_logic_op(key))
        word = logic(b, key->logic_op, word, old);
    uint32_t bits = written_bits(key);
    if (bits == UINT32_MAX)
        return word;
    word = ir_build2(b, IR_AND, word, ir_const(b, bits));
    return ir_build2(b, IR_OR, word, ir_build2(b, IR_AND, old, ir_const(b, ~bits)));
}

/* How often the word is read, made and written: once where there is one value for all samples. */
static uint32_t rounds_of(const struct vc4c_fragment_key *key, bool reads)
{
    return reads && key->samples == 4 && !key->sample_shading ? 4 : 1;
}

/* The old word: of the next sample, or of the one that is shaded, which has to be found among all. */
static struct ir_instr *load_old(struct ir_builder *b, const struct vc4c_fragment_key *key)
{
    struct ir_instr *old = ir_build0(b, IR_TLB_COLOR_LOAD);
    for (uint32_t i = 1; i < 4 && key->sample_shading; i++) {
        struct ir_instr *is_it = ir_build2(b, IR_IEQ, ir_uniform(b, VC4C_UNIFORM_SAMPLE_ID, 0, 0), ir_const(b, i));
        old = ir_sel(b, is_it, ir_build0(b, IR_TLB_COLOR_LOAD), old);
    }
    return old;
}

/* Is there anything to write? */
static bool has_color(const struct vc4c_fragment_key *key, const struct outputs *o)
{
    bool is_defined = false;
    for (uint32_t i = 0; i < 4 && key->color_location < COLOR_LOCATIONS; i++) {
        const struct ir_instr *value = o->colors[key->color_location][i];
        is_defined |= value && value->op != IR_UNDEF;
    }
    return is_defined && key->color_format != HW_FORMAT_NONE && written_bits(key) &&
           !(has_logic_op(key) && key->logic_op == VC4C_LOGIC_NO_OP);
}

static void find_color(struct ir_builder *b, const struct vc4c_fragment_key *key, struct outputs *o)
{
    memcpy(o->color, o->colors[key->color_location], sizeof o->color);
    struct ir_instr **const both[] = {o->color, o->second};
    for (uint32_t i = 0; i < 8; i++) {
        struct ir_instr **c = &both[i / 4][i % 4];
        if (!*c || (*c)->op == IR_UNDEF)
            *c = ir_const(b, 0);
    }
    if (key->alpha_to_one)
        o->color[3] = ir_const_f(b, 1);
}

static void write_color(struct ir_builder *b, const struct vc4c_fragment_key *key, struct outputs *o,
                        struct ir_instr *alive)
{
    bool reads = needs_old(key);
    const uint32_t rounds = rounds_of(key, reads);
    find_color(b, key, o);
    b->shader->reads_color = reads;
    for (uint32_t i = 0; i < rounds; i++) {
        struct ir_instr *old = reads ? load_old(b, key) : NULL;
        ir_build2(b, rounds == 4 ? IR_TLB_COLOR_STORE_MS : IR_TLB_COLOR_STORE, color_word(b, key, o, old), alive);
    }
}

/* ---------------------------------------------------------------- counting */

/* With early tests, samples count whatever the shader makes of them. */
static void count_before_shading(struct ir_shader *shader, struct outputs *o)
{
    ir_for_each_block(block, shader)
        ir_for_each_instr_safe(instr, block)
            if (instr->op == IR_DISCARD)
                ir_remove(instr);
    o->sample_mask = o->coverage_alpha = NULL;
}

static void write_count(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *alive)
{
    b->shader->reads_color = true;
    const uint32_t rounds = rounds_of(key, true);
    for (uint32_t i = 0; i < rounds; i++) {
        struct ir_instr *old = load_old(b, key);
        struct ir_instr *sum = ir_build2(b, IR_IADD, old, ir_uniform(b, VC4C_UNIFORM_COUNT, 0, 0));
        ir_build2(b, rounds == 4 ? IR_TLB_COLOR_STORE_MS : IR_TLB_COLOR_STORE, sum, alive);
    }
}

/* Words beside the one in the tile buffer: where the tests have left something of a lane's coverage. */
static void store_colors(struct ir_builder *b, const struct vc4c_key *key, struct outputs *o, struct ir_instr *alive)
{
    struct ir_instr *x_B = ir_build2(b, IR_SHL, ir_build0(b, IR_FRAG_X), ir_const(b, 2)), *y = ir_build0(b, IR_FRAG_Y);
    struct ir_instr *covered = ir_build2(b, IR_INE, ir_build0(b, IR_MS_FLAGS), ir_const(b, 0));
    covered = ir_build2(b, IR_BAND, covered, alive);
    for (uint32_t i = 0; i < key->stored_count; i++) {
        const struct vc4c_fragment_key *target = &key->stored[i];
        if (!has_color(target, o))
            continue;
        struct ir_instr *row = ir_build2(b, IR_MUL24, y, ir_uniform(b, VC4C_UNIFORM_ENGINE_COLOR_PITCH, 0, i));
        struct ir_instr *place = ir_build2(b, IR_IADD, ir_uniform(b, VC4C_UNIFORM_ENGINE_COLOR, 0, i),
                                           ir_build2(b, IR_IADD, row, x_B));
        place = ir_sel(b, covered, place, ir_const(b, VC4C_ENGINE_NOWHERE));
        find_color(b, target, o);
        struct ir_instr *old = needs_old(target) ? ir_build1(b, IR_ENGINE_LOAD, place) : NULL;
        ir_build2(b, IR_ENGINE_STORE, place, color_word(b, target, o, old));
    }
}

static bool can_pack(const struct vc4c_fragment_key *key, struct vc4c_error *error, enum vc4c_result *result)
{
    if (key->color_format == HW_FORMAT_NONE || ir_can_pack_format(key->color_format))
        return true;
    *result = ir_lower_error(error, VC4C_UNSUPPORTED, NULL, "colour targets of format %s",
                             hw_format_info(key->color_format)->name);
    return false;
}

static enum vc4c_result check_formats(const struct vc4c_key *key, struct vc4c_error *error)
{
    enum vc4c_result result = VC4C_OK;
    bool can = can_pack(&key->fs, error, &result);
    for (uint32_t i = 0; i < key->stored_count && can; i++)
        can = can_pack(&key->stored[i], error, &result);
    return result;
}

/* -- side effects -------------------------------------------------------------------------------------------------- */

/* Coverage without what is clipped away: a distance that is a varying can be had at the start, too. Whether all are. */
static bool clip_first(struct ir_builder *b, const struct vc4c_fragment_key *key, struct outputs *o)
{
    bool all = true;
    for (uint32_t i = 0; i < ARRAY_SIZE(o->clip_distances); i++) {
        const struct ir_instr *distance = o->clip_distances[i];
        if (distance && distance->op != IR_VARYING)
            all = false;
        if (!distance || distance->op != IR_VARYING)
            continue;
        struct ir_instr *again = ir_build0(b, IR_VARYING);
        again->imm = distance->imm;
        ir_build1(b, IR_MS_FLAGS_AND, inside(b, key, again));
        o->clip_distances[i] = NULL;
    }
    return all;
}

/* What stores must not do so for pixels that are clipped away, nor, with early tests, for those that fail them: that
 * comes first. Whether the tests have been made. */
static bool begin_side_effects(struct ir_shader *shader, const struct vc4c_fragment_key *key, struct outputs *o,
                               bool has_alive)
{
    struct ir_builder start = ir_at_start(shader, ir_first_block(shader));
    const bool clips = o->clips, clips_late = clips && !clip_first(&start, key, o);
    o->clips = clips_late;
    const bool tests_first = shader->early_fragment_tests && (key->write_z || clips) && !changes_coverage(key, o);
    o->clips = clips; /* the Z test has to know of the new coverage */
    if (tests_first)
        write_depth(&start, key, o, NULL);
    ir_lower_fs_side_effects(shader, key, &start, has_alive);
    return tests_first;
}

enum vc4c_result ir_lower_fs_outputs(struct ir_shader *shader, const struct vc4c_key *whole_key,
                                     struct vc4c_error *error)
{
    const struct vc4c_fragment_key *key = &whole_key->fs;
    struct outputs o;
    enum vc4c_result result = take_outputs(shader, &o, error);
    if (!result)
        result = check_formats(whole_key, error);
    if (result)
        return result;
    if (key->counts && shader->early_fragment_tests)
        count_before_shading(shader, &o);
    struct ir_instr *alive = o.discards ? lower_discard(shader, key) : NULL;
    bool tests_first = ir_has_side_effects(shader) && begin_side_effects(shader, key, &o, alive != NULL);
    struct ir_builder b = ir_at_end(shader, ir_list_last(&shader->body));
    alive = alive ? alive : ir_const_bool(&b, true);
    write_coverage(&b, key, &o);
    if (!tests_first)
        write_depth(&b, key, &o, alive);
    shader->writes_z_late = (o.discards || o.depth || shader->depth_is_input) && !shader->early_fragment_tests;
    if (key->counts)
        write_count(&b, key, alive);
    else if (has_color(key, &o))
        write_color(&b, key, &o, alive);
    if (whole_key->stored_count)
        store_colors(&b, whole_key, &o, alive);
    return VC4C_OK;
}
