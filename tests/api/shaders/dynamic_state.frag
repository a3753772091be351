// SPDX-License-Identifier: MIT
#version 450
layout(location = 0) in vec4 v_color;
layout(location = 1) flat in vec4 v_flat;
layout(location = 0) out vec4 smooth_color;
layout(location = 1) out vec4 flat_color;
void main()
{
    smooth_color = v_color;
    flat_color = v_flat;
}
