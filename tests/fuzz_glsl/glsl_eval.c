/* SPDX-License-Identifier: MIT
 *
 * Runs compute programs on the compiler's IR evaluator (tests/unit/compiler/ir_eval.h): the module is translated and
 * lowered as for the CPU engine, and the lowered IR is executed without the back end and without the model. A server
 * with glsl_run's messages.
 *
 * Each subgroup is a thread. One of them runs at a time, to its next barrier, so atomics need no lock. Memory is as
 * docs/cpu-engine.md has it: the driver's own below, the application's above. Not supported are graphics and textures;
 * the reply is then 1 and a text that begins with "unsupported".
 */
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include "../unit/compiler/ir_eval.h"
#include "compiler/vc4c_ir.h"
#include "glsl_wire.h"
#include "hw/descriptor.h"

enum {
    MAX_RESOURCES = 40,
    MAX_SPECS = 16,
    MAX_SUBGROUPS = 64,
    FIRST_B = 0x10000,      /* address of the first byte of memory */
    SCRATCH_B = 1 << 16,    /* of each subgroup */
    MEMORY_B = 12 << 20,    /* 4 MiB of the driver's own, then the application's */
    APPLICATION_B = 6 << 20 /* where that begins */
};
enum { UNIFORM_BUFFER = 6, STORAGE_BUFFER = 7, STORAGE_IMAGE = 3, INLINE_UNIFORM_BLOCK = 1000138000 };
enum { RESOURCE_NULL = 1, RESOURCE_HAS_ADDRESSES = 4 };

struct resource {
    uint32_t binding, element, type, flags, size_B, at_B; /* at_B: in memory */
    uint32_t texel_B, extent[3], layers;
    const uint8_t *addresses; /* words of the message: count, then offset and resource */
};

struct server {
    uint8_t *memory;
    uint32_t own_B, used_B; /* allocated below and above */
    struct resource resources[MAX_RESOURCES];
    uint32_t resource_count;
    uint32_t push_B, shared_B, scratch_B, table_B[IR_MAX_TABLES], entries_B, states_B;
    uint32_t entry_of[MAX_RESOURCES]; /* first entry of the binding of a resource of the shader */
    uint32_t groups[3], group[3];
    struct ir_shader *shader;
    const char *trouble;
    struct subgroup {
        struct server *server;
        struct eval eval;
        uint32_t number;
        pthread_t thread;
        sem_t go;
        bool is_done;
    } subgroups[MAX_SUBGROUPS];
    sem_t stopped; /* the running subgroup has reached a barrier or its end */
};

/* ---------------------------------------------------------------- memory */

static uint32_t allocate(uint32_t *used_B, uint32_t size_B, uint32_t end_B)
{
    const uint32_t at = *used_B;
    *used_B = (at + size_B + 63) / 64 * 64;
    if (*used_B > end_B) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return at;
}

static uint32_t address_of(uint32_t at_B)
{
    return FIRST_B + at_B;
}

/* The byte at an address, if it and the ones behind it are in memory. */
static uint8_t *bytes_at(struct server *s, uint32_t address, uint32_t count)
{
    return address >= FIRST_B && address - FIRST_B <= MEMORY_B - count ? s->memory + (address - FIRST_B) : NULL;
}

static uint32_t load(struct server *s, uint32_t address)
{
    uint32_t word = 0;
    const uint8_t *at = bytes_at(s, address & ~3u, 4);
    if (at)
        memcpy(&word, at, 4);
    return word;
}

static void store(struct server *s, uint32_t address, uint32_t word, uint32_t size_B)
{
    uint8_t *at = bytes_at(s, address & ~(size_B - 1), size_B);
    if (at)
        memcpy(at, &word, size_B);
}

/* ---------------------------------------------------------------- operations */

static float as_float(uint32_t word)
{
    float x;
    memcpy(&x, &word, 4);
    return x;
}

static uint32_t float_sum(uint32_t a, uint32_t b)
{
    const float sum = as_float(a) + as_float(b); /* exact in the fuzzer's programs */
    uint32_t word;
    memcpy(&word, &sum, 4);
    return word;
}

static uint32_t changed(uint32_t kind, uint32_t old, uint32_t data, uint32_t compare)
{
    switch (kind) {
    case VC4C_SITE_ATOMIC_ADD:
        return old + data;
    case VC4C_SITE_ATOMIC_SUB:
        return old - data;
    case VC4C_SITE_ATOMIC_IMIN:
        return (int32_t)data < (int32_t)old ? data : old;
    case VC4C_SITE_ATOMIC_IMAX:
        return (int32_t)data > (int32_t)old ? data : old;
    case VC4C_SITE_ATOMIC_UMIN:
        return data < old ? data : old;
    case VC4C_SITE_ATOMIC_UMAX:
        return data > old ? data : old;
    case VC4C_SITE_ATOMIC_AND:
        return old & data;
    case VC4C_SITE_ATOMIC_OR:
        return old | data;
    case VC4C_SITE_ATOMIC_XOR:
        return old ^ data;
    case VC4C_SITE_ATOMIC_FADD:
        return float_sum(old, data);
    case VC4C_SITE_ATOMIC_FMIN:
        return as_float(data) < as_float(old) ? data : old;
    case VC4C_SITE_ATOMIC_FMAX:
        return as_float(data) > as_float(old) ? data : old;
    case VC4C_SITE_ATOMIC_EXCHANGE:
        return data;
    default:
        return old == compare ? data : old; /* VC4C_SITE_ATOMIC_COMPARE */
    }
}

static bool engine_op(struct eval *e, const struct ir_instr *i, uint32_t lane, const uint32_t s[3], uint32_t *out)
{
    struct subgroup *g = e->engine;
    struct server *server = g->server;
    (void)lane;
    switch (i->op) {
    case IR_ENGINE_FETCH:
    case IR_ENGINE_LOAD:
        *out = load(server, s[0]);
        return true;
    case IR_SCRATCH_LOAD: /* with imm: of lookups */
        *out = load(server, s[0]);
        return !i->imm;
    case IR_ENGINE_STORE:
        store(server, s[0], s[1], i->imm ? i->imm : 4);
        return true;
    case IR_SCRATCH_STORE:
        store(server, s[0], s[1], 4);
        return !i->imm;
    case IR_ENGINE_ATOMIC:
        *out = load(server, s[0]);
        store(server, s[0], changed(i->imm, *out, s[1], s[2]), 4);
        return true;
    case IR_QPU_NUMBER:
        *out = g->number;
        return true;
    case IR_MUTEX_ACQUIRE: /* no other subgroup runs */
    case IR_MUTEX_RELEASE:
        return true;
    default:
        return false;
    }
}

static bool engine_uniform(const struct eval *e, const struct vc4c_uniform *u, uint32_t *out)
{
    const struct subgroup *g = e->engine;
    const struct server *s = g->server;
    switch ((enum vc4c_uniform_kind)u->kind) {
    case VC4C_UNIFORM_ENGINE_ENTRY:
        *out = address_of(s->entries_B) + 4 * s->entry_of[u->ref];
        return true;
    case VC4C_UNIFORM_ENGINE_STATES:
        *out = address_of(s->states_B);
        return true;
    case VC4C_UNIFORM_ENGINE_PUSH:
        *out = address_of(s->push_B);
        return true;
    case VC4C_UNIFORM_ENGINE_MEMORY:
        *out = address_of(APPLICATION_B);
        return true;
    case VC4C_UNIFORM_ENGINE_SHARED:
        *out = address_of(s->shared_B);
        return true;
    case VC4C_UNIFORM_ENGINE_SCRATCH:
        *out = address_of(s->scratch_B) + u->data;
        return true;
    case VC4C_UNIFORM_ENGINE_SCRATCH_B:
        *out = SCRATCH_B;
        return true;
    case VC4C_UNIFORM_TABLE_BASE:
        *out = address_of(s->table_B[u->ref]) + u->data;
        return true;
    case VC4C_UNIFORM_TABLE_LIMIT:
        *out = 4 * s->shader->tables[u->ref].count - 4 - u->data;
        return true;
    case VC4C_UNIFORM_WORKGROUP_FIRST:
        *out = s->group[0];
        return true;
    case VC4C_UNIFORM_WORKGROUP_END:
        *out = s->group[0] + 1;
        return true;
    case VC4C_UNIFORM_WORKGROUP_Y:
        *out = s->group[1];
        return true;
    case VC4C_UNIFORM_WORKGROUP_Z:
        *out = s->group[2];
        return true;
    case VC4C_UNIFORM_WORKGROUP_COUNT:
        *out = s->groups[u->data];
        return true;
    case VC4C_UNIFORM_SUBGROUP:
        *out = g->number;
        return true;
    default:
        return false;
    }
}

/* ---------------------------------------------------------------- subgroups */

static void at_barrier(struct eval *e)
{
    struct subgroup *g = e->engine;
    sem_post(&g->server->stopped);
    sem_wait(&g->go);
}

static void *run_subgroup(void *data)
{
    struct subgroup *g = data;
    sem_wait(&g->go);
    eval_run(&g->eval, g->server->shader, 3000000);
    g->is_done = true;
    sem_post(&g->server->stopped);
    return NULL;
}

static void run_group(struct server *s, const uint8_t *push, uint32_t push_B)
{
    const uint32_t *size = s->shader->local_size;
    const uint32_t count = (size[0] * size[1] * size[2] + 15) / 16;
    memset(s->memory + s->shared_B, 0, s->shader->shared_B);
    for (uint32_t i = 0; i < count; i++) {
        struct subgroup *g = &s->subgroups[i];
        *g = (struct subgroup){.server = s, .number = i};
        g->eval = (struct eval){.engine_op = engine_op,
                                .engine_uniform = engine_uniform,
                                .barrier = at_barrier,
                                .engine = g,
                                .push = (const uint32_t *)(const void *)push,
                                .push_words = push_B / 4};
        sem_init(&g->go, 0, 0);
        if (pthread_create(&g->thread, NULL, run_subgroup, g)) {
            fprintf(stderr, "no thread\n");
            exit(2);
        }
    }
    for (uint32_t left = count; left;) {
        left = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (s->subgroups[i].is_done)
                continue;
            sem_post(&s->subgroups[i].go);
            sem_wait(&s->stopped);
            left += !s->subgroups[i].is_done;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(s->subgroups[i].thread, NULL);
        sem_destroy(&s->subgroups[i].go);
        if (s->subgroups[i].eval.trouble)
            s->trouble = s->subgroups[i].eval.trouble;
    }
}

/* ---------------------------------------------------------------- requests */

static bool read_resource(struct server *s, struct wire *q)
{
    struct resource *r = &s->resources[s->resource_count++];
    *r = (struct resource){0};
    r->binding = wire_u32(q);
    r->element = wire_u32(q);
    r->type = wire_u32(q);
    r->flags = wire_u32(q);
    r->size_B = wire_u32(q);
    if (r->type != UNIFORM_BUFFER && r->type != STORAGE_BUFFER && r->type != STORAGE_IMAGE &&
        r->type != INLINE_UNIFORM_BLOCK)
        return false;
    if (r->type == STORAGE_IMAGE) {
        uint32_t words[13];
        memcpy(words, wire_take(q, sizeof words), sizeof words);
        r->texel_B = words[1];
        memcpy(r->extent, words + 3, sizeof r->extent);
        r->layers = words[6];
    }
    r->at_B = allocate(&s->used_B, r->size_B, MEMORY_B);
    memcpy(s->memory + r->at_B, wire_take(q, r->size_B), r->size_B);
    if (r->flags & RESOURCE_HAS_ADDRESSES) {
        const uint32_t count = wire_u32(q);
        q->at -= 4;
        r->addresses = wire_take(q, 4 + 8 * count);
    }
    return true;
}

static void write_addresses(struct server *s)
{
    for (uint32_t i = 0; i < s->resource_count; i++) {
        const struct resource *r = &s->resources[i];
        uint32_t count = 0, words[2];
        if (r->addresses)
            memcpy(&count, r->addresses, 4);
        for (uint32_t k = 0; k < count; k++) {
            memcpy(words, r->addresses + 4 + 8 * k, 8);
            const uint64_t address = address_of(s->resources[words[1] % s->resource_count].at_B);
            memcpy(s->memory + r->at_B + words[0], &address, 8);
        }
    }
}

static struct hw_engine_descriptor descriptor_of(const struct resource *r)
{
    if (r->flags & RESOURCE_NULL)
        return (struct hw_engine_descriptor){0};
    if (r->type != STORAGE_IMAGE)
        return (struct hw_engine_descriptor){
            .address = address_of(r->at_B), .limit_B = r->size_B & ~3u, .size_B = r->size_B};
    return (struct hw_engine_descriptor){
        .address = address_of(r->at_B),
        .texel_stride_B = r->texel_B,
        .texel_B = r->texel_B,
        .word_stride_B = 4,
        .width = r->extent[0],
        .height = r->extent[1],
        .depth = r->extent[2] * r->layers,
        .row_stride_B = r->texel_B * r->extent[0],
        .layer_stride_B = r->texel_B * r->extent[0] * r->extent[1],
    };
}

/* The descriptors, in the order of the resources, and an entry for each. */
static void write_descriptors(struct server *s)
{
    s->entries_B = allocate(&s->own_B, 4 * MAX_RESOURCES, APPLICATION_B);
    s->states_B = allocate(&s->own_B, sizeof(struct hw_engine_descriptor) * MAX_RESOURCES, APPLICATION_B);
    for (uint32_t i = 0; i < s->resource_count; i++) {
        const struct hw_engine_descriptor d = descriptor_of(&s->resources[i]);
        const uint32_t entry = i * (uint32_t)sizeof d;
        memcpy(s->memory + s->states_B + entry, &d, sizeof d);
        memcpy(s->memory + s->entries_B + 4 * i, &entry, 4);
    }
    for (uint32_t k = 0; k < s->shader->resource_count && k < MAX_RESOURCES; k++)
        for (uint32_t i = 0; i < s->resource_count; i++)
            if (s->resources[i].binding == s->shader->resources[k].binding && !s->resources[i].element)
                s->entry_of[k] = i;
}

static void write_tables(struct server *s)
{
    for (uint32_t i = 0; i < s->shader->table_count; i++) {
        const struct ir_table *t = &s->shader->tables[i];
        s->table_B[i] = allocate(&s->own_B, 4 * t->count, APPLICATION_B);
        memcpy(s->memory + s->table_B[i], t->words, 4 * t->count);
    }
}

/* The module, its constants and the sizes of its bindings. Translates and lowers it; NULL: the reason is in `error`. */
static struct ir_shader *translate(struct server *s, const struct vc4c_module *module,
                                   const struct vc4c_spec_constant *specs, uint32_t spec_count,
                                   struct util_arena *arena, struct vc4c_error *error)
{
    struct vc4c_array_size sizes[MAX_RESOURCES];
    struct ir_shader *shader = NULL;
    struct vc4c_key key;
    memset(&key, 0, sizeof key);
    key.target = VC4C_TARGET_CPU_ENGINE;
    for (uint32_t i = 0; i < s->resource_count; i++) {
        sizes[i] = (struct vc4c_array_size){.binding = (uint16_t)s->resources[i].binding};
        for (uint32_t k = 0; k < s->resource_count; k++)
            sizes[i].count += s->resources[k].binding == s->resources[i].binding;
    }
    const struct vc4c_entry entry = {
        .module = module,
        .name = "main",
        .stage = VC4C_STAGE_COMPUTE,
        .specs = specs,
        .spec_count = spec_count,
        .robustness =
            VC4C_ROBUST_UNIFORM_BUFFERS | VC4C_ROBUST_STORAGE_BUFFERS | VC4C_ROBUST_IMAGES | VC4C_ROBUST_NULLS,
        .array_sizes = vc4c_has_runtime_arrays(module) ? sizes : NULL,
        .array_size_count = vc4c_has_runtime_arrays(module) ? s->resource_count : 0,
    };
    return vc4c_compile_to_ir(&entry, VC4C_PROGRAM_COMPUTE, &key, arena, &shader, error) ? NULL : shader;
}

static void run_all(struct server *s, const uint8_t *push, uint32_t push_B)
{
    s->push_B = allocate(&s->own_B, push_B + 4, APPLICATION_B);
    memcpy(s->memory + s->push_B, push, push_B);
    s->shared_B = allocate(&s->own_B, s->shader->shared_B + 4, APPLICATION_B);
    s->scratch_B = allocate(&s->own_B, MAX_SUBGROUPS * SCRATCH_B, APPLICATION_B);
    write_descriptors(s);
    write_tables(s);
    write_addresses(s);
    if (s->shader->spill_slots * 64 > SCRATCH_B)
        s->trouble = "unsupported: much scratch memory";
    for (s->group[2] = 0; s->group[2] < s->groups[2]; s->group[2]++)
        for (s->group[1] = 0; s->group[1] < s->groups[1]; s->group[1]++)
            for (s->group[0] = 0; s->group[0] < s->groups[0] && !s->trouble; s->group[0]++)
                run_group(s, push, push_B);
}

static void put_text(struct wire *reply, const char *kind, const char *text)
{
    wire_put_u32(reply, 1);
    wire_put(reply, kind, strlen(kind));
    wire_put(reply, text, strlen(text));
}

static void put_results(const struct server *s, struct wire *reply)
{
    wire_put_u32(reply, 0);
    for (uint32_t i = 0; i < s->resource_count; i++) {
        const struct resource *r = &s->resources[i];
        if (r->flags & RESOURCE_NULL || (r->type != STORAGE_BUFFER && r->type != STORAGE_IMAGE))
            continue;
        wire_put_u32(reply, r->size_B);
        wire_put(reply, s->memory + r->at_B, r->size_B);
    }
}

static void execute(struct server *s, struct wire *q, struct wire *reply)
{
    struct vc4c_spec_constant specs[MAX_SPECS];
    struct vc4c_module *module = NULL;
    struct vc4c_error error = {{0}};
    struct util_arena arena;
    const bool is_draw = wire_u32(q);
    const uint32_t spec_count = wire_u32(q);
    if (is_draw || spec_count > MAX_SPECS) {
        put_text(reply, "unsupported: ", "graphics");
        return;
    }
    for (uint32_t i = 0; i < spec_count; i++) {
        specs[i].id = wire_u32(q);
        specs[i].size_B = wire_u32(q);
        specs[i].data = wire_take(q, 8);
    }
    const uint32_t push_B = wire_u32(q);
    const uint8_t *push = wire_take(q, push_B);
    wire_u32(q); /* the stage */
    const uint32_t module_B = wire_u32(q);
    uint32_t *words = malloc(module_B + 4);
    memcpy(words, wire_take(q, module_B), module_B);
    const uint32_t count = wire_u32(q);
    bool good = count <= MAX_RESOURCES;
    for (uint32_t i = 0; i < count && good; i++)
        good = read_resource(s, q);
    if (good)
        memcpy(s->groups, wire_take(q, sizeof s->groups), sizeof s->groups);
    util_arena_init(&arena, NULL);
    if (!good) {
        put_text(reply, "unsupported: ", "textures");
    } else if (vc4c_module_create(words, module_B, NULL, &module, &error) ||
               !(s->shader = translate(s, module, specs, spec_count, &arena, &error))) {
        put_text(reply, "evaluator: ", error.text);
    } else {
        uint32_t aligned[64] = {0};
        memcpy(aligned, push, push_B < sizeof aligned ? push_B : sizeof aligned);
        run_all(s, (const uint8_t *)aligned, push_B);
        if (s->trouble)
            put_text(reply, strncmp(s->trouble, "unsupported", 11) ? "evaluator: " : "", s->trouble);
        else
            put_results(s, reply);
    }
    util_arena_finish(&arena);
    vc4c_module_destroy(module);
    free(words);
}

int main(void)
{
    struct server *s = calloc(1, sizeof *s);
    struct wire request = {0}, reply = {0};
    uint8_t *memory = malloc(MEMORY_B);
    if (!s || !memory)
        return 2;
    while (wire_receive(&request)) {
        memset(memory, 0, MEMORY_B);
        *s = (struct server){.memory = memory, .used_B = APPLICATION_B};
        sem_init(&s->stopped, 0, 0);
        execute(s, &request, &reply);
        sem_destroy(&s->stopped);
        wire_send(&reply);
    }
    free(memory);
    free(s);
    free(request.bytes);
    free(reply.bytes);
    return 0;
}
