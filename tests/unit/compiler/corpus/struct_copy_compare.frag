#version 450
// out@0 1.0 0.0 0.0
// out@3 1.0 0.0 3.0
// out@6 1.0 0.0 6.0
// out@9 1.0 0.0 9.0
// out@15 1.0 0.0 15.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
struct S { float a; ivec2 b; };

void main()
{
    S s = S(v.x, ivec2(1, 2)), t = s;
    bool same = s == t;
    t.b.y = int(v.x);
    o = vec4(float(same), float(s == t), float(t.b.y), 0.0);
}
