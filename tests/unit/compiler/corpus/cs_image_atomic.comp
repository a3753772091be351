#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 7, r32ui) uniform uimage2D img;
void main()
{
    imageAtomicAdd(img, ivec2(gl_LocalInvocationIndex & 3u, 0), 1u);
}
