#version 450
// out@0 -5 0 0 0
// out@3 -3 -3 5 1
// out@6 -1 -6 10 0
// out@9 0 -9 15 1
// out@15 4 -15 26 1
layout(location = 0) in vec4 v;
layout(location = 0) out ivec4 o;
void main()
{
    o = ivec4(int(v.y * 2.6), int(-v.x), int(uint(v.x * 1.75)), int(v.w > 0.5));
}
