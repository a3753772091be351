#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 2) uniform sampler3D t;
layout(location = 0) out vec4 o;
void main()
{
    o = textureLod(t, vec3(uv, 0.5), 1.0);
}
