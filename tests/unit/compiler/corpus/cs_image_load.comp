#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 5, std430) buffer W { uint w[64]; };
layout(set = 0, binding = 7, r32ui) uniform readonly uimage2D img;
void main()
{
    w[gl_LocalInvocationIndex] = imageLoad(img, ivec2(gl_LocalInvocationIndex, 0)).x;
}
