#version 450
// A picture, tinted by an inline uniform block.
layout(set = 0, binding = 2) uniform Tint { vec4 tint; };
layout(set = 1, binding = 0) uniform texture2D picture;
layout(set = 1, binding = 1) uniform sampler picture_sampler;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main()
{
    color = texture(sampler2D(picture, picture_sampler), at * 2.0) * tint;
}
