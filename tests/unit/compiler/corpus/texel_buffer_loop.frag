#version 450
layout(set = 0, binding = 2) uniform samplerBuffer t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(0.0);
    for (int i = 0; i < textureSize(t); i += 4)
        o += texelFetch(t, i) * 0.125;
}
