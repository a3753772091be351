/* SPDX-License-Identifier: MIT
 *
 * Prints instructions of modules for people: "%45 shade = OpFMul %40 light %33   main.frag:12". Ids are those of the
 * original module, names come from OpName, source lines from debug information (spv_lines.c).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "compiler/spirv/spv_module.h"

#define MAX_OPERANDS 6u /* limit on the operands that are printed */

struct text {
    char *out;
    size_t out_B;
    int length;
};

static void put(struct text *t, const char *format, ...) UTIL_PRINTF(2, 3);
static void put(struct text *t, const char *format, ...)
{
    const size_t used_B = MIN2((size_t)t->length, t->out_B);
    va_list args;
    va_start(args, format);
    const int more = vsnprintf(t->out + used_B, t->out_B - used_B, format, args);
    va_end(args);
    t->length += MAX2(more, 0);
}

/* Prints the string operand that begins at `word` and ends within the instruction. */
static void put_string(struct text *t, const struct spv_instr *in, uint32_t word)
{
    if (word < in->count)
        put(t, "%.*s", (int)(4 * (in->count - word)), (const char *)&in->words[word]);
}

static void put_id(struct text *t, const struct vc4c_module *m, uint32_t id)
{
    put(t, "%%%" PRIu32, id < m->id_count ? m->ids[id] : id);
    spv_for_each_instr(in, m)
    {
        if (in.op == SpvOpFunction)
            break; /* names come before all functions */
        if (in.op != SpvOpName || in.words[1] != id || !(in.words[2] & 0xff))
            continue;
        put(t, " ");
        put_string(t, &in, 2);
        break;
    }
}

static void put_line(struct text *t, const struct vc4c_module *m, uint32_t offset)
{
    struct spv_source_line place = {0};
    spv_for_each_instr(in, m)
    {
        if (in.offset >= offset)
            break;
        spv_source_line_step(m, &in, &place);
    }
    if (place.file)
        put(t, "   %s:%" PRIu32, place.file, place.line);
}

/* Prints the leading operands that are ids or one-word literals, up to the first of another kind. */
static void put_operands(struct text *t, const struct vc4c_module *m, const struct spv_instr *in, const char *kinds,
                         uint32_t word)
{
    for (uint32_t shown = 0; *kinds && word < in->count && shown < MAX_OPERANDS; word++, shown++) {
        if (*kinds == '?')
            kinds++;
        const bool repeats = *kinds == '*';
        const char kind = kinds[repeats];
        if (kind != 'i' && kind != 'l')
            return;
        put(t, " ");
        if (kind == 'i')
            put_id(t, m, in->words[word]);
        else
            put(t, "%" PRIu32, in->words[word]);
        kinds += !repeats;
    }
}

/* The name of an extended instruction of GLSL.std.450, or its set and number. */
static void put_function(struct text *t, const struct vc4c_module *m, const struct spv_instr *in)
{
    const struct spv_instr set = spv_instr_at(m, m->defs[in->words[3]]);
    const char *name = set.op == SpvOpExtInstImport ? (const char *)(set.words + 2) : "";
    if (!strcmp(name, "GLSL.std.450"))
        put(t, " %s", spv_glsl_name(in->words[4]));
    else
        put(t, " %s %" PRIu32, name, in->words[4]);
}

int vc4c_module_print(const struct vc4c_module *m, uint32_t offset_words, char *out, size_t out_B)
{
    struct text t = {.out = out, .out_B = out_B};
    if (out_B)
        out[0] = 0;
    if (offset_words < SPV_HEADER_WORDS || offset_words >= m->word_count)
        return 0;
    const struct spv_instr in = spv_instr_at(m, offset_words);
    const struct spv_op_info *info = spv_op_info(in.op);
    if (!info) {
        put(&t, "?");
        put_line(&t, m, offset_words);
        return t.length;
    }
    const char *kinds = info->operands;
    uint32_t word = 1;
    if (*kinds == 't') {
        kinds++;
        word++;
    }
    if (*kinds == 'r' && word < in.count) {
        put_id(&t, m, in.words[word++]);
        put(&t, " = ");
        kinds++;
    }
    put(&t, "%s", info->name);
    if (in.op == SpvOpExtInst && in.count > 4) {
        put_function(&t, m, &in);
        word = 5;
        kinds = "*i";
    }
    put_operands(&t, m, &in, kinds, word);
    put_line(&t, m, offset_words);
    return t.length;
}
