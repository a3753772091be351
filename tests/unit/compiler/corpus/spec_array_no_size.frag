#version 450
// spec 4 5
// spec 5 2
// out@0 4.0 10.0
// out@3 7.0 10.0
// out@6 10.0 10.0
// An array has a length only once its constants are specialised: their defaults multiply to 0.
layout(location = 0) in vec4 v;
layout(constant_id = 4) const int W = 0;
layout(constant_id = 5) const int H = 0;
layout(location = 0) out vec4 o;
void main()
{
    float a[W * H];
    for (int i = 0; i < W * H; i++)
        a[i] = float(i) + v.x;
    o = vec4(a[W - 1], float(a.length()), 0.0, 0.0);
}
