/* SPDX-License-Identifier: MIT
 *
 * Lowers loads from buffers and push constants. A load at a constant offset becomes a word of the uniform stream, which
 * is read when the job is issued. A buffer load at a computed offset becomes a direct lookup. Push constants exist only
 * as stream words, so a computed offset there becomes a chain of selects among all words that it can reach.
 */
#include <stdarg.h>
#include "compiler/lower/lower.h"

enum vc4c_result ir_lower_error(struct vc4c_error *error, enum vc4c_result result, const struct ir_instr *at,
                                const char *fmt, ...)
{
    if (error) {
        va_list va;
        va_start(va, fmt);
        vsnprintf(error->text, sizeof error->text, fmt, va);
        va_end(va);
        error->offset_words = at ? at->spirv_offset : 0;
    }
    return result;
}

static struct ir_instr *select_push_word(struct ir_builder *b, const struct ir_instr *load)
{
    uint32_t base = load->imm, step = load->imm2 & 0xffff, count = (load->imm2 >> 16) / step;
    struct ir_instr *offset = load->src[0].def, *out = ir_uniform(b, VC4C_UNIFORM_PUSH, 0, base);
    for (uint32_t i = 1; i <= count; i++) {
        struct ir_instr *here = ir_build2(b, IR_IEQ, offset, ir_const(b, base + i * step));
        out = ir_sel(b, here, ir_uniform(b, VC4C_UNIFORM_PUSH, 0, base + i * step), out);
    }
    return out;
}

/* The base offset of an access, given the offset of its word at `back_B`. All words of one access yield the same sum,
 * which CSE merges. */
static struct ir_instr *access_base(struct ir_builder *b, struct ir_instr *offset, uint32_t back_B)
{
    uint32_t more_B = -back_B;
    if (offset->op == IR_IADD && ir_is_const(offset->src[1].def))
        more_B += offset->src[1].def->imm, offset = offset->src[0].def;
    else if (offset->op == IR_IADD && ir_is_const(offset->src[0].def))
        more_B += offset->src[0].def->imm, offset = offset->src[1].def;
    return more_B ? ir_build2(b, IR_IADD, offset, ir_const(b, more_B)) : offset;
}

/* Whether loads from the buffer must give zero beyond its end. */
static bool is_robust(const struct ir_shader *shader, uint32_t ref)
{
    if (ref == VC4C_BUFFER_SPILL)
        return false;
    return shader->robustness &
           (shader->buffers[ref].storage ? VC4C_ROBUST_STORAGE_BUFFERS : VC4C_ROBUST_UNIFORM_BUFFERS);
}

/* Zero instead of the word where it does not lie in the buffer completely. A lookup alone would read some other word of
 * the buffer. */
static struct ir_instr *zero_beyond(struct ir_builder *b, struct ir_instr *word, struct ir_instr *offset, uint32_t ref)
{
    struct ir_instr *size = ir_uniform(b, VC4C_UNIFORM_BUFFER_SIZE, ref, 0);
    struct ir_instr *end = ir_build2(b, IR_AND, size, ir_const(b, ~3u));
    return ir_sel(b, ir_build2(b, IR_ULT, offset, end), word, ir_const(b, 0));
}

static struct ir_instr *lower_load(struct ir_builder *b, struct ir_instr *load)
{
    struct ir_instr *offset = load->src[0].def;
    bool is_push = load->op == IR_LOAD_PUSH;
    if (ir_is_const(offset))
        return ir_uniform(b, is_push ? VC4C_UNIFORM_PUSH : VC4C_UNIFORM_BUFFER_WORD, is_push ? 0 : load->imm,
                          offset->imm);
    if (is_push)
        return select_push_word(b, load);
    const bool is_part = load->imm2 == IR_LOAD_OF_PART;
    const uint32_t position = is_part ? 0 : load->imm2;
    struct ir_instr *direct = ir_build1(b, IR_DIRECT, access_base(b, offset, position & 0xffff));
    direct->imm = load->imm;
    direct->imm2 = position;
    return is_robust(b->shader, load->imm) && !is_part ? zero_beyond(b, direct, offset, load->imm) : direct;
}

#define MAX_PUSH_CHOICES 64

enum vc4c_result ir_lower_buffers(struct ir_shader *shader, struct vc4c_error *error)
{
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            if (instr->op != IR_LOAD_PUSH && instr->op != IR_LOAD_BUFFER)
                continue;
            uint32_t step = instr->imm2 & 0xffff;
            if (instr->op == IR_LOAD_PUSH && !ir_is_const(instr->src[0].def) &&
                (!step || (instr->imm2 >> 16) / step > MAX_PUSH_CHOICES))
                return ir_lower_error(error, VC4C_UNSUPPORTED, instr,
                                      "push constants: the index may reach more words than the limit of %u",
                                      MAX_PUSH_CHOICES);
            struct ir_builder b = ir_before(shader, instr);
            ir_replace_uses(instr, lower_load(&b, instr));
            ir_remove(instr);
        }
    }
    return VC4C_OK;
}
