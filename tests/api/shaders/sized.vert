// SPDX-License-Identifier: MIT
// The third coordinate is the size of points.
#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 v_color;
void main()
{
    gl_Position = vec4(position.xy, 0.5, 1.0);
    gl_PointSize = position.z;
    v_color = color;
}
