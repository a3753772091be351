/* SPDX-License-Identifier: MIT
 *
 * Tests each pass on small programs: text before, text after (pass_text.h). lowering.c tests the lowering passes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "compiler/qpu/qc_pressure.h"
#include "pass_text.h"

static void variables(void **state)
{
    static const struct pass_case cases[] = {
        {"variable 2 32\n{ %0 = const 1 store_var [0 1] %0\n %1 = load_var [0 1]\n tlb_stencil %1",
         "%0 = const 1 tlb_stencil %0"},
        /* an if selects the value */
        {"variable 1 32\n{ %0 = const 1 %1 = const 2 ?2 = const 1 store_var [0 0] %0\n if ?2 { store_var [0 0] %1\n } "
         "else {}\n"
         "%3 = load_var [0 0]\n tlb_stencil %3",
         "%0 = const 1 %1 = const 2 ?2 = const 1 if ?2 {} else {}\n %3 = phi %1 %0\n tlb_stencil %3"},
        /* a loop counter */
        {"variable 1 32\n{ %0 = const 0 %1 = const 9 %2 = const 1 store_var [0 0] %0\n"
         "loop { %3 = load_var [0 0]\n ?4 = ige %3 %1\n if ?4 { break } else {}\n %5 = iadd %3 %2\n store_var [0 0] "
         "%5\n }\n"
         "%6 = load_var [0 0]\n tlb_stencil %6",
         "%0 = const 0 %1 = const 9 %2 = const 1 loop { %3 = phi %0 %5\n ?4 = ige %3 %1\n if ?4 { break } else {}\n"
         "%5 = iadd %3 %2\n }\n %6 = phi %3\n tlb_stencil %6"},
    };
    PASS_CHECK(cases, ir_opt_vars);
}

static void dead_values(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = const 1 %1 = const 2 tlb_stencil %1", "%0 = const 2 tlb_stencil %0"},
        /* a tile-buffer load whose value is unused, as with a blend factor of 0 */
        {"reads_color\n{ %0 = tlb_color_load\n %1 = const 2 ?2 = const 1 tlb_color_store %1 ?2",
         "%1 = const 2 ?2 = const 1 tlb_color_store %1 ?2"},
        /* each sample has its own load, in order: the first must stay although it is unused */
        {"reads_color\n{ %0 = tlb_color_load\n %1 = const 2 ?2 = const 1 tlb_color_store_ms %1 ?2\n"
         "%3 = tlb_color_load\n tlb_color_store_ms %3 ?2",
         NULL},
    };
    PASS_CHECK(cases, ir_opt_dce);
}

static void constants(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = const 1.5 %1 = const 2.0 %2 = fmul %0 %1\n tlb_stencil %2", "%0 = const 3.0 tlb_stencil %0"},
        {"%0 = const -7 %1 = const 2 %2 = idiv %0 %1\n tlb_stencil %2", "%0 = const -3 tlb_stencil %0"},
        {"%0 = const 7 %1 = const 0 %2 = udiv %0 %1\n tlb_stencil %2", NULL}, /* the result is undefined: not folded */
        {"%0 = const 0x7f800000 %1 = fsub %0 %0\n tlb_stencil %1", NULL},     /* NaN is not folded */
        {"%0 = element %1 = const 2 %2 = iadd %0 %1\n tlb_stencil %2", NULL},
        /* words of tables, also beyond their ends; not at variable offsets */
        {"table 3 5 6 7\n{ %0 = const 4 %1 = load_table [0] %0\n tlb_stencil %1",
         "table 3 5 6 7\n{ %0 = const 6 tlb_stencil %0"},
        {"table 3 5 6 7\n{ %0 = const 8 %1 = load_table [0 262148] %0\n tlb_stencil %1",
         "table 3 5 6 7\n{ %0 = const 7 tlb_stencil %0"},
        {"table 3 5 6 7\n{ %0 = const -8 %1 = load_table [0] %0\n tlb_stencil %1",
         "table 3 5 6 7\n{ %0 = const 5 tlb_stencil %0"},
        {"table 3 5 6 7\n{ %0 = element %1 = load_table [0] %0\n tlb_stencil %1", NULL},
    };
    PASS_CHECK(cases, ir_opt_constant);
}

static void algebra(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = element %1 = const 0.0 %2 = fadd %0 %1\n tlb_stencil %2", "%0 = element tlb_stencil %0"},
        {"%0 = element %1 = fneg %0 %2 = fadd %0 %1\n tlb_stencil %2", "%0 = element %2 = fsub %0 %0\n tlb_stencil %2"},
        {"%0 = element %1 = const 8 %2 = imul %1 %0\n tlb_stencil %2",
         "%0 = element %1 = const 3 %2 = shl %0 %1\n tlb_stencil %2"},
        {"%0 = element %1 = const 8 %2 = umod %0 %1\n tlb_stencil %2",
         "%0 = element %1 = const 7 %2 = and %0 %1\n tlb_stencil %2"},
        {"%0 = element ?1 = ieq %0 %0\n ?2 = bnot ?1\n %3 = sel ?2 %0 %0\n tlb_z %0 ?2",
         "%0 = element ?1 = const 1 ?2 = bnot ?1\n tlb_z %0 ?2"},
        {"%0 = element %1 = const 4 ?2 = ult %0 %1\n ?3 = bnot ?2\n tlb_z %0 ?3",
         "%0 = element %1 = const 4 ?2 = uge %0 %1\n tlb_z %0 ?2"},
        {"%0 = element %1 = fsat %0\n %2 = pack_unorm8 %1 %1 %0 %0\n tlb_stencil %2",
         "%0 = element %1 = pack_unorm8 %0 %0 %0 %0\n tlb_stencil %1"},
    };
    PASS_CHECK(cases, ir_opt_algebraic);
}

static void copies(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = element %1 = mov %0 tlb_stencil %1", "%0 = element tlb_stencil %0"},
        /* a phi of one value, and a phi of a value and undef */
        {"%0 = element ?1 = ieq %0 %0\n if ?1 {} else {}\n %2 = phi %0 %0\n tlb_stencil %2",
         "%0 = element ?1 = ieq %0 %0\n if ?1 {} else {}\n tlb_stencil %0"},
        {"%0 = element ?1 = ieq %0 %0\n %3 = undef if ?1 {} else {}\n %2 = phi %0 %3\n tlb_stencil %2",
         "%0 = element ?1 = ieq %0 %0\n if ?1 {} else {}\n tlb_stencil %0"},
        /* a different undef on both sides */
        {"%0 = element ?1 = ieq %0 %0\n if ?1 { %3 = undef } else { %4 = undef }\n %2 = phi %3 %4\n tlb_stencil %2",
         "%2 = undef %0 = element ?1 = ieq %0 %0\n if ?1 {} else {}\n tlb_stencil %2"},
        /* a value that is not available on the other side */
        {"%0 = element ?1 = ieq %0 %0\n %3 = undef if ?1 { %4 = not %0 } else {}\n %2 = phi %4 %3\n tlb_stencil %2",
         NULL},
        {"%0 = element ?1 = ieq %0 %0\n %2 = sel ?1 %0 %0\n tlb_stencil %2", "%0 = element tlb_stencil %0"},
    };
    PASS_CHECK(cases, ir_opt_copy);
}

static void common_subexpressions(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = element %1 = fmul %0 %0 %2 = fmul %0 %0 %3 = fadd %1 %2\n tlb_stencil %3",
         "%0 = element %1 = fmul %0 %0 %3 = fadd %1 %1\n tlb_stencil %3"},
        /* commutative */
        {"%0 = element %1 = const 3 %2 = iadd %0 %1 %3 = iadd %1 %0 %4 = fsub %2 %3\n tlb_stencil %4",
         "%0 = element %1 = const 3 %2 = iadd %0 %1 %4 = fsub %2 %2\n tlb_stencil %4"},
        /* an if can reuse values from before it, but not from its other branch */
        {"%0 = element ?1 = ieq %0 %0\n if ?1 { %2 = not %0 tlb_stencil %2 } else { %3 = not %0 tlb_stencil %3 }",
         NULL},
        {"%0 = element ?1 = ieq %0 %0\n %4 = not %0 tlb_stencil %4 if ?1 { %2 = not %0 tlb_stencil %2 } else {}",
         "%0 = element ?1 = ieq %0 %0\n %4 = not %0 tlb_stencil %4 if ?1 { tlb_stencil %4 } else {}"},
    };
    PASS_CHECK(cases, ir_opt_cse);
}

static void control_flow(void **state)
{
    static const struct pass_case cases[] = {
        {"?0 = const 1 %1 = const 1 %2 = const 2 if ?0 { tlb_stencil %1 } else { tlb_stencil %2 }",
         "%1 = const 1 tlb_stencil %1"},
        {"?0 = const 0 %1 = const 1 %2 = const 2 if ?0 {} else {}\n %3 = phi %1 %2\n tlb_stencil %3",
         "%2 = const 2 tlb_stencil %2"},
        /* a loop that runs once, and dead code after a jump */
        {"%0 = const 1 ?1 = const 1 loop { if ?1 { tlb_stencil %0 break } else {}\n tlb_stencil %0 }",
         "%0 = const 1 tlb_stencil %0"},
        {"%0 = element ?1 = ieq %0 %0\n if ?1 {} else {}", ""},
        {"%0 = element ?1 = ieq %0 %0\n if ?1 { tlb_stencil %0 } else {}", NULL},
    };
    PASS_CHECK(cases, ir_opt_dead_cf);
}

static void small_ifs(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = element ?1 = ieq %0 %0\n if ?1 { %2 = not %0 } else {}\n %3 = phi %2 %0\n tlb_stencil %3",
         "%0 = element ?1 = ieq %0 %0\n %2 = not %0 %3 = sel ?1 %2 %0\n tlb_stencil %3"},
        {"%0 = element ?1 = ieq %0 %0\n if ?1 { tlb_stencil %0 } else {}", NULL}, /* side effects keep the if */
    };
    PASS_CHECK(cases, ir_opt_if);
}

static void known_conditions(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = element ?1 = ieq %0 %0\n if ?1 { tlb_z %0 ?1 } else { tlb_z %0 ?1 }",
         "%0 = element ?1 = ieq %0 %0\n ?2 = const 1 ?3 = const 0 if ?1 { tlb_z %0 ?2 } else { tlb_z %0 ?3 }"},
        {"%0 = element ?1 = ieq %0 %0\n loop { if ?1 { break } else {}\n tlb_z %0 ?1 }",
         "%0 = element ?1 = ieq %0 %0\n loop { ?2 = const 0 if ?1 { break } else {}\n tlb_z %0 ?2 }"},
    };
    PASS_CHECK(cases, ir_opt_known_conditions);
}

static void unrolling(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = const 0 %1 = const 2 %2 = const 1 loop { %3 = phi %0 %4\n ?5 = ige %3 %1\n if ?5 { break } else {}\n"
         "tlb_stencil %3 %4 = iadd %3 %2\n }\n tlb_stencil %3",
         "%0 = const 0 %1 = const 1 tlb_stencil %0 %2 = iadd %0 %1\n tlb_stencil %2 %3 = iadd %2 %1\n tlb_stencil %3"},
        /* the limit is not known */
        {"%0 = const 0 %1 = element %2 = const 1 loop { %3 = phi %0 %4\n ?5 = ige %3 %1\n if ?5 { break } else {}\n"
         "tlb_stencil %3 %4 = iadd %3 %2\n }", NULL},
        /* stands in place of repeated code */
        {"%0 = const 0 %1 = const 2 %2 = const 1 loop rolled { %3 = phi %0 %4\n ?5 = ige %3 %1\n if ?5 { break } else {}\n"
         "tlb_stencil %3 %4 = iadd %3 %2\n }\n tlb_stencil %3", NULL},
    };
    PASS_CHECK(cases, ir_opt_unroll);
}

static bool loop_exits(struct ir_shader *shader)
{
    ir_lower_loop_exits(shader);
    return true;
}

static void values_leave_loops_through_phis(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = element ?1 = ieq %0 %0\n loop { %2 = not %0 if ?1 { break } else {}\n }\n tlb_stencil %2",
         "%0 = element ?1 = ieq %0 %0\n loop { %2 = not %0 if ?1 { break } else {}\n }\n %3 = phi %2\n tlb_stencil %3"},
    };
    PASS_CHECK(cases, loop_exits);
}

static void loop_invariants(void **state)
{
    (void)state;
    static const struct pass_case cases[] = {
        {"%0 = frag_w\n%1 = const 0\nloop {\n%2 = phi %1 %3\n%4 = fmul %0 %0\n%5 = uniform push data=4\n"
         "%6 = fadd %4 %5\n?7 = flt %0 %6\n%3 = fadd %2 %6\n?8 = fge %3 %6\nif ?8 { break } else { }\n}\n"
         "%9 = phi %3\ntlb_stencil %9",
         "%0 = frag_w\n%1 = const 0\n%4 = fmul %0 %0\n%5 = uniform push data=4\n%6 = fadd %4 %5\n"
         "loop {\n%2 = phi %1 %3\n%3 = fadd %2 %6\n?8 = fge %3 %6\nif ?8 { break } else { }\n}\n"
         "%9 = phi %3\ntlb_stencil %9"},
    };
    PASS_CHECK(cases, ir_opt_invariant);
}

static void uniform_expressions(void **state)
{
    (void)state;
    static const char *const before = "%0 = uniform push data=4\n%1 = uniform push data=8\n%2 = fmul %0 %1\n"
                                      "%3 = frsq %2\n%4 = frag_w\n%5 = fmul %3 %4\n%6 = fdiv %5 %0\n"
                                      "?7 = flt %2 %0\n%8 = sel ?7 %6 %4\ntlb_stencil %8";
    struct util_arena arena;
    util_arena_init(&arena, NULL);
    struct ir_shader *shader = pass_parse(&arena, before);
    assert_true(ir_hoist_uniforms(shader));
    assert_null(ir_validate(shader, false));
    ir_opt_dce(shader);
    char *got = pass_print(shader);
    /* the six expressions: 0 and 1 are the push words, then the product, its frsq, 1 / %0 and the comparison */
    const char *at = strstr(got, "{");
    assert_non_null(at);
    assert_string_equal(at, "{\n    %0 = uniform expr data=0x3\n    %1 = frag_w\n    %2 = fmul %0 %1\n"
                            "    %3 = uniform expr data=0x4\n    %4 = fmul %2 %3\n    %5 = uniform expr data=0x5\n"
                            "    %6 = const 0x0\n    ?7 = ine %5 %6\n    %8 = sel ?7 %4 %1\n    tlb_stencil %8\n}\n");
    assert_int_equal(shader->expr_count, 6);
    free(got);
    util_arena_finish(&arena);
}

/* The chip's point coordinate y runs opposite to Vulkan's. */
static bool lower_point_coordinates(struct ir_shader *shader)
{
    shader->primitive = VC4C_PRIMITIVE_POINTS;
    bool ok = ir_lower_fs_inputs(shader, &(struct vc4c_fragment_key){.samples = 1}, NULL) == VC4C_OK;
    shader->primitive = VC4C_PRIMITIVE_TRIANGLES; /* the default, which is not printed */
    return ok;
}

/* -- programs that do not fit the registers -- */

#define FOUR(x)    x x x x
#define SIXTEEN(x) FOUR(FOUR(x))
#define USE_1      "tlb_stencil %1\n"

static bool localise(struct ir_shader *shader)
{
    qc_localise_unpacks(shader);
    return true;
}

static void parts_of_words_are_read_late(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = frag_w %1 = itof %0\n %2 = unpack_i [2] %1\n" SIXTEEN(USE_1) "%3 = not %2\n tlb_stencil %3",
         "%0 = frag_w %1 = itof %0\n" SIXTEEN(USE_1)
         "%2 = or %1 %1\n %4 = unpack_i [2] %2\n %3 = not %4\n tlb_stencil %3"},
        {"%0 = frag_w %1 = itof %0\n %2 = unpack_i [2] %1\n tlb_stencil %1\n %3 = not %2\n tlb_stencil %3",
         "%0 = frag_w %1 = itof %0\n tlb_stencil %1\n %2 = unpack_i [2] %1\n %3 = not %2\n tlb_stencil %3"},
    };
    PASS_CHECK(cases, localise);
}

static bool reorder(struct ir_shader *shader)
{
    qc_reorder(shader);
    return true;
}

static void values_are_made_late(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = frag_w %1 = itof %0\n %2 = not %1\n %3 = clz %1\n %4 = iadd %1 %1\n"
         "tlb_stencil %2\n tlb_stencil %3\n tlb_stencil %4",
         "%0 = frag_w %1 = itof %0\n %2 = not %1\n tlb_stencil %2\n %3 = clz %1\n tlb_stencil %3\n %4 = iadd %1 %1\n"
         "tlb_stencil %4"},
    };
    PASS_CHECK(cases, reorder);
}

static bool remat(struct ir_shader *shader)
{
    return qc_remat(shader, 1, UINT32_MAX);
}

static void values_are_made_anew(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = frag_w %1 = itof %0\n %2 = not %1\n tlb_stencil %2\n" SIXTEEN(USE_1) "tlb_stencil %2\n" USE_1,
         "%0 = frag_w %1 = itof %0\n %2 = not %1\n tlb_stencil %2\n" SIXTEEN(USE_1)
         "%3 = not %1\n tlb_stencil %3\n" USE_1},
    };
    PASS_CHECK(cases, remat);
}

static bool spill(struct ir_shader *shader)
{
    return qc_spill(shader, 1);
}

static void values_go_to_memory(void **state)
{
    static const struct pass_case cases[] = {
        {"engine\n{ %0 = frag_w %1 = itof %0\n %2 = not %1\n" SIXTEEN(USE_1) "tlb_stencil %2\n" USE_1,
         "engine\n{ %0 = frag_w %1 = itof %0\n %2 = not %1\n spill_store %2\n" SIXTEEN(
             USE_1) "%3 = spill_load\n tlb_stencil %3\n" USE_1},
        /* The condition is spilled as well. It still diverges, so each branch stores for its own lanes. */
        {"engine\n{ %0 = frag_w ?1 = flt %0 %0\n" SIXTEEN(
             "tlb_stencil %0\n") "if ?1 { %2 = not %0\n %3 = clz %0\n } else {}\n %4 = phi %2 %0\n %5 = phi %3 "
                                 "%0\n" SIXTEEN("tlb_stencil %0\n") "%6 = sel ?1 %4 %5\n tlb_stencil %6\n",
         "engine\n{ %0 = frag_w ?1 = flt %0 %0\n %2 = const 0 %3 = const 1 %4 = sel ?1 %3 %2\n spill_store [0] "
         "%4\n" SIXTEEN(
             "tlb_stencil %0\n") "%5 = spill_load [0]\n %6 = const 0 ?7 = ine %5 %6\n"
                                 "if ?7 { %8 = not %0\n %9 = clz %0\n %10 = spill_load [1]\n ?11 = active %12 = sel "
                                 "?11 %8 %10\n"
                                 "spill_store [1 1] %12\n }\n"
                                 "else { %13 = spill_load [1]\n ?14 = active %15 = sel ?14 %0 %13\n spill_store [1 1] "
                                 "%15\n }\n"
                                 "%16 = phi %9 %0\n" SIXTEEN(
                                     "tlb_stencil %0\n") "%17 = spill_load [0]\n %18 = const 0 ?19 = ine %17 %18\n"
                                                         "%20 = spill_load [1]\n %21 = sel ?19 %20 %16\n tlb_stencil "
                                                         "%21\n"},
    };
    PASS_CHECK(cases, spill);
}

static uint8_t blend_op, blend_factor;

static bool lower_blending(struct ir_shader *shader)
{
    const struct vc4c_key key = {.fs = {.color_format = HW_FORMAT_R8G8B8A8_UNORM,
                                        .write_mask = 15,
                                        .blend_enable = 1,
                                        .src_color = VC4C_BLEND_ONE,
                                        .src_alpha = VC4C_BLEND_ONE,
                                        .dst_color = blend_factor,
                                        .dst_alpha = blend_factor,
                                        .color_op = blend_op,
                                        .alpha_op = blend_op,
                                        .logic_op = VC4C_LOGIC_COPY,
                                        .samples = 1}};
    bool ok = ir_lower_fs_outputs(shader, &key, NULL) == VC4C_OK;
    ir_optimise(shader);
    return ok;
}

#define WHITE                                                                                                          \
    "%0 = frag_w\n store_output [0 0] %0\n store_output [0 1] %0\n store_output [0 2] %0\n"                            \
    "store_output [0 3] %0"
#define BYTES(op, a, b)                                                                                                \
    "reads_color\n{ %0 = frag_w\n ?1 = const 1 %2 = tlb_color_load\n %3 = pack_unorm8 %0 %0 %0 %0\n"                   \
    "%4 = " op " " a " " b "\n tlb_color_store %4 ?1"

static void blending_of_bytes(void **state)
{
    static const struct {
        uint8_t op, factor;
        struct pass_case text;
    } cases[] = {
        {VC4C_BLEND_OP_ADD, VC4C_BLEND_ONE, {WHITE, BYTES("v8adds", "%3", "%2")}},
        {VC4C_BLEND_OP_SUBTRACT, VC4C_BLEND_ONE, {WHITE, BYTES("v8subs", "%3", "%2")}},
        {VC4C_BLEND_OP_REVERSE_SUBTRACT, VC4C_BLEND_ONE, {WHITE, BYTES("v8subs", "%2", "%3")}},
        {VC4C_BLEND_OP_MIN, VC4C_BLEND_ZERO, {WHITE, BYTES("v8min", "%3", "%2")}},
        {VC4C_BLEND_OP_MAX, VC4C_BLEND_SRC_ALPHA, {WHITE, BYTES("v8max", "%3", "%2")}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        blend_op = cases[i].op;
        blend_factor = cases[i].factor;
        pass_check(&cases[i].text, 1, false, lower_blending);
    }
}

static void point_coordinates(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = load_builtin [16 0]\n tlb_stencil %0", "%0 = point_coord [0]\n tlb_stencil %0"},
        {"%0 = load_builtin [16 1]\n tlb_stencil %0",
         "%0 = point_coord [1]\n %1 = const 1.0\n %2 = fsub %1 %0\n tlb_stencil %2"},
    };
    PASS_CHECK(cases, lower_point_coordinates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables),
        cmocka_unit_test(dead_values),
        cmocka_unit_test(constants),
        cmocka_unit_test(algebra),
        cmocka_unit_test(copies),
        cmocka_unit_test(common_subexpressions),
        cmocka_unit_test(control_flow),
        cmocka_unit_test(small_ifs),
        cmocka_unit_test(known_conditions),
        cmocka_unit_test(unrolling),
        cmocka_unit_test(values_leave_loops_through_phis),
        cmocka_unit_test(loop_invariants),
        cmocka_unit_test(uniform_expressions),
        cmocka_unit_test(point_coordinates),
        cmocka_unit_test(blending_of_bytes),
        cmocka_unit_test(parts_of_words_are_read_late),
        cmocka_unit_test(values_are_made_late),
        cmocka_unit_test(values_are_made_anew),
        cmocka_unit_test(values_go_to_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
