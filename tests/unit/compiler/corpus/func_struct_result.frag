#version 450
// out@0 0.5 1.0 0.0 -4.0
// out@3 3.5 4.0 6.0 -2.5
// out@6 6.5 7.0 12.0 -1.0
// out@9 9.5 10.0 18.0 0.5
// out@15 15.5 16.0 30.0 3.5
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
struct S { vec2 a; float b; };
S make(float x) { return S(vec2(x, x + 1.0), x * 2.0); }

void main()
{
    S s = make(v.x);
    s.a.x += 0.5;
    o = vec4(s.a, s.b, make(v.y).b);
}
