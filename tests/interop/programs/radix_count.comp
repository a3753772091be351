#version 450
// Counts how often each 4-bit digit occurs in each block of 128 keys: counts[digit * blocks + block].
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer Keys { uint keys[]; };
layout(binding = 1) writeonly buffer Counts { uint counts[]; };
layout(push_constant) uniform P { uint shift; };
shared uint own[16];
void main()
{
    if (gl_LocalInvocationIndex < 16)
        own[gl_LocalInvocationIndex] = 0;
    barrier();
    atomicAdd(own[(keys[gl_GlobalInvocationID.x] >> shift) & 15], 1);
    barrier();
    if (gl_LocalInvocationIndex < 16)
        counts[gl_LocalInvocationIndex * gl_NumWorkGroups.x + gl_WorkGroupID.x] = own[gl_LocalInvocationIndex];
}
