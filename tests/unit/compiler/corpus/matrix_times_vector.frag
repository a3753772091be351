#version 450
// push 1.0 2.0 0.5 0.0 -1.0 3.0 2.0 1.0 0.25 0.0 2.0 -2.0 4.0 1.0 0.0 1.0
// out@0 2.25 -6.0 -2.0 -4.0
// out@3 8.5 3.25 1.0 -2.25
// out@6 6.75 10.5 4.0 -2.5
// out@9 13.0 19.75 7.0 -0.75
// out@15 17.5 36.25 13.0 0.75
layout(push_constant) uniform P { mat4 m; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = m * v;
}
