#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Out { uint words[]; };
void main()
{
    words[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x * 3u + 1u;
}
