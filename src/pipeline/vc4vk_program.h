/* SPDX-License-Identifier: MIT
 *
 * Compiled programs, counted, and the shader BOs that hold their code. Programs with equal words share one BO; the
 * device keeps the table of those (its pipeline slot).
 */
#ifndef PIPELINE_VC4VK_PROGRAM_H
#define PIPELINE_VC4VK_PROGRAM_H

#include "kmd/kmd.h"
#include "pipeline/vc4vk_shader_module.h"

/* Code in a BO of the kernel, known by its words. */
struct vc4vk_shader_bo {
    uint32_t refs;  /* under the table's lock */
    uint64_t *code; /* its key in the table */
    uint32_t code_B;
    struct kmd_bo *bo; /* referenced */
};

struct vc4vk_program {
    _Atomic uint32_t refs;
    struct vc4vk_device *device;
    struct vc4vk_util_alloc alloc;
    struct vc4c_program compiled;
    struct vc4vk_shader_bo *shader; /* referenced; replaced by tests only */
};

/* Everything that decides a program. The hash of `words` of the module stands for its contents. */
struct vc4vk_program_info {
    struct vc4vk_spirv *spirv;
    struct vc4c_entry entry;
    enum vc4c_program_kind kind;
    const struct vc4c_key *key;
};

struct vc4vk_program_store;

/* From the store (may be NULL), from the on-disk cache, or compiled now; kept by both. The caller owns a reference. */
VkResult vc4vk_program_get(struct vc4vk_device *device, struct vc4vk_program_store *store,
                           const struct vc4vk_program_info *info, struct vc4vk_program **out);

/* A stage's interface, found in the same way. */
VkResult vc4vk_interface_get(struct vc4vk_device *device, struct vc4vk_program_store *store, struct vc4vk_spirv *spirv,
                             const struct vc4c_entry *entry, struct vc4c_interface *out);

static inline struct vc4vk_program *vc4vk_program_ref(struct vc4vk_program *program)
{
    atomic_fetch_add_explicit(&program->refs, 1, memory_order_relaxed);
    return program;
}

void vc4vk_program_unref(struct vc4vk_program *program); /* NULL is accepted */

/* Tests: replaces one instruction word; the kernel must accept the program. */
VkResult vc4vk_program_patch(struct vc4vk_program *program, uint32_t instruction, uint64_t word);

/* Tests: how many results of the compiler (programs and interfaces) were compiled, found in a pipeline cache, found on
 * disk since the device was made. */
void vc4vk_test_cache_counts(VkDevice device, uint64_t counts_out[3]);

#endif
