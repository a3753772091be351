#version 450
// out@0 1.0 2.0 3.0
// out@5 1.0 2.0 3.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main() { o = vec4(dFdx(v.x), dFdy(v.x), fwidth(v.x), 0.0); }
