#version 450
// As many invocations as the device has.
layout(local_size_x = 256) in;
layout(std430, set = 0, binding = 0) readonly buffer In { uint words[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Out { uint sums[]; };
shared uint part[256];

void main()
{
    uint i = gl_LocalInvocationID.x;
    part[i] = words[gl_GlobalInvocationID.x];
    barrier();
    for (uint half_size = 128u; half_size > 0u; half_size >>= 1) {
        if (i < half_size)
            part[i] += part[i + half_size];
        barrier();
    }
    if (i == 0u)
        sums[gl_WorkGroupID.x] = part[0];
}
