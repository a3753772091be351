/* SPDX-License-Identifier: MIT
 *
 * Masks stores and atomics of graphics programs. Lanes that must not have side effects use the address
 * VC4C_ENGINE_NULL: helper invocations, discarded fragments, fragments that failed early tests, and lanes of a batch
 * that have no vertex.
 *
 * A vertex shader becomes two programs. The coordinate program runs once per vertex. It has the side effects, and
 * stores its results in memory. The vertex program runs at most once per vertex and tile, and only loads these results.
 * Vertex shaders with subgroup operations work the same way: both programs need the same results, but their batches
 * differ.
 */
#include "compiler/lower/lower_samples.h"

#define MAX_VERTEX_INDICES 0x10000u /* indices have 16 bits; the VPM holds no valid one for a dead lane */

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

static void mask_side_effects(struct ir_shader *shader, struct ir_instr *active, bool has_alive)
{
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            if (!is_side_effect(instr))
                continue;
            struct ir_builder b = ir_before(shader, instr);
            struct ir_instr *is_active = active;
            if (has_alive)
                is_active = ir_build2(&b, IR_BAND, is_active, ir_build(&b, IR_LOAD_VAR, 1, 0, NULL));
            ir_src_set(&instr->src[0], ir_sel(&b, is_active, instr->src[0].def, ir_const(&b, VC4C_ENGINE_NULL)));
        }
    }
}

void ir_lower_fs_side_effects(struct ir_shader *shader, const struct vc4c_fragment_key *key, struct ir_builder *start,
                              bool has_alive)
{
    struct ir_instr *covered = ir_build2(start, IR_INE, ir_coverage(start, key), ir_const(start, 0));
    mask_side_effects(shader, covered, has_alive);
}

static struct ir_instr *vertex_place(struct ir_builder *b)
{
    struct ir_instr *place = ir_build0(b, IR_ATTRIBUTE);
    place->imm2 = VC4C_ATTRIBUTE_ARRAY_INDEX;
    return place;
}

static struct ir_instr *is_vertex(struct ir_builder *b, struct ir_instr *place)
{
    return ir_build2(b, IR_ULT, place, ir_const(b, MAX_VERTEX_INDICES));
}

bool ir_lower_vs_side_effects(struct ir_shader *shader)
{
    if (!ir_has_side_effects(shader))
        return ir_depends_on_lanes(shader);
    struct ir_builder start = ir_at_start(shader, ir_first_block(shader));
    if (shader->kind == VC4C_PROGRAM_COORDINATE)
        mask_side_effects(shader, is_vertex(&start, vertex_place(&start)), false);
    return true;
}

void ir_share_vertex_results(struct ir_builder *b, struct ir_instr **const values[], uint32_t count)
{
    struct ir_shader *shader = b->shader;
    const bool is_writer = shader->kind == VC4C_PROGRAM_COORDINATE;
    shader->vertex_results_B = 4 * count;
    if (!is_writer) { /* the vertex program loads the results and computes nothing */
        util_list_init(&shader->body);
        *b = ir_at_end(shader, ir_block_create(shader, &shader->body, NULL));
    }
    struct ir_instr *place = vertex_place(b);
    struct ir_instr *address = ir_build2(b, IR_IADD, ir_uniform(b, VC4C_UNIFORM_ENGINE_VERTICES, 0, 0),
                                         ir_build2(b, IR_MUL24, place, ir_const(b, shader->vertex_results_B)));
    address = ir_sel(b, is_vertex(b, place), address, ir_const(b, VC4C_ENGINE_NULL));
    for (uint32_t i = 0; i < count; i++) {
        struct ir_instr *word = ir_build2(b, IR_IADD, address, ir_const(b, 4 * i));
        bool is_defined = *values[i] && (*values[i])->op != IR_UNDEF;
        if (is_writer)
            ir_build2(b, IR_ENGINE_STORE, word, is_defined ? *values[i] : ir_const(b, 0));
        else
            *values[i] = ir_build1(b, IR_ENGINE_LOAD, word);
    }
}
