/* SPDX-License-Identifier: MIT
 *
 * SUBMIT_CL: looks up the job's buffers, has its lists validated and built (krn_lists.c), and queues it [kernel
 * vc4_gem.c, notes 9.3]. A failure has no side effects.
 */
#include <errno.h>
#include <stdlib.h>
#include "model/kernel/krn_copy.h"
#include "model/kernel/krn_job.h"

#define KNOWN_FLAGS                                                                                                    \
    (VC4_SUBMIT_CL_USE_CLEAR_COLOR | VC4_SUBMIT_CL_FIXED_RCL_ORDER | VC4_SUBMIT_CL_RCL_ORDER_INCREASING_X |            \
     VC4_SUBMIT_CL_RCL_ORDER_INCREASING_Y)

/* -- what the job's lists ask for -- */

static struct krn_job *job_of(struct krn_lists *lists)
{
    return container_of(lists, struct krn_job, lists);
}

static int alloc_list(struct krn_lists *lists, uint32_t size_B, struct krn_list_memory *out)
{
    struct krn_job *job = job_of(lists);
    struct krn_bo **bo = job->list_bos[0] ? &job->list_bos[1] : &job->list_bos[0];
    assert(!*bo);
    int err = krn_bo_create(job->dev, size_B, KRN_BO_KERNEL, KRN_ANYWHERE, bo);
    if (!err)
        *out = (struct krn_list_memory){krn_bo_ptr(*bo), (*bo)->addr};
    return err;
}

static int get_bin_slot(struct krn_lists *lists, uint32_t *addr_out)
{
    struct krn_job *job = job_of(lists);
    return krn_binner_get_slot(job->dev, &job->dev->unfinished_jobs, &job->bin_slots, addr_out);
}

/* A sparse buffer shows memory of any others, and is shown by none: it is ordered after stores to any buffer, and
 * stores to it before reads of any. */
static void binning_reads(struct krn_lists *lists, uint32_t buffer_index)
{
    struct krn_job *job = job_of(lists);
    const struct krn_bo *bo = job->bos[buffer_index];
    pthread_mutex_lock(&job->dev->lock);
    const uint64_t write_seqno =
        bo->is_sparse ? job->dev->write_seqno : MAX2(bo->write_seqno, job->dev->sparse_write_seqno);
    job->bin_waits_for = MAX2(job->bin_waits_for, write_seqno);
    pthread_mutex_unlock(&job->dev->lock);
}

static const struct krn_lists_ops lists_ops = {
    .alloc = alloc_list,
    .get_bin_slot = get_bin_slot,
    .binning_reads = binning_reads,
};

/* -- submission -- */

static int lookup_bos(struct krn_job *job)
{
    const struct drm_vc4_submit_cl *args = &job->lists.args;
    uint32_t count = args->bo_handle_count;
    if (!count)
        return krn_refuse(KRN_RULE_SUBMIT_BOS, "a job needs at least one");
    if (count > UINT32_MAX / sizeof(uint32_t) / 8)
        return -ENOMEM;
    uint32_t *handles = malloc(count * sizeof *handles);
    job->bos = calloc(count, sizeof *job->bos);
    job->lists.buffers = job->buffers = calloc(count, sizeof *job->buffers);
    int err = handles && job->bos && job->buffers
                  ? krn_copy_from_user(job->dev->checks_addresses, handles, args->bo_handles, count * sizeof *handles)
                  : -ENOMEM;
    for (uint32_t i = 0; i < count && !err; i++) {
        job->bos[i] = krn_handle_lookup(job->file, handles[i]);
        if (!job->bos[i]) {
            err = krn_refuse_as(-ENOENT, KRN_RULE_SUBMIT_HANDLE, "handle %u", handles[i]);
            break;
        }
        job->buffers[i] = (struct krn_buffer){job->bos[i]->addr, job->bos[i]->size_B, job->bos[i]->shader};
    }
    pthread_mutex_lock(&job->dev->lock);
    for (uint32_t i = 0; i < count && !err; i++) {
        if (!krn_bo_is_kept_locked(job->bos[i]))
            err = krn_refuse(KRN_RULE_SUBMIT_PURGED, "handle %u", handles[i]);
        else
            job->bos[job->used_bos++]->job_users++;
    }
    pthread_mutex_unlock(&job->dev->lock);
    free(handles);
    return err;
}

static int wait_in_sync(struct krn_job *job)
{
    const struct model_job_hooks *hooks = &job->file->hooks;
    const uint32_t handle = job->lists.args.in_sync;
    int err = hooks->wait_sync ? hooks->wait_sync(hooks->data, handle) : -ENOENT;
    return err ? krn_refuse_as(err, KRN_RULE_SUBMIT_SYNC, "in %u", handle) : 0;
}

/* [kernel] Each buffer is locked once, after validation, so one that is in the table twice is refused then. */
static int check_table(struct krn_job *job)
{
    struct model_device *dev = job->dev;
    int err = 0;
    pthread_mutex_lock(&dev->lock);
    const uint64_t table = ++dev->last_table;
    for (uint32_t i = 0; i < job->lists.args.bo_handle_count && !err; i++) {
        if (job->bos[i]->table == table)
            err = krn_refuse_as(-EALREADY, KRN_RULE_SUBMIT_TWICE, "buffer %u of the table", i);
        job->bos[i]->table = table;
    }
    pthread_mutex_unlock(&dev->lock);
    return err;
}

/* In the kernel's order, which tells what is returned when several things are wrong. */
static int validate(struct krn_job *job)
{
    const struct drm_vc4_submit_cl *args = &job->lists.args;
    if (args->flags & ~KNOWN_FLAGS)
        return krn_refuse(KRN_RULE_SUBMIT_FLAGS, "0x%x", args->flags);
    if (args->pad2)
        return krn_refuse(KRN_RULE_SUBMIT_PAD, "0x%x", args->pad2);
    int err = lookup_bos(job);
    if (err)
        return err;
    if (args->perfmonid) {
        job->perfmon = krn_perfmon_get(job->file, args->perfmonid);
        if (!job->perfmon)
            return krn_refuse_as(-ENOENT, KRN_RULE_SUBMIT_PERFMON, "%u", args->perfmonid);
    }
    if (args->in_sync)
        err = wait_in_sync(job);
    if (!err)
        err = krn_lists_build(&job->lists);
    if (!err)
        err = check_table(job);
    const struct model_job_hooks *hooks = &job->file->hooks;
    if (!err && args->out_sync && !(hooks->has_sync && hooks->has_sync(hooks->data, args->out_sync)))
        err = krn_refuse(KRN_RULE_SUBMIT_SYNC, "out %u", args->out_sync);
    return err;
}

void krn_job_destroy(struct krn_job *job)
{
    krn_binner_put_slots(job->dev, job->bin_slots);
    krn_perfmon_put(job->file, job->perfmon);
    for (uint32_t i = 0; job->bos && i < job->lists.args.bo_handle_count && job->bos[i]; i++) {
        pthread_mutex_lock(&job->dev->lock);
        job->bos[i]->job_users -= i < job->used_bos;
        pthread_mutex_unlock(&job->dev->lock);
        krn_bo_unref(job->bos[i]);
    }
    free(job->bos);
    free(job->buffers);
    for (uint32_t i = 0; i < ARRAY_SIZE(job->list_bos); i++)
        krn_bo_unref(job->list_bos[i]);
    free(job);
}

void model_file_count_next_job(struct model_file *file, struct model_stats *stats)
{
    file->count_next = stats;
}

int krn_ioctl_submit_cl(struct model_file *file, struct drm_vc4_submit_cl *args)
{
    struct krn_job *job = calloc(1, sizeof *job);
    if (!job)
        return -ENOMEM;
    job->dev = file->dev;
    job->file = file;
    job->lists.ops = &lists_ops;
    job->lists.args = *args;
    job->lists.checks_addresses = file->dev->checks_addresses;
    util_list_init(&job->link);
    int err = validate(job);
    if (err) {
        krn_job_destroy(job);
        return err;
    }
    job->stats = file->count_next;
    if (job->stats) /* only then: if nothing is counted, several threads may submit at once */
        file->count_next = NULL;
    args->seqno = krn_sched_queue(job);
    return 0;
}
