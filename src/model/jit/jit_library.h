/* SPDX-License-Identifier: MIT
 *
 * libvc4vk_jit.so as the driver has it: loaded once a process, from the driver's own directory, when it is first
 * wanted. Thread safe.
 *
 * LLVM has locks of its own, which a child of fork would find locked for ever if a thread of the parent was compiling.
 * So fork() waits until nobody is between begin and end, at most for as long as one program takes to compile, and
 * nobody gets in meanwhile.
 */
#ifndef JIT_LIBRARY_H
#define JIT_LIBRARY_H

#include <limits.h>
#include "model/jit/jit.h"

/* What VC4VK_DEBUG says. */
enum jit_host jit_library_host(void);
/* Beside the driver, or where tests say. */
bool jit_library_path(char out[PATH_MAX]);
/* For the calling thread until jit_library_end(). NULL: there is none, or it does not serve this host; then there is
 * nothing to end. */
const struct jit_library *jit_library_begin(void);
void jit_library_end(void);

#endif
