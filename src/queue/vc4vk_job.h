/* SPDX-License-Identifier: MIT
 *
 * What a command buffer consists of: an ordered list of commands, each a job (what one SUBMIT_CL takes) or an operation
 * that the CPU runs. The recording room fills them and owns them; queue/ issues, times and retires them and knows
 * nothing else. A command is read-only once recorded, may be submitted any number of times, also while it is pending,
 * and is not touched any more once its timestamp has retired.
 *
 * Nothing that depends on memory contents is decided when a job is recorded: `build` runs when the job is issued.
 */
#ifndef VC4VK_JOB_H
#define VC4VK_JOB_H

#include <vulkan/vulkan_core.h>
#include "inspect/inspect.h"
#include "kmd/kmd.h"
#include "queue/vc4vk_timeline.h"
#include "util/alloc.h"

enum vc4vk_command_kind { VC4VK_COMMAND_JOB, VC4VK_COMMAND_CPU_OP };

struct vc4vk_command {
    enum vc4vk_command_kind kind;
    /* Wait until everything before it on its queue has retired. For a job: its build reads memory that earlier work may
     * write, or its vertex or coordinate programs read what an earlier job renders (the chip bins a job while it still
     * renders the one before). CPU operations have it set unless they touch no memory. */
    bool needs_idle;
    /* No barrier stands between it and the commands before it: it may run beside those back to the newest barrier, so
     * that the CPU works while the device does. Jobs follow jobs in order all the same. False is always right. */
    bool is_unordered;
    const char *label; /* of the application, for people; stays as long as the device (vc4vk_label.h). NULL: none */
};

/* -- BO tables ---------------------------------------------------------------------------------------------------- */

/* Memory in a job is named by (index of a BO in a table, offset). Each BO appears once and is referenced. */
struct vc4vk_bo_table {
    const struct util_alloc *alloc; /* not owned; NULL = C library */
    struct kmd_bo **bos;
    uint32_t count, capacity;
    uint32_t *slots;     /* hash of BO -> index + 1; 0 = free */
    uint32_t slot_count; /* power of two, or 0 */
    bool failed;         /* out of memory: sticks, indices are then useless */
};

void vc4vk_bo_table_init(struct vc4vk_bo_table *table, const struct util_alloc *alloc);
/* Drops all references; may be used again after another init. */
void vc4vk_bo_table_finish(struct vc4vk_bo_table *table);
/* Drops all references, keeps the memory. */
void vc4vk_bo_table_reset(struct vc4vk_bo_table *table);
/* The index of the BO, added with a reference of its own when new. 0 after a failure. */
uint32_t vc4vk_bo_table_add(struct vc4vk_bo_table *table, struct kmd_bo *bo);

/* -- jobs --------------------------------------------------------------------------------------------------------- */

/* How honest the job is: as the application asked, lowered by the driver, or run by the CPU engine. Counted. */
enum vc4vk_job_class { VC4VK_JOB_NATIVE, VC4VK_JOB_LOWERED, VC4VK_JOB_CPU };

/* Bytes that grow by moving: the contiguous memory that a submission needs. Reused from job to job. */
struct vc4vk_bytes {
    uint8_t *data;
    uint32_t size_B, capacity_B;
};

/* Room for `size_B` more bytes, counted as written; NULL when out of memory. Earlier pointers into it become invalid.
 */
void *vc4vk_bytes_append(struct vc4vk_bytes *bytes, uint32_t size_B);

/* One issue of a job. Starts with empty lists, the BO table and the render part as the job has them. */
struct vc4vk_job_build {
    struct kmd_device *kmd;
    struct vc4vk_bytes bin_cl, shader_rec, uniforms;
    uint32_t shader_rec_count;
    struct kmd_bo **bos; /* first the job's, then those added by the build */
    uint32_t bo_count, bo_capacity, job_bo_count;
    struct kmd_render render;
    /* A job that does not fit one submission is built again for the next, once the one before has finished: where this
     * build begins, in the recording room's own units, and where the next one does (0 = this is the last). */
    uint64_t from, next_from;
    bool is_nothing; /* the build sets it when the job would change nothing: it then retires without the device */
    /* Memory that the build took for this issue alone. `ended` (NULL: none) is called once when the build ends, also
     * after a failure: what was taken is in use until `retires` when `is_submitted`, else no longer. */
    struct vc4vk_timestamp retires; /* no timeline: by the end of the build */
    bool is_submitted;
    void *taken;
    void (*ended)(struct vc4vk_job_build *build);
};

/* Adds a BO made for this issue alone (rewritten indices and the like) and takes over the caller's reference, also on
 * failure. Its index, or KMD_NO_BO when out of memory. */
uint32_t vc4vk_job_build_add_bo(struct vc4vk_job_build *build, struct kmd_bo *bo);

/* The dispatcher's part: `begin` before each build; `end` drops the BOs that were added; `finish` frees the scratch
 * memory. */
struct vc4vk_job;
VkResult vc4vk_job_build_begin(struct vc4vk_job_build *build, const struct vc4vk_job *job);
void vc4vk_job_build_end(struct vc4vk_job_build *build);
void vc4vk_job_build_finish(struct vc4vk_job_build *build);

#define VC4VK_JOB_BOS_MAX 8u

/* The lists are made when the job is issued; what it loads, clears and stores is known before. */
struct vc4vk_job {
    struct vc4vk_command command;
    enum vc4vk_job_class class;
    const char *name; /* static text for people: "pass", "clear", ... */
    /* The BO table's beginning: what `render` names, and each once. Not referenced: it lives as long as the job. */
    struct kmd_bo *bos[VC4VK_JOB_BOS_MAX];
    uint32_t bo_count;
    uint32_t list_B; /* about how long its binning list becomes */
    struct kmd_render render;

    /* Runs on the thread that dispatches when the job is issued (after all before it has retired, with needs_idle).
     * Makes lists, records, uniform words and handles in `build` and nowhere else. NULL: there is nothing to be drawn.
     * VK_ERROR_OUT_OF_*_MEMORY is tried again when older jobs have retired; any other error loses the device. */
    VkResult (*build)(const struct vc4vk_job *job, struct vc4vk_job_build *build);
    const void *data; /* for `build`; the recording room's own */
    const struct inspect_job_info *notes; /* for the frame inspector, as long as the job; or NULL */
};

/* No surfaces, native, needs_idle. */
void vc4vk_job_init(struct vc4vk_job *job, const char *name);
/* What the frame inspector is told of a job that the recording room submits by itself: to the CPU engine. */
struct inspect_job vc4vk_inspect_describe(const struct vc4vk_job *job, const struct kmd_submit *submit);
/* The index of a BO that `render` names, added when it is new. */
uint32_t vc4vk_job_add_bo(struct vc4vk_job *job, struct kmd_bo *bo);

/* -- CPU operations ----------------------------------------------------------------------------------------------- */

struct vc4vk_queue;

struct vc4vk_cpu_op {
    struct vc4vk_command command;
    /* On the thread of the queue's family, or, when there is little to do, the dispatcher's or the one that submits.
     * Must not wait for work of this device. An error loses the device. */
    VkResult (*run)(void *arguments);
    bool is_engine_job; /* runs programs on the CPU engine: counted among the jobs of class VC4VK_JOB_CPU */
    uint64_t work_B; /* about how many bytes it touches, which says on what thread it runs; 0: unknown */
    /* NULL = always. Asked under the store's lock whenever something has happened on the device, so it only looks; the
     * operation (and what comes after it on its queue) waits until it says yes. */
    bool (*is_ready)(void *arguments);
    /* Instead of `run`, for what takes no time: called under the store's lock when everything before it on its queue
     * has retired, with the time at which that had finished. Holds up nothing behind it; not called on a lost device.
     */
    void (*retire)(void *arguments, uint64_t time_ns);
    /* NULL: nothing. When it is issued, in the order of its queue, before `run`: changes what jobs behind it are
     * submitted with. `pass` is VkPerformanceQuerySubmitInfoKHR's. */
    VkResult (*issue)(struct vc4vk_queue *queue, uint32_t pass, void *arguments);
    void (*describe)(void *arguments, char *text_out, size_t text_B); /* NULL: `name` says it all */
    /* NULL: the recording room owns it. Otherwise called once after `run` (or instead of it, on a lost device) and
     * before its timestamp retires; for operations made for one submission. */
    void (*release)(struct vc4vk_cpu_op *op);
    void *arguments;
    const char *name; /* static text for people: "copy buffer", "present", ... */
};

void vc4vk_cpu_op_init(struct vc4vk_cpu_op *op, const char *name, VkResult (*run)(void *arguments), void *arguments);

#endif
