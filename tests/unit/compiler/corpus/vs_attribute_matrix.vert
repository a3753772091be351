#version 450
layout(location = 0) in mat4 m;
layout(location = 0) out vec4 c;
void main()
{
    gl_Position = m * vec4(0.25, 0.5, 0.5, 1.0);
    c = m[3];
}
