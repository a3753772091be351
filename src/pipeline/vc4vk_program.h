/* SPDX-License-Identifier: MIT
 *
 * Compiled programs, counted, and the shader BOs that hold their code. Programs with equal words share one BO; the
 * device keeps the table of those (its pipeline slot).
 */
#ifndef UTIL_PROGRAM_H
#define UTIL_PROGRAM_H

#include "kmd/kmd.h"
#include "pipeline/vc4vk_shader_module.h"

/* Code, known by its words, in a BO of the kernel's and in one that the CPU engine reads. */
struct vc4vk_shader_bo {
    uint32_t refs;  /* under the table's lock */
    uint64_t *code; /* its key in the table */
    uint32_t code_B;
    /* Referenced, and set once, under the table's lock: */
    struct kmd_bo *bo;        /* a validated program; NULL: the chip does not run it */
    struct kmd_bo *engine_bo; /* ordinary memory; NULL until an engine job wants it */
};

struct vc4vk_program {
    _Atomic uint32_t refs;
    struct vc4vk_device *device;
    struct vc4vk_util_alloc alloc;
    struct vc4c_program compiled;
    struct vc4vk_shader_bo *shader; /* referenced; replaced by tests only */
};

/* A stage as the compiler keeps it while several of its programs are made: made when the first result of the compiler
 * is found nowhere, gone when the pipeline or variant is there. */
struct vc4vk_front {
    struct vc4vk_util_alloc alloc;
    struct vc4c_front *made; /* NULL: not needed yet */
    bool missed_store;       /* a result of the compiler was not in the store */
    uint64_t time_ns;        /* that finding or making results took */
};

void vc4vk_front_init(struct vc4vk_front *front, struct vc4vk_device *device);
void vc4vk_front_forget(struct vc4vk_front *front);

/* Everything that decides a program. The digest of the module's words stands for its contents. */
struct vc4vk_program_info {
    struct vc4vk_spirv *spirv;
    struct vc4c_entry entry;
    enum vc4c_program_kind kind;
    const struct vc4c_key *key;
    struct vc4vk_front *front; /* of the entry */
};

struct vc4vk_program_store;

/* From the store (may be NULL), from the on-disk cache, or compiled now; kept by both. The caller owns a reference. */
VkResult vc4vk_program_get(struct vc4vk_device *device, struct vc4vk_program_store *store,
                           const struct vc4vk_program_info *info, struct vc4vk_program **out);

/* A stage's interface, found in the same way. */
VkResult vc4vk_interface_get(struct vc4vk_device *device, struct vc4vk_program_store *store, struct vc4vk_spirv *spirv,
                             const struct vc4c_entry *entry, struct vc4vk_front *front, struct vc4c_interface *out);

static inline struct vc4vk_program *vc4vk_program_ref(struct vc4vk_program *program)
{
    atomic_fetch_add_explicit(&program->refs, 1, memory_order_relaxed);
    return program;
}

/* The BO from which an engine job runs the program, made when it is first wanted; the caller gets a reference. */
VkResult vc4vk_program_engine_bo(struct vc4vk_program *program, struct kmd_bo **out);

/* Any of its BOs: lives as long as the program. */
static inline struct kmd_bo *vc4vk_program_bo(const struct vc4vk_program *program)
{
    return program->shader->bo ? program->shader->bo : program->shader->engine_bo;
}

void vc4vk_program_unref(struct vc4vk_program *program); /* NULL is accepted */

/* Tests: replaces one instruction word; the kernel must accept the program. */
VkResult vc4vk_program_patch(struct vc4vk_program *program, uint32_t instruction, uint64_t word);

/* Tests: how many results of the compiler (programs and interfaces) were compiled, found in a pipeline cache, found on
 * disk since the device was made. */
void vc4vk_test_cache_counts(VkDevice device, uint64_t counts_out[3]);

#endif
