// SPDX-License-Identifier: MIT
#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 v_color;
layout(location = 3) flat out ivec2 v_ids;
void main()
{
    gl_Position = position;
    gl_Position.y += 0.25 * float(gl_InstanceIndex);
    gl_PointSize = 1.0;
    v_color = color;
    v_ids = ivec2(gl_VertexIndex, gl_InstanceIndex);
}
