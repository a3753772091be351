// SPDX-License-Identifier: MIT
#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 v_color;
layout(location = 1) flat out vec4 v_flat;
void main()
{
    gl_Position = position;
    gl_PointSize = 3.0;
    v_color = color;
    v_flat = color.brga;
}
