#version 450
// out@0 0.75 0.0 -0.5 2.0
// out@3 0.9375 2.0 -0.625 1.0
// out@6 0.84375 3.0 -0.5 0.0
// out@9 0.609375 4.0 0.5 -1.0
// out@15 0.984375 4.0 0.875 1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    int e;
    float m = frexp(v.x + 0.75, e);
    int e2;
    float m2 = frexp(v.y, e2);
    o = vec4(m, float(e), m2, float(e2));
}
