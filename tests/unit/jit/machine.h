/* SPDX-License-Identifier: MIT
 *
 * The machine on which the tests of the JIT compiler run programs: memory with random contents, a fake tile buffer, and
 * one core. Tests run a program on several of them, in different ways, and compare the outcome.
 */
#ifndef TEST_JIT_MACHINE_H
#define TEST_JIT_MACHINE_H

#include "model/gpu/gpu_alu.h"
#include "model/gpu/gpu_qpu.h"
#include "model/gpu/gpu_qpu_state.h"
#include "model/jit/jit_code.h"
#include "model/jit/jit_pieces.h"
#include "programs.h"
#include "util/thread.h"

#define MACHINE_RANDOM_B      0x20000u /* of its memory, from 0 on */
#define MACHINE_CODE          0x20000u
#define MACHINE_MEMORY_B      0x80000u
#define MACHINE_VARYINGS      256u
#define MACHINE_UNIFORM_COUNT 2048u /* of user programs */

/* A program for machine_fill(). */
struct machine_program {
    const uint64_t *words;
    uint32_t count;
    unsigned varyings; /* the number it reads */
};

struct machine {
    struct util_work_limit limit;
    struct gpu_memory mem;
    struct gpu_qpu_core *core;
    struct gpu_fragment_io fragment;
    struct gpu_vertex_io vertex;
    struct gpu_user_io user;
    struct gpu_user_share share;
    uint32_t rows_in[GPU_VPM_ROWS][QPU_LANES], rows_out[GPU_VPM_ROWS][QPU_LANES];
    struct gpu_varying varyings[GPU_QUADS][MACHINE_VARYINGS];
    uint64_t call_hash; /* a hash of all arguments of the tile buffer functions */
    const char *message;
    enum gpu_status status;
    unsigned entered; /* loops at which host code took over from the interpreter */
};

bool machine_create(struct machine *m); /* zeroed before */
void machine_destroy(struct machine *m);
/* Gives machines the same state for the same random state. */
void machine_fill(struct machine *m, struct random r, const struct machine_program *program);
/* Runs the program as host code; `code` NULL: interprets it. `enters_loops`, user programs only: interprets it and
 * enters host code at loop heads. */
void machine_run(struct machine *m, enum qpu_program_kind kind, gpu_qpu_native code, bool enters_loops);
/* Compares memory; prints the first difference unless `quiet`. */
bool machine_differ(const char *what, const void *a, const void *b, size_t size_B, bool quiet);
/* Whether the outcome of two runs of one program differs. `registers`: compares these too if the program ended well. */
bool machines_differ(const struct machine *a, const struct machine *b, enum qpu_program_kind kind, bool registers,
                     bool quiet);

/* The library under test, VKT_JIT, started for the host. NULL: it is missing or does not support that. */
const struct jit_library *open_jit_library(enum jit_host host);

/* A program compiled in pieces. */
struct cut_program {
    struct jit_pieces pieces; /* to run it: core->pieces, with jit_pieces_run() */
    struct jit_code *code;    /* of each piece */
};
bool compile_code(const struct jit_library *library, const struct jit_source *source, struct jit_code *out);
bool cut_program_create(const struct jit_library *library, const struct jit_source *source, struct cut_program *out);
void cut_program_destroy(struct cut_program *cut);
/* The pieces that will run as host code: all, or about half of them. User programs keep the first. */
void cut_program_choose(struct cut_program *cut, bool all, struct random *r, enum qpu_program_kind kind);

#endif
