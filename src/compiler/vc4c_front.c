/* SPDX-License-Identifier: MIT
 *
 * The part of the compiler that all programs of a stage share: modules, interfaces, and the optimised IR from which
 * programs are compiled.
 *
 * A front owns one arena with a size limit, which stops hostile modules. When memory runs out, the code longjmps back
 * to this file.
 */
#include <string.h>
#include "compiler/ir/ir_pass.h"
#include "compiler/lower/lower.h"
#include "compiler/spirv/spv.h"
#include "compiler/vc4c_front.h"
#include "compiler/vc4c_ir.h"

/* ---------------------------------------------------------------- modules */

enum vc4c_result vc4c_module_create(const uint32_t *words, size_t size_B, const struct util_alloc *alloc,
                                    struct vc4c_module **out, struct vc4c_error *error)
{
    if (size_B % 4 || size_B > UINT32_MAX || !size_B)
        return spv_error(error, VC4C_INVALID, 0,
                         "a module of %zu bytes, the size must be a multiple of 4 above 0 and below 4 GiB", size_B);
    struct vc4c_module *m = util_alloc_get(alloc, sizeof *m);
    uint32_t *copy = util_alloc_get(alloc, size_B);
    if (!m || !copy) {
        util_alloc_put(alloc, m);
        util_alloc_put(alloc, copy);
        return spv_error(error, VC4C_OUT_OF_MEMORY, 0, "out of memory");
    }
    memcpy(copy, words, size_B);
    *m = (struct vc4c_module){.alloc = alloc, .words = copy, .word_count = (uint32_t)(size_B / 4)};
    enum vc4c_result result = spv_read(m, error);
    if (!result)
        result = spv_check_module(m, error);
    if (result)
        vc4c_module_destroy(m);
    else
        *out = m;
    return result;
}

void vc4c_module_destroy(struct vc4c_module *m)
{
    if (!m)
        return;
    util_alloc_put(m->alloc, m->defs);
    util_alloc_put(m->alloc, m->ids);
    util_alloc_put(m->alloc, m->words);
    util_alloc_put(m->alloc, m);
}

/* ---------------------------------------------------------------- from SPIR-V to optimised IR */

static enum vc4c_program_kind kind_of(const struct vc4c_entry *entry)
{
    return entry->stage == VC4C_STAGE_VERTEX && !entry->writes_records ? VC4C_PROGRAM_VERTEX
           : entry->stage == VC4C_STAGE_FRAGMENT                       ? VC4C_PROGRAM_FRAGMENT
                                                                       : VC4C_PROGRAM_COMPUTE;
}

struct read_job {
    struct vc4c_front *front;
    const struct vc4c_entry *entry;
    struct vc4c_error *error;
    enum vc4c_result result;
};

static void read_stage(void *data)
{
    struct read_job *job = data;
    struct vc4c_front *front = job->front;
    job->result = spv_to_ir(job->entry, kind_of(job->entry), &front->arena, &front->shader, job->error);
    if (job->result)
        return;
    /* The reader checks operands one by one. Only ir_validate finds uses that their definitions do not dominate. */
    const char *message = ir_validate(front->shader, false);
    if (message) {
        job->result = spv_error(job->error, VC4C_INVALID, 0, "%s", message);
        return;
    }
    ir_pass_done(front->shader, "spv_to_ir", true);
    ir_optimise(front->shader);
    front->shader->robustness = job->entry->robustness;
    front->shader->depth_is_input = job->entry->depth_is_input;
    front->shader->clamps_depth = job->entry->clamps_depth;
    front->shader->two_stencils = job->entry->two_stencils;
    front->shader->targets = job->entry->targets;
    front->shader->is_smooth = job->entry->is_smooth;
    front->shader->stipples = job->entry->stipples;
    ir_collect_inputs(front->shader);
    ir_renumber(front->shader);
}

bool vc4c_guarded(struct util_arena *arena, void (*run)(void *data), void *data)
{
    jmp_buf oom, *outer = arena->on_oom;
    arena->limit_B = VC4C_MAX_ARENA_B;
    arena->on_oom = &oom;
    if (setjmp(oom)) {
        arena->on_oom = outer;
        return false;
    }
    run(data);
    arena->on_oom = outer;
    return true;
}

enum vc4c_result vc4c_front_create(const struct vc4c_entry *entry, const struct util_alloc *alloc,
                                   struct vc4c_front **out, struct vc4c_error *error)
{
    struct vc4c_front *front = util_alloc_get(alloc, sizeof *front);
    if (!front)
        return spv_error(error, VC4C_OUT_OF_MEMORY, 0, "out of memory");
    *front = (struct vc4c_front){.alloc = alloc, .stage = entry->stage};
    util_arena_init(&front->arena, alloc);
    struct read_job job = {front, entry, error, VC4C_OK};
    if (!vc4c_guarded(&front->arena, read_stage, &job))
        job.result = spv_error(error, VC4C_OUT_OF_MEMORY, 0, "out of memory");
    if (job.result)
        vc4c_front_destroy(front);
    else
        *out = front;
    return job.result;
}

void vc4c_front_destroy(struct vc4c_front *front)
{
    if (!front)
        return;
    util_arena_finish(&front->arena);
    util_alloc_put(front->alloc, front);
}

/* ---------------------------------------------------------------- interfaces */

static void gather_builtin_store(struct vc4c_interface *out, const struct ir_instr *instr)
{
    if (instr->src[0].def->op == IR_UNDEF)
        return;
    if (instr->imm == SpvBuiltInPointSize)
        out->writes_point_size = true;
    if (instr->imm == SpvBuiltInFragDepth)
        out->writes_depth = true;
}

static void gather_record_word(struct vc4c_interface *out, uint32_t word)
{
    if (word < VC4C_RECORD_WORDS)
        out->record_words[word / 32] |= BIT(word % 32);
}

static void gather_output_store(struct vc4c_interface *out, enum vc4c_stage stage, const struct ir_instr *instr)
{
    if (stage == VC4C_STAGE_FRAGMENT)
        out->color_output_mask |= BIT(instr->imm & 31);
    else if (instr->imm == VC4C_TARGET_LOCATION && instr->imm2 < VC4C_TARGET_PRIMITIVE)
        out->targets |= (uint8_t)BIT(instr->imm2);
    else if (instr->imm >= IR_CLIP_LOCATION && instr->imm != VC4C_TARGET_LOCATION)
        *(instr->imm < IR_CULL_LOCATION ? &out->clip_distances : &out->cull_distances) |=
            (uint8_t)BIT(4 * (instr->imm - (instr->imm < IR_CULL_LOCATION ? IR_CLIP_LOCATION : IR_CULL_LOCATION)) +
                         instr->imm2);
}

static void gather(struct vc4c_interface *out, enum vc4c_stage stage, const struct ir_shader *shader,
                   const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_LOAD_INPUT:
        out->sample_shading |= shader->interpolation[instr->imm][instr->imm2].sample;
        if (stage == VC4C_STAGE_VERTEX && instr->imm < VC4C_MAX_APPLICATION_ATTRIBUTES) {
            out->attribute_mask |= BIT(instr->imm);
            out->attribute_components[instr->imm] |= (uint8_t)BIT(instr->imm2);
        }
        break;
    case IR_LOAD_BUILTIN:
        out->uses_vertex_index |= instr->imm == SpvBuiltInVertexIndex;
        out->uses_instance_index |= instr->imm == SpvBuiltInInstanceIndex;
        out->sample_shading |= instr->imm == SpvBuiltInSampleId || instr->imm == SpvBuiltInSamplePosition;
        break;
    case IR_STORE_BUILTIN:
        gather_builtin_store(out, instr);
        if (shader->writes_records && instr->src[0].def->op != IR_UNDEF)
            gather_record_word(out, ir_record_word_of(instr));
        break;
    case IR_STORE_RECORD:
        if (instr->src[1].def->op != IR_UNDEF)
            gather_record_word(out, instr->imm);
        break;
    case IR_STORE_OUTPUT:
        if (instr->src[0].def->op != IR_UNDEF)
            gather_output_store(out, stage, instr);
        if (shader->writes_records && instr->src[0].def->op != IR_UNDEF)
            gather_record_word(out, ir_record_word_of(instr));
        break;
    case IR_DISCARD:
        out->uses_discard = true;
        break;
    case IR_ENGINE_STORE:
    case IR_ENGINE_ATOMIC:
        /* mesh stages store to the memory of their workgroup */
        out->has_side_effects |= !vc4c_is_mesh_stage(stage) || shader->stores_outside;
        break;
    default:
        break;
    }
}

void vc4c_front_interface(const struct vc4c_front *front, struct vc4c_interface *out)
{
    struct ir_shader *shader = front->shader;
    memset(out, 0, sizeof *out);
    ir_for_each_block(block, shader)
        ir_for_each_instr(instr, block)
            gather(out, front->stage, shader, instr);
    if (front->stage == VC4C_STAGE_FRAGMENT) {
        out->orders_pixels = shader->orders_pixels;
        memcpy(out->inputs, shader->inputs, sizeof out->inputs);
        out->input_count = shader->input_count;
    }
    memcpy(out->textures, shader->textures, sizeof out->textures);
    out->texture_count = shader->texture_count;
    memcpy(out->resources, shader->resources, sizeof out->resources);
    out->resource_count = shader->resource_count;
    memcpy(out->local_size, shader->local_size, sizeof out->local_size);
    out->geometry = shader->geometry;
    out->tessellation = shader->tessellation;
    out->mesh = shader->mesh;
    for (uint32_t i = 0; i < VC4C_RECORD_MASKS; i++)
        out->record_words[i] |= shader->mesh_words[i];
    out->capture = shader->capture;
}

enum vc4c_result vc4c_get_interface(const struct vc4c_entry *entry, const struct util_alloc *alloc,
                                    struct vc4c_interface *out, struct vc4c_error *error)
{
    struct vc4c_front *front;
    enum vc4c_result result = vc4c_front_create(entry, alloc, &front, error);
    if (result) {
        memset(out, 0, sizeof *out);
        return result;
    }
    vc4c_front_interface(front, out);
    vc4c_front_destroy(front);
    return VC4C_OK;
}

void vc4c_find_outputs(const struct vc4c_entry *entry, struct util_arena *arena, uint8_t stored[IR_MAX_LOCATIONS])
{
    struct vc4c_front *front;
    if (vc4c_front_create(entry, arena->alloc, &front, NULL))
        return;
    ir_for_each_block(block, front->shader)
        ir_for_each_instr(instr, block)
            if (instr->op == IR_STORE_OUTPUT && instr->src[0].def->op != IR_UNDEF)
                stored[instr->imm] |= (uint8_t)BIT(instr->imm2);
    vc4c_front_destroy(front);
}
