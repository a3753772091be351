#version 450
// out@0 -6.0 -8.0 -4.0 -8.0
// out@3 -0.75 1.0 0.5 4.0
// out@6 4.5 10.0 5.0 16.0
// out@9 9.75 19.0 9.5 28.0
// out@15 20.25 37.0 18.5 52.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
vec2 apply(mat2 m, vec2 x) { return m * x; }

void main()
{
    mat2 m = mat2(1.0, 2.0, 3.0, 4.0);
    o = vec4(apply(m, v.xy), apply(transpose(m), v.xy));
}
