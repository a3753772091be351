#version 450
// out@0 10.5 2.0 3.0 4.0
// out@3 1.5 2.0 3.0 10.0
// out@6 1.0 2.5 10.0 4.0
// out@9 1.0 10.0 3.5 4.0
// out@15 1.0 2.0 3.0 10.5
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float a[4] = float[4](1.0, 2.0, 3.0, 4.0);
    a[int(v.x) & 3] = 10.0;
    a[int(v.x) >> 2] += 0.5;
    o = vec4(a[0], a[1], a[2], a[3]);
}
