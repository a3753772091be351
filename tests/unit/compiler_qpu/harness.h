/* SPDX-License-Identifier: MIT
 *
 * Harness of the back-end tests: compiles IR text, runs the program on the model's interpreter and keeps what it wrote.
 * Each compiled program is checked for hazards and by the kernel's shader validator.
 */
#ifndef TEST_COMPILER_QPU_HARNESS_H
#define TEST_COMPILER_QPU_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "compiler/ir/ir.h"
#include "compiler/qpu/qc.h"
#include "model/gpu/gpu_alu.h"
#include "model/gpu/gpu_qpu.h"
#include "model/gpu/gpu_user.h"

#define HARNESS_CODE     0x1000u
#define HARNESS_UNIFORMS 0x200000u
#define HARNESS_DATA     0x280000u /* 64 KiB that serve as every buffer and texture */
#define HARNESS_SCRATCH  0x2a0000u /* scratch memory of the CPU engine's one QPU */
#define HARNESS_TABLES   0x3c0000u /* the program's tables of constants */
#define HARNESS_MEMORY_B 0x400000u

struct harness {
    struct gpu_memory mem;
    struct gpu_qpu_core *core;
    struct gpu_user_share share; /* CPU engine */
    struct gpu_user_io *user;
    struct util_arena arena;
    struct vc4c_program program; /* the program compiled last */
    bool has_program;
    uint32_t exprs[VC4C_MAX_EXPRS]; /* results of its expressions */
    uint32_t push[64];       /* words of VC4C_UNIFORM_PUSH */
    uint32_t buffer_size_B;  /* of every buffer; all buffers are at HARNESS_DATA */
    bool single_thread;      /* compile without thread switches */
    uint32_t tex_p0, tex_p1; /* config words of every texture */

    uint32_t vpm_in[GPU_VPM_ROWS][QPU_LANES], vpm_out[GPU_VPM_ROWS][QPU_LANES];
    struct gpu_fragment_io io;
    struct gpu_varying varyings[32];
    uint32_t color[4][QPU_LANES], color_lanes[4], color_count; /* in store order */
    uint32_t z[QPU_LANES], z_lanes;
    uint32_t stencil[4], stencil_count;
    uint32_t old_color[QPU_LANES];
    const char *message;
    uint64_t seed; /* printed when a run fails; 0: none */
};

int harness_setup(void **state);
int harness_teardown(void **state);

/* Fails the test when the text is wrong or does not compile. */
void harness_compile(struct harness *h, const char *text);
/* Fails the test only when the text is wrong; returns the compiler's result. */
enum vc4c_result harness_try_compile(struct harness *h, const char *text);
/* Runs the program compiled last; fails the test on a fault. */
void harness_run(struct harness *h);
/* Like harness_run, but with the varyings that the caller has set in io.varyings per quad. */
void harness_run_with_varyings(struct harness *h);
void harness_drop_program(struct harness *h);

/* Compiles and runs. Returns VPM row 0 of a vertex program, or the first colour stored by a fragment program. */
const uint32_t *harness_word(struct harness *h, const char *text);

#endif
