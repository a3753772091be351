#version 450
// push 5.5 3.0 -5.5 -7
// out 2.5 0.5 7.0 -1.0
layout(push_constant) uniform P { float a, b, c; int d; };
layout(location = 0) out vec4 o;
void main() { o = vec4(mod(a, b), mod(c, b), float(abs(d)), float(sign(d))); }
