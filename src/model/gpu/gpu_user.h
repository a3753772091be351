/* SPDX-License-Identifier: MIT
 *
 * The QPU scheduler's queue of user programs: twelve QPUs, each a core of gpu_qpu.h, that take turns on the calling
 * thread. Private to the chip; gpu.h has the door.
 */
#ifndef GPU_USER_H
#define GPU_USER_H

#include "model/gpu/gpu.h"

struct gpu_user;

struct gpu_user *gpu_user_create(const struct gpu_memory *mem); /* NULL: out of memory */
void gpu_user_destroy(struct gpu_user *user);                   /* NULL is accepted */

/* gpu_run_user. Calls from several threads run one after the other. Between gpu_fp_enter() and gpu_fp_leave(). */
enum gpu_status gpu_user_run(struct gpu_user *user, const struct gpu_user_request *requests, unsigned count,
                             uint64_t deadline_ns, struct gpu_user_result *result_out, const char **message_out);

#endif
