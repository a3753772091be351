#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 4) uniform sampler1DArray t;
layout(location = 0) out vec4 o;
void main()
{
    o = texelFetch(t, ivec2(uv.x * 8.0, uv.y * 3.0), 0);
}
