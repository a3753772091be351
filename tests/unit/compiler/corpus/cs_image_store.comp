#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 6, rgba8) uniform writeonly image2D img;
void main()
{
    imageStore(img, ivec2(gl_GlobalInvocationID.x, 0), vec4(float(gl_LocalInvocationIndex) / 15.0));
}
