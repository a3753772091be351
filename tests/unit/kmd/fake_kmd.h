/* SPDX-License-Identifier: MIT
 *
 * A kmd backend for tests. Buffer objects are plain memory, jobs finish when the test says so (or at once), and a test
 * can request errors. The backend records all submissions.
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
    _Atomic bool holds;                     /* creations and exports of BOs block while this is true */
    _Atomic uint32_t held;                  /* the number of blocked threads */
    bool can_purge;                         /* madvise is supported */
    bool has_purged;                        /* BOs offered by madvise have been purged */
    uint32_t offered_bos, madvise_calls;
    bool finish_at_once;
    int submit_error; /* returned by the next submit_error_count submissions */
    uint32_t submit_error_count;
    struct fake_job jobs[FAKE_MAX_JOBS];
    bool has_sync_files; /* eventfds stand in for sync files: both can be polled */
    struct {
        uint64_t seqno;
        int fd;
    } sync_files[FAKE_MAX_SYNC_FILES]; /* of jobs that have not finished */
    uint32_t sync_file_count;
    _Atomic uint32_t submitted;
    uint32_t finished;
};

struct kmd_device *fake_kmd_create(struct fake_kmd **fake_out);
/* Finishes the oldest `count` unfinished jobs with `status`. */
void fake_kmd_finish_jobs(struct fake_kmd *fake, uint32_t count, int status);
/* Sleeps until `count` threads are blocked by `holds`; false after 60 s. */
bool fake_kmd_wait_held(struct fake_kmd *fake, uint32_t count);
/* Sleeps until `count` jobs have been submitted since creation; false after 5 s. */
bool fake_kmd_wait_submitted(struct fake_kmd *fake, uint32_t count);

#endif
