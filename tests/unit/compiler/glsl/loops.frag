#version 450
// out@0 0.0 0.0
// out@3 3.0 6.0
// out@15 15.0 120.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main() { float s = 0.0; int n = int(v.x), i = 0; for (; i < n; i++) s += float(i + 1); o = vec4(float(i), s, 0, 0); }
