#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 1) uniform sampler2D t;
layout(location = 0) out vec4 o;
void main()
{
    int l = int(uv.x * 3.0);
    o = texelFetch(t, ivec2(uv * 8.0) >> l, l);
}
