#version 450
// Copies texels, whatever the formats of the two views.
layout(local_size_x = 16) in;
layout(binding = 0) uniform samplerBuffer from;
layout(binding = 1) writeonly uniform imageBuffer to;

void main()
{
    int i = int(gl_GlobalInvocationID.x);
    if (i < textureSize(from))
        imageStore(to, i, texelFetch(from, i));
}
