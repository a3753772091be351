// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_atomic_float : require
/* Loads before and after an atomic of floats, which is the program's only kind of store. */
layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std430) buffer Numbers { float number[32], sum[32]; };

void main()
{
    uint i = gl_LocalInvocationIndex;
    float before = number[i];
    atomicAdd(number[i], 1.0);
    float after = number[i];
    atomicAdd(sum[i], before * 100.0 + after);
}
