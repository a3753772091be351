#version 450
layout(location = 0) in vec2 at;
void main()
{
    gl_Position = vec4(at, 0.5, 1.0);
    gl_PointSize = 1.0;
}
