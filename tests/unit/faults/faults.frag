#version 450
layout(location = 0) in vec2 coord;
layout(set = 0, binding = 1) uniform sampler2D image;
layout(set = 0, binding = 2) uniform samplerBuffer texels;
layout(push_constant) uniform P { vec4 tint; };
layout(location = 0) out vec4 color;
void main()
{
    color = texture(image, coord) * tint + texelFetch(texels, 0);
}
