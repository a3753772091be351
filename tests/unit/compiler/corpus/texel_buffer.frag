#version 450
layout(location = 3) in vec2 uv;
layout(set = 0, binding = 2) uniform samplerBuffer t;
layout(location = 0) out vec4 o;
void main()
{
    o = texelFetch(t, int(uv.x * 16.0));
}
