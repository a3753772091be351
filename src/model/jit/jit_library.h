/* SPDX-License-Identifier: MIT
 *
 * libvc4vk_jit.so as the driver has it: loaded once a process, from the driver's own directory, when it is first wanted.
 * Thread safe.
 */
#ifndef JIT_LIBRARY_H
#define JIT_LIBRARY_H

#include <limits.h>
#include "model/jit/jit.h"

/* What VC4VK_DEBUG says. */
enum jit_host jit_library_host(void);
/* Beside the driver, or where tests say. */
bool jit_library_path(char out[PATH_MAX]);
/* What was started stays started. NULL: there is none, or it does not serve this host. */
const struct jit_library *jit_library(void);

#endif
