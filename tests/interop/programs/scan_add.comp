#version 450
// Adds the sum of all earlier blocks to each value of a block.
layout(local_size_x = 128) in;
layout(binding = 0) buffer Values { uint values[]; };
layout(binding = 1) readonly buffer Sums { uint sums[]; };
void main()
{
    values[gl_GlobalInvocationID.x] += sums[gl_WorkGroupID.x];
}
