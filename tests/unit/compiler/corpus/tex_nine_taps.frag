#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 1) uniform sampler2D t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(0.0);
    for (int y = -1; y < 2; y++)
        for (int x = -1; x < 2; x++)
            o += texture(t, uv + vec2(x, y) * 0.125) / 9.0;
}
