#version 450
// push 0.5 0.0 0.0 0.0 0.0 0.5 0.0 0.0 0.0 0.0 0.25 0.0 0.0 0.0 0.5 1.0
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 c;
layout(push_constant) uniform P { mat4 m; };
void main()
{
    gl_Position = m * a;
    c = a;
}
