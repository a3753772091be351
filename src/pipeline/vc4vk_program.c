/* SPDX-License-Identifier: MIT
 *
 * Programs: finds results of the compiler in the pipeline cache or on disk, or compiles them, and uploads their code.
 * Shader BOs are shared through a table per device.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "device/vc4vk_test_hooks.h"
#include "util/disk_cache.h"
#include "pipeline/vc4vk_program_store.h"
#include "util/arena.h"
#include "util/debug.h"
#include "util/hash.h"
#include "util/log.h"
#include "util/thread.h"

/* ---------------------------------------------------------------- per-device state */

enum found { FOUND_NOWHERE, FOUND_IN_STORE, FOUND_ON_DISK, FOUND_COUNT };

struct shader_table {
    pthread_mutex_t lock;
    struct util_hash_table by_code; /* of struct vc4vk_shader_bo; guarded by `lock` */
    struct util_disk_cache disk;
    _Atomic uint64_t counts[FOUND_COUNT];
};

static void shader_bo_free(struct vc4vk_device *device, struct vc4vk_shader_bo *shader)
{
    kmd_bo_unref(shader->bo);
    kmd_bo_unref(shader->engine_bo);
    vc4vk_free(VC4VK_ALLOC_INTERNAL, shader);
}

static VkResult shader_table_create(struct vc4vk_device *device, void **out)
{
    struct shader_table *table =
        vc4vk_new(VC4VK_ALLOC_INTERNAL, struct shader_table, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!table)
        return vc4vk_oom(device);
    pthread_mutex_init(&table->lock, NULL);
    util_hash_table_init(&table->by_code, NULL);
    util_disk_cache_init(&table->disk, device->physical->properties.pipelineCacheUUID);
    *out = table;
    return VK_SUCCESS;
}

static void shader_table_destroy(struct vc4vk_device *device, void *state)
{
    struct shader_table *table = state;
    util_hash_table_for_each(entry, &table->by_code) /* of pipelines that the application has not destroyed */
        shader_bo_free(device, entry->value);
    util_hash_table_finish(&table->by_code);
    util_disk_cache_finish(&table->disk);
    pthread_mutex_destroy(&table->lock);
    vc4vk_free(VC4VK_ALLOC_INTERNAL, table);
}

static VkResult shader_table(struct vc4vk_device *device, struct shader_table **out)
{
    static const struct vc4vk_slot_ops ops = {shader_table_create, shader_table_destroy};
    return vc4vk_device_slot(device, VC4VK_SLOT_PIPELINE, &ops, (void **)out);
}

/* ---------------------------------------------------------------- shader BOs */

/* Programs of the CPU engine go into ordinary BOs, which the engine maps: the kernel's shader validator would refuse
 * them. */
static int engine_bo_create(struct vc4vk_device *device, const uint64_t *code, uint32_t code_B, struct kmd_bo **out)
{
    int err = kmd_bo_create(device->kmd, code_B, "engine program", out);
    if (err)
        return err;
    void *map = kmd_bo_map(*out);
    if (map) {
        memcpy(map, code, code_B);
        return 0;
    }
    kmd_bo_unref(*out);
    return -ENOMEM;
}

static VkResult shader_bo_make(struct vc4vk_device *device, const void *code, uint32_t code_B,
                               struct vc4vk_shader_bo **out)
{
    struct vc4vk_shader_bo *shader = NULL;
    uint64_t *copy = NULL;
    struct vc4vk_multialloc ma = {0};
    vc4vk_multialloc_add(&ma, &shader, 1);
    vc4vk_multialloc_add(&ma, &copy, code_B / sizeof *copy);
    if (!vc4vk_multialloc_alloc(&ma, VC4VK_ALLOC_INTERNAL, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE))
        return vc4vk_oom(device);
    memcpy(copy, code, code_B);
    *shader = (struct vc4vk_shader_bo){.code = copy, .code_B = code_B};
    *out = shader;
    return VK_SUCCESS;
}

/* Creates the BO for the chip or for the CPU engine. It may wait for memory, so the caller must not hold the table's
 * lock. */
static VkResult upload(struct vc4vk_device *device, const struct vc4vk_shader_bo *shader, bool for_engine,
                       struct kmd_bo **out)
{
    int err = for_engine ? engine_bo_create(device, shader->code, shader->code_B, out)
                         : kmd_bo_create_shader(device->kmd, shader->code, shader->code_B, out);
    if (!err)
        return VK_SUCCESS;
    if (err == -ENOMEM)
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "program of %u B: out of device memory",
                            shader->code_B);
    return vc4vk_errorf(device, VK_ERROR_UNKNOWN, "program of %u B: the kernel refuses it: %s", shader->code_B,
                        kmd_last_refusal(device->kmd));
}

static struct kmd_bo **bo_slot(struct vc4vk_shader_bo *shader, bool for_engine)
{
    return for_engine ? &shader->engine_bo : &shader->bo;
}

/* Ensures that the code is in a BO for the chip or for the CPU engine. The caller holds a reference to `shader`. */
static VkResult shader_bo_ensure(struct vc4vk_device *device, struct shader_table *table,
                                 struct vc4vk_shader_bo *shader, bool for_engine)
{
    struct kmd_bo **place = bo_slot(shader, for_engine), *bo;
    pthread_mutex_lock(&table->lock);
    const bool is_uploaded = *place;
    pthread_mutex_unlock(&table->lock);
    if (is_uploaded)
        return VK_SUCCESS;
    VkResult result = upload(device, shader, for_engine, &bo);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&table->lock);
    if (!*place) {
        *place = bo;
        bo = NULL; /* otherwise another thread was faster: drop ours */
    }
    pthread_mutex_unlock(&table->lock);
    kmd_bo_unref(bo);
    return VK_SUCCESS;
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

/* Finds the shader BO struct with these code words or creates one, and takes a reference. The code may not be uploaded
 * yet. */
static VkResult shader_bo_find(struct vc4vk_device *device, struct shader_table *table, const void *code,
                               uint32_t code_B, struct vc4vk_shader_bo **out)
{
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&table->lock);
    *out = util_hash_table_lookup(&table->by_code, code, code_B);
    if (!*out) {
        result = shader_bo_make(device, code, code_B, out);
        if (result == VK_SUCCESS && !util_hash_table_insert(&table->by_code, code, code_B, *out)) {
            shader_bo_free(device, *out);
            result = vc4vk_oom(device);
        }
    }
    if (result == VK_SUCCESS)
        (*out)->refs++;
    pthread_mutex_unlock(&table->lock);
    return result;
}

/* The shader BO with these bytes, uploaded; shared among all programs that have the same. */
static VkResult shader_bo_get(struct vc4vk_device *device, const void *bytes, uint32_t size_B, bool for_engine,
                              struct vc4vk_shader_bo **out)
{
    struct shader_table *table;
    struct vc4vk_shader_bo *shader;
    VkResult result = shader_table(device, &table);
    if (result == VK_SUCCESS)
        result = shader_bo_find(device, table, bytes, size_B, &shader);
    if (result != VK_SUCCESS)
        return result;
    result = shader_bo_ensure(device, table, shader, for_engine);
    if (result == VK_SUCCESS)
        *out = shader;
    else
        shader_bo_put(device, shader);
    return result;
}

static VkResult code_get(struct vc4vk_device *device, const struct vc4c_program *p, struct vc4vk_shader_bo **out)
{
    return shader_bo_get(device, p->code, p->instruction_count * (uint32_t)sizeof *p->code, p->is_engine, out);
}

static VkResult tables_get(struct vc4vk_device *device, const struct vc4c_program *p, struct vc4vk_shader_bo **out)
{
    if (!p->table_word_count)
        return VK_SUCCESS;
    return shader_bo_get(device, p->table_words, p->table_word_count * (uint32_t)sizeof *p->table_words, true, out);
}

VkResult vc4vk_program_engine_bo(struct vc4vk_program *program, struct kmd_bo **out)
{
    struct shader_table *table = vc4vk_device_slot_peek(program->device, VC4VK_SLOT_PIPELINE);
    VkResult result = shader_bo_ensure(program->device, table, program->shader, true);
    if (result == VK_SUCCESS)
        *out = kmd_bo_ref(program->shader->engine_bo); /* never changes once set, so no lock is needed */
    return result;
}

/* ---------------------------------------------------------------- programs */

static const char *kind_name(enum vc4c_program_kind kind)
{
    static const char *const names[] = {"coordinate", "vertex", "fragment", "compute"};
    return names[kind];
}

static struct vc4vk_program *program_alloc(struct vc4vk_device *device)
{
    struct vc4vk_program *program =
        vc4vk_new(VC4VK_ALLOC_INTERNAL, struct vc4vk_program, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!program)
        return NULL;
    atomic_init(&program->refs, 1);
    program->device = device;
    vc4vk_util_alloc_init(&program->alloc, VC4VK_ALLOC_INTERNAL, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    return program;
}

/* Uploads the code and the tables. Consumes the caller's reference: on failure the program is destroyed. */
static VkResult program_upload(struct vc4vk_program *program, struct vc4vk_program **out)
{
    VkResult result = code_get(program->device, &program->compiled, &program->shader);
    if (result == VK_SUCCESS)
        result = tables_get(program->device, &program->compiled, &program->tables);
    if (result == VK_SUCCESS)
        *out = program;
    else
        vc4vk_program_unref(program);
    return result;
}

void vc4vk_front_init(struct vc4vk_front *front, struct vc4vk_device *device)
{
    front->made = NULL;
    front->missed_store = false;
    front->time_ns = 0;
    vc4vk_util_alloc_init(&front->alloc, VC4VK_ALLOC_INTERNAL, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
}

void vc4vk_front_release(struct vc4vk_front *front)
{
    vc4c_front_destroy(front->made);
    front->made = NULL;
}

static enum vc4c_result front_make(struct vc4vk_front *front, const struct vc4c_entry *entry, struct vc4c_error *error)
{
    return front->made ? VC4C_OK : vc4c_front_create(entry, &front->alloc.base, &front->made, error);
}

/* Compiles for the chip and falls back to the CPU engine when the program does not fit. Callers need not handle this.
 */
static enum vc4c_result compile(const struct vc4vk_program_info *info, const struct util_alloc *alloc,
                                struct vc4c_program *out, struct vc4c_error *error)
{
    enum vc4c_result r = front_make(info->front, &info->entry, error);
    if (r != VC4C_OK)
        return r;
    struct vc4c_key key = *info->key;
    key.quick = info->front->is_quick;
    r = vc4c_front_compile(info->front->made, info->kind, &key, alloc, out, error);
    if (r != VC4C_DOES_NOT_FIT || key.target != VC4C_TARGET_CHIP)
        return r;
    if (util_debug(UTIL_DEBUG_PERF))
        util_info("perf: the %s program of '%.32s' is for the CPU engine: %s", kind_name(info->kind), info->entry.name,
                  error->text);
    key.target = VC4C_TARGET_CPU_ENGINE;
    return vc4c_front_compile(info->front->made, info->kind, &key, alloc, out, error);
}

static VkResult program_compile(struct vc4vk_device *device, const struct vc4vk_program_info *info,
                                struct vc4vk_program **out)
{
    struct vc4vk_program *program = program_alloc(device);
    if (!program)
        return vc4vk_oom(device);
    struct vc4c_error error = {0};
    enum vc4c_result r = compile(info, &program->alloc.base, &program->compiled, &error);
    if (r != VC4C_OK) {
        char what[64];
        snprintf(what, sizeof what, "%s program of '%.32s'", kind_name(info->kind), info->entry.name);
        vc4vk_free(VC4VK_ALLOC_INTERNAL, program);
        return vc4vk_compiler_error(device, r, &error, what);
    }
    return program_upload(program, out);
}

/* NULL when the bytes are not a valid program; the caller then compiles it. */
static struct vc4vk_program *program_from_bytes(struct vc4vk_device *device, const void *data, size_t data_B)
{
    struct vc4vk_program *program = program_alloc(device);
    if (!program)
        return NULL;
    if (vc4c_program_read(data, data_B, &program->alloc.base, &program->compiled)) {
        vc4vk_free(VC4VK_ALLOC_INTERNAL, program);
        return NULL;
    }
    return program_upload(program, &program) == VK_SUCCESS ? program : NULL;
}

/* ---------------------------------------------------------------- keys */

/* Everything that determines a result of the compiler, serialised. Of the key's classes, which come last in the struct,
 * only the used ones are included. */
struct content_key {
    struct util_arena arena;
    void *bytes;
    size_t size_B;
    void *quick; /* where the key's field is */
};

/* Kind of an interface in keys: KIND_INTERFACE + enum vc4c_stage. Does not collide with enum vc4c_program_kind. */
#define KIND_INTERFACE 0x100u

static bool key_make(struct content_key *out, const struct vc4vk_spirv *spirv, const struct vc4c_entry *e,
                     uint32_t kind, const struct vc4c_key *key)
{
    size_t name_B = strlen(e->name) + 1, specs_B = 0;
    size_t key_B = key ? offsetof(struct vc4c_key, classes) + key->class_count * sizeof key->classes[0] : 0;
    size_t conversions_B = e->conversion_count * sizeof e->conversions[0];
    size_t formats_B = e->stored_format_count * sizeof e->stored_formats[0];
    size_t sizes_B = e->array_size_count * sizeof e->array_sizes[0];
    size_t stored_B = key ? key->stored_count * sizeof key->stored[0] : 0;
    for (uint32_t i = 0; i < e->spec_count; i++)
        specs_B += 2 * sizeof(uint32_t) + e->specs[i].size_B;
    out->size_B = sizeof spirv->digest + 5 * sizeof(uint32_t) + 13 * sizeof(uint8_t) + name_B + specs_B +
                  conversions_B + formats_B + sizes_B + key_B + stored_B;
    util_arena_init(&out->arena, NULL);
    out->bytes = util_arena_alloc(&out->arena, out->size_B);
    uint8_t *at = out->bytes;
    if (!at)
        return false;
#define PUT(data, bytes) (memcpy(at, (data), (bytes)), at += (bytes))
    PUT(&spirv->digest, sizeof spirv->digest);
    PUT(&kind, sizeof(uint32_t));
    PUT(&e->spec_count, sizeof(uint32_t));
    PUT(&e->clip_distances, sizeof(uint8_t));
    PUT(&e->facing_is_input, sizeof(uint8_t));
    PUT(&e->two_stencils, sizeof(uint8_t));
    PUT(&e->depth_is_input, sizeof(uint8_t));
    PUT(&e->clamps_depth, sizeof(uint8_t));
    PUT(&e->targets, sizeof(uint8_t));
    PUT(&e->is_smooth, sizeof(uint8_t));
    PUT(&e->stipples, sizeof(uint8_t));
    PUT(&e->robustness, sizeof(uint8_t));
    PUT(&e->prints, sizeof(uint8_t));
    PUT(&(uint8_t){(uint8_t)e->stage}, sizeof(uint8_t));
    PUT(&e->writes_records, sizeof(uint8_t));
    PUT(&e->patch_vertices, sizeof(uint8_t));
    PUT(&e->conversion_count, sizeof(uint32_t));
    PUT(&e->stored_format_count, sizeof(uint32_t));
    PUT(&e->array_size_count, sizeof(uint32_t));
    PUT(e->name, name_B);
    if (conversions_B)
        PUT(e->conversions, conversions_B);
    if (formats_B)
        PUT(e->stored_formats, formats_B);
    if (sizes_B)
        PUT(e->array_sizes, sizes_B);
    for (uint32_t i = 0; i < e->spec_count; i++) {
        PUT(&e->specs[i].id, sizeof(uint32_t));
        PUT(&e->specs[i].size_B, sizeof(uint32_t));
        PUT(e->specs[i].data, e->specs[i].size_B);
    }
    out->quick = key ? at + offsetof(struct vc4c_key, quick) : NULL;
    if (key)
        PUT(key, key_B);
    if (stored_B)
        PUT(key->stored, stored_B);
#undef PUT
    assert((size_t)(at - (uint8_t *)out->bytes) == out->size_B);
    return true;
}

/* ---------------------------------------------------------------- lookup and caching */

static void count_result(struct shader_table *table, struct vc4vk_front *front, enum found where)
{
    front->missed_store |= where != FOUND_IN_STORE;
    atomic_fetch_add_explicit(&table->counts[where], 1, memory_order_relaxed);
}

/* Adds the program to the pipeline cache's store and to the disk cache. */
static void cache_program(struct shader_table *table, struct vc4vk_program_store *store, const struct content_key *key,
                          struct vc4vk_program *program)
{
    if (!store && !table->disk.folder)
        return;
    size_t data_B = vc4c_program_write(&program->compiled, NULL);
    void *data = malloc(data_B);
    if (!data)
        return;
    vc4c_program_write(&program->compiled, data);
    if (store)
        vc4vk_program_store_add(store, key->bytes, key->size_B, data, data_B, program);
    util_disk_cache_store(&table->disk, key->bytes, key->size_B, data, data_B);
    free(data);
}

static struct vc4vk_program *find_in_store(struct vc4vk_device *device, struct vc4vk_program_store *store,
                                           const struct content_key *key)
{
    struct vc4vk_store_entry *entry = store ? vc4vk_program_store_find(store, key->bytes, key->size_B) : NULL;
    if (!entry)
        return NULL;
    struct vc4vk_program *program = atomic_load(&entry->program);
    if (program)
        return vc4vk_program_ref(program);
    program = program_from_bytes(device, entry->data, entry->data_B);
    if (program)
        vc4vk_store_entry_set(entry, program);
    return program;
}

static struct vc4vk_program *find_on_disk(struct vc4vk_device *device, struct shader_table *table,
                                          struct vc4vk_program_store *store, const struct content_key *key)
{
    size_t data_B;
    void *data = util_disk_cache_load(&table->disk, key->bytes, key->size_B, &data_B);
    if (!data)
        return NULL;
    struct vc4vk_program *program = program_from_bytes(device, data, data_B);
    if (program && store)
        vc4vk_program_store_add(store, key->bytes, key->size_B, data, data_B, program);
    free(data);
    return program;
}

static struct vc4vk_program *find(struct vc4vk_device *device, struct shader_table *table,
                                  struct vc4vk_program_store *store, const struct content_key *key,
                                  enum found *where_out)
{
    struct vc4vk_program *program = find_in_store(device, store, key);
    *where_out = FOUND_IN_STORE;
    if (program)
        return program;
    *where_out = FOUND_ON_DISK;
    return find_on_disk(device, table, store, key);
}

/* Who waits for a program takes that of a full search if there is one. Who does not never takes that of a quick one, so
 * that what is compiled ahead does not depend on what was drawn before. */
static VkResult program_find_or_compile(struct vc4vk_device *device, struct shader_table *table,
                                        struct vc4vk_program_store *store, const struct vc4vk_program_info *info,
                                        struct content_key *key, struct vc4vk_program **out)
{
    enum found where;
    VkResult result = VK_SUCCESS;
    *out = find(device, table, store, key, &where);
    if (!*out && info->front->is_quick) {
        memcpy(key->quick, &(uint32_t){1}, sizeof(uint32_t));
        *out = find(device, table, store, key, &where);
    }
    if (!*out && info->front->must_hit)
        return VK_PIPELINE_COMPILE_REQUIRED;
    if (!*out) {
        where = FOUND_NOWHERE;
        result = program_compile(device, info, out);
        if (result == VK_SUCCESS)
            cache_program(table, store, key, *out);
    }
    count_result(table, info->front, where);
    return result;
}

VkResult vc4vk_program_get(struct vc4vk_device *device, struct vc4vk_program_store *store,
                           const struct vc4vk_program_info *info, struct vc4vk_program **out)
{
    struct shader_table *table;
    struct content_key key;
    const uint64_t start_ns = util_now_ns();
    VkResult result = shader_table(device, &table);
    if (result != VK_SUCCESS)
        return result;
    if (key_make(&key, info->spirv, &info->entry, (uint32_t)info->kind, info->key))
        result = program_find_or_compile(device, table, store, info, &key, out);
    else
        result = vc4vk_oom(device);
    util_arena_finish(&key.arena);
    info->front->time_ns += util_now_ns() - start_ns;
    if (result == VK_SUCCESS && device->queue_device.scheduler.inspect)
        vc4vk_program_inspect(device->queue_device.scheduler.inspect, info, &(*out)->compiled);
    return result;
}

/* ---------------------------------------------------------------- interfaces */

static bool interface_find(struct shader_table *table, struct vc4vk_program_store *store, struct vc4vk_front *front,
                           const struct content_key *key, struct vc4c_interface *out)
{
    size_t data_B;
    struct vc4vk_store_entry *entry = store ? vc4vk_program_store_find(store, key->bytes, key->size_B) : NULL;
    if (entry && vc4c_interface_read(entry->data, entry->data_B, out)) {
        count_result(table, front, FOUND_IN_STORE);
        return true;
    }
    void *data = util_disk_cache_load(&table->disk, key->bytes, key->size_B, &data_B);
    bool good = data && vc4c_interface_read(data, data_B, out);
    if (good) {
        count_result(table, front, FOUND_ON_DISK);
        if (store)
            vc4vk_program_store_add(store, key->bytes, key->size_B, out, sizeof *out, NULL);
    }
    free(data);
    return good;
}

static VkResult interface_compile(struct vc4vk_device *device, struct shader_table *table,
                                  struct vc4vk_program_store *store, const struct vc4c_entry *entry,
                                  struct vc4vk_front *front, const struct content_key *key, struct vc4c_interface *out)
{
    static const char *const stages[] = {"vertex stage",
                                         "fragment stage",
                                         "compute stage",
                                         "geometry stage",
                                         "tessellation control stage",
                                         "tessellation evaluation stage"};
    struct vc4c_error error = {0};
    if (front->must_hit)
        return VK_PIPELINE_COMPILE_REQUIRED;
    enum vc4c_result r = front_make(front, entry, &error);
    if (r != VC4C_OK)
        return vc4vk_compiler_error(device, r, &error, stages[entry->stage]);
    vc4c_front_interface(front->made, out);
    count_result(table, front, FOUND_NOWHERE);
    if (store)
        vc4vk_program_store_add(store, key->bytes, key->size_B, out, sizeof *out, NULL);
    util_disk_cache_store(&table->disk, key->bytes, key->size_B, out, sizeof *out);
    return VK_SUCCESS;
}

VkResult vc4vk_interface_get(struct vc4vk_device *device, struct vc4vk_program_store *store, struct vc4vk_spirv *spirv,
                             const struct vc4c_entry *entry, struct vc4vk_front *front, struct vc4c_interface *out)
{
    struct shader_table *table;
    struct content_key key;
    const uint64_t start_ns = util_now_ns();
    VkResult result = shader_table(device, &table);
    if (result != VK_SUCCESS)
        return result;
    if (!key_make(&key, spirv, entry, KIND_INTERFACE + (uint32_t)entry->stage, NULL))
        result = vc4vk_oom(device);
    else if (!interface_find(table, store, front, &key, out))
        result = interface_compile(device, table, store, entry, front, &key, out);
    util_arena_finish(&key.arena);
    front->time_ns += util_now_ns() - start_ns;
    return result;
}

/* ---------------------------------------------------------------- unref and patch */

void vc4vk_program_unref(struct vc4vk_program *program)
{
    if (!program || atomic_fetch_sub_explicit(&program->refs, 1, memory_order_acq_rel) != 1)
        return;
    struct vc4vk_device *device = program->device;
    shader_bo_put(device, program->shader);
    shader_bo_put(device, program->tables);
    vc4c_program_finish(&program->compiled);
    vc4vk_free(VC4VK_ALLOC_INTERNAL, program);
}

VkResult vc4vk_program_patch(struct vc4vk_program *program, uint32_t instruction, uint64_t word)
{
    struct vc4c_program *p = &program->compiled;
    if (instruction >= p->instruction_count)
        return VK_ERROR_UNKNOWN;
    uint64_t old = p->code[instruction];
    p->code[instruction] = word;
    struct vc4vk_shader_bo *shader;
    VkResult result = code_get(program->device, p, &shader);
    if (result != VK_SUCCESS) {
        p->code[instruction] = old;
        return result;
    }
    shader_bo_put(program->device, program->shader);
    program->shader = shader;
    return VK_SUCCESS;
}

/* ---------------------------------------------------------------- test hooks */

void vc4vk_test_cache_counts(VkDevice device_h, uint64_t counts_out[3])
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, device_h);
    struct shader_table *table = vc4vk_device_slot_peek(device, VC4VK_SLOT_PIPELINE);
    for (uint32_t i = 0; i < FOUND_COUNT; i++)
        counts_out[i] = table ? atomic_load(&table->counts[i]) : 0;
}
VC4VK_TEST_HOOK(vc4vk_test_cache_counts)
