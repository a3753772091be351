/* SPDX-License-Identifier: MIT
 *
 * A backend for tests: buffer objects in plain memory, jobs that finish when the test says so (or at once), and errors
 * to order. It records what was submitted.
 */
#ifndef FAKE_KMD_H
#define FAKE_KMD_H

#include "kmd/kmd_backend.h"

#define FAKE_MAX_JOBS       4096
#define FAKE_MAX_SYNC_FILES 8

struct fake_job {
    struct kmd_timeline *timeline;
    uint64_t value;
    uint32_t bin_cl_B, uniforms_B, bo_count;
    uint8_t first_byte; /* of bin_cl */
};

struct fake_kmd {
    struct kmd_device base;
    pthread_mutex_t mutex;
    uint32_t next_handle, live_bos, created_bos;
    uint64_t memory_limit_B, memory_used_B; /* limit 0 = none */
    _Atomic bool holds;                     /* whoever creates or exports a BO waits until this is false again */
    _Atomic uint32_t held;                  /* how many wait */
    bool can_purge;                         /* madvise is offered */
    bool has_purged;                        /* what was offered is gone */
    uint32_t offered_bos, madvise_calls;
    bool finish_at_once;
    int submit_error; /* returned by the next submit_error_count submissions */
    uint32_t submit_error_count;
    struct fake_job jobs[FAKE_MAX_JOBS];
    bool has_sync_files; /* played by eventfds, which can be polled likewise */
    struct {
        uint64_t seqno;
        int fd;
    } sync_files[FAKE_MAX_SYNC_FILES]; /* of jobs that have not finished */
    uint32_t sync_file_count;
    _Atomic uint32_t submitted;
    uint32_t finished;
};

struct kmd_device *fake_kmd_create(struct fake_kmd **fake_out);
/* Lets the oldest `count` unfinished jobs finish with `status`. */
void fake_kmd_finish_jobs(struct fake_kmd *fake, uint32_t count, int status);
/* Sleeps until so many wait in a call that `holds` keeps; false after 60 s. */
bool fake_kmd_wait_held(struct fake_kmd *fake, uint32_t count);
/* Sleeps until `count` jobs have been submitted since creation; false after 5 s. */
bool fake_kmd_wait_submitted(struct fake_kmd *fake, uint32_t count);

#endif
