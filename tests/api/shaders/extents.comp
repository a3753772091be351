// SPDX-License-Identifier: MIT
// Reads the texels at these places: w is 0 for texelFetch, 1 for textureLod.
#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform sampler2DArray image;
layout(set = 0, binding = 1, std430) readonly buffer At { ivec4 at[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Values { float values[]; };
void main()
{
    ivec4 p = at[gl_LocalInvocationID.x];
    ivec3 size = textureSize(image, 0);
    vec3 coord = vec3((vec2(p.xy) + 0.5) / vec2(size.xy), p.z);
    values[gl_LocalInvocationID.x] = (p.w == 0 ? texelFetch(image, p.xyz, 0) : textureLod(image, coord, 0.0)).r * 255.0;
}
