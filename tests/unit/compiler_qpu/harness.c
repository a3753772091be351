/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include "model/kernel/krn_shader.h"
#include "model/model.h"

/* Processor time after which a program counts as hung. The longest of the corpus exceed 0.5 s under ThreadSanitizer. */
#define HANG_NS UINT64_C(60000000000)

static bool is_mapped(const struct gpu_memory *mem, uint32_t addr, uint32_t size_B)
{
    return addr >= 0x1000 && addr < mem->size_B && size_B <= mem->size_B - addr;
}

int harness_setup(void **state)
{
    struct harness *h = aligned_alloc(64, (sizeof *h + 63) & ~(size_t)63);
    memset(h, 0, sizeof *h);
    h->mem = (struct gpu_memory){calloc(1, HARNESS_MEMORY_B), HARNESS_MEMORY_B, is_mapped};
    h->buffer_size_B = 256;
    *state = h;
    atomic_store(&h->share.mutex_holder, GPU_MUTEX_FREE);
    h->user = gpu_user_io_create(&h->share, 0);
    if (!h->user)
        return -1;
    return gpu_qpu_core_create(&h->mem, &h->core);
}

void harness_drop_program(struct harness *h)
{
    if (!h->has_program)
        return;
    free(h->program.code);
    free(h->program.origins);
    free(h->program.uniforms);
    free(h->program.lookups);
    free(h->program.exprs);
    free(h->program.buffers);
    free(h->program.sites);
    free(h->program.tables);
    free(h->program.table_words);
    h->has_program = false;
}

int harness_teardown(void **state)
{
    struct harness *h = *state;
    harness_drop_program(h);
    gpu_qpu_core_destroy(h->core);
    free(h->user);
    free(h->mem.base);
    free(h);
    return 0;
}

enum vc4c_result harness_try_compile(struct harness *h, const char *text)
{
    char error[256] = "";
    struct vc4c_error why = {0};
    harness_drop_program(h);
    util_arena_init(&h->arena, NULL);
    struct ir_shader *s = ir_parse(&h->arena, text, error, sizeof error);
    if (!s)
        fail_msg("%s\n%s", error, text);
    const char *invalid = ir_validate(s, true);
    if (invalid)
        fail_msg("%s\n%s", invalid, text);
    struct qc_options options = {.single_thread = h->single_thread};
    enum vc4c_result result = qc_compile(s, &options, NULL, &h->program, &why);
    util_arena_finish(&h->arena);
    h->has_program = result == VC4C_OK;
    h->message = result == VC4C_OK ? NULL : "the program does not compile";
    if (h->has_program)
        return result;
    if (result != VC4C_DOES_NOT_FIT)
        printf("# %s\n", why.text);
    return result;
}

void harness_compile(struct harness *h, const char *text)
{
    if (harness_try_compile(h, text) != VC4C_OK)
        fail_msg("the program does not compile:\n%s", text);
}

/* ---------------------------------------------------------------- running */

static uint32_t uniform_word(struct harness *h, const struct vc4c_uniform *u)
{
    switch (u->kind) {
    case VC4C_UNIFORM_EXPR:
        return h->exprs[u->data];
    case VC4C_UNIFORM_CONSTANT:
        return u->data;
    case VC4C_UNIFORM_PUSH:
        return h->push[u->data / 4 % 64];
    case VC4C_UNIFORM_BUFFER_WORD: {
        uint32_t word = 0;
        if (u->data < h->buffer_size_B)
            memcpy(&word, h->mem.base + HARNESS_DATA + u->data, 4);
        return word;
    }
    case VC4C_UNIFORM_BUFFER_SIZE:
        return h->buffer_size_B;
    case VC4C_UNIFORM_BUFFER_LIMIT:
        return h->buffer_size_B - 4 - MIN2(u->data, h->buffer_size_B - 4);
    case VC4C_UNIFORM_BUFFER_BASE:
        return HARNESS_DATA + MIN2(u->data, h->buffer_size_B - 4);
    case VC4C_UNIFORM_TABLE_LIMIT:
    case VC4C_UNIFORM_TABLE_BASE: {
        uint32_t word = 0;
        assert_true(vc4c_table_word(&h->program, u, &word));
        return u->kind == VC4C_UNIFORM_TABLE_BASE ? HARNESS_TABLES + word : word;
    }
    case VC4C_UNIFORM_ENGINE_SCRATCH:
        return HARNESS_SCRATCH + u->data;
    case VC4C_UNIFORM_ENGINE_SCRATCH_B:
        return h->program.scratch_B;
    case VC4C_UNIFORM_STREAM_ADDRESS:
        return HARNESS_UNIFORMS;
    case VC4C_UNIFORM_VIEWPORT_SCALE_X_16:
        return util_fui(16 * 50);
    case VC4C_UNIFORM_VIEWPORT_SCALE_Y_16:
        return util_fui(16 * 40);
    case VC4C_UNIFORM_VIEWPORT_SCALE_Z:
    case VC4C_UNIFORM_VIEWPORT_OFFSET_Z:
        return util_fui(0.5f);
    case VC4C_UNIFORM_TEX_P0:
        return h->tex_p0;
    case VC4C_UNIFORM_TEX_P1:
        return h->tex_p1;
    default:
        return 0;
    }
}

/* The sources of a step are earlier steps. */
static void compute_exprs(struct harness *h)
{
    for (uint32_t i = 0; i < h->program.expr_count; i++) {
        const struct vc4c_expr *e = &h->program.exprs[i];
        if (e->op == HW_EXPR_WORD)
            h->exprs[i] = uniform_word(h, &e->word);
        else
            hw_expr(e->op, h->exprs[e->src[0]], h->exprs[e->src[1]], h->exprs[e->src[2]], &h->exprs[i]);
    }
}

static void on_stencil(struct gpu_fragment_io *io, uint32_t word)
{
    struct harness *h = container_of(io, struct harness, io);
    h->stencil[h->stencil_count++ % 4] = word;
}

static void on_z(struct gpu_fragment_io *io, const uint32_t z[QPU_LANES], uint32_t lanes)
{
    struct harness *h = container_of(io, struct harness, io);
    memcpy(h->z, z, sizeof h->z);
    h->z_lanes = lanes;
}

static void on_color_store(struct gpu_fragment_io *io, const uint32_t color[QPU_LANES], uint32_t lanes,
                           bool all_samples)
{
    struct harness *h = container_of(io, struct harness, io);
    memcpy(h->color[h->color_count % 4], color, sizeof h->color[0]);
    h->color_lanes[h->color_count++ % 4] = lanes;
}

static void on_color_load(struct gpu_fragment_io *io, uint32_t color_out[QPU_LANES])
{
    struct harness *h = container_of(io, struct harness, io);
    memcpy(color_out, h->old_color, sizeof h->old_color);
}

static void set_up_fragments(struct harness *h)
{
    h->color_count = h->stencil_count = h->z_lanes = 0;
    for (unsigned l = 0; l < QPU_LANES; l++) {
        unsigned x = (l >> 2) * 2 + (l & 1), y = l >> 1 & 1;
        h->io.x_px[l] = x;
        h->io.y_px[l] = y;
        h->io.ms_flags[l] = 15;
        h->io.dx[l] = (float)x;
        h->io.dy[l] = (float)y;
        h->io.w[l] = 1.0f;
        h->io.z[l] = 1000 + l;
    }
    h->io.varying_count = h->program.input_count;
    h->io.stencil_setup = on_stencil;
    h->io.z_test = on_z;
    h->io.color_store = on_color_store;
    h->io.color_load = on_color_load;
}

/* The kernel's shader validator must accept the program and find what the compiler's tables say. */
static void check_with_kernel(struct harness *h)
{
    const struct vc4c_program *p = &h->program;
    struct krn_shader *k;
    if (krn_shader_validate(p->code, p->instruction_count, &k)) {
        qpu_dump(stdout, p->code, p->instruction_count);
        fail_msg("the kernel refuses the program (seed %" PRIu64 "): %s", h->seed, model_last_refusal());
    }
    assert_int_equal(k->uniforms_B, 4 * (p->uniform_count + p->extra_stream_word));
    assert_int_equal(k->threaded, p->threaded);
    assert_int_equal(k->sample_count, p->lookup_count);
    for (uint32_t n = 0; n < k->sample_count; n++) {
        uint8_t kind = p->uniforms[k->samples[n].word_B[0] / 4].kind;
        assert_int_equal(k->samples[n].direct, p->lookups[n].is_buffer);
        const bool is_table = k->samples[n].direct && p->lookups[n].ref == VC4C_BUFFER_TABLES;
        assert_int_equal(kind, is_table               ? VC4C_UNIFORM_TABLE_BASE
                               : k->samples[n].direct ? VC4C_UNIFORM_BUFFER_BASE
                                                      : VC4C_UNIFORM_TEX_P0);
        kind = p->uniforms[k->samples[n].word_B[1] / 4].kind;
        assert_int_equal(kind, is_table               ? VC4C_UNIFORM_TABLE_LIMIT
                               : k->samples[n].direct ? VC4C_UNIFORM_BUFFER_LIMIT
                                                      : VC4C_UNIFORM_TEX_P1);
    }
    for (uint32_t n = 0; n < k->address_count; n++) {
        uint32_t at = k->address_B[n] / 4;
        if (at < p->uniform_count)
            assert_int_equal(p->uniforms[at].kind, VC4C_UNIFORM_STREAM_ADDRESS);
    }
    krn_shader_destroy(k);
}

void harness_run(struct harness *h)
{
    for (unsigned q = 0; q < GPU_QUADS; q++)
        h->io.varyings[q] = h->varyings;
    harness_run_with_varyings(h);
}

void harness_run_with_varyings(struct harness *h)
{
    if (!h->program.is_engine)
        check_with_kernel(h);
    assert_true(h->program.instruction_count * 8 <= HARNESS_UNIFORMS - HARNESS_CODE);
    assert_true(h->program.uniform_count * 4 < HARNESS_DATA - HARNESS_UNIFORMS);
    assert_true(h->program.scratch_B <= HARNESS_TABLES - HARNESS_SCRATCH);
    assert_true(h->program.table_word_count * 4 <= HARNESS_MEMORY_B - HARNESS_TABLES);
    if (h->program.table_word_count)
        memcpy(h->mem.base + HARNESS_TABLES, h->program.table_words, h->program.table_word_count * 4);
    memcpy(h->mem.base + HARNESS_CODE, h->program.code, h->program.instruction_count * 8);
    compute_exprs(h);
    for (uint32_t k = 0; k < h->program.uniform_count; k++) {
        uint32_t word = uniform_word(h, &h->program.uniforms[k]);
        memcpy(h->mem.base + HARNESS_UNIFORMS + 4 * k, &word, 4);
    }
    if (h->program.extra_stream_word) {
        uint32_t word = HARNESS_UNIFORMS;
        memcpy(h->mem.base + HARNESS_UNIFORMS + 4 * h->program.uniform_count, &word, 4);
    }
    gpu_qpu_begin_job(h->core);
    memset(h->vpm_out, 0xee, sizeof h->vpm_out);
    set_up_fragments(h);
    bool fragment = h->program.attribute_count == 0;
    struct gpu_vertex_io vertex = {h->vpm_in, h->vpm_out};
    struct gpu_qpu_run run = {.kind = fragment ? QPU_PROGRAM_FRAGMENT : QPU_PROGRAM_VERTEX,
                              .uniforms_addr = HARNESS_UNIFORMS,
                              .vertex = fragment ? NULL : &vertex,
                              .fragment = fragment ? &h->io : NULL,
                              .user = h->program.is_engine ? h->user : NULL};
    struct gpu_fp_mode mode = gpu_fp_enter();
    enum gpu_status status = GPU_HANG;
    struct util_work_limit limit;
    util_work_limit_begin(&limit, HANG_NS);
    run.limit = &limit;
    run.program = gpu_qpu_program_get(h->core, HARNESS_CODE, &h->message);
    if (run.program)
        status = gpu_qpu_run(h->core, &run, &h->message);
    gpu_fp_leave(mode);
    if (status != GPU_OK) {
        qpu_dump(stdout, h->program.code, h->program.instruction_count);
        fail_msg("%s (seed %" PRIu64 ")", h->message, h->seed);
    }
}

const uint32_t *harness_word(struct harness *h, const char *text)
{
    harness_compile(h, text);
    harness_run(h);
    return h->program.attribute_count ? h->vpm_out[0] : h->color[0];
}
