/* SPDX-License-Identifier: MIT
 *
 * The corpus test: translates every shader, evaluates it (ir_eval.h), compiles it as the driver would and runs it on
 * the model's interpreter. The steps and what each result is compared with:
 *
 *   evaluated as translated      the numbers in the shader's comments, where it has them
 *   evaluated after each pass    the translated result; each optimiser pass runs alone
 *   evaluated as lowered         the translated result: colour words, output rows
 *   run, colour or output rows   the lowered result
 *   run, all 32 bits             the translated result; the fragment shader runs as a vertex program (as_vertex.h)
 *
 * Shaders that sample textures are only compiled here; the API tests compare what they draw. Every shader has to
 * compile for the CPU engine, also with the descriptors of its bindings in memory of sets. A shader that does not fit
 * the chip gives the reason in its comments (// cpu), and its CPU engine program runs instead. A shader that the
 * compiler does not support yet is marked with // todo.
 *
 *   corpus LIST [NAME]
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../compiler_qpu/harness.h"
#include "as_vertex.h"
#include "compiler/ir/ir_pass.h"
#include "compiler/spirv/spv.h"
#include "compiler/vc4c_ir.h"
#include "corpus_list.h"
#include "ir_eval.h"
#include "util/debug.h"

#define MAX_STEPS 200000

/* The state of one shader's test. */
struct job {
    const struct corpus_shader *shader;
    struct harness *harness;
    struct vc4c_entry entry;
    struct vc4c_spec_constant specs[EXPECT_MAX_SPECS];
    struct vc4c_key key;
    struct vc4c_interface interface;
    uint32_t out[EVAL_LOCATIONS][4][EVAL_LANES]; /* as translated */
    bool discarded[EVAL_LANES];
    bool has_out;     /* `out` and `discarded` are valid: the evaluator could run the shader */
    char reason[512]; /* why the shader failed */
    char title[160];  /* its TAP line, which cmocka prints after the test; a skipped shader gets " # SKIP" there */
    bool needs_engine; /* one of its programs does not fit the chip */
};

static bool bad(struct job *job, const char *fmt, ...) UTIL_PRINTF(2, 3);
static bool bad(struct job *job, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(job->reason, sizeof job->reason, fmt, args);
    va_end(args);
    return false;
}

static bool compiler_error(struct job *job, const struct vc4c_error *error)
{
    return bad(job, "%s (word %u)", error->text, error->offset_words);
}

/* The stress mode with few registers: a program that fits the chip need not fit these. */
static bool has_few_registers(void)
{
    return util_debug(UTIL_DEBUG_FEW_REGISTERS);
}

/* Programs may also need more registers than usual when the optimiser is off. */
static bool may_not_fit(void)
{
    return has_few_registers() || util_debug(UTIL_DEBUG_PLAIN);
}

/* ---------------------------------------------------------------- inputs */

/* Matches the positions that the harness gives the lanes. */
static uint32_t fragment_builtin(uint32_t which, uint32_t component, uint32_t lane)
{
    float x = (float)((lane >> 2) * 2 + (lane & 1)) + 0.5f, y = (float)(lane >> 1 & 1) + 0.5f;
    const float coord[4] = {x, y, (float)(1000 + lane) / 16777215.0f, 1};
    switch (which) {
    case SpvBuiltInFragCoord:
        return util_fui(coord[component]);
    case SpvBuiltInFrontFacing:
        return 1;
    case SpvBuiltInSampleMask:
        return 15;
    default:
        return 0;
    }
}

static uint32_t vertex_builtin(uint32_t which, uint32_t component, uint32_t lane)
{
    return which == SpvBuiltInVertexIndex ? lane : 0;
}

static void eval_init(struct eval *eval, const struct job *job)
{
    const struct expected *e = &job->shader->expected;
    *eval = (struct eval){.push = e->push,
                          .push_words = EXPECT_MAX_WORDS,
                          .buffer = e->buffer,
                          .buffer_words = e->buffer_words,
                          .input = glsl_input,
                          .builtin = job->shader->stage == CORPUS_VERT ? vertex_builtin : fragment_builtin};
}

/* Expresses glsl_input's values, which are linear within each quad, as plane equations. */
static void set_varyings(struct harness *h, const struct vc4c_program *p, struct gpu_varying planes[GPU_QUADS][32])
{
    for (uint32_t q = 0; q < GPU_QUADS; q++) {
        for (uint32_t i = 0; i < p->input_count && i < 32; i++) {
            float v[4];
            for (uint32_t l = 0; l < 4; l++)
                v[l] = util_uif(glsl_input(p->inputs[i].location, p->inputs[i].component, 4 * q + l));
            float a = v[1] - v[0], b = v[2] - v[0];
            bool flat = p->inputs[i].flat;
            planes[q][i] = (struct gpu_varying){flat ? 0 : a, flat ? 0 : b, v[0] - (float)(2 * q) * a};
        }
        h->io.varyings[q] = planes[q];
    }
}

static void set_memory(struct harness *h, const struct expected *e)
{
    memcpy(h->push, e->push, sizeof h->push);
    memset(h->mem.base + HARNESS_DATA, 0, sizeof e->buffer);
    memcpy(h->mem.base + HARNESS_DATA, e->buffer, sizeof e->buffer);
    h->buffer_size_B = 4 * MAX2(e->buffer_words, 1u);
}

/* ---------------------------------------------------------------- comparing */

static bool is_close(uint32_t want, uint32_t got, float tolerance)
{
    float x = util_uif(want), y = util_uif(got);
    if (want == got || x == y)
        return true;
    if (!isfinite(x) || !isfinite(y))
        return !isfinite(x) && fabsf(y) > 1e38f;
    return fabsf(x - y) <= fmaxf(1, fabsf(x)) * tolerance;
}

/* One colour channel of an RGBA8 target. */
static bool channel_matches(const struct job *job, uint32_t c, uint32_t lane, uint32_t word)
{
    uint32_t out = job->out[0][c][lane], byte = word >> (8 * c) & 0xff;
    if (job->shader->type == CORPUS_INT)
        return out + 128 > 255 || (out & 0xff) == byte;
    if (job->shader->type == CORPUS_UINT)
        return out > 255 || out == byte;
    float x = util_uif(out), clamped = x > 0 ? fminf(x, 1) * 255 : 0;
    return isnan(x) || fabsf(clamped - (float)byte) <= 1;
}

static bool colors_match(struct job *job, const char *what, const uint32_t *words, uint32_t lanes)
{
    for (uint32_t lane = 0; lane < EVAL_LANES; lane++) {
        bool written = lanes >> lane & 1;
        if (written == job->discarded[lane])
            return bad(job, "%s: lane %u is %s", what, lane, written ? "written though discarded" : "not written");
        for (uint32_t c = 0; c < 4 && written; c++)
            if ((job->interface.color_output_mask & 1) && !channel_matches(job, c, lane, words[lane]))
                return bad(job, "%s: lane %u, component %u: colour 0x%08x, expected %g (0x%08x)", what, lane, c,
                           words[lane], (double)util_uif(job->out[0][c][lane]), job->out[0][c][lane]);
    }
    return true;
}

/* Floats, or two 16-bit screen coordinates. */
static bool row_matches(uint32_t want, uint32_t got)
{
    int32_t dx = (int16_t)want - (int16_t)got, dy = (int16_t)(want >> 16) - (int16_t)(got >> 16);
    return is_close(want, got, 1.0f / 16384) || (abs(dx) <= 1 && abs(dy) <= 1);
}

/* ---------------------------------------------------------------- stages */

static bool word_matches(const struct job *job, uint32_t want, uint32_t got)
{
    return job->shader->type == CORPUS_FLOAT ? is_close(want, got, 1.0f / 16384) : want == got;
}

#define PASS(name)                                                                                                     \
    {                                                                                                                  \
        #name, name                                                                                                    \
    }
static const struct pass {
    const char *name;
    bool (*run)(struct ir_shader *shader);
} passes[] = {PASS(ir_opt_vars),  PASS(ir_opt_copy),  PASS(ir_opt_constant), PASS(ir_opt_algebraic), PASS(ir_opt_dce),
              PASS(ir_opt_cse),   PASS(ir_opt_known_conditions), PASS(ir_opt_dead_cf),  PASS(ir_opt_unroll),    PASS(ir_opt_if),
              PASS(ir_opt_invariant)};

/* Checks the shader's results after this pass alone. ir_opt_vars runs first, because all other passes need a shader
 * without variables. */
static bool check_pass(struct job *job, struct ir_shader *shader, const struct pass *pass, struct util_arena *arena)
{
    struct eval eval;
    struct ir_shader *copy = ir_clone(shader, arena);
    ir_opt_vars(copy);
    pass->run(copy);
    const char *message = ir_validate(copy, false);
    if (message)
        return bad(job, "after %s: %s", pass->name, message);
    ir_renumber(copy);
    eval_init(&eval, job);
    eval_run(&eval, copy, MAX_STEPS);
    if (eval.trouble)
        return bad(job, "after %s: the evaluator failed on: %s", pass->name, eval.trouble);
    for (uint32_t lane = 0; lane < EVAL_LANES; lane++) {
        if (job->discarded[lane] != (eval.discarded[lane] || eval.uncovered[lane] == 15))
            return bad(job, "after %s: the discard of lane %u changed", pass->name, lane);
        for (uint32_t i = 0; i < 4 * EVAL_LOCATIONS && !job->discarded[lane]; i++)
            if (!word_matches(job, job->out[i / 4][i % 4][lane], eval.out[i / 4][i % 4][lane]))
                return bad(job, "after %s: location %u.%u, lane %u: 0x%08x, expected 0x%08x", pass->name, i / 4, i % 4,
                           lane, eval.out[i / 4][i % 4][lane], job->out[i / 4][i % 4][lane]);
    }
    return true;
}

static bool translate(struct job *job, struct util_arena *arena)
{
    struct ir_shader *shader;
    struct vc4c_error error = {{0}};
    struct eval eval;
    enum vc4c_program_kind kind = job->entry.stage == VC4C_STAGE_VERTEX ? VC4C_PROGRAM_VERTEX : VC4C_PROGRAM_FRAGMENT;
    enum vc4c_result result = spv_to_ir(&job->entry, kind, arena, &shader, &error);
    if (result)
        return compiler_error(job, &error);
    if (job->interface.texture_count)
        return true;
    eval_init(&eval, job);
    eval_run(&eval, shader, MAX_STEPS);
    if (eval.trouble)
        return bad(job, "the evaluator failed on: %s", eval.trouble);
    memcpy(job->out, eval.out, sizeof job->out);
    for (uint32_t lane = 0; lane < EVAL_LANES; lane++)
        job->discarded[lane] = eval.discarded[lane] || eval.uncovered[lane] == 15;
    job->has_out = true;
    if (job->shader->has_expectations && !glsl_check("as translated", &job->shader->expected, job->out[0]))
        return bad(job, "not as expected");
    ir_renumber(shader);
    for (size_t i = 0; i < ARRAY_SIZE(passes); i++)
        if (!check_pass(job, shader, &passes[i], arena))
            return false;
    return true;
}

/* The VPM rows hold position, depth, 1/w, the point size if it is emitted, then the outputs in the order of the key. */
static bool outputs_match(struct job *job, const struct eval *eval)
{
    const struct vc4c_vertex_key *key = &job->key.vs;
    uint32_t first = 3 + key->emit_point_size;
    for (uint32_t i = 0; i < key->output_count; i++) {
        const struct vc4c_varying *v = &key->outputs[i];
        for (uint32_t lane = 0; lane < EVAL_LANES && v->location < EVAL_LOCATIONS; lane++)
            if (!is_close(job->out[v->location][v->component][lane], eval->vpm[first + i][lane], 1.0f / 16384))
                return bad(job, "lowered: location %u.%u, lane %u: 0x%08x, expected 0x%08x", v->location, v->component,
                           lane, eval->vpm[first + i][lane], job->out[v->location][v->component][lane]);
    }
    return true;
}

static bool evaluate_lowered(struct job *job, enum vc4c_program_kind kind, struct eval *eval, struct util_arena *arena)
{
    struct ir_shader *shader;
    struct vc4c_error error = {{0}};
    enum vc4c_result result = vc4c_compile_to_ir(&job->entry, kind, &job->key, arena, &shader, &error);
    if (result)
        return compiler_error(job, &error);
    if (!job->has_out)
        return true;
    eval_init(eval, job);
    eval_run(eval, shader, MAX_STEPS);
    if (eval->trouble)
        return bad(job, "lowered: the evaluator failed on: %s", eval->trouble);
    if (kind == VC4C_PROGRAM_VERTEX)
        return outputs_match(job, eval);
    if (kind != VC4C_PROGRAM_FRAGMENT)
        return true;
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < EVAL_LANES; lane++)
        lanes |= (uint32_t)(eval->color_written[lane] && eval->uncovered[lane] != 15) << lane;
    return colors_match(job, "lowered", eval->color, lanes);
}

static bool run_fragment(struct job *job)
{
    struct harness *h = job->harness;
    struct gpu_varying planes[GPU_QUADS][32];
    set_varyings(h, &h->program, planes);
    h->color_lanes[0] = 0;
    harness_run_with_varyings(h);
    uint32_t lanes = h->color_count ? h->color_lanes[0] : 0;
    for (uint32_t lane = 0; lane < QPU_LANES; lane++)
        lanes &= ~((uint32_t)(h->io.ms_flags[lane] == 0) << lane);
    return !(job->interface.color_output_mask & 1) || colors_match(job, "on the model", h->color[0], lanes);
}

static bool run_vertex(struct job *job, const struct eval *lowered)
{
    struct harness *h = job->harness;
    for (uint32_t i = 0; i < h->program.attribute_count; i++) {
        const struct vc4c_attribute *a = &h->program.attributes[i];
        for (uint32_t c = 0; c < a->size_B / 4u; c++)
            for (uint32_t lane = 0; lane < QPU_LANES; lane++)
                h->vpm_in[a->vpm_B / 4 + c][lane] =
                    a->location == VC4C_ATTRIBUTE_VERTEX_RAMP || a->location == VC4C_ATTRIBUTE_ARRAY_INDEX
                        ? lane
                        : glsl_input(a->location, c, lane);
    }
    harness_run(h);
    for (uint32_t row = 0; row < lowered->vpm_rows; row++)
        for (uint32_t lane = 0; lane < QPU_LANES; lane++)
            if (!row_matches(lowered->vpm[row][lane], h->vpm_out[row][lane]))
                return bad(job, "on the model: row %u, lane %u: 0x%08x, expected 0x%08x", row, lane,
                           h->vpm_out[row][lane], lowered->vpm[row][lane]);
    return true;
}

static bool run_program(struct job *job, enum vc4c_program_kind kind, struct util_arena *arena)
{
    struct harness *h = job->harness;
    struct vc4c_error error = {{0}};
    struct eval *eval = calloc(1, sizeof *eval);
    bool ok = evaluate_lowered(job, kind, eval, arena);
    harness_drop_program(h);
    if (ok) {
        enum vc4c_result result = vc4c_compile(&job->entry, kind, &job->key, NULL, &h->program, &error);
        if (result == VC4C_DOES_NOT_FIT && (job->shader->expected.cpu[0] || may_not_fit())) {
            struct vc4c_key key = job->key;
            key.target = VC4C_TARGET_CPU_ENGINE;
            job->needs_engine = true;
            result = vc4c_compile(&job->entry, kind, &key, NULL, &h->program, &error);
        }
        if (result == VC4C_DOES_NOT_FIT && has_few_registers()) {
            free(eval);
            return true;
        }
        h->has_program = result == VC4C_OK;
        if (result)
            ok = compiler_error(job, &error);
    }
    if (ok && job->has_out) {
        set_memory(h, &job->shader->expected);
        ok = kind == VC4C_PROGRAM_FRAGMENT ? run_fragment(job) : run_vertex(job, eval);
    }
    free(eval);
    return ok;
}

/* Compares all 32 bits of what the chip computes. */
static bool run_as_vertex(struct job *job, struct util_arena *arena)
{
    struct harness *h = job->harness;
    char *text = job->has_out ? as_vertex_text(&job->entry, arena) : NULL;
    bool ok = true;
    if (!text)
        return true;
    if (harness_try_compile(h, text) == VC4C_OK) { /* a program that does not fit is not an error here */
        set_memory(h, &job->shader->expected);
        as_vertex_inputs(h);
        harness_run(h);
        for (uint32_t i = 0; ok && i < 4 * EVAL_LANES; i++) {
            uint32_t c = i % 4, lane = i / 4, want = job->out[0][c][lane], got = h->vpm_out[c][lane];
            bool good = job->shader->type == CORPUS_FLOAT ? is_close(want, got, 1.0f / 4096) : want == got;
            if (!job->discarded[lane] && !good)
                ok = bad(job, "as a vertex program: lane %u, component %u: %g (0x%08x), expected %g (0x%08x)", lane, c,
                         (double)util_uif(got), got, (double)util_uif(want), want);
        }
    }
    free(text);
    return ok;
}

/* ---------------------------------------------------------------- keys */

static void fill_key(struct job *job, struct util_arena *arena)
{
    struct vc4c_key *key = &job->key;
    key->class_count = job->interface.texture_count;
    for (uint32_t i = 0; i < key->class_count; i++)
        key->classes[i] =
            (struct hw_sampling_class){.method = HW_SAMPLE_NATIVE,
                                       .format = HW_FORMAT_R8G8B8A8_UNORM,
                                       .swizzle = {HW_SWIZZLE_X, HW_SWIZZLE_Y, HW_SWIZZLE_Z, HW_SWIZZLE_W}};
    if (job->entry.stage == VC4C_STAGE_FRAGMENT) {
        static const uint8_t formats[] = {HW_FORMAT_R8G8B8A8_UNORM, HW_FORMAT_R8G8B8A8_SINT, HW_FORMAT_R8G8B8A8_UINT};
        key->fs = (struct vc4c_fragment_key){
            .color_format = formats[job->shader->type], .write_mask = 15, .logic_op = VC4C_LOGIC_COPY, .samples = 1};
        key->fs.write_z = job->interface.writes_depth;
    }
    if (job->entry.stage != VC4C_STAGE_VERTEX)
        return;
    uint8_t stored[IR_MAX_LOCATIONS] = {0};
    for (uint32_t i = 0; i < VC4C_MAX_ATTRIBUTES; i++)
        key->vs.formats[i] = HW_FORMAT_R32G32B32A32_FLOAT;
    key->vs.emit_point_size = job->interface.writes_point_size;
    vc4c_find_outputs(&job->entry, arena, stored);
    for (uint32_t i = 0; i < 128; i++)
        if (stored[i / 4] >> (i % 4) & 1 && key->vs.output_count < 32)
            key->vs.outputs[key->vs.output_count++] =
                (struct vc4c_varying){.location = (uint8_t)(i / 4), .component = i % 4};
}

/* ---------------------------------------------------------------- one shader */

static void fill_entry(struct job *job, const struct vc4c_module *module)
{
    static const enum vc4c_stage stages[] = {VC4C_STAGE_VERTEX, VC4C_STAGE_FRAGMENT, VC4C_STAGE_COMPUTE};
    const struct expected *e = &job->shader->expected;
    for (uint32_t i = 0; i < e->spec_count; i++)
        job->specs[i] = (struct vc4c_spec_constant){e->spec_ids[i], 4, &e->spec_words[i]};
    job->entry = (struct vc4c_entry){.module = module,
                                     .name = "main",
                                     .stage = stages[job->shader->stage],
                                     .specs = job->specs,
                                     .spec_count = e->spec_count};
}

/* Every shader has to compile for the CPU engine: it runs compute shaders and all programs that do not fit the chip.
 * `refusal` is part of an error that is allowed, or NULL. */
static bool compile_for_engine(struct job *job, enum vc4c_program_kind kind, const char *refusal)
{
    struct vc4c_program program = {0};
    struct vc4c_error error = {{0}};
    struct vc4c_key key = job->key;
    key.target = VC4C_TARGET_CPU_ENGINE;
    enum vc4c_result result = vc4c_compile(&job->entry, kind, &key, NULL, &program, &error);
    if (result == VC4C_DOES_NOT_FIT && has_few_registers())
        return true;
    if (result == VC4C_UNSUPPORTED && refusal && strstr(error.text, refusal))
        return true;
    if (result)
        return compiler_error(job, &error);
    bool good = program.instruction_count > 0;
    vc4c_program_finish(&program);
    return good || bad(job, "CPU engine: an empty program");
}

/* As if every binding but input attachments and conversions had its descriptors in memory of the set. */
static bool compile_in_memory(struct job *job, enum vc4c_program_kind kind)
{
    struct vc4c_array_size sizes[VC4C_MAX_RESOURCES];
    const struct vc4c_entry entry = job->entry;
    for (uint32_t i = 0; i < job->interface.resource_count; i++) {
        const struct vc4c_resource *r = &job->interface.resources[i];
        const uint32_t element_B = r->kind == VC4C_RESOURCE_INPUT_ATTACHMENT ? 0 : 184;
        sizes[i] = (struct vc4c_array_size){r->set, r->binding, 1000, element_B};
    }
    job->entry.array_sizes = sizes;
    job->entry.array_size_count = job->interface.resource_count;
    const bool good =
        compile_for_engine(job, kind, "a pointer to a run-time or large array of descriptors used as a value");
    job->entry = entry;
    return good;
}

static bool run_graphics(struct job *job, struct util_arena *arena)
{
    if (!translate(job, arena))
        return false;
    if (job->entry.stage == VC4C_STAGE_VERTEX)
        return run_program(job, VC4C_PROGRAM_VERTEX, arena) && run_program(job, VC4C_PROGRAM_COORDINATE, arena);
    return run_program(job, VC4C_PROGRAM_FRAGMENT, arena) && run_as_vertex(job, arena);
}

static bool run_stages(struct job *job, struct util_arena *arena)
{
    static const enum vc4c_program_kind kinds[] = {VC4C_PROGRAM_VERTEX, VC4C_PROGRAM_FRAGMENT, VC4C_PROGRAM_COMPUTE};
    struct vc4c_error error = {{0}};
    enum vc4c_result result = vc4c_get_interface(&job->entry, NULL, &job->interface, &error);
    if (result)
        return compiler_error(job, &error);
    fill_key(job, arena);
    if (!compile_for_engine(job, kinds[job->entry.stage], NULL) || !compile_in_memory(job, kinds[job->entry.stage]))
        return false;
    return job->entry.stage == VC4C_STAGE_COMPUTE || run_graphics(job, arena);
}

static bool run_shader(struct job *job)
{
    struct vc4c_module *module = NULL;
    struct vc4c_error error = {{0}};
    struct util_arena arena;
    jmp_buf oom;
    bool volatile ok = false;
    util_arena_init(&arena, NULL);
    arena.on_oom = &oom;
    if (vc4c_module_create(job->shader->words, job->shader->size_B, NULL, &module, &error)) {
        bad(job, "%s (word %u)", error.text, error.offset_words);
    } else if (!setjmp(oom)) {
        fill_entry(job, module);
        ok = run_stages(job, &arena);
    }
    harness_drop_program(job->harness);
    util_arena_finish(&arena);
    vc4c_module_destroy(module);
    return ok;
}

static void one_shader(void **state)
{
    struct job *job = *state;
    const struct expected *e = &job->shader->expected;
    if (run_shader(job)) {
        if (e->todo[0])
            printf("# %s: passes, remove its // todo: %s\n", job->shader->name, e->todo);
        if (job->needs_engine)
            printf("# %s: on the CPU engine: %s\n", job->shader->name, e->cpu);
        else if (e->cpu[0] && !may_not_fit())
            fail_msg("%s fits the chip: remove its // cpu comment", job->shader->name);
        return;
    }
    if (e->todo[0]) {
        printf("# %s: the compiler says: %s\n", job->shader->name, job->reason);
        snprintf(job->title, sizeof job->title, "%.40s # SKIP to do: %s", job->shader->name, e->todo);
        return;
    }
    printf("# %s: %s\n", job->shader->name, job->reason);
    fail();
}

int main(int argc, char **argv)
{
    struct corpus corpus;
    void *harness;
    if (argc < 2 || !corpus_read(&corpus, argv[1]) || harness_setup(&harness))
        return 2;
    struct CMUnitTest *tests = calloc(corpus.count, sizeof *tests);
    struct job *jobs = calloc(corpus.count, sizeof *jobs);
    uint32_t count = 0;
    for (uint32_t i = 0; i < corpus.count; i++) {
        if (argc > 2 && !strstr(corpus.shaders[i].name, argv[2]))
            continue;
        jobs[count] = (struct job){.shader = &corpus.shaders[i], .harness = harness};
        snprintf(jobs[count].title, sizeof jobs[count].title, "%s", corpus.shaders[i].name);
        tests[count] = (struct CMUnitTest){jobs[count].title, one_shader, NULL, NULL, &jobs[count]};
        count++;
    }
    int failed = _cmocka_run_group_tests("compiler_corpus", tests, count, NULL, NULL);
    harness_teardown(&harness);
    free(tests);
    free(jobs);
    corpus_free(&corpus);
    return failed;
}
