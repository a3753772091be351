#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 15) uniform sampler2D t[4];
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(0.0);
    for (int i = 0; i < 4; i++)
        o += texture(t[i], uv) * 0.25;
}
