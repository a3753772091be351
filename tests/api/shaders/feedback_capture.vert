// SPDX-License-Identifier: MIT
// What it writes is captured in two buffers, of which the first has gaps.
#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color;
layout(xfb_buffer = 0, xfb_stride = 28, xfb_offset = 4, location = 0) out vec4 v_color;
layout(xfb_buffer = 0, xfb_offset = 20, location = 1) flat out ivec2 v_ids;
layout(xfb_buffer = 1, xfb_stride = 16) out gl_PerVertex
{
    layout(xfb_offset = 0) vec4 gl_Position;
    float gl_PointSize;
};
void main()
{
    gl_Position = position;
    gl_PointSize = 1.0;
    v_color = color;
    v_ids = ivec2(gl_VertexIndex, gl_InstanceIndex);
}
