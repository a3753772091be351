#version 450
layout(location = 0, component = 0) in vec2 a;
layout(location = 0, component = 2) in vec2 b;
layout(location = 0) out vec4 c;
void main()
{
    gl_Position = vec4(a * 0.0625, 0.5, 1.0);
    c = vec4(b, a);
}
