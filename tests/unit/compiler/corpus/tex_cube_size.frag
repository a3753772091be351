#version 450
layout(set = 1, binding = 3) uniform samplerCube t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(vec2(textureSize(t, 0)) / 16.0, 0.0, 1.0);
}
