/* SPDX-License-Identifier: MIT
 *
 * Host code as it is kept on disk, a relocatable ELF file with one function that others may call, brought into memory.
 * It calls nothing by name and refers to nothing outside of itself: all that it needs it finds by way of its argument.
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

/* False with a static message: not such a file, or no memory. Damaged ones are told as far as no file can write outside
 * of its own memory; what the code does is trusted. */
bool jit_code_load(const void *file, size_t file_B, struct jit_code *out, const char **message_out);
void jit_code_unload(struct jit_code *code); /* one that was not loaded is accepted */

#endif
