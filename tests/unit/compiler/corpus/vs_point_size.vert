#version 450
layout(location = 0) in vec4 a;
void main()
{
    gl_Position = vec4(a.xy * 0.0625, 0.5, 1.0);
    gl_PointSize = 2.0 + a.w;
}
