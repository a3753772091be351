// SPDX-License-Identifier: MIT
#version 450
layout(quads, equal_spacing) in;
layout(location = 0) in vec4 c_color[];
layout(location = 5) patch in vec4 p_tint;
layout(xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0, location = 0) out vec2 g_coord;
layout(xfb_buffer = 0, xfb_offset = 8, location = 1) flat out uint g_patch;
layout(xfb_buffer = 0, xfb_offset = 12, location = 2) flat out uint g_points;
void main()
{
    gl_Position = vec4(gl_TessCoord, 1.0);
    g_coord = gl_TessCoord.xy;
    g_patch = uint(gl_PrimitiveID);
    g_points = uint(gl_PatchVerticesIn);
}
