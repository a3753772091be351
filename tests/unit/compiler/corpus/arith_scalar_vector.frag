#version 450
// out@0 1.0 -2.5 2.75 1.0
// out@3 6.25 -1.1875 2.75 2.75
// out@6 11.5 0.125 2.75 1.0
// out@9 16.75 1.4375 2.75 2.75
// out@15 27.25 4.0625 2.75 2.75
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = 2.0 * v - v / 4.0 + 1.0;
}
