// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
/* Every fragment adds its place to a sum of more than 32 bits, and takes a number of its own. */
layout(set = 0, binding = 0, std430) buffer Counters { uint64_t sum, greatest, tickets; };
layout(location = 0) out vec4 color;

void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    atomicAdd(sum, uint64_t(at.x) << 36 | uint64_t(at.y));
    atomicMax(greatest, uint64_t(at.y) << 40 | uint64_t(63u - at.x));
    uint64_t ticket = atomicAdd(tickets, 0x100000001ul);
    color = vec4(ticket >> 32 == (ticket & 0xfffffffful) ? 1 : 0, 0, 0, 1);
}
