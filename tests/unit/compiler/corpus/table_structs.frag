#version 450
// A table of structs: members, and a struct as a whole.
// out@0 0.0 -9.0 0.25 4.5
// out@3 6.75 0.0 0.25 8.0
// out@6 13.5 27.0 1.0 2.5
// out@9 2.25 -8.0 1.0 5.5
// out@15 15.75 40.0 0.25 3.0
struct S { vec2 a; int b; mat2 m; bool c; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
const S t[8] = S[](
    S(vec2(0.5, 0.0), -9, mat2(0.0, 1.0, 2.0, 0.0), false), S(vec2(1.5, 2.0), -8, mat2(1.0, 1.0, 2.0, 0.25), true),
    S(vec2(2.5, 4.0), -5, mat2(2.0, 1.0, 2.0, 0.5), false), S(vec2(3.5, 6.0), 0, mat2(3.0, 1.0, 2.0, 0.75), false),
    S(vec2(4.5, 8.0), 7, mat2(4.0, 1.0, 2.0, 1.0), true), S(vec2(5.5, 10.0), 16, mat2(5.0, 1.0, 2.0, 1.25), false),
    S(vec2(6.5, 12.0), 27, mat2(6.0, 1.0, 2.0, 1.5), false), S(vec2(7.5, 14.0), 40, mat2(7.0, 1.0, 2.0, 1.75), true));
void main()
{
    int i = int(v.x), j = i & 1;
    S s = t[i % 8];
    o = vec4(s.a.y + s.m[1].y, float(s.b), t[(i + 3) % 8].c ? 1.0 : 0.25, t[(i + 3) % 8].m[j].y + t[(i + 3) % 8].a.x);
}
