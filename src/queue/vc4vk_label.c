/* SPDX-License-Identifier: MIT
 *
 * Names and labels. An entry of a ring may outlive the command buffer that named it, so a hash table keeps one copy of
 * each text until the device is destroyed, and entries only point to the copies.
 */
#include <stdlib.h>
#include <string.h>
#include "queue/vc4vk_label.h"
#include "util/thread.h"
#include "util/trace.h"

/* An open label of a queue. */
struct vc4vk_queue_label {
    struct vc4vk_queue_label *outer;
    const char *text; /* from vc4vk_label_keep; NULL when that ran out of memory */
    uint64_t begin_ns;
};

/* -- texts -------------------------------------------------------------------------------------------------------- */

void vc4vk_labels_init(struct vc4vk_queue_device *device)
{
    pthread_mutex_init(&device->label_mutex, NULL);
    util_hash_table_init(&device->labels, NULL);
}

void vc4vk_labels_finish(struct vc4vk_queue_device *device)
{
    for (uint32_t i = 0; i < device->queue_count; i++)
        while (device->queues[i].label)
            vc4vk_queue_end_label(&device->queues[i]);
    util_hash_table_for_each(entry, &device->labels) free(entry->value);
    util_hash_table_finish(&device->labels);
    pthread_mutex_destroy(&device->label_mutex);
}

/* The length to which the text is truncated: whole UTF-8 characters only. */
static size_t kept_B(const char *text)
{
    size_t size_B = strnlen(text, VC4VK_MAX_LABEL_B + 1);
    if (size_B <= VC4VK_MAX_LABEL_B)
        return size_B;
    for (size_B = VC4VK_MAX_LABEL_B; size_B && (text[size_B] & 0xc0) == 0x80;)
        size_B--;
    return size_B;
}

static char *add_text_locked(struct util_hash_table *labels, const char *text, size_t size_B)
{
    char *copy = strndup(text, size_B);
    if (copy && !util_hash_table_insert(labels, text, size_B, copy)) {
        free(copy);
        copy = NULL;
    }
    return copy;
}

static const char *keep(struct vc4vk_queue_device *device, const char *text)
{
    if (!text || !*text)
        return NULL;
    const size_t size_B = kept_B(text);
    pthread_mutex_lock(&device->label_mutex);
    const char *kept = util_hash_table_lookup(&device->labels, text, size_B);
    if (!kept)
        kept = add_text_locked(&device->labels, text, size_B);
    pthread_mutex_unlock(&device->label_mutex);
    return kept;
}

const char *vc4vk_label_keep(struct vc4vk_queue_device *device, const char *text)
{
    return util_trace_is_on() ? keep(device, text) : NULL;
}

const char *vc4vk_name_keep(struct vc4vk_queue_device *device, const char *text)
{
    return util_trace_is_on() || device->keeps_names ? keep(device, text) : NULL;
}

/* -- queues ------------------------------------------------------------------------------------------------------- */

void vc4vk_queue_set_name(struct vc4vk_queue *queue, const char *text)
{
    struct kmd_store *store = kmd_device_store(queue->device->kmd);
    const char *name = vc4vk_label_keep(queue->device, text);
    if (!util_trace_is_on())
        return;
    pthread_mutex_lock(&store->mutex); /* read when an entry retires */
    queue->context.name = name;
    vc4vk_trace_context_name_locked(&queue->context);
    pthread_mutex_unlock(&store->mutex);
}

void vc4vk_queue_begin_label(struct vc4vk_queue *queue, const char *text)
{
    if (!util_trace_is_on())
        return;
    struct vc4vk_queue_label *label = malloc(sizeof *label);
    if (!label)
        return; /* its end then closes the outer label: only the trace is wrong, by one label */
    *label = (struct vc4vk_queue_label){queue->label, vc4vk_label_keep(queue->device, text), util_now_ns()};
    queue->label = label;
}

void vc4vk_queue_end_label(struct vc4vk_queue *queue)
{
    struct vc4vk_queue_label *label = queue->label;
    if (!label)
        return;
    if (label->text)
        vc4vk_trace_context_label(&queue->context, label->text, label->begin_ns, util_now_ns());
    queue->label = label->outer;
    free(label);
}

void vc4vk_queue_insert_label(struct vc4vk_queue *queue, const char *text)
{
    const uint64_t now_ns = util_now_ns();
    const char *kept = vc4vk_label_keep(queue->device, text);
    if (kept)
        vc4vk_trace_context_label(&queue->context, kept, now_ns, now_ns);
}

const char *vc4vk_queue_label(const struct vc4vk_queue *queue)
{
    return queue->label ? queue->label->text : NULL;
}
