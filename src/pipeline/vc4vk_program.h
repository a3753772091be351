/* SPDX-License-Identifier: MIT
 *
 * Compiled programs, reference-counted, and the shader BOs that hold their code and their tables of constants. Programs
 * with equal code, or equal tables, share a shader BO; the table of shader BOs is in the device's pipeline slot.
 */
#ifndef UTIL_PROGRAM_H
#define UTIL_PROGRAM_H

#include "kmd/kmd.h"
#include "pipeline/vc4vk_shader_module.h"

/* Code in up to two BOs: a shader BO validated by the kernel, and an ordinary BO for the CPU engine. Or tables of
 * constants, in an ordinary BO, which chip and CPU engine read. */
struct vc4vk_shader_bo {
    uint32_t refs;  /* guarded by the table's lock */
    uint64_t *code; /* its key in the table */
    uint32_t code_B;
    /* References; each is set once, under the table's lock: */
    struct kmd_bo *bo;        /* for the chip; NULL: only the CPU engine runs the program */
    struct kmd_bo *engine_bo; /* for the CPU engine; NULL until an engine job needs it */
};

struct vc4vk_program {
    _Atomic uint32_t refs;
    struct vc4vk_device *device;
    struct vc4vk_util_alloc alloc;
    struct vc4c_program compiled;
    struct vc4vk_shader_bo *shader; /* referenced; replaced by tests only */
    struct vc4vk_shader_bo *tables; /* referenced; its engine_bo holds the tables of constants. NULL: there are none */
};

/* The compiler's front-end result of a stage, shared by the programs compiled from it. It is created when the first
 * result is found in no cache, and released when the pipeline or variant is complete. */
struct vc4vk_front {
    struct vc4vk_util_alloc alloc;
    struct vc4c_front *made; /* NULL: not needed yet */
    bool missed_store;       /* a result of the compiler was not in the pipeline cache's store */
    bool must_hit;           /* results that no cache has are VK_PIPELINE_COMPILE_REQUIRED */
    bool is_quick;           /* somebody waits for its programs: they are compiled quickly, unless a cache has them */
    uint64_t time_ns;        /* time spent finding or compiling results */
};

void vc4vk_front_init(struct vc4vk_front *front, struct vc4vk_device *device);
void vc4vk_front_release(struct vc4vk_front *front);

/* Everything that determines a program. In cache keys the module's digest stands for its contents. */
struct vc4vk_program_info {
    struct vc4vk_spirv *spirv;
    struct vc4c_entry entry;
    enum vc4c_program_kind kind;
    const struct vc4c_key *key; /* `quick` is 0 */
    struct vc4vk_front *front; /* of the entry */
};

struct vc4vk_program_store;

/* Finds a program in the store (may be NULL) or in the disk cache, or compiles it and adds it to both. The caller owns
 * a reference. */
VkResult vc4vk_program_get(struct vc4vk_device *device, struct vc4vk_program_store *store,
                           const struct vc4vk_program_info *info, struct vc4vk_program **out);

/* Gives the inspector the code and what it was compiled from. */
struct inspect;
void vc4vk_program_inspect(struct inspect *inspect, const struct vc4vk_program_info *info,
                           const struct vc4c_program *program);

/* Finds or computes a stage's interface in the same way. */
VkResult vc4vk_interface_get(struct vc4vk_device *device, struct vc4vk_program_store *store, struct vc4vk_spirv *spirv,
                             const struct vc4c_entry *entry, struct vc4vk_front *front, struct vc4c_interface *out);

static inline struct vc4vk_program *vc4vk_program_ref(struct vc4vk_program *program)
{
    atomic_fetch_add_explicit(&program->refs, 1, memory_order_relaxed);
    return program;
}

/* The BO from which CPU-engine jobs run the program, created on first use. The caller gets a reference. */
VkResult vc4vk_program_engine_bo(struct vc4vk_program *program, struct kmd_bo **out);

/* Either of its BOs, valid as long as the program. */
static inline struct kmd_bo *vc4vk_program_bo(const struct vc4vk_program *program)
{
    return program->shader->bo ? program->shader->bo : program->shader->engine_bo;
}

/* The BO with its tables of constants, valid as long as the program; NULL: it has none. */
static inline struct kmd_bo *vc4vk_program_tables(const struct vc4vk_program *program)
{
    return program->tables ? program->tables->engine_bo : NULL;
}

void vc4vk_program_unref(struct vc4vk_program *program); /* NULL is accepted */

/* Tests: replaces one instruction word; the kernel must accept the program. */
VkResult vc4vk_program_patch(struct vc4vk_program *program, uint32_t instruction, uint64_t word);

/* Tests: numbers of compiler results (programs and interfaces) since device creation that were compiled, found in a
 * pipeline cache, and found on disk. */
void vc4vk_test_cache_counts(VkDevice device, uint64_t counts_out[3]);

#endif
