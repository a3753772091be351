/* SPDX-License-Identifier: MIT
 *
 * The state that primitives are drawn with, as set by the state records of control lists (ids 56, 64, 96 to 103). The
 * binner keeps it to copy it lazily into tile lists, the renderer to draw.
 */
#ifndef GPU_STATE_H
#define GPU_STATE_H

#include "hw/cl_gen.h"
#include "model/gpu/gpu_shape.h"

/* One group per record, in the order in which the binner writes them into tile lists. ORDER gpu_state_group */
enum gpu_state_group {
    GPU_STATE_CONFIG,
    GPU_STATE_FLAT,
    GPU_STATE_POINT_SIZE,
    GPU_STATE_LINE_WIDTH,
    GPU_STATE_RHT_BOUNDARY,
    GPU_STATE_DEPTH_OFFSET,
    GPU_STATE_CLIP_WINDOW,
    GPU_STATE_VIEWPORT,
    GPU_STATE_LIST_FORMAT, /* before the shader: it takes effect with it [guide p.65] */
    GPU_STATE_SHADER,
    GPU_STATE_GROUPS,
};

#define GPU_STATE_RECORD_MAX_B 9

struct gpu_state {
    struct cl_configuration_bits config;
    uint32_t flat_flags;
    float point_size_px, line_width_px;
    struct cl_depth_offset depth_offset;
    struct cl_clip_window clip;
    int32_t centre_x_12p4, centre_y_12p4;
    uint32_t list_type; /* enum cl_list_type; pending until the next shader record */
    uint32_t list_data;
    bool has_shader;
    struct cl_gl_shader_state shader;
};

/* Sets the state to what it is before any record. The chip's reset values are not documented (unverified); here no face
 * is enabled and the clip window has size 0. */
void gpu_state_reset(struct gpu_state *state);

/* Group of a record id; -1 if it is not a state record. */
int gpu_state_group(uint8_t id);

void gpu_state_apply(struct gpu_state *state, enum gpu_state_group group, const uint8_t *record);

/* The pixels inside the clip window. */
struct gpu_rect gpu_state_window(const struct gpu_state *state);

#endif
