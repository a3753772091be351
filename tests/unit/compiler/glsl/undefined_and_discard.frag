#version 450
// out@0 1.0
// out@9 2.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main() { float x; if (v.x > 8.0) x = 2.0; for (int i = 0; i < 4; i++) { if (v.x == 7.0) discard; } o = vec4(v.x < 8.0 ? 1.0 : x); if (v.x == 6.0) discard; }
