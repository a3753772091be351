#version 450
// out@0 0 0 -2 100
// out@3 3 -3 -1 100
// out@6 6 -6 0 100
// out@9 9 -9 0 100
// out@15 15 -15 1 100
layout(location = 0) in vec4 v;
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(v.x, -v.x, v.y, 100.0);
}
