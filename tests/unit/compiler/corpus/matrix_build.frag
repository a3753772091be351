#version 450
// out@0 4.0 -1.0 1.0 0.0
// out@3 4.0 -0.25 1.0 1.0
// out@6 4.0 0.5 1.0 0.0
// out@9 4.0 1.25 1.0 1.0
// out@15 4.0 2.75 1.0 1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    mat3 a = mat3(2.0);
    mat4 b = mat4(mat2(v.xyzw));
    mat2 c = mat2(v.xy, v.zw);
    o = vec4(a[0][0] + a[2][2] + a[1][0], b[0][1] + b[3][3], c[1]);
}
