#version 450
// Comparisons of values that are spilled, whose results are read right behind them and once more much later.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Out { uint sums[]; };
layout(set = 0, binding = 1) buffer In { uint values[]; };
void main()
{
    bool less[30], low[30], even[30];
    uint i = gl_GlobalInvocationID.x, count = 0u, sum = 0u;
    for (uint k = 0u; k < 30u; k++) {
        less[k] = values[k] * (i + k) % 64u < i;
        low[k] = values[k + 30u] * (i + k) % 128u < i;
        even[k] = (values[k + 60u] * (i + k) & 8u) == 0u;
        count += (less[k] ? 1u : 0u) + (low[k] ? 3u : i) + (even[k] ? 7u : k);
    }
    sums[i] = count;
    for (uint k = 0u; k < 30u; k++)
        sum = (sum * 3u + (less[29u - k] ? k : i) ^ (low[29u - k] ? 5u : k)) + (even[29u - k] ? i : 9u);
    sums[i] += sum;
}
