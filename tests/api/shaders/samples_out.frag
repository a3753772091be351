#version 450
// Every sample becomes a pixel: four quarters of the picture.
layout(set = 0, binding = 0) uniform SAMPLER image;
layout(location = 0) out TYPE o_color;
void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy), size = textureSize(image);
    ivec2 quarter = ivec2(at.x >= size.x ? 1 : 0, at.y >= size.y ? 1 : 0);
    o_color = texelFetch(image, at - quarter * size, quarter.x + 2 * quarter.y);
}
