#version 450
// A histogram of 256 bins.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Out { uint bins[]; };
layout(binding = 1) readonly buffer In { uint from[]; };
void main()
{
    atomicAdd(bins[from[gl_GlobalInvocationID.x] & 255], 1);
}
