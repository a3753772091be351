// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(location = 0) flat in u64vec3 v_sequence;
layout(location = 2) flat in int64_t v_divisor;
layout(location = 0) out vec4 color;

void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    uint64_t x = v_sequence.z ^ uint64_t(at.x) << 40;
    for (uint i = 0u; i <= at.y % 7u; i++)
        x = x * v_sequence.x + v_sequence.y;
    int64_t quotient = int64_t(x) / v_divisor, rest = int64_t(x) - quotient * v_divisor;
    uvec4 bytes = uvec4(x >> 56, quotient & 255l, rest & 255l, at.x < at.y ? x >> 33 & 255ul : uint64_t(rest < 0l));
    color = vec4(bytes) / 255.0;
}
