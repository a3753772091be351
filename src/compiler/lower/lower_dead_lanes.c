/* SPDX-License-Identifier: MIT
 *
 * Makes dead lanes of vertex programs leave loops. A batch may have fewer than 16 vertices, and the remaining lanes run
 * on whatever the VPM contains. A loop whose end depends on data may then never end, which on the chip hangs the
 * machine. So this pass adds a BREAK at the start of every outermost divergent loop, for lanes whose vertex index
 * cannot be valid: indices have 16 bits. [hardware.md 2.2.3, 6.6]
 *
 * Needs ir_lower_loop_exits, which gives values that leave a loop a phi, and the ARRAY_INDEX attribute. Runs last: the
 * phi sources of dead lanes are undefined, and other passes would fold them away.
 */
#include "compiler/lower/lower.h"

#define MAX_VERTEX_INDICES 0x10000u

static bool has_diverging_loop(struct util_list *list)
{
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_LOOP && ir_list_diverges(&ir_node_as_loop(node)->body))
            return true;
        if (node->kind == IR_NODE_IF && (has_diverging_loop(&ir_node_as_if(node)->then_list) ||
                                         has_diverging_loop(&ir_node_as_if(node)->else_list)))
            return true;
    }
    return false;
}

bool ir_needs_dead_lanes_masked(struct ir_shader *shader)
{
    ir_analyse_divergence(shader);
    return has_diverging_loop(&shader->body);
}

/* The new BREAK is the first of the loop, so its phi sources come first. */
static void add_undefined_sources(struct ir_shader *shader, struct ir_block *behind)
{
    ir_for_each_instr_safe(instr, behind) {
        if (instr->op != IR_PHI)
            break;
        struct ir_builder start = ir_at_start(shader, ir_first_block(shader));
        struct ir_instr *undef = ir_build(&start, IR_UNDEF, instr->value.bits, 0, NULL);
        struct ir_instr *phi = ir_phi_add_src(shader, instr, undef);
        for (uint32_t i = phi->src_count - 1u; i > 0; i--)
            ir_src_set(&phi->src[i], phi->src[i - 1].def);
        ir_src_set(&phi->src[0], undef);
    }
}

static void add_break(struct ir_shader *shader, struct ir_loop *loop, struct ir_instr *is_dead)
{
    struct ir_builder b = ir_at_start(shader, ir_list_first(&loop->body));
    ir_split_block(&b);
    struct ir_if *leave = ir_push_if(&b, is_dead);
    ir_build0(&b, IR_BREAK);
    ir_pop_if(&b, leave);
    ir_join_after(&b, &leave->node);
    add_undefined_sources(shader, ir_node_as_block(ir_node_next(&loop->node)));
}

static void visit_list(struct ir_shader *shader, struct util_list *list, struct ir_instr *is_dead)
{
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_LOOP && ir_list_diverges(&ir_node_as_loop(node)->body)) {
            add_break(shader, ir_node_as_loop(node), is_dead);
        } else if (node->kind == IR_NODE_IF) {
            visit_list(shader, &ir_node_as_if(node)->then_list, is_dead);
            visit_list(shader, &ir_node_as_if(node)->else_list, is_dead);
        }
    }
}

void ir_lower_dead_lanes(struct ir_shader *shader)
{
    if (shader->kind == VC4C_PROGRAM_FRAGMENT || shader->kind == VC4C_PROGRAM_COMPUTE ||
        !ir_needs_dead_lanes_masked(shader))
        return;
    struct ir_builder start = ir_at_start(shader, ir_first_block(shader));
    struct ir_instr *place = ir_build0(&start, IR_ATTRIBUTE);
    place->imm2 = VC4C_ATTRIBUTE_ARRAY_INDEX;
    visit_list(shader, &shader->body, ir_build2(&start, IR_UGE, place, ir_const(&start, MAX_VERTEX_INDICES)));
    ir_pass_done(shader, "ir_lower_dead_lanes", true);
}
