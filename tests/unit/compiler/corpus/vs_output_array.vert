#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 c[3];
void main()
{
    gl_Position = vec4(a.xy * 0.0625, 0.5, 1.0);
    for (int i = 0; i < 3; i++)
        c[i] = a * float(i + 1);
}
