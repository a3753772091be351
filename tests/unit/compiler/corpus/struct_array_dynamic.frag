#version 450
// out@0 -1.0 0.0 0.0 0.0
// out@3 -1.0 3.0 3.0 0.0
// out@6 -1.0 6.0 6.0 0.0
// out@9 -1.0 9.0 9.0 0.0
// out@15 -1.0 15.0 15.0 0.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
struct S { float a; vec2 b; };

void main()
{
    S s[3];
    for (int i = 0; i < 3; i++)
        s[i] = S(float(i), vec2(v.x, float(i) * 2.0));
    s[int(v.x) % 3].b.x = -1.0;
    o = vec4(s[0].b.x, s[1].b.x, s[2].b.x, s[int(v.x) % 3].b.y);
}
