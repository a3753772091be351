#version 450
layout(set = 1, binding = 1) uniform sampler2D t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(vec2(textureSize(t, 0)), vec2(textureSize(t, 1))) / 16.0;
}
