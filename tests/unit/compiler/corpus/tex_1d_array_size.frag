#version 450
layout(set = 1, binding = 4) uniform sampler1DArray t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(vec2(textureSize(t, 1)) / 16.0, 0.0, 1.0);
}
