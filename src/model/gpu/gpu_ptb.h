/* SPDX-License-Identifier: MIT
 *
 * Primitive tile binner: assembles primitives from coordinate-shaded vertices, clips and culls them, and writes a list
 * for every tile that says which primitives touch it and what state they need. Private to gpu_ptb*.c and the binning
 * thread.
 */
#ifndef GPU_PTB_H
#define GPU_PTB_H

#include "model/gpu/gpu_cle.h"
#include "model/gpu/gpu_shape.h"
#include "model/gpu/gpu_state.h"
#include "model/gpu/gpu_vertex.h"

/* The chip's state counters are not safe beyond this many draws in a list (HW-2116) [guide p.108]. */
#define GPU_PTB_DRAWS_MAX 7920

/* A vertex as the coordinate program left it. */
struct gpu_ptb_vertex {
    float clip[4];                   /* XC, YC, ZC, WC */
    struct gpu_point_12p4 screen;    /* from the viewport centre */
    float zs, rw;                    /* ZS, 1/WC */
    float point_size_px;             /* if the shader record has the flag */
    uint8_t outside, outside_guard;  /* of which planes of the frustum, and with the guard band's: gpu_clip_outcodes */
};

/* Tile state array: 48 bytes per tile in memory, private to the binner [guide p.59]. This layout is the model's own. */
struct gpu_ptb_tile {
    uint32_t next;         /* where the list goes on */
    uint32_t end;          /* of its block, less what leaving the block takes */
    uint32_t draw;         /* the last draw that touched the tile; 0 none */
    uint16_t old[3];       /* indices of the primitive before, for the codings */
    uint8_t in_list;       /* inside of a compressed list */
    uint8_t list_type;     /* enum cl_list_type, or GPU_PTB_NO_LIST_TYPE */
    uint32_t unused[7];
};
#define GPU_PTB_TILE_STATE_B 48
#define GPU_PTB_NO_LIST_TYPE 0xff
static_assert(sizeof(struct gpu_ptb_tile) == GPU_PTB_TILE_STATE_B, "tile state is 48 bytes");

/* A primitive on its way into tile lists. */
struct gpu_ptb_primitive {
    enum cl_list_type type;
    uint16_t index[3];
    struct gpu_shape shape;
    struct gpu_point_12p4 corner[3];
    bool has_edges; /* else the shape holds but an outline and the winding, of a triangle with these corners */
    /* A piece of a clipped primitive: which of its corners are records in memory rather than vertices; written when the
     * first tile wants them. */
    bool is_reversed; /* and not drawn for it */
    unsigned clip_flags;
    unsigned clip_count;
    uint32_t clip_addr;            /* 0: not yet written */
    const uint8_t *clip_records;   /* clip_count * GPU_CLIP_RECORD_B */
};

/* Record of a clipped vertex [guide p.73]: XS, YS, ZS, 1/WC, weights of the primitive's three vertices, 8 unused. */
#define GPU_CLIP_RECORD_B 32
struct gpu_clip_record {
    int16_t xs_12p4, ys_12p4;
    float zs, rw;
    float weight[3];
    uint32_t unused[2];
};
static_assert(sizeof(struct gpu_clip_record) == GPU_CLIP_RECORD_B, "clip records are 32 bytes");

#define GPU_PTB_INDICES 65536

struct gpu_ptb {
    const struct gpu_memory *mem;
    struct gpu_vertex_pipe pipe;
    struct util_work_limit limit;

    /* what the list has set */
    struct cl_tile_binning_mode_config config;
    bool configured, started, flushed;
    struct gpu_state state;
    struct {
        uint8_t record[GPU_STATE_RECORD_MAX_B];
        uint8_t size_B;      /* 0: never set */
        uint32_t changed_at; /* the first draw that needs it */
    } group[GPU_STATE_GROUPS];
    float half_width_16, half_height_16, z_scale, z_offset;
    uint32_t draw; /* number of the current draw, from 1 */
    struct gpu_rect drawable; /* where it may leave traces: clip window and tiles */
    bool semaphore_pending; /* to be incremented when the lists are flushed */

    /* tile allocation memory */
    struct gpu_overspill overspill;
    uint32_t alloc_next, alloc_end;
    uint32_t block_B;
    uint32_t tile_px, log2_tile_px;
    uint8_t *tile_states;         /* the tile state array */
    uint8_t *known;               /* memory that tile lists are in, the last that was found mapped */
    uint32_t known_addr, known_B;

    /* vertices shaded with the current shader record; vertex[i] counts when vertex_run[i] == run */
    bool has_shader;
    struct gpu_shader shader;
    uint32_t run;
    uint32_t vertex_run[GPU_PTB_INDICES];
    struct gpu_ptb_vertex vertex[GPU_PTB_INDICES];
    uint16_t batch[QPU_LANES];
    unsigned batch_count;

    uint64_t counts[GPU_COUNTS]; /* of this job */

    enum gpu_status status; /* of what happens inside a record */
    const char *message;
};

/* -- gpu_ptb_list.c -- */

/* Takes the memory that the configuration names and initialises tile states. False with ptb->status. */
bool gpu_ptb_lists_init(struct gpu_ptb *ptb);
/* Adds a primitive to the list of one tile, state first if it changed. */
bool gpu_ptb_list_add(struct gpu_ptb *ptb, uint32_t tile_index, struct gpu_ptb_primitive *prim);
/* Ends all lists; with `all_state`, what tiles have not seen yet of the state is written before. */
bool gpu_ptb_lists_flush(struct gpu_ptb *ptb, bool all_state);

/* -- gpu_ptb_clip.c -- */

/* Where the clipped primitive's corners lie before and after. */
struct gpu_clip_corner {
    double pos[4];
    double weight[3];
    int vertex; /* 0..2: untouched vertex of the primitive; -1: made by the clipper */
};
#define GPU_CLIP_CORNERS_MAX 9 /* a triangle and six planes */

enum gpu_clip_result { GPU_CLIP_INSIDE, GPU_CLIP_OUTSIDE, GPU_CLIP_NEEDED };

/* Bits of the planes that each of 16 vertices is outside of, from rows of XC, YC, ZC, WC. */
void gpu_clip_outcodes(const struct gpu_ptb *ptb, uint32_t (*clip)[QPU_LANES], uint32_t frustum_out[QPU_LANES],
                       uint32_t guard_out[QPU_LANES]);
/* A triangle (3), a line (2) or a point (1), which is drawn whole or not at all. */
enum gpu_clip_result gpu_clip_classify(const struct gpu_ptb *ptb, const struct gpu_ptb_vertex *const *v,
                                       unsigned count);
/* Clips a triangle (3) or a line (2) to depth range and guard band; returns the corners left, 0 when nothing is. */
unsigned gpu_clip_polygon(const struct gpu_ptb *ptb, const struct gpu_ptb_vertex *const *v, unsigned count,
                          struct gpu_clip_corner out[GPU_CLIP_CORNERS_MAX]);
/* The record of a corner, screen coordinates from the viewport centre. An untouched vertex keeps what the coordinate
 * program made of it: a neighbour may draw with the vertex itself, and there must be no seam. */
void gpu_clip_project(const struct gpu_ptb *ptb, const struct gpu_clip_corner *corner,
                      const struct gpu_ptb_vertex *const *v, struct gpu_clip_record *out);

/* -- gpu_ptb_prim.c -- */

/* Assembles, clips, culls and bins the primitive made of these indices; the vertices have been shaded. */
bool gpu_ptb_primitive(struct gpu_ptb *ptb, enum cl_list_type type, const uint16_t index[3]);

/* -- gpu_ptb.c -- */

bool gpu_ptb_fail(struct gpu_ptb *ptb, enum gpu_status status, const char *message); /* returns false */

struct gpu_ptb *gpu_ptb_create(const struct gpu_memory *mem); /* NULL: out of memory */
void gpu_ptb_destroy(struct gpu_ptb *ptb);
enum gpu_status gpu_ptb_run(struct gpu_ptb *ptb, const struct gpu_bin_job *job, bool *increments_semaphore_out,
                            const char **message_out);

#endif
