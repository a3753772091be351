#version 450
// push 1.0 2.0 0.5 0.0 -1.0 3.0 2.0 1.0 0.25 0.0 2.0 -2.0 4.0 1.0 0.0 1.0
// out@0 -3.5 -4.0 2.0 -2.0
// out@3 1.0 -3.75 0.75 11.75
// out@6 5.5 -5.5 3.5 23.5
// out@9 10.0 -5.25 2.25 37.25
// out@15 19.0 -6.75 3.75 62.75
layout(push_constant) uniform P { mat4 m; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = v * m;
}
