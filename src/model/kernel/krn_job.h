/* SPDX-License-Identifier: MIT
 *
 * A job: the arguments of SUBMIT_CL, the results of validation, and what the queues need to run it.
 *
 * Validation copies the caller's data once and never reads it again. It writes what the chip will read to a kernel
 * buffer, `exec`: the binning list, then the shader records from a 16-byte boundary on, then the uniforms.
 */
#ifndef KRN_JOB_H
#define KRN_JOB_H

#include "hw/layout.h"
#include "model/kernel/krn_device.h"

/* Reads the caller's data sequentially. */
struct krn_reader {
    const uint8_t *data;
    uint32_t left_B;
};

/* Writes data for the chip sequentially, at a known bus address. */
struct krn_writer {
    uint8_t *data;
    uint32_t addr;
    uint32_t left_B;
};

/* One GL shader state packet. Its shader record is validated after the list, which tells the vertex indices used. */
struct krn_shader_state {
    uint32_t attributes; /* 1..8 */
    bool extended;
    uint32_t max_index; /* highest vertex index of any primitive that uses it */
};

/* The loaded surfaces come first. */
enum krn_surface {
    KRN_COLOR_READ,
    KRN_ZS_READ,
    KRN_COLOR_WRITE,
    KRN_ZS_WRITE,
    KRN_MSAA_COLOR_WRITE,
    KRN_MSAA_ZS_WRITE,
    KRN_SURFACE_COUNT
};

/* Memory that a job of the CPU engine uses in place of kernel buffers and binner slots. */
struct krn_engine_memory {
    struct model_device dev; /* a dummy: only mem.gpu.base, the job's memory, and the lock are used */
    struct krn_bo exec, rcl;
    uint32_t list_addr, list_end;     /* memory left for exec and rcl */
    uint32_t binner_addr, binner_end; /* memory left for binner slots */
};

struct krn_job {
    struct util_list link;
    struct model_device *dev;
    struct model_file *file;
    struct drm_vc4_submit_cl args;
    uint64_t seqno;

    struct krn_bo **bos; /* args.bo_handle_count of them, referenced */
    uint8_t *user_data;  /* copy of bin list, shader records and uniforms, freed after validation */
    struct krn_reader bin_in, shader_rec_in, uniforms_in;

    struct krn_engine_memory *engine; /* NULL: an ordinary job, not one of the CPU engine */
    struct krn_bo *exec;
    struct krn_writer shader_rec_out, uniforms_out;
    uint32_t ct0ca, ct0ea; /* 0 when there is no binning list */

    struct krn_shader_state *states;
    uint32_t state_count, state_capacity;
    uint32_t bo_index[2]; /* of the last GEM handles packet */
    bool has_config, has_start, has_increment, has_flush;
    uint32_t bin_width_tl, bin_height_tl;
    uint32_t bin_slots; /* one bit per binner slot held; the binning thread adds more */
    uint32_t bin_slot_addr, tile_alloc_addr;
    uint64_t bin_waits_for; /* seqno of the last job that stores to a buffer which this one's binning reads */

    struct krn_bo *surface[KRN_SURFACE_COUNT]; /* no references of their own: they are in `bos`; NULL: absent */
    struct krn_bo *rcl;
    uint32_t ct1ca, ct1ea;
    int status;                  /* 0, -ETIMEDOUT for a hang, or -ENOMEM */
    uint64_t counts[GPU_COUNTS]; /* by event, if the job has a performance monitor */
    struct model_stats *stats;   /* receives its costs; NULL: not counted */
};

/* The buffer at an index of the job's table; NULL with the refusal recorded if it does not exist or is of another kind.
 * For a buffer that the binning list or the coordinate shader reads, call krn_job_reads_while_binning() too. */
struct krn_bo *krn_job_bo(struct krn_job *job, uint32_t index, enum krn_bo_kind kind);
void krn_job_reads_while_binning(struct krn_job *job, const struct krn_bo *bo);

/* Creates a kernel buffer for the job's lists. 0 or -ENOMEM. */
int krn_job_make_buffer(struct krn_job *job, uint32_t size_B, struct krn_bo **out) UTIL_MUST_CHECK;
/* Allocates a binner slot; may wait for other jobs as krn_binner_get_slot() does. 0 or -ENOMEM. */
int krn_job_get_bin_slot(struct krn_job *job, const uint32_t *jobs, uint32_t *addr_out) UTIL_MUST_CHECK;

/* Whether a surface lies within the buffer from offset_B on [kernel vc4_validate.c check_tex_size]. */
bool krn_surface_fits(const struct krn_bo *bo, uint64_t offset_B, enum hw_tiling tiling, uint32_t width_el,
                      uint32_t height_el, uint32_t cpp);

/* These return 0, -EINVAL with the refusal recorded, or -ENOMEM. */
int krn_validate_bin_list(struct krn_job *job) UTIL_MUST_CHECK;
int krn_validate_shader_records(struct krn_job *job) UTIL_MUST_CHECK;
int krn_validate_texture(struct krn_job *job, const struct krn_tex_sample *sample, const uint8_t *words,
                         uint32_t bo_index, bool while_binning, uint32_t *word0_out) UTIL_MUST_CHECK;
int krn_validate_surfaces(struct krn_job *job) UTIL_MUST_CHECK;
int krn_render_list_create(struct krn_job *job) UTIL_MUST_CHECK;
/* Copies the caller's data and does all of the above. The job's BOs must have been looked up. */
int krn_job_build_lists(struct krn_job *job) UTIL_MUST_CHECK;

void krn_job_destroy(struct krn_job *job);
/* Takes ownership of the job and returns its sequence number. May wait for older jobs. */
uint64_t krn_sched_queue(struct krn_job *job);

#endif
