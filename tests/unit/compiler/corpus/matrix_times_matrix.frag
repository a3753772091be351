#version 450
// push 1.0 2.0 0.5 0.0 -1.0 3.0 2.0 1.0 0.25 0.0 2.0 -2.0 4.0 1.0 0.0 1.0
// out@0 -7.0 -21.0 -5.75 -10.0
// out@3 51.9375 2.5 -5.5 6.5
// out@6 105.875 18.0 -1.25 11.0
// out@9 164.8125 41.5 -1.0 27.5
// out@15 277.6875 80.5 3.5 48.5
layout(push_constant) uniform P { mat4 m; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = (m * transpose(m)) * v;
}
