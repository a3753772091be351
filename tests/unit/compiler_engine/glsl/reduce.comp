#version 450
// A reduction in shared memory; the workgroups of a request run one after the other.
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) readonly buffer In { uint values[]; };
layout(set = 0, binding = 1) buffer Out { uint sums[]; };
shared uint part[gl_WorkGroupSize.x];
void main()
{
    uint l = gl_LocalInvocationID.x;
    part[l] = values[gl_GlobalInvocationID.x];
    barrier();
    for (uint n = gl_WorkGroupSize.x / 2u; n > 0u; n /= 2u) {
        if (l < n)
            part[l] += part[l + n];
        barrier();
    }
    if (l == 0u)
        sums[gl_WorkGroupID.x] = part[0];
}
