/* SPDX-License-Identifier: MIT
 *
 * Checks the rules of ir.h. Runs after every pass with VC4VK_DEBUG=validate, and always on the IR that the SPIR-V
 * reader makes and before the back end. It must survive any shader whose lists are intact.
 *
 * A value is available to an instruction if its definition comes before it and is in a block that dominates it.
 */
#include <string.h>
#include "compiler/ir/ir.h"
#include "util/bitset.h"

struct check {
    struct ir_shader *shader;
    bool lowered;
    uint64_t *seen;        /* values defined before the current place */
    const struct ir_dominance *dominance;
    const char *message;
    struct ir_block *block;
    struct ir_instr *instr;
};

#define CHECK(c, cond, ...) ((cond) || complain(c, __VA_ARGS__))

static bool complain(struct check *c, const char *what)
{
    if (c->message)
        return false;
    struct util_arena *arena = c->shader->arena;
    const char *op = c->instr && c->instr->op < IR_OP_COUNT ? ir_op_infos[c->instr->op].text : "unknown operation";
    if (c->instr)
        c->message = util_arena_printf(arena, "block %u, %s (value %u, word %u of the module): %s",
                                       c->block ? c->block->index : 0, op, c->instr->value.index,
                                       c->instr->spirv_offset, what);
    else
        c->message = util_arena_printf(arena, "block %u: %s", c->block ? c->block->index : 0, what);
    return false;
}

/* ---------------------------------------------------------------- structure */

static bool check_list(struct check *c, struct util_list *list, struct ir_node *parent);

static bool check_node(struct check *c, struct ir_node *node)
{
    switch ((enum ir_node_kind)node->kind) {
    case IR_NODE_BLOCK:
        c->block = ir_node_as_block(node);
        return CHECK(c, !ir_block_jump(c->block) || !ir_node_next(node), "nodes follow a block that ends in a jump") &&
               CHECK(c, !ir_block_jump(c->block) || ir_enclosing_loop(node), "a jump outside of any loop");
    case IR_NODE_IF: {
        struct ir_if *nif = ir_node_as_if(node);
        return CHECK(c, nif->cond.def && !nif->cond.user && nif->cond.def->value.bits == 1,
                     "an if has no boolean condition") &&
               check_list(c, &nif->then_list, node) && check_list(c, &nif->else_list, node);
    }
    case IR_NODE_LOOP:
        return check_list(c, &ir_node_as_loop(node)->body, node);
    }
    return complain(c, "a node has an unknown kind");
}

static bool check_list(struct check *c, struct util_list *list, struct ir_node *parent)
{
    bool want_block = true;
    util_list_for_each(struct ir_node, node, list, link) {
        if (!CHECK(c, (node->kind == IR_NODE_BLOCK) == want_block, "blocks and other nodes do not alternate") ||
            !CHECK(c, node->list == list && node->parent == parent, "a node has a stale list or parent") ||
            !check_node(c, node))
            return false;
        want_block = !want_block;
    }
    return CHECK(c, !want_block, "a list does not end with a block");
}

/* ---------------------------------------------------------------- instructions */

static bool check_sources(struct check *c)
{
    struct ir_instr *instr = c->instr;
    for (uint32_t i = 0; i < instr->src_count; i++) {
        struct ir_src *src = &instr->src[i];
        if (!CHECK(c, src->def && src->def->block, "a source is missing or removed") ||
            !CHECK(c, src->user == instr, "a source names another instruction as its user") ||
            !CHECK(c, src->link.next->prev == &src->link, "a source is not linked into the uses of its value"))
            return false;
        uint32_t bits = ir_src_bits(instr, i);
        if (instr->op == IR_STORE_VAR)
            bits = c->shader->variables[instr->imm].bits;
        if (!CHECK(c, src->def->value.bits == bits, "a source has the wrong width"))
            return false;
    }
    return true;
}

static bool check_refs(struct check *c)
{
    const struct ir_instr *instr = c->instr;
    const struct ir_shader *shader = c->shader;
    switch ((enum ir_op)instr->op) {
    case IR_LOAD_VAR:
    case IR_STORE_VAR:
        return CHECK(c, instr->imm < shader->variable_count && instr->imm2 < shader->variables[instr->imm].words,
                     "no such variable");
    case IR_DIRECT:
    case IR_LOAD_BUFFER:
        return CHECK(c,
                     instr->imm < shader->buffer_count ||
                         (instr->imm == VC4C_BUFFER_SPILL && shader->spill_stride_B),
                     "no such buffer");
    case IR_DIRECT_TEX:
        return CHECK(c, instr->imm < shader->texture_count, "no such texture");
    case IR_LOAD_TABLE:
        return CHECK(c, instr->imm < shader->table_count, "no such table") &&
               CHECK(c, (instr->imm2 >> 16) < 4 * shader->tables[instr->imm].count,
                     "an access to more than the whole table") &&
               CHECK(c, (instr->imm2 & 0xffff) <= instr->imm2 >> 16 && !(instr->imm2 & 0x30003),
                     "a word that is not one of its access");
    case IR_TEX:
        return CHECK(c, instr->tex.texture < shader->texture_count, "no such texture") &&
               CHECK(c, instr->tex.param_count == instr->src_count && instr->src_count >= 2 &&
                         instr->src_count == 2 + instr->tex.has_r + instr->tex.has_b,
                     "the numbers of parameters and sources differ");
    case IR_SAMPLE:
        return CHECK(c, instr->sample.texture < shader->texture_count, "no such texture");
    case IR_SAMPLE_RESULT:
        return CHECK(c, instr->src[0].def && instr->src[0].def->op == IR_SAMPLE, "the source is not a sample");
    case IR_VARYING:
    case IR_POP_VARYING:
        return CHECK(c, instr->imm < shader->input_count, "no such input");
    default:
        return true;
    }
}

static bool check_instr(struct check *c, bool *past_phis)
{
    struct ir_instr *instr = c->instr;
    if (!CHECK(c, instr->op < IR_OP_COUNT, "no such operation"))
        return false;
    const struct ir_op_info *info = &ir_op_infos[instr->op];
    bool is_jump = instr->op == IR_BREAK || instr->op == IR_CONTINUE;
    if (instr->op == IR_PHI) {
        if (!CHECK(c, !*past_phis, "a phi is not at the head of its block") ||
            !CHECK(c, instr->src_count == c->block->pred_count, "a phi does not match the predecessors"))
            return false;
    } else {
        *past_phis = true;
    }
    return CHECK(c, instr->block == c->block, "an instruction has a stale block") &&
           CHECK(c, instr->value.index < c->shader->value_count, "an index is out of range") &&
           CHECK(c, info->sources == 255 || info->sources == instr->src_count, "the wrong number of sources") &&
           CHECK(c, info->result == IR_BITS_OF_SOURCE ? instr->value.bits == 32 || instr->value.bits == 1
                                                      : instr->value.bits == info->result,
                 "the result has the wrong width") &&
           CHECK(c, !c->lowered || !(info->flags & IR_H), "a high-level operation is left") &&
           CHECK(c, !is_jump || (instr->link.next == &c->block->instrs && ir_enclosing_loop(&c->block->node)),
                 "a jump is not the end of a block") &&
           check_refs(c) && check_sources(c);
}

/* ---------------------------------------------------------------- dominance */

static bool is_available(struct check *c, const struct ir_instr *def, const struct ir_block *block)
{
    return util_bitset_test(c->seen, def->value.index) && ir_dominates(c->dominance, def->block, block);
}

static bool check_defined(struct check *c, struct ir_block *block)
{
    ir_for_each_instr(instr, block) {
        c->instr = instr;
        for (uint32_t i = 0; i < instr->src_count && instr->op != IR_PHI; i++)
            if (!CHECK(c, is_available(c, instr->src[i].def, block), "a source does not dominate its use"))
                return false;
        util_bitset_set(c->seen, instr->value.index);
    }
    c->instr = NULL;
    struct ir_node *next = ir_node_next(&block->node);
    return !next || next->kind != IR_NODE_IF ||
           CHECK(c, is_available(c, ir_node_as_if(next)->cond.def, block), "a condition does not dominate its if");
}

static bool check_phis_defined(struct check *c, struct ir_block *block)
{
    ir_for_each_instr(instr, block) {
        if (instr->op != IR_PHI)
            break;
        c->instr = instr;
        for (uint32_t i = 0; i < instr->src_count; i++)
            if (!CHECK(c, ir_dominates(c->dominance, instr->src[i].def->block, block->preds[i]),
                       "a phi's source is not available in its predecessor"))
                return false;
    }
    c->instr = NULL;
    return true;
}

static bool indices_are_unique(struct check *c, size_t set_B)
{
    memset(c->seen, 0, set_B);
    ir_for_each_block(block, c->shader) {
        ir_for_each_instr(instr, block) {
            if (util_bitset_test(c->seen, instr->value.index))
                return complain(c, "two instructions share an index");
            util_bitset_set(c->seen, instr->value.index);
        }
    }
    memset(c->seen, 0, set_B);
    return true;
}

static bool check_all(struct check *c)
{
    struct ir_shader *shader = c->shader;
    if (!check_list(c, &shader->body, NULL))
        return false;
    uint32_t block_index = 0;
    ir_for_each_block(block, shader)
        block->index = block_index++;
    shader->block_count = block_index;
    ir_find_preds(shader);
    ir_for_each_block(block, shader) {
        bool past_phis = false;
        c->block = block;
        ir_for_each_instr(instr, block) {
            c->instr = instr;
            if (!check_instr(c, &past_phis))
                return false;
        }
        c->instr = NULL;
    }
    uint32_t words = UTIL_BITSET_WORDS(shader->value_count);
    c->seen = util_arena_new_array(shader->arena, uint64_t, words);
    if (!indices_are_unique(c, words * sizeof *c->seen))
        return false;
    c->dominance = ir_find_dominance(shader, shader->arena);
    ir_for_each_block(block, shader)
        if (c->block = block, !check_defined(c, block))
            return false;
    ir_for_each_block(block, shader)
        if (c->block = block, !check_phis_defined(c, block))
            return false;
    return true;
}

const char *ir_validate(struct ir_shader *shader, bool lowered)
{
    struct util_arena *arena = shader->arena, scratch;
    util_arena_init(&scratch, arena->alloc);
    jmp_buf oom;
    scratch.on_oom = &oom;
    if (setjmp(oom)) {
        util_arena_finish(&scratch);
        shader->arena = arena;
        ir_find_preds(shader);
        return NULL; /* out of memory before an error was found */
    }
    struct check c = {.shader = shader, .lowered = lowered || shader->lowered};
    shader->arena = &scratch;
    check_all(&c);
    shader->arena = arena;
    const char *message = c.message ? util_arena_strdup(arena, c.message) : NULL;
    util_arena_finish(&scratch);
    ir_for_each_block(block, shader) {
        block->preds = NULL;
        block->pred_count = 0;
    }
    return message;
}
