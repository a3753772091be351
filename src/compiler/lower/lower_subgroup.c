/* SPDX-License-Identifier: MIT
 *
 * Lowers subgroup built-ins, for programs of any stage. A subgroup is the lanes of a QPU.
 */
#include "compiler/lower/lower.h"
#include "hw/qpu.h"
#include "spv_gen.h"

/* Mask of the lanes whose numbers are equal to, above or below this one's, as the built-in says. */
static struct ir_instr *lane_mask(struct ir_builder *b, uint32_t which)
{
    struct ir_instr *bit = ir_build2(b, IR_SHL, ir_const(b, 1), ir_build0(b, IR_ELEMENT));
    struct ir_instr *below = ir_build2(b, IR_ISUB, bit, ir_const(b, 1));
    switch (which) {
    case SpvBuiltInSubgroupEqMask:
        return bit;
    case SpvBuiltInSubgroupLtMask:
        return below;
    case SpvBuiltInSubgroupLeMask:
        return ir_build2(b, IR_OR, below, bit);
    case SpvBuiltInSubgroupGeMask:
        return ir_build2(b, IR_XOR, below, ir_const(b, 0xffff));
    default:
        return ir_build2(b, IR_XOR, ir_build2(b, IR_OR, below, bit), ir_const(b, 0xffff));
    }
}

struct ir_instr *ir_subgroup_builtin(struct ir_builder *b, const struct ir_instr *load)
{
    switch (load->imm) {
    case SpvBuiltInSubgroupSize:
        return ir_const(b, QPU_LANES);
    case SpvBuiltInSubgroupLocalInvocationId:
        return ir_build0(b, IR_ELEMENT);
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        return load->imm2 ? ir_const(b, 0) : lane_mask(b, load->imm);
    default:
        return NULL;
    }
}

static bool is_lane_builtin(uint32_t which)
{
    return which == SpvBuiltInSubgroupLocalInvocationId || which == SpvBuiltInSubgroupEqMask ||
           which == SpvBuiltInSubgroupGeMask || which == SpvBuiltInSubgroupGtMask ||
           which == SpvBuiltInSubgroupLeMask || which == SpvBuiltInSubgroupLtMask;
}

bool ir_depends_on_lanes(struct ir_shader *shader)
{
    ir_for_each_block(block, shader)
        ir_for_each_instr(instr, block)
            if (instr->op == IR_ROTATE || instr->op == IR_ACTIVE || instr->op == IR_ELEMENT ||
                (instr->op == IR_LOAD_BUILTIN && is_lane_builtin(instr->imm)))
                return true;
    return false;
}
