/* SPDX-License-Identifier: MIT
 *
 * Dispatches one instruction of a block to its family, or refuses it by name.
 */
#include "compiler/spirv/spv_engine.h"
#include "compiler/spirv/spv_special.h"

static bool is_ignored(uint16_t op)
{
    switch (op) {
    case SpvOpNop:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpUndef: /* defined by spv_find_functions */
    case SpvOpModuleProcessed:
    case SpvOpAssumeTrueKHR: /* nothing is made of the promise */
    case SpvOpBeginInvocationInterlockEXT: /* fragments at one place run one after another (cpu-engine.md) */
    case SpvOpEndInvocationInterlockEXT:
        return true;
    default:
        return false;
    }
}

static void extended(struct spv *s, const struct spv_instr *in)
{
    switch ((enum spv_kind)s->ids[in->words[3]].kind) {
    case SPV_GLSL_SET:
        if (in->count < 6)
            spv_invalid(s, "%s has no operands", spv_glsl_name(in->words[4]));
        if (!spv_translate_widths(s, in))
            spv_translate_glsl(s, in);
        return;
    case SPV_PRINTF_SET:
        spv_translate_printf(s, in);
        return;
    case SPV_IGNORED_SET:
        return;
    default:
        spv_invalid(s, "the operand is not an imported instruction set");
    }
}

/* RelaxedPrecision, NoContraction and FPFastMathMode are decorations of the result; rounding is a mode. */
static void set_qualifiers(struct spv *s, const struct spv_instr *in)
{
    const char *operands = spv_op_info(in->op)->operands;
    bool has_result = operands[0] == 't' && operands[1] == 'r';
    const struct spv_decor *d = has_result ? spv_decor(s, in->words[2]) : NULL;
    const struct spv_float_mode mode = d ? spv_float_mode(s, in, d) : (struct spv_float_mode){false, false};
    s->b.relaxed = d && d->relaxed;
    s->b.exact = mode.is_exact;
    s->b.float_op = has_result && spv_rounds_to_nearest(s, in) ? spv_round_to_nearest
                    : mode.is_special                          ? spv_keep_special_values
                                                               : NULL;
}

void spv_translate_instr(struct spv *s, const struct spv_instr *in)
{
    set_qualifiers(s, in);
    if (is_ignored(in->op))
        return;
    if (in->op == SpvOpExtInst) {
        extended(s, in);
    } else if (in->op == SpvOpDemoteToHelperInvocation) {
        ir_build0(&s->b, IR_DISCARD);
    } else if (in->op == SpvOpIsHelperInvocationEXT) {
        spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]), spv_is_helper(s));
    } else if (!spv_translate_memory(s, in) && !spv_translate_pointer(s, in) && !spv_translate_atomic(s, in) &&
               !spv_translate_dot(s, in) && !spv_translate_clock(s, in) && !spv_translate_widths(s, in) &&
               !spv_translate_storage_image(s, in) && !spv_translate_subgroup(s, in) && !spv_translate_alu(s, in) &&
               !spv_translate_emit(s, in) && !spv_translate_mesh(s, in) && !spv_translate_composite(s, in) &&
               !spv_translate_texture(s, in)) {
        s->offset = in->offset;
        spv_unsupported(s, "this instruction");
    }
    if (s->flushes_32)
        spv_flush_results(s, in);
    s->b.relaxed = s->b.exact = false;
    s->b.float_op = NULL;
}
