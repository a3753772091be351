/* SPDX-License-Identifier: MIT
 *
 * Loads host code into memory from its on-disk form, a relocatable ELF file with one exported function, JIT_ENTRY. The
 * code has no undefined symbols: it reaches everything outside of itself through the function's argument.
 */
#ifndef JIT_CODE_H
#define JIT_CODE_H

#include "model/jit/jit.h"

#define JIT_ENTRY "program"

struct jit_code {
    jit_fn entry;
    void *memory;
    size_t size_B;
};

/* False with a static message: not such a file, or out of memory. Loading a damaged file never writes outside the new
 * mapping, but the code itself is trusted. */
bool jit_code_load(const void *file, size_t file_B, struct jit_code *out, const char **message_out);
void jit_code_unload(struct jit_code *code); /* accepts a zeroed struct */

#endif
