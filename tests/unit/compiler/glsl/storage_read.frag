#version 450
// buffer 7 1.0 2.0 3.0 4.0
// out 7.0 2.0 4.0
layout(set = 0, binding = 0, std430) readonly buffer B { int n; float a[]; };
layout(location = 0) out vec4 o;
void main() { o = vec4(float(n), a[1], float(a.length()), 0.0); }
