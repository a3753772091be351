#version 450
// out@0 57.0 0.0
// out@3 89.0 19.0
// out@6 57.0 0.0
// out@9 89.0 19.0
// out@15 89.0 19.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float a[6];
    a[0] = v.w;
    for (int i = 1; i < 6; i++)
        a[i] = a[i - 1] * 2.0 + float(i);
    o = vec4(a[5], a[int(v.x) % 6], 0.0, 0.0);
}
