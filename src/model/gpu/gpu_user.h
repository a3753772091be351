/* SPDX-License-Identifier: MIT
 *
 * The QPU scheduler's queue of user programs: twelve QPUs (64 on the CPU engine), each a core of gpu_qpu.h, which take
 * turns on the calling thread. Private to the chip; gpu.h has the public functions.
 */
#ifndef GPU_USER_H
#define GPU_USER_H

#include "model/gpu/gpu.h"

struct gpu_user;
struct gpu_user_io;
struct gpu_user_share;

#define GPU_USER_SET       16u /* QPUs that share a VPM */
#define GPU_USER_SETS      4u  /* of the CPU engine */
#define GPU_USER_GROUP_MAX (GPU_USER_SETS * GPU_USER_SET) /* requests that the CPU engine passes at once */

struct gpu_user *gpu_user_create(const struct gpu_memory *mem); /* NULL: out of memory */
void gpu_user_destroy(struct gpu_user *user);                   /* NULL is accepted */

/* Makes the programs use the mutex of `share`, which others use too, and all sets of QPUs. The QPU numbers of the first
 * set start at `first_qpu`, those of each further set `step` later; both are multiples of 16. 0 or
 * -ENOMEM. */
int gpu_user_share(struct gpu_user *user, struct gpu_user_share *share, unsigned first_qpu, unsigned step)
    UTIL_MUST_CHECK;
/* A VPM for programs that run on one QPU of the CPU engine, as graphics programs do. Freed with free(). NULL: out of
 * memory. */
struct gpu_user_io *gpu_user_io_create(struct gpu_user_share *share, unsigned first_qpu);
/* Drops decoded programs and textures, because memory may have changed. DMA stores of programs to other bytes than
 * `kept` are dropped; NULL: none are. The array must remain valid during the job. */
struct gpu_kept_stores;
void gpu_user_begin_job(struct gpu_user *user, const struct gpu_kept_stores *kept, unsigned count);

/* Counts costs until the next call. NULL: stop counting. */
struct gpu_stats;
void gpu_user_set_stats(struct gpu_user *user, struct gpu_stats *stats);

/* Implements gpu_run_user(). `limit` was begun by the calling thread. Calls from several threads are serialised. Needs
 * gpu_fp_enter(). */
struct util_work_limit;
enum gpu_status gpu_user_run(struct gpu_user *user, const struct gpu_user_request *requests, unsigned count,
                             struct util_work_limit *limit, struct gpu_user_result *result_out,
                             const char **message_out);
/* Implements gpu_run_user_source(). `limit` may be uninitialised. */
struct gpu_user_source;
enum gpu_status gpu_user_run_source(struct gpu_user *user, const struct gpu_user_source *source,
                                    struct util_work_limit *limit, uint64_t limit_ns,
                                    struct gpu_user_result *result_out, const char **message_out);
/* Sets the semaphores to 0 and releases the mutex. */
void gpu_user_reset(struct gpu_user *user);

#endif
