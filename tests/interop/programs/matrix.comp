#version 450
// c = a * b, in tiles of 8 x 8 in shared memory.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform P { uint n; };
shared float tile_a[8][8], tile_b[8][8];
void main()
{
    uvec2 at = gl_GlobalInvocationID.xy, own = gl_LocalInvocationID.xy;
    float sum = 0.0;
    for (uint t = 0; t < n; t += 8) {
        tile_a[own.y][own.x] = a[at.y * n + t + own.x];
        tile_b[own.y][own.x] = b[(t + own.y) * n + at.x];
        barrier();
        for (uint k = 0; k < 8; k++)
            sum += tile_a[own.y][k] * tile_b[k][own.x];
        barrier();
    }
    c[at.y * n + at.x] = sum;
}
