#version 450
// out@0 -1.0 5.0
// out@3 13.0 5.0
// out@12 112.0 5.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
float f(float x) { if (x < 1.0) return -1.0; x += 10.0; if (x > 20.0) { x += 90.0; return x; } return x; }
void main() { o.y = 5.0; o.x = f(v.x); if (v.x > 100.0) return; o.y = 5.0; }
