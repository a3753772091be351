#version 450
layout(set = 0, binding = 0) uniform sampler2D image;
layout(push_constant) uniform P { vec4 scale_offset; };
layout(location = 0) in vec2 v_uv;
layout(location = 0) out vec4 o_color;
void main()
{
    o_color = texture(image, v_uv * scale_offset.xy + scale_offset.zw);
}
