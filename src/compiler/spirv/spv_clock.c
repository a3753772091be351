/* SPDX-License-Identifier: MIT
 *
 * OpReadClockKHR. Programs read the time by VPM DMA from a row that only the CPU engine has (docs/cpu-engine.md): lanes
 * of even number get the low half, lanes of odd number the high half. All lanes take part in the load, whether they
 * run or not, so that it is a single transfer and both halves are of one reading.
 */
#include "compiler/spirv/spv_engine.h"
#include "compiler/spirv/spv_subgroup.h"
#include "hw/qpu.h"

bool spv_translate_clock(struct spv *s, const struct spv_instr *in)
{
    struct ir_builder *b = &s->b;
    if (in->op != SpvOpReadClockKHR)
        return false;
    const struct spv_type *type = spv_type(s, in->words[1]);
    const uint32_t scope = spv_const_word(s, in->words[3]);
    if (scope != SpvScopeSubgroup && scope != SpvScopeDevice)
        spv_unsupported(s, "a clock of scope %u", scope);
    if (type->scalars != 2 || spv_scalar_bits(spv_scalar_at(type, 0)) != 32)
        spv_invalid(s, "a clock has two words");
    struct ir_instr *lane = ir_build0(b, IR_ELEMENT);
    struct ir_instr *offset = ir_build2(b, IR_SHL, lane, ir_const(b, 2));
    struct ir_instr *halves = ir_build1(b, IR_ENGINE_LOAD, ir_build2(b, IR_IADD, offset, ir_const(b, VC4C_ENGINE_CLOCK)));
    halves->imm = 1;
    struct ir_instr *is_odd = ir_build2(b, IR_INE, ir_build2(b, IR_AND, lane, ir_const(b, 1)), ir_const(b, 0));
    struct ir_instr **out = spv_new_scalars(s, 2);
    out[0] = ir_build3(b, IR_SEL, is_odd, spv_subgroup_rotate(s, halves, QPU_LANES - 1), halves);
    out[1] = ir_build3(b, IR_SEL, is_odd, halves, spv_subgroup_rotate(s, halves, 1));
    spv_define(s, in->words[2], type, out);
    return true;
}
