/* SPDX-License-Identifier: MIT
 *
 * What LLVM has of the process's memory while it does nothing.
 */
#ifndef JIT_JIT_MEMORY_H
#define JIT_JIT_MEMORY_H

void jit_memory_give_back(void);

#endif
