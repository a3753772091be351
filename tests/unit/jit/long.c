/* SPDX-License-Identifier: MIT
 *
 * Tests long programs, which are compiled in pieces. Short programs are cut at every place where that is possible: in
 * loops, next to delay slots, with texture requests, special functions, thread switches, varyings, tile buffer and VPM
 * accesses on both sides. Long ones are cut as in real use. Whatever pieces have host code, the outcome is the
 * interpreter's, bit for bit. The cache compiles the pieces of a hot program, keeps them on disk, and replaces a
 * damaged one. The time that compiling takes does not count as work of the job.
 */
#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "machine.h"
#include "model/jit/jit_cache.h"
#include "model/jit/jit_disk.h"
#include "model/jit/jit_library.h"

#define THREADS 3u

struct fixture {
    const struct jit_library *library;
    struct machine machine[2]; /* interpreted, compiled */
};

static const char *const kind_names[] = {
    [QPU_PROGRAM_VERTEX] = "vertex", [QPU_PROGRAM_FRAGMENT] = "fragment", [QPU_PROGRAM_USER] = "user"};

static struct jit_source source_of(const struct random_program *program, enum qpu_program_kind kind)
{
    return (struct jit_source){
        .words = program->words, .count = program->count, .kind = kind, .has_user = kind == QPU_PROGRAM_USER};
}

static void run(struct machine *m, const struct random_program *program, enum qpu_program_kind kind,
                struct jit_pieces *pieces)
{
    const struct machine_program filled = {program->words, program->count, program->varyings};

    m->core->pieces = pieces;
    machine_fill(m, (struct random){3}, &filled);
    machine_run(m, kind, pieces ? jit_pieces_run : NULL, false);
    m->core->pieces = NULL;
}

/* -- cuts at every place ------------------------------------------------------------------------------------------- */

static const char *const fragment_lines[] = {
    "nop ; fmul r0, vary_b, ra15",
    "fadd ra0, r0, r5",
    "nop ; fmul r0, vary_b, ra15",
    "fadd ra1, r0, r5",
    /* requests whose results wait while others are made, one of them with two parameters */
    "ldi r0, 0x10040",
    "add r1, r0, elem",
    "mov tmu0_s, r1",
    "ldi tmu0_s, 0x10100",
    "ldi unif_addr, 0x7010",
    "mov tmu1_t, ra0",
    "mov tmu1_s, ra1",
    "ldi unif_addr, 0x8000",
    "nop ; load_tmu0",
    "mov ra2, r4",
    /* a special function on its way to r4, and a register that is not readable yet */
    "mov ra3, unif",
    "mov recip, ra3",
    "mov rb3, ra3",
    "fadd ra4, ra4, rb3",
    "mov ra5, r4",
    "nop ; load_tmu1",
    "mov ra6, r4",
    "nop ; load_tmu0",
    "mov ra7, r4",
    /* a loop with flags that live across its end, and work in the delay slots */
    "ldi rb0, 3",
    "mov r1, 0",
    "add r1, r1, 1",
    "mov r2, rb0",
    "sub.sf rb0, r2, 1",
    "br.anynz pc + -56",
    "add ra8, r1, r2",
    "fadd ra0, ra0, r1",
    "nop ; fmul ra1, ra1, unif_b",
    /* a branch forward, taken in some lanes' favour */
    "mov.sf nop, elem",
    "mov.ifz rb5, unif",
    "br.allz pc + 16",
    "mov ra9, 9",
    "mov ra10, 10",
    "mov ra11, 11",
    "mov ra12, 12",
    "mov ra13, 13",
    /* a thread switch, after which accumulators are lost */
    "mov ra14, r1 ; thrsw",
    "nop",
    "nop",
    "mov r2, ra14",
    /* the tile buffer */
    "mov tlb_z, rb15",
    "nop ; load_color",
    "mov ra16, r4",
    "add tlb_c, ra16, r2",
    "nop ; end",
    "nop",
    "nop",
};

static const char *const vertex_lines[] = {
    "ldi vpm_wr_setup, 0x1a00",
    "ldi vpm_rd_setup, 0x401a00",
    "mov r0, vpm",
    "mov r1, vpm",
    "fadd r2, r0, r1",
    "mov vpm, r2",
    "mov ra0, vpm",
    "nop",
    "nop ; fmul r3, ra0, r2",
    "mov rsqrt, r3",
    "mov vpm, vpm",
    "mov ra1, r3",
    "mov vpm, r4",
    "mov.sf nop, elem",
    "mov.ifz vpm, ra1",
    "nop ; end",
    "nop",
    "nop",
};

static const char *const user_lines[] = {
    "ldi r3, 5",
    "ldi vpm_wr_setup, 0x1a00",
    "mov vpm, elem",
    "ldi vpm_wr_setup, 0x80904000",
    "ldi r1, 0x10400",
    "mov vpm_st_addr, r1",
    "mov nop, vpm_st_wait",
    "sub.sf r3, r3, 1",
    "mov r0, mutex",
    "mov ra1, r3",
    "mov mutex_release, 0",
    "br.anynz pc + -104",
    "add ra2, r3, r3",
    "nop",
    "mov tmu0_s, r1",
    "nop ; load_tmu0",
    "mov ra3, r4",
    "nop ; end",
    "nop",
    "nop",
};

static void parse(const char *const *lines, unsigned count, struct random_program *out)
{
    *out = (struct random_program){.count = 0};
    for (; out->count < count; out->count++) {
        struct qpu_instr i;
        char error[100];
        if (!qpu_parse(lines[out->count], &i, error, sizeof error))
            fail_msg("%s: %s", lines[out->count], error);
        out->words[out->count] = qpu_encode(&i);
        out->varyings += i.sig == QPU_SIG_NONE && i.raddr_b == QPU_R_VARYING;
    }
}

/* Where the program can be cut at all. */
static unsigned count_cuts(bool seen[PROGRAM_MAX])
{
    unsigned count = 0;

    for (uint32_t n = 0; n < PROGRAM_MAX; n++)
        count += seen[n];
    return count;
}

static void cut_everywhere(struct fixture *f, const char *const *lines, unsigned count, enum qpu_program_kind kind)
{
    static bool seen[PROGRAM_MAX];
    struct random_program program;
    struct random r = {1};

    parse(lines, count, &program);
    memset(seen, 0, sizeof seen);
    run(&f->machine[0], &program, kind, NULL);
    assert_int_equal(f->machine[0].status, GPU_OK);
    for (uint32_t length = 1; length <= 9; length++) {
        struct jit_source source = source_of(&program, kind);
        struct cut_program cut;
        source.piece_instrs = length;
        assert_true(cut_program_create(f->library, &source, &cut));
        for (uint32_t n = 0; n < cut.pieces.plan.count; n++)
            seen[cut.pieces.plan.pieces[n].begin] = true;
        for (unsigned turn = 0; turn < 20; turn++) {
            cut_program_choose(&cut, !turn, &r, kind);
            run(&f->machine[1], &program, kind, &cut.pieces);
            if (machines_differ(&f->machine[0], &f->machine[1], kind, false, false))
                fail_msg("%s program in pieces of %u, %s with host code", kind_names[kind], length,
                         turn ? "some" : "all");
        }
        cut_program_destroy(&cut);
    }
    print_message("# %s program of %u instructions: cut at %u places\n", kind_names[kind], count, count_cuts(seen));
    assert_true(count_cuts(seen) >= count / 2);
}

static void test_cut_everywhere(void **state)
{
    cut_everywhere(*state, fragment_lines, ARRAY_SIZE(fragment_lines), QPU_PROGRAM_FRAGMENT);
    cut_everywhere(*state, vertex_lines, ARRAY_SIZE(vertex_lines), QPU_PROGRAM_VERTEX);
    cut_everywhere(*state, user_lines, ARRAY_SIZE(user_lines), QPU_PROGRAM_USER);
}

/* -- where it is cut ----------------------------------------------------------------------------------------------- */

/* A cut is never made between a branch or a thread switch and the instruction at which it takes effect. */
static void test_what_is_not_cut(void **state)
{
    struct random_program program;

    parse(fragment_lines, ARRAY_SIZE(fragment_lines), &program);
    for (uint32_t length = 1; length < 20; length++) {
        struct jit_source source = source_of(&program, QPU_PROGRAM_FRAGMENT);
        struct jit_pieces pieces;
        const char *why;
        source.piece_instrs = length;
        assert_true(jit_pieces_init(&pieces, &source, &why));
        for (uint32_t n = 1; n < pieces.plan.count; n++) {
            const uint32_t at = pieces.plan.pieces[n].begin;
            assert_int_equal(at, pieces.plan.pieces[n - 1].end);
            for (uint32_t back = 1; back <= 3 && back <= at; back++) {
                const struct qpu_instr before = qpu_decode(program.words[at - back]);
                assert_int_not_equal(before.sig, QPU_SIG_BRANCH);
                if (back < 3) {
                    assert_int_not_equal(before.sig, QPU_SIG_THREAD_SWITCH);
                    assert_int_not_equal(before.sig, QPU_SIG_PROGRAM_END);
                }
            }
        }
        jit_pieces_finish(&pieces);
    }
}

/* A loop that fits in a piece is not cut. */
static void test_loops_are_kept_whole(void **state)
{
    static const char *const body[] = {
        "fadd r0, r0, r1", "sub.sf ra0, ra0, r2", "br.anynz pc + -48", "nop", "nop", "nop"};
    static struct random_program program;
    struct jit_source source;
    struct jit_pieces pieces;
    const char *why;
    char error[100];

    program.count = 0;
    while (program.count < 3000) {
        for (unsigned n = 0; n < ARRAY_SIZE(body); n++) {
            struct qpu_instr i;
            assert_true(qpu_parse(body[n], &i, error, sizeof error));
            program.words[program.count++] = qpu_encode(&i);
        }
    }
    struct qpu_instr end = qpu_nop();
    program.words[program.count++] = qpu_encode(&end);
    end.sig = QPU_SIG_PROGRAM_END;
    program.words[program.count++] = qpu_encode(&end);
    end.sig = QPU_SIG_NONE;
    program.words[program.count++] = qpu_encode(&end);
    program.words[program.count++] = qpu_encode(&end);
    source = source_of(&program, QPU_PROGRAM_VERTEX);
    if (!jit_pieces_init(&pieces, &source, &why))
        fail_msg("%s", why);
    assert_true(pieces.plan.count > 4);
    for (uint32_t n = 1; n < pieces.plan.count; n++)
        assert_int_equal(pieces.plan.pieces[n].begin % ARRAY_SIZE(body), 0);
    jit_pieces_finish(&pieces);
}

/* -- long programs ------------------------------------------------------------------------------------------------- */

/* A random program that is not refused and ends well. */
static void find_long_program(struct fixture *f, enum qpu_program_kind kind, struct random *r,
                              struct random_program *out)
{
    for (unsigned n = 0; n < 500; n++) {
        struct jit_pieces pieces;
        const char *why;
        random_long(r, kind, 1200, out);
        const struct jit_source source = source_of(out, kind);
        if (!jit_pieces_init(&pieces, &source, &why))
            continue;
        jit_pieces_finish(&pieces);
        run(&f->machine[0], out, kind, NULL);
        if (f->machine[0].status == GPU_OK)
            return;
    }
    fail_msg("no %s program ends well", kind_names[kind]);
}

static void test_long_programs(void **state)
{
    static const enum qpu_program_kind kinds[] = {QPU_PROGRAM_VERTEX, QPU_PROGRAM_FRAGMENT, QPU_PROGRAM_USER};
    struct fixture *f = *state;
    struct random_program program;
    struct cut_program cut;

    for (unsigned n = 0; n < ARRAY_SIZE(kinds); n++) {
        struct random r = {20};
        find_long_program(f, kinds[n], &r, &program);
        const struct jit_source source = source_of(&program, kinds[n]);
        assert_true(cut_program_create(f->library, &source, &cut));
        assert_true(cut.pieces.plan.count > 2);
        run(&f->machine[0], &program, kinds[n], NULL);
        for (unsigned turn = 0; turn < 6; turn++) {
            cut_program_choose(&cut, !turn, &r, kinds[n]);
            run(&f->machine[1], &program, kinds[n], &cut.pieces);
            if (machines_differ(&f->machine[0], &f->machine[1], kinds[n], false, false))
                fail_msg("%s program", kind_names[kinds[n]]);
        }
        print_message("# %s program: %u instructions, %u pieces\n", kind_names[kinds[n]], program.count,
                      cut.pieces.plan.count);
        cut_program_destroy(&cut);
    }
}

/* -- the cache ----------------------------------------------------------------------------------------------------- */

struct drawer {
    pthread_t thread;
    struct machine machine;
    const struct random_program *program;
    unsigned runs;
    bool has_all;         /* in the end, the pieces that it ran had host code */
    uint64_t excluded_ns; /* processor time that did not count as its job's */
};

/* Runs the program until a run takes place in host code alone. */
static void *draw(void *arg)
{
    struct drawer *d = arg;
    const struct machine_program filled = {d->program->words, d->program->count, d->program->varyings};
    const struct gpu_fp_mode mode = gpu_fp_enter();
    struct gpu_qpu_run run = {.kind = QPU_PROGRAM_FRAGMENT,
                              .uniforms_addr = PROGRAM_UNIFORMS,
                              .fragment = &d->machine.fragment,
                              .code_addr = MACHINE_CODE};

    machine_fill(&d->machine, (struct random){3}, &filled);
    gpu_qpu_begin_job(d->machine.core);
    run.program = gpu_qpu_program_get(d->machine.core, MACHINE_CODE, &d->machine.message);
    for (d->runs = 0; d->runs < 5000 && !d->has_all; d->runs++) {
        const uint64_t steps = d->machine.core->steps;
        machine_fill(&d->machine, (struct random){3}, &filled);
        d->machine.message = NULL;
        d->machine.status = gpu_qpu_run(d->machine.core, &run, &d->machine.message);
        d->has_all = d->machine.core->pieces && d->machine.core->steps == steps;
    }
    gpu_fp_leave(mode);
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    d->excluded_ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec - util_thread_time_ns();
    return NULL;
}

static struct drawer *create_drawer(const struct random_program *program)
{
    struct drawer *d = aligned_alloc(64, util_align((uint32_t)sizeof *d, 64));

    assert_non_null(d);
    memset(d, 0, sizeof *d);
    d->program = program;
    assert_true(machine_create(&d->machine));
    assert_non_null(d->machine.core->jit);
    return d;
}

static void destroy_drawer(struct drawer *d)
{
    machine_destroy(&d->machine);
    free(d);
}

/* A program without special values and without peripherals that change the machine from run to run. */
static void arithmetic_program(struct random_program *out)
{
    static const char *const part[] = {"nop ; fmul r0, ra0, 1/2", "fadd ra0, r0, r1",   "fmin r2, r2, r0",
                                       "fsub r1, ra0, r0",        "add rb0, rb0, elem", "nop ; fmul ra1, r0, r2"};
    static const char *const last[] = {"mov tlb_c, ra0", "mov tlb_c, ra1", "mov tlb_c, rb0", "nop ; end", "nop", "nop"};
    static const char *const first[] = {"itof ra0, elem", "ldi r1, 0x3f800000", "mov r2, r1", "mov rb0, 0"};
    const char *lines[2000];
    unsigned count = 0;

    for (unsigned n = 0; n < ARRAY_SIZE(first); n++)
        lines[count++] = first[n];
    while (count + ARRAY_SIZE(part) + ARRAY_SIZE(last) <= ARRAY_SIZE(lines)) {
        for (unsigned n = 0; n < ARRAY_SIZE(part); n++)
            lines[count++] = part[n];
    }
    for (unsigned n = 0; n < ARRAY_SIZE(last); n++)
        lines[count++] = last[n];
    parse(lines, count, out);
}

/* Several threads draw with one program. Each gets host code for all of it. Compiling takes a twentieth of a second at
 * the very least, and is not taken for their jobs' work. */
static void test_hot_pieces(void **state)
{
    struct fixture *f = *state;
    struct random_program program;
    struct drawer *drawers[THREADS];
    uint64_t excluded_ns = 0;

    arithmetic_program(&program);
    run(&f->machine[0], &program, QPU_PROGRAM_FRAGMENT, NULL);
    assert_int_equal(f->machine[0].status, GPU_OK);
    for (unsigned n = 0; n < THREADS; n++) {
        drawers[n] = create_drawer(&program);
        assert_int_equal(util_thread_create(&drawers[n]->thread, "draw", draw, drawers[n]), 0);
    }
    for (unsigned n = 0; n < THREADS; n++) {
        struct drawer *d = drawers[n];
        pthread_join(d->thread, NULL);
        print_message("# %u runs\n", d->runs);
        assert_true(d->has_all);
        excluded_ns += d->excluded_ns;
        assert_false(machines_differ(&f->machine[0], &d->machine, QPU_PROGRAM_FRAGMENT, false, false));
        destroy_drawer(d);
    }
    assert_true(excluded_ns > 50000000);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    return remove(path);
}

/* Each piece has a file. A damaged one is made again, the others are used. */
static void test_pieces_on_disk(void **state)
{
    char home[] = "/tmp/vc4vk-long-XXXXXX";
    struct fixture *f = *state;
    struct random_program program;
    struct jit_pieces pieces;
    struct jit_disk disk;
    const char *why;
    size_t size_B;

    assert_non_null(mkdtemp(home));
    assert_int_equal(setenv("XDG_CACHE_HOME", home, 1) | setenv("VC4VK_CACHE", "64", 1), 0);
    arithmetic_program(&program);
    struct jit_source source = source_of(&program, QPU_PROGRAM_FRAGMENT);
    assert_true(jit_pieces_init(&pieces, &source, &why));
    run(&f->machine[0], &program, QPU_PROGRAM_FRAGMENT, NULL);
    for (unsigned round = 0; round < 2; round++) {
        struct drawer *d = create_drawer(&program);
        draw(d);
        assert_true(d->has_all);
        assert_false(machines_differ(&f->machine[0], &d->machine, QPU_PROGRAM_FRAGMENT, false, false));
        destroy_drawer(d); /* and with it the cache */
        jit_disk_init(&disk, jit_library_host(), getenv("VKT_JIT"));
        for (source.piece = 0; source.piece < pieces.plan.count; source.piece++) {
            struct jit_code code;
            void *file = jit_disk_load(&disk, &source, &size_B);
            assert_non_null(file);
            assert_true(jit_code_load(file, size_B, &code, &why));
            jit_code_unload(&code);
            free(file);
        }
        source.piece = 1;
        jit_disk_store(&disk, &source, "damaged", 8);
        jit_disk_finish(&disk);
    }
    jit_pieces_finish(&pieces);
    assert_int_equal(setenv("VC4VK_CACHE", "0", 1), 0);
    nftw(home, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* -- set-up -------------------------------------------------------------------------------------------------------- */

static int set_up(void **state)
{
    struct fixture *f = aligned_alloc(64, util_align((uint32_t)sizeof *f, 64));

    if (!f)
        return -1;
    memset(f, 0, sizeof *f);
    f->library = open_jit_library(jit_library_host());
    if (!f->library)
        return -1;
    for (unsigned n = 0; n < 2; n++) {
        if (!machine_create(&f->machine[n]))
            return -1;
        jit_cache_release(f->machine[n].core->jit); /* what is interpreted stays interpreted */
        f->machine[n].core->jit = NULL;
    }
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    for (unsigned n = 0; n < 2; n++)
        machine_destroy(&f->machine[n]);
    free(f);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_everywhere),       cmocka_unit_test(test_what_is_not_cut),
        cmocka_unit_test(test_loops_are_kept_whole), cmocka_unit_test(test_long_programs),
        cmocka_unit_test(test_hot_pieces),           cmocka_unit_test(test_pieces_on_disk),
    };

    return cmocka_run_group_tests_name("jit_long", tests, set_up, tear_down);
}
