#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 8, r32ui) uniform writeonly uimageBuffer img;
void main()
{
    imageStore(img, int(gl_LocalInvocationIndex), uvec4(gl_LocalInvocationIndex));
}
