#version 450
// push 2.0 0.5 -4.0 8.0
// out -0.5 2.0 0.25 -8.0
layout(push_constant) uniform P { float a, b, c, d; };
layout(location = 0) in vec4 i;
layout(location = 0) out vec4 o;
void main() { float one = i.z; o = vec4(-1.0 / (a * one), pow(b * one, -1.0), (-1.0 * one) / c, -one * d); }
