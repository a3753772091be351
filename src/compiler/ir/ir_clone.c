/* SPDX-License-Identifier: MIT
 *
 * Copies a shader into another arena. In the copy the uses of a value are listed in program order, so code compiled
 * from a copy does not depend on what has happened to the original.
 */
#include <string.h>
#include "compiler/ir/ir.h"

struct cloner {
    struct ir_shader *shader;
    struct ir_instr **copy_of; /* copies, by value index of the original */
};

/* ---------------------------------------------------------------- the nodes and instructions, without sources */

static void clone_instr(struct cloner *c, const struct ir_instr *from, struct ir_block *to)
{
    size_t size_B = sizeof *from + from->src_count * sizeof from->src[0];
    struct ir_instr *instr = util_arena_alloc(c->shader->arena, size_B);
    memcpy(instr, from, sizeof *from);
    for (uint32_t i = 0; i < from->src_count; i++)
        instr->src[i] = (struct ir_src){.user = instr};
    instr->block = to;
    util_list_init(&instr->value.uses);
    util_list_add_tail(&to->instrs, &instr->link);
    c->copy_of[from->value.index] = instr;
}

static void clone_list(struct cloner *c, struct util_list *from, struct util_list *to, struct ir_node *parent);

static void clone_if(struct cloner *c, struct ir_if *from, struct util_list *to, struct ir_node *parent)
{
    struct ir_if *nif = util_arena_new(c->shader->arena, struct ir_if);
    nif->node = (struct ir_node){.kind = IR_NODE_IF, .list = to, .parent = parent};
    util_list_init(&nif->then_list);
    util_list_init(&nif->else_list);
    util_list_add_tail(to, &nif->node.link);
    clone_list(c, &from->then_list, &nif->then_list, &nif->node);
    clone_list(c, &from->else_list, &nif->else_list, &nif->node);
}

static void clone_loop(struct cloner *c, struct ir_loop *from, struct util_list *to, struct ir_node *parent)
{
    struct ir_loop *loop = util_arena_new(c->shader->arena, struct ir_loop);
    loop->node = (struct ir_node){.kind = IR_NODE_LOOP, .list = to, .parent = parent};
    loop->rolled = from->rolled;
    util_list_init(&loop->body);
    util_list_add_tail(to, &loop->node.link);
    clone_list(c, &from->body, &loop->body, &loop->node);
}

static void clone_list(struct cloner *c, struct util_list *from, struct util_list *to, struct ir_node *parent)
{
    util_list_for_each(struct ir_node, node, from, link) {
        if (node->kind == IR_NODE_IF) {
            clone_if(c, ir_node_as_if(node), to, parent);
        } else if (node->kind == IR_NODE_LOOP) {
            clone_loop(c, ir_node_as_loop(node), to, parent);
        } else {
            struct ir_block *block = ir_block_create(c->shader, to, parent);
            ir_for_each_instr(instr, ir_node_as_block(node))
                clone_instr(c, instr, block);
        }
    }
}

/* ---------------------------------------------------------------- the sources */

static void connect(struct cloner *c, struct ir_src *to, const struct ir_src *from)
{
    if (from->def)
        ir_src_set(to, c->copy_of[from->def->value.index]);
}

/* `to` is the copy of `from`, with the same nodes in the same order. */
static void connect_list(struct cloner *c, struct util_list *from, struct util_list *to)
{
    struct util_list *link = to->next;
    util_list_for_each(struct ir_node, node, from, link) {
        struct ir_node *copy = container_of(link, struct ir_node, link);
        link = link->next;
        if (node->kind == IR_NODE_IF) {
            struct ir_if *nif = ir_node_as_if(node), *to_if = ir_node_as_if(copy);
            connect(c, &to_if->cond, &nif->cond);
            connect_list(c, &nif->then_list, &to_if->then_list);
            connect_list(c, &nif->else_list, &to_if->else_list);
        } else if (node->kind == IR_NODE_LOOP) {
            connect_list(c, &ir_node_as_loop(node)->body, &ir_node_as_loop(copy)->body);
        } else {
            ir_for_each_instr(instr, ir_node_as_block(node))
                for (uint32_t i = 0; i < instr->src_count; i++)
                    connect(c, &c->copy_of[instr->value.index]->src[i], &instr->src[i]);
        }
    }
}

static void clone_tables(struct ir_shader *to, const struct ir_shader *from)
{
    to->table_capacity = from->table_count;
    to->tables = util_arena_new_array(to->arena, struct ir_table, from->table_count + 1);
    for (uint32_t i = 0; i < from->table_count; i++) {
        const struct ir_table *t = &from->tables[i];
        uint32_t *words = util_arena_new_array(to->arena, uint32_t, t->count);
        memcpy(words, t->words, t->count * sizeof *words);
        to->tables[i] = (struct ir_table){words, t->count, t->hash};
    }
}

struct ir_shader *ir_clone(struct ir_shader *from, struct util_arena *arena)
{
    struct cloner c = {util_arena_new(arena, struct ir_shader),
                       util_arena_new_array(arena, struct ir_instr *, from->value_count + 1)};
    *c.shader = *from;
    c.shader->arena = arena;
    c.shader->block_count = 0;
    c.shader->prints = NULL; /* they stay with the original */
    c.shader->print_count = 0;
    c.shader->variable_capacity = from->variable_count;
    c.shader->variables = util_arena_new_array(arena, struct ir_variable, from->variable_count + 1);
    if (from->variable_count)
        memcpy(c.shader->variables, from->variables, from->variable_count * sizeof *from->variables);
    clone_tables(c.shader, from);
    assert(!from->expr_count);
    util_list_init(&c.shader->body);
    clone_list(&c, &from->body, &c.shader->body, NULL);
    connect_list(&c, &from->body, &c.shader->body);
    ir_find_preds(c.shader);
    return c.shader;
}
