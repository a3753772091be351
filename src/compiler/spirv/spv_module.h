/* SPDX-License-Identifier: MIT
 *
 * A SPIR-V module as the rest of the front end sees it. The words are in host order, and their layout has been checked
 * against the grammar: every instruction is known and has its operands, every id is defined exactly once, ids are
 * dense.
 */
#ifndef SPV_MODULE_H
#define SPV_MODULE_H

#include "compiler/vc4c.h"
#include "spv_gen.h"

struct vc4c_module {
    const struct util_alloc *alloc;
    uint32_t *words;      /* owned; ids renumbered from 0 without gaps */
    uint32_t word_count;
    uint32_t *defs;       /* owned; per id: offset of the instruction that defines it */
    uint32_t *ids;        /* owned; per id: its number in the original module */
    uint32_t id_count;
    uint32_t version;
};

#define SPV_HEADER_WORDS 5

#define SPV_CAPABILITY_TEXT_B 80

/* Whether programs may declare the capability; and what an error says if not. */
bool spv_takes_capability(uint32_t capability);
void spv_refuse_capability(char text[SPV_CAPABILITY_TEXT_B], uint32_t capability);

/* An instruction; points into the module. */
struct spv_instr {
    const uint32_t *words; /* words[0]: word count and opcode */
    uint32_t offset;       /* of words[0] in the module */
    uint16_t op, count;
};

static inline struct spv_instr spv_instr_at(const struct vc4c_module *m, uint32_t offset)
{
    uint32_t first = m->words[offset];
    return (struct spv_instr){.words = m->words + offset, .offset = offset, .op = first & 0xffff, .count = first >> 16};
}

#define spv_for_each_instr(it, m)                                                                                      \
    for (struct spv_instr it = {.offset = SPV_HEADER_WORDS};                                                           \
         it.offset < (m)->word_count && (it = spv_instr_at(m, it.offset), true); it.offset += it.count)

enum vc4c_result spv_error(struct vc4c_error *error, enum vc4c_result result, uint32_t offset_words, const char *fmt,
                           ...) UTIL_PRINTF(4, 5);

/* Words of a literal of the integer type that the operand `id` of the instruction at `offset` has: 2 for 64 bits. Only
 * definitions before the instruction count, so that the result does not change while the module is read. */
uint32_t spv_literal_words(const struct vc4c_module *m, uint32_t offset, uint32_t id);

/* Where in the source code an instruction comes from. `file` points into the module; NULL: unknown, line is 0. */
struct spv_source_line {
    const char *file;
    uint32_t line;
};

/* Updates the place that is in effect by the next instruction of the module; begin with zeros (spv_lines.c). */
void spv_source_line_step(const struct vc4c_module *m, const struct spv_instr *in, struct spv_source_line *place);

/* Checks the layout and renumbers the ids (spv_read.c). */
enum vc4c_result spv_read(struct vc4c_module *module, struct vc4c_error *error);

#endif
