#version 450
// Images of another format than the declared one.
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0, rgba8) uniform image2D images[2];

void main()
{
    const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(images[1], at, imageLoad(images[0], at) * 0.5);
}
