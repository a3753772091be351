/* SPDX-License-Identifier: MIT
 *
 * What the tests of the back end share: IR text in, a run of the compiled program on the model's interpreter, what it
 * wrote out. Each compiled program is checked for hazards and by the kernel's shader validator.
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
#define HARNESS_UNIFORMS 0x60000u
#define HARNESS_DATA     0x80000u /* room for 64 KiB: what buffers[] and textures[] stand for */
#define HARNESS_SCRATCH  0xa0000u /* CPU engine: of its one QPU */
#define HARNESS_MEMORY_B 0xc0000u

struct harness {
    struct gpu_memory mem;
    struct gpu_qpu_core *core;
    struct gpu_user_share share; /* CPU engine */
    struct gpu_user_io *user;
    struct util_arena arena;
    struct vc4c_program program; /* the last one that was compiled */
    bool has_program;
    uint32_t push[64];       /* words of VC4C_UNIFORM_PUSH */
    uint32_t buffer_size_B;  /* of every buffer; they all lie at HARNESS_DATA */
    bool single_thread;      /* compile without thread switches */
    uint32_t tex_p0, tex_p1; /* config words of every texture */

    uint32_t vpm_in[GPU_VPM_ROWS][QPU_LANES], vpm_out[GPU_VPM_ROWS][QPU_LANES];
    struct gpu_fragment_io io;
    struct gpu_varying varyings[32];
    uint32_t color[4][QPU_LANES], color_lanes[4], color_count; /* stores in their order */
    uint32_t z[QPU_LANES], z_lanes;
    uint32_t stencil[4], stencil_count;
    uint32_t old_color[QPU_LANES];
    const char *message;
    uint64_t seed; /* named when a run fails; 0: none */
};

int harness_setup(void **state);
int harness_teardown(void **state);

/* The test fails when the text is wrong or does not compile. */
void harness_compile(struct harness *h, const char *text);
/* VC4C_OK, or why not. */
enum vc4c_result harness_try_compile(struct harness *h, const char *text);
/* Runs the program that was compiled last; the test fails on a fault. */
void harness_run(struct harness *h);
/* The same, each quad with the varyings that io.varyings names. */
void harness_run_with_varyings(struct harness *h);
void harness_drop_program(struct harness *h);

/* Compiles and runs; row 0 of what a vertex program stored, or the first colour of a fragment program. */
const uint32_t *harness_word(struct harness *h, const char *text);

#endif
