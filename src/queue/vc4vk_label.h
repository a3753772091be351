/* SPDX-License-Identifier: MIT
 *
 * The application's debug names and labels, shown by VC4VK_TRACE. Nothing is stored while tracing is off.
 */
#ifndef VC4VK_LABEL_H
#define VC4VK_LABEL_H

#include "queue/vc4vk_queue.h"

#define VC4VK_MAX_LABEL_B VC4VK_MAX_NAME_B /* longer ones are truncated */

/* Returns a copy of `text` that lives as long as the device; equal texts share one copy. NULL when tracing is off, when
 * `text` is NULL or empty, and when out of memory. */
const char *vc4vk_label_keep(struct vc4vk_queue_device *device, const char *text);
/* The same for names of command buffers, which vkGetDeviceFaultInfoEXT also gives (keeps_names). */
const char *vc4vk_name_keep(struct vc4vk_queue_device *device, const char *text);

/* Names the queue's track in the trace. NULL or "" removes the name. */
void vc4vk_queue_set_name(struct vc4vk_queue *queue, const char *text);

/* Labels of a queue nest; a submission belongs to the innermost open label. An end without a begin is ignored. */
void vc4vk_queue_begin_label(struct vc4vk_queue *queue, const char *text);
void vc4vk_queue_end_label(struct vc4vk_queue *queue);
void vc4vk_queue_insert_label(struct vc4vk_queue *queue, const char *text);
/* The innermost open label, or NULL. */
const char *vc4vk_queue_label(const struct vc4vk_queue *queue);

/* Called by vc4vk_queue_device_init and _finish. */
void vc4vk_labels_init(struct vc4vk_queue_device *device);
void vc4vk_labels_finish(struct vc4vk_queue_device *device);

#endif
