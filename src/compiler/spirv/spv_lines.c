/* SPDX-License-Identifier: MIT
 *
 * Source lines of instructions, and the source text that a module carries. Both come from OpLine and OpSource or from
 * the DebugLine and DebugSource of NonSemantic.Shader.DebugInfo.100.
 *
 * Nothing is kept while a module is compiled: each instruction of a program knows the offset of the SPIR-V instruction
 * that it comes from (vc4c_program.origins), and the module is only searched for lines when a tool asks. Debug
 * information may be hostile. What does not have the expected form tells no line.
 */
#include <string.h>
#include "compiler/spirv/spv.h"

/* Instructions of the set NonSemantic.Shader.DebugInfo.100. */
enum { DEBUG_SOURCE = 35, DEBUG_SOURCE_CONTINUED = 102, DEBUG_LINE = 103, DEBUG_NO_LINE = 104 };

/* ---------------------------------------------------------------- operands */

/* The instruction that defines the id, if it is `op` and has at least `words` words. */
static bool defined_by(const struct vc4c_module *m, uint32_t id, uint16_t op, uint16_t words, struct spv_instr *out)
{
    *out = spv_instr_at(m, m->defs[id]);
    return out->op == op && out->count >= words;
}

/* The text of an OpString, or NULL. The reader has checked that strings end within their instruction. */
static const char *string_of(const struct vc4c_module *m, uint32_t id)
{
    struct spv_instr in;
    return defined_by(m, id, SpvOpString, 3, &in) ? (const char *)(in.words + 2) : NULL;
}

/* The number of the instruction, if it belongs to the set; else 0. */
static uint32_t debug_op(const struct vc4c_module *m, const struct spv_instr *in)
{
    struct spv_instr set;
    if (in->op != SpvOpExtInst || in->count < 5 || !defined_by(m, in->words[3], SpvOpExtInstImport, 3, &set) ||
        strcmp((const char *)(set.words + 2), "NonSemantic.Shader.DebugInfo.100"))
        return 0;
    return in->words[4];
}

/* ---------------------------------------------------------------- the line in effect */

static void debug_line(const struct vc4c_module *m, const struct spv_instr *in, struct spv_source_line *place)
{
    const uint32_t op = debug_op(m, in);
    struct spv_instr source, line;
    if (op == DEBUG_NO_LINE)
        *place = (struct spv_source_line){0};
    if (op != DEBUG_LINE || in->count < 7)
        return;
    *place = (struct spv_source_line){0};
    if (defined_by(m, in->words[5], SpvOpExtInst, 6, &source) && debug_op(m, &source) == DEBUG_SOURCE &&
        defined_by(m, in->words[6], SpvOpConstant, 4, &line))
        *place = (struct spv_source_line){string_of(m, source.words[5]), line.words[3]};
}

void spv_source_line_step(const struct vc4c_module *m, const struct spv_instr *in, struct spv_source_line *place)
{
    if (in->op == SpvOpLine)
        *place = (struct spv_source_line){string_of(m, in->words[1]), in->words[2]};
    else if (in->op == SpvOpExtInst)
        debug_line(m, in, place);
    else if (in->op == SpvOpNoLine || in->op == SpvOpFunctionEnd || spv_is_terminator(in->op))
        *place = (struct spv_source_line){0};
    if (!place->file || !place->line)
        *place = (struct spv_source_line){0};
}

/* ---------------------------------------------------------------- the lines of a module */

/* From this offset on the place is in effect. */
struct change {
    uint32_t offset;
    struct spv_source_line place;
};

/* Lists the changes in order and returns their number. `out` NULL: only counts. */
static uint32_t list_changes(const struct vc4c_module *m, struct change *out)
{
    struct spv_source_line place = {0};
    uint32_t count = 0;
    spv_for_each_instr(in, m)
    {
        const struct spv_source_line before = place;
        spv_source_line_step(m, &in, &place);
        if (place.file == before.file && place.line == before.line)
            continue;
        if (out)
            out[count] = (struct change){in.offset + in.count, place};
        count++;
    }
    return count;
}

static struct spv_source_line place_at(const struct change *changes, uint32_t count, uint32_t offset)
{
    uint32_t first = 0; /* number of changes up to the offset */
    while (count) {
        const uint32_t half = count / 2;
        const bool is_behind = changes[first + half].offset > offset;
        first += is_behind ? 0 : half + 1;
        count = is_behind ? half : count - half - 1;
    }
    return first ? changes[first - 1].place : (struct spv_source_line){0};
}

/* ---------------------------------------------------------------- the text of a source */

struct text {
    char *out; /* NULL: only measures */
    size_t size_B;
};

static void append(struct text *text, const char *more)
{
    const size_t more_B = MIN2(strlen(more), VC4C_MAX_SOURCE_B - text->size_B);
    if (text->out)
        memcpy(text->out + text->size_B, more, more_B);
    text->size_B += more_B;
}

/* Appends the part of the file's text that the instruction holds, if any. `file` is the string of its name, `is_part`
 * whether the last source before the instruction is the file's. Names are compared by address: hostile modules may have
 * long ones, and compilers define one string per file. */
static void append_part(const struct vc4c_module *m, const struct spv_instr *in, const char *file, bool *is_part,
                        struct text *text)
{
    const uint32_t debug = debug_op(m, in);
    const char *string = NULL;
    if (in->op == SpvOpSource) {
        *is_part = in->count > 4 && string_of(m, in->words[3]) == file && !text->size_B;
        string = *is_part ? (const char *)(in->words + 4) : NULL;
    } else if (in->op == SpvOpSourceContinued) {
        string = (const char *)(in->words + 1);
    } else if (debug == DEBUG_SOURCE) {
        *is_part = in->count > 6 && string_of(m, in->words[5]) == file && !text->size_B;
        string = *is_part ? string_of(m, in->words[6]) : NULL;
    } else if (debug == DEBUG_SOURCE_CONTINUED && in->count > 5) {
        string = string_of(m, in->words[5]);
    }
    if (string && *is_part)
        append(text, string);
}

static void gather_text(const struct vc4c_module *m, const char *file, struct text *text)
{
    bool is_part = false;
    text->size_B = 0;
    spv_for_each_instr(in, m)
    {
        if (in.op == SpvOpFunction)
            break; /* sources come before all functions */
        append_part(m, &in, file, &is_part, text);
    }
}

/* False when out of memory. */
static bool copy_source(const struct vc4c_module *m, const char *file, struct vc4c_lines *out)
{
    struct vc4c_source *source = &out->sources[out->source_count];
    struct text text = {NULL, 0};
    gather_text(m, file, &text);
    const size_t name_B = strlen(file) + 1;
    char *memory = util_alloc_get(out->alloc, name_B + text.size_B + 1);
    if (!memory)
        return false;
    memcpy(memory, file, name_B);
    *source = (struct vc4c_source){.name = memory};
    if (text.size_B) {
        text.out = memory + name_B;
        gather_text(m, file, &text);
        text.out[text.size_B] = 0;
        source->text = text.out;
    }
    out->source_count++;
    return true;
}

/* ---------------------------------------------------------------- the public functions */

/* The index of the file among the sources, which gets a new one if needed; `files` are their strings in the module.
 * VC4C_MAX_SOURCES when there are too many or memory runs out. */
static uint32_t source_index(const struct vc4c_module *m, const char *file, const char *files[VC4C_MAX_SOURCES],
                             struct vc4c_lines *out)
{
    for (uint32_t i = 0; i < out->source_count; i++)
        if (files[i] == file)
            return i;
    if (out->source_count == VC4C_MAX_SOURCES || !copy_source(m, file, out))
        return VC4C_MAX_SOURCES;
    files[out->source_count - 1] = file;
    return out->source_count - 1;
}

bool vc4c_module_lines(const struct vc4c_module *m, const uint32_t *offsets, uint32_t count,
                       const struct util_alloc *alloc, struct vc4c_lines *out)
{
    const char *files[VC4C_MAX_SOURCES] = {0};
    *out = (struct vc4c_lines){.alloc = alloc};
    const uint32_t change_count = list_changes(m, NULL);
    if (!change_count)
        return false;
    struct change *changes = util_alloc_get(alloc, change_count * sizeof *changes);
    out->lines = util_alloc_get(alloc, MAX2(count, 1u) * sizeof *out->lines);
    if (!changes || !out->lines) {
        util_alloc_put(alloc, changes);
        vc4c_lines_finish(out);
        return false;
    }
    list_changes(m, changes);
    for (uint32_t i = 0; i < count; i++) {
        const struct spv_source_line place = place_at(changes, change_count, offsets[i]);
        const uint32_t source = place.file ? source_index(m, place.file, files, out) : VC4C_MAX_SOURCES;
        out->lines[i] = source < VC4C_MAX_SOURCES ? (struct vc4c_line){source, place.line} : (struct vc4c_line){0};
    }
    util_alloc_put(alloc, changes);
    return true;
}

void vc4c_lines_finish(struct vc4c_lines *lines)
{
    for (uint32_t i = 0; i < lines->source_count; i++)
        util_alloc_put(lines->alloc, lines->sources[i].name);
    util_alloc_put(lines->alloc, lines->lines);
    *lines = (struct vc4c_lines){0};
}
