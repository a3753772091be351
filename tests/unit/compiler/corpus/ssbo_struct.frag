#version 450
// buffer 5 0 0 0 1.5 0 0 0 1 2 3 0 2.5 0 0 0 4 5 6 0
// out@0 1.5 2.0 5.0
// out@3 2.5 2.0 5.0
// out@6 1.5 2.0 5.0
// out@9 2.5 2.0 5.0
// out@15 2.5 2.0 5.0
layout(location = 0) in vec4 v;
struct S { float a; ivec3 b; };
layout(set = 0, binding = 1, std430) readonly buffer B { int n; S s[]; };
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(s[int(v.x) & 1].a, float(s.length()), float(n), 0.0);
}
