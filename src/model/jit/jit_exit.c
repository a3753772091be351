/* SPDX-License-Identifier: MIT
 *
 * Keeps what LLVM has for the process until the process is gone. exit() would destroy it, in whichever order LLVM made
 * it, while a thread of the driver may be compiling. Objects that are linked into this library register their
 * destructors here instead of with the C library. A shared LLVM does not: there exit() waits (jit_library.c).
 */
int __cxa_atexit(void (*function)(void *), void *argument, void *library);

__attribute__((visibility("hidden"))) int __cxa_atexit(void (*function)(void *), void *argument, void *library)
{
    return 0;
}
