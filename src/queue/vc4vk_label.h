/* SPDX-License-Identifier: MIT
 *
 * Names and labels of the application, which VC4VK_TRACE shows. Without a trace nothing is kept.
 */
#ifndef VC4VK_LABEL_H
#define VC4VK_LABEL_H

#include "queue/vc4vk_queue.h"

#define VC4VK_MAX_LABEL_B VC4VK_MAX_NAME_B /* longer ones are cut */

/* The text, kept until the device goes. NULL when nobody will read it: no trace, no text; or out of memory. */
const char *vc4vk_label_keep(struct vc4vk_queue_device *device, const char *text);

/* The queue's track takes the name from now on. NULL or "": none. */
void vc4vk_queue_set_name(struct vc4vk_queue *queue, const char *text);

/* Labels of a queue nest; what is submitted belongs to the innermost. An end too many is ignored. */
void vc4vk_queue_begin_label(struct vc4vk_queue *queue, const char *text);
void vc4vk_queue_end_label(struct vc4vk_queue *queue);
void vc4vk_queue_insert_label(struct vc4vk_queue *queue, const char *text);
/* The innermost, or NULL. */
const char *vc4vk_queue_label(const struct vc4vk_queue *queue);

/* For vc4vk_queue_device_init and _finish. */
void vc4vk_labels_init(struct vc4vk_queue_device *device);
void vc4vk_labels_finish(struct vc4vk_queue_device *device);

#endif
