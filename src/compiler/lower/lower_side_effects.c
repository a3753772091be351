/* SPDX-License-Identifier: MIT
 *
 * Stores and atomics of graphics programs. Lanes without an invocation of their own send them to VC4C_ENGINE_NOWHERE:
 * helpers, what was discarded or, where the tests come early, has failed them; and the lanes of a batch that have no vertex.
 *
 * A vertex shader becomes two programs. The coordinate program, which runs once per vertex, has the side effects; the
 * vertex program, which runs once per vertex and tile at most, has none, and its atomics give zero.
 */
#include "compiler/lower/lower_samples.h"

#define VERTEX_NUMBERS 0x10000u /* what lies in the ramp's row of a dead lane is none */

static bool is_side_effect(const struct ir_instr *instr)
{
    return instr->op == IR_ENGINE_STORE || instr->op == IR_ENGINE_ATOMIC;
}

bool ir_has_side_effects(struct ir_shader *shader)
{
    ir_for_each_block(block, shader)
        ir_for_each_instr(instr, block)
            if (is_side_effect(instr))
                return true;
    return false;
}

static void mask(struct ir_shader *shader, struct ir_instr *active, bool has_alive)
{
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            if (!is_side_effect(instr))
                continue;
            struct ir_builder b = ir_before(shader, instr);
            struct ir_instr *acts = active;
            if (has_alive)
                acts = ir_build2(&b, IR_BAND, acts, ir_build(&b, IR_LOAD_VAR, 1, 0, NULL));
            ir_src_set(&instr->src[0], ir_sel(&b, acts, instr->src[0].def, ir_const(&b, VC4C_ENGINE_NOWHERE)));
        }
    }
}

void ir_lower_fs_side_effects(struct ir_shader *shader, const struct vc4c_fragment_key *key, struct ir_builder *start,
                              bool has_alive)
{
    struct ir_instr *covered = ir_build2(start, IR_INE, ir_coverage(start, key), ir_const(start, 0));
    mask(shader, covered, has_alive);
}

/* The vertex program's. */
static void remove_all(struct ir_shader *shader)
{
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            if (!is_side_effect(instr))
                continue;
            struct ir_builder b = ir_before(shader, instr);
            if (instr->op == IR_ENGINE_ATOMIC)
                ir_replace_uses(instr, ir_const(&b, 0));
            ir_remove(instr);
        }
    }
}

void ir_lower_vs_side_effects(struct ir_shader *shader)
{
    if (!ir_has_side_effects(shader))
        return;
    if (shader->kind == VC4C_PROGRAM_VERTEX) {
        remove_all(shader);
        return;
    }
    struct ir_builder start = ir_at_start(shader, ir_first_block(shader));
    struct ir_instr *number = ir_build0(&start, IR_ATTRIBUTE);
    number->imm2 = VC4C_ATTRIBUTE_VERTEX_RAMP;
    mask(shader, ir_build2(&start, IR_ULT, number, ir_const(&start, VERTEX_NUMBERS)), false);
}
