/* SPDX-License-Identifier: MIT
 *
 * Primitive tile binner: assembles primitives from coordinate-shaded vertices, clips and culls them, and writes a list
 * for every tile with the primitives that touch it and the state that they need. Private to gpu_ptb*.c and the binning
 * thread.
 */
#ifndef GPU_PTB_H
#define GPU_PTB_H

#include "model/gpu/gpu_cle.h"
#include "model/gpu/gpu_shape.h"
#include "model/gpu/gpu_state.h"
#include "model/gpu/gpu_vertex.h"

/* The chip's state counters overflow beyond this many draws in a list (HW-2116) [guide p.108]. */
#define GPU_PTB_DRAWS_MAX 7920

/* Outputs of the coordinate program for one vertex. */
struct gpu_ptb_vertex {
    float clip[4];                   /* XC, YC, ZC, WC */
    struct gpu_point_12p4 screen;    /* relative to the viewport centre */
    float zs, rw;                    /* ZS, 1/WC */
    float point_size_px;             /* if the shader record has the point-size flag */
    uint8_t outside, outside_guard;  /* outcodes for the frustum and for the guard band, see gpu_clip_outcodes() */
};

/* Tile state array: 48 bytes per tile in memory, private to the binner [guide p.59]. This layout is the model's own. */
struct gpu_ptb_tile {
    uint32_t next;         /* address of the list's next byte */
    uint32_t end;          /* of the current block, less space for the branch to the next one */
    uint32_t draw;         /* number of the last draw that touched the tile; 0: none */
    uint16_t old[3];       /* indices of the previous primitive, for the codings */
    uint8_t in_list;       /* a compressed list is open */
    uint8_t list_type;     /* enum cl_list_type, or GPU_PTB_NO_LIST_TYPE */
    uint32_t unused[7];
};
#define GPU_PTB_TILE_STATE_B 48
#define GPU_PTB_NO_LIST_TYPE 0xff
static_assert(sizeof(struct gpu_ptb_tile) == GPU_PTB_TILE_STATE_B, "tile state is 48 bytes");

/* A primitive that is being binned. */
struct gpu_ptb_primitive {
    enum cl_list_type type;
    uint16_t index[3];
    struct gpu_shape shape;
    struct gpu_point_12p4 corner[3];
    bool has_edges; /* false: a triangle of which the shape has only outline and winding so far */
    /* A piece of a clipped primitive: clip_flags says which vertices are clip records in memory. The records are
     * written when the first tile needs them. */
    bool is_reversed; /* discarded because of its winding */
    unsigned clip_flags;
    unsigned clip_count;
    uint32_t clip_addr;            /* 0: not yet written */
    const uint8_t *clip_records;   /* clip_count * GPU_CLIP_RECORD_B */
};

/* Record of a clipped vertex [guide p.73]: XS, YS, ZS, 1/WC, weights of the three vertices, 8 unused bytes. */
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
    struct gpu_monitor *monitor; /* of the job; NULL: nobody watches */

    /* state set by the list */
    struct cl_tile_binning_mode_config config;
    bool configured, started, flushed;
    struct gpu_state state;
    struct {
        uint8_t record[GPU_STATE_RECORD_MAX_B];
        uint8_t size_B;      /* 0: never set */
        uint32_t changed_at; /* number of the first draw that needs this record */
    } group[GPU_STATE_GROUPS];
    float half_width_16, half_height_16, z_scale, z_offset;
    uint32_t draw; /* number of the current draw, from 1 */
    struct gpu_rect drawable; /* intersection of clip window and tiles */
    bool semaphore_pending; /* incremented at the end of the job if the lists were flushed */

    /* tile allocation memory */
    struct gpu_overspill overspill;
    uint32_t alloc_next, alloc_end;
    uint32_t block_B;
    uint32_t tile_px, log2_tile_px;
    uint8_t *tile_states;         /* the tile state array */
    uint8_t *mapped;              /* mapped range of tile-list memory that was found last */
    uint32_t mapped_addr, mapped_B;

    /* vertices shaded with the current shader record; vertex[i] is valid if vertex_run[i] == run */
    bool has_shader;
    struct gpu_shader shader;
    uint32_t run;
    uint32_t vertex_run[GPU_PTB_INDICES];
    struct gpu_ptb_vertex vertex[GPU_PTB_INDICES];
    uint16_t batch[QPU_LANES];
    unsigned batch_count;

    uint64_t counts[GPU_COUNTS]; /* of this job */
    uint64_t clipped;            /* of draws whose records ask for it; only on the CPU engine */

    enum gpu_status status; /* of a failure within a record */
    const char *message;
};

/* -- gpu_ptb_list.c -- */

/* Sets up the memory that the configuration names and initialises tile states. On failure, false and ptb->status. */
bool gpu_ptb_lists_init(struct gpu_ptb *ptb);
/* Adds a primitive to the list of one tile, after the state that has changed for that tile. */
bool gpu_ptb_list_add(struct gpu_ptb *ptb, uint32_t tile_index, struct gpu_ptb_primitive *prim);
/* Ends all lists. `all_state`: first writes the state that each tile has not seen yet. */
bool gpu_ptb_lists_flush(struct gpu_ptb *ptb, bool all_state);

/* -- gpu_ptb_clip.c -- */

/* A vertex of a polygon that is being clipped. */
struct gpu_clip_corner {
    double pos[4];
    double weight[3];
    int vertex; /* 0..2: unchanged vertex of the primitive; -1: created by the clipper */
};
#define GPU_CLIP_CORNERS_MAX 9 /* a triangle clipped at six planes */

enum gpu_clip_result { GPU_CLIP_INSIDE, GPU_CLIP_OUTSIDE, GPU_CLIP_NEEDED };

/* Outcodes of 16 vertices from rows of XC, YC, ZC, WC: one bit per plane that the vertex is outside of. */
void gpu_clip_outcodes(const struct gpu_ptb *ptb, uint32_t (*clip)[QPU_LANES], uint32_t frustum_out[QPU_LANES],
                       uint32_t guard_out[QPU_LANES]);
/* `count`: 3 for a triangle, 2 for a line, 1 for a point. Points are never clipped: drawn whole or not at all. */
enum gpu_clip_result gpu_clip_classify(const struct gpu_ptb *ptb, const struct gpu_ptb_vertex *const *v,
                                       unsigned count);
/* Clips a triangle (`count` 3) or a line (2) to the depth range and the guard band. Returns the number of vertices
 * left, 0 if nothing remains. */
unsigned gpu_clip_polygon(const struct gpu_ptb *ptb, const struct gpu_ptb_vertex *const *v, unsigned count,
                          struct gpu_clip_corner out[GPU_CLIP_CORNERS_MAX]);
/* Makes the clip record of a vertex; screen coordinates are relative to the viewport centre. An unchanged vertex keeps
 * the coordinates from the coordinate program, because a neighbouring primitive may use the vertex itself and there
 * must be no seam. */
void gpu_clip_project(const struct gpu_ptb *ptb, const struct gpu_clip_corner *corner,
                      const struct gpu_ptb_vertex *const *v, struct gpu_clip_record *out);

/* -- gpu_ptb_prim.c -- */

/* Clips, culls and bins the primitive with these indices. Its vertices must have been shaded. */
bool gpu_ptb_primitive(struct gpu_ptb *ptb, enum cl_list_type type, const uint16_t index[3]);

/* -- gpu_ptb.c -- */

bool gpu_ptb_fail(struct gpu_ptb *ptb, enum gpu_status status, const char *message); /* returns false */

struct gpu_ptb *gpu_ptb_create(const struct gpu_memory *mem); /* NULL: out of memory */
void gpu_ptb_destroy(struct gpu_ptb *ptb);
enum gpu_status gpu_ptb_run(struct gpu_ptb *ptb, const struct gpu_bin_job *job, bool *increments_semaphore_out,
                            const char **message_out);

#endif
