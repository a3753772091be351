#version 450
// out@0 0.0 -2.0 1.0 -0.0
// out@3 3.0 -1.25 1.0 -1.25
// out@6 6.0 -0.5 1.0 -0.0
// out@9 9.0 0.25 1.0 0.25
// out@15 15.0 1.75 1.0 1.75
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    mat2x3 a = outerProduct(v.xyz, v.zw);
    o = vec4(a[0], a[1].y);
}
