#version 450
// A product of matrices: each invocation keeps a tile of sums, more than there are registers, and indexes its arrays by
// counters of loops. The depth of the matrices is known when it runs.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer Depth { uint depth; };
layout(set = 0, binding = 1) readonly buffer Left { uint left[]; };   // 8 rows
layout(set = 0, binding = 2) readonly buffer Right { uint right[]; }; // 6 columns for each invocation
layout(set = 0, binding = 3) buffer Out { uint product[]; };
const uint ROWS = 8, COLUMNS = 6;
void main()
{
    uint sums[ROWS * COLUMNS], a[ROWS], b[COLUMNS], i = gl_GlobalInvocationID.x;
    for (uint k = 0; k < ROWS * COLUMNS; k++)
        sums[k] = k;
    for (uint k = 0; k < depth; k++) {
        for (uint y = 0; y < ROWS; y++)
            a[y] = left[y * depth + k];
        for (uint x = 0; x < COLUMNS; x++)
            b[x] = right[k * 16 * COLUMNS + i * COLUMNS + x];
        for (uint y = 0; y < ROWS; y++)
            for (uint x = 0; x < COLUMNS; x++)
                sums[y * COLUMNS + x] += a[y] * b[x];
    }
    for (uint y = 0; y < ROWS; y++)
        for (uint x = 0; x < COLUMNS; x++)
            product[(y * 16 + i) * COLUMNS + x] = sums[y * COLUMNS + x];
}
