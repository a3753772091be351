#version 450
// As many invocations and as much shared memory as the device has. Only the last eighth of the memory is summed up.
layout(local_size_x = 1024) in;
layout(std430, set = 0, binding = 0) readonly buffer In { uint words[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Out { uint sums[]; };
shared uint part[8][1024];

void main()
{
    uint i = gl_LocalInvocationID.x;
    part[0][i] = words[gl_GlobalInvocationID.x];
    for (uint k = 1u; k < 8u; k++) {
        barrier();
        part[k][i] = part[k - 1u][(i + 1u) & 1023u];
    }
    barrier();
    for (uint half_size = 512u; half_size > 0u; half_size >>= 1) {
        if (i < half_size)
            part[7][i] += part[7][i + half_size];
        barrier();
    }
    if (i == 0u)
        sums[gl_WorkGroupID.x] = part[7][0];
}
