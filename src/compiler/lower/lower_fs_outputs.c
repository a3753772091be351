/* SPDX-License-Identifier: MIT
 *
 * Lowers the outputs of fragment programs and discard. All writes are emitted at the end of the program, in the order
 * that the tile buffer requires: coverage, stencil words, Z (lower_fs_tests.c), colour (lower_fs_color.c). The only
 * exception: when stores or the coverage that the shader reads depend on the result of early tests, the tests come at
 * the start.
 */
#include <string.h>
#include "compiler/lower/lower_fs_outputs.h"
#include "spv_gen.h"

/* ---------------------------------------------------------------- what the shader wrote */

/* True for a query that includes demoted lanes. The built-in variable (imm2 is 0) only says whether the lane began as a
 * helper. */
static bool is_helper_query(const struct ir_instr *instr)
{
    return instr->op == IR_LOAD_BUILTIN && instr->imm == SpvBuiltInHelperInvocation && instr->imm2;
}

static struct ir_instr *no_coverage(struct ir_builder *b, const struct vc4c_fragment_key *key)
{
    return ir_build2(b, IR_IEQ, ir_coverage(b, key), ir_const(b, 0));
}

static enum vc4c_result take_outputs(struct ir_shader *shader, struct ir_fs_outputs *o, struct vc4c_error *error)
{
    *o = (struct ir_fs_outputs){.depth = NULL};
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            o->discards |= instr->op == IR_DISCARD || is_helper_query(instr);
            if (instr->op != IR_STORE_OUTPUT && instr->op != IR_STORE_BUILTIN)
                continue;
            struct ir_instr *value = instr->src[0].def;
            if (instr->op == IR_STORE_OUTPUT && instr->imm == 0 && instr->imm2 == 3)
                o->coverage_alpha = value;
            if (instr->op == IR_STORE_OUTPUT && instr->imm < IR_COLOR_LOCATIONS) {
                o->colors[instr->imm][instr->imm2] = value;
            } else if (instr->op == IR_STORE_OUTPUT && instr->imm == IR_DUAL_SOURCE_LOCATION) {
                o->second[instr->imm2] = value;
            } else if (instr->op == IR_STORE_BUILTIN && instr->imm == SpvBuiltInFragDepth) {
                o->depth = value;
            } else if (instr->op == IR_STORE_BUILTIN && instr->imm == SpvBuiltInFragStencilRefEXT) {
                o->stencil_reference = value->op == IR_UNDEF ? NULL : value;
            } else if (instr->op == IR_STORE_BUILTIN && instr->imm == SpvBuiltInSampleMask) {
                o->sample_mask = instr->imm2 == 0 ? value : o->sample_mask;
            } else if (instr->op == IR_STORE_BUILTIN && instr->imm == SpvBuiltInClipDistance) {
                o->clip_distances[instr->imm2] = value;
                o->clips = true;
            } else if (instr->op == IR_STORE_BUILTIN && value->op != IR_UNDEF) {
                return ir_lower_error(error, VC4C_UNSUPPORTED, instr,
                                      "built-in %u is not supported as a fragment output", instr->imm);
            }
            ir_remove(instr);
        }
    }
    return VC4C_OK;
}

/* Tracks live lanes in a boolean variable, which ir_opt_vars turns into SSA values. Returns its value at the end. */
static struct ir_instr *lower_discard(struct ir_shader *shader, const struct vc4c_fragment_key *key)
{
    shader->variables = util_arena_new_array(shader->arena, struct ir_variable, 1);
    shader->variables[0] = (struct ir_variable){.words = 1, .bits = 1};
    shader->variable_count = shader->variable_capacity = 1;
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

/* ---------------------------------------------------------------- the colour word */

/* How often the word is read, computed and written: once if one value serves all samples. */
static uint32_t rounds_of(const struct vc4c_fragment_key *key, bool reads)
{
    return reads && key->samples == 4 && !key->sample_shading ? 4 : 1;
}

/* Loads the old word of the next sample. With sample shading it loads all four and selects the shaded one. */
static struct ir_instr *load_old(struct ir_builder *b, const struct vc4c_fragment_key *key)
{
    struct ir_instr *old = ir_build0(b, IR_TLB_COLOR_LOAD);
    for (uint32_t i = 1; i < 4 && key->sample_shading; i++) {
        struct ir_instr *is_it = ir_build2(b, IR_IEQ, ir_uniform(b, VC4C_UNIFORM_SAMPLE_ID, 0, 0), ir_const(b, i));
        old = ir_sel(b, is_it, ir_build0(b, IR_TLB_COLOR_LOAD), old);
    }
    return old;
}

/* True when the shader writes this target and the key lets it. */
static bool has_color(const struct vc4c_fragment_key *key, const struct ir_fs_outputs *o)
{
    bool is_defined = false;
    for (uint32_t i = 0; i < 4 && key->color_location < IR_COLOR_LOCATIONS; i++) {
        const struct ir_instr *value = o->colors[key->color_location][i];
        is_defined |= value && value->op != IR_UNDEF;
    }
    return is_defined && ir_writes_color(key);
}

static void find_color(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_fs_outputs *o)
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
    if (b->shader->is_smooth && hw_format_kind(key->color_format) != HW_KIND_UINT &&
        hw_format_kind(key->color_format) != HW_KIND_SINT)
        o->color[3] = ir_fmul(b, o->color[3], ir_line_coverage(b));
}

/* `late`: flags of the samples that remain covered, or NULL. */
static struct ir_instr *sample_lives(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *alive,
                                     struct ir_instr *late, uint32_t sample)
{
    if (!late)
        return alive;
    struct ir_instr *bit = ir_const(b, BIT(sample));
    if (key->sample_shading)
        bit = ir_build2(b, IR_SHL, ir_const(b, 1), ir_uniform(b, VC4C_UNIFORM_SAMPLE_ID, 0, 0));
    return ir_build2(b, IR_BAND, alive, ir_build2(b, IR_INE, ir_build2(b, IR_AND, late, bit), ir_const(b, 0)));
}

static struct ir_instr *bit_field(struct ir_builder *b, struct ir_instr *x, uint32_t first, uint32_t bits, uint32_t to)
{
    x = ir_build2(b, IR_AND, x, ir_const(b, (BIT(bits) - 1) << first));
    return to > first   ? ir_build2(b, IR_SHL, x, ir_const(b, to - first))
           : to < first ? ir_build2(b, IR_SHR, x, ir_const(b, first - to))
                        : x;
}

/* The address of a pixel, or of its first sample, in a stored word of colour. Pixels are in raster order, samples in
 * the order of the tile buffer (hw_ms_offset_B()). */
static struct ir_instr *stored_pixel(struct ir_builder *b, const struct vc4c_fragment_key *key, uint32_t word)
{
    struct ir_instr *x = ir_build0(b, IR_FRAG_X), *y = ir_build0(b, IR_FRAG_Y), *row = y;
    struct ir_instr *place = ir_uniform(b, VC4C_UNIFORM_ENGINE_COLOR, 0, word);
    if (key->samples > 1) {
        row = ir_build2(b, IR_SHR, y, ir_const(b, util_log2(HW_MS_TILE_PX)));
        place = ir_build2(b, IR_IADD, place, bit_field(b, x, 0, 1, 2));
        place = ir_build2(b, IR_IADD, place, bit_field(b, y, 0, 1, 3));
        place = ir_build2(b, IR_IADD, place, bit_field(b, x, 1, 4, 6));
        place = ir_build2(b, IR_IADD, place, bit_field(b, y, 1, 4, 10));
        place = ir_build2(b, IR_IADD, place, bit_field(b, x, 5, 11, 14));
    } else {
        place = ir_build2(b, IR_IADD, place, ir_build2(b, IR_SHL, x, ir_const(b, 2)));
    }
    return ir_build2(b, IR_IADD, place,
                     ir_build2(b, IR_MUL24, row, ir_uniform(b, VC4C_UNIFORM_ENGINE_COLOR_PITCH, 0, word)));
}

/* The address of the sample of a round (rounds_of()). Lanes that `covered` leaves out have none. */
static struct ir_instr *stored_sample(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *pixel,
                                      uint32_t round, struct ir_instr *covered)
{
    struct ir_instr *sample = ir_const(b, round * HW_MS_SAMPLE_B);
    if (key->sample_shading)
        sample =
            ir_build2(b, IR_SHL, ir_uniform(b, VC4C_UNIFORM_SAMPLE_ID, 0, 0), ir_const(b, util_log2(HW_MS_SAMPLE_B)));
    struct ir_instr *place = round || key->sample_shading ? ir_build2(b, IR_IADD, pixel, sample) : pixel;
    return ir_sel(b, covered, place, ir_const(b, VC4C_ENGINE_NULL));
}

/* Lanes whose sample of the round is left after the tests. */
static struct ir_instr *covers(struct ir_builder *b, const struct vc4c_fragment_key *key, uint32_t rounds,
                               uint32_t round)
{
    struct ir_instr *flags = ir_build0(b, IR_MS_FLAGS);
    if (rounds > 1)
        flags = ir_build2(b, IR_AND, flags, ir_const(b, BIT(round)));
    return ir_build2(b, IR_INE, flags, ir_const(b, 0));
}

/* Loads the old alpha of a target whose alpha is apart. `word`: the target's word that is computed next, by its number
 * among the stored ones; -1: the one in the tile buffer. Alpha is stored last, so it is still the old one. */
static void load_alpha(struct ir_builder *b, const struct vc4c_fragment_key *key,
                       const struct vc4c_fragment_key *target, int32_t word, uint32_t rounds, uint32_t round,
                       struct ir_fs_outputs *o)
{
    o->old_alpha = NULL;
    if (!target->alpha_apart)
        return;
    struct ir_instr *pixel = stored_pixel(b, key, (uint32_t)(word + 3 - target->color_word));
    struct ir_instr *place = stored_sample(b, key, pixel, round, covers(b, key, rounds, round));
    o->old_alpha = ir_build1(b, IR_ENGINE_LOAD, place);
}

static void write_color(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_fs_outputs *o,
                        struct ir_instr *alive, struct ir_instr *late)
{
    bool reads = ir_needs_old_color(key);
    const uint32_t rounds = rounds_of(key, reads || late);
    find_color(b, key, o);
    b->shader->reads_color = reads;
    for (uint32_t i = 0; i < rounds; i++) {
        struct ir_instr *old = reads ? load_old(b, key) : NULL;
        load_alpha(b, key, key, -1, rounds, i, o);
        ir_build2(b, rounds == 4 ? IR_TLB_COLOR_STORE_MS : IR_TLB_COLOR_STORE, ir_color_word(b, key, o, old),
                  sample_lives(b, key, alive, late, i));
    }
}

/* ---------------------------------------------------------------- counting */

/* With early tests, samples count even if the shader discards them. */
static void count_before_shading(struct ir_shader *shader, struct ir_fs_outputs *o)
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

/* Stores one of the colour words that are not in the tile buffer, for samples that are still covered after the tests.
 */
static void store_color(struct ir_builder *b, const struct vc4c_key *key, uint32_t word, struct ir_fs_outputs *o,
                        struct ir_instr *alive, struct ir_instr *late)
{
    const struct vc4c_fragment_key *target = &key->stored[word];
    const uint32_t rounds = rounds_of(&key->fs, true);
    struct ir_instr *pixel = stored_pixel(b, &key->fs, word);
    find_color(b, target, o);
    for (uint32_t i = 0; i < rounds; i++) {
        struct ir_instr *covered = covers(b, &key->fs, rounds, i);
        covered = ir_build2(b, IR_BAND, covered, sample_lives(b, &key->fs, alive, late, i));
        struct ir_instr *place = stored_sample(b, &key->fs, pixel, i, covered);
        load_alpha(b, &key->fs, target, (int32_t)word, rounds, i, o);
        struct ir_instr *old = ir_needs_old_color(target) ? ir_build1(b, IR_ENGINE_LOAD, place) : NULL;
        ir_build2(b, IR_ENGINE_STORE, place, ir_color_word(b, target, o, old));
    }
}

static bool can_pack(const struct vc4c_fragment_key *key, struct vc4c_error *error, enum vc4c_result *result)
{
    if (key->color_format == HW_FORMAT_NONE || ir_can_pack_format(key->color_format))
        return true;
    *result = ir_lower_error(error, VC4C_UNSUPPORTED, NULL, "colour targets of format %s are not supported",
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

/* -- tests at the start -------------------------------------------------------------------------------------------- */

/* Emits clipping and early tests at the start where possible. Pixels that are clipped away must not have side effects,
 * and with early tests neither may pixels that fail them. Programs may also ask for the coverage after early tests.
 * Returns whether the tests were emitted. */
static bool begin_tests(struct ir_builder *start, const struct vc4c_fragment_key *key, struct ir_fs_outputs *o)
{
    struct ir_shader *shader = start->shader;
    const bool clips = o->clips, clips_late = clips && !ir_clip_early(start, key, o);
    const bool tests = key->write_z || clips || key->use_sample_mask;
    const bool tests_first = shader->early_fragment_tests && tests && !clips_late && !o->sample_mask &&
                             !(key->alpha_to_coverage && o->coverage_alpha);
    if (tests_first && key->use_sample_mask)
        ir_build1(start, IR_MS_FLAGS_AND, ir_uniform(start, VC4C_UNIFORM_SAMPLE_MASK, 0, 0));
    if (tests_first)
        ir_write_depth(start, key, o, NULL);
    return tests_first;
}

enum vc4c_result ir_lower_fs_outputs(struct ir_shader *shader, const struct vc4c_key *whole_key,
                                     struct vc4c_error *error)
{
    const struct vc4c_fragment_key *key = &whole_key->fs;
    struct ir_fs_outputs o;
    enum vc4c_result result = take_outputs(shader, &o, error);
    if (!result)
        result = check_formats(whole_key, error);
    if (result)
        return result;
    o.clips |= shader->targets || shader->stipples;
    if (key->counts && shader->early_fragment_tests)
        count_before_shading(shader, &o);
    struct ir_instr *alive = o.discards ? lower_discard(shader, key) : NULL, *late = NULL;
    if (shader->early_fragment_tests) { /* the shader's own coverage then affects colour only */
        struct ir_builder end = ir_at_end(shader, ir_list_last(&shader->body));
        late = ir_late_coverage(&end, key, &o);
    }
    struct ir_builder start = ir_at_start(shader, ir_first_block(shader));
    if (shader->targets)
        ir_select_target(&start);
    if (shader->stipples)
        ir_stipple_line(&start, key);
    const bool has_side_effects = ir_has_side_effects(shader);
    const bool tests_first = (has_side_effects || shader->post_depth_coverage) && begin_tests(&start, key, &o);
    if (has_side_effects)
        ir_lower_fs_side_effects(shader, key, &start, alive != NULL);
    struct ir_builder b = ir_at_end(shader, ir_list_last(&shader->body));
    alive = alive ? alive : ir_const_bool(&b, true);
    ir_write_coverage(&b, key, &o);
    if (!tests_first)
        ir_write_depth(&b, key, &o, alive);
    shader->writes_z_late = (o.discards || o.depth || shader->depth_is_input) && !shader->early_fragment_tests;
    if (key->counts)
        write_count(&b, key, alive);
    else if (has_color(key, &o))
        write_color(&b, key, &o, alive, late);
    for (uint32_t i = 0; i < whole_key->stored_count; i++)
        if (has_color(&whole_key->stored[i], &o))
            store_color(&b, whole_key, i, &o, alive, late);
    return VC4C_OK;
}
