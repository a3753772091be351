#version 450
// Conditions that are spilled before the branches that ask for them, and values that depend on them, spilled as well.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Out { uint sums[]; };
layout(set = 0, binding = 1) readonly buffer In { uint values[]; };
void main()
{
    bool asked[30];
    uint v[60], chosen[30], i = gl_GlobalInvocationID.x, sum = 0u;
    for (uint k = 0u; k < 30u; k++)
        asked[k] = (values[k] ^ i) % 3u == 0u;
    for (uint k = 0u; k < 60u; k++)
        v[k] = values[k] * (i + k);
    for (uint k = 0u; k < 30u; k++) {
        if (asked[k])
            chosen[k] = 1u;
        else
            chosen[k] = values[(k * 7u + i) % 60u];
    }
    for (uint round = 0u; round < i % 4u; round++) {
        for (uint k = 0u; k < 60u; k++)
            sum = sum * 3u + (v[k] ^ chosen[k / 2u]);
        if (sum % 7u == 3u)
            break;
    }
    for (uint k = 0u; k < 30u; k++)
        sum = sum * 5u + chosen[k] + (asked[k] ? v[k] : v[59u - k]);
    sums[i] = sum;
}
