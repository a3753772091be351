/* SPDX-License-Identifier: MIT
 *
 * Recorded jobs of draws, and the recipes that they hold until they are issued. Recording (cmdbuf) writes them.
 *
 * The draws of a command buffer go into two streams (struct vc4vk_draw_lists): packets of state, and recipes of draws.
 * A recipe points to a struct vc4vk_draw_state, shared by successive draws, which in turn points to state that changes
 * less often. All of this lives as long as the recording, is never modified, and names memory by BO and offset. A job
 * is therefore a short list of sections of streams, from its own command buffer or from secondaries, and several jobs
 * may refer to one section.
 *
 * Issue (vc4vk_issue.h) turns each draw into packets, shader records, handles and uniform words in memory of this
 * submission, and BOs into indices of the job's table.
 */
#ifndef ISSUE_VC4VK_DRAW_JOB_H
#define ISSUE_VC4VK_DRAW_JOB_H

#include "device/vc4vk_condition.h"
#include "engine/vc4vk_job.h"
#include "issue/vc4vk_capture.h"
#include "issue/vc4vk_counted.h"
#include "issue/vc4vk_issue_descriptors.h"
#include "pipeline/vc4vk_pipeline.h"
#include "util/stream.h"

struct vc4vk_record_array {
    struct kmd_bo *bo;
    uint32_t offset_B;  /* in the BO, of vertex 0 of instance 0 */
    uint32_t bo_size_B; /* end of what the array may load: about the end of the buffer */
    uint32_t stride_B;
    uint8_t size_B; /* loaded per vertex */
    uint16_t vs_vpm_B, cs_vpm_B;
    uint8_t is_ramp : 1, per_instance : 1, in_vs : 1, in_cs : 1; /* is_ramp: vertex numbers (vc4vk_device_ramp) */
    /* is_array_index: when vertices are copied, the ramp holds their index in the copy instead of the vertex number.
     * vs_spilled, cs_spilled: the program reads the array of a packed record from memory, not from the VPM. */
    uint8_t is_array_index : 1, vs_spilled : 1, cs_spilled : 1;
    /* For programs that need the whole triangle. triangle_vertex: the array holds the attribute of vertex 0 (its own),
     * 1 (the next) or 2 (the previous one). is_triangle_vertex: it holds the number of the vertex within its
     * triangle. */
    uint8_t triangle_vertex : 2, is_triangle_vertex : 1;
    uint32_t divisor; /* per_instance: instances per element; 0: all share one */
};

/* Programs, and the bound attribute arrays. */
struct vc4vk_record {
    const struct vc4vk_variant *vertex, *fragment;
    uint8_t array_count;
    uint8_t is_packed;  /* more arrays than the chip has: they are packed into a few when the job is issued */
    uint8_t point_size; /* vertices have a point size */
    uint8_t passes;     /* how often everything is drawn: 1, or once per sample */
    struct vc4vk_record_array arrays[VC4C_MAX_ARRAYS];
};

/* The size of a recorded record, which ends with its last array. */
static inline size_t vc4vk_record_size_B(const struct vc4vk_record *record)
{
    return offsetof(struct vc4vk_record, arrays) + record->array_count * sizeof record->arrays[0];
}

struct vc4vk_viewport_words {
    float scale_x_16, scale_y_16, scale_z, offset_z;
    float centre_x_px, centre_y_px;
};

#define VC4VK_VIEWPORT_PACKETS_B                                                                                       \
    (CL_CLIPPER_XY_SCALING_SIZE_B + CL_CLIPPER_Z_SCALE_OFFSET_SIZE_B + CL_VIEWPORT_OFFSET_SIZE_B)

/* The viewports of draws whose vertex programs select one for each primitive: everything is drawn once for each
 * viewport. */
struct vc4vk_viewports {
    uint32_t count;
    bool overlap; /* the same pixels may be drawn through several of them */
    struct {
        struct vc4vk_viewport_words words;
        uint8_t packets[VC4VK_VIEWPORT_PACKETS_B + CL_CLIP_WINDOW_SIZE_B];
    } at[VC4VK_MAX_VIEWPORTS];
};

/* The sources of uniform words other than descriptors and push constants. */
struct vc4vk_uniform_set {
    struct vc4vk_viewport_words viewport;
    float blend_constants[4];
    uint32_t stencil_words[VC4VK_STENCIL_WORDS_MAX];
    uint32_t sample_mask;
    bool sample_shading;
    float depth_bias, depth_bias_slope, depth_bias_min, depth_bias_max; /* in units of depth */
    float line_width_px;
    uint16_t stipple_factor, stipple_pattern; /* of lines */
};

/* Where the parameters of indirect draws lie. */
struct vc4vk_indirect {
    struct kmd_bo *bo, *count_bo; /* `count_bo` NULL: the draw count is the recorded one */
    uint32_t offset_B, stride_B;  /* of draw 0; from draw to draw */
    uint32_t count_offset_B;
    /* A draw of as many vertices as were captured: `bo` holds the bytes. 0: not such a draw. */
    uint32_t vertex_stride_B, before_B; /* bytes before the first vertex */
    uint32_t first_instance, instance_count;
};

/* A vertex buffer as the programs of an expander read it. */
struct vc4vk_expansion_binding {
    struct kmd_bo *bo;        /* NULL: nothing is bound */
    uint64_t offset_B, end_B; /* in the BO, of element 0 and of the range */
    uint32_t stride_B;
};

/* What the programs of an expander run with: those of its stages, and what is bound. */
struct vc4vk_expansion {
    const struct vc4vk_variant *vertex, *control, *evaluation, *geometry, *task,
        *mesh; /* NULL: there is no such stage */
    struct vc4vk_binding_table vertex_table, control_table, evaluation_table, geometry_table, task_table, mesh_table;
    struct vc4vk_expansion_binding bindings[VC4VK_MAX_VERTEX_BINDINGS];
};

/* The state of successive draws, until something is bound or set. */
struct vc4vk_draw_state {
    const struct vc4vk_pipeline *pipeline; /* its packets come before the draws */
    const struct vc4vk_record *record;
    const struct vc4vk_uniform_set *uniforms;
    const struct vc4vk_viewports *viewports; /* replace that of `uniforms`; NULL: there is one viewport */
    const uint32_t *push;                  /* VC4VK_MAX_PUSH_B */
    const struct vc4vk_indirect *indirect; /* parameters are read from memory when the job is issued; or NULL */
    const struct vc4vk_expansion *expansion;           /* of pipelines with an expander; or NULL */
    struct vc4vk_capture *capture;                     /* while transform feedback is active; or NULL */
    const struct vc4vk_condition *condition; /* or NULL; read when the job is issued */
    const struct vc4vk_issue_sets *sets;     /* if descriptors are read when the job is issued; or NULL */
    struct vc4vk_binding_table vertex_table, fragment_table;
    struct kmd_bo *index_bo;                /* NULL: no buffer is bound, all indices are zero */
    uint32_t index_offset_B, index_limit_B; /* of the bound range: first byte in the BO, size */
    uint32_t packets_end_B;                 /* the command buffer's packets up to here come before the draws */
    uint32_t count;                         /* what programs add to the counters of an occlusion query */
    uint32_t instances_before;              /* instances of the same draw in earlier pieces */
    uint8_t topology;                       /* VkPrimitiveTopology */
    bool restart; /* the highest index ends a strip or fan, or an incomplete primitive of a list */
    bool zero_indices;                      /* indices beyond the index buffer are zero; else they are not drawn */
    bool first_provokes;                    /* flat inputs take the values of a primitive's first vertex */
    bool last_provokes;                     /* they take those of the last vertex, as on the chip */
    bool needs_triangle;                     /* vertex programs also read the other vertices of the triangle */
    uint8_t polygon;                        /* enum vc4vk_polygon */
    bool is_rectangles;                     /* lines are drawn as two triangles each; needs_triangle is set */
    bool stipples;                          /* lines have a pattern */
    bool orders_pixels;                     /* all samples of a primitive come before those of the next */
    bool has_adjacency;                     /* adjacent vertices, which are not drawn, lie between the others */
};

/* Mesh tasks have `count` x `instance_count` x `vertex_offset` workgroups. */
struct vc4vk_draw {
    const struct vc4vk_draw_state *state;
    uint32_t first, count; /* vertices, or indices; for an indirect draw `first` is its number */
    uint32_t first_instance, instance_count;
    int32_t vertex_offset;
    uint8_t index_B;  /* bytes of an index: 0 (not indexed), 1, 2, 4 */
    bool merges : 1;  /* small instances are merged into few draws of the chip (vc4vk_issue_merge.c) */
    bool is_mesh : 1; /* mesh tasks */
    uint16_t number; /* of a draw that is not indirect, among those of its command: DrawIndex */
};
_Static_assert(sizeof(struct vc4vk_draw) <= 32, "a command buffer may have thousands of draws");
_Static_assert(sizeof(struct vc4vk_draw) <= UTIL_STREAM_MAX_RESERVE_B, "a draw is reserved in one piece");

/* The streams that all jobs of a command buffer are recorded into. */
struct vc4vk_draw_lists {
    struct util_stream packets; /* of state, in order; draws become packets only at issue */
    struct util_stream draws;   /* struct vc4vk_draw */
};

/* Successive draws of a command buffer, and the packets before them. */
struct vc4vk_draw_section {
    struct vc4vk_draw_section *next;
    const struct vc4vk_draw_lists *lists;
    struct util_stream_place packets, draws; /* where they begin */
    uint32_t packets_B, draw_count;
    /* From a secondary: its clip windows may exceed the framebuffer, and its draws count for the primary's query. */
    bool is_executed;
    uint32_t count; /* if is_executed: replaces vc4vk_draw_state.count */
    /* If is_executed: of the executing command buffer, for all draws besides their own; or NULL. */
    const struct vc4vk_condition *condition;
};

/* Where a job's programs store the colour words that would otherwise need further replays (stores_colors): words in
 * raster order, with several samples in the blocks of the tile buffer. By replay; none for the first. */
struct vc4vk_stored_colors {
    struct {
        struct kmd_bo *bo; /* NULL: none */
        uint32_t stride_B;
    } words[VC4VK_MAX_REPLAYS];
};

/* The recorded draws of a job, and what they need when it is issued. */
struct vc4vk_draw_job {
    struct vc4vk_device *device;
    struct vc4vk_draw_section first;
    uint64_t binner_B;           /* estimated size of tile lists */
    uint16_t max_x_px, max_y_px; /* extent of the tile grid, to which clip windows are clipped */
    uint8_t samples;             /* of its pipelines; 0: no draw so far */
    /* Some draws are indirect: their counts are known only at issue, where the job is split into as many parts as the
     * limits demand. Each part stores everything it writes, and the next one loads it. */
    bool may_take_parts;
    /* Vertex programs transform clip space, for viewports beyond the chip's range and for framebuffers that are drawn
     * in several ranges. */
    bool is_recentred;
};

/* A job of the queue: runs the recorded draws with the programs of one replay, in one range of the framebuffer. */
struct vc4vk_draw_replay {
    struct vc4vk_job base; /* its `data` is the replay */
    const struct vc4vk_draw_job *draws;
    uint32_t draw_count;          /* how many of the draws, from the first on */
    uint32_t index;               /* of the pipelines' replays */
    uint32_t x_px, y_px, width_px, height_px; /* the range of the framebuffer */
    uint32_t view;                            /* of multiview, else the layer */
    bool is_other_layer; /* not the first layer: only draws whose vertex programs select layers reach it */
    const struct kmd_render *later_part; /* what the parts after the first load and store; NULL: a single part */
    bool has_binned; /* an earlier range has run the vertex programs, whose side effects must not happen again */
    const struct vc4vk_stored_colors *stored; /* NULL: programs store no colour */
    const struct vc4vk_counted *counted;      /* queries that count the draws; only for the CPU engine. NULL: none */
    /* Of the primary that executes the secondary which has the pass, for all draws besides their own; or NULL. */
    const struct vc4vk_condition *condition;
};

/* The device's BO with the numbers 0, 1, 2, ... 65535, the source of gl_VertexIndex. They are followed by zeros, which
 * are read where nothing is bound. The device keeps the reference. VK_ERROR_OUT_OF_HOST_MEMORY or _DEVICE_MEMORY. */
VkResult vc4vk_device_ramp(struct vc4vk_device *device, struct kmd_bo **out);
#define VC4VK_RAMP_COUNT 65536u
#define VC4VK_ZEROS_AT_B (VC4VK_RAMP_COUNT * 4u)
#define VC4VK_ZEROS_B    256u /* the largest array */

#endif
