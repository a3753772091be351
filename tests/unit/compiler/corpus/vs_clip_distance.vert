#version 450
layout(location = 0) in vec4 a;
void main()
{
    gl_ClipDistance[0] = a.x;
    gl_Position = vec4(a.xy * 0.0625, 0.5, 1.0);
}
