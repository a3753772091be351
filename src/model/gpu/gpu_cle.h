/* SPDX-License-Identifier: MIT
 *
 * Control-list executor: walks a list record by record and calls a function from a table for each. The binning thread,
 * the rendering thread and the walk over one tile's list have a table each. A record without a function is illegal in
 * that list and ends the run as a hang.
 */
#ifndef GPU_CLE_H
#define GPU_CLE_H

#include "hw/cl_gen.h"
#include "model/gpu/gpu.h"

struct gpu_cle;

enum gpu_cle_next { GPU_CLE_GO_ON, GPU_CLE_STOP };

/* `record` is complete and stays valid. cle->ca already points past it and may be changed. */
typedef enum gpu_cle_next gpu_cle_fn(struct gpu_cle *cle, const uint8_t *record);

struct gpu_cle {
    const struct gpu_memory *mem;
    gpu_cle_fn *const *table; /* 256 entries */
    void *unit;               /* the object that the table's functions work on */
    uint32_t ca, ea;          /* as CTnCA and CTnEA; `ea` is ignored if `unbounded` */
    uint32_t record_addr;     /* of the record that is executed, or could not be read */
    struct gpu_monitor *monitor; /* shows record_addr; NULL: nobody watches */
    bool unbounded;           /* a tile list: ends with a return-from-sub-list record */
    /* Called for a record that cannot be read; NULL: such a record is a hang. */
    enum gpu_cle_next (*broken)(struct gpu_cle *cle, const char *why);
    uint32_t record_count;
    struct util_work_limit *limit;
    enum gpu_status status;
    const char *message; /* static */
};

/* Runs until CA reaches EA, a function returns GPU_CLE_STOP, or an error occurs. */
enum gpu_status gpu_cle_run(struct gpu_cle *cle);

/* Ends the run with a status and a static message. Returns GPU_CLE_STOP. */
enum gpu_cle_next gpu_cle_fail(struct gpu_cle *cle, enum gpu_status status, const char *message);

/* Checks the time limit. If it is reached, fails the run and returns false. Functions that loop within one record call
 * this themselves. */
bool gpu_cle_in_time(struct gpu_cle *cle);

/* Functions that are used in several tables. */
gpu_cle_fn gpu_cle_nop;
gpu_cle_fn gpu_cle_halt;
gpu_cle_fn gpu_cle_branch;

#endif
