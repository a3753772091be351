/* SPDX-License-Identifier: MIT
 *
 * The compiler from end to end: modules, interfaces, programs.
 *
 * Everything of one call lives in one arena; a lack of memory jumps back here, and hostile modules meet its limit.
 */
#include <string.h>
#include <time.h>
#include "compiler/lower/lower.h"
#include "compiler/qpu/qc.h"
#include "compiler/spirv/spv.h"
#include "compiler/vc4c_ir.h"

#define MAX_ARENA_B ((size_t)512 << 20)

/* ---------------------------------------------------------------- modules */

enum vc4c_result vc4c_module_create(const uint32_t *words, size_t size_B, const struct util_alloc *alloc,
                                    struct vc4c_module **out, struct vc4c_error *error)
{
    if (size_B % 4 || size_B > UINT32_MAX || !size_B)
        return spv_error(error, VC4C_INVALID, 0, "a module of %zu bytes", size_B);
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
    util_alloc_put(m->alloc, m->words);
    util_alloc_put(m->alloc, m);
}

/* ---------------------------------------------------------------- from SPIR-V to optimised IR */

/* The same for every program of a stage: interfaces and keys rely on that. */
static enum vc4c_result front(const struct vc4c_entry *entry, enum vc4c_program_kind kind, struct util_arena *arena,
                              struct ir_shader **out, struct vc4c_error *error)
{
    struct ir_shader *shader;
    enum vc4c_result result = spv_to_ir(entry, kind, arena, &shader, error);
    if (result)
        return result;
    /* The reader checks operands one by one; that definitions dominate their uses shows only here. */
    const char *message = ir_validate(shader, false);
    if (message)
        return spv_error(error, VC4C_INVALID, 0, "%s", message);
    ir_pass_done(shader, "spv_to_ir", true);
    ir_optimise(shader);
    ir_collect_inputs(shader);
    *out = shader;
    return VC4C_OK;
}

static enum vc4c_program_kind kind_of(enum vc4c_stage stage)
{
    return stage == VC4C_STAGE_VERTEX     ? VC4C_PROGRAM_VERTEX
           : stage == VC4C_STAGE_FRAGMENT ? VC4C_PROGRAM_FRAGMENT
                                          : VC4C_PROGRAM_COMPUTE;
}

/* ---------------------------------------------------------------- interfaces */

static void note_builtin_store(struct vc4c_interface *out, const struct ir_instr *instr)
{
    if (instr->src[0].def->op == IR_UNDEF)
        return;
    if (instr->imm == SpvBuiltInPointSize)
        out->writes_point_size = true;
    if (instr->imm == SpvBuiltInFragDepth)
        out->writes_depth = true;
}

static void note_output_store(struct vc4c_interface *out, enum vc4c_stage stage, const struct ir_instr *instr)
{
    if (stage == VC4C_STAGE_FRAGMENT)
        out->color_output_mask |= BIT(instr->imm & 31);
    else if (instr->imm >= IR_CLIP_LOCATION)
        out->clip_distances |= (uint8_t)BIT(4 * (instr->imm - IR_CLIP_LOCATION) + instr->imm2);
}

static void note(struct vc4c_interface *out, enum vc4c_stage stage, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_LOAD_INPUT:
        if (stage == VC4C_STAGE_VERTEX && instr->imm < VC4C_MAX_ATTRIBUTES) {
            out->attribute_mask |= BIT(instr->imm);
            out->attribute_components[instr->imm] |= (uint8_t)BIT(instr->imm2);
        }
        break;
    case IR_LOAD_BUILTIN:
        out->uses_vertex_index |= instr->imm == SpvBuiltInVertexIndex;
        out->uses_instance_index |= instr->imm == SpvBuiltInInstanceIndex;
        break;
    case IR_STORE_BUILTIN:
        note_builtin_store(out, instr);
        break;
    case IR_STORE_OUTPUT:
        if (instr->src[0].def->op != IR_UNDEF)
            note_output_store(out, stage, instr);
        break;
    case IR_DISCARD:
        out->uses_discard = true;
        break;
    case IR_ENGINE_STORE:
    case IR_ENGINE_ATOMIC:
        out->has_side_effects = true;
        break;
    default:
        break;
    }
}

static void fill_interface(struct ir_shader *shader, enum vc4c_stage stage, struct vc4c_interface *out)
{
    ir_for_each_block(block, shader)
        ir_for_each_instr(instr, block)
            note(out, stage, instr);
    if (stage == VC4C_STAGE_FRAGMENT) {
        memcpy(out->inputs, shader->inputs, sizeof out->inputs);
        out->input_count = shader->input_count;
    }
    memcpy(out->textures, shader->textures, sizeof out->textures);
    out->texture_count = shader->texture_count;
    memcpy(out->resources, shader->resources, sizeof out->resources);
    out->resource_count = shader->resource_count;
    memcpy(out->local_size, shader->local_size, sizeof out->local_size);
}

enum vc4c_result vc4c_get_interface(const struct vc4c_entry *entry, const struct util_alloc *alloc,
                                    struct vc4c_interface *out, struct vc4c_error *error)
{
    struct util_arena arena;
    struct ir_shader *shader;
    jmp_buf oom;
    enum vc4c_result result;
    util_arena_init(&arena, alloc);
    arena.limit_B = MAX_ARENA_B;
    arena.on_oom = &oom;
    memset(out, 0, sizeof *out);
    if (setjmp(oom) == 0) {
        result = front(entry, kind_of(entry->stage), &arena, &shader, error);
        if (!result)
            fill_interface(shader, entry->stage, out);
    } else {
        result = spv_error(error, VC4C_OUT_OF_MEMORY, 0, "out of memory");
    }
    util_arena_finish(&arena);
    return result;
}

/* ---------------------------------------------------------------- programs */

static enum vc4c_result lower_stage(struct ir_shader *shader, const struct vc4c_key *key, struct vc4c_error *error)
{
    enum vc4c_result result;
    if (shader->kind == VC4C_PROGRAM_COMPUTE)
        return ir_lower_engine(shader, error);
    if (key->target == VC4C_TARGET_CHIP && ir_needs_engine(shader))
        return spv_error(error, VC4C_DOES_NOT_FIT, 0, "stores and atomics: the program is one for the CPU engine");
    if (shader->kind == VC4C_PROGRAM_FRAGMENT) {
        shader->primitive = key->fs.primitive;
        result = ir_lower_fs_inputs(shader, error);
        return result ? result : ir_lower_fs_outputs(shader, &key->fs, error);
    }
    ir_lower_vs_side_effects(shader);
    result = ir_lower_vs_outputs(shader, &key->vs, error);
    if (result)
        return result;
    ir_optimise(shader); /* attributes that only varyings read are not loaded by coordinate programs */
    return ir_lower_attributes(shader, &key->vs, error);
}

static enum vc4c_result lower(struct ir_shader *shader, const struct vc4c_key *key, struct vc4c_error *error)
{
    shader->is_engine = shader->kind == VC4C_PROGRAM_COMPUTE || key->target == VC4C_TARGET_CPU_ENGINE;
    enum vc4c_result result = lower_stage(shader, key, error);
    if (!result)
        result = ir_lower_buffers(shader, error);
    if (!result)
        result = ir_lower_tex(shader, key, error);
    if (result)
        return result;
    ir_pass_done(shader, "lowering of inputs, outputs, buffers and textures", true);
    ir_optimise(shader);
    ir_pass_done(shader, "ir_hoist_uniforms", ir_hoist_uniforms(shader));
    ir_optimise(shader);
    ir_lower_int(shader);
    ir_lower_math(shader);
    ir_pass_done(shader, "ir_lower_math", true);
    ir_optimise(shader);
    ir_pass_done(shader, "ir_opt_invariant", ir_opt_invariant(shader));
    ir_lower_loop_exits(shader);
    ir_pass_done(shader, "ir_lower_loop_exits", true);
    ir_lower_dead_lanes(shader);
    const char *message = ir_validate(shader, true);
    ir_renumber(shader);
    return message ? spv_error(error, VC4C_INVALID, 0, "%s", message) : VC4C_OK;
}

enum vc4c_result vc4c_compile_to_ir(const struct vc4c_entry *entry, enum vc4c_program_kind kind,
                                    const struct vc4c_key *key, struct util_arena *arena, struct ir_shader **out,
                                    struct vc4c_error *error)
{
    enum vc4c_result result = front(entry, kind, arena, out, error);
    return result ? result : lower(*out, key, error);
}

void vc4c_find_outputs(const struct vc4c_entry *entry, struct util_arena *arena, uint8_t stored[IR_MAX_LOCATIONS])
{
    struct ir_shader *shader;
    if (front(entry, kind_of(entry->stage), arena, &shader, NULL))
        return;
    ir_for_each_block(block, shader)
        ir_for_each_instr(instr, block)
            if (instr->op == IR_STORE_OUTPUT && instr->src[0].def->op != IR_UNDEF)
                stored[instr->imm] |= (uint8_t)BIT(instr->imm2);
}

static void copy_tables(const struct ir_shader *shader, struct vc4c_program *out)
{
    memcpy(out->textures, shader->textures, sizeof out->textures);
    out->texture_count = shader->texture_count;
    memcpy(out->buffers, shader->buffers, sizeof out->buffers);
    out->buffer_count = shader->buffer_count;
    memcpy(out->resources, shader->resources, sizeof out->resources);
    out->resource_count = shader->resource_count;
    memcpy(out->attributes, shader->attributes, sizeof out->attributes);
    out->attribute_count = shader->attribute_count;
    out->attribute_size_B = shader->attribute_size_B;
    memcpy(out->inputs, shader->inputs, sizeof out->inputs);
    out->input_count = shader->input_count;
    for (uint32_t i = 0; i < shader->input_count && i < 32; i++)
        out->flat_mask |= (uint32_t)shader->inputs[i].flat << i;
    out->reads_color = shader->reads_color;
    out->writes_z_late = shader->writes_z_late;
}

static uint32_t elapsed_us(const struct timespec *since)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((now.tv_sec - since->tv_sec) * 1000000 + (now.tv_nsec - since->tv_nsec) / 1000);
}

enum vc4c_result vc4c_compile(const struct vc4c_entry *entry, enum vc4c_program_kind kind, const struct vc4c_key *key,
                              const struct util_alloc *alloc, struct vc4c_program *out, struct vc4c_error *error)
{
    struct util_arena arena;
    struct ir_shader *shader;
    struct timespec start;
    jmp_buf oom;
    enum vc4c_result result;
    clock_gettime(CLOCK_MONOTONIC, &start);
    util_arena_init(&arena, alloc);
    arena.limit_B = MAX_ARENA_B;
    arena.on_oom = &oom;
    if (setjmp(oom) == 0) {
        result = vc4c_compile_to_ir(entry, kind, key, &arena, &shader, error);
        if (!result)
            result = qc_compile(shader, alloc, out, error);
        if (!result)
            copy_tables(shader, out);
    } else {
        result = spv_error(error, VC4C_OUT_OF_MEMORY, 0, "out of memory");
    }
    util_arena_finish(&arena);
    if (!result)
        out->stats.compile_us = elapsed_us(&start);
    return result;
}

void vc4c_program_finish(struct vc4c_program *program)
{
    util_alloc_put(program->alloc, program->code);
    util_alloc_put(program->alloc, program->uniforms);
    util_alloc_put(program->alloc, program->lookups);
    util_alloc_put(program->alloc, program->sites);
    util_alloc_put(program->alloc, program->exprs);
    memset(program, 0, sizeof *program);
}
