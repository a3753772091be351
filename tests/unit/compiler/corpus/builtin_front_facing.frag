#version 450
layout(location = 0) out vec4 o;
void main()
{
    o = gl_FrontFacing ? vec4(0.25, 0.5, 0.75, 1.0) : vec4(1.0, 0.0, 0.0, 1.0);
}
