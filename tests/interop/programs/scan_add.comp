#version 450
// Adds to each block what lies before it.
layout(local_size_x = 128) in;
layout(binding = 0) buffer Values { uint values[]; };
layout(binding = 1) readonly buffer Sums { uint sums[]; };
void main()
{
    values[gl_GlobalInvocationID.x] += sums[gl_WorkGroupID.x];
}
