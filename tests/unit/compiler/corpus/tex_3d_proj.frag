#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 2) uniform sampler3D t;
layout(location = 0) out vec4 o;
void main()
{
    o = textureProj(t, vec4(uv * 2.0, 1.0, 2.0));
}
