/* SPDX-License-Identifier: MIT
 *
 * A fake libvc4vk_jit.so for stale.c. It claims to be built from the source tree with the identity IDENTITY.
 */
#include "model/jit/jit.h"
#include "model/jit/jit_identity_gen.h"

static bool start(const struct jit_calls *calls, enum jit_host host)
{
    return true;
}

__attribute__((visibility("default"))) const struct jit_library *vc4vk_jit_library(void)
{
    static const struct jit_library library = {
        .version = JIT_VERSION,
        .core_B = sizeof(struct gpu_qpu_core),
        .calls_B = sizeof(struct jit_calls),
        .identity = IDENTITY,
        .start = start,
    };
    return &library;
}
