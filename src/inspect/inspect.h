/* SPDX-License-Identifier: MIT
 *
 * The door of the frame inspector: VC4VK_INSPECT=DIR[:WHICH] writes one page of HTML for a frame, which shows what the
 * frame would cost on the chip (docs/inspector.md).
 *
 * The rooms above say what they do: which work belongs to a frame, why a job loads and stores, what a program was made
 * from. The model counts (model/model_stats.h). Jobs of an inspected frame run one at a time, each is waited for, so
 * that what it left in memory can be shown. Everything here accepts NULL and does nothing then: a device that is not
 * inspected has no `struct inspect`, a frame that is not has no `struct inspect_frame`, and so on.
 */
#ifndef INSPECT_INSPECT_H
#define INSPECT_INSPECT_H

#include "hw/format.h"
#include "kmd/kmd.h"
#include "model/model_stats.h"

struct inspect;       /* of a device */
struct inspect_frame; /* counted: each work of it has a reference */
struct inspect_work;  /* a job, or an operation of the CPU */

/* Whether the variable is set: notes are made only then. */
bool inspect_is_wanted(void);

/* NULL: the variable is not set, the directory cannot be written, the device is no model, or there is no memory. */
struct inspect *inspect_create(bool is_model);
/* All work has retired. What it belongs to is written first, the frame that nobody has ended, too. */
void inspect_destroy(struct inspect *inspect);

/* -- frames ------------------------------------------------------------------------------------------------------- */

/* The frame that work submitted now belongs to, with a reference; NULL: it is not inspected. */
struct inspect_frame *inspect_frame_get(struct inspect *inspect);
/* Drops a reference. The last one of a frame that has ended has the report written, by another thread. */
void inspect_frame_put(struct inspect_frame *frame);
/* A picture is presented: the frame ends. */
void inspect_end_by_present(struct inspect *inspect);
/* A submission ends: so does the frame, with VC4VK_INSPECT=DIR:submits. */
void inspect_end_by_submit(struct inspect *inspect);
/* A picture of the frame was handed to the display in this time. */
void inspect_presented(struct inspect_frame *frame, uint64_t begin_ns, uint64_t end_ns);

/* -- work --------------------------------------------------------------------------------------------------------- */

/* Why a job does what it does, of whoever recorded it: static text for people, NULL where there is nothing to say. */
struct inspect_job_info {
    const char *why_color_load, *why_zs_load, *why_color_store, *why_zs_store, *why_resolve;
    const char *color_format;     /* of the attachment */
    enum hw_format color_storage; /* of its words; HW_FORMAT_NONE: not known */
    char what[96];                /* "subpass 0, replay 2 of 3: word 1", ... */
};

/* Where work came from, and when. */
struct inspect_origin {
    const char *label, *command_buffer, *queue_label; /* may be NULL */
    uint32_t queue_family, queue_index;
    uint64_t value, queued_ns, submitted_ns;
};

struct inspect_job {
    const char *name, *class;
    struct inspect_origin origin;
    const struct kmd_submit *submit; /* lists are copied, memory is looked at when the job has finished */
    const struct inspect_job_info *notes;
    bool is_engine; /* it runs on the CPU engine */
};

struct inspect_op {
    const char *name, *text; /* the text may be NULL */
    struct inspect_origin origin;
    bool is_engine;
};

/* NULL when out of memory, too. Several threads may be at works of one frame: the dispatcher and the workers. */
struct inspect_work *inspect_begin_job(struct inspect_frame *frame, const struct inspect_job *job);
struct inspect_work *inspect_begin_op(struct inspect_frame *frame, const struct inspect_op *op);
/* What it costs is counted here. */
struct model_stats *inspect_stats(struct inspect_work *work);
/* It has finished, and nothing else has run since: what it stored is looked at. */
void inspect_end_work(struct inspect_work *work, uint64_t started_ns, uint64_t finished_ns);

/* The work that this thread is at, between these calls: for code that does not know what it is called for. */
void inspect_enter(struct inspect_work *work);
void inspect_leave(void);
struct inspect_work *inspect_current(void);
/* A job on the CPU engine says more of the operation that it is. */
void inspect_describe_job(struct inspect_work *work, const struct inspect_job *job);

/* -- programs ----------------------------------------------------------------------------------------------------- */

/* A program was made: what is known of its code. Texts are copied. Of equal code, the first is kept. */
struct inspect_program {
    const uint64_t *code;
    uint32_t count;             /* instructions */
    const char *entry;          /* point of the module, or NULL */
    uint64_t module_hash;       /* of the module's words */
    const char *const *sources; /* for each instruction what of the module it comes from, or NULL; NULL: not known */
};
void inspect_add_program(struct inspect *inspect, const struct inspect_program *program);

#endif
