/* SPDX-License-Identifier: MIT
 *
 * A job of the model's kernel: its lists (krn_lists.h), what it holds while it is queued and runs (buffers, binner
 * slots, its place in the order), and what it leaves behind (status, event counts, statistics).
 */
#ifndef KRN_JOB_H
#define KRN_JOB_H

#include "model/kernel/krn_device.h"
#include "model/kernel/krn_lists.h"

struct krn_job {
    struct util_list link;
    struct model_device *dev;
    struct model_file *file;
    struct krn_lists lists;
    uint64_t seqno;

    struct krn_bo **bos;        /* of the table, lists.args.bo_handle_count of them, referenced */
    uint32_t used_bos;          /* this many of them count the job in krn_bo.job_users */
    struct krn_buffer *buffers; /* the same as the lists see them, owned */
    struct krn_bo *list_bos[2]; /* memory of the lists, referenced; NULL: not allocated (yet) */
    uint32_t bin_slots;         /* one bit per binner slot held; the binning thread adds more */
    uint64_t bin_waits_for;     /* seqno of the last job that stores to a buffer which this one's binning reads */

    struct krn_perfmon *perfmon; /* counts its events, referenced; NULL: none */

    int status;                  /* 0, -ETIMEDOUT for a hang, or -ENOMEM */
    uint64_t counts[GPU_COUNTS]; /* by event, if the job has a performance monitor */
    struct model_stats *stats;   /* receives its costs; NULL: not counted */
};

void krn_job_destroy(struct krn_job *job);
/* Takes ownership of the job and returns its sequence number. May wait for older jobs. */
uint64_t krn_sched_queue(struct krn_job *job);

#endif
