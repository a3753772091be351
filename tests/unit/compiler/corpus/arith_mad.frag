#version 450
// out@0 0.5 -0.25 2.0 1.0
// out@3 -3.25 -4.0 3.0 2.0
// out@6 -2.5 -3.25 2.0 1.0
// out@9 2.75 2.0 3.0 2.0
// out@15 26.75 26.0 3.0 2.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = v * v.yxwz + vec4(0.5, -0.25, 2.0, 1.0);
}
