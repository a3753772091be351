#version 450
// Images of another format than the declared one.
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0, rgba8) uniform image2D images[2];
layout(set = 0, binding = 1, rgba8) uniform writeonly imageBuffer texels;

void main()
{
    const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(images[1], at, imageLoad(images[0], at) * 0.5);
    imageStore(texels, at.y * 4 + at.x, vec4(at.y * 4 + at.x));
}
