#version 450
/* SPDX-License-Identifier: MIT */
layout(push_constant) uniform P { vec4 color; };
layout(location = 0) out vec4 o_first;
layout(location = 1) out vec4 o_second;
void main()
{
    o_first = color;
    o_second = color.gbra;
}
