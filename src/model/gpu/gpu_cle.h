/* SPDX-License-Identifier: MIT
 *
 * Control-list executor: walks a list record by record and hands each to a function from a table. The binning thread,
 * the rendering thread and the walk over one tile's list each have a table of their own; a record without a function
 * does not belong there and ends the run as a hang.
 */
#ifndef GPU_CLE_H
#define GPU_CLE_H

#include "hw/cl_gen.h"
#include "model/gpu/gpu.h"

struct gpu_cle;

enum gpu_cle_next { GPU_CLE_GO_ON, GPU_CLE_STOP };

/* `record` is whole and stays valid; cle->ca already points behind it and may be moved. */
typedef enum gpu_cle_next gpu_cle_fn(struct gpu_cle *cle, const uint8_t *record);

struct gpu_cle {
    const struct gpu_memory *mem;
    gpu_cle_fn *const *table; /* 256 entries */
    void *unit;               /* whose functions the table holds */
    uint32_t ca, ea;          /* as CTnCA and CTnEA; `ea` does not bound a tile list */
    bool unbounded;           /* a tile list: ends with a return from sub-list */
    /* What to do with a record that cannot be read; NULL: it is a hang. */
    enum gpu_cle_next (*broken)(struct gpu_cle *cle, const char *why);
    uint32_t record_count;
    struct util_work_limit *limit;
    enum gpu_status status;
    const char *message; /* static */
};

/* Runs until CA reaches EA, a function stops or something is wrong. */
enum gpu_status gpu_cle_run(struct gpu_cle *cle);

/* Ends the run with a status and the reason. */
enum gpu_cle_next gpu_cle_fail(struct gpu_cle *cle, enum gpu_status status, const char *message);

/* Looks at the limit now and then; false after having failed. Called by whoever loops inside of one record. */
bool gpu_cle_in_time(struct gpu_cle *cle);

/* Functions that several tables hold. */
gpu_cle_fn gpu_cle_nop;
gpu_cle_fn gpu_cle_halt;
gpu_cle_fn gpu_cle_branch;

#endif
