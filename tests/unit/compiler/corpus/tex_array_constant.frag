#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 15) uniform sampler2D t[4];
layout(location = 0) out vec4 o;
void main()
{
    o = texture(t[0], uv) * 0.5 + texture(t[3], uv.yx) * 0.5;
}
