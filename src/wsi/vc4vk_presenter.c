/* SPDX-License-Identifier: MIT
 *
 * The presenter: one thread per swapchain that waits until queued images are rendered, paces them and passes them to
 * the target.
 *
 * FIFO shows one image per tick, either of a 60 Hz clock or of the display's own clock if the target keeps pace with
 * it. MAILBOX shows the newest finished image at each tick, and frees an older one as soon as a newer one is finished,
 * so the application never waits for a tick. IMMEDIATE shows each image as soon as it is finished. The clock restarts
 * when nothing was shown for a tick, so a late image is not delayed until the next tick: FIFO_RELAXED behaves the same.
 * Each image has the mode with which it was queued (VK_EXT_swapchain_maintenance1).
 */
#include <stdio.h>
#include "util/log.h"
#include "util/thread.h"
#include "util/trace.h"
#include "wsi/vc4vk_swapchain.h"

#define SHOW_RETRY_NS     UINT64_C(50000000)
#define READER_TIMEOUT_NS UINT64_C(1000000000) /* a reader that takes longer hangs; its image is reused anyway */

static void remove_oldest_locked(struct vc4vk_swapchain *swapchain)
{
    inspect_frame_put(swapchain->pending[0].frame);
    swapchain->pending_count--;
    for (uint32_t i = 0; i < swapchain->pending_count; i++)
        swapchain->pending[i] = swapchain->pending[i + 1];
}

static void free_image_locked(struct vc4vk_swapchain *swapchain, uint32_t image)
{
    if (image < swapchain->image_count)
        swapchain->images[image].state = VC4VK_IMAGE_FREE;
    pthread_cond_broadcast(&swapchain->changed);
}

/* For threads that wait for the image (VK_KHR_present_wait). */
static void set_shown_locked(struct vc4vk_swapchain *swapchain, uint64_t id)
{
    swapchain->shown_id = MAX2(swapchain->shown_id, id);
    pthread_cond_broadcast(&swapchain->changed);
}

static void drop_oldest_locked(struct vc4vk_swapchain *swapchain)
{
    uint32_t image = swapchain->pending[0].image;
    remove_oldest_locked(swapchain);
    free_image_locked(swapchain, image);
}

/* Frees the images that the target does not hold any more. A display server may release an image while its GPU jobs
 * still read it, so this first waits in the kernel until the BO is idle. */
static void reclaim_images(struct vc4vk_swapchain *swapchain)
{
    const uint32_t back = swapchain->lent & ~swapchain->target->held;
    for (uint32_t i = 0; i < swapchain->image_count; i++) {
        VC4VK_FROM_HANDLE(vc4vk_memory, memory, swapchain->images[i].memory);
        if (back & BIT(i) && kmd_bo_wait(memory->part.bo, READER_TIMEOUT_NS))
            util_perf("present: swapchain image %u was released %u ms ago and is still read", i,
                      (uint32_t)(READER_TIMEOUT_NS / 1000000));
    }
    pthread_mutex_lock(&swapchain->lock);
    swapchain->lent &= ~back;
    for (uint32_t i = 0; i < swapchain->image_count; i++)
        if (back & BIT(i))
            free_image_locked(swapchain, i);
    pthread_mutex_unlock(&swapchain->lock);
}

/* Errors are permanent; VK_SUBOPTIMAL_KHR comes and goes with the size of the window. */
static void set_status_locked(struct vc4vk_swapchain *swapchain, VkResult result)
{
    if (swapchain->status >= 0)
        swapchain->status = result;
    pthread_cond_broadcast(&swapchain->changed);
}

/* MAILBOX: waits until the second pending image is finished, which then replaces the first. False when it is not
 * finished by the deadline. */
static bool replace_oldest_locked(struct vc4vk_swapchain *swapchain, uint64_t deadline_ns)
{
    struct vc4vk_timestamp_set ready = swapchain->pending[1].ready;
    pthread_mutex_unlock(&swapchain->lock);
    VkResult result = vc4vk_timestamp_set_wait(swapchain->device->kmd, &ready, deadline_ns);
    pthread_mutex_lock(&swapchain->lock);
    if (result == VK_SUCCESS) {
        VkRect2D *changed = &swapchain->pending[1].changed;
        const uint64_t id = swapchain->pending[0].id;
        *changed = vc4vk_rect_union(*changed, swapchain->pending[0].changed);
        drop_oldest_locked(swapchain);
        set_shown_locked(swapchain, id);
    }
    return result == VK_SUCCESS;
}

/* An image of another mode is queued behind those of MAILBOX, as it would be without them. */
static bool may_replace_oldest_locked(const struct vc4vk_swapchain *swapchain)
{
    return swapchain->pending_count >= 2 && swapchain->pending[0].mode == VK_PRESENT_MODE_MAILBOX_KHR &&
           swapchain->pending[1].mode == VK_PRESENT_MODE_MAILBOX_KHR;
}

/* Sleeps until the tick, or until the swapchain stops or is retired: then pacing ends. */
static void wait_for_tick_locked(struct vc4vk_swapchain *swapchain, uint64_t tick_ns)
{
    bool is_early = true;
    while (is_early && !swapchain->stop && !swapchain->is_retired) {
        if (may_replace_oldest_locked(swapchain))
            is_early = replace_oldest_locked(swapchain, tick_ns);
        else
            is_early = util_cond_wait_until(&swapchain->changed, &swapchain->lock, tick_ns);
    }
}

/* The tick after `tick_ns`. Ticks stay equidistant when this thread wakes slightly late. When it is more than a tick
 * late, they restart from now. */
static uint64_t tick_after(uint64_t tick_ns)
{
    uint64_t now_ns = util_now_ns();
    return (now_ns > tick_ns + VC4VK_REFRESH_NS ? now_ns : tick_ns) + VC4VK_REFRESH_NS;
}

static bool has_ticks(const struct vc4vk_swapchain *swapchain)
{
    const struct vc4vk_target *target = swapchain->target;
    return (swapchain->mode == VK_PRESENT_MODE_MAILBOX_KHR && !(target->shows_images && target->replaces)) ||
           (vc4vk_present_mode_is_fifo(swapchain->mode) && !target->keeps_pace);
}

/* Waits for the oldest pending image and presents it, or in MAILBOX a newer one. Updates *tick_ns, the time of the next
 * tick. */
static void present_locked(struct vc4vk_swapchain *swapchain, uint64_t *tick_ns)
{
    struct vc4vk_timestamp_set ready = swapchain->pending[0].ready;
    swapchain->mode = swapchain->target->mode = swapchain->pending[0].mode;
    pthread_mutex_unlock(&swapchain->lock);
    VkResult result = vc4vk_timestamp_set_wait(swapchain->device->kmd, &ready, UTIL_FOREVER_NS);
    pthread_mutex_lock(&swapchain->lock);
    if (result == VK_SUCCESS && has_ticks(swapchain)) {
        wait_for_tick_locked(swapchain, swapchain->target->free_ns ? swapchain->target->free_ns : *tick_ns);
        *tick_ns = tick_after(*tick_ns);
    }
    struct vc4vk_target *target = swapchain->target;
    const uint32_t index = target->image = swapchain->pending[0].image;
    const struct vc4vk_swapchain_image *image = &swapchain->images[index];
    VkRect2D changed = swapchain->pending[0].changed;
    const uint32_t number = swapchain->pending[0].number;
    const uint64_t id = swapchain->pending[0].id;
    struct inspect_frame *frame = swapchain->pending[0].frame;
    swapchain->pending[0].frame = NULL;
    const bool show = result == VK_SUCCESS && swapchain->status >= 0, keeps_image = show && target->shows_images;
    uint64_t start_ns = util_now_ns();
    if (show) {
        pthread_mutex_unlock(&swapchain->lock);
        vc4vk_present_dump_write(image, target->extent, number);
        if (!keeps_image)
            target->ops->copy(target, image->pixels, image->stride_B, changed);
        pthread_mutex_lock(&swapchain->lock);
    }
    swapchain->is_presenting = true;
    if (keeps_image) {
        remove_oldest_locked(swapchain);
        swapchain->lent |= BIT(index);
    } else {
        drop_oldest_locked(swapchain);
    }
    if (show) {
        pthread_mutex_unlock(&swapchain->lock);
        result = target->ops->show(target);
        if (id && result >= 0 && target->ops->wait_until_visible && vc4vk_present_mode_is_fifo(target->mode))
            target->ops->wait_until_visible(target);
        reclaim_images(swapchain);
        const uint64_t end_ns = util_now_ns();
        util_trace_span(swapchain->track, "present", start_ns, end_ns, NULL);
        vc4vk_perf_present(&swapchain->device->queue_device.scheduler, end_ns - start_ns);
        inspect_presented(frame, start_ns, end_ns);
        pthread_mutex_lock(&swapchain->lock);
    }
    inspect_frame_put(frame);
    swapchain->is_presenting = false;
    set_status_locked(swapchain, result);
    if (show && result >= 0)
        set_shown_locked(swapchain, id);
}

/* Whether show() must be repeated for the last image. With shows_images this is only possible if the target still holds
 * that image. */
static bool needs_retry_locked(const struct vc4vk_swapchain *swapchain)
{
    const struct vc4vk_target *target = swapchain->target;
    return target->needs_retry && swapchain->status >= 0 && !swapchain->is_retired &&
           (!target->shows_images || target->held & BIT(target->image));
}

/* Repeats show() for the image that the display could not show, unless something newer arrives first. */
static void retry_show_locked(struct vc4vk_swapchain *swapchain)
{
    struct vc4vk_target *target = swapchain->target;
    if (util_cond_wait_until(&swapchain->changed, &swapchain->lock, util_deadline_ns(SHOW_RETRY_NS)))
        return; /* woken up: the caller checks the state again */
    pthread_mutex_unlock(&swapchain->lock);
    VkResult result = target->ops->show(target);
    reclaim_images(swapchain);
    pthread_mutex_lock(&swapchain->lock);
    set_status_locked(swapchain, result);
}

static void wait_for_images_locked(struct vc4vk_swapchain *swapchain)
{
    pthread_mutex_unlock(&swapchain->lock);
    VkResult result = swapchain->target->ops->wait(swapchain->target);
    reclaim_images(swapchain);
    pthread_mutex_lock(&swapchain->lock);
    if (result < 0)
        set_status_locked(swapchain, result);
}

static void *presenter_main(void *arg)
{
    struct vc4vk_swapchain *swapchain = arg;
    uint64_t tick_ns = 0;
    pthread_mutex_lock(&swapchain->lock);
    for (;;) {
        if (swapchain->pending_count)
            present_locked(swapchain, &tick_ns);
        else if (swapchain->stop)
            break;
        else if (needs_retry_locked(swapchain))
            retry_show_locked(swapchain);
        else if (swapchain->lent && swapchain->target->ops->wait && swapchain->status >= 0)
            wait_for_images_locked(swapchain);
        else
            pthread_cond_wait(&swapchain->changed, &swapchain->lock);
    }
    pthread_mutex_unlock(&swapchain->lock);
    return NULL;
}

VkResult vc4vk_presenter_start(struct vc4vk_swapchain *swapchain)
{
    char name[48];
    snprintf(name, sizeof name, "swapchain %p", (void *)swapchain);
    swapchain->track = util_trace_track(name);
    if (util_thread_create(&swapchain->thread, "vc4vk-present", presenter_main, swapchain))
        return vc4vk_errorf(swapchain->device, VK_ERROR_OUT_OF_HOST_MEMORY,
                            "swapchain: cannot create the presenter thread");
    swapchain->thread_is_running = true;
    return VK_SUCCESS;
}

void vc4vk_presenter_poll_now_locked(struct vc4vk_swapchain *swapchain)
{
    if (swapchain->target->ops->wake)
        swapchain->target->ops->wake(swapchain->target);
}

void vc4vk_presenter_wake_locked(struct vc4vk_swapchain *swapchain)
{
    pthread_cond_broadcast(&swapchain->changed);
    vc4vk_presenter_poll_now_locked(swapchain);
}

void vc4vk_presenter_stop(struct vc4vk_swapchain *swapchain)
{
    if (!swapchain->thread_is_running)
        return;
    pthread_mutex_lock(&swapchain->lock);
    swapchain->stop = true;
    vc4vk_presenter_wake_locked(swapchain);
    pthread_mutex_unlock(&swapchain->lock);
    pthread_join(swapchain->thread, NULL);
    swapchain->thread_is_running = false;
}

VkResult vc4vk_presenter_push(struct vc4vk_swapchain *swapchain, const struct vc4vk_present_request *request)
{
    const uint32_t image = request->image;
    VkRect2D changed = request->changed;
    pthread_mutex_lock(&swapchain->lock);
    VkResult status = swapchain->status;
    if (swapchain->is_retired)
        status = VK_ERROR_OUT_OF_DATE_KHR; /* an image acquired before may still be returned: it becomes free below */
    if (image >= swapchain->image_count || swapchain->images[image].state != VC4VK_IMAGE_ACQUIRED) {
        status = VK_ERROR_OUT_OF_DATE_KHR; /* invalid usage: ignore it so that the image states stay consistent */
    } else if (status >= 0) {
        swapchain->images[image].state = VC4VK_IMAGE_QUEUED;
        if (!swapchain->has_presented)
            changed = (VkRect2D){.extent = swapchain->target->extent};
        swapchain->has_presented = true;
        uint32_t number = 1 + atomic_fetch_add_explicit(&swapchain->device->present_count, 1, memory_order_relaxed);
        if (request->mode && *request->mode < 32 && swapchain->modes & BIT(*request->mode))
            swapchain->new_mode = *request->mode;
        swapchain->pending[swapchain->pending_count++] = (struct vc4vk_pending_present){
            .image = image,
            .ready = request->ready,
            .changed = changed,
            .number = number,
            .mode = swapchain->new_mode,
            .id = request->id,
            .frame = inspect_frame_get(swapchain->device->queue_device.scheduler.inspect),
        };
    } else {
        swapchain->images[image].state = VC4VK_IMAGE_FREE;
    }
    vc4vk_presenter_wake_locked(swapchain);
    pthread_mutex_unlock(&swapchain->lock);
    return status;
}
