/* SPDX-License-Identifier: MIT
 *
 * Integers of 64 bits: two words, low word first. Values are only moved so far.
 */
#include "compiler/spirv/spv.h"

bool spv_translate_int64(struct spv *s, const struct spv_instr *in)
{
    (void)s;
    (void)in;
    return false;
}
