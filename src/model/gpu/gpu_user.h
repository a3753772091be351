/* SPDX-License-Identifier: MIT
 *
 * The QPU scheduler's queue of user programs: twelve QPUs (16 of an engine), each a core of gpu_qpu.h, that take turns on
 * the calling thread. Private to the chip; gpu.h has the door.
 */
#ifndef GPU_USER_H
#define GPU_USER_H

#include "model/gpu/gpu.h"

struct gpu_user;
struct gpu_user_io;
struct gpu_user_share;

#define GPU_USER_GROUP_MAX 16u /* requests that the CPU engine hands over at once */

struct gpu_user *gpu_user_create(const struct gpu_memory *mem); /* NULL: out of memory */
void gpu_user_destroy(struct gpu_user *user);                   /* NULL is accepted */

/* The mutex is one with that of others; the QPUs have other numbers, of which the low four bits are as before. */
void gpu_user_share(struct gpu_user *user, struct gpu_user_share *share, unsigned first_qpu);
/* A VPM for programs of graphics on the CPU engine, with one QPU; free() it. NULL: out of memory */
struct gpu_user_io *gpu_user_io_create(struct gpu_user_share *share, unsigned first_qpu);
/* Memory may have changed: forgets decoded programs and textures. */
void gpu_user_begin_job(struct gpu_user *user);

/* Until it is called again; NULL: nothing is counted. */
struct gpu_stats;
void gpu_user_take_stats(struct gpu_user *user, struct gpu_stats *stats);

/* gpu_run_user. Calls from several threads run one after the other. Between gpu_fp_enter() and gpu_fp_leave(). */
enum gpu_status gpu_user_run(struct gpu_user *user, const struct gpu_user_request *requests, unsigned count,
                             uint64_t limit_ns, struct gpu_user_result *result_out, const char **message_out);

#endif
