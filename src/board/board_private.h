/* SPDX-License-Identifier: MIT
 *
 * The block's state, shared by the files of board/.
 */
#ifndef BOARD_PRIVATE_H
#define BOARD_PRIVATE_H

#include <pthread.h>
#include "board/board_registers.h"
#include "board/board_v3d.h"
#include "model/gpu/gpu.h"

enum { BOARD_BIN, BOARD_RENDER, BOARD_LISTS };

enum board_list_state {
    BOARD_STOPPED_AT_END,
    BOARD_STOPPED_AT_HALT,
    BOARD_RUNNING,
};

/* A thread of the control-list executor. */
struct board_list {
    pthread_t thread;
    bool has_thread;
    enum board_list_state state;
    bool is_executing; /* the thread is inside the chip */
    bool is_waiting;   /* binning: for memory; rendering: for the semaphore */
    bool has_error;
    uint32_t ca, ea;           /* CTnCA while stopped; CTnEA */
    uint32_t begin;            /* CTnCA when it was started */
    uint32_t ca_read;          /* value of CTnCA that was read last */
    uint16_t flushes, returns; /* CTnLC, of the lists that have ended */
    struct gpu_monitor monitor;
};

/* The queue of user programs. */
struct board_user {
    pthread_t thread;
    bool has_thread;
    bool is_executing;
    atomic_bool cancelled;
    bool is_hung; /* no further program starts */
    bool has_error;
    uint8_t requested, completed;
    uint32_t uniforms_addr, uniforms_count; /* SRQUA, SRQUL */
    struct gpu_user_request queue[SRQ_DEPTH];
    unsigned first, length;
    unsigned running;                        /* programs that have been started and have not ended */
    uint32_t interrupts, interrupts_enabled; /* DBQITC, DBQITE */
};

struct board_v3d {
    struct board_v3d_machine machine;
    struct gpu_memory memory;
    struct gpu *gpu;

    pthread_mutex_t mutex;  /* guards everything below */
    pthread_cond_t changed; /* anything that a thread may wait for */
    bool ends;              /* the block is being destroyed */
    unsigned resets;        /* threads that wait for a reset: nothing may start */
    struct board_list list[BOARD_LISTS];
    struct board_user user;
    uint32_t interrupts, interrupts_enabled; /* INTCTL, INTENA */
    uint32_t overspill_addr, overspill_B;    /* BPOA, BPOS */
    uint8_t flush_count, frame_count;        /* BFC, RFC */
    uint32_t scratch, l2_enabled, bxcf, sqrsv[2], sqcntl, vpacntl, vpmbase;
    uint32_t counters_enabled; /* PCTRE */
    uint32_t counter[PCTR_COUNTERS], counter_source[PCTR_COUNTERS];
};

/* -- control lists, board_lists.c; the mutex is held --------------------------------------------------------------- */

/* Starts the thread of each list. 0 or -EAGAIN. */
int board_lists_init(struct board_v3d *v3d);
void board_lists_finish(struct board_v3d *v3d);
/* Asks the lists to end, and whether any still executes. */
bool board_lists_cancel(struct board_v3d *v3d, unsigned first, unsigned end);
uint32_t board_list_read(struct board_v3d *v3d, unsigned n, enum board_register first);
void board_list_write(struct board_v3d *v3d, unsigned n, enum board_register first, uint32_t value);
uint32_t board_pcs(const struct board_v3d *v3d);

/* -- user programs, board_user.c; the mutex is held ---------------------------------------------------------------- */

int board_user_init(struct board_v3d *v3d);
void board_user_finish(struct board_v3d *v3d);
bool board_user_cancel(struct board_v3d *v3d);
void board_user_request(struct board_v3d *v3d, uint32_t code_addr);
uint32_t board_user_status(const struct board_v3d *v3d);
void board_user_control(struct board_v3d *v3d, uint32_t value);

/* -- registers, board_v3d.c ---------------------------------------------------------------------------------------- */

/* The level of the interrupt line; the mutex is held. */
bool board_interrupt_level(const struct board_v3d *v3d);
/* Adds what a list has counted to the counters that are on; the mutex is held. */
void board_add_counts(struct board_v3d *v3d, const uint64_t counts[GPU_COUNTS]);
/* Unlocks the mutex, and tells the machine if the interrupt's level is another than `level_before`. */
void board_unlock(struct board_v3d *v3d, bool level_before);

#endif
