#version 450
// More live values than a QPU has rows of its own.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Out { uint sums[]; };
layout(set = 0, binding = 1) readonly buffer In { uint values[]; };
void main()
{
    uint v[8][20], w[8][20], i = gl_GlobalInvocationID.x, sum = 0u;
    for (uint y = 0u; y < 8u; y++) {
        for (uint x = 0u; x < 20u; x++) {
            v[y][x] = values[20u * y + x] * (i + x) + y;
            w[y][x] = values[20u * y + x] ^ v[y][x] * i;
        }
    }
    for (uint round = 0u; round < i % 5u; round++) {
        for (uint y = 0u; y < 8u; y++)
            for (uint x = 0u; x < 20u; x++)
                sum = sum * 3u + (v[y][x] ^ w[y][x]);
        if (sum % 7u == 3u)
            break;
    }
    for (uint y = 0u; y < 8u; y++)
        for (uint x = 0u; x < 20u; x++)
            sum = (sum ^ v[7u - y][19u - x]) * 5u + w[7u - y][19u - x];
    sums[i] = sum;
}
