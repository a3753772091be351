/* SPDX-License-Identifier: MIT
 *
 * SUBMIT_CL: copies the caller's data, validates it in the kernel's order, and queues the job [kernel vc4_gem.c, notes
 * 9.3]. A failure has no side effects.
 */
#include <errno.h>
#include <stdlib.h>
#include "model/kernel/krn_job.h"

#define KNOWN_FLAGS                                                                                                    \
    (VC4_SUBMIT_CL_USE_CLEAR_COLOR | VC4_SUBMIT_CL_FIXED_RCL_ORDER | VC4_SUBMIT_CL_RCL_ORDER_INCREASING_X |            \
     VC4_SUBMIT_CL_RCL_ORDER_INCREASING_Y)

struct krn_bo *krn_job_bo(struct krn_job *job, uint32_t index, enum krn_bo_kind kind)
{
    if (index >= job->args.bo_handle_count) {
        krn_refuse(KRN_RULE_BO_INDEX, "%u of %u", index, job->args.bo_handle_count);
        return NULL;
    }
    struct krn_bo *bo = job->bos[index];
    if (bo->kind != kind) {
        krn_refuse(KRN_RULE_BO_KIND, "buffer %u is %sa shader", index, bo->kind == KRN_BO_SHADER ? "" : "not ");
        return NULL;
    }
    return bo;
}

void krn_job_reads_while_binning(struct krn_job *job, const struct krn_bo *bo)
{
    pthread_mutex_lock(&job->dev->lock);
    job->bin_waits_for = MAX2(job->bin_waits_for, bo->write_seqno);
    pthread_mutex_unlock(&job->dev->lock);
}

/* Allocates from the memory of a CPU-engine job; nothing is freed separately. */
static int bump_alloc(uint32_t *next, uint32_t end, uint32_t size_B, uint32_t *addr_out)
{
    if (end - *next < size_B)
        return -ENOMEM;
    *addr_out = *next;
    *next += size_B;
    return 0;
}

int krn_job_make_buffer(struct krn_job *job, uint32_t size_B, struct krn_bo **out)
{
    struct krn_engine_memory *place = job->engine;
    if (!place)
        return krn_bo_create(job->dev, size_B, KRN_BO_KERNEL, out);
    struct krn_bo *bo = out == &job->exec ? &place->exec : &place->rcl;
    *bo = (struct krn_bo){.dev = &place->dev, .size_B = size_B, .kind = KRN_BO_KERNEL};
    *out = bo;
    return bump_alloc(&place->list_addr, place->list_end, util_align(size_B, 16), &bo->addr);
}

int krn_job_get_bin_slot(struct krn_job *job, const uint32_t *jobs, uint32_t *addr_out)
{
    struct krn_engine_memory *place = job->engine;
    if (place)
        return bump_alloc(&place->binner_addr, place->binner_end, KRN_BIN_SLOT_B, addr_out);
    return krn_binner_get_slot(job->dev, jobs, &job->bin_slots, addr_out);
}

static int lookup_bos(struct krn_job *job)
{
    uint32_t count = job->args.bo_handle_count;
    if (!count)
        return krn_refuse(KRN_RULE_SUBMIT_BOS, "a job needs at least one");
    if (count > UINT32_MAX / sizeof(uint32_t) / 8)
        return -ENOMEM;
    uint32_t *handles = malloc(count * sizeof *handles);
    job->bos = calloc(count, sizeof *job->bos);
    int err =
        handles && job->bos ? krn_copy_from_user(handles, job->args.bo_handles, count * sizeof *handles) : -ENOMEM;
    for (uint32_t i = 0; i < count && !err; i++) {
        job->bos[i] = krn_handle_lookup(job->file, handles[i]);
        if (!job->bos[i]) {
            err = krn_refuse_as(-ENOENT, KRN_RULE_SUBMIT_HANDLE, "handle %u", handles[i]);
            break;
        }
        pthread_mutex_lock(&job->dev->lock);
        if (job->bos[i]->madv != VC4_MADV_WILLNEED)
            err = krn_refuse(KRN_RULE_SUBMIT_PURGED, "handle %u", handles[i]);
        job->bos[i]->job_users++;
        pthread_mutex_unlock(&job->dev->lock);
    }
    free(handles);
    return err;
}

/* Copies the caller's three areas, and creates the buffer that the chip will read. Both have the same layout: list,
 * shader records on a 16-byte boundary, uniforms. */
static int copy_user_data(struct krn_job *job)
{
    const struct drm_vc4_submit_cl *args = &job->args;
    uint64_t records_at = util_align64(args->bin_cl_size, 16), uniforms_at = records_at + args->shader_rec_size;
    uint64_t size_B = uniforms_at + args->uniforms_size;
    if (size_B > UINT32_MAX - KRN_PAGE_B)
        return krn_refuse(KRN_RULE_SUBMIT_SIZES, "list %u B, shader records %u B, uniforms %u B", args->bin_cl_size,
                          args->shader_rec_size, args->uniforms_size);
    job->user_data = malloc(size_B);
    if (!job->user_data)
        return -ENOMEM;
    job->bin_in = (struct krn_reader){job->user_data, args->bin_cl_size};
    job->shader_rec_in = (struct krn_reader){job->user_data + records_at, args->shader_rec_size};
    job->uniforms_in = (struct krn_reader){job->user_data + uniforms_at, args->uniforms_size};
    int err = krn_copy_from_user(job->user_data, args->bin_cl, args->bin_cl_size);
    if (!err)
        err = krn_copy_from_user(job->user_data + records_at, args->shader_rec, args->shader_rec_size);
    if (!err)
        err = krn_copy_from_user(job->user_data + uniforms_at, args->uniforms, args->uniforms_size);
    if (!err)
        err = krn_job_make_buffer(job, (uint32_t)size_B, &job->exec);
    if (err)
        return err;
    uint8_t *out = krn_bo_ptr(job->exec);
    job->shader_rec_out =
        (struct krn_writer){out + records_at, job->exec->addr + (uint32_t)records_at, args->shader_rec_size};
    job->uniforms_out =
        (struct krn_writer){out + uniforms_at, job->exec->addr + (uint32_t)uniforms_at, args->uniforms_size};
    return 0;
}

int krn_job_build_lists(struct krn_job *job)
{
    int err = 0;
    if (job->args.bin_cl_size) {
        err = copy_user_data(job);
        if (!err)
            err = krn_validate_bin_list(job);
        if (!err)
            err = krn_validate_shader_records(job);
    }
    if (!err)
        err = krn_validate_surfaces(job);
    if (!err)
        err = krn_render_list_create(job);
    free(job->user_data);
    job->user_data = NULL;
    return err;
}

static int validate(struct krn_job *job)
{
    const struct drm_vc4_submit_cl *args = &job->args;
    if (args->flags & ~KNOWN_FLAGS)
        return krn_refuse(KRN_RULE_SUBMIT_FLAGS, "0x%x", args->flags);
    if (args->pad2)
        return krn_refuse(KRN_RULE_SUBMIT_PAD, "0x%x", args->pad2);
    int err = lookup_bos(job);
    if (err)
        return err;
    if (args->perfmonid && !krn_perfmon_exists(job->file, args->perfmonid))
        return krn_refuse_as(-ENOENT, KRN_RULE_SUBMIT_PERFMON, "%u", args->perfmonid);
    if (args->in_sync || args->out_sync) /* the model has no syncobjs */
        return krn_refuse(KRN_RULE_SUBMIT_SYNC, "in %u, out %u", args->in_sync, args->out_sync);
    return krn_job_build_lists(job);
}

void krn_job_destroy(struct krn_job *job)
{
    krn_binner_put_slots(job->dev, job->bin_slots);
    for (uint32_t i = 0; job->bos && i < job->args.bo_handle_count && job->bos[i]; i++) {
        pthread_mutex_lock(&job->dev->lock);
        job->bos[i]->job_users--;
        pthread_mutex_unlock(&job->dev->lock);
        krn_bo_unref(job->bos[i]);
    }
    free(job->bos);
    free(job->user_data);
    free(job->states);
    krn_bo_unref(job->exec);
    krn_bo_unref(job->rcl);
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
    job->args = *args;
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
