#version 450
layout(location = 0) in vec4 a[3];
layout(location = 0) out vec4 c;
void main()
{
    gl_Position = vec4(a[0].xy * 0.0625, 0.5, 1.0);
    c = a[1] * 0.125 + a[2] * 0.0625;
}
