/* SPDX-License-Identifier: MIT
 *
 * Fragment programs: computes which samples are covered, and writes stencil words and Z for the tile buffer's tests.
 */
#include "compiler/lower/lower_fs_outputs.h"
#include "hw/qpu.h"

/* -- coverage ------------------------------------------------------------------------------------------------------ */

bool ir_changes_coverage(const struct vc4c_fragment_key *key, const struct ir_fs_outputs *o)
{
    return o->sample_mask || o->clips || key->use_sample_mask || (key->alpha_to_coverage && o->coverage_alpha);
}

/* Flags of the samples whose clip distance is not negative. The distance is extrapolated from the pixel centre to each
 * sample, a few sixteenths of a pixel away. */
static struct ir_instr *inside(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *distance)
{
    struct ir_instr *zero = ir_const(b, 0), *all = NULL;
    if (key->samples == 1 || key->sample_shading) /* one sample sets all four flags; sample shading masks them later */
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

/* The shader's mask has a bit for each sample. With one sample, bit 0 is copied to all four flags. */
static struct ir_instr *sample_flags(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *mask)
{
    if (key->samples > 1)
        return mask;
    return ir_build2(b, IR_ASR, ir_build2(b, IR_SHL, mask, ir_const(b, 31)), ir_const(b, 31));
}

/* Alpha to coverage: as many ones as alpha covers samples. With one sample, all four flags or none. */
static struct ir_instr *alpha_flags(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *alpha)
{
    alpha = ir_build1(b, IR_FSAT, alpha);
    struct ir_instr *count = ir_fadd(b, ir_fmul(b, alpha, ir_const_f(b, key->samples)), ir_const_f(b, 0.5f));
    struct ir_instr *ones = ir_build2(b, IR_SHL, ir_const(b, 1), ir_build1(b, IR_FTOI, count));
    ones = ir_build2(b, IR_ISUB, ones, ir_const(b, 1));
    return key->samples == 1 ? ir_build2(b, IR_ISUB, ir_const(b, 0), ones) : ones;
}

struct ir_instr *ir_late_coverage(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_fs_outputs *o)
{
    struct ir_instr *flags = o->sample_mask ? sample_flags(b, key, o->sample_mask) : NULL;
    if (key->alpha_to_coverage && o->coverage_alpha) {
        struct ir_instr *alpha = alpha_flags(b, key, o->coverage_alpha);
        flags = flags ? ir_build2(b, IR_AND, flags, alpha) : alpha;
    }
    o->sample_mask = o->coverage_alpha = NULL;
    return flags;
}

void ir_write_coverage(struct ir_builder *b, const struct vc4c_fragment_key *key, const struct ir_fs_outputs *o)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(o->clip_distances); i++)
        if (o->clip_distances[i])
            ir_build1(b, IR_MS_FLAGS_AND, inside(b, key, o->clip_distances[i]));
    if (o->sample_mask)
        ir_build1(b, IR_MS_FLAGS_AND, sample_flags(b, key, o->sample_mask));
    if (key->use_sample_mask)
        ir_build1(b, IR_MS_FLAGS_AND, ir_uniform(b, VC4C_UNIFORM_SAMPLE_MASK, 0, 0));
    if (key->alpha_to_coverage && o->coverage_alpha)
        ir_build1(b, IR_MS_FLAGS_AND, alpha_flags(b, key, o->coverage_alpha));
}

bool ir_clip_early(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_fs_outputs *o)
{
    bool all = true;
    for (uint32_t i = 0; i < ARRAY_SIZE(o->clip_distances); i++) {
        const struct ir_instr *distance = o->clip_distances[i];
        if (distance && distance->op != IR_VARYING)
            all = false;
        if (!distance || distance->op != IR_VARYING)
            continue;
        struct ir_instr *varying = ir_build0(b, IR_VARYING);
        varying->imm = distance->imm;
        ir_build1(b, IR_MS_FLAGS_AND, inside(b, key, varying));
        o->clip_distances[i] = NULL;
    }
    return all;
}

/* -- stencil, depth ------------------------------------------------------------------------------------------------ */

/* How far the program's depth may be from the chip's due to rounding, in steps of 2^-24. 4 are enough for the test's
 * triangles. */
#define MAX_DEPTH_ERROR_STEPS 16

/* Converts depth as the chip does for interpolated depth: times 2^24, truncated; 1.0 saturates. */
static struct ir_instr *depth_word(struct ir_builder *b, struct ir_instr *depth)
{
    const float largest = 16777215.0f / 16777216.0f;
    depth = ir_build2(b, IR_FMIN, ir_build2(b, IR_FMAX, depth, ir_const_f(b, 0)), ir_const_f(b, largest));
    return ir_build1(b, IR_FTOI, ir_fmul(b, depth, ir_const_f(b, 16777216.0f)));
}

/* Clamps depth to the viewport's depth range. */
static struct ir_instr *clamp_depth(struct ir_builder *b, struct ir_instr *depth)
{
    struct ir_instr *half = ir_uniform(b, VC4C_UNIFORM_VIEWPORT_SCALE_Z, 0, 0);
    struct ir_instr *middle = ir_uniform(b, VC4C_UNIFORM_VIEWPORT_OFFSET_Z, 0, 0);
    half = ir_build2(b, IR_FMAXABS, half, half);
    depth = ir_build2(b, IR_FMAX, depth, ir_fsub(b, middle, half));
    return ir_build2(b, IR_FMIN, depth, ir_fadd(b, middle, half));
}

/* Selects the chip's depth where it agrees with the program's up to rounding, so that clamping changes no bit of a
 * depth that is in range. The two interpolations round differently. Where a triangle is clipped or leaves the depth
 * range, the chip's depth is wrong, because the clipper has not seen the real depth. */
static struct ir_instr *prefer_chip_depth(struct ir_builder *b, struct ir_instr *depth)
{
    const float step = 1 / 16777216.0f;
    struct ir_instr *chip_depth = ir_fmul(b, ir_build1(b, IR_ITOF, ir_build0(b, IR_FRAG_Z)), ir_const_f(b, step));
    struct ir_instr *error = ir_fsub(b, depth, chip_depth), *most = ir_const_f(b, MAX_DEPTH_ERROR_STEPS * step);
    return ir_sel(b, ir_build2(b, IR_FGE, most, ir_build2(b, IR_FMAXABS, error, error)), chip_depth, depth);
}

/* The chip treats lines and points as front-facing. It selects the face once for all fragments of a batch (HW-2924),
 * and these may belong to several primitives. So the front-facing fragments are tested first; then the face is switched
 * to back and the others are tested. */
static void test_faces(struct ir_builder *b, struct ir_instr *z, struct ir_instr *alive)
{
    struct ir_instr *front = ir_facing_from_input(b);
    ir_build2(b, IR_TLB_Z, z, ir_build2(b, IR_BAND, alive, front));
    ir_build1(b, IR_REV_FLAG, ir_const(b, 1));
    ir_build2(b, IR_TLB_Z, z, ir_build2(b, IR_BAND, alive, ir_build1(b, IR_BNOT, front)));
}

static void test(struct ir_builder *b, struct ir_instr *z, struct ir_instr *alive)
{
    if (b->shader->two_stencils)
        test_faces(b, z, alive);
    else
        ir_build2(b, IR_TLB_Z, z, alive);
}

/* The greatest of the lanes' words, in all lanes. None is negative. */
static struct ir_instr *greatest(struct ir_builder *b, struct ir_instr *word)
{
    for (uint32_t n = 1; n < QPU_LANES; n *= 2) {
        struct ir_instr *other = ir_build1(b, IR_ROTATE, word);
        other->imm = n;
        word = ir_build2(b, IR_IMAX, word, other);
    }
    return word;
}

/* Replaces the reference value of a face's stencil word, bits 15:8 [guide p.49 table 27]. */
static struct ir_instr *with_reference(struct ir_builder *b, struct ir_instr *word, struct ir_instr *reference)
{
    word = ir_build2(b, IR_AND, word, ir_const(b, ~0xff00u));
    return ir_build2(b, IR_OR, word, ir_build2(b, IR_SHL, reference, ir_const(b, 8)));
}

/* Tests with reference values that the shader computes. The stencil words are the same for all lanes, so a loop sets
 * them up for one value after another, and tests the fragments that have this value. Each fragment is tested once.
 * [docs/model-gpu.md] */
static void test_references(struct ir_builder *b, const struct vc4c_fragment_key *key, const struct ir_fs_outputs *o,
                            struct ir_instr *z, struct ir_instr *alive)
{
    struct ir_instr *zero = ir_const(b, 0), *one = ir_const(b, 1);
    struct ir_instr *covered = ir_build2(b, IR_INE, ir_build0(b, IR_MS_FLAGS), zero);
    struct ir_instr *reference = ir_build2(b, IR_AND, o->stencil_reference, ir_const(b, 0xff));
    struct ir_instr *first = /* plus one; 0: nothing is left to do */
        ir_sel(b, ir_build2(b, IR_BAND, alive, covered), ir_build2(b, IR_IADD, reference, one), zero);
    struct ir_loop *loop = ir_push_loop(b);
    struct ir_instr *left = ir_build(b, IR_PHI, 32, 2, (struct ir_instr *const[]){first, NULL});
    struct ir_instr *next = greatest(b, left), *now = ir_build2(b, IR_ISUB, next, one);
    for (uint32_t i = 0; i < key->stencil_words; i++) {
        struct ir_instr *word = ir_uniform(b, VC4C_UNIFORM_STENCIL, 0, i);
        const bool is_write_masks = i == 2;
        ir_build1(b, IR_TLB_STENCIL, is_write_masks ? word : with_reference(b, word, now));
    }
    struct ir_instr *is_now = ir_build2(b, IR_BAND, ir_build2(b, IR_IEQ, left, next), ir_build2(b, IR_INE, left, zero));
    if (b->shader->two_stencils)
        ir_build1(b, IR_REV_FLAG, zero); /* which the round before has set */
    test(b, z, is_now);
    struct ir_instr *rest = ir_sel(b, is_now, zero, left);
    struct ir_instr *goes_on = ir_build1(b, IR_ANY, ir_build2(b, IR_INE, rest, zero));
    struct ir_if *leave = ir_push_if(b, ir_build1(b, IR_BNOT, goes_on));
    ir_build0(b, IR_BREAK);
    ir_pop_if(b, leave);
    ir_src_set(&left->src[1], rest);
    ir_pop_loop(b, loop);
    if (ir_changes_coverage(key, o)) /* takes effect at the test, also that no sample is left */
        ir_build2(b, IR_TLB_Z, z, ir_build2(b, IR_BAND, alive, ir_build1(b, IR_BNOT, covered)));
}

void ir_write_depth(struct ir_builder *b, const struct vc4c_fragment_key *key, const struct ir_fs_outputs *o,
                    struct ir_instr *alive)
{
    const bool has_references = o->stencil_reference && !b->shader->early_fragment_tests && key->stencil_words;
    for (uint32_t i = 0; i < key->stencil_words && !has_references; i++)
        ir_build1(b, IR_TLB_STENCIL, ir_uniform(b, VC4C_UNIFORM_STENCIL, 0, i));
    if (!key->write_z && !ir_changes_coverage(key, o)) /* new coverage takes effect at the Z test [docs/model-gpu.md] */
        return;
    struct ir_instr *depth = b->shader->early_fragment_tests ? NULL : o->depth;
    if (b->shader->depth_is_input && !depth)
        depth = prefer_chip_depth(b, ir_depth_from_input(b));
    if (b->shader->clamps_depth)
        depth = clamp_depth(b, depth);
    struct ir_instr *z = depth ? depth_word(b, depth) : ir_build0(b, IR_FRAG_Z);
    alive = b->shader->early_fragment_tests ? ir_const_bool(b, true) : alive;
    if (has_references)
        test_references(b, key, o, z, alive);
    else
        test(b, z, alive);
}
