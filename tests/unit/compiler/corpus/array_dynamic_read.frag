#version 450
// out@0 3.0 3.0
// out@3 1.5 1.0
// out@6 6.0 1.5
// out@9 1.0 9.0
// out@15 5.0 5.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    const float a[8] = float[8](3.0, 1.0, 4.0, 1.5, 9.0, 2.0, 6.0, 5.0);
    o = vec4(a[int(v.x) & 7], a[int(v.x) >> 1], 0.0, 0.0);
}
