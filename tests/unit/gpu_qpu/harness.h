/* SPDX-License-Identifier: MIT
 *
 * Harness of the QPU tests: a small memory, an assembler for programs in text form, and functions that run them.
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
#define HARNESS_DATA     0x10000u /* 64 KiB */
#define HARNESS_MEMORY_B 0x20000u /* end of the memory; it is mapped from 0x1000 on */

struct harness {
    struct gpu_memory mem;
    struct gpu_qpu_core *core;
    uint32_t vpm_in[GPU_VPM_ROWS][QPU_LANES], vpm_out[GPU_VPM_ROWS][QPU_LANES];
    const char *message; /* of the last run */
    bool strict;         /* makes later runs refuse reads of undefined registers */
};

int harness_setup(void **state);
int harness_teardown(void **state);

/* Assembles `text`, one instruction per line, to HARNESS_CODE; fails the test on bad text. */
void harness_code(struct harness *h, const char *text);
void harness_uniforms(struct harness *h, const uint32_t *words, unsigned count);

/* Runs the program that harness_code assembled, as a vertex program on vpm_in and vpm_out. */
enum gpu_status harness_run_vertex(struct harness *h);

/* Runs `text`, followed by code that writes r0 to output row 0 and ends the program, and returns that row. Fails the
 * test on a fault. */
const uint32_t *harness_r0(struct harness *h, const char *text);

#endif
