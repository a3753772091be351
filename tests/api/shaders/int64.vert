// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_ARB_gpu_shader_int64 : require
/* A triangle that covers the target. Its 64-bit outputs are the numbers of a sequence of random numbers. */
layout(location = 0) flat out u64vec3 v_sequence;
layout(location = 2) flat out int64_t v_divisor;

void main()
{
    uint64_t one = 6364136223846793005ul / (6364136223846793000ul + uint64_t(gl_VertexIndex));
    v_sequence = u64vec3(6364136223846793005ul * one, 1442695040888963407ul, 0x123456789abcdeful << one);
    v_divisor = -1000003l * int64_t(one);
    gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0.5, 1);
}
