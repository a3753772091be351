/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "pipeline/vc4vk_pipeline_cache.h"
#include "pipeline/vc4vk_program.h"
#include "util/arena.h"
#include "util/hash.h"

/* ---------------------------------------------------------------- shader BOs */

struct shader_table {
    pthread_mutex_t lock;
    struct util_hash_table by_code; /* of struct vc4vk_shader_bo; under the lock */
};

static void shader_bo_free(struct vc4vk_device *device, struct vc4vk_shader_bo *shader)
{
    kmd_bo_unref(shader->bo);
    vc4vk_free(device->alloc, shader);
}

static VkResult shader_table_create(struct vc4vk_device *device, void **out)
{
    struct shader_table *table = vc4vk_new(device->alloc, struct shader_table, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!table)
        return vc4vk_oom(device);
    pthread_mutex_init(&table->lock, NULL);
    util_hash_table_init(&table->by_code, NULL);
    *out = table;
    return VK_SUCCESS;
}

static void shader_table_destroy(struct vc4vk_device *device, void *state)
{
    struct shader_table *table = state;
    util_hash_table_for_each(entry, &table->by_code) /* of pipelines that the application forgot to destroy */
        shader_bo_free(device, entry->value);
    util_hash_table_finish(&table->by_code);
    pthread_mutex_destroy(&table->lock);
    vc4vk_free(device->alloc, table);
}

static VkResult shader_table(struct vc4vk_device *device, struct shader_table **out)
{
    static const struct vc4vk_slot_ops ops = {shader_table_create, shader_table_destroy};
    return vc4vk_device_slot(device, VC4VK_SLOT_PIPELINE, &ops, (void **)out);
}

static VkResult shader_bo_make(struct vc4vk_device *device, const uint64_t *code, uint32_t code_B,
                               struct vc4vk_shader_bo **out)
{
    struct vc4vk_shader_bo *shader = NULL;
    uint64_t *copy = NULL;
    struct vc4vk_multialloc ma = {0};
    vc4vk_multialloc_add(&ma, &shader, 1);
    vc4vk_multialloc_add(&ma, &copy, code_B / sizeof *copy);
    if (!vc4vk_multialloc_alloc(&ma, device->alloc, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE))
        return vc4vk_oom(device);
    memcpy(copy, code, code_B);
    *shader = (struct vc4vk_shader_bo){.refs = 1, .code = copy, .code_B = code_B};

    int err = kmd_bo_create_shader(device->kmd, code, code_B, &shader->bo);
    if (err) {
        vc4vk_free(device->alloc, shader);
        if (err == -ENOMEM)
            return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "a program of %u B: out of device memory",
                                code_B);
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN, "the kernel refuses a compiled program: %s",
                            kmd_last_refusal(device->kmd));
    }
    *out = shader;
    return VK_SUCCESS;
}

/* The BO with these words: shared when some program has them already. */
static VkResult shader_bo_get(struct vc4vk_device *device, const uint64_t *code, uint32_t code_B,
                              struct vc4vk_shader_bo **out)
{
    struct shader_table *table;
    VkResult result = shader_table(device, &table);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&table->lock);
    struct vc4vk_shader_bo *shader = util_hash_table_lookup(&table->by_code, code, code_B);
    if (shader) {
        shader->refs++;
    } else {
        result = shader_bo_make(device, code, code_B, &shader);
        if (result == VK_SUCCESS && !util_hash_table_insert(&table->by_code, code, code_B, shader)) {
            shader_bo_free(device, shader);
            result = vc4vk_oom(device);
        }
    }
    pthread_mutex_unlock(&table->lock);
    if (result == VK_SUCCESS)
        *out = shader;
    return result;
}

static void shader_bo_put(struct vc4vk_device *device, struct vc4vk_shader_bo *shader)
{
    if (!shader)
        return;
    struct shader_table *table = vc4vk_device_slot_peek(device, VC4VK_SLOT_PIPELINE);
    pthread_mutex_lock(&table->lock);
    bool last = --shader->refs == 0;
    if (last)
        util_hash_table_remove(&table->by_code, shader->code, shader->code_B);
    pthread_mutex_unlock(&table->lock);
    if (last)
        shader_bo_free(device, shader);
}

/* ---------------------------------------------------------------- programs */

static const char *kind_name(enum vc4c_program_kind kind)
{
    static const char *const names[] = {"coordinate", "vertex", "fragment"};
    return names[kind];
}

static VkResult program_compile(struct vc4vk_device *device, const struct vc4vk_program_info *info,
                                struct vc4vk_program **out)
{
    struct vc4vk_program *program = vc4vk_new(device->alloc, struct vc4vk_program, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!program)
        return vc4vk_oom(device);
    atomic_init(&program->refs, 1);
    program->device = device;
    vc4vk_util_alloc_init(&program->alloc, device->alloc, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);

    struct vc4c_error error = {0};
    enum vc4c_result r =
        vc4c_compile(&info->entry, info->kind, info->key, &program->alloc.base, &program->compiled, &error);
    if (r != VC4C_OK) {
        char what[64];
        snprintf(what, sizeof what, "%s program of '%.32s'", kind_name(info->kind), info->entry.name);
        vc4vk_free(device->alloc, program);
        return vc4vk_compiler_error(device, r, &error, what);
    }
    VkResult result = shader_bo_get(device, program->compiled.code,
                                    program->compiled.instruction_count * (uint32_t)sizeof(uint64_t), &program->shader);
    if (result != VK_SUCCESS) {
        vc4vk_program_unref(program);
        return result;
    }
    *out = program;
    return VK_SUCCESS;
}

/* The key of a program: what decides it, as bytes. */
static bool cache_key(const struct vc4vk_program_info *info, struct util_arena *arena, void **key_out, size_t *size_out)
{
    const struct vc4c_entry *e = &info->entry;
    size_t name_B = strlen(e->name) + 1, specs_B = 0;
    for (uint32_t i = 0; i < e->spec_count; i++)
        specs_B += 2 * sizeof(uint32_t) + e->specs[i].size_B;
    size_t size_B = sizeof info->spirv->hash + 2 * sizeof(uint32_t) + name_B + specs_B + sizeof *info->key;
    uint8_t *key = util_arena_alloc(arena, size_B), *at = key;
    if (!key)
        return false;
#define PUT(data, bytes) (memcpy(at, (data), (bytes)), at += (bytes))
    PUT(info->spirv->hash, sizeof info->spirv->hash);
    PUT(&(uint32_t){(uint32_t)info->kind}, sizeof(uint32_t));
    PUT(&(uint32_t){e->spec_count}, sizeof(uint32_t));
    PUT(e->name, name_B);
    for (uint32_t i = 0; i < e->spec_count; i++) {
        PUT(&e->specs[i].id, sizeof(uint32_t));
        PUT(&e->specs[i].size_B, sizeof(uint32_t));
        PUT(e->specs[i].data, e->specs[i].size_B);
    }
    PUT(info->key, sizeof *info->key);
#undef PUT
    *key_out = key;
    *size_out = size_B;
    return true;
}

VkResult vc4vk_program_get(struct vc4vk_device *device, struct vc4vk_pipeline_cache *cache,
                           const struct vc4vk_program_info *info, struct vc4vk_program **out)
{
    if (!cache)
        return program_compile(device, info, out);
    struct util_arena arena;
    util_arena_init(&arena, NULL);
    void *key;
    size_t key_B;
    VkResult result = VK_SUCCESS;
    if (!cache_key(info, &arena, &key, &key_B)) {
        result = vc4vk_oom(device);
    } else {
        *out = vc4vk_pipeline_cache_lookup(cache, key, key_B);
        if (!*out)
            result = program_compile(device, info, out);
        if (result == VK_SUCCESS)
            vc4vk_pipeline_cache_add(cache, key, key_B, *out);
    }
    util_arena_finish(&arena);
    return result;
}

void vc4vk_program_unref(struct vc4vk_program *program)
{
    if (!program || atomic_fetch_sub_explicit(&program->refs, 1, memory_order_acq_rel) != 1)
        return;
    struct vc4vk_device *device = program->device;
    shader_bo_put(device, program->shader);
    vc4c_program_finish(&program->compiled);
    vc4vk_free(device->alloc, program);
}

VkResult vc4vk_program_patch(struct vc4vk_program *program, uint32_t instruction, uint64_t word)
{
    struct vc4c_program *p = &program->compiled;
    if (instruction >= p->instruction_count)
        return VK_ERROR_UNKNOWN;
    uint64_t old = p->code[instruction];
    p->code[instruction] = word;
    struct vc4vk_shader_bo *shader;
    VkResult result =
        shader_bo_get(program->device, p->code, p->instruction_count * (uint32_t)sizeof(uint64_t), &shader);
    if (result != VK_SUCCESS) {
        p->code[instruction] = old;
        return result;
    }
    shader_bo_put(program->device, program->shader);
    program->shader = shader;
    return VK_SUCCESS;
}
