#version 450
#extension GL_EXT_scalar_block_layout : require
/* Members that follow each other without gaps, in a storage buffer and (arrays of scalars) in a uniform buffer. */
layout(local_size_x = 8) in;
struct Part { float a; vec3 b; mat2x3 m; uvec2 c[3]; };
layout(scalar, binding = 0) readonly buffer In { uint head; Part parts[]; };
layout(scalar, binding = 1) writeonly buffer Out { vec3 sums[]; };
layout(scalar, binding = 2) uniform Numbers { float first; float numbers[8]; vec3 last; };

void main()
{
    uint i = gl_LocalInvocationID.x;
    Part p = parts[i];
    sums[i] = p.a * p.b + p.m[1] + float(p.c[i % 3u].y + head) + numbers[i] * last + first;
}
