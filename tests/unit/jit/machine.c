/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "machine.h"

static bool is_mapped(const struct gpu_memory *mem, uint32_t addr, uint32_t size_B)
{
    return addr >= 0x1000 && addr < mem->size_B && size_B <= mem->size_B - addr;
}

/* -- a fake tile buffer: results are hashes of all calls so far --------------------------------------------------- */

static uint32_t hash_call(struct gpu_fragment_io *io, uint32_t word)
{
    struct machine *w = (struct machine *)((char *)io - offsetof(struct machine, fragment));

    w->call_hash = (w->call_hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    w->call_hash ^= w->call_hash >> 29;
    return (uint32_t)w->call_hash;
}

static void stencil_setup(struct gpu_fragment_io *io, uint32_t word)
{
    hash_call(io, word);
}

static void z_test(struct gpu_fragment_io *io, const uint32_t z[QPU_LANES], uint32_t lanes)
{
    hash_call(io, lanes);
    for (unsigned l = 0; l < QPU_LANES; l++)
        io->ms_flags[l] &= hash_call(io, z[l]);
}

static void color_store(struct gpu_fragment_io *io, const uint32_t color[QPU_LANES], uint32_t lanes, bool all_samples)
{
    hash_call(io, lanes + all_samples);
    for (unsigned l = 0; l < QPU_LANES; l++)
        hash_call(io, lanes >> l & 1 ? color[l] : 0);
}

static void color_load(struct gpu_fragment_io *io, uint32_t color_out[QPU_LANES])
{
    for (unsigned l = 0; l < QPU_LANES; l++)
        color_out[l] = hash_call(io, l);
}

/* -- machine states ----------------------------------------------------------------------------------------------- */

static void fill_rows(struct random *r, void *rows, size_t words)
{
    uint32_t *at = rows;

    for (size_t n = 0; n < words; n++)
        at[n] = random_value(r);
}

static void fill_fragment(struct machine *w, struct random *r, unsigned varying_count)
{
    struct gpu_fragment_io *io = &w->fragment;

    fill_rows(r, io->x_px, QPU_LANES);
    fill_rows(r, io->y_px, QPU_LANES);
    fill_rows(r, io->w, QPU_LANES);
    fill_rows(r, io->z, QPU_LANES);
    fill_rows(r, io->dx, QPU_LANES);
    fill_rows(r, io->dy, QPU_LANES);
    for (unsigned l = 0; l < QPU_LANES; l++) {
        io->ms_flags[l] = random_below(r, 16);
        io->rev_flag[l] = random_below(r, 2);
    }
    for (unsigned q = 0; q < GPU_QUADS; q++)
        io->varyings[q] = w->varyings[q];
    io->varying_count = varying_count;
    io->stencil_setup = stencil_setup;
    io->z_test = z_test;
    io->color_store = color_store;
    io->color_load = color_load;
}

/* A texture that host code samples inline, without calling the texture unit of the model. */
static void inline_texture(struct random *r, uint32_t config[4])
{
    uint32_t is_raster = random_below(r, 4) == 0, repeats = random_below(r, 4);
    uint32_t width = is_raster ? 1u << random_below(r, 7) : 1 + random_below(r, 64), height = 1 + random_below(r, 56);

    config[0] = (PROGRAM_DATA + 0x8000) | (is_raster ? 0 : random_below(r, 2)) << 4;
    config[1] = is_raster << 31 | height << 20 | width << 8 | 1u << 7 | 1u << 4 | (repeats >> 1) << 2 | (repeats & 1);
}

/* Writes the configuration words of small textures of all kinds to PROGRAM_TEXTURES. */
static void fill_textures(struct random *r, uint8_t *memory)
{
    for (unsigned n = 0; n < TEXTURE_COUNT; n++) {
        uint32_t type = random_below(r, 12), width = 1 + random_below(r, 20), height = 1 + random_below(r, 20);
        uint32_t config[4] = {
            (PROGRAM_DATA + 0x8000) | random_below(r, 2) << 8 | type << 4 | random_below(r, 5),
            height << 20 | width << 8 | random_below(r, 2) << 7 | random_below(r, 6) << 4 | random_below(r, 16),
            1u << 30 | random_below(r, 2),
            random_below(r, 2) ? 1u << 30 : 2u << 30 | 7 << 12 | 5,
        };
        if (n % 2)
            inline_texture(r, config);
        memcpy(memory + PROGRAM_TEXTURES + 16 * n, config, sizeof config);
    }
}

void machine_fill(struct machine *w, struct random r, const struct machine_program *program)
{
    fill_rows(&r, w->mem.base, MACHINE_RANDOM_B / 4);
    fill_textures(&r, w->mem.base);
    memset(w->mem.base + MACHINE_CODE, 0, MACHINE_MEMORY_B - MACHINE_CODE);
    memcpy(w->mem.base + MACHINE_CODE, program->words, 8 * program->count);
    fill_fragment(w, &r, program->varyings);
    w->vertex = (struct gpu_vertex_io){w->rows_in, w->rows_out};
    fill_rows(&r, w->rows_in, GPU_VPM_ROWS * QPU_LANES);
    fill_rows(&r, w->rows_out, GPU_VPM_ROWS * QPU_LANES);
    fill_rows(&r, w->user.vpm, GPU_USER_VPM_ROWS * QPU_LANES);
    w->user.share = &w->share;
    w->user.semaphores = &w->user.own;
    w->user.is_engine = true;
    w->user.stray_accesses = w->user.stray_addr = 0;
    w->share.mutex_holder = GPU_MUTEX_FREE;
    w->call_hash = 1;
    memset(w->core->file, 0xab, sizeof w->core->file);
}

static struct gpu_qpu_run run_of(struct machine *w, enum qpu_program_kind kind)
{
    util_work_limit_begin(&w->limit, UINT64_C(20000000000));
    return (struct gpu_qpu_run){
        .kind = kind,
        .uniforms_addr = PROGRAM_UNIFORMS,
        .uniforms_count = kind == QPU_PROGRAM_USER ? MACHINE_UNIFORM_COUNT : 0,
        .limit = &w->limit,
        .fragment = kind == QPU_PROGRAM_FRAGMENT ? &w->fragment : NULL,
        .vertex = kind == QPU_PROGRAM_VERTEX ? &w->vertex : NULL,
        .user = kind == QPU_PROGRAM_USER ? &w->user : NULL,
        .qpu = kind == QPU_PROGRAM_USER ? 5 : 0,
        .code_addr = MACHINE_CODE,
    };
}

static void run_user(struct machine *w, const struct gpu_qpu_run *run, gpu_qpu_native code, bool enters_loops)
{
    enum gpu_qpu_progress progress = GPU_QPU_RUNNING;

    if (code && !enters_loops)
        gpu_qpu_start_native(w->core, run, code);
    else
        progress = gpu_qpu_start_user(w->core, run, &w->message);
    while (progress == GPU_QPU_RUNNING) {
        progress = gpu_qpu_advance_user(w->core, enters_loops ? 1 : 64, &w->message);
        if (!enters_loops || progress != GPU_QPU_RUNNING || w->core->native)
            continue;
        gpu_qpu_enter_native(w->core, code);
        if (!w->core->native)
            continue;
        progress = gpu_qpu_advance_user(w->core, 1, &w->message);
        w->entered += w->core->native || progress != GPU_QPU_RUNNING;
    }
    w->status = progress == GPU_QPU_ENDED ? GPU_OK : GPU_HANG;
}

void machine_run(struct machine *w, enum qpu_program_kind kind, gpu_qpu_native code, bool enters_loops)
{
    struct gpu_qpu_run run = run_of(w, kind);
    struct gpu_fp_mode mode = gpu_fp_enter();

    gpu_qpu_begin_job(w->core);
    w->message = NULL;
    if (kind == QPU_PROGRAM_USER) {
        run_user(w, &run, code, enters_loops);
    } else {
        run.program = gpu_qpu_program_get(w->core, MACHINE_CODE, &w->message);
        w->status = run.program ? gpu_qpu_run_as(w->core, &run, code, &w->message) : GPU_HANG;
    }
    gpu_fp_leave(mode);
}

/* -- comparing ---------------------------------------------------------------------------------------------------- */

bool machine_differ(const char *what, const void *a, const void *b, size_t size_B, bool quiet)
{
    const uint8_t *x = a, *y = b;
    size_t at = 0;

    while (at < size_B && x[at] == y[at])
        at++;
    if (at == size_B)
        return false;
    if (quiet)
        return true;
    uint32_t u, v;
    memcpy(&u, x + at / 4 * 4, 4);
    memcpy(&v, y + at / 4 * 4, 4);
    print_message("# %s, word %zu: interpreted 0x%08" PRIx32 ", compiled 0x%08" PRIx32 "\n", what, at / 4, u, v);
    return true;
}

static bool registers_differ(const struct gpu_qpu_core *a, const struct gpu_qpu_core *b, enum qpu_program_kind kind,
                             bool quiet)
{
    bool wrong = machine_differ("accumulators", a->acc, b->acc, sizeof a->acc, quiet);

    wrong |= machine_differ("flags", &a->flags, &b->flags, sizeof a->flags, quiet);
    for (unsigned n = 0; n < 64; n++) {
        char name[8];
        if (kind != QPU_PROGRAM_USER && !(a->program->named[n / 32] >> n % 32 & 1))
            continue; /* the program does not name this register: it is not even poisoned */
        snprintf(name, sizeof name, "r%c%u", n < 32 ? 'a' : 'b', n % 32);
        wrong |= machine_differ(name, &a->file[n / 32][n % 32], &b->file[n / 32][n % 32], sizeof a->file[0][0], quiet);
    }
    return wrong;
}

bool machines_differ(const struct machine *a, const struct machine *b, enum qpu_program_kind kind, bool registers,
                     bool quiet)
{
    bool wrong = a->status != b->status || a->message != b->message;

    if (wrong && !quiet)
        print_message("# interpreted: %s; compiled: %s\n", a->message ? a->message : "ended",
                      b->message ? b->message : "ended");
    wrong |= machine_differ("memory", a->mem.base, b->mem.base, MACHINE_MEMORY_B, quiet);
    wrong |= machine_differ("rows out", a->rows_out, b->rows_out, sizeof a->rows_out, quiet);
    wrong |= machine_differ("rows of the engine", a->user.vpm, b->user.vpm, sizeof a->user.vpm, quiet);
    wrong |= machine_differ("stray accesses", &a->user.stray_accesses, &b->user.stray_accesses, 8, quiet);
    wrong |= machine_differ("call_hash", &a->call_hash, &b->call_hash, sizeof a->call_hash, quiet);
    wrong |= machine_differ("coverage", a->fragment.ms_flags, b->fragment.ms_flags, sizeof a->fragment.ms_flags, quiet);
    wrong |= machine_differ("facing", a->fragment.rev_flag, b->fragment.rev_flag, sizeof a->fragment.rev_flag, quiet);
    if (registers && a->status == GPU_OK)
        wrong |= registers_differ(a->core, b->core, kind, quiet);
    return wrong;
}

/* -- creation ------------------------------------------------------------------------------------------------------ */

bool machine_create(struct machine *w)
{
    struct random r = {7};

    w->mem = (struct gpu_memory){calloc(1, MACHINE_MEMORY_B), MACHINE_MEMORY_B, is_mapped};
    if (!w->mem.base || gpu_qpu_core_create(&w->mem, &w->core))
        return false;
    fill_rows(&r, w->varyings, sizeof w->varyings / 4);
    return true;
}

void machine_destroy(struct machine *w)
{
    gpu_qpu_core_destroy(w->core);
    free(w->mem.base);
}

/* -- compiling ----------------------------------------------------------------------------------------------------- */

bool compile_code(const struct jit_library *library, const struct jit_source *source, struct jit_code *out)
{
    const char *why;
    size_t size_B;
    void *file = library->compile(source, &size_B, &why);

    if (!file) {
        print_message("# not compiled: %s\n", why);
        return false;
    }
    if (!jit_code_load(file, size_B, out, &why))
        fail_msg("%s", why);
    free(file);
    return true;
}

bool cut_program_create(const struct jit_library *library, const struct jit_source *source, struct cut_program *out)
{
    struct jit_source piece = *source;
    const char *why;
    bool done = true;

    if (!jit_pieces_init(&out->pieces, source, &why)) {
        print_message("# not compiled: %s\n", why);
        return false;
    }
    out->code = calloc(out->pieces.plan.count, sizeof *out->code);
    for (; piece.piece < out->pieces.plan.count && done; piece.piece++)
        done = out->code && compile_code(library, &piece, &out->code[piece.piece]);
    if (!done)
        cut_program_destroy(out);
    return done;
}

void cut_program_destroy(struct cut_program *cut)
{
    for (uint32_t n = 0; n < cut->pieces.plan.count && cut->code; n++)
        jit_code_unload(&cut->code[n]);
    free(cut->code);
    jit_pieces_finish(&cut->pieces);
}

void cut_program_choose(struct cut_program *cut, bool all, struct random *r, enum qpu_program_kind kind)
{
    for (uint32_t n = 0; n < cut->pieces.plan.count; n++)
        cut->pieces.code[n] = all || random_below(r, 2) || (!n && kind == QPU_PROGRAM_USER) ? cut->code[n].entry : NULL;
}

const struct jit_library *open_jit_library(enum jit_host host)
{
    void *handle = dlopen(getenv("VKT_JIT"), RTLD_NOW);
    const struct jit_library *(*get_library)(void);

    if (!handle)
        return NULL;
    *(void **)&get_library = dlsym(handle, JIT_SYMBOL);
    return get_library()->start(gpu_qpu_jit_calls(), host) ? get_library() : NULL;
}
