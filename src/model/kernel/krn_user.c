/* SPDX-License-Identifier: MIT
 *
 * User programs and bus addresses, which the kernel's driver does not offer and its ioctls do not reach. Tests run QPU
 * programs with them, as others do on boards through the firmware or the registers.
 */
#include <errno.h>
#include <stdlib.h>
#include "model/kernel/krn_device.h"
#include "util/thread.h"

int model_bo_address(struct model_file *file, uint32_t handle, uint32_t *addr_out)
{
    struct krn_bo *bo = krn_handle_lookup(file, handle);
    if (!bo)
        return -ENOENT;
    *addr_out = bo->addr;
    krn_bo_unref(bo);
    return 0;
}

int model_run_user_programs(struct model_file *file, const struct model_user_request *requests, unsigned count,
                            struct model_user_result *result_out)
{
    struct model_device *dev = file->dev;
    struct gpu_user_request *own = calloc(MAX2(count, 1u), sizeof *own);
    struct gpu_user_result result;

    if (!own)
        return -ENOMEM;
    for (unsigned n = 0; n < count; n++)
        own[n] =
            (struct gpu_user_request){requests[n].code_addr, requests[n].uniforms_addr, requests[n].uniforms_count};
    *result_out = (struct model_user_result){0};
    enum gpu_status status =
        gpu_run_user(dev->gpu, own, count, dev->job_timeout_ns, &result, &result_out->message);
    free(own);
    result_out->completed = result.completed;
    result_out->interrupts = result.interrupts;
    result_out->stray_accesses = result.stray_accesses;
    return status == GPU_OK ? 0 : status == GPU_OUT_OF_HOST_MEMORY ? -ENOMEM : -ETIMEDOUT;
}
