#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 5, std430) buffer W { uint w[64]; };
shared uint s[16];
void main()
{
    s[gl_LocalInvocationIndex] = gl_LocalInvocationIndex * 5u;
    barrier();
    w[gl_LocalInvocationIndex] = s[15u - gl_LocalInvocationIndex];
}
