#version 450
/* SPDX-License-Identifier: MIT */
layout(local_size_x = 4, local_size_y = 4) in;
#ifdef ARRAY
layout(set = 0, binding = 0) uniform sampler2DArray picture;
#define PLACE(uv) vec3(uv, layer)
#else
layout(set = 0, binding = 0) uniform sampler2D picture;
#define PLACE(uv) uv
#endif
layout(set = 0, binding = 1, std430) buffer Out { vec4 colors[]; };
layout(push_constant) uniform Push { uvec2 size; uint layer; };

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x < size.x && at.y < size.y)
        colors[at.y * size.x + at.x] = textureLod(picture, PLACE((vec2(at) + 0.5) / vec2(size)), 0);
}
