#version 450
// A texel a pixel, by coordinates that are interpolated: the texel itself by a linear filter, or what is gathered there.
layout(set = 0, binding = 0) uniform sampler2D image;
layout(location = 0) in vec2 v_uv;
layout(location = 0) out vec4 o_color;
layout(push_constant) uniform Push {
    float gathers;
};
void main()
{
    if (gathers > 0.0)
        o_color = textureGather(image, v_uv, 1).wzxy; // right and down: (0, 0), (1, 0), (0, 1), (1, 1)
    else
        o_color = texture(image, v_uv);
}
