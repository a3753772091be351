#version 450
invariant gl_Position;
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 c;
void main()
{
    gl_Position = a * 0.0625 + vec4(0.0, 0.0, 0.25, 1.0);
    c = a;
}
