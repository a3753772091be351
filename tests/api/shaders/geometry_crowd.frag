// SPDX-License-Identifier: MIT
#version 450
layout(location = 0) in vec4 color;
layout(location = 1) flat in uint bits;
layout(location = 2) flat in uvec4 four;
layout(location = 3) flat in uvec2 two;
layout(location = 0) out vec4 o_color;
void main()
{
    bool is_right = four == bits + uvec4(1, 2, 3, 4) && two == bits + uvec2(5, 6);
    o_color = is_right ? color : vec4(0.0);
}
