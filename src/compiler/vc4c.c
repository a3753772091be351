/* SPDX-License-Identifier: MIT
 *
 * Compiles the IR of a stage to programs: runs the lowering passes in order, then the back end.
 *
 * Everything of one program lives in one arena with a size limit, which stops hostile modules. When memory runs out,
 * the compilation longjmps back to this file.
 */
#include <string.h>
#include <time.h>
#include "compiler/lower/lower.h"
#include "compiler/qpu/qc.h"
#include "compiler/spirv/spv.h"
#include "compiler/vc4c_front.h"
#include "compiler/vc4c_ir.h"
#include "util/debug.h"

/* ---------------------------------------------------------------- programs */

/* Refuses what no program of the chip can do. */
static enum vc4c_result check_fits(struct ir_shader *shader, const struct vc4c_key *key, struct vc4c_error *error)
{
    const uint32_t varyings = shader->kind == VC4C_PROGRAM_FRAGMENT ? shader->input_count
                              : shader->kind == VC4C_PROGRAM_VERTEX ? key->vs.output_count
                                                                    : 0;
    if (ir_needs_engine(shader) || key->stored_count)
        return spv_error(error, VC4C_DOES_NOT_FIT, 0,
                         "stores, atomics or scratch memory, which only the CPU engine supports");
    if (varyings > VC4C_CHIP_SLOTS)
        return spv_error(error, VC4C_DOES_NOT_FIT, 0,
                         "%u varyings, the chip supports %u; only the CPU engine supports more", varyings,
                         VC4C_CHIP_SLOTS);
    return VC4C_OK;
}

static enum vc4c_result lower_stage(struct ir_shader *shader, const struct vc4c_key *key, struct vc4c_error *error)
{
    enum vc4c_result result;
    if (shader->kind == VC4C_PROGRAM_COMPUTE) {
        result = shader->writes_records ? ir_lower_records(shader, error) : VC4C_OK;
        return result ? result : ir_lower_engine(shader, error);
    }
    result = key->target == VC4C_TARGET_CHIP ? check_fits(shader, key, error) : VC4C_OK;
    if (result)
        return result;
    if (shader->kind == VC4C_PROGRAM_FRAGMENT) {
        shader->primitive = key->fs.primitive;
        result = ir_lower_fs_inputs(shader, &key->fs, error);
        return result ? result : ir_lower_fs_outputs(shader, key, error);
    }
    const bool stores = ir_lower_vs_side_effects(shader);
    result = ir_lower_vs_outputs(shader, &key->vs, stores, error);
    if (result)
        return result;
    ir_optimise(shader); /* so that coordinate programs do not load attributes that only varyings read */
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
    ir_lower_tables(shader);
    ir_pass_done(shader, "lowering of inputs, outputs, buffers, textures and tables", true);
    ir_optimise(shader);
    bool hoisted = !util_debug(UTIL_DEBUG_PLAIN) && ir_hoist_uniforms(shader);
    ir_pass_done(shader, "ir_hoist_uniforms", hoisted);
    if (hoisted)
        ir_optimise(shader);
    bool lowered = ir_lower_int(shader);
    lowered |= ir_lower_math(shader);
    shader->lowered = true;
    ir_pass_done(shader, "ir_lower_math", lowered);
    if (lowered)
        ir_optimise(shader);
    if (!util_debug(UTIL_DEBUG_PLAIN))
        ir_pass_done(shader, "ir_opt_invariant", ir_opt_invariant(shader));
    ir_lower_loop_exits(shader);
    ir_pass_done(shader, "ir_lower_loop_exits", true);
    ir_lower_dead_lanes(shader);
    ir_pass_done(shader, "ir_pop_varyings", ir_pop_varyings(shader));
    const char *message = ir_validate(shader, true);
    ir_renumber(shader);
    return message ? spv_error(error, VC4C_INVALID, 0, "%s", message) : VC4C_OK;
}

/* Processor time of this thread, so that other load on the machine does not count. */
static uint32_t elapsed_us(const struct timespec *since)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint32_t)((now.tv_sec - since->tv_sec) * 1000000 + (now.tv_nsec - since->tv_nsec) / 1000);
}

struct compile_job {
    struct vc4c_front *front;
    enum vc4c_program_kind kind;
    const struct vc4c_key *key;
    struct util_arena *arena;
    struct ir_shader *shader; /* out: lowered, in the arena */
    struct vc4c_program *out;
    struct vc4c_error *error;
    enum vc4c_result result;
};

static void lower_copy(void *data)
{
    struct compile_job *job = data;
    job->shader = ir_clone(job->front->shader, job->arena);
    job->shader->kind = job->kind;
    job->result = lower(job->shader, job->key, job->error);
}

/* Copies the calls of printf to the program. */
static enum vc4c_result keep_prints(const struct ir_shader *shader, struct vc4c_program *out, struct vc4c_error *error)
{
    uint32_t text_B = 0;
    if (!shader->print_count)
        return VC4C_OK;
    for (const struct ir_print_call *call = shader->prints; call; call = call->next)
        text_B += (uint32_t)strlen(call->format) + 1;
    out->prints = util_alloc_get(out->alloc, shader->print_count * sizeof *out->prints);
    out->print_text = util_alloc_get(out->alloc, text_B);
    if (!out->prints || !out->print_text) {
        vc4c_program_finish(out);
        return spv_error(error, VC4C_OUT_OF_MEMORY, 0, "out of memory");
    }
    for (const struct ir_print_call *call = shader->prints; call; call = call->next) {
        const uint32_t format_B = (uint32_t)strlen(call->format) + 1;
        out->prints[call->number] = call->print;
        out->prints[call->number].format_B = out->print_text_B;
        memcpy(out->print_text + out->print_text_B, call->format, format_B);
        out->print_text_B += format_B;
    }
    out->print_count = shader->print_count;
    return VC4C_OK;
}

static void compile(void *data)
{
    struct compile_job *job = data;
    lower_copy(job);
    if (!job->result)
        job->result = qc_compile(job->shader, &(struct qc_options){.quick = job->key->quick}, job->arena->alloc,
                                 job->out, job->error);
    if (!job->result)
        job->result = keep_prints(job->front->shader, job->out, job->error);
}

static enum vc4c_result run_job(struct compile_job *job, void (*run)(void *data))
{
    if (!vc4c_guarded(job->arena, run, job))
        job->result = spv_error(job->error, VC4C_OUT_OF_MEMORY, 0, "out of memory");
    return job->result;
}

enum vc4c_result vc4c_front_compile(struct vc4c_front *front, enum vc4c_program_kind kind, const struct vc4c_key *key,
                                    const struct util_alloc *alloc, struct vc4c_program *out, struct vc4c_error *error)
{
    struct util_arena arena;
    struct compile_job job = {.front = front, .kind = kind, .key = key, .arena = &arena, .out = out, .error = error};
    struct timespec start;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    util_arena_init(&arena, alloc);
    enum vc4c_result result = run_job(&job, compile);
    util_arena_finish(&arena);
    if (!result)
        out->stats.compile_us = elapsed_us(&start);
    return result;
}

enum vc4c_result vc4c_compile(const struct vc4c_entry *entry, enum vc4c_program_kind kind, const struct vc4c_key *key,
                              const struct util_alloc *alloc, struct vc4c_program *out, struct vc4c_error *error)
{
    struct vc4c_front *front;
    struct timespec start;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    enum vc4c_result result = vc4c_front_create(entry, alloc, &front, error);
    if (result)
        return result;
    result = vc4c_front_compile(front, kind, key, alloc, out, error);
    vc4c_front_destroy(front);
    if (!result)
        out->stats.compile_us = elapsed_us(&start);
    return result;
}

enum vc4c_result vc4c_compile_to_ir(const struct vc4c_entry *entry, enum vc4c_program_kind kind,
                                    const struct vc4c_key *key, struct util_arena *arena, struct ir_shader **out,
                                    struct vc4c_error *error)
{
    struct vc4c_front *front;
    enum vc4c_result result = vc4c_front_create(entry, arena->alloc, &front, error);
    if (result)
        return result;
    struct compile_job job = {.front = front, .kind = kind, .key = key, .arena = arena, .error = error};
    result = run_job(&job, lower_copy);
    *out = job.shader;
    vc4c_front_destroy(front);
    return result;
}
