#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 5) uniform sampler2DArray t;
layout(location = 0) out vec4 o;
void main()
{
    o = texelFetch(t, ivec3(uv * 8.0, int(uv.y * 3.0)), 0);
}
