#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 6) uniform sampler2DShadow t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(textureProjLod(t, vec4(uv * 2.0, 1.0, 2.0), 0.0));
}
