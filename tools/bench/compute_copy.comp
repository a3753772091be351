#version 450
layout(local_size_x = 64) in;
layout(binding = 0) writeonly buffer Out { uint to[]; };
layout(binding = 1) readonly buffer In { uint from[]; };
void main()
{
    to[gl_GlobalInvocationID.x] = from[gl_GlobalInvocationID.x];
}
