#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 1) uniform mediump sampler2D t;
layout(location = 0) out mediump vec4 o;
void main()
{
    o = texture(t, uv) * texture(t, uv.yx);
}
