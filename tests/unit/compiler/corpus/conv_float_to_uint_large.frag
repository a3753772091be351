#version 450
// out@0 0 4000000000 0 3
// out@8 1600000000 2400000000 8 3
layout(location = 0) in vec4 v;
layout(location = 0) out uvec4 o;
void main()
{
    o = uvec4(v.x * 2.0e8, 4.0e9 - v.x * 2.0e8, v.x, 3.5);
}
