#version 450
/* SPDX-License-Identifier: MIT */
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0) uniform sampler2D picture;
layout(set = 0, binding = 1, std430) buffer Out { vec4 colors[]; };
layout(push_constant) uniform Push { uvec2 size; };

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x < size.x && at.y < size.y)
        colors[at.y * size.x + at.x] = textureLod(picture, (vec2(at) + 0.5) / vec2(size), 0);
}
