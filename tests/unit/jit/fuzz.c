/* SPDX-License-Identifier: MIT
 *
 * Runs random QPU programs in the interpreter and as host code, from the same initial state. Registers, flags, VPM,
 * memory, tile buffer accesses and exit status must be identical bit for bit. A program that gives different results is
 * reduced, and the instructions that are left are printed. VKT_FUZZ=full runs many more programs; VKT_SEED sets the
 * first seed.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "model/jit/jit_code.h"
#include "programs.h"
#include "util/debug.h"
#include "util/thread.h"

#define MEMORY_B      0x20000u
#define CODE          0x1000u
#define UNIFORMS      PROGRAM_UNIFORMS
#define UNIFORM_COUNT 2048u
#define MODES         3u /* interpreted; compiled; compiled code entered at a loop (user programs only) */

/* The state of the machine. Each execution mode has its own. */
struct machine {
    struct util_work_limit limit;
    struct gpu_memory mem;
    struct gpu_qpu_core *core;
    struct gpu_fragment_io fragment;
    struct gpu_vertex_io vertex;
    struct gpu_user_io user;
    struct gpu_user_share share;
    uint32_t rows_in[GPU_VPM_ROWS][QPU_LANES], rows_out[GPU_VPM_ROWS][QPU_LANES];
    uint64_t call_hash; /* a hash of all arguments of the tile buffer functions */
    const char *message;
    enum gpu_status status;
    unsigned entered; /* loops at which host code took over from the interpreter */
};

struct fixture {
    const struct jit_library *library;
    struct machine machine[MODES];
    unsigned programs, compiled, ended;
};

static bool quiet; /* differences are not printed */

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

static struct gpu_varying varyings[GPU_QUADS][256];

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
        io->varyings[q] = varyings[q];
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

static void fill_machine(struct machine *w, struct random r, const struct random_program *program)
{
    fill_rows(&r, w->mem.base, MEMORY_B / 4);
    fill_textures(&r, w->mem.base);
    memcpy(w->mem.base + CODE, program->words, 8 * program->count);
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
        .uniforms_addr = UNIFORMS,
        .uniforms_count = kind == QPU_PROGRAM_USER ? UNIFORM_COUNT : 0,
        .limit = &w->limit,
        .fragment = kind == QPU_PROGRAM_FRAGMENT ? &w->fragment : NULL,
        .vertex = kind == QPU_PROGRAM_VERTEX ? &w->vertex : NULL,
        .user = kind == QPU_PROGRAM_USER ? &w->user : NULL,
        .qpu = kind == QPU_PROGRAM_USER ? 5 : 0,
        .code_addr = CODE,
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

static void run_machine(struct machine *w, enum qpu_program_kind kind, gpu_qpu_native code, bool enters_loops)
{
    struct gpu_qpu_run run = run_of(w, kind);
    struct gpu_fp_mode mode = gpu_fp_enter();

    gpu_qpu_begin_job(w->core);
    w->message = NULL;
    if (kind == QPU_PROGRAM_USER) {
        run_user(w, &run, code, enters_loops);
    } else {
        run.program = gpu_qpu_program_get(w->core, CODE, &w->message);
        w->status = run.program ? gpu_qpu_run_as(w->core, &run, code, &w->message) : GPU_HANG;
    }
    gpu_fp_leave(mode);
}

/* -- comparing ---------------------------------------------------------------------------------------------------- */

static bool differ(const char *what, const void *a, const void *b, size_t size_B)
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

static bool registers_differ(const struct gpu_qpu_core *a, const struct gpu_qpu_core *b, enum qpu_program_kind kind)
{
    bool wrong = differ("accumulators", a->acc, b->acc, sizeof a->acc);

    wrong |= differ("flags", &a->flags, &b->flags, sizeof a->flags);
    for (unsigned n = 0; n < 64; n++) {
        char name[8];
        if (kind != QPU_PROGRAM_USER && !(a->program->named[n / 32] >> n % 32 & 1))
            continue; /* the program does not name this register: it is not even poisoned */
        snprintf(name, sizeof name, "r%c%u", n < 32 ? 'a' : 'b', n % 32);
        wrong |= differ(name, &a->file[n / 32][n % 32], &b->file[n / 32][n % 32], sizeof a->file[0][0]);
    }
    return wrong;
}

static bool machines_differ(const struct machine *a, const struct machine *b, enum qpu_program_kind kind,
                            bool registers)
{
    bool wrong = a->status != b->status || a->message != b->message;

    if (wrong && !quiet)
        print_message("# interpreted: %s; compiled: %s\n", a->message ? a->message : "ended",
                      b->message ? b->message : "ended");
    wrong |= differ("memory", a->mem.base, b->mem.base, MEMORY_B);
    wrong |= differ("rows out", a->rows_out, b->rows_out, sizeof a->rows_out);
    wrong |= differ("rows of the engine", a->user.vpm, b->user.vpm, sizeof a->user.vpm);
    wrong |= differ("stray accesses", &a->user.stray_accesses, &b->user.stray_accesses, 8);
    wrong |= differ("call_hash", &a->call_hash, &b->call_hash, sizeof a->call_hash);
    wrong |= differ("coverage", a->fragment.ms_flags, b->fragment.ms_flags, sizeof a->fragment.ms_flags);
    wrong |= differ("facing", a->fragment.rev_flag, b->fragment.rev_flag, sizeof a->fragment.rev_flag);
    if (registers && a->status == GPU_OK)
        wrong |= registers_differ(a->core, b->core, kind);
    return wrong;
}

/* -- compiling ---------------------------------------------------------------------------------------------------- */

static bool compile(const struct fixture *f, const struct jit_source *source, struct jit_code *out)
{
    const char *why;
    size_t size_B;
    void *file = f->library->compile(source, &size_B, &why);

    if (!file)
        return false;
    if (!jit_code_load(file, size_B, out, &why))
        fail_msg("%s", why);
    free(file);
    return true;
}

/* -- running a program in all modes ------------------------------------------------------------------------------- */

enum outcome { SAME, DIFFERENT, NOT_COMPILED };

static enum outcome run_modes(struct fixture *f, const struct random_program *program, enum qpu_program_kind kind,
                              struct random r, bool registers)
{
    struct jit_source source = {.words = program->words,
                                .count = program->count,
                                .kind = kind,
                                .has_user = kind == QPU_PROGRAM_USER,
                                .keeps_all = registers};
    enum outcome outcome = SAME;
    struct jit_code code;

    if (!compile(f, &source, &code)) /* for example because of a branch into delay slots */
        return NOT_COMPILED;
    for (unsigned mode = 0; mode < (kind == QPU_PROGRAM_USER ? MODES : 2u); mode++) {
        fill_machine(&f->machine[mode], r, program);
        run_machine(&f->machine[mode], kind, mode ? code.entry : NULL, mode == 2);
        if (mode && machines_differ(&f->machine[0], &f->machine[mode], kind, registers))
            outcome = DIFFERENT;
    }
    jit_code_unload(&code);
    return outcome;
}

/* -- reducing a program that gives different results -------------------------------------------------------------- */

/* Removes one part of an instruction. False if it has no such part. */
static bool remove_part(struct qpu_instr *i, unsigned part)
{
    switch (part) {
    case 0:
        *i = qpu_nop();
        return true;
    case 1:
        i->op_add = QPU_A_NOP, i->waddr_add = QPU_W_NOP, i->cond_add = QPU_COND_NEVER;
        return true;
    case 2:
        i->op_mul = QPU_M_NOP, i->waddr_mul = QPU_W_NOP, i->cond_mul = QPU_COND_NEVER;
        return true;
    case 3:
        i->sf = false;
        return true;
    case 4:
        i->unpack = 0;
        return i->sig != QPU_SIG_LOAD_IMM;
    case 5:
        i->pack = 0;
        return true;
    case 6:
        i->cond_add = i->cond_add ? QPU_COND_ALWAYS : 0;
        i->cond_mul = i->cond_mul ? QPU_COND_ALWAYS : 0;
        return true;
    default:
        return false;
    }
}

#define PARTS 7u

static bool shrink(struct fixture *f, struct random_program *program, enum qpu_program_kind kind, struct random r,
                   bool registers)
{
    bool shrunk = false;

    for (uint32_t n = 0; n < PARTS * program->count; n++) {
        uint64_t before = program->words[n / PARTS];
        struct qpu_instr i = qpu_decode(before);
        if (i.sig == QPU_SIG_PROGRAM_END || !remove_part(&i, n % PARTS) || qpu_encode(&i) == before)
            continue;
        program->words[n / PARTS] = qpu_encode(&i);
        if (run_modes(f, program, kind, r, registers) == DIFFERENT)
            shrunk = true;
        else
            program->words[n / PARTS] = before;
    }
    return shrunk;
}

static void print_program(const struct random_program *program)
{
    const struct qpu_instr nop = qpu_nop();

    for (uint32_t n = 0; n < program->count; n++) {
        struct qpu_instr i = qpu_decode(program->words[n]);
        char text[200];
        if (program->words[n] == qpu_encode(&nop))
            continue;
        qpu_print(&i, text, sizeof text);
        print_message("# %3" PRIu32 ": %s\n", n, text);
    }
}

/* Reduces the program until nothing more can be removed, then prints the difference and the instructions that are left.
 * Numbers missing from the listing are nops. */
static void print_difference(struct fixture *f, struct random_program *program, enum qpu_program_kind kind,
                             struct random r, bool registers)
{
    quiet = true;
    while (shrink(f, program, kind, r, registers))
        ;
    quiet = false;
    print_message("# reduced program:\n");
    run_modes(f, program, kind, r, registers);
    print_program(program);
}

/* -- cases -------------------------------------------------------------------------------------------------------- */

typedef void write_program(struct random *r, enum qpu_program_kind kind, struct random_program *out);

static void one_program(struct fixture *f, write_program *write, enum qpu_program_kind kind, uint64_t seed,
                        bool registers)
{
    struct random r = {seed};
    struct random_program program;

    write(&r, kind, &program);
    f->programs++;
    switch (run_modes(f, &program, kind, r, registers)) {
    case DIFFERENT:
        print_difference(f, &program, kind, r, registers);
        fail_msg("seed %" PRIu64 "%s", seed, registers ? "" : ", registers not kept");
        break;
    case SAME:
        f->compiled++;
        f->ended += f->machine[0].status == GPU_OK;
        break;
    case NOT_COMPILED:
        break;
    }
}

static uint64_t first_seed(void)
{
    const char *given = getenv("VKT_SEED");

    return given ? strtoull(given, NULL, 0) : 1;
}

static enum jit_host wanted_host(void)
{
    if (util_debug(UTIL_DEBUG_JIT_SSE2))
        return JIT_HOST_BASE;
    return util_debug(UTIL_DEBUG_JIT_AVX2) ? JIT_HOST_AVX2 : JIT_HOST_BEST;
}

static void run_kind(void **state, write_program *write, enum qpu_program_kind kind)
{
    struct fixture *f = *state;
    const char *fuzz = getenv("VKT_FUZZ");
    uint64_t first = first_seed(), count = wanted_host() == JIT_HOST_BEST ? 20 : 6;

    if (fuzz && !strcmp(fuzz, "full"))
        count = 1000;

    print_message("# seeds from %" PRIu64 "\n", first);
    for (uint64_t n = 0; n < count; n++)
        one_program(f, write, kind, first + n, (first + n) % 3 != 1);
    assert_true(f->compiled >= f->programs - f->programs / 8);
}

static void vertex_programs(void **state)
{
    run_kind(state, random_program, QPU_PROGRAM_VERTEX);
}

static void fragment_programs(void **state)
{
    run_kind(state, random_program, QPU_PROGRAM_FRAGMENT);
}

static void user_programs(void **state)
{
    run_kind(state, random_program, QPU_PROGRAM_USER);
}

static void loops_of_running_programs(void **state)
{
    struct fixture *f = *state;
    run_kind(state, random_loops, QPU_PROGRAM_USER);
    print_message("# %u loops entered in interpreted programs\n", f->machine[2].entered);
    assert_true(f->machine[2].entered >= 4);
}

static void lookups_of_neighbours(void **state)
{
    run_kind(state, random_lookups, QPU_PROGRAM_FRAGMENT);
}

/* The SFU functions in host code, for 16 consecutive words per run: around special values and at random. */
static void special_functions(void **state)
{
    static const uint32_t special_values[] = {0,          0x00800000, 0x3f000000, 0x3f7ffff8,
                                              0x3f800000, 0x40000000, 0x7f800000};
    struct fixture *f = *state;
    struct machine *w = &f->machine[1];
    struct random r = {first_seed()};

    for (unsigned waddr = QPU_W_SFU_RECIP; waddr <= QPU_W_SFU_LOG; waddr++) {
        uint64_t words[16];
        struct jit_source source = {.words = words, .kind = QPU_PROGRAM_VERTEX, .keeps_all = true};
        struct jit_code code;
        static const char *const names[] = {"recip", "rsqrt", "exp", "log"};
        char write[40], error[100];
        snprintf(write, sizeof write, "mov %s, r0", names[waddr - QPU_W_SFU_RECIP]);
        const char *const lines[] = {"mov r0, unif", "mov r1, elem", "add r0, r0, r1", write, "nop", "nop",
                                     "mov ra0, r4", "nop ; end", "nop", "nop"};
        for (source.count = 0; source.count < ARRAY_SIZE(lines); source.count++) {
            struct qpu_instr i;
            assert_true(qpu_parse(lines[source.count], &i, error, sizeof error));
            words[source.count] = qpu_encode(&i);
        }
        assert_true(compile(f, &source, &code));
        memset(w->mem.base + CODE, 0, 8 * ARRAY_SIZE(words));
        memcpy(w->mem.base + CODE, words, 8 * source.count);
        for (unsigned n = 0; n < 4000; n++) {
            uint32_t from =
                n < 200 ? special_values[n % ARRAY_SIZE(special_values)] - random_below(&r, 20) : random_value(&r);
            union gpu_vec in, want;
            memcpy(w->mem.base + UNIFORMS, &from, 4);
            run_machine(w, QPU_PROGRAM_VERTEX, code.entry, false);
            assert_int_equal(w->status, GPU_OK);
            for (unsigned l = 0; l < QPU_LANES; l++)
                in.u[l] = from + l;
            gpu_sfu(waddr, &in, &want);
            if (differ(names[waddr - QPU_W_SFU_RECIP], &want, &w->core->file[0][0], sizeof want))
                fail_msg("from 0x%08" PRIx32, from);
        }
        jit_code_unload(&code);
    }
}

/* -- set-up ------------------------------------------------------------------------------------------------------- */

static int set_up(void **state)
{
    struct fixture *f = aligned_alloc(64, util_align((uint32_t)sizeof *f, 64));
    void *handle = dlopen(getenv("VKT_JIT"), RTLD_NOW);
    const struct jit_library *(*get_library)(void);
    struct random r = {7};

    if (!f || !handle)
        return -1;
    memset(f, 0, sizeof *f);
    *(void **)&get_library = dlsym(handle, JIT_SYMBOL);
    f->library = get_library();
    if (!f->library->start(gpu_qpu_jit_calls(), wanted_host()))
        return -1;
    for (unsigned mode = 0; mode < MODES; mode++) {
        f->machine[mode].mem = (struct gpu_memory){calloc(1, MEMORY_B), MEMORY_B, is_mapped};
        if (gpu_qpu_core_create(&f->machine[mode].mem, &f->machine[mode].core))
            return -1;
    }
    for (unsigned q = 0; q < GPU_QUADS; q++) {
        for (unsigned n = 0; n < ARRAY_SIZE(varyings[0]); n++) {
            uint32_t words[3] = {random_value(&r), random_value(&r), random_value(&r)};
            memcpy(&varyings[q][n], words, sizeof words);
        }
    }
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    print_message("# %u programs, %u compiled, %u ended well\n", f->programs, f->compiled, f->ended);
    for (unsigned mode = 0; mode < MODES; mode++) {
        gpu_qpu_core_destroy(f->machine[mode].core);
        free(f->machine[mode].mem.base);
    }
    free(f);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertex_programs),
        cmocka_unit_test(fragment_programs),
        cmocka_unit_test(user_programs),
        cmocka_unit_test(loops_of_running_programs),
        cmocka_unit_test(lookups_of_neighbours),
        cmocka_unit_test(special_functions),
    };

    return cmocka_run_group_tests_name("jit_fuzz", tests, set_up, tear_down);
}
