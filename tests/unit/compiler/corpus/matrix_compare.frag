#version 450
// push 1.0 2.0 0.5 0.0 -1.0 3.0 2.0 1.0 0.25 0.0 2.0 -2.0 4.0 1.0 0.0 1.0
// out@0 1.0 0.0
// out@3 0.0 1.0
// out@6 1.0 0.0
// out@9 0.0 1.0
// out@15 0.0 1.0
layout(push_constant) uniform P { mat4 m; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    mat4 a = m;
    a[1][2] += v.w;
    o = vec4(float(a == m), float(a != m), 0.0, 0.0);
}
