#version 450
// out@0 0 0 200 7
// out@3 3 6 200 7
// out@6 6 12 200 7
// out@9 9 18 200 7
// out@15 15 30 200 7
layout(location = 0) in vec4 v;
layout(location = 0) out uvec4 o;
void main()
{
    o = uvec4(v.x, v.x * 2.0, 200.0, 7.0);
}
