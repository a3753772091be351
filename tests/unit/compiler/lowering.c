/* SPDX-License-Identifier: MIT
 *
 * Tests the lowering passes on small programs, text before and text after: the code that each shader operation becomes
 * on the chip. This test makes changes of the code visible; compiler_glsl, compiler_corpus and the sweeps check the
 * numerical results.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "pass_text.h"

/* ---------------------------------------------------------------- numbers */

static bool lower_math(struct ir_shader *shader)
{
    ir_lower_math(shader);
    return true;
}

static void floats(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = frag_w %1 = fneg %0\n tlb_stencil %1",
         "%0 = frag_w %1 = const 0x0 %2 = fsub %1 %0 tlb_stencil %2"},
        {"%0 = frag_w %1 = fabs %0\n tlb_stencil %1",
         "%0 = frag_w %1 = fmaxabs %0 %0 tlb_stencil %1"},
        {"%0 = frag_w %1 = fsat %0\n tlb_stencil %1",
         "%0 = frag_w %1 = const 0x3f800000 %2 = const 0x0 %3 = fmax %0 %2 %4 = fmin %3 %1 tlb_stencil %4"},
        {"%0 = frag_w %1 = frcp.relaxed %0\n tlb_stencil %1",
         "%0 = frag_w %1 = sfu_recip.relaxed %0 tlb_stencil %1"},
        {"%0 = frag_w %1 = frcp %0\n tlb_stencil %1",
         "%0 = frag_w %1 = sfu_recip %0 %2 = fmul %0 %1 %3 = const 0x40000000 %4 = fsub %3 %2 %5 = fmul %1 %4 "
         "%6 = fmul %0 %5 %7 = const 0x40000000 %8 = fsub %7 %6 %9 = fmul %5 %8 tlb_stencil %9"},
        {"%0 = frag_w %1 = frsq.relaxed %0\n tlb_stencil %1",
         "%0 = frag_w %1 = sfu_rsqrt.relaxed %0 tlb_stencil %1"},
        {"%0 = frag_w %1 = fsqrt.relaxed %0\n tlb_stencil %1",
         "%0 = frag_w %1 = sfu_rsqrt.relaxed %0 %2 = fmul.relaxed %0 %1 tlb_stencil %2"},
        {"%0 = frag_w %1 = fdiv.relaxed %0 %0\n tlb_stencil %1",
         "%0 = frag_w %1 = sfu_recip.relaxed %0 %2 = fmul.relaxed %0 %1 tlb_stencil %2"},
        {"%0 = frag_w %1 = fpow.relaxed %0 %0\n tlb_stencil %1",
         "%0 = frag_w %1 = sfu_log2.relaxed %0 %2 = fmul.relaxed %1 %0 %3 = sfu_exp2.relaxed %2 tlb_stencil %3"},
        {"%0 = frag_w %1 = fexp2.relaxed %0\n tlb_stencil %1",
         "%0 = frag_w %1 = sfu_exp2.relaxed %0 tlb_stencil %1"},
        {"%0 = frag_w %1 = flog2.relaxed %0\n tlb_stencil %1",
         "%0 = frag_w %1 = sfu_log2.relaxed %0 tlb_stencil %1"},
        {"%0 = frag_w %1 = ftrunc %0\n tlb_stencil %1",
         "%0 = frag_w %1 = ftoi %0 %2 = itof %1 %3 = const 0x4b000000 %4 = fmaxabs %0 %0 ?5 = fge %4 %3 %6 = sel ?5 "
         "%0 %2 tlb_stencil %6"},
        {"%0 = frag_w %1 = ffloor %0\n tlb_stencil %1",
         "%0 = frag_w %1 = ftoi %0 %2 = itof %1 %3 = const 0x3f800000 %4 = fsub %2 %3 ?5 = flt %0 %2 %6 = sel ?5 %4 "
         "%2 %7 = const 0x4b000000 %8 = fmaxabs %0 %0 ?9 = fge %8 %7 %10 = sel ?9 %0 %6 tlb_stencil %10"},
        {"%0 = frag_w %1 = ffract.relaxed %0\n tlb_stencil %1",
         "%0 = frag_w %1 = ftoi.relaxed %0 %2 = itof.relaxed %1 %3 = const.relaxed 0x3f800000 %4 = fsub.relaxed %2 "
         "%3 ?5 = flt.relaxed %0 %2 %6 = sel.relaxed ?5 %4 %2 %7 = fsub.relaxed %0 %6 tlb_stencil %7"},
        {"%0 = frag_w %1 = ftou.relaxed %0\n tlb_stencil %1",
         "%0 = frag_w %1 = ftoi.relaxed %0 tlb_stencil %1"},
        {"%0 = frag_w %1 = utof %0\n tlb_stencil %1",
         "%0 = frag_w %1 = itof %0 %2 = const 0x1 %3 = and %0 %2 %4 = const 0x1 %5 = shr %0 %4 %6 = or %5 %3 "
         "%7 = itof %6 %8 = fadd %7 %7 %9 = const 0x0 ?10 = ilt %0 %9 %11 = sel ?10 %8 %1 tlb_stencil %11"},
    };
    PASS_CHECK_VALUES(cases, lower_math);
}

/* Comparing with a constant of ordinary magnitude stays as it is: the chip's subtraction decides that exactly. */
static void equality(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = frag_w %1 = fmul %0 %0\n ?2 = feq %0 %1\n tlb_z %0 ?2",
         "%0 = frag_w %1 = fmul %0 %0 %2 = fmin %0 %1 %3 = fmax %0 %1 ?4 = fge %2 %3 tlb_z %0 ?4"},
        {"%0 = frag_w %1 = fmul %0 %0\n ?2 = fne %0 %1\n tlb_z %0 ?2",
         "%0 = frag_w %1 = fmul %0 %0 %2 = fmin %0 %1 %3 = fmax %0 %1 ?4 = flt %2 %3 tlb_z %0 ?4"},
    };
    static const struct pass_case kept[] = {
        {"%0 = frag_w %1 = const 2.0\n ?2 = feq %0 %1\n tlb_z %0 ?2",
         "%0 = frag_w %1 = const 2.0\n ?2 = feq %0 %1\n tlb_z %0 ?2"},
    };
    PASS_CHECK_VALUES(cases, lower_math);
    PASS_CHECK_VALUES(kept, lower_math);
}

static bool lower_int(struct ir_shader *shader)
{
    ir_lower_int(shader);
    return true;
}

static void integers(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = frag_w %1 = imul %0 %0\n tlb_stencil %1",
         "%0 = frag_w %1 = mul24 %0 %0 %2 = const 0x18 %3 = shr %0 %2 %4 = mul24 %3 %0 %5 = const 0x18 %6 = shr %0 "
         "%5 %7 = mul24 %0 %6 %8 = iadd %4 %7 %9 = const 0x18 %10 = shl %8 %9 %11 = iadd %1 %10 tlb_stencil %11"},
        {"%0 = frag_x %1 = imul %0 %0\n tlb_stencil %1",
         "%0 = frag_x %1 = mul24 %0 %0 tlb_stencil %1"},
        {"%0 = frag_w %1 = frag_x %2 = imul %0 %1\n tlb_stencil %2",
         "%0 = frag_w %1 = frag_x %2 = mul24 %0 %1 %3 = const 0x18 %4 = shr %0 %3 %5 = mul24 %4 %1 %6 = const 0x18 "
         "%7 = shl %5 %6 %8 = iadd %2 %7 tlb_stencil %8"},
        {"%0 = frag_w %1 = frag_x %2 = umin %0 %1\n tlb_stencil %2",
         "%0 = frag_w %1 = frag_x ?2 = ult %0 %1 %3 = sel ?2 %0 %1 tlb_stencil %3"},
        {"%0 = frag_w %1 = frag_x %2 = umax %0 %1\n tlb_stencil %2",
         "%0 = frag_w %1 = frag_x ?2 = ult %0 %1 %3 = sel ?2 %1 %0 tlb_stencil %3"},
        {"%0 = frag_w %1 = bitcount %0\n tlb_stencil %1",
         "%0 = frag_w %1 = const 0x1 %2 = shr %0 %1 %3 = const 0x55555555 %4 = and %2 %3 %5 = isub %0 %4 "
         "%6 = const 0x2 %7 = shr %5 %6 %8 = const 0x33333333 %9 = and %7 %8 %10 = const 0x33333333 %11 = and %5 %10 "
         "%12 = iadd %11 %9 %13 = const 0x4 %14 = shr %12 %13 %15 = iadd %12 %14 %16 = const 0xf0f0f0f %17 = and %15 "
         "%16 %18 = const 0x8 %19 = shr %17 %18 %20 = iadd %17 %19 %21 = const 0x10 %22 = shr %20 %21 %23 = iadd %20 "
         "%22 %24 = const 0x3f %25 = and %23 %24 tlb_stencil %25"},
        {"%0 = frag_w %1 = bitrev %0\n tlb_stencil %1",
         "%0 = frag_w %1 = const 0x1 %2 = shr %0 %1 %3 = const 0x55555555 %4 = and %2 %3 %5 = const 0x55555555 "
         "%6 = and %0 %5 %7 = const 0x1 %8 = shl %6 %7 %9 = or %4 %8 %10 = const 0x2 %11 = shr %9 %10 "
         "%12 = const 0x33333333 %13 = and %11 %12 %14 = const 0x33333333 %15 = and %9 %14 %16 = const 0x2 "
         "%17 = shl %15 %16 %18 = or %13 %17 %19 = const 0x4 %20 = shr %18 %19 %21 = const 0xf0f0f0f %22 = and %20 "
         "%21 %23 = const 0xf0f0f0f %24 = and %18 %23 %25 = const 0x4 %26 = shl %24 %25 %27 = or %22 %26 "
         "%28 = const 0x8 %29 = shr %27 %28 %30 = const 0xff00ff %31 = and %29 %30 %32 = const 0xff00ff "
         "%33 = and %27 %32 %34 = const 0x8 %35 = shl %33 %34 %36 = or %31 %35 %37 = const 0x10 %38 = ror %36 %37 "
         "tlb_stencil %38"},
        {"%0 = frag_w %1 = umulh %0 %0\n tlb_stencil %1",
         "%0 = frag_w %1 = const 0xffff %2 = and %0 %1 %3 = const 0x10 %4 = shr %0 %3 %5 = const 0xffff %6 = and %0 "
         "%5 %7 = const 0x10 %8 = shr %0 %7 %9 = mul24 %2 %8 %10 = mul24 %4 %6 %11 = mul24 %2 %6 %12 = const 0x10 "
         "%13 = shr %11 %12 %14 = const 0xffff %15 = and %9 %14 %16 = iadd %13 %15 %17 = const 0xffff %18 = and %10 "
         "%17 %19 = iadd %16 %18 %20 = const 0x10 %21 = shr %19 %20 %22 = mul24 %4 %8 %23 = iadd %22 %21 "
         "%24 = const 0x10 %25 = shr %10 %24 %26 = const 0x10 %27 = shr %9 %26 %28 = iadd %23 %27 %29 = iadd %28 %25 "
         "tlb_stencil %29"},
        {"%0 = frag_w %1 = frag_x %2 = udiv %0 %1\n tlb_stencil %2",
         "%0 = frag_w %1 = frag_x %2 = utof %1 %3 = frcp %2 %4 = const 0x3f7fffe0 %5 = fmul %3 %4 %6 = utof %0 "
         "%7 = fmul %6 %5 %8 = ftou %7 %9 = mul24 %8 %1 %10 = const 0x18 %11 = shr %8 %10 %12 = mul24 %11 %1 "
         "%13 = const 0x18 %14 = shl %12 %13 %15 = iadd %9 %14 %16 = isub %0 %15 %17 = utof %16 %18 = fmul %17 %5 "
         "%19 = ftou %18 %20 = iadd %8 %19 %21 = mul24 %19 %1 %22 = const 0x18 %23 = shr %19 %22 %24 = mul24 %23 %1 "
         "%25 = const 0x18 %26 = shl %24 %25 %27 = iadd %21 %26 %28 = isub %16 %27 ?29 = uge %28 %1 %30 = const 0x1 "
         "%31 = iadd %20 %30 %32 = sel ?29 %31 %20 %33 = isub %28 %1 %34 = sel ?29 %33 %28 ?35 = uge %34 %1 "
         "%36 = const 0x1 %37 = iadd %32 %36 %38 = sel ?35 %37 %32 tlb_stencil %38"},
    };
    PASS_CHECK_VALUES(cases, lower_int);
}

/* ---------------------------------------------------------------- buffers */

static bool lower_buffers(struct ir_shader *shader)
{
    return ir_lower_buffers(shader, NULL) == VC4C_OK;
}

static void buffers(void **state)
{
    static const struct pass_case cases[] = {
        {"%0 = const 8 %1 = load_push %0\n tlb_stencil %1",
         "%0 = uniform push data=0x8 tlb_stencil %0"},
        {"buffer 0 0 0 0\n{ %0 = const 8 %1 = load_buffer [0] %0\n tlb_stencil %1",
         "buffer 0 0 0 0 { %0 = uniform buffer_word data=0x8 tlb_stencil %0"},
        {"buffer 0 0 0 0\n{ %0 = frag_x %1 = load_buffer [0] %0\n tlb_stencil %1",
         "buffer 0 0 0 0 { %0 = frag_x %1 = direct [0] %0 tlb_stencil %1"},
    };
    PASS_CHECK_VALUES(cases, lower_buffers);
}

static bool lower_robust_buffers(struct ir_shader *shader)
{
    shader->robustness = VC4C_ROBUST_UNIFORM_BUFFERS;
    return lower_buffers(shader);
}

/* Each word is compared with the end of the range, unless the program itself checks the part of it that it uses. Words
 * of the uniform stream are zero beyond the end anyway. */
static void robust_buffers(void **state)
{
    static const struct pass_case cases[] = {
        {"buffer 0 0 0 0\n{ %0 = frag_x %1 = load_buffer [0] %0\n tlb_stencil %1",
         "buffer 0 0 0 0 { %0 = frag_x %1 = direct [0] %0 %2 = uniform buffer_size %3 = const 0xfffffffc %4 = and %2 %3 "
         "?5 = ult %0 %4 %6 = const 0 %7 = sel ?5 %1 %6 tlb_stencil %7"},
        {"buffer 0 0 0 0\n{ %0 = frag_x %1 = load_buffer [0 65535] %0\n tlb_stencil %1",
         "buffer 0 0 0 0 { %0 = frag_x %1 = direct [0] %0 tlb_stencil %1"},
        {"buffer 0 0 0 0\n{ %0 = const 8 %1 = load_buffer [0] %0\n tlb_stencil %1",
         "buffer 0 0 0 0 { %0 = uniform buffer_word data=0x8 tlb_stencil %0"},
        {"buffer 0 0 0 1\n{ %0 = frag_x %1 = load_buffer [0] %0\n tlb_stencil %1", /* a storage buffer */
         "buffer 0 0 0 1 { %0 = frag_x %1 = direct [0] %0 tlb_stencil %1"},
    };
    PASS_CHECK_VALUES(cases, lower_robust_buffers);
}

/* ---------------------------------------------------------------- fragments */

static struct vc4c_fragment_key fragment_key;
static uint32_t stored_count;

static bool lower_inputs(struct ir_shader *shader)
{
    ir_collect_inputs(shader);
    return ir_lower_fs_inputs(shader, &fragment_key, NULL) == VC4C_OK;
}

static bool lower_inputs_without_perspective(struct ir_shader *shader)
{
    shader->interpolation[2][0].noperspective = 1;
    return lower_inputs(shader);
}

static void fragment_inputs(void **state)
{
    fragment_key = (struct vc4c_fragment_key){.samples = 1};
    static const struct pass_case cases[] = {
        /* slots in the order of locations and components */
        {"%0 = load_input [3 1]\n %1 = load_input [2 0]\n tlb_stencil %0 tlb_stencil %1",
         "input 2 0 0 0 0 input 3 1 0 0 0 { %0 = varying [1] %1 = varying [0] tlb_stencil %0 tlb_stencil %1"},
        {"%0 = load_builtin [15 0]\n tlb_stencil %0",
         "%0 = frag_x %1 = itof %0 %2 = uniform frag_coord_offset %3 = const 0x3f000000 %4 = fadd %1 %3 %5 = fadd %4 "
         "%2 tlb_stencil %5"}, /* FragCoord */
        {"%0 = load_builtin [15 2]\n tlb_stencil %0",
         "%0 = const 0x33800001 %1 = frag_z %2 = itof %1 %3 = fmul %2 %0 tlb_stencil %3"},
        {"%0 = load_builtin [15 3]\n tlb_stencil %0",
         "%0 = frag_w %1 = frcp %0 tlb_stencil %1"},
        {"?0 = load_builtin [17 0]\n %1 = frag_w tlb_z %1 ?0",
         "?0 = back_facing ?1 = bnot ?0 %2 = frag_w tlb_z %2 ?1"}, /* FrontFacing */
        {"%0 = load_builtin [20 0]\n tlb_stencil %0",
         "%0 = const 0x1 %1 = ms_flags %2 = and %1 %0 tlb_stencil %2"}, /* SampleMask */
        {"?0 = load_builtin [23 0]\n %1 = frag_w tlb_z %1 ?0",
         "%0 = const 0x0 %1 = ms_flags ?2 = ieq %1 %0 %3 = frag_w tlb_z %3 ?2"}, /* HelperInvocation */
    };
    static const struct pass_case without[] = {{"%0 = load_input [2 0]\n tlb_stencil %0",
         "input 2 0 0 1 0 { %0 = varying [0] %1 = frag_w %2 = frcp %1 %3 = fmul %0 %2 tlb_stencil %3"}};
    PASS_CHECK_VALUES(cases, lower_inputs);
    PASS_CHECK_VALUES(without, lower_inputs_without_perspective);
}

static bool lower_inputs_at_centroid(struct ir_shader *shader)
{
    shader->interpolation[2][0].centroid = 1;
    return lower_inputs(shader);
}

/* Centroid and per-sample inputs, and the built-ins of the sample being shaded. */
static void fragment_samples(void **state)
{
    static const struct pass_case one[] = {
        {"%0 = load_builtin [18 0] %1 = load_builtin [19 1] tlb_stencil %0 tlb_stencil %1",
         "%0 = const 0x0 tlb_stencil %0 %2 = const 0x3f000000 %3 = const 0x0 %4 = fadd %2 %3 tlb_stencil %4"},
        {"%0 = load_input [2 0]\n tlb_stencil %0",
         "input 2 0 0 0 0 { %0 = varying [0] tlb_stencil %0"},
    };
    static const struct pass_case four[] = {
        {"%0 = load_input [2 0]\n tlb_stencil %0",
         "input 2 0 0 0 0 { %0 = ms_flags %1 = varying [0] %2 = frag_w %3 = frcp %2 %4 = fmul %1 %3 %5 = ddx %4 "
         "%6 = const 0xf ?7 = ieq %0 %6 %8 = const 0x0 %9 = const 0x1 %10 = and %0 %9 %11 = const 0x0 ?12 = ine "
         "%10 %11 %13 = const 0xbe000000 %14 = const 0x2 %15 = and %0 %14 %16 = const 0x0 ?17 = ine %15 %16 %18 = "
         "const 0x3ec00000 %19 = const 0x4 %20 = and %0 %19 %21 = const 0x0 ?22 = ine %20 %21 %23 = const "
         "0xbec00000 %24 = const 0x8 %25 = and %0 %24 %26 = const 0x0 ?27 = ine %25 %26 %28 = const 0x3e000000 "
         "%29 = sel ?27 %28 %8 %30 = sel ?22 %23 %29 %31 = sel ?17 %18 %30 %32 = sel ?12 %13 %31 %33 = sel ?7 %8 "
         "%32 %34 = fmul %5 %33 %35 = fadd %4 %34 %36 = ddy %4 %37 = const 0xf ?38 = ieq %0 %37 %39 = const 0x0 "
         "%40 = const 0x1 %41 = and %0 %40 %42 = const 0x0 ?43 = ine %41 %42 %44 = const 0xbec00000 %45 = const "
         "0x2 %46 = and %0 %45 %47 = const 0x0 ?48 = ine %46 %47 %49 = const 0xbe000000 %50 = const 0x4 %51 = and "
         "%0 %50 %52 = const 0x0 ?53 = ine %51 %52 %54 = const 0x3e000000 %55 = const 0x8 %56 = and %0 %55 %57 = "
         "const 0x0 ?58 = ine %56 %57 %59 = const 0x3ec00000 %60 = sel ?58 %59 %39 %61 = sel ?53 %54 %60 %62 = "
         "sel ?48 %49 %61 %63 = sel ?43 %44 %62 %64 = sel ?38 %39 %63 %65 = fmul %36 %64 %66 = fadd %35 %65 %67 = "
         "ddx %3 %68 = fmul %67 %33 %69 = fadd %3 %68 %70 = ddy %3 %71 = fmul %70 %64 %72 = fadd %69 %71 %73 = "
         "frcp %72 %74 = fmul %66 %73 tlb_stencil %74"},
        {"%0 = const 0x2 %1 = sample_offset [0] %0 tlb_stencil %1",
         "%0 = const 0x2 %1 = const 0x3 ?2 = ieq %0 %1 %3 = const 0x3e000000 %4 = const 0x2 ?5 = ieq %0 %4 %6 = "
         "const 0xbec00000 %7 = const 0x1 ?8 = ieq %0 %7 %9 = const 0x3ec00000 %10 = const 0xbe000000 %11 = sel "
         "?8 %9 %10 %12 = sel ?5 %6 %11 %13 = sel ?2 %3 %12 tlb_stencil %13"},
    };
    static const struct pass_case shaded[] = {
        {"%0 = load_builtin [18 0] %1 = load_builtin [19 1] %2 = load_builtin [20 0] "
         "tlb_stencil %0 tlb_stencil %1 tlb_stencil %2",
         "%0 = ms_flags %1 = uniform sample_id tlb_stencil %1 %3 = const 0x3f000000 %4 = uniform sample_offset "
         "data=0x1 %5 = fadd %3 %4 tlb_stencil %5 %7 = uniform sample_mask %8 = and %0 %7 tlb_stencil %8"},
        {"%0 = load_builtin [15 1]\n tlb_stencil %0",
         "%0 = frag_y %1 = itof %0 %2 = const 0x3f000000 %3 = fadd %1 %2 %4 = uniform frag_coord_offset data=0x1 "
         "%5 = fadd %3 %4 %6 = uniform sample_offset data=0x1 %7 = fadd %5 %6 tlb_stencil %7"},
        {"%0 = load_input [2 0]\n tlb_stencil %0",
         "input 2 0 0 0 0 { %0 = varying [0] %1 = frag_w %2 = frcp %1 %3 = fmul %0 %2 %4 = ddx %3 %5 = uniform "
         "sample_offset %6 = fmul %4 %5 %7 = fadd %3 %6 %8 = ddy %3 %9 = uniform sample_offset data=0x1 %10 = "
         "fmul %8 %9 %11 = fadd %7 %10 %12 = ddx %2 %13 = fmul %12 %5 %14 = fadd %2 %13 %15 = ddy %2 %16 = fmul "
         "%15 %9 %17 = fadd %14 %16 %18 = frcp %17 %19 = fmul %11 %18 tlb_stencil %19"},
    };
    static const struct pass_case without[] = {{"%0 = load_input [2 0]\n tlb_stencil %0",
         "input 2 0 0 1 0 { %0 = varying [0] %1 = frag_w %2 = frcp %1 %3 = fmul %0 %2 %4 = ddx %3 %5 = uniform "
         "sample_offset %6 = fmul %4 %5 %7 = fadd %3 %6 %8 = ddy %3 %9 = uniform sample_offset data=0x1 %10 = "
         "fmul %8 %9 %11 = fadd %7 %10 tlb_stencil %11"}};
    fragment_key = (struct vc4c_fragment_key){.samples = 1};
    PASS_CHECK_VALUES(one, lower_inputs_at_centroid);
    fragment_key.samples = 4;
    PASS_CHECK_VALUES(four, lower_inputs_at_centroid);
    fragment_key.sample_shading = fragment_key.use_sample_mask = 1;
    PASS_CHECK_VALUES(shaded, lower_inputs);
    PASS_CHECK_VALUES(without, lower_inputs_without_perspective);
}

static bool lower_fragment_outputs(struct ir_shader *shader)
{
    const struct vc4c_key key = {.fs = fragment_key, .stored_count = stored_count, .stored = {fragment_key}};
    return ir_lower_fs_outputs(shader, &key, NULL) == VC4C_OK;
}

#define WRITES(x)                                                                                                      \
    "store_output [0 0] " x "\n store_output [0 1] " x "\n store_output [0 2] " x "\n store_output [0 3] " x "\n"

static void fragment_outputs(void **state)
{
    static const struct pass_case plain[] = {
        {"%0 = frag_w\n" WRITES("%0"),
         "%0 = frag_w ?1 = const 0x1 %2 = pack_unorm8 %0 %0 %0 %0 tlb_color_store %2 ?1"},
        /* a discarded lane writes nothing */
        {"%0 = frag_w ?1 = flt %0 %0\n if ?1 { discard } else {}\n" WRITES("%0"),
         "shader fragment writes_z_late variable 1 1 { ?0 = const 0x1 store_var [0 0] ?0 %2 = frag_w ?3 = flt %2 %2 "
         "if ?3 { ?4 = const 0x0 store_var [0 0] ?4 } else { } ?6 = load_var [0 0] %7 = pack_unorm8 %2 %2 %2 %2 "
         "tlb_color_store %7 ?6 }"},
    };
    static const struct pass_case masked[] = {{"%0 = frag_w\n" WRITES("%0"),
         "reads_color { %0 = frag_w ?1 = const 0x1 %2 = tlb_color_load %3 = pack_unorm8 %0 %0 %0 %0 "
         "%4 = const 0xffffff %5 = and %3 %4 %6 = const 0xff000000 %7 = and %2 %6 %8 = or %5 %7 tlb_color_store %8 "
         "?1"}};
    static const struct pass_case samples[] = {{"%0 = frag_w\n" WRITES("%0"),
         "reads_color { %0 = frag_w ?1 = const 0x1 %2 = tlb_color_load %3 = pack_unorm8 %0 %0 %0 %0 "
         "%4 = const 0xffffff %5 = and %3 %4 %6 = const 0xff000000 %7 = and %2 %6 %8 = or %5 %7 tlb_color_store_ms "
         "%8 ?1 %10 = tlb_color_load %11 = pack_unorm8 %0 %0 %0 %0 %12 = const 0xffffff %13 = and %11 %12 "
         "%14 = const 0xff000000 %15 = and %10 %14 %16 = or %13 %15 tlb_color_store_ms %16 ?1 "
         "%18 = tlb_color_load %19 = pack_unorm8 %0 %0 %0 %0 %20 = const 0xffffff %21 = and %19 %20 "
         "%22 = const 0xff000000 %23 = and %18 %22 %24 = or %21 %23 tlb_color_store_ms %24 ?1 "
         "%26 = tlb_color_load %27 = pack_unorm8 %0 %0 %0 %0 %28 = const 0xffffff %29 = and %27 %28 "
         "%30 = const 0xff000000 %31 = and %26 %30 %32 = or %29 %31 tlb_color_store_ms %32 ?1"}};
    static const struct pass_case depth[] = {
        {"%0 = frag_w store_builtin [22 0] %0",
         "shader fragment writes_z_late { %0 = frag_w ?1 = const 0x1 %2 = uniform stencil tlb_stencil %2 "
         "%4 = uniform stencil data=0x1 tlb_stencil %4 %6 = const 0x3f7fffff %7 = const 0x0 %8 = fmax %0 %7 "
         "%9 = fmin %8 %6 %10 = const 0x4b800000 %11 = fmul %9 %10 %12 = ftoi %11 tlb_z %12 ?1 }"}, /* FragDepth */
        {"%0 = frag_w store_builtin [20 0] %0",
         "%0 = frag_w %1 = const 0x1f %2 = shl %0 %1 %3 = const 0x1f %4 = asr %2 %3 ms_flags_and %4 %6 = uniform "
         "stencil tlb_stencil %6 %8 = uniform stencil data=0x1 tlb_stencil %8 %10 = frag_z ?11 = const 0x1 tlb_z %10 "
         "?11"}, /* SampleMask */
        {"%0 = frag_w\n" WRITES("%0"),
         "%0 = frag_w ?1 = const 0x1 %2 = uniform stencil tlb_stencil %2 %4 = uniform stencil data=0x1 tlb_stencil "
         "%4 %6 = frag_z tlb_z %6 ?1 %8 = pack_unorm8 %0 %0 %0 %0 tlb_color_store %8 ?1"},
    };
    static const struct pass_case logic[] = {{"%0 = frag_w\n" WRITES("%0"),
         "reads_color { %0 = frag_w ?1 = const 0x1 %2 = tlb_color_load %3 = pack_unorm8 %0 %0 %0 %0 %4 = not %2 "
         "%5 = and %3 %4 tlb_color_store %5 ?1"}};
    /* attachments that are not in the tile buffer are stored where any sample is covered */
    static const struct pass_case stored[] = {{"%0 = frag_w\n" WRITES("%0"),
         "%0 = frag_w %1 = pack_unorm8 %0 %0 %0 %0 ?2 = const 0x1 tlb_color_store %1 ?2 %4 = ms_flags %5 = const 0x0 "
         "?6 = ine %4 %5 ?7 = band ?6 ?2 %8 = uniform engine_color %9 = frag_x %10 = const 0x2 %11 = shl %9 %10 "
         "%12 = iadd %8 %11 %13 = frag_y %14 = uniform engine_color_pitch %15 = mul24 %13 %14 %16 = iadd %12 %15 "
         "%17 = const 0x0 %18 = sel ?7 %16 %17 %19 = pack_unorm8 %0 %0 %0 %0 engine_store [0] %18 %19"}};
    /* halves are stored as they are, but with other colours or after blending they are converted */
    static const struct pass_case halves[] = {
        {"%0 = frag_w %1 = half_to_float %0\n" WRITES("%1"),
         "%0 = frag_w ?1 = const 0x1 %2 = pack_i16 %0 %0 tlb_color_store %2 ?1"},
        {"%0 = frag_w %1 = half_to_float %0 %2 = const 0.5\n store_output [0 0] %1 store_output [0 1] %2",
         "%0 = frag_w ?1 = const 0x1 %2 = const 0x3800 %3 = pack_i16 %0 %2 tlb_color_store %3 ?1"},
        {"%0 = frag_w %1 = half_to_float %0\n store_output [0 0] %1 store_output [0 1] %0",
         "%0 = frag_w %1 = half_to_float %0 ?2 = const 0x1 %3 = pack_half %1 %0 tlb_color_store %3 ?2"},
    };
    const struct vc4c_fragment_key key = {
        .color_format = HW_FORMAT_R8G8B8A8_UNORM, .write_mask = 15, .logic_op = VC4C_LOGIC_COPY, .samples = 1};
    fragment_key = key;
    PASS_CHECK_VALUES(plain, lower_fragment_outputs);
    fragment_key.write_mask = 7;
    PASS_CHECK_VALUES(masked, lower_fragment_outputs);
    fragment_key.samples = 4;
    PASS_CHECK_VALUES(samples, lower_fragment_outputs);
    fragment_key = key;
    fragment_key.write_z = 1;
    fragment_key.stencil_words = 2;
    PASS_CHECK_VALUES(depth, lower_fragment_outputs);
    fragment_key = key;
    fragment_key.logic_op = VC4C_LOGIC_AND_REVERSE;
    PASS_CHECK_VALUES(logic, lower_fragment_outputs);
    fragment_key = key;
    fragment_key.color_format = HW_FORMAT_R16G16_FLOAT;
    PASS_CHECK_VALUES(halves, lower_fragment_outputs);
    fragment_key = key;
    stored_count = 1;
    PASS_CHECK_VALUES(stored, lower_fragment_outputs);
    stored_count = 0;
}

static bool lower_side_effects(struct ir_shader *shader)
{
    struct ir_builder start = ir_at_start(shader, ir_first_block(shader));
    assert_true(ir_has_side_effects(shader));
    ir_lower_fs_side_effects(shader, &(struct vc4c_fragment_key){.samples = 1}, &start, false);
    return true;
}

static void fragment_side_effects(void **state)
{
    static const struct pass_case cases[] = {{"%0 = frag_w engine_store [0] %0 %0",
         "%0 = const 0x0 %1 = ms_flags ?2 = ine %1 %0 %3 = frag_w %4 = const 0x0 %5 = sel ?2 %3 %4 engine_store [0] "
         "%5 %3"}};
    PASS_CHECK_VALUES(cases, lower_side_effects);
}

/* ---------------------------------------------------------------- vertices */

static bool lower_attributes(struct ir_shader *shader)
{
    static const struct vc4c_vertex_key key = {
        .formats = {HW_FORMAT_R32G32B32A32_FLOAT, HW_FORMAT_R8G8B8A8_UNORM, HW_FORMAT_R16G16_FLOAT}};
    return ir_lower_attributes(shader, &key, NULL) == VC4C_OK;
}

static void attributes(void **state)
{
    static const struct pass_case cases[] = {
        {"shader vertex { %0 = load_input [0 1]\n vpm_store %0 }",
         "shader vertex attribute 0 0 8 { %0 = attribute [1 0] vpm_store %0 }"},
        {"shader vertex { %0 = load_input [0 0]\n %1 = load_input [1 2]\n vpm_store %0 vpm_store %1 }",
         "shader vertex attribute 0 0 4 attribute 1 4 3 { %0 = attribute [0 0] %1 = attribute [0 1] %2 = unpack_f "
         "[4] %1 vpm_store %0 vpm_store %2 }"},
        {"shader vertex { %0 = load_input [2 1]\n %1 = load_input [2 3]\n vpm_store %0 vpm_store %1 }",
         "shader vertex attribute 2 0 4 { %0 = attribute [0 2] %1 = unpack_f [1] %0 %2 = const 0x3f800000 vpm_store "
         "%1 vpm_store %2 }"},
        /* halves of attributes of halves are taken as they are, those of other attributes converted */
        {"shader vertex { %0 = load_input [2 1]\n %1 = float_to_half %0\n vpm_store %1 }",
         "shader vertex attribute 2 0 4 { %0 = attribute [0 2] %1 = const 0x10 %2 = shr %0 %1 vpm_store %2 }"},
        {"shader vertex { %0 = load_input [0 0]\n %1 = float_to_half %0\n vpm_store %1 }",
         "shader vertex attribute 0 0 4 { %0 = attribute [0 0] %1 = float_to_half %0 vpm_store %1 }"},
        {"shader vertex { %0 = load_builtin [42 0]\n %1 = load_builtin [43 0]\n vpm_store %0 vpm_store %1 }",
         "shader vertex attribute 255 0 4 { %0 = uniform base_vertex %1 = attribute [0 255] %2 = iadd %1 %0 "
         "%3 = uniform instance_index vpm_store %2 vpm_store %3 }"},
    };
    PASS_CHECK_VALUES(cases, lower_attributes);
}

static bool lower_vertex_outputs(struct ir_shader *shader)
{
    static const struct vc4c_vertex_key key = {.outputs = {{.location = 1, .component = 2},
                                                           {.location = 3, .component = 0, .noperspective = 1}},
                                               .output_count = 2,
                                               .emit_point_size = 1};
    return ir_lower_vs_outputs(shader, &key, ir_lower_vs_side_effects(shader), NULL) == VC4C_OK;
}

#define POSITION                                                                                                       \
    "{ %0 = attribute [0 0]\n %1 = attribute [1 0]\n store_builtin [0 0] %0 store_builtin [0 1] %1\n"                  \
    "store_builtin [0 2] %0 store_builtin [0 3] %1 store_builtin [1 0] %1 store_output [1 2] %0 store_output [3 0] %1 }"

static void vertex_outputs(void **state)
{
    static const struct pass_case cases[] = {{"shader vertex attribute 0 0 8" POSITION,
         "shader vertex attribute 0 0 8 { %0 = attribute [0 0] %1 = attribute [1 0] %90 = fmaxabs %0 %1 "
         "?91 = flt %1 %90 %2 = fadd %0 %0 %92 = fsub %2 %1 %93 = fadd %1 %1 %3 = sel ?91 %93 %92 "
         "%4 = frcp [1] %1 %5 = uniform viewport_scale_x_16 %6 = fmul %0 %5 %7 = fmul %6 %4 %8 = const 0x47800040 "
         "%9 = fadd %7 %8 %10 = ftoi %9 %11 = uniform viewport_scale_y_16 %12 = fmul %1 %11 %13 = fmul %12 %4 "
         "%14 = const 0x47800040 %15 = fadd %13 %14 %16 = ftoi %15 %17 = pack_i16 %10 %16 vpm_store %17 "
         "%19 = uniform viewport_scale_z %20 = fmul %3 %19 %21 = fmul %20 %4 %22 = uniform viewport_offset_z "
         "%23 = fadd %21 %22 vpm_store %23 vpm_store %4 vpm_store %1 vpm_store %0 %28 = fmul %1 %1 vpm_store %28 }"},
                                             {"shader coordinate attribute 0 0 8" POSITION,
         "shader coordinate attribute 0 0 8 { %0 = attribute [0 0] %1 = attribute [1 0] %90 = fmaxabs %0 %1 "
         "?91 = flt %1 %90 %2 = fadd %0 %0 %92 = fsub %2 %1 %93 = fadd %1 %1 %3 = sel ?91 %93 %92 "
         "vpm_store %0 vpm_store %1 vpm_store %3 vpm_store %1 %8 = frcp [1] %1 %9 = uniform viewport_scale_x_16 "
         "%10 = fmul %0 %9 %11 = fmul %10 %8 %12 = const 0x47800040 %13 = fadd %11 %12 %14 = ftoi %13 %15 = uniform "
         "viewport_scale_y_16 %16 = fmul %1 %15 %17 = fmul %16 %8 %18 = const 0x47800040 %19 = fadd %17 %18 "
         "%20 = ftoi %19 %21 = pack_i16 %14 %20 vpm_store %21 %23 = uniform viewport_scale_z %24 = fmul %3 %23 "
         "%25 = fmul %24 %8 %26 = uniform viewport_offset_z %27 = fadd %25 %26 vpm_store %27 vpm_store %8 vpm_store "
         "%1 }"}};
    PASS_CHECK_VALUES(cases, lower_vertex_outputs);
}

static bool lower_vertex_side_effects(struct ir_shader *shader)
{
    return ir_lower_vs_side_effects(shader);
}

/* The coordinate program performs the side effects, in lanes that have a vertex. */
static void vertex_side_effects(void **state)
{
    static const struct pass_case cases[] = {
        {"shader vertex { %0 = uniform push vpm_store %0 }", NULL},
        {"shader coordinate { %0 = uniform push engine_store [0] %0 %0\n vpm_store %0 }",
         "shader coordinate { %0 = attribute [0 254] %1 = const 0x10000 ?2 = ult %0 %1 %3 = uniform push "
         "%4 = const 0x0 %5 = sel ?2 %3 %4 engine_store [0] %5 %3 vpm_store %3 }"},
    };
    PASS_CHECK_VALUES(cases, lower_vertex_side_effects);
}

static bool share_vertex_results(struct ir_shader *shader)
{
    struct ir_instr *value = NULL, **const values[] = {&value};
    struct ir_builder b = ir_at_end(shader, ir_list_last(&shader->body));
    ir_for_each_block(block, shader)
        ir_for_each_instr(instr, block)
            if (instr->op == IR_FRCP)
                value = instr;
    ir_share_vertex_results(&b, values, 1);
    ir_build1(&b, IR_VPM_STORE, value);
    return shader->vertex_results_B == 4;
}

/* The coordinate program stores its results per vertex; the vertex program only loads them. */
static void vertices_are_handed_on(void **state)
{
    static const struct pass_case cases[] = {
        {"shader coordinate { %0 = uniform push %1 = frcp [0] %0 engine_store [0] %0 %1 }",
         "shader coordinate { %0 = uniform push %1 = frcp %0 engine_store [0] %0 %1 %3 = attribute [0 254] "
         "%4 = const 0x10000 ?5 = ult %3 %4 %6 = uniform engine_vertices %7 = const 0x4 %8 = mul24 %3 %7 "
         "%9 = iadd %6 %8 %10 = const 0x0 %11 = sel ?5 %9 %10 %12 = const 0x0 %13 = iadd %11 %12 "
         "engine_store [0] %13 %1 vpm_store %1 }"},
        {"shader vertex { %0 = uniform push %1 = frcp [0] %0 engine_store [0] %0 %1 }",
         "shader vertex { %0 = attribute [0 254] %1 = const 0x10000 ?2 = ult %0 %1 %3 = uniform engine_vertices "
         "%4 = const 0x4 %5 = mul24 %0 %4 %6 = iadd %3 %5 %7 = const 0x0 %8 = sel ?2 %6 %7 %9 = const 0x0 "
         "%10 = iadd %8 %9 %11 = engine_load %10 vpm_store %11 }"},
    };
    PASS_CHECK_VALUES(cases, share_vertex_results);
}

static bool lower_dead_lanes(struct ir_shader *shader)
{
    bool needs = ir_needs_dead_lanes_masked(shader);
    ir_lower_dead_lanes(shader);
    return needs;
}

static void dead_lanes(void **state)
{
    static const struct pass_case cases[] = {
        {"shader vertex { %0 = attribute [0 0]\n loop { ?1 = flt %0 %0 if ?1 { break } else {} } vpm_store %0 }",
         "shader vertex { %0 = attribute [0 254] %1 = const 0x10000 ?2 = uge %0 %1 %3 = attribute [0 0] loop { if ?2 "
         "{ break } else { } ?5 = flt %3 %3 if ?5 { break } else { } } vpm_store %3 }"},
        {"shader vertex { %0 = uniform push loop { ?1 = flt %0 %0 if ?1 { break } else {} } vpm_store %0 }", NULL},
    };
    PASS_CHECK_VALUES(cases, lower_dead_lanes);
}

/* ---------------------------------------------------------------- compute */

static bool lower_engine(struct ir_shader *shader)
{
    shader->local_size[0] = 4;
    shader->local_size[1] = 2;
    shader->local_size[2] = 1;
    return ir_lower_engine(shader, NULL) == VC4C_OK;
}

static void workgroups(void **state)
{
    static const struct pass_case cases[] = {
        {"shader compute { %0 = load_builtin [27 1]\n %1 = load_builtin [28 0]\n engine_store [0] %0 %1 }",
         "shader compute { %0 = element %1 = const 0x2 %2 = shr %0 %1 %3 = const 0x3 %4 = and %0 %3 %5 = uniform "
         "workgroup_first loop { %6 = phi %5 %17\n"
         "%7 = uniform workgroup_end ?8 = uge %6 %7 if ?8 { break } else { } %10 = const 0x8 ?11 = ult %0 %10 if "
         "?11 { %12 = const 0x4 %13 = mul24 %6 %12 %14 = iadd %13 %4 engine_store [0] %2 %14 } else { } %16 = "
         "const 0x1 %17 = iadd %6 %16 } }"},
    };
    PASS_CHECK_VALUES(cases, lower_engine);
}

/* ---------------------------------------------------------------- textures */

static struct vc4c_key texture_key;

static bool lower_tex(struct ir_shader *shader)
{
    return ir_lower_tex(shader, &texture_key, NULL) == VC4C_OK;
}

#define SAMPLE(what) "texture 0 1 0 0 1 0 0\n{ %0 = frag_w %1 = sample dim=1 coord_count=2 " what "\n"
#define RESULTS      "%2 = sample_result [0] %1\n %3 = sample_result [3] %1\n tlb_stencil %2 tlb_stencil %3"

static void textures(void **state)
{
    static const struct pass_case native[] = {
        {SAMPLE("%0 %0") RESULTS,
         "texture 0 1 0 0 1 0 0 { %0 = frag_w %1 = tex texture=0 has_r=0 has_b=0 param_count=2 ( tex_p0 ) ( tex_p1 "
         ") %0 %0\n"
         "%2 = unpack_f [2] %1 %3 = unpack_f [5] %1 tlb_stencil %2 tlb_stencil %3"},
        {SAMPLE("has_bias=1 %0 %0 %0") RESULTS,
         "texture 0 1 0 0 1 0 0 { %0 = frag_w %1 = tex texture=0 has_r=0 has_b=1 param_count=3 ( tex_p0 ) ( tex_p1 "
         ") ( tex_zero ) %0 %0 %0\n"
         "%2 = unpack_f [2] %1 %3 = unpack_f [5] %1 tlb_stencil %2 tlb_stencil %3"},
        {SAMPLE("kind=1 has_lod=1 %0 %0 %0") RESULTS,
         "texture 0 1 0 0 1 0 0 { %0 = frag_w %1 = tex texture=0 has_r=0 has_b=1 param_count=3 ( tex_p0 ) ( tex_p1 "
         ") ( tex_p2_lod data=0x1 ) %0 %0 %0\n"
         "%2 = unpack_f [2] %1 %3 = unpack_f [5] %1 tlb_stencil %2 tlb_stencil %3"},
        {SAMPLE("kind=3 has_lod=1 %0 %0 %0") RESULTS,
         "texture 0 1 0 0 1 0 0 { %0 = frag_w %1 = uniform tex_width_i %2 = const 0x1 %3 = shr %1 %0 %4 = imax %3 "
         "%2 %5 = itof %4 %6 = frcp %5 %7 = const 0x3f000000 %8 = itof %0 %9 = fadd %8 %7 %10 = fmul %9 %6 %11 = "
         "uniform tex_height_i %12 = const 0x1 %13 = shr %11 %0 %14 = imax %13 %12 %15 = itof %14 %16 = frcp %15 "
         "%17 = const 0x3f000000 %18 = itof %0 %19 = fadd %18 %17 %20 = fmul %19 %16 %21 = itof %0 %22 = tex "
         "texture=0 has_r=0 has_b=1 param_count=3 ( tex_p0 ) ( tex_p1 data=0x3 ) ( tex_p2_lod data=0x1 ) %10 %20 "
         "%21\n"
         "%23 = unpack_f [2] %22 %24 = unpack_f [5] %22 tlb_stencil %23 tlb_stencil %24"}, /* a fetch */
        {SAMPLE("kind=6 %0 %0") "%2 = sample_result [0] %1\n tlb_stencil %2",
         "texture 0 1 0 0 1 0 0 { %0 = uniform tex_levels_i tlb_stencil %0"},
        /* OpImageQueryLod: rounded to a whole level if the sampler does not filter between levels */
        {SAMPLE("kind=7 %0 %0") "%2 = sample_result [0] %1\n tlb_stencil %2",
         "texture 0 1 0 0 1 0 0 { %0 = uniform tex_mip_linear_i %1 = const 0 ?2 = ine %0 %1 %3 = frag_w "
         "%4 = ddx %3 %5 = uniform tex_width_f %6 = fmul %4 %5 %7 = fmul %6 %6 "
         "%8 = ddx %3 %9 = uniform tex_height_f %10 = fmul %8 %9 %11 = fmul %10 %10 %12 = fadd %7 %11 "
         "%13 = ddy %3 %14 = uniform tex_width_f %15 = fmul %13 %14 %16 = fmul %15 %15 "
         "%17 = ddy %3 %18 = uniform tex_height_f %19 = fmul %17 %18 %20 = fmul %19 %19 %21 = fadd %16 %20 "
         "%22 = fmax %12 %21 %23 = sfu_log2 %22 %24 = const 0.5 %25 = fmul %23 %24 %26 = uniform tex_lod_bias_f "
         "%27 = fadd %25 %26 %28 = uniform tex_base_level_f %29 = fadd %27 %28 %30 = uniform tex_lod_min_f "
         "%31 = fmax %29 %30 %32 = uniform tex_lod_max_f %33 = fmin %31 %32 %34 = uniform tex_base_level_f "
         "%35 = fsub %33 %34 %36 = const 0 %37 = fmax %35 %36 %38 = uniform tex_last_level_f %39 = fmin %37 %38 "
         "%40 = const 0.5 %41 = fadd %39 %40 %42 = ftoi %41 %43 = itof %42 %44 = sel ?2 %39 %43 tlb_stencil %44"},
        {SAMPLE("projected=1 %0 %0 %0") RESULTS,
         "texture 0 1 0 0 1 0 0 { %0 = frag_w %1 = frcp %0 %2 = fmul %0 %1 %3 = fmul %0 %1 %4 = tex texture=0 "
         "has_r=0 has_b=0 param_count=2 ( tex_p0 ) ( tex_p1 ) %2 %3\n"
         "%5 = unpack_f [2] %4 %6 = unpack_f [5] %4 tlb_stencil %5 tlb_stencil %6"},
    };
    static const struct pass_case direct[] = {
        {SAMPLE("kind=3 has_lod=1 %0 %0 %0") "%2 = sample_result [0] %1\n tlb_stencil %2",
         "texture 0 1 0 0 1 0 0 { %0 = frag_w %1 = uniform direct_pitch %2 = const 0xc %3 = const 0x3 %4 = and %0 %3 "
         "%5 = mul24 %4 %2 %6 = const 0x4 %7 = shl %0 %6 %8 = isub %7 %5 %9 = const 0x10 %10 = const 0x3 "
         "%11 = and %0 %10 %12 = mul24 %11 %9 %13 = const 0x2 %14 = shr %0 %13 %15 = mul24 %14 %1 %16 = iadd %15 %12 "
         "%17 = iadd %8 %16 %18 = direct_tex [0] %17 tlb_stencil %18"},
    };
    texture_key = (struct vc4c_key){.class_count = 1};
    texture_key.classes[0] =
        (struct hw_sampling_class){.method = HW_SAMPLE_NATIVE,
                                   .format = HW_FORMAT_R8G8B8A8_UNORM,
                                   .swizzle = {HW_SWIZZLE_X, HW_SWIZZLE_Y, HW_SWIZZLE_Z, HW_SWIZZLE_W}};
    PASS_CHECK_VALUES(native, lower_tex);
    texture_key.classes[0].method = HW_SAMPLE_DIRECT;
    texture_key.classes[0].format = HW_FORMAT_R32_FLOAT;
    PASS_CHECK_VALUES(direct, lower_tex);
}

static bool lower_robust_tex(struct ir_shader *shader)
{
    shader->robustness = VC4C_ROBUST_IMAGES | VC4C_ROBUST_NULLS;
    return lower_tex(shader);
}

/* Coordinates and level are compared with the image, and a null descriptor's levels have no size. */
static void robust_textures(void **state)
{
    static const struct pass_case cases[] = {
        {SAMPLE("kind=3 has_lod=1 %0 %0 %0") "%2 = sample_result [0] %1\n tlb_stencil %2",
         "texture 0 1 0 0 1 0 0 { %0 = frag_w %1 = uniform direct_pitch %2 = const 0xc %3 = const 0x3 %4 = and %0 %3 "
         "%5 = mul24 %4 %2 %6 = const 0x4 %7 = shl %0 %6 %8 = isub %7 %5 %9 = const 0x10 %10 = const 0x3 "
         "%11 = and %0 %10 %12 = mul24 %11 %9 %13 = const 0x2 %14 = shr %0 %13 %15 = mul24 %14 %1 %16 = iadd %15 %12 "
         "%17 = iadd %8 %16 %18 = direct_tex [0] %17 "
         "%19 = uniform tex_width_i %20 = const 0x1 %21 = shr %19 %0 %22 = imax %21 %20 ?23 = ult %0 %22 "
         "%24 = uniform tex_height_i %25 = const 0x1 %26 = shr %24 %0 %27 = imax %26 %25 ?28 = ult %0 %27 "
         "?29 = band ?23 ?28 %30 = uniform tex_levels_i ?31 = ult %0 %30 ?32 = band ?29 ?31 %33 = const 0 "
         "%34 = sel ?32 %18 %33 tlb_stencil %34"},
        {"texture 0 1 0 0 1 0 0\n{ %0 = frag_w %1 = sample dim=1 kind=5 has_lod=1 %0\n"
         "%2 = sample_result [0] %1\n tlb_stencil %2",
         "texture 0 1 0 0 1 0 0 { %0 = frag_w %1 = uniform tex_width_i %2 = const 0x1 %3 = shr %1 %0 %4 = imax %3 %2 "
         "%5 = uniform tex_width_i %6 = imin %4 %5 tlb_stencil %6"},
    };
    texture_key = (struct vc4c_key){.class_count = 1};
    texture_key.classes[0] =
        (struct hw_sampling_class){.method = HW_SAMPLE_DIRECT,
                                   .format = HW_FORMAT_R32_FLOAT,
                                   .swizzle = {HW_SWIZZLE_X, HW_SWIZZLE_Y, HW_SWIZZLE_Z, HW_SWIZZLE_W}};
    PASS_CHECK_VALUES(cases, lower_robust_tex);
}

/* ---------------------------------------------------------------- tables */

static bool lower_tables(struct ir_shader *shader)
{
    ir_lower_tables(shader);
    return true;
}

/* Loads whose offset is the same for a whole draw become selects; all others stay. */
static void tables(void **state)
{
    static const struct pass_case cases[] = {
        {"table 3 5 6 7\n{ %0 = uniform push %1 = const 2 %2 = shl %0 %1\n %3 = load_table [0] %2\n tlb_stencil %3",
         "table 3 5 6 7\n{ %0 = uniform push %1 = const 2 %2 = shl %0 %1\n %3 = const 5 %4 = const 6 %5 = const 4 "
         "?6 = ieq %2 %5 %7 = sel ?6 %4 %3 %8 = const 7 %9 = const 8 ?10 = ieq %2 %9 %11 = sel ?10 %8 %7 "
         "tlb_stencil %11"},
        /* the second word of accesses to two words, 12 bytes apart */
        {"table 6 1 2 3 4 5 6\n{ %0 = uniform push %1 = const 12 %2 = mul24 %0 %1\n %3 = load_table [0 262148] %2\n "
         "tlb_stencil %3",
         "table 6 1 2 3 4 5 6\n{ %0 = uniform push %1 = const 12 %2 = mul24 %0 %1\n %3 = const 2 %4 = const 5 "
         "%5 = const 12 ?6 = ieq %2 %5 %7 = sel ?6 %4 %3 tlb_stencil %7"},
        {"table 3 5 6 7\n{ %0 = element %1 = const 2 %2 = shl %0 %1\n %3 = load_table [0] %2\n tlb_stencil %3",
         "table 3 5 6 7\n{ %0 = element %1 = const 2 %2 = shl %0 %1\n %3 = load_table [0] %2\n tlb_stencil %3"},
        /* a number from another table is not known when the stream is built */
        {"table 80 "
         "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
         "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
         "table 2 1 2\n{ %0 = uniform push %1 = load_table [0] %0\n %2 = load_table [1] %1\n tlb_stencil %2",
         "table 80 "
         "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
         "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
         "table 2 1 2\n{ %0 = uniform push %1 = load_table [0] %0\n %2 = load_table [1] %1\n tlb_stencil %2"},
    };
    PASS_CHECK_VALUES(cases, lower_tables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats),
        cmocka_unit_test(equality),
        cmocka_unit_test(integers),
        cmocka_unit_test(buffers),
        cmocka_unit_test(robust_buffers),
        cmocka_unit_test(fragment_inputs),
        cmocka_unit_test(fragment_samples),
        cmocka_unit_test(fragment_outputs),
        cmocka_unit_test(fragment_side_effects),
        cmocka_unit_test(attributes),
        cmocka_unit_test(vertex_outputs),
        cmocka_unit_test(vertex_side_effects),
        cmocka_unit_test(vertices_are_handed_on),
        cmocka_unit_test(dead_lanes),
        cmocka_unit_test(workgroups),
        cmocka_unit_test(textures),
        cmocka_unit_test(robust_textures),
        cmocka_unit_test(tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
