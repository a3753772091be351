/* SPDX-License-Identifier: MIT
 *
 * Stores and atomics of graphics programs. Lanes without an invocation of their own send them to VC4C_ENGINE_NULL:
 * helpers, what was discarded or, where the tests come early, has failed them; and the lanes of a batch that have no
 * vertex.
 *
 * A vertex shader becomes two programs. The coordinate program, which runs once per vertex, has the side effects, and
 * hands on in memory what it has made of the vertex; the vertex program, which runs once per vertex and tile at most,
 * reads just that. So it is with operations of subgroups: both programs have to agree, and meet in different batches.
 */
#include "compiler/lower/lower_samples.h"

#define VERTEX_PLACES 0x10000u /* what lies in the row of places of a dead lane is none */

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
            ir_src_set(&instr->src[0], ir_sel(&b, acts, instr->src[0].def, ir_const(&b, VC4C_ENGINE_NULL)));
        }
    }
}

void ir_lower_fs_side_effects(struct ir_shader *shader, const struct vc4c_fragment_key *key, struct ir_builder *start,
                              bool has_alive)
{
    struct ir_instr *covered = ir_build2(start, IR_INE, ir_coverage(start, key), ir_const(start, 0));
    mask(shader, covered, has_alive);
}

static struct ir_instr *vertex_place(struct ir_builder *b)
{
    struct ir_instr *place = ir_build0(b, IR_ATTRIBUTE);
    place->imm2 = VC4C_ATTRIBUTE_ARRAY_INDEX;
    return place;
}

static struct ir_instr *is_vertex(struct ir_builder *b, struct ir_instr *place)
{
    return ir_build2(b, IR_ULT, place, ir_const(b, VERTEX_PLACES));
}

bool ir_lower_vs_side_effects(struct ir_shader *shader)
{
    if (!ir_has_side_effects(shader))
        return ir_depends_on_lanes(shader);
    struct ir_builder start = ir_at_start(shader, ir_first_block(shader));
    if (shader->kind == VC4C_PROGRAM_COORDINATE)
        mask(shader, is_vertex(&start, vertex_place(&start)), false);
    return true;
}

void ir_share_vertex_results(struct ir_builder *b, struct ir_instr **const values[], uint32_t count)
{
    struct ir_shader *shader = b->shader;
    const bool gives = shader->kind == VC4C_PROGRAM_COORDINATE;
    shader->vertex_results_B = 4 * count;
    if (!gives) { /* nothing of the shader itself is left */
        util_list_init(&shader->body);
        *b = ir_at_end(shader, ir_block_create(shader, &shader->body, NULL));
    }
    struct ir_instr *place = vertex_place(b);
    struct ir_instr *at = ir_build2(b, IR_IADD, ir_uniform(b, VC4C_UNIFORM_ENGINE_VERTICES, 0, 0),
                                    ir_build2(b, IR_MUL24, place, ir_const(b, shader->vertex_results_B)));
    at = ir_sel(b, is_vertex(b, place), at, ir_const(b, VC4C_ENGINE_NULL));
    for (uint32_t i = 0; i < count; i++) {
        struct ir_instr *word = ir_build2(b, IR_IADD, at, ir_const(b, 4 * i));
        bool is_defined = *values[i] && (*values[i])->op != IR_UNDEF;
        if (gives)
            ir_build2(b, IR_ENGINE_STORE, word, is_defined ? *values[i] : ir_const(b, 0));
        else
            *values[i] = ir_build1(b, IR_ENGINE_LOAD, word);
    }
}
