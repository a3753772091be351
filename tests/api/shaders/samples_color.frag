#version 450
// A colour with an alpha that differs from pixel to pixel.
layout(push_constant) uniform push { vec4 scale; vec4 offset; };
layout(location = 0) in float v_alpha;
layout(location = 0) out vec4 o_color;
void main()
{
    o_color = vec4(offset.rgb, v_alpha);
}
