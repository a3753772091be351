/* SPDX-License-Identifier: MIT
 *
 * Jobs: the commands of the chip engine. A job is what one SUBMIT_CL takes. Nothing that depends on memory contents is
 * decided when a job is recorded: `build` runs when the job is submitted to the engine.
 */
#ifndef ENGINE_VC4VK_JOB_H
#define ENGINE_VC4VK_JOB_H

#include "engine/vc4vk_command.h"
#include "engine/vc4vk_timeline.h"
#include "inspect/inspect.h"
#include "util/alloc.h"

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

/* The implementation level of the job: as the application asked, lowered by the driver, or run by the CPU engine.
 * Counted. */
enum vc4vk_job_class { VC4VK_JOB_NATIVE, VC4VK_JOB_LOWERED, VC4VK_JOB_CPU };

/* Bytes that grow by moving: the contiguous memory that a submission needs. Reused from job to job. */
struct vc4vk_bytes {
    uint8_t *data;
    uint32_t size_B, capacity_B;
};

/* Appends `size_B` uninitialised bytes and returns them; NULL when out of memory. Invalidates earlier pointers into
 * `bytes`. */
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
     * build begins, in the recording module's own units, and where the next one does (0 = this is the last). */
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

/* For the engine: `begin` before each build; `end` drops the BOs that were added; `finish` frees the scratch memory. */
struct vc4vk_job;
VkResult vc4vk_job_build_begin(struct vc4vk_job_build *build, const struct vc4vk_job *job);
void vc4vk_job_build_end(struct vc4vk_job_build *build);
void vc4vk_job_build_finish(struct vc4vk_job_build *build);

#define VC4VK_JOB_BOS_MAX 8u

/* The lists are made when the job is issued; what it loads, clears and stores is known before. */
struct vc4vk_job {
    struct vc4vk_command command;
    enum vc4vk_job_class class;
    const char *name; /* static text for debug output: "pass", "clear", ... */
    /* The BO table's beginning: what `render` names, and each once. Not referenced: it lives as long as the job. */
    struct kmd_bo *bos[VC4VK_JOB_BOS_MAX];
    uint32_t bo_count;
    uint32_t list_B; /* estimated length of its binning list */
    struct kmd_render render;

    /* Runs on the thread that schedules when the job is submitted, after what it waits for has retired. Makes lists,
     * records, uniform words and handles in `build` and nowhere else. NULL: the job draws nothing.
     * VK_ERROR_OUT_OF_*_MEMORY is tried again when older jobs have retired; any other error loses the device. */
    VkResult (*build)(const struct vc4vk_job *job, struct vc4vk_job_build *build);
    const void *data;                     /* for `build`; the recording module's own */
    const struct inspect_job_info *notes; /* for the frame inspector, as long as the job; or NULL */
};

/* No surfaces, native, VC4VK_ORDER_QUEUE with waits_for_ring. */
void vc4vk_job_init(struct vc4vk_job *job, const char *name);
/* The index of a BO that `render` names, added when it is new. */
uint32_t vc4vk_job_add_bo(struct vc4vk_job *job, struct kmd_bo *bo);

#endif
