/* SPDX-License-Identifier: MIT
 *
 * Collects frames and the work that belongs to them. When a frame has ended and its work has
 * retired, the inspector's own thread writes its page.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "inspect/inspect_state.h"
#include "util/environment.h"
#include "util/log.h"
#include "util/thread.h"

bool inspect_is_wanted(void)
{
    return util_environment("VC4VK_INSPECT") != NULL;
}

/* -- work --------------------------------------------------------------------------------------------------------- */

static void free_work(struct inspect_work *work)
{
    kmd_bo_unref(work->color_bo);
    kmd_bo_unref(work->zs_bo);
    inspect_text_finish(&work->picture.png);
    model_stats_finish(&work->stats);
    free(work->bin_cl.data);
    free(work->shader_rec.data);
    free(work->uniforms.data);
    free(work->bos);
    free(work);
}

static void copy_name(char out[INSPECT_NAME_MAX_B], const char *name)
{
    snprintf(out, INSPECT_NAME_MAX_B, "%s", name ? name : "");
}

static struct inspect_work *new_work(struct inspect_frame *frame, const struct inspect_origin *origin)
{
    struct inspect_work *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    work->frame = frame;
    copy_name(work->label, origin->label);
    copy_name(work->command_buffer, origin->command_buffer);
    copy_name(work->queue_label, origin->queue_label);
    work->queue_family = origin->queue_family;
    work->queue_index = origin->queue_index;
    work->value = origin->value;
    work->queued_ns = origin->queued_ns;
    work->submitted_ns = origin->submitted_ns;
    pthread_mutex_lock(&frame->inspect->mutex);
    util_list_add_tail(&frame->works, &work->link);
    work->number = ++frame->work_count;
    pthread_mutex_unlock(&frame->inspect->mutex);
    work->keeps_details = work->number <= INSPECT_DETAILS_MAX;
    return work;
}

static void copy_list(struct inspect_list *list, const void *data, uint32_t size_B)
{
    const uint32_t kept_B = MIN2(size_B, INSPECT_LIST_MAX_B);
    list->data = kept_B ? malloc(kept_B) : NULL;
    list->size_B = list->data ? kept_B : 0;
    list->whole_B = size_B;
    if (list->data)
        memcpy(list->data, data, kept_B);
}

static struct kmd_bo *stored_bo(const struct kmd_submit *submit, const struct kmd_surface *surface)
{
    return surface->bo_index < submit->bo_count ? kmd_bo_ref(submit->bos[surface->bo_index]) : NULL;
}

static void copy_lists(struct inspect_work *work, const struct kmd_submit *submit)
{
    const struct kmd_render *r = &submit->render;
    copy_list(&work->bin_cl, submit->bin_cl, submit->bin_cl_B);
    copy_list(&work->shader_rec, submit->shader_rec, submit->shader_rec_B);
    copy_list(&work->uniforms, submit->uniforms, submit->uniforms_B);
    work->shader_rec_count = submit->shader_rec_count;
    work->bos = calloc(MAX2(submit->bo_count, 1u), sizeof *work->bos);
    work->bo_count = work->bos ? submit->bo_count : 0;
    for (uint32_t i = 0; i < work->bo_count; i++) {
        struct kmd_bo *bo = submit->bos[i];
        work->bos[i] = (struct inspect_bo){.handle = bo->handle, .size_B = bo->size_B, .is_shader = bo->is_shader};
        if (kmd_bo_model_addr(bo, &work->bos[i].addr))
            work->bos[i].addr = 0;
    }
    work->color_bo =
        stored_bo(submit, r->msaa_color_write.bo_index != KMD_NO_BO ? &r->msaa_color_write : &r->color_write);
    work->zs_bo = stored_bo(submit, r->msaa_zs_write.bo_index != KMD_NO_BO ? &r->msaa_zs_write : &r->zs_write);
}

void inspect_describe_job(struct inspect_work *work, const struct inspect_job *job)
{
    if (!work || work->has_lists) /* an operation of several jobs shows the first one */
        return;
    work->has_lists = true;
    work->render = job->submit->render;
    if (job->notes)
        work->notes = *job->notes;
    if (work->keeps_details)
        copy_lists(work, job->submit);
}

struct inspect_work *inspect_begin_job(struct inspect_frame *frame, const struct inspect_job *job)
{
    struct inspect_work *work = frame ? new_work(frame, &job->origin) : NULL;
    if (!work)
        return NULL;
    work->is_job = true;
    work->is_engine = job->is_engine;
    copy_name(work->name, job->name);
    snprintf(work->class, sizeof work->class, "%s", job->class);
    inspect_describe_job(work, job);
    return work;
}

struct inspect_work *inspect_begin_op(struct inspect_frame *frame, const struct inspect_op *op)
{
    struct inspect_work *work = frame ? new_work(frame, &op->origin) : NULL;
    if (!work)
        return NULL;
    work->is_engine = op->is_engine;
    copy_name(work->name, op->name);
    copy_name(work->text, op->text);
    snprintf(work->class, sizeof work->class, "CPU");
    return work;
}

struct model_stats *inspect_stats(struct inspect_work *work)
{
    return work ? &work->stats : NULL;
}

/* Claims one of the frame's INSPECT_PICTURES_MAX pictures. False when they are used up. */
static bool reserve_picture(struct inspect_frame *frame)
{
    pthread_mutex_lock(&frame->inspect->mutex);
    const bool is_free = frame->picture_count < INSPECT_PICTURES_MAX;
    frame->picture_count += is_free;
    pthread_mutex_unlock(&frame->inspect->mutex);
    return is_free;
}

static void release_picture(struct inspect_frame *frame)
{
    pthread_mutex_lock(&frame->inspect->mutex);
    frame->picture_count--;
    pthread_mutex_unlock(&frame->inspect->mutex);
}

void inspect_end_work(struct inspect_work *work, uint64_t started_ns, uint64_t finished_ns)
{
    if (!work)
        return;
    work->started_ns = started_ns;
    work->finished_ns = finished_ns;
    if (work->has_lists && work->keeps_details && reserve_picture(work->frame)) {
        inspect_take_picture(work);
        if (!work->picture.png.size_B)
            release_picture(work->frame);
    }
    kmd_bo_unref(work->color_bo);
    kmd_bo_unref(work->zs_bo);
    work->color_bo = work->zs_bo = NULL;
}

/* Per thread, because the CPU engine is called by code that does not know which work it runs for. */
static _Thread_local struct inspect_work *current;

void inspect_enter(struct inspect_work *work)
{
    current = work;
}

void inspect_leave(void)
{
    current = NULL;
}

struct inspect_work *inspect_current(void)
{
    return current;
}

/* -- frames ------------------------------------------------------------------------------------------------------- */

static void free_frame(struct inspect_frame *frame)
{
    util_list_for_each_safe(struct inspect_work, work, &frame->works, link)
        free_work(work);
    free(frame);
}

/* NULL when out of memory: the frame is then not inspected. */
static struct inspect_frame *new_frame(struct inspect *inspect)
{
    struct inspect_frame *frame = calloc(1, sizeof *frame);
    if (!frame)
        return NULL;
    frame->inspect = inspect;
    frame->number = inspect->number;
    frame->refs = 1; /* of inspect->frame */
    frame->begin_ns = util_now_ns();
    util_list_init(&frame->works);
    return frame;
}

static void put_locked(struct inspect_frame *frame)
{
    if (--frame->refs)
        return;
    util_list_add_tail(&frame->inspect->to_write, &frame->link);
    pthread_cond_signal(&frame->inspect->wake);
}

struct inspect_frame *inspect_frame_get(struct inspect *inspect)
{
    if (!inspect)
        return NULL;
    pthread_mutex_lock(&inspect->mutex);
    struct inspect_frame *frame = inspect->frame;
    if (frame)
        frame->refs++;
    pthread_mutex_unlock(&inspect->mutex);
    return frame;
}

void inspect_frame_put(struct inspect_frame *frame)
{
    if (!frame)
        return;
    struct inspect *inspect = frame->inspect;
    pthread_mutex_lock(&inspect->mutex);
    put_locked(frame);
    pthread_mutex_unlock(&inspect->mutex);
}

static void next_frame(struct inspect *inspect)
{
    pthread_mutex_lock(&inspect->mutex);
    if (inspect->frame) {
        inspect->frame->end_ns = util_now_ns();
        put_locked(inspect->frame);
    }
    inspect->number++;
    inspect->frame = inspect_selection_has(&inspect->when, inspect->number) ? new_frame(inspect) : NULL;
    pthread_mutex_unlock(&inspect->mutex);
}

void inspect_end_by_present(struct inspect *inspect)
{
    if (inspect && !inspect->when.by_submits)
        next_frame(inspect);
}

void inspect_end_by_submit(struct inspect *inspect)
{
    if (inspect && inspect->when.by_submits)
        next_frame(inspect);
}

void inspect_presented(struct inspect_frame *frame, uint64_t begin_ns, uint64_t end_ns)
{
    if (!frame)
        return;
    pthread_mutex_lock(&frame->inspect->mutex);
    if (frame->present_count < INSPECT_PRESENTS_MAX)
        frame->presents[frame->present_count++] = (struct inspect_span){begin_ns, end_ns};
    pthread_mutex_unlock(&frame->inspect->mutex);
}

/* -- writing ------------------------------------------------------------------------------------------------------ */

/* Writes under another name first, so that the directory never shows an incomplete page. */
static int write_file(const char *path, const struct inspect_text *text)
{
    char partial[INSPECT_DIR_MAX_B + 40];
    snprintf(partial, sizeof partial, "%s.part", path);
    FILE *file = fopen(partial, "wb");
    if (!file)
        return -errno;
    const bool ok = fwrite(text->data, 1, text->size_B, file) == text->size_B;
    const int err = ok ? 0 : errno;
    if (fclose(file) && !err)
        return -errno;
    return err ? -err : rename(partial, path) ? -errno : 0;
}

static void write_frame(struct inspect_frame *frame)
{
    char path[INSPECT_DIR_MAX_B + 32];
    struct inspect_text page = {0};
    if (!frame->work_count)
        return;
    inspect_write_page(frame, &page);
    snprintf(path, sizeof path, "%s/frame-%04" PRIu64 ".html", frame->inspect->when.dir, frame->number);
    const int err = page.failed ? -ENOMEM : write_file(path, &page);
    if (err)
        util_error("inspect: cannot write %s: %s", path, strerror(-err));
    else
        util_info("inspect: frame %" PRIu64 " is in %s", frame->number, path);
    inspect_text_finish(&page);
}

static void *writer_main(void *arg)
{
    struct inspect *inspect = arg;
    pthread_mutex_lock(&inspect->mutex);
    for (;;) {
        while (util_list_is_empty(&inspect->to_write) && !inspect->stop)
            pthread_cond_wait(&inspect->wake, &inspect->mutex);
        if (util_list_is_empty(&inspect->to_write))
            break;
        struct inspect_frame *frame = util_list_first(&inspect->to_write, struct inspect_frame, link);
        util_list_del(&frame->link);
        pthread_mutex_unlock(&inspect->mutex);
        write_frame(frame);
        free_frame(frame);
        pthread_mutex_lock(&inspect->mutex);
    }
    pthread_mutex_unlock(&inspect->mutex);
    return NULL;
}

/* -- creation and destruction ------------------------------------------------------------------------------------- */

static bool can_write(const struct inspect_selection *when)
{
    struct stat s;
    if (mkdir(when->dir, 0777) && errno != EEXIST) {
        util_error("VC4VK_INSPECT: cannot create the directory %s: %s", when->dir, strerror(errno));
        return false;
    }
    if (stat(when->dir, &s) || !S_ISDIR(s.st_mode)) {
        util_error("VC4VK_INSPECT: %s is not a directory", when->dir);
        return false;
    }
    return true;
}

static struct inspect *start(const struct inspect_selection *when)
{
    struct inspect *inspect = calloc(1, sizeof *inspect);
    if (!inspect)
        return NULL;
    inspect->when = *when;
    inspect->number = 1;
    util_list_init(&inspect->to_write);
    util_hash_table_init(&inspect->programs, NULL);
    util_hash_table_init(&inspect->texts, NULL);
    if (pthread_mutex_init(&inspect->mutex, NULL))
        goto fail;
    if (pthread_cond_init(&inspect->wake, NULL))
        goto fail_mutex;
    if (util_thread_create(&inspect->thread, "vc4vk-inspect", writer_main, inspect))
        goto fail_cond;
    if (inspect_selection_has(when, 1))
        inspect->frame = new_frame(inspect);
    return inspect;

fail_cond:
    pthread_cond_destroy(&inspect->wake);
fail_mutex:
    pthread_mutex_destroy(&inspect->mutex);
fail:
    free(inspect);
    return NULL;
}

struct inspect *inspect_create(bool is_model)
{
    struct inspect_selection when;
    if (!inspect_is_wanted())
        return NULL;
    if (!inspect_selection_parse(&when, util_environment("VC4VK_INSPECT"))) {
        util_error("VC4VK_INSPECT: the name of the directory is empty or too long");
        return NULL;
    }
    if (!is_model) {
        util_error("VC4VK_INSPECT: only the model counts what frames cost; set VC4VK_DEVICE=model");
        return NULL;
    }
    if (!can_write(&when))
        return NULL;
    struct inspect *inspect = start(&when);
    if (!inspect)
        util_error("VC4VK_INSPECT: out of memory");
    return inspect;
}

void inspect_destroy(struct inspect *inspect)
{
    if (!inspect)
        return;
    next_frame(inspect);
    pthread_mutex_lock(&inspect->mutex);
    inspect->stop = true;
    pthread_cond_signal(&inspect->wake);
    pthread_mutex_unlock(&inspect->mutex);
    pthread_join(inspect->thread, NULL);
    if (inspect->frame) /* begun by next_frame above */
        free_frame(inspect->frame);
    inspect_finish_programs(inspect);
    pthread_cond_destroy(&inspect->wake);
    pthread_mutex_destroy(&inspect->mutex);
    free(inspect);
}
