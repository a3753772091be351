/* SPDX-License-Identifier: MIT
 *
 * CPU operations: what touches little runs on the dispatcher's thread, which costs no switch of threads; long ones on
 * the worker of the queue's family, so that the dispatcher goes on feeding the device and the other queues.
 */
#include <errno.h>
#include "queue/vc4vk_item.h"
#include "util/debug.h"
#include "util/log.h"

/* As long as a copy of this size takes, handing it to another thread would take as well. */
#define LONG_B (UINT64_C(128) << 10)

bool vc4vk_cpu_op_is_long(const struct vc4vk_cpu_op *op)
{
    return op->work_B >= LONG_B;
}

VkResult vc4vk_cpu_op_run(struct vc4vk_queue *queue, struct vc4vk_item *item, struct vc4vk_cpu_op *op)
{
    if (util_debug(UTIL_DEBUG_JOBS))
        vc4vk_print_cpu_op(queue, item->value, op);
    vc4vk_inspect_begin_op(queue, item, op);
    item->times.started_ns = util_now_ns();
    VkResult result = op->run(op->arguments);
    item->times.finished_ns = util_now_ns();
    vc4vk_inspect_end_op(item);
    if (result != VK_SUCCESS)
        util_error("CPU operation %llu (%s) failed (VkResult %d)", (unsigned long long)item->value, op->name, result);
    if (op->release)
        op->release(op);
    return result;
}

bool vc4vk_worker_is_free_locked(const struct vc4vk_worker *worker)
{
    return !worker->item && !worker->is_reserved;
}

void vc4vk_worker_start_locked(struct vc4vk_worker *worker, struct vc4vk_queue *queue, struct vc4vk_item *item)
{
    item->finish = VC4VK_FINISH_BY_WORKER;
    worker->is_reserved = false;
    worker->queue = queue;
    worker->item = item;
    worker->op = container_of(item->command, struct vc4vk_cpu_op, command);
    pthread_cond_signal(&worker->wake);
}

static void *worker_main(void *arg)
{
    struct vc4vk_worker *worker = arg;
    struct vc4vk_queue_device *device = worker->device;
    struct kmd_store *store = kmd_device_store(device->kmd);
    pthread_mutex_lock(&store->mutex);
    for (;;) {
        while (!worker->item && !worker->stop)
            pthread_cond_wait(&worker->wake, &store->mutex);
        if (!worker->item)
            break;
        struct vc4vk_queue *queue = worker->queue;
        pthread_mutex_unlock(&store->mutex);
        VkResult result = vc4vk_cpu_op_run(queue, worker->item, worker->op);
        if (result != VK_SUCCESS && !kmd_device_is_lost(device->kmd))
            kmd_device_set_lost(device->kmd);
        pthread_mutex_lock(&store->mutex);
        worker->item->finish = VC4VK_FINISH_AT_ONCE;
        worker->item = NULL;
        vc4vk_dispatch_on_worker_locked(worker, queue);
    }
    pthread_mutex_unlock(&store->mutex);
    return NULL;
}

int vc4vk_worker_init(struct vc4vk_worker *worker, struct vc4vk_queue_device *device)
{
    *worker = (struct vc4vk_worker){.device = device};
    int err = pthread_cond_init(&worker->wake, NULL);
    if (err)
        return -err;
    err = util_thread_create(&worker->thread, "vc4vk-worker", worker_main, worker);
    if (err) {
        pthread_cond_destroy(&worker->wake);
        return err;
    }
    worker->is_running = true;
    return 0;
}

void vc4vk_worker_finish(struct vc4vk_worker *worker)
{
    if (!worker->is_running)
        return;
    struct kmd_store *store = kmd_device_store(worker->device->kmd);
    pthread_mutex_lock(&store->mutex);
    worker->stop = true;
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&store->mutex);
    pthread_join(worker->thread, NULL);
    pthread_cond_destroy(&worker->wake);
    worker->is_running = false;
}
