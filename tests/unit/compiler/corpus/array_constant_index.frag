#version 450
// out@0 0.0 -2.0 -4.0 -2.0
// out@3 3.0 1.75 3.5 -1.25
// out@6 6.0 5.5 11.0 -0.5
// out@9 9.0 9.25 18.5 0.25
// out@15 15.0 16.75 33.5 1.75
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float a[4];
    a[0] = v.x;
    a[3] = v.y;
    a[1] = a[0] + a[3];
    a[2] = a[1] * 2.0;
    o = vec4(a[0], a[1], a[2], a[3]);
}
