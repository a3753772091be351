#version 450
// out@0 1.0 0.0 1.0 1.0
// out@3 1.0 0.0 1.0 1.0
// out@6 1.0 0.0 1.0 1.0
// out@9 1.0 0.0 1.0 1.0
// out@15 1.0 0.0 1.0 1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float a[3] = float[3](v.x, v.y, 1.0), b[3] = a;
    bool same = a == b;
    b[1] += 1.0;
    o = vec4(float(same), float(a == b), b[1] - a[1], b[2]);
}
