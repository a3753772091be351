/* SPDX-License-Identifier: MIT
 *
 * Runs random QPU programs in the interpreter and as host code, from the same initial state. Registers, flags, VPM,
 * memory, tile buffer accesses and exit status must be identical bit for bit. A program that gives different results is
 * reduced, and the instructions that are left are printed. VKT_FUZZ=full runs many more programs; VKT_SEED sets the
 * first seed.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "machine.h"
#include "util/debug.h"

#define MODES 3u /* interpreted; compiled; compiled code entered at a loop (user programs only) */

struct fixture {
    const struct jit_library *library;
    struct machine machine[MODES];
    unsigned programs, compiled, ended, pieces;
};

/* How a program is compiled and compared. */
struct trial {
    const struct random_program *program;
    enum qpu_program_kind kind;
    struct random r;       /* for the machine's state */
    bool registers;        /* compare them */
    uint32_t piece_instrs; /* 0: the program as a whole; else in pieces of this length */
};

static bool quiet; /* differences are not printed */

/* -- running a program in all modes ------------------------------------------------------------------------------- */

enum outcome { SAME, DIFFERENT, NOT_COMPILED };

static struct jit_source source_of(const struct trial *t)
{
    return (struct jit_source){.words = t->program->words,
                               .count = t->program->count,
                               .kind = t->kind,
                               .has_user = t->kind == QPU_PROGRAM_USER,
                               .keeps_all = t->registers,
                               .piece_instrs = t->piece_instrs ? t->piece_instrs : PROGRAM_MAX};
}

static enum outcome run_mode(struct fixture *f, const struct trial *t, unsigned mode, gpu_qpu_native code)
{
    const struct machine_program filled = {t->program->words, t->program->count, t->program->varyings};

    machine_fill(&f->machine[mode], t->r, &filled);
    machine_run(&f->machine[mode], t->kind, code, mode == 2);
    if (mode && machines_differ(&f->machine[0], &f->machine[mode], t->kind, t->registers, quiet))
        return DIFFERENT;
    return SAME;
}

static enum outcome run_whole(struct fixture *f, const struct trial *t)
{
    const struct jit_source source = source_of(t);
    enum outcome outcome = SAME;
    struct jit_code code;

    if (!compile_code(f->library, &source, &code)) /* for example because of a branch into delay slots */
        return NOT_COMPILED;
    for (unsigned mode = 0; mode < (t->kind == QPU_PROGRAM_USER ? MODES : 2u); mode++)
        outcome = MAX2(outcome, run_mode(f, t, mode, mode ? code.entry : NULL));
    jit_code_unload(&code);
    return outcome;
}

/* Runs a program with host code for all of its pieces, and with host code for some, between which it is interpreted. */
static enum outcome run_in_pieces(struct fixture *f, const struct trial *t)
{
    const struct jit_source source = source_of(t);
    struct random r = t->r;
    enum outcome outcome = SAME;
    struct cut_program cut;

    if (!cut_program_create(f->library, &source, &cut))
        return NOT_COMPILED;
    run_mode(f, t, 0, NULL);
    for (unsigned n = 0; n < 3; n++) {
        cut_program_choose(&cut, n == 0, &r, t->kind);
        for (unsigned mode = 1; mode < (t->kind == QPU_PROGRAM_USER ? MODES : 2u); mode++) {
            f->machine[mode].core->pieces = &cut.pieces;
            enum outcome got = run_mode(f, t, mode, jit_pieces_run);
            if (got == DIFFERENT && !quiet)
                print_message("# mode %u, host code for %s\n", mode, n ? "some pieces" : "all pieces");
            outcome = MAX2(outcome, got);
        }
    }
    f->pieces += cut.pieces.plan.count;
    cut_program_destroy(&cut);
    return outcome;
}

static enum outcome run_modes(struct fixture *f, const struct trial *t)
{
    return t->piece_instrs ? run_in_pieces(f, t) : run_whole(f, t);
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

static bool shrink(struct fixture *f, const struct trial *t, struct random_program *program)
{
    bool shrunk = false;

    for (uint32_t n = 0; n < PARTS * program->count; n++) {
        uint64_t before = program->words[n / PARTS];
        struct qpu_instr i = qpu_decode(before);
        if (i.sig == QPU_SIG_PROGRAM_END || !remove_part(&i, n % PARTS) || qpu_encode(&i) == before)
            continue;
        program->words[n / PARTS] = qpu_encode(&i);
        if (run_modes(f, t) == DIFFERENT)
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
static void print_difference(struct fixture *f, const struct trial *t, struct random_program *program)
{
    quiet = true;
    while (shrink(f, t, program))
        ;
    quiet = false;
    print_message("# reduced program:\n");
    run_modes(f, t);
    print_program(program);
}

/* -- cases -------------------------------------------------------------------------------------------------------- */

typedef void write_program(struct random *r, enum qpu_program_kind kind, struct random_program *out);

static void one_program(struct fixture *f, write_program *write, enum qpu_program_kind kind, uint64_t seed,
                        bool in_pieces)
{
    struct random r = {seed};
    struct random_program program;

    write(&r, kind, &program);
    const struct trial t = {.program = &program,
                            .kind = kind,
                            .r = r,
                            .registers = seed % 3 != 1,
                            .piece_instrs = in_pieces ? 4 + (uint32_t)(seed * 7 % 40) : 0};
    f->programs++;
    switch (run_modes(f, &t)) {
    case DIFFERENT:
        print_difference(f, &t, &program);
        fail_msg("seed %" PRIu64 "%s%s", seed, t.registers ? "" : ", registers not kept", in_pieces ? ", pieces" : "");
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

static bool is_full(void)
{
    const char *fuzz = getenv("VKT_FUZZ");

    return fuzz && !strcmp(fuzz, "full");
}

static void run_kind(void **state, write_program *write, enum qpu_program_kind kind)
{
    struct fixture *f = *state;
    uint64_t first = first_seed(), count = is_full() ? 1000 : wanted_host() == JIT_HOST_BEST ? 20 : 6;

    print_message("# seeds from %" PRIu64 "\n", first);
    for (uint64_t n = 0; n < count; n++)
        one_program(f, write, kind, first + n, false);
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

/* Programs cut into pieces much shorter than those of real ones, so that a cut comes everywhere. */
static void pieces(void **state)
{
    static const enum qpu_program_kind kinds[] = {QPU_PROGRAM_VERTEX, QPU_PROGRAM_FRAGMENT, QPU_PROGRAM_USER};
    struct fixture *f = *state;
    uint64_t first = first_seed(), count = is_full() ? 1000 : wanted_host() == JIT_HOST_BEST ? 9 : 3;
    const unsigned compiled = f->compiled;

    for (uint64_t n = 0; n < count; n++) {
        one_program(f, random_program, kinds[(first + n) / 3 % 3], first + n, true);
        if (n % 3 == 2) {
            one_program(f, random_loops, QPU_PROGRAM_USER, first + n, true);
            one_program(f, random_lookups, QPU_PROGRAM_FRAGMENT, first + n, true);
        }
    }
    print_message("# %u pieces\n", f->pieces);
    assert_true(f->compiled - compiled >= count && f->pieces >= 2 * count);
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
        assert_true(compile_code(f->library, &source, &code));
        memset(w->mem.base + MACHINE_CODE, 0, 8 * ARRAY_SIZE(words));
        memcpy(w->mem.base + MACHINE_CODE, words, 8 * source.count);
        for (unsigned n = 0; n < 4000; n++) {
            uint32_t from =
                n < 200 ? special_values[n % ARRAY_SIZE(special_values)] - random_below(&r, 20) : random_value(&r);
            union gpu_vec in, want;
            memcpy(w->mem.base + PROGRAM_UNIFORMS, &from, 4);
            machine_run(w, QPU_PROGRAM_VERTEX, code.entry, false);
            assert_int_equal(w->status, GPU_OK);
            for (unsigned l = 0; l < QPU_LANES; l++)
                in.u[l] = from + l;
            gpu_sfu(waddr, &in, &want);
            if (machine_differ(names[waddr - QPU_W_SFU_RECIP], &want, &w->core->file[0][0], sizeof want, quiet))
                fail_msg("from 0x%08" PRIx32, from);
        }
        jit_code_unload(&code);
    }
}

/* -- set-up ------------------------------------------------------------------------------------------------------- */

static int set_up(void **state)
{
    struct fixture *f = aligned_alloc(64, util_align((uint32_t)sizeof *f, 64));

    if (!f)
        return -1;
    memset(f, 0, sizeof *f);
    f->library = open_jit_library(wanted_host());
    if (!f->library)
        return -1;
    for (unsigned mode = 0; mode < MODES; mode++) {
        if (!machine_create(&f->machine[mode]))
            return -1;
    }
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    print_message("# %u programs, %u compiled, %u ended well\n", f->programs, f->compiled, f->ended);
    for (unsigned mode = 0; mode < MODES; mode++)
        machine_destroy(&f->machine[mode]);
    free(f);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertex_programs),       cmocka_unit_test(fragment_programs),
        cmocka_unit_test(user_programs),         cmocka_unit_test(loops_of_running_programs),
        cmocka_unit_test(lookups_of_neighbours), cmocka_unit_test(pieces),
        cmocka_unit_test(special_functions),
    };

    return cmocka_run_group_tests_name("jit_fuzz", tests, set_up, tear_down);
}
