/* SPDX-License-Identifier: MIT
 *
 * The data of a frame until its page is written. Private to this module.
 */
#ifndef INSPECT_STATE_H
#define INSPECT_STATE_H

#include <pthread.h>
#include "inspect/inspect.h"
#include "inspect/inspect_text.h"
#include "inspect/inspect_selection.h"
#include "util/hash.h"
#include "util/list.h"

/* Beyond these limits work is counted and named, but its lists and pictures are not kept, so pages stay usable. */
#define INSPECT_DETAILS_MAX  256u /* works per frame */
#define INSPECT_PICTURES_MAX 96u
#define INSPECT_LIST_MAX_B   (256u << 10) /* per list of a job */
#define INSPECT_NAME_MAX_B   192u

struct inspect_bo {
    uint32_t handle, size_B;
    uint32_t addr; /* in the model; 0: unknown */
    bool is_shader;
};

/* A picture as PNG. Empty when there is none. */
struct inspect_picture {
    uint32_t width_px, height_px; /* of the surface */
    struct inspect_text png;
    const char *of; /* "colour" or "depth" */
};

struct inspect_list {
    uint8_t *data;
    uint32_t size_B;
    uint32_t whole_B; /* before truncation */
};

struct inspect_work {
    struct util_list link; /* in the frame */
    struct inspect_frame *frame;
    uint32_t number; /* in the frame, from 1 */
    bool is_job, is_engine, has_lists, keeps_details;
    char name[INSPECT_NAME_MAX_B], text[INSPECT_NAME_MAX_B], class[16];
    char label[INSPECT_NAME_MAX_B], command_buffer[INSPECT_NAME_MAX_B], queue_label[INSPECT_NAME_MAX_B];
    uint32_t queue_family, queue_index;
    uint64_t value, queued_ns, submitted_ns, started_ns, finished_ns;
    struct kmd_render render;
    struct inspect_job_info notes;
    struct inspect_list bin_cl, shader_rec, uniforms;
    uint32_t shader_rec_count;
    struct inspect_bo *bos;
    uint32_t bo_count;
    struct kmd_bo *color_bo, *zs_bo; /* the surfaces it stores, referenced until it has finished; NULL: none */
    struct inspect_picture picture;
    struct model_stats stats;
};

#define INSPECT_PRESENTS_MAX 8u

struct inspect_frame {
    struct util_list link; /* in inspect.to_write */
    struct inspect *inspect;
    uint64_t number;
    uint32_t refs; /* this and all fields below: guarded by the inspector's mutex until the page is written */
    struct util_list works;
    uint32_t work_count, picture_count;
    uint64_t begin_ns, end_ns;
    uint32_t present_count;
    struct inspect_span {
        uint64_t begin_ns, end_ns;
    } presents[INSPECT_PRESENTS_MAX];
};

struct inspect_program_info {
    char entry[64];
    uint64_t module_hash;
    uint32_t count;
    char **sources; /* NULL: unknown */
    struct inspect_source_file {
        char *name, *text; /* the text is one of the inspector's texts; NULL: unknown */
    } * files;
    uint32_t file_count;
    struct inspect_line *lines; /* by instruction; NULL: unknown */
};

struct inspect {
    struct inspect_selection when;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    pthread_t thread;
    bool stop;
    uint64_t number;             /* of the current frame */
    struct inspect_frame *frame; /* NULL: the current frame is not inspected */
    struct util_list to_write;
    struct util_hash_table programs; /* struct inspect_program_info by code */
    struct util_hash_table texts;    /* of source files: char * by content */
};

/* inspect_known.c: the registered information about `code`, or NULL. Valid as long as `inspect`. */
const struct inspect_program_info *inspect_find_program(struct inspect *inspect, const uint64_t *code, uint32_t count);
void inspect_finish_programs(struct inspect *inspect);

/* inspect_picture.c: makes a picture of the surface that the work has stored. */
void inspect_take_picture(struct inspect_work *work);
/* Writes a PNG of pixels with bytes R, G, B, A. Writes nothing when out of memory. */
void inspect_put_png(struct inspect_text *out, const uint32_t *pixels, uint32_t width_px, uint32_t height_px);

/* inspect_page.c: writes the whole page. */
void inspect_write_page(struct inspect_frame *frame, struct inspect_text *page);

#endif
