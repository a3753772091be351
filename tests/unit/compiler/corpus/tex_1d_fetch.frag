#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 0) uniform sampler1D t;
layout(location = 0) out vec4 o;
void main()
{
    o = texelFetch(t, int(uv.x * 8.0), 0);
}
