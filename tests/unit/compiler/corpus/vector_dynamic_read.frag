#version 450
// out@0 10.0 0.0
// out@3 40.0 -1.25
// out@6 30.0 6.0
// out@9 20.0 0.25
// out@15 40.0 1.75
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    vec4 a = vec4(10.0, 20.0, 30.0, 40.0);
    o = vec4(a[int(v.x) & 3], v[int(v.x) & 1], 0.0, 0.0);
}
