/* SPDX-License-Identifier: MIT
 *
 * Floats of 64 bits: two words, low word first. Values are only moved so far; PackDouble2x32 and UnpackDouble2x32 are
 * moves as well.
 */
#include "compiler/spirv/spv.h"

/* A vector of two words and a number of 64 bits have the same scalars. */
static void move_words(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    if (in->count != 6 || type->scalars != 2 || spv_type_of(s, in->words[5])->scalars != 2)
        spv_invalid(s, "%s takes and gives 64 bits", spv_glsl_name(in->words[4]));
    spv_define(s, in->words[2], type, spv_value(s, in->words[5]));
}

bool spv_translate_double(struct spv *s, const struct spv_instr *in)
{
    if (in->op != SpvOpExtInst ||
        (in->words[4] != GLSLstd450PackDouble2x32 && in->words[4] != GLSLstd450UnpackDouble2x32))
        return false;
    move_words(s, in);
    return true;
}
