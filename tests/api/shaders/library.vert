// SPDX-License-Identifier: MIT
#version 450
layout(constant_id = 0) const float SCALE = 1.0;
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color;
layout(set = 0, binding = 0) uniform Offset
{
    vec4 offset;
};
layout(location = 0) out vec4 v_color;
layout(location = 1) out vec4 v_flat; // flat in the fragment shader only
void main()
{
    gl_Position = vec4(position.xy * SCALE, position.zw) + offset;
    v_color = color;
    v_flat = color.brga;
}
