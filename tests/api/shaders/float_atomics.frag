// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
/* The atomics are the only side effects of the program. */
layout(set = 0, binding = 0, std430) buffer Totals { float count, least, greatest; };
layout(location = 0) out vec4 color;

void main()
{
    vec2 at = floor(gl_FragCoord.xy);
    atomicAdd(count, 1.0);
    atomicMin(least, 100.0 - at.x);
    atomicMax(greatest, at.y * 2.0);
    color = vec4(1, 0, 0, 1);
}
