#version 450
// push 12.0 -3.25 0.0 5
// out 0.75 4.0 -0.25 384.0
layout(push_constant) uniform P { float a, b, z; int n; };
layout(location = 0) out vec4 o;
void main() { int e; float m = frexp(a, e); float whole; float f = modf(b, whole); o = vec4(m, float(e), f, ldexp(a, n)); if (whole != -3.0) o = vec4(0.0); }
