// SPDX-License-Identifier: MIT
#version 450
layout(location = 0) in vec4 v_values[31];
layout(location = 0) out vec4 color;
void main()
{
    color = v_values[30] * 0.5 + v_values[3] + float(gl_PrimitiveID % 4) / 8.0;
}
