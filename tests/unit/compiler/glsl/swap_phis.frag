#version 450
// out@0 1.0 0.0
// out@5 8.0 5.0
// out@10 89.0 55.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main() { float a = 1.0, b = 0.0; for (int i = 0; i < int(v.x); i++) { float t = a; a = a + b; b = t; } o = vec4(a, b, 0, 0); }
