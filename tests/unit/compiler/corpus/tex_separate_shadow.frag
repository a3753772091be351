#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 21) uniform texture2D t;
layout(set = 1, binding = 22) uniform samplerShadow s;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(texture(sampler2DShadow(t, s), vec3(uv, 0.5)));
}
