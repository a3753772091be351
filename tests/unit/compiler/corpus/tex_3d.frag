#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 2) uniform sampler3D t;
layout(location = 0) out vec4 o;
void main()
{
    o = texture(t, vec3(uv, uv.x * 0.5 + 0.25));
}
