#version 450
// spec 4 5
// out@0 4.0 5.0
// out@3 7.0 5.0
// out@6 10.0 5.0
// out@9 13.0 5.0
// out@15 19.0 5.0
layout(location = 0) in vec4 v;
layout(constant_id = 4) const int N = 3;
layout(location = 0) out vec4 o;
void main()
{
    float a[N];
    for (int i = 0; i < N; i++)
        a[i] = float(i) + v.x;
    o = vec4(a[N - 1], float(a.length()), 0.0, 0.0);
}
