/* SPDX-License-Identifier: MIT
 *
 * Access to libvc4vk_jit.so, which is loaded once per process, from the driver's own directory, on first use. Thread
 * safe.
 *
 * LLVM has internal locks. If a thread of the parent were compiling during fork(), they would stay locked in the child
 * forever. So fork() waits until no thread is between jit_library_begin() and jit_library_end(), which takes at most as
 * long as compiling one program, and meanwhile jit_library_begin() blocks. Where LLVM is a shared library, exit() waits
 * likewise, because it runs LLVM's destructors; from then on there is no library. That is not enough for what LLVM
 * makes in a compilation that is under way (docs/jit.md).
 */
#ifndef JIT_LIBRARY_H
#define JIT_LIBRARY_H

#include <limits.h>
#include "model/jit/jit.h"

/* The host level that VC4VK_DEBUG selects. */
enum jit_host jit_library_host(void);
/* The library's path: beside the driver, or set by tests (VKT_JIT). False: not known. */
bool jit_library_path(char out[PATH_MAX]);
/* The library, for use by the calling thread until jit_library_end(). NULL: it is missing or does not support this
 * host; then jit_library_end() must not be called. `calls`: the interpreter's functions for host code, the same in all
 * calls. */
const struct jit_library *jit_library_begin(const struct jit_calls *calls);
void jit_library_end(void);

#endif
