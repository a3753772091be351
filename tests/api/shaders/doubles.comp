// SPDX-License-Identifier: MIT
#version 450
/* 64-bit floats in every storage class that a compute program has. */
layout(local_size_x = 32) in;
layout(constant_id = 0) const double factor = 1.0lf;
layout(std430, binding = 0) readonly buffer In { double x[32]; dvec3 triples[32]; };
layout(std430, binding = 1) writeonly buffer Out { double sums[32], products[32], quotients[32], roots[32], others[32]; dvec3 turned[32]; };
layout(std140, binding = 2) uniform Matrix { dmat3 m; layout(row_major) dmat2x3 rows; };
layout(push_constant) uniform Push { int before; double offset; };
shared double together[32];
double kept[3];

void main()
{
    uint i = gl_LocalInvocationID.x;
    together[i] = x[i] * factor;
    barrier();
    double other = together[31u - i];
    sums[i] = x[i] + other;
    products[i] = x[i] * other;
    quotients[i] = x[i] / other;
    roots[i] = sqrt(abs(x[i]) + offset);
    kept[i % 3u] = other;
    kept[(i + 1u) % 3u] = rows[i % 2u][i % 3u];
    others[i] = kept[i % 3u] - kept[(i + 1u) % 3u];
    turned[i] = m * triples[i];
}
