#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 11) uniform usampler3D t;
layout(location = 0) out uvec4 o;
void main()
{
    o = texture(t, vec3(uv, 0.6));
}
