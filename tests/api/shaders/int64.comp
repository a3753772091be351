// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_ARB_gpu_shader_int64 : require
/* 64-bit integers in every storage class that a compute program has. */
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint64_t factor = 1ul;
layout(constant_id = 1) const int64_t divisor = 1l;
const uint64_t square = factor * factor / 3ul;
layout(std430, binding = 0) readonly buffer In { uint64_t x[32]; i64vec3 triples[32]; };
layout(std430, binding = 1) writeonly buffer Out { uint64_t sums[32], products[32], quotients[32], rests[32], others[32]; i64vec3 turned[32]; };
layout(std140, binding = 2) uniform Table { uint64_t table[4]; i64vec2 pair; };
layout(push_constant) uniform Push { int before; uint64_t offset; };
shared uint64_t together[32];
uint64_t kept[3];

void main()
{
    uint i = gl_LocalInvocationID.x;
    together[i] = x[i] * factor;
    barrier();
    uint64_t other = together[31u - i];
    sums[i] = x[i] + other + square;
    products[i] = x[i] * other;
    quotients[i] = x[i] / (other | 1ul);
    rests[i] = uint64_t(int64_t(other) % divisor) - offset;
    kept[i % 3u] = other;
    kept[(i + 1u) % 3u] = table[i % 4u] >> i;
    others[i] = kept[i % 3u] - kept[(i + 1u) % 3u];
    turned[i] = triples[i] / pair.xyx - i64vec3(gl_LocalInvocationID) * pair.y;
}
