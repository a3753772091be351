/* SPDX-License-Identifier: MIT
 *
 * A test bench for V3D's registers: the block of board/ around a scene's memory, and waits for its interrupt as a
 * driver would wait.
 */
#ifndef TEST_BOARD_BENCH_H
#define TEST_BOARD_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include "board/board_registers.h"
#include "board/board_v3d.h"
#include "gpu_tiles/scene.h"

#define BENCH_CODE 0x3000000u /* memory that no scene uses */
#define BENCH_OUT  0x3100000u

struct bench {
    struct scene *scene;
    struct board_v3d *v3d;
    uint32_t bin_end, render_end; /* of the scene's lists */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned changes; /* of the interrupt line */
};

/* A scene of 130 x 70 pixels with a few triangles, its lists written to memory. `limit_ms` and `resets_by_vpmbase` as
 * in struct board_v3d_machine. */
struct bench *bench_create(uint32_t limit_ms, bool resets_by_vpmbase);
void bench_destroy(struct bench *b);
int bench_setup(void **state); /* 60 s, and no reset by VPMBASE */
int bench_teardown(void **state);

static inline uint32_t rd(struct bench *b, uint32_t offset)
{
    return board_v3d_read(b->v3d, offset);
}

static inline void wr(struct bench *b, uint32_t offset, uint32_t value)
{
    board_v3d_write(b->v3d, offset, value);
}

/* Register of the list thread `n` (0: binning). */
static inline uint32_t ct(enum board_register first, unsigned n)
{
    return (uint32_t)first + 4 * n;
}

/* Starts a list. */
void bench_start(struct bench *b, unsigned n);
/* Waits until the register's `mask` bits have this value. Fails the test after a minute. */
void bench_wait(struct bench *b, uint32_t offset, uint32_t mask, uint32_t value);
/* Waits for an interrupt with one of these bits, which must be enabled, and clears them. */
void bench_wait_interrupt(struct bench *b, uint32_t bits);
/* Runs both lists as a driver does, and compares the picture with the one that the chip draws without registers. */
void bench_frame(struct bench *b);

#endif
