#version 450
// Invocations below `first` and from `end` on return at once; barriers in a loop count them as arrived. The others pass
// numbers around through shared memory, a step to the right in each round.
layout(local_size_x = 128) in;
layout(std430, binding = 0) buffer Out { uint words[]; } result;
layout(push_constant) uniform Push { uint first, end, rounds; } push;
shared uint ring[128];

void main()
{
    uint i = gl_LocalInvocationIndex;
    if (i < push.first || i >= push.end)
        return;
    uint count = push.end - push.first, value = 1000u * gl_WorkGroupID.x + i;
    for (uint round = 0u; round < push.rounds; round++) {
        ring[i] = value;
        barrier();
        value = ring[push.first + (i - push.first + 17u) % count];
        barrier();
        if (value == 1000u * gl_WorkGroupID.x + 999u) // of none
            return;
    }
    result.words[128u * gl_WorkGroupID.x + i] = value;
}
