#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 1) uniform sampler2D t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(0.0);
    for (int i = 0; i < 4; i++)
        o += textureLod(t, uv + float(i) * 0.25, 0.0) * 0.25;
}
