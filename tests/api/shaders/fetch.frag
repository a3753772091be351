#version 450
layout(set = 0, binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 o_color;
void main()
{
    ivec2 size = textureSize(image, 0);
    o_color = texelFetch(image, ivec2(gl_FragCoord.xy) % size, 0);
}
