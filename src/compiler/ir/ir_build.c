/* SPDX-License-Identifier: MIT
 *
 * Builds instructions and control flow.
 */
#include <string.h>
#include "compiler/ir/ir.h"

/* ---------------------------------------------------------------- places */

struct ir_builder ir_at_end(struct ir_shader *shader, struct ir_block *block)
{
    return (struct ir_builder){.shader = shader, .block = block, .before = &block->instrs};
}

struct ir_builder ir_at_start(struct ir_shader *shader, struct ir_block *block)
{
    struct ir_builder b = ir_at_end(shader, block);
    ir_for_each_instr(instr, block) {
        if (instr->op != IR_PHI) {
            b.before = &instr->link;
            break;
        }
    }
    return b;
}

static struct ir_builder builder_at(struct ir_shader *shader, struct ir_instr *instr)
{
    return (struct ir_builder){
        .shader = shader,
        .block = instr->block,
        .before = &instr->link,
        .spirv_offset = instr->spirv_offset,
        .relaxed = instr->relaxed,
        .exact = instr->exact,
    };
}

struct ir_builder ir_before(struct ir_shader *shader, struct ir_instr *instr)
{
    return builder_at(shader, instr);
}

struct ir_builder ir_after(struct ir_shader *shader, struct ir_instr *instr)
{
    struct ir_builder b = builder_at(shader, instr);
    b.before = instr->op == IR_PHI ? ir_at_start(shader, instr->block).before : instr->link.next;
    return b;
}

/* ---------------------------------------------------------------- instructions */

static struct ir_instr *make(struct ir_shader *shader, enum ir_op op, uint32_t bits, uint32_t src_count)
{
    const struct ir_op_info *info = &ir_op_infos[op];
    assert(src_count <= UINT8_MAX && (info->sources == 255 || info->sources == src_count));
    assert(!shader->lowered || !(info->flags & IR_H)); /* no later pass would lower it */
    struct ir_instr *instr =
        util_arena_alloc(shader->arena, sizeof *instr + src_count * sizeof instr->src[0]);
    instr->op = (uint16_t)op;
    instr->src_count = (uint8_t)src_count;
    instr->value.bits = info->result == IR_BITS_OF_SOURCE ? (uint8_t)bits : info->result;
    instr->value.index = shader->value_count++;
    util_list_init(&instr->value.uses);
    util_list_init(&instr->link);
    for (uint32_t i = 0; i < src_count; i++)
        instr->src[i].user = instr;
    return instr;
}

static struct ir_instr *build_float_op(struct ir_builder *b, enum ir_op op, uint32_t src_count,
                                       struct ir_instr *const *srcs)
{
    struct ir_instr *(*float_op)(struct ir_builder *, enum ir_op, uint32_t, struct ir_instr *const *) = b->float_op;
    b->float_op = NULL;
    struct ir_instr *out = float_op(b, op, src_count, srcs);
    b->float_op = float_op;
    return out;
}

struct ir_instr *ir_build(struct ir_builder *b, enum ir_op op, uint32_t bits, uint32_t src_count,
                          struct ir_instr *const *srcs)
{
    if (b->float_op && (ir_op_infos[op].flags & IR_F))
        return build_float_op(b, op, src_count, srcs);
    struct ir_instr *instr = make(b->shader, op, bits, src_count);
    instr->block = b->block;
    instr->spirv_offset = b->spirv_offset;
    instr->relaxed = b->relaxed;
    instr->exact = b->exact;
    for (uint32_t i = 0; i < src_count; i++)
        if (srcs && srcs[i])
            ir_src_set(&instr->src[i], srcs[i]);
    util_list_add_before(b->before, &instr->link);
    return instr;
}

/* For results of variable width the last source gives the width (SEL, MOV). Without sources it is 32. */
static uint32_t bits_of(struct ir_instr *last)
{
    return last ? last->value.bits : 32;
}

struct ir_instr *ir_build0(struct ir_builder *b, enum ir_op op)
{
    return ir_build(b, op, 32, 0, NULL);
}

struct ir_instr *ir_build1(struct ir_builder *b, enum ir_op op, struct ir_instr *s0)
{
    return ir_build(b, op, bits_of(s0), 1, &s0);
}

struct ir_instr *ir_build2(struct ir_builder *b, enum ir_op op, struct ir_instr *s0, struct ir_instr *s1)
{
    return ir_build(b, op, bits_of(s1), 2, (struct ir_instr *const[]){s0, s1});
}

struct ir_instr *ir_build3(struct ir_builder *b, enum ir_op op, struct ir_instr *s0, struct ir_instr *s1,
                           struct ir_instr *s2)
{
    return ir_build(b, op, bits_of(s2), 3, (struct ir_instr *const[]){s0, s1, s2});
}

struct ir_instr *ir_const(struct ir_builder *b, uint32_t word)
{
    struct ir_instr *instr = ir_build(b, IR_CONST, 32, 0, NULL);
    instr->imm = word;
    return instr;
}

struct ir_instr *ir_const_f(struct ir_builder *b, float f)
{
    return ir_const(b, util_fui(f));
}

struct ir_instr *ir_const_bool(struct ir_builder *b, bool value)
{
    struct ir_instr *instr = ir_build(b, IR_CONST, 1, 0, NULL);
    instr->imm = value;
    return instr;
}

struct ir_instr *ir_uniform(struct ir_builder *b, enum vc4c_uniform_kind kind, uint32_t ref, uint32_t data)
{
    struct ir_instr *instr = ir_build(b, IR_UNIFORM, 32, 0, NULL);
    instr->uniform = (struct vc4c_uniform){.kind = (uint8_t)kind, .ref = (uint16_t)ref, .data = data};
    return instr;
}

struct ir_instr *ir_phi_add_src(struct ir_shader *shader, struct ir_instr *phi, struct ir_instr *def)
{
    assert(phi->op == IR_PHI);
    struct ir_instr *larger = make(shader, IR_PHI, phi->value.bits, phi->src_count + 1u);
    larger->block = phi->block;
    larger->spirv_offset = phi->spirv_offset;
    larger->relaxed = phi->relaxed;
    util_list_add_before(&phi->link, &larger->link);
    for (uint32_t i = 0; i < phi->src_count; i++)
        ir_src_set(&larger->src[i], phi->src[i].def);
    ir_src_set(&larger->src[phi->src_count], def);
    ir_replace_uses(phi, larger);
    ir_remove(phi);
    return larger;
}

/* ---------------------------------------------------------------- control flow */

static void continue_in(struct ir_builder *b, struct ir_block *block)
{
    b->block = block;
    b->before = &block->instrs;
}

/* Inserts a new node after the builder's block, and a new block after the node. If the builder's block is not the last
 * of its list, the caller restores the alternation of blocks and nodes. */
static void insert_node(struct ir_builder *b, struct ir_node *node, enum ir_node_kind kind)
{
    assert(b->before == &b->block->instrs && !ir_block_jump(b->block));
    struct ir_node *at = &b->block->node;
    *node = (struct ir_node){.kind = (uint8_t)kind, .list = at->list, .parent = at->parent};
    util_list_add_after(&at->link, &node->link);
    struct ir_block *behind = util_arena_new(b->shader->arena, struct ir_block);
    behind->node = (struct ir_node){.kind = IR_NODE_BLOCK, .list = at->list, .parent = at->parent};
    behind->index = b->shader->block_count++;
    util_list_init(&behind->instrs);
    util_list_add_after(&node->link, &behind->node.link);
}

struct ir_if *ir_push_if(struct ir_builder *b, struct ir_instr *cond)
{
    struct ir_if *nif = util_arena_new(b->shader->arena, struct ir_if);
    insert_node(b, &nif->node, IR_NODE_IF);
    util_list_init(&nif->then_list);
    util_list_init(&nif->else_list);
    ir_src_set(&nif->cond, cond);
    continue_in(b, ir_block_create(b->shader, &nif->then_list, &nif->node));
    ir_block_create(b->shader, &nif->else_list, &nif->node);
    return nif;
}

void ir_push_else(struct ir_builder *b, struct ir_if *nif)
{
    continue_in(b, ir_list_last(&nif->else_list));
}

void ir_pop_if(struct ir_builder *b, struct ir_if *nif)
{
    continue_in(b, ir_node_as_block(ir_node_next(&nif->node)));
}

struct ir_loop *ir_push_loop(struct ir_builder *b)
{
    struct ir_loop *loop = util_arena_new(b->shader->arena, struct ir_loop);
    insert_node(b, &loop->node, IR_NODE_LOOP);
    util_list_init(&loop->body);
    continue_in(b, ir_block_create(b->shader, &loop->body, &loop->node));
    return loop;
}

void ir_pop_loop(struct ir_builder *b, struct ir_loop *loop)
{
    continue_in(b, ir_node_as_block(ir_node_next(&loop->node)));
}

void ir_split_block(struct ir_builder *b)
{
    struct ir_block *block = b->block, *tail = util_arena_new(b->shader->arena, struct ir_block);
    tail->node = (struct ir_node){.kind = IR_NODE_BLOCK, .list = block->node.list, .parent = block->node.parent};
    tail->index = b->shader->block_count++;
    util_list_init(&tail->instrs);
    while (b->before != &block->instrs) {
        struct ir_instr *instr = container_of(b->before, struct ir_instr, link);
        b->before = instr->link.next;
        util_list_del(&instr->link);
        util_list_add_tail(&tail->instrs, &instr->link);
        instr->block = tail;
    }
    util_list_add_after(&block->node.link, &tail->node.link);
}

void ir_join_after(struct ir_builder *b, struct ir_node *node)
{
    struct ir_block *behind = ir_node_as_block(ir_node_next(node));
    struct ir_block *tail = ir_node_as_block(ir_node_next(&behind->node));
    util_list_for_each(struct ir_instr, instr, &tail->instrs, link)
        instr->block = behind;
    b->block = behind;
    b->before = util_list_is_empty(&tail->instrs) ? &behind->instrs : tail->instrs.next;
    util_list_splice_tail(&behind->instrs, &tail->instrs);
    util_list_del(&tail->node.link);
}
