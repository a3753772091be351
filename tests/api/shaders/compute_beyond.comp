#version 450
/* Reads and writes on both sides of the ends of what is bound: every index is one of the push constants plus the lane. */
layout(local_size_x = 32) in;
layout(push_constant) uniform Push { uint first; } push;
layout(std430, binding = 0) buffer Moved { uint words[]; } moved; /* dynamic */
layout(std430, binding = 1) buffer Fixed { uint words[]; } fixed_;
layout(binding = 2) uniform Numbers { uvec4 numbers[1024]; };
layout(binding = 3) uniform usamplerBuffer texels;
layout(std430, binding = 4) writeonly buffer Out { uvec4 seen[32]; };

void main()
{
    uint lane = gl_LocalInvocationID.x, i = push.first + lane;
    seen[lane] = uvec4(moved.words[i], fixed_.words[i], numbers[i & 1023u].x, texelFetch(texels, int(i)).x);
    moved.words[i] = 1000u + i;
    atomicAdd(moved.words[i], 500u);
    fixed_.words[i] = 2000u + i;
}
