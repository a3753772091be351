#version 450
// push 1 0 5 5
// out 1.0 0.0 1.0 1.0
layout(push_constant) uniform P { int a, b, c, d; };
layout(location = 0) out vec4 o;
void main() { bool x = a != 0, y = b != 0; bvec2 v = bvec2(x, y); bool keep = false; for (int i = 0; i < 3; i++) keep = keep || i == a; o = vec4(x || y, x && y, x ^^ y, keep && any(v) && !all(v) && c == d); }
