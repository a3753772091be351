#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 6) uniform sampler2DShadow t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(textureGrad(t, vec3(uv, 0.5), vec2(0.0), vec2(0.0)));
}
