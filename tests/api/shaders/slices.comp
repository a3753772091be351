#version 450
// Adds texels of one slice to those of another.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) uniform sampler2D from;
layout(binding = 1, rgba8) uniform image2D to;
void main()
{
    ivec2 at = ivec2(gl_LocalInvocationID.xy);
    imageStore(to, at, imageLoad(to, at) + texture(from, (vec2(at) + 0.5) / vec2(textureSize(from, 0))));
}
