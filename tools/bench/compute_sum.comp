#version 450
// The sum of each block, by a tree reduction in shared memory.
layout(local_size_x = 128) in;
layout(binding = 0) writeonly buffer Out { uint sums[]; };
layout(binding = 1) readonly buffer In { uint from[]; };
shared uint part[128];
void main()
{
    uint i = gl_LocalInvocationIndex;
    part[i] = from[gl_GlobalInvocationID.x];
    barrier();
    for (uint n = 64; n > 0; n /= 2) {
        if (i < n)
            part[i] += part[i + n];
        barrier();
    }
    if (i == 0)
        sums[gl_WorkGroupID.x] = part[0];
}
