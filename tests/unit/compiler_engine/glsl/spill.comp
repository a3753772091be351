#version 450
// More live values than registers: 90 values are live across a loop with divergent exits.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Out { uint sums[]; };
layout(set = 0, binding = 1) readonly buffer In { uint values[]; };
void main()
{
    uint v[90], i = gl_GlobalInvocationID.x, sum = 0u;
    for (uint k = 0u; k < 90u; k++)
        v[k] = values[k] * (i + k) + k;
    for (uint round = 0u; round < i; round++) {
        for (uint k = 0u; k < 90u; k++)
            sum = sum * 3u + v[k];
        if (sum % 7u == 3u)
            break;
    }
    for (uint k = 0u; k < 90u; k++)
        sum ^= v[89u - k];
    sums[i] = sum;
}
