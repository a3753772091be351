/* SPDX-License-Identifier: MIT
 *
 * Tests the local rules of ir_opt_algebraic, each alone and in both phases of a shader. Every rule has an example here.
 * In each phase that its table row names, the rule must turn the example into the expected text, the result must be
 * valid in that phase, and the evaluator must give the same results for both. In a phase that the row leaves out,
 * nothing may change, and leaving it out must be necessary: the example or the result would contain a high-level
 * operation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>
#include "compiler/ir/ir_rules.h"
#include "ir_eval.h"
#include "pass_text.h"

struct example {
    const char *op, *rule;
    const char *before, *after; /* define %9 or ?9 from %0 to %2 (words), ?3 and ?4 */
};

static const struct example examples[] = {
    {"fadd", "x + 0 = x", "%5 = const 0.0 %9 = fadd %5 %0", "%9 = mov %0"},
    {"fadd", "x + 0 = x", "%5 = const 0x80000000 %9 = fadd %0 %5", "%9 = mov %0"},
    {"fadd", "x + (-y) = x - y", "%5 = fneg %1 %9 = fadd %0 %5", "%9 = fsub %0 %1"},
    {"fadd", "(-x) + y = y - x", "%5 = fneg %1 %9 = fadd %5 %0", "%9 = fsub %0 %1"},
    {"fsub", "x - 0 = x", "%5 = const 0.0 %9 = fsub %0 %5", "%9 = mov %0"},
    {"fsub", "x - (-y) = x + y", "%5 = fneg %1 %9 = fsub %0 %5", "%9 = fadd %0 %1"},
    {"fsub", "0 - (x - y) = y - x", "%5 = fsub %0 %1 %6 = const 0.0 %9 = fsub %6 %5", "%9 = fsub %1 %0"},
    {"fmul", "x 1 = x", "%5 = const 1.0 %9 = fmul %0 %5", "%9 = mov %0"},
    {"fmul", "x 0 = 0", "%5 = const 0.0 %9 = fmul %5 %0", "%9 = const 0.0"},
    {"fmul", "x (-1) = -x", "%5 = const -1.0 %9 = fmul %5 %0", "%9 = fneg %0"},
    {"fmul", "(-x) (-y) = x y", "%5 = fneg %0 %6 = fneg %1 %9 = fmul %5 %6", "%9 = fmul %0 %1"},
    {"fmul", "(-x) c = x (-c)", "%5 = fneg %0 %6 = const 3.0 %9 = fmul %6 %5", "%6 = const -3.0 %9 = fmul %0 %6"},
    {"fmul", "(x c) d = x (c d)", "%5 = const 3.0 %6 = fmul %0 %5 %7 = const 5.0 %9 = fmul %6 %7",
     "%5 = const 3.0 %7 = const 5.0 %8 = fmul %5 %7 %9 = fmul %0 %8"},
    {"fdiv", "1 / x", "%5 = const 1.0 %9 = fdiv %5 %0", "%9 = frcp %0"},
    {"fdiv", "x / c = x (1 / c)", "%5 = const 8.0 %9 = fdiv %0 %5", "%5 = const 0.125 %9 = fmul %0 %5"},
    {"fpow", "x^1 = x", "%6 = fabs %0 %5 = const 1.0 %9 = fpow %6 %5", "%6 = fabs %0 %9 = mov %6"},
    {"fpow", "x^2 = x x", "%5 = const 2.0 %9 = fpow %0 %5", "%9 = fmul %0 %0"},
    {"fpow", "x^0.5 = sqrt(x)", "%6 = fabs %0 %5 = const 0.5 %9 = fpow %6 %5", "%6 = fabs %0 %9 = fsqrt %6"},
    {"fpow", "x^-1 = 1 / x", "%5 = const -1.0 %9 = fpow %0 %5", "%9 = frcp %0"},
    {"fneg", "-(-x) = x", "%5 = fneg %0 %9 = fneg %5", "%9 = mov %0"},
    {"fneg", "-(x - y) = y - x", "%5 = fsub %0 %1 %9 = fneg %5", "%9 = fsub %1 %0"},
    {"fabs", "|-x| = |x|", "%5 = fneg %0 %9 = fabs %5", "%9 = fabs %0"},
    {"fabs", "||x|| = |x|", "%5 = fabs %0 %9 = fabs %5", "%9 = fabs %0"},
    {"fsat", "saturated twice", "%5 = fsat %0 %9 = fsat %5", "%9 = fsat %0"},
    {"frcp", "1 / sqrt(x)", "%6 = fabs %0 %5 = fsqrt %6 %9 = frcp %5", "%6 = fabs %0 %9 = frsq %6"},
    {"pack_unorm8", "the bytes of a word are the word",
     "%5 = unpack_f [2] %0 %6 = unpack_f [3] %0 %7 = unpack_f [4] %0 %8 = unpack_f [5] %0 %9 = pack_unorm8 %5 %6 %7 %8",
     "%9 = mov %0"},
    {"pack_unorm8", "packing saturates", "%5 = fsat %0 %9 = pack_unorm8 %5 %1 %2 %1", "%9 = pack_unorm8 %0 %1 %2 %1"},
    {"pack_unorm8", "packing saturates",
     "%5 = const 1.0 %6 = fmin %0 %5 %7 = const 0.0 %8 = fmax %1 %7 %9 = pack_unorm8 %6 %8 %2 %1",
     "%9 = pack_unorm8 %0 %1 %2 %1"},
    {"iadd", "x + 0 = x", "%5 = const 0 %9 = iadd %5 %0", "%9 = mov %0"},
    {"iadd", "(x + c) + d = x + (c + d)", "%5 = const 7 %6 = iadd %0 %5 %7 = const -3 %9 = iadd %6 %7",
     "%5 = const 4 %9 = iadd %0 %5"},
    {"isub", "x - 0 = x", "%5 = const 0 %9 = isub %0 %5", "%9 = mov %0"},
    {"isub", "x - x = 0", "%9 = isub %0 %0", "%9 = const 0"},
    {"isub", "x - c = x + (-c)", "%5 = const 5 %9 = isub %0 %5", "%5 = const -5 %9 = iadd %0 %5"},
    {"imul", "x 0 = 0", "%5 = const 0 %9 = imul %0 %5", "%9 = const 0"},
    {"imul", "x 1 = x", "%5 = const 1 %9 = imul %5 %0", "%9 = mov %0"},
    {"imul", "x 2^n = x << n", "%5 = const 0x80000000 %9 = imul %0 %5", "%5 = const 31 %9 = shl %0 %5"},
    {"mul24", "x 0 = 0", "%5 = const 0 %9 = mul24 %0 %5", "%9 = const 0"},
    {"udiv", "x / 2^n = x >> n", "%5 = const 16 %9 = udiv %0 %5", "%5 = const 4 %9 = shr %0 %5"},
    {"umod", "x % 2^n = x & (2^n - 1)", "%5 = const 16 %9 = umod %0 %5", "%5 = const 15 %9 = and %0 %5"},
    {"and", "x & x = x", "%9 = and %0 %0", "%9 = mov %0"},
    {"and", "x & 0 = 0", "%5 = const 0 %9 = and %0 %5", "%9 = const 0"},
    {"and", "x & ~0 = x", "%5 = const -1 %9 = and %5 %0", "%9 = mov %0"},
    {"and", "(x & c) & d = x & (c & d)", "%5 = const 12 %6 = and %0 %5 %7 = const 6 %9 = and %6 %7",
     "%5 = const 4 %9 = and %0 %5"},
    {"or", "x | x = x", "%9 = or %0 %0", "%9 = mov %0"},
    {"or", "x | 0 = x", "%5 = const 0 %9 = or %0 %5", "%9 = mov %0"},
    {"or", "x | ~0 = ~0", "%5 = const -1 %9 = or %0 %5", "%9 = const -1"},
    {"xor", "x ^ 0 = x", "%5 = const 0 %9 = xor %0 %5", "%9 = mov %0"},
    {"shl", "x << 0 = x", "%5 = const 0 %9 = shl %0 %5", "%9 = mov %0"},
    {"shr", "x >> 0 = x", "%5 = const 32 %9 = shr %0 %5", "%9 = mov %0"},
    {"asr", "x >> 0 = x", "%5 = const 64 %9 = asr %0 %5", "%9 = mov %0"},
    {"ror", "x rotated by 0 = x", "%5 = const 32 %9 = ror %0 %5", "%9 = mov %0"},
    {"ieq", "(b ? n : 0) == 0 is not b", "%5 = const 7 %6 = const 0 %7 = sel ?3 %5 %6 ?9 = ieq %7 %6", "?9 = bnot ?3"},
    {"ieq", "x == x", "?9 = ieq %0 %0", "?9 = const 1"},
    {"ine", "(b ? n : 0) != 0 is b", "%5 = const 7 %6 = const 0 %7 = sel ?3 %5 %6 ?9 = ine %7 %6", "?9 = mov ?3"},
    {"ine", "x != x", "?9 = ine %0 %0", "?9 = const 0"},
    {"bnot", "not not b = b", "?5 = bnot ?3 ?9 = bnot ?5", "?9 = mov ?3"},
    {"bnot", "not of a comparison", "?5 = feq %0 %1 ?9 = bnot ?5", "?9 = fne %0 %1"},
    {"bnot", "not of a comparison", "?5 = fne %0 %1 ?9 = bnot ?5", "?9 = feq %0 %1"},
    {"bnot", "not of a comparison", "?5 = flt %0 %1 ?9 = bnot ?5", "?9 = fge %0 %1"},
    {"bnot", "not of a comparison", "?5 = fge %0 %1 ?9 = bnot ?5", "?9 = flt %0 %1"},
    {"bnot", "not of a comparison", "?5 = ieq %0 %1 ?9 = bnot ?5", "?9 = ine %0 %1"},
    {"bnot", "not of a comparison", "?5 = ine %0 %1 ?9 = bnot ?5", "?9 = ieq %0 %1"},
    {"bnot", "not of a comparison", "?5 = ilt %0 %1 ?9 = bnot ?5", "?9 = ige %0 %1"},
    {"bnot", "not of a comparison", "?5 = ige %0 %1 ?9 = bnot ?5", "?9 = ilt %0 %1"},
    {"bnot", "not of a comparison", "?5 = ult %0 %1 ?9 = bnot ?5", "?9 = uge %0 %1"},
    {"bnot", "not of a comparison", "?5 = uge %0 %1 ?9 = bnot ?5", "?9 = ult %0 %1"},
    {"band", "b and b = b", "?9 = band ?3 ?3", "?9 = mov ?3"},
    {"band", "b and a constant", "?5 = const 1 ?9 = band ?5 ?3", "?9 = mov ?3"},
    {"band", "b and a constant", "?5 = const 0 ?9 = band ?3 ?5", "?9 = const 0"},
    {"bor", "b or b = b", "?9 = bor ?3 ?3", "?9 = mov ?3"},
    {"bor", "b or a constant", "?5 = const 1 ?9 = bor ?3 ?5", "?9 = const 1"},
    {"bor", "b or a constant", "?5 = const 0 ?9 = bor ?3 ?5", "?9 = mov ?3"},
    {"bxor", "b xor false = b", "?5 = const 0 ?9 = bxor ?5 ?3", "?9 = mov ?3"},
    {"bxor", "b xor true = not b", "?5 = const 1 ?9 = bxor ?3 ?5", "?9 = bnot ?3"},
    {"sel", "a constant chooses", "?5 = const 1 %9 = sel ?5 %0 %1", "%9 = mov %0"},
    {"sel", "a constant chooses", "?5 = const 0 %9 = sel ?5 %0 %1", "%9 = mov %1"},
    {"sel", "both the same", "%9 = sel ?3 %0 %0", "%9 = mov %0"},
    {"sel", "both the same", "%5 = const 3 %6 = const 3 %9 = sel ?3 %5 %6", "%9 = const 3"},
    {"sel", "not b chooses", "?5 = bnot ?3 %9 = sel ?5 %0 %1", "%9 = sel ?3 %1 %0"},
    {"sel", "of booleans", "?5 = const 1 ?6 = const 0 ?9 = sel ?3 ?5 ?6", "?9 = mov ?3"},
    {"sel", "of booleans", "?5 = const 1 ?9 = sel ?3 ?5 ?4", "?9 = bor ?3 ?4"},
    {"sel", "of booleans", "?5 = const 0 ?9 = sel ?3 ?4 ?5", "?9 = band ?3 ?4"},
    {"sel", "of booleans", "?5 = const 0 ?6 = const 1 ?9 = sel ?3 ?5 ?6", "?9 = bnot ?3"},
    {"sel", "of booleans", "?5 = const 0 ?9 = sel ?3 ?5 ?4", "?5 = bnot ?3 ?9 = band ?5 ?4"},
    {"sel", "of booleans", "?5 = const 1 ?9 = sel ?3 ?4 ?5", "?5 = bnot ?3 ?9 = bor ?5 ?4"},
    {"sel", "b ? (b ? x : y) : z = b ? x : z", "%5 = sel ?3 %0 %1 %9 = sel ?3 %5 %2", "%9 = sel ?3 %0 %2"},
    {"sel", "b ? x : (b ? y : z) = b ? x : z", "%5 = sel ?3 %1 %2 %9 = sel ?3 %0 %5", "%9 = sel ?3 %0 %2"},
};

/* ---------------------------------------------------------------- the program around an example */

static const char *program(struct util_arena *arena, const char *text, bool lowered)
{
    const bool is_bool = strstr(text, "?9");
    return util_arena_printf(arena,
                             "shader fragment\ninput 0 0 0 0 0\ninput 0 1 0 0 0\ninput 0 2 0 0 0\n%s{\n"
                             "%%0 = varying [0]\n%%1 = varying [1]\n%%2 = varying [2]\n"
                             "?3 = ilt %%0 %%1\n?4 = ilt %%1 %%2\n%s\n"
                             "%%10 = const 1\n%%11 = const 0\n?12 = const 1\n%s\n}",
                             lowered ? "lowered\n" : "", text,
                             is_bool ? "%13 = sel ?9 %10 %11\ntlb_color_store %13 ?12" : "tlb_color_store %9 ?12");
}

static struct ir_shader *parse(struct util_arena *arena, const char *text, bool lowered)
{
    return pass_parse(arena, program(arena, text, lowered));
}

/* Applies this rule only: the sel that converts a boolean result must not change. */
static bool apply(struct ir_shader *shader, const struct ir_rule *rule)
{
    bool changed = ir_apply_rules(shader, rule, 1);
    while (ir_opt_copy(shader))
        ;
    ir_opt_dce(shader);
    return changed;
}

/* ---------------------------------------------------------------- evaluation */

static uint32_t round_of_inputs;

static uint32_t input(uint32_t location, uint32_t component, uint32_t lane)
{
    static const float floats[] = {0, 1, -1, 0.5f, -0.5f, 2, -3.25f, 100, -0.125f, 1e-3f, 1e6f, 3, 0.75f, 255, -7, 17};
    static const uint32_t words[] = {0,  1,  2,   7,          8,          31,         32,         0xffffffff,
                                     15, 16, 255, 0x7fffffff, 0x80000000, 0xfffffff0, 0x12345678, 3};
    (void)location;
    uint32_t at = (lane + component * (3 + 2 * (round_of_inputs / 2))) % 16;
    return round_of_inputs % 2 ? words[at] : util_fui(floats[at]);
}

static void evaluate(struct ir_shader *shader, uint32_t out[EVAL_LANES])
{
    struct eval *e = calloc(1, sizeof *e);
    e->input = input;
    ir_renumber(shader);
    eval_run(e, shader, 10000);
    assert_null(e->trouble);
    memcpy(out, e->color, sizeof e->color);
    free(e);
}

/* Equal; or, for floats, one of them not finite, or apart by a few roundings. */
static bool is_close(uint32_t x, uint32_t y, bool is_float)
{
    float a = util_uif(x), b = util_uif(y);
    if (x == y || (is_float && (!isfinite(a) || !isfinite(b))))
        return true;
    return is_float && fabsf(a - b) <= 4e-7f * fabsf(a);
}

static void check_same_results(const struct example *e, struct util_arena *arena, bool lowered)
{
    uint32_t want[EVAL_LANES], got[EVAL_LANES];
    const bool is_float = strstr(e->before, "= f");
    for (round_of_inputs = 0; round_of_inputs < 8; round_of_inputs++) {
        if (is_float && round_of_inputs % 2)
            continue; /* the rules hold for numbers, not necessarily for NaN */
        evaluate(parse(arena, e->before, lowered), want);
        evaluate(parse(arena, e->after, lowered), got);
        for (uint32_t lane = 0; lane < EVAL_LANES; lane++)
            if (!is_close(want[lane], got[lane], is_float))
                fail_msg("%s, %s, lane %u: 0x%08x, expected 0x%08x", e->op, e->rule, lane, got[lane], want[lane]);
    }
}

/* ---------------------------------------------------------------- the rules */

static bool is_of(const struct example *e, const struct ir_rule *rule)
{
    return !strcmp(e->op, ir_op_infos[rule->op].text) && !strcmp(e->rule, rule->name);
}

static void check_text(const struct example *e, struct util_arena *arena, struct ir_shader *shader, bool lowered)
{
    struct ir_shader *wanted = parse(arena, e->after, lowered);
    ir_opt_copy(wanted);
    ir_opt_dce(wanted);
    char *got = pass_print(shader), *want = pass_print(wanted);
    assert_string_equal(got, want);
    free(got);
    free(want);
}

/* The rule is used, and its result is valid. */
static void check_used(const struct example *e, const struct ir_rule *rule, bool lowered)
{
    struct util_arena arena;
    util_arena_init(&arena, NULL);
    struct ir_shader *shader = parse(&arena, e->before, lowered);
    if (!apply(shader, rule))
        fail_msg("%s, %s: not applied in the %s phase", e->op, e->rule, lowered ? "low" : "high");
    const char *message = ir_validate(shader, lowered);
    if (message)
        fail_msg("%s, %s: %s in the %s phase", e->op, e->rule, message, lowered ? "low" : "high");
    check_text(e, &arena, shader, lowered);
    check_same_results(e, &arena, lowered);
    util_arena_finish(&arena);
}

/* The rule does nothing in the low phase, where either the example or its result would be a high-level operation. */
static void check_unused_when_lowered(const struct example *e, const struct ir_rule *rule)
{
    struct util_arena arena;
    util_arena_init(&arena, NULL);
    struct ir_shader *before = parse(&arena, e->before, false), *after = parse(&arena, e->before, false);
    apply(after, rule);
    const bool before_is_low = !ir_validate(before, true), after_is_low = !ir_validate(after, true);
    if (before_is_low && after_is_low)
        fail_msg("%s, %s: is legal in the low phase: add IR_RULE_LOW to its row", e->op, e->rule);
    if (before_is_low) {
        struct ir_shader *shader = parse(&arena, e->before, true);
        if (apply(shader, rule))
            fail_msg("%s, %s: applied in the low phase although its row lacks IR_RULE_LOW", e->op, e->rule);
    }
    util_arena_finish(&arena);
}

/* Is the example valid in the low phase? */
static bool is_low(const struct example *e)
{
    struct util_arena arena;
    util_arena_init(&arena, NULL);
    const bool is = !ir_validate(parse(&arena, e->before, false), true);
    util_arena_finish(&arena);
    return is;
}

static void every_rule_in_every_phase(void **state)
{
    for (uint32_t i = 0; i < ir_rule_count; i++) {
        const struct ir_rule *rule = &ir_rules[i];
        uint32_t high = 0, low = 0;
        assert_true(rule->phases & IR_RULE_HIGH);
        for (size_t k = 0; k < ARRAY_SIZE(examples); k++) {
            const struct example *e = &examples[k];
            if (!is_of(e, rule))
                continue;
            check_used(e, rule, false);
            high++;
            if (!(rule->phases & IR_RULE_LOW))
                check_unused_when_lowered(e, rule);
            else if (is_low(e))
                check_used(e, rule, true), low++;
        }
        if (!high)
            fail_msg("the rule %s, %s has no example", ir_op_infos[rule->op].text, rule->name);
        if (rule->phases & IR_RULE_LOW && !low)
            fail_msg("the rule %s, %s has no example for the low phase", ir_op_infos[rule->op].text, rule->name);
    }
}

static void every_example_has_a_rule(void **state)
{
    for (size_t k = 0; k < ARRAY_SIZE(examples); k++) {
        uint32_t rules = 0;
        for (uint32_t i = 0; i < ir_rule_count; i++)
            rules += is_of(&examples[k], &ir_rules[i]);
        if (rules != 1)
            fail_msg("%u rules are called %s, %s, expected 1", rules, examples[k].op, examples[k].rule);
    }
}

/* The rules of one operation must be adjacent: the pass stops at the first rule of another operation. */
static void the_table_is_sorted(void **state)
{
    bool seen[IR_OP_COUNT] = {false};
    for (uint32_t i = 0; i < ir_rule_count; i++) {
        if (i && ir_rules[i].op == ir_rules[i - 1].op)
            continue;
        if (seen[ir_rules[i].op])
            fail_msg("the rules of %s are not adjacent in ir_rules", ir_op_infos[ir_rules[i].op].text);
        seen[ir_rules[i].op] = true;
    }
}

/* ---------------------------------------------------------------- the other passes */

/* Every low-level operation, with constant sources and inside an if: the passes must not produce high-level ones. */
static void passes_keep_programs_low(void **state)
{
    for (uint32_t op = 0; op < IR_OP_COUNT; op++) {
        const struct ir_op_info *info = &ir_op_infos[op];
        if ((info->flags & IR_H) || !(info->flags & IR_P) || info->sources < 1 || info->sources > 3 || op == IR_SEL ||
            op == IR_DIRECT || op == IR_DIRECT_TEX || op == IR_LOAD_TABLE)
            continue;
        struct util_arena arena;
        util_arena_init(&arena, NULL);
        for (uint32_t variant = 0; variant < 6; variant++) {
            static const uint32_t words[] = {0, 1, 0x3f800000, 0xbf800000, 0xffffffff, 0x40000000};
            struct ir_shader *shader = ir_shader_create(&arena, VC4C_PROGRAM_FRAGMENT);
            struct ir_builder b = ir_at_end(shader, ir_first_block(shader));
            shader->lowered = true;
            struct ir_instr *word = ir_build0(&b, IR_FRAG_W), *one = ir_const_bool(&b, true), *srcs[3];
            struct ir_instr *cond = ir_build2(&b, IR_FLT, word, ir_const_f(&b, 0.5f));
            struct ir_if *nif = ir_push_if(&b, cond);
            struct ir_instr *instr = ir_build(&b, (enum ir_op)op, 32, info->sources, NULL);
            struct ir_builder before = ir_before(shader, instr);
            for (uint32_t i = 0; i < info->sources; i++) {
                const bool is_bool = ir_src_bits(instr, i) == 1;
                srcs[i] = is_bool ? cond : i == variant % 2 ? word : ir_const(&before, words[variant]);
                ir_src_set(&instr->src[i], srcs[i]);
            }
            ir_pop_if(&b, nif);
            struct ir_instr *other = instr->value.bits == 1 ? one : word;
            struct ir_instr *merged = ir_build(&b, IR_PHI, instr->value.bits, 2, (struct ir_instr *[]){instr, other});
            if (merged->value.bits == 1)
                merged = ir_build3(&b, IR_SEL, merged, word, ir_const(&b, 1));
            ir_build2(&b, IR_TLB_COLOR_STORE, merged, one);
            assert_null(ir_validate(shader, true));
            ir_optimise(shader);
            const char *message = ir_validate(shader, true);
            if (message)
                fail_msg("%s, variant %u: %s", info->text, variant, message);
        }
        util_arena_finish(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_sorted),
        cmocka_unit_test(every_example_has_a_rule),
        cmocka_unit_test(every_rule_in_every_phase),
        cmocka_unit_test(passes_keep_programs_low),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
