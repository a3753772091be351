#version 450
// Neighbours exchange their samples.
layout(local_size_x = 4, local_size_y = 4, local_size_z = 2) in;
layout(set = 0, binding = 0, rgba8) uniform image2DMS image;
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(image);
    int number = int(gl_GlobalInvocationID.z);
    if (at.x >= size.x || at.y >= size.y)
        return;
    vec4 a = imageLoad(image, at, number), b = imageLoad(image, at, 3 - number);
    imageStore(image, at, number, b);
    imageStore(image, at, 3 - number, a);
}
