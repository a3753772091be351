#version 450
// out@0 1 22 -25 4
// out@3 1 19 -16 36
// out@6 -23 16 -7 76
// out@9 -23 13 2 108
// out@15 -47 7 20 180
layout(location = 0) in vec4 v;
layout(location = 0) out ivec4 o;
void main()
{
    ivec4 a = ivec4(v * 4.0);
    ivec4 b = a.wzyx * 3 - a;
    o = b + ivec4(1, 2, 3, 4);
}
