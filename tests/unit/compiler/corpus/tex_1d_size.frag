#version 450
layout(set = 1, binding = 0) uniform sampler1D t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(float(textureSize(t, 0)) / 16.0);
}
