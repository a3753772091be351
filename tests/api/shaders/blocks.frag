#version 450
// Blocks of one image into an image whose texels have their size.
layout(set = 0, binding = 0) uniform usampler2D from;
layout(location = 0) out uvec4 o_block;
void main()
{
    o_block = texelFetch(from, ivec2(gl_FragCoord.xy), 0);
}
