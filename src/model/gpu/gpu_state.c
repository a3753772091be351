/* SPDX-License-Identifier: MIT
 *
 * State records of control lists [guide p.65-71].
 */
#include <math.h>
#include "model/gpu/gpu_state.h"

void gpu_state_reset(struct gpu_state *state)
{
    *state = (struct gpu_state){
        .point_size_px = 1.0f,
        .line_width_px = 1.0f,
        .list_type = CL_LIST_TRIANGLES,
        .list_data = 1,
    };
}

int gpu_state_group(uint8_t id)
{
    switch (id) {
    case CL_CONFIGURATION_BITS_ID:
        return GPU_STATE_CONFIG;
    case CL_FLAT_SHADE_FLAGS_ID:
        return GPU_STATE_FLAT;
    case CL_POINT_SIZE_ID:
        return GPU_STATE_POINT_SIZE;
    case CL_LINE_WIDTH_ID:
        return GPU_STATE_LINE_WIDTH;
    case CL_RHT_X_BOUNDARY_ID:
        return GPU_STATE_RHT_BOUNDARY;
    case CL_DEPTH_OFFSET_ID:
        return GPU_STATE_DEPTH_OFFSET;
    case CL_CLIP_WINDOW_ID:
        return GPU_STATE_CLIP_WINDOW;
    case CL_VIEWPORT_OFFSET_ID:
        return GPU_STATE_VIEWPORT;
    case CL_PRIMITIVE_LIST_FORMAT_ID:
        return GPU_STATE_LIST_FORMAT;
    case CL_GL_SHADER_STATE_ID:
        return GPU_STATE_SHADER;
    default:
        return -1;
    }
}

/* The unpacked s12.4 fields are floats, which hold the value exactly. */
static int32_t to_12p4(float x)
{
    return (int32_t)(x * 16.0f);
}

void gpu_state_apply(struct gpu_state *state, enum gpu_state_group group, const uint8_t *record)
{
    switch (group) {
    case GPU_STATE_CONFIG:
        cl_configuration_bits_unpack(record, &state->config);
        break;
    case GPU_STATE_FLAT: {
        struct cl_flat_shade_flags flat;
        cl_flat_shade_flags_unpack(record, &flat);
        state->flat_flags = flat.flags;
        break;
    }
    case GPU_STATE_POINT_SIZE: {
        struct cl_point_size point;
        cl_point_size_unpack(record, &point);
        state->point_size_px = point.size_px;
        break;
    }
    case GPU_STATE_LINE_WIDTH: {
        struct cl_line_width line;
        cl_line_width_unpack(record, &line);
        state->line_width_px = line.width_px;
        break;
    }
    case GPU_STATE_RHT_BOUNDARY: /* for RHT primitives only, which the kernel does not allow */
        break;
    case GPU_STATE_DEPTH_OFFSET:
        cl_depth_offset_unpack(record, &state->depth_offset);
        break;
    case GPU_STATE_CLIP_WINDOW:
        cl_clip_window_unpack(record, &state->clip);
        break;
    case GPU_STATE_VIEWPORT: {
        struct cl_viewport_offset viewport;
        cl_viewport_offset_unpack(record, &viewport);
        state->centre_x_12p4 = to_12p4(viewport.centre_x);
        state->centre_y_12p4 = to_12p4(viewport.centre_y);
        break;
    }
    case GPU_STATE_LIST_FORMAT: {
        struct cl_primitive_list_format format;
        cl_primitive_list_format_unpack(record, &format);
        state->list_type = format.type;
        state->list_data = format.data;
        break;
    }
    case GPU_STATE_SHADER:
        cl_gl_shader_state_unpack(record, &state->shader);
        state->has_shader = true;
        break;
    case GPU_STATE_GROUPS:
        break;
    }
}

/* The last column and row are computed in 16 bits. So a window of size 0 at 0 ends at 65535 and clips nothing
 * [measured: piglit's gl-1.0-scissor-offscreen, for which Mesa sets such a window, fails on a board]. */
struct gpu_rect gpu_state_window(const struct gpu_state *state)
{
    const struct cl_clip_window *c = &state->clip;
    uint16_t last_x = (uint16_t)(c->left_px + c->width_px - 1), last_y = (uint16_t)(c->bottom_px + c->height_px - 1);
    return (struct gpu_rect){(int32_t)c->left_px, (int32_t)c->bottom_px, last_x + 1, last_y + 1};
}
