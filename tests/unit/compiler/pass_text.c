/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "pass_text.h"

static const char *complete_text(struct util_arena *arena, const char *text)
{
    static const char *const rows[] = {"variable ", "reads_color", "engine", "lowered",
                                       "texture ",  "buffer ",     "input ", "table "};
    bool has_rows = false;
    if (!strncmp(text, "shader ", 7))
        return text;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        has_rows |= !strncmp(text, rows[i], strlen(rows[i]));
    return util_arena_printf(arena, "%s%s\n}", has_rows ? "shader fragment\n" : "shader fragment\n{\n", text);
}

struct ir_shader *pass_parse(struct util_arena *arena, const char *text)
{
    char error[200] = "";
    text = complete_text(arena, text);
    struct ir_shader *shader = ir_parse(arena, text, error, sizeof error);
    if (!shader)
        fail_msg("%s in\n%s", error, text);
    const char *message = ir_validate(shader, false);
    if (message)
        fail_msg("%s in\n%s", message, text);
    return shader;
}

/* Moves the value and its sources to the end of the block, unless it was moved before. */
static void place(struct ir_block *block, struct ir_instr *instr, bool *is_placed)
{
    bool stays = instr->op == IR_PHI || !(ir_op_infos[instr->op].flags & IR_P);
    if (instr->block != block || stays || is_placed[instr->value.index])
        return;
    for (uint32_t i = 0; i < instr->src_count; i++)
        place(block, instr->src[i].def, is_placed);
    is_placed[instr->value.index] = true;
    util_list_del(&instr->link);
    util_list_add_tail(&block->instrs, &instr->link);
}

/* Sorts the values by first use. The order in which they were built depends on the order in which the C compiler
 * evaluates arguments. */
static void order_block(struct ir_block *block, bool *is_placed)
{
    struct ir_node *next = ir_node_next(&block->node);
    uint32_t count = 0, i = 0;
    ir_for_each_instr(instr, block)
        count++;
    struct ir_instr **instrs = calloc(count + 1, sizeof *instrs);
    ir_for_each_instr(instr, block)
        instrs[i++] = instr;
    for (i = 0; i < count; i++) {
        if (instrs[i]->op == IR_PHI || ir_op_infos[instrs[i]->op].flags & IR_P)
            continue;
        for (uint32_t k = 0; k < instrs[i]->src_count; k++)
            place(block, instrs[i]->src[k].def, is_placed);
        util_list_del(&instrs[i]->link);
        util_list_add_tail(&block->instrs, &instrs[i]->link);
    }
    if (next && next->kind == IR_NODE_IF)
        place(block, ir_node_as_if(next)->cond.def, is_placed);
    for (i = 0; i < count; i++)
        place(block, instrs[i], is_placed);
    struct ir_instr *jump = NULL;
    for (i = 0; i < count; i++)
        jump = instrs[i]->op == IR_BREAK || instrs[i]->op == IR_CONTINUE ? instrs[i] : jump;
    if (jump) {
        util_list_del(&jump->link);
        util_list_add_tail(&block->instrs, &jump->link);
    }
    free(instrs);
}

static void order(struct ir_shader *shader)
{
    ir_renumber(shader);
    bool *is_placed = calloc(shader->value_count + 1, sizeof *is_placed);
    ir_for_each_block(block, shader)
        order_block(block, is_placed);
    free(is_placed);
}

char *pass_print(struct ir_shader *shader)
{
    char *text;
    size_t size_B;
    FILE *f = open_memstream(&text, &size_B);
    ir_renumber(shader);
    ir_print(f, shader);
    fclose(f);
    return text;
}

void pass_check(const struct pass_case *cases, size_t count, bool is_order_free, bool (*pass)(struct ir_shader *shader))
{
    for (size_t i = 0; i < count; i++) {
        struct util_arena arena;
        util_arena_init(&arena, NULL);
        struct ir_shader *shader = pass_parse(&arena, cases[i].before);
        bool changed = pass(shader);
        const char *message = ir_validate(shader, false);
        if (message)
            fail_msg("%s after the pass on\n%s", message, cases[i].before);
        if (changed)
            ir_opt_dce(shader);
        struct ir_shader *wanted = pass_parse(&arena, cases[i].after ? cases[i].after : cases[i].before);
        if (is_order_free) {
            order(shader);
            order(wanted);
        }
        char *got = pass_print(shader), *want = pass_print(wanted);
        assert_string_equal(got, want);
        assert_true(changed == (cases[i].after != NULL));
        free(got);
        free(want);
        util_arena_finish(&arena);
    }
}
