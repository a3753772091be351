#version 450
layout(location = 1, component = 1) in vec2 f;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(f * 0.1, 0.0, 1.0);
}
