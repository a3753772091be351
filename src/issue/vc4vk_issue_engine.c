/* SPDX-License-Identifier: MIT
 *
 * Jobs on the CPU engine (docs/cpu-engine.md). The lists are the same as for the chip, but programs lie in ordinary
 * memory, and words that the kernel would relocate contain addresses. Uniform streams lie in fresh memory, next to the
 * push constants, binding tables and descriptors that programs read.
 */
#include <string.h>
#include "device/vc4vk_device.h"
#include "issue/vc4vk_issue_private.h"

uint32_t vc4vk_issue_engine_addr(struct vc4vk_issue *issue, struct kmd_bo *bo)
{
    uint32_t addr = VC4C_ENGINE_NULL;
    if (!bo)
        return addr;
    if (kmd_bo_engine_addr(bo, &addr)) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_DEVICE_MEMORY);
        return VC4C_ENGINE_NULL;
    }
    vc4vk_issue_bo_index(issue, bo);
    return addr;
}

static uint32_t take(uint32_t *size_B, uint32_t more_B)
{
    uint32_t at_B = *size_B;
    *size_B += util_align(more_B, 16);
    return at_B;
}

/* Adds an image of blocks that programs may store to. */
static void note_blocks(struct vc4vk_issue *issue, const struct vc4vk_view_state *view)
{
    const struct vc4vk_view_state *const *noted = (const void *)issue->engine->blocks.data;
    for (uint32_t i = 0; i < issue->engine->blocks.size_B / sizeof *noted; i++)
        if (noted[i] == view)
            return;
    const struct vc4vk_view_state **out = (void *)vc4vk_bytes_append(&issue->engine->blocks, sizeof *out);
    if (out)
        *out = view;
    else
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
}

static void write_descriptors(struct vc4vk_issue *issue, const struct vc4vk_program_descriptors *d,
                              const uint32_t *first_entry, uint32_t *entries, uint8_t *states)
{
    const uint32_t first_slot = d->first_slot + d->program->buffer_count + 2 * d->program->texture_count;
    const uint32_t stride_B = vc4vk_program_descriptor_B(d->program);
    for (uint32_t n = 0; n < d->program->resource_count; n++) {
        const struct vc4c_resource *resource = &d->program->resources[n];
        const uint32_t first = first_entry[n], end = first + vc4vk_resource_slot_count(resource);
        for (uint32_t i = first; i < end; i++) {
            const struct vc4vk_surface_state *state = vc4vk_binding_table_resolve(d->pool, d->table, first_slot + i);
            entries[i] = i * stride_B;
            if (state->kind == VC4VK_STATE_VIEW && state->view.blocks)
                note_blocks(issue, &state->view);
            vc4vk_program_descriptor_write(
                resource, state, vc4vk_issue_engine_addr(issue, vc4vk_surface_state_bo(state)), states + i * stride_B);
        }
    }
}

static void use_addressed(void *data, struct kmd_bo *bo)
{
    uint32_t addr;
    if (!kmd_bo_engine_addr(bo, &addr))
        vc4vk_issue_bo_index(data, bo);
}

/* Adds all memory that programs may find addresses of, in memory or in descriptors in memory of sets. */
static void use_addressed_memory(struct vc4vk_issue *issue, bool by_descriptors)
{
    const bool has = by_descriptors ? issue->has_all_memory : issue->has_all_memory || issue->has_addressed_memory;
    if (!has)
        vc4vk_addressed_memory_for_each(issue->job->device, !by_descriptors, use_addressed, issue);
    issue->has_addressed_memory = issue->engine->uses_addresses = true;
    issue->has_all_memory |= by_descriptors;
}

/* The address of the program's print memory in this job. VC4C_ENGINE_NULL if it prints nothing, or after a failure. */
static uint32_t print_memory(struct vc4vk_issue *issue, const struct vc4c_program *program)
{
    struct vc4vk_bytes *prints = &issue->engine->prints;
    const struct vc4vk_issue_print *made = (const void *)prints->data;
    struct vc4vk_issue_memory memory;
    if (!program->print_count)
        return VC4C_ENGINE_NULL;
    for (uint32_t i = 0; i < prints->size_B / sizeof *made; i++)
        if (made[i].program == program)
            return made[i].addr;
    if (!vc4vk_issue_fresh(issue, VC4C_PRINT_MEMORY_B, &memory))
        return VC4C_ENGINE_NULL;
    memset(memory.map, 0, VC4C_PRINT_MEMORY_B);
    struct vc4vk_issue_print *print = (void *)vc4vk_bytes_append(prints, sizeof *print);
    if (!print) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
        return VC4C_ENGINE_NULL;
    }
    *print =
        (struct vc4vk_issue_print){program, memory.map, vc4vk_issue_engine_addr(issue, memory.bo) + memory.offset_B};
    return print->addr;
}

bool vc4vk_issue_engine_program(struct vc4vk_issue *issue, const struct vc4vk_program_descriptors *descriptors,
                                const struct vc4vk_draw_state *state, uint32_t words, uint32_t **stream_out,
                                struct vc4vk_issue_engine_program *out)
{
    const struct vc4c_program *p = descriptors->program;
    struct vc4vk_issue_memory memory;
    uint32_t size_B = 0, entry_count = 0, stream_B = take(&size_B, words * 4 + 4), push_B = 0, entries_B = 0,
             states_B = 0;
    for (uint32_t i = 0; p->is_engine && i < p->resource_count; i++) {
        out->first_entry[i] = entry_count;
        entry_count += vc4vk_resource_slot_count(&p->resources[i]);
    }
    if (p->is_engine) {
        push_B = take(&size_B, VC4VK_MAX_PUSH_B);
        entries_B = take(&size_B, 4 * entry_count);
        states_B = take(&size_B, entry_count * vc4vk_program_descriptor_B(p));
    }
    if (p->uses_addresses || p->uses_set_memory)
        use_addressed_memory(issue, p->uses_set_memory);
    out->print_addr = print_memory(issue, p);
    if (!vc4vk_issue_fresh(issue, size_B, &memory))
        return false;
    const uint32_t addr = vc4vk_issue_engine_addr(issue, issue->fresh_bo) + memory.offset_B;
    uint8_t *map = memory.map;
    if (p->is_engine) {
        memcpy(map + push_B, state->push, VC4VK_MAX_PUSH_B);
        write_descriptors(issue, descriptors, out->first_entry, (void *)(map + entries_B), map + states_B);
    }
    *stream_out = (uint32_t *)(void *)(map + stream_B);
    out->stream_addr = addr + stream_B;
    out->push_addr = addr + push_B;
    out->entries_addr = addr + entries_B;
    out->states_addr = addr + states_B;
    return issue->result == VK_SUCCESS;
}

bool vc4vk_issue_engine_word(const struct vc4vk_issue *issue, const struct vc4vk_issue_engine_program *program,
                             const struct vc4c_uniform *u, uint32_t *out)
{
    switch ((enum vc4c_uniform_kind)u->kind) {
    case VC4C_UNIFORM_STREAM_ADDRESS:
        *out = program->stream_addr;
        return true;
    case VC4C_UNIFORM_ENGINE_ENTRY:
        *out = program->entries_addr + 4 * program->first_entry[u->ref];
        return true;
    case VC4C_UNIFORM_ENGINE_STATES:
        *out = program->states_addr;
        return true;
    case VC4C_UNIFORM_ENGINE_PUSH:
        *out = program->push_addr;
        return true;
    case VC4C_UNIFORM_ENGINE_MEMORY:
        *out = kmd_engine_memory_addr(issue->job->device->kmd);
        return true;
    case VC4C_UNIFORM_ENGINE_SCRATCH:
        *out = issue->engine->scratch_addr + u->data;
        return true;
    case VC4C_UNIFORM_ENGINE_SCRATCH_B:
        *out = issue->engine->scratch_B;
        return true;
    case VC4C_UNIFORM_ENGINE_COLOR: /* word 0 is in the tile buffer */
        *out = issue->engine->color_addr[u->data + 1];
        return true;
    case VC4C_UNIFORM_ENGINE_COLOR_PITCH:
        *out = issue->engine->color_pitch_B[u->data + 1];
        return true;
    case VC4C_UNIFORM_ENGINE_PRINT:
        *out = program->print_addr;
        return true;
    case VC4C_UNIFORM_ENGINE_VERTICES:
        *out = issue->vertices_addr;
        return true;
    default:
        return false;
    }
}

void vc4vk_issue_engine_colors(struct vc4vk_issue *issue, const struct vc4vk_stored_colors *stored)
{
    for (uint32_t i = 0; i < VC4VK_MAX_REPLAYS && stored; i++) {
        issue->engine->color_addr[i] = vc4vk_issue_engine_addr(issue, stored->words[i].bo);
        issue->engine->color_pitch_B[i] = stored->words[i].stride_B;
    }
}

void vc4vk_issue_engine_keep(struct vc4vk_issue *issue, uint32_t addr, uint32_t size_B)
{
    struct kmd_engine_range *kept = (void *)vc4vk_bytes_append(&issue->engine->kept, sizeof *kept);
    if (kept)
        *kept = (struct kmd_engine_range){addr, size_B};
    else
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
}

void vc4vk_issue_engine_vertices(struct vc4vk_issue *issue, const struct vc4vk_record *record,
                                 const struct vc4vk_issue_range *range)
{
    const uint32_t vertex_B = record->vertex->programs[0].program->compiled.vertex_results_B;
    const uint32_t count = range->max_index + 1;
    struct vc4vk_issue_memory memory;
    issue->vertices_addr = VC4C_ENGINE_NULL;
    if (!vertex_B || !vc4vk_issue_fresh(issue, vertex_B * count, &memory))
        return;
    issue->vertices_addr = vc4vk_issue_engine_addr(issue, issue->fresh_bo) + memory.offset_B;
    vc4vk_issue_engine_keep(issue, issue->vertices_addr, vertex_B * count);
}
