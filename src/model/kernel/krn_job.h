/* SPDX-License-Identifier: MIT
 *
 * One job: what a SUBMIT_CL asked for, what validation made of it, and what the queues need to run it.
 *
 * Validation copies the caller's data once and never looks at it again; what the chip gets is written to a buffer of
 * the kernel's: the binning list, the shader records from a 16-byte boundary on, the uniforms behind them.
 */
#ifndef KRN_JOB_H
#define KRN_JOB_H

#include "hw/layout.h"
#include "model/kernel/krn_device.h"

/* Reading the caller's data front to back. */
struct krn_reader {
    const uint8_t *data;
    uint32_t left_B;
};

/* Writing what the chip will read, at a known bus address. */
struct krn_writer {
    uint8_t *data;
    uint32_t addr;
    uint32_t left_B;
};

/* One GL shader state packet: its shader record is validated once the list has said how it is used. */
struct krn_shader_state {
    uint32_t attributes; /* 1..8 */
    bool extended;
    uint32_t max_index; /* highest vertex index of any primitive that uses it */
};

/* Those that are read come first. */
enum krn_surface {
    KRN_COLOR_READ,
    KRN_ZS_READ,
    KRN_COLOR_WRITE,
    KRN_ZS_WRITE,
    KRN_MSAA_COLOR_WRITE,
    KRN_MSAA_ZS_WRITE,
    KRN_SURFACE_COUNT
};

/* Where a job of the CPU engine finds what the kernel would make for it. */
struct krn_engine_memory {
    struct model_device dev; /* nobody's machine: how its buffers see the job's memory, and a lock */
    struct krn_bo exec, rcl;
    uint32_t list_addr, list_end;     /* of exec and rcl; the first moves on */
    uint32_t binner_addr, binner_end; /* of slots; likewise */
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

    struct krn_engine_memory *engine; /* NULL: a job of the kernel's */
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
    uint64_t bin_waits_for; /* seqno of the last job that stores what this one's binning reads */

    struct krn_bo *surface[KRN_SURFACE_COUNT]; /* not referenced: in `bos`; NULL absent */
    struct krn_bo *rcl;
    uint32_t ct1ca, ct1ea;
    int status; /* 0, or -ETIMEDOUT for a hang */
    uint64_t counts[GPU_COUNTS]; /* by event, while it runs with a performance monitor */
    struct model_stats *stats;   /* what it costs; NULL: nobody wants to know */
};

/* The buffer at a position of the job's table, which must be of this kind; NULL with the refusal noted. Buffers that
 * the binning list or the coordinate shader reads are noted with krn_job_reads_while_binning. */
struct krn_bo *krn_job_bo(struct krn_job *job, uint32_t index, enum krn_bo_kind kind);
void krn_job_reads_while_binning(struct krn_job *job, const struct krn_bo *bo);

/* A buffer of the kernel's own for the job's lists. 0 or -ENOMEM. */
int krn_job_make_buffer(struct krn_job *job, uint32_t size_B, struct krn_bo **out) UTIL_MUST_CHECK;
/* A slot of binner memory; waits for other jobs' as krn_binner_get_slot does. 0 or -ENOMEM. */
int krn_job_get_bin_slot(struct krn_job *job, const uint32_t *jobs, uint32_t *addr_out) UTIL_MUST_CHECK;

/* Whether a surface lies within the buffer from offset_B on [kernel vc4_validate.c check_tex_size]. */
bool krn_surface_fits(const struct krn_bo *bo, uint64_t offset_B, enum hw_tiling tiling, uint32_t width_el,
                      uint32_t height_el, uint32_t cpp);

/* Each: 0, -EINVAL with the refusal noted, or -ENOMEM. */
int krn_validate_bin_list(struct krn_job *job) UTIL_MUST_CHECK;
int krn_validate_shader_records(struct krn_job *job) UTIL_MUST_CHECK;
int krn_validate_texture(struct krn_job *job, const struct krn_tex_sample *sample, const uint8_t *words,
                         uint32_t bo_index, bool while_binning, uint32_t *word0_out) UTIL_MUST_CHECK;
int krn_validate_surfaces(struct krn_job *job) UTIL_MUST_CHECK;
int krn_render_list_create(struct krn_job *job) UTIL_MUST_CHECK;
/* Copies what the job brought, and all of the above; its BOs are looked up. */
int krn_job_build_lists(struct krn_job *job) UTIL_MUST_CHECK;

void krn_job_destroy(struct krn_job *job);
/* Takes the job over and returns its sequence number. May wait for older jobs. */
uint64_t krn_sched_queue(struct krn_job *job);

#endif
