#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 13) uniform texture2D t;
layout(set = 1, binding = 14) uniform sampler s;
layout(location = 0) out vec4 o;
void main()
{
    o = texture(sampler2D(t, s), uv);
}
