#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 9) uniform isampler2D t;
layout(location = 0) out ivec4 o;
void main()
{
    o = texture(t, uv);
}
