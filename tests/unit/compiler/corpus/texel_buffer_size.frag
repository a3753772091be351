#version 450
layout(set = 0, binding = 2) uniform samplerBuffer t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(float(textureSize(t)) / 64.0);
}
