// SPDX-License-Identifier: MIT
#version 450
layout(location = 0) in vec4 g_color;
layout(location = 1) flat in uint g_bits;
layout(location = 0) out vec4 o_color;
void main()
{
    o_color = vec4(g_color.rg, float(g_bits & 255u) / 255.0, 1.0);
}
