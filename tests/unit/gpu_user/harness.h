/* SPDX-License-Identifier: MIT
 *
 * What the tests of user programs share: a chip with a small memory, programs from text, runs.
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

#define MEMORY_B 0x80000u /* mapped from 0x1000 up, but for the page at HOLE */
#define HOLE     0x7e000u
#define UNIFORMS 0x1000u
#define CODE     0x10000u
#define DATA     0x20000u
#define OUT      0x40000u

#define END "\n nop ; end \n nop \n nop \n"

struct harness {
    struct gpu_memory mem;
    struct gpu *gpu;
    struct gpu_user_result result; /* of the last run */
    const char *message;
    uint64_t timeout_ns; /* of the next runs */
};

int harness_setup(void **state);
int harness_teardown(void **state);

/* Clears DATA and what follows. */
void harness_clear(struct harness *h);
/* Assembles one instruction a line; fails the test on bad text. */
void harness_code(struct harness *h, uint32_t addr, const char *text);

static inline uint32_t *harness_words(struct harness *h, uint32_t addr)
{
    return (uint32_t *)(void *)(h->mem.base + addr);
}

enum gpu_status harness_run(struct harness *h, const struct gpu_user_request *requests, unsigned count);
/* `count` times the program at CODE; request n has `uniforms` words from UNIFORMS + 4 * uniforms * n on. Must work. */
void harness_run_copies(struct harness *h, unsigned count, unsigned uniforms);

#endif
