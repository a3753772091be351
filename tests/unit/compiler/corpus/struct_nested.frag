#version 450
// out@0 0.0 1.0 0.0 0.0
// out@3 3.0 5.0 5.0 1.0
// out@6 6.0 1.0 0.0 6.0
// out@9 3.0 5.0 5.0 1.0
// out@15 3.0 5.0 5.0 1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
struct A { float x; vec2 y[2]; };
struct B { A a; A b[2]; int n; };

void main()
{
    B s;
    s.n = int(v.x) & 1;
    s.a = A(v.x, vec2[2](v.xy, v.zw));
    s.b[0] = s.a;
    s.b[1] = A(3.0, vec2[2](vec2(4.0), vec2(5.0)));
    o = vec4(s.b[s.n].x, s.b[s.n].y[1], s.a.y[s.n].x);
}
