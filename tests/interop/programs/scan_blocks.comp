#version 450
// Exclusive prefix sums within blocks of 128, and the sum of each block.
layout(local_size_x = 128) in;
layout(binding = 0) buffer Values { uint values[]; };
layout(binding = 1) writeonly buffer Sums { uint sums[]; };
shared uint part[128];
void main()
{
    uint i = gl_LocalInvocationIndex, own = values[gl_GlobalInvocationID.x];
    part[i] = own;
    barrier();
    for (uint step = 1; step < 128; step *= 2) {
        uint before = i >= step ? part[i - step] : 0;
        barrier();
        part[i] += before;
        barrier();
    }
    values[gl_GlobalInvocationID.x] = part[i] - own;
    if (i == 127)
        sums[gl_WorkGroupID.x] = part[127];
}
