/* SPDX-License-Identifier: MIT
 *
 * The IR's operation table, creation and walking of shaders, predecessors of blocks, and the lists of a value's uses.
 */
#include "compiler/ir/ir.h"

const struct ir_op_info ir_op_infos[IR_OP_COUNT] = {
#define X(name, text_, sources_, result_, flags_)                                                                      \
    [IR_##name] = {.text = text_, .sources = sources_, .result = result_, .flags = flags_},
    IR_OPS(X)
#undef X
};

/* ---------------------------------------------------------------- creation */

struct ir_shader *ir_shader_create(struct util_arena *arena, enum vc4c_program_kind kind)
{
    struct ir_shader *shader = util_arena_new(arena, struct ir_shader);
    if (!shader)
        return NULL;
    shader->arena = arena;
    shader->kind = kind;
    shader->has_quads = kind == VC4C_PROGRAM_FRAGMENT;
    util_list_init(&shader->body);
    ir_block_create(shader, &shader->body, NULL);
    return shader;
}

struct ir_block *ir_block_create(struct ir_shader *shader, struct util_list *list, struct ir_node *parent)
{
    struct ir_block *block = util_arena_new(shader->arena, struct ir_block);
    block->node = (struct ir_node){.kind = IR_NODE_BLOCK, .list = list, .parent = parent};
    util_list_init(&block->instrs);
    util_list_add_tail(list, &block->node.link);
    block->index = shader->block_count++;
    return block;
}

/* ---------------------------------------------------------------- walking */

struct ir_block *ir_list_first(struct util_list *list)
{
    return ir_node_as_block(util_list_first(list, struct ir_node, link));
}

struct ir_block *ir_list_last(struct util_list *list)
{
    return ir_node_as_block(util_list_last(list, struct ir_node, link));
}

struct ir_block *ir_first_block(struct ir_shader *shader)
{
    return ir_list_first(&shader->body);
}

struct ir_block *ir_next_block(struct ir_block *block)
{
    struct ir_node *node = &block->node, *next = ir_node_next(node);
    if (!next) {
        struct ir_node *parent = node->parent;
        if (!parent)
            return NULL;
        if (parent->kind == IR_NODE_IF) {
            struct ir_if *nif = ir_node_as_if(parent);
            if (node->list == &nif->then_list)
                return ir_list_first(&nif->else_list);
        }
        return ir_node_as_block(ir_node_next(parent));
    }
    switch ((enum ir_node_kind)next->kind) {
    case IR_NODE_BLOCK:
        break;
    case IR_NODE_IF:
        return ir_list_first(&ir_node_as_if(next)->then_list);
    case IR_NODE_LOOP:
        return ir_list_first(&ir_node_as_loop(next)->body);
    }
    return ir_node_as_block(next);
}

struct ir_instr *ir_block_jump(struct ir_block *block)
{
    if (util_list_is_empty(&block->instrs))
        return NULL;
    struct ir_instr *last = util_list_last(&block->instrs, struct ir_instr, link);
    return last->op == IR_BREAK || last->op == IR_CONTINUE ? last : NULL;
}

struct ir_loop *ir_enclosing_loop(struct ir_node *node)
{
    for (struct ir_node *p = node->parent; p; p = p->parent)
        if (p->kind == IR_NODE_LOOP)
            return ir_node_as_loop(p);
    return NULL;
}

/* ---------------------------------------------------------------- predecessors */

/* The block that follows `block`; NULL at the end of the program. A block before an if has a second successor. */
static struct ir_block *successor(struct ir_block *block, struct ir_block **second_out)
{
    *second_out = NULL;
    struct ir_instr *jump = ir_block_jump(block);
    if (jump) {
        struct ir_loop *loop = ir_enclosing_loop(&block->node);
        return jump->op == IR_BREAK ? ir_node_as_block(ir_node_next(&loop->node)) : ir_list_first(&loop->body);
    }
    struct ir_node *next = ir_node_next(&block->node);
    if (next && next->kind == IR_NODE_IF) {
        *second_out = ir_list_first(&ir_node_as_if(next)->else_list);
        return ir_list_first(&ir_node_as_if(next)->then_list);
    }
    if (next && next->kind == IR_NODE_LOOP)
        return ir_list_first(&ir_node_as_loop(next)->body);
    struct ir_node *parent = block->node.parent;
    if (!parent)
        return NULL;
    if (parent->kind == IR_NODE_LOOP)
        return ir_list_first(&ir_node_as_loop(parent)->body);
    return ir_node_as_block(ir_node_next(parent));
}

/* Visiting the blocks in program order adds the edges in the order that phis use: an if's then before its else, a
 * loop's CONTINUEs in order before the end of its body, BREAKs in order. */
void ir_find_preds(struct ir_shader *shader)
{
    struct ir_block *to[2];
    ir_for_each_block(block, shader)
        block->pred_count = 0;
    ir_for_each_block(block, shader) {
        to[0] = successor(block, &to[1]);
        for (int i = 0; i < 2; i++)
            if (to[i])
                to[i]->pred_count++;
    }
    ir_for_each_block(block, shader) {
        block->preds = util_arena_new_array(shader->arena, struct ir_block *, block->pred_count);
        block->pred_count = 0;
    }
    ir_for_each_block(block, shader) {
        to[0] = successor(block, &to[1]);
        for (int i = 0; i < 2; i++)
            if (to[i])
                to[i]->preds[to[i]->pred_count++] = block;
    }
}

/* ---------------------------------------------------------------- uses */

void ir_src_set(struct ir_src *src, struct ir_instr *def)
{
    if (src->def)
        util_list_del(&src->link);
    src->def = def;
    if (def)
        util_list_add_tail(&def->value.uses, &src->link);
}

void ir_replace_uses(struct ir_instr *old, struct ir_instr *by)
{
    assert(old != by);
    util_list_for_each_safe(struct ir_src, src, &old->value.uses, link)
        ir_src_set(src, by);
}

void ir_remove(struct ir_instr *instr)
{
    assert(util_list_is_empty(&instr->value.uses));
    for (uint32_t i = 0; i < instr->src_count; i++)
        ir_src_set(&instr->src[i], NULL);
    util_list_del(&instr->link);
    instr->block = NULL;
}

uint32_t ir_src_bits(const struct ir_instr *instr, uint32_t i)
{
    switch ((enum ir_op)instr->op) {
    case IR_PHI:
    case IR_MOV:
        return instr->value.bits;
    case IR_SEL:
        return i == 0 ? 1 : instr->value.bits;
    case IR_BAND:
    case IR_BOR:
    case IR_BXOR:
    case IR_BNOT:
    case IR_ANY:
        return 1;
    case IR_TLB_Z:
    case IR_TLB_COLOR_STORE:
    case IR_TLB_COLOR_STORE_MS:
        return i == 1 ? 1 : 32;
    default:
        return 32;
    }
}

void ir_renumber(struct ir_shader *shader)
{
    uint32_t block_index = 0, value_index = 0;
    ir_for_each_block(block, shader) {
        block->index = block_index++;
        ir_for_each_instr(instr, block)
            instr->value.index = value_index++;
    }
    shader->block_count = block_index;
    shader->value_count = value_index;
}
