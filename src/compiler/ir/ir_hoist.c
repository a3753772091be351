/* SPDX-License-Identifier: MIT
 *
 * Hoists expressions that depend on uniform words and constants only. Their value is the same for a whole draw, so the
 * CPU computes it when it builds the uniform stream, and the program pops one word. Normalised light directions,
 * products of matrices and reciprocals of sizes then cost the program nothing.
 *
 * The CPU computes the chip's own operations bit for bit as the chip does. A position is therefore the same in the
 * coordinate and the vertex program, whatever else either of them hoists.
 *
 * Runs once, after loads have become UNIFORMs and before high-level operations are expanded.
 */
#include "compiler/ir/ir_pass.h"

#define NO_STEP UINT16_MAX
#define MAX_OPERATIONS (VC4C_MAX_EXPRS / 4) /* each may add steps for three source words */

struct hoist {
    struct ir_shader *shader;
    bool *is_uniform;  /* by value index: depends on uniform words and constants only */
    uint16_t *step_of; /* by value index */
    uint32_t operations;
};

bool ir_is_stream_word(const struct ir_instr *i)
{
    if (i->op != IR_UNIFORM)
        return i->op == IR_CONST;
    switch (i->uniform.kind) {
    case VC4C_UNIFORM_CONSTANT:
    case VC4C_UNIFORM_PUSH:
    case VC4C_UNIFORM_BUFFER_WORD:
    case VC4C_UNIFORM_BUFFER_SIZE:
    case VC4C_UNIFORM_TEX_WIDTH_F:
    case VC4C_UNIFORM_TEX_HEIGHT_F:
    case VC4C_UNIFORM_TEX_RCP_WIDTH_F:
    case VC4C_UNIFORM_TEX_RCP_HEIGHT_F:
    case VC4C_UNIFORM_TEX_WIDTH_I:
    case VC4C_UNIFORM_TEX_HEIGHT_I:
    case VC4C_UNIFORM_TEX_DEPTH_I:
    case VC4C_UNIFORM_TEX_LEVELS_I:
    case VC4C_UNIFORM_TEX_LOD_BIAS_F:
    case VC4C_UNIFORM_TEX_LOD_MIN_F:
    case VC4C_UNIFORM_TEX_LOD_MAX_F:
    case VC4C_UNIFORM_TEX_BASE_LEVEL_F:
    case VC4C_UNIFORM_BLEND_CONSTANT:
    case VC4C_UNIFORM_INSTANCE_INDEX:
    case VC4C_UNIFORM_DRAW:
    case VC4C_UNIFORM_VIEW_INDEX:
    case VC4C_UNIFORM_VIEWPORT_INDEX:
        return true;
    default:
        return false;
    }
}

/* A comparison of a uniform word with a constant is not hoisted: the program's own compare sets the flags directly. */
static bool is_plain_comparison(const struct ir_instr *i)
{
    return i->value.bits == 1 && i->src_count == 2 && ir_is_stream_word(i->src[0].def) &&
           ir_is_stream_word(i->src[1].def) && (ir_is_const(i->src[0].def) || ir_is_const(i->src[1].def));
}

/* ---------------------------------------------------------------- what can be computed */

static bool is_computable(const struct hoist *h, const struct ir_instr *i)
{
    bool varies = false;
    if (ir_expr_op(i->op) == HW_EXPR_WORD || i->src_count > 3 || h->operations == MAX_OPERATIONS)
        return false;
    for (uint32_t k = 0; k < i->src_count; k++) {
        if (!h->is_uniform[i->src[k].def->value.index])
            return false;
        varies |= !ir_is_const(i->src[k].def);
    }
    return varies;
}

/* x / u = x (1 / u), within the precision that Vulkan asks of divisions. */
static bool divide_by_uniform(struct hoist *h, struct ir_instr *i)
{
    struct ir_instr *x = i->src[0].def, *divisor = i->src[1].def;
    if (i->exact || h->is_uniform[x->value.index] || !h->is_uniform[divisor->value.index] || ir_is_const(divisor))
        return false;
    struct ir_builder b = ir_before(h->shader, i);
    b.relaxed = i->relaxed;
    struct ir_instr *inverse = ir_build1(&b, IR_FRCP, divisor);
    h->is_uniform[inverse->value.index] = true;
    h->operations++;
    ir_replace_uses(i, ir_build2(&b, IR_FMUL, x, inverse));
    ir_remove(i);
    return true;
}

static uint32_t count_divisions(struct ir_shader *shader)
{
    uint32_t count = 0;
    ir_for_each_block(block, shader)
        ir_for_each_instr(i, block)
            count += i->op == IR_FDIV;
    return count;
}

static void mark(struct hoist *h)
{
    ir_for_each_block(block, h->shader) {
        ir_for_each_instr_safe(i, block) {
            if (!i->value.bits || (i->op == IR_FDIV && divide_by_uniform(h, i)))
                continue;
            bool computable = is_computable(h, i);
            h->operations += computable;
            h->is_uniform[i->value.index] = computable || ir_is_stream_word(i);
        }
    }
}

/* ---------------------------------------------------------------- steps */

static uint16_t add_step(struct hoist *h, const struct ir_instr *i)
{
    uint16_t *step = &h->step_of[i->value.index];
    if (*step != NO_STEP)
        return *step;
    struct vc4c_expr e = {.op = HW_EXPR_WORD};
    if (i->op == IR_UNIFORM) {
        e.word = i->uniform;
    } else if (i->op == IR_CONST) {
        e.word = (struct vc4c_uniform){.kind = VC4C_UNIFORM_CONSTANT, .data = i->imm};
    } else {
        e.op = (uint16_t)ir_expr_op(i->op);
        for (uint32_t k = 0; k < i->src_count; k++)
            e.src[k] = add_step(h, i->src[k].def); /* has a step already, or is a leaf or plain comparison */
    }
    h->shader->exprs[h->shader->expr_count] = e;
    return *step = (uint16_t)h->shader->expr_count++;
}

/* Makes the users that are not hoisted themselves read the word. */
static bool replace(struct hoist *h, struct ir_instr *i)
{
    struct ir_instr *word = NULL;
    util_list_for_each_safe(struct ir_src, use, &i->value.uses, link) {
        bool is_inside = use->user && use->user->value.bits && h->is_uniform[use->user->value.index];
        if (is_inside)
            continue;
        if (!word) {
            struct ir_builder b = ir_before(h->shader, i);
            word = ir_uniform(&b, VC4C_UNIFORM_EXPR, 0, h->step_of[i->value.index]);
            if (i->value.bits == 1)
                word = ir_build2(&b, IR_INE, word, ir_const(&b, 0));
        }
        ir_src_set(use, word);
    }
    return word;
}

bool ir_hoist_uniforms(struct ir_shader *shader)
{
    struct hoist h = {.shader = shader};
    bool changed = false;
    uint32_t bound = shader->value_count + 2 * count_divisions(shader);
    h.is_uniform = util_arena_new_array(shader->arena, bool, bound);
    mark(&h);
    if (!h.operations)
        return false;
    uint32_t values = shader->value_count;
    h.step_of = util_arena_new_array(shader->arena, uint16_t, values);
    for (uint32_t v = 0; v < values; v++)
        h.step_of[v] = NO_STEP;
    shader->exprs = util_arena_new_array(shader->arena, struct vc4c_expr, 4 * h.operations);
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(i, block) {
            if (i->value.index >= values || !i->value.bits || ir_is_stream_word(i) || is_plain_comparison(i) ||
                !h.is_uniform[i->value.index])
                continue;
            add_step(&h, i);
            changed |= replace(&h, i);
        }
    }
    return changed;
}
