/* SPDX-License-Identifier: MIT
 *
 * Repairs values whose definition no longer dominates their use. In SPIR-V a return in a loop jumps straight to the end
 * of the function. Here it is a flag and a BREAK, so its path enters the block after the loop and bypasses definitions
 * that all other paths pass. Such values are passed through a variable.
 */
#include "compiler/spirv/spv.h"

struct repair {
    struct spv *s;
    const struct ir_dominance *dominance;
    uint32_t *variables; /* per value: its variable plus 1, 0 = none */
    uint32_t value_count;
};

static struct ir_instr *load_copy(struct repair *r, struct ir_instr *def, struct ir_builder at)
{
    uint32_t *variable = &r->variables[def->value.index];
    if (!*variable) {
        *variable = spv_new_ir_variable(r->s, 1, def->value.bits) + 1;
        r->s->b = ir_after(r->s->shader, def);
        spv_store_var(r->s, *variable - 1, 0, def);
    }
    r->s->b = at;
    return spv_load_var(r->s, *variable - 1, 0);
}

static bool needs_copy(const struct repair *r, const struct ir_instr *def, const struct ir_block *block)
{
    return def && def->value.index < r->value_count && !ir_dominates(r->dominance, def->block, block);
}

/* The sources of a phi are used where the preceding blocks end. The only phis yet are those of loops of a fixed number
 * of rounds (lower_rounds.h), where no block that precedes the head ends in a jump. */
static void repair_phi(struct repair *r, struct ir_instr *phi)
{
    for (uint32_t i = 0; i < phi->src_count; i++) {
        struct ir_block *from = phi->block->preds[i];
        if (needs_copy(r, phi->src[i].def, from))
            ir_src_set(&phi->src[i], load_copy(r, phi->src[i].def, ir_at_end(r->s->shader, from)));
    }
}

static void repair_block(struct repair *r, struct ir_block *block)
{
    struct ir_shader *shader = r->s->shader;
    ir_for_each_instr_safe(instr, block) {
        if (instr->op == IR_PHI) {
            repair_phi(r, instr);
            continue;
        }
        for (uint32_t i = 0; i < instr->src_count; i++)
            if (needs_copy(r, instr->src[i].def, block))
                ir_src_set(&instr->src[i], load_copy(r, instr->src[i].def, ir_before(shader, instr)));
    }
    struct ir_node *next = ir_node_next(&block->node);
    if (!next || next->kind != IR_NODE_IF)
        return;
    struct ir_src *cond = &ir_node_as_if(next)->cond;
    if (needs_copy(r, cond->def, block))
        ir_src_set(cond, load_copy(r, cond->def, ir_at_end(shader, block)));
}

void spv_repair_uses(struct spv *s)
{
    struct ir_shader *shader = s->shader;
    ir_renumber(shader);
    ir_find_preds(shader);
    struct repair r = {.s = s, .dominance = ir_find_dominance(shader, s->arena), .value_count = shader->value_count};
    r.variables = util_arena_new_array(s->arena, uint32_t, r.value_count);
    ir_for_each_block(block, shader)
        repair_block(&r, block);
}
