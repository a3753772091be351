#version 450
// push 2.0 3.0 0 0
// out 8.0 3.0 2.0 11.0
layout(push_constant) uniform P { vec2 p; };
layout(location = 0) out vec4 o;
struct S { vec2 a; float b[2]; };
void swap2(inout float a, inout float b) { float t = a; a = b; b = t; }
float cube(float x) { return x * x * x; }
S make(vec2 v) { S s; s.a = v; s.b[0] = v.x + v.y; s.b[1] = v.x * v.y; return s; }
void main() { float a = p.x, b = p.y; swap2(a, b); S s = make(p); o = vec4(cube(p.x), a, b, s.b[0] + s.b[1]); }
