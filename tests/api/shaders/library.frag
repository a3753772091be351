// SPDX-License-Identifier: MIT
#version 450
layout(constant_id = 0) const float SCALE = 1.0;
layout(location = 0) in vec4 v_color;
layout(location = 1) flat in vec4 v_flat;
layout(set = 1, binding = 0) uniform Tint
{
    vec4 tint;
};
layout(location = 0) out vec4 color;
void main()
{
    color = v_color * tint * SCALE + v_flat * 0.25;
}
