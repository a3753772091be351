/* SPDX-License-Identifier: MIT
 *
 * Control-list executor [guide p.62-65]. What the chip does with a broken list is not documented; here it ends as a
 * hang with a message that names the reason.
 */
#include "model/gpu/gpu_cle.h"
#include "model/gpu/gpu_mem.h"
#include "util/thread.h"

enum gpu_cle_next gpu_cle_fail(struct gpu_cle *cle, enum gpu_status status, const char *message)
{
    cle->status = status;
    cle->message = message;
    return GPU_CLE_STOP;
}

bool gpu_cle_in_time(struct gpu_cle *cle)
{
    if (!util_work_limit_is_reached(cle->limit))
        return true;
    gpu_cle_fail(cle, GPU_HANG, "control list ran past its time limit");
    return false;
}

enum gpu_cle_next gpu_cle_nop(struct gpu_cle *cle, const uint8_t *record)
{
    return GPU_CLE_GO_ON;
}

enum gpu_cle_next gpu_cle_halt(struct gpu_cle *cle, const uint8_t *record)
{
    return gpu_cle_fail(cle, GPU_HANG, "control list halted");
}

enum gpu_cle_next gpu_cle_branch(struct gpu_cle *cle, const uint8_t *record)
{
    struct cl_branch branch;
    cl_branch_unpack(record, &branch);
    cle->ca = branch.address;
    return GPU_CLE_GO_ON;
}

static const uint8_t *broken(struct gpu_cle *cle, const char *why)
{
    if (cle->broken)
        cle->broken(cle, why);
    else
        gpu_cle_fail(cle, GPU_HANG, why);
    return NULL;
}

/* Returns the record at CA and moves CA past it. NULL if the list cannot be read there. */
static const uint8_t *fetch(struct gpu_cle *cle, gpu_cle_fn **fn_out)
{
    cle->record_addr = cle->ca;
    if (cle->monitor)
        atomic_store_explicit(&cle->monitor->ca, cle->ca, memory_order_relaxed);
    const uint8_t *id = gpu_mem_at(cle->mem, cle->ca, 1);
    if (!id)
        return broken(cle, "control list outside of mapped memory");
    const struct cl_packet_info *info = cl_packet_info(*id);
    *fn_out = cle->table[*id];
    if (!info || !*fn_out)
        return broken(cle, "record that does not belong into this control list");
    const uint8_t *record = gpu_mem_at(cle->mem, cle->ca, info->size_B);
    if (!record || (!cle->unbounded && cle->ea - cle->ca < info->size_B))
        return broken(cle, "control list ends inside of a record");
    cle->ca += info->size_B;
    return record;
}

enum gpu_status gpu_cle_run(struct gpu_cle *cle)
{
    cle->status = GPU_OK;
    while (cle->unbounded || cle->ca != cle->ea) {
        if ((++cle->record_count & 0x3ff) == 0 && !gpu_cle_in_time(cle))
            break;
        gpu_cle_fn *fn = NULL;
        const uint8_t *record = fetch(cle, &fn);
        if (!record || fn(cle, record) == GPU_CLE_STOP)
            break;
    }
    return cle->status;
}
