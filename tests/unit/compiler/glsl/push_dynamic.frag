#version 450
// push 9.0 0 0 0 1.0 2.0 3.0 4.0
// out@0 1.0 9.0
// out@3 4.0 9.0
layout(push_constant) uniform P { float x; layout(offset = 16) float a[4]; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main() { o = vec4(a[int(v.x) & 3], x, 0, 0); }
