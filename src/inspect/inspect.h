/* SPDX-License-Identifier: MIT
 *
 * Public header of the frame inspector: VC4VK_INSPECT=DIR[:WHICH] writes an HTML page per frame that shows what the
 * frame would cost on the chip (docs/inspector.md).
 *
 * The modules above report which work belongs to a frame, why a job loads and stores, and what a program was compiled
 * from. The model counts costs (model/model_stats.h). Jobs of an inspected frame run one at a time and each is waited
 * for, so that the page can show what it stored in memory. All functions accept NULL and then do nothing: a device that
 * is not inspected has no `struct inspect`, a frame that is not inspected has no `struct inspect_frame`, and so on.
 */
#ifndef INSPECT_INSPECT_H
#define INSPECT_INSPECT_H

#include "hw/format.h"
#include "kmd/kmd.h"
#include "model/model_stats.h"

struct inspect;       /* one per device */
struct inspect_frame; /* reference counted; each of its works holds a reference */
struct inspect_work;  /* a job or a CPU operation */

/* Whether the variable is set. Callers collect struct inspect_job_info only then. */
bool inspect_is_wanted(void);

/* NULL when the variable is unset, the directory cannot be written, the device is not the model, or out of memory. */
struct inspect *inspect_create(bool is_model);
/* All work must have retired. Ends the current frame and writes all remaining pages first. */
void inspect_destroy(struct inspect *inspect);

/* -- frames ------------------------------------------------------------------------------------------------------- */

/* A reference to the frame that work submitted now belongs to. NULL when the frame is not inspected. */
struct inspect_frame *inspect_frame_get(struct inspect *inspect);
/* Drops a reference. When a frame has ended and its last reference is dropped, another thread writes its page. */
void inspect_frame_put(struct inspect_frame *frame);
/* Called at a present: ends the frame, unless submissions end frames. */
void inspect_end_by_present(struct inspect *inspect);
/* Called at the end of a submission: ends the frame under VC4VK_INSPECT=DIR:submits. */
void inspect_end_by_submit(struct inspect *inspect);
/* Records the time in which an image of the frame was presented. */
void inspect_presented(struct inspect_frame *frame, uint64_t begin_ns, uint64_t end_ns);

/* -- work --------------------------------------------------------------------------------------------------------- */

/* Why a job loads and stores, from the code that recorded it. Static text for people; NULL when there is no reason to
 * give. */
struct inspect_job_info {
    const char *why_color_load, *why_zs_load, *why_color_store, *why_zs_store, *why_resolve;
    const char *color_format;     /* name of the attachment's format */
    enum hw_format color_storage; /* format of the stored words; HW_FORMAT_NONE: unknown */
    char what[96];                /* "subpass 0, replay 2 of 3: word 1", ... */
};

/* Where work came from, and when it was queued and submitted. */
struct inspect_origin {
    const char *label, *command_buffer, *queue_label; /* may be NULL */
    uint32_t queue_family, queue_index;
    uint64_t value, queued_ns, submitted_ns;
};

struct inspect_job {
    const char *name, *class;
    struct inspect_origin origin;
    const struct kmd_submit *submit; /* lists are copied now; memory is read when the job has finished */
    const struct inspect_job_info *notes;
    bool is_engine; /* runs on the CPU engine */
};

struct inspect_op {
    const char *name, *text; /* text may be NULL */
    struct inspect_origin origin;
    bool is_engine;
};

/* Begin a work of the frame. NULL also when out of memory. Works of one frame may run on several threads: the
 * scheduler and those of rings. */
struct inspect_work *inspect_begin_job(struct inspect_frame *frame, const struct inspect_job *job);
struct inspect_work *inspect_begin_op(struct inspect_frame *frame, const struct inspect_op *op);
/* The counters of the work's costs. */
struct model_stats *inspect_stats(struct inspect_work *work);
/* Called when the work has finished, before any other work runs, because this reads the surface that it stored. */
void inspect_end_work(struct inspect_work *work, uint64_t started_ns, uint64_t finished_ns);

/* Between enter and leave, inspect_current returns the work of this thread to code that does not get it passed. */
void inspect_enter(struct inspect_work *work);
void inspect_leave(void);
struct inspect_work *inspect_current(void);
/* Adds the lists of a CPU-engine job to the operation that runs it. */
void inspect_describe_job(struct inspect_work *work, const struct inspect_job *job);

/* -- programs ----------------------------------------------------------------------------------------------------- */

/* A source file of a program. */
struct inspect_file {
    const char *name, *text; /* text NULL: unknown */
};

struct inspect_line {
    uint32_t file; /* index */
    uint32_t line; /* 0: unknown, and so is the file */
};

/* Registers a compiled program. Texts are copied. If equal code is added again, the first registration stays. */
struct inspect_program {
    const uint64_t *code;
    uint32_t count;             /* instructions */
    const char *entry;          /* entry point in the module, or NULL */
    uint64_t module_hash;       /* hash of the module's words */
    const char *const *sources; /* the SPIR-V of each instruction, or NULL; NULL: all unknown */
    const struct inspect_file *files;
    uint32_t file_count;
    const struct inspect_line *lines; /* the source line of each instruction; NULL: all unknown */
};
void inspect_add_program(struct inspect *inspect, const struct inspect_program *program);

#endif
