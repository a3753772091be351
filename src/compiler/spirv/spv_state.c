/* SPDX-License-Identifier: MIT
 *
 * What all files of the translation use: its errors, its budget of steps, and constants as words.
 */
#include <stdarg.h>
#include "compiler/spirv/spv.h"
#include "compiler/spirv/spv_small.h"

void spv_fail(struct spv *s, enum vc4c_result result, const char *fmt, ...)
{
    s->result = result;
    if (s->error) {
        char text[sizeof s->error->text];
        va_list va;
        va_start(va, fmt);
        vsnprintf(text, sizeof text, fmt, va);
        va_end(va);
        const struct spv_op_info *info = s->offset ? spv_op_info(s->m->words[s->offset] & 0xffff) : NULL;
        spv_error(s->error, result, s->offset, "%s%s%s%s", info ? info->name : "", info ? ": " : "",
                  result == VC4C_UNSUPPORTED ? "not supported: " : "", text);
    }
    longjmp(*s->jump, 1);
}

void spv_spend(struct spv *s, uint32_t steps)
{
    if (steps > s->budget)
        spv_unsupported(s, "a program that takes more than %u steps to translate", SPV_BUDGET);
    s->budget -= steps;
}

uint32_t spv_const_word(struct spv *s, uint32_t id)
{
    const struct spv_id *c = &s->ids[id];
    if (c->kind != SPV_CONSTANT || (c->type->scalars != 1 && !spv_is_wide(c->type)))
        spv_invalid(s, "the operand is not a scalar constant");
    if (!spv_is_small(c->type))
        return c->words[0];
    const uint32_t up = 32 - c->type->bits; /* the bits above the number are undefined */
    return c->type->is_signed ? (uint32_t)((int32_t)(c->words[0] << up) >> up) : c->words[0] << up >> up;
}
