/* SPDX-License-Identifier: MIT
 *
 * Loads from a small table of constants at an offset that is the same for a whole draw become selects among the words
 * of the table. ir_hoist_uniforms then moves them out of the program. All other loads stay, as lookups.
 */
#include "compiler/lower/lower.h"

#define MAX_CHOICES 64u  /* of one load */
#define MAX_SELECTS 256u /* of a program: the hoisted expressions have a limit, too */

struct lowering {
    struct ir_shader *shader;
    bool *is_uniform; /* by value index */
    uint32_t value_count;
    uint32_t selects;
};

static bool is_uniform(const struct lowering *l, const struct ir_instr *i)
{
    if (ir_is_stream_word(i))
        return true;
    if (ir_expr_op(i->op) == HW_EXPR_WORD)
        return false;
    for (uint32_t k = 0; k < i->src_count; k++) {
        const uint32_t value = i->src[k].def->value.index;
        if (value < l->value_count && !l->is_uniform[value]) /* selects made here have higher indices */
            return false;
    }
    return true;
}

/* A number that divides all values of `offset`, or 0 if it is constant: a multiple of 4 if the index is scaled. */
static uint32_t divisor_of(const struct ir_instr *offset)
{
    const struct ir_instr *a = offset->src_count > 0 ? offset->src[0].def : NULL,
                          *b = offset->src_count > 1 ? offset->src[1].def : NULL;
    if (offset->op == IR_SHL && ir_is_const(b))
        return BIT(b->imm & 31);
    if (offset->op == IR_MUL24 && (ir_is_const(a) || ir_is_const(b)))
        return ir_is_const(a) ? a->imm : b->imm;
    return 1;
}

/* The selected word. The offsets are `first_B`, `first_B` + `step_B`, ... */
static struct ir_instr *select_word(struct ir_builder *b, const struct ir_instr *load, const struct ir_table *table,
                                    uint32_t first_B, uint32_t step_B, uint32_t count)
{
    struct ir_instr *offset = load->src[0].def, *out = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at_B = first_B + i * step_B;
        struct ir_instr *word = ir_const(b, table->words[ir_table_offset_B(table, at_B, load->imm2) / 4]);
        out = out ? ir_sel(b, ir_build2(b, IR_IEQ, offset, ir_const(b, at_B)), word, out) : word;
    }
    return out;
}

static struct ir_instr *select_among_words(struct lowering *l, struct ir_instr *load)
{
    const struct ir_table *table = &l->shader->tables[load->imm];
    const struct ir_instr *offset = load->src[0].def;
    uint32_t first_B = 0, step_B;
    if (offset->op == IR_IADD && ir_is_const(offset->src[1].def)) {
        first_B = offset->src[1].def->imm;
        offset = offset->src[0].def;
    }
    step_B = divisor_of(offset);
    if (step_B < 4 || step_B % 4) {
        step_B = 4;
        first_B %= 4;
    } else {
        first_B %= step_B;
    }
    const uint32_t end_B = 4 * table->count - (load->imm2 >> 16);
    const uint32_t count = first_B < end_B ? util_div_round_up(end_B - first_B, step_B) : 0;
    if (!count || count > MAX_CHOICES || count > MAX_SELECTS - l->selects)
        return NULL;
    l->selects += count;
    struct ir_builder b = ir_before(l->shader, load);
    return select_word(&b, load, table, first_B, step_B, count);
}

/* Returns the selected word, or NULL if the load stays. */
static struct ir_instr *visit(struct lowering *l, struct ir_instr *i)
{
    if (i->op != IR_LOAD_TABLE) {
        l->is_uniform[i->value.index] = is_uniform(l, i);
        return NULL;
    }
    const uint32_t offset = i->src[0].def->value.index;
    return offset >= l->value_count || l->is_uniform[offset] ? select_among_words(l, i) : NULL;
}

void ir_lower_tables(struct ir_shader *shader)
{
    struct lowering l = {.shader = shader, .value_count = shader->value_count};
    if (!shader->table_count)
        return;
    l.is_uniform = util_arena_new_array(shader->arena, bool, l.value_count);
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(i, block) {
            struct ir_instr *word = i->value.index < l.value_count ? visit(&l, i) : NULL;
            if (!word)
                continue;
            ir_replace_uses(i, word);
            ir_remove(i);
        }
    }
}
