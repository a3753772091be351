#version 450
// buffer 0.0 0.5 0 0 1.0 1.5 0 0 2.0 2.5 0 0 3.0 3.5 0 0
// out@0 0.0 0.5 0.5
// out@2 2.0 2.5 2.5
// out@3 3.0 3.5 3.5
layout(set = 0, binding = 0, std140) uniform U { vec4 a[4]; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main() { int i = int(v.x) & 3; o = vec4(a[i].xy, a[i][1], 0.0); }
