/* SPDX-License-Identifier: MIT
 *
 * Items of a queue, and the dispatcher. Private to this room.
 */
#ifndef VC4VK_ITEM_H
#define VC4VK_ITEM_H

#include "queue/vc4vk_queue.h"

enum vc4vk_item_kind {
    VC4VK_ITEM_COMMAND, /* goes to the device, or to the CPU */
    VC4VK_ITEM_SYNC,    /* waits for a timestamp of another queue */
    VC4VK_ITEM_MARKER,  /* retires when everything before it has */
};

struct vc4vk_item {
    struct util_list link; /* in waiting, issued or free_items */
    enum vc4vk_item_kind kind;
    uint64_t value;                 /* on the queue's timeline */
    struct vc4vk_command *command;  /* not looked at after issue: its owner may be gone */
    struct vc4vk_timestamp wait;    /* of a sync */
    bool is_on_device;              /* a job that the kernel has, all of it: the backend stores its word */
    bool is_stored;                 /* the dispatcher has stored its word */
    uint64_t next_from;             /* a job in parts: where the next one begins; 0 = none, or none yet */
    struct kmd_job_times job_times; /* written by the backend before the word is stored */
    struct vc4vk_item_times times;
};

/* Main function of the dispatcher's thread; `arg` is the queue device. */
void *vc4vk_dispatcher_main(void *arg);

/* -- debug output (vc4vk_queue_print.c) ---------------------------------------------------------------------------- */

/* One line per issued command, under VC4VK_DEBUG=jobs. */
void vc4vk_print_job(const struct vc4vk_queue *queue, uint64_t value, const struct vc4vk_job *job,
                     const struct vc4vk_job_build *build);
void vc4vk_print_cpu_op(const struct vc4vk_queue *queue, uint64_t value, const struct vc4vk_cpu_op *op);
/* The binning list, packet by packet. */
void vc4vk_print_bin_cl(const struct vc4vk_job_build *build);

#endif
