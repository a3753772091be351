/* SPDX-License-Identifier: MIT
 *
 * Reads a module once, word by word, and checks it against the operand kinds of the grammar. Modules may be hostile:
 * code after this file never sees an instruction that is cut short, an id that is out of range, undefined or defined
 * twice, or an unterminated string.
 *
 * Ids are renumbered in the order in which they occur, so that the size of tables indexed by id depends on the size of
 * the module, not on the bound in its header.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "compiler/spirv/spv_module.h"

#define MAX_BOUND 0x400000u /* SPIR-V's own limit is 4,194,303 */
#define UNSEEN    UINT32_MAX

enum vc4c_result spv_error(struct vc4c_error *error, enum vc4c_result result, uint32_t offset_words, const char *fmt,
                           ...)
{
    if (error) {
        va_list va;
        va_start(va, fmt);
        vsnprintf(error->text, sizeof error->text, fmt, va);
        va_end(va);
        error->offset_words = offset_words;
    }
    return result;
}

struct reader {
    struct vc4c_module *module;
    struct vc4c_error *error;
    uint32_t *renumber;    /* per id of the module: the dense id, or UNSEEN */
    uint32_t bound;
    uint32_t instr, end;   /* first word of the current instruction, and the word after its last */
    uint32_t at;           /* current operand */
    const struct spv_op_info *info;
};

#define FAIL(r, result, ...) spv_error((r)->error, result, (r)->instr, __VA_ARGS__)

static enum vc4c_result cut_short(struct reader *r)
{
    return FAIL(r, VC4C_INVALID, "%s has too few words", r->info->name);
}

/* ---------------------------------------------------------------- operands */

static enum vc4c_result read_id(struct reader *r, bool is_result)
{
    struct vc4c_module *m = r->module;
    if (r->at >= r->end)
        return cut_short(r);
    uint32_t id = m->words[r->at];
    if (!id || id >= r->bound)
        return FAIL(r, VC4C_INVALID, "%s refers to id %u, the bound is %u", r->info->name, id, r->bound);
    if (r->renumber[id] == UNSEEN) {
        m->defs[m->id_count] = 0;
        r->renumber[id] = m->id_count++;
    }
    uint32_t dense = r->renumber[id];
    if (is_result) {
        if (m->defs[dense])
            return FAIL(r, VC4C_INVALID, "id %u is defined twice", id);
        m->defs[dense] = r->instr;
    }
    m->words[r->at++] = dense;
    return VC4C_OK;
}

static enum vc4c_result read_string(struct reader *r)
{
    while (r->at < r->end) {
        uint32_t word = r->module->words[r->at++];
        if (!(word & 0xff) || !(word >> 8 & 0xff) || !(word >> 16 & 0xff) || !(word >> 24))
            return VC4C_OK;
    }
    return FAIL(r, VC4C_INVALID, "%s has an unterminated string", r->info->name);
}

static enum vc4c_result read_operands(struct reader *r, const char *kinds);

/* Reads an enumerant and its own operands. */
static enum vc4c_result read_enum(struct reader *r, char kind)
{
    if (r->at >= r->end)
        return cut_short(r);
    uint32_t value = r->module->words[r->at++];
    for (uint32_t i = 0; i < spv_params_count; i++) {
        const struct spv_params *p = &spv_params[i];
        if (p->kind == kind && (p->is_mask ? (value & p->value) != 0 : value == p->value)) {
            enum vc4c_result result = read_operands(r, p->operands);
            if (result)
                return result;
        }
    }
    return VC4C_OK;
}

/* OpSpecConstantOp: reads the operation and its operands. */
static enum vc4c_result read_spec_op(struct reader *r)
{
    if (r->at >= r->end)
        return cut_short(r);
    uint32_t op = r->module->words[r->at++];
    const struct spv_op_info *inner = spv_op_info(op);
    if (!inner || strncmp(inner->operands, "tr", 2) || op == SpvOpSpecConstantOp)
        return FAIL(r, VC4C_INVALID, "OpSpecConstantOp of operation %u, which is unknown or has no result", op);
    return read_operands(r, inner->operands + 2);
}

uint32_t spv_literal_words(const struct vc4c_module *m, uint32_t offset, uint32_t id)
{
    if (!m->defs[id] || m->defs[id] >= offset)
        return 1;
    const uint32_t *def = m->words + m->defs[id];
    const struct spv_op_info *info = spv_op_info(def[0] & 0xffff);
    if (strncmp(info->operands, "tr", 2) || !m->defs[def[1]] || m->defs[def[1]] >= offset)
        return 1;
    const uint32_t *type = m->words + m->defs[def[1]];
    return (type[0] & 0xffff) == SpvOpTypeInt && type[2] == 64 ? 2 : 1;
}

/* A case of OpSwitch: a literal of the selector's type, and a label. */
static enum vc4c_result read_case(struct reader *r)
{
    const struct vc4c_module *m = r->module;
    const uint32_t words = (m->words[r->instr] & 0xffff) == SpvOpSwitch
                               ? spv_literal_words(m, r->instr, m->words[r->instr + 1])
                               : 1;
    if (r->end - r->at < words)
        return cut_short(r);
    r->at += words;
    return read_id(r, false);
}

static enum vc4c_result read_operand(struct reader *r, char kind)
{
    enum vc4c_result result;
    switch (kind) {
    case 't':
    case 'i':
        return read_id(r, false);
    case 'r':
        return read_id(r, true);
    case 's':
        return read_string(r);
    case 'c':
        if (r->at >= r->end)
            return cut_short(r);
        r->at = r->end;
        return VC4C_OK;
    case 'o':
        return read_spec_op(r);
    case 'p':
        return read_case(r);
    case 'q':
        result = read_id(r, false);
        return result ? result : read_operand(r, 'l');
    case 'x':
        result = read_id(r, false);
        return result ? result : read_id(r, false);
    case 'l':
        if (r->at >= r->end)
            return cut_short(r);
        r->at++;
        return VC4C_OK;
    default:
        return read_enum(r, kind);
    }
}

static enum vc4c_result read_operands(struct reader *r, const char *kinds)
{
    bool optional = false;
    for (; *kinds; kinds++) {
        enum vc4c_result result = VC4C_OK;
        if (*kinds == '?') {
            optional = true;
        } else if (*kinds == '*') {
            for (kinds++; r->at < r->end && !result;)
                result = read_operand(r, *kinds);
        } else if (r->at < r->end || !optional) {
            result = read_operand(r, *kinds);
        }
        if (result)
            return result;
    }
    return VC4C_OK;
}

/* ---------------------------------------------------------------- the module */

/* Words of the instruction up to its decoration, whose operands end the instruction; 0: it has no decoration. */
static uint32_t words_to_decoration(uint32_t op)
{
    return op == SpvOpDecorate || op == SpvOpDecorateId ? 3 : op == SpvOpMemberDecorate ? 4 : 0;
}

/* An operation that the grammar does not have belongs to a newer extension, so a capability that is declared before it
 * is the better reason. */
static enum vc4c_result refuse_operation(struct reader *r, uint32_t op)
{
    const struct vc4c_module *m = r->module;
    for (uint32_t i = SPV_HEADER_WORDS; i < r->instr && (m->words[i] & 0xffff) == SpvOpCapability;
         i += m->words[i] >> 16) {
        if (spv_takes_capability(m->words[i + 1]))
            continue;
        char text[SPV_CAPABILITY_TEXT_B];
        spv_refuse_capability(text, m->words[i + 1]);
        return FAIL(r, VC4C_UNSUPPORTED, "not supported: %s, declared before the unknown operation %u", text, op);
    }
    return FAIL(r, VC4C_INVALID, "unknown operation %u", op);
}

static enum vc4c_result read_instr(struct reader *r)
{
    struct vc4c_module *m = r->module;
    uint32_t first = m->words[r->instr], count = first >> 16;
    r->info = spv_op_info(first & 0xffff);
    if (!r->info)
        return refuse_operation(r, first & 0xffff);
    if (!count || count > m->word_count - r->instr)
        return FAIL(r, VC4C_INVALID, "%s claims %u words, %u are left", r->info->name, count, m->word_count - r->instr);
    r->end = r->instr + count;
    r->at = r->instr + 1;
    enum vc4c_result result = read_operands(r, r->info->operands);
    if (!result && r->at == r->instr + words_to_decoration(first & 0xffff))
        r->at = r->end; /* the grammar knows no operands of the decoration: it may be a newer one that has some */
    if (!result && r->at != r->end)
        return FAIL(r, VC4C_INVALID, "%s is %u words too long", r->info->name, r->end - r->at);
    if (r->info->op ==
        SpvOpExtInstWithForwardRefsKHR) /* the same: an operand that computes needs a definition before */
        m->words[r->instr] = count << 16 | SpvOpExtInst;
    return result;
}

static enum vc4c_result check_defined(struct reader *r)
{
    for (uint32_t id = 0; id < r->bound; id++)
        if (r->renumber[id] != UNSEEN && !r->module->defs[r->renumber[id]])
            return FAIL(r, VC4C_INVALID, "id %u is used and never defined", id);
    return VC4C_OK;
}

/* Keeps the original ids for printing. */
static enum vc4c_result keep_ids(struct reader *r)
{
    struct vc4c_module *m = r->module;
    m->ids = util_alloc_get(m->alloc, MAX2(m->id_count, 1u) * sizeof *m->ids);
    if (!m->ids)
        return spv_error(r->error, VC4C_OUT_OF_MEMORY, 0, "out of memory");
    for (uint32_t id = 0; id < r->bound; id++)
        if (r->renumber[id] != UNSEEN)
            m->ids[r->renumber[id]] = id;
    return VC4C_OK;
}

static enum vc4c_result read_header(struct vc4c_module *m, struct vc4c_error *error)
{
    if (m->word_count < SPV_HEADER_WORDS)
        return spv_error(error, VC4C_INVALID, 0, "a module of %u words, the SPIR-V header alone has %u", m->word_count,
                         SPV_HEADER_WORDS);
    if (m->words[0] == __builtin_bswap32(SPV_MAGIC))
        for (uint32_t i = 0; i < m->word_count; i++)
            m->words[i] = __builtin_bswap32(m->words[i]);
    if (m->words[0] != SPV_MAGIC)
        return spv_error(error, VC4C_INVALID, 0, "not SPIR-V: the first word is 0x%08x", m->words[0]);
    m->version = m->words[1];
    if (m->version < 0x010000 || m->version > SPV_MAX_VERSION)
        return spv_error(error, VC4C_INVALID, 1, "SPIR-V version 0x%08x, supported are 0x00010000 to 0x%08x",
                         m->version, SPV_MAX_VERSION);
    if (!m->words[3] || m->words[3] >= MAX_BOUND)
        return spv_error(error, VC4C_INVALID, 3, "an id bound of %u, which must be from 1 to %u", m->words[3],
                         MAX_BOUND - 1);
    return VC4C_OK;
}

enum vc4c_result spv_read(struct vc4c_module *m, struct vc4c_error *error)
{
    enum vc4c_result result = read_header(m, error);
    if (result)
        return result;
    struct reader r = {.module = m, .error = error, .bound = m->words[3], .instr = SPV_HEADER_WORDS};
    r.renumber = util_alloc_get(m->alloc, r.bound * sizeof *r.renumber);
    m->defs = util_alloc_get(m->alloc, m->word_count * sizeof *m->defs);
    if (!r.renumber || !m->defs) {
        util_alloc_put(m->alloc, r.renumber);
        return spv_error(error, VC4C_OUT_OF_MEMORY, 0, "out of memory");
    }
    memset(r.renumber, 0xff, r.bound * sizeof *r.renumber);
    for (; r.instr < m->word_count && !result; r.instr = result ? r.instr : r.end)
        result = read_instr(&r);
    if (!result)
        result = check_defined(&r);
    if (!result)
        result = keep_ids(&r);
    util_alloc_put(m->alloc, r.renumber);
    return result;
}
