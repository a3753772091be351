/* SPDX-License-Identifier: MIT
 *
 * Replaces every operation whose sources are all constants by its value, and every load from a table at a constant
 * offset.
 */
#include "compiler/ir/ir_pass.h"

static bool fold(struct ir_shader *shader, struct ir_instr *instr)
{
    uint32_t srcs[3], word;
    if (!instr->value.bits || instr->src_count == 0 || instr->src_count > 3 || instr->op == IR_PHI)
        return false;
    for (uint32_t i = 0; i < instr->src_count; i++) {
        if (!ir_is_const(instr->src[i].def))
            return false;
        srcs[i] = instr->src[i].def->imm;
    }
    if (instr->op == IR_LOAD_TABLE) {
        const struct ir_table *table = &shader->tables[instr->imm];
        word = table->words[ir_table_offset_B(table, srcs[0], instr->imm2) / 4];
    } else if (!ir_fold(instr, srcs, &word)) {
        return false;
    }
    struct ir_builder b = ir_before(shader, instr);
    ir_replace_uses(instr, instr->value.bits == 1 ? ir_const_bool(&b, word) : ir_const(&b, word));
    ir_remove(instr);
    return true;
}

bool ir_opt_constant(struct ir_shader *shader)
{
    bool changed = false;
    ir_for_each_block(block, shader)
        ir_for_each_instr_safe(instr, block)
            changed |= fold(shader, instr);
    return changed;
}
