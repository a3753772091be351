/* SPDX-License-Identifier: MIT
 *
 * Runs a dispatch on the CPU engine. One block of memory holds everything that it needs besides the application's
 * memory: push constants, binding table, descriptors, scratch memory, a uniform stream per request, and shared memory
 * per row. Small blocks come from an upload ring, large ones are BOs.
 *
 * The workgroups are cut into rows. As many rows as the block has room for form one job of the engine.
 */
#include "issue/vc4vk_dispatch.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "issue/vc4vk_issue_device.h"
#include "issue/vc4vk_print.h"
#include "transfer/vc4vk_transfer.h"
#include "issue/vc4vk_program_descriptors.h"
#include "descriptor/vc4vk_upload_ring.h"
#include "device/vc4vk_memory.h"
#include "engine/vc4vk_job.h"
#include "util/debug.h"
#include "util/environment.h"
#include "util/log.h"

#define BATCH_B     (4u << 20) /* approximate limit of streams and shared memory of one job */
#define BATCH_ROWS  1024u
#define ROWS_WANTED 64u        /* rows are shortened until there are so many, to occupy the engine's threads */
#define ROW_LENGTH  64u        /* maximum workgroups per row, which bounds the work of one request ... */
#define GROUP_WORK  1024u      /* ... and maximum subgroups that those of a group run together, one after the other */

#define RING_B      (64u << 10) /* larger blocks are BOs */

/* Where the parts of the dispatch's block of memory begin. */
struct places {
    uint32_t push_B, entries_B, states_B, scratch_B, print_B, streams_B, shared_B, size_B;
    uint32_t stream_size_B, shared_size_B; /* per request, per row */
};

struct row {
    uint32_t first, end, y, z;
};

struct run {
    const struct vc4vk_dispatch *dispatch;
    const struct vc4c_program *program;
    struct vc4vk_program_descriptors descriptors;
    uint32_t count[3];
    struct vc4vk_bo_table bos;
    struct kmd_bo *code, *tables, *memory; /* tables: NULL, there are none */
    struct vc4vk_upload_block *block; /* of the ring that `memory` belongs to; NULL: `memory` is a separate BO */
    uint32_t code_addr, tables_addr, memory_addr, records_addr;
    uint8_t *map;
    struct places at;
    uint32_t first_entry[VC4C_MAX_RESOURCES]; /* by resource: its first entry and descriptor */
    uint32_t entry_count;
    uint32_t batch_rows, row_length;
    uint64_t left_ns; /* remaining time that the dispatch may take on the engine */
    struct kmd_engine_request *requests;
    uint32_t exprs[VC4C_MAX_EXPRS];
};

/* A request whose stream is being written. */
struct request {
    struct row row;
    uint32_t subgroup, stream_addr, shared_addr;
};

/* ---------------------------------------------------------------- memory */

static uint32_t rows_of(const struct run *r)
{
    return util_div_round_up(r->count[0], r->row_length);
}

/* The subgroups that run together. */
static uint32_t group_of(const struct vc4c_program *p)
{
    return p->has_barriers ? p->subgroups : 1;
}

static void choose_rows(struct run *r)
{
    const uint64_t lines = (uint64_t)r->count[1] * r->count[2];
    const uint32_t cuts = lines >= ROWS_WANTED ? 1 : ROWS_WANTED / (uint32_t)lines;
    const uint32_t most = MIN2(ROW_LENGTH, GROUP_WORK / group_of(r->program));
    r->row_length = CLAMP(util_div_round_up(r->count[0], cuts), 1u, most);
}

static uint32_t take(struct places *at, uint64_t size_B)
{
    uint32_t begin_B = at->size_B;
    at->size_B += (uint32_t)util_align64(size_B, 64);
    return begin_B;
}

/* `qpu_count`: of kmd_engine_qpu_count(), for groups of up to 16 requests. */
static void place(struct run *r, uint32_t qpu_count)
{
    const struct vc4c_program *p = r->program;
    const uint32_t sets = util_div_round_up(group_of(p), 16);
    struct places *at = &r->at;
    at->stream_size_B = util_align((p->uniform_count + p->extra_stream_word + 1) * 4, 64);
    at->shared_size_B = util_align(p->shared_B + (p->counts_finished ? 4 : 0), 64);
    at->push_B = take(at, sizeof r->dispatch->push);
    at->entries_B = take(at, 4 * (r->entry_count + 1));
    at->states_B = take(at, (r->entry_count + 1) * vc4vk_program_descriptor_B(p));
    at->scratch_B = take(at, (uint64_t)qpu_count * sets * p->scratch_B);
    at->print_B = take(at, p->print_count ? VC4C_PRINT_MEMORY_B : 0);

    const uint32_t row_B = at->stream_size_B * p->subgroups + at->shared_size_B;
    uint64_t all = rows_of(r); /* clamped to BATCH_ROWS, since the counts of indirect dispatches could overflow */
    for (uint32_t i = 1; i < 3; i++)
        all = MIN2(all, (uint64_t)BATCH_ROWS) * r->count[i];
    r->batch_rows = CLAMP(BATCH_B / row_B, 1u, BATCH_ROWS);
    r->batch_rows = (uint32_t)MIN2((uint64_t)r->batch_rows, all);
    at->streams_B = take(at, (uint64_t)r->batch_rows * p->subgroups * at->stream_size_B);
    at->shared_B = take(at, (uint64_t)r->batch_rows * at->shared_size_B);
}

/* Returns the BO's address, and adds the BO to those that the job may access. */
static bool use_bo(struct run *r, struct kmd_bo *bo, uint32_t *addr_out)
{
    *addr_out = VC4C_ENGINE_NULL;
    if (kmd_bo_engine_addr(bo, addr_out))
        return false;
    vc4vk_bo_table_add(&r->bos, bo);
    return !r->bos.failed;
}

/* The memory is unused as soon as the dispatch has run, so it comes from the ring without a timeline. */
static bool take_memory(struct run *r)
{
    struct vc4vk_device *device = r->dispatch->device;
    struct vc4vk_upload_ring *ring = r->at.size_B <= RING_B ? vc4vk_device_upload_ring(device, NULL) : NULL;
    uint32_t offset_B = 0;
    if (ring && vc4vk_upload_try_take(ring, r->at.size_B, 64, &r->block)) {
        r->memory = r->block->bo;
        offset_B = r->block->offset_B;
    } else if (kmd_bo_create(device->kmd, r->at.size_B, "dispatch", &r->memory)) {
        return false;
    }
    if (!kmd_bo_map(r->memory) || !use_bo(r, r->memory, &r->memory_addr))
        return false;
    r->memory_addr += offset_B;
    r->map = (uint8_t *)kmd_bo_map(r->memory) + offset_B;
    return true;
}

static void give_back_memory(struct run *r)
{
    if (r->block)
        vc4vk_upload_release(r->block->ring, r->block);
    else
        kmd_bo_unref(r->memory);
}

/* ---------------------------------------------------------------- descriptors */

static bool write_descriptor(struct run *r, const struct vc4c_resource *resource,
                             const struct vc4vk_surface_state *state, void *out)
{
    uint32_t addr = 0;
    struct kmd_bo *bo = vc4vk_surface_state_bo(state);
    if (bo && !use_bo(r, bo, &addr))
        return false;
    vc4vk_program_descriptor_write(resource, state, addr, out);
    return true;
}

static const struct vc4vk_surface_state *state_of_entry(const struct run *r, uint32_t i)
{
    const struct vc4c_program *p = r->program;
    const uint32_t first_slot = r->descriptors.first_slot + p->buffer_count + 2 * p->texture_count;
    return vc4vk_binding_table_resolve(r->dispatch->pool, &r->dispatch->table, first_slot + i);
}

/* Decodes the images of blocks that the dispatch may have stored to: other programs sample the decoded texels. */
static VkResult decode_stored(const struct run *r)
{
    bool done = true;
    for (uint32_t i = 0; i < r->entry_count; i++) {
        const struct vc4vk_surface_state *s = state_of_entry(r, i);
        if (s->kind == VC4VK_STATE_VIEW && s->view.blocks)
            done &= vc4vk_image_decode(s->view.blocks, s->view.first_layer, s->view.slices);
    }
    return done ? VK_SUCCESS
                : vc4vk_errorf(r->dispatch->device, VK_ERROR_MEMORY_MAP_FAILED, "dispatch: image memory is not mapped");
}

static bool write_descriptors(struct run *r)
{
    uint32_t *entries = (uint32_t *)(void *)(r->map + r->at.entries_B);
    uint8_t *states = r->map + r->at.states_B;
    const uint32_t stride_B = vc4vk_program_descriptor_B(r->program);
    for (uint32_t n = 0; n < r->program->resource_count; n++) {
        const struct vc4c_resource *resource = &r->program->resources[n];
        const uint32_t first = r->first_entry[n], end = first + vc4vk_resource_slot_count(resource);
        for (uint32_t i = first; i < end; i++) {
            entries[i] = i * stride_B;
            if (!write_descriptor(r, resource, state_of_entry(r, i), states + i * stride_B))
                return false;
        }
    }
    return true;
}

/* Adds the BOs whose addresses are in the stream itself: textures, and buffers read through the texture unit. */
static bool use_lookups(struct run *r)
{
    uint32_t addr;
    for (uint32_t i = 0; i < r->program->buffer_count; i++) {
        struct kmd_bo *bo = vc4vk_surface_state_bo(vc4vk_program_buffer(&r->descriptors, i));
        if (bo && !use_bo(r, bo, &addr))
            return false;
    }
    for (uint32_t i = 0; i < r->program->texture_count; i++) {
        struct kmd_bo *bo = vc4vk_surface_state_bo(vc4vk_program_texture(&r->descriptors, i, false));
        if (bo && !use_bo(r, bo, &addr))
            return false;
    }
    return true;
}

static void use_addressed(void *data, struct kmd_bo *bo)
{
    struct run *r = data;
    uint32_t addr;
    if (!kmd_bo_engine_addr(bo, &addr))
        vc4vk_bo_table_add(&r->bos, bo);
}

/* ---------------------------------------------------------------- streams */

static uint32_t addr_of(const struct vc4vk_surface_state *state)
{
    uint32_t addr = VC4C_ENGINE_NULL;
    struct kmd_bo *bo = vc4vk_surface_state_bo(state);
    return bo && !kmd_bo_engine_addr(bo, &addr) ? addr : VC4C_ENGINE_NULL;
}

/* Adds the address to the words of lookups: there is no kernel that would relocate them. */
static uint32_t relocated(const struct run *r, const struct vc4c_uniform *u, uint32_t word)
{
    if (u->kind == VC4C_UNIFORM_BUFFER_BASE)
        return word + addr_of(vc4vk_program_buffer(&r->descriptors, u->ref));
    if (u->kind == VC4C_UNIFORM_TEX_P0 || u->kind == VC4C_UNIFORM_DIRECT_BASE)
        return word + addr_of(vc4vk_program_texture(&r->descriptors, u->ref, false));
    return word;
}

static uint32_t uniform_word(const struct run *r, const struct vc4c_uniform *u, const struct request *q)
{
    uint32_t word = 0;
    switch ((enum vc4c_uniform_kind)u->kind) {
    case VC4C_UNIFORM_CONSTANT:
        return u->data;
    case VC4C_UNIFORM_PUSH:
        return u->data / 4 < ARRAY_SIZE(r->dispatch->push) ? r->dispatch->push[u->data / 4] : 0;
    case VC4C_UNIFORM_EXPR:
        return r->exprs[u->data];
    case VC4C_UNIFORM_STREAM_ADDRESS:
        return q->stream_addr;
    case VC4C_UNIFORM_ENGINE_ENTRY:
        return r->memory_addr + r->at.entries_B + 4 * r->first_entry[u->ref];
    case VC4C_UNIFORM_ENGINE_STATES:
        return r->memory_addr + r->at.states_B;
    case VC4C_UNIFORM_ENGINE_PUSH:
        return r->memory_addr + r->at.push_B;
    case VC4C_UNIFORM_ENGINE_MEMORY:
        return kmd_engine_memory_addr(r->dispatch->device->kmd);
    case VC4C_UNIFORM_ENGINE_SHARED:
        return q->shared_addr;
    case VC4C_UNIFORM_ENGINE_SCRATCH:
        return r->memory_addr + r->at.scratch_B + u->data;
    case VC4C_UNIFORM_ENGINE_SCRATCH_B:
        return r->program->scratch_B;
    case VC4C_UNIFORM_ENGINE_PRINT:
        return r->program->print_count ? r->memory_addr + r->at.print_B : VC4C_ENGINE_NULL;
    case VC4C_UNIFORM_WORKGROUP_FIRST:
        return q->row.first;
    case VC4C_UNIFORM_WORKGROUP_END:
        return q->row.end;
    case VC4C_UNIFORM_WORKGROUP_Y:
        return q->row.y;
    case VC4C_UNIFORM_WORKGROUP_Z:
        return q->row.z;
    case VC4C_UNIFORM_WORKGROUP_COUNT:
        return r->count[MIN2(u->data, 2u)];
    case VC4C_UNIFORM_SUBGROUP:
        return q->subgroup;
    case VC4C_UNIFORM_RECORDS:
        return r->dispatch->records ? r->dispatch->records->words[MIN2(u->data, VC4C_RECORDS_KINDS - 1u)] : 0;
    case VC4C_UNIFORM_DRAW:
        return r->dispatch->records ? r->dispatch->records->draw[MIN2(u->data, 2u)] : 0;
    case VC4C_UNIFORM_VIEW_INDEX:
        return r->dispatch->records ? r->dispatch->records->view : 0;
    case VC4C_UNIFORM_TABLE_LIMIT:
    case VC4C_UNIFORM_TABLE_BASE:
        vc4c_table_word(r->program, u, &word);
        return u->kind == VC4C_UNIFORM_TABLE_BASE ? r->tables_addr + word : word;
    default:
        return vc4vk_program_descriptor_word(&r->descriptors, u, &word) ? relocated(r, u, word) : 0;
    }
}

static void write_stream(struct run *r, const struct request *q, uint32_t *out)
{
    const struct vc4c_program *p = r->program;
    for (uint32_t i = 0; i < p->expr_count; i++) {
        const struct vc4c_expr *e = &p->exprs[i];
        if (e->op == HW_EXPR_WORD)
            r->exprs[i] = uniform_word(r, &e->word, q);
        else
            hw_expr(e->op, r->exprs[e->src[0]], r->exprs[e->src[1]], r->exprs[e->src[2]], &r->exprs[i]);
    }
    for (uint32_t i = 0; i < p->uniform_count; i++)
        *out++ = uniform_word(r, &p->uniforms[i], q);
    if (p->extra_stream_word)
        *out = q->stream_addr;
}

static void write_row(struct run *r, uint32_t index, const struct row *row)
{
    struct request q = {.row = *row,
                        .shared_addr = r->memory_addr + r->at.shared_B + index * r->at.shared_size_B};
    if (r->program->counts_finished)
        memset(r->map + (q.shared_addr - r->memory_addr) + r->program->shared_B, 0, 4);
    for (q.subgroup = 0; q.subgroup < r->program->subgroups; q.subgroup++) {
        const uint32_t n = index * r->program->subgroups + q.subgroup;
        const uint32_t stream_B = r->at.streams_B + n * r->at.stream_size_B;
        q.stream_addr = r->memory_addr + stream_B;
        write_stream(r, &q, (uint32_t *)(void *)(r->map + stream_B));
        r->requests[n] = (struct kmd_engine_request){r->code_addr, q.stream_addr};
    }
}

/* ---------------------------------------------------------------- the run */

static VkResult run_rows(struct run *r, uint32_t row_count)
{
    const struct vc4vk_dispatch_records *records = r->dispatch->records;
    const struct kmd_engine_range kept[] = {{r->memory_addr, r->at.size_B},
                                            {r->records_addr, records ? records->bo->size_B : 0}};
    const struct kmd_engine_job job = {
        .stats = inspect_stats(inspect_current()),
        .bos = r->bos.bos,
        .bo_count = r->bos.count,
        .requests = r->requests,
        .request_count = row_count * r->program->subgroups,
        .group = group_of(r->program),
        .group_timeout_ns = util_hang_limit_ns(),
        .timeout_ns = r->left_ns,
        .drops_stores = records && records->drops_stores,
        .kept = kept,
        .kept_count = ARRAY_SIZE(kept),
    };
    struct kmd_engine_result result;
    int err = kmd_engine_run(r->dispatch->device->kmd, &job, &result);
    r->left_ns -= MIN2(r->left_ns, result.run_ns);
    if (r->program->print_count)
        vc4vk_print_messages(r->program, (uint32_t *)(void *)(r->map + r->at.print_B));
    if (err == -ENOMEM)
        return vc4vk_errorf(r->dispatch->device, VK_ERROR_OUT_OF_HOST_MEMORY, "dispatch: out of host memory");
    if (err)
        return vc4vk_errorf(r->dispatch->device, VK_ERROR_DEVICE_LOST, "dispatch: %s (after %u of %u requests)",
                            result.message ? result.message : "refused by the CPU engine", result.completed,
                            job.request_count);
    const bool may_stray = r->program->uses_addresses || r->program->uses_set_memory;
    if (result.stray_accesses && (!may_stray || util_debug(UTIL_DEBUG_PERF)))
        util_warn("dispatch: %u accesses were outside of all mapped memory", result.stray_accesses);
    return VK_SUCCESS;
}

static VkResult run_all(struct run *r)
{
    const uint32_t *base = r->dispatch->base;
    VkResult result = VK_SUCCESS;
    uint32_t rows = 0;
    for (uint32_t z = 0; z < r->count[2] && result == VK_SUCCESS; z++)
        for (uint32_t y = 0; y < r->count[1] && result == VK_SUCCESS; y++)
            for (uint64_t x = 0; x < r->count[0] && result == VK_SUCCESS; x += r->row_length) {
                const uint32_t begin = (uint32_t)x, end = (uint32_t)MIN2(x + r->row_length, (uint64_t)r->count[0]);
                write_row(r, rows++, &(struct row){base[0] + begin, base[0] + end, base[1] + y, base[2] + z});
                if (rows < r->batch_rows)
                    continue;
                result = kmd_device_is_lost(r->dispatch->device->kmd) ? VK_ERROR_DEVICE_LOST : run_rows(r, rows);
                rows = 0;
            }
    return rows && result == VK_SUCCESS ? run_rows(r, rows) : result;
}

static VkResult prepare(struct run *r)
{
    struct vc4vk_device *device = r->dispatch->device;
    uint32_t qpu_count;
    for (uint32_t i = 0; i < r->program->resource_count; i++) {
        r->first_entry[i] = r->entry_count;
        r->entry_count += vc4vk_resource_slot_count(&r->program->resources[i]);
    }
    if (kmd_engine_qpu_count(device->kmd, &qpu_count))
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_HOST_MEMORY, "dispatch: the CPU engine cannot be created");
    choose_rows(r);
    place(r, qpu_count);
    r->requests = calloc(r->batch_rows * r->program->subgroups, sizeof *r->requests);
    if (!r->requests)
        return vc4vk_oom(device);
    if (!take_memory(r))
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "dispatch: cannot allocate %u bytes", r->at.size_B);
    if (!use_bo(r, r->code, &r->code_addr))
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "dispatch: the program is not mapped");
    if (r->tables && !use_bo(r, r->tables, &r->tables_addr))
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "dispatch: the program's tables are not mapped");
    if (r->dispatch->records && !use_bo(r, r->dispatch->records->bo, &r->records_addr))
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "dispatch: the memory of records is not mapped");
    memcpy(r->map + r->at.push_B, r->dispatch->push, sizeof r->dispatch->push);
    if (r->program->print_count)
        memset(r->map + r->at.print_B, 0, VC4C_PRINT_MEMORY_B);
    if (!write_descriptors(r) || !use_lookups(r))
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "dispatch: a descriptor's memory is not mapped");
    if (r->program->uses_addresses || r->program->uses_set_memory)
        vc4vk_addressed_memory_for_each(device, !r->program->uses_set_memory, use_addressed, r);
    return r->bos.failed ? vc4vk_oom(device) : VK_SUCCESS;
}

static void read_counts(const struct vc4vk_dispatch *d, uint32_t count[3])
{
    const uint8_t *map = d->indirect && d->indirect->bo ? kmd_bo_map(d->indirect->bo) : NULL;
    memcpy(count, d->workgroups, sizeof d->workgroups);
    if (map && d->indirect->size_B >= sizeof d->workgroups &&
        d->indirect_offset_B <= d->indirect->size_B - sizeof d->workgroups)
        memcpy(count, map + d->indirect->offset_B + d->indirect_offset_B, sizeof d->workgroups);
}

static void count_runs(const struct vc4vk_dispatch *d, const struct run *r)
{
    struct vc4vk_counts counts = {{0}};
    uint64_t runs = 1;
    for (uint32_t i = 0; i < 3; i++)
        runs *= (uint64_t)r->count[i] * r->program->local_size[i];
    counts.statistics[VC4VK_STATISTIC_COMPUTE_RUNS] = runs;
    vc4vk_counted_add(d->counted, &counts);
}

static VkResult issue(const struct vc4vk_dispatch *d)
{
    const struct vc4vk_variant_program *program = &d->variant->programs[0];
    uint32_t count[3];
    if (!vc4vk_condition_holds(d->condition))
        return VK_SUCCESS;
    read_counts(d, count);
    if (!count[0] || !count[1] || !count[2])
        return VK_SUCCESS;
    struct run *r = calloc(1, sizeof *r); /* callbacks of the application must not be called from here */
    if (!r)
        return vc4vk_oom(d->device);
    r->dispatch = d;
    r->program = &program->program->compiled;
    r->code = program->program->shader->engine_bo;
    r->tables = vc4vk_program_tables(program->program);
    r->descriptors = (struct vc4vk_program_descriptors){r->program, d->pool, &d->table, program->first_slot};
    memcpy(r->count, count, sizeof count);
    r->left_ns = d->records ? *d->records->left_ns : util_engine_hang_limit_ns();
    vc4vk_bo_table_init(&r->bos, NULL);
    VkResult result = prepare(r);
    if (result == VK_SUCCESS)
        result = run_all(r);
    if (result == VK_SUCCESS)
        result = decode_stored(r);
    if (d->records)
        *d->records->left_ns = r->left_ns;
    if (result == VK_SUCCESS && d->counted)
        count_runs(d, r);
    vc4vk_bo_table_finish(&r->bos);
    give_back_memory(r);
    free(r->requests);
    free(r);
    return result;
}

/* With descriptors in descriptor buffers that are read now. */
static VkResult read_and_issue(const struct vc4vk_dispatch *recorded)
{
    struct vc4vk_dispatch d = *recorded;
    struct vc4vk_issue_descriptors descriptors;
    struct util_arena arena;
    util_arena_init(&arena, NULL);
    VkResult result = vc4vk_issue_descriptors_init(&descriptors, d.device, &arena);
    if (result == VK_SUCCESS)
        result = vc4vk_issue_descriptors_read(&descriptors, d.sets, &d.variant, &d.table);
    if (result == VK_SUCCESS)
        result = issue(&d);
    vc4vk_issue_descriptors_finish(&descriptors);
    util_arena_finish(&arena);
    return result;
}

VkResult vc4vk_issue_dispatch(void *arguments)
{
    const struct vc4vk_dispatch *d = arguments;
    return d->sets ? read_and_issue(d) : issue(d);
}
