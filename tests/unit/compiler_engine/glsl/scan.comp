#version 450
// Inclusive prefix sums of 128 numbers, and a transposition through a shared array of structs.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Out { uvec2 transposed[]; };
struct Cell { uint value; bool odd; };
shared uint sums[2][128];
shared Cell cells[8][16];
void main()
{
    uint l = gl_LocalInvocationIndex, from = 0u, at = gl_WorkGroupID.x * 128u + l;
    sums[0][l] = data[at];
    barrier();
    for (uint step = 1u; step < 128u; step *= 2u) {
        uint x = sums[from][l];
        if (l >= step)
            x += sums[from][l - step];
        sums[1u - from][l] = x;
        from = 1u - from;
        barrier();
    }
    data[at] = sums[from][l];
    cells[l >> 4][l & 15u] = Cell(l, (l & 1u) == 1u);
    barrier();
    Cell c = cells[l & 7u][l >> 3];
    transposed[at] = uvec2(c.value, c.odd ? 1u : 0u);
}
