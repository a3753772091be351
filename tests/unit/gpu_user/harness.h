/* SPDX-License-Identifier: MIT
 *
 * Harness of the user-program tests: a chip with a small memory, an assembler for programs in text form, and functions
 * that run them.
 */
#ifndef TEST_GPU_USER_HARNESS_H
#define TEST_GPU_USER_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "model/gpu/gpu.h"
#include "model/gpu/gpu_qpu.h"
#include "model/gpu/gpu_user.h"

#define MEMORY_B 0x80000u /* end of the memory; it is mapped from 0x1000 on, except for the page at HOLE */
#define HOLE     0x7e000u
#define UNIFORMS 0x1000u
#define CODE     0x10000u
#define DATA     0x20000u
#define OUT      0x40000u

#define END "\n nop ; end \n nop \n nop \n"

struct harness {
    struct gpu_memory mem;
    struct gpu *gpu;
    struct gpu_user *engine; /* runs the programs; NULL: the chip does */
    struct gpu_user_share share;
    struct gpu_user_result result; /* of the last run */
    const char *message;
    uint64_t timeout_ns; /* of later runs */
};

int harness_setup(void **state);
int harness_setup_engine(void **state); /* for programs of the CPU engine */
int harness_teardown(void **state);

/* Clears the memory from DATA to the end. */
void harness_clear(struct harness *h);
/* Assembles one instruction per line; fails the test on bad text. */
void harness_code(struct harness *h, uint32_t addr, const char *text);

static inline uint32_t *harness_words(struct harness *h, uint32_t addr)
{
    return (uint32_t *)(void *)(h->mem.base + addr);
}

enum gpu_status harness_run(struct harness *h, const struct gpu_user_request *requests, unsigned count);
/* Runs `count` copies of the program at CODE; copy n reads `uniforms` words from UNIFORMS + 4 * uniforms * n. Fails the
 * test on an error. */
void harness_run_copies(struct harness *h, unsigned count, unsigned uniforms);

#endif
