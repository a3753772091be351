#version 450
layout(local_size_x = 16) in;
layout(std430, set = 0, binding = 3) writeonly buffer Out { uint words[]; };
void main()
{
    words[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x * 3u;
}
