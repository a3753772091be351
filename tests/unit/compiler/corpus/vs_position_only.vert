#version 450
layout(location = 0) in vec4 a;
void main()
{
    gl_Position = a;
}
