#version 450
// out@0 1.0 0.0
// out@9 3.0 9.0
// out@15 4.0 15.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main() { float r; if (v.x < 4.0) r = 1.0; else if (v.x < 8.0) r = 2.0; else { if (v.x > 12.0) r = 4.0; else r = 3.0; } o = vec4(r, v.x, 0, 0); }
