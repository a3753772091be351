#version 450
layout(set = 0, binding = 0) uniform sampler2D picture;
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 color_out;

void main()
{
    color_out = texture(picture, place) * color;
}
