/* SPDX-License-Identifier: MIT
 *
 * The control lists of one SUBMIT_CL: validates the binning list, the shader records with their uniforms, the textures
 * and the surfaces, writes the relocated lists that the chip reads, and generates the render list.
 *
 * Validation copies the caller's data once and never reads it again. It writes what the chip will read to memory from
 * alloc(), one piece (`exec`) with the binning list, then the shader records from a 16-byte boundary on, then the
 * uniforms, and another piece with the render list.
 *
 * The owner fills in the first part of struct krn_lists and calls krn_lists_build(). There are two owners: a queued job
 * of the model's kernel (krn_job.h) and a job of the CPU engine (krn_engine.c). They differ in the table of functions
 * and in what may be left out; all other rules are the same for both.
 */
#ifndef KRN_LISTS_H
#define KRN_LISTS_H

#include <vc4_drm.h>
#include "hw/layout.h"
#include "model/kernel/krn_refuse.h"
#include "model/kernel/krn_shader.h"

#define KRN_BIN_SLOT_B (512u * 1024) /* memory for the binner is allocated in slots of this size */

struct krn_lists;

/* A buffer of the job's table. */
struct krn_buffer {
    uint32_t addr, size_B;
    const struct krn_shader *shader; /* its validated program; NULL: an ordinary buffer */
};

/* Memory for a list. */
struct krn_list_memory {
    uint8_t *data;
    uint32_t addr; /* bus address of `data` */
};

struct krn_lists_ops {
    /* Allocates memory for lists, which stays the owner's: first `exec` if there is a binning list, then the render
     * list. 0 or -ENOMEM. */
    int (*alloc)(struct krn_lists *lists, uint32_t size_B, struct krn_list_memory *out);
    /* Allocates the job's first binner slot, KRN_BIN_SLOT_B bytes. May wait for other jobs. 0 or -ENOMEM. */
    int (*get_bin_slot)(struct krn_lists *lists, uint32_t *addr_out);
    /* Called for each buffer that the binning list or a coordinate shader reads. NULL: the owner need not know. */
    void (*binning_reads)(struct krn_lists *lists, uint32_t buffer_index);
};

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

struct krn_lists {
    /* -- input, set by the owner; the rest is zero -- */
    const struct krn_lists_ops *ops;
    struct drm_vc4_submit_cl args;    /* the owner checks handles, synchronisation and unknown flags */
    const struct krn_buffer *buffers; /* args.bo_handle_count of them, the owner's */
    bool uniforms_are_addresses; /* shader records contain the addresses of their uniforms, and programs are in ordinary
                                  * buffers: neither programs nor uniforms are validated */
    bool checks_addresses;       /* see krn_copy.h */
    bool may_store_nothing;      /* no surface has to be stored, since programs store to memory themselves */

    /* -- result -- */
    uint32_t ct0ca, ct0ea; /* the binning list; 0 when there is none */
    uint32_t ct1ca, ct1ea; /* the render list */
    uint32_t bin_width_tl, bin_height_tl;
    uint32_t bin_slot_addr, tile_alloc_addr;             /* of the first binner slot, if there is a binning list */
    const struct krn_buffer *surface[KRN_SURFACE_COUNT]; /* in `buffers`; NULL: absent */

    /* -- during krn_lists_build() -- */
    struct krn_reader bin_in, shader_rec_in, uniforms_in; /* in a copy of the caller's data */
    struct krn_list_memory exec;
    struct krn_writer shader_rec_out, uniforms_out;
    struct krn_shader_state *states;
    uint32_t state_count, state_capacity;
    uint32_t bo_index[2]; /* of the last GEM handles packet */
    bool has_config, has_start, has_increment, has_flush;
};

/* Validates everything and sets the result. The lists need not be freed, on failure either: the memory is the owner's.
 * 0, -EINVAL with the refusal recorded, -EFAULT or -ENOMEM. */
int krn_lists_build(struct krn_lists *lists) UTIL_MUST_CHECK;

/* The position of a buffer in the table. */
static inline uint32_t krn_lists_index(const struct krn_lists *lists, const struct krn_buffer *buffer)
{
    return (uint32_t)(buffer - lists->buffers);
}

/* -- for the files that validate ---------------------------------------------------------------------------------- */

/* The ordinary buffer, or the one with a validated program, at an index of the table. NULL with the refusal recorded if
 * it does not exist or is of the other kind. */
const struct krn_buffer *krn_lists_buffer(const struct krn_lists *lists, uint32_t index);
const struct krn_buffer *krn_lists_shader(const struct krn_lists *lists, uint32_t index);
/* To be called for each buffer that the binning list or a coordinate shader reads. */
void krn_lists_binning_reads(struct krn_lists *lists, const struct krn_buffer *buffer);

/* Whether a surface lies within the buffer from offset_B on [kernel vc4_validate.c check_tex_size]. */
bool krn_surface_fits(const struct krn_buffer *buffer, uint64_t offset_B, enum hw_tiling tiling, uint32_t width_el,
                      uint32_t height_el, uint32_t cpp);

/* These return 0, -EINVAL with the refusal recorded, or -ENOMEM. */
int krn_validate_bin_list(struct krn_lists *lists) UTIL_MUST_CHECK;
int krn_validate_shader_records(struct krn_lists *lists) UTIL_MUST_CHECK;
int krn_validate_texture(struct krn_lists *lists, const struct krn_tex_sample *sample, const uint8_t *words,
                         uint32_t bo_index, bool while_binning, uint32_t *word0_out) UTIL_MUST_CHECK;
int krn_validate_surfaces(struct krn_lists *lists) UTIL_MUST_CHECK;
int krn_render_list_create(struct krn_lists *lists) UTIL_MUST_CHECK;

#endif
