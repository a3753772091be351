// SPDX-License-Identifier: MIT
#version 450
layout(location = 0) out vec4 o_color;
void main()
{
    o_color = vec4(float(gl_PrimitiveID % 4) / 4.0, float(gl_PrimitiveID / 4) / 8.0, 0.5, 1.0);
}
