/* SPDX-License-Identifier: MIT
 *
 * What the QPU tests share: a small memory, programs from text, runs.
 */
#ifndef TEST_GPU_QPU_HARNESS_H
#define TEST_GPU_QPU_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "model/gpu/gpu_alu.h"
#include "model/gpu/gpu_qpu.h"

#define HARNESS_CODE     0x1000u
#define HARNESS_UNIFORMS 0x8000u
#define HARNESS_DATA     0x10000u /* room for 64 KiB */
#define HARNESS_MEMORY_B 0x20000u /* mapped from 0x1000 up */

struct harness {
    struct gpu_memory mem;
    struct gpu_qpu_core *core;
    uint32_t vpm_in[GPU_VPM_ROWS][QPU_LANES], vpm_out[GPU_VPM_ROWS][QPU_LANES];
    const char *message; /* of the last run */
    bool strict;         /* of the next runs */
};

int harness_setup(void **state);
int harness_teardown(void **state);

/* Assembles one instruction a line at HARNESS_CODE; fails the test on bad text. */
void harness_code(struct harness *h, const char *text);
void harness_uniforms(struct harness *h, const uint32_t *words, unsigned count);

/* Runs what harness_code wrote, as a vertex program on vpm_in and vpm_out. */
enum gpu_status harness_run_vertex(struct harness *h);

/* Runs `text` followed by a write of r0 to row 0 of the output and the program's end; fails the test on a fault. */
const uint32_t *harness_r0(struct harness *h, const char *text);

#endif
